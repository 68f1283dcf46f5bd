/*
 * trace_dat_cut.c - finds each CPU's events in a trace.dat of version 7 that is cut off.
 *
 *	| header | formats … | options | buffer: | CPU 0 … | CPU 1 … | | options: where the CPUs are |
 *
 * trace-cmd describes a buffer behind it. If the file ends before that, the reader goes from
 * section to section to find the buffer's section. Packed CPUs begin with the number of their
 * chunks. Other CPUs begin where time goes back. Both begin on a multiple of the page size. A CPU
 * without events leaves no bytes, so the CPU numbers found may be too low.
 */
#include "import/formats/trace_dat/trace_dat.h"

enum { SECTION_BUFFER = 3, SECTION_PACKED = 1, SECTION_HEADER_BYTES = 16 };
enum { CHUNK_HEADER_BYTES = 8, SCAN_WINDOW_BYTES = 256 << 10, MAX_CHUNKS = 1 << 24 };

static int peek(struct tracedat *d, u64 at, u64 len, struct reader *part)
{
	u64 usual = d->im->source.tiny ? 0 : SCAN_WINDOW_BYTES - SCAN_SLACK;

	return binary_peek(d->im, &d->scan.window, at, len, usual, part);
}

static void next_section(struct tracedat *d)
{
	d->scan.in_buffer = 0;
	d->scan.at = d->scan.section_end;
}

/* The current CPU ends where the next one begins. */
static void add_cpu(struct tracedat *d, struct stream stream)
{
	struct scan *scan = &d->scan;

	if (scan->cpu && !stream.has_chunks)
		((struct stream *)d->streams.at)[d->nr_streams - 1].end = scan->at;
	stream.cpu = scan->cpu++;
	d->im->cpus_announced = MAX(d->im->cpus_announced, scan->cpu);
	stream.page_bytes = d->page_bytes;
	stream.end = scan->section_end;
	tracedat_add_stream(d, &stream);
}

/* Reads a section's header. Enters a buffer, and skips any other section. */
static int read_section(struct tracedat *d)
{
	struct scan *scan = &d->scan;
	u64 file_bytes = d->im->source.file_bytes;
	struct reader r;

	if (!peek(d, scan->at, SECTION_HEADER_BYTES, &r))
		return 0;
	u32 id = reader_u16(&r), flags = reader_u16(&r);
	reader_u32(&r);
	u64 len = reader_u64(&r), body_at = scan->at + SECTION_HEADER_BYTES;
	if (r.bad) {
		scan->is_done = 1;
		return 1;
	}
	/* trace-cmd writes the length when it ends. */
	scan->section_end = len && len < file_bytes - body_at ? body_at + len : file_bytes;
	scan->in_buffer = id == SECTION_BUFFER;
	scan->is_packed = flags & SECTION_PACKED;
	scan->cpu = scan->chunks = 0;
	scan->last_time = ~(u64)0;
	scan->at = scan->in_buffer ? body_at : scan->section_end;
	return 1;
}

/* Nothing begins here: tries the next page. 1 if there is one. */
static int align(struct tracedat *d)
{
	u64 page_bytes = MAX(d->page_bytes, 1u), rest = d->scan.at % page_bytes;

	d->scan.at += rest ? page_bytes - rest : 0;
	return rest != 0;
}

/* Reads a CPU's number of chunks, or one of its chunks. */
static int read_chunk(struct tracedat *d)
{
	struct scan *scan = &d->scan;
	struct reader r;

	if (scan->chunks) {
		if (!peek(d, scan->at, CHUNK_HEADER_BYTES, &r))
			return 0;
		scan->at += CHUNK_HEADER_BYTES + reader_u32(&r);
		scan->chunks--;
		if (r.bad)
			next_section(d);
		return 1;
	}
	if (!peek(d, scan->at, 4 + CHUNK_HEADER_BYTES, &r))
		return 0;
	u32 nr = reader_u32(&r), packed_bytes = reader_u32(&r), bytes = reader_u32(&r);
	if (r.bad || !nr || nr > MAX_CHUNKS || !packed_bytes || !bytes ||
	    bytes > MAX_UNPACKED_BYTES || packed_bytes > MAX_UNPACKED_BYTES) {
		if (r.bad || !align(d))
			next_section(d);
		return 1;
	}
	scan->at += 4;
	add_cpu(d, (struct stream){ .at = scan->at, .has_chunks = 1, .chunks = nr });
	scan->chunks = nr;
	return 1;
}

/* Reads a page: the next one of its CPU, or the first of another CPU. */
static int read_page(struct tracedat *d)
{
	struct scan *scan = &d->scan;
	u32 head_bytes = d->layout.commit_at + d->layout.commit_bytes;
	struct reader r;

	if (!peek(d, scan->at, head_bytes, &r))
		return 0;
	u64 time = reader_u64(&r);
	reader_take(&r, d->layout.commit_at - 8);
	u64 commit = d->layout.commit_bytes == 8 ? reader_u64(&r) : reader_u32(&r);
	if (r.bad || scan->at + head_bytes > scan->section_end) {
		next_section(d);
		return 1;
	}
	if (!time || (commit & 0xfffff) > d->page_bytes) {
		if (!align(d))
			next_section(d);
		return 1;
	}
	if (!scan->cpu || time < scan->last_time)
		add_cpu(d, (struct stream){ .at = scan->at });
	scan->last_time = time;
	scan->at += d->page_bytes;
	return 1;
}

int tracedat_scan(struct tracedat *d)
{
	struct scan *scan = &d->scan;

	while (scan->is_needed && !scan->is_done && d->im->status == KMEM_OK) {
		if (scan->in_buffer && scan->at >= scan->section_end)
			next_section(d);
		else if (!scan->in_buffer && !read_section(d))
			return 0;
		else if (scan->in_buffer && !(scan->is_packed ? read_chunk(d) : read_page(d)))
			return 0;
	}
	return d->im->status == KMEM_OK;
}
