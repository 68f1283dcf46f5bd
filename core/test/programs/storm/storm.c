/*
 * storm.c - a program that stresses its malloc, for `slabscope run`: threads that check what they wrote, and forks
 * among them. Usage: storm THREADS MILLISECONDS FORKS. Prints "0 wrong" if no object was damaged.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OBJECTS = 150, SHARED = 64, MAX_THREADS = 256, CHILD_OBJECTS = 100 };

struct object {
	unsigned char *p;
	size_t bytes;
	unsigned char value;
};

static long milliseconds;
static int nr_wrong;
static void *shared[SHARED];
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local uint32_t dice;

static uint32_t roll(uint32_t n)
{
	dice = dice * 1664525 + 1013904223;
	return (dice >> 8) % n;
}

static void wrong(void)
{
	__atomic_add_fetch(&nr_wrong, 1, __ATOMIC_RELAXED);
}

static void check(const unsigned char *p, size_t bytes, unsigned char value)
{
	for (size_t i = 0; i < bytes; i++)
		if (p[i] != value) {
			wrong();
			return;
		}
}

static void fill(struct object *o, size_t bytes)
{
	o->bytes = bytes;
	o->value = (unsigned char)roll(256);
	memset(o->p, o->value, bytes);
}

static void allocate(struct object *o)
{
	size_t bytes = roll(50) ? 1 + roll(600) : 1 + roll(200000), align = 16u << roll(9);
	void *aligned = NULL;

	if (roll(4000) == 0)
		bytes = 5 << 20;
	switch (roll(6)) {
	case 0:
		o->p = calloc(1, bytes);
		if (o->p)
			check(o->p, bytes, 0);
		break;
	case 1:
		if (posix_memalign(&aligned, align, bytes) || (uintptr_t)aligned % align)
			wrong();
		o->p = aligned;
		break;
	default:
		o->p = malloc(bytes);
	}
	if (!o->p) {
		wrong();
		return;
	}
	if (malloc_usable_size(o->p) < bytes || (bytes >= 16 && (uintptr_t)o->p % 16))
		wrong();
	fill(o, bytes);
}

static void resize(struct object *o)
{
	size_t bytes = 1 + roll(1000);
	unsigned char *p = realloc(o->p, bytes);

	if (!p) {
		wrong();
		return;
	}
	check(p, bytes < o->bytes ? bytes : o->bytes, o->value);
	o->p = p;
	fill(o, bytes);
}

/* Exchanges objects that another thread frees. */
static void exchange(void)
{
	void *p = malloc(40), *old;
	uint32_t i = roll(SHARED);

	pthread_mutex_lock(&shared_lock);
	old = shared[i];
	shared[i] = p;
	pthread_mutex_unlock(&shared_lock);
	free(old);
}

static int is_over(const struct timespec *began)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - began->tv_sec) * 1000 + (now.tv_nsec - began->tv_nsec) / 1000000 >=
	       milliseconds;
}

static void *work(void *arg)
{
	struct object objects[OBJECTS] = { 0 };
	struct timespec began;

	dice = (uint32_t)(uintptr_t)arg;
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (unsigned i = 1; i % 128 || !is_over(&began); i++) {
		struct object *o = &objects[roll(OBJECTS)];
		if (!o->p) {
			allocate(o);
			continue;
		}
		check(o->p, o->bytes, o->value);
		if (roll(4) == 0) {
			resize(o);
			continue;
		}
		free(o->p);
		o->p = NULL;
		if (roll(8) == 0)
			exchange();
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		free(objects[i].p);
	return NULL;
}

/* Runs a child that allocates, forks once more, and leaves in one of three ways. */
static void child(int nr, char *self)
{
	unsigned char *p[CHILD_OBJECTS];

	for (int i = 0; i < CHILD_OBJECTS; i++) {
		p[i] = malloc((size_t)i * 7 + 1);
		memset(p[i], i, (size_t)i * 7 + 1);
	}
	for (int i = 0; i < CHILD_OBJECTS; i++) {
		if (p[i][i * 7] != (unsigned char)i)
			_exit(1);
		free(p[i]);
	}
	if (fork() == 0)
		exit(0);
	wait(NULL);
	if (nr % 3 == 0)
		execl(self, self, "1", "1", "0", (char *)NULL);
	if (nr % 3 == 1)
		exit(0);
	_exit(0);
}

int main(int argc, char **argv)
{
	long nr = argc == 4 ? atol(argv[1]) : 0, forks = argc == 4 ? atol(argv[3]) : 0;
	pthread_t threads[MAX_THREADS];

	if (nr < 1 || nr > MAX_THREADS)
		return 2;
	milliseconds = atol(argv[2]);
	for (long i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i * 7919 + 1)))
			return 2;
	for (int i = 0; i < forks; i++) {
		int status = 0;
		pid_t pid = fork();
		if (pid == 0) {
			dup2(STDERR_FILENO, STDOUT_FILENO);
			child(i, argv[0]);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			wrong();
	}
	for (long i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SHARED; i++)
		free(shared[i]);
	printf("%d wrong\n", nr_wrong);
	return nr_wrong != 0;
}
