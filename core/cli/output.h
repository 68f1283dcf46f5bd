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
 * output each file that the call reads, whatever its name: those of options, the first nr_files operands, and the program
 * that it runs with its arguments. A mistake ends the command. Unless output_close() gives it its name, nothing remains of
 * the file.
 */
void output_begin(struct output *o, const struct args *args, u32 nr_files);
/* Refuses such a file early, for a command that opens it late. */
void output_check(const char *name, const struct args *args, u32 nr_files);
/* 0 if the bytes could not be written; output_end then says why. */
int output_write(struct output *o, const void *bytes, size_t len_bytes);
/* The file is complete and gets its name. Returns 0 after complaining if it could not be written; output_end() ends the
 * command. */
int output_close(struct output *o);
void output_end(struct output *o);

/* Removes the temporary file of this process, if there is one. Safe in a signal handler. */
void output_discard(void);

/* Call it in main before anything is opened. It occupies descriptors 0 to 2, so that no file becomes standard
 * output by chance. A file that may not grow is then an error instead of the end of the process. */
void output_prepare(void);

/* Checks the call: JSON and the trace must not go to the same output. */
void write_check(const struct args *args);
/* Writes the trace and ends the output that output_begin opened; returns the bytes. to: as kmem_export takes it. */
u64 write_events(struct host *h, u32 to, struct output *out);
/* The same, with what was written in numbers. Returns an exit status. */
int write_trace(struct host *h, const struct args *args, u32 to, struct output *out);

#endif
