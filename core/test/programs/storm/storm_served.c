/*
 * storm_served.c - storm.c with its malloc from preload/run without a preload, so the thread sanitizer sees all of it:
 * `make tsan`. The linker's --wrap sends the calls here.
 */
#include <pthread.h>

#include "preload/run/run.h"

/* Replaces the lock and its release, in a build that proves that the sanitizer would notice a missing lock. */
void storm_no_lock(void);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t nr, size_t each);
void *__wrap_realloc(void *p, size_t bytes);
void __wrap_free(void *p);
int __wrap_posix_memalign(void **p, size_t align, size_t bytes);
size_t __wrap_malloc_usable_size(void *p);

void *__wrap_malloc(size_t bytes)
{
	return run_alloc(bytes, 1, NULL);
}

void *__wrap_calloc(size_t nr, size_t each)
{
	void *p = run_alloc(nr * each, 1, NULL);

	return p ? memset(p, 0, nr * each) : NULL;
}

void *__wrap_realloc(void *p, size_t bytes)
{
	return run_realloc(p, bytes, NULL);
}

void __wrap_free(void *p)
{
	if (p)
		run_free(p, NULL);
}

int __wrap_posix_memalign(void **p, size_t align, size_t bytes)
{
	*p = run_alloc(bytes, align, NULL);
	return *p == NULL;
}

size_t __wrap_malloc_usable_size(void *p)
{
	return run_usable(p);
}

void storm_no_lock(void)
{
}

static void in_parent(void)
{
	run_in_parent();
}

static void in_child(void)
{
	run_in_child();
}

/* As malloc.c does, which this file replaces. */
__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(run_before_fork, in_parent, in_child);
}
