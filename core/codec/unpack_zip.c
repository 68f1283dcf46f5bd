/*
 * unpack_zip.c - reads the first file in a .zip as a stream: PKWARE's APPNOTE, methods stored and deflated.
 *
 *	| header name extra | data | sizes, if the header lacks them | header … | directory |
 *
 * Folders and macOS's resource forks are passed over. The directory at the end is not needed. A bundle of the page begins with
 * slabscope.json; its trace is read, and nothing else.
 */
#include "codec/unpack.h"
#include "util/scan.h"
#include "util/text.h"

enum {
	HEAD_BYTES = 30,
	TAIL_BYTES = 28, /* sizes, at most, and the start of what follows; a directory is longer */
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
				      .bytes = HEAD_BYTES + name_bytes + extra_bytes,
				      .name = in + HEAD_BYTES };
}

static int is_named(const struct local_header *h, const char *name)
{
	return h->name_bytes == text_length(name) && !memcmp(h->name, name, h->name_bytes);
}

/* 1 for a folder, for what macOS adds beside each file, and for the files of a bundle that are no trace. */
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
		return refuse_zip(u, "The zip file has several files, and only the first one is "
				     "read: unpack it and open the one that you want.");
	if (h->flags & IS_ENCRYPTED)
		return refuse_zip(u, "The zip file is encrypted: unpack it first.");
	if ((!is_stored && h->method != METHOD_DEFLATED) ||
	    (is_stored && (h->flags & HAS_DESCRIPTOR || h->packed_bytes == 0xffffffff)))
		return refuse_zip(
			u,
			"The zip file is packed in a way that is not read here: unpack it first.");
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

static int head(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;
	u32 left = unpack_left(u);

	if (left < 4)
		return unpack_wait(u);
	if (load4(in) != LOCAL_HEADER)
		return u->nr_frames
			       ? pass_rest(u)
			       : refuse_zip(u, "The zip file has no file that could be a trace.");
	if (left < HEAD_BYTES || left < read_header(in).bytes)
		return unpack_wait(u);
	struct local_header h = read_header(in);
	u->is_bundle |= !u->nr_frames && is_named(&h, "slabscope.json");
	if (u->is_bundle && u->nr_frames)
		return pass_rest(u);
	if (is_passed_over(u, &h) && h.flags & HAS_DESCRIPTOR && h.method != METHOD_STORED)
		return u->nr_frames
			       ? pass_rest(u)
			       : refuse_zip(u, "The zip file has no file in front that could be "
					       "a trace: unpack it first.");
	u->in_at += h.bytes;
	if (!is_passed_over(u, &h))
		return begin_file(u, &h);
	u->skip_bytes = h.packed_bytes;
	u->at = UNPACK_SKIPPED;
	return 1;
}

static int skip(struct kmem_unpack *u)
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

static int body(struct kmem_unpack *u)
{
	return u->is_stored ? copy_stored(u) : unpack_deflate(u);
}

static int tail(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;
	u32 at = 0;

	if (unpack_left(u) < TAIL_BYTES)
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

const struct unpack_kind unpack_zip = { "zip", 4, head, skip, body, tail };
