/*
 * preload.h - how a library learns the settings of the command that preloads it: one variable of the environment, NAME=VALUE in each line.
 *
 * Reads the environment at the program's start, not the program's own copy: that may have changed, and does not exist
 * yet when the dynamic linker allocates.
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include "preload/record_spool.h"

/* Marks what a library exports. */
#define EXPORTED __attribute__((visibility("default")))

/* Copies the variable's value at the start into text, with a NUL. Returns its length, -1 if there is none or it is too
 * long. Allocates nothing. */
long preload_variable(const char *name, char *text, size_t room);

/* Cuts the next line NAME=VALUE off *text, in place. Returns its name and *value, NULL at the end. */
char *preload_line(char **text, char **value);

/* Reads a decimal number; 0 if value is not one. */
unsigned long long preload_number(const char *value);

/* Opens a file that child programs do not inherit; closes one, or -1. Like the functions below, neither allocates. */
int preload_open(const char *path, int flags);
void preload_close(int fd);

/* Opens a file to read and write it, if it starts with this key. */
int preload_open_keyed(const char *path, uint64_t key, int flags);

/* Writes all bytes; returns 0 if that failed, with errno. A failure sends the program no signal. */
int preload_write(int fd, const void *bytes, size_t len);

/* Finds the function of that name after this library, for the function pointer at `function`: NULL if there is none. */
void preload_find(void *function, const char *name);

/*
 * C++: all calls of operator new would have one call site, the malloc inside it. So we note its caller for that malloc,
 * in a variable of the thread. If an exception passes through, the note applies to one later malloc of the thread.
 */
#define OPERATOR_NEW(symbol, outer)                                                  \
	EXPORTED void *symbol(size_t bytes);                                         \
	EXPORTED void *symbol(size_t bytes)                                          \
	{                                                                            \
		static void *(*next)(size_t);                                        \
		if (!next)                                                           \
			preload_find(&next, #symbol);                                \
		(outer) = (__typeof__(outer))(uintptr_t)__builtin_return_address(0); \
		void *ptr = next(bytes);                                             \
		(outer) = 0;                                                         \
		return ptr;                                                          \
	}

/* Nanoseconds of CLOCK_MONOTONIC. */
u64 preload_time(void);
/* Ends the process at once, by the system call. */
__attribute__((noreturn)) void preload_exit(int status);

/* Writes "slabscope: ", the sentence and a new line to standard error. */
void preload_complain(const char *sentence);

/*
 * Finds the mapping of code at an address. dladdr() would be shorter, but it waits for a lock that a thread inside
 * dlopen() may hold. Returns 1 if this is the first time it is asked for, 0 otherwise or if there is none. A child of
 * fork continues as its parent. Allocates nothing and keeps errno; one thread of a process at a time. The module's
 * image is 0.
 */
int mapping_learn(u64 address, struct record_module *out);

#endif
