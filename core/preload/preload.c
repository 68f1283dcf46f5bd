/*
 * preload.c - see preload.h. Nothing here allocates, because its callers serve malloc.
 */
#define _GNU_SOURCE
#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Which file the code at an address comes from: /proc/self/maps. */

enum { LINE_BYTES = 4096, MAX_KNOWN = 1024 };

/* Only one thread at a time gets here, so one buffer is enough. */
static char map_text[2 * LINE_BYTES];
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
		long got = syscall(SYS_read, fd, map_text + used, LINE_BYTES);
		if (got <= 0)
			return 0;
		u32 len = used + (u32)got, at = 0;
		for (u32 i = used; i < len; i++) {
			if (map_text[i] != '\n')
				continue;
			map_text[i] = 0;
			if (read_line(map_text + at, address, out))
				return 1;
			at = i + 1;
		}
		used = len - at;
		memmove(map_text, map_text + at, used);
		/* A path this long is left out. */
		if (used > LINE_BYTES)
			used = 0;
	}
}

static int find_mapping(u64 address, struct record_module *out)
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
	int is_new = address && nr_known < MAX_KNOWN && find_mapping(address, out);
	errno = before;
	if (!is_new)
		return 0;
	known[nr_known].start = out->start;
	known[nr_known++].end = out->end;
	return 1;
}

/* Use system calls: in functions of the C library a thread can be cancelled, with a lock held. */
int preload_open(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

void preload_close(int fd)
{
	if (fd >= 0)
		syscall(SYS_close, fd);
}

int preload_open_keyed(const char *path, uint64_t key, int flags)
{
	/* The file may be anything: a terminal, or a pipe without a writer. */
	int fd = preload_open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | flags);
	uint64_t found = 0;

	if (fd >= 0 && syscall(SYS_pread64, fd, &found, sizeof(found), (off_t)0) == sizeof(found) &&
	    found == key && key)
		return fd;
	preload_close(fd);
	return -1;
}

/* Reads "NAME=value" from records that end with NUL. */
static long find(int fd, const char *name, char *text, size_t room)
{
	char chunk[512];
	size_t at = 0, len = 0, name_len = strlen(name);
	long got;
	int is_found = 0, is_other = 0;

	while ((got = syscall(SYS_read, fd, chunk, sizeof(chunk))) > 0) {
		for (long i = 0; i < got; i++) {
			if (is_found) {
				if (len == room)
					return -1;
				text[len++] = chunk[i];
				if (!chunk[i])
					return (long)len - 1;
			} else if (!chunk[i]) {
				at = 0;
				is_other = 0;
			} else if (!is_other && at == name_len && chunk[i] == '=') {
				is_found = 1;
			} else {
				is_other |= at >= name_len || chunk[i] != name[at];
				at++;
			}
		}
	}
	return -1;
}

long preload_variable(const char *name, char *text, size_t room)
{
	int fd = preload_open("/proc/self/environ", O_RDONLY);
	long len = fd < 0 ? -1 : find(fd, name, text, room);

	preload_close(fd);
	if (len >= 0)
		return len;
	for (char **one = environ; one && *one; one++) {
		size_t n = strlen(name);
		if (strncmp(*one, name, n) != 0 || (*one)[n] != '=' || strlen(*one + n + 1) >= room)
			continue;
		strcpy(text, *one + n + 1);
		return (long)strlen(text);
	}
	return -1;
}

char *preload_line(char **text, char **value)
{
	char *name = *text;

	while (*name == '\n')
		name++;
	if (!*name)
		return NULL;
	size_t len = strcspn(name, "\n");
	*text = name + len + (name[len] != 0);
	name[len] = 0;
	*value = strchr(name, '=');
	if (!*value)
		return NULL;
	*(*value)++ = 0;
	return name;
}

unsigned long long preload_number(const char *value)
{
	unsigned long long n = 0;

	for (; *value >= '0' && *value <= '9'; value++)
		n = n * 10 + (unsigned long long)(*value - '0');
	return n;
}

static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		long put = syscall(SYS_write, fd, p, len);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return 0;
		p += put;
		len -= (size_t)put;
	}
	return 1;
}

/*
 * Past `ulimit -f` and into a pipe that nobody reads, a write sends its thread a signal, which would end the program. A
 * signal that was already pending is the program's own and stays.
 */
int preload_write(int fd, const void *bytes, size_t len)
{
	sigset_t ours, before, pending;

	sigemptyset(&ours);
	sigaddset(&ours, SIGXFSZ);
	sigaddset(&ours, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	sigpending(&pending);
	int done = write_all(fd, bytes, len), error = errno;
	int sent = done ? 0 : error == EFBIG ? SIGXFSZ : error == EPIPE ? SIGPIPE : 0;
	if (sent && !sigismember(&pending, sent)) {
		sigemptyset(&ours);
		sigaddset(&ours, sent);
		syscall(SYS_rt_sigtimedwait, &ours, NULL, &(struct timespec){ 0 }, _NSIG / 8);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return done;
}

void preload_find(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

u64 preload_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

void preload_exit(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

void preload_complain(const char *sentence)
{
	char line[512];
	size_t len = 0;

	for (const char *part = "slabscope: "; *part; part++)
		line[len++] = *part;
	while (*sentence && len < sizeof(line) - 1)
		line[len++] = *sentence++;
	line[len++] = '\n';
	preload_write(STDERR_FILENO, line, len);
}
