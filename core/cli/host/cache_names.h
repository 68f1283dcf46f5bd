/*
 * cache_names.h - finds caches by the names that the replay gives them.
 */
#ifndef CLI_HOST_CACHE_NAMES_H
#define CLI_HOST_CACHE_NAMES_H

#include "cli/host/host.h"

/* Copies of all cache names: the core's rows last until the next call only. */
struct cache_names {
	u32 nr;
	const char *of[MAX_CACHES];
	char text[MAX_CACHES][MAX_NAME_BYTES];
};

/* Returns an exit status, and has complained unless it is EXIT_DONE. */
int take_names(struct cache_names *names, struct host *h);
/* Finds the number of the cache of that name. Returns an exit status, and has complained unless it is EXIT_DONE. */
int find_cache(const struct cache_names *names, const char *name, u32 *cache);
/* Does both with the name that --cache gives; *cache is CACHE_NONE without it. */
int asked_cache(struct cache_names *names, struct host *h, const struct args *args, u32 *cache);

#endif
