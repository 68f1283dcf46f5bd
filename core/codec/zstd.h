/*
 * zstd.h - unpacks frames of zstd (RFC 8878), the packing of trace.dat's parts and perf.data's
 * records.
 *
 * Dictionaries are not supported. Matches copy earlier unpacked bytes, so the caller keeps at least the
 * last window_bytes of them before the next block. No function reads or writes outside the two
 * ranges, whatever the packed bytes are.
 */
#ifndef CODEC_ZSTD_H
#define CODEC_ZSTD_H

#include "kmem_types.h"

enum {
	ZSTD_MAX_BLOCK = 128 << 10, /* unpacked bytes */
	ZSTD_MAX_LITERALS = ZSTD_MAX_BLOCK,
	ZSTD_LITERALS_SLACK = 8,
	ZSTD_HUFFMAN_BITS = 11,
	ZSTD_MAX_TABLE_BITS = 9,
	ZSTD_MAX_HEADER = 18,
	ZSTD_MAX_PACKED_BLOCK = 3 + ZSTD_MAX_BLOCK,
};

#define ZSTD_UNTOLD 0xffffffffffffffffull

/* A state of a decoding table: its symbol, and how to find the next state. */
struct zstd_state {
	u16 base;
	u8 symbol;
	u8 bits;
};

struct zstd_table {
	struct zstd_state states[1 << ZSTD_MAX_TABLE_BITS];
	u32 bits;
	u32 ready; /* 0: no table yet, so the block cannot repeat it */
};

struct zstd_code {
	u8 symbol;
	u8 bits;
};

/* Working memory of a frame, about 140 KiB. */
struct zstd {
	struct zstd_table lengths, offsets, matches;
	struct zstd_table weights; /* table for the Huffman codes' weights */
	struct zstd_code codes[1 << ZSTD_HUFFMAN_BITS];
	u32 code_bits; /* 0: no Huffman table yet */
	u32 repeats[3];
	u8 *out; /* all unpacked bytes of the frame */
	u64 out_bytes, out_room;
	u32 has_checksum; /* four bytes follow the last block; the reader ignores them */
	u32 at_end;	  /* the last block has been read */
	u32 dictionary;	  /* the dictionary that the frame needs, 0: none */
	u64 window_bytes; /* no match reaches farther back */
	u64 content_bytes; /* unpacked size of the whole frame, ZSTD_UNTOLD if the header does not state it */
	u32 literal_bytes;
	u8 literals[ZSTD_MAX_LITERALS + ZSTD_LITERALS_SLACK];
};

/* Returns how many bytes the frame unpacks to; -1 if it is damaged, needs a dictionary, or does not fit. */
s64 zstd_unpack(struct zstd *z, const u8 *in, u64 in_bytes, u8 *out, u64 room_bytes);

/*
 * The same, block by block: first a frame's header, then its blocks. `out` needs room for
 * ZSTD_MAX_BLOCK more bytes before each block. Between blocks the caller may move `out`, and drop
 * all but its last window_bytes.
 */

/* Reads a frame's header. Returns its length, 0 if it is not one. */
u32 zstd_open(struct zstd *z, const u8 *in, u64 in_bytes);
/* Returns the length of the next block, 0 if it is incomplete. */
u32 zstd_block_bytes(const u8 *in, u64 in_bytes);
/* Returns 1 if the block of this length is valid. */
int zstd_block(struct zstd *z, const u8 *in, u32 in_bytes);

/* zstd_codes.c */

/* Reads bits from the end of a range towards its start, as all of zstd's entropy coding
 * does. */
struct zstd_bits {
	const u8 *start;
	u64 len_bytes;
	u64 left; /* bits */
	u32 bad;  /* a call requested bits past the start and got zeros */
};

int zstd_bits_open(struct zstd_bits *b, const u8 *at, u64 len_bytes);
/* The next n bits, without consuming them; zeros past the start. */
ALWAYS_INLINE u32 zstd_bits_peek(const struct zstd_bits *b, u32 n)
{
	u64 word = 0, from = b->left >= n ? b->left - n : 0;
	u32 there = (u32)(b->left - from);
	const u8 *p = b->start + from / 8;

	if (!there)
		return 0;
	if (likely(from / 8 + 8 <= b->len_bytes)) {
		memcpy(&word, p, 8);
	} else {
		/* Load only the bytes that hold these bits: the last byte is inside the range. */
		for (u32 i = 0; i <= (from % 8 + there - 1) / 8; i++)
			word |= (u64)p[i] << 8 * i;
	}
	word = word >> from % 8 & (((u64)1 << there) - 1);
	return (u32)(word << (n - there));
}

/* Consumes the next n bits, n <= 32. Past the start it returns zeros and sets `bad`. */
ALWAYS_INLINE u32 zstd_bits_take(struct zstd_bits *b, u32 n)
{
	u32 value = zstd_bits_peek(b, n);

	b->bad |= n > b->left;
	b->left -= MIN((u64)n, b->left);
	return value;
}

/* Reads a table from its probabilities. Returns the bytes read, 0 if it is invalid. */
u32 zstd_table_read(struct zstd_table *t, const u8 *in, u64 in_bytes, u32 max_symbol, u32 max_bits);
void zstd_table_build(struct zstd_table *t, const s16 *chances, u32 nr_symbols, u32 bits);
void zstd_table_of_one(struct zstd_table *t, u8 symbol);

/* Reads the literals of a block. Returns the bytes read, 0 if they are invalid. */
u32 zstd_literals_read(struct zstd *z, const u8 *in, u32 in_bytes);

#endif
