/*
 * perf_data_records.c - reads the records of a perf.data, segment by segment.
 *
 *	file	| segment: record record record | segment … |
 *		  └ stamps: time and place of each sample
 *
 * A record is a sample, a note of lost samples, or about tasks and maps, which the import does not
 * need. Compressed records hold more records, in separate segments. A record that a segment's end
 * cuts starts the next segment.
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
	if (d->samples_began)
		binary_problem(im, NULL, what);
	else
		binary_damaged(im, NULL, what);
}

static u64 walk_unpacked(struct perfdata *d);

/* Adds unpacked bytes to those of an incomplete record, and reads whole records. */
static void add_records(struct perfdata *d, const u8 *bytes, u64 len)
{
	if (!import_grow(d->im, &d->unpacked, d->unpacked_bytes + len + SCAN_SLACK))
		return;
	memcpy((u8 *)d->unpacked.at + d->unpacked_bytes, bytes, len);
	d->unpacked_bytes += len;
	u64 used = walk_unpacked(d);
	d->unpacked_bytes -= used;
	memmove(d->unpacked.at, (u8 *)d->unpacked.at + used, d->unpacked_bytes);
	if ((d->unpacked_bytes >= RECORD_HEADER_BYTES &&
	     load4((u8 *)d->unpacked.at + 4) >> 16 < RECORD_HEADER_BYTES) ||
	    d->unpacked_bytes > MAX_RECORD_BYTES)
		cannot_unpack(d,
			      "the compressed data hold no valid record, so the rest is skipped,");
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

/* Returns 1 if it has used bytes, or a frame without a checksum has ended. */
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
		im->unpacked_from = d->reading.at + (u64)(body->at - d->reading.bytes);
	if (!import_grow(im, &d->packed, d->packed_bytes + len + SCAN_SLACK))
		return;
	memcpy((u8 *)d->packed.at + d->packed_bytes, body->at, len);
	d->packed_bytes += len;
	d->packed_total += len;
	d->in_unpacked = 1;
	im->place_bytes = NULL;
	do {
		was_in_frame = d->in_frame;
		used = unpack_some(d, (u8 *)d->packed.at + at, d->packed_bytes - at);
		at += used;
	} while (goes_on(d, used, was_in_frame) && at < d->packed_bytes);
	d->in_unpacked = 0;
	d->packed_bytes -= at;
	memmove(d->packed.at, (u8 *)d->packed.at + at, d->packed_bytes);
}

static void end_unpacking(struct perfdata *d)
{
	if (d->unpacking_failed)
		return;
	if (d->packed_total && !d->unpacked_total)
		cannot_unpack(d, "its compressed records cannot be unpacked");
	else if (d->packed_bytes || d->unpacked_bytes)
		d->im->trace->report.truncated = 1;
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

enum { MAX_ANNOUNCED_BYTES = 64 << 20, READ_BYTES = 256 << 10, READ_BYTES_TINY = 300 };

/* Order */

/* Hands on the earliest events, up to that time. */
static void hand_on(struct perfdata *d, u64 until)
{
	struct import *im = d->im;

	im->sink = d->sink;
	order_emit(im, &im->order, 0, until);
	d->sink = im->sink;
	im->sink = perfdata_hold;
}

/* perf writes the buffers of all CPUs one after another, again and again. Each round ends with FINISHED_ROUND. No later
 * sample is older than the newest one of the previous round, so samples up to that time may be handed on. That is done only
 * when there are many. A file whose rounds are wrong is therefore still sorted as far as possible. */
static void end_round(struct perfdata *d)
{
	u64 settled = d->round_newest;

	d->round_newest = d->newest;
	if (d->im->order.nr > d->enough)
		hand_on(d, settled);
}

void perfdata_hold(struct import *im, const struct event *ev)
{
	struct perfdata *d = im->binary;
	const char *why = ev->what == WHAT_OTHER ? NULL : refuse_event(ev);

	if (why) {
		import_problem(im, NULL, why);
		return;
	}
	struct event held = *ev;
	held.at = d->in_unpacked ? im->unpacked_from : d->at;
	/* An allocation or free counts for as many as its period says; a damaged file may claim any. */
	if (unlikely(d->is_sampled) && ev->what != WHAT_OTHER) {
		im->sampled.is_on = 1;
		*(ev->what == WHAT_FREE ? &im->sampled.frees : &im->sampled.allocs) += d->period;
	}
	im->sink = d->sink;
	order_add(im, &im->order, &held);
	d->sink = im->sink;
	im->sink = perfdata_hold;
}

/* One record */

/*
 * Pipe: reads the layout of samples, which perf writes ahead of all samples. Samples are read a second time when they
 * are sorted, so an attribute after the first sample would change how earlier samples are read.
 */
static void read_attr_record(struct perfdata *d, const u8 *record, struct reader *body)
{
	struct reader attr = *body;

	if (d->samples_began) {
		binary_problem(d->im, record, "an attribute after the first sample is ignored,");
		return;
	}
	reader_take(&attr, 4);
	u32 attr_bytes = reader_u32(&attr);
	attr = reader_part(body, attr_bytes);
	perfdata_add_attr(d, &attr, body);
}

/*
 * Pipe: reads descriptions of events, which are kept as long as events are read. As with attributes, which of the
 * earlier samples have already been sorted would depend on the memory.
 */
static void read_formats(struct perfdata *d, const u8 *at, u64 len)
{
	struct buffer *run = &d->tracings[d->nr_tracings];

	if (d->samples_began) {
		binary_problem(d->im, at,
			       "an event description after the first sample is ignored,");
		return;
	}
	if (d->nr_tracings == MAX_TRACINGS) {
		binary_problem(d->im, at, "there are too many event descriptions: ignored the one");
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
		end_round(d);
}

/* Returns how many bytes of data follow a record, by its own count. */
static u64 announced(const struct perfdata *d, const u8 *record, u32 type, u32 len)
{
	struct reader body = { record + RECORD_HEADER_BYTES, record + len, 0 };

	if (type == RECORD_TRACING_DATA && d->is_pipe)
		return reader_u32(&body);
	return type == RECORD_AUXTRACE ? reader_u64(&body) : 0;
}

/* Reads the record at [record, record + len). `behind` bytes of its data follow. */
static void read_record(struct perfdata *d, const u8 *record, u32 len, u64 behind)
{
	struct reader body = { record + RECORD_HEADER_BYTES, record + len, 0 };
	u32 type = load4(record);

	if (type == RECORD_SAMPLE) {
		d->samples_began = 1;
		const char *wrong = perfdata_sample(d, record, len);
		if (unlikely(wrong != NULL))
			binary_problem(d->im, record, wrong);
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

/* Reads whole records. Returns their bytes. */
static u64 walk_unpacked(struct perfdata *d)
{
	const u8 *bytes = d->unpacked.at;
	u64 used = 0;

	while (d->im->status == KMEM_OK && d->unpacked_bytes - used >= RECORD_HEADER_BYTES) {
		const u8 *record = bytes + used;
		u64 len = load4(record + 4) >> 16, left = d->unpacked_bytes - used;
		if (len < RECORD_HEADER_BYTES || len > left)
			break;
		u64 behind = announced(d, record, load4(record), (u32)len);
		if (behind > left - len)
			break;
		d->im->place_bytes = NULL;
		read_record(d, record, (u32)len, behind);
		used += len + behind;
	}
	return used;
}

/* No more records are read. */
static int end_records(struct perfdata *d, const u8 *record, const char *why)
{
	if (why)
		binary_problem(d->im, record, why);
	else
		binary_cut_off(d->im, " in the middle of a record");
	d->at_end = 1;
	return 1;
}

/* Makes len bytes of the record at d->at available: 0 while it waits for them. */
static int need(struct perfdata *d, u64 len, struct reader *there)
{
	u64 usual = d->im->source.tiny ? READ_BYTES_TINY : READ_BYTES;

	if (!binary_window(d->im, &d->reading, d->at, MIN(len, d->data_end - d->at),
			   MIN(usual, d->data_end - d->at), there))
		return 0;
	if (reader_left(there) > d->data_end - d->at)
		there->end = there->at + (d->data_end - d->at);
	return 1;
}

/* Reads the next record of the file: 1 if another may follow, 0 while it waits for bytes. */
static int next_record(struct perfdata *d)
{
	struct import *im = d->im;
	struct reader r;

	if (d->at > MIN(d->data_end, im->source.file_bytes))
		return end_records(d, NULL, NULL);
	if (!need(d, RECORD_HEADER_BYTES, &r))
		return 0;
	d->at_end = !reader_left(&r);
	if (d->at_end)
		return 1;
	binary_place(im, &d->reading);
	if (reader_left(&r) < RECORD_HEADER_BYTES)
		return end_records(d, NULL, NULL);
	u32 len = load4(r.at + 4) >> 16;
	if (len < RECORD_HEADER_BYTES)
		return end_records(d, r.at,
				   "the rest is skipped: a record is shorter than its header,");
	if (!need(d, len, &r))
		return 0;
	u64 behind = len > reader_left(&r) ? 0 : announced(d, r.at, load4(r.at), len);
	int is_skipped = load4(r.at) == RECORD_AUXTRACE;
	if (behind > MAX_ANNOUNCED_BYTES && !is_skipped)
		return end_records(d, r.at,
				   "the rest is skipped: a record claims more than 64 MiB");
	if (!is_skipped && !need(d, len + behind, &r))
		return 0;
	binary_place(im, &d->reading);
	if (reader_left(&r) < len + (is_skipped ? 0 : behind))
		return end_records(d, NULL, NULL);
	/* Bytes of an AUX area are not needed and may be missing. */
	if (!is_skipped)
		read_record(d, r.at, len, behind);
	d->at += len;
	d->at += MIN(behind, SOURCE_UNKNOWN - 1 - d->at);
	return im->status == KMEM_OK;
}

int perfdata_records(struct perfdata *d)
{
	while (d->im->status == KMEM_OK && !d->at_end)
		if (!next_record(d))
			return 0;
	if (d->im->status != KMEM_OK)
		return 0;
	end_unpacking(d);
	hand_on(d, ~(u64)0);
	d->im->sink = d->sink;
	return d->im->status == KMEM_OK;
}
