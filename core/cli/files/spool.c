/*
 * spool.c - a file without a name, for data that come through a pipe but need reads at any offset.
 *
 * In memory, a perf.data of a gigabyte would need a gigabyte. The kernel removes the file as soon as it is closed, at
 * the latest with the process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/spool.h"

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
