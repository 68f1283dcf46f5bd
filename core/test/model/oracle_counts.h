/*
 * oracle_counts.h - counters against what was asked for: each allocation and each free is counted in one way.
 */
#ifndef TEST_MODEL_ORACLE_COUNTS_H
#define TEST_MODEL_ORACLE_COUNTS_H

#include "test/model/oracle.h"

/* NULL, or the law that is broken. */
const char *oracle_counts(const struct oracle *o, const struct world *w);

#endif
