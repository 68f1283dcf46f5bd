/*
 * check_order.h - the search for the order of effects: what check_order.c and check_search.c share.
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
	MOST_TRIALS = 6000, /* trials in one repair; half as many after each that failed */
	LEAST_TRIALS_SHIFT = 6,
	MOST_STEPS = 40 << 20, /* events that all trials may run */
	PART_OF_STEPS = 8,     /* one repair may use this part of the steps that are left */
	MOST_ON_SLABS = 24,    /* events on the slabs of the wrong one that change places */
	MOST_ASKED = 16,       /* events of a cache for which other orders of nodes are tried */
	MOST_ROUNDS = 16,      /* orders of nodes found this way */
	MOST_EXCUSED = 64,     /* excused events of a cache; with more, its paths say nothing */
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

enum order_off { OFF_NOT, OFF_OBJECT, OFF_PATH };

#define PATH(counter) (1u << (counter))
/* Paths that move slabs between lists. */
#define PATHS_OF_LISTS                                                                            \
	(PATH(FREE_ADD_PARTIAL) | PATH(FREE_REMOVE_PARTIAL) | PATH(ALLOC_FROM_PARTIAL) |          \
	 PATH(ALLOC_SLAB) | PATH(FREE_SLAB) | PATH(DEACTIVATE_BYPASS) | PATH(CPU_PARTIAL_ALLOC) | \
	 PATH(CPU_PARTIAL_FREE))
/* Paths that model and kernel have in common. */
#define PATHS_COMPARED                                                                     \
	(PATHS_OF_LISTS | PATH(ALLOC_SLOWPATH) | PATH(FREE_SLOWPATH) | PATH(FREE_FROZEN) | \
	 PATH(ALLOC_REFILL) | PATH(ALLOC_NODE_MISMATCH) | PATH(DEACTIVATE_EMPTY) |         \
	 PATH(DEACTIVATE_TO_HEAD) | PATH(DEACTIVATE_TO_TAIL) | PATH(CPU_PARTIAL_NODE) |    \
	 PATH(CPU_PARTIAL_DRAIN))

/* The unit at position `from` goes to `to`; equal: it does not search other nodes. */
struct move {
	u32 from, to, reach, slab;
	u32 nr, was; /* events; flags before */
};

struct plan {
	struct move moves[DEPTH];
	u32 nr, reach, slab, lowest, limit; /* lowest: the lowest position that a move touches */
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
	/* Changes of the tables: of the accepted order up to the last copy or event, and of the current trial. The tables
	 * are at `at` in the first, then at the end of the second. */
	ARRAY(struct undo) accepted;
	ARRAY(struct undo) trial;
	u32 at;
	struct anchor anchors[MOST_ANCHORS], near;
	u32 nr_anchors;
	u32 has_near;
	u32 cache, is_open;	/* the current cache; its world is there */
	struct check_event *ev; /* events of the cache */
	u32 nr, next;
	u32 failures, trials;  /* trials that are left */
	u32 lost_hope;	       /* failures in all caches, less the repairs since */
	u64 steps, most_steps; /* events that trials have run, and may run in this repair */
	u32 asked,
		asked_op; /* events for which other orders of nodes were tried, and the last one */
	u32 has_other_nodes;	/* one of them explains more */
	u32 has_paths, excused; /* paths are compared; those that no order explains */
	u32 slow_paths, counters[NR_COUNTERS]; /* the model's, after the last step */
	/* The last step's fault, and the model's path and slab there, numbered as the kernel's. */
	enum order_off off;
	u32 path, model_slab;
	s32 err;
};

/* check_order.c: whether no bulk free has events on both sides of position i. */
int order_is_between(const struct order *o, u32 i);
/* Returns how many events from this one on move together: a bulk free, or one event. */
u32 order_unit(const struct order *o, u32 i);
/* Moves the unit at `from` so that it starts at `to`, and leaves its flags alone. */
void order_rotate(struct order *o, u32 from, u32 to, u32 nr);

/* check_search.c: runs an event or a group, and says in o->off whether the model does what the kernel did. Returns the events. */
u32 order_step(struct order *o, u32 i);
/* Runs the events from position i to the limit; returns the first position that is wrong, or limit. */
u32 order_reach(struct order *o, u32 i, u32 limit);
/* The next step's path starts here. */
void order_note_counters(struct order *o);
/* Puts the current cache's events in the order that its lines give; without lines it has no paths. */
void order_sort(struct order *o);

/* check_start.c: tries other orders in which the node asks the others, for the allocation that is wrong at position i. Returns 0 if
 * there is nothing to try; 1 if the current cache has to be replayed from its start. */
int order_ask_nodes(struct order *o, u32 i);

/* check_search.c: copies the world, which follows the accepted order; without memory returns 0 and sets o->err. */
int anchor_save(struct order *o, struct anchor *a, u32 pos);
/* Goes to the last copy at or before the position, for a trial; returns its position. */
u32 anchor_restore(struct order *o, u32 pos);
/* The same, to continue from there with a new order. */
u32 anchor_return(struct order *o, u32 pos);
/* Makes a copy at position i if one is due. */
void anchors_note(struct order *o, u32 i);
void anchors_drop(struct order *o);

#endif
