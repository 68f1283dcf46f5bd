/*
 * malloc.c - the functions of malloc that a program calls, and what happens around its start, its forks and its end.
 */
#define _GNU_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLER __builtin_return_address(0)

EXPORTED void *malloc(size_t bytes);
EXPORTED void free(void *p);
EXPORTED void *calloc(size_t nr, size_t each);
EXPORTED void *realloc(void *p, size_t bytes);
EXPORTED void *reallocarray(void *p, size_t nr, size_t each);
EXPORTED int posix_memalign(void **p, size_t align, size_t bytes);
EXPORTED void *aligned_alloc(size_t align, size_t bytes);
EXPORTED void *memalign(size_t align, size_t bytes);
EXPORTED void *valloc(size_t bytes);
EXPORTED void *pvalloc(size_t bytes);
EXPORTED size_t malloc_usable_size(void *p);
EXPORTED int malloc_trim(size_t pad);
EXPORTED int mallopt(int key, int value);
EXPORTED void _exit(int status) __attribute__((noreturn));
EXPORTED void _Exit(int status) __attribute__((noreturn));

static void *refuse(int error)
{
	errno = error;
	return NULL;
}

static int is_power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

static __thread site outer_site;

OPERATOR_NEW(_Znwm, outer_site) /* operator new(unsigned long) */
OPERATOR_NEW(_Znam, outer_site) /* operator new[](unsigned long) */

void *malloc(size_t bytes)
{
	return run_alloc(bytes, 1, outer_site ? outer_site : CALLER);
}

void free(void *p)
{
	if (p)
		run_free(p, CALLER);
}

void *calloc(size_t nr, size_t each)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, each, &bytes))
		return refuse(ENOMEM);
	void *p = run_alloc(bytes, 1, CALLER);
	return p ? memset(p, 0, bytes) : NULL;
}

static void *resize(void *p, size_t bytes, site from)
{
	if (!p)
		return run_alloc(bytes, 1, from);
	if (bytes)
		return run_realloc(p, bytes, from);
	run_free(p, from);
	return NULL;
}

void *realloc(void *p, size_t bytes)
{
	return resize(p, bytes, CALLER);
}

void *reallocarray(void *p, size_t nr, size_t each)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, each, &bytes))
		return refuse(ENOMEM);
	return resize(p, bytes, CALLER);
}

int posix_memalign(void **p, size_t align, size_t bytes)
{
	int error = errno;

	if (!is_power_of_two(align) || align % sizeof(void *))
		return EINVAL;
	void *new = run_alloc(bytes, align, CALLER);
	errno = error;
	if (!new)
		return ENOMEM;
	*p = new;
	return 0;
}

void *aligned_alloc(size_t align, size_t bytes)
{
	return is_power_of_two(align) ? run_alloc(bytes, align, CALLER) : refuse(EINVAL);
}

void *memalign(size_t align, size_t bytes)
{
	size_t power = 1;

	while (power < align && power <= SIZE_MAX / 2)
		power *= 2;
	return run_alloc(bytes, power, CALLER);
}

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void *valloc(size_t bytes)
{
	return run_alloc(bytes, page_bytes(), CALLER);
}

void *pvalloc(size_t bytes)
{
	size_t page = page_bytes();

	if (bytes > SIZE_MAX - page)
		return refuse(ENOMEM);
	return run_alloc(ALIGN_UP(bytes, page), page, CALLER);
}

size_t malloc_usable_size(void *p)
{
	return p ? run_usable(p) : 0;
}

/* glibc's own memory is not in use. */
int malloc_trim(size_t pad)
{
	(void)pad;
	return 0;
}

int mallopt(int key, int value)
{
	(void)key;
	(void)value;
	return 1;
}

static void before_fork(void)
{
	run_before_fork();
}

static void in_parent(void)
{
	run_after_fork(0);
}

static void in_child(void)
{
	run_after_fork(1);
}

__attribute__((destructor)) static void end(void)
{
	run_end();
}

__attribute__((constructor)) static void begin(void)
{
	run_begin();
	pthread_atfork(before_fork, in_parent, in_child);
	at_quick_exit(end);
}

/* A program may leave without exit(). */
__attribute__((noreturn)) static void leave(int status)
{
	run_end();
	for (;;)
		syscall(SYS_exit_group, status);
}

void _exit(int status)
{
	leave(status);
}

void _Exit(int status)
{
	leave(status);
}
