/*
 * replay_requests.c - requests: single ones of a caller, and those of kernels with sheaves.
 */
#include "replay/replay_tables.h"
#include "sim/cache.h"

/*
 * Serves requests one by one, as a caller makes them, without a trace.
 *
 * The state equals that of a replay of the same requests, except for a replay's tables of its trace.
 */

#define FAST_PATHS
#include "tables/allocators.def"

void replay_begin(struct replay *r, u32 cpu)
{
	if (r->w->policy.work)
		op_begin_after_work(r->w, cpu);
	else
		op_begin(r->w, clock_cpus(r->w), cpu);
}

ref replay_known_kmalloc(const struct replay *r, u32 bytes)
{
	u32 class = kmalloc_class_of(r, bytes);

	if (r->ops->kmalloc_cache)
		return r->ops->kmalloc_cache(r->w, bytes);
	return class == KMALLOC_TOO_LARGE ? 0 : r->w->kmalloc[KMALLOC_NORMAL][class];
}

static void charge(struct replay *r, struct kmem_cache *s)
{
	if (!r->ops->adds_up_cycles)
		s->cycles += op_cycles(r->w);
}

static object_loc take(struct replay *r, u32 cpu, struct kmem_cache *s, u32 bytes)
{
	object_loc loc;

	if (!r->by_table)
		return fast_alloc(r->w, s, cpu, NODE_ANY, 0);
	loc = r->ops->alloc(r->w, s, cpu, NODE_ANY, bytes);
	charge(r, s);
	return loc;
}

handle replay_alloc(struct replay *r, u32 cpu, ref cache, u32 bytes)
{
	const struct resolved site = { .bytes = bytes };
	handle h = 0;
	struct tables t = { .w = r->w, .sites = &site, .handles = &h };

	if (!cache)
		cache = kmalloc_cache(r, KMALLOC_NORMAL, bytes);
	if (cache > RESOLVED_LARGE) {
		object_loc loc = take(r, cpu, at(r->w, cache), bytes);
		if (loc)
			note_alloc(&t, 0, &site, at(r->w, cache), loc);
	} else if (cache == RESOLVED_LARGE) {
		alloc_large(r, &h, bytes, NODE_ANY);
	} else {
		emit_ALLOC_FAILED(r->w, CACHE_NONE, NODE_ANY, NODE_ANY);
	}
	r->w->op++;
	return h;
}

void replay_free(struct replay *r, u32 cpu, handle h, u32 bytes)
{
	if (HANDLE_CACHE(h) == HANDLE_LARGE) {
		free_large(r, h, bytes);
	} else {
		struct kmem_cache *s = cache_at(r->w, HANDLE_CACHE(h));
		s->live--;
		s->requested -= bytes;
		if (!r->by_table) {
			fast_free(r->w, s, cpu, h, 0);
		} else {
			r->ops->free(r->w, s, cpu, h);
			charge(r, s);
		}
	}
	r->w->op++;
}

void replay_corrupt(struct replay *r, u32 cache, object_loc loc, const struct corruption *c)
{
	struct world *w = r->w;

	r->ops->corrupt(w, cache_at(w, cache), r->ops->serial(w, LOC_SLAB(loc)), LOC_INDEX(loc), c);
	w->op++;
}

/*
 * Executes bulk requests, kfree_rcu(), grace periods, prefilled sheaves and the death of a CPU.
 *
 * Only an allocator whose kmem_ops has request() acts on them, and SLUB only from 7.0 on. The others serve the objects
 * of a bulk request one by one, and immediately free what kfree_rcu() hands them.
 *
 * The life of an object ends when it is handed to the allocator, even if its slab gets it later.
 */

_Static_assert((u32)MAX_BULK_OBJECTS <= (u32)MAX_REQUEST_OBJECTS &&
		       (u32)NR_PREFILLED_SLOTS <= (u32)NR_REQUEST_SLOTS,
	       "the allocator takes every request of a trace");

int requests_known(const struct kmem_ops *ops, const struct policy *p)
{
	return ops->request && p->no_cpu_slabs;
}

static int has_requests(const struct replay *r)
{
	return requests_known(r->ops, &r->w->policy);
}

static object_loc ask(struct replay *r, struct kmem_cache *s, u32 cpu, struct request q)
{
	u64 before = op_cycles(r->w);
	object_loc loc = r->ops->request(r->w, s, cpu, &q);

	if (!r->ops->adds_up_cycles)
		s->cycles += op_cycles(r->w) - before;
	return loc;
}

/* Names the prefilled sheaf of a request that is about one. */
static void name_sheaf(const struct replay *r, const struct site *site, struct request *q)
{
	if (site->request < SITE_PREFILLED)
		return;
	q->slot = site->request - (u32)SITE_PREFILLED;
	if (site->sheaf_cpu)
		q->sheaf_cpu = (site->sheaf_cpu - 1u) % r->w->machine.nr_cpus + 1;
}

static int alloc_member(struct replay *r, const struct tables *t, const struct op *op, u32 cpu)
{
	const struct site *site = &r->trace->sites[op->site];
	struct request q = { .kind = site->request >= SITE_PREFILLED ? REQUEST_PREFILLED_TAKE
								     : REQUEST_BULK_TAKE };
	ref cache = trace_cache(r, site->cache);

	if (!cache)
		return 0;
	struct kmem_cache *s = at(t->w, cache);
	name_sheaf(r, site, &q);
	/* The caller got an object. If the request did not provide it, a single allocation does. */
	object_loc loc = ask(r, s, cpu, q);
	if (loc)
		note_alloc(t, op->handle, &t->sites[op->site], s, loc);
	return loc != 0;
}

static int free_member(struct replay *r, const struct tables *t, const struct op *op, u32 cpu)
{
	const struct site *site = &r->trace->sites[op->site];
	handle h = t->handles[op->handle];

	/* Not placed, or a large kmalloc. */
	if ((s64)h <= 0)
		return 0;
	struct kmem_cache *s = cache_at(t->w, HANDLE_CACHE(h));
	t->handles[op->handle] = op->flags & OP_KEPT ? replay_keep_trail(r, h) : 0;
	s->live--;
	s->requested -= t->sites[op->site].bytes;
	ask(r, s, cpu,
	    (struct request){ .kind = site->request == SITE_RCU ? REQUEST_FREE_RCU
								: REQUEST_BULK_PUT,
			      .loc = h });
	return 1;
}

/* Handles an object of a bulk request that the recorder announced. Kernels with cpu slabs take such objects from the
 * cpu freelist without counting them, and free them as one list per slab; kernels with sheaves serve the request as a
 * whole. Other allocators handle the objects one by one. */
static int group_member(struct replay *r, const struct tables *t, const struct op *op, u32 nr,
			u32 cpu)
{
	const struct site *site = &r->trace->sites[op->site];
	struct request q = { .kind = REQUEST_GROUP_TAKE };

	if (!r->ops->request)
		return 0;
	if (op->kind == OP_FREE)
		return free_member(r, t, op, cpu);
	ref cache = trace_cache(r, site->cache);
	if (!cache)
		return 0;
	struct kmem_cache *s = at(t->w, cache);
	world_host(r->w)->barred_zones = MAX(t->sites[op->site].barred_zones,
					     (u16)(ZONE_NORMAL - cache_zone(s)));
	if (has_requests(r)) {
		if (op->flags & OP_GROUP_FIRST)
			ask(r, s, cpu,
			    (struct request){ .kind = REQUEST_BULK_ALLOC,
					      .number = trace_group(r->trace, nr, NULL) });
		q.kind = REQUEST_BULK_TAKE;
	}
	object_loc loc = ask(r, s, cpu, q);
	world_host(r->w)->barred_zones = 0;
	if (loc)
		note_alloc(t, op->handle, &t->sites[op->site], s, loc);
	return loc != 0;
}

void replay_group_end(struct replay *r, const struct op *op, u32 cpu)
{
	const struct site *site = &r->trace->sites[op->site];

	if (site->was != OP_FREE || site->cache == CACHE_NONE || !r->ops->request)
		return;
	ref cache = site->cache == SITE_CACHE_KMALLOC
			    ? kmalloc_cache(r, site->kmalloc_type, site->bytes)
			    : trace_cache(r, site->cache);
	if (cache > RESOLVED_LARGE)
		ask(r, at(r->w, cache), cpu, (struct request){ .kind = REQUEST_BULK_FREE });
}

int replay_member(struct replay *r, const struct tables *t, const struct op *op, u32 nr, u32 cpu)
{
	if (r->trace->sites[op->site].request == SITE_GROUP)
		return group_member(r, t, op, nr, cpu);
	if (!has_requests(r))
		return 0;
	return op->kind == OP_FREE ? free_member(r, t, op, cpu) : alloc_member(r, t, op, cpu);
}

static enum kmem_reason reason_of(u32 kind)
{
	switch (kind) {
	case OP_GRACE:
	case OP_BARRIER:
		return REASON_NO_RCU;
	case OP_CPU_DEAD:
		return REASON_NO_CPU_DEATH;
	case OP_BULK_ALLOC:
	case OP_BULK_FREE:
		return REASON_ONE_BY_ONE;
	default:
		return REASON_NO_PREFILL;
	}
}

static void ask_all_caches(struct replay *r, u32 cpu, struct request q)
{
	for (u32 id = 0; id < r->w->nr_caches; id++)
		ask(r, cache_at(r->w, id), cpu, q);
}

static void ask_for_objects(struct replay *r, const struct tables *t, const struct op *op, u32 cpu,
			    ref cache)
{
	static const u8 kinds[] = { [OP_BULK_ALLOC] = REQUEST_BULK_ALLOC,
				    [OP_BULK_FREE] = REQUEST_BULK_FREE,
				    [OP_PREFILL] = REQUEST_PREFILL,
				    [OP_REFILL] = REQUEST_REFILL,
				    [OP_RETURN] = REQUEST_RETURN };
	const struct site *site = &r->trace->sites[op->site];
	struct kmem_cache *s = at(r->w, cache);
	struct request q = { .kind = kinds[op->kind], .number = site->bytes };

	name_sheaf(r, site, &q);
	if (op->kind != OP_BULK_FREE && op->kind != OP_RETURN)
		world_host(r->w)->barred_zones = MAX(t->sites[op->site].barred_zones,
						     (u16)(ZONE_NORMAL - cache_zone(s)));
	ask(r, s, cpu, q);
	world_host(r->w)->barred_zones = 0;
}

void replay_request(struct replay *r, const struct tables *t, const struct op *op, u32 cpu)
{
	const struct site *site = &r->trace->sites[op->site];

	if (!has_requests(r)) {
		emit_NOTHING(r->w, CACHE_NONE, NODE_ANY, reason_of(op->kind));
		return;
	}
	if (op->kind == OP_GRACE || op->kind == OP_BARRIER) {
		ask_all_caches(r, cpu,
			       (struct request){ .kind = op->kind == OP_GRACE ? REQUEST_GRACE
									      : REQUEST_BARRIER });
		return;
	}
	if (op->kind == OP_CPU_DEAD) {
		ask_all_caches(r, cpu,
			       (struct request){ .kind = REQUEST_CPU_DEAD,
						 .number = site->bytes % r->w->machine.nr_cpus });
		return;
	}
	ref cache = site->cache == SITE_CACHE_KMALLOC
			    ? kmalloc_cache(r, site->kmalloc_type, site->bytes)
			    : trace_cache(r, site->cache);
	if (cache > RESOLVED_LARGE)
		ask_for_objects(r, t, op, cpu, cache);
}
