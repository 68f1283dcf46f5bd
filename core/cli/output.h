/*
 * output.h - a file that a command writes: afterwards it is complete under its name, or does not exist.
 *
 * The bytes go to a temporary file in the same folder, which replaces the old file once they are safely on the disk.
 * A device, a FIFO and standard output are written directly.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "cli/cli.h"

struct output {
	FILE *file;
	const char *name; /* as the user wrote it, for messages */
	int is_stdout;
	int replaces; /* a file of that name exists */
	int error;    /* errno of the first write that failed */
};

/*
 * Opens the file that -o names, or standard output; call it before anything is read. It refuses as
 * output each file that the call reads, whatever its name: those of options, the first nr_files operands, and the program that it
 * runs with its arguments. These functions return an exit status, and have complained unless it is EXIT_DONE.
 */
int output_begin(struct output *o, const struct args *args, u32 nr_files);
/* Refuses such a file early, for a command that opens it late. */
int output_check(const char *name, const struct args *args, u32 nr_files);
/* 0 if the bytes could not be written; output_end then says why. */
int output_write(struct output *o, const void *bytes, size_t len_bytes);
/* status: of the work. The file gets its name if all is well; otherwise nothing remains. */
int output_end(struct output *o, int status);

/* Removes the temporary file of this process, if there is one. Safe in a signal handler. */
void output_discard(void);

/* Call it in main before anything is opened. It occupies descriptors 0 to 2, so that no file becomes standard
 * output by chance. A file that may not grow is then an error instead of the end of the process. */
void output_prepare(void);

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
