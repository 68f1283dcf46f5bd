/*
 * cmd_replay.c - `slabscope replay`: replays the whole trace through the allocator, and prints the state of memory at
 * the end.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "doc/doc.h"
#include "cli/print.h"
#include "doc/names.h"

/* In text, a cache whose mark differs from the rest carries it after its row. */
static const char *other_mark(const struct doc *d, const void *row)
{
	const struct host *h = d->about;
	u32 from = kmem_from_of(h->session, ((const struct kmem_cache_row *)row)->cache);

	if (d->form != DOC_TEXT)
		return from_name(from);
	return from == kmem_from(h->session) ? "" : mark(from);
}

static const struct column columns[] = {
	COLUMN("name", kmem_cache_row, name_at, TEXT_AT, IN_CSV, "cache", -28),
	CELL("object_size", kmem_cache_row, object_size, DIGITS, IN_CSV),
	COLUMN("size", kmem_cache_row, size, DIGITS, IN_CSV, "size", 8),
	CELL("align", kmem_cache_row, align, DIGITS, IN_CSV),
	COLUMN("order", kmem_cache_row, order, DIGITS, IN_CSV, "order", 6),
	COLUMN("objects_per_slab", kmem_cache_row, objects_per_slab, DIGITS, IN_CSV, "objects", 8),
	COLUMN("slabs", kmem_cache_row, slabs, DIGITS, IN_CSV, "slabs", 9),
	COLUMN("slabs_peak", kmem_cache_row, slabs_peak, DIGITS, IN_CSV, "most", 9),
	CELL("objects", kmem_cache_row, objects, DIGITS, IN_CSV),
	CELL("total_objects", kmem_cache_row, total_objects, DIGITS, IN_CSV),
	COLUMN("partial", kmem_cache_row, partial, DIGITS, IN_CSV, "partial", 9),
	COLUMN(NULL, kmem_cache_row, live_objects, DIGITS, 0, "live", 9),
	CELL("cpu_slabs", kmem_cache_row, cpu_slabs, DIGITS, IN_CSV),
	CELL("min_partial", kmem_cache_row, min_partial, DIGITS, IN_CSV),
	CELL("cpu_partial", kmem_cache_row, cpu_partial, DIGITS, IN_CSV),
};

/* The caches, in CSV also with each counter that the allocator has. */
static void answer_caches(struct doc *d, const struct host *h)
{
	struct column all[ARRAY_SIZE(columns) + NR_COUNTERS + 1];
	struct lower keys[NR_COUNTERS];
	u32 nr, nr_all = ARRAY_SIZE(columns);
	const struct kmem_cache_row *c = kmem_cache_rows(h->session, &nr);

	memcpy(all, columns, sizeof(columns));
	for (u32 i = 0; i < NR_COUNTERS; i++) {
		if (!kmem_has_counter(h->session, i))
			continue;
		keys[i] = lower_case(counter_name(i));
		all[nr_all] = (struct column)CELL(keys[i].s, kmem_cache_row, counters[0], DIGITS,
						  IN_CSV);
		all[nr_all++].at += (u16)(i * sizeof(u32));
	}
	all[nr_all++] = (struct column)COLUMN_SAID("from", other_mark, IN_CSV, "", 0);
	d->about = h;
	doc_rows(d, NULL, (struct rows){ all, nr_all, sizeof(*c), c, nr });
}

/* How many pages and free blocks the searches visited, for allocators whose sizes share pages. */
static void say_searches(struct doc *d, const struct kmem_totals *t)
{
	if (!t->searches)
		return;
	doc_line(d, "  %-22s %14s", "searches", grouped(t->searches).s);
	doc_line(d, "  %-22s %14s   at most %s in one search", "  pages looked at",
		 grouped(t->pages_visited).s, grouped(t->most_pages_visited).s);
	doc_line(d, "  %-22s %14s   at most %s in one search", "  free blocks looked at",
		 grouped(t->blocks_visited).s, grouped(t->most_blocks_visited).s);
	doc_line(d, "  %-22s %14s", "  bytes cut to align", grouped(t->head_fragment_bytes).s);
}

/* Searches on other nodes, which only SLUB makes. */
static void say_node_searches(struct doc *d, const struct host *h, const struct kmem_totals *t)
{
	const struct {
		const char *name;
		u32 measure, value;
	} rows[] = { { "any-node searches", NUM_GET_ANY_PARTIAL_ENTERED, t->any_node_entered },
		     { "  zones looked at", NUM_ZONES_VISITED, t->any_node_zones } };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (kmem_has_measure(h->session, rows[i].measure))
			doc_line(d, "  %-22s %14s", rows[i].name, grouped(rows[i].value).s);
		else
			doc_line(d, "  %-22s %13s" NO_NUMBER, rows[i].name, "");
}

static void say_memory(struct doc *d, const char *what, u64 bytes, u32 from)
{
	doc_line(d, "  %-22s %14s   %s", what, grouped(bytes).s, mark(from));
}

static void say_totals(struct doc *d, const struct host *h)
{
	const struct kmem_totals t =
		*kmem_totals(h->session); /* a copy: the calls below reuse its memory */

	doc_line(d, "\n%s on %s", counted(t.ops, "event").s, kmem_machine_text(h->session));
	if (h->preset)
		doc_line(d, "  preset %s", h->preset);
	doc_kernel(d, h, 2);
	u32 from = kmem_from(h->session);
	int has_peak = t.pages_peak > kmem_warm(h->session)->pages;
	/* The figures that the trace measures come first: those that follow from the start may be a guess. */
	say_memory(d, "bytes requested", t.requested_bytes, FROM_MEASURED);
	say_memory(d, "live objects", t.live_objects, FROM_MEASURED);
	doc_line(d, "  %-22s %14s   %-11s  %s %s", "pages in use", grouped(t.pages_in_use).s,
		 mark(from), has_peak ? "peak" : "never above the start's",
		 grouped(t.pages_peak).s);
	say_memory(d, "bytes in slabs", t.slab_bytes, from);
	say_memory(d, "  requested", t.requested_bytes, FROM_MEASURED);
	say_memory(d, "  wasted in slots", t.waste_rounding, from);
	say_memory(d, "  tail waste", t.waste_tail, from);
	say_memory(d, "  free objects", t.waste_free, from);
	if (t.in_use_before_bytes)
		say_memory(d, "  in use before", t.in_use_before_bytes, from);
	doc_line(d, "  %-22s %14s   waiting for locks %s", "model cycles", grouped(t.cycles).s,
		 grouped(t.lock_wait_cycles).s);
	say_node_searches(d, h, &t);
	say_searches(d, &t);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (t.counters[i])
			doc_line(d, "  %-22s %14s", lower_case(counter_name(i)).s,
				 grouped(t.counters[i]).s);
	doc_line(d, "  %-22s %016llx", "state hash", (unsigned long long)kmem_hash(h->session));
}

static void answer_text(struct doc *d, const struct host *h, const struct args *args)
{
	doc_report(d, h);
	say_totals(d, h);
	doc_say(d,
		"\n  caches: size and live are measured; order and objects follow from the size%s;\n"
		"  slabs, the most so far and partial slabs: %s\n",
		*kmem_cache_params_text(h->session) ? ", or are the machine's" : "",
		mark(kmem_from(h->session)));
	answer_caches(d, h);
	doc_unseen(d, h);
	doc_machine_state(d, h, args);
	doc_bugs(d, h);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	if (d->form == DOC_TEXT) {
		answer_text(d, h, args);
	} else if (d->form == DOC_JSON) {
		doc_object(d, NULL);
		doc_report(d, h);
		outcome(d, h);
		doc_machine_state(d, h, args);
		doc_end(d);
	} else {
		kernel_note_now(h);
		answer_caches(d, h);
	}
}

static const struct option options[] = {
	OPTION_BY_CLOCKS,
	OPTION("machine-state", FILES, "FILE,...",
	       "a machine's /proc/slabinfo or /sys/kernel/slab, to show beside the model;"
	       " a later file replaces an earlier one"),
	OPTION("before", FILES, "FILE,...",
	       "the same from before the trace, to show what changed up to"
	       " --machine-state"),
	OPTIONS_END,
};

const struct command command_replay = {
	GROUP_LOOK,
	"replay",
	"TRACE",
	"replay a trace: memory, waste, counters and every cache",
	"Replays every allocation and free of a trace and prints the memory afterwards: pages,\n"
	"slabs, waste and its causes, the kernel's counters or the model's equivalents, every\n"
	"cache, and what debugging reports (red_zone, poison, store_user, sanity_checks, and the\n"
	"`corrupt` lines of a slabtrace). The same trace, machine and parameters give the same\n"
	"state hash on every computer.\n"
	"\n"
	"--machine-state shows a real machine's caches beside the model's. It reads\n"
	"/proc/slabinfo, the output of `grep -R . /sys/kernel/slab`, or tables. You can give\n"
	"several files: a later one replaces the caches of an earlier one, and a table of aliases\n"
	"adds to them. --before names the same from before the trace; each cache's change on the\n"
	"machine then stands beside its growth in the model.\n"
	"\n"
	"--cache-params creates caches as such a machine has them. Sizes, alignment and flags\n"
	"always come from the file. Your settings override the rest of it: order_rule,\n"
	"min_order, max_order or min_objects its order; min_partial or min_partial_rule its\n"
	"min_partial; cpu_partial, cpu_partial_lists or cpu_partial_unit its cpu_partial;\n"
	"sheaf_capacity or sheaf_caches its sheaves; and a preset all four. Settings are --set,\n"
	"an axis of sweep, --with, and the trace's machine and set lines. The default, and the\n"
	"preset that the trace's kernel chooses, are not.\n"
	"\n"
	"--by-clocks puts the events in the order in which CPUs that run at the same time reach\n"
	"them; each CPU keeps its own order. `--set work=N` adds N cycles of other work before\n"
	"each event.",
	"  slabscope replay trace.txt --cpus 8 --nodes 2 --set min_partial_rule=rfc-2008",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.needs = NEEDS_END,
	.answer = answer,
};
