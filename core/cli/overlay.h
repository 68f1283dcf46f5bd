/*
 * overlay.h - a real machine's caches beside the model's.
 */
#ifndef CLI_OVERLAY_H
#define CLI_OVERLAY_H

#include "host.h"
#include "json.h"

/* Reads the files of --cache-params and --overlay, each of which may be several joined by commas; before the trace, which
 * may be large. An exit status; has complained. */
int overlay_read(struct host *h, const struct args *args);
/* Model and machine of each cache, where --overlay asked for it. */
void overlay_json(struct json *j, const struct host *h, const struct args *args);
void overlay_print(const struct host *h, const struct args *args);

#endif
