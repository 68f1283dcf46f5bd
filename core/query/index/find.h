/*
 * find.h - the search for steps at which a condition holds, forwards and backwards.
 */
#ifndef QUERY_FIND_H
#define QUERY_FIND_H

#include "query/index/step_subject.h"

enum { MAX_CONDITIONS = KMEM_MAX_CONDITIONS };

struct find {
	struct kmem_condition conditions[MAX_CONDITIONS];
	u32 numbers[MAX_CONDITIONS]; /* their slabs in the index, or NOWHERE */
	u32 nr;
	u32 back;
	u32 op, step; /* the starting point: that many steps into that event */
	/* Forwards: `next` is the next event to check. Backwards: the search checks the events from `from` to
	 * before `end` in order, `next` being the next one, and keeps the last match in `found`. */
	u32 next, from, end;
	u32 is_over, is_found;
	struct kmem_found found;
	struct touched_op last; /* already checked; a search that begins there need not replay it */
};

#endif
