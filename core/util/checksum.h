/*
 * checksum.h - the checksums behind packed data: CRC-32 of gzip (RFC 1952) and XXH64 of zstd (RFC 8878), piece by piece.
 */
#ifndef UTIL_CHECKSUM_H
#define UTIL_CHECKSUM_H

#include "kmem_types.h"

enum { XXH64_STRIPE = 32 };

struct crc32 {
	u32 value;
	u32 tables[8][256]; /* of a byte, and of a byte with up to seven behind it */
};

/* Makes the tables. */
void crc32_open(struct crc32 *c);
void crc32_begin(struct crc32 *c);
void crc32_add(struct crc32 *c, const u8 *bytes, u64 len_bytes);

struct xxh64 {
	u64 lanes[4];
	u64 total_bytes;
	u8 rest[XXH64_STRIPE]; /* of a stripe that is not whole yet */
	u32 rest_bytes;
};

void xxh64_begin(struct xxh64 *x);
void xxh64_add(struct xxh64 *x, const u8 *bytes, u64 len_bytes);
u64 xxh64_value(const struct xxh64 *x);

#endif
