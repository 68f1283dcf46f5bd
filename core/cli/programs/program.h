/*
 * program.h - a program that a command starts with one of our libraries preloaded. Linux only.
 */
#ifndef CLI_PROGRAMS_PROGRAM_H
#define CLI_PROGRAMS_PROGRAM_H

#include "cli/cli.h"

enum {
	MAX_LIBRARY_BYTES = 4096,
	EXIT_NOT_STARTED = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_BY_SIGNAL = 128
};

/* Writes the path of core/preload/NAME's library, which lies in lib/slabscope/ beside the command or in its parent folder.
 * Ends the command if it is not there, or where nothing can be preloaded. */
void program_library(const char *name, char path[MAX_LIBRARY_BYTES]);

/* Time and memory of a program. */
struct program_cost {
	u64 ns; /* from its start to its end */
	u64 peak_bytes; /* memory in use at most, of the largest process among it and those that it waited for */
};

struct program {
	char *const *argv;
	const char *library;		      /* NULL: none */
	const char *variable, *value;	      /* of its environment */
	void (*at_start)(void *arg, u32 pid); /* in the child, before the program starts */
	void *arg;
	struct program_cost *cost; /* NULL: nobody asks */
};

/*
 * Runs the program to its end and returns its exit status, as a shell does: 128 plus the signal that killed it, 127 if the
 * program is not found. Signals of the terminal are the program's; those that end a process are passed on. *started is 0 if
 * it could not be started: the complaint has been made.
 */
int program_run(const struct program *program, int *started);

#endif
