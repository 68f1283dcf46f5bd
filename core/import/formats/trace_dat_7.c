/*
 * trace_dat_7.c - reads the sections of trace.dat version 7, also if the file is cut off.
 *
 *	section: | id | flags: packed or not | name | length | bytes |
 *	packed:	 | packed length | length | bytes |
 *
 * The header has the offset of the first section of options. The last option of each section has
 * the offset of the next one. Options locate formats and buffers. The pages of a packed buffer lie
 * in chunks. Each chunk is packed separately, so only one chunk of each CPU is unpacked at a time.
 */
#include "import/formats/trace_dat.h"

/*
 * Finds each CPU's events in a trace.dat of version 7 that is cut off.
 *
 *	| header | formats … | options | buffer: | CPU 0 … | CPU 1 … | | options: where the CPUs are |
 *
 * trace-cmd describes a buffer after it. If the file ends before that, the reader goes from
 * section to section to find the buffer's section. Packed CPUs start with the number of their
 * chunks. Other CPUs start where time goes back. Both start on a multiple of the page size. A CPU
 * without events leaves no bytes, so the CPU numbers found may be too low.
 */

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

/* The current CPU ends where the next one starts. */
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

/* Nothing starts here: tries the next page. 1 if there is one. */
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

enum {
	OPTION_DONE = 0,
	OPTION_BUFFER = 3,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_TASKS = 21,
};

enum { PART_OPTIONS, PART_LAYOUT, PART_FTRACE, PART_FORMATS, PART_TASKS };

enum { MAX_OPTION_SECTIONS = 256 };

/* Opens the section at this offset and unpacks it into the part if it is packed; bad if it is
 * damaged. */
static struct reader open_section(struct tracedat *d, u64 at, u32 part)
{
	struct reader header = tracedat_part(d, at, SECTION_HEADER_BYTES), none = { 0, 0, 1 };

	reader_u16(&header);
	u32 flags = reader_u16(&header);
	reader_u32(&header);
	u64 len = reader_u64(&header);
	struct reader body = tracedat_part(d, at + SECTION_HEADER_BYTES, len);
	d->im->unpacked_from = at;
	if (header.bad || body.bad) {
		binary_damaged(d->im, header.at, "a section is cut off, or lies outside the file");
		return none;
	}
	if (!(flags & SECTION_PACKED))
		return body;
	u32 packed_bytes = reader_u32(&body), bytes = reader_u32(&body);
	struct reader packed = reader_part(&body, packed_bytes);
	struct buffer *run = &d->parts[part];
	if (!tracedat_unpack(d, packed, bytes, run)) {
		binary_damaged(d->im, header.at, "a section cannot be unpacked");
		return none;
	}
	return (struct reader){ run->at, (u8 *)run->at + bytes, 0 };
}

static void read_buffer_cpu(struct tracedat *d, struct reader *option, u32 page_bytes, u32 packed)
{
	u64 file_bytes = d->im->source.file_bytes;
	u32 cpu = reader_u32(option);
	u64 at = reader_u64(option), len = reader_u64(option);

	if (option->bad) {
		binary_damaged(d->im, option->at,
			       "the description of a buffer's CPU is incomplete");
		return;
	}
	if (at > file_bytes || len > file_bytes - at) {
		d->is_cut = 1;
		at = MIN(at, file_bytes);
		len = file_bytes - at;
	}
	struct stream stream = { .at = at, .end = at + len, .page_bytes = page_bytes, .cpu = cpu };
	if (packed && len) {
		/* trace-cmd's length omits some of the chunks' headers: only their number is
		 * correct. */
		struct reader count = tracedat_part(d, at, 4);
		stream.has_chunks = 1;
		stream.chunks = reader_u32(&count);
		stream.at = at + 4;
		stream.end = file_bytes;
	}
	tracedat_add_stream(d, &stream);
}

/* Reads offset of the section, name, clock, page size, and the CPUs. */
static void read_buffer(struct tracedat *d, struct reader *option)
{
	u64 at = reader_u64(option);
	struct reader header = tracedat_part(d, at, SECTION_HEADER_BYTES);

	reader_u16(&header);
	u32 packed = reader_u16(&header) & SECTION_PACKED;
	reader_string(option);
	struct reader clock = reader_string(option);
	tracedat_read_clock(d, &clock);
	u32 page_bytes = reader_u32(option), nr_cpus = reader_u32(option);
	if (option->bad || header.bad || page_bytes < MIN_PAGE_BYTES ||
	    page_bytes > MAX_PAGE_BYTES || nr_cpus > MAX_CPUS) {
		binary_damaged(d->im, option->at, "the description of a buffer is not valid");
		return;
	}
	d->im->cpus_announced = MAX(d->im->cpus_announced, nr_cpus);
	for (u32 i = 0; i < nr_cpus && d->im->status == KMEM_OK; i++)
		read_buffer_cpu(d, option, page_bytes, packed);
}

/* Returns 1 the first time: sections of one kind are unpacked into one part. */
static int first_of(struct tracedat *d, u32 part)
{
	int is_first = !(d->parts_read >> part & 1);

	d->parts_read |= 1u << part;
	return is_first;
}

static void read_option(struct tracedat *d, u32 id, struct reader *option)
{
	struct reader section;

	if (id == OPTION_BUFFER) {
		read_buffer(d, option);
	} else if (id == OPTION_UNAME) {
		import_uname(d->im, option->at, option->end);
	} else if (id == OPTION_HEADER_INFO && !d->layout.data_at) {
		section = open_section(d, reader_u64(option), PART_LAYOUT);
		if (!section.bad)
			tracedat_read_layout(d, &section);
	} else if (id == OPTION_FTRACE_EVENTS && first_of(d, PART_FTRACE)) {
		section = open_section(d, reader_u64(option), PART_FTRACE);
		if (!section.bad)
			tracepoints_add_some(d->tracepoints, &section, reader_u32(&section));
	} else if (id == OPTION_EVENT_FORMATS && first_of(d, PART_FORMATS)) {
		section = open_section(d, reader_u64(option), PART_FORMATS);
		if (!section.bad)
			tracepoints_add_systems(d->tracepoints, &section);
	} else if (id == OPTION_TASKS && d->im->keep & KMEM_KEEP_TASKS && first_of(d, PART_TASKS)) {
		section = open_section(d, reader_u64(option), PART_TASKS);
		u64 len = reader_u64(&section);
		struct reader list = reader_part(&section, len);
		if (!list.bad)
			comms_list(d->tracepoints, list.at, list.end);
	}
}

/* Returns 1 if the file has the whole section. */
static int has_section(struct tracedat *d, u64 at, u64 *len)
{
	struct reader header = tracedat_part(d, at, SECTION_HEADER_BYTES);
	u64 file_bytes = d->im->source.file_bytes;

	reader_take(&header, 8);
	*len = reader_u64(&header);
	return !header.bad && *len <= file_bytes - at - SECTION_HEADER_BYTES;
}

/* Finds consecutive sections of formats, if the options that locate them are missing. */
static void find_formats(struct tracedat *d, u64 at)
{
	u64 len;

	while (has_section(d, at, &len) && d->im->status == KMEM_OK && !source_waits(d->im)) {
		struct reader header = tracedat_part(d, at, SECTION_HEADER_BYTES);
		u32 id = reader_u16(&header);
		u8 where[8];
		memcpy(where, &at, sizeof(where));
		struct reader option = { where, where + sizeof(where), 0 };
		if (id == OPTION_HEADER_INFO || id == OPTION_FTRACE_EVENTS ||
		    id == OPTION_EVENT_FORMATS)
			read_option(d, id, &option);
		at += SECTION_HEADER_BYTES + len;
	}
}

/* Reads one section of options. Returns the offset of the next one, or 0. */
static u64 read_options(struct tracedat *d, u64 at)
{
	u64 len;

	if (!has_section(d, at, &len)) {
		d->is_cut = 1;
		return 0;
	}
	struct reader r = open_section(d, at, PART_OPTIONS);

	while (d->im->status == KMEM_OK && !source_waits(d->im) && reader_left(&r)) {
		u32 id = reader_u16(&r), option_bytes = reader_u32(&r);
		struct reader option = reader_part(&r, option_bytes);
		if (r.bad) {
			binary_damaged(d->im, r.at, "an option is cut off");
			return 0;
		}
		if (id == OPTION_DONE)
			return reader_u64(&option);
		read_option(d, id, &option);
	}
	return 0;
}

void tracedat_read_7(struct tracedat *d, struct reader *r)
{
	struct import *im = d->im;
	struct reader packer = reader_string(r);

	reader_string(r);
	u64 at = reader_u64(r);
	if (reader_is(&packer, "zstd"))
		d->packer = PACKER_ZSTD;
	else if (reader_is(&packer, "zlib"))
		d->packer = PACKER_ZLIB;
	else if (!r->bad && !reader_is(&packer, "none"))
		binary_refuse(
			im,
			"This trace.dat is packed with neither zstd nor zlib: run `trace-cmd report > trace.txt` and "
			"open that.");
	if (im->status != KMEM_OK)
		return;
	if (r->bad) {
		binary_refuse(im, "This trace.dat is cut off in its header: copy the whole file.");
		return;
	}
	/* trace-cmd writes the offset of the options when it ends. */
	d->is_cut |= !at;
	d->scan.at = (u64)(r->at - d->front);
	for (u32 i = 0; at && i < MAX_OPTION_SECTIONS && im->status == KMEM_OK && !source_waits(im);
	     i++)
		at = read_options(d, at);
	if (d->is_cut && !d->nr_streams) {
		d->scan.is_needed = 1;
		find_formats(d, d->scan.at);
	}
	if (im->status == KMEM_OK && (d->nr_streams || d->scan.is_needed) &&
	    d->tracepoints->nr_types && !d->layout.data_at)
		binary_damaged(im, r->at, "it does not describe the pages of the ring buffer");
}
