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

/* machine_names.c: the machine's name of a cache that has none, by its size, or by what the function at that call site
 * allocates; NULL: several could be meant. Only if the trace's machine_names are set. */
const char *import_machine_name(const struct import *im, const char *call_site,
				const struct trace_cache *cache);

#endif
