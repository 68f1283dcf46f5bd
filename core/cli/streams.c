/*
 * streams.c - the child that unpacks, and a file without a name.
 *
 * The parent reads the child's text from a pipe, so both work at the same time. Neither of them keeps more than a few pieces in
 * memory, whatever the ratio of compression.
 *
 * A perf.data of a gigabyte that comes through a pipe would need a gigabyte in memory: it goes through a file, which the kernel
 * removes as soon as it is closed, at the latest with the process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/streams.h"
#include "kmem_types.h"

/* The largest window plus a quarter, and the rest; only used pages become memory. */
#define REGION_BYTES ((u64)192 << 20)

/* A trace compresses to a tenth or a fiftieth, and xz can shrink a megabyte of zeros 7,000 times. */
#define FREE_XZ_BYTES ((u64)32 << 20)
#define MOST_XZ_BYTES ((u64)64 << 30) /* where the packed size is unknown */
enum { MOST_XZ_RATIO = 2000, NO_XZ = 127 };

static const u8 xz[] = { 0xfd, '7', 'z', 'X' };

int is_packed(const u8 *head, u32 head_bytes)
{
	static const u8 zstd[] = { 0x28, 0xb5, 0x2f, 0xfd }, skipped[] = { 0x2a, 0x4d, 0x18 },
			zip[] = { 'P', 'K', 3, 4 };

	if (head_bytes >= 2 && head[0] == 0x1f && head[1] == 0x8b)
		return 1;
	if (head_bytes < sizeof(zstd))
		return 0;
	if (memcmp(head, zip, sizeof(zip)) == 0 || memcmp(head, xz, sizeof(xz)) == 0)
		return 1;
	/* A file of several frames may start with a frame without text. */
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

ssize_t read_some(int fd, void *to, size_t room_bytes)
{
	ssize_t got;

	do
		got = read(fd, to, room_bytes);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Where the child writes; its own children must not keep them open. */
struct ends {
	int text, words;
};

/* Makes a pipe with all bytes: those already taken from the first pipe, then the others. */
static int whole_stream(int from, const u8 *head, u32 head_bytes, const struct ends *to)
{
	static u8 piece[1 << 16];
	int all[2];
	ssize_t got = head_bytes;

	if (pipe(all) < 0)
		return -1;
	pid_t feeder = fork();
	if (feeder) {
		close(all[1]);
		return feeder < 0 ? -1 : all[0];
	}
	close(all[0]);
	close(to->text);
	close(to->words);
	memcpy(piece, head, head_bytes);
	for (; got > 0; got = read_some(from, piece, sizeof(piece)))
		write_all(all[1], piece, (u64)got);
	_exit(0);
}

/* Starts xz on `from`. Returns the process, and where its text and its words come from. */
static pid_t start_xz(int from, int *text, int *words, const struct ends *to)
{
	int out[2], err[2];

	if (from < 0 || pipe(out) < 0 || pipe(err) < 0)
		return -1;
	pid_t child = fork();
	if (child == 0) {
		dup2(from, STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		/* With the other ends open it would never notice that nobody reads any more. */
		const int others[] = { out[0], out[1], err[0], err[1], to->text, to->words };
		for (u32 i = 0; i < ARRAY_SIZE(others); i++)
			close(others[i]);
		execlp("xz", "xz", "-dc", "--memlimit-decompress=192MiB", (char *)NULL);
		_exit(NO_XZ);
	}
	close(out[1]);
	close(err[1]);
	*text = out[0];
	*words = err[0];
	return child;
}

/* Returns why xz failed, in its own words. */
static const char *words_of_xz(int from)
{
	static char said[200] = "xz: ", sentence[240];
	ssize_t got = read_some(from, said, sizeof(said) - 1);
	const char *colon = NULL;

	said[got > 0 ? got : 0] = 0;
	said[strcspn(said, "\n")] = 0;
	for (const char *p = said; *p; p++)
		colon = *p == ':' && p[1] == ' ' ? p + 2 : colon;
	snprintf(sentence, sizeof(sentence), "xz cannot unpack it: %s.",
		 colon && *colon ? colon : "it gave no reason");
	return sentence;
}

/* The core can't unpack xz, but the program xz can. */
static _Noreturn void unpack_by_xz(int from, int is_whole, const struct ends *to)
{
	static u8 piece[1 << 16];
	struct stat st;
	u64 most = MOST_XZ_BYTES, done = 0;
	int out, err, how = 0;
	ssize_t got;

	if (is_whole && fstat(from, &st) == 0 && S_ISREG(st.st_mode))
		most = MAX((u64)st.st_size * MOST_XZ_RATIO, FREE_XZ_BYTES);
	pid_t child = start_xz(from, &out, &err, to);
	if (child < 0)
		end(to->words, UNPACK_REFUSED, "No process could be started to unpack it.");
	while ((got = read_some(out, piece, sizeof(piece))) > 0 && done + (u64)got <= most) {
		write_all(to->text, piece, (u64)got);
		done += (u64)got;
	}
	close(out);
	if (got > 0)
		end(to->words, UNPACK_REFUSED, "It unpacks to far more than any trace does.");
	waitpid(child, &how, 0);
	if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
		_exit(UNPACKED);
	if (WIFEXITED(how) && WEXITSTATUS(how) == NO_XZ)
		end(to->words, UNPACK_REFUSED,
		    "The program xz unpacks such files, and it is not installed: install xz-utils, or "
		    "unpack the file elsewhere.");
	end(to->words, UNPACK_DAMAGED, words_of_xz(err));
}

_Noreturn void unpack_here(int from, const u8 *head, u32 head_bytes, int is_whole, int text,
			   int words)
{
	const struct ends ends = { text, words };

	if (memcmp(head, xz, sizeof(xz)) == 0)
		unpack_by_xz(is_whole ? from : whole_stream(from, head, head_bytes, &ends),
			     is_whole, &ends);
	if (is_whole)
		head_bytes = 0;
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

/* A file without a name */

enum stream_kind stream_kind(const u8 *bytes, u64 len_bytes)
{
	/* A perf.data that was written to a pipe has this header size. */
	static const u8 pipe_magic[SPOOL_MAGIC_BYTES] = "PERFILE2\x10";

	if (len_bytes < SPOOL_MAGIC_BYTES)
		return STREAM_OF_LINES;
	if (memcmp(bytes, pipe_magic, sizeof(pipe_magic)) == 0)
		return STREAM_OF_RECORDS;
	if (memcmp(bytes, "PERFILE2", 8) == 0 || memcmp(bytes, "\x17\x08\x44tracing", 10) == 0)
		return STREAM_TO_SPOOL;
	return STREAM_OF_LINES;
}

int spool_open(void)
{
	int fd = -1;

#ifdef O_TMPFILE
	/* /tmp is last, because it is often in memory. */
	const char *const folders[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };

	for (u32 i = 0; fd < 0 && i < ARRAY_SIZE(folders); i++) {
		if (folders[i])
			fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	}
#endif
	if (fd < 0) {
		FILE *file = tmpfile();
		fd = file ? dup(fileno(file)) : -1;
		if (file)
			fclose(file);
	}
	return fd;
}

int spool_write(int fd, const u8 *bytes, u64 len_bytes)
{
	off_t before = lseek(fd, 0, SEEK_CUR);
	u64 done = 0;

	while (done < len_bytes) {
		ssize_t put = write(fd, bytes + done, len_bytes - done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			/* On a full disk, restore the size: the caller still has these bytes. */
			if (ftruncate(fd, before) < 0)
				return 0;
			lseek(fd, before, SEEK_SET);
			return 0;
		}
		done += (u64)put;
	}
	return 1;
}
