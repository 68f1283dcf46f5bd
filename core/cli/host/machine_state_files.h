/*
 * machine_state_files.h - a real machine's caches beside the model's.
 */
#ifndef CLI_HOST_MACHINE_STATE_FILES_H
#define CLI_HOST_MACHINE_STATE_FILES_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* Reads the files of --cache-params and --machine-state, each of which may be several joined by commas; before the trace, which
 * may be large. An exit status; has complained. */
int machine_state_read(struct host *h, const struct args *args);
/* Model and machine of each cache, where --machine-state asked for it. */
void machine_state_json(struct json *j, const struct host *h, const struct args *args);
void machine_state_print(const struct host *h, const struct args *args);

#endif
