/*
 * cmd_info.c - `slabscope info`: the results of an import, before any replay.
 */
#include "cli/print/print_report.h"
#include "cli/print/print_shape.h"

/* Returns the slot size if the trace records one; a slabtrace only gives the object size. */
static u32 size_of(const struct kmem_trace_cache_row *c)
{
	return c->size ? c->size : c->object_size;
}

static int print_json(struct host *h, int with_shape)
{
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_trace_cache_row *c = host_rows(h, r->caches_at);
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	report_json(&j, h);
	json_array(&j, "caches");
	for (u32 i = 0; i < r->nr_caches; i++) {
		json_row(&j, NULL);
		json_text(&j, "name", host_text(h, c[i].name_at));
		json_number(&j, "size", size_of(&c[i]));
		json_number(&j, "object_size", c[i].object_size);
		json_number(&j, "allocs", c[i].allocs);
		json_number(&j, "frees", c[i].frees);
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
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_trace_cache_row *c = host_rows(h, r->caches_at);

	puts("name,size,object_size,allocs,frees");
	for (u32 i = 0; i < r->nr_caches; i++) {
		csv_text(stdout, host_text(h, c[i].name_at));
		printf(",%u,%u,%llu,%llu\n", size_of(&c[i]), c[i].object_size,
		       (unsigned long long)c[i].allocs, (unsigned long long)c[i].frees);
	}
}

static void print_text(const struct host *h)
{
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_trace_cache_row *c = host_rows(h, r->caches_at);

	u32 nr_unsized = 0;

	report_print(h);
	printf("\n  %-28s %8s %14s %14s\n", "cache", "size", "allocations", "frees");
	for (u32 i = 0; i < r->nr_caches; i++) {
		char size[16] = "-";
		if (size_of(&c[i]))
			snprintf(size, sizeof(size), "%u", size_of(&c[i]));
		printf("  %-28s %8s %14s %14s\n", plain(host_text(h, c[i].name_at)), size,
		       grouped(c[i].allocs).s, grouped(c[i].frees).s);
		nr_unsized += !size_of(&c[i]) && !c[i].allocs;
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
	OPTIONS_TRACE | OPTION(CSV) | OPTION(SHAPE),
	run,
};
