/*
 * deflate.c - decodes the blocks of deflate: plain bytes, or Huffman codes of bytes and matches.
 *
 * A table decodes a code of up to ten bits from the next ten bits. A longer code is rare and is
 * read bit by bit. Codes of one length are consecutive numbers. The decoder compares the code's
 * value with the number of codes of each length. The distance from the first code of its length
 * then gives the symbol.
 *
 * The input comes in pieces. Before a block's head and before each symbol, the decoder checks that
 * all its bytes have arrived, and returns if not. It therefore never has to undo anything.
 */
#include "codec/deflate.h"
#include "util/scan.h"

enum {
	NR_DISTANCES = 30,
	END_OF_BLOCK = 256,
	FIRST_LENGTH = 257,
	LAST_LENGTH = 285,
	HEAD_BYTES = 600, /* the longest head of a block has about 570 */
	SYMBOL_BITS = 48, /* length 15 and 5, distance 15 and 13 */
	SYMBOL_SHIFT = 4, /* a table entry has the code's length here, the symbol above */
};

/* Bits */

ALWAYS_INLINE void refill(struct inflate *z)
{
	if (likely(z->end - z->in >= 8)) {
		/* Bits above nr_bits repeat the same bytes, so adding them twice changes
		 * nothing. */
		z->bits |= load8(z->in) << z->nr_bits;
		z->in += (63 - z->nr_bits) >> 3;
		z->nr_bits |= 56;
		return;
	}
	for (; z->nr_bits < 56 && z->in < z->end; z->nr_bits += 8)
		z->bits |= (u64)*z->in++ << z->nr_bits;
}

static int fail(struct inflate *z)
{
	z->at = INFLATE_BAD;
	return 0;
}

ALWAYS_INLINE void drop(struct inflate *z, u32 n)
{
	z->bits >>= n;
	z->nr_bits -= n;
}

/* n <= 16 bits; returns 0 and sets bad if they are missing. */
ALWAYS_INLINE u32 take(struct inflate *z, u32 n)
{
	if (unlikely(z->nr_bits < n)) {
		refill(z);
		if (z->nr_bits < n) {
			z->is_cut = 1;
			return (u32)fail(z);
		}
	}
	u32 value = (u32)(z->bits & (((u64)1 << n) - 1));
	drop(z, n);
	return value;
}

NOINLINE u32 take_long_symbol(struct inflate *z, const struct inflate_codes *codes)
{
	u32 code = 0, first = 0, index = 0;

	for (u32 len = 1; len <= INFLATE_MAX_CODE_BITS; len++) {
		code |= take(z, 1);
		u32 nr = codes->nr[len];
		if (z->at == INFLATE_BAD)
			return 0;
		if (code < first + nr)
			return codes->symbols[index + (code - first)];
		index += nr;
		first = (first + nr) << 1;
		code <<= 1;
	}
	return (u32)fail(z);
}

ALWAYS_INLINE u32 take_symbol(struct inflate *z, const struct inflate_codes *codes)
{
	u32 entry = codes->fast[z->bits & ((1 << INFLATE_FAST_BITS) - 1)];
	u32 len = entry & ((1 << SYMBOL_SHIFT) - 1);

	if (likely(len && len <= z->nr_bits)) {
		drop(z, len);
		return entry >> SYMBOL_SHIFT;
	}
	return take_long_symbol(z, codes);
}

/* Codes */

static u32 reversed(u32 code, u32 len)
{
	u32 value = 0;

	for (u32 i = 0; i < len; i++)
		value |= (code >> i & 1) << (len - 1 - i);
	return value;
}

/* Codes arrive with their first bit lowest. */
static void build_fast(struct inflate_codes *codes)
{
	u32 code = 0, index = 0;

	memset(codes->fast, 0, sizeof(codes->fast));
	for (u32 len = 1; len <= INFLATE_FAST_BITS; len++, code <<= 1) {
		for (u32 i = 0; i < codes->nr[len]; i++, code++, index++) {
			u32 entry = (u32)codes->symbols[index] << SYMBOL_SHIFT | len;
			for (u32 at = reversed(code, len); at < 1 << INFLATE_FAST_BITS;
			     at += 1u << len)
				codes->fast[at] = (u16)entry;
		}
	}
}

/* Builds the codes from their lengths, 0 for an unused symbol; 0 if there are too many codes. */
static int build(struct inflate_codes *codes, const u8 *lengths, u32 nr)
{
	u16 at[INFLATE_MAX_CODE_BITS + 2] = { 0 };
	s32 left = 1;

	memset(codes->nr, 0, sizeof(codes->nr));
	for (u32 s = 0; s < nr; s++)
		codes->nr[lengths[s]]++;
	codes->nr[0] = 0;
	for (u32 len = 1; len <= INFLATE_MAX_CODE_BITS; len++) {
		left = left * 2 - codes->nr[len];
		if (left < 0)
			return 0;
		at[len + 1] = (u16)(at[len] + codes->nr[len]);
	}
	for (u32 s = 0; s < nr; s++) {
		if (lengths[s])
			codes->symbols[at[lengths[s]]++] = (u16)s;
	}
	build_fast(codes);
	return 1;
}

static void usual_codes(struct inflate *z)
{
	u8 lengths[INFLATE_MAX_SYMBOLS];

	for (u32 s = 0; s < INFLATE_MAX_SYMBOLS; s++)
		lengths[s] = s < 144 ? 8 : (s < 256 ? 9 : (s < 280 ? 7 : 8));
	build(&z->lengths, lengths, INFLATE_MAX_SYMBOLS);
	for (u32 s = 0; s < NR_DISTANCES; s++)
		lengths[s] = 5;
	build(&z->distances, lengths, NR_DISTANCES);
}

/* Reads the lengths of all codes, which are themselves coded; 16 to 18 repeat a length. */
static int read_lengths(struct inflate *z, u8 *lengths, u32 nr)
{
	for (u32 i = 0; i < nr;) {
		refill(z);
		u32 symbol = take_symbol(z, &z->lengths), times = 1;
		u8 value = (u8)symbol;
		if (symbol == 16) {
			if (!i)
				return 0;
			value = lengths[i - 1];
			times = 3 + take(z, 2);
		} else if (symbol > 16) {
			value = 0;
			times = symbol == 17 ? 3 + take(z, 3) : 11 + take(z, 7);
		}
		if (z->at == INFLATE_BAD || times > nr - i)
			return 0;
		while (times--)
			lengths[i++] = value;
	}
	return 1;
}

static int sent_codes(struct inflate *z)
{
	static const u8 order[19] = { 16, 17, 18, 0, 8,	 7, 9,	6, 10, 5,
				      11, 4,  12, 3, 13, 2, 14, 1, 15 };
	u8 lengths[INFLATE_MAX_SYMBOLS + 32] = { 0 };
	u32 nr_lengths = take(z, 5) + FIRST_LENGTH, nr_distances = take(z, 5) + 1;
	u32 nr = take(z, 4) + 4;

	if (nr_lengths > INFLATE_MAX_SYMBOLS - 2 || nr_distances > NR_DISTANCES)
		return 0;
	for (u32 i = 0; i < nr; i++)
		lengths[order[i]] = (u8)take(z, 3);
	if (z->at == INFLATE_BAD || !build(&z->lengths, lengths, 19))
		return 0;
	memset(lengths, 0, sizeof(lengths));
	return read_lengths(z, lengths, nr_lengths + nr_distances) &&
	       build(&z->distances, lengths + nr_lengths, nr_distances) &&
	       build(&z->lengths, lengths, nr_lengths);
}

/* Blocks */

static void open_plain(struct inflate *z)
{
	/* Skip the rest of the current byte. */
	drop(z, z->nr_bits & 7);
	u32 len = take(z, 16), inverted = take(z, 16);

	if (z->at == INFLATE_BAD)
		return;
	inflate_return_bytes(z);
	z->plain_left = len;
	z->at = len == (inverted ^ 0xffff) ? INFLATE_PLAIN : INFLATE_BAD;
}

static void open_block(struct inflate *z)
{
	if (z->is_last_block) {
		z->at = INFLATE_END;
		return;
	}
	z->is_last_block = take(z, 1);
	u32 kind = take(z, 2);
	if (z->at == INFLATE_BAD)
		return;
	if (kind == 0) {
		open_plain(z);
		return;
	}
	if (kind == 1)
		usual_codes(z);
	else if (kind == 3 || !sent_codes(z))
		fail(z);
	if (z->at != INFLATE_BAD)
		z->at = INFLATE_CODED;
}

static void copy_plain(struct inflate *z)
{
	u64 n = MIN((u64)z->plain_left, (u64)(z->end - z->in));

	if (z->out_stop > z->out_bytes)
		n = MIN(n, z->out_stop - z->out_bytes);
	if (n > z->out_room - z->out_bytes) {
		fail(z);
		return;
	}
	memcpy(z->out + z->out_bytes, z->in, n);
	z->out_bytes += n;
	z->in += n;
	z->plain_left -= (u32)n;
	if (!z->plain_left) {
		z->at = INFLATE_HEAD;
	} else if (z->in == z->end && z->is_last) {
		z->is_cut = 1;
		fail(z);
	}
}

/* Copies eight bytes at a time if they do not overlap and there is room to write past the end. */
ALWAYS_INLINE void copy_match(struct inflate *z, u32 distance, u32 length)
{
	u8 *to = z->out + z->out_bytes;
	const u8 *from = to - distance;

	z->out_bytes += length;
	if (likely(distance >= 8 && z->out_room - z->out_bytes >= 8)) {
		for (const u8 *end = to + length; to < end; to += 8, from += 8)
			memcpy(to, from, 8);
		return;
	}
	for (u32 i = 0; i < length; i++)
		to[i] = from[i];
}

/* Reads length and distance, and copies those bytes; 0 if they are invalid. */
ALWAYS_INLINE int copy_again(struct inflate *z, u32 symbol)
{
	u32 length = symbol - FIRST_LENGTH, bits = 0;

	if (length == 28) {
		length = INFLATE_LONGEST_MATCH;
	} else if (length >= 8 && length < 28) {
		bits = length / 4 - 1;
		length = 3 + ((4 + length % 4) << bits) + take(z, bits);
	} else {
		length += 3;
	}
	u32 distance = take_symbol(z, &z->distances);
	if (distance >= 4) {
		bits = distance / 2 - 1;
		distance = ((2 + distance % 2) << bits) + take(z, bits);
	}
	distance++;
	if (z->at == INFLATE_BAD || symbol > LAST_LENGTH || distance > z->out_bytes ||
	    length > z->out_room - z->out_bytes)
		return 0;
	copy_match(z, distance, length);
	return 1;
}

/* Returns before the end of the block if it needs more input or reaches out_stop. */
static void read_coded(struct inflate *z)
{
	while (z->out_bytes < z->out_stop) {
		if (z->nr_bits < SYMBOL_BITS) {
			refill(z);
			if (z->nr_bits < SYMBOL_BITS && !z->is_last)
				return;
		}
		u32 symbol = take_symbol(z, &z->lengths);
		if (z->at == INFLATE_BAD)
			return;
		if (symbol < END_OF_BLOCK) {
			if (z->out_bytes == z->out_room) {
				fail(z);
				return;
			}
			z->out[z->out_bytes++] = (u8)symbol;
		} else if (symbol == END_OF_BLOCK) {
			z->at = INFLATE_HEAD;
			return;
		} else if (!copy_again(z, symbol)) {
			fail(z);
			return;
		}
	}
}

void inflate_begin(struct inflate *z)
{
	z->at = INFLATE_HEAD;
	z->is_last_block = 0;
	z->is_cut = 0;
	z->bits = 0;
	z->nr_bits = 0;
}

void inflate_return_bytes(struct inflate *z)
{
	z->in -= z->nr_bits / 8;
	z->nr_bits &= 7;
	z->bits &= ((u64)1 << z->nr_bits) - 1;
}

static int needs_more(const struct inflate *z)
{
	if (z->is_last || z->at == INFLATE_END || z->at == INFLATE_BAD)
		return 0;
	if (z->at == INFLATE_PLAIN)
		return z->in == z->end;
	if (z->at == INFLATE_CODED)
		return z->end == z->in && z->nr_bits < SYMBOL_BITS;
	return z->is_last_block == 0 && z->end - z->in < HEAD_BYTES;
}

void inflate_run(struct inflate *z)
{
	while (z->out_bytes < z->out_stop && !needs_more(z)) {
		if (z->at == INFLATE_HEAD)
			open_block(z);
		else if (z->at == INFLATE_PLAIN)
			copy_plain(z);
		else if (z->at == INFLATE_CODED)
			read_coded(z);
		else
			return;
	}
}

s64 zlib_unpack(const u8 *in, u64 in_bytes, u8 *out, u64 room_bytes)
{
	struct inflate z = { .in = in + 2,
			     .end = in + in_bytes,
			     .is_last = 1,
			     .out = out,
			     .out_room = room_bytes,
			     .out_stop = room_bytes + 1 };

	/* The method is deflate, without a dictionary. */
	if (in_bytes < 2 || (in[0] & 15) != 8 || (in[0] << 8 | in[1]) % 31 || in[1] & 32)
		return -1;
	inflate_begin(&z);
	inflate_run(&z);
	return z.at == INFLATE_END ? (s64)z.out_bytes : -1;
}

/* Packs with the fixed codes of deflate: a match is the latest one with the same three bytes, within the piece. */

enum {
	SHORTEST_MATCH = 3,
	STORED_BLOCK = 0,
	FIXED_BLOCK = 1,
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
	put_bits(w, reversed(code, nr), nr);
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
	u32 extra = l < 8 || len == INFLATE_LONGEST_MATCH ? 0 : highest_bit(l) - 2;

	if (len == INFLATE_LONGEST_MATCH)
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

/* Stores this position and returns the previous one with the same hash, from 1; 0: none. */
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
						  MIN(left, (u32)INFLATE_LONGEST_MATCH))
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
