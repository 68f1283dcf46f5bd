/*
 * output.h - a file that a command writes: it is there in full under its name, or not at all.
 *
 * The bytes go to a temporary file in the same folder, which replaces the old file once they are safe on the disk. A
 * device, a FIFO and standard output are written directly.
 */
#ifndef CLI_FILES_OUTPUT_H
#define CLI_FILES_OUTPUT_H

#include <stdio.h>

#include "cli/host/cli.h"

struct output {
	FILE *file;
	const char *name; /* as the user wrote it, for messages */
	int is_stdout;
	int replaces; /* a file of that name is there */
	int error;    /* errno of the first write that failed */
};

/*
 * Before anything is read: opens what -o names, or standard output. Refuses `input`, the file that is going to be read, as
 * output; NULL: no file is read. These return an exit status and have complained when it is not EXIT_DONE.
 */
int output_begin(struct output *o, const struct args *args, const char *input);
/* 0 if the bytes could not be written; output_end then says why. */
int output_write(struct output *o, const void *bytes, size_t len_bytes);
/* status: of the work. The file gets its name if all is well, else nothing stays. */
int output_end(struct output *o, int status);

/* Removes the temporary file of this process, if there is one. Safe in a signal handler. */
void output_discard(void);

/* For main, before anything is opened: descriptors 0 to 2 are in use from here on, so that no file becomes standard output
 * by chance, and a file that may not grow is an error, not the end of the process. */
void output_prepare(void);

#endif
