/*
 * cmd_counters.c - `slabscope counters`: the recorded kernel's counters beside those of the replay.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

enum { MAX_WHYS = 4, MAX_WHY_BYTES = 400 };

static const u32 ALL_ROWS = 0xffffffff;

struct count {
	u64 kernel; /* the recorded kernel's count */
	u64 before; /* part of it: frees of objects allocated before the trace began */
	u64 model;
	int has_model; /* the allocator counts it */
};

struct tally {
	struct host host;
	const struct kmem_kernel_counters_row *reported;
	struct kmem_cache_row *caches; /* the model's, by their ids */
	u32 nr_counters_rows, nr_caches;
	struct count of[NR_KERNEL_COUNTERS]; /* of all caches, or of the requested one */
	const char *only;		     /* --cache */
	/* The first explains slow paths, the others explain differences. */
	char why[MAX_WHYS][MAX_WHY_BYTES];
};

static u64 here(const struct count *c)
{
	return c->kernel - c->before;
}

static struct count count_of(const struct tally *t, const struct kmem_kernel_counters_row *row,
			     u32 counter)
{
	struct count c = { row->all[counter], row->before[counter], 0,
			   (int)kmem_has_counter(t->host.session, counter) };

	if (row->cache < t->nr_caches)
		c.model = t->caches[row->cache].counters[counter];
	return c;
}

static int is_asked_for(const struct tally *t, const struct kmem_kernel_counters_row *row)
{
	return !t->only || strcmp(t->only, host_text(&t->host, row->name_at)) == 0;
}

/* Sums the kernel's and the model's counters, of all caches or of the requested one. */
static void add_up(struct tally *t)
{
	const struct kmem_totals *totals = kmem_totals(t->host.session);

	for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++) {
		for (u32 i = 0; i < t->nr_counters_rows; i++) {
			if (!is_asked_for(t, &t->reported[i]))
				continue;
			struct count c = count_of(t, &t->reported[i], k);
			t->of[k].kernel += c.kernel;
			t->of[k].before += c.before;
			t->of[k].model += t->only ? c.model : 0;
		}
		if (!t->only)
			t->of[k].model = totals->counters[k];
		t->of[k].has_model = (int)kmem_has_counter(t->host.session, k);
	}
}

/* Collects all sentences, or those about the requested cache. */
static void explain(struct tally *t)
{
	u32 row = ALL_ROWS;

	for (u32 i = 0; t->only && i < t->nr_counters_rows; i++)
		if (is_asked_for(t, &t->reported[i]))
			row = i;
	for (u32 i = 0; i < MAX_WHYS; i++) {
		const char *why = kmem_kernel_counters_why(t->host.session, row, i);
		snprintf(t->why[i], MAX_WHY_BYTES, "%s", why ? why : "");
	}
}

static int is_reported(const struct count *c)
{
	return c->kernel != 0;
}

static void print_row(const char *name, const struct count *c)
{
	printf("  %-22s %10s %10s %10s", name, grouped(c->kernel).s, grouped(c->before).s,
	       grouped(here(c)).s);
	if (c->has_model) {
		printf(" %10s %+10lld\n", grouped(c->model).s,
		       (long long)c->model - (long long)here(c));
		return;
	}
	print_right(NO_NUMBER, 11);
	print_right(NO_NUMBER, 11);
	puts("");
}

static void print_text(const struct tally *t)
{
	printf("%s: what its kernel counted, and the model on %s", plain(t->host.trace),
	       counted(kmem_nr_cpus(t->host.session), "CPU").s);
	printf(" and %s\n", counted(kmem_nr_nodes(t->host.session), "node").s);
	kernel_print_now(&t->host, 0);
	puts("");
	printf("  %-22s %10s %10s %10s %10s %10s\n", "counter", "kernel", "before", "here", "model",
	       "difference");
	for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++)
		if (is_reported(&t->of[k]))
			print_row(lower_case(counter_name(k)).s, &t->of[k]);
	for (u32 i = 0; i < MAX_WHYS; i++)
		if (t->why[i][0])
			printf("\n  %s\n", plain(t->why[i]));
}

static void print_csv(const struct tally *t)
{
	kernel_note_now(&t->host);
	puts("cache,counter,kernel,before,here,model");
	for (u32 i = 0; i < t->nr_counters_rows; i++) {
		const struct kmem_kernel_counters_row *row = &t->reported[i];
		for (u32 k = 0; k < NR_KERNEL_COUNTERS && is_asked_for(t, row); k++) {
			struct count c = count_of(t, row, k);
			if (!is_reported(&c) && !c.model)
				continue;
			csv_text(stdout, host_text(&t->host, row->name_at));
			printf(",%s,%llu,%llu,%llu,", lower_case(counter_name(k)).s,
			       (unsigned long long)c.kernel, (unsigned long long)c.before,
			       (unsigned long long)here(&c));
			if (c.has_model)
				printf("%llu", (unsigned long long)c.model);
			puts("");
		}
	}
}

static void count_json(struct json *j, const char *name, const struct count *c)
{
	json_row(j, NULL);
	json_text(j, "counter", name);
	json_number(j, "kernel", c->kernel);
	json_number(j, "before", c->before);
	json_number(j, "here", here(c));
	if (c->has_model)
		json_number(j, "model", c->model);
	else
		json_null(j, "model");
	json_end(j);
}

static void counts_json(struct json *j, const struct tally *t,
			const struct kmem_kernel_counters_row *row)
{
	json_array(j, "rows");
	for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++) {
		struct count c = row ? count_of(t, row, k) : t->of[k];
		if (is_reported(&c))
			count_json(j, lower_case(counter_name(k)).s, &c);
	}
	json_end(j);
}

static void print_json(const struct tally *t)
{
	const struct kmem_report *r = kmem_report(t->host.session);
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_text(&j, "trace", t->host.trace);
	json_text(&j, "machine", kmem_machine_text(t->host.session));
	kernel_json_now(&j, &t->host);
	fields_json(&j, &t->host, ROW(kmem_report, r), "allocs,frees,orphan_frees");
	counts_json(&j, t, NULL);
	json_list(&j, "why");
	for (u32 i = 1; i < MAX_WHYS; i++)
		if (t->why[i][0])
			json_text(&j, NULL, t->why[i]);
	json_end(&j);
	json_array(&j, "caches");
	for (u32 i = 0; i < t->nr_counters_rows; i++) {
		if (!is_asked_for(t, &t->reported[i]))
			continue;
		json_object(&j, NULL);
		json_text(&j, "name", host_text(&t->host, t->reported[i].name_at));
		counts_json(&j, t, &t->reported[i]);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

/* Takes the model's caches and the kernel's rows. */
static int take_rows(struct tally *t)
{
	t->caches = caches_take(&t->host, &t->nr_caches);
	t->reported = kmem_kernel_counters(t->host.session, &t->nr_counters_rows);
	if (!t->nr_counters_rows) {
		complain("%s: expected the kernel's counters (slub_stat: op=COUNTER name=CACHE), "
			 "found none; slabscope replay prints the model's",
			 t->host.trace);
		return EXIT_INPUT;
	}
	for (u32 i = 0; i < t->nr_counters_rows; i++)
		if (is_asked_for(t, &t->reported[i]))
			return EXIT_DONE;
	complain("%s: the kernel counted nothing for a cache `%.60s`", t->host.trace, t->only);
	return EXIT_CALL;
}

static int run(struct args *args)
{
	static struct tally t;
	int status = host_import(&t.host, args, NULL);

	t.only = GIVEN(args, CACHE) ? args->text[OPT_CACHE] : NULL;
	if (!status)
		status = host_run(&t.host);
	if (!status)
		status = host_check(&t.host);
	if (!status)
		status = take_rows(&t);
	if (status)
		return status;
	add_up(&t);
	explain(&t);
	if (GIVEN(args, JSON))
		print_json(&t);
	else if (GIVEN(args, CSV))
		print_csv(&t);
	else
		print_text(&t);
	return host_verdict(&t.host);
}

const struct command command_counters = {
	"counters",
	"TRACE",
	"the recorded kernel's own counters beside the model's",
	"Some traces hold the kernel's own counters, one line an increment: slub_stat, with\n"
	"op=COUNTER name=CACHE. This command replays such a trace and shows both: the kernel's\n"
	"count, its part on frees of objects from before the trace if the replay lacks these,\n"
	"the rest, and the model's count. With the recorded machine and kernel the last two\n"
	"should be close; the causes of a difference are listed. – marks a counter that the\n"
	"model's allocator does not have.",
	"  slabscope counters trace.txt.gz --preset linux-6.1 --nodes 4\n"
	"  slabscope counters trace.txt.gz --cache dentry --csv",
	OPTIONS_TRACE | OPTION(CSV) | OPTION(CACHE) | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN |
		OPTIONS_MACHINE,
	run,
};
