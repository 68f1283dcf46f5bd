/*
 * machine_state_files.h - a real machine's caches beside the model's.
 */
#ifndef CLI_HOST_MACHINE_STATE_FILES_H
#define CLI_HOST_MACHINE_STATE_FILES_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* Reads the files of --cache-params and --machine-state; commas join several files. It runs before the trace is
 * read, which may be large. Returns an exit status, and has complained unless it is EXIT_DONE. */
int machine_state_read(struct host *h, const struct args *args);
/* Writes the model's and the machine's values of each cache, if --machine-state was given. */
void machine_state_json(struct json *j, const struct host *h, const struct args *args);
void machine_state_print(const struct host *h, const struct args *args);

#endif
