/*
 * unified_reclaim.c - expires idle objects in queues and lists when the page allocator runs low.
 *
 *	direct reclaim  no node has the pages: every cache expires on all nodes, pass after pass, until one has
 *	kswapd          every zone is below its low watermark: idle objects of each node expire once after the event
 *
 * Patch 12 of UnifiedV4 adds expiry; patch 13 calls it from do_try_to_free_pages() and
 * balance_pgdat(). The model has no page cache, so reclaim can free pages of slab caches only. The
 * kernel's kswapd is a thread; here it runs right after the event that woke it.
 *
 * Left out: zone reclaim, which is off by default for node distances up to 20. Also left out:
 * reclaim for a slab's larger order, because the allocator first falls back to the smaller one.
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
	emit_DIRECT_RECLAIM(w, CACHE_NONE, NODE_ANY);
	return expire_all(w, NODE_ANY);
}

struct unified_slab *unified_new_slab_after_reclaim(struct world *w, struct kmem_cache *s, u32 node)
{
	struct unified_slab *slab = unified_new_slab(w, s, node);
	/* Expiry cannot help if the machine refuses the order itself. */
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
	emit_KSWAPD_WAKE(w, CACHE_NONE, NODE_ANY, free, low);
}

void unified_run_kswapd(struct world *w)
{
	unified_machine(w)->kswapd_is_woken = 0;
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		emit_KSWAPD_RUN(w, CACHE_NONE, node);
		expire_all(w, node);
	}
}

void unified_pages_taken(struct world *w)
{
	unified_wake_kswapd(w, request_zone(w));
	if (unified_machine(w)->kswapd_is_woken)
		unified_run_kswapd(w);
}
