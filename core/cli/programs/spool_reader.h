/*
 * spool_reader.h - reads the events of a spool (preload/record_spool.h) in the order of their times.
 *
 * The program could have written anything into it, and may still be writing. So every number is checked before it is used, and
 * counts are read once.
 */
#ifndef CLI_PROGRAMS_SPOOL_READER_H
#define CLI_PROGRAMS_SPOOL_READER_H

#include "preload/record_spool.h"

/* Where the reader is in one chunk. */
struct spool_cursor {
	const struct record_chunk *chunk;
	u64 time; /* of the next event */
	u32 image, at, nr_events;
};

struct spool_reader {
	const struct record_head *head;
	const struct record_chunk *chunks;
	u32 nr_modules, nr_chunks, nr_images, nr_starts; /* at most as many as their tables hold */
	u64 nr_events, lost;
	struct spool_cursor *cursors; /* by the time of the first event */
	u32 nr_cursors, next;	      /* cursors that are not in the heap yet */
	u32 *heap, nr_heap;	      /* cursors with events, the earliest first */
};

/* One event in fields of its own. */
struct spool_event {
	enum record_kind kind;
	u64 time, ptr, bytes, site;
	u32 image, thread;
};

/* Returns 0 without memory, or if this is not a spool. spool_close releases the memory. */
int spool_read(struct spool_reader *r, const void *bytes, u64 len_bytes);
/* The kind of a recorded event; RECORD_NOTHING if it is none. */
enum record_kind spool_kind(const struct record_event *e);
u32 spool_thread(const struct record_event *e);
/* Returns 0 behind the last event. */
int spool_next(struct spool_reader *r, struct spool_event *event);
void spool_close(struct spool_reader *r);

#endif
