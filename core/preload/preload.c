/*
 * preload.c - see preload.h. Nothing here allocates, because its callers serve malloc.
 */
#define _GNU_SOURCE
#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The functions of the C library would be points where a thread can be cancelled, with a lock held. */
int preload_open(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

void preload_close(int fd)
{
	if (fd >= 0)
		syscall(SYS_close, fd);
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

int preload_write(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

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

void preload_find(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
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
