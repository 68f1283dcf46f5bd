/*
 * perf_data_records.c - reads the records of a perf.data, segment by segment.
 *
 *	file	| segment: record record record | segment … |
 *		  └ stamps: time and place of each sample
 *
 * A record is a sample, a note of lost samples, or about tasks and maps, which the import does not
 * need. Compressed records hold more records, in separate segments. A record that a segment's end
 * cuts begins the next segment.
 */
#include "import/formats/perf_data.h"

/*
 * Unpacks the records of `perf record -z`.
 *
 *	| header | a piece of zstd | header | a piece of zstd | …	→	one frame	→	| record | record | …
 *
 * perf never ends the frame, and blocks may cross the ends of pieces and records. The reader joins
 * pieces until a block is complete. It keeps only as many unpacked bytes as later blocks may refer
 * to.
 */

enum {
	LEAST_LIMIT_BYTES = 1 << 20,
	MAX_TIMES_LARGER = 1000,
	MAX_WINDOW_BYTES = 128 << 20,
	WINDOW_STEP_BYTES = 1 << 20, /* unpacked bytes before the window moves */
	MAX_RECORD_BYTES = 64 << 20,
};

static void cannot_unpack(struct perfdata *d, const char *what)
{
	struct import *im = d->im;

	d->unpacking_failed = 1;
	im->place_bytes = NULL;
	if (d->nr_closed || d->unpacking.nr || d->reading.nr)
		binary_problem(im, NULL, what);
	else
		binary_damaged(im, NULL, what);
}

static void close_segment(struct perfdata *d)
{
	segment_close(d, &d->unpacking, d->unpacked_used);
	d->unpacked_used = 0;
}

static int is_no_record(const struct perfdata *d)
{
	const struct extent *extent = &d->unpacking.extent;
	u64 left = extent->len_bytes - d->unpacked_used;

	return left >= RECORD_HEADER_BYTES &&
	       load4(extent->bytes + d->unpacked_used + 4) >> 16 < RECORD_HEADER_BYTES;
}

/* Adds unpacked bytes to the segment and reads its whole records. */
static void add_records(struct perfdata *d, const u8 *bytes, u64 len)
{
	struct segment *s = &d->unpacking;

	if (s->extent.len_bytes + len > d->segment_bytes && d->unpacked_used)
		close_segment(d);
	if (!segment_room(d, s, MAX(s->extent.len_bytes + len, d->segment_bytes)))
		return;
	memcpy((u8 *)s->extent.run.at + s->extent.len_bytes, bytes, len);
	s->extent.len_bytes += len;
	for (;;) {
		d->unpacked_used = perfdata_walk(d, s, d->unpacked_used);
		if (s->nr < SEGMENT_SAMPLES || d->im->status != KMEM_OK)
			break;
		close_segment(d);
	}
	if (is_no_record(d) || s->extent.len_bytes - d->unpacked_used > MAX_RECORD_BYTES)
		cannot_unpack(d, "the compressed data hold no valid record: the rest is skipped,");
}

static int window_room(struct perfdata *d)
{
	struct zstd *z = d->zstd;
	u64 window = MIN(z->window_bytes, (u64)MAX_WINDOW_BYTES);
	u64 most = window + WINDOW_STEP_BYTES;

	if (z->out_bytes >= most) {
		memmove(z->out, z->out + z->out_bytes - window, window);
		z->out_bytes = window;
	}
	if (!import_grow(d->im, &d->window, z->out_bytes + ZSTD_MAX_BLOCK + SCAN_SLACK))
		return 0;
	z->out = d->window.at;
	z->out_room = d->window.room_bytes - SCAN_SLACK;
	return 1;
}

/* Unpacks a block of this size; 0 if it is damaged or unpacks to too many bytes. */
static int unpack_block(struct perfdata *d, const u8 *in, u32 len)
{
	struct zstd *z = d->zstd;

	if (!window_room(d))
		return 1;
	u64 before = z->out_bytes;
	if (!zstd_block(z, in, len))
		return 0;
	d->unpacked_total += z->out_bytes - before;
	if (d->unpacked_total >
	    MAX(d->packed_total * MAX_TIMES_LARGER, (u64)LEAST_LIMIT_BYTES) + ZSTD_MAX_BLOCK)
		return 0;
	add_records(d, z->out + before, z->out_bytes - before);
	return 1;
}

/* Reads a frame's header, its end, or one block from `len` bytes; 0: there are too few. */
static u64 unpack_some(struct perfdata *d, const u8 *in, u64 len)
{
	struct zstd *z = d->zstd;

	if (!d->in_frame) {
		u64 header = zstd_open(z, in, len);
		d->in_frame = header != 0;
		if (!header && len >= ZSTD_MAX_HEADER)
			cannot_unpack(d, "its compressed records cannot be unpacked");
		return header;
	}
	if (z->at_end) {
		u64 checksum = 4 * z->has_checksum;
		d->in_frame = len < checksum;
		return len < checksum ? 0 : checksum;
	}
	u32 block = zstd_block_bytes(in, len);
	if (block && !unpack_block(d, in, block))
		cannot_unpack(d, "its compressed records cannot be unpacked");
	return block;
}

/* 1 if it has used bytes, or a frame without a checksum has ended. */
static int goes_on(const struct perfdata *d, u64 used, u32 was_in_frame)
{
	return (used || was_in_frame != d->in_frame) && !d->unpacking_failed &&
	       d->im->status == KMEM_OK;
}

static void perfdata_unpack(struct perfdata *d, struct reader *body)
{
	struct import *im = d->im;
	u64 len = reader_left(body), at = 0, used;
	u32 was_in_frame;

	if (d->unpacking_failed)
		return;
	if (d->in_unpacked || body->bad) {
		binary_damaged(im, body->at, "a compressed record has an impossible length");
		return;
	}
	if (!d->zstd && !(d->zstd = import_block(im, sizeof(*d->zstd))))
		return;
	if (!d->packed_total)
		im->unpacked_from = d->reading.extent.at +
				    (u64)(body->at - d->reading.extent.bytes);
	if (!import_grow(im, &d->packed, d->packed_bytes + len + SCAN_SLACK))
		return;
	memcpy((u8 *)d->packed.at + d->packed_bytes, body->at, len);
	d->packed_bytes += len;
	d->packed_total += len;
	d->in_unpacked = 1;
	do {
		was_in_frame = d->in_frame;
		used = unpack_some(d, (u8 *)d->packed.at + at, d->packed_bytes - at);
		at += used;
	} while (goes_on(d, used, was_in_frame) && at < d->packed_bytes);
	d->in_unpacked = 0;
	d->packed_bytes -= at;
	memmove(d->packed.at, (u8 *)d->packed.at + at, d->packed_bytes);
	binary_place(im, &d->reading.extent);
}

static void perfdata_unpack_pause(struct perfdata *d)
{
	if (d->unpacking.nr)
		close_segment(d);
}

static void perfdata_unpack_end(struct perfdata *d)
{
	u64 left = d->unpacking.extent.len_bytes - d->unpacked_used;

	if (d->unpacking_failed)
		return;
	if (d->packed_total && !d->unpacked_total)
		cannot_unpack(d, "its compressed records cannot be unpacked");
	else if (d->packed_bytes || left)
		d->im->trace->report.truncated = 1;
	perfdata_unpack_pause(d);
}

enum {
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_LOST_SAMPLES = 13,
	RECORD_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_FINISHED_ROUND = 68,
	RECORD_AUXTRACE = 71,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

enum { MAX_ANNOUNCED_BYTES = 64 << 20 };

/* One record */

static void note_sample(struct perfdata *d, struct segment *s, const u8 *record, u32 len)
{
	const char *wrong = NULL;
	u64 time;

	d->samples_began = 1;
	if (likely(d->time_at && len >= d->time_at + 8))
		time = load8(record + d->time_at);
	else
		wrong = sample_time(d, record, len, &time);
	if (unlikely(wrong != NULL)) {
		if (!d->again)
			binary_problem(d->im, record, wrong);
		return;
	}
	segment_stamps(s)[s->nr++] = (struct stamp){ time, (u64)(record - s->extent.bytes) };
	d->newest = MAX(d->newest, time);
}

/*
 * Pipe: reads the layout of samples, which perf writes ahead of all samples. Samples are read again
 * when they are sorted. An attribute after the first sample would therefore change how earlier
 * samples are read.
 */
static void read_attr_record(struct perfdata *d, const u8 *record, struct reader *body)
{
	struct reader attr = *body;

	if (d->samples_began) {
		binary_problem(d->im, record, "an attribute after the first sample is not used,");
		return;
	}
	reader_take(&attr, 4);
	u32 attr_bytes = reader_u32(&attr);
	attr = reader_part(body, attr_bytes);
	perfdata_add_attr(d, &attr, body);
}

/* Pipe: reads descriptions of events, which are kept as long as events are read. For them as for attributes, it would depend on
 * the memory which samples in front of them have been sorted already. */
static void read_formats(struct perfdata *d, const u8 *at, u64 len)
{
	struct buffer *run = &d->tracings[d->nr_tracings];

	if (d->samples_began) {
		binary_problem(d->im, at,
			       "an event description after the first sample is not used,");
		return;
	}
	if (d->nr_tracings == MAX_TRACINGS) {
		binary_problem(d->im, at, "more descriptions of events than are read:");
		return;
	}
	if (!import_grow(d->im, run, len + SCAN_SLACK))
		return;
	d->nr_tracings++;
	memcpy(run->at, at, len);
	const u8 *kept = run->at;
	if (!perfdata_read_tracing(d, (struct reader){ kept, kept + len, 0 }))
		binary_damaged(d->im, at, "the description of its events is not valid");
}

static void read_lost(struct perfdata *d, struct reader *body, u32 type)
{
	if (type == RECORD_LOST)
		reader_u64(body);
	d->im->trace->report.lost += reader_u64(body);
}

/* pid, tid, comm, padding, and the time if the first event's attributes ask for it. */
static void read_comm(struct perfdata *d, struct reader *body, const u8 *record, u32 len)
{
	const struct perf_attr *attr = d->nr_attrs ? d->attrs.at : NULL;
	u64 time = 0;

	reader_u32(body);
	u32 tid = reader_u32(body);
	if (attr && attr->id_time_back && len >= RECORD_HEADER_BYTES + 8 + attr->id_bytes)
		time = load8(record + len - attr->id_time_back);
	struct reader comm = reader_string(body);
	if (!body->bad)
		comms_add(d->tracepoints, tid, time, comm.at, comm.end);
}

/* pid, parent's pid, tid, parent's tid, time */
static void read_fork(struct perfdata *d, struct reader *body)
{
	reader_u64(body);
	u32 tid = reader_u32(body), parent = reader_u32(body);
	u64 time = reader_u64(body);

	if (!body->bad)
		comms_fork(d->tracepoints, tid, parent, time);
}

/* Reads a record that is neither a sample nor compressed. */
static void read_other(struct perfdata *d, struct reader *body, const u8 *record, u32 type)
{
	if (type == RECORD_LOST || type == RECORD_LOST_SAMPLES)
		read_lost(d, body, type);
	else if (type == RECORD_COMM)
		read_comm(d, body, record, (u32)(body->end - record));
	else if (type == RECORD_FORK)
		read_fork(d, body);
	else if (type == RECORD_ATTR && d->is_pipe)
		read_attr_record(d, record, body);
	else if (type == RECORD_FEATURE && d->is_pipe && reader_u64(body) == FEATURE_OSRELEASE)
		perfdata_read_release(d, *body);
	else if (type == RECORD_FINISHED_ROUND)
		segments_round(d);
}

/* How many bytes of data follow a record, by its own count. */
static u64 announced(const struct perfdata *d, const u8 *record, u32 type, u32 len)
{
	struct reader body = { record + RECORD_HEADER_BYTES, record + len, 0 };

	if (type == RECORD_TRACING_DATA && d->is_pipe)
		return reader_u32(&body);
	return type == RECORD_AUXTRACE ? reader_u64(&body) : 0;
}

/* Segments */

/* Reads the record at [record, record + len). `behind` bytes of its data follow. */
static void read_record(struct perfdata *d, struct segment *s, const u8 *record, u32 len,
			u64 behind)
{
	struct reader body = { record + RECORD_HEADER_BYTES, record + len, 0 };
	u32 type = load4(record);

	if (type == RECORD_SAMPLE) {
		note_sample(d, s, record, len);
	} else if (d->again) {
		return;
	} else if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2) {
		if (type == RECORD_COMPRESSED2)
			body = reader_part(&body, reader_u64(&body));
		perfdata_unpack(d, &body);
	} else if (type == RECORD_TRACING_DATA && d->is_pipe) {
		read_formats(d, record + len, behind);
	} else {
		read_other(d, &body, record, type);
	}
}

u64 perfdata_walk(struct perfdata *d, struct segment *s, u64 used)
{
	const u8 *bytes = s->extent.bytes;
	u64 len_bytes = s->extent.len_bytes;

	while (d->im->status == KMEM_OK && s->nr < SEGMENT_SAMPLES &&
	       len_bytes - used >= RECORD_HEADER_BYTES) {
		const u8 *record = bytes + used;
		u32 type = load4(record), len = load4(record + 4) >> 16;
		if (len < RECORD_HEADER_BYTES || len > len_bytes - used)
			return used;
		u64 behind = announced(d, record, type, len);
		if (type == RECORD_AUXTRACE && !s->is_packed) {
			/* These bytes are not needed and may be missing. */
			d->skip_bytes = behind;
			return used + len;
		}
		if (behind > len_bytes - used - len)
			return used;
		read_record(d, s, record, len, behind);
		used += len + behind;
	}
	return used;
}

/* The length that the segment needs for its first incomplete record; 0 if no record can follow. */
static u64 bytes_needed(struct perfdata *d)
{
	const struct extent *extent = &d->reading.extent;
	const u8 *record = extent->bytes;
	u64 left = extent->len_bytes;

	if (left < RECORD_HEADER_BYTES)
		return RECORD_HEADER_BYTES;
	u32 len = load4(record + 4) >> 16;
	if (len < RECORD_HEADER_BYTES) {
		binary_problem(
			d->im, record,
			"a record is shorter than its header: the rest is skipped, from the one");
		return 0;
	}
	u64 behind = len > left ? 0 : announced(d, record, load4(record), len);
	if (behind > MAX_ANNOUNCED_BYTES) {
		binary_problem(d->im, record,
			       "a record claims more than 64 MiB: the rest is skipped,");
		return 0;
	}
	return len + behind;
}

static int is_last(const struct perfdata *d)
{
	const struct extent *extent = &d->reading.extent;

	return extent->at + extent->len_bytes >= d->data_end || !source_has_more(d->im, extent);
}

static void end_records(struct perfdata *d)
{
	d->at_end = 1;
	binary_cut_off(d->im, " in the middle of a record");
}

/* Skips the data of the last record, even if they have not arrived yet. */
static void skip_announced(struct perfdata *d)
{
	struct extent *extent = &d->reading.extent;
	u64 there = MIN(d->skip_bytes, extent->len_bytes), left = extent->len_bytes - there;

	if (extent->run.at && !d->im->source.keeps)
		memmove(extent->run.at, extent->bytes + there, left);
	extent->at += there;
	extent->len_bytes = left;
	d->at += MIN(d->skip_bytes, SOURCE_UNKNOWN - 1 - d->at);
	d->skip_bytes = 0;
}

static void next_segment(struct perfdata *d, u64 used)
{
	d->at += used;
	segment_close(d, &d->reading, used);
	skip_announced(d);
	perfdata_unpack_pause(d);
	d->want_bytes = d->segment_bytes;
}

/* No whole record is left: requests more bytes, or ends. */
static void ask_for_more(struct perfdata *d)
{
	u64 left = d->reading.extent.len_bytes;

	d->want_bytes = left ? bytes_needed(d) : 0;
	if (!left || !d->want_bytes)
		d->at_end = 1;
	else if (is_last(d))
		end_records(d);
	if (!left && d->at > MIN(d->data_end, d->im->source.file_bytes))
		end_records(d);
}

/* Fills a segment and reads its records: 1 if more may follow, 0 while it waits for bytes. */
static int read_segment(struct perfdata *d)
{
	struct import *im = d->im;
	struct extent *extent = &d->reading.extent;
	u64 want = MAX(d->want_bytes, d->segment_bytes);

	want = MIN(want, d->data_end > d->at ? d->data_end - d->at : 0);
	if (!segment_room(d, &d->reading, want) || !source_fill(im, extent, d->at, want))
		return 0;
	binary_place(im, extent);
	u64 used = perfdata_walk(d, &d->reading, 0);
	if (used)
		next_segment(d, used);
	else
		ask_for_more(d);
	return im->status == KMEM_OK;
}

int perfdata_records(struct perfdata *d)
{
	while (d->im->status == KMEM_OK && segments_settle(d)) {
		if (d->at_end) {
			perfdata_unpack_end(d);
			return 1;
		}
		if (!read_segment(d))
			return 0;
	}
	return 0;
}
