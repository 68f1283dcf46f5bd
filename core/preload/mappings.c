/*
 * mappings.c - see mappings.h.
 */
#define _GNU_SOURCE
#include "preload/mappings.h"
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE_BYTES = 4096, MAX_KNOWN = 1024 };

/* One thread at a time comes here, so one buffer is enough. */
static char text[2 * LINE_BYTES];
static char program[RECORD_PATH_BYTES];
static struct {
	u64 start, end;
} known[MAX_KNOWN];
static u32 nr_known;

static u64 read_hex(const char **p)
{
	u64 value = 0;

	for (;; ++*p) {
		u32 c = (u8) * *p;
		u32 digit = c - '0' < 10u ? c - '0' : c - 'a' < 6u ? c - 'a' + 10 : 16;
		if (digit == 16)
			return value;
		value = value << 4 | digit;
	}
}

/* Reads "start-end r-xp offset device inode path", which ends with a zero byte. Returns 1 if it has the address. */
static int read_line(const char *line, u64 address, struct record_module *m)
{
	m->start = read_hex(&line);
	if (*line++ != '-')
		return 0;
	m->end = read_hex(&line);
	if (address < m->start || address >= m->end || strnlen(line, 6) < 6 || line[3] != 'x')
		return 0;
	line += 6;
	m->offset = read_hex(&line);
	for (u32 i = 0; i < 2; i++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	memset(m->path, 0, sizeof(m->path));
	memcpy(m->path, line, strnlen(line, sizeof(m->path) - 1));
	m->is_program = program[0] && strcmp(m->path, program) == 0;
	return 1;
}

static int read_lines(int fd, u64 address, struct record_module *out)
{
	u32 used = 0;

	for (;;) {
		long got = syscall(SYS_read, fd, text + used, LINE_BYTES);
		if (got <= 0)
			return 0;
		u32 len = used + (u32)got, at = 0;
		for (u32 i = used; i < len; i++) {
			if (text[i] != '\n')
				continue;
			text[i] = 0;
			if (read_line(text + at, address, out))
				return 1;
			at = i + 1;
		}
		used = len - at;
		memmove(text, text + at, used);
		/* A path this long is left out. */
		if (used > LINE_BYTES)
			used = 0;
	}
}

static int find(u64 address, struct record_module *out)
{
	if (!program[0]) {
		long len = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program,
				   sizeof(program) - 1);
		program[len > 0 ? len : 0] = 0;
	}
	int fd = preload_open("/proc/self/maps", O_RDONLY);
	int is_found = fd >= 0 && read_lines(fd, address, out);
	preload_close(fd);
	out->image = 0;
	return is_found;
}

int mapping_learn(u64 address, struct record_module *out)
{
	int before = errno;

	for (u32 i = nr_known; i--;)
		if (address >= known[i].start && address < known[i].end)
			return 0;
	int is_new = address && nr_known < MAX_KNOWN && find(address, out);
	errno = before;
	if (!is_new)
		return 0;
	known[nr_known].start = out->start;
	known[nr_known++].end = out->end;
	return 1;
}
