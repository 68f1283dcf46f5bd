/*
 * check.h - the two lines that every test program needs: CHECK, and the summary it ends with.
 */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <stdio.h>

/* Of all files of the program: check.c. */
extern unsigned check_passed, check_failed;

/* Counts; a failure names file, line and the condition, then the words and numbers given. */
#define CHECK(cond, ...)                                                          \
	do {                                                                      \
		if (cond) {                                                       \
			check_passed++;                                           \
			break;                                                    \
		}                                                                 \
		check_failed++;                                                   \
		if (check_failed <= 40) {                                         \
			fprintf(stderr, "%s:%d: %s:", __FILE__, __LINE__, #cond); \
			fprintf(stderr, " " __VA_ARGS__);                         \
			fputc('\n', stderr);                                      \
		}                                                                 \
	} while (0)

/* The last line of every test program; its value is the exit status. */
static inline int check_summary(void)
{
	printf("%u passed, %u failed\n", check_passed, check_failed);
	return check_failed != 0;
}

#endif
