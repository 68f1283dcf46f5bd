/*
 * bench_print.c - prints the results of `slabscope bench`, for people and for scripts.
 */
#include "bench/bench.h"
#include "cli/print.h"

#include <stdio.h>

/* Writes a value rounded to four significant digits or to a whole number, whichever is finer. */
static void doc_real(struct doc *d, const char *key, double value)
{
	char number[32];

	snprintf(number, sizeof(number), value >= 1000 ? "%.0f" : "%.4g", value);
	doc_raw(d, key, number);
}

static int is_met(const struct row *row)
{
	return row->at_least ? row->ratio >= row->limit : row->ratio <= row->limit;
}

static void rows_json(struct doc *j, const struct row *rows, u32 nr)
{
	doc_array(j, "rows");
	for (u32 i = 0; i < nr; i++) {
		doc_object(j, NULL);
		doc_text(j, "what", rows[i].what);
		if (rows[i].live)
			doc_number(j, "live", (u64)rows[i].live * 1000);
		doc_real(j, "figure", rows[i].figure);
		doc_real(j, "reference", rows[i].reference);
		doc_real(j, "ratio", rows[i].ratio);
		if (rows[i].limit > 0) {
			doc_real(j, "budget", rows[i].limit);
			doc_text(j, "budget_is", rows[i].at_least ? "least" : "most");
			doc_bool(j, "met", is_met(&rows[i]));
		}
		doc_text(j, "meaning", rows[i].meaning);
		doc_end(j);
	}
	doc_end(j);
}

static void print_json(const struct bench *b)
{
	struct doc j = host_doc(NULL, DOC_JSON);
	const struct row *rows = b->rows;

	doc_object(&j, NULL);
	doc_text(&j, "trace", b->host->trace);
	doc_kernel(&j, b->host, 0);
	doc_number(&j, "events", b->events);
	doc_number(&j, "ops", b->nr_ops);
	doc_real(&j, "parse_mb_s", (double)b->len_bytes / rows[0].figure / 1e6);
	doc_real(&j, "import_mb_s", (double)b->len_bytes / rows[1].figure / 1e6);
	doc_real(&j, "import_events_s", (double)b->events / rows[1].figure);
	doc_real(&j, "replay_events_s", b->nr_ops / rows[2].reference);
	doc_real(&j, "steps_s", b->nr_ops / rows[2].figure);
	doc_real(&j, "seek_ms_p50", b->seek.p50);
	doc_real(&j, "seek_ms_p99", b->seek.p99);
	doc_real(&j, "seek_ms_max", b->seek.most);
	doc_real(&j, "bytes_per_event",
		 b->events ? (double)b->resident_bytes / (double)b->events : 0);
	rows_json(&j, rows, b->nr_rows);
	doc_end(&j);
}

static void print_row(const struct row *row)
{
	double scale = row->is_count ? 1 : 1e3;
	char what[64];

	snprintf(what, sizeof(what), row->live ? "%s, %uk live" : "%s", row->what, row->live);
	printf("  %-34s %12.*f %12.*f %8.3f", what, row->is_count ? 0 : 3, row->figure * scale,
	       row->is_count ? 0 : 3, row->reference * scale, row->ratio);
	if (row->limit > 0)
		printf("   %s %.3g: %s", row->at_least ? ">=" : "<=", row->limit,
		       is_met(row) ? "met" : "missed");
	putchar('\n');
}

static void print_text(const struct bench *b)
{
	const struct row *rows = b->rows;
	struct doc text = host_doc(b->host, DOC_TEXT);

	printf("%s: %s, %s, %s\n", plain(b->host->trace), counted(b->events, "event").s,
	       counted(b->nr_ops, "event").s, counted(b->len_bytes, "byte").s);
	printf("  import      %8.0f MB/s %8.2f million events/s\n",
	       (double)b->len_bytes / rows[1].figure / 1e6,
	       (double)b->events / rows[1].figure / 1e6);
	printf("  replay      %8.2f million events/s\n", b->nr_ops / rows[2].reference / 1e6);
	printf("  with steps  %8.2f million events/s\n", b->nr_ops / rows[2].figure / 1e6);
	doc_kernel(&text, b->host, 2);
	printf("  seek        %8.3f ms median, %.3f ms p99, %.3f ms at most\n", b->seek.p50,
	       b->seek.p99, b->seek.most);
	printf("  memory      %8.1f bytes per event after import\n\n",
	       b->events ? (double)b->resident_bytes / (double)b->events : 0);
	printf("  %-34s %12s %12s %8s   %s\n", "processor time", "figure ms", "reference ms",
	       "ratio", "budget");
	for (u32 i = 0; i < b->nr_rows; i++)
		print_row(&rows[i]);
}

void bench_print(const struct bench *b, int as_json)
{
	(as_json ? print_json : print_text)(b);
}
