/*
 * compare_against.h - `slabscope compare A --against B`, for cmd_compare.c.
 */
#ifndef CLI_STUDIES_COMPARE_AGAINST_H
#define CLI_STUDIES_COMPARE_AGAINST_H

#include "cli/host/args.h"

/* Returns an exit status. */
int compare_against(const struct args *args);

#endif
