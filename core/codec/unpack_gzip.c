/*
 * unpack_gzip.c - reads a .gz file (RFC 1952). It may have several members, as `cat a.gz b.gz` and
 * bgzip write them, and zeros behind the last one.
 */
#include "codec/unpack.h"
#include "util/scan.h"

enum {
	HEAD_BYTES = 10,
	TAIL_BYTES = 8,
	METHOD_DEFLATE = 8,
};

enum gzip_flags {
	HAS_CHECKSUM = 2,
	HAS_EXTRA = 4,
	HAS_NAME = 8,
	HAS_COMMENT = 16,
	RESERVED = 0xe0
};

/* The end of a text and its NUL; 0 without a NUL. */
static u32 after_text(const u8 *in, u32 at, u32 left)
{
	while (at < left && in[at])
		at++;
	return at < left ? at + 1 : 0;
}

/* Bytes of the header; 0 if it is incomplete. */
static u32 header_bytes(const u8 *in, u32 left)
{
	u32 at = HEAD_BYTES, flags = left > 3 ? in[3] : 0;

	if (flags & HAS_EXTRA) {
		if (left < at + 2)
			return 0;
		at += 2 + (u32)(in[at] | in[at + 1] << 8);
	}
	if (flags & HAS_NAME && !(at = after_text(in, at, left)))
		return 0;
	if (flags & HAS_COMMENT && !(at = after_text(in, at, left)))
		return 0;
	at += flags & HAS_CHECKSUM ? 2 : 0;
	return at <= left ? at : 0;
}

static int refuse_rest(struct kmem_unpack *u)
{
	return unpack_fail(u, KMEM_EINPUT,
			   "The data after the gzip data are not gzip and are skipped.");
}

static int head(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;
	u32 left = unpack_left(u);

	if (left && !in[0] && u->nr_frames) {
		u->at = UNPACK_SKIPPED;
		return 1;
	}
	if (left >= 2 && (in[0] != 0x1f || in[1] != 0x8b))
		return u->nr_frames ? refuse_rest(u) : unpack_damaged(u, "expected a gzip header");
	if (left >= 4 && (in[2] != METHOD_DEFLATE || in[3] & RESERVED))
		return unpack_damaged(u, "a header is not valid");
	u32 len = header_bytes(in, left);
	if (!len)
		return left < UNPACK_INPUT_BYTES ? unpack_wait(u)
						 : unpack_damaged(u, "a header has no end");
	u->in_at += len;
	inflate_begin(&u->with.gzip);
	return unpack_begin_frame(u, INFLATE_WINDOW_BYTES);
}

/* Skips zeros behind the last member, up to the end of the file. */
static int skip(struct kmem_unpack *u)
{
	while (u->in_at < u->in_end && !u->in[u->in_at])
		u->in_at++;
	if (unpack_left(u))
		return refuse_rest(u);
	if (u->is_last)
		u->at = UNPACK_END;
	return 0;
}

int unpack_deflate(struct kmem_unpack *u)
{
	struct inflate *z = &u->with.gzip;
	u64 before = u->out_bytes;

	z->in = u->in + u->in_at;
	z->end = u->in + u->in_end;
	z->is_last = u->is_last;
	z->out = u->out;
	z->out_bytes = before;
	z->out_stop = u->from + UNPACK_OUTPUT_BYTES;
	z->out_room = z->out_stop + ZSTD_MAX_BLOCK;
	inflate_run(z);
	inflate_return_bytes(z);
	u->in_at = (u32)(z->in - u->in);
	u->out_bytes = z->out_bytes;
	u->frame_bytes += u->out_bytes - before;
	crc32_add(&u->crc, u->out + before, u->out_bytes - before);
	if (z->at == INFLATE_BAD)
		return z->is_cut ? unpack_wait(u) : unpack_damaged(u, "a block cannot be unpacked");
	if (z->at == INFLATE_END)
		u->at = UNPACK_TAIL;
	return z->at == INFLATE_END || u->out_bytes >= z->out_stop ? 1 : unpack_wait(u);
}

static int tail(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;

	if (unpack_left(u) < TAIL_BYTES)
		return unpack_wait(u);
	if (load4(in) != u->crc.value)
		return unpack_damaged(u, "the checksum of a member does not match");
	if (load4(in + 4) != (u32)u->frame_bytes)
		return unpack_damaged(u, "a member is not as long as its last bytes say");
	u->in_at += TAIL_BYTES;
	u->nr_frames++;
	u->at = UNPACK_HEAD;
	return 1;
}

const struct unpack_kind unpack_gzip = { "gzip", HEAD_BYTES, head, skip, unpack_deflate, tail };
