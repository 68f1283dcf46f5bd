/*
 * replay_other.c - events that are neither an allocation nor a free, changed settings, and a fork.
 */
#include "machine_state/machine_state.h"
#include "replay/replay.h"
#include "replay/replay_tables.h"
#include "sim/cache.h"

/*
 * Changes a tunable at run time, on one cache or on all present and future ones.
 */

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

static void replay_set(struct replay *r, const struct trace_set *set, ref cache)
{
	if (!cache)
		set_on_all(r, set);
	else if (!set_on_cache(r, at(r->w, cache), set))
		emit_NOTHING(r->w, CACHE_NONE, NODE_ANY, REASON_NO_TUNABLE);
}

/*
 * Executes the events that are neither allocations nor frees: flushes, settings, corruption, time.
 */

static void do_set(struct replay *r, const struct site *site)
{
	const struct trace_set *set = &r->trace->sets[site->bytes];
	ref cache = set->cache == CACHE_NONE ? 0 : trace_cache(r, set->cache);

	if (cache || set->cache == CACHE_NONE)
		replay_set(r, set, cache);
}

static void tick(struct replay *r, const struct op *op, u32 cpu, const struct site *site)
{
	if (op->kind == OP_TICK)
		r->ops->tick(r->w, cpu, TICK_CLOCK, site->bytes);
	else if (op->kind == OP_REAP)
		r->ops->tick(r->w, cpu, TICK_REAP, 0);
	else
		r->ops->tick(r->w, cpu, TICK_EXPIRE,
			     site->node < r->w->machine.nr_nodes ? site->node : NODE_ANY);
}

static void corrupt(struct replay *r, const struct op *op)
{
	struct world *w = r->w;
	const struct trace_corruption *c = &r->trace->corruptions[r->trace->sites[op->site].bytes];
	struct corruption corruption = { c->kind, c->at, c->len, c->value, c->live };
	u32 cache, serial, index;

	replay_trail(r, op->handle, &cache, &serial, &index);
	if (cache == CACHE_NONE)
		emit_NOTHING(w, CACHE_NONE, NODE_ANY, REASON_NO_SLAB);
	else if (!r->ops->corrupt)
		emit_NOTHING(w, cache, NODE_ANY, REASON_NO_CORRUPTION);
	else
		r->ops->corrupt(w, cache_at(w, cache), serial, index, &corruption);
}

void replay_other(struct replay *r, const struct tables *t, const struct op *op, u32 cpu)
{
	struct world *w = r->w;
	const struct site *site = &r->trace->sites[op->site];
	ref cache = 0;

	if (op->kind >= OP_BULK_ALLOC) {
		replay_request(r, t, op, cpu);
		return;
	}
	if (op->kind == OP_FLUSH || op->kind == OP_SHRINK || op->kind == OP_VALIDATE)
		cache = site->cache == SITE_CACHE_KMALLOC
				? kmalloc_cache(r, site->kmalloc_type, site->bytes)
				: trace_cache(r, site->cache);
	if (cache == RESOLVED_LARGE)
		cache = 0;
	switch (op->kind) {
	case OP_FLUSH:
		if (cache)
			r->ops->shrink(w, at(w, cache), cpu,
				       op->flags & OP_ALL_CPUS ? SHRINK_FLUSH_ALL
							       : SHRINK_FLUSH_CPU);
		break;
	case OP_SHRINK:
		if (cache)
			r->ops->shrink(w, at(w, cache), cpu, SHRINK_DISCARD);
		break;
	case OP_SET:
		do_set(r, site);
		break;
	case OP_CORRUPT:
		corrupt(r, op);
		break;
	case OP_VALIDATE:
		if (cache && (!r->ops->validate || !r->ops->validate(w, at(w, cache))))
			emit_NOTHING(w, CACHE_NONE, NODE_ANY, REASON_NOT_DEBUGGED);
		break;
	case OP_TICK:
	case OP_REAP:
	case OP_EXPIRE:
		if (r->ops->tick)
			tick(r, op, cpu, site);
		else
			emit_NOTHING(w, CACHE_NONE, NODE_ANY, REASON_NO_CLOCK);
		break;
	default:
		KASSERT(0);
	}
	if (cache)
		((struct kmem_cache *)at(w, cache))->cycles += op_cycles(w);
}

/*
 * Replays a fork: recorded events up to its position, then its own events.
 *
 * Until then the world has the tables of the recorded trace, so its states are the same bit for bit. Before the fork's
 * first event the tables grow by its handles, sites and caches.
 */

static int grow_table(struct world *w, ref *table, u32 before, u32 after, u32 bytes)
{
	u64 need_bytes = (u64)after * bytes;

	if (after <= before)
		return 1;
	/* World blocks are up to a quarter larger. */
	if (need_bytes > LARGEST_BLOCK_BYTES ||
	    w->used + need_bytes * 5 / 4 + WORLD_HEADROOM_BYTES > world_host(w)->limit_bytes)
		return 0;
	ref more = world_alloc(w, (u32)need_bytes), old = *table;
	memcpy(at(w, more), at(w, old), (size_t)MAX(before, 1u) * bytes);
	world_free(w, old, MAX(before, 1u) * bytes);
	*table = more;
	return 1;
}

static int grow_tables(struct replay *r)
{
	const struct trace *t = r->trace;
	const struct trace_fork *f = &t->fork;
	struct world *w = r->w;

	if (!grow_table(w, &w->handles, f->nr_handles, t->nr_handles, sizeof(handle)) ||
	    !grow_table(w, &w->sites, f->nr_sites, t->nr_sites, RESOLVED_BYTES) ||
	    !grow_table(w, &w->trace_caches, f->nr_caches, t->nr_caches, sizeof(ref)))
		return 0;
	replay_resolve(r, f->nr_sites, t->nr_sites);
	return 1;
}

u32 replay_fork(struct replay *r, u32 n)
{
	u32 at = r->trace->fork.at, done = 0;

	if (r->w->op < at) {
		u32 before = MIN(n, at - r->w->op);
		done = replay_plainly(r, before);
		if (done < before)
			return done;
	}
	if (done == n || (r->w->op == at && !grow_tables(r)))
		return done;
	return done + replay_plainly(r, n - done);
}
