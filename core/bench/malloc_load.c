/*
 * malloc_load.c - what malloc.mjs measures: a program under an allocator, and loads for the malloc of the process that they run in.
 *
 *	malloc_load run LIBRARY PROGRAM...            its seconds, peak bytes and exit status
 *	malloc_load load NAME THREADS SCALE [CALLS]   the seconds of the calls alone
 *
 * Numbers go to descriptor 3, so a program's own output is never among them. The tables of a load come from mmap, so
 * they do not affect the measurement.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kmem_types.h"

enum { NUMBERS = 3, PAIR_BYTES = 64, RANDOM_OBJECTS = 10000, MAX_THREADS = 64 };

/* A call of a recorded program; bytes CALL_FREE: its free. */
struct call {
	u32 object, bytes;
};
#define CALL_FREE (~0u)

struct worker {
	void (*run)(struct worker *w);
	void **objects; /* all NULL at first */
	u64 random, nr; /* nr: calls to make */
	const struct call *calls;
	u64 nr_calls;
	pthread_t thread;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Touch both ends: untouched pages are free. */
static void *use(void *ptr, u64 bytes)
{
	volatile u8 *p = ptr;

	if (p && bytes)
		p[0] = p[bytes - 1] = 1;
	return ptr;
}

static void run_pairs(struct worker *w)
{
	for (u64 i = 0; i < w->nr; i++)
		free(use(malloc(PAIR_BYTES), PAIR_BYTES));
}

/* Sizes from 16 to 4,095: each power of two is as likely as the others. */
static void run_random(struct worker *w)
{
	for (u64 i = 0; i < w->nr; i++) {
		w->random ^= w->random << 13;
		w->random ^= w->random >> 7;
		w->random ^= w->random << 17;
		u64 r = w->random, power = (u64)16 << (r & 7);
		u64 bytes = power | (r >> 8 & (power - 1));
		void **object = &w->objects[(r >> 32) % RANDOM_OBJECTS];
		free(*object);
		*object = use(malloc(bytes), bytes);
	}
}

static void run_recorded(struct worker *w)
{
	for (u64 done = 0; done < w->nr; done += w->nr_calls) {
		for (u64 i = 0; i < w->nr_calls; i++) {
			const struct call *call = &w->calls[i];
			void **object = &w->objects[call->object];
			free(*object);
			*object = call->bytes == CALL_FREE ? NULL
							   : use(malloc(call->bytes), call->bytes);
		}
	}
}

static void *start(void *arg)
{
	struct worker *w = arg;

	w->run(w);
	return NULL;
}

static void *map(u64 bytes, int fd)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : MAP_POPULATE), fd, 0);

	if (at == MAP_FAILED)
		exit(EXIT_FAILURE);
	return at;
}

/* Maps the calls; returns how many objects they need. */
static u64 map_calls(struct worker *w, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	u64 nr_objects = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(*w->calls))
		exit(EXIT_FAILURE);
	w->nr_calls = (u64)st.st_size / sizeof(*w->calls);
	w->calls = map((u64)st.st_size, fd);
	for (u64 i = 0; i < w->nr_calls; i++)
		nr_objects = MAX(nr_objects, (u64)w->calls[i].object + 1);
	return nr_objects;
}

static int load(const char *name, u32 threads, double scale, const char *calls)
{
	static struct worker workers[MAX_THREADS];
	struct worker first = { .run = *name == 'p' ? run_pairs
				       : calls	    ? run_recorded
						    : run_random,
				.nr = (u64)((*name == 'p' ? 1e6 : 5e5) * scale) + 1 };
	u64 nr_objects = calls ? map_calls(&first, calls) : RANDOM_OBJECTS;

	for (u32 i = 0; i < threads; i++) {
		workers[i] = first;
		workers[i].random = 0x9e3779b97f4a7c15ull + i;
		workers[i].objects = map(nr_objects * sizeof(void *), -1);
	}
	double from = seconds_now();
	for (u32 i = 1; i < threads; i++)
		if (pthread_create(&workers[i].thread, NULL, start, &workers[i]))
			return EXIT_FAILURE;
	start(&workers[0]);
	for (u32 i = 1; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	dprintf(NUMBERS, "%.9f\n", seconds_now() - from);
	return EXIT_SUCCESS;
}

/* Start timing before the fork: a short program may have ended by the time this process continues. */
static int run(const char *library, char **program)
{
	struct rusage usage = { 0 };
	double from = seconds_now();
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (*library)
			setenv("LD_PRELOAD", library, 1);
		execvp(*program, program);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return EXIT_FAILURE;
	dprintf(NUMBERS, "%.9f %llu %d\n", seconds_now() - from,
		(unsigned long long)usage.ru_maxrss * 1024, status);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "run") == 0)
		return run(argv[2], argv + 3);
	if (argc < 5)
		return EXIT_FAILURE;
	return load(argv[2], MIN((u32)atoi(argv[3]), (u32)MAX_THREADS), strtod(argv[4], NULL),
		    argv[5]);
}
