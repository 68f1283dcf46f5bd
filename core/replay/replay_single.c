/*
 * replay_single.c - serves requests one by one, as a caller makes them, without a trace.
 *
 * The state is that of a replay of the same requests, but for the tables that a replay has of its trace.
 */
#include "replay/replay_tables.h"

#define FAST_PATHS
#include "tables/allocators.def"
#include "sim/order.h"

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
