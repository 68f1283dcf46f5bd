/*
 * step_subject.h - what a recorded step is about: which cache, slab and object it touches, and which moments of when.def it is.
 *
 * Index and search look at operations through this file only, so that both mean the same by "a new slab" or "this
 * object".
 */
#ifndef QUERY_STEP_SUBJECT_H
#define QUERY_STEP_SUBJECT_H

#include "kmem_types.h"

struct kmem_session;

enum { NOWHERE = 0xffffffff };

#define WHEN_BIT(when) (1u << (when))
_Static_assert(NR_VALUES(kmem_when) <= 32, "each condition has its bit");

/* What may be told of an object, and what of no slab but of the operation and its cache. */
enum {
	OBJECT_MOMENTS = WHEN_BIT(WHEN_ALLOC) | WHEN_BIT(WHEN_FREE) | WHEN_BIT(WHEN_ANOMALY),
	CACHE_MOMENTS = WHEN_BIT(WHEN_ORDER_FALLBACK) | WHEN_BIT(WHEN_SLOW_PATH) |
		WHEN_BIT(WHEN_LOCK_WAIT) | WHEN_BIT(WHEN_LARGE) | WHEN_BIT(WHEN_FIRST_USE),
};

/* Of a step kind: its moments, and which arguments (from 1, 0 none) are slab and object. */
struct touch_kind {
	u16 what; /* bits WHEN_BIT */
	u8 slab_arg, index_arg;
	u8 is_slow; /* SLOW_PATH, if the allocator counted the operation as slow */
	u8 reserved[3];
};

struct touch {
	u32 what;
	u32 cache;	 /* CACHE_NONE */
	u32 slab, index; /* NOWHERE */
};

/* An operation that has just been recorded; its steps are the session's. */
struct touched_op {
	u32 op, kind, nr_steps;
	u32 shared; /* slabs serve all caches: a slab then is of the cache whose operation it is */
	u32 has_object;	 /* it allocated or freed an object of a slab, which is: */
	u32 cache;	 /* or its cache as the trace has it, CACHE_NONE if there is none */
	u32 slab, index; /* NOWHERE */
	u32 slow_step;	 /* NOWHERE if it is fast */
	u32 implied;	 /* its free was not recorded */
};

void touch_kinds_init(struct touch_kind *kinds);
/* Records the operation at the position, which moves on. */
s32 touch_run(struct kmem_session *s, struct touched_op *o);
struct touch touch_of_step(const struct kmem_session *s, const struct touched_op *o, u32 k);
/* The allocation or free of its object, which is told with the last step or with the first. */
struct touch touch_of_object(const struct touched_op *o);
u32 touch_object_step(const struct touched_op *o);

#endif
