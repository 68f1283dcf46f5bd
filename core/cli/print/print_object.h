/*
 * print_object.h - `slabscope state --object`: one object as it lies in memory.
 */
#ifndef CLI_PRINT_PRINT_OBJECT_H
#define CLI_PRINT_PRINT_OBJECT_H

#include "cli/host/cache_names.h"

/* Whether --object names one at all: before the trace is read. */
int check_object(const struct args *args);
/* The object that --object names, at the session's position; an exit status. */
int show_object(struct host *h, const struct args *args, const struct cache_names *names);

#endif
