/*
 * check_world.c - a world with one cache as it was in the start state: sizes, thresholds, slabs, freelists, lists.
 */
#include "query/check/check_model.h"

enum {
	CONTROL_CAPACITY_LESS = 4,
	CHECK_WORLD_BYTES = 128 << 20,
	CLEAR_VOTES = 8,
	MOST_LOCS = 1 << 26,
	MOST_NAMES = 1 << 26
};

/*
 * Names the objects that SLAB's state leaves out.
 *
 * It lists the objects in a CPU's array in order, but for a slab only says how many objects are in use. No file says
 * which of them are free, or which comes next. SLAB never looks at an index: it chooses slabs, and the objects of a
 * slab follow each other on its stack, whatever their indices are. So the model gives such objects indices of its
 * own:
 *
 *	object of the model		object of the kernel
 *	in an array, in a new slab,
 *	in a slab without free objects	the same index
 *	any other			the first that an event shows at that place
 *
 * From then on the two are one object, and have to meet again at each event.
 */

static void give_name(const struct run *run, u32 slab, u32 ours, u32 kernels)
{
	u16 *names = names_of(run, slab);

	names[ours] = (u16)(kernels + 1);
	names[run->objects + kernels] = (u16)(ours + 1);
}

int check_slab_name(struct run *run, u32 slab, u32 ours, u32 kernels)
{
	const u16 *names = names_of(run, slab);

	if (!names || names[ours] || names[run->objects + kernels])
		return 0;
	give_name(run, slab, ours, kernels);
	return 1;
}

void check_slab_renew(struct run *run, u32 slab)
{
	for (u32 i = 0; i < run->objects && names_of(run, slab); i++)
		give_name(run, slab, i, i);
}

object_loc check_slab_older(struct run *run, const struct check_event *ev)
{
	const u16 *names = names_of(run, ev->slab);

	if (!names || names[run->objects + ev->index])
		return 0;
	/* Objects in use come first. */
	for (u32 i = 0; i < run->starts[ev->slab].in_use; i++) {
		if (names[i])
			continue;
		give_name(run, ev->slab, i, ev->index);
		return LOC(run->starts[ev->slab].made, i);
	}
	return 0;
}

static s32 does_not_fit(struct kmem_session *s, const struct check *c)
{
	return c->states[0].is_slab
		       ? session_fail(s, KMEM_EINPUT,
				      "the start state does not fit SLAB: more objects in arrays "
				      "than in use, or slabs of several sizes")
		       : session_fail(s, KMEM_ENOMEM, "the start state does not fit the model");
}

/* Returns the array of the cache's CPU; NULL if no line has one. */
static const struct state_list *array_of(const struct state *start, u32 cache)
{
	for (u32 i = 0; i < start->lists.nr; i++)
		if (start->lists.at[i].cache == cache && start->lists.at[i].kind == LIST_CPU_ARRAY)
			return &start->lists.at[i];
	return NULL;
}

/* Objects in the array have the kernel's indices. */
static s32 make_names(struct kmem_session *s, struct check *c, u32 cache, struct run *run)
{
	const struct state_list *array = array_of(&c->states[0], cache);
	u32 nr = c->states[0].caches.at[cache].nr_slabs;
	/* After the names there is room for the stack of a slab. */
	u64 names = ((u64)nr * 2 + 1) * run->objects;

	if (names > MOST_NAMES || !buffer_grow(&s->pool, &c->names, names * sizeof(u16)) ||
	    !buffer_grow(&s->pool, &c->starts, MAX(nr, 1u) * (u64)sizeof(struct start_names)))
		return session_fail(s, KMEM_ENOMEM, "a cache has too many slabs to be checked");
	run->names = c->names.at;
	run->starts = c->starts.at;
	run->nr_named = nr;
	memset(run->names, 0, names * sizeof(u16));
	memset(run->starts, 0, nr * sizeof(struct start_names));
	for (u32 i = 0; array && i < array->nr; i++) {
		u64 object = c->states[0].addresses.at[array->at + i];
		u32 slab = c->slabs.at[object >> 16].nr;
		give_name(run, slab, object & 0xffff, object & 0xffff);
		run->starts[slab].in_array++;
	}
	return 0;
}

/* The free objects of SLAB's slab are the last without a name. Returns 0 if there are fewer. */
static int choose_free(struct run *run, u32 nr, const struct state_slab *from,
		       struct exact_slab *exact)
{
	struct start_names *start = &run->starts[nr];
	const u16 *names = names_of(run, nr);
	u16 *stack = run->names + (u64)run->nr_named * 2 * run->objects;
	u32 left = (u32)from->objects - from->inuse;

	if (from->inuse > from->objects || start->in_array > from->inuse)
		return 0;
	exact->free = stack;
	exact->nr_free = (u16)left;
	start->in_use = from->objects;
	while (left) {
		start->in_use--;
		if (!names[start->in_use])
			stack[--left] = (u16)start->in_use;
	}
	return 1;
}

/* A state does not say which node each CPU is on: they are spread evenly, unless nearly all cpu slabs or sheaves say
 * otherwise. */
void check_cpu_nodes(const struct state *state, u32 nr_cpus, u16 *cpu_node)
{
	const struct state_list *lists = state->lists.at;
	const struct state_slab *slabs = state->slabs.at;
	const u64 *numbers = state->addresses.at;

	for (u32 cpu = 0; cpu < nr_cpus; cpu++) {
		u32 votes[MAX_NODES] = { 0 }, even = (u32)((u64)cpu * state->nr_nodes / nr_cpus);
		u32 best = even;
		for (u32 i = 0; i < state->lists.nr; i++) {
			u64 first = lists[i].nr ? numbers[lists[i].at] : 0;
			if (!lists[i].nr || lists[i].of != cpu)
				continue;
			if (lists[i].kind == LIST_CPU_SLAB)
				votes[slabs[first].node]++;
			if (lists[i].kind == LIST_SHEAF_MAIN || lists[i].kind == LIST_SHEAF_SPARE)
				votes[slabs[first >> 16].node]++;
		}
		for (u32 node = 0; node < state->nr_nodes; node++)
			if (votes[node] > votes[best] &&
			    votes[node] > 2 * votes[even] + CLEAR_VOTES)
				best = node;
		cpu_node[cpu] = (u16)best;
	}
}

/* Fills each node's zonelist in the order of its nodes. */
static void set_fallback(const struct check *c, struct world *w)
{
	const struct zone *zones = at(w, w->machine.zones);
	u16 *list = at(w, w->machine.zonelists);

	for (u32 node = 0; node < c->nr_fallback; node++) {
		for (u32 i = 0; i < c->nr_fallback; i++) {
			u32 there = i ? c->fallback[node][i - 1] : node;
			for (u32 z = w->machine.nr_zones; z-- > 0;)
				if (zones[z].node == there)
					*list++ = (u16)z;
		}
	}
}

/* Sets the rules of 7.x that a replay of one cache depends on, whatever the preset. */
static void policy_of_sheaves(struct policy *p)
{
	for (p->allocator = 0; !ops_of(p->allocator)->part;)
		p->allocator++;
	p->no_cpu_slabs = 1;
	p->cpu_partial_lists = 0;
	p->unfrozen_partials = 1;
	p->node_first = 1;
}

static s32 new_world(struct kmem_session *s, struct check *c, struct run *run)
{
	struct policy policy;
	u16 cpu_node[MAX_CPUS];
	const struct state *start = &c->states[0];
	struct machine_spec spec = { .nr_cpus = MAX(MAX(start->nr_cpus, s->trace.report.cpus), 1u),
				     .nr_nodes = MAX(start->nr_nodes, 1u),
				     .page_shift = 12,
				     .fail_order = NR_ORDERS,
				     .cpu_node = cpu_node };
	const char *why;
	u32 len;
	s32 err = session_policy(s, &policy);

	if (err)
		return err;
	if (!buffer_grow(&s->pool, &c->world, CHECK_WORLD_BYTES))
		return session_fail(s, KMEM_ENOMEM, "not enough memory to replay a cache");
	spec.memory_bytes = spec.nr_nodes == 1 ? (u64)4 << 30 : (u64)spec.nr_nodes << 31;
	check_cpu_nodes(start, spec.nr_cpus, cpu_node);
	run->w = world_init(c->world.at, c->world.room_bytes);
	if (start->is_slab)
		for (policy.allocator = 0; !ops_of(policy.allocator)->adopt_array;)
			policy.allocator++;
	if (start->has_sheaves)
		policy_of_sheaves(&policy);
	run->w->policy = policy;
	run->ops = ops_of(policy.allocator);
	if (!start->is_slab && !run->ops->adopts_exactly)
		return session_fail(
			s, KMEM_EPARAM,
			"the chosen allocator cannot start from the slabs of the start state, which "
			"is another one's: leave out --set allocator");
	spec.distance = params_list(&s->params, PARAM_DISTANCE, &len);
	if (len != spec.nr_nodes * spec.nr_nodes)
		spec.distance = NULL;
	err = machine_build(run->w, &spec, &why);
	if (err)
		return session_fail(s, err, why);
	set_fallback(c, run->w);
	if (run->ops->prepare)
		run->ops->prepare(run->w);
	return 0;
}

static void set_control(struct run *run, u32 control)
{
	if (run->w->policy.no_cpu_slabs) {
		run->w->policy.barn_less = control == CONTROL_THRESHOLD;
		run->w->policy.drain_to_head = control == CONTROL_DRAIN_TO_HEAD;
		return;
	}
	run->s->cpu_partial_slabs += control == CONTROL_CPU_LIST;
	run->s->min_partial += control == CONTROL_THRESHOLD;
	run->w->policy.drain_to_head = control == CONTROL_DRAIN_TO_HEAD;
}

/* Returns the objects in a sheaf; fewer with the control of capacity. */
static u32 capacity_of(const struct state_cache *from, u32 control)
{
	u32 less = control == CONTROL_CPU_LIST ? CONTROL_CAPACITY_LESS : 0;

	return from->sheaf_capacity > less ? from->sheaf_capacity - less : from->sheaf_capacity;
}

static s32 make_cache(struct kmem_session *s, const struct state_cache *from, u32 control,
		      struct run *run)
{
	run->w->policy.sheaf_capacity = capacity_of(from, control);
	struct cache_spec spec = { from->name, from->object_size, from->size, 8, CACHE_NOMERGE };

	run->s = cache_new(run->w, &spec);
	if (!run->s)
		return session_fail(s, KMEM_ENOMEM, "not enough memory to replay a cache");
	run->ops->create(run->w, run->s);
	run->s->size = from->size;
	run->s->order = (u16)from->order;
	run->s->objects = (u16)from->objects;
	run->s->min_objects = (u16)from->min_objects;
	run->s->min_partial = from->min_partial;
	run->s->cpu_partial = from->cpu_partial;
	run->s->cpu_partial_slabs = from->cpu_partial_slabs;
	run->s->defrag_ratio = from->defrag;
	return 0;
}

/* Notes where the model has the slab's objects that are in use, if their indices are known. */
static void know_objects(struct run *run, u32 nr, ref made, const struct exact_slab *slab)
{
	object_loc *locs = run->locs + (u64)nr * run->objects;
	const u16 *names = names_of(run, nr);

	for (u32 i = 0; i < slab->objects; i++)
		locs[i] = names && slab->nr_free && !names[i] ? 0 : LOC(made, i);
	for (u32 i = 0; i < slab->nr_free; i++)
		locs[slab->free[i]] = 0;
	for (u32 i = 0; i < slab->nr_cpu_free; i++)
		locs[slab->cpu_free[i]] = 0;
	if (names && !slab->nr_free)
		check_slab_renew(run, nr);
}

/* Gives the model a slab of the state. row: of the start state's slabs. */
static s32 adopt(struct kmem_session *s, const struct check *c, struct run *run, u32 row)
{
	const struct state *start = &c->states[0];
	const struct state_slab *from = &start->slabs.at[row];
	const struct state_list *list = state_list_of(start, from);
	u32 nr = c->slabs.at[row].nr;
	struct exact_slab exact = { .free = start->indices.at + from->free_at,
				    .nr_free = (u16)from->nr_free,
				    .order = from->order,
				    .objects = from->objects };
	struct adopted_slab slab = { .place = list ? list_place(list->kind) : PLACE_NODE_FULL,
				     .node = from->node,
				     .inuse = from->inuse,
				     .exact = &exact };

	if (list && list->kind < LIST_NODE_PARTIAL)
		slab.cpu = list->of;
	if (list && list->kind == LIST_CPU_SLAB) {
		exact.cpu_free = start->indices.at + list->free_at;
		exact.nr_cpu_free = (u16)list->nr_free;
	}
	if (start->is_slab && !choose_free(run, nr, from, &exact))
		return does_not_fit(s, c);
	ref made = world_has_room(run->w) ? run->ops->adopt(run->w, run->s, &slab) : 0;
	if (!made)
		return does_not_fit(s, c);
	know_objects(run, nr, made, &exact);
	if (start->is_slab)
		run->starts[nr].made = made;
	u32 serial = run->ops->serial(run->w, made);
	run->slab_of[serial] = nr + 1;
	run->serial_of[nr] = serial + 1;
	return 0;
}

/* Takes the last nr objects of an array or a sheaf; returns 0 if one of them is free. */
static int take_entries(const struct check *c, struct run *run, const struct state_list *from,
			u32 nr, object_loc *entries)
{
	const u64 *objects = c->states[0].addresses.at + from->at + from->nr - nr;

	for (u32 i = 0; i < nr; i++) {
		u32 slab = c->slabs.at[objects[i] >> 16].nr;
		object_loc *loc = &run->locs[(u64)slab * run->objects + (objects[i] & 0xffff)];
		entries[i] = *loc;
		*loc = 0;
		if (!entries[i])
			return 0;
	}
	return 1;
}

static s32 adopt_array(struct kmem_session *s, const struct check *c, u32 cache, u32 control,
		       struct run *run)
{
	const struct state_cache *from = &c->states[0].caches.at[cache];
	const struct state_list *array = array_of(&c->states[0], cache);
	object_loc entries[MOST_STATE_ARRAY];
	u32 more = control == CONTROL_THRESHOLD;
	struct adopted_array was = { .limit = from->limit + (control == CONTROL_CPU_LIST),
				     .batchcount = MIN(from->batchcount + more, from->limit),
				     .touched = from->touched,
				     .free_limit = from->free_limit,
				     .free_touched = from->free_touched,
				     .entries = entries,
				     .nr = array ? array->nr : 0 };

	if (array)
		take_entries(c, run, array, array->nr, entries);
	return run->ops->adopt_array(run->w, run->s, &was) ? 0 : does_not_fit(s, c);
}

/* Gives the model a sheaf of the state, without the oldest objects if it has room for fewer. */
static s32 adopt_sheaf(struct kmem_session *s, const struct check *c, struct run *run,
		       const struct state_list *from, u32 place, u32 capacity)
{
	object_loc entries[MOST_STATE_ARRAY];
	int is_of_node = from->kind >= LIST_BARN_SHEAF;
	struct adopted_sheaf was = { .place = place,
				     .cpu = is_of_node ? 0 : from->of,
				     .node = is_of_node ? from->of : 0,
				     .entries = entries,
				     .nr = MIN(from->nr, capacity - (place == PLACE_SHEAF_RCU)) };

	if (!take_entries(c, run, from, was.nr, entries))
		return session_fail(s, KMEM_EINPUT,
				    "a sheaf of the start state has an object that is free");
	ref made = world_has_room(run->w) ? run->ops->adopt_sheaf(run->w, run->s, &was) : 0;
	if (!made)
		return session_fail(s, KMEM_EINPUT,
				    "the sheaves of the start state do not fit the model");
	return check_parts_know(s, run, from->address, made);
}

static s32 adopt_sheaves(struct kmem_session *s, const struct check *c, u32 cache, u32 control,
			 struct run *run)
{
	static const struct {
		u32 kind, place;
	} places[] = { { LIST_SHEAF_MAIN, PLACE_SHEAF_MAIN },
		       { LIST_SHEAF_SPARE, PLACE_SHEAF_SPARE },
		       { LIST_SHEAF_RCU, PLACE_SHEAF_RCU },
		       { LIST_SHEAF_WAITING, PLACE_SHEAF_WAITING },
		       { LIST_SHEAF_PREFILLED, PLACE_NODE_FULL },
		       { LIST_BARN_SHEAF, PLACE_BARN_FULL },
		       { LIST_BARN_EMPTY, PLACE_BARN_EMPTY } };
	const struct state_cache *of = &c->states[0].caches.at[cache];
	u32 capacity = capacity_of(of, control);
	s32 err = 0;

	for (u32 i = 0; i < ARRAY_SIZE(places) && of->sheaf_capacity; i++) {
		const struct state_list *from = NULL;
		while (!err &&
		       (from = state_next_sheaf(&c->states[0], cache, places[i].kind, from)))
			err = adopt_sheaf(s, c, run, from, places[i].place, capacity);
	}
	return err;
}

static s32 make_tables(struct kmem_session *s, struct check *c, const struct check_cache *of,
		       const struct state_cache *from, struct run *run)
{
	u64 locs = (u64)of->nr_slabs * from->objects;

	run->pool = &s->pool;
	run->undo = NULL;
	run->names = NULL;
	run->nr_named = 0;
	run->usual = from->sheaf_capacity;
	run->trace = &s->trace;
	run->lines = s->trace.kept.effects.at;
	run->parts = c->has_parts ? &c->parts : NULL;
	check_parts_drop(&s->pool, &c->parts);
	c->parts.nr = c->parts.nr_refused = 0;
	run->nr_by_slab = 0;
	run->is_lost = 0;
	run->objects = from->objects;
	run->serials = from->nr_slabs + of->allocations + 1;
	if (locs > MOST_LOCS ||
	    !buffer_grow(&s->pool, &c->locs, MAX(locs, 1u) * sizeof(object_loc)) ||
	    !buffer_grow(&s->pool, &c->slab_of, run->serials * (u64)sizeof(u32)) ||
	    !buffer_grow(&s->pool, &c->serial_of, MAX(of->nr_slabs, 1u) * (u64)sizeof(u32)))
		return session_fail(s, KMEM_ENOMEM, "a cache has too many slabs to be checked");
	run->locs = c->locs.at;
	run->slab_of = c->slab_of.at;
	run->serial_of = c->serial_of.at;
	memset(run->locs, 0, locs * sizeof(object_loc));
	memset(run->slab_of, 0, run->serials * sizeof(u32));
	memset(run->serial_of, 0, of->nr_slabs * sizeof(u32));
	return 0;
}

s32 check_world(struct kmem_session *s, struct check *c, u32 cache, u32 control, struct run *run)
{
	const struct state *start = &c->states[0];
	const struct state_cache *from = &start->caches.at[cache];
	s32 err = new_world(s, c, run);

	err = err ? err : make_cache(s, from, control, run);
	err = err ? err : make_tables(s, c, &c->caches.at[cache], from, run);
	if (!err && start->is_slab)
		err = make_names(s, c, cache, run);
	for (u32 row = from->first_slab; row && !err; row = start->slabs.at[row - 1].next)
		err = adopt(s, c, run, row - 1);
	if (!err)
		err = start->is_slab ? adopt_array(s, c, cache, control, run)
				     : adopt_sheaves(s, c, cache, control, run);
	if (!err)
		set_control(run, control);
	return err;
}
