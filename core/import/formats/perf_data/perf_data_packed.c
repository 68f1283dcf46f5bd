/*
 * perf_data_packed.c - unpacks the records of `perf record -z`.
 *
 *	| header | a piece of zstd | header | a piece of zstd | …	→	one frame	→	| record | record | …
 *
 * perf never ends the frame, and blocks may cross the ends of pieces and records. The reader joins
 * pieces until a block is complete. It keeps only as many unpacked bytes as later blocks may refer
 * to.
 */
#include "import/formats/perf_data/perf_data.h"

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

void perfdata_unpack(struct perfdata *d, struct reader *body)
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

void perfdata_unpack_pause(struct perfdata *d)
{
	if (d->unpacking.nr)
		close_segment(d);
}

void perfdata_unpack_end(struct perfdata *d)
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
