/*
 * compare_kernels.h - the same trace under every preset: `slabscope compare --kernels`.
 */
#ifndef CLI_STUDIES_COMPARE_KERNELS_H
#define CLI_STUDIES_COMPARE_KERNELS_H

#include "cli/host/args.h"

/* Returns an exit status; complains unless it is EXIT_DONE. */
int compare_kernels(const struct args *args);

#endif
