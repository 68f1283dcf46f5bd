/*
 * unpack_child.h - packed files for the command: a child unpacks with the core, or with the program xz, and writes the text to a pipe.
 */
#ifndef CLI_FILES_UNPACK_CHILD_H
#define CLI_FILES_UNPACK_CHILD_H

#include "kmem_types.h"

/* Exit statuses of the child. */
enum unpack_exit {
	UNPACKED,
	UNPACK_DAMAGED, /* damaged or cut off; the child has written a sentence */
	UNPACK_REFUSED, /* a limit, a dictionary, no memory */
};

/* Returns 1 if a file with these first bytes is packed. */
int is_packed(const u8 *head, u32 head_bytes);
/* Runs in a child: unpacks a file whose first bytes are known. `from` still has them if it is whole. Does not return. */
_Noreturn void unpack_here(int from, const u8 *head, u32 head_bytes, int is_whole, int text,
			   int words);

#endif
