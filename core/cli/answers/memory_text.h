/*
 * memory_text.h - copies of the answers about memory, and lines of text for a mail.
 */
#ifndef CLI_ANSWERS_MEMORY_TEXT_H
#define CLI_ANSWERS_MEMORY_TEXT_H

#include "cli/host/cache_names.h"

/* Rows of the session last until its next call; these are malloc'ed. */
struct parts {
	struct kmem_memory_row *row;
	u32 nr;
};

/* Returns no rows after complaining; *status is the exit status. */
struct parts parts_take(struct host *h, u32 cache, int *status);
/* Prints the parts of one cache, or of all (KMEM_NONE), with their shares. */
void parts_print(const struct host *h, const struct parts *p, u32 cache);
/* The enum kmem_from of a part: what callers requested is measured. */
u32 part_from(const struct host *h, const struct kmem_memory_row *row);

#endif
