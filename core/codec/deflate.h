/*
 * deflate.h - packs small pieces of bytes as deflate (RFC 1951), with its fixed codes. Each piece ends at a byte.
 */
#ifndef CODEC_DEFLATE_H
#define CODEC_DEFLATE_H

#include "kmem_types.h"

enum {
	DEFLATE_HEADS = 1 << 12,
	DEFLATE_MOST_PIECE_BYTES = 32 << 10,
	DEFLATE_END_BYTES = 8, /* head and end of a block, and an empty stored one */
};

/* The latest place of three bytes in the piece, from 1. */
struct deflate {
	u16 head[DEFLATE_HEADS];
};

/* The most bytes that a piece of that many bytes takes: 9 bits for each. */
#define DEFLATE_ROOM_BYTES(len) ((len) + (len) / 8 + 1 + DEFLATE_END_BYTES)

/* Packs a piece of at most DEFLATE_MOST_PIECE_BYTES; returns the bytes written to `to`, which has DEFLATE_ROOM_BYTES. */
u32 deflate_piece(struct deflate *z, u8 *to, const u8 *from, u32 len, u32 is_last);

#endif
