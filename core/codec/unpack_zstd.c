/*
 * unpack_zstd.c - reads a .zst file (RFC 8878): one frame after another. Frames without text are
 * skipped.
 */
#include "codec/unpack.h"
#include "util/scan.h"
#include "util/text.h"

enum { MAGIC_BYTES = 4, SKIPPED_HEAD_BYTES = 8, CHECKSUM_BYTES = 4 };

#define ZSTD_MAGIC 0xfd2fb528u
#define ZSTD_SKIPPED_MAGIC 0x184d2a50u /* to 0x184d2a5f */

static int refuse_window(struct kmem_unpack *u)
{
	struct text t = text_in(u->error, sizeof(u->error));

	u->status = KMEM_ELIMIT;
	text_add_number(&t, "These zstd data need a window of ", u->with.zstd.window_bytes >> 20);
	text_add_number(&t, " MiB to be unpacked; at most ", UNPACK_MAX_WINDOW_BYTES >> 20);
	text_add(&t, " MiB are used here. Unpack the file first: zstd -d --long=31 FILE.");
	return 0;
}

static int head(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;
	u32 left = unpack_left(u);

	if (left < MAGIC_BYTES)
		return unpack_wait(u);
	if ((load4(in) & ~15u) == ZSTD_SKIPPED_MAGIC) {
		if (left < SKIPPED_HEAD_BYTES)
			return unpack_wait(u);
		u->skip_bytes = load4(in + MAGIC_BYTES);
		u->in_at += SKIPPED_HEAD_BYTES;
		u->at = UNPACK_SKIPPED;
		return 1;
	}
	if (load4(in) != ZSTD_MAGIC)
		return unpack_damaged(u, "expected a zstd frame");
	u32 header_bytes = zstd_open(&u->with.zstd, in, left);
	if (!header_bytes)
		return left < ZSTD_MAX_HEADER
			       ? unpack_wait(u)
			       : unpack_damaged(u, "the header of a frame is not valid");
	if (u->with.zstd.dictionary)
		return unpack_fail(
			u, KMEM_EINPUT,
			"These zstd data were packed with a dictionary, which is not here: unpack the "
			"file first (zstd -d -D DICTIONARY FILE).");
	if (u->with.zstd.window_bytes > UNPACK_MAX_WINDOW_BYTES)
		return refuse_window(u);
	u->in_at += header_bytes;
	return unpack_begin_frame(u, u->with.zstd.window_bytes);
}

static int skip(struct kmem_unpack *u)
{
	u32 n = (u32)MIN(u->skip_bytes, (u64)unpack_left(u));

	u->in_at += n;
	u->skip_bytes -= n;
	if (u->skip_bytes)
		return unpack_wait(u);
	u->nr_frames++;
	u->at = UNPACK_HEAD;
	return 1;
}

static int body(struct kmem_unpack *u)
{
	struct zstd *z = &u->with.zstd;
	const u8 *in = u->in + u->in_at;
	u64 before = u->out_bytes;

	if (z->at_end) {
		u->at = UNPACK_TAIL;
		return 1;
	}
	u32 len = zstd_block_bytes(in, unpack_left(u));
	if (!len) {
		/* Refuse a block above the maximum size: it would never arrive. */
		return unpack_left(u) < ZSTD_MAX_PACKED_BLOCK
			       ? unpack_wait(u)
			       : unpack_damaged(u, "a block is longer than 128 KiB");
	}
	z->out = u->out;
	z->out_bytes = before;
	z->out_room = before + ZSTD_MAX_BLOCK;
	if (!zstd_block(z, in, len))
		return unpack_damaged(u, "a block cannot be unpacked");
	u->in_at += len;
	u->out_bytes = z->out_bytes;
	u->frame_bytes += u->out_bytes - before;
	if (z->has_checksum)
		xxh64_add(&u->xxh, u->out + before, u->out_bytes - before);
	return 1;
}

static int tail(struct kmem_unpack *u)
{
	const struct zstd *z = &u->with.zstd;

	if (z->content_bytes != ZSTD_UNTOLD && z->content_bytes != u->frame_bytes)
		return unpack_damaged(u, "a frame is not as long as its header says");
	if (z->has_checksum) {
		if (unpack_left(u) < CHECKSUM_BYTES)
			return unpack_wait(u);
		if (load4(u->in + u->in_at) != (u32)xxh64_value(&u->xxh))
			return unpack_damaged(u, "the checksum of a frame does not match");
		u->in_at += CHECKSUM_BYTES;
	}
	u->nr_frames++;
	u->at = UNPACK_HEAD;
	return 1;
}

const struct unpack_kind unpack_zstd = { "zstd", ZSTD_MAX_HEADER, head, skip, body, tail };
