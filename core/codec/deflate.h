/*
 * deflate.h - unpacks deflate (RFC 1951) as a stream, and zlib (RFC 1950) in one call; packs pieces. gzip packs
 * whole traces with deflate. trace-cmd built without zstd packs parts of trace.dat with zlib. No
 * function reads or writes outside the given ranges.
 */
#ifndef CODEC_DEFLATE_H
#define CODEC_DEFLATE_H

#include "kmem_types.h"

enum {
	INFLATE_MAX_CODE_BITS = 15,
	INFLATE_FAST_BITS = 10,
	INFLATE_MAX_SYMBOLS = 288,
	INFLATE_WINDOW_BYTES = 32 << 10,
	INFLATE_LONGEST_MATCH = 258,
};

enum inflate_at {
	INFLATE_HEAD,  /* before a block's head */
	INFLATE_PLAIN, /* inside plain bytes */
	INFLATE_CODED,
	INFLATE_END, /* after the last block */
	INFLATE_BAD,
};

struct inflate_codes {
	u16 fast[1
		 << INFLATE_FAST_BITS]; /* symbol and length of the code that starts with these bits; 0 for a longer code */
	u16 nr[INFLATE_MAX_CODE_BITS + 1]; /* codes of each length */
	u16 symbols[INFLATE_MAX_SYMBOLS];  /* sorted by length, then by symbol */
};

struct inflate {
	const u8 *in, *end; /* packed bytes that have arrived */
	u32 is_last;	    /* no more packed bytes will come */
	u32 at;		    /* enum inflate_at */
	u32 is_last_block;
	u32 plain_left; /* bytes left of a plain block */
	u64 bits;	/* bits read from `in` and not used */
	u32 nr_bits;
	u32 is_cut; /* invalid because the packed bytes end too early */
	u8 *out;    /* start of earlier unpacked bytes: a match may reach back to it */
	u64 out_bytes, out_room;
	u64 out_stop; /* inflate_run() returns once it has unpacked this many bytes */
	struct inflate_codes lengths, distances;
};

/* Prepares for the first block. The caller sets in, out and their bounds. */
void inflate_begin(struct inflate *z);
/*
 * Unpacks until it reaches out_stop, needs more packed bytes, or enters INFLATE_END or INFLATE_BAD.
 * Between two calls the caller may move both ranges and drop bytes before the last
 * INFLATE_WINDOW_BYTES of `out`. out_room must be at least out_stop + INFLATE_LONGEST_MATCH;
 * otherwise an overrun counts as damage.
 */
void inflate_run(struct inflate *z);
/* Returns whole bytes that were read ahead to `in`. After the end they are not part of deflate, and
 * the caller may move them. */
void inflate_return_bytes(struct inflate *z);

/* Returns how many bytes the data unpack to; -1 if they are damaged, or do not fit. Does not check the checksum at
 * their end. */
s64 zlib_unpack(const u8 *in, u64 in_bytes, u8 *out, u64 room_bytes);

/* Packing: small pieces, with the fixed codes of deflate. Each piece ends at a byte. */
enum {
	DEFLATE_HEADS = 1 << 12,
	DEFLATE_MOST_PIECE_BYTES = 32 << 10,
	DEFLATE_END_BYTES = 8, /* head and end of a block, and an empty stored one */
};

/* The latest position of three bytes in the piece, from 1. */
struct deflate {
	u16 head[DEFLATE_HEADS];
};

/* The most that a piece of this size can take: 9 bits for each byte. */
#define DEFLATE_ROOM_BYTES(len) ((len) + (len) / 8 + 1 + DEFLATE_END_BYTES)

/* Packs a piece of at most DEFLATE_MOST_PIECE_BYTES; returns the bytes written to `to`, which has DEFLATE_ROOM_BYTES. */
u32 deflate_piece(struct deflate *z, u8 *to, const u8 *from, u32 len, u32 is_last);

#endif
