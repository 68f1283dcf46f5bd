/*
 * print_report.c - prints the results of an import as JSON members and as text, for info, replay and convert.
 */
#include <stdlib.h>

#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

static const char problem_keys[] = "line,column,reason_at,text_at";

static void problems_json(struct json *j, const struct host *h, const struct kmem_report *r)
{
	const struct kmem_problem *p = host_rows(h, r->problems_at);

	if (r->nr_problems) {
		json_row(j, "first_problem");
		fields_json(j, h, ROW(kmem_problem, p), problem_keys);
		json_end(j);
	} else {
		json_null(j, "first_problem");
	}
	rows_json(j, "problems", h, ROW(kmem_problem, p), r->nr_problems, problem_keys);
}

/* Writes how the import read the header of a CSV file. */
static void columns_json(struct json *j, const struct host *h)
{
	const struct kmem_columns *columns = kmem_columns(h->session);
	const struct kmem_column *c = host_rows(h, columns->columns_at);

	if (columns->nr_columns)
		rows_json(j, "columns", h, ROW(kmem_column, c), columns->nr_columns,
			  "name_at,role:kmem_role,sample_at");
}

/* Writes what was kept beside the events, if that was asked for. */
static void kept_json(struct json *j, const struct host *h)
{
	const struct kmem_kept *kept = kmem_kept(h->session);

	if (!h->keep)
		return;
	json_row(j, "kept");
	json_bool(j, "pointers", kept->flags & KMEM_KEEP_POINTERS);
	json_bool(j, "tasks", kept->flags & KMEM_KEEP_TASKS);
	json_number(j, "bytes", kept->bytes);
	json_bool(j, "dropped", kept->dropped != 0);
	json_end(j);
}

static void print_kept(const struct host *h)
{
	const struct kmem_kept *kept = kmem_kept(h->session);

	if (!h->keep)
		return;
	if (kept->dropped)
		puts("  pointers and tasks of the events do not fit in memory and were not kept");
	else
		printf("  kept of each event:%s%s, in %s bytes of memory\n",
		       kept->flags & KMEM_KEEP_POINTERS ? " pointer" : "",
		       kept->flags & KMEM_KEEP_TASKS ? " task" : "", grouped(kept->bytes).s);
}

/* Adds no key for a trace that has every event. */
void sampling_json(struct json *j, const struct host *h)
{
	const struct kmem_report *r = kmem_report(h->session);

	if (!r->sampling)
		return;
	json_row(j, "sampled");
	fields_json(j, h, ROW(kmem_report, r), "sampling,estimated_allocs,estimated_frees");
	json_end(j);
}

void replay_sampling_print(const struct host *h)
{
	u32 sampling = kmem_report(h->session)->sampling;

	if (!sampling)
		return;
	if (sampling > 1)
		printf("\nThe trace is sampled: an event stands for about %s.\n",
		       grouped(sampling).s);
	else
		puts("\nThe trace is sampled.");
	puts("Figures are those of the sample and not scaled: slabs that all events would fill\n"
	     "stay nearly empty, so its memory is not a fixed part of the machine's.");
}

void sampling_print(const struct host *h)
{
	u32 sampling = kmem_report(h->session)->sampling;

	if (sampling == 1)
		puts("The trace is sampled, and nothing in it says how many events one stands for:\n"
		     "counts and bytes are too small. Record with periods, or without -F.\n");
	else if (sampling)
		printf("The trace is sampled: an event stands for about %s. Counts and bytes are estimates.\n\n",
		       grouped(sampling).s);
}

void unseen_json(struct json *j, const struct host *h)
{
	u32 nr;
	const struct kmem_unseen_row *rows = kmem_unseen(h->session, &nr);

	rows_json(j, "unseen", h, ROW(kmem_unseen_row, rows), nr,
		  "name_at,frees,unseen_frees,live_objects,bytes,slabs");
}

void unseen_print(const struct host *h)
{
	const char *text = kmem_unseen_text(h->session);

	if (!*text)
		return;
	puts("");
	print_wrapped(plain(text), 0);
}

void report_json(struct json *j, const struct host *h)
{
	const struct kmem_kernel *kernel = kmem_kernel(h->session);
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_kind_row *kind = host_rows(h, r->kinds_at);

	fields_json(j, h, ROW(kmem_report, r), "format_at,bytes,lines,events");
	json_object(j, "events_by_kind");
	for (u32 i = 0; i < r->nr_kinds; i++)
		json_number(j, host_text(h, kind[i].name_at), kind[i].lines);
	json_end(j);
	fields_json(
		j, h, ROW(kmem_report, r),
		"allocs,frees,null_frees,failed_allocs,orphan_frees,unseen_frees,live_at_end,lost,"
		"skipped_lines,reordered,late");
	sampling_json(j, h);
	problems_json(j, h, r);
	columns_json(j, h);
	fields_json(j, h, ROW(kmem_report, r),
		    "truncated:bool,hashed_pointers=hashed:bool,cpus,nodes,ops");
	json_text_or_null(j, "kernel_recorded", host_text(h, kernel->recorded_at));
	fields_json(j, h, ROW(kmem_report, r), "time_first,time_last");
	json_text(j, "time_unit", r->time_is_ns ? "ns" : "ticks");
	kept_json(j, h);
	json_bool(j, "packed", h->is_packed);
	json_bool(j, "damaged", h->is_damaged);
}

/* Prints a line only if the number is not 0. */
static void print_count(const char *what, u64 n)
{
	if (n)
		printf("  %-22s %14s\n", what, grouped(n).s);
}

/* Returns the unit that a trace consists of: text has lines, and a file without any is binary. */
static const char *unit_of(const struct kmem_report *r)
{
	return r->lines ? "line" : "record";
}

static void print_problems(const struct host *h, const struct kmem_report *r)
{
	const struct kmem_problem *p = host_rows(h, r->problems_at);

	if (r->truncated)
		puts("The input is cut off; it was read up to there.");
	if (r->nr_problems)
		printf("\n%s with problems:\n", counted(r->skipped_lines, unit_of(r)).s);
	if (r->nr_problems < r->skipped_lines)
		printf("  the first %u of them:\n", r->nr_problems);
	for (u32 i = 0; i < r->nr_problems; i++) {
		if (!p[i].line)
			printf("  %s: %s\n", plain(h->trace), plain(host_text(h, p[i].reason_at)));
		else
			printf("  %s:%llu:%u: %s\n    %s\n", plain(h->trace),
			       (unsigned long long)p[i].line, p[i].column,
			       plain(host_text(h, p[i].reason_at)),
			       plain(host_text(h, p[i].text_at)));
	}
}

/* Prints the role of each column of a CSV file: nothing else would reveal a wrong one. */
static void print_columns(const struct host *h)
{
	const struct kmem_columns *columns = kmem_columns(h->session);
	const struct kmem_column *c = host_rows(h, columns->columns_at);

	if (!columns->nr_columns)
		return;
	printf("  columns:");
	for (u32 i = 0; i < columns->nr_columns; i++) {
		const char *name = plain(host_text(h, c[i].name_at));
		if (c[i].role)
			printf("%s %s=%s", i ? "," : "", enum_name("kmem_role", c[i].role).s, name);
		else
			printf("%s %s is not read", i ? "," : "", name);
	}
	puts("");
}

/* Returns a parameter's number, or the trace's number if the parameter follows the trace. */
static u32 number_of(const struct host *h, const char *key, u32 recorded)
{
	u32 number = (u32)strtoul(kmem_param(h->session, key), NULL, 10);

	return number ? number : recorded;
}

/* Only single allocations name a node, so a trace does not record how many nodes there were. */
static void print_machine(const struct host *h, const struct kmem_report *r)
{
	const struct kmem_kernel *kernel = kmem_kernel(h->session);
	u64 span = r->time_last - r->time_first;

	printf("  %s", counted(r->cpus, "CPU").s);
	if (r->nodes > 1)
		printf(", asks for nodes 0 to %u", r->nodes - 1);
	if (r->time_last && r->time_is_ns)
		printf(", %llu.%06llu s", (unsigned long long)(span / 1000000000),
		       (unsigned long long)(span / 1000 % 1000000));
	else if (r->time_last)
		printf(", %s", counted(span, "tick").s);
	if (kernel->recorded_at)
		printf(", Linux %s", host_text(h, kernel->recorded_at));
	puts("");
	u32 cpus = number_of(h, "cpus", r->cpus), nodes = number_of(h, "nodes", r->nodes);
	if (cpus < r->cpus)
		printf("  the simulated machine has %s for all of them; replay with --cpus %u to "
		       "have each\n",
		       counted(cpus, "CPU").s, r->cpus);
	/* Nobody may have asked for the last nodes. */
	if (nodes < r->nodes)
		printf("  the simulated machine has %s, the recorded one had at least %u: replay with "
		       "--nodes and the number that it had\n",
		       counted(nodes, "node").s, r->nodes);
}

void report_print(const struct host *h)
{
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_kind_row *kind = host_rows(h, r->kinds_at);

	printf("%s: %s", plain(h->trace), host_text(h, r->format_at));
	if (r->bytes)
		printf(", %s%s", counted(r->bytes, "byte").s, h->is_packed ? " (unpacked)" : "");
	if (r->lines)
		printf(", %s", counted(r->lines, "line").s);
	puts("");
	print_machine(h, r);
	print_columns(h);
	print_kept(h);
	puts("");
	for (u32 i = 0; i < r->nr_kinds; i++)
		printf("  %-22s %14s\n", plain(host_text(h, kind[i].name_at)),
		       grouped(kind[i].lines).s);
	puts("");
	printf("  %-22s %14s\n", "allocations", grouped(r->allocs).s);
	printf("  %-22s %14s\n", "frees", grouped(r->frees).s);
	print_count("of NULL", r->null_frees);
	print_count("of unknown objects", r->orphan_frees);
	print_count("not recorded", r->unseen_frees);
	print_count("failed allocations", r->failed_allocs);
	print_count("live at the end", r->live_at_end);
	print_count("events lost", r->lost);
	if (r->sampling)
		puts("");
	sampling_print(h);
	if (r->sampling > 1) {
		printf("  %-22s %14s\n", "estimated allocations", grouped(r->estimated_allocs).s);
		printf("  %-22s %14s\n", "estimated frees", grouped(r->estimated_frees).s);
	}
	print_problems(h, r);
}
