/*
 * page.h - the page allocator, the only source of pages.
 *
 * A request for 2^order pages on a node walks that node's zonelist. The first permitted zone with a
 * free run provides the one at the lowest address. Runs are aligned to their size within the zone.
 * A section of 1024 pages is created at its first allocation, so the simulator's memory grows with
 * use.
 *
 * Kernel: mm/page_alloc.c (6.1) tries zones in the same order. Its per-CPU lists and migrate types,
 * which make addresses depend on history, are left out.
 */
#ifndef SIM_PAGE_H
#define SIM_PAGE_H

#include "kmem_types.h"
#include "sim/world.h"

#define PFN_NONE 0xffffffffu

/* Highest zone for the current request, like gfp_zone() of its flags. */
ALWAYS_INLINE u32 request_zone(const struct world *w)
{
	return ZONE_NORMAL - world_host(w)->barred_zones;
}

/* Returns the first page frame, or PFN_NONE. node: whose zonelist to walk; owner: see struct
 * section; highest: highest permitted zone kind. */
u32 page_alloc(struct world *w, u32 node, u32 order, u32 owner, u32 highest);
/* The same on that node only: __GFP_THISNODE. */
u32 page_alloc_here(struct world *w, u32 node, u32 order, u32 owner, u32 highest);
void page_free(struct world *w, u32 pfn, u32 order);
/* Whether each zone up to `highest` is below its low watermark, so that the kernel wakes kswapd.
 * *free and *low are the totals of these zones. Watermarks follow from the memory size as
 * min_free_kbytes does. */
int page_is_low(const struct world *w, u32 highest, u32 *free, u32 *low);
u32 page_node(const struct world *w, u32 pfn);
/* Returns the enum kmem_zone_kind of the page's zone. */
u32 page_zone(const struct world *w, u32 pfn);
/* Returns the first page of the run of that order that holds the page. */
u32 page_run_start(const struct world *w, u32 pfn, u32 order);
/* Returns the owner of the run that holds the page, 0 if it is free. */
u32 page_owner(const struct world *w, u32 pfn);
u32 page_is_used(const struct world *w, u32 pfn);
void page_zone_row(const struct world *w, u32 zone, struct kmem_zone_row *row);
/* Checks that counts match the bitmaps and summaries match the sections. Returns NULL, or the
 * violated invariant. */
const char *page_check(const struct world *w);

#endif
