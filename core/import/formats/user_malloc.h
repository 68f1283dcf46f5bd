/*
 * user_malloc.h - imports calls of malloc, from classroom traces, as calls of kmalloc.
 *
 * Such traces record no CPU, so everything runs on CPU 0. calloc becomes a kmalloc of the product. realloc acts as
 * krealloc does. If the new size fits the slot, the object stays, and the event does nothing (REASON_KEPT). Otherwise a
 * new object is allocated, then the old one freed. The import does not know the machine, so it assumes the usual
 * kmalloc classes. realloc(NULL) is malloc; realloc to 0 bytes is free.
 */
#ifndef IMPORT_FORMATS_USER_MALLOC_H
#define IMPORT_FORMATS_USER_MALLOC_H

#include "import/import.h"

/* One call, counted under its kind. */
struct call {
	u32 kind; /* index into kinds */
	u64 time;
	u32 site; /* text: the caller; 0 if unknown */
};

/* ptr 0 means that the call failed. Refuses a size that is too large for kmalloc. */
void malloc_new(struct import *im, const struct call *call, u64 ptr, u64 bytes);
void malloc_free(struct import *im, const struct call *call, u64 ptr);
/* new 0 means that the call failed: the object stays unchanged. */
void malloc_resize(struct import *im, const struct call *call, u64 old, u64 new, u64 bytes);

#endif
