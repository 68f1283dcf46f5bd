/*
 * bench_text.h - the recording that `slabscope bench` uses when it is given none.
 */
#ifndef BENCH_BENCH_TEXT_H
#define BENCH_BENCH_TEXT_H

#include "kmem_types.h"

struct bench_object {
	u64 address;
	u32 shape; /* + 1; 0: empty */
	u32 cpu;
};

struct bench_text {
	struct bench_object *objects; /* [nr_slots] */
	u32 nr_slots, nr_events, next;
	u64 state; /* of chance */
};

/* In pieces of whole lines: 0 when there is no memory; bytes written, 0 at the end. */
int bench_text_begin(struct bench_text *t, u32 nr_events, u32 nr_live);
u32 bench_text_more(struct bench_text *t, char *to, u32 room_bytes);
void bench_text_end(struct bench_text *t);

/* At one go: ftrace text of nr_events events with up to nr_live objects at once; malloc'ed, NULL when there
 * is no memory. */
char *bench_text_make(u32 nr_events, u32 nr_live, u64 *len_bytes);

#endif
