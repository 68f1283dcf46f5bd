/*
 * spool.h - perf.data and trace.dat from a pipe or a packed file: formats that need reads at any offset.
 */
#ifndef CLI_FILES_SPOOL_H
#define CLI_FILES_SPOOL_H

#include "kmem_types.h"

enum { SPOOL_MAGIC_BYTES = 16 };

enum stream_kind {
	STREAM_OF_LINES,
	STREAM_OF_RECORDS, /* binary, but read from front to back */
	STREAM_TO_SPOOL,   /* binary, and read at any offset */
};

/* Recognises a stream by its first SPOOL_MAGIC_BYTES; anything shorter is text. */
enum stream_kind stream_kind(const u8 *bytes, u64 len_bytes);
/* Returns a descriptor of an empty file without a name, -1 if it cannot be created. */
int spool_open(void);
/* Returns 1 if all bytes were written; 0 if the disk is full, and the file is then unchanged. */
int spool_write(int fd, const u8 *bytes, u64 len_bytes);

#endif
