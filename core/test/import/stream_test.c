/*
 * stream_test.c - perf.data and trace.dat read with little memory: rounds, no rounds, rounds that are wrong, and files that are
 * cut off.
 *
 * The files are made here: samples of kfree on several CPUs, whose addresses count upwards with time.
 */
#include "test/support/check.h"
#include "test/support/trace_text.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROOM_BYTES = 64 << 20,
	HEADER_BYTES = 104,
	ATTR_BYTES = 64 + 16,
	KFREE_ID = 616,
	SAMPLE_BYTES = 56,
	ROUND_BYTES = 8,
	RECORD_SAMPLE = 9,
	RECORD_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_FINISHED_ROUND = 68,
	SAMPLE_TYPE = 4 | 128 | 1024, /* time, CPU, raw */
};

struct file {
	u8 *bytes;
	u32 len;
	u32 data_at, nr_samples;
};

static void put(struct file *f, u64 value, u32 nr_bytes)
{
	for (u32 i = 0; i < nr_bytes; i++)
		f->bytes[f->len++] = (u8)(i < 8 ? value >> 8 * i : 0);
}

static void put_text(struct file *f, const char *text, u32 nr_bytes)
{
	memcpy(f->bytes + f->len, text, nr_bytes);
	f->len += nr_bytes;
}

static void put_record(struct file *f, u32 type, u32 len)
{
	put(f, type, 4);
	put(f, (u64)len << 16, 4);
}

static void put_attr(struct file *f)
{
	put(f, 2 | (u64)64 << 32, 8);
	put(f, KFREE_ID, 8);
	put(f, 1, 8);
	put(f, SAMPLE_TYPE, 8);
	put(f, 0, 32);
}

static void put_sample(struct file *f, u64 time, u32 cpu)
{
	put_record(f, RECORD_SAMPLE, SAMPLE_BYTES);
	put(f, time, 8);
	put(f, cpu, 8);
	put(f, 28, 4);
	put(f, KFREE_ID, 8);
	put(f, 0xffffffff81000000, 8);
	put(f, 0xffff888000000000 + time * 64, 8);
	put(f, 0, 4);
	f->nr_samples++;
}

static void put_round(struct file *f)
{
	put_record(f, RECORD_FINISHED_ROUND, ROUND_BYTES);
}

/* Writes the description of kfree, as perf keeps it. */
static u32 put_tracing(struct file *f)
{
	static const char format[] = "name: kfree\nID: 616\nformat:\n"
				     "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\n"
				     "\tfield:const void * ptr;\toffset:16;\tsize:8;\n";
	u32 from = f->len;

	put_text(f, "\x17\x08\x44tracing0.6", 14);
	put(f, (u64)8 << 8, 2);
	put(f, 4096, 4);
	put_text(f, "header_page", 12);
	put(f, 0, 8);
	put_text(f, "header_event", 13);
	put(f, 0, 8);
	put(f, 1, 4);
	put(f, sizeof(format) - 1, 8);
	put_text(f, format, sizeof(format) - 1);
	put(f, 0, 4);
	while ((f->len - from) % 8)
		put(f, 0, 1);
	return f->len - from;
}

static struct file begin_pipe(void)
{
	struct file f = { .bytes = malloc(ROOM_BYTES) };
	struct file tracing = { .bytes = malloc(4096) };

	put_text(&f, "PERFILE2", 8);
	put(&f, 16, 8);
	put_record(&f, RECORD_ATTR, 8 + 64);
	put_attr(&f);
	u32 len = put_tracing(&tracing);
	put_record(&f, RECORD_TRACING_DATA, 12);
	put(&f, len, 4);
	put_text(&f, (const char *)tracing.bytes, len);
	free(tracing.bytes);
	f.data_at = f.len;
	return f;
}

static struct file begin_file(void)
{
	struct file f = { .bytes = calloc(1, ROOM_BYTES) };

	f.len = HEADER_BYTES;
	put_attr(&f);
	put(&f, 0, 16);
	f.data_at = f.len;
	return f;
}

static void end_file(struct file *f)
{
	struct file header = { .bytes = f->bytes };
	u32 data_bytes = f->len - f->data_at;

	put_text(&header, "PERFILE2", 8);
	put(&header, HEADER_BYTES, 8);
	put(&header, ATTR_BYTES, 8);
	put(&header, HEADER_BYTES, 8);
	put(&header, ATTR_BYTES, 8);
	put(&header, f->data_at, 8);
	put(&header, data_bytes, 8);
	put(&header, 0, 16);
	put(&header, 2, 8);
	put(f, f->len + 16, 8);
	u32 size_at = f->len;
	put(f, 0, 8);
	u32 tracing_bytes = put_tracing(f);
	header.len = size_at;
	put(&header, tracing_bytes, 8);
}

/* Writes CPU after CPU, each with its share of the samples; their times start at `from`. */
static void put_cpus(struct file *f, u64 from, u32 nr_cpus, u32 nr_each)
{
	for (u32 cpu = 0; cpu < nr_cpus; cpu++)
		for (u32 i = 0; i < nr_each; i++)
			put_sample(f, from + (u64)i * nr_cpus + cpu, cpu);
}

static u32 out_of_order(const struct imported *in)
{
	u32 nr = 0;

	for (u32 i = 1; i < in->trace.nr_ops; i++)
		nr += trace_time(&in->trace, i) < trace_time(&in->trace, i - 1);
	return nr;
}

/* Expects all samples, in order except for `late` ones. */
static void check_import(const char *what, const struct file *f, u32 chunk_bytes, int flags,
			 int may_be_late)
{
	struct imported in;

	import_text(&in, (const char *)f->bytes, f->len, chunk_bytes, flags);
	const struct kmem_report *r = &in.trace.report;
	CHECK(in.status == KMEM_OK, "%s: %s", what, in.trace.error);
	CHECK(r->events == f->nr_samples && in.trace.nr_ops == f->nr_samples, "%s: %llu of %u",
	      what, (unsigned long long)r->events, f->nr_samples);
	CHECK((r->late > 0) == may_be_late, "%s: %llu late", what, (unsigned long long)r->late);
	CHECK((out_of_order(&in) > 0) == may_be_late, "%s", what);
	CHECK(r->skipped_lines == 0 && !r->truncated, "%s", what);
	imported_drop(&in);
}

static void rounds_come_in_order(void)
{
	struct file f = begin_file(), p = begin_pipe();

	for (u32 round = 0; round < 50; round++) {
		/* A buffer may contain samples that belong to the previous round. */
		put_cpus(&f, 1000 * round, 3, 40);
		put_sample(&f, round ? 1000 * round - 500 : 0, 4);
		put_round(&f);
		put_cpus(&p, 1000 * round, 3, 4);
		put_round(&p);
	}
	end_file(&f);
	check_import("a file", &f, 0, 0, 0);
	check_import("a file by ranges", &f, 777, BY_RANGE | TINY, 0);
	check_import("a pipe", &p, 0, 0, 0);
	check_import("a pipe in pieces", &p, 13, TINY, 0);
	check_import("a pipe by ranges", &p, 777, BY_RANGE | TINY, 0);
	free(f.bytes);
	free(p.bytes);
}

/* Where the file can be read again, order is exact; a stream is ordered as far as the window allows. */
static void a_file_without_rounds_is_sorted(void)
{
	struct file f = begin_file(), p = begin_pipe();

	put_cpus(&f, 0, 5, 400);
	end_file(&f);
	put_cpus(&p, 0, 5, 400);
	check_import("a file", &f, 0, TINY, 0);
	check_import("a file by ranges", &f, 777, BY_RANGE | TINY, 0);
	check_import("a pipe by ranges", &p, 777, BY_RANGE | TINY, 0);
	check_import("a pipe in the usual window", &p, 777, 0, 0);
	check_import("a pipe in a tiny window", &p, 777, TINY, 1);
	free(f.bytes);
	free(p.bytes);
}

static void wrong_rounds_are_reported(void)
{
	struct file f = begin_file();

	for (u32 round = 0; round < 20; round++) {
		put_cpus(&f, 1000 * (round == 15 ? 3 : round), 2, 40);
		put_round(&f);
	}
	end_file(&f);
	check_import("in the usual window", &f, 0, BY_RANGE, 0);
	check_import("in a tiny window", &f, 0, BY_RANGE | TINY, 1);
	free(f.bytes);
}

/* A few megabytes wait, whatever the size of the file. Here each event is the first at its address. */
static void memory_does_not_grow_with_the_file(void)
{
	enum { MOST_BYTES = 24 << 20, BYTES_PER_OP = 48 };
	struct file f = begin_pipe();
	struct imported in;

	for (u32 round = 0; f.len < tries(ROOM_BYTES - (1 << 20), 36 << 20); round++) {
		put_cpus(&f, 10000 * (u64)round, 4, 1000);
		put_round(&f);
	}
	for (int flags = 0; flags <= BY_RANGE; flags += BY_RANGE) {
		import_text(&in, (const char *)f.bytes, f.len, 0, flags);
		u64 most = MOST_BYTES + (u64)in.trace.nr_ops * BYTES_PER_OP;
		CHECK(in.status == KMEM_OK && in.trace.nr_ops == f.nr_samples);
		CHECK(out_of_order(&in) == 0);
		CHECK(in.pool.dirty_bytes <= most, "%llu bytes, not %llu",
		      (unsigned long long)in.pool.dirty_bytes, (unsigned long long)most);
		imported_drop(&in);
	}
	free(f.bytes);
}

/* Expects every whole sample before the cut, and a report of where the cut is. */
static void check_cut(const struct file *f, u32 len, int flags, u32 nr_samples)
{
	struct imported in;
	char place[40];

	import_text(&in, (const char *)f->bytes, len, 0, flags);
	const struct kmem_report *r = &in.trace.report;
	CHECK(in.status == KMEM_OK, "%u: %s", len, in.trace.error);
	CHECK(r->events == nr_samples && out_of_order(&in) == 0, "%u: %llu events, not %u", len,
	      (unsigned long long)r->events, nr_samples);
	CHECK(r->truncated && r->nr_problems == 1, "%u", len);
	const struct kmem_problem *first = (const void *)imported_text(&in, r->problems_at);
	snprintf(place, sizeof(place), "at byte %u", len);
	CHECK(r->nr_problems && strstr(imported_text(&in, first->reason_at), place), "%u: %s", len,
	      r->nr_problems ? imported_text(&in, first->reason_at) : "");
	imported_drop(&in);
}

/* A perf.data describes its events at its end. */
static void check_refused(const struct file *f, u32 len, int flags)
{
	struct imported in;

	import_text(&in, (const char *)f->bytes, len, 0, flags);
	CHECK(in.status == KMEM_EINPUT && strstr(in.trace.error, "is cut off") &&
		      strstr(in.trace.error, "is missing"),
	      "%u bytes: %s", len, in.trace.error);
	imported_drop(&in);
}

static void what_comes_before_a_cut_is_read(void)
{
	struct file f = begin_file(), p = begin_pipe();

	put_cpus(&f, 0, 2, 20);
	put_cpus(&p, 0, 2, 20);
	u32 data_end = f.len;
	end_file(&f);
	for (u32 cut = 1; cut < 40 * SAMPLE_BYTES; cut += tries(23, 230)) {
		if (cut % SAMPLE_BYTES)
			check_cut(&p, p.data_at + cut, cut % 2 ? BY_RANGE | TINY : 0,
				  cut / SAMPLE_BYTES);
		check_refused(&f, f.data_at + cut, cut % 2 ? BY_RANGE | TINY : 0);
	}
	for (u32 len = data_end; len < f.len; len += tries(7, 70))
		check_refused(&f, len, BY_RANGE);
	free(f.bytes);
	free(p.bytes);
}

/*
 * Events of each CPU of a trace.dat up to the cut, although in version 7 the section that locates them comes after it.
 */
static void check_cut_dat(const char *path, size_t cut_bytes, u32 chunk_bytes, int flags)
{
	size_t len = 0;
	char *bytes = file_text(path, &len), place[40];
	struct imported in, whole;

	import_text(&whole, bytes, len, 0, BY_RANGE);
	import_text(&in, bytes, len - cut_bytes, chunk_bytes, flags);
	const struct kmem_report *r = &in.trace.report;
	CHECK(in.status == KMEM_OK && r->truncated && r->nr_problems == 1, "%s: %s", path,
	      in.trace.error);
	CHECK(r->events > 0 && r->events < whole.trace.report.events && out_of_order(&in) == 0,
	      "%s: %llu of %llu", path, (unsigned long long)r->events,
	      (unsigned long long)whole.trace.report.events);
	const struct kmem_problem *first = (const void *)imported_text(&in, r->problems_at);
	snprintf(place, sizeof(place), "at byte %zu", len - cut_bytes);
	CHECK(r->nr_problems && strstr(imported_text(&in, first->reason_at), place), "%s: %s", path,
	      r->nr_problems ? imported_text(&in, first->reason_at) : "");
	imported_drop(&in);
	imported_drop(&whole);
	free(bytes);
}

static void a_trace_dat_that_is_cut_off_keeps_its_events(void)
{
	static const struct {
		const char *path;
		u32 cut_bytes;
	} files[] = { { "test/corpus/trace/6.trace.dat", 700 },
		      { "test/corpus/trace/7.trace.dat", 250 },
		      { "test/corpus/trace/7-zlib.trace.dat", 250 },
		      { "test/corpus/trace/7-plain.trace.dat", 1500 } };

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		check_cut_dat(files[i].path, files[i].cut_bytes, 0, 0);
		check_cut_dat(files[i].path, files[i].cut_bytes, 77, BY_RANGE | TINY);
	}
}

int main(void)
{
	rounds_come_in_order();
	a_file_without_rounds_is_sorted();
	wrong_rounds_are_reported();
	memory_does_not_grow_with_the_file();
	what_comes_before_a_cut_is_read();
	a_trace_dat_that_is_cut_off_keeps_its_events();
	return check_summary();
}
