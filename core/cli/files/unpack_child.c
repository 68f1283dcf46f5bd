/*
 * unpack_child.c - the child that unpacks. The parent reads its text from a pipe, so both work at the same time.
 *
 * Neither of them keeps more than a few pieces in memory, whatever the ratio of compression.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kmem_types.h"
#include "cli/files/unpack_child.h"

/* The largest window plus a quarter, and the rest; only used pages become memory. */
#define REGION_BYTES ((u64)192 << 20)

int is_packed(const u8 *head, u32 head_bytes)
{
	static const u8 zstd[] = { 0x28, 0xb5, 0x2f, 0xfd }, skipped[] = { 0x2a, 0x4d, 0x18 };

	if (head_bytes >= 2 && head[0] == 0x1f && head[1] == 0x8b)
		return 1;
	if (head_bytes < sizeof(zstd))
		return 0;
	/* A file of several frames may begin with a frame without text. */
	return memcmp(head, zstd, sizeof(zstd)) == 0 ||
	       (head[0] >> 4 == 5 && memcmp(head + 1, skipped, sizeof(skipped)) == 0);
}

static void write_all(int fd, const u8 *bytes, u64 len_bytes)
{
	for (u64 at = 0; at < len_bytes;) {
		ssize_t put = write(fd, bytes + at, len_bytes - at);
		if (put < 0 && errno != EINTR)
			_exit(UNPACK_REFUSED);
		at += put > 0 ? (u64)put : 0;
	}
}

_Noreturn static void end(int words, int how, const char *sentence)
{
	write_all(words, (const u8 *)sentence, strlen(sentence));
	_exit(how);
}

static ssize_t read_some(int fd, u8 *to, u32 room_bytes)
{
	ssize_t got;

	do
		got = read(fd, to, room_bytes);
	while (got < 0 && errno == EINTR);
	return got;
}

_Noreturn void unpack_here(int from, const u8 *head, u32 head_bytes, int text, int words)
{
	void *region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kmem_unpack *u = region == MAP_FAILED ? NULL
						     : kmem_unpack_open(region, REGION_BYTES);
	u32 room_bytes;

	if (!u)
		end(words, UNPACK_REFUSED,
		    "Not enough memory to unpack it: unpack the file first.");
	memcpy(kmem_unpack_input(u, &room_bytes), head, head_bytes);
	kmem_unpack_run(u, head_bytes, 0);
	for (;;) {
		u8 *to = kmem_unpack_input(u, &room_bytes);
		ssize_t got = read_some(from, to, room_bytes);
		if (got < 0)
			end(words, UNPACK_DAMAGED, "The file cannot be read to its end.");
		s32 len = kmem_unpack_run(u, (u32)got, got == 0);
		for (; len > 0; len = kmem_unpack_run(u, 0, got == 0))
			write_all(text, kmem_unpack_output(u), (u64)len);
		if (len < 0)
			end(words, len == KMEM_EINPUT ? UNPACK_DAMAGED : UNPACK_REFUSED,
			    kmem_unpack_error(u));
		if (got == 0)
			_exit(UNPACKED);
	}
}
