/*
 * checksum.c - CRC-32 eight bytes at a time, and XXH64 in stripes of four lanes.
 */
#include "util/checksum.h"
#include "util/scan.h"

/* CRC-32 */

#define CRC32_POLYNOMIAL 0xedb88320u

void crc32_open(struct crc32 *c)
{
	for (u32 i = 0; i < 256; i++) {
		u32 value = i;
		for (u32 bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? CRC32_POLYNOMIAL : 0);
		c->tables[0][i] = value;
	}
	for (u32 k = 1; k < 8; k++) {
		for (u32 i = 0; i < 256; i++) {
			u32 before = c->tables[k - 1][i];
			c->tables[k][i] = before >> 8 ^ c->tables[0][before & 255];
		}
	}
	crc32_begin(c);
}

void crc32_begin(struct crc32 *c)
{
	c->value = 0;
}

void crc32_add(struct crc32 *c, const u8 *bytes, u64 len_bytes)
{
	u32 value = ~c->value;

	for (; len_bytes >= 8; bytes += 8, len_bytes -= 8) {
		u64 word = load8(bytes) ^ value;
		value = 0;
		for (u32 k = 0; k < 8; k++)
			value ^= c->tables[7 - k][word >> 8 * k & 255];
	}
	for (; len_bytes; bytes++, len_bytes--)
		value = value >> 8 ^ c->tables[0][(value ^ *bytes) & 255];
	c->value = ~value;
}

/* XXH64, starting from 0 as zstd does */

#define PRIME_1 0x9e3779b185ebca87ull
#define PRIME_2 0xc2b2ae3d27d4eb4full
#define PRIME_3 0x165667b19e3779f9ull
#define PRIME_4 0x85ebca77c2b2ae63ull
#define PRIME_5 0x27d4eb2f165667c5ull

static u64 rotated(u64 value, u32 bits)
{
	return value << bits | value >> (64 - bits);
}

static u64 mixed(u64 lane, u64 word)
{
	return rotated(lane + word * PRIME_2, 31) * PRIME_1;
}

void xxh64_begin(struct xxh64 *x)
{
	*x = (struct xxh64){ .lanes = { PRIME_1 + PRIME_2, PRIME_2, 0, 0 - PRIME_1 } };
}

static void add_stripe(struct xxh64 *x, const u8 *bytes)
{
	for (u32 i = 0; i < 4; i++)
		x->lanes[i] = mixed(x->lanes[i], load8(bytes + 8 * i));
}

void xxh64_add(struct xxh64 *x, const u8 *bytes, u64 len_bytes)
{
	x->total_bytes += len_bytes;
	if (x->rest_bytes) {
		u32 n = (u32)MIN(len_bytes, (u64)(XXH64_STRIPE - x->rest_bytes));
		memcpy(x->rest + x->rest_bytes, bytes, n);
		x->rest_bytes += n;
		bytes += n;
		len_bytes -= n;
		if (x->rest_bytes < XXH64_STRIPE)
			return;
		add_stripe(x, x->rest);
		x->rest_bytes = 0;
	}
	for (; len_bytes >= XXH64_STRIPE; bytes += XXH64_STRIPE, len_bytes -= XXH64_STRIPE)
		add_stripe(x, bytes);
	memcpy(x->rest, bytes, len_bytes);
	x->rest_bytes = (u32)len_bytes;
}

static u64 joined_lanes(const struct xxh64 *x)
{
	static const u8 turns[] = { 1, 7, 12, 18 };
	u64 value = 0;

	if (x->total_bytes < XXH64_STRIPE)
		return PRIME_5;
	for (u32 i = 0; i < 4; i++)
		value += rotated(x->lanes[i], turns[i]);
	for (u32 i = 0; i < 4; i++)
		value = (value ^ mixed(0, x->lanes[i])) * PRIME_1 + PRIME_4;
	return value;
}

u64 xxh64_value(const struct xxh64 *x)
{
	u64 value = joined_lanes(x) + x->total_bytes;
	const u8 *at = x->rest;
	u32 left = x->rest_bytes;

	for (; left >= 8; at += 8, left -= 8)
		value = rotated(value ^ mixed(0, load8(at)), 27) * PRIME_1 + PRIME_4;
	if (left >= 4) {
		value = rotated(value ^ (u64)load4(at) * PRIME_1, 23) * PRIME_2 + PRIME_3;
		at += 4;
		left -= 4;
	}
	for (; left; at++, left--)
		value = rotated(value ^ *at * PRIME_5, 11) * PRIME_1;
	value = (value ^ value >> 33) * PRIME_2;
	value = (value ^ value >> 29) * PRIME_3;
	return value ^ value >> 32;
}
