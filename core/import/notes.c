/*
 * notes.c - acts on notes, events that say something about other events:
 *
 *	kmem_cache_free_bulk: call_site=mas_destroy+0xfb/0x210 nr=3	its next three events are one request
 *	tracing_mark_write: state-begins				somebody reads the state of the kernel's slabs
 *
 * and about the pages of slabs:
 *
 *	mm_page_alloc: page=… pfn=0x101e20 order=2			a slab that appears here is new
 *	mm_page_free: page=… pfn=0x101e20 order=2			objects that were here have been freed
 *
 * A format makes a struct event of a note and hands it on in the order of time, like any other. A merge keeps it until
 * the events of all files become a trace.
 */
#include "import/sites.h"
#include "import/import.h"
#include "util/text.h"

/*
 * Finds the objects of bulk requests, where the recorder announces them.
 *
 *	kmem_cache_free_bulk: call_site=mas_destroy+0xfb/0x210 nr=3 name=maple_node
 *	kmem_cache_free: call_site=mas_destroy+0xfb/0x210 ptr=…		first
 *	kmem_cache_free: call_site=mas_destroy+0xfb/0x210 ptr=…
 *	kmem_cache_free: call_site=mas_destroy+0xfb/0x210 ptr=…		last: the kernel frees all three here, as one list
 *
 * The objects are the next events of the same CPU, kind and call site. Events of interrupts and of other CPUs may come
 * between them. An event becomes a member after its import: it gets a site like its own, but with SITE_GROUP.
 */

enum {
	MOST_OPEN_GROUPS = 256,
	PATIENCE =
		64, /* events of the trace per object, after which an incomplete group ends anyway */
	NO_MEMBER = 0xffffffff,
};

struct open_group {
	u32 call_site; /* text; 0: any */
	u32 left;      /* objects to come */
	u32 until;     /* event at which it ends in any case */
	u32 last;      /* its last object so far, or NO_MEMBER */
	u32 known;     /* site + 1 of a free of an object of the trace */
	u16 cpu, is_free;
};

static struct open_group *group_at(const struct import *im, u32 nr)
{
	return (struct open_group *)im->groups.at + nr;
}

static struct recipe import_recipe_of(const struct import *im, u32 site)
{
	struct recipe recipe;

	memcpy(&recipe, (const struct packed *)im->recipes.at + site, sizeof(recipe));
	return recipe;
}

/* Gives event `nr` the site of that recipe, and these flags more. */
static void import_change_event(struct import *im, u32 nr, struct recipe recipe, u8 flags)
{
	struct op op = trace_op(im->trace, nr);
	u32 site = import_site(im, &recipe);

	if (site == SITE_FULL || im->status != KMEM_OK)
		return;
	struct site_use *uses = im->uses.at;
	uses[op.site].ops--;
	uses[site].ops++;
	op.site = site;
	op.flags |= flags | (op.kind == OP_NOTHING ? 0 : OP_BY_REQUEST);
	import_pack(im, &op, trace_packed(im->trace, nr));
}

/*
 * Ends a group. If its last event frees an object from before the trace, the replay learns from it which cache the
 * others belong to.
 */
static void end_group(struct import *im, u32 nr)
{
	const struct open_group g = *group_at(im, nr);

	im->nr_groups--;
	memmove(group_at(im, nr), group_at(im, nr + 1), (im->nr_groups - nr) * sizeof(g));
	if (g.last == NO_MEMBER || im->status != KMEM_OK)
		return;
	const struct op op = trace_op(im->trace, g.last);
	struct recipe recipe = import_recipe_of(im, op.site);
	if (op.kind == OP_NOTHING && g.known) {
		const struct site *known = &im->trace->sites[g.known - 1];
		recipe.cache = known->cache;
		recipe.bytes_req = known->bytes;
		recipe.kmalloc_type = known->kmalloc_type;
	}
	import_change_event(im, g.last, recipe, OP_GROUP_LAST);
}

void import_groups_close(struct import *im)
{
	while (im->nr_groups)
		end_group(im, 0);
}

/* Whether events become part of the trace immediately instead of being kept for later. */
static int import_is_direct(const struct import *im)
{
	return im->sink == import_usual_sink(im);
}

void import_group(struct import *im, u32 kind, u32 cpu, u32 nr, u32 call_site)
{
	struct trace *t = im->trace;

	if (!nr || cpu >= MAX_CPUS || im->status != KMEM_OK)
		return;
	/* A CPU serves one request at a time, so objects that an open group could also take belong to this one. */
	for (u32 i = im->nr_groups; i-- > 0;) {
		const struct open_group *g = group_at(im, i);
		if (g->cpu == cpu && g->is_free == (kind == KIND_BULK_FREE) &&
		    (!g->call_site || !call_site || g->call_site == call_site))
			end_group(im, i);
	}
	if (im->nr_groups == MOST_OPEN_GROUPS)
		end_group(im, 0);
	if (!import_grow(im, &im->groups, MOST_OPEN_GROUPS * sizeof(struct open_group)))
		return;
	*group_at(im, im->nr_groups++) = (struct open_group){
		.call_site = call_site,
		.left = nr,
		.until = (u32)MIN((u64)t->nr_ops + (u64)PATIENCE * nr, (u64)NO_MEMBER),
		.last = NO_MEMBER,
		.cpu = (u16)cpu,
		.is_free = kind == KIND_BULK_FREE
	};
}

void import_group_member(struct import *im)
{
	const struct trace *t = im->trace;
	u32 nr = t->nr_ops - 1;
	const struct op op = trace_op(t, nr);
	const struct site *site = &t->sites[op.site];
	int is_orphan = op.kind == OP_NOTHING && site->reason == REASON_ORPHAN_FREE,
	    is_free = op.kind == OP_FREE || is_orphan;

	for (u32 i = im->nr_groups; i-- > 0;)
		if (nr >= group_at(im, i)->until)
			end_group(im, i);
	if ((!is_free && op.kind != OP_ALLOC) || op.flags & (OP_IMPLIED | OP_KEPT) || site->request)
		return;
	for (u32 i = 0; i < im->nr_groups; i++) {
		struct open_group *g = group_at(im, i);
		if (g->cpu != op.cpu || g->is_free != is_free ||
		    (g->call_site && g->call_site != site->call_site))
			continue;
		struct recipe recipe = import_recipe_of(im, op.site);
		recipe.marks |= SITE_GROUP << RECIPE_REQUEST_AT;
		import_change_event(im, nr, recipe, g->last == NO_MEMBER ? OP_GROUP_FIRST : 0);
		if (op.kind == OP_FREE)
			g->known = trace_op(t, nr).site + 1;
		g->last = nr;
		if (!--g->left)
			end_group(im, i);
		return;
	}
}

/*
 * Reads what the stock tracepoints do not show, from the dynamic events of traces/record.sh:
 *
 *	probe_prefill_sheaf: (mas_preallocate+0x8e/0x1d0 <- kmem_cache_prefill_sheaf) sheaf=0xffff888100078800 nr=3 name="maple_node"
 *	probe_alloc_from_sheaf: (kmem_cache_alloc_from_sheaf_noprof+0x0/0xb0) sheaf=0xffff888100078800
 *	kmem_cache_alloc: call_site=mas_split+0x5b/0x3a0 ptr=ffff8881002b0200 name=maple_node …	the object of the line above
 *	probe_return_sheaf: (kmem_cache_return_sheaf+0x0/0x130) sheaf=0xffff888100078800 name="maple_node"
 *	probe_free_bulk: (kmem_cache_free_bulk+0x0/0x2f0) nr=2 ptrs={0xffff8881002b0200,0xffff8881002b0100,0x0,…}
 *
 * docs/formats.md lists them. A sheaf gets a slot of the CPU that filled it, as in a slabtrace. Its cache may have no
 * name in the trace: then it is its first object's cache, and the sheaf counts as filled just after that. If its task
 * moves to another CPU, it takes the sheaf along; the slot is still one of the CPU that filled it.
 */

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

static u32 cache_called(const struct import *im, u32 text)
{
	const struct trace *t = im->trace;

	for (u32 i = 0; text && i < t->nr_caches; i++)
		if (t->caches[i].name == text)
			return i;
	return CACHE_NONE;
}

/* Says in the recipe of an event on that CPU which sheaf it is about. */
static void name_sheaf(struct recipe *recipe, const struct open_sheaf *sheaf, u32 cpu)
{
	recipe->marks |= (u8)((SITE_PREFILLED + sheaf->slot) << RECIPE_REQUEST_AT);
	if (sheaf->cpu == cpu)
		return;
	recipe->marks |= RECIPE_ELSEWHERE;
	recipe->node = sheaf->cpu;
}

static void put_sheaf_event(struct import *im, const struct open_sheaf *sheaf, u32 kind,
			    const struct event *ev)
{
	struct recipe recipe = { .node = (u16)NODE_ANY,
				 .cache = sheaf->cache,
				 .kind_name = kind_at(im, ev->kind)->name };

	name_sheaf(&recipe, sheaf, ev->cpu);
	if (kind != OP_RETURN)
		recipe.bytes_req = CLAMP(sheaf->nr, 1u, (u32)MAX_BULK_OBJECTS);
	if (sheaf->cache != CACHE_NONE)
		import_request(im, recipe, kind, ev->cpu, ev->time);
}

/* Returns the first slot that no open sheaf of the CPU has. */
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
				      .cache = (u16)cache_called(im, ev->cache),
				      .cpu = (u16)ev->cpu,
				      .taking_cpu = NOT_TAKING,
				      .slot = (u8)slot };
	put_sheaf_event(im, sheaf, OP_PREFILL, ev);
}

/* A prefilled sheaf is filled, used or returned, or a grace period ends. */
static void import_probe(struct import *im, const struct event *ev)
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
	}
}

/* The trace's last event may be the allocation that a sheaf awaits. */
static void import_taken(struct import *im)
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
		struct event ev = { .kind = KIND_PREFILL,
				    .cpu = sheaf->cpu,
				    .time = im->last_time };
		sheaf->cache = site->cache;
		put_sheaf_event(im, sheaf, OP_PREFILL, &ev);
		return;
	}
	struct recipe recipe = import_recipe_of(im, op.site);
	name_sheaf(&recipe, sheaf, op.cpu);
	import_change_event(im, nr, recipe, 0);
}

void import_watched(struct import *im)
{
	if (im->nr_taking)
		import_taken(im);
	import_group_member(im);
}

void import_bulk_probe(struct import *im, const struct event *ev, const u64 *objects, u32 nr)
{
	int is_free = ev->kind == KIND_BULK_FREE_PROBE;
	struct event member = *ev, note = *ev;

	nr = MIN(nr, ev->bytes_req);
	member.call_site = note.call_site = intern_text(im, is_free ? "kmem_cache_free_bulk"
								    : "kmem_cache_alloc_bulk");
	member.what = is_free ? WHAT_FREE : WHAT_CACHE_ALLOC;
	/* Without sizes an object cannot be placed. */
	if (!nr || (!is_free && (!ev->bytes_alloc || !ev->cache)))
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

struct span note_value(const u8 *p, const u8 *end, const char *key)
{
	const u8 *at = span_find(p, end, key), *behind;

	at = at ? at + text_length(key) : end;
	for (behind = at; behind < end && *behind > ' ';)
		behind++;
	return span_of(at, behind);
}

static int note_number(const u8 *p, const u8 *end, const char *key, u32 *number)
{
	struct span value = note_value(p, end, key);

	return scan_u32((struct range){ value.at, value.at + value.len }, number);
}

/* Reads "{0xffff8881002b0200,0xffff8881002b0100}" */
static u32 read_objects(struct span list, u64 *objects)
{
	const u8 *p = list.at, *end = list.at + list.len;
	u32 nr = 0;

	for (p += p < end && *p == '{'; p < end && nr < MAX_PROBED_OBJECTS; nr++) {
		const u8 *behind = p;
		while (behind < end && *behind != ',' && *behind != '}')
			behind++;
		if (!span_begins(p, behind, "0x") || !scan_hex(p + 2, behind, &objects[nr]))
			break;
		p = MIN(behind + 1, end);
	}
	return nr;
}

/* Reads the fields in [p, end) of a line of text. */
static void import_probe_line(struct import *im, struct event *ev, const u8 *p, const u8 *end)
{
	struct span sheaf = note_value(p, end, " sheaf="), name = note_value(p, end, " name="),
		    gfp = note_value(p, end, " gfp_flags=");
	u64 objects[MAX_PROBED_OBJECTS];

	ev->node = NODE_ANY;
	ev->cache = field_name(im, name.at, name.at + name.len);
	ev->gfp = intern_span(im, &gfp);
	note_number(p, end, " nr=", &ev->bytes_req);
	if (is_bulk_probe(ev->kind)) {
		note_number(p, end, " bytes_alloc=", &ev->bytes_alloc);
		import_bulk_probe(im, ev, objects,
				  read_objects(note_value(p, end, " ptrs="), objects));
		return;
	}
	if (ev->kind == KIND_GRACE ||
	    field_pointer(im, (struct range){ sheaf.at, sheaf.at + sheaf.len }, ev))
		import_in_order(im, ev);
}

u32 marker_in(const u8 *p, const u8 *end)
{
	return span_find(p, end, "state-begins") ? MARKER_STATE_BEGINS
	       : span_find(p, end, "state-ends") ? MARKER_STATE_ENDS
						 : MARKER_NONE;
}

/* Markers enclose the start state, then the stop state: docs/recording.md. */
static void note_marker(struct trace *t, u32 marker)
{
	u32 nr = t->nr_state_marks;

	if (nr < ARRAY_SIZE(t->state_marks) && marker == MARKER_STATE_BEGINS + nr % 2)
		t->state_marks[t->nr_state_marks++] = t->nr_ops;
}

/*
 * A slab is returned to the page allocator once all its objects are free. Those that are still live were freed by
 * events that were not recorded, mostly kfree_rcu().
 */
static void free_objects_of_page(struct import *im, const struct event *ev)
{
	struct trace *t = im->trace;
	u64 map = page_events_map(&t->page_events), from = map + (ev->ptr << FIRST_PAGE_SHIFT),
	    end = from + ((u64)1 << FIRST_PAGE_SHIFT << ev->bytes_req);

	if (!map)
		return;
	for (u64 ptr = from; (ptr = first_events_next(&t->first_events, ptr, end)) < end;
	     ptr += 1 << FIRST_GRANULE_SHIFT) {
		struct hash_slot *pointer = pointer_find(im, ptr);
		u32 before = t->nr_ops;
		if (!pointer)
			continue;
		import_imply_free(im, pointer, ev->cpu, ev->time);
		kept_put(im, before, ptr, 0);
	}
}

static void note_page(struct import *im, const struct event *ev)
{
	struct trace *t = im->trace;
	struct page_event event = { t->nr_ops, (u32)ev->ptr, (u16)ev->cpu,
				    (u8)MIN(ev->bytes_req, 0xffu), ev->kind == KIND_PAGE_ALLOC };

	if (!t->first_events.is_on || t->report.hashed || ev->ptr >> 32 ||
	    ev->bytes_req > MOST_PAGE_ORDER)
		return;
	page_events_note(t, event);
	if (!event.is_alloc)
		free_objects_of_page(im, ev);
}

void import_in_order(struct import *im, const struct event *ev)
{
	if (!is_note_kind(ev->kind) || !import_is_direct(im))
		im->sink(im, ev);
	else if (is_page_kind(ev->kind))
		note_page(im, ev);
	else if (is_group_kind(ev->kind))
		import_group(im, ev->kind, ev->cpu, ev->bytes_req, ev->call_site);
	else if (is_probe_kind(ev->kind))
		import_probe(im, ev);
	else
		note_marker(im->trace, ev->bytes_req);
}

void import_note_line(struct import *im, struct event *ev, const u8 *p, const u8 *end)
{
	u32 pfn = 0;

	if (is_probe_kind(ev->kind)) {
		import_probe_line(im, ev, p, end);
		return;
	}
	struct span site = note_value(p, end, "call_site=");
	ev->call_site = intern_span(im, &site);
	if (is_page_kind(ev->kind) &&
	    (!note_number(p, end, "pfn=", &pfn) || !note_number(p, end, "order=", &ev->bytes_req)))
		return;
	if (is_group_kind(ev->kind) && !note_number(p, end, "nr=", &ev->bytes_req))
		return;
	if (!is_page_kind(ev->kind) && !is_group_kind(ev->kind))
		ev->bytes_req = marker_in(p, end);
	ev->ptr = pfn;
	import_in_order(im, ev);
}
