/*
 * machine_state_files.h - a real machine's caches beside the model's.
 */
#ifndef CLI_HOST_MACHINE_STATE_FILES_H
#define CLI_HOST_MACHINE_STATE_FILES_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* Reads the files of --cache-params and --overlay, each of which may be several joined by commas; before the trace, which
 * may be large. An exit status; has complained. */
int overlay_read(struct host *h, const struct args *args);
/* Model and machine of each cache, where --overlay asked for it. */
void overlay_json(struct json *j, const struct host *h, const struct args *args);
void overlay_print(const struct host *h, const struct args *args);

#endif
