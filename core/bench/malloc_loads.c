/*
 * malloc_loads.c - one load for the malloc of this process, such as it was started with: `bench --malloc --load pairs,2`.
 *
 * The tables of a load come from mmap, so that they are no part of what is measured.
 */
#define _GNU_SOURCE
#include "bench/malloc_loads.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PAIRS = 1000000,
	PAIR_BYTES = 64,
	RANDOM_CALLS = 500000,
	RANDOM_OBJECTS = 10000,
	RECORDED_CALLS = 500000,
};

struct worker {
	void (*run)(struct worker *w);
	void **objects; /* all NULL at first */
	u64 random, nr; /* of calls to make */
	const struct load_call *calls;
	u64 nr_calls;
	pthread_t thread;
};

/* Memory that is not used costs nothing; so the ends of an object are written. */
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

static u64 next_random(struct worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

/* Sizes from 16 to 4,095: each power of two is as likely as the others. */
static void run_random(struct worker *w)
{
	for (u64 i = 0; i < w->nr; i++) {
		u64 r = next_random(w), power = (u64)16 << (r & 7);
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
			const struct load_call *call = &w->calls[i];
			void **object = &w->objects[call->object];
			free(*object);
			*object = call->bytes == LOAD_FREE ? NULL
							   : use(malloc(call->bytes), call->bytes);
		}
	}
}

static const struct {
	const char *name;
	void (*run)(struct worker *w);
	u64 nr;
} loads[] = {
	{ "pairs", run_pairs, PAIRS },
	{ "random", run_random, RANDOM_CALLS },
	{ "recorded", run_recorded, RECORDED_CALLS },
};

static void *start(void *arg)
{
	struct worker *w = arg;

	w->run(w);
	return NULL;
}

static double run_all(struct worker *workers, u32 nr)
{
	u64 from = now_ns();

	for (u32 i = 1; i < nr; i++)
		if (pthread_create(&workers[i].thread, NULL, start, &workers[i]))
			return -1;
	start(&workers[0]);
	for (u32 i = 1; i < nr; i++)
		pthread_join(workers[i].thread, NULL);
	return (double)(now_ns() - from) / 1e9;
}

static void *map(u64 bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Maps the calls. Returns how many objects they need; 0 if the file is not one of calls. */
static u64 read_calls(struct worker *w, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	u64 nr_objects = 0;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(*w->calls))
		return 0;
	w->nr_calls = (u64)st.st_size / sizeof(*w->calls);
	void *calls = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	if (calls == MAP_FAILED)
		return 0;
	w->calls = calls;
	for (u64 i = 0; i < w->nr_calls; i++)
		nr_objects = MAX(nr_objects, (u64)w->calls[i].object + 1);
	return nr_objects;
}

/* Whether the first library of LD_PRELOAD is mapped: the dynamic linker goes on without one that it does not find. */
static u32 is_preloaded(void)
{
	const char *path = getenv("LD_PRELOAD");
	char name[256], line[4096];
	u32 found = 0;

	if (!path)
		return 1;
	size_t len = strcspn(path, ": ");
	snprintf(name, sizeof(name), "%.*s", (int)len, path);
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	/* A file may be found as another version of itself: libx.so.2 is a link to libx.so.2.0. */
	size_t stem = strcspn(base, ".");
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		const char *file = strrchr(line, '/');
		found = file && strncmp(file + 1, base, stem) == 0;
	}
	if (maps)
		fclose(maps);
	return found;
}

static int find_load(const char *which, u32 *load, u32 *threads)
{
	size_t len = strcspn(which, ",");

	*threads = which[len] ? (u32)atoi(which + len + 1) : 1;
	for (*load = 0; *load < ARRAY_SIZE(loads); ++*load)
		if (strlen(loads[*load].name) == len && strncmp(loads[*load].name, which, len) == 0)
			return *threads >= 1 && *threads <= MAX_LOAD_THREADS;
	return 0;
}

int malloc_load(const char *which, const char *path, double scale)
{
	static struct worker workers[MAX_LOAD_THREADS];
	u64 nr_objects = RANDOM_OBJECTS;
	u32 load, threads;

	if (!find_load(which, &load, &threads))
		return refuse_call(
			"--load %.40s: expected pairs, random or recorded, and perhaps a comma and "
			"1 to %u threads",
			which, (u32)MAX_LOAD_THREADS);
	struct worker first = { .run = loads[load].run };
	if (first.run == run_recorded)
		nr_objects = path ? read_calls(&first, path) : 0;
	if (!nr_objects)
		return refuse_call(
			"--load recorded needs the file of calls that --malloc makes of a trace");
	first.nr = (u64)((double)loads[load].nr * scale) + 1;
	for (u32 i = 0; i < threads; i++) {
		workers[i] = first;
		workers[i].random = 0x9e3779b97f4a7c15ull + i;
		workers[i].objects = map(nr_objects * sizeof(void *));
		if (!workers[i].objects)
			return give_up("no memory for the load");
	}
	double seconds = run_all(workers, threads);
	printf("%.9f %u\n", seconds, is_preloaded());
	return seconds < 0 ? EXIT_INPUT : EXIT_DONE;
}
