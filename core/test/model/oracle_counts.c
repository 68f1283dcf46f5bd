/*
 * oracle_counts.c - see oracle_counts.h.
 *
 * What an allocator counts differs, so its sums are rows of a table: which counters together make up what.
 */
#include "test/model/oracle_counts.h"

#include "test/model/oracle_sheaves.h"

enum whole { ALLOCS, ALLOCS_FROM_HOME, FREES, SLABS_MADE, SLABS_GIVEN_BACK };

static const struct sum {
	const char *allocator;
	enum whole whole;
	u64 counters, less; /* what these count, less what those count */
	const char *law;
} sums[] = {
	{ "slub", ALLOCS,
	  COUNTER_BIT(ALLOC_FASTPATH) | COUNTER_BIT(ALLOC_SLOWPATH) | COUNTER_BIT(ALLOC_PCS),
	  COUNTER_BIT(SHEAF_REFILL), "every allocation was fast or slow" },
	{ "slub", FREES,
	  COUNTER_BIT(FREE_FASTPATH) | COUNTER_BIT(FREE_SLOWPATH) | COUNTER_BIT(FREE_PCS),
	  COUNTER_BIT(SHEAF_FLUSH), "every free was fast or slow" },
	{ "slub", SLABS_MADE, COUNTER_BIT(ALLOC_SLAB), 0, "slabs that were made are counted" },
	{ "unified", ALLOCS_FROM_HOME,
	  COUNTER_BIT(ALLOC_FASTPATH) | COUNTER_BIT(ALLOC_SHARED) | COUNTER_BIT(ALLOC_SLOWPATH), 0,
	  "every allocation from home came from the CPU's queue, a shared one or slabs" },
	{ "unified", FREES,
	  COUNTER_BIT(FREE_FASTPATH) | COUNTER_BIT(FREE_SHARED) | COUNTER_BIT(FREE_SLOWPATH) |
		  COUNTER_BIT(FREE_ALIEN) | COUNTER_BIT(FREE_ALIEN_SLOW) | COUNTER_BIT(FREE_DIRECT),
	  0, "every free went to a queue, after others or not, or to its slab" },
	{ "unified", SLABS_MADE, COUNTER_BIT(ALLOC_SLAB), 0, "slabs that were made are counted" },
	{ "unified", SLABS_GIVEN_BACK, COUNTER_BIT(FREE_SLAB), 0,
	  "slabs that were given back are counted" },
};

static u64 whole_of(const struct oracle *o, const struct world *w, enum whole whole)
{
	u64 made = 0;

	for (u32 id = 0; id < w->nr_caches; id++)
		made += cache_at(w, id)->next_serial;
	switch (whole) {
	case ALLOCS:
		return o->allocs;
	case ALLOCS_FROM_HOME:
		return o->from_home;
	case FREES:
		return o->frees;
	case SLABS_MADE:
		return made;
	default:
		return made - w->slabs;
	}
}

/* Where the bytes in slabs are. */
static const char *check_usage(const struct oracle *o, const struct world *w)
{
	for (u32 id = 0; id < w->nr_caches; id++) {
		const struct kmem_cache *s = cache_at(w, id);
		struct usage use = { 0 };
		if (!o->ops->usage)
			continue;
		o->ops->usage(w, s, &use);
		if (!o->ops->shared_slabs && use.slots + use.tail + use.free != s->slab_bytes)
			return "every byte of a slab is in a slot, in its tail or free";
		if (use.slots < s->requested)
			return "slots hold what was asked for";
	}
	return NULL;
}

/* The columns of slabinfo. */
static const char *check_info(const struct oracle *o, const struct world *w)
{
	for (u32 id = 0; id < w->nr_caches; id++) {
		const struct kmem_cache *s = cache_at(w, id);
		struct kmem_cache_row row = { 0 };
		row.slabs = s->slabs;
		row.total_objects = s->total_objects;
		o->ops->info(w, s, &row);
		if (row.active_slabs > s->slabs)
			return "no more slabs are active than there are";
		if (!o->ops->shared_slabs &&
		    (row.objects < s->live || row.objects > s->total_objects))
			return "active objects are at least the live ones, at most all";
	}
	return NULL;
}

const char *oracle_counts(const struct oracle *o, const struct world *w)
{
	u32 counted[NR_COUNTERS] = { 0 };

	for (u32 id = 0; id < w->nr_caches; id++)
		o->ops->count(w, cache_at(w, id), counted);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (counted[i] && !o->ops->has_counter(w, i))
			return "an allocator counts only what it says it counts";
	for (u32 i = 0; i < ARRAY_SIZE(sums); i++) {
		const struct sum *sum = &sums[i];
		u64 have = 0;
		/* oracle_sheaves.c has the sums of kernels without cpu slabs. */
		if (sum->less && sheaves_replace_cpu_slabs(w))
			continue;
		if (strcmp(sum->allocator, allocator_name(w->policy.allocator)))
			continue;
		for (u32 k = 0; k < MIN(NR_COUNTERS, 64); k++)
			have += (sum->counters >> k & 1 ? counted[k] : 0) -
				(u64)(sum->less >> k & 1 ? counted[k] : 0);
		u64 whole = whole_of(o, w, sum->whole);
		/* Filling a sheaf ends with a try that found no memory, where that is scarce. */
		if (sum->less && w->policy.sheaf_capacity ? have < whole : have != whole)
			return sum->law;
	}
	const char *broken = check_usage(o, w);
	return broken ? broken : check_info(o, w);
}
