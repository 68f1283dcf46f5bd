/*
 * check_start.c - kmem_start_use: a build of the whole trace starts from the start state.
 *
 * For each cache that has events, the state's slabs go to struct start, list by list. A free of an object that was in
 * use is found by its pointer: the first event at that object decides. So nobody can free an object twice, or one
 * whose slab is gone.
 */
#include "query/check/check_model.h"
#include "util/scan.h"
#include "util/text.h"

enum { LOCAL = 10, NEAREST = 20, FARTHER = 10 };

/* Parameters of the machine that follow from the state. */
enum machine_part { PART_CPUS, PART_NODES, PART_CPU_NODE, PART_DISTANCE };
static const enum kmem_param machine_params[] = { PARAM_CPUS, PARAM_NODES, PARAM_CPU_NODE,
						  PARAM_DISTANCE };

static void add_cache(struct start *start, const struct state_cache *from)
{
	struct start_cache *c = &start->caches.at[start->caches.nr++];

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
}

static u32 add_indices(struct start *start, const u16 *from, u32 nr)
{
	u32 at = start->indices.nr;

	memcpy(start->indices.at + at, from, nr * sizeof(u16));
	start->indices.nr += nr;
	return at;
}

static void add_slab(struct start *start, const struct state *state, struct state_slab *from)
{
	const struct state_list *list = state_list_of(state, from);
	struct start_slab *slab = &start->slabs.at[start->slabs.nr++];
	int is_of_cpu = list && list->kind < LIST_NODE_PARTIAL;

	*slab = (struct start_slab){
		.cache = start->caches.nr - 1,
		/* A damaged state may have a slab with free objects on no list. */
		.place = list		 ? list_place(list->kind)
			 : from->nr_free ? PLACE_NODE_PARTIAL
					 : PLACE_NODE_FULL,
		.nr_free = (u16)from->nr_free,
		.nr_cpu_free = list ? (u16)list->nr_free : 0,
		.order = from->order,
		.objects = from->objects,
		.cpu = is_of_cpu ? (u16)list->of : 0,
		.node = from->node,
	};
	if (list)
		slab->cpu_free_at = add_indices(start, state->indices.at + list->free_at,
						slab->nr_cpu_free);
	slab->free_at = add_indices(start, state->indices.at + from->free_at, slab->nr_free);
	from->row_of_start = start->slabs.nr - 1;
}

static int is_accounting(const char *name)
{
	return span_begins((const u8 *)name, (const u8 *)name + text_length(name), "kmalloc-cg-");
}

static int fill(struct kmem_session *s, struct check *c)
{
	struct state *state = &c->states[KMEM_STATE_START];
	struct start *start = &s->import.start;
	struct pool *pool = &s->pool;

	if (!buffer_grow(pool, &start->caches.all.run,
			 (state->caches.nr + 1) * sizeof(*start->caches.at)) ||
	    !buffer_grow(pool, &start->slabs.all.run,
			 (state->slabs.nr + 1) * sizeof(*start->slabs.at)) ||
	    !buffer_grow(pool, &start->indices.all.run, (state->indices.nr + 1) * sizeof(u16)) ||
	    !buffer_grow(pool, &start->frees.all.run, (c->frees.nr + 1) * sizeof(*start->frees.at)))
		return 0;
	for (u32 nr = 0; nr < c->caches.nr; nr++) {
		start->has_accounting |= is_accounting(state->caches.at[nr].name);
		if (!c->caches.at[nr].nr)
			continue;
		add_cache(start, &state->caches.at[nr]);
		for (u32 row = state->caches.at[nr].first_slab; row;
		     row = state->slabs.at[row - 1].next)
			add_slab(start, state, &state->slabs.at[row - 1]);
	}
	for (u32 i = 0; i < c->frees.nr; i++) {
		struct start_free *to = &start->frees.at[start->frees.nr++];
		*to = c->frees.at[i];
		to->slab = state->slabs.at[to->slab].row_of_start;
	}
	start->unseen = c->unseen;
	return 1;
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

/* Gives the machine the CPUs and nodes of the state. */
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
	c->keeps_frees = 1;
	s32 err = check_events(s, c);
	c->keeps_frees = 0;
	/* Without a replay of its own kind of kernel the order of the nodes stays that of equal distances. */
	if (err || !kernel_has_cpu_slabs(s) || check_fallback(s, c))
		c->nr_fallback = 0;
	if (err || !fill(s, c))
		err = session_fail(s, KMEM_ENOMEM, "not enough memory for the start state");
	err = err ? err : session_start_counts(s);
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
			"the state comes from SLAB and does not say which objects of its slabs are "
			"free, so no replay can start from it; check can compare it");
	if (!err && on && c->states[0].has_sheaves)
		err = session_fail(s, KMEM_EINPUT,
				   "the state has sheaves, and no replay of the whole machine can "
				   "start from those; check can compare it");
	if (err)
		return err;
	session_drop_world(s);
	forget_machine(s);
	session_start_drop(s);
	return on ? begin_with_state(s, c) : 0;
}
