/*
 * record_modules.c - which file the code at an address comes from: /proc/self/maps, read again when an unknown address calls.
 *
 * dladdr() would be shorter, but it waits for a lock that a thread inside dlopen() may hold.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/record/recorder.h"

enum { LINE_BYTES = 4096 };

/* One thread at a time comes here, so one buffer is enough. */
static char text[2 * LINE_BYTES];
static char program[RECORD_PATH_BYTES];

static int is_known(const struct record_head *head, u32 image, u64 address)
{
	for (u32 i = head->nr_modules; i--;) {
		const struct record_module *m = &head->modules[i];
		if (m->image == image && address >= m->start && address < m->end)
			return 1;
	}
	return 0;
}

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

/* Reads "start-end r-xp offset device inode path", which ends with a zero byte. */
static void read_line(struct record_head *head, u32 image, const char *line)
{
	struct record_module m = { .image = image };

	m.start = read_hex(&line);
	if (*line++ != '-')
		return;
	m.end = read_hex(&line);
	if (strnlen(line, 6) < 6 || line[3] != 'x')
		return;
	line += 6;
	m.offset = read_hex(&line);
	for (u32 i = 0; i < 2; i++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	if (is_known(head, image, m.start) || head->nr_modules == MAX_RECORD_MODULES)
		return;
	memcpy(m.path, line, strnlen(line, sizeof(m.path) - 1));
	m.is_program = program[0] && strcmp(m.path, program) == 0;
	head->modules[head->nr_modules] = m;
	__atomic_store_n(&head->nr_modules, head->nr_modules + 1, __ATOMIC_RELEASE);
}

static void read_lines(struct record_head *head, u32 image, int fd)
{
	u32 used = 0;

	for (;;) {
		long got = syscall(SYS_read, fd, text + used, LINE_BYTES);
		if (got <= 0)
			return;
		u32 len = used + (u32)got, at = 0;
		for (u32 i = used; i < len; i++) {
			if (text[i] != '\n')
				continue;
			text[i] = 0;
			read_line(head, image, text + at);
			at = i + 1;
		}
		used = len - at;
		memmove(text, text + at, used);
		/* A path this long is left out. */
		if (used > LINE_BYTES)
			used = 0;
	}
}

void recorder_learn_module(struct record_head *head, u32 image, u64 address)
{
	if (!address || is_known(head, image, address))
		return;
	if (!program[0]) {
		long len = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program,
				   sizeof(program) - 1);
		program[len > 0 ? len : 0] = 0;
	}
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	read_lines(head, image, fd);
	syscall(SYS_close, fd);
}
