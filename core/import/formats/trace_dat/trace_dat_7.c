/*
 * trace_dat_7.c - reads the sections of trace.dat version 7.
 *
 *	section: | id | flags: packed or not | name | length | bytes |
 *	packed:	 | packed length | length | bytes |
 *
 * The header has the offset of the first section of options. The last option of each section has
 * the offset of the next one. Options locate formats and buffers. The pages of a packed buffer lie
 * in chunks. Each chunk is packed separately, so only one chunk of each CPU is unpacked at a time.
 */
#include "import/formats/trace_dat/trace_dat.h"

enum {
	OPTION_DONE = 0,
	OPTION_BUFFER = 3,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_TASKS = 21,
};

enum { PART_OPTIONS, PART_LAYOUT, PART_FTRACE, PART_FORMATS, PART_TASKS };

enum { SECTION_PACKED = 1, SECTION_HEADER_BYTES = 16, MAX_OPTION_SECTIONS = 256 };

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
		binary_damaged(d->im, option->at, "a CPU of a buffer is not described in full");
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

/* 1 the first time: sections of one kind are unpacked into one part. */
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

/* 1 if the file has the whole section. */
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
		binary_refuse(im,
			      "This trace.dat is not complete: the copy is cut off in its header.");
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
