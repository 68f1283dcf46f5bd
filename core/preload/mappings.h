/*
 * mappings.h - which file the code at an address comes from: /proc/self/maps.
 *
 * dladdr() would be shorter, but it waits for a lock that a thread inside dlopen() may hold.
 */
#ifndef PRELOAD_MAPPINGS_H
#define PRELOAD_MAPPINGS_H

#include "preload/record_spool.h"

/* Finds the mapping of code at an address. Allocates nothing and keeps errno; one thread of a process at a time. Returns 0 if there
 * is none. The module's image is 0. */
int mapping_find(u64 address, struct record_module *out);

#endif
