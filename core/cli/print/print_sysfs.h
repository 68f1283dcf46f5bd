/*
 * print_sysfs.h - caches as /sys/kernel/slab and /proc/slabinfo show them, as JSON members.
 */
#ifndef CLI_PRINT_PRINT_SYSFS_H
#define CLI_PRINT_PRINT_SYSFS_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* All lines of slabinfo, to keep: rows of the session live until the next call only. */
struct slabinfo {
	struct kmem_slabinfo_row *rows; /* malloc'ed */
	u32 nr;
};

struct slabinfo slabinfo_take(const struct host *h);
/* The members "sysfs", whose values are what the files read, and "slabinfo" of one cache; null where its kernel has
 * none. */
void sysfs_json(struct json *j, const struct host *h, const struct slabinfo *info, u32 cache);

#endif
