/*
 * format_tracedat.c - what `trace-cmd record` writes, as it is: trace.dat of versions 6 and 7.
 *
 *	6:	| magic, version, sizes | header_page | formats | symbols | tasks | options | CPUs | pages … |
 *	7:	| magic, version, sizes | sections, among them one with options, which says where the others are |
 *
 * Every CPU's pages lie together. A heap of CPUs gives their events by time; of two at once the lower CPU's comes
 * first, as in trace-cmd's report. Buffers of instances are merged with the others. Symbols are not looked up.
 */
#include "prefix.h"
#include "tracedat.h"

enum { OPTION_DONE = 0, OPTION_BUFFER = 3, OPTION_CLOCK = 4 };

#define MAGIC "\x17\x08\x44tracing"

static int tracedat_begins(const u8 *bytes, u32 len)
{
	return span_begins(bytes, bytes + len, MAGIC);
}

struct reader tracedat_part(const struct tracedat *d, u64 at, u64 len)
{
	const u8 *file = d->im->file.at;
	struct reader all = { file, file + d->im->file_bytes, 0 };

	reader_take(&all, at);
	return reader_part(&all, len);
}

int tracedat_unpack(struct tracedat *d, struct reader in, u64 out_bytes, struct trace_run *run)
{
	struct import *im = d->im;
	u64 in_bytes = reader_left(&in);

	if (d->packer == PACKER_NONE || out_bytes > MAX_UNPACKED_BYTES || in.bad ||
	    out_bytes / MAX_PACKING > in_bytes || !run_grow(im, run, out_bytes + SCAN_SLACK))
		return 0;
	if (d->packer == PACKER_ZLIB)
		return zlib_unpack(in.at, in_bytes, run->at, out_bytes);
	if (!d->zstd && !(d->zstd = pool_alloc(im->trace->pool, sizeof(*d->zstd)))) {
		import_out_of_memory(im);
		return 0;
	}
	return zstd_unpack(d->zstd, in.at, in_bytes, run->at, out_bytes);
}

/* Streams */

void tracedat_add_stream(struct tracedat *d, const struct stream *stream)
{
	if (d->nr_streams == MAX_STREAMS ||
	    !run_grow(d->im, &d->streams, (d->nr_streams + 1) * (u64)sizeof(*stream)))
		return;
	((struct stream *)d->streams.at)[d->nr_streams++] = *stream;
}

static int is_before(const struct tracedat *d, u32 a, u32 b)
{
	const struct stream *s = d->streams.at;

	return s[a].event.time != s[b].event.time ? s[a].event.time < s[b].event.time : a < b;
}

static void sift_down(struct tracedat *d, u32 at)
{
	u32 *heap = d->heap.at;

	for (;;) {
		u32 child = 2 * at + 1, swap = heap[at];
		if (child >= d->nr_heap)
			return;
		if (child + 1 < d->nr_heap && is_before(d, heap[child + 1], heap[child]))
			child++;
		if (!is_before(d, heap[child], heap[at]))
			return;
		heap[at] = heap[child];
		heap[child] = swap;
		at = child;
	}
}

/* All events of all streams by time. */
static void merge_streams(struct tracedat *d)
{
	struct stream *streams = d->streams.at;

	if (!run_grow(d->im, &d->heap, (d->nr_streams + 1) * (u64)sizeof(u32)))
		return;
	u32 *heap = d->heap.at;
	for (u32 i = 0; i < d->nr_streams; i++) {
		if (stream_next(d, &streams[i]))
			heap[d->nr_heap++] = i;
	}
	for (u32 i = d->nr_heap / 2; i--;)
		sift_down(d, i);
	while (d->nr_heap && d->im->status == KMEM_OK) {
		struct stream *s = &streams[heap[0]];
		d->im->unpacked_from = s->chunk_at;
		tracepoints_event(d->tracepoints, &s->event);
		if (!stream_next(d, s))
			heap[0] = heap[--d->nr_heap];
		sift_down(d, 0);
	}
}

/* Parts */

void tracedat_read_layout(struct tracedat *d, struct reader *r)
{
	for (u32 i = 0; i < 2; i++) {
		struct reader name = reader_string(r);
		u64 len = reader_u64(r);
		struct reader text = reader_part(r, len);
		if (!reader_is(&name, "header_page") || text.bad)
			continue;
		const u8 *commit = prefix_find(text.at, text.end, " commit;");
		const u8 *data = prefix_find(text.at, text.end, " data;");
		s64 commit_at = commit ? tracepoints_number(commit, text.end, "offset:") : -1;
		s64 commit_bytes = commit ? tracepoints_number(commit, text.end, "size:") : -1;
		s64 data_at = data ? tracepoints_number(data, text.end, "offset:") : -1;
		if (commit_at >= 8 && (commit_bytes == 4 || commit_bytes == 8) &&
		    data_at >= commit_at + commit_bytes && data_at < MIN_PAGE_BYTES)
			d->layout = (struct page_layout){ (u32)commit_at, (u32)commit_bytes,
							  (u32)data_at };
	}
	if (!d->layout.data_at)
		binary_damaged(d->im, r->at, "it does not describe the pages of the ring buffer");
}

void tracedat_read_clock(struct tracedat *d, const struct reader *name)
{
	d->im->ticks |= reader_is(name, "counter") || reader_is(name, "x86-tsc") ||
			reader_is(name, "ppc-tb") || reader_is(name, "uptime");
}

/* Version 6 */

/* "[local] global counter …": the one in use is in brackets. */
static void read_clock_option(struct tracedat *d, const struct reader *option)
{
	const u8 *from = scan_byte(option->at, option->end, '[');
	struct reader name = { MIN(from + 1, option->end), scan_byte(from, option->end, ']'), 0 };

	if (name.at < name.end)
		tracedat_read_clock(d, &name);
}

/* "flyrecord", then offset and size of each CPU's pages. */
static void read_cpus(struct tracedat *d, struct reader *r)
{
	struct reader tag = reader_part(r, 10);

	if (span_begins(tag.at, tag.end, "latency")) {
		import_fail(
			d->im, KMEM_EINPUT,
			"This trace.dat holds the text of a latency tracer and no events: run `trace-cmd report > "
			"trace.txt` and open that.");
		return;
	}
	if (!span_begins(tag.at, tag.end, "flyrecord")) {
		binary_damaged(d->im, tag.at, "no list of CPUs where one should be");
		return;
	}
	for (u32 cpu = 0; cpu < d->nr_cpus && d->im->status == KMEM_OK; cpu++) {
		u64 at = reader_u64(r), len = reader_u64(r);
		struct reader from_there = tracedat_part(d, at, 0);
		if (r->bad || from_there.bad) {
			d->im->trace->report.truncated = 1;
			return;
		}
		from_there.end = (const u8 *)d->im->file.at + d->im->file_bytes;
		d->im->trace->report.truncated |= len > reader_left(&from_there);
		from_there.end = from_there.at + MIN(len, reader_left(&from_there));
		struct stream stream = { .pages = from_there,
					 .page_bytes = d->page_bytes,
					 .cpu = cpu };
		tracedat_add_stream(d, &stream);
	}
}

static void read_options(struct tracedat *d, struct reader *r)
{
	u32 id;

	while (!r->bad && (id = reader_u16(r)) != OPTION_DONE) {
		u32 len = reader_u32(r);
		struct reader option = reader_part(r, len);
		if (id == OPTION_CLOCK)
			read_clock_option(d, &option);
		if (id == OPTION_BUFFER && !option.bad) {
			u64 at = reader_u64(&option);
			struct reader cpus = tracedat_part(d, at, 10 + d->nr_cpus * (u64)16);
			if (!cpus.bad)
				read_cpus(d, &cpus);
			d->im->trace->report.truncated |= cpus.bad;
		}
	}
}

static void skip_sized(struct reader *r, u32 size_bytes)
{
	u64 len = size_bytes == 4 ? reader_u32(r) : reader_u64(r);

	reader_take(r, len);
}

static void read_6(struct tracedat *d, struct reader *r)
{
	tracedat_read_layout(d, r);
	tracepoints_add_some(d->tracepoints, r, reader_u32(r));
	tracepoints_add_systems(d->tracepoints, r);
	skip_sized(r, 4); /* symbols */
	skip_sized(r, 4); /* texts of printk */
	skip_sized(r, 8); /* names of tasks */
	d->nr_cpus = reader_u32(r);
	if (d->im->status == KMEM_OK && (r->bad || d->nr_cpus > MAX_CPUS))
		binary_damaged(d->im, r->at,
			       r->bad ? "it ends before the first event"
				      : "it says that it has more than 4096 CPUs");
	if (d->im->status != KMEM_OK)
		return;
	d->im->cpus_announced = d->nr_cpus;
	if (span_begins(r->at, r->end, "options  ")) {
		reader_take(r, 10);
		/* Buffers of instances come behind the main one, whose CPUs follow the options. */
		struct reader options = *r;
		while (!r->bad && reader_u16(r) != OPTION_DONE)
			skip_sized(r, 4);
		read_cpus(d, r);
		if (d->im->status == KMEM_OK)
			read_options(d, &options);
		return;
	}
	read_cpus(d, r);
}

/* The file */

static void read_all(struct tracedat *d)
{
	struct import *im = d->im;
	const u8 *file = im->file.at;
	struct reader r = { file, file + im->file_bytes, 0 };

	reader_take(&r, sizeof(MAGIC) - 1);
	struct reader version = reader_string(&r);
	const u8 *order = reader_take(&r, 2);
	d->page_bytes = reader_u32(&r);
	int is_7 = reader_is(&version, "7");
	if (!r.bad && !is_7 && !reader_is(&version, "6"))
		import_fail(
			im, KMEM_EINPUT,
			"This trace.dat is neither of version 6 nor of 7: run `trace-cmd report > trace.txt` with the "
			"trace-cmd that wrote it and open that.");
	else if (!r.bad && order[0])
		import_fail(
			im, KMEM_EINPUT,
			"This trace.dat comes from a big-endian machine, which is not read: run `trace-cmd report > "
			"trace.txt` and open that.");
	else if (r.bad || d->page_bytes < MIN_PAGE_BYTES || d->page_bytes > MAX_PAGE_BYTES)
		binary_damaged(im, r.at, "its header is cut off or tells no size of a page");
	if (im->status != KMEM_OK)
		return;
	d->long_bytes = order[1];
	if (is_7)
		tracedat_read_7(d, &r);
	else
		read_6(d, &r);
	if (im->status == KMEM_OK && !d->tracepoints->nr_types)
		import_fail(
			im, KMEM_EINPUT,
			"This trace.dat describes no events: record with `trace-cmd record -e kmem`.");
	if (im->status == KMEM_OK)
		merge_streams(d);
}

static void tracedat_whole(struct import *im)
{
	struct pool *pool = im->trace->pool;
	struct tracedat *d = pool_alloc(pool, sizeof(*d));

	if (!d) {
		import_out_of_memory(im);
		return;
	}
	d->im = im;
	d->tracepoints = tracepoints_open(im);
	if (d->tracepoints) {
		read_all(d);
		tracepoints_close(d->tracepoints);
	}
	for (u32 i = 0; i < d->nr_streams; i++)
		run_free(pool, &((struct stream *)d->streams.at)[i].unpacked);
	for (u32 i = 0; i < NR_PARTS; i++)
		run_free(pool, &d->parts[i]);
	run_free(pool, &d->streams);
	run_free(pool, &d->heap);
	pool_free(pool, d->zstd, sizeof(*d->zstd));
	pool_free(pool, d, sizeof(*d));
}

const struct trace_format format_tracedat = { .name = "trace.dat",
					      .begins = tracedat_begins,
					      .whole = tracedat_whole };
