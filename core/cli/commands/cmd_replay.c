/*
 * cmd_replay.c - `slabscope replay`: replays the whole trace through the allocator, and prints the state of memory at
 * the end.
 */
#include <stdlib.h>

#include "cli/print/print_debug_reports.h"
#include "cli/print/print_kernel.h"
#include "cli/text/names.h"
#include "cli/host/machine_state_files.h"
#include "cli/host/outcome.h"
#include "cli/print/print_report.h"
#include "cli/print/print_sysfs.h"

static void totals_json(struct json *j, const struct host *h)
{
	const struct kmem_totals t =
		*kmem_totals(h->session); /* a copy: the calls below reuse its memory */

	json_hex64(j, "state_hash", kmem_hash(h->session));
	json_text(j, "machine", kmem_machine_text(h->session));
	if (h->preset)
		json_text(j, "preset", h->preset);
	else
		json_null(j, "preset");
	kernel_json_now(j, h);
	json_number(j, "pages_in_use", t.pages_in_use);
	json_number(j, "pages_peak", t.pages_peak);
	json_number(j, "slab_bytes", t.slab_bytes);
	json_number(j, "requested_bytes", t.requested_bytes);
	json_number(j, "large_bytes", t.large_bytes);
	json_row(j, "waste");
	json_number(j, "rounding", t.waste_rounding);
	json_number(j, "tail", t.waste_tail);
	json_number(j, "free_objects", t.waste_free);
	json_end(j);
	json_number(j, "cycles", t.cycles);
	json_number(j, "lock_wait_cycles", t.lock_wait_cycles);
	json_number(j, "elapsed_cycles", t.elapsed_cycles);
	json_number(j, "live_objects", t.live_objects);
	json_number(j, "slabs", t.slabs);
	json_number(j, "partial", t.partial);
	json_number(j, "get_any_partial_entered", t.any_node_entered);
	json_number(j, "zones_visited", t.any_node_zones);
	json_number(j, "searches", t.searches);
	json_number(j, "pages_visited", t.pages_visited);
	json_number(j, "most_pages_visited", t.most_pages_visited);
	json_number(j, "blocks_visited", t.blocks_visited);
	json_number(j, "most_blocks_visited", t.most_blocks_visited);
	json_number(j, "head_fragment_bytes", t.head_fragment_bytes);
	json_counters(j, "totals", h->session, t.counters);
}

static void cache_json(struct json *j, const struct host *h, const struct kmem_cache_row *c,
		       const struct slabinfo *info)
{
	json_object(j, NULL);
	json_text(j, "name", host_text(h, c->name_at));
	json_number(j, "object_size", c->object_size);
	json_number(j, "size", c->size);
	json_number(j, "align", c->align);
	json_number(j, "order", c->order);
	json_number(j, "objects_per_slab", c->objects_per_slab);
	json_number(j, "slabs", c->slabs);
	json_number(j, "slabs_peak", c->slabs_peak);
	json_number(j, "objects", c->objects);
	json_number(j, "total_objects", c->total_objects);
	json_number(j, "live_objects", c->live_objects);
	json_number(j, "partial", c->partial);
	json_number(j, "cpu_slabs", c->cpu_slabs);
	json_number(j, "min_partial", c->min_partial);
	json_number(j, "cpu_partial", c->cpu_partial);
	json_number(j, "cpu_partial_slabs", c->cpu_partial_slabs);
	json_number(j, "slab_bytes", c->slab_bytes);
	json_number(j, "requested_bytes", c->requested_bytes);
	json_number(j, "cycles", c->cycles);
	json_number(j, "lock_wait_cycles", c->lock_wait_cycles);
	json_counters(j, "counters", h->session, c->counters);
	sysfs_json(j, h, info, c->cache);
	json_end(j);
}

static void caches_json(struct json *j, const struct host *h)
{
	u32 nr;
	struct slabinfo info = slabinfo_take(h);
	const struct kmem_cache_row *rows = kmem_cache_rows(h->session, &nr);
	struct kmem_cache_row *c = nr ? malloc(nr * sizeof(*c)) : NULL;

	if (c)
		memcpy(c, rows, nr * sizeof(*c));
	json_array(j, "caches");
	for (u32 i = 0; c && i < nr; i++)
		cache_json(j, h, &c[i], &info);
	json_end(j);
	free(c);
	free(info.rows);
}

static void cpus_json(struct json *j, const struct host *h)
{
	u32 nr;
	const struct kmem_cpu_row *cpu = kmem_cpu_rows(h->session, &nr);

	json_array(j, "cpu_rows");
	for (u32 i = 0; i < nr; i++) {
		json_row(j, NULL);
		json_number(j, "cpu", cpu[i].cpu);
		json_number(j, "node", cpu[i].node);
		json_number(j, "clock", cpu[i].clock);
		json_number(j, "cycles", cpu[i].cycles);
		json_number(j, "lock_wait_cycles", cpu[i].lock_wait_cycles);
		json_end(j);
	}
	json_end(j);
}

static s64 or_none(u32 number)
{
	return number == 0xffff ? -1 : (s64)number;
}

static void locks_json(struct json *j, const struct host *h)
{
	u32 nr;
	const struct kmem_lock_row *lock = kmem_lock_rows(h->session, &nr);

	json_array(j, "locks");
	for (u32 i = 0; i < nr; i++) {
		json_row(j, NULL);
		json_text(j, "kind", enum_name("kmem_lock_kind", lock[i].kind).s);
		json_signed(j, "cache", or_none(lock[i].cache));
		json_signed(j, "node", or_none(lock[i].node));
		json_signed(j, "target", or_none(lock[i].target));
		json_number(j, "takes", lock[i].takes);
		json_number(j, "contended", lock[i].contended);
		json_number(j, "wait_cycles", lock[i].wait_cycles);
		json_end(j);
	}
	json_end(j);
}

void outcome_json(struct json *j, const struct host *h)
{
	totals_json(j, h);
	caches_json(j, h);
	cpus_json(j, h);
	locks_json(j, h);
	bugs_json(j, h);
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

static void print_csv(const struct host *h)
{
	u32 nr;
	const struct kmem_cache_row *c = kmem_cache_rows(h->session, &nr);

	kernel_note_now(h);
	printf("name,object_size,size,align,order,objects_per_slab,slabs,slabs_peak,objects,total_objects,partial,"
	       "cpu_slabs,min_partial,cpu_partial");
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (kmem_has_counter(h->session, i))
			printf(",%s", lower_case(counter_name(i)).s);
	puts("");
	for (u32 i = 0; i < nr; i++) {
		csv_text(stdout, host_text(h, c[i].name_at));
		printf(",%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u", c[i].object_size, c[i].size,
		       c[i].align, c[i].order, c[i].objects_per_slab, c[i].slabs, c[i].slabs_peak,
		       c[i].objects, c[i].total_objects, c[i].partial, c[i].cpu_slabs,
		       c[i].min_partial, c[i].cpu_partial);
		for (u32 k = 0; k < NR_COUNTERS; k++)
			if (kmem_has_counter(h->session, k))
				printf(",%u", c[i].counters[k]);
		puts("");
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

static void print_totals(const struct host *h)
{
	const struct kmem_totals t =
		*kmem_totals(h->session); /* a copy: the calls below reuse its memory */

	printf("\n%s on %s\n", counted(t.ops, "event").s, kmem_machine_text(h->session));
	if (h->preset)
		printf("  preset %s\n", h->preset);
	kernel_print_now(h, 2);
	printf("  %-22s %14s   peak %s\n", "pages in use", grouped(t.pages_in_use).s,
	       grouped(t.pages_peak).s);
	printf("  %-22s %14s\n", "bytes in slabs", grouped(t.slab_bytes).s);
	printf("  %-22s %14s\n", "  asked for", grouped(t.requested_bytes).s);
	printf("  %-22s %14s\n", "  rounding up", grouped(t.waste_rounding).s);
	printf("  %-22s %14s\n", "  ends of slabs", grouped(t.waste_tail).s);
	printf("  %-22s %14s\n", "  free objects", grouped(t.waste_free).s);
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
	printf("\n  %-28s %7s %5s %7s %8s %8s %8s %8s\n", "cache", "size", "order", "objects",
	       "slabs", "peak", "partial", "live");
	for (u32 i = 0; i < nr; i++)
		printf("  %-28s %7u %5u %7u %8u %8u %8u %8u\n", plain(host_text(h, c[i].name_at)),
		       c[i].size, c[i].order, c[i].objects_per_slab, c[i].slabs, c[i].slabs_peak,
		       c[i].partial, c[i].live_objects);
	machine_state_print(h, args);
	print_bugs(h);
}

static int run(struct args *args)
{
	struct host h;
	int status = host_import(&h, args, NULL);

	if (!status)
		status = host_run(&h);
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
	OPTIONS_TRACE | OPTION(CSV) | OPTION(BY_CLOCKS) | OPTION(MACHINE_STATE) |
		OPTION(CACHE_PARAMS) | OPTIONS_MACHINE,
	run,
};
