/*
 * cmd_info.c - `slabscope info`: the results of an import, before any replay, and the shape of the trace.
 */
#include <stdlib.h>

#include "cli/print.h"
#include "doc/doc.h"

enum { BAR_WIDTH = 40 };

static double share(u64 part, u64 all)
{
	return all ? (double)part / (double)all : 0;
}

static void say_bar(struct doc *d, u64 part, u64 most)
{
	char bar[BAR_WIDTH + 1];
	u32 n = most ? (u32)(part * BAR_WIDTH / most) : 0;

	memset(bar, '#', n);
	bar[n] = 0;
	doc_line(d, "%s", bar);
}

static void answer_sizes(struct doc *d, const struct host *h, const struct kmem_shape *s)
{
	const struct kmem_shape_size *size = host_rows(h, s->sizes_at);
	u64 most = 0, left = s->other_sizes;
	u32 more = 0;

	doc_field_rows(d, "sizes", ROW(kmem_shape_size, size), s->nr_sizes, "bytes,allocs");
	doc_number(d, "other_sizes", s->other_sizes);
	for (u32 i = 0; i < s->nr_sizes; i++)
		most = MAX(most, size[i].allocs);
	doc_line(d, "\n  slot size in bytes, share of allocations");
	for (u32 i = 0; i < s->nr_sizes; i++) {
		/* A tenth of a percent is not worth a line. */
		if (size[i].allocs * 1000 < s->allocs) {
			left += size[i].allocs;
			more++;
			continue;
		}
		doc_say(d, "  %10u %7.2f %%  ", size[i].bytes,
			100 * share(size[i].allocs, s->allocs));
		say_bar(d, size[i].allocs, most);
	}
	if (left)
		doc_line(d, "  %10s %7.2f %%  (%s, each less than 0.1 %%)", "others",
			 100 * share(left, s->allocs), counted(more, "size").s);
}

static void answer_lifetimes(struct doc *d, const struct kmem_shape *s)
{
	u64 most = 0;
	u32 first = 0, last = 0;

	doc_array(d, "lifetimes");
	for (u32 i = 0; i < s->nr_lifetimes; i++) {
		most = MAX(most, s->lifetimes[i]);
		if (!s->lifetimes[i]) {
			first = last ? first : i + 1;
			continue;
		}
		last = i + 1;
		doc_row(d, NULL);
		doc_number(d, "at_least", (u64)1 << i);
		doc_number(d, "frees", s->lifetimes[i]);
		doc_end(d);
	}
	doc_end(d);
	doc_line(d, "\n  lifetime in events, share of frees");
	for (u32 i = first; i < last; i++) {
		doc_say(d, "  %10llu %7.2f %%  ", 1ull << i,
			100 * share(s->lifetimes[i], s->seen_frees));
		say_bar(d, s->lifetimes[i], most);
	}
}

/* Text has every fourth of the 64 parts: enough to show where the number grows. */
static void answer_live(struct doc *d, const struct kmem_shape *s)
{
	doc_line(d, "\n  live objects, from the first event to the last");
	doc_list(d, "live");
	for (u32 i = 0; i < s->nr_live; i++) {
		doc_number(d, NULL, s->live[i]);
		if (d->form != DOC_TEXT || i % 4 != 3)
			continue;
		doc_say(d, "  %10s            ", grouped(s->live[i]).s);
		say_bar(d, s->live[i], s->live_peak);
	}
	doc_end(d);
}

static void answer_shape(struct doc *d, const struct host *h, const struct kmem_shape *s)
{
	doc_say(d, "\nshape: %s, %.1f %% by kmalloc; ", counted(s->allocs, "allocation").s,
		100 * share(s->kmallocs, s->allocs));
	doc_line(d,
		 "%.1f %% of frees on another CPU,\n  %.1f %% of events on another CPU than the "
		 "one before; most objects live %s",
		 100 * share(s->remote_frees, s->seen_frees), 100 * share(s->cpu_changes, s->ops),
		 grouped(s->live_peak).s);
	doc_object(d, "shape");
	doc_fields(
		d, ROW(kmem_shape, s),
		"operations=ops,allocs,kmallocs,frees,seen_frees,remote_frees,cpu_changes,live_peak,"
		"live_at_end=live_now,requested_peak,requested_at_end=requested_now");
	answer_sizes(d, h, s);
	answer_lifetimes(d, s);
	answer_live(d, s);
	doc_end(d);
}

static const char *size_of(const struct doc *d, const void *row)
{
	u32 size = ((const struct kmem_trace_cache_row *)row)->size;
	static char text[16];

	snprintf(text, sizeof(text), size || d->form != DOC_TEXT ? "%u" : "-", size);
	return text;
}

static const struct column columns[] = {
	COLUMN("name", kmem_trace_cache_row, name_at, TEXT_AT, IN_BOTH, "cache", -28),
	CELL("size", kmem_trace_cache_row, size, DIGITS, IN_BOTH),
	COLUMN_SAID(NULL, size_of, 0, "size", 9),
	CELL("object_size", kmem_trace_cache_row, object_size, DIGITS, IN_BOTH),
	COLUMN("allocs", kmem_trace_cache_row, allocs, COUNT, IN_BOTH, "allocations", 15),
	COLUMN("frees", kmem_trace_cache_row, frees, COUNT, IN_BOTH, "frees", 15),
	CELL("unseen_frees", kmem_trace_cache_row, unseen_frees, DIGITS, IN_JSON),
	CELL("live_objects", kmem_trace_cache_row, live_objects, DIGITS, IN_JSON),
};

static void answer_caches(struct doc *d, const struct host *h)
{
	const struct kmem_report *r = kmem_report(h->session);
	u32 nr = r->nr_caches, nr_unsized = 0;
	struct kmem_trace_cache_row *rows = memory_for(nr, sizeof(*rows));

	memcpy(rows, host_rows(h, r->caches_at), nr * sizeof(*rows));
	for (u32 i = 0; i < nr; i++) {
		/* The slot size if the trace records one; a slabtrace only gives the object size. */
		rows[i].size = rows[i].size ? rows[i].size : rows[i].object_size;
		nr_unsized += !rows[i].size && !rows[i].allocs;
	}
	doc_gap(d);
	doc_rows(d, "caches", ROWS(columns, rows, nr));
	if (nr_unsized)
		doc_line(
			d,
			"\n  -: only frees of objects that the trace does not allocate; a free has no size");
	free(rows);
}

static void answer(struct doc *d, struct host *h, int with_shape)
{
	doc_object(d, NULL);
	doc_report(d, h);
	doc_from(d, FROM_MEASURED);
	answer_caches(d, h);
	if (with_shape && !doc_has_rows(d)) {
		const struct kmem_shape *shape = kmem_shape(h->session);
		if (!shape)
			host_failed(h, KMEM_ENOMEM);
		answer_shape(d, h, shape);
	}
	doc_end(d);
}

static int run(struct args *args)
{
	struct host h;

	host_import(&h, args, NULL);
	struct doc d = host_doc(&h, asked_form(args));
	answer(&d, &h, given(args, "shape"));
	return h.is_damaged ? EXIT_INPUT : EXIT_DONE;
}

static const struct option options[] = {
	OPTION_KEEP,
	{ "shape", .help = "print sizes, lifetimes, frees on other CPUs and live objects" },
	OPTION_CACHE_NAMES,
	OPTIONS_END,
};

const struct command command_info = {
	GROUP_LOOK,
	"info",
	"TRACE",
	"show what a trace contains, and what is wrong with it",
	"Shows what a trace contains: events by tracepoint, time span, CPUs and caches. Also shows\n"
	"what is wrong with it: frees of objects that it never allocates, lost events and lines\n"
	"that were skipped. --csv prints the caches; --shape prints sizes, lifetimes in events,\n"
	"frees on other CPUs and live objects.",
	"  slabscope info trace.txt\n"
	"  slabscope info trace.txt --shape",
	TAKES_JSON | TAKES_TRACE | TAKES_ROWS,
	options,
	.run = run,
};
