/*
 * run_sites.h - names the call sites in the lines of `run --record`.
 */
#ifndef CLI_PROGRAMS_RUN_SITES_H
#define CLI_PROGRAMS_RUN_SITES_H

#include "cli/files/output.h"

/* Copies the lines of the file (preload/run_result.h), with names in the place of addresses. Returns 0 without memory, or if they cannot
 * be read or written. */
int run_sites_write(int fd, struct output *out);

#endif
