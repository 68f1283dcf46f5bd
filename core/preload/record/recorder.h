/*
 * recorder.h - what the parts of this library share: a thread's state, and how an event is recorded.
 *
 * The library runs inside somebody else's program, in the middle of its malloc. So it never allocates, takes no lock of the C
 * library, keeps errno, and makes no call at which a thread can be cancelled.
 */
#ifndef PRELOAD_RECORD_RECORDER_H
#define PRELOAD_RECORD_RECORDER_H

#include "preload/record_spool.h"

enum { KNOWN_PAGES = 64 };

struct recorder_thread {
	u32 is_busy;	 /* inside a recorded call: calls that this one makes are not recorded */
	u32 number, cpu; /* number 0: not seen yet */
	u32 nr_events;	 /* in its chunk */
	struct record_chunk *chunk; /* NULL: none yet */
	u64 last_time;
	u64 outer_site;		/* the caller of operator new, which calls malloc; 0: none */
	u64 pages[KNOWN_PAGES]; /* pages of code whose module is in the spool */
};

extern __thread struct recorder_thread recorder_thread;

/* Whether calls of this process are recorded. A child finds RECORDER_OFF here, even after a fork that no library notices. */
enum recorder_state { RECORDER_OFF, RECORDER_ON, RECORDER_UNKNOWN };
extern u32 *recorder_state;

/* Maps the spool, if the environment names one for this process. Returns 1 if calls are recorded. */
int recorder_attach(void);
/* Adds an event to the thread's chunk. thread->is_busy is set. */
void recorder_put(struct recorder_thread *thread, enum record_kind kind, u64 time, const void *ptr,
		  u64 bytes, u64 site);
u64 recorder_time(void);

/* record_modules.c: makes sure that the module of this address is in the spool. One thread at a time. */
void recorder_learn_module(struct record_head *head, u32 image, u64 address);

#endif
