/*
 * unpack_kinds.c - the kinds of packed files: .gz, .zip and .zst.
 *
 * A .gz file (RFC 1952) may have several members, as `cat a.gz b.gz` and
 * bgzip write them, and zeros after the last one.
 */
#include "codec/unpack.h"
#include "util/scan.h"
#include "util/text.h"

enum {
	GZIP_HEAD_BYTES = 10,
	GZIP_TAIL_BYTES = 8,
	METHOD_DEFLATE = 8,
};

enum gzip_flags {
	HAS_CHECKSUM = 2,
	HAS_EXTRA = 4,
	HAS_NAME = 8,
	HAS_COMMENT = 16,
	RESERVED = 0xe0
};

/* Returns the end of a text and its NUL; 0 without a NUL. */
static u32 after_text(const u8 *in, u32 at, u32 left)
{
	while (at < left && in[at])
		at++;
	return at < left ? at + 1 : 0;
}

/* Returns the bytes of the header; 0 if it is incomplete. */
static u32 header_bytes(const u8 *in, u32 left)
{
	u32 at = GZIP_HEAD_BYTES, flags = left > 3 ? in[3] : 0;

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

static int gzip_head(struct kmem_unpack *u)
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

/* Skips zeros after the last member, up to the end of the file. */
static int gzip_skip(struct kmem_unpack *u)
{
	while (u->in_at < u->in_end && !u->in[u->in_at])
		u->in_at++;
	if (unpack_left(u))
		return refuse_rest(u);
	if (u->is_last)
		u->at = UNPACK_END;
	return 0;
}

/* Unpacks deflated data, for u->with.gzip. */
static int unpack_deflate(struct kmem_unpack *u)
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

static int gzip_tail(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;

	if (unpack_left(u) < GZIP_TAIL_BYTES)
		return unpack_wait(u);
	if (load4(in) != u->crc.value)
		return unpack_damaged(u, "the checksum of a member does not match");
	if (load4(in + 4) != (u32)u->frame_bytes)
		return unpack_damaged(u, "a member is not as long as its last bytes say");
	u->in_at += GZIP_TAIL_BYTES;
	u->nr_frames++;
	u->at = UNPACK_HEAD;
	return 1;
}

const struct unpack_kind unpack_gzip = { "gzip",    GZIP_HEAD_BYTES, gzip_head,
					 gzip_skip, unpack_deflate,  gzip_tail };

/*
 * Reads the first file in a .zip as a stream: PKWARE's APPNOTE, methods stored and deflated.
 *
 *	| header name extra | data | sizes, if the header lacks them | header … | directory |
 *
 * Folders and macOS's resource forks are passed over. The directory at the end is not needed. A bundle of the page
 * starts with slabscope.json; only its trace is read.
 */

enum {
	ZIP_HEAD_BYTES = 30,
	ZIP_TAIL_BYTES =
		28, /* sizes, at most, and the start of what follows; a directory is longer */
	LOCAL_HEADER = 0x04034b50,
	DESCRIPTOR = 0x08074b50,
	METHOD_STORED = 0,
	METHOD_DEFLATED = 8,
};

enum zip_flags { IS_ENCRYPTED = 1, HAS_DESCRIPTOR = 8 };

struct local_header {
	u32 flags, method, crc, packed_bytes, name_bytes,
		bytes; /* bytes: with name and extra field */
	const u8 *name;
};

static struct local_header read_header(const u8 *in)
{
	u32 name_bytes = in[26] | (u32)in[27] << 8, extra_bytes = in[28] | (u32)in[29] << 8;

	return (struct local_header){ .flags = in[6] | (u32)in[7] << 8,
				      .method = in[8] | (u32)in[9] << 8,
				      .crc = load4(in + 14),
				      .packed_bytes = load4(in + 18),
				      .name_bytes = name_bytes,
				      .bytes = ZIP_HEAD_BYTES + name_bytes + extra_bytes,
				      .name = in + ZIP_HEAD_BYTES };
}

static int is_named(const struct local_header *h, const char *name)
{
	return h->name_bytes == text_length(name) && !memcmp(h->name, name, h->name_bytes);
}

/* Returns 1 for a folder, for what macOS adds beside each file, and for the files of a bundle that are no trace. */
static int is_passed_over(const struct kmem_unpack *u, const struct local_header *h)
{
	static const char fork[] = "__MACOSX/";

	if (u->is_bundle)
		return !is_named(h, "trace.slabtrace");
	return (h->name_bytes && h->name[h->name_bytes - 1] == '/') ||
	       (h->name_bytes >= sizeof(fork) - 1 && !memcmp(h->name, fork, sizeof(fork) - 1));
}

static int refuse_zip(struct kmem_unpack *u, const char *sentence)
{
	return unpack_fail(u, KMEM_ELIMIT, sentence);
}

static int begin_file(struct kmem_unpack *u, const struct local_header *h)
{
	int is_stored = h->method == METHOD_STORED;

	if (u->nr_frames)
		return refuse_zip(
			u,
			"The zip file contains several files, and only the first is read: unpack it and open the one you want.");
	if (h->flags & IS_ENCRYPTED)
		return refuse_zip(u, "The zip file is encrypted: unpack it first.");
	if ((!is_stored && h->method != METHOD_DEFLATED) ||
	    (is_stored && (h->flags & HAS_DESCRIPTOR || h->packed_bytes == 0xffffffff)))
		return refuse_zip(
			u,
			"The zip file uses a compression that Slabscope does not read: unpack it first.");
	u->zip_crc = h->crc;
	u->has_descriptor = (h->flags & HAS_DESCRIPTOR) != 0;
	u->is_stored = (u32)is_stored;
	u->skip_bytes = h->packed_bytes;
	inflate_begin(&u->with.gzip);
	return unpack_begin_frame(u, INFLATE_WINDOW_BYTES);
}

/* Whatever follows the file and its neighbours is not text. */
static int pass_rest(struct kmem_unpack *u)
{
	u->skip_bytes = ~(u64)0;
	u->at = UNPACK_SKIPPED;
	return 1;
}

static int zip_head(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;
	u32 left = unpack_left(u);

	if (left < 4)
		return unpack_wait(u);
	if (load4(in) != LOCAL_HEADER)
		return u->nr_frames
			       ? pass_rest(u)
			       : refuse_zip(u,
					    "The zip file contains no file that could be a trace.");
	if (left < ZIP_HEAD_BYTES || left < read_header(in).bytes)
		return unpack_wait(u);
	struct local_header h = read_header(in);
	u->is_bundle |= !u->nr_frames && is_named(&h, "slabscope.json");
	if (u->is_bundle && u->nr_frames)
		return pass_rest(u);
	if (is_passed_over(u, &h) && h.flags & HAS_DESCRIPTOR && h.method != METHOD_STORED)
		return u->nr_frames
			       ? pass_rest(u)
			       : refuse_zip(
					 u,
					 "The zip file does not start with a file that could be a trace: unpack it first.");
	u->in_at += h.bytes;
	if (!is_passed_over(u, &h))
		return begin_file(u, &h);
	u->skip_bytes = h.packed_bytes;
	u->at = UNPACK_SKIPPED;
	return 1;
}

static int zip_skip(struct kmem_unpack *u)
{
	u32 bytes = (u32)MIN(u->skip_bytes, (u64)unpack_left(u));

	u->in_at += bytes;
	u->skip_bytes -= bytes;
	if (!u->skip_bytes)
		u->at = UNPACK_HEAD;
	else if (u->is_last)
		u->at = UNPACK_END;
	return !u->skip_bytes;
}

static int copy_stored(struct kmem_unpack *u)
{
	u64 room = u->from + UNPACK_OUTPUT_BYTES - u->out_bytes;
	u32 bytes = (u32)MIN(MIN(u->skip_bytes, room), (u64)unpack_left(u));

	memcpy(u->out + u->out_bytes, u->in + u->in_at, bytes);
	crc32_add(&u->crc, u->out + u->out_bytes, bytes);
	u->in_at += bytes;
	u->out_bytes += bytes;
	u->frame_bytes += bytes;
	u->skip_bytes -= bytes;
	if (!u->skip_bytes)
		u->at = UNPACK_TAIL;
	return bytes || !u->skip_bytes ? 1 : unpack_wait(u);
}

static int zip_body(struct kmem_unpack *u)
{
	return u->is_stored ? copy_stored(u) : unpack_deflate(u);
}

static int zip_tail(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;
	u32 at = 0;

	if (unpack_left(u) < ZIP_TAIL_BYTES)
		return unpack_wait(u);
	if (u->has_descriptor) {
		at = load4(in) == DESCRIPTOR ? 8 : 4;
		u->zip_crc = load4(in + at - 4);
		/* Two sizes, of four bytes each or of eight. */
		at += load4(in + at + 4) == (u32)u->frame_bytes ? 8 : 16;
	}
	if (u->zip_crc != u->crc.value)
		return unpack_damaged(u, "the checksum of the file does not match");
	u->in_at += at;
	u->nr_frames++;
	u->at = UNPACK_HEAD;
	return 1;
}

const struct unpack_kind unpack_zip = { "zip", 4, zip_head, zip_skip, zip_body, zip_tail };

/*
 * Reads a .zst file (RFC 8878): one frame after another. Frames without text are
 * skipped.
 */

enum { MAGIC_BYTES = 4, SKIPPED_HEAD_BYTES = 8, CHECKSUM_BYTES = 4 };

#define ZSTD_MAGIC 0xfd2fb528u
#define ZSTD_SKIPPED_MAGIC 0x184d2a50u /* to 0x184d2a5f */

static int refuse_window(struct kmem_unpack *u)
{
	struct text t = text_in(u->error, sizeof(u->error));

	u->status = KMEM_ELIMIT;
	text_print(
		&t,
		"This zstd file needs a window of %ju MiB, and Slabscope uses at most %u MiB. Unpack it first: zstd -d --long=31 FILE.",
		u->with.zstd.window_bytes >> 20, (u32)UNPACK_MAX_WINDOW_BYTES >> 20);
	return 0;
}

static int zstd_head(struct kmem_unpack *u)
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
			"This zstd file was packed with a dictionary, which Slabscope does not have: unpack it first (zstd -d -D DICTIONARY FILE).");
	if (u->with.zstd.window_bytes > UNPACK_MAX_WINDOW_BYTES)
		return refuse_window(u);
	u->in_at += header_bytes;
	return unpack_begin_frame(u, u->with.zstd.window_bytes);
}

static int zstd_skip(struct kmem_unpack *u)
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

static int zstd_body(struct kmem_unpack *u)
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

static int zstd_tail(struct kmem_unpack *u)
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

const struct unpack_kind unpack_zstd = { "zstd",    ZSTD_MAX_HEADER, zstd_head,
					 zstd_skip, zstd_body,	     zstd_tail };
