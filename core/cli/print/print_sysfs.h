/*
 * print_sysfs.h - prints caches as /sys/kernel/slab and /proc/slabinfo show them, as JSON members.
 */
#ifndef CLI_PRINT_PRINT_SYSFS_H
#define CLI_PRINT_PRINT_SYSFS_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* A copy of all lines of slabinfo, because rows of the session last until the next call only. */
struct slabinfo {
	struct kmem_slabinfo_row *rows; /* malloc'ed */
	u32 nr;
};

struct slabinfo slabinfo_take(const struct host *h);
/* Writes the members "sysfs", with the content of each file, and "slabinfo" of one cache; null if its kernel has
 * none. */
void sysfs_json(struct json *j, const struct host *h, const struct slabinfo *info, u32 cache);

#endif
