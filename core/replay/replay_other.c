/*
 * replay_other.c - executes the events that are neither allocations nor frees: flushes, settings, corruption, time.
 */
#include "replay/replay_tables.h"

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
