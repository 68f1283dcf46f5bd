/*
 * page.h - the page allocator: the only place pages come from.
 *
 * Asked for 2^order pages on a node it goes along that node's zonelist and takes, in the first zone that may
 * serve and has one, the free run at the lowest address. Runs are aligned to their size within the zone. A section of 1024
 * pages is described only once a page of it has been taken, so memory follows use.
 *
 * Kernel: mm/page_alloc.c (6.1) decides the same order of zones; its per-CPU lists and migrate types, which
 * make the address depend on history, are left out.
 */
#ifndef SIM_PAGE_H
#define SIM_PAGE_H

#include "kmem_types.h"
#include "sim/world.h"

#define PFN_NONE 0xffffffffu

/* Highest zone that the request at work may use, as gfp_zone() of its flags. */
ALWAYS_INLINE u32 request_zone(const struct world *w)
{
	return ZONE_NORMAL - world_host(w)->barred_zones;
}

/* First page frame, or PFN_NONE. node: where to begin; owner: see struct section; highest: no zone above that kind is
 * asked. */
u32 page_alloc(struct world *w, u32 node, u32 order, u32 owner, u32 highest);
/* The same from that node alone: __GFP_THISNODE. */
u32 page_alloc_here(struct world *w, u32 node, u32 order, u32 owner, u32 highest);
void page_free(struct world *w, u32 pfn, u32 order);
/* Whether each zone up to `highest` has fewer free pages than its low watermark, at which kswapd is woken; *free and *low:
 * those of all of them. Watermarks follow from the memory as min_free_kbytes does. */
int page_is_low(const struct world *w, u32 highest, u32 *free, u32 *low);
u32 page_node(const struct world *w, u32 pfn);
/* enum kmem_zone_kind of the page's zone. */
u32 page_zone(const struct world *w, u32 pfn);
/* Owner of the run that holds the page, 0 if it is free. */
u32 page_owner(const struct world *w, u32 pfn);
u32 page_is_used(const struct world *w, u32 pfn);
void page_zone_row(const struct world *w, u32 zone, struct kmem_zone_row *row);
/* Laws: counts equal the bitmaps, summaries equal the sections. NULL, or the law that is broken. */
const char *page_check(const struct world *w);

#endif
