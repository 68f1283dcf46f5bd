/*
 * format_perfdata_packed.c - records of `perf record -z`.
 *
 *	| header | a piece of zstd | header | a piece of zstd | …	→	one frame	→	| record | record | …
 *
 * perf never ends the frame, and cuts neither pieces nor records where blocks end: all pieces are joined, and every
 * block that is whole is unpacked.
 */
#include "perfdata.h"

enum { LEAST_LIMIT_BYTES = 1 << 20, MAX_TIMES_LARGER = 1000 };

void perfdata_keep_packed(struct perfdata *d, struct reader *body)
{
	u64 len = reader_left(body);

	if (d->in_unpacked || body->bad) {
		binary_damaged(d->im, body->at, "a compressed record that cannot be");
		return;
	}
	if (!d->packed_bytes)
		d->im->unpacked_from = (u64)(body->at - (const u8 *)d->im->file.at);
	if (!run_grow(d->im, &d->packed, d->packed_bytes + len + SCAN_SLACK))
		return;
	memcpy((u8 *)d->packed.at + d->packed_bytes, body->at, len);
	d->packed_bytes += len;
}

/* All whole blocks; 0 if one of them is damaged. */
static int unpack_blocks(struct perfdata *d, struct zstd *z)
{
	const u8 *in = d->packed.at;
	u64 at = zstd_open(z, in, d->packed_bytes), limit = d->packed_bytes * MAX_TIMES_LARGER;
	u32 len = 0;

	if (!at)
		return 0;
	while (!z->at_end && (len = zstd_block_bytes(in + at, d->packed_bytes - at))) {
		if (z->out_bytes > MAX(limit, (u64)LEAST_LIMIT_BYTES))
			return 0;
		if (!run_grow(d->im, &d->unpacked, z->out_bytes + ZSTD_MAX_BLOCK + SCAN_SLACK))
			return 1;
		z->out = d->unpacked.at;
		z->out_room = d->unpacked.room_bytes - SCAN_SLACK;
		if (!zstd_block(z, in + at, len))
			return 0;
		at += len;
	}
	d->im->trace->report.truncated |= !z->at_end && at < d->packed_bytes;
	return 1;
}

void perfdata_unpack(struct perfdata *d)
{
	struct pool *pool = d->im->trace->pool;
	struct zstd *z = pool_alloc(pool, sizeof(*z));

	if (!z) {
		import_out_of_memory(d->im);
		return;
	}
	if (!unpack_blocks(d, z))
		binary_damaged(d->im, d->packed.at, "its compressed records cannot be unpacked");
	d->unpacked_bytes = z->out_bytes;
	pool_free(pool, z, sizeof(*z));
}
