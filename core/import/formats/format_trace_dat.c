/*
 * format_trace_dat.c - reads what `trace-cmd record` writes: trace.dat of versions 6 and 7.
 *
 *	6:	| magic, version, sizes | header_page | formats | symbols | tasks | options | CPUs | pages … |
 *	7:	| magic, version, sizes | sections; the options section names the others' offsets |
 *
 * Each CPU's pages lie together. A heap of CPUs yields their events by time. If two have the same
 * time, the lower CPU's is first, as in trace-cmd's report. Only a window of each CPU is in memory.
 * Instances' buffers are merged with the main one. Symbols are not looked up.
 *
 * The header is read in extents. If one is missing, the reader requests it, then reads the header
 * again from the start.
 */
#include "import/text_line.h"
#include "import/formats/trace_dat.h"
#include "util/heap.h"

enum { OPTION_DONE = 0, OPTION_BUFFER = 3, OPTION_CLOCK = 4 };

#define MAGIC "\x17\x08\x44tracing"

static int tracedat_begins(const u8 *bytes, u32 len)
{
	return span_begins(bytes, bytes + len, MAGIC);
}

/* Returns the extent that contains the part, or a new one for it. */
static struct extent *extent_of(struct tracedat *d, u64 at, u64 len)
{
	enum { LEAST_EXTENT_BYTES = 64 << 10 };
	u64 least = d->im->source.tiny ? 1 : LEAST_EXTENT_BYTES;
	struct extent *same = NULL;

	for (u32 i = 0; i < d->nr_extents; i++) {
		if (!binary_part(&d->extents[i], at, len).bad)
			return &d->extents[i];
		if (d->extents[i].bytes && d->extents[i].at == at)
			same = &d->extents[i];
	}
	if (source_waits(d->im) || (!same && d->nr_extents == MAX_EXTENTS))
		return NULL;
	if (!same)
		same = &d->extents[d->nr_extents++];
	return source_fill(d->im, same, at, MAX(len, least)) ? same : NULL;
}

struct reader tracedat_part(struct tracedat *d, u64 at, u64 len)
{
	const struct source *source = &d->im->source;
	const struct reader none = { 0, 0, 1 };

	if (at > source->file_bytes || len > source->file_bytes - at)
		return none;
	const struct extent *extent = extent_of(d, at, len);
	struct reader part = extent ? binary_part(extent, at, len) : none;
	if (!part.bad)
		binary_place(d->im, extent);
	return part;
}

/* Returns this many bytes from there on, or as many as the file has. */
static struct reader part_up_to(struct tracedat *d, u64 at, u64 len)
{
	u64 file_bytes = d->im->source.file_bytes;

	at = MIN(at, file_bytes);
	return tracedat_part(d, at, MIN(len, file_bytes - at));
}

int tracedat_unpack(struct tracedat *d, struct reader in, u64 out_bytes, struct buffer *run)
{
	struct import *im = d->im;
	u64 in_bytes = reader_left(&in);

	if (d->packer == PACKER_NONE || out_bytes > MAX_UNPACKED_BYTES || in.bad ||
	    out_bytes / MAX_PACKING > in_bytes || !import_grow(im, run, out_bytes + SCAN_SLACK))
		return 0;
	if (d->packer == PACKER_ZLIB)
		return zlib_unpack(in.at, in_bytes, run->at, out_bytes) == (s64)out_bytes;
	if (!d->zstd && !(d->zstd = import_block(im, sizeof(*d->zstd))))
		return 0;
	return zstd_unpack(d->zstd, in.at, in_bytes, run->at, out_bytes) == (s64)out_bytes;
}

/* Streams */

void tracedat_add_stream(struct tracedat *d, const struct stream *stream)
{
	if (d->nr_streams == MAX_STREAMS ||
	    !import_grow(d->im, &d->streams, (d->nr_streams + 1) * (u64)sizeof(*stream)))
		return;
	((struct stream *)d->streams.at)[d->nr_streams++] = *stream;
}

/* Sorts a stream by its next event. If two have the same time, the lower stream is first. */
static struct heap_item stream_item(const struct tracedat *d, u32 stream)
{
	const struct stream *s = d->streams.at;

	return (struct heap_item){ s[stream].event.time, stream, stream };
}

/* Reads the first event of each stream; 0 while it waits for bytes. */
static int read_first(struct tracedat *d)
{
	struct stream *streams = d->streams.at;

	for (; d->next_stream < d->nr_streams; d->next_stream++) {
		enum stream_state state = stream_next(d, &streams[d->next_stream]);
		if (state == STREAM_WAITS)
			return 0;
		if (state == STREAM_EVENT)
			heap_push(d->heap.at, &d->nr_heap, stream_item(d, d->next_stream));
	}
	d->has_event = 1;
	return 1;
}

/* Emits all events of all streams by time; 0 while it waits for bytes. */
static int merge_streams(struct tracedat *d)
{
	struct stream *streams = d->streams.at;
	struct heap_item *heap = d->heap.at;

	while (d->nr_heap && d->im->status == KMEM_OK) {
		u32 earliest = heap[0].value;
		struct stream *s = &streams[earliest];
		if (d->has_event) {
			place_stream(d->im, s);
			tracepoints_event(d->tracepoints, &s->event);
		}
		enum stream_state state = stream_next(d, s);
		d->has_event = state != STREAM_WAITS;
		if (state == STREAM_WAITS)
			return 0;
		if (state == STREAM_END)
			heap_pop(heap, &d->nr_heap);
		else
			heap_replace_top(heap, d->nr_heap, stream_item(d, earliest));
	}
	if (d->is_cut && d->im->status == KMEM_OK)
		binary_cut_off(d->im, " in the events of a CPU");
	return 1;
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
		const u8 *commit = span_find(text.at, text.end, " commit;");
		const u8 *data = span_find(text.at, text.end, " data;");
		s64 commit_at = commit ? tracepoints_number(commit, text.end, "offset:") : -1;
		s64 commit_bytes = commit ? tracepoints_number(commit, text.end, "size:") : -1;
		s64 data_at = data ? tracepoints_number(data, text.end, "offset:") : -1;
		if (commit_at >= 8 && (commit_bytes == 4 || commit_bytes == 8) &&
		    data_at >= commit_at + commit_bytes && data_at < MIN_PAGE_BYTES)
			d->layout = (struct page_layout){ (u32)commit_at, (u32)commit_bytes,
							  (u32)data_at };
	}
	if (!d->layout.data_at && !r->bad)
		binary_damaged(d->im, r->at, "it does not describe the pages of the ring buffer");
}

void tracedat_read_clock(struct tracedat *d, const struct reader *name)
{
	d->im->ticks |= reader_is(name, "counter") || reader_is(name, "x86-tsc") ||
			reader_is(name, "ppc-tb") || reader_is(name, "uptime");
}

/* Version 6 */

/* Reads "[local] global counter …": the clock in use is in brackets. */
static void read_clock_option(struct tracedat *d, const struct reader *option)
{
	const u8 *from = scan_byte(option->at, option->end, '[');
	struct reader name = { MIN(from + 1, option->end), scan_byte(from, option->end, ']'), 0 };

	if (name.at < name.end)
		tracedat_read_clock(d, &name);
}

/* Reads "flyrecord", then offset and size of each CPU's pages. */
static void read_cpus(struct tracedat *d, struct reader *r)
{
	struct reader tag = reader_part(r, 10);
	u64 file_bytes = d->im->source.file_bytes;

	if (span_begins(tag.at, tag.end, "latency")) {
		binary_refuse(
			d->im,
			"This trace.dat holds the text of a latency tracer and no events: run `trace-cmd report > "
			"trace.txt` and open that.");
		return;
	}
	if (!span_begins(tag.at, tag.end, "flyrecord")) {
		if (!r->bad)
			binary_damaged(d->im, tag.at, "expected a list of CPUs");
		return;
	}
	for (u32 cpu = 0; cpu < d->nr_cpus && d->im->status == KMEM_OK; cpu++) {
		u64 at = reader_u64(r), len = reader_u64(r);
		d->is_cut |= r->bad || at > file_bytes;
		if (r->bad || at > file_bytes)
			return;
		d->is_cut |= len > file_bytes - at;
		struct stream stream = { .at = at,
					 .end = at + MIN(len, file_bytes - at),
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
		if (id == OPTION_UNAME)
			import_uname(d->im, option.at, option.end);
		if (id == OPTION_BUFFER && !option.bad) {
			u64 at = reader_u64(&option);
			struct reader cpus = tracedat_part(d, at, 10 + d->nr_cpus * (u64)16);
			if (!cpus.bad)
				read_cpus(d, &cpus);
			d->is_cut |= cpus.bad;
		}
	}
}

/* Skips a part that starts with its size; 0 if it is missing. */
static int skip_sized(struct tracedat *d, u64 *at, u32 size_bytes)
{
	struct reader r = tracedat_part(d, *at, size_bytes);
	u64 len = size_bytes == 4 ? reader_u32(&r) : reader_u64(&r);

	*at += size_bytes + len;
	return !r.bad && *at >= len;
}

/* Reads the names of tasks, after their size. */
static int read_tasks(struct tracedat *d, u64 *at)
{
	u64 from = *at;

	if (!skip_sized(d, at, 8))
		return 0;
	if (d->im->keep & KMEM_KEEP_TASKS && *at - from <= MAX_UNPACKED_BYTES) {
		struct reader r = tracedat_part(d, from, *at - from);
		reader_u64(&r);
		if (!r.bad)
			comms_list(d->tracepoints, r.at, r.end);
	}
	return 1;
}

static void skip_options(struct reader *r)
{
	while (!r->bad && reader_u16(r) != OPTION_DONE)
		reader_take(r, reader_u32(r));
}

/* Reads from the number of CPUs on. */
static void read_tail(struct tracedat *d, struct reader *r)
{
	d->nr_cpus = reader_u32(r);
	if (r->bad || d->nr_cpus > MAX_CPUS) {
		binary_damaged(d->im, r->at,
			       r->bad ? "it ends before the first event"
				      : "it has more than 4096 CPUs");
		return;
	}
	d->im->cpus_announced = d->nr_cpus;
	if (!span_begins(r->at, r->end, "options  ")) {
		read_cpus(d, r);
		return;
	}
	reader_take(r, 10);
	/* Instances' buffers come after the main one. Its CPUs follow the options. */
	struct reader options = *r;
	skip_options(r);
	if (!r->bad)
		read_cpus(d, r);
	if (d->im->status == KMEM_OK)
		read_options(d, &options);
}

/* Returns 1 if the reader has reached the end of its extent but not of the file: it needs a longer one. */
static int ends_too_early(struct tracedat *d, const struct reader *r, u64 at, u64 *len)
{
	if (!r->bad || *len >= d->im->source.file_bytes - at)
		return 0;
	*len *= 4;
	d->is_longer = 1;
	return 1;
}

static void read_6(struct tracedat *d, struct reader *r)
{
	u64 at;

	tracedat_read_layout(d, r);
	tracepoints_add_some(d->tracepoints, r, reader_u32(r));
	tracepoints_add_systems(d->tracepoints, r);
	at = (u64)(r->at - d->front);
	if (source_waits(d->im) || ends_too_early(d, r, 0, &d->front_bytes))
		return;
	/* Skip symbols and texts of printk. */
	if (r->bad || !skip_sized(d, &at, 4) || !skip_sized(d, &at, 4) || !read_tasks(d, &at)) {
		binary_damaged(d->im, r->at, "it ends before the first event");
		return;
	}
	struct reader tail = part_up_to(d, at, d->tail_bytes);
	if (source_waits(d->im))
		return;
	read_tail(d, &tail);
	ends_too_early(d, &tail, at, &d->tail_bytes);
}

/* The file */

static void read_all(struct tracedat *d)
{
	struct import *im = d->im;
	struct reader r = part_up_to(d, 0, d->front_bytes);

	if (source_waits(im))
		return;
	d->front = r.at;
	reader_take(&r, sizeof(MAGIC) - 1);
	struct reader version = reader_string(&r);
	const u8 *order = reader_take(&r, 2);
	d->page_bytes = reader_u32(&r);
	int is_7 = reader_is(&version, "7");
	if (!r.bad && !is_7 && !reader_is(&version, "6"))
		binary_refuse(
			im,
			"This trace.dat is neither version 6 nor 7: run `trace-cmd report > trace.txt` with the "
			"trace-cmd that wrote it and open that.");
	else if (!r.bad && order[0])
		binary_refuse(
			im,
			"This trace.dat comes from a big-endian machine, which Slabscope does not read: run `trace-cmd report > "
			"trace.txt` and open that.");
	else if (r.bad || d->page_bytes < MIN_PAGE_BYTES || d->page_bytes > MAX_PAGE_BYTES)
		binary_damaged(im, r.at, "its header is cut off or has no page size");
	if (im->status != KMEM_OK)
		return;
	d->long_bytes = order[1];
	if (is_7)
		tracedat_read_7(d, &r);
	else
		read_6(d, &r);
}

static void forget_header(struct tracedat *d)
{
	tracepoints_forget(d->tracepoints);
	d->layout = (struct page_layout){ 0 };
	d->nr_streams = d->parts_read = d->is_cut = d->is_longer = d->scan.is_needed = 0;
}

static int read_header(struct tracedat *d)
{
	struct import *im = d->im;

	do {
		forget_header(d);
		read_all(d);
		if (source_waits(im))
			return 0;
	} while (d->is_longer && im->status == KMEM_OK);
	if (!d->tracepoints->nr_types)
		binary_refuse(
			im,
			d->is_cut
				? "This trace.dat ends before the description of its events: let trace-cmd finish, or copy the whole file."
				: "This trace.dat describes no events: record with `trace-cmd record -e kmem`.");
	return im->status == KMEM_OK;
}

static int open_streams(struct tracedat *d)
{
	return import_grow(d->im, &d->heap, (d->nr_streams + 1) * (u64)sizeof(struct heap_item)) &&
	       streams_open(d);
}

static void tracedat_step(struct import *im)
{
	static int (*const phases[])(struct tracedat *d) = { read_header, tracedat_scan,
							     open_streams, read_first,
							     merge_streams };
	struct tracedat *d = im->binary;

	while (im->status == KMEM_OK && d->phase < ARRAY_SIZE(phases) && phases[d->phase](d))
		d->phase++;
}

static void tracedat_open(struct import *im)
{
	struct tracedat *d = import_block(im, sizeof(*d));

	im->binary = d;
	if (!d)
		return;
	d->im = im;
	d->front_bytes = d->tail_bytes = im->source.tiny ? MIN_PAGE_BYTES : FRONT_BYTES;
	d->tracepoints = tracepoints_open(im);
	im->source.keeps = !im->source.by_range;
	if (im->source.by_range && im->status == KMEM_OK)
		tracedat_step(im);
}

static void tracedat_drop(struct import *im)
{
	struct tracedat *d = im->binary;
	struct pool *pool = im->trace->pool;

	if (d->tracepoints)
		tracepoints_close(d->tracepoints);
	for (u32 i = 0; i < d->nr_streams; i++) {
		struct stream *s = (struct stream *)d->streams.at + i;
		buffer_free(pool, &s->unpacked);
		if (!s->window.is_fixed)
			buffer_free(pool, &s->window.run);
	}
	for (u32 i = 0; i < NR_PARTS; i++)
		buffer_free(pool, &d->parts[i]);
	for (u32 i = 0; i < d->nr_extents; i++)
		buffer_free(pool, &d->extents[i].run);
	buffer_free(pool, &d->scan.window.run);
	buffer_free(pool, &d->windows);
	buffer_free(pool, &d->streams);
	buffer_free(pool, &d->heap);
	pool_free(pool, d->zstd, sizeof(*d->zstd));
	pool_free(pool, d, sizeof(*d));
	im->binary = NULL;
}

const struct trace_format format_tracedat = { .name = "trace.dat",
					      .begins = tracedat_begins,
					      .open = tracedat_open,
					      .step = tracedat_step,
					      .drop = tracedat_drop };
