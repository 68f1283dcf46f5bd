/*
 * zstd_literals.c - reads a block's literals, the bytes that are not repeated from earlier ones.
 * They are plain, one repeated byte, or Huffman codes in one stream or in four of nearly equal
 * length.
 */
#include "codec/zstd.h"

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
