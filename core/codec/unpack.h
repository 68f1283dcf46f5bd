/*
 * unpack.h - the state of kmem_unpack: unpacks a file of any size as a stream, in bounded memory.
 *
 *	| struct kmem_unpack | input | output: window, bytes to hand out |
 *
 * unpack.c moves bytes and hands them out. unpack_kinds.c knows the kinds of file.
 */
#ifndef CODEC_UNPACK_H
#define CODEC_UNPACK_H

#include "kmem_types.h"
#include "util/checksum.h"
#include "codec/deflate.h"
#include "codec/zstd.h"

enum {
	UNPACK_INPUT_BYTES = 256 << 10,
	UNPACK_OUTPUT_BYTES = 256 << 10,     /* handed out at a time; one more block at most */
	UNPACK_MAX_WINDOW_BYTES = 128 << 20, /* the zstd program's default limit */
};

/* The state of the reader. A frame is a frame of zstd or a member of gzip. */
enum unpack_at {
	UNPACK_HEAD,	/* before a frame, or at the end */
	UNPACK_SKIPPED, /* inside a frame without text, or padding */
	UNPACK_BODY,
	UNPACK_TAIL, /* before the checksum */
	UNPACK_END,
};

struct kmem_unpack;

/* One of the kinds of file. Each function returns 1 if it made progress, 0 if it needs more
 * input or has failed. */
struct unpack_kind {
	const char *name;
	u32 head_bytes; /* the longest that a whole head can be */
	int (*head)(struct kmem_unpack *u);
	int (*skip)(struct kmem_unpack *u);
	int (*body)(struct kmem_unpack *u);
	int (*tail)(struct kmem_unpack *u);
};

struct kmem_unpack {
	const struct unpack_kind *kind;
	u32 at; /* enum unpack_at */
	s32 status;
	u32 is_last; /* no more input will come */
	u32 nr_frames;
	u64 skip_bytes;				/* still to skip; zip: stored bytes still to copy */
	u32 zip_crc, has_descriptor, is_stored; /* zip: of the file */
	u32 is_bundle;	 /* zip: the page made it, and one of its files is a trace */
	u64 frame_bytes; /* unpacked bytes of this frame */
	u8 *in;
	u32 in_at, in_end; /* not used yet */
	u8 *out;
	u64 out_room; /* bytes from out to the end of the region */
	u64 out_bytes;
	u64 from; /* the window is before it, the bytes to hand out are after it */
	u64 window_bytes;
	struct crc32 crc;
	struct xxh64 xxh;
	union {
		struct inflate gzip;
		struct zstd zstd;
	} with;
	char error[240];
};

extern const struct unpack_kind unpack_gzip, unpack_zstd, unpack_zip;

ALWAYS_INLINE u32 unpack_left(const struct kmem_unpack *u)
{
	return u->in_end - u->in_at;
}

/* These return 0. */
int unpack_damaged(struct kmem_unpack *u, const char *why);
int unpack_fail(struct kmem_unpack *u, s32 status, const char *sentence);
/* Waits for more input. If none will come, reports that the data are cut off. */
int unpack_wait(struct kmem_unpack *u);
/* Starts a frame whose matches reach at most this far back. */
int unpack_begin_frame(struct kmem_unpack *u, u64 window_bytes);

#endif
