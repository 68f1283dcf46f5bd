/*
 * user_malloc.h - calls of malloc, as classroom traces have them, as operations of kmalloc.
 *
 * Programs have no CPUs to speak of: all is on CPU 0. calloc is a kmalloc of the product. realloc does what krealloc
 * does: as long as the new size fits into the slot that the object has, the object stays (an operation that asks nothing
 * of the allocator, REASON_KEPT); else a new one is allocated and then the old one freed. The slot is that of the usual classes, since
 * import does not know the machine. realloc(NULL) is malloc, realloc to 0 bytes is free.
 */
#ifndef IMPORT_USER_MALLOC_H
#define IMPORT_USER_MALLOC_H

#include "import/import.h"

/* One call, counted under its kind. */
struct call {
	u32 kind; /* index into kinds */
	u64 time;
	struct span site; /* who called; length 0: not told */
};

/* The kind of this name, one line more of it. */
u32 malloc_kind(struct import *im, const char *name);
/* ptr 0: the call failed. Refuses more bytes than a kmalloc can have. */
void malloc_new(struct import *im, const struct call *call, u64 ptr, u64 bytes);
void malloc_free(struct import *im, const struct call *call, u64 ptr);
/* new 0: the call failed and the object stays as it was. */
void malloc_resize(struct import *im, const struct call *call, u64 old, u64 new, u64 bytes);
/* An object that has a number instead of an address. */
u64 malloc_key(u64 number);

#endif
