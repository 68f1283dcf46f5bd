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

/* A file that a command makes from a trace. */
struct made_file {
	struct host host;
	const struct args *args;
	struct output out;
	u64 bytes; /* written so far */
};

/* Opens the output, lets `make` import and write, and gives the file its name. `status`: that of the checked call. */
int write_made(struct made_file *f, const struct args *args, int status,
	       int (*make)(struct made_file *f));

#endif
