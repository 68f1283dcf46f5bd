/*
 * replay_set.c - changes a tunable at run time, on one cache or on all present and future ones.
 */
#include "replay/replay.h"

#include "sim/order.h"
#include "machine_state/machine_state.h"

/* Returns 1 if the allocator has such a tunable. */
static int set_on_cache(struct replay *r, struct kmem_cache *s, const struct trace_set *set)
{
	struct world *w = r->w;
	u32 old, new = set->value == PARAM_AUTOMATIC ? AUTOMATIC : (u32)set->value;

	if (!r->ops->set || !r->ops->set(w, s, set->param, &new, &old))
		return 0;
	emit_SET(w, s->id, NODE_ANY, set->param, old, new);
	return 1;
}

/* Returns 1 if the machine has such a tunable. */
static int set_on_machine(struct replay *r, const struct trace_set *set)
{
	struct world *w = r->w;
	u32 old = 0, new = (u32)set->value;

	if (set->param == PARAM_FAIL_ORDER) {
		old = w->machine.fail_order;
		w->machine.fail_order = new;
	} else if (set->param == PARAM_NODE_SEARCH) {
		old = w->policy.skip_checked;
		w->policy.skip_checked = (u8) new;
	} else {
		return 0;
	}
	emit_SET(w, CACHE_NONE, NODE_ANY, set->param, old, new);
	return 1;
}

/* Sets it on every present and future cache. */
static void set_on_all(struct replay *r, const struct trace_set *set)
{
	struct policy *p = &r->w->policy;
	u32 value = set->value == PARAM_AUTOMATIC ? AUTOMATIC : (u32)set->value;
	int done = set_on_machine(r, set);

	for (u32 id = 0; id < r->w->nr_caches; id++)
		done += set_on_cache(r, cache_at(r->w, id), set);
	if (!done && r->w->nr_caches)
		emit_NOTHING(r->w, CACHE_NONE, NODE_ANY, REASON_NO_TUNABLE);
	if (set->param == PARAM_MIN_PARTIAL)
		p->min_partial = min_partial_written(p, value);
	if (set->param == PARAM_CPU_PARTIAL)
		p->cpu_partial = value;
	/* A `set` line also overrides the machine state for future caches. */
	if (r->machine_state->is_used && set->param == PARAM_MIN_PARTIAL)
		p->held |= HELD_MIN_PARTIAL;
	if (r->machine_state->is_used && set->param == PARAM_CPU_PARTIAL)
		p->held |= HELD_CPU_PARTIAL;
	if (set->param == PARAM_INTERRUPTED_REFILL)
		p->interrupt_every = value;
	if (set->param == PARAM_REMOTE_NODE_DEFRAG_RATIO)
		p->defrag_ratio = value * 10;
	if (set->param == PARAM_LIMIT)
		p->limit = value;
	if (set->param == PARAM_BATCHCOUNT)
		p->batchcount = value;
	if (set->param == PARAM_SHARED_FACTOR)
		p->shared_factor = value;
	if (set->param == PARAM_QUEUE)
		p->queue = value;
	if (set->param == PARAM_BATCH)
		p->batch = value;
	if (set->param == PARAM_SHARED)
		p->shared = value;
	if (set->param == PARAM_ALIEN)
		p->alien = value;
}

void replay_set(struct replay *r, const struct trace_set *set, ref cache)
{
	if (!cache)
		set_on_all(r, set);
	else if (!set_on_cache(r, at(r->w, cache), set))
		emit_NOTHING(r->w, CACHE_NONE, NODE_ANY, REASON_NO_TUNABLE);
}
