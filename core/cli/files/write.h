/*
 * write.h - a trace as a file: what convert and workload share.
 */
#ifndef CLI_FILES_WRITE_H
#define CLI_FILES_WRITE_H

#include "cli/host/host.h"
#include "cli/files/output.h"

/* The call makes sense: JSON and the trace do not go to one place. */
int write_check(const struct args *args);
/* Ends the output, which output_begin has opened. to: as kmem_export takes it. */
int write_trace(struct host *h, const struct args *args, u32 to, struct output *out);

#endif
