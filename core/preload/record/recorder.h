/*
 * recorder.h - what the parts of this library share: the state of a process and of a thread, and how an event is recorded.
 *
 * The library runs inside somebody else's program, in the middle of its malloc. So it never allocates, takes no lock of the C
 * library, keeps errno, and makes no call at which a thread can be cancelled.
 */
#ifndef PRELOAD_RECORD_RECORDER_H
#define PRELOAD_RECORD_RECORDER_H

#include "preload/record_spool.h"

enum { KNOWN_PAGES = 64 };

/* The state of this process, in memory that is zeroed in a child of fork, even of a fork that no library notices. */
struct recorder_process {
	u32 image;	  /* its number in the spool plus 1, or one of the values below */
	u32 lock;	  /* a spinlock of this process's threads */
	u32 unused_chunk; /* the first of the chunks that ended threads have left, plus 1 */
};

#define RECORDER_FORKED 0u     /* a child that has not recorded anything yet */
#define RECORDER_UNKNOWN (~0u) /* a program that has not looked for a spool yet */
#define RECORDER_OFF (~1u)     /* without a spool, or without room in it for one more image */
#define RECORDER_NOBODY (~2u)  /* a thread that has not recorded anything yet */

struct recorder_thread {
	u32 image;     /* as its process's: it differs in a new thread, and after a fork */
	u32 is_busy;   /* inside a recorded call: calls that this one makes are not recorded */
	u32 number;    /* its number in the spool, from 1 */
	u32 nr_events; /* events in its chunk */
	u32 room;      /* the number of events for which the chunk has pages */
	struct record_chunk *chunk; /* NULL: none yet */
	u64 last_time;
	u64 outer_site;		/* the caller of operator new, which calls malloc; 0: none */
	u64 pages[KNOWN_PAGES]; /* pages of code whose module is in the spool */
};

extern __thread struct recorder_thread recorder_thread;
extern struct recorder_process *recorder_process;
/* NULL: nothing is recorded. */
extern struct record_head *recorder_head;

/* For a thread whose image is not its process's: starts to record, if the environment names a spool. Returns 1 if its calls
 * are recorded. */
int recorder_join(struct recorder_thread *thread);
/* Adds an event to the thread's chunk. thread->is_busy is set. */
void recorder_put(struct recorder_thread *thread, enum record_kind kind, u64 time, const void *ptr,
		  u64 bytes, u64 site);

/* The process ends. */
void recorder_end(void);

#endif
