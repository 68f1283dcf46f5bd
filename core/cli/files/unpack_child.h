/*
 * unpack_child.h - gzip and zstd for the command: unpacked by the core in a child, which writes the text to a pipe.
 */
#ifndef CLI_FILES_UNPACK_CHILD_H
#define CLI_FILES_UNPACK_CHILD_H

#include "kmem_types.h"

/* How the child ends. */
enum unpack_exit {
	UNPACKED,
	UNPACK_DAMAGED, /* damaged or cut off; a sentence says so */
	UNPACK_REFUSED, /* a limit, a dictionary, no memory */
};

/* 1 if a file that begins so is packed. */
int is_packed(const u8 *head, u32 head_bytes);
/* In a child: unpacks what was read already, then the rest of `from`. Does not return. */
_Noreturn void unpack_here(int from, const u8 *head, u32 head_bytes, int text, int words);

#endif
