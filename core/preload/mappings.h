/*
 * mappings.h - which file the code at an address comes from: /proc/self/maps.
 *
 * dladdr() would be shorter, but it waits for a lock that a thread inside dlopen() may hold.
 */
#ifndef PRELOAD_MAPPINGS_H
#define PRELOAD_MAPPINGS_H

#include "preload/record_spool.h"

/* Finds the mapping of code at an address. Returns 1 if this is the first time that it is asked for, 0 too if there is none. A child of
 * fork goes on as its parent. Allocates nothing and keeps errno; one thread of a process at a time. The module's image is 0. */
int mapping_learn(u64 address, struct record_module *out);

#endif
