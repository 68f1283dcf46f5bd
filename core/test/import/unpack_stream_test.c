/*
 * unpack_stream_test.c - kmem_unpack on what gzip and zstd pack: pieces of any size, several frames, long windows, and
 * every flipped bit or cut is noticed; the bytes handed out at a time are bounded, however well they were packed.
 *
 * Without these programs, only the frames written here are tried.
 */
#define _GNU_SOURCE
#include "kmem_types.h"
#include "test/support/check.h"
#include "util/scan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PLAIN_BYTES = 5 << 20,
	ROOM_BYTES = PLAIN_BYTES + (1 << 20),
	MOST_AT_ONCE = 512 << 10,
	COMMAND_BYTES = 400,
};
#define REGION_BYTES ((u64)192 << 20)

static u8 plain[PLAIN_BYTES], packed[ROOM_BYTES], unpacked[ROOM_BYTES];
static u8 *region;
static u32 seed = 1;

static u32 next_random(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

/* Makes text like a trace's, whose second half repeats the first from 2.5 MiB back. */
static void fill(void)
{
	u32 half = PLAIN_BYTES / 2, at = 0;

	while (at < half) {
		char line[100];
		int n = snprintf(
			line, sizeof(line), "cat-%u [%03u] kmalloc: ptr=%08x bytes_req=%u\n",
			next_random() % 50, next_random() % 8, next_random(), next_random() % 400);
		memcpy(plain + at, line, MIN((u32)n, half - at));
		at += MIN((u32)n, half - at);
	}
	memcpy(plain + half, plain, half);
}

/* Appends the output of a shell command for plain bytes to what is already packed. */
static u32 pack(const char *command, u32 from, u32 len, u32 at)
{
	char path[] = "/tmp/slabscope-unpack-XXXXXX", line[COMMAND_BYTES];
	int fd = mkstemp(path);
	u32 got = 0;

	if (fd < 0)
		return 0;
	if (write(fd, plain + from, len) == (ssize_t)len) {
		snprintf(line, sizeof(line), "%s <%s 2>/dev/null", command, path);
		FILE *pipe = popen(line, "r");
		if (pipe) {
			got = (u32)fread(packed + at, 1, sizeof(packed) - at, pipe);
			pclose(pipe);
		}
	}
	close(fd);
	unlink(path);
	return got;
}

/* Unpacks as a host does; returns the status, with the bytes in *out_bytes. */
static s32 unpack(const u8 *bytes, u32 len, u32 piece, u32 *out_bytes, char *error)
{
	struct kmem_unpack *u = kmem_unpack_open(region, REGION_BYTES);
	u32 at = 0;
	s32 got;

	*out_bytes = 0;
	for (;;) {
		u32 room, n = 0;
		u8 *to = kmem_unpack_input(u, &room);
		if (at < len) {
			n = MIN(MIN(room, piece), len - at);
			memcpy(to, bytes + at, n);
			at += n;
		}
		u32 was_last = at == len;
		for (got = kmem_unpack_run(u, n, was_last); got > 0;
		     got = kmem_unpack_run(u, 0, was_last)) {
			CHECK(got <= MOST_AT_ONCE, "%d", got);
			if (*out_bytes + (u32)got > sizeof(unpacked))
				return KMEM_ELIMIT;
			memcpy(unpacked + *out_bytes, kmem_unpack_output(u), (u32)got);
			*out_bytes += (u32)got;
		}
		if (got < 0 || was_last) {
			snprintf(error, COMMAND_BYTES, "%s", kmem_unpack_error(u));
			return got;
		}
	}
}

static void check_whole(const char *name, u32 len, u32 plain_bytes)
{
	static const u32 pieces[] = { 1 << 20, 4096, 777, 17 };
	char error[COMMAND_BYTES];
	u32 out_bytes;

	for (u32 i = 0; i < ARRAY_SIZE(pieces); i++) {
		s32 status = unpack(packed, len, pieces[i], &out_bytes, error);
		CHECK(status == KMEM_OK && out_bytes == plain_bytes &&
			      memcmp(unpacked, plain, plain_bytes) == 0,
		      "%s in pieces of %u: %d after %u of %u bytes: %s", name, pieces[i], status,
		      out_bytes, plain_bytes, error);
	}
}

/* A flipped bit is noticed or makes no difference; the bytes before the fault match what was packed. */
static void check_damaged(const char *name, u32 len, u32 plain_bytes, u32 times)
{
	char error[COMMAND_BYTES];
	u32 out_bytes;

	for (u32 i = 0; i < times; i++) {
		u32 at = i < 20 ? i % len
				: (i < 40 ? len - 1 - (i - 20) % len : next_random() % len);
		u8 bit = (u8)(1 << next_random() % 8);
		packed[at] ^= bit;
		s32 status = unpack(packed, len, 1 << 20, &out_bytes, error);
		packed[at] ^= bit;
		int same = out_bytes == plain_bytes && memcmp(unpacked, plain, plain_bytes) == 0;
		CHECK(status < 0 || same, "%s: bit %u of byte %u of %u", name, bit, at, len);
		CHECK(status == KMEM_OK || error[0], "%s has a sentence", name);
		u32 cut = i ? next_random() % len : 0;
		status = unpack(packed, cut, 1 << 20, &out_bytes, error);
		CHECK(status < 0 || cut == 0 || out_bytes < plain_bytes, "%s: cut at %u", name,
		      cut);
		CHECK(out_bytes <= plain_bytes && memcmp(unpacked, plain, out_bytes) == 0,
		      "%s: cut at %u", name, cut);
	}
}

static void check_kinds(void)
{
	static const struct {
		const char *command;
		u32 bytes;
		u32 damages;
	} kinds[] = {
		{ "gzip -1", PLAIN_BYTES, 0 },
		{ "gzip -9", PLAIN_BYTES / 2, 0 },
		{ "gzip -6", 60000, 300 },
		{ "gzip", 0, 40 },
		{ "gzip", 1, 60 },
		{ "zstd -q -c -1", PLAIN_BYTES, 0 },
		{ "zstd -q -c -19", PLAIN_BYTES / 4, 0 },
		{ "zstd -q -c -3 --long=27", PLAIN_BYTES, 0 },
		{ "cat | zstd -q -c -3 --long=27", PLAIN_BYTES, 0 },
		{ "zstd -q -c -3 --check", 60000, 300 },
		{ "cat | zstd -q -c -3", 60000, 300 },
		{ "zstd -q -c", 0, 40 },
		{ "zstd -q -c", 1, 40 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		u32 len = pack(kinds[i].command, 0, kinds[i].bytes, 0);
		if (!len)
			continue;
		check_whole(kinds[i].command, len, kinds[i].bytes);
		check_damaged(kinds[i].command, len, kinds[i].bytes, kinds[i].damages);
	}
}

static void put_le(u8 *to, u32 bytes, u32 value)
{
	for (u32 i = 0; i < bytes; i++)
		to[i] = (u8)(value >> 8 * i);
}

/* Makes a zip file of gzip's data, or of the plain bytes; the sizes come before or after them. */
static u32 pack_zip(u32 len, int is_stored, int is_behind)
{
	static const u8 name[] = "a.txt";
	enum { HEAD = 30 + sizeof(name) - 1, GZIP_HEAD = 10, GZIP_TAIL = 8, AFTER = 28 };
	u32 gzip = pack("gzip -6 -n", 0, len, 0);
	if (gzip < GZIP_HEAD + GZIP_TAIL)
		return 0;
	u8 *sums = packed + gzip - GZIP_TAIL;
	u32 crc = load4(sums), body = is_stored ? len : gzip - GZIP_HEAD - GZIP_TAIL;
	if (is_stored)
		memcpy(packed + HEAD, plain, len);
	else
		memmove(packed + HEAD, packed + GZIP_HEAD, body);
	memset(packed, 0, HEAD);
	memcpy(packed, "PK\3\4\24", 5);
	put_le(packed + 6, 2, is_behind ? 8 : 0);
	put_le(packed + 8, 2, is_stored ? 0 : 8);
	put_le(packed + 14, 4, is_behind ? 0 : crc);
	put_le(packed + 18, 4, is_behind ? 0 : body);
	put_le(packed + 22, 4, is_behind ? 0 : len);
	put_le(packed + 26, 2, sizeof(name) - 1);
	memcpy(packed + 30, name, sizeof(name) - 1);
	u8 *after = packed + HEAD + body;
	memset(after, 0, AFTER);
	if (is_behind) {
		memcpy(after, "PK\7\10", 4);
		put_le(after + 4, 4, crc);
		put_le(after + 8, 4, body);
		put_le(after + 12, 4, len);
	}
	memcpy(after + (is_behind ? 16 : 0), "PK\1\2", 4);
	return HEAD + body + AFTER;
}

static void check_zip(void)
{
	static const u32 lengths[] = { 300000, 1, 0 };

	for (u32 i = 0; i < 3 * ARRAY_SIZE(lengths); i++) {
		u32 plain_bytes = lengths[i / 3],
		    len = pack_zip(plain_bytes, i % 3 == 1, i % 3 == 2);
		if (!len)
			continue;
		check_whole("zip", len, plain_bytes);
		check_damaged("zip", len, plain_bytes, 60);
	}
}

/* Only one file is read, and nothing that would need a password, another method or a look at the end of the file. */
static void check_zip_refusals(void)
{
	static const struct {
		u32 at, bytes, value;
		const char *words;
	} changes[] = {
		{ 6, 2, 1, "encrypted" },
		{ 8, 2, 12, "unpack it first" },
		{ 34, 1, '/', "no file that could be a trace" },
	};
	char error[COMMAND_BYTES];
	u32 out_bytes, len = pack_zip(1000, 1, 0);

	if (!len)
		return;
	memcpy(packed + len, packed, len);
	memmove(packed + len - 28, packed + len, len);
	CHECK(unpack(packed, 2 * len - 28, 100, &out_bytes, error) == KMEM_ELIMIT, "%s", error);
	CHECK(out_bytes == 1000 && strstr(error, "several files"), "%u: %s", out_bytes, error);
	for (u32 i = 0; i < ARRAY_SIZE(changes); i++) {
		len = pack_zip(1000, 1, 0);
		put_le(packed + changes[i].at, changes[i].bytes, changes[i].value);
		CHECK(unpack(packed, len, 100, &out_bytes, error) == KMEM_ELIMIT && !out_bytes,
		      "%s", error);
		CHECK(strstr(error, changes[i].words) != NULL, "%s", error);
	}
}

/* Frames after frames, some empty, some that hold no text, padding after gzip's. */
static void check_frames(void)
{
	static const u8 skipped[] = { 0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c' };
	static const char *const programs[] = { "gzip -6", "zstd -q -c -3" };
	char error[COMMAND_BYTES];
	u32 out_bytes;

	for (u32 p = 0; p < ARRAY_SIZE(programs); p++) {
		u32 len = 0, done = 0;
		for (u32 i = 0; i < 40; i++) {
			u32 n = i % 7 == 3 ? 0 : 1 + next_random() % 100000;
			u32 more = pack(programs[p], done, n, len);
			if (!more)
				return;
			len += more;
			done += n;
			if (p == 1 && i % 5 == 0) {
				memcpy(packed + len, skipped, sizeof(skipped));
				len += sizeof(skipped);
			}
		}
		check_whole(programs[p], len, done);
		memset(packed + len, 0, 1000);
		s32 status = unpack(packed, len + 1000, 1 << 20, &out_bytes, error);
		CHECK((status == KMEM_OK) == (p == 0) && out_bytes == done, "zeros behind: %d",
		      status);
		packed[len] = 'x';
		status = unpack(packed, len + 30, 1 << 20, &out_bytes, error);
		CHECK(status == KMEM_EINPUT && out_bytes == done, "text behind: %d", status);
	}
}

/* Megabytes of one byte are handed out in pieces, and a window that is too large is refused before anything is. */
static void check_bounds(void)
{
	static const u8 large[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0 };
	static const u8 larger[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x89, 1, 0, 0 };
	static const u8 single[] = {
		0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0
	};
	static const u8 dictionary[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 0, 1, 0, 0 };
	static const u8 header[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x88 };
	static const u8 block[] = { 0x02, 0x00, 0x10, 'x' }, last[] = { 1, 0, 0 };
	char error[COMMAND_BYTES];
	u32 out_bytes, len = sizeof(header);

	memcpy(packed, header, sizeof(header));
	for (u32 i = 0; i < 40; i++, len += sizeof(block))
		memcpy(packed + len, block, sizeof(block));
	memcpy(packed + len, last, sizeof(last));
	CHECK(unpack(packed, len + sizeof(last), 1 << 20, &out_bytes, error) == KMEM_OK, "%s",
	      error);
	CHECK(out_bytes == 40 * 131072, "%u", out_bytes);
	CHECK(unpack(large, sizeof(large), 1 << 20, &out_bytes, error) == KMEM_ELIMIT, "%s", error);
	CHECK(strstr(error, "window of 2048 MiB") != NULL, "%s", error);
	CHECK(unpack(larger, sizeof(larger), 1 << 20, &out_bytes, error) == KMEM_ELIMIT, "%s",
	      error);
	CHECK(unpack(single, sizeof(single), 1 << 20, &out_bytes, error) == KMEM_ELIMIT, "%s",
	      error);
	CHECK(unpack(dictionary, sizeof(dictionary), 1 << 20, &out_bytes, error) == KMEM_EINPUT);
	CHECK(strstr(error, "dictionary") != NULL, "%s", error);
	CHECK(unpack((const u8 *)"cat-1 [000]", 11, 1 << 20, &out_bytes, error) == KMEM_EINPUT);
	CHECK(unpack(packed, 0, 1 << 20, &out_bytes, error) == KMEM_EINPUT, "%s", error);
}

int main(void)
{
	region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (region == MAP_FAILED)
		return 1;
	RUN(fill());
	RUN(check_kinds());
	RUN(check_zip());
	RUN(check_zip_refusals());
	RUN(check_frames());
	RUN(check_bounds());
	return check_summary();
}
