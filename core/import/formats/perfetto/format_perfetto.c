/*
 * format_perfetto.c - reads a Perfetto trace from front to back: one packet after another, each behind
 * its length.
 */
#include "import/formats/perfetto/perfetto.h"

enum {
	PACKET_TAG = 1 << 3 | WIRE_BYTES,
	MAX_HEADER_BYTES = 11, /* the tag and the longest length */
	READ_BYTES = 256 << 10,
	READ_BYTES_TINY = 1,
};

/* Makes len bytes from d->at on available, or what the file has of them; 0 while it waits. */
static int need(struct perfetto *d, u64 len)
{
	struct extent *extent = &d->reading;
	u64 usual = d->im->source.tiny ? READ_BYTES_TINY : READ_BYTES;
	u64 used = MIN(d->at - extent->at, extent->len_bytes), left = extent->len_bytes - used;

	if (left >= len && d->at - extent->at <= extent->len_bytes)
		return 1;
	if (used) {
		memmove(extent->run.at, extent->bytes + used, left);
		extent->len_bytes = left;
	}
	extent->at = d->at;
	return source_fill(d->im, extent, d->at, MAX(len, usual));
}

/* The bytes from d->at on. */
static struct reader available(const struct perfetto *d)
{
	const struct extent *extent = &d->reading;
	u64 used = MIN(d->at - extent->at, extent->len_bytes);

	return (struct reader){ extent->bytes + used, extent->bytes + extent->len_bytes, 0 };
}

/* Reads the packet at d->at, if it is there: 1 if another may follow, 0 while it waits for bytes. */
static int read_packet(struct perfetto *d)
{
	struct import *im = d->im;

	if (!need(d, MAX_HEADER_BYTES))
		return 0;
	struct reader r = available(d);
	const u8 *start = r.at;
	binary_place(im, &d->reading);
	if (!reader_left(&r)) {
		d->is_done = 1;
		return 1;
	}
	u32 tag = *reader_take(&r, 1);
	u64 len = wire_varint(&r), header = (u64)(r.at - start);
	if (tag != PACKET_TAG || (r.bad && reader_left(&r))) {
		binary_problem(
			im, start,
			"expected a packet (the byte 0x0a and a length): the rest is skipped,");
		d->is_done = 1;
		return 1;
	}
	if (!r.bad && len > MAX_PACKET_BYTES) {
		binary_problem(im, start, "a packet claims more than 16 MiB: the rest is skipped,");
		d->is_done = 1;
		return 1;
	}
	if (!r.bad && !need(d, header + len))
		return 0;
	struct reader packet = available(d);
	binary_place(im, &d->reading);
	reader_take(&packet, header);
	packet = reader_part(&packet, len);
	if (r.bad || packet.bad) {
		binary_cut_off(im, " in the middle of a packet");
		d->is_done = 1;
		return 1;
	}
	d->packet_at = d->at;
	d->at += header + len;
	perfetto_packet(d, packet);
	return im->status == KMEM_OK;
}

static void end(struct perfetto *d)
{
	struct import *im = d->im;

	order_emit(d, 0);
	if (d->nr_kmem || im->nr_problems)
		return;
	binary_refuse(
		im,
		d->nr_bundles
			? "This Perfetto trace has ftrace events, but none of kmem: add kmem/kmalloc, "
			  "kmem/kfree, kmem/kmem_cache_alloc and kmem/kmem_cache_free to ftrace_events "
			  "in its configuration."
			: "This Perfetto trace has no ftrace events: record with the data source "
			  "linux.ftrace and the events kmem/kmalloc, kmem/kfree, kmem/kmem_cache_alloc "
			  "and kmem/kmem_cache_free.");
}

static void perfetto_step(struct import *im)
{
	struct perfetto *d = im->binary;

	while (im->status == KMEM_OK && !d->is_done)
		if (!read_packet(d))
			return;
	if (im->status == KMEM_OK && d->is_done == 1) {
		d->is_done++;
		end(d);
	}
}

static void perfetto_open(struct import *im)
{
	struct perfetto *d = import_block(im, sizeof(*d));

	im->binary = d;
	if (!d)
		return;
	d->im = im;
	d->most_held = im->source.tiny ? MOST_HELD_TINY : MOST_HELD;
	if (im->keep & KMEM_KEEP_TASKS)
		d->tasks = tracepoints_open(im);
	if (im->status == KMEM_OK && import_reserve(im, &d->symbols))
		perfetto_step(im);
}

static void perfetto_drop(struct import *im)
{
	struct perfetto *d = im->binary;
	struct pool *pool = im->trace->pool;

	order_drop(d);
	if (d->tasks)
		tracepoints_close(d->tasks);
	extent_drop(im, &d->reading);
	buffer_free(pool, &d->unpacked);
	hash_free(pool, &d->symbols);
	pool_free(pool, d->zstd, sizeof(*d->zstd));
	pool_free(pool, d, sizeof(*d));
	im->binary = NULL;
}

const struct trace_format format_perfetto = { .name = "Perfetto",
					      .begins = perfetto_begins,
					      .open = perfetto_open,
					      .step = perfetto_step,
					      .drop = perfetto_drop };
