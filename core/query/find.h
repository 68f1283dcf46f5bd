/*
 * find.h - the search for moments, forwards and backwards.
 */
#ifndef QUERY_FIND_H
#define QUERY_FIND_H

#include "query/step_subject.h"

enum { MAX_CONDITIONS = KMEM_MAX_CONDITIONS };

struct find {
	struct kmem_condition conditions[MAX_CONDITIONS];
	u32 numbers[MAX_CONDITIONS]; /* of their slabs in the index, NOWHERE if it never was */
	u32 nr;
	u32 back;
	u32 op, step; /* the point it began at: that many steps of that operation */
	/* Forwards: the next operation to look at. Backwards: the operations from `from` to before `end` are looked at
	 * one after the other, `next` being next, and the last that holds is kept in `found`. */
	u32 next, from, end;
	u32 is_over, is_found;
	struct kmem_found found;
	struct touched_op last; /* looked at; a search that begins there needs not run it again */
};

#endif
