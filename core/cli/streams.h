/*
 * streams.h - what stands between a stream and the import: the child that unpacks it, and a file without a name for data that
 * come through a pipe but need reads at any offset.
 */
#ifndef CLI_STREAMS_H
#define CLI_STREAMS_H

#include <sys/types.h>

#include "kmem_types.h"

enum { SPOOL_MAGIC_BYTES = 16 };

enum stream_kind {
	STREAM_OF_LINES,
	STREAM_OF_RECORDS, /* binary, but read from start to end */
	STREAM_TO_SPOOL,   /* binary, and read at any offset */
};

/* Recognises a stream by its first SPOOL_MAGIC_BYTES; anything shorter is text. */
enum stream_kind stream_kind(const u8 *bytes, u64 len_bytes);
/* As read(), which a signal does not end. */
ssize_t read_some(int fd, void *to, size_t room_bytes);
/* Returns a descriptor of an empty file without a name, -1 if it cannot be created. */
int spool_open(void);
/* Returns 1 if all bytes were written; 0 if the disk is full, and the file is then unchanged. */
int spool_write(int fd, const u8 *bytes, u64 len_bytes);

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
