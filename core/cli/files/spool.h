/*
 * spool.h - perf.data and trace.dat out of a pipe or a packed file: they have to be read at any place.
 */
#ifndef CLI_FILES_SPOOL_H
#define CLI_FILES_SPOOL_H

#include "kmem_types.h"

enum { SPOOL_MAGIC_BYTES = 16 };

enum stream_kind {
	STREAM_OF_LINES,
	STREAM_OF_RECORDS, /* no text, but read from front to back */
	STREAM_TO_SPOOL,   /* no text, and read at any place */
};

/* What the first SPOOL_MAGIC_BYTES begin; anything shorter is text. */
enum stream_kind stream_kind(const u8 *bytes, u64 len_bytes);
/* A descriptor of an empty file without a name, -1 if there can be none. */
int spool_open(void);
/* 1 if all of it has been written; 0, and the file is as it was, if there is no room. */
int spool_write(int fd, const u8 *bytes, u64 len_bytes);

#endif
