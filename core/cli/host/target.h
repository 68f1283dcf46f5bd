/*
 * target.h - a cache, a slab or a place for objects, as the command line names it.
 */
#ifndef CLI_HOST_TARGET_H
#define CLI_HOST_TARGET_H

#include "cli/host/host.h"

enum { NO_THING = 0xffffffff };

struct thing {
	u32 cache;	 /* CACHE_NONE: none was named */
	u32 slab, index; /* NO_THING for any */
	u32 op;		 /* --object N: the event whose object it is, from 0, NO_THING elsewhere */
	char name[MAX_NAME_BYTES];
};

/* NAME/N or NAME/N/N; a name may have slashes of its own. 0 if it is not. */
int parse_place(const char *word, char *name, u32 *number, u32 nr);
/* What --cache, --slab and --object say, before the trace is read. An exit status, and it has complained when that is not
 * EXIT_DONE. */
int parse_thing(const struct args *args, struct thing *thing);
/* Its cache; the replay is at its end. */
int find_thing(struct host *h, struct thing *thing);
/* "new-slab" for WHEN_NEW_SLAB. */
const char *moment_name(u32 when);

#endif
