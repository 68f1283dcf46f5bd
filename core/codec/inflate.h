/*
 * inflate.h - unpacks deflate (RFC 1951) as a stream, and zlib (RFC 1950) at one go: gzip packs whole traces that way, and
 * trace.dat its parts where trace-cmd was built without zstd. Nothing is read or written outside the ranges given.
 */
#ifndef CODEC_INFLATE_H
#define CODEC_INFLATE_H

#include "kmem_types.h"

enum {
	INFLATE_MAX_CODE_BITS = 15,
	INFLATE_FAST_BITS = 10,
	INFLATE_MAX_SYMBOLS = 288,
	INFLATE_WINDOW_BYTES = 32 << 10,
	INFLATE_LONGEST_MATCH = 258,
};

enum inflate_at {
	INFLATE_HEAD,  /* in front of a block */
	INFLATE_PLAIN, /* in bytes as they are */
	INFLATE_CODED,
	INFLATE_END, /* behind the last block */
	INFLATE_BAD,
};

struct inflate_codes {
	u16 fast[1
		 << INFLATE_FAST_BITS]; /* symbol and length of the code that begins so, 0 for longer ones */
	u16 nr[INFLATE_MAX_CODE_BITS + 1]; /* codes of each length */
	u16 symbols[INFLATE_MAX_SYMBOLS];  /* by length, then by symbol */
};

struct inflate {
	const u8 *in, *end; /* packed bytes that are there */
	u32 is_last;	    /* and no more will come */
	u32 at;		    /* enum inflate_at */
	u32 is_last_block;
	u32 plain_left; /* bytes of a plain block */
	u64 bits;	/* read from `in` and not used */
	u32 nr_bits;
	u32 is_cut; /* bad, because the packed bytes end too early */
	u8 *out;    /* what was unpacked before begins here: a match may reach back to it */
	u64 out_bytes, out_room;
	u64 out_stop; /* inflate_run() returns once so many bytes are there */
	struct inflate_codes lengths, distances;
};

/* Sets the state in front of the first block; in, out and their bounds are the caller's. */
void inflate_begin(struct inflate *z);
/*
 * Unpacks until out_stop is reached, more packed bytes are needed, or the state is INFLATE_END or INFLATE_BAD. Between two
 * calls the caller may move both ranges; bytes before the last INFLATE_WINDOW_BYTES of `out` are not needed any more.
 * out_room is out_stop and INFLATE_LONGEST_MATCH at least, or an overrun counts as damage.
 */
void inflate_run(struct inflate *z);
/* Gives whole bytes that were read ahead back to `in`: behind the end they are not deflate's, and the caller may move them. */
void inflate_return_bytes(struct inflate *z);

/* 1 if it unpacks to exactly out_bytes. The checksum at its end is not looked at. */
int zlib_unpack(const u8 *in, u64 in_bytes, u8 *out, u64 out_bytes);

#endif
