/*
 * cmd_state.c - `slabscope state`: where every slab is, and the state of every object, at one position.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "doc/doc.h"
#include "cli/print.h"

/* One object */

static void answer_link(struct doc *d, const struct kmem_object_row *o)
{
	if (!o->link_address) {
		doc_null(d, "link");
		return;
	}
	doc_row(d, "link");
	doc_fields(d, ROW(kmem_object_row, o),
		   "offset=link_offset,address=link_address:hex,pointer:hex,secret:hex,swapped:hex,"
		   "stored:hex,next?");
	doc_end(d);
	doc_line(d, "  free pointer at %+d, address 0x%016llx", (int)o->link_offset,
		 (unsigned long long)o->link_address);
	if (o->state == CELL_ALLOCATED || o->state == CELL_LOST || o->state == CELL_INFERRED)
		return;
	doc_say(d, "    pointer   0x%016llx  ", (unsigned long long)o->pointer);
	if (o->next != NO_THING)
		doc_line(d, "object %u is next", o->next);
	else
		doc_line(d, o->pointer ? "no object of this slab" : "the list ends here");
	if (o->secret) {
		doc_line(d, "    ^ secret  0x%016llx  of the cache", (unsigned long long)o->secret);
		doc_line(d, "    ^ swapped 0x%016llx  its address, last byte first",
			 (unsigned long long)o->swapped);
	}
	doc_line(d, "    = stored  0x%016llx", (unsigned long long)o->stored);
}

/* The overwritten bytes, by their offset from the object. */
static void answer_overwritten(struct doc *d, const struct host *h, const struct kmem_object_row *o)
{
	u32 nr;
	const struct kmem_byte_run *run = kmem_object_bytes(h->session, o->cache, o->slab, o->index,
							    &nr);

	doc_array(d, "overwritten");
	for (u32 i = 0; i < nr; i++, run++) {
		s64 at = (s64)run->start - o->left_bytes;
		if (!run->overwritten)
			continue;
		doc_row(d, NULL);
		doc_signed(d, "at", at);
		doc_number(d, "bytes", run->end - run->start);
		doc_number_or_null(d, "found", MIN(run->found, 0x100u), 0x100);
		doc_number_or_null(d, "expected", MIN(run->expected, 0x100u), 0x100);
		doc_end(d);
		doc_say(d, "  %+6lld  overwritten    %s of 0x%02x", (long long)at,
			counted(run->end - run->start, "byte").s, run->found);
		if (run->expected <= 0xff)
			doc_say(d, " instead of 0x%02x", run->expected);
		doc_gap(d);
	}
	doc_end(d);
}

static void say_part(struct doc *d, const char *what, s64 from, u32 bytes)
{
	if (bytes)
		doc_line(d, "  %+6lld  %-14s %s", (long long)from, what, counted(bytes, "byte").s);
}

/* The offset of each part from the object. */
static void answer_layout(struct doc *d, const struct kmem_object_row *o)
{
	doc_row(d, "layout");
	doc_fields(d, ROW(kmem_object_row, o),
		   "slot,slot_bytes,left_bytes,object_bytes,right_bytes,link_offset,tracks_offset,"
		   "tracks_bytes,padding_offset,padding_bytes");
	doc_end(d);
	doc_line(d,
		 "  slot of %s, %s from the start of the slab:", counted(o->slot_bytes, "byte").s,
		 counted(o->slot, "byte").s);
	say_part(d, "red zone", -(s64)o->left_bytes, o->left_bytes);
	say_part(d, "object", 0, o->object_bytes);
	say_part(d, "to its end", o->object_bytes, o->right_bytes);
	if (o->link_address && o->link_offset >= o->object_bytes + o->right_bytes)
		say_part(d, "free pointer", o->link_offset, 8);
	say_part(d, "tracks", o->tracks_offset, o->tracks_bytes);
	say_part(d, "padding", o->padding_offset, o->padding_bytes);
}

static void say_owner(struct doc *d, const struct host *h, const char *what, u32 op, u32 cpu,
		      u32 site_at)
{
	if (op == NO_THING)
		return;
	doc_say(d, "  last %s by event %s on CPU %u", what, event_number(op).s, cpu);
	if (site_at)
		doc_say(d, " in %s", plain(host_text(h, site_at)));
	doc_gap(d);
}

static void answer_object(struct doc *d, const struct host *h, const struct kmem_object_row *o,
			  const char *name)
{
	doc_line(d, "object %u of slab %u of %s: %s", o->index, o->slab, plain(name),
		 enum_words("kmem_cell", o->state));
	doc_line(d, "  address 0x%016llx", (unsigned long long)o->address);
	doc_object(d, NULL);
	doc_text(d, "cache", name);
	doc_fields(d, ROW(kmem_object_row, o),
		   "slab,index,state:kmem_cell,damaged:bool,address:hex,slab_address:hex");
	answer_layout(d, o);
	answer_link(d, o);
	if (o->requested)
		doc_line(d, "  %s requested", counted(o->requested, "byte").s);
	answer_overwritten(d, h, o);
	doc_fields(d, ROW(kmem_object_row, o), "requested,handle?");
	doc_track(d, "allocated", o->alloc_op, o->alloc_cpu, o->alloc_time, o->alloc_site_at);
	doc_track(d, "freed", o->free_op, o->free_cpu, o->free_time, o->free_site_at);
	doc_end(d);
	say_owner(d, h, "allocated", o->alloc_op, o->alloc_cpu, o->alloc_site_at);
	say_owner(d, h, "freed", o->free_op, o->free_cpu, o->free_site_at);
}

/* --object. */
static char object_cache[MAX_NAME_BYTES];
static u32 object_place[2];

static void check_object(const struct args *args)
{
	const char *word = option_text(args, "object");

	if (word && !parse_place(word, object_cache, object_place, 2))
		refuse_call("--object %.80s: expected CACHE/SLAB/INDEX, as in dentry/3/7", word);
}

static void show_object(struct doc *d, struct host *h, const struct args *args,
			const struct cache_names *names)
{
	u32 cache = find_cache(names, object_cache);
	const struct kmem_object_row *o = kmem_object(h->session, cache, object_place[0],
						      object_place[1]);

	if (!o)
		refuse_call("--object %.80s: %s", option_text(args, "object"),
			    kmem_error(h->session));
	kernel_note_now(h);
	answer_object(d, h, o, names->of[cache]);
}

/* All slabs */

/* The objects that a place holds one by one, from the one that leaves it next. */
static void answer_objects(struct doc *d, const struct kmem_place *p, const struct kmem_entry *e)
{
	doc_list(d, "objects");
	for (u32 i = p->nr_entries; i-- > 0;) {
		doc_row(d, NULL);
		doc_number(d, "slab", e[i].slab);
		doc_number(d, "index", e[i].index);
		if (p->sheaves)
			doc_number(d, "sheaf", e[i].sheaf);
		doc_end(d);
	}
	doc_end(d);
}

static void answer_places(struct doc *d, const struct host *h, const struct kmem_frame *f)
{
	const struct kmem_place *p = host_rows(h, f->places_at);
	const struct kmem_entry *e = host_rows(h, f->entries_at);

	doc_array(d, "places");
	for (u32 i = 0; i < f->nr_places; i++) {
		doc_row(d, NULL);
		doc_fields(
			d, ROW(kmem_place, p + i),
			"kind:kmem_place_kind,cache,cpu?,node?,target?,nr_slabs,first_slab,limit,"
			"free_objects,nr_entries,sheaves");
		answer_objects(d, p + i, e + p[i].first_entry);
		doc_end(d);
	}
	doc_end(d);
}

static void answer_cells(struct doc *d, const struct host *h, const struct kmem_frame *f)
{
	const u8 *cell = host_rows(h, f->cells_at);

	doc_array(d, "cell_kinds");
	for (u32 i = CELL_FREE; i <= CELL_INFERRED; i++)
		doc_text(d, NULL, enum_name("kmem_cell", i).s);
	doc_end(d);
	doc_list(d, "cells");
	for (u32 i = 0; i < f->nr_cells; i++)
		doc_number(d, NULL, cell[i]);
	doc_end(d);
}

/* Each cache as the kernel's files show it. It comes last, because these calls overwrite other rows. */
static void answer_views(struct doc *d, const struct host *h, const struct cache_names *names)
{
	struct slabinfo info = slabinfo_take(h);

	doc_array(d, "cache_views");
	for (u32 i = 0; i < names->nr; i++) {
		doc_object(d, NULL);
		doc_text(d, "name", names->of[i]);
		doc_sysfs(d, h, &info, i);
		doc_end(d);
	}
	doc_end(d);
	free(info.rows);
}

static void answer_json(struct doc *d, const struct host *h, const struct kmem_frame *f,
			const struct cache_names *names)
{
	doc_object(d, NULL);
	doc_number(d, "op", f->op);
	doc_number(d, "step", f->step);
	answer_places(d, h, f);
	doc_field_rows(
		d, "slabs", ROW(kmem_slab_row, host_rows(h, f->slabs_at)), f->nr_slabs,
		"cache,serial,address:hex,place,position,node,order,objects,inuse,free_on_slab,"
		"free_on_cpu,owner_cpu?,frozen:bool,inferred,first_cell,first_extent?");
	answer_cells(d, h, f);
	/* Where cells differ in size: their places in the slab. */
	doc_field_rows(d, "extents", ROW(kmem_extent, host_rows(h, f->extents_at)), f->nr_extents,
		       "offset,bytes");
	doc_list(d, "caches");
	for (u32 i = 0; i < names->nr; i++)
		doc_text(d, NULL, names->of[i]);
	doc_end(d);
	doc_text(d, "machine", kmem_machine_text(h->session));
	doc_kernel(d, h, 0);
	doc_hex64(d, "state_hash", kmem_hash(h->session));
	answer_views(d, h, names);
	doc_end(d);
}

/* A slab with its place. */
struct placed {
	struct kmem_slab_row slab;
	struct kmem_place place;
	const char *cache, *from;
};

static const struct column columns[] = {
	CELL("cache", placed, cache, TEXT, IN_CSV),
	CELL("slab", placed, slab.serial, DIGITS, IN_CSV),
	CELL_OF("kmem_place_kind", "place", placed, place.kind, IN_CSV),
	CELL("cpu", placed, place.cpu, ID, IN_CSV),
	CELL("position", placed, slab.position, DIGITS, IN_CSV),
	CELL("node", placed, slab.node, DIGITS, IN_CSV),
	CELL("order", placed, slab.order, DIGITS, IN_CSV),
	CELL("objects", placed, slab.objects, DIGITS, IN_CSV),
	CELL("inuse", placed, slab.inuse, DIGITS, IN_CSV),
	CELL("free_on_slab", placed, slab.free_on_slab, DIGITS, IN_CSV),
	CELL("free_on_cpu", placed, slab.free_on_cpu, DIGITS, IN_CSV),
	CELL("frozen", placed, slab.frozen, DIGITS, IN_CSV),
	CELL("address", placed, slab.address, HEX, IN_CSV),
	CELL("from", placed, from, TEXT, IN_CSV),
};

static void answer_rows(struct doc *d, const struct host *h, const struct kmem_frame *f,
			const struct cache_names *names)
{
	const struct kmem_slab_row *s = host_rows(h, f->slabs_at);
	const struct kmem_place *p = host_rows(h, f->places_at);

	kernel_note_now(h);
	doc_head(d, columns, ARRAY_SIZE(columns));
	for (u32 i = 0; i < f->nr_slabs; i++) {
		const struct placed row = { s[i], p[s[i].place], names->of[s[i].cache],
					    from_name(kmem_from_of(h->session, s[i].cache)) };
		doc_cells(d, columns, ARRAY_SIZE(columns), &row);
	}
}

static void say_slab(struct doc *d, const struct host *h, const struct kmem_frame *f,
		     const struct kmem_slab_row *s)
{
	static const char glyphs[] = { [CELL_FREE] = '.',	[CELL_ALLOCATED] = '#',
				       [CELL_FREE_CPU] = 'o',	[CELL_FREE_SHARED] = 's',
				       [CELL_FREE_ALIEN] = 'x', [CELL_LOST] = '!',
				       [CELL_INFERRED] = 'i' };
	const u8 *cell = (const u8 *)host_rows(h, f->cells_at) + s->first_cell;

	doc_say(d, "    slab %-5u %3u of %-3u used  ", s->serial,
		s->objects - s->free_on_slab - s->free_on_cpu, s->objects);
	for (u32 i = 0; i < s->objects; i++)
		doc_say(d, "%c", glyphs[cell[i]]);
	doc_gap(d);
}

static void answer_text(struct doc *d, const struct host *h, const struct kmem_frame *f,
			const struct cache_names *names)
{
	const struct kmem_place *p = host_rows(h, f->places_at);
	const struct kmem_slab_row *s = host_rows(h, f->slabs_at);

	doc_say(d, "after %s", counted(f->op, "event").s);
	if (f->step)
		doc_say(d, " and %s of the next", counted(f->step, "step").s);
	doc_line(d,
		 "; # allocated, i in use before the trace, o free on a CPU, . free on the slab");
	doc_kernel(d, h, 0);
	for (u32 i = 0; i < f->nr_places; i++, p++) {
		if (!p->nr_slabs)
			continue;
		doc_say(d, "\n  %s: %s", plain(names->of[p->cache]),
			enum_words("kmem_place_kind", p->kind));
		if (p->cpu != CPU_NONE)
			doc_say(d, " of CPU %u", p->cpu);
		if (p->node != NODE_ANY)
			doc_say(d, " on node %u", p->node);
		doc_line(d, ", %s, %s", counted(p->nr_slabs, "slab").s,
			 counted(p->free_objects, "free object").s);
		for (u32 k = 0; k < p->nr_slabs; k++)
			say_slab(d, h, f, &s[p->first_slab + k]);
	}
}

static void show_slabinfo(struct host *h)
{
	kernel_note_now(h);
	const char *text = kmem_slabinfo_text(h->session);
	if (!*text)
		refuse_call("kernels with this allocator have no /proc/slabinfo");
	fputs(plain_lines(text), stdout);
}

static void show_slabs(struct doc *d, struct host *h, const struct args *args,
		       const struct cache_names *names, u32 cache)
{
	const struct kmem_frame *frame = given(args, "step")
						 ? kmem_peek(h->session, kmem_position(h->session),
							     (u32)option_number(args, "step") - 1,
							     cache)
						 : kmem_view(h->session, cache);

	if (!frame && given(args, "step"))
		refuse_call("--step %s: %s", option_text(args, "step"), kmem_error(h->session));
	if (!frame)
		host_failed(h, KMEM_ENOMEM);
	(d->form == DOC_JSON   ? answer_json
	 : d->form == DOC_TEXT ? answer_text
			       : answer_rows)(d, h, frame, names);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	static struct cache_names names;
	u32 nr_ops = kmem_nr_ops(h->session);
	u64 at = option_or(args, "at", nr_ops);

	if (at > nr_ops || (given(args, "step") && at == nr_ops))
		refuse_call("--at %s is past the end: %s has %s", grouped(at).s, h->trace,
			    counted(nr_ops, "event").s);
	u32 cache = asked_cache(&names, h, args);
	host_must(h, kmem_seek(h->session, (u32)at));
	if (given(args, "object"))
		show_object(d, h, args, &names);
	else if (given(args, "slabinfo"))
		show_slabinfo(h);
	else
		show_slabs(d, h, args, &names, cache);
}

static const struct option options[] = {
	OPTION_AT,
	OPTION("step", ORDINAL, "K", "look inside the next event, right after its step K"),
	OPTION_CACHE,
	OPTION("object", WORD, "CACHE/SLAB/INDEX",
	       "show one object: its slot, its stored free pointer, its owner"),
	{ "slabinfo", .help = "list the caches as /proc/slabinfo would" },
	OPTIONS_END,
};

const struct command command_state = {
	GROUP_LOOK,
	"state",
	"TRACE",
	"show every slab, list and object after N events",
	"Shows the simulated memory after N events (--at, default: at the end): the cpu slabs,\n"
	"the per-CPU partial lists, the nodes' partial lists, and each slab with its objects.\n"
	"--step K looks inside the next event, right after its step K, counted from 1. --object\n"
	"shows one object with the layout of its slot and the arithmetic of its free pointer,\n"
	"--slabinfo all caches as /proc/slabinfo would list them.",
	"  slabscope state trace.txt --at 2000 --cache filp\n"
	"  slabscope state trace.txt --at 2000 --step 1 --cache filp\n"
	"  slabscope state trace.txt --at 2000 --object filp/0/7",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.needs = NEEDS_REPLAY,
	.check = check_object,
	.answer = answer,
};
