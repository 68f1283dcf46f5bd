/*
 * cmd_counters.c - `slabscope counters`: the recorded kernel's counters beside those of the replay.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "doc/doc.h"
#include "cli/print.h"
#include "doc/names.h"

enum { MAX_WHYS = 4, MAX_WHY_BYTES = 400 };

static const u32 ALL_ROWS = 0xffffffff;
static const u64 NOT_COUNTED = ~(u64)0;

/* One counter of a cache, or of all. */
struct count {
	const char *cache;
	struct lower name;
	u64 kernel; /* the recorded kernel's count */
	u64 before; /* part of it: frees of objects allocated before the trace began */
	u64 here;   /* the other part */
	u64 model;  /* NOT_COUNTED if the allocator does not count it */
};

static const char *difference_of(const struct doc *d, const void *row)
{
	const struct count *c = row;
	static char text[24];

	snprintf(text, sizeof(text), "%+lld", (long long)c->model - (long long)c->here);
	return d->form == DOC_TEXT && c->model == NOT_COUNTED ? NO_NUMBER : text;
}

static const struct column columns[] = {
	CELL("cache", count, cache, TEXT, IN_CSV),
	COLUMN("counter", count, name, STRING, IN_BOTH, "counter", -22),
	COLUMN("kernel", count, kernel, COUNT, IN_BOTH, "kernel", 11),
	COLUMN("before", count, before, COUNT, IN_BOTH, "before", 11),
	COLUMN("here", count, here, COUNT, IN_BOTH, "here", 11),
	COLUMN("model", count, model, COUNT, IN_BOTH | OR_NULL, "model", 11),
	COLUMN_SAID("difference", difference_of, 0, "difference", 11),
};

struct tally {
	struct host *host;
	const struct kmem_kernel_counters_row *reported;
	struct kmem_cache_row *caches; /* the model's, by their ids */
	u32 nr_counters_rows, nr_caches;
	struct count of[NR_KERNEL_COUNTERS]; /* of all caches, or of the requested one */
	const char *only;		     /* --cache */
	/* The first explains slow paths, the others explain differences. */
	char why[MAX_WHYS][MAX_WHY_BYTES];
};

static struct count count_of(const struct tally *t, const struct kmem_kernel_counters_row *row,
			     u32 counter)
{
	u64 all = row ? row->all[counter] : 0, before = row ? row->before[counter] : 0;
	struct count c = { .name = lower_case(counter_name(counter)),
			   .kernel = all,
			   .before = before,
			   .here = all - before };

	if (row)
		c.cache = host_text(t->host, row->name_at);
	if (!kmem_has_counter(t->host->session, counter))
		c.model = NOT_COUNTED;
	else if (row && row->cache < t->nr_caches)
		c.model = t->caches[row->cache].counters[counter];
	return c;
}

static int is_asked_for(const struct tally *t, const struct kmem_kernel_counters_row *row)
{
	return !t->only || strcmp(t->only, host_text(t->host, row->name_at)) == 0;
}

/* Sums the kernel's and the model's counters, of all caches or of the requested one. */
static void add_up(struct tally *t)
{
	const struct kmem_totals *totals = kmem_totals(t->host->session);

	for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++) {
		struct count *sum = &t->of[k];
		*sum = count_of(t, NULL, k);
		for (u32 i = 0; i < t->nr_counters_rows; i++) {
			if (!is_asked_for(t, &t->reported[i]))
				continue;
			struct count c = count_of(t, &t->reported[i], k);
			sum->kernel += c.kernel;
			sum->before += c.before;
			sum->here += c.here;
			if (sum->model != NOT_COUNTED && t->only)
				sum->model += c.model;
		}
		if (!t->only && sum->model != NOT_COUNTED)
			sum->model = totals->counters[k];
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
		const char *why = kmem_kernel_counters_why(t->host->session, row, i);
		snprintf(t->why[i], MAX_WHY_BYTES, "%s", why ? why : "");
	}
}

/* The counters of a cache, or of all, that are not 0. */
static void answer_counts(struct doc *d, const struct tally *t,
			  const struct kmem_kernel_counters_row *row)
{
	struct count shown[NR_KERNEL_COUNTERS];
	u32 nr = 0;

	for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++) {
		struct count c = row ? count_of(t, row, k) : t->of[k];
		int is_counted = doc_has_rows(d) && c.model && c.model != NOT_COUNTED;
		if (c.kernel || is_counted)
			shown[nr++] = c;
	}
	if (!doc_has_rows(d))
		doc_rows(d, "rows", ROWS(columns, shown, nr));
	for (u32 i = 0; doc_has_rows(d) && i < nr; i++)
		doc_cells(d, columns, ARRAY_SIZE(columns), &shown[i]);
}

static void answer_caches(struct doc *d, const struct tally *t)
{
	doc_array(d, "caches");
	if (doc_has_rows(d))
		doc_head(d, columns, ARRAY_SIZE(columns));
	for (u32 i = 0; i < t->nr_counters_rows; i++) {
		if (!is_asked_for(t, &t->reported[i]))
			continue;
		doc_object(d, NULL);
		doc_text(d, "name", host_text(t->host, t->reported[i].name_at));
		answer_counts(d, t, &t->reported[i]);
		doc_end(d);
	}
	doc_end(d);
}

static void answer_all(struct doc *d, const struct tally *t)
{
	const struct host *h = t->host;

	doc_object(d, NULL);
	doc_text(d, "trace", h->trace);
	doc_text(d, "machine", kmem_machine_text(h->session));
	doc_line(d, "%s: what its kernel counted, and the model on %s and %s", plain(h->trace),
		 counted(kmem_nr_cpus(h->session), "CPU").s,
		 counted(kmem_nr_nodes(h->session), "node").s);
	doc_kernel(d, h, 0);
	doc_gap(d);
	doc_fields(d, ROW(kmem_report, kmem_report(h->session)), "allocs,frees,orphan_frees");
	if (!doc_has_rows(d))
		answer_counts(d, t, NULL);
	doc_list(d, "why");
	for (u32 i = 0; i < MAX_WHYS; i++) {
		if (!t->why[i][0])
			continue;
		doc_say(d, "\n  %s\n", plain(t->why[i]));
		if (i)
			doc_text(d, NULL, t->why[i]);
	}
	doc_end(d);
	if (d->form != DOC_TEXT)
		answer_caches(d, t);
	doc_end(d);
}

/* Takes the model's caches and the kernel's rows. */
static void take_rows(struct tally *t)
{
	t->caches = caches_take(t->host, &t->nr_caches);
	t->reported = kmem_kernel_counters(t->host->session, &t->nr_counters_rows);
	if (!t->nr_counters_rows)
		give_up("%s: expected the kernel's counters (slub_stat: op=COUNTER name=CACHE), "
			"found none; slabscope replay prints the model's",
			t->host->trace);
	for (u32 i = 0; i < t->nr_counters_rows; i++)
		if (is_asked_for(t, &t->reported[i]))
			return;
	refuse_call("%s: the kernel counted nothing for a cache `%.60s`", t->host->trace, t->only);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	static struct tally t;

	t.host = h;
	t.only = option_text(args, "cache");
	take_rows(&t);
	add_up(&t);
	explain(&t);
	if (doc_has_rows(d))
		kernel_note_now(h);
	answer_all(d, &t);
}

static const struct option options[] = {
	OPTION_CACHE,
	OPTIONS_END,
};

const struct command command_counters = {
	GROUP_MEASURE,
	"counters",
	"TRACE",
	"compare the recorded kernel's own counters with the model's",
	"Some traces contain the kernel's own counters, one line an increment: slub_stat, with\n"
	"op=COUNTER name=CACHE. This command replays such a trace and shows both: the kernel's\n"
	"count, how much of it comes from frees of objects from before the trace if the replay\n"
	"doesn't have these, the rest, and the model's count. With the recorded machine and\n"
	"kernel the last two should be close; where they differ, the causes are listed. – marks a\n"
	"counter that the model's allocator does not have.",
	"  slabscope counters trace.txt --preset linux-6.1 --nodes 4\n"
	"  slabscope counters trace.txt --cache filp --csv",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.needs = NEEDS_END,
	.answer = answer,
};
