/*
 * target.h - a cache, a slab or a slot as the command line names it.
 */
#ifndef CLI_HOST_TARGET_H
#define CLI_HOST_TARGET_H

#include "cli/host/host.h"

enum { NO_THING = 0xffffffff };

struct thing {
	u32 cache;	 /* CACHE_NONE: none was named */
	u32 slab, index; /* NO_THING for any */
	u32 op;		 /* --object N: the event that has the object, from 0; NO_THING otherwise */
	char name[MAX_NAME_BYTES];
};

/* Parses NAME/N or NAME/N/N; a name may contain slashes. Returns 0 on a mistake. */
int parse_place(const char *word, char *name, u32 *number, u32 nr);
/* Parses --cache, --slab and --object before the trace is read. Returns an exit status, and has complained unless
 * it is EXIT_DONE. */
int parse_thing(const struct args *args, struct thing *thing);
/* Parses --ptr: 0x and hex digits, or hex digits alone. Returns an exit status, and has complained unless it is
 * EXIT_DONE. Then pointers are kept by the next host_import. */
int parse_pointer(const struct args *args, u64 *pointer);
/* Finds the event with that pointer: the latest one, or with --at the nearest one. NO_THING after a complaint. */
u32 find_pointer(struct host *h, const struct args *args, u64 pointer);
/* Finds the cache; the replay must be at its end. */
int find_thing(struct host *h, struct thing *thing);
/* Returns "new-slab" for WHEN_NEW_SLAB. */
const char *condition_name(u32 when);

#endif
