/*
 * check.h - what every test program needs: CHECK, RUN, and the summary it ends with.
 */
#ifndef TEST_SUPPORT_CHECK_H
#define TEST_SUPPORT_CHECK_H

#include <stdio.h>

/* Counts for all files of the program: check.c. A test is what RUN runs, and a check is one CHECK in it. */
extern unsigned check_passed, check_failed;
extern unsigned tests_passed, tests_failed, checks_in_tests;

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

/* Runs one test, a statement: it fails if a check in it fails. */
#define RUN(...)                                                                     \
	do {                                                                         \
		unsigned passed_before = check_passed, failed_before = check_failed; \
		__VA_ARGS__;                                                         \
		check_end_test(passed_before, failed_before);                        \
	} while (0)

void check_end_test(unsigned passed_before, unsigned failed_before);

/*
 * How often to try: `few` times in slow builds (SHALLOWER=1), which look for damaged memory; `all` in the others, which
 * look for wrong answers.
 */
unsigned tries(unsigned all, unsigned few);

/*
 * The last lines of every test program; the value is the exit status. Checks outside of RUN count as one more test. A program
 * without checks has failed.
 */
int check_summary(void);

#endif
