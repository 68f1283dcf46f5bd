/*
 * check_first.c - compares the first event at each object with what the start state says of it.
 *
 * The trace of a run that begins at the state frees objects in use, and allocates free ones. If events between the state and
 * the trace are missing, or the state is of another run, the first events at many objects contradict it.
 */
#include "query/check/check_model.h"

/* An object of the start state. Its first event makes it OBJECT_SEEN. */
enum { OBJECT_IN_USE, OBJECT_FREE, OBJECT_UNKNOWN, OBJECT_SEEN };

static void mark(const struct check *c, u32 slab, const u16 *indices, u32 nr)
{
	u8 *objects = (u8 *)c->objects.at + STATE_ROWS(u64, c->object_at)[slab];

	for (u32 i = 0; i < nr; i++)
		objects[indices[i]] = OBJECT_FREE;
}

/* Objects in an array or a sheaf are free, unless a grace period or a caller has the sheaf. */
static void mark_array(const struct check *c, const struct state_list *list)
{
	const u64 *object = STATE_ROWS(u64, c->states[0].addresses) + list->at;
	u8 is = list->kind == LIST_SHEAF_RCU || list->kind == LIST_SHEAF_WAITING ||
				list->kind == LIST_SHEAF_PREFILLED
			? OBJECT_UNKNOWN
			: OBJECT_FREE;

	for (u32 i = 0; i < list->nr; i++)
		((u8 *)c->objects.at)[STATE_ROWS(u64, c->object_at)[object[i] >> 16] +
				      (object[i] & 0xffff)] = is;
}

s32 check_first_begin(struct kmem_session *s, struct check *c)
{
	const struct state *start = &c->states[0];
	const struct state_slab *slabs = start->slabs.run.at;
	const struct state_list *lists = start->lists.run.at;
	const u16 *indices = start->indices.run.at;
	u64 all = 0;

	c->firsts = c->contradictions = 0;
	for (u32 i = 0; i < start->slabs.nr; i++) {
		u64 *at = rows_add(&s->pool, &c->object_at, sizeof(*at));
		if (!at)
			return KMEM_ENOMEM;
		*at = all;
		all += slabs[i].objects;
	}
	if (!buffer_grow(&s->pool, &c->objects, MAX(all, (u64)1)))
		return KMEM_ENOMEM;
	for (u32 i = 0; i < start->slabs.nr; i++) {
		/* A state of SLAB lacks which objects of partial slabs are free. */
		u8 is = !start->is_slab || slabs[i].inuse == slabs[i].objects ? OBJECT_IN_USE
			: slabs[i].inuse				      ? OBJECT_UNKNOWN
									      : OBJECT_FREE;
		memset((u8 *)c->objects.at + STATE_ROWS(u64, c->object_at)[i], is,
		       slabs[i].objects);
		mark(c, i, indices + slabs[i].free_at, slabs[i].nr_free);
	}
	for (u32 i = 0; i < start->lists.nr; i++) {
		if (list_has_objects(lists[i].kind))
			mark_array(c, &lists[i]);
		else if (lists[i].kind == LIST_CPU_SLAB && lists[i].nr)
			mark(c, (u32)STATE_ROWS(u64, start->addresses)[lists[i].at],
			     indices + lists[i].free_at, lists[i].nr_free);
	}
	return 0;
}

void check_first_event(struct check *c, u32 row, u32 index, int is_alloc)
{
	if (row >= c->object_at.nr ||
	    index >= STATE_ROWS(struct state_slab, c->states[0].slabs)[row].objects)
		return;
	u8 *object = (u8 *)c->objects.at + STATE_ROWS(u64, c->object_at)[row] + index;
	if (*object <= OBJECT_FREE) {
		c->firsts++;
		c->contradictions += (*object == OBJECT_IN_USE) == is_alloc;
	}
	*object = OBJECT_SEEN;
}

void check_first_drop(struct kmem_session *s, struct check *c)
{
	rows_free(&s->pool, &c->object_at);
	buffer_free(&s->pool, &c->objects);
}
