/*
 * check_slab.c - a cache of SLAB as the start state has it, and the names of objects that the state leaves out.
 *
 * A state of SLAB has the objects in the array of a CPU in order, but of a slab only how many objects are in use. Which of
 * them are free, and which comes next, is in no file. SLAB never looks at an index: it chooses slabs, and the objects of a
 * slab follow each other on its stack, whatever their indices are. So the model gives such objects indices of its own:
 *
 *	object of the model		object of the kernel
 *	in an array, in a new slab,
 *	in a slab without free objects	the same index
 *	any other			the first that an event shows at that place
 *
 * From then on the two are one object, and have to meet again at each event.
 */
#include "query/check/check_model.h"

enum { MOST_NAMES = 1 << 26 };

/* The kernel's index + 1 of each object of the model in that slab, and behind them the other way. 0: not known yet. */
static u16 *names_of(const struct run *run, u32 slab)
{
	return run->names + (u64)slab * 2 * run->objects;
}

static int is_named(const struct run *run, u32 slab)
{
	return run->names && slab < run->nr_named;
}

static void give_name(const struct run *run, u32 slab, u32 ours, u32 kernels)
{
	u16 *names = names_of(run, slab);

	names[ours] = (u16)(kernels + 1);
	names[run->objects + kernels] = (u16)(ours + 1);
}

int check_slab_name(struct run *run, u32 slab, u32 ours, u32 kernels)
{
	const u16 *names = is_named(run, slab) ? names_of(run, slab) : NULL;

	if (!names || names[ours] || names[run->objects + kernels])
		return 0;
	give_name(run, slab, ours, kernels);
	return 1;
}

void check_slab_renew(struct run *run, u32 slab)
{
	for (u32 i = 0; i < run->objects && is_named(run, slab); i++)
		give_name(run, slab, i, i);
}

u32 check_slab_index(const struct run *run, u32 slab, u32 ours)
{
	return is_named(run, slab) ? names_of(run, slab)[ours] - 1u : ours;
}

u32 check_slab_ours(const struct run *run, u32 slab, u32 kernels)
{
	return is_named(run, slab) ? names_of(run, slab)[run->objects + kernels] - 1u : kernels;
}

object_loc check_slab_older(struct run *run, const struct check_event *ev)
{
	const u16 *names = is_named(run, ev->slab) ? names_of(run, ev->slab) : NULL;
	const struct start_names *start = run->starts;

	if (!names || names[run->objects + ev->index])
		return 0;
	/* Objects in use come first. */
	for (u32 i = 0; i < start[ev->slab].in_use; i++) {
		if (names[i])
			continue;
		give_name(run, ev->slab, i, ev->index);
		return LOC(start[ev->slab].made, i);
	}
	return 0;
}

static s32 does_not_fit(struct kmem_session *s)
{
	return session_fail(
		s, KMEM_EINPUT,
		"the start state does not fit SLAB: more objects in arrays than in use, or "
		"slabs of several sizes");
}

static s32 make_names(struct kmem_session *s, struct check *c, u32 nr, struct run *run)
{
	/* Behind the names is room for the stack of a slab. */
	u64 names = ((u64)nr * 2 + 1) * run->objects;

	if (names > MOST_NAMES || !buffer_grow(&s->pool, &c->names, names * sizeof(u16)) ||
	    !buffer_grow(&s->pool, &c->starts, MAX(nr, 1u) * (u64)sizeof(struct start_names)))
		return session_fail(s, KMEM_ENOMEM, "a cache has too many slabs to be checked");
	run->names = c->names.at;
	run->starts = c->starts.at;
	run->nr_named = nr;
	memset(run->names, 0, names * sizeof(u16));
	memset(run->starts, 0, nr * sizeof(struct start_names));
	return 0;
}

/* The array of the cache's CPU; NULL if no line has one. */
static const struct state_list *array_of(const struct state *start, u32 cache)
{
	const struct state_list *lists = start->lists.run.at;

	for (u32 i = 0; i < start->lists.nr; i++)
		if (lists[i].cache == cache && lists[i].kind == LIST_CPU_ARRAY)
			return &lists[i];
	return NULL;
}

/* Objects in the array have the kernel's indices. */
static void name_array(const struct check *c, const struct state_list *array, struct run *run)
{
	const u64 *objects = (const u64 *)c->states[0].addresses.run.at + array->at;

	for (u32 i = 0; i < array->nr; i++) {
		const struct kernel_slab *slab = STATE_ROWS(struct kernel_slab, c->slabs) +
						 (objects[i] >> 16);
		give_name(run, slab->nr, objects[i] & 0xffff, objects[i] & 0xffff);
		run->starts[slab->nr].in_array++;
	}
}

/* Gives the model a slab of the state. Its free objects are the last without a name. */
static s32 adopt(struct kmem_session *s, const struct check *c, struct run *run, u32 row, u32 place)
{
	const struct state_slab *from = STATE_ROWS(struct state_slab, c->states[0].slabs) + row;
	u32 nr = STATE_ROWS(struct kernel_slab, c->slabs)[row].nr,
	    free = (u32)from->objects - from->inuse, left = free;
	struct start_names *start = &run->starts[nr];
	const u16 *names = names_of(run, nr);
	u16 *stack = names_of(run, run->nr_named);

	if (from->inuse > from->objects || start->in_array > from->inuse)
		return does_not_fit(s);
	start->in_use = from->objects;
	while (left) {
		start->in_use--;
		if (!names[start->in_use])
			stack[--left] = (u16)start->in_use;
	}
	struct exact_slab exact = {
		.free = stack, .nr_free = (u16)free, .order = from->order, .objects = from->objects
	};
	struct adopted_slab was = { .place = place, .inuse = from->inuse, .exact = &exact };
	start->made = world_has_room(run->w) ? run->ops->adopt(run->w, run->s, &was) : 0;
	if (!start->made)
		return does_not_fit(s);
	for (u32 i = 0; i < from->objects; i++) {
		if (names[i])
			continue;
		if (!free)
			give_name(run, nr, i, i);
		run->locs[(u64)nr * run->objects + i] = free ? 0 : LOC(start->made, i);
	}
	u32 serial = run->ops->serial(run->w, start->made);
	run->slab_of[serial] = nr + 1;
	run->serial_of[nr] = serial + 1;
	return 0;
}

static s32 adopt_slabs(struct kmem_session *s, const struct check *c, u32 cache, struct run *run)
{
	const struct state *start = &c->states[0];
	const struct state_list *lists = start->lists.run.at;
	const struct state_slab *slabs = start->slabs.run.at;
	s32 err = 0;

	for (u32 i = 0; i < start->lists.nr && !err; i++) {
		const u64 *rows = (const u64 *)start->addresses.run.at + lists[i].at;
		int is_here = lists[i].cache == cache && lists[i].kind != LIST_CPU_ARRAY;
		for (u32 k = 0; k < lists[i].nr && is_here && !err; k++)
			err = adopt(s, c, run, (u32)rows[k], PLACE_NODE_PARTIAL);
	}
	for (u32 i = 0; i < start->slabs.nr && !err; i++)
		if (slabs[i].cache == cache && !slabs[i].is_listed)
			err = adopt(s, c, run, i, PLACE_NODE_FULL);
	return err;
}

static s32 adopt_array(struct kmem_session *s, const struct check *c, u32 cache, u32 control,
		       const struct state_list *array, struct run *run)
{
	const struct state_cache *from = STATE_ROWS(struct state_cache, c->states[0].caches) +
					 cache;
	const u64 *objects = array ? (const u64 *)c->states[0].addresses.run.at + array->at : NULL;
	object_loc entries[MOST_STATE_ARRAY];
	u32 nr = array ? array->nr : 0, more = control == CONTROL_THRESHOLD;

	for (u32 i = 0; i < nr; i++) {
		u32 slab = STATE_ROWS(struct kernel_slab, c->slabs)[objects[i] >> 16].nr;
		entries[i] = LOC(run->starts[slab].made, objects[i] & 0xffff);
	}
	struct adopted_array was = { .limit = from->limit + (control == CONTROL_CPU_LIST),
				     .batchcount = MIN(from->batchcount + more, from->limit),
				     .touched = from->touched,
				     .free_limit = from->free_limit,
				     .free_touched = from->free_touched,
				     .entries = entries,
				     .nr = nr };
	run->w->policy.drain_to_head = control == CONTROL_DRAIN_TO_HEAD;
	return run->ops->adopt_array(run->w, run->s, &was) ? 0 : does_not_fit(s);
}

s32 check_slab_world(struct kmem_session *s, struct check *c, u32 cache, u32 control,
		     struct run *run)
{
	const struct state *start = &c->states[0];
	const struct state_list *array = array_of(start, cache);
	s32 err = make_names(s, c, STATE_ROWS(struct state_cache, start->caches)[cache].nr_slabs,
			     run);

	if (!err && array)
		name_array(c, array, run);
	err = err ? err : adopt_slabs(s, c, cache, run);
	return err ? err : adopt_array(s, c, cache, control, array, run);
}
