/*
 * cmd_info.c - `slabscope info`: the results of an import, before any replay.
 */
#include "cli/print/named_fields.h"
#include "cli/print/print.h"

static const char columns[] = "name_at,size,object_size,allocs,frees";

/* The cache with the slot size if the trace records one; a slabtrace only gives the object size. */
static struct kmem_trace_cache_row cache_of(const struct host *h, u32 i)
{
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_trace_cache_row *rows = host_rows(h, r->caches_at);
	struct kmem_trace_cache_row c = rows[i];

	c.size = c.size ? c.size : c.object_size;
	return c;
}

static int print_json(struct host *h, int with_shape)
{
	u32 nr = kmem_report(h->session)->nr_caches;
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	report_json(&j, h);
	from_json(&j, FROM_MEASURED);
	json_array(&j, "caches");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_trace_cache_row c = cache_of(h, i);
		json_row(&j, NULL);
		fields_json(&j, h, ROW(kmem_trace_cache_row, &c), columns);
		fields_json(&j, h, ROW(kmem_trace_cache_row, &c), "unseen_frees,live_objects");
		json_end(&j);
	}
	json_end(&j);
	int status = with_shape ? shape_json(&j, h) : EXIT_DONE;
	if (!status)
		json_end(&j);
	return status;
}

static void print_csv(const struct host *h)
{
	u32 nr = kmem_report(h->session)->nr_caches;

	fields_csv_head(columns);
	puts("");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_trace_cache_row c = cache_of(h, i);
		fields_csv(h, ROW(kmem_trace_cache_row, &c), columns);
		puts("");
	}
}

static void print_text(const struct host *h)
{
	u32 nr = kmem_report(h->session)->nr_caches, nr_unsized = 0;

	report_print(h);
	printf("\n  %-28s %8s %14s %14s\n", "cache", "size", "allocations", "frees");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_trace_cache_row c = cache_of(h, i);
		char size[16] = "-";
		if (c.size)
			snprintf(size, sizeof(size), "%u", c.size);
		printf("  %-28s %8s %14s %14s\n", plain(host_text(h, c.name_at)), size,
		       grouped(c.allocs).s, grouped(c.frees).s);
		nr_unsized += !c.size && !c.allocs;
	}
	if (nr_unsized)
		puts("\n  -: only frees of objects that the trace does not allocate; a free has no size");
}

static int run(struct args *args)
{
	struct host h;
	int status = host_import(&h, args, NULL);

	if (status)
		return status;
	if (GIVEN(args, JSON))
		status = print_json(&h, GIVEN(args, SHAPE));
	else if (GIVEN(args, CSV))
		print_csv(&h);
	else
		print_text(&h);
	if (GIVEN(args, SHAPE) && !GIVEN(args, JSON) && !GIVEN(args, CSV))
		status = shape_print(&h);
	return !status && h.is_damaged ? EXIT_INPUT : status;
}

const struct command command_info = {
	"info",
	"TRACE",
	"contents of a trace: events, time, CPUs, caches, problems",
	"Reads a trace and reports its contents and its problems: events by tracepoint, time\n"
	"span, caches, frees of objects that the trace does not allocate, lost events, skipped\n"
	"lines. --csv prints the caches; --shape prints sizes, lifetimes in events, frees on\n"
	"other CPUs and live objects.",
	"  slabscope info trace.txt.gz",
	OPTIONS_TRACE | OPTION(KEEP) | OPTION(CSV) | OPTION(SHAPE) | OPTION(CACHE_NAMES),
	run,
};
