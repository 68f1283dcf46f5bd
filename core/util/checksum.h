/*
 * checksum.h - the checksums of packed data, piece by piece: CRC-32 for gzip (RFC 1952), XXH64 for
 * zstd (RFC 8878).
 */
#ifndef UTIL_CHECKSUM_H
#define UTIL_CHECKSUM_H

#include "kmem_types.h"

enum { XXH64_STRIPE = 32 };

struct crc32 {
	u32 value;
	u32 tables[8][256]; /* for a byte, and for a byte with up to seven bytes after it */
};

/* Builds the tables. */
void crc32_open(struct crc32 *c);
void crc32_begin(struct crc32 *c);
void crc32_add(struct crc32 *c, const u8 *bytes, u64 len_bytes);

struct xxh64 {
	u64 lanes[4];
	u64 total_bytes;
	u8 rest[XXH64_STRIPE]; /* an incomplete stripe */
	u32 rest_bytes;
};

void xxh64_begin(struct xxh64 *x);
void xxh64_add(struct xxh64 *x, const u8 *bytes, u64 len_bytes);
u64 xxh64_value(const struct xxh64 *x);

#endif
