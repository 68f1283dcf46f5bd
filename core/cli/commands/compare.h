/*
 * compare.h - the questions of `slabscope compare` that other files answer. They return an exit status.
 */
#ifndef CLI_COMMANDS_COMPARE_H
#define CLI_COMMANDS_COMPARE_H

#include "cli/cli.h"

/* --against: two traces. */
int compare_against(const struct args *args);
/* --kernels: the same trace under every preset. */
int compare_kernels(const struct args *args);

#endif
