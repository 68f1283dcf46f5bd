/*
 * print_object.h - `slabscope state --object`: prints one object as it lies in memory.
 */
#ifndef CLI_PRINT_PRINT_OBJECT_H
#define CLI_PRINT_PRINT_OBJECT_H

#include "cli/host/cache_names.h"

/* Checks that --object names an object, before the trace is read. */
int check_object(const struct args *args);
/* Prints the object that --object names, at the session's position; returns an exit status. */
int show_object(struct host *h, const struct args *args, const struct cache_names *names);

#endif
