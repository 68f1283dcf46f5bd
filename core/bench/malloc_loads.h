/*
 * malloc_loads.h - what `slabscope bench --malloc` does with a malloc: the loads, and the allocators that serve them.
 */
#ifndef BENCH_MALLOC_LOADS_H
#define BENCH_MALLOC_LOADS_H

#include "cli/cli.h"

/* A recorded program as calls: a file of these. */
struct load_call {
	u32 object;
	u32 bytes; /* LOAD_FREE: its free */
};

#define LOAD_FREE (~0u)

enum { MAX_LOAD_THREADS = 64 };

/* A run of one load in a process of its own. */
struct load_result {
	double seconds;	  /* of the calls alone */
	u32 is_preloaded; /* the library that the environment names is there */
};

/*
 * Does `which` = NAME[,THREADS], with the malloc of this process: pairs, random, or recorded, whose calls are in the file at
 * `path`. Prints a struct load_result as two words. Returns an exit status.
 */
int malloc_load(const char *which, const char *path, double scale);
/* Runs all loads, or a program, under each allocator; prints ratios. */
int malloc_bench(struct args *args);

/* "0.1" of --scale; 1 if it is not given, 0 after a mistake. */
double malloc_scale(const struct args *args);

#endif
