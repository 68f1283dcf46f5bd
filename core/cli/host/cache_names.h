/*
 * cache_names.h - caches by the names that the replay gives them.
 */
#ifndef CLI_HOST_CACHE_NAMES_H
#define CLI_HOST_CACHE_NAMES_H

#include "cli/host/host.h"

/* Names of all caches, taken before other rows are made: those live until the next call only. */
struct cache_names {
	u32 nr;
	const char *of[MAX_CACHES];
};

void take_names(struct cache_names *names, const struct host *h);
/* Number of the cache of that name: an exit status, and it has complained when that is not EXIT_DONE. */
int find_cache(const struct cache_names *names, const char *name, u32 *cache);

#endif
