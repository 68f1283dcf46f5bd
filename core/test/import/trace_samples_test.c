/*
 * trace_samples_test.c - every recorded sample available: read in chunks of any size and by both parsers with the same
 * result, counted as a naive search counts, written and read back, and cut off anywhere.
 *
 * Samples come from traces/, the text files of the fuzzer's corpus, and, if it exists, from ../shared or
 * $SLABSCOPE_SHARED.
 */
#define _GNU_SOURCE
#include "test/support/check.h"
#include "test/support/trace_text.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_SAMPLES = 400,
	SMALL_BYTES = 400000,
	MAX_CUT_BYTES = 4000,
	MAX_NAMES = 64,
	NR_CHUNKINGS = 3,
	SHALLOWER_CUT_EVERY = 13
};

static char *samples[MAX_SAMPLES];
static u32 nr_samples;

static int has_end(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && strcmp(path + n - m, end) == 0;
}

static int note_sample(const char *path, const struct stat *st, int type, struct FTW *where)
{
	static const char *const ends[] = { ".txt",	 ".txt.gz", ".trace.gz",   ".slabtrace",
					    ".bpftrace", ".csv",    ".perf-trace", ".mtrace",
					    ".ltrace",	 ".ostep",  ".rep" };
	static const char *const others[] = { "kmem-stat", "/cache-params/", "/caches.csv",
					      "/aliases.csv" };

	(void)st;
	(void)where;
	for (u32 i = 0; i < ARRAY_SIZE(others); i++) {
		if (strstr(path, others[i]))
			return 0;
	}
	for (u32 i = 0; type == FTW_F && nr_samples < MAX_SAMPLES && i < ARRAY_SIZE(ends); i++) {
		if (has_end(path, ends[i]))
			samples[nr_samples++] = strdup(path);
	}
	return 0;
}

/* Event names as a search would count them: the word after the first colon that has a time before it. */
struct counted {
	char name[MAX_NAMES][40];
	u64 lines[MAX_NAMES];
	u32 nr;
};

static void count_name(struct counted *c, const char *name, size_t len)
{
	u32 i = 0;

	while (i < c->nr && (strlen(c->name[i]) != len || memcmp(c->name[i], name, len)))
		i++;
	if (i == MAX_NAMES || len >= sizeof(c->name[0]))
		return;
	memcpy(c->name[i], name, len);
	c->nr = MAX(c->nr, i + 1);
	c->lines[i]++;
}

static int is_time_before(const char *line, const char *colon)
{
	const char *p = colon;

	if (p > line + 2 && p[-2] == 's' && p[-3] == 'u')
		return 1;
	while (p > line && (p[-1] == '.' || (p[-1] >= '0' && p[-1] <= '9')))
		p--;
	return p < colon && p > line && p[-1] == ' ' && (strchr(line, '-') || strchr(p, '.'));
}

static void count_line(struct counted *c, char *line)
{
	for (char *colon = strchr(line, ':'); colon; colon = strchr(colon + 1, ':')) {
		if (colon[1] != ' ' || !(is_time_before(line, colon) || strstr(colon, " kmem:")))
			continue;
		char *name = colon + 1 + strspn(colon + 1, " ");
		if (strncmp(name, "kmem:", 5) == 0)
			name += 5;
		size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
		if (len && (name[len] == ':' || name[len] == '('))
			count_name(c, name, len);
		return;
	}
}

static void check_counts(const char *path, const struct imported *in, const char *text)
{
	struct counted counted = { 0 };
	char *copy = strdup(text), *save = NULL;
	const struct kmem_kind_row *kinds = (const void *)imported_text(in,
									in->trace.report.kinds_at);

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line != '#')
			count_line(&counted, line);
	}
	CHECK(counted.nr == in->trace.report.nr_kinds, "%s: %u kinds, not %u", path,
	      in->trace.report.nr_kinds, counted.nr);
	for (u32 k = 0; k < in->trace.report.nr_kinds; k++) {
		const char *name = imported_text(in, kinds[k].name_at);
		u64 lines = 0;
		for (u32 i = 0; i < counted.nr; i++)
			lines += strcmp(counted.name[i], name) == 0 ? counted.lines[i] : 0;
		CHECK(lines == kinds[k].lines, "%s: %s %llu, not %llu", path, name,
		      (unsigned long long)kinds[k].lines, (unsigned long long)lines);
	}
	free(copy);
}

static void check_chunks(const char *path, const struct imported *whole, const char *text,
			 size_t len)
{
	const u32 small[NR_CHUNKINGS] = { 7, 1, 100 }, large[NR_CHUNKINGS] = { 4099, 65537, 300 };
	const u32 *chunks = len < SMALL_BYTES ? small : large;
	/* A slow build reads each sample in one kind of chunks, a fast one in all. */
	u32 nr_chunkings = getenv("SHALLOWER") ? 1 : NR_CHUNKINGS;
	u64 digest = trace_digest(whole);
	struct imported in;

	for (u32 i = 0; i < nr_chunkings; i++) {
		import_text(&in, text, len, chunks[i], 0);
		CHECK(trace_digest(&in) == digest, "%s in chunks of %u", path, chunks[i]);
		imported_drop(&in);
	}
	import_text(&in, text, len, 0, GENERAL_ONLY);
	CHECK(trace_digest(&in) == digest, "%s: the two ways of reading differ", path);
	imported_drop(&in);
}

static int same_op(const struct trace *a, const struct trace *b, u32 i)
{
	const struct op x = trace_op(a, i), y = trace_op(b, i);
	const struct site *s = &a->sites[x.site], *t = &b->sites[y.site];

	return x.handle == y.handle && x.kind == y.kind && x.cpu == y.cpu && x.flags == y.flags &&
	       s->bytes == t->bytes && s->cache == t->cache && s->node == t->node &&
	       s->reason == t->reason && s->was == t->was && s->kmalloc_type == t->kmalloc_type &&
	       trace_time(a, i) == trace_time(b, i) &&
	       strcmp(trace_text(a, s->call_site), trace_text(b, t->call_site)) == 0 &&
	       strcmp(trace_text(a, s->gfp), trace_text(b, t->gfp)) == 0 &&
	       strcmp(trace_text(a, s->name), trace_text(b, t->name)) == 0;
}

/* Counts the events that ftrace has no line for: a realloc that keeps its object. */
static u32 kept_ops(const struct trace *t)
{
	u32 nr = 0;

	for (u32 i = 0; i < t->nr_ops; i++) {
		const struct site *site = &t->sites[trace_op(t, i).site];
		nr += trace_op(t, i).kind == OP_NOTHING && site->reason == REASON_KEPT;
	}
	return nr;
}

/* Counts that every export and import must preserve. */
static void check_same_counts(const char *path, const struct imported *in,
			      const struct imported *back, u32 fewer_ops)
{
	const struct kmem_report *a = &in->trace.report, *b = &back->trace.report;

	CHECK(back->status == KMEM_OK && b->skipped_lines == 0 && b->nr_problems == 0, "%s: %s",
	      path, back->trace.error);
	CHECK(a->allocs == b->allocs && a->frees == b->frees && a->null_frees == b->null_frees,
	      "%s", path);
	CHECK(a->live_at_end == b->live_at_end && a->unseen_frees == b->unseen_frees, "%s", path);
	CHECK(a->orphan_frees == b->orphan_frees && a->failed_allocs == b->failed_allocs, "%s",
	      path);
	CHECK(a->time_first == b->time_first && a->time_last == b->time_last, "%s", path);
	CHECK(a->ops == b->ops + fewer_ops && a->handles == b->handles, "%s", path);
}

static void check_round_trip(const char *path, const struct imported *in)
{
	size_t len, len_again;
	char *text = export_text(in, 0, &len);
	struct imported back;

	import_text(&back, text, len, 0, 0);
	check_same_counts(path, in, &back, 0);
	CHECK(in->trace.nr_caches == back.trace.nr_caches, "%s", path);
	u32 bad = 0;
	for (u32 i = 0; i < MIN(in->trace.nr_ops, back.trace.nr_ops); i++)
		bad += !same_op(&in->trace, &back.trace, i);
	CHECK(bad == 0, "%s: %u operations read back otherwise", path, bad);
	char *again = export_text(&back, 0, &len_again);
	CHECK(len == len_again && memcmp(text, again, len) == 0, "%s: written twice, two texts",
	      path);
	imported_drop(&back);
	free(again);
	free(text);
}

static void check_to_ftrace(const char *path, const struct imported *in)
{
	size_t len;
	char *text = export_text(in, 1, &len);
	struct imported back;

	import_text(&back, text, len, 0, 0);
	check_same_counts(path, in, &back, kept_ops(&in->trace));
	imported_drop(&back);
	free(text);
}

/* Whether the text has lines with a time, a colon and the event's name. */
static int is_kernel_text(const char *path)
{
	return (has_end(path, ".txt") || has_end(path, ".gz")) && !strstr(path, "bpftrace") &&
	       !strstr(path, "perf-trace");
}

static void check_sample(const char *path)
{
	size_t len = 0;
	char *text = file_text(path, &len);
	struct imported in;

	CHECK(text != NULL, "%s cannot be read", path);
	if (!text)
		return;
	import_text(&in, text, len, 0, 0);
	CHECK(in.status == KMEM_OK && in.trace.nr_ops > 0, "%s: %s", path, in.trace.error);
	if (is_kernel_text(path))
		check_counts(path, &in, text);
	check_chunks(path, &in, text, len);
	check_round_trip(path, &in);
	if (!has_end(path, ".slabtrace"))
		check_to_ftrace(path, &in);
	imported_drop(&in);
	free(text);
}

/*
 * Cut off at every byte (a slow build: at every 13th): gives a shorter trace or a message, never an event that the
 * whole trace lacks.
 */
static void check_cuts(const char *path)
{
	size_t len = 0;
	char *text = file_text(path, &len);
	struct imported whole, in;

	if (!text || len > MAX_CUT_BYTES) {
		free(text);
		return;
	}
	import_text(&whole, text, len, 0, 0);
	size_t every = getenv("SHALLOWER") ? SHALLOWER_CUT_EVERY : 1;
	for (size_t n = 0; n < len; n += every) {
		import_text(&in, text, n, 4096, 0);
		CHECK(in.status == KMEM_EINPUT || in.trace.nr_ops <= whole.trace.nr_ops,
		      "%s cut at %zu", path, n);
		imported_drop(&in);
	}
	imported_drop(&whole);
	free(text);
}

static void find_samples(const char *folder)
{
	char path[1000];

	snprintf(path, sizeof(path), "%.900s/traces", folder);
	nftw(path, note_sample, 8, FTW_PHYS);
}

int main(void)
{
	const char *shared = getenv("SLABSCOPE_SHARED");

	/* From the root of the repository, or from core/. */
	RUN(find_samples("."));
	RUN(find_samples(".."));
	RUN(nftw("core/test/corpus/trace", note_sample, 8, FTW_PHYS));
	RUN(nftw("test/corpus/trace", note_sample, 8, FTW_PHYS));
	if (shared) {
		find_samples(shared);
	} else if (!getenv("SHALLOWER")) {
		find_samples("../shared");
		find_samples("../../shared");
	}
	for (u32 i = 0; i < nr_samples; i++) {
		RUN(check_sample(samples[i]));
		if (strstr(samples[i], "edge-cases") || strstr(samples[i], "corpus") ||
		    strstr(samples[i], "perf-3.x") || has_end(samples[i], ".slabtrace"))
			check_cuts(samples[i]);
		free(samples[i]);
	}
	return check_summary();
}
