/*
 * inferred.h - what the end of an import infers from all of a trace: names of caches, and whether the kernel has caches for
 * accounting.
 */
#ifndef IMPORT_INFERRED_INFERRED_H
#define IMPORT_INFERRED_INFERRED_H

#include "import/import.h"

/* A cache of allocations without a name. */
struct nameless {
	u32 cache;	 /* number; they ascend */
	u32 row;	 /* of the report, or ROW_NONE */
	u32 name;	 /* text: the candidate for its name, 0: none yet */
	u32 lead, named; /* frees with that name less the others; all frees with a name */
};

/* accounting.c: moves accounted objects to the plain kmalloc caches, if the kernel has no others. Returns 1 if it did. */
int import_accounting(struct import *im);

#endif
