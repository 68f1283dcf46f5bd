/* check.c - what CHECK and RUN count, in all files of a test program. */
#include "test/support/check.h"

#include <stdlib.h>

unsigned check_passed, check_failed;
unsigned tests_passed, tests_failed, checks_in_tests;

void check_end_test(unsigned passed_before, unsigned failed_before)
{
	unsigned failed = check_failed - failed_before;

	if (failed)
		tests_failed++;
	else
		tests_passed++;
	checks_in_tests += check_passed - passed_before + failed;
}

unsigned tries(unsigned all, unsigned few)
{
	return getenv("SHALLOWER") ? few : all;
}

/* Called after all tests have run, so checks outside of them are known now. */
int check_summary(void)
{
	unsigned failed_in_tests = tests_failed;

	if (check_passed + check_failed != checks_in_tests) {
		if (check_failed && !failed_in_tests)
			tests_failed++;
		else
			tests_passed++;
	}
	printf("checks: %u passed, %u failed\n", check_passed, check_failed);
	printf("%u passed, %u failed\n", tests_passed, tests_failed);
	return check_failed != 0 || check_passed == 0;
}
