/*
 * machine_state_files.h - the files of a real machine's kernel that describe its caches.
 */
#ifndef CLI_HOST_MACHINE_STATE_FILES_H
#define CLI_HOST_MACHINE_STATE_FILES_H

#include "cli/host/host.h"

/* Reads the files of --cache-params and --machine-state; commas join several files. It runs before the trace is
 * read, which may be large. Returns an exit status, and has complained unless it is EXIT_DONE. */
int machine_state_read(struct host *h, const struct args *args);

#endif
