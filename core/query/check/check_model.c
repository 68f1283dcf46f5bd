/*
 * check_model.c - the states and the result of a check: reads the states, and sums up what check_work.c found.
 */
#include "query/check/check_model.h"

enum { LEAST_COUNT = 20, CLOSE_SLABS = 2 };

static struct state *state_at_work(struct kmem_session *s)
{
	struct check *c = check_of(s);

	return &c->states[c->states[KMEM_STATE_STOP].is_reading ? KMEM_STATE_STOP
								: KMEM_STATE_START];
}

s32 kmem_state_begin(struct kmem_session *s, u32 which)
{
	struct check *c = check_of(s);

	if (which > KMEM_STATE_STOP)
		return session_fail(s, KMEM_EPARAM, "expected the start state or the stop state");
	check_events_drop(s, c);
	c->states[!which].is_reading = 0;
	return state_begin(s, &c->states[which]);
}

s32 kmem_state_chunk(struct kmem_session *s, const u8 *bytes, u32 len_bytes)
{
	return state_chunk(s, state_at_work(s), bytes, len_bytes);
}

s32 kmem_state_end(struct kmem_session *s)
{
	return state_end(s, state_at_work(s));
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

static void sum_counter(struct kmem_checked *out, u64 kernel, u64 model)
{
	if (kernel < LEAST_COUNT)
		return;
	out->cells++;
	out->within_1_percent += distance(kernel, model) * 100 <= kernel;
	out->within_10_percent += distance(kernel, model) * 10 <= kernel;
}

/* Counters of one cache: the kernel's between the states, and the model's. */
static void sum_counters(struct kmem_checked *out, const struct check_cache *cache,
			 const struct state_cache *start, const struct state_cache *stop)
{
	for (u32 i = 0; i < STATE_COUNTERS; i++)
		if (stop->counters[i] >= start->counters[i])
			sum_counter(out, stop->counters[i] - start->counters[i],
				    cache->counters[i]);
}

/* Without a stop state: the kernel's as the trace reports them one by one, which leaves out the fast paths. */
static void sum_reported(const struct kmem_session *s, const struct check *c,
			 struct kmem_checked *out, const struct check_cache *cache,
			 const char *name)
{
	const struct trace *t = &s->trace;
	const struct kmem_kernel_counters_row *rows = t->counters_run.at;
	u32 row = counters_row_of(t, (const char *)s->pool.base, name);

	for (u32 i = 0; i < STATE_COUNTERS && row; i++)
		if (state_counter(&c->states[0], i) < NR_KERNEL_COUNTERS)
			sum_counter(out, rows[row - 1].all[state_counter(&c->states[0], i)],
				    cache->counters[i]);
}

static void sum_cache(struct kmem_session *s, struct check *c, u32 nr,
		      struct kmem_checked_cache *row)
{
	struct kmem_checked *out = &c->out;
	const struct check_cache *cache = STATE_ROWS(struct check_cache, c->caches) + nr;
	const struct state_cache *start = STATE_ROWS(struct state_cache, c->states[0].caches) + nr;
	u32 there = c->states[1].is_complete ? state_cache_of(&c->states[1], start->name)
					     : CHECK_NONE;
	const struct state_cache *stop = STATE_ROWS(struct state_cache, c->states[1].caches) +
					 there;

	*row = (struct kmem_checked_cache){
		.name = start->name,
		.events = cache->nr,
		.allocations = cache->allocations,
		.right = cache->right,
		.model_slabs = (s32)(cache->slabs_at_end - cache->slabs_at_start),
	};
	out->allocations += cache->allocations;
	if (!c->states[1].is_complete)
		sum_reported(s, c, out, cache, start->name);
	if (there == CHECK_NONE)
		return;
	row->has_kernel_slabs = 1;
	row->kernel_slabs = (s32)(stop->nr_slabs - start->nr_slabs);
	out->caches++;
	out->within_2 += row->kernel_slabs - row->model_slabs <= CLOSE_SLABS &&
			 row->model_slabs - row->kernel_slabs <= CLOSE_SLABS;
	out->lists += cache->lists;
	out->lists_equal += cache->lists_equal;
	sum_counters(out, cache, start, stop);
}

s32 check_sum_up(struct kmem_session *s, struct check *c)
{
	u64 bytes = MAX(c->caches.nr, 1u) * (u64)sizeof(struct kmem_checked_cache);

	if (!buffer_grow(&s->pool, &c->row_run, bytes))
		return KMEM_ENOMEM;
	c->rows = c->row_run.at;
	for (u32 nr = 0; nr < c->caches.nr; nr++)
		if (STATE_ROWS(struct check_cache, c->caches)[nr].nr)
			sum_cache(s, c, nr, &c->rows[c->out.nr_rows++]);
	c->out.rows = c->rows;
	c->out.nr_fallback = c->nr_fallback;
	memcpy(c->out.fallback, c->fallback, sizeof(c->fallback));
	return 0;
}

s32 check_ready(struct kmem_session *s, const struct check *c)
{
	if (!s->import.imported)
		return session_fail(s, KMEM_ESTATE, "no trace is imported");
	if (!c->states[0].is_complete || c->states[0].is_broken)
		return session_fail(s, KMEM_ESTATE, "no start state has been read");
	if (!s->trace.kept.pointers)
		return session_fail(s, KMEM_ESTATE,
				    "the trace's pointers were not kept, or did not fit in memory");
	return 0;
}

/* A state of SLAB has the arrays of one CPU only. */
s32 check_slab_fits(struct kmem_session *s, const struct check *c)
{
	const struct state *start = &c->states[0], *stop = &c->states[1];

	if (stop->is_complete && stop->is_slab != start->is_slab)
		return session_fail(s, KMEM_EINPUT,
				    "the start state and the stop state are of two allocators");
	if (!start->is_slab || (start->nr_cpus == 1 && start->nr_nodes == 1 && !start->has_others))
		return 0;
	return session_fail(
		s, KMEM_EINPUT,
		"the state is of SLAB on several CPUs or nodes, and lacks the objects in "
		"shared arrays and alien caches; expected one CPU");
}

/* Reports what the search for the order changed. */
s32 check_list_moves(struct kmem_session *s, struct check *c)
{
	const struct check_event *ev = c->events.run.at;
	const struct check_cache *caches = c->caches.run.at;

	c->moves.nr = 0;
	for (u32 nr = 0; nr < c->caches.nr; nr++) {
		u32 end = caches[nr].first + caches[nr].nr;
		for (u32 i = caches[nr].first; i < end; i++) {
			if (ev[i].flags & CHECK_GIVEN_UP) {
				if (!c->out.given_up++ || ev[i].op < c->out.given_up_op)
					c->out.given_up_op = ev[i].op;
			}
			u32 is_last = ev[i].flags & CHECK_LAST || !(ev[i].flags & CHECK_IN_GROUP) ||
				      ev[i].kind == CHECK_ALLOC;
			if (!(ev[i].flags & (CHECK_MOVED | CHECK_GATE)) || !is_last)
				continue;
			struct kmem_checked_move *move = rows_add(&s->pool, &c->moves,
								  sizeof(*move));
			if (!move)
				return KMEM_ENOMEM;
			move->op = ev[i].op;
			move->next_op = i + 1 < end ? ev[i + 1].op : KMEM_NONE32;
			move->skips_nodes = (ev[i].flags & CHECK_GATE) != 0;
			move->cache = STATE_ROWS(struct state_cache, c->states[0].caches)[nr].name;
			c->out.moves += (ev[i].flags & CHECK_MOVED) != 0;
			c->out.resynchronised += move->skips_nodes;
		}
	}
	c->out.moved = c->moves.run.at;
	c->out.nr_moved = c->moves.nr;
	return 0;
}
