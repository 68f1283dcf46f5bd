/*
 * replay_cache.c - creates a cache when the trace first uses it: its size and thresholds, its sheaves, and whether it
 * joins another.
 */
#include "replay/replay.h"

#include "machine_state/machine_state.h"
#include "replay/start.h"
#include "util/text.h"

static int is_one_of(const char *name, const char *const *names, u32 nr)
{
	int found = 0;

	for (u32 i = 0; i < nr && !found; i++)
		found = text_is(names[i], name);
	return found;
}

/* Sets the sheaf capacity of one cache in the policy: in 6.18 a few have sheaves, in 7.x all but two. The kernel does
 * not merge caches whose creator names a capacity. */
static void choose_sheaves(struct world *w, struct cache_spec *spec)
{
	static const char *const asked[] = { "maple_node", "vm_area_struct" };
	static const char *const refused[] = { "kmem_cache", "kmem_cache_node" };
	int asks = is_one_of(spec->name, asked, ARRAY_SIZE(asked));

	if (w->policy.sheaf_capacity == AUTOMATIC) {
		if (is_one_of(spec->name, refused, ARRAY_SIZE(refused)))
			w->policy.sheaf_capacity = 0;
		else if (asks)
			spec->flags |= CACHE_ASKED_SHEAVES | CACHE_NOMERGE;
	} else if (w->policy.few_sheaves && !asks) {
		w->policy.sheaf_capacity = 0;
	}
}

ref replay_create_cache(struct replay *r, const struct cache_spec *asked)
{
	struct world *w = r->w;
	struct cache_spec spec = *asked;
	struct policy policy = w->policy;

	/* This cache's order, thresholds and sheaves, if the machine state has them. */
	choose_sheaves(w, &spec);
	if (r->machine_state->is_used)
		machine_state_apply(r->machine_state, w->machine.page_shift, &spec, &w->policy);
#ifndef KMEM_FIRST_VIEW
	start_apply(r->start, &spec, &w->policy);
#endif
	if (w->policy.sheaf_capacity && !w->policy.no_cpu_slabs)
		spec.flags |= CACHE_NOMERGE;
	spec.flags |= w->policy.debug_flags;
	struct kmem_cache *s = cache_find_mergeable(w, &spec);
	if (s) {
		s->object_size = MAX(s->object_size, spec.object_size);
		s->refcount++;
	} else {
		s = cache_new(w, &spec);
		if (s)
			r->ops->create(w, s);
#ifndef KMEM_FIRST_VIEW
		if (s)
			start_settle(r->start, s);
#endif
	}
	w->policy = policy;
	return s ? ref_of(w, s) : 0;
}
