/*
 * malloc.c - the functions of malloc that a program calls, and what happens around its start, its forks and its end.
 */
#define _GNU_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLER __builtin_return_address(0)

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

EXPORTED void *malloc(size_t bytes)
{
	return run_alloc(bytes, 1, outer_site ? outer_site : CALLER);
}

EXPORTED void free(void *p)
{
	if (p)
		run_free(p, CALLER);
}

EXPORTED void *calloc(size_t nr, size_t each)
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

EXPORTED void *realloc(void *p, size_t bytes)
{
	return resize(p, bytes, CALLER);
}

EXPORTED void *reallocarray(void *p, size_t nr, size_t each)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, each, &bytes))
		return refuse(ENOMEM);
	return resize(p, bytes, CALLER);
}

EXPORTED int posix_memalign(void **p, size_t align, size_t bytes)
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

EXPORTED void *aligned_alloc(size_t align, size_t bytes)
{
	return is_power_of_two(align) ? run_alloc(bytes, align, CALLER) : refuse(EINVAL);
}

EXPORTED void *memalign(size_t align, size_t bytes)
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

EXPORTED void *valloc(size_t bytes)
{
	return run_alloc(bytes, page_bytes(), CALLER);
}

EXPORTED void *pvalloc(size_t bytes)
{
	size_t page = page_bytes();

	if (bytes > SIZE_MAX - page)
		return refuse(ENOMEM);
	return run_alloc(ALIGN_UP(bytes, page), page, CALLER);
}

EXPORTED size_t malloc_usable_size(void *p)
{
	return p ? run_usable(p) : 0;
}

/* glibc's own memory is not in use. */
EXPORTED int malloc_trim(size_t pad)
{
	(void)pad;
	return 0;
}

EXPORTED int mallopt(int key, int value)
{
	(void)key;
	(void)value;
	return 1;
}

__attribute__((destructor)) static void end(void)
{
	run_end();
}

__attribute__((constructor)) static void begin(void)
{
	run_begin();
	pthread_atfork(run_before_fork, run_in_parent, run_in_child);
	at_quick_exit(end);
}

/* A program may leave without exit(). */
EXPORTED __attribute__((noreturn)) void _exit(int status)
{
	run_end();
	preload_exit(status);
}

EXPORTED __attribute__((noreturn)) void _Exit(int status)
{
	_exit(status);
}
