/*
 * check.c - what CHECK counts, in whichever file of a test program it stands.
 */
#include "check.h"

unsigned check_passed, check_failed;
