/*
 * probes.c - reads what the stock tracepoints do not show, from the dynamic events of traces/record.sh:
 *
 *	probe_prefill_sheaf: (mas_preallocate+0x8e/0x1d0 <- kmem_cache_prefill_sheaf) sheaf=0xffff888100078800 nr=3 name="maple_node"
 *	probe_alloc_from_sheaf: (kmem_cache_alloc_from_sheaf_noprof+0x0/0xb0) sheaf=0xffff888100078800
 *	kmem_cache_alloc: call_site=mas_split+0x5b/0x3a0 ptr=ffff8881002b0200 name=maple_node …	the object of the line above
 *	probe_return_sheaf: (kmem_cache_return_sheaf+0x0/0x130) sheaf=0xffff888100078800 name="maple_node"
 *	probe_free_bulk: (kmem_cache_free_bulk+0x0/0x2f0) nr=2 ptrs={0xffff8881002b0200,0xffff8881002b0100,0x0,…}
 *
 * docs/formats.md lists them. A sheaf gets a slot of the CPU that filled it, as in a slabtrace. Its cache may have no name in
 * the trace: then it is that of its first object, and the sheaf counts as filled just behind that. A sheaf of a task that moves
 * to another CPU stays with the first one.
 */
#include "import/import.h"

enum { MOST_OPEN_SHEAVES = 1024, NOT_TAKING = 0xffff };

/* A sheaf between its prefill and its return. */
struct open_sheaf {
	u64 ptr;
	u32 nr;		     /* objects asked for */
	u16 cache;	     /* CACHE_NONE: not known, so the trace has no event of the sheaf yet */
	u16 cpu, taking_cpu; /* taking_cpu: where an object is being taken; NOT_TAKING */
	u8 slot;
};

static struct open_sheaf *sheaf_nr(const struct import *im, u32 nr)
{
	return (struct open_sheaf *)im->sheaves.at + nr;
}

static struct open_sheaf *sheaf_find(const struct import *im, u64 ptr)
{
	for (u32 i = im->nr_sheaves; i-- > 0;)
		if (sheaf_nr(im, i)->ptr == ptr)
			return sheaf_nr(im, i);
	return NULL;
}

static u32 cache_called(struct import *im, const struct span *name)
{
	const struct trace *t = im->trace;
	u32 text = intern_span(im, name);

	for (u32 i = 0; text && i < t->nr_caches; i++)
		if (t->caches[i].name == text)
			return i;
	return CACHE_NONE;
}

static void put_sheaf_event(struct import *im, const struct open_sheaf *sheaf, u32 kind,
			    const struct event *ev)
{
	struct recipe recipe = { .node = (u16)NODE_ANY,
				 .cache = sheaf->cache,
				 .kind_name = kind_at(im, ev->kind)->name,
				 .marks = (u8)((SITE_PREFILLED + sheaf->slot)
					       << RECIPE_REQUEST_AT) };

	if (kind != OP_RETURN)
		recipe.bytes_req = CLAMP(sheaf->nr, 1u, (u32)MAX_BULK_OBJECTS);
	if (sheaf->cache != CACHE_NONE)
		import_request(im, recipe, kind, sheaf->cpu, ev->time);
}

/* The first slot that no open sheaf of the CPU has. */
static u32 free_slot(const struct import *im, u32 cpu)
{
	u32 taken = 0;

	for (u32 i = 0; i < im->nr_sheaves; i++)
		if (sheaf_nr(im, i)->cpu == cpu)
			taken |= 1u << sheaf_nr(im, i)->slot;
	return (u32)__builtin_ctz(~taken);
}

static void stop_taking(struct import *im, struct open_sheaf *sheaf)
{
	im->nr_taking -= sheaf->taking_cpu != NOT_TAKING;
	sheaf->taking_cpu = NOT_TAKING;
}

static void close_sheaf(struct import *im, struct open_sheaf *sheaf, const struct event *ev)
{
	stop_taking(im, sheaf);
	put_sheaf_event(im, sheaf, OP_RETURN, ev);
	*sheaf = *sheaf_nr(im, --im->nr_sheaves);
}

static void open_sheaf(struct import *im, const struct event *ev)
{
	struct open_sheaf *old = sheaf_find(im, ev->ptr);
	u64 need_bytes = MOST_OPEN_SHEAVES * sizeof(struct open_sheaf);

	/* Its return was not recorded. */
	if (old)
		close_sheaf(im, old, ev);
	u32 slot = free_slot(im, ev->cpu);
	if (!ev->ptr || slot >= NR_PREFILLED_SLOTS || im->nr_sheaves == MOST_OPEN_SHEAVES ||
	    !import_grow(im, &im->sheaves, need_bytes))
		return;
	struct open_sheaf *sheaf = sheaf_nr(im, im->nr_sheaves++);
	*sheaf = (struct open_sheaf){ .ptr = ev->ptr,
				      .nr = ev->bytes_req,
				      .cache = (u16)cache_called(im, &ev->cache),
				      .cpu = (u16)ev->cpu,
				      .taking_cpu = NOT_TAKING,
				      .slot = (u8)slot };
	put_sheaf_event(im, sheaf, OP_PREFILL, ev);
}

void import_probe(struct import *im, const struct event *ev)
{
	struct open_sheaf *sheaf;

	if (im->status != KMEM_OK || ev->cpu >= MAX_CPUS)
		return;
	im->max_cpu_plus_1 = MAX(im->max_cpu_plus_1, ev->cpu + 1);
	if (ev->kind == KIND_GRACE) {
		struct recipe recipe = { .node = (u16)NODE_ANY,
					 .cache = (u16)CACHE_NONE,
					 .kind_name = kind_at(im, ev->kind)->name };
		import_request(im, recipe, OP_GRACE, 0, ev->time);
		return;
	}
	if (ev->kind == KIND_PREFILL) {
		open_sheaf(im, ev);
		return;
	}
	sheaf = sheaf_find(im, ev->ptr);
	if (!sheaf)
		return; /* filled before the trace began */
	if (ev->kind == KIND_RETURN) {
		close_sheaf(im, sheaf, ev);
	} else if (ev->kind == KIND_REFILL) {
		sheaf->nr = ev->bytes_req;
		put_sheaf_event(im, sheaf, OP_REFILL, ev);
	} else if (ev->kind == KIND_TAKE) {
		stop_taking(im, sheaf);
		sheaf->taking_cpu = (u16)ev->cpu;
		im->nr_taking++;
		import_watch(im);
	}
}

void import_taken(struct import *im)
{
	struct trace *t = im->trace;
	u32 nr = t->nr_ops - 1, i = 0;
	const struct op op = trace_op(t, nr);
	const struct site *site = &t->sites[op.site];
	struct open_sheaf *sheaf;

	while (i < im->nr_sheaves && sheaf_nr(im, i)->taking_cpu != op.cpu)
		i++;
	if (i == im->nr_sheaves || site->was != OP_ALLOC || site->request)
		return;
	sheaf = sheaf_nr(im, i);
	/* An interrupt's allocation from another cache */
	if (sheaf->cache != CACHE_NONE && sheaf->cache != site->cache)
		return;
	stop_taking(im, sheaf);
	if (op.kind != OP_ALLOC)
		return;
	if (sheaf->cache == CACHE_NONE) {
		struct event ev = { .kind = KIND_PREFILL, .time = im->last_time };
		sheaf->cache = site->cache;
		put_sheaf_event(im, sheaf, OP_PREFILL, &ev);
		return;
	}
	struct recipe recipe = import_recipe_of(im, op.site);
	recipe.marks |= (u8)((SITE_PREFILLED + sheaf->slot) << RECIPE_REQUEST_AT);
	import_change_event(im, nr, recipe, 0);
	if (sheaf->cpu != op.cpu) {
		struct op moved = trace_op(t, nr);
		moved.cpu = sheaf->cpu;
		import_pack(im, &moved, trace_packed(t, nr));
	}
}

void import_bulk_probe(struct import *im, const struct event *ev, const u64 *objects, u32 nr)
{
	static const u8 alloc_site[32] = "kmem_cache_alloc_bulk",
			free_site[32] = "kmem_cache_free_bulk";
	int is_free = ev->kind == KIND_BULK_FREE_PROBE;
	const u8 *site = is_free ? free_site : alloc_site;
	struct event member = *ev, note = *ev;

	nr = MIN(nr, ev->bytes_req);
	member.call_site = note.call_site = span_of(site,
						    scan_byte(site, site + sizeof(alloc_site), 0));
	member.what = is_free ? WHAT_FREE : WHAT_CACHE_ALLOC;
	/* Without sizes an object cannot be placed. */
	if (!nr || (!is_free && (!ev->bytes_alloc || !ev->cache.len)))
		return;
	note.kind = is_free ? KIND_BULK_FREE : KIND_BULK_ALLOC;
	note.bytes_req = nr;
	import_in_order(im, &note);
	for (u32 i = 0; i < nr; i++) {
		member.ptr = objects[i];
		if (!is_free)
			member.bytes_req = ev->bytes_alloc;
		im->sink(im, &member);
	}
}

/* "{0xffff8881002b0200,0xffff8881002b0100}" */
static u32 read_objects(struct span list, u64 *objects)
{
	const u8 *p = list.at, *end = list.at + list.len;
	u32 nr = 0;

	for (p += p < end && *p == '{'; p < end && nr < MAX_PROBED_OBJECTS; nr++) {
		const u8 *behind = p;
		while (behind < end && *behind != ',' && *behind != '}')
			behind++;
		if (!span_begins(p, behind, "0x") || !field_hex(p + 2, behind, &objects[nr]))
			break;
		p = MIN(behind + 1, end);
	}
	return nr;
}

static int read_number(const u8 *p, const u8 *end, const char *key, u32 *number)
{
	struct span value = note_value(p, end, key);

	return field_number((struct range){ value.at, value.at + value.len }, number);
}

void import_probe_line(struct import *im, struct event *ev, const u8 *p, const u8 *end)
{
	struct span sheaf = note_value(p, end, " sheaf="), name = note_value(p, end, " name=");
	u64 objects[MAX_PROBED_OBJECTS];

	ev->node = NODE_ANY;
	ev->cache = field_name(name.at, name.at + name.len);
	ev->gfp = note_value(p, end, " gfp_flags=");
	read_number(p, end, " nr=", &ev->bytes_req);
	if (is_bulk_probe(ev->kind)) {
		read_number(p, end, " bytes_alloc=", &ev->bytes_alloc);
		import_bulk_probe(im, ev, objects,
				  read_objects(note_value(p, end, " ptrs="), objects));
		return;
	}
	if (ev->kind == KIND_GRACE ||
	    field_pointer(im, (struct range){ sheaf.at, sheaf.at + sheaf.len }, ev))
		import_in_order(im, ev);
}
