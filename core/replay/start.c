/*
 * start.c - caches and objects of a replay that starts with the slabs of a machine.
 */
#include "replay/start.h"
#include "machine_state/machine_state.h"
#include "util/text.h"

const struct start_cache *start_cache_named(const struct start *s, const char *name)
{
	for (u32 i = 0; s && i < s->caches.nr; i++)
		if (text_is(s->caches.at[i].name, name))
			return &s->caches.at[i];
	return NULL;
}

int start_lacks_accounting(const struct start *s)
{
	return s && s->caches.nr && !s->is_inferred && !s->has_accounting;
}

void start_apply(const struct start *s, struct cache_spec *spec, struct policy *policy)
{
	const struct start_cache *c = start_cache_named(s, spec->name);

	if (!c || !c->size)
		return;
	spec->size = c->size;
	spec->object_size = c->object_size;
	spec->flags |= CACHE_NOMERGE;
	if (!(s->held & HELD_ORDER))
		policy->min_order = policy->max_order = (u8)c->order;
}

void start_settle(const struct start *s, struct kmem_cache *cache)
{
	const struct start_cache *c = start_cache_named(s, (const char *)cache->name);

	if (!c || !c->size)
		return;
	if (!(s->held & HELD_ORDER) && !cache->random_seq) {
		cache->size = c->size;
		cache->order = c->order;
		cache->objects = c->objects;
		cache->min_objects = c->min_objects;
	}
	if (!(s->held & HELD_MIN_PARTIAL))
		cache->min_partial = c->min_partial;
	if (!(s->held & HELD_CPU_PARTIAL)) {
		cache->cpu_partial = c->cpu_partial;
		cache->cpu_partial_slabs = c->cpu_partial_slabs;
	}
	cache->defrag_ratio = c->defrag;
}

/* Returns the first row of frees at or after the event. */
static u32 free_from(const struct start *s, u32 op)
{
	u32 low = 0, high = s->frees.nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		if (s->frees.at[middle].op < op)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

object_loc start_object(struct start *s, const struct trace *t, u32 op, struct start_slab **of)
{
	/* A fork's own events reuse the numbers of recorded ones. */
	if (!s || (t->fork.is_on && op >= t->fork.at))
		return 0;
	if (s->next >= s->frees.nr || s->frees.at[s->next].op != op)
		s->next = free_from(s, op);
	if (s->next >= s->frees.nr || s->frees.at[s->next].op != op)
		return 0;
	const struct start_free *row = &s->frees.at[s->next++];
	*of = &s->slabs.at[row->slab];
	return (*of)->made ? LOC((*of)->made, row->index) : 0;
}
