/*
 * preload.h - how a library learns the settings of the command that preloads it: one variable of the environment, NAME=VALUE in each line.
 *
 * The environment of the start is read, not the program's own copy, which it may have changed, and which is not there
 * yet when the dynamic linker allocates.
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include <stddef.h>

/* Marks what a library exports. */
#define EXPORTED __attribute__((visibility("default")))

/* Copies the variable's value of the start into text, NUL at its end. Returns its length, -1 if there is none or it is too
 * long. Allocates nothing. */
long preload_variable(const char *name, char *text, size_t room);

/* Cuts the next line NAME=VALUE off *text, in place. Returns its name and *value, NULL at the end. */
char *preload_line(char **text, char **value);

/* A number in decimal; 0 if value is none. */
unsigned long long preload_number(const char *value);

/* Writes all bytes; returns 0 if that failed. */
int preload_write(int fd, const void *bytes, size_t len);

/* Writes "slabscope: ", the sentence and a new line to standard error. */
void preload_complain(const char *sentence);

#endif
