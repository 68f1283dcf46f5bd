/*
 * write.h - writes a trace to a file: shared by convert and workload.
 */
#ifndef CLI_FILES_WRITE_H
#define CLI_FILES_WRITE_H

#include "cli/host/host.h"
#include "cli/files/output.h"

/* Checks the call: JSON and the trace must not go to the same output. */
int write_check(const struct args *args);
/* Writes the trace; `bytes` gets their number. Returns an exit status. */
int write_events(struct host *h, u32 to, struct output *out, u64 *bytes);
/* Writes the trace and ends the output that output_begin opened. to: as kmem_export takes it. */
int write_trace(struct host *h, const struct args *args, u32 to, struct output *out);

#endif
