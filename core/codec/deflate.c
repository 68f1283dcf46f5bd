/*
 * deflate.c - packs with the fixed codes of deflate: a match is the latest one with the same three bytes, within the piece.
 */
#include "codec/deflate.h"

enum {
	SHORTEST_MATCH = 3,
	LONGEST_MATCH = 258,
	STORED_BLOCK = 0,
	FIXED_BLOCK = 1,
	FIRST_LENGTH = 257,
	END_OF_BLOCK = 256,
	DISTANCE_BITS = 5,
};

/* Bits go out from the lowest. */
struct bit_writer {
	u8 *to;
	u32 len, nr;
	u64 bits;
};

static void put_bits(struct bit_writer *w, u32 value, u32 nr)
{
	w->bits |= (u64)value << w->nr;
	for (w->nr += nr; w->nr >= 8; w->nr -= 8) {
		w->to[w->len++] = (u8)w->bits;
		w->bits >>= 8;
	}
}

/* Codes go out from their highest bit. */
static void put_code(struct bit_writer *w, u32 code, u32 nr)
{
	u32 turned = 0;

	for (u32 i = 0; i < nr; i++)
		turned |= (code >> i & 1) << (nr - 1 - i);
	put_bits(w, turned, nr);
}

static void put_symbol(struct bit_writer *w, u32 symbol)
{
	if (symbol < 144)
		put_code(w, 0x30 + symbol, 8);
	else if (symbol < 256)
		put_code(w, 0x190 + symbol - 144, 9);
	else if (symbol < 280)
		put_code(w, symbol - 256, 7);
	else
		put_code(w, 0xc0 + symbol - 280, 8);
}

static u32 highest_bit(u32 n)
{
	return 31 - (u32)__builtin_clz(n);
}

static void put_match(struct bit_writer *w, u32 len, u32 distance)
{
	u32 l = len - SHORTEST_MATCH, d = distance - 1;
	u32 extra = l < 8 || len == LONGEST_MATCH ? 0 : highest_bit(l) - 2;

	if (len == LONGEST_MATCH)
		put_symbol(w, 285);
	else if (l < 8)
		put_symbol(w, FIRST_LENGTH + l);
	else
		put_symbol(w, FIRST_LENGTH + (extra + 1) * 4 + (l >> extra & 3));
	put_bits(w, l & ((1u << extra) - 1), extra);
	extra = d < 4 ? 0 : highest_bit(d) - 1;
	put_code(w, d < 4 ? d : 2 * (extra + 1) + (d >> extra & 1), DISTANCE_BITS);
	put_bits(w, d & ((1u << extra) - 1), extra);
}

static u32 match_length(const u8 *a, const u8 *b, u32 most)
{
	u32 len = 0;

	while (len < most && a[len] == b[len])
		len++;
	return len;
}

/* Notes the place and returns the one before it with the same hash, from 1; 0: none. */
static u32 note(struct deflate *z, const u8 *from, u32 at)
{
	u32 three = from[at] | (u32)from[at + 1] << 8 | (u32)from[at + 2] << 16;
	u16 *head = &z->head[three * 0x9e3779b1u >> 20];
	u32 before = *head;

	*head = (u16)(at + 1);
	return before;
}

u32 deflate_piece(struct deflate *z, u8 *to, const u8 *from, u32 len, u32 is_last)
{
	struct bit_writer w = { .to = to };

	memset(z, 0, sizeof(*z));
	put_bits(&w, is_last | FIXED_BLOCK << 1, 3);
	for (u32 at = 0; at < len;) {
		u32 left = len - at;
		u32 before = left < SHORTEST_MATCH ? 0 : note(z, from, at);
		u32 match = before ? match_length(from + before - 1, from + at,
						  MIN(left, (u32)LONGEST_MATCH))
				   : 0;
		if (match < SHORTEST_MATCH) {
			put_symbol(&w, from[at++]);
			continue;
		}
		put_match(&w, match, at + 1 - before);
		at += match;
	}
	put_symbol(&w, END_OF_BLOCK);
	if (is_last) {
		put_bits(&w, 0, (8 - w.nr) & 7);
		return w.len;
	}
	/* An empty stored block ends at a byte. */
	put_bits(&w, STORED_BLOCK, 3);
	put_bits(&w, 0, (8 - w.nr) & 7);
	put_bits(&w, 0xffff0000u, 32);
	return w.len;
}
