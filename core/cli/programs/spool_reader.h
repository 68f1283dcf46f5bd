/*
 * spool_reader.h - reads the events of a spool (preload/record_spool.h) in the order of their times.
 *
 * The program could have written anything into it, so every number is checked before it is used.
 */
#ifndef CLI_PROGRAMS_SPOOL_READER_H
#define CLI_PROGRAMS_SPOOL_READER_H

#include "preload/record_spool.h"

/* Where the reader is in one chunk. */
struct spool_cursor {
	const struct record_chunk *chunk;
	u64 time; /* of the next event */
	u32 at, nr_events;
};

struct spool_reader {
	const struct record_head *head;
	const struct record_chunk *chunks;
	u32 nr_modules, nr_chunks;
	struct spool_cursor *cursors; /* by the time of the first event */
	u32 nr_cursors, next;	      /* cursors that are not in the heap yet */
	u32 *heap, nr_heap;	      /* cursors with events, the earliest first */
};

/* One event in fields of its own. */
struct spool_event {
	enum record_kind kind;
	u64 time, ptr, bytes, site;
	u32 cpu, thread;
};

/* Returns 0 without memory, or if this is not a spool. spool_close releases the memory. */
int spool_read(struct spool_reader *r, const void *bytes, u64 len_bytes);
/* Goes back to the first event. */
void spool_rewind(struct spool_reader *r);
/* Returns 0 behind the last event. */
int spool_next(struct spool_reader *r, struct spool_event *event);
void spool_close(struct spool_reader *r);

#endif
