/*
 * unified_reclaim.c - the page allocator runs low, and what lies idle in queues and lists expires without being asked.
 *
 *	direct reclaim  no node has the pages: every cache expires on all nodes, pass after pass, until it has
 *	kswapd          every zone is below its low watermark: after the operation each node's idle objects expire once
 *
 * Patch 12 of UnifiedV4 expires, patch 13 calls it from do_try_to_free_pages() and balance_pgdat(). Here caches are all
 * that reclaim can get pages from: there is no page cache. kswapd is a thread of its own in the kernel; where one
 * operation runs after another it comes right behind the one that woke it. Left out: zone reclaim, which
 * is off by default on machines with node distances up to 20, and reclaim for the larger order of a slab, which falls
 * back to the smaller one first.
 */
#include "alloc/unified/unified.h"

#include "sim/page.h"

static int expire_all(struct world *w, u32 node)
{
	int progress = 0;

	for (u32 id = 0; id < w->nr_caches; id++)
		progress |= unified_expire(w, cache_at(w, id), node);
	return progress;
}

int unified_reclaim(struct world *w)
{
	EMIT(w, DIRECT_RECLAIM, CACHE_NONE, NODE_ANY, 0, 0, 0, 0, 0);
	return expire_all(w, NODE_ANY);
}

struct unified_slab *unified_new_slab_after_reclaim(struct world *w, struct kmem_cache *s, u32 node)
{
	struct unified_slab *slab = unified_new_slab(w, s, node);
	/* A refusal by order is not for want of pages, and nothing that expires would help. */
	u32 passes = s->min_order < w->machine.fail_order ? RECLAIM_PASSES : 0;

	for (u32 i = 0; !slab && i < passes && unified_reclaim(w); i++)
		slab = unified_new_slab(w, s, node);
	return slab;
}

void unified_wake_kswapd(struct world *w, u32 highest)
{
	u32 free, low;

	if (unified_machine(w)->kswapd_is_woken || likely(!page_is_low(w, highest, &free, &low)))
		return;
	unified_machine(w)->kswapd_is_woken = 1;
	EMIT(w, KSWAPD_WAKE, CACHE_NONE, NODE_ANY, free, low, 0, 0, 0);
}

void unified_run_kswapd(struct world *w)
{
	unified_machine(w)->kswapd_is_woken = 0;
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		EMIT(w, KSWAPD_RUN, CACHE_NONE, node, 0, 0, 0, 0, 0);
		expire_all(w, node);
	}
}

void unified_pages_taken(struct world *w)
{
	unified_wake_kswapd(w, request_zone(w));
	if (unified_machine(w)->kswapd_is_woken)
		unified_run_kswapd(w);
}
