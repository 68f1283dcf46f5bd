/*
 * side.h - a row of a trace's numbers, as side.c writes it and compare.c reads it.
 */
#ifndef QUERY_SIDE_H
#define QUERY_SIDE_H

#include "kmem_types.h"

enum { NR_PARTS = KMEM_COMPARE_POINTS - 1, MAX_AMOUNTS = 6, MAX_ROW_NAME_BYTES = 160 };

/* A cache, a call site, a counter or another number of one trace. */
struct side_row {
	u32 table, first_op, peak_op; /* first use and largest extent, KMEM_NONE32 if unknown */
	u32 reserved;
	u64 amounts[MAX_AMOUNTS]; /* amounts of a call site */
	char name[MAX_ROW_NAME_BYTES], cache[MAX_NAME_BYTES];
};

#endif
