/*
 * check_start.c - in which order a node asks the others, and whether another one explains a wrong allocation.
 */
#include "query/check/check_model.h"
#include "query/check/check_order.h"
#include "util/scan.h"
#include "util/text.h"

/*
 * Whether another order of nodes explains a wrong allocation, with the order of events so far.
 *
 * check_search.c looks for the order of nodes by the events that the caches follow, and they may follow only to the first one
 * that was late. With the late ones moved, more is known. An order of nodes that explains the cache from its start to well behind
 * the allocation replaces the old one. Then the search for the order of events begins again, with all caches.
 */

/* How far the model is right with the orders of nodes as they are. */
static u32 reach_of_nodes(struct order *o, u32 limit)
{
	o->err = check_world(o->s, o->c, o->cache, CONTROL_NONE, &o->run);
	if (o->err)
		return 0;
	order_note_counters(o);
	for (u32 i = 0; i < limit;) {
		u32 done = order_step(o, i);
		o->steps += done;
		if (o->off)
			return i;
		i += done;
	}
	return limit;
}

/* Whether the kernel or the model took a slab from a node's list, maybe of another node. */
static int took_from_node(const struct order *o, const struct check_event *ev)
{
	const struct check_path *paths = o->c->paths.at;
	u32 path = o->path | (o->has_paths ? paths[ev->op].mask : 0);

	return o->off == OFF_OBJECT && path & PATH(ALLOC_FROM_PARTIAL);
}

int order_ask_nodes(struct order *o, u32 i)
{
	struct check *c = o->c;
	const struct machine *m = &o->run.w->machine;
	const struct check_event *ev = &o->ev[i];
	u32 nodes = c->nr_fallback, limit = MIN(o->nr, i + HORIZON);
	u8 was[MOST_FALLBACK_NODES], order[MOST_FALLBACK_NODES];

	if (!nodes || o->asked == MOST_ASKED || o->asked_op == ev->op || !took_from_node(o, ev) ||
	    o->steps > MOST_STEPS || c->work.rounds == MOST_ROUNDS)
		return 0;
	o->asked++;
	o->asked_op = ev->op;
	const struct cpu *cpus = at(o->run.w, m->cpus);
	u32 node = ev->node < nodes ? ev->node : cpus[ev->cpu % m->nr_cpus].node;
	memcpy(was, c->fallback[node], sizeof(was));
	check_first_order(c, node, order);
	do {
		memcpy(c->fallback[node], order, nodes - 1);
		if (memcmp(order, was, nodes - 1) && reach_of_nodes(o, limit) == limit)
			o->has_other_nodes = 1;
	} while (!o->err && !o->has_other_nodes && check_next_order(order, nodes - 1));
	if (!o->has_other_nodes)
		memcpy(c->fallback[node], was, sizeof(was));
	return 1;
}

/*
 * Kmem_start_use: the start state becomes what a build of the whole trace begins with.
 *
 * The state's slabs of each cache that has events go to struct start, list by list. A free of an object that was in use is
 * found by its pointer: the first event at that object decides. So nobody can free an object twice, or one of a slab that
 * is gone.
 */

enum { STATE_PAGE_SHIFT = 12, LOCAL = 10, NEAREST = 20, FARTHER = 10 };

/* Parameters of the machine that follow from the state. */
enum machine_part { PART_CPUS, PART_NODES, PART_CPU_NODE, PART_DISTANCE };
static const enum kmem_param machine_params[] = { PARAM_CPUS, PARAM_NODES, PARAM_CPU_NODE,
						  PARAM_DISTANCE };

static s32 no_memory(struct kmem_session *s)
{
	return session_fail(s, KMEM_ENOMEM, "not enough memory to begin with the start state");
}

/* Rows of the start at work, and the way from the state's slabs to them. */
struct starter {
	struct kmem_session *s;
	struct check *c;
	struct start *start;
	struct buffer row_of;	/* u32[slabs of the state]: row of the start + 1 */
	struct buffer first_of; /* u32[caches + 1]: first number of its slabs in by_cache */
	struct buffer by_cache; /* u32[slabs of the state]: sorted by cache, in the state's order */
	struct buffer is_in_use; /* u8[objects of the start's slabs] */
	struct buffer object_at; /* u32[slabs of the start]: first in is_in_use */
	struct buffer event_of;	 /* u32[events of the trace]: number of its row in c->events + 1 */
};

static int add_cache(struct starter *st, const struct state_cache *from)
{
	struct start *start = st->start;

	if (!buffer_grow(&st->s->pool, &start->cache_run,
			 (start->nr_caches + 1) * (u64)sizeof(*start->caches)))
		return 0;
	start->caches = start->cache_run.at;
	struct start_cache *c = &start->caches[start->nr_caches++];
	*c = (struct start_cache){ .size = from->size,
				   .object_size = from->object_size,
				   .order = (u16)from->order,
				   .objects = (u16)from->objects,
				   .min_objects = (u16)from->min_objects,
				   .min_partial = from->min_partial,
				   .cpu_partial = from->cpu_partial,
				   .cpu_partial_slabs = from->cpu_partial_slabs,
				   .defrag = from->defrag };
	memcpy(c->name, from->name, sizeof(c->name));
	return 1;
}

static int add_indices(struct starter *st, const u16 *from, u32 nr, u32 *to)
{
	struct start *start = st->start;

	*to = start->nr_indices;
	if (!buffer_grow(&st->s->pool, &start->index_run,
			 MAX((u64)start->nr_indices + nr, 1u) * sizeof(u16)))
		return 0;
	start->indices = start->index_run.at;
	memcpy(start->indices + start->nr_indices, from, nr * sizeof(u16));
	start->nr_indices += nr;
	return 1;
}

/* Adds a slab of the state. list: the list that has it, or NULL. */
static int add_slab(struct starter *st, u32 nr, const struct state_list *list)
{
	static const u32 places[] = { [LIST_CPU_SLAB] = PLACE_CPU_SLAB,
				      [LIST_CPU_PARTIAL] = PLACE_CPU_PARTIAL,
				      [LIST_NODE_PARTIAL] = PLACE_NODE_PARTIAL };
	const struct state *state = &st->c->states[KMEM_STATE_START];
	const struct state_slab *from = STATE_ROWS(struct state_slab, state->slabs) + nr;
	const u16 *indices = state->indices.run.at;
	struct start *start = st->start;
	u64 bytes = (start->nr_slabs + 1) * (u64)sizeof(*start->slabs);
	int is_cpu_slab = list && list->kind == LIST_CPU_SLAB;

	if (!buffer_grow(&st->s->pool, &start->slab_run, bytes))
		return 0;
	start->slabs = start->slab_run.at;
	struct start_slab *slab = &start->slabs[start->nr_slabs++];
	*slab = (struct start_slab){
		.cache = start->nr_caches - 1,
		/* A damaged state may have a slab with free objects on no list. */
		.place = list		 ? places[list->kind]
			 : from->nr_free ? PLACE_NODE_PARTIAL
					 : PLACE_NODE_FULL,
		.nr_free = (u16)from->nr_free,
		.nr_cpu_free = is_cpu_slab ? (u16)list->nr_free : 0,
		.order = from->order,
		.objects = from->objects,
		.cpu = list && list->kind != LIST_NODE_PARTIAL ? (u16)list->of : 0,
		.node = from->node,
	};
	((u32 *)st->row_of.at)[nr] = start->nr_slabs;
	return (!is_cpu_slab ||
		add_indices(st, indices + list->free_at, slab->nr_cpu_free, &slab->cpu_free_at)) &&
	       add_indices(st, indices + from->free_at, slab->nr_free, &slab->free_at);
}

static int add_slabs(struct starter *st, u32 cache)
{
	const struct state *state = &st->c->states[KMEM_STATE_START];
	const struct state_list *lists = state->lists.run.at;
	const struct state_slab *slabs = state->slabs.run.at;
	const u64 *numbers = state->addresses.run.at;
	const u32 *by_cache = st->by_cache.at, *first_of = st->first_of.at;
	int done = 1;

	for (u32 i = 0; i < state->lists.nr && done; i++) {
		for (u32 k = 0; lists[i].cache == cache && k < lists[i].nr && done; k++) {
			/* A slab goes in front of those on a per-CPU partial list. */
			u32 at = lists[i].kind == LIST_CPU_PARTIAL ? lists[i].nr - 1 - k : k;
			done = add_slab(st, (u32)numbers[lists[i].at + at], &lists[i]);
		}
	}
	for (u32 i = first_of[cache]; i < first_of[cache + 1] && done; i++)
		if (!slabs[by_cache[i]].is_listed)
			done = add_slab(st, by_cache[i], NULL);
	return done;
}

/* Sorts the state's slabs by cache. */
static int sort_slabs(struct starter *st)
{
	const struct state *state = &st->c->states[KMEM_STATE_START];
	const struct state_slab *slabs = state->slabs.run.at;
	struct pool *pool = &st->s->pool;
	u64 bytes = MAX(state->slabs.nr, 1u) * (u64)sizeof(u32);

	if (!buffer_grow(pool, &st->row_of, bytes) || !buffer_grow(pool, &st->by_cache, bytes) ||
	    !buffer_grow(pool, &st->first_of, (state->caches.nr + 2) * (u64)sizeof(u32)))
		return 0;
	u32 *first = st->first_of.at, *by_cache = st->by_cache.at;
	memset(first, 0, (state->caches.nr + 2) * sizeof(u32));
	memset(st->row_of.at, 0, bytes);
	for (u32 i = 0; i < state->slabs.nr; i++)
		first[slabs[i].cache + 2]++;
	for (u32 i = 0; i < state->caches.nr; i++)
		first[i + 2] += first[i + 1];
	for (u32 i = 0; i < state->slabs.nr; i++)
		by_cache[first[slabs[i].cache + 1]++] = i;
	return 1;
}

/* Marks the objects that were in use. */
static int mark_objects(struct starter *st)
{
	const struct start *start = st->start;
	u64 all = 0;

	if (!buffer_grow(&st->s->pool, &st->object_at, MAX(start->nr_slabs, 1u) * (u64)sizeof(u32)))
		return 0;
	u32 *object_at = st->object_at.at;
	for (u32 i = 0; i < start->nr_slabs; i++) {
		object_at[i] = (u32)all;
		all += start->slabs[i].objects;
	}
	if (all > 0xffffffffu || !buffer_grow(&st->s->pool, &st->is_in_use, MAX(all, (u64)1)))
		return 0;
	u8 *in_use = st->is_in_use.at;
	memset(in_use, 1, all);
	for (u32 i = 0; i < start->nr_slabs; i++) {
		const struct start_slab *slab = &start->slabs[i];
		for (u32 k = 0; k < slab->nr_free; k++)
			in_use[object_at[i] + start->indices[slab->free_at + k]] = 0;
		for (u32 k = 0; k < slab->nr_cpu_free; k++)
			in_use[object_at[i] + start->indices[slab->cpu_free_at + k]] = 0;
	}
	return 1;
}

/* The row of the start that the event's slab is; CHECK_NONE for a slab of later. */
static u32 row_of_event(const struct starter *st, u32 cache, const struct check_event *ev)
{
	const u32 *first = st->first_of.at, *by_cache = st->by_cache.at, *row_of = st->row_of.at;

	if (ev->slab >= first[cache + 1] - first[cache])
		return CHECK_NONE;
	return row_of[by_cache[first[cache] + ev->slab]] - 1u;
}

/* Finds the cache's events that free objects from before the trace. */
static void find_frees(struct starter *st, u32 cache)
{
	const struct check_cache *of = STATE_ROWS(struct check_cache, st->c->caches) + cache;
	const struct check_event *events = st->c->events.run.at;
	const u32 *object_at = st->object_at.at;
	u8 *in_use = st->is_in_use.at;

	for (u32 i = of->first; i < of->first + of->nr; i++) {
		u32 row = row_of_event(st, cache, &events[i]);
		if (row == CHECK_NONE || events[i].index >= st->start->slabs[row].objects)
			continue;
		u8 *object = &in_use[object_at[row] + events[i].index];
		int is_orphan = trace_op(&st->s->trace, events[i].op).kind == OP_NOTHING;
		if (!*object)
			continue;
		*object = 0;
		if (events[i].kind == CHECK_ALLOC)
			st->start->unseen++;
		else if (is_orphan) {
			((u32 *)st->event_of.at)[events[i].op] = i + 1;
			st->start->nr_frees++;
		}
	}
}

/* Writes the frees in the order of the trace. */
static int write_frees(struct starter *st)
{
	const struct check_event *events = st->c->events.run.at;
	const u32 *event_of = st->event_of.at;
	const u16 *cache_of = st->c->cache_of_op.at;
	struct start *start = st->start;
	u32 nr = 0;

	if (!buffer_grow(&st->s->pool, &start->free_run,
			 MAX(start->nr_frees, 1u) * (u64)sizeof(struct start_free)))
		return 0;
	start->frees = start->free_run.at;
	for (u32 op = 0; op < st->s->trace.nr_ops; op++) {
		if (!event_of[op])
			continue;
		const struct check_event *ev = &events[event_of[op] - 1];
		start->frees[nr++] = (struct start_free){ op, row_of_event(st, cache_of[op], ev),
							  ev->index };
	}
	return 1;
}

static int is_accounting(const char *name)
{
	return span_begins((const u8 *)name, (const u8 *)name + text_length(name), "kmalloc-cg-");
}

static int fill(struct starter *st)
{
	const struct check *c = st->c;
	const struct check_cache *caches = c->caches.run.at;
	const struct state_cache *from = c->states[KMEM_STATE_START].caches.run.at;
	u64 bytes = MAX(st->s->trace.nr_ops, 1u) * (u64)sizeof(u32);

	if (!sort_slabs(st) || !buffer_grow(&st->s->pool, &st->event_of, bytes))
		return 0;
	memset(st->event_of.at, 0, bytes);
	for (u32 nr = 0; nr < c->caches.nr; nr++) {
		st->start->has_accounting |= is_accounting(from[nr].name);
		if (caches[nr].nr && (!add_cache(st, &from[nr]) || !add_slabs(st, nr)))
			return 0;
	}
	if (!mark_objects(st))
		return 0;
	for (u32 nr = 0; nr < c->caches.nr; nr++)
		if (caches[nr].nr)
			find_frees(st, nr);
	return write_frees(st);
}

/* Sets a parameter as a machine line of the trace would, unless somebody chose it. */
static void set_machine(struct kmem_session *s, enum machine_part part, const char *value)
{
	enum kmem_param param = machine_params[part];
	const char *key = params_key(param);

	if (!params_is_chosen(&s->params, param) &&
	    !params_set(&s->params, FROM_TRACE, key, text_length(key), value, text_length(value)))
		s->import.start.machine |= 1u << part;
}

static void add_item(struct text *t, u32 number)
{
	text_add(t, t->len ? "," : "");
	text_add_u64(t, number);
}

/* The machine has the CPUs and nodes of the state. */
static void choose_machine(struct kmem_session *s, const struct check *c)
{
	const struct state *state = &c->states[KMEM_STATE_START];
	u32 cpus = MAX(MAX(state->nr_cpus, s->trace.report.cpus), 1u),
	    nodes = MAX(state->nr_nodes, 1u);
	u16 cpu_node[MAX_CPUS];
	char list[MAX_CPUS * 5 + 1], number[16];
	struct text t = text_in(number, sizeof(number));

	text_add_u64(&t, cpus);
	set_machine(s, PART_CPUS, number);
	t = text_in(number, sizeof(number));
	text_add_u64(&t, nodes);
	set_machine(s, PART_NODES, number);
	if (nodes == 1 || params_get(&s->params, PARAM_CPUS) != cpus ||
	    params_get(&s->params, PARAM_NODES) != nodes)
		return;
	check_cpu_nodes(state, cpus, cpu_node);
	t = text_in(list, sizeof(list));
	for (u32 cpu = 0; cpu < cpus; cpu++)
		add_item(&t, cpu_node[cpu]);
	set_machine(s, PART_CPU_NODE, list);
	if (c->nr_fallback != nodes)
		return;
	u32 distance[MOST_FALLBACK_NODES][MOST_FALLBACK_NODES] = { 0 };
	t = text_in(list, sizeof(list));
	for (u32 node = 0; node < nodes; node++)
		for (u32 i = 0; i + 1 < nodes; i++)
			distance[node][c->fallback[node][i]] = NEAREST + FARTHER * i;
	for (u32 i = 0; i < nodes * nodes; i++)
		add_item(&t, i / nodes == i % nodes ? LOCAL : distance[i / nodes][i % nodes]);
	set_machine(s, PART_DISTANCE, list);
}

static void forget_machine(struct kmem_session *s)
{
	for (u32 i = 0; i < ARRAY_SIZE(machine_params); i++) {
		const char *key = params_key(machine_params[i]);
		if (s->import.start.machine >> i & 1)
			params_set(&s->params, FROM_TRACE, key, text_length(key), "", 0);
	}
}

static int kernel_has_cpu_slabs(struct kmem_session *s)
{
	struct policy policy;

	return !session_policy(s, &policy) && ops_of(policy.allocator)->adopts_exactly &&
	       !policy.no_cpu_slabs;
}

static s32 begin_with_state(struct kmem_session *s, struct check *c)
{
	struct starter st = { .s = s, .c = c, .start = &s->import.start };
	s32 err = check_events(s, c);

	if (err)
		return no_memory(s);
	/* Without a replay of its own kind of kernel the order of the nodes stays that of equal distances. */
	c->nr_fallback = 0;
	if (kernel_has_cpu_slabs(s) && check_fallback(s, c))
		c->nr_fallback = 0;
	if (!fill(&st))
		err = no_memory(s);
	if (!err)
		err = session_start_counts(s);
	struct buffer *runs[] = { &st.row_of,	 &st.first_of,	&st.by_cache,
				  &st.is_in_use, &st.object_at, &st.event_of };
	for (u32 i = 0; i < ARRAY_SIZE(runs); i++)
		buffer_free(&s->pool, runs[i]);
	if (!err)
		choose_machine(s, c);
	else
		session_start_drop(s);
	check_events_drop(s, c);
	return err;
}

u32 kmem_start_names_objects(const struct kmem_session *s)
{
	const struct check *c = (const struct check *)s->room.check;

	return c && c->states[0].is_complete && !c->states[0].is_slab && !c->states[0].has_sheaves;
}

s32 kmem_start_use(struct kmem_session *s, u32 on)
{
	struct check *c = check_of(s);
	s32 err = on ? check_ready(s, c) : 0;

	if (!err && on && c->states[0].is_slab)
		err = session_fail(
			s, KMEM_EINPUT,
			"the state is of SLAB and lacks which objects of its slabs are free, so "
			"no replay can begin with it; check can compare it");
	if (!err && on && c->states[0].has_sheaves)
		err = session_fail(s, KMEM_EINPUT,
				   "the state has sheaves, and no replay of the whole machine can "
				   "begin with those; check can compare it");
	if (err)
		return err;
	session_drop_world(s);
	forget_machine(s);
	session_start_drop(s);
	return on ? begin_with_state(s, c) : 0;
}
