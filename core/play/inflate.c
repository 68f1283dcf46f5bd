/*
 * inflate.c - deflate's blocks: bytes as they are, or Huffman codes of bytes and of lengths with distances.
 *
 * A code is read bit by bit, its value compared with how many codes of each length there are: codes of one length
 * follow one another, so that a value's distance from the first of its length finds the symbol. Slower than tables,
 * and short; what it reads are the few parts of a trace.dat.
 */
#include "inflate.h"

enum { MAX_CODE_BITS = 15, MAX_SYMBOLS = 288, NR_DISTANCES = 30, END_OF_BLOCK = 256 };

struct codes {
	u16 nr[MAX_CODE_BITS + 1]; /* codes of each length */
	u16 symbols[MAX_SYMBOLS];  /* by length, then by symbol */
};

struct inflate {
	const u8 *in, *end;
	u8 *out;
	u64 out_bytes, out_room;
	u64 bits;
	u32 nr_bits;
	u32 bad;
	struct codes lengths, distances;
};

/* Bits */

static u32 take(struct inflate *z, u32 n)
{
	while (z->nr_bits < n) {
		if (z->in == z->end) {
			z->bad = 1;
			return 0;
		}
		z->bits |= (u64)*z->in++ << z->nr_bits;
		z->nr_bits += 8;
	}
	u32 value = (u32)(z->bits & (((u64)1 << n) - 1));
	z->bits >>= n;
	z->nr_bits -= n;
	return value;
}

static u32 take_symbol(struct inflate *z, const struct codes *codes)
{
	u32 code = 0, first = 0, index = 0;

	for (u32 len = 1; len <= MAX_CODE_BITS; len++) {
		code |= take(z, 1);
		u32 nr = codes->nr[len];
		if (z->bad)
			return 0;
		if (code < first + nr)
			return codes->symbols[index + (code - first)];
		index += nr;
		first = (first + nr) << 1;
		code <<= 1;
	}
	z->bad = 1;
	return 0;
}

/* From the length of each symbol's code, 0 for none; 0 if there are more codes than fit. */
static int build(struct codes *codes, const u8 *lengths, u32 nr)
{
	u16 at[MAX_CODE_BITS + 2] = { 0 };
	s32 left = 1;

	memset(codes, 0, sizeof(*codes));
	for (u32 s = 0; s < nr; s++)
		codes->nr[lengths[s]]++;
	codes->nr[0] = 0;
	for (u32 len = 1; len <= MAX_CODE_BITS; len++) {
		left = left * 2 - codes->nr[len];
		if (left < 0)
			return 0;
		at[len + 1] = (u16)(at[len] + codes->nr[len]);
	}
	for (u32 s = 0; s < nr; s++) {
		if (lengths[s])
			codes->symbols[at[lengths[s]]++] = (u16)s;
	}
	return 1;
}

/* Blocks */

static void copy_plain(struct inflate *z)
{
	/* The rest of the byte at work is not used. */
	take(z, z->nr_bits & 7);
	u32 len = take(z, 16), inverted = take(z, 16);

	if (z->bad || len != (inverted ^ 0xffff) || len > z->out_room - z->out_bytes) {
		z->bad = 1;
		return;
	}
	for (u32 i = 0; i < len; i++)
		z->out[z->out_bytes++] = (u8)take(z, 8);
}

static void usual_codes(struct inflate *z)
{
	u8 lengths[MAX_SYMBOLS];

	for (u32 s = 0; s < MAX_SYMBOLS; s++)
		lengths[s] = s < 144 ? 8 : (s < 256 ? 9 : (s < 280 ? 7 : 8));
	build(&z->lengths, lengths, MAX_SYMBOLS);
	for (u32 s = 0; s < NR_DISTANCES; s++)
		lengths[s] = 5;
	build(&z->distances, lengths, NR_DISTANCES);
}

/* Lengths of all codes, themselves in codes; 16 to 18 repeat. */
static int read_lengths(struct inflate *z, const struct codes *codes, u8 *lengths, u32 nr)
{
	for (u32 i = 0; i < nr && !z->bad;) {
		u32 symbol = take_symbol(z, codes), times = 1;
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
		if (times > nr - i)
			return 0;
		while (times--)
			lengths[i++] = value;
	}
	return !z->bad;
}

static int told_codes(struct inflate *z)
{
	static const u8 order[19] = { 16, 17, 18, 0, 8,	 7, 9,	6, 10, 5,
				      11, 4,  12, 3, 13, 2, 14, 1, 15 };
	u8 lengths[MAX_SYMBOLS + 32] = { 0 };
	u32 nr_lengths = take(z, 5) + 257, nr_distances = take(z, 5) + 1, nr = take(z, 4) + 4;

	if (nr_lengths > MAX_SYMBOLS - 2 || nr_distances > NR_DISTANCES)
		return 0;
	for (u32 i = 0; i < nr; i++)
		lengths[order[i]] = (u8)take(z, 3);
	if (z->bad || !build(&z->lengths, lengths, 19))
		return 0;
	struct codes codes = z->lengths;
	memset(lengths, 0, sizeof(lengths));
	return read_lengths(z, &codes, lengths, nr_lengths + nr_distances) &&
	       build(&z->lengths, lengths, nr_lengths) &&
	       build(&z->distances, lengths + nr_lengths, nr_distances);
}

/* Length and distance, and those bytes again; 0 if they cannot be. */
static int copy_again(struct inflate *z, u32 symbol)
{
	u32 length = symbol - 257, bits = 0;

	if (length == 28) {
		length = 258;
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
	if (z->bad || symbol > 285 || distance > z->out_bytes ||
	    length > z->out_room - z->out_bytes)
		return 0;
	for (u32 i = 0; i < length; i++, z->out_bytes++)
		z->out[z->out_bytes] = z->out[z->out_bytes - distance];
	return 1;
}

static void read_coded(struct inflate *z)
{
	while (!z->bad) {
		u32 symbol = take_symbol(z, &z->lengths);
		if (z->bad || symbol == END_OF_BLOCK)
			return;
		if (symbol > END_OF_BLOCK)
			z->bad |= !copy_again(z, symbol);
		else if (z->out_bytes < z->out_room)
			z->out[z->out_bytes++] = (u8)symbol;
		else
			z->bad = 1;
	}
}

int zlib_unpack(const u8 *in, u64 in_bytes, u8 *out, u64 out_bytes)
{
	struct inflate z = {
		.in = in + 2, .end = in + in_bytes, .out = out, .out_room = out_bytes
	};
	u32 last = 0;

	/* Deflate, and no dictionary. */
	if (in_bytes < 2 || (in[0] & 15) != 8 || (in[0] << 8 | in[1]) % 31 || in[1] & 32)
		return 0;
	while (!last && !z.bad) {
		last = take(&z, 1);
		u32 kind = take(&z, 2);
		if (kind == 0) {
			copy_plain(&z);
		} else if (kind == 1) {
			usual_codes(&z);
			read_coded(&z);
		} else if (kind == 2 && told_codes(&z)) {
			read_coded(&z);
		} else {
			z.bad = 1;
		}
	}
	return !z.bad && z.out_bytes == out_bytes;
}
