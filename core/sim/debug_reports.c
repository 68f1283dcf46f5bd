/*
 * debug_reports.c - the list of debugging reports. It is part of the world, so seeking back removes
 * later reports.
 */
#include "sim/debug_reports.h"

struct kmem_bug *bug_last(struct world *w)
{
	KASSERT(w->nr_bugs);
	return (struct kmem_bug *)at(w, w->bugs) + MIN(w->nr_bugs - 1, (u32)MAX_BUGS);
}

struct kmem_bug *bug_new(struct world *w)
{
	if (w->nr_bugs == w->bugs_room && w->nr_bugs <= MAX_BUGS)
		w->bugs = world_grow_array(w, w->bugs, &w->bugs_room, sizeof(struct kmem_bug));
	w->nr_bugs++;
	struct kmem_bug *bug = bug_last(w);
	memset(bug, 0, sizeof(*bug));
	bug->op = w->op;
	bug->cpu = (u16)w->cpu;
	return bug;
}
