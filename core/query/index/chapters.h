/*
 * chapters.h - the events of a trace that are worth seeing; the index notes them while it is made.
 */
#ifndef QUERY_CHAPTERS_H
#define QUERY_CHAPTERS_H

#include "kmem_types.h"

struct kmem_session;
struct touched_op;
struct levels_walk;

enum { CHAPTER_TITLE_BYTES = 256 };

struct chapter_notes {
	/* By kind; one whose number is 0 does not exist. */
	struct kmem_chapter best[NR_VALUES(kmem_chapter_kind)];
	struct kmem_chapter run;     /* the current run of fast allocations */
	u32 shown_op;		     /* the last event of those that it would show */
	u32 fast_op;		     /* the same of the longest run */
	struct kmem_chapter far_too; /* the costliest remote free that is also a drain */
	u32 slow_at;	/* how deep the slow path goes, counted among its levels from 0 */
	u32 slow_level; /* enum kmem_level of that */
};

/* Adds the event that was recorded last, after its walk over the levels. */
void chapters_note(const struct kmem_session *s, struct chapter_notes *notes,
		   const struct touched_op *o, const struct levels_walk *walk, u32 cycles);

#endif
