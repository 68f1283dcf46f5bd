/*
 * check_order.h - the search for the order of effects: what check_order.c and check_anchors.c share.
 */
#ifndef QUERY_CHECK_CHECK_ORDER_H
#define QUERY_CHECK_CHECK_ORDER_H

#include "query/check/check_model.h"

enum {
	WINDOW = 48,   /* events on either side of the wrong one that may move, and how far */
	HORIZON = 192, /* events that a move must explain; enough is enough */
	BEAM = 6,      /* moves with which a second and a third are tried */
	DEPTH = 3,
	LEAST_GAIN = 8, /* events that a move must explain to be kept */
	MOST_FAILURES = 1 << 12,
	FAR_EVENTS = 1 << 14,
	FAR_TRIALS = 1000,
	MOST_TRIALS = 6000, /* of one repair; half as many after each that failed */
	LEAST_TRIALS_SHIFT = 6,
	MOST_STEPS = 40 << 20, /* events that all trials may run */
	MOST_UNIT = 64,
	MOST_ANCHORS = 64,
	ANCHOR_GAP =
		512, /* events between two copies: 64 of them reach back as far as two far moves */
};

/* A copy of the world and the tables. */
struct anchor {
	struct buffer copy;
	u32 bytes, undo, pos;
};

/* The unit at position `from` goes to `to`; equal: it does not search other nodes. */
struct move {
	u32 from, to, reach;
	u32 nr, was; /* events; flags before */
};

struct plan {
	struct move moves[DEPTH];
	u32 nr, reach, lowest, limit; /* lowest: position that a move touches */
};

/* The best moves so far. */
struct beam {
	struct move at[BEAM];
	u32 nr;
};

struct order {
	struct kmem_session *s;
	struct check *c;
	struct run run;
	/* Changes of the tables: of the accepted order up to the last copy or event, and of the trial at work. The tables
	 * are at `at` in the first, then at the end of the second. */
	struct rows accepted, trial;
	u32 at;
	struct anchor anchors[MOST_ANCHORS], near;
	u32 nr_anchors;
	u32 has_near;
	u32 cache, is_open;	/* the cache at work; its world is there */
	struct check_event *ev; /* of the cache */
	u32 nr, next;
	u32 failures, trials; /* trials that are left */
	u32 given_up;	      /* failures in all caches */
	u64 steps;	      /* events that trials have run */
	u64 list_changes;     /* so far */
	s32 err;
};

/* check_anchors.c: copies the world, which is on the accepted order; 0 without memory, and o->err is set. */
int anchor_save(struct order *o, struct anchor *a, u32 pos);
/* Goes to the last copy at or before the position, for a trial; returns its position. */
u32 anchor_restore(struct order *o, u32 pos);
/* The same, to continue from there with a new order. */
u32 anchor_return(struct order *o, u32 pos);
/* Makes a copy at position i if one is due. */
void anchors_note(struct order *o, u32 i);
void anchors_drop(struct order *o);

#endif
