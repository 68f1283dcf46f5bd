/*
 * zstd_codes.c - zstd's entropy coding: tables of states for FSE, Huffman codes, and the literals that have them.
 *
 * An FSE table of 2^bits states gives each symbol states in proportion to its probability, spread
 * evenly. A symbol less likely than one state gets one of the last. A state has its symbol, and the
 * base and number of bits that form the next state. Weights define Huffman codes: a code of weight
 * w has bits + 1 - w bits. All codes together fill the table, which gives the last weight.
 */
#include "codec/zstd.h"

enum { MAX_SYMBOLS = 256, MAX_WEIGHT = ZSTD_HUFFMAN_BITS + 1, WEIGHT_TABLE_BITS = 6 };

static u32 highest_bit(u32 value)
{
	return 31 - (u32)__builtin_clz(value);
}

/* Bits */

/* A last byte with a one in it marks the end of the bits. */
int zstd_bits_open(struct zstd_bits *b, const u8 *at, u64 len_bytes)
{
	if (!len_bytes || !at[len_bytes - 1])
		return 0;
	b->start = at;
	b->len_bytes = len_bytes;
	b->left = (len_bytes - 1) * 8 + highest_bit(at[len_bytes - 1]);
	b->bad = 0;
	return 1;
}

/* Tables of states */

void zstd_table_of_one(struct zstd_table *t, u8 symbol)
{
	t->bits = 0;
	t->ready = 1;
	t->states[0] = (struct zstd_state){ .symbol = symbol };
}

void zstd_table_build(struct zstd_table *t, const s16 *chances, u32 nr_symbols, u32 bits)
{
	u32 size = (u32)1 << bits, high = size, at = 0;
	u32 step = (size >> 1) + (size >> 3) + 3;
	u16 next[MAX_SYMBOLS];

	for (u32 s = 0; s < nr_symbols; s++) {
		next[s] = (u16)(chances[s] < 0 ? 1 : chances[s]);
		if (chances[s] < 0)
			t->states[--high].symbol = (u8)s;
	}
	for (u32 s = 0; s < nr_symbols; s++) {
		for (s32 k = 0; k < chances[s]; k++) {
			t->states[at].symbol = (u8)s;
			do
				at = (at + step) & (size - 1);
			while (at >= high);
		}
	}
	for (u32 i = 0; i < size; i++) {
		struct zstd_state *state = &t->states[i];
		u32 number = next[state->symbol]++;
		state->bits = (u8)(bits - highest_bit(number));
		state->base = (u16)((number << state->bits) - size);
	}
	t->bits = bits;
	t->ready = 1;
}

/* Reads bits from the start of a range; only probabilities are stored that way. */
struct front_bits {
	const u8 *in;
	u64 in_bits, at;
};

static u32 front_take(struct front_bits *f, u32 n)
{
	u32 value = 0;

	for (u32 i = 0; i < n; i++, f->at++) {
		if (f->at < f->in_bits)
			value |= (u32)(f->in[f->at / 8] >> f->at % 8 & 1) << i;
	}
	return value;
}

/* Reads one probability out of `left` + 1 possible ones. Lower ones have fewer bits. */
static u32 front_chance(struct front_bits *f, u32 left)
{
	u32 bits = highest_bit(left + 1) + 1;
	u32 short_ones = ((u32)1 << bits) - 1 - (left + 1);
	u64 start = f->at;
	u32 value = front_take(f, bits), low = value & (((u32)1 << (bits - 1)) - 1);

	if (low < short_ones) {
		f->at = start + bits - 1;
		return low;
	}
	return value >= (u32)1 << (bits - 1) ? value - short_ones : value;
}

u32 zstd_table_read(struct zstd_table *t, const u8 *in, u64 in_bytes, u32 max_symbol, u32 max_bits)
{
	struct front_bits f = { in, in_bytes * 8, 0 };
	s16 chances[MAX_SYMBOLS] = { 0 };
	u32 bits = front_take(&f, 4) + 5, nr = 0;
	u32 left = (u32)1 << bits;

	if (bits > max_bits)
		return 0;
	while (left && nr <= max_symbol && f.at <= f.in_bits) {
		s32 chance = (s32)front_chance(&f, left) - 1;
		u32 states = chance < 0 ? 1 : (u32)chance;
		if (states > left)
			return 0;
		left -= states;
		chances[nr++] = (s16)chance;
		for (u32 more = chance ? 0 : 3; more == 3;) {
			more = front_take(&f, 2);
			nr += more;
			if (nr > max_symbol + 1 || f.at > f.in_bits)
				return 0;
		}
	}
	if (left || nr > max_symbol + 1 || f.at > f.in_bits)
		return 0;
	zstd_table_build(t, chances, nr, bits);
	return (u32)((f.at + 7) / 8);
}

/* Huffman codes */

/* Reads weights from two alternating states. Returns how many, 0 if they are invalid. */
static u32 read_weights(struct zstd_table *t, const u8 *in, u32 in_bytes, u8 *weights)
{
	u32 header = zstd_table_read(t, in, in_bytes, MAX_WEIGHT, WEIGHT_TABLE_BITS), nr = 0;
	struct zstd_bits b;

	if (!header || header >= in_bytes || !zstd_bits_open(&b, in + header, in_bytes - header))
		return 0;
	u32 state[2];
	state[0] = zstd_bits_take(&b, t->bits);
	state[1] = zstd_bits_take(&b, t->bits);
	if (b.bad)
		return 0;
	for (u32 turn = 0; nr < MAX_SYMBOLS - 2; turn ^= 1) {
		const struct zstd_state *s = &t->states[state[turn]];
		weights[nr++] = s->symbol;
		if (b.left < s->bits) {
			/* At the end the other state gives the last weight. */
			weights[nr++] = t->states[state[turn ^ 1]].symbol;
			return nr;
		}
		state[turn] = s->base + zstd_bits_take(&b, s->bits);
	}
	return 0;
}

/* Builds the codes of the weights, and of one more symbol, which has the remaining weight. */
static int build_codes(struct zstd *z, u8 *weights, u32 nr)
{
	u32 sum = 0, at = 0;

	for (u32 s = 0; s < nr; s++) {
		if (weights[s] > MAX_WEIGHT)
			return 0;
		sum += weights[s] ? (u32)1 << (weights[s] - 1) : 0;
	}
	if (!sum)
		return 0;
	u32 bits = highest_bit(sum) + 1, missing = ((u32)1 << bits) - sum;
	if (bits > ZSTD_HUFFMAN_BITS || (missing & (missing - 1)))
		return 0;
	weights[nr++] = (u8)(highest_bit(missing) + 1);
	for (u32 w = 1; w <= bits; w++) {
		for (u32 s = 0; s < nr; s++) {
			if (weights[s] != w)
				continue;
			for (u32 k = 0; k < (u32)1 << (w - 1); k++)
				z->codes[at++] = (struct zstd_code){ (u8)s, (u8)(bits + 1 - w) };
		}
	}
	if (at != (u32)1 << bits)
		return 0;
	z->code_bits = bits;
	return 1;
}

/* Reads the Huffman codes before literals. Returns the bytes read, 0 if they are invalid. */
static u32 zstd_codes_read(struct zstd *z, const u8 *in, u64 in_bytes)
{
	u8 weights[MAX_SYMBOLS + 1] = { 0 };
	u32 nr, len;

	z->code_bits = 0;
	if (!in_bytes)
		return 0;
	if (in[0] < 128) {
		len = in[0];
		nr = len < in_bytes ? read_weights(&z->weights, in + 1, len, weights) : 0;
	} else {
		nr = in[0] - (u32)127;
		len = (nr + 1) / 2;
		if (len >= in_bytes)
			return 0;
		for (u32 i = 0; i < nr; i++)
			weights[i] = i % 2 ? in[1 + i / 2] & 15 : in[1 + i / 2] >> 4;
	}
	return nr && build_codes(z, weights, nr) ? len + 1 : 0;
}

/*
 * Reads a block's literals, the bytes that are not repeated from earlier ones.
 * They are plain, one repeated byte, or Huffman codes in one stream or in four of nearly equal
 * length.
 */

enum { LITERALS_RAW, LITERALS_RLE, LITERALS_CODED, LITERALS_SAME_CODES };

/* Reads one stream: exactly nr literals, and no further bit. */
static int read_stream(const struct zstd *z, const u8 *in, u32 in_bytes, u8 *to, u32 nr)
{
	struct zstd_bits b;

	if (!zstd_bits_open(&b, in, in_bytes))
		return 0;
	u32 i = 0, shift = 64 - z->code_bits;
	/* Five codes have at most 55 bits, so one load holds them. */
	for (; i + 5 <= nr && b.left >= 64; i += 5) {
		u64 word = 0, from = b.left - 57;
		memcpy(&word, b.start + from / 8, 8);
		word <<= 64 - 57 - from % 8;
		for (u32 k = 0; k < 5; k++) {
			struct zstd_code code = z->codes[word >> shift];
			to[i + k] = code.symbol;
			word <<= code.bits;
			b.left -= code.bits;
		}
	}
	for (; i < nr; i++) {
		struct zstd_code code = z->codes[zstd_bits_peek(&b, z->code_bits)];
		if (code.bits > b.left)
			return 0;
		b.left -= code.bits;
		to[i] = code.symbol;
	}
	return b.left == 0;
}

/* Reads three lengths, then four streams. */
static int read_four(struct zstd *z, const u8 *in, u32 in_bytes)
{
	u32 each = (z->literal_bytes + 3) / 4, at = 6, done = 0;

	if (in_bytes < 6 || each * 3 > z->literal_bytes)
		return 0;
	for (u32 i = 0; i < 4; i++) {
		u32 len = i < 3 ? (u32)(in[2 * i] | in[2 * i + 1] << 8) : in_bytes - at;
		u32 nr = i < 3 ? each : z->literal_bytes - done;
		if (len > in_bytes - at || !read_stream(z, in + at, len, z->literals + done, nr))
			return 0;
		at += len;
		done += nr;
	}
	return 1;
}

static u32 read_plain(struct zstd *z, const u8 *in, u32 in_bytes)
{
	static const u8 header_bytes[] = { 1, 2, 1, 3 };
	u32 format = in[0] >> 2 & 3, header = header_bytes[format], size = in[0] >> 3;

	if (in_bytes < header)
		return 0;
	if (header > 1)
		size = (u32)(in[0] >> 4 | in[1] << 4);
	if (header > 2)
		size |= (u32)in[2] << 12;
	u32 is_rle = (in[0] & 3) == LITERALS_RLE, len = is_rle ? 1 : size;
	if (size > ZSTD_MAX_LITERALS || len > in_bytes - header)
		return 0;
	if (is_rle)
		memset(z->literals, in[header], size);
	else
		memcpy(z->literals, in + header, size);
	z->literal_bytes = size;
	return header + len;
}

u32 zstd_literals_read(struct zstd *z, const u8 *in, u32 in_bytes)
{
	static const u8 header_bytes[] = { 3, 3, 4, 5 }, size_bits[] = { 10, 10, 14, 18 };
	u64 word = 0;

	if (!in_bytes)
		return 0;
	u32 kind = in[0] & 3, format = in[0] >> 2 & 3, header = header_bytes[format];
	if (kind < LITERALS_CODED)
		return read_plain(z, in, in_bytes);
	if (in_bytes < header)
		return 0;
	for (u32 i = 0; i < header; i++)
		word |= (u64)in[i] << 8 * i;
	u64 mask = ((u64)1 << size_bits[format]) - 1;
	u32 len = (u32)(word >> (4 + size_bits[format]) & mask), codes = 0;
	z->literal_bytes = (u32)(word >> 4 & mask);
	if (len > in_bytes - header || z->literal_bytes > ZSTD_MAX_LITERALS)
		return 0;
	if (kind == LITERALS_CODED) {
		codes = zstd_codes_read(z, in + header, len);
		if (!codes)
			return 0;
	}
	if (!z->code_bits)
		return 0;
	const u8 *at = in + header + codes;
	int good = format ? read_four(z, at, len - codes)
			  : read_stream(z, at, len - codes, z->literals, z->literal_bytes);
	return good ? header + len : 0;
}
