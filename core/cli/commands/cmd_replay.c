/*
 * cmd_replay.c - `slabscope replay`: replays the whole trace through the allocator, and prints the state of memory at
 * the end.
 */
#include <stdlib.h>

#include "cli/host/machine_state_files.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

static void totals_json(struct json *j, const struct host *h)
{
	const struct kmem_totals t =
		*kmem_totals(h->session); /* a copy: the calls below reuse its memory */

	json_hex64(j, "state_hash", kmem_hash(h->session));
	json_text(j, "machine", kmem_machine_text(h->session));
	json_text_or_null(j, "preset", h->preset);
	kernel_json_now(j, h);
	from_of_json(j, "requested_bytes=measured,large_bytes=measured,live_objects=measured,"
			"live_at_end=measured");
	fields_json(
		j, h, ROW(kmem_totals, &t),
		"pages_in_use,pages_peak,slab_bytes,requested_bytes,in_use_before_bytes,large_bytes");
	json_row(j, "waste");
	fields_json(j, h, ROW(kmem_totals, &t),
		    "rounding=waste_rounding,tail=waste_tail,free_objects=waste_free");
	json_end(j);
	fields_json(
		j, h, ROW(kmem_totals, &t),
		"cycles,lock_wait_cycles,elapsed_cycles,live_objects,slabs,partial,"
		"get_any_partial_entered=any_node_entered,zones_visited=any_node_zones,searches,"
		"pages_visited,most_pages_visited,blocks_visited,most_blocks_visited,"
		"head_fragment_bytes");
	json_counters(j, "totals", h->session, t.counters);
}

static void cache_json(struct json *j, const struct host *h, const struct kmem_cache_row *c,
		       const struct slabinfo *info)
{
	json_object(j, NULL);
	fields_json(
		j, h, ROW(kmem_cache_row, c),
		"name_at,object_size,size,align,order,objects_per_slab,slabs,slabs_peak,objects,"
		"total_objects,live_objects,partial,cpu_slabs,min_partial,cpu_partial,"
		"cpu_partial_slabs,slab_bytes,requested_bytes,in_use_before_bytes,cycles,lock_wait_cycles");
	if (kmem_from_of(h->session, c->cache) != kmem_from(h->session))
		from_json(j, kmem_from_of(h->session, c->cache));
	json_counters(j, "counters", h->session, c->counters);
	sysfs_json(j, h, info, c->cache);
	json_end(j);
}

static void caches_json(struct json *j, const struct host *h)
{
	u32 nr;
	struct slabinfo info = slabinfo_take(h);
	struct kmem_cache_row *c = caches_take(h, &nr);

	json_array(j, "caches");
	for (u32 i = 0; i < nr; i++)
		cache_json(j, h, &c[i], &info);
	json_end(j);
	free(c);
	free(info.rows);
}

static void cpus_json(struct json *j, const struct host *h)
{
	u32 nr;
	const struct kmem_cpu_row *cpus = kmem_cpu_rows(h->session, &nr);

	rows_json(j, "cpu_rows", h, ROW(kmem_cpu_row, cpus), nr,
		  "cpu,node,clock,cycles,lock_wait_cycles");
}

static void locks_json(struct json *j, const struct host *h)
{
	u32 nr;
	const struct kmem_lock_row *locks = kmem_lock_rows(h->session, &nr);

	rows_json(j, "locks", h, ROW(kmem_lock_row, locks), nr,
		  "kind:kmem_lock_kind,cache?,node?,target?,takes,contended,wait_cycles");
}

void outcome_rows_json(struct json *j, const struct host *h)
{
	totals_json(j, h);
	caches_json(j, h);
	cpus_json(j, h);
	locks_json(j, h);
}

void outcome_json(struct json *j, const struct host *h)
{
	outcome_rows_json(j, h);
	bugs_json(j, h);
	unseen_json(j, h);
}

static void print_json(const struct host *h, const struct args *args)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	report_json(&j, h);
	outcome_json(&j, h);
	machine_state_json(&j, h, args);
	json_end(&j);
}

static const char csv_columns[] =
	"name_at,object_size,size,align,order,objects_per_slab,slabs,slabs_peak,objects,total_objects,"
	"partial,cpu_slabs,min_partial,cpu_partial";

static void print_csv(const struct host *h)
{
	u32 nr;
	const struct kmem_cache_row *c = kmem_cache_rows(h->session, &nr);

	kernel_note_now(h);
	fields_csv_head(csv_columns);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (kmem_has_counter(h->session, i))
			printf(",%s", lower_case(counter_name(i)).s);
	puts(",from");
	for (u32 i = 0; i < nr; i++) {
		fields_csv(h, ROW(kmem_cache_row, &c[i]), csv_columns);
		for (u32 k = 0; k < NR_COUNTERS; k++)
			if (kmem_has_counter(h->session, k))
				printf(",%u", c[i].counters[k]);
		from_csv(kmem_from_of(h->session, c[i].cache));
	}
}

/* Prints how many pages and free blocks the searches visited, for allocators whose sizes share pages. */
static void print_searches(const struct kmem_totals *t)
{
	if (!t->searches)
		return;
	printf("  %-22s %14s\n", "searches", grouped(t->searches).s);
	printf("  %-22s %14s   at most %s in one search\n", "  pages looked at",
	       grouped(t->pages_visited).s, grouped(t->most_pages_visited).s);
	printf("  %-22s %14s   at most %s in one search\n", "  free blocks looked at",
	       grouped(t->blocks_visited).s, grouped(t->most_blocks_visited).s);
	printf("  %-22s %14s\n", "  bytes cut to align", grouped(t->head_fragment_bytes).s);
}

/* Prints searches on other nodes, which only SLUB makes. */
static void print_node_searches(const struct host *h, const struct kmem_totals *t)
{
	const struct {
		const char *name;
		u32 measure, value;
	} rows[] = { { "any-node searches", NUM_GET_ANY_PARTIAL_ENTERED, t->any_node_entered },
		     { "  zones looked at", NUM_ZONES_VISITED, t->any_node_zones } };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		int has = kmem_has_measure(h->session, rows[i].measure) != 0;
		printf("  %-22s", rows[i].name);
		print_right(has ? grouped(rows[i].value).s : NO_NUMBER, 15);
		puts("");
	}
}

static void print_memory(const char *what, u64 bytes, u32 from)
{
	printf("  %-22s %14s   %s\n", what, grouped(bytes).s, mark(from));
}

static void print_totals(const struct host *h)
{
	const struct kmem_totals t =
		*kmem_totals(h->session); /* a copy: the calls below reuse its memory */

	printf("\n%s on %s\n", counted(t.ops, "event").s, kmem_machine_text(h->session));
	if (h->preset)
		printf("  preset %s\n", h->preset);
	kernel_print_now(h, 2);
	u32 from = kmem_from(h->session);
	int has_peak = t.pages_peak > kmem_warm(h->session)->pages;
	/* The figures that the trace measures come first: those that follow from the start may be a guess. */
	print_memory("bytes asked for", t.requested_bytes, FROM_MEASURED);
	print_memory("live objects", t.live_objects, FROM_MEASURED);
	printf("  %-22s %14s   %-11s  %s %s\n", "pages in use", grouped(t.pages_in_use).s,
	       mark(from), has_peak ? "peak" : "never above the start's", grouped(t.pages_peak).s);
	print_memory("bytes in slabs", t.slab_bytes, from);
	print_memory("  asked for", t.requested_bytes, FROM_MEASURED);
	print_memory("  rounding up", t.waste_rounding, from);
	print_memory("  ends of slabs", t.waste_tail, from);
	print_memory("  free objects", t.waste_free, from);
	if (t.in_use_before_bytes)
		print_memory("  in use before", t.in_use_before_bytes, from);
	printf("  %-22s %14s   waiting for locks %s\n", "model cycles", grouped(t.cycles).s,
	       grouped(t.lock_wait_cycles).s);
	print_node_searches(h, &t);
	print_searches(&t);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (t.counters[i])
			printf("  %-22s %14s\n", lower_case(counter_name(i)).s,
			       grouped(t.counters[i]).s);
	printf("  %-22s %016llx\n", "state hash", (unsigned long long)kmem_hash(h->session));
}

static void print_text(const struct host *h, const struct args *args)
{
	u32 nr;

	report_print(h);
	print_totals(h);
	const struct kmem_cache_row *c = kmem_cache_rows(h->session, &nr);
	u32 from = kmem_from(h->session);
	printf("\n  caches: size and live are measured; order and objects follow from the size%s;\n"
	       "  slabs, the most so far and partial slabs: %s\n",
	       *kmem_cache_params_text(h->session) ? ", or are the machine's" : "", mark(from));
	printf("  %-28s %7s %5s %7s %8s %8s %8s %8s\n", "cache", "size", "order", "objects",
	       "slabs", "most", "partial", "live");
	for (u32 i = 0; i < nr; i++) {
		u32 own = kmem_from_of(h->session, c[i].cache);
		printf("  %-28s %7u %5u %7u %8u %8u %8u %8u%s%s\n",
		       plain(host_text(h, c[i].name_at)), c[i].size, c[i].order,
		       c[i].objects_per_slab, c[i].slabs, c[i].slabs_peak, c[i].partial,
		       c[i].live_objects, own == from ? "" : "  ", own == from ? "" : mark(own));
	}
	unseen_print(h);
	machine_state_print(h, args);
	print_bugs(h);
}

static int run(struct args *args)
{
	struct host h;
	int status = host_import(&h, args, NULL);

	/* Growth needs both ends of the trace, so a build that can seek. */
	if (!status)
		status = GIVEN(args, BEFORE) && !h.by_clocks ? host_build(&h) : host_run(&h);
	if (!status)
		status = host_check(&h);
	if (status)
		return status;
	if (GIVEN(args, JSON))
		print_json(&h, args);
	else if (GIVEN(args, CSV))
		print_csv(&h);
	else
		print_text(&h, args);
	return host_verdict(&h);
}

const struct command command_replay = {
	"replay",
	"TRACE",
	"replays a trace through the allocator: memory, waste, counters, caches",
	"Replays every allocation and free of a trace and prints the memory afterwards: pages,\n"
	"slabs, waste and its causes, the kernel's counters or the model's equivalents, every\n"
	"cache, and the reports of debugging (red_zone, poison, store_user, sanity_checks;\n"
	"`corrupt` lines of a slabtrace).\n"
	"--machine-state shows a real machine's caches beside the model's: /proc/slabinfo,\n"
	"`grep -R . /sys/kernel/slab`, or tables. It takes several files with commas between:\n"
	"a later file replaces the caches of an earlier one; a table of aliases adds to them.\n"
	"--before names the same from before the trace: then each cache's change on the machine\n"
	"stands beside its growth in the model.\n"
	"--cache-params creates caches as such a machine has them. Sizes, alignment and flags\n"
	"always come from the file. Your settings win over the rest of it: order_rule,\n"
	"min_order, max_order or min_objects over its order; min_partial or min_partial_rule\n"
	"over its min_partial; cpu_partial, cpu_partial_lists or cpu_partial_unit over its\n"
	"cpu_partial; sheaf_capacity or sheaf_caches over its sheaves; a preset over all four.\n"
	"--set, an axis of sweep, --with, and the trace's machine and set lines count as\n"
	"settings; the default and the preset chosen by the trace's kernel do not.\n"
	"--by-clocks puts the events in the order in which CPUs that run at the same time reach\n"
	"them; each CPU keeps its own order. `--set work=N` adds N cycles of other work before\n"
	"each event.\n"
	"The same trace, machine and parameters give the same state hash on every computer.",
	"  slabscope replay trace.txt --cpus 8 --nodes 2 --set min_partial_rule=rfc-2008",
	OPTIONS_TRACE | OPTION(CSV) | OPTION(BY_CLOCKS) | OPTION(MACHINE_STATE) | OPTION(BEFORE) |
		OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTIONS_MACHINE,
	run,
};
