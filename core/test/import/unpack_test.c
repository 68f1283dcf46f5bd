/*
 * unpack_test.c - the programs zstd and gzip pack, we unpack: texts of several kinds, at several levels, whole, cut off
 * and damaged.
 *
 * Without these programs, only the frames written here are tried.
 */
#define _GNU_SOURCE
#include "codec/deflate.h"
#include "codec/zstd.h"
#include "test/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE_BYTES = 300000, PACKED_ROOM = LARGE_BYTES + 4096 };

static struct zstd scratch;
static u8 plain[LARGE_BYTES], packed[PACKED_ROOM], out[LARGE_BYTES + 64];

static u32 seed = 1;

static u32 next_random(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

/* Sorts of text: the same byte, noise, few symbols, words again and again, counts that grow. */
static void fill(u32 sort, u32 len)
{
	for (u32 i = 0; i < len; i++) {
		u32 r = next_random();
		u32 sum = (r & 31) + (r >> 5 & 31) + (r >> 10 & 31);
		const u8 sorts[] = { 7, (u8)r, (u8)("ab"[r & 1]), (u8)sum, (u8)(i / 1000 + i % 7) };
		plain[i] = sorts[sort];
		if (sort == 3 && i > 100 && r % 9 == 0)
			plain[i] = plain[i - 1 - r % 100];
	}
}

/* Packs through a file, because pipes both ways would need two threads. Returns the bytes, 0 without such a
 * program. */
static u32 pack(const char *program, u32 len, u32 level)
{
	char from[] = "/tmp/slabscope-unpack-XXXXXX", command[200];
	int fd = mkstemp(from);
	u32 packed_bytes = 0;

	if (fd < 0)
		return 0;
	if (write(fd, plain, len) == (ssize_t)len) {
		snprintf(command, sizeof(command), "%s -q -c -%u <%s 2>/dev/null", program, level,
			 from);
		FILE *pipe = popen(command, "r");
		if (pipe) {
			packed_bytes = (u32)fread(packed, 1, sizeof(packed), pipe);
			pclose(pipe);
		}
	}
	close(fd);
	unlink(from);
	return packed_bytes;
}

/* Unpacks a copy of exactly this length, so reading past the end is reading past an allocation. */
static int unpacks(const u8 *bytes, u32 len, u32 out_bytes)
{
	u8 *copy = malloc(len ? len : 1);

	memcpy(copy, bytes, len);
	int good = zstd_unpack(&scratch, copy, len, out, out_bytes) == (s64)out_bytes;
	free(copy);
	return good;
}

static void check_packed(u32 sort, u32 len, u32 level)
{
	u32 n = pack("zstd", len, level);

	if (!n)
		return;
	memset(out, 0xaa, sizeof(out));
	CHECK(unpacks(packed, n, len) && memcmp(out, plain, len) == 0, "sort %u, %u bytes, -%u",
	      sort, len, level);
	CHECK(out[len] == 0xaa, "nothing is written behind");
	CHECK(!unpacks(packed, n, len + 1), "one byte more is asked for");
	CHECK(!len || !unpacks(packed, n, len - 1), "one byte less");
	for (u32 i = 0; i < 60; i++) {
		u32 at = next_random() % n;
		unpacks(packed, at, len);
		packed[at] ^= (u8)(1 << i % 8);
		unpacks(packed, n, len);
		packed[at] ^= (u8)(1 << i % 8);
	}
}

/* Replaces gzip's header and trailer by zlib's header; the checksum is not checked. */
static void check_deflated(u32 sort, u32 len, u32 level)
{
	static const u8 usual_header[] = { 0x1f, 0x8b, 8, 0 };
	u32 n = pack("gzip -n", len, level);

	if (n < 18 || memcmp(packed, usual_header, sizeof(usual_header)) != 0)
		return;
	u8 *zlib = packed + 8;
	n -= 8 + 8;
	zlib[0] = 0x78;
	zlib[1] = 0x9c;
	memset(out, 0xaa, sizeof(out));
	CHECK(zlib_unpack(zlib, n, out, len) == (s64)len && memcmp(out, plain, len) == 0,
	      "sort %u, %u bytes, -%u", sort, len, level);
	CHECK(out[len] == 0xaa, "nothing is written behind");
	CHECK(zlib_unpack(zlib, n, out, len + 1) != (s64)len + 1, "one byte more is asked for");
	CHECK(!len || zlib_unpack(zlib, n, out, len - 1) != (s64)len - 1, "one byte less");
	for (u32 i = 0; i < 30; i++) {
		u32 at = next_random() % n;
		u8 *copy = malloc(at ? at : 1);
		memcpy(copy, zlib, at);
		zlib_unpack(copy, at, out, len);
		free(copy);
		zlib[at] ^= (u8)(1 << i % 8);
		zlib_unpack(zlib, n, out, len);
		zlib[at] ^= (u8)(1 << i % 8);
	}
}

static void check_frames(void)
{
	static const u8 raw[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 2, 0x11, 0, 0, 'o', 'k' };
	static const u8 rle[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x2b, 0, 0, 'x' };

	CHECK(unpacks(raw, sizeof(raw), 2) && memcmp(out, "ok", 2) == 0);
	CHECK(unpacks(rle, sizeof(rle), 5) && memcmp(out, "xxxxx", 5) == 0);
	for (u32 n = 0; n < sizeof(raw); n++)
		CHECK(!unpacks(raw, n, 2), "cut off at %u", n);
	CHECK(!unpacks((const u8 *)"\x1f\x8b\x08\x00\x00\x00\x00", 7, 2));
}

int main(void)
{
	static const u32 lengths[] = { 0, 1, 50, 3000, 131073, LARGE_BYTES };
	static const u32 levels[] = { 1, 3, 12, 19 };

	RUN(check_frames());
	for (u32 sort = 0; sort < 5; sort++) {
		for (u32 i = 0; i < ARRAY_SIZE(lengths); i++) {
			fill(sort, lengths[i]);
			RUN(check_packed(sort, lengths[i], levels[(sort + i) % 4]));
			RUN(check_deflated(sort, lengths[i], 1 + (sort + i) % 9));
		}
	}
	return check_summary();
}
