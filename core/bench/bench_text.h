/*
 * bench_text.h - the trace that `slabscope bench` uses when the caller names none.
 */
#ifndef BENCH_BENCH_TEXT_H
#define BENCH_BENCH_TEXT_H

#include "kmem_types.h"

struct bench_object {
	u64 address;
	u32 shape; /* shape + 1; 0: empty */
	u32 cpu;
};

struct bench_text {
	struct bench_object *objects; /* [nr_slots] */
	u32 nr_slots, nr_events, next;
	u64 state; /* state of the random generator */
};

/* Generates the text in pieces of whole lines. begin returns 0 if there is not enough memory;
 * bench_text_more returns the bytes written, 0 at the end. */
int bench_text_begin(struct bench_text *t, u32 nr_events, u32 nr_live);
u32 bench_text_more(struct bench_text *t, char *to, u32 room_bytes);
void bench_text_end(struct bench_text *t);

/* Generates all at once: ftrace text of nr_events events with up to nr_live objects alive; malloc'ed, NULL if
 * there is not enough memory. */
char *bench_text_make(u32 nr_events, u32 nr_live, u64 *len_bytes);

#endif
