/*
 * step_subject.h - the subject of a recorded step: which cache, slab and object it touches, and which conditions of
 * steps.def it meets.
 *
 * Index and search read events through this file only, so both mean the same by "a new slab" or "this object".
 */
#ifndef QUERY_STEP_SUBJECT_H
#define QUERY_STEP_SUBJECT_H

#include "kmem_types.h"

struct kmem_session;

enum { NOWHERE = 0xffffffff };

#define WHEN_BIT(when) (1u << (when))
_Static_assert(NR_VALUES(kmem_when) <= 32, "each condition has its bit");

/* Conditions that belong to an object, and conditions that belong to the event and its cache but to no slab. */
enum {
	OBJECT_CONDITIONS = WHEN_BIT(WHEN_ALLOC) | WHEN_BIT(WHEN_FREE) | WHEN_BIT(WHEN_ANOMALY),
	CACHE_CONDITIONS = WHEN_BIT(WHEN_ORDER_FALLBACK) | WHEN_BIT(WHEN_SLOW_PATH) |
		WHEN_BIT(WHEN_LOCK_WAIT) | WHEN_BIT(WHEN_LARGE) | WHEN_BIT(WHEN_FIRST_USE),
};

/* For each step kind: its conditions, and which arguments (from 1, 0 none) are slab and object. */
struct touch_kind {
	u16 what; /* bits WHEN_BIT */
	u8 slab_arg, index_arg;
	u8 is_slow; /* SLOW_PATH, if the allocator counted the event as slow */
	u8 reserved[3];
};

struct touch {
	u32 what;
	u32 cache;	 /* CACHE_NONE if it touches none */
	u32 slab, index; /* NOWHERE if it touches none */
};

/* The event that was recorded last; its steps are in the session. */
struct touched_op {
	u32 op, kind, nr_steps;
	u32 shared;	/* slabs serve all caches: a slab then counts for the cache of its event */
	u32 has_object; /* it allocated or freed an object in a slab: cache, slab, index */
	u32 cache;	/* without an object: its cache in the trace, CACHE_NONE if there is none */
	u32 slab, index; /* NOWHERE without an object */
	u32 slow_step;	 /* NOWHERE if it is fast */
	u32 implied;	 /* its free was not recorded */
};

void touch_kinds_init(struct touch_kind *kinds);
/* Records the event at the position, and moves the position past it. */
s32 touch_run(struct kmem_session *s, struct touched_op *o);
struct touch touch_of_step(const struct kmem_session *s, const struct touched_op *o, u32 k);
/* Returns the allocation or free of the event's object, which belongs to the last or the first step. */
struct touch touch_of_object(const struct touched_op *o);
/* Whether a step happens on another node than its CPU's. */
int step_is_remote(const struct kmem_session *s, const struct kmem_step *step);
u32 touch_object_step(const struct touched_op *o);

#endif
