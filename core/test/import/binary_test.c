/*
 * binary_test.c - perf.data, trace.dat and Perfetto: each gives the same events as the text exported from it, and a
 * damaged file gives a result or a sentence.
 *
 * Pairs come from ../shared or $SLABSCOPE_SHARED, if it exists; the small files are the fuzzer's.
 */
#include "test/support/check.h"
#include "test/support/trace_text.h"

#include <stdlib.h>
#include <string.h>

struct pair {
	const char *binary, *text;
};

static const struct pair pairs[] = {
	{ "debian-5.10/perf.data.gz", "debian-5.10/perf-script.txt.gz" },
	{ "debian-6.1/perf.data.gz", "debian-6.1/perf-script.txt.gz" },
	{ "debian-6.12.107/perf.data.gz", "debian-6.12.107/perf-script.txt.gz" },
	{ "debian-6.18.15/perf.data.gz", "debian-6.18.15/perf-script.txt.gz" },
	{ "debian-7.2.12/perf.data.gz", "debian-7.2.12/perf-script.txt.gz" },
	{ "host-6.18.44/perf-rrpong-16x60.perf.data.gz",
	  "host-6.18.44/perf-rrpong-16x60.script.txt.gz" },
	{ "host-6.18.44/tracecmd-make-3files.v6.dat.gz",
	  "host-6.18.44/tracecmd-make-3files.report.txt.gz" },
	{ "debian-5.10/trace.v7.dat", "debian-5.10/tracecmd-report.txt.gz" },
	{ "debian-6.18.15/trace.v7.dat", "debian-6.18.15/tracecmd-report.txt.gz" },
};

static const char *const small_files[] = {
	"test/corpus/trace/file.perf.data",	   "test/corpus/trace/pipe.perf.data",
	"test/corpus/trace/packed.perf.data",	   "test/corpus/trace/6.trace.dat",
	"test/corpus/trace/7.trace.dat",	   "test/corpus/trace/7-plain.trace.dat",
	"test/corpus/trace/7-zlib.trace.dat",	   "test/corpus/trace/three-cpus.perfetto-trace",
	"test/corpus/trace/packed.perfetto-trace",
};

static const char *cache_of(const struct trace *t, const struct site *site)
{
	return site->cache < t->nr_caches ? trace_text(t, t->caches[site->cache].name) : "";
}

/* Call sites are addresses in one and symbols in the other; text gives times in microseconds. */
static int same_op(const struct trace *a, const struct trace *b, u32 i)
{
	const struct op x = trace_op(a, i), y = trace_op(b, i);
	const struct site *s = &a->sites[x.site], *t = &b->sites[y.site];
	s64 apart_ns = (s64)(trace_time(a, i) - trace_time(b, i));

	return x.handle == y.handle && x.kind == y.kind && x.cpu == y.cpu && x.flags == y.flags &&
	       s->bytes == t->bytes && s->cache == t->cache && s->node == t->node &&
	       s->reason == t->reason && s->was == t->was && s->kmalloc_type == t->kmalloc_type &&
	       apart_ns > -1000 && apart_ns < 1000 &&
	       strcmp(trace_text(a, s->gfp), trace_text(b, t->gfp)) == 0 &&
	       strcmp(trace_text(a, s->name), trace_text(b, t->name)) == 0 &&
	       strcmp(cache_of(a, s), cache_of(b, t)) == 0;
}

static void check_reports(const char *path, const struct imported *a, const struct imported *b)
{
	const struct kmem_report *r = &a->trace.report, *s = &b->trace.report;
	const struct kmem_kind_row *kinds = (const void *)imported_text(a, r->kinds_at);
	const struct kmem_kind_row *others = (const void *)imported_text(b, s->kinds_at);

	CHECK(r->allocs == s->allocs && r->frees == s->frees && r->null_frees == s->null_frees,
	      "%s", path);
	CHECK(r->live_at_end == s->live_at_end && r->unseen_frees == s->unseen_frees &&
		      r->orphan_frees == s->orphan_frees && r->lost == s->lost,
	      "%s", path);
	CHECK(r->cpus == s->cpus && r->handles == s->handles && r->skipped_lines == 0, "%s", path);
	CHECK(r->nr_kinds == s->nr_kinds && r->nr_caches == s->nr_caches, "%s", path);
	for (u32 k = 0; k < MIN(r->nr_kinds, s->nr_kinds); k++)
		CHECK(kinds[k].lines == others[k].lines, "%s: %s %llu, not %llu", path,
		      imported_text(a, kinds[k].name_at), (unsigned long long)kinds[k].lines,
		      (unsigned long long)others[k].lines);
}

static char *shared_text(const char *name, size_t *len)
{
	const char *shared = getenv("SLABSCOPE_SHARED");
	const char *const folders[] = { shared ? shared : "../shared", "../../shared" };
	char path[1000], *text = NULL;

	for (u32 i = 0; i < ARRAY_SIZE(folders) && !text; i++) {
		snprintf(path, sizeof(path), "%.800s/traces/%s", folders[i], name);
		FILE *file = fopen(path, "r");
		if (!file)
			continue;
		fclose(file);
		text = file_text(path, len);
	}
	return text;
}

static void check_pair(const struct pair *pair)
{
	size_t len, text_len;
	char *bytes = shared_text(pair->binary, &len), *text = shared_text(pair->text, &text_len);
	struct imported binary, exported, pieces;

	if (bytes && text) {
		import_text(&binary, bytes, len, 0, 0);
		import_text(&exported, text, text_len, 0, 0);
		import_text(&pieces, bytes, len, 4099, 0);
		CHECK(binary.status == KMEM_OK, "%s: %s", pair->binary, binary.trace.error);
		CHECK(trace_digest(&binary) == trace_digest(&pieces), "%s", pair->binary);
		CHECK(binary.trace.nr_ops == exported.trace.nr_ops, "%s: %u operations, not %u",
		      pair->binary, binary.trace.nr_ops, exported.trace.nr_ops);
		check_reports(pair->binary, &binary, &exported);
		u32 bad = 0;
		for (u32 i = 0; i < MIN(binary.trace.nr_ops, exported.trace.nr_ops); i++)
			bad += !same_op(&binary.trace, &exported.trace, i);
		CHECK(bad == 0, "%s: %u operations are others", pair->binary, bad);
		imported_drop(&binary);
		imported_drop(&exported);
		imported_drop(&pieces);
	}
	free(bytes);
	free(text);
}

/*
 * Checks the status and, after a failure, its sentence; a part or a damaged copy cannot have more events than records
 * fit in it.
 */
static void check_verdict(const char *path, size_t at, const char *bytes, size_t len)
{
	struct imported in;

	import_text(&in, bytes, len, 4096, 0);
	CHECK(in.status == KMEM_OK || (in.status == KMEM_EINPUT && in.trace.error[0]),
	      "%s at %zu: %d %s", path, at, in.status, in.trace.error);
	CHECK(in.trace.report.events <= len / 8, "%s at %zu", path, at);
	imported_drop(&in);
}

static void check_small(const char *path)
{
	size_t len = 0;
	char *bytes = file_text(path, &len);
	struct imported in;

	CHECK(bytes != NULL, "%s cannot be read", path);
	if (!bytes)
		return;
	import_text(&in, bytes, len, 0, 0);
	CHECK(in.status == KMEM_OK && in.trace.nr_ops >= 20 && in.trace.report.skipped_lines == 0,
	      "%s: %s", path, in.trace.error);
	CHECK(in.trace.report.lost > 0, "%s", path);
	imported_drop(&in);
	/* Cut off at every byte, or damaged in every third. */
	for (size_t n = 0; n < len; n += getenv("SHALLOWER") ? 11 : 1) {
		check_verdict(path, n, bytes, n);
		if (n % 3)
			continue;
		bytes[n] = (char)~bytes[n];
		check_verdict(path, n, bytes, len);
		bytes[n] = (char)~bytes[n];
	}
	free(bytes);
}

static void check_sentence(const char *bytes, size_t len, const char *words)
{
	struct imported in;

	import_text(&in, bytes, len, 0, 0);
	CHECK(in.status == KMEM_EINPUT && strstr(in.trace.error, words), "%s", in.trace.error);
	imported_drop(&in);
}

static void refuses_unreadable_files_with_a_reason(void)
{
	static const char compressed[] = "PERFILE2\x10\0\0\0\0\0\0\0\x51\0\0\0\0\0\x10\0zstdzstd";

	check_sentence("2ELIFREP\0\0\0\0\0\0\0\x68", 16, "big-endian");
	check_sentence("PERFFILE\x68\0\0\0\0\0\0\0", 16, "before Linux 2.6.32");
	check_sentence("PERFILE2\x10\0\0\0\0\0\0\0", 16, "no tracepoints");
	check_sentence("PERFILE2\x68\0\0\0\0\0\0\0", 16, "cut off");
	check_sentence("\x17\x08\x44tracing5\0\0\x08\0\x10\0\0", 18, "neither version 6");
	check_sentence("\x17\x08\x44tracing6\0\1\x08\0\0\x10\0", 18, "big-endian");
	check_sentence("\x17\x08\x44tracing7\0\0\x08\0\x10\0\0lzip\0001\0\1\0\0\0\0\0\0\0", 33,
		       "neither zstd nor zlib");
	check_sentence("\x17\x08\x44tracing7\0\0\x08\0\x10\0\0zstd\0001\0\0\0\0\0\0\0\0\0", 33,
		       "ends before the description of its events");
	check_sentence(compressed, sizeof(compressed) - 1, "cannot be unpacked");
}

/* Samples are read as the attributes before the first of them say. */
static void an_attribute_after_a_sample_is_reported(void)
{
	size_t len = 0;
	char *bytes = file_text("test/corpus/trace/late-attr.perf.data", &len);
	struct imported in;

	import_text(&in, bytes, len, 0, 0);
	const struct kmem_report *r = &in.trace.report;
	const struct kmem_problem *first = (const void *)imported_text(&in, r->problems_at);
	CHECK(in.status == KMEM_OK && r->events == 1 && r->frees == 1, "%s", in.trace.error);
	CHECK(r->nr_problems == 1 &&
	      strstr(imported_text(&in, first->reason_at), "after the first sample"));
	imported_drop(&in);
	free(bytes);
}

int main(void)
{
	RUN(an_attribute_after_a_sample_is_reported());
	for (u32 i = 0; i < ARRAY_SIZE(pairs); i++)
		RUN(check_pair(&pairs[i]));
	for (u32 i = 0; i < ARRAY_SIZE(small_files); i++)
		RUN(check_small(small_files[i]));
	RUN(refuses_unreadable_files_with_a_reason());
	return check_summary();
}
