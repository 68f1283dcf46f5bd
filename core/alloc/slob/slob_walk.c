/*
 * slob_walk.c - turns lists of pages, full pages and runs into rows, and checks the invariants of
 * lists and totals.
 */
#include "alloc/slob/slob.h"

static struct kmem_place pages_of(const struct world *w, u32 kind, u32 node, u32 nr_slabs)
{
	struct kmem_place place = place_row(cache_at(w, 0), kind, CPU_NONE, node);

	place.nr_slabs = nr_slabs;
	return place;
}

static void visit_page(const struct world *w, const struct slob_page *page, u32 position,
		       struct visitor *v, slob_visit visit)
{
	struct kmem_slab_row row = slab_row(w, &page->head, position);

	row.first_extent = 0xffffffff;
	if (!page->is_run) {
		visit(w, page, &row, v);
		return;
	}
	const u8 taken = CELL_ALLOCATED;
	const struct kmem_extent whole = { 0, slob_page_bytes(w) << page->head.order };
	row.inuse = 1;
	v->slab(v, &row, &taken, &whole);
}

/* Visits full pages and runs, or pages in transit, from the oldest. */
static void visit_unlisted(const struct world *w, u32 kind, struct visitor *v, slob_visit visit)
{
	const struct kmem_cache *owner = cache_at(w, 0);
	u32 nr = 0, position = 0;

	for (ref r = owner->first_slab; r; r = slab_head_at(w, r)->newer)
		nr += slab_head_at(w, r)->place == kind;
	if (kind == PLACE_TRANSIT && !nr)
		return;
	struct kmem_place place = pages_of(w, kind, NODE_ANY, nr);
	v->place(v, &place);
	for (ref r = owner->first_slab; r; r = slab_head_at(w, r)->newer)
		if (slab_head_at(w, r)->place == kind)
			visit_page(w, slob_page_at(w, r), position++, v, visit);
}

void slob_walk_lists(const struct world *w, struct visitor *v, slob_visit visit)
{
	for (u32 i = 0; i < slob_of(w)->nr_lists; i++) {
		const struct slob_list *l = slob_list_at(w, i);
		struct kmem_place place = pages_of(w, l->kind, l->node, l->nr_pages);
		u32 position = 0;
		place.bytes = l->bytes;
		v->place(v, &place);
		for (ref r = l->head; r; r = slob_page_at(w, r)->next)
			visit_page(w, slob_page_at(w, r), position++, v, visit);
	}
	visit_unlisted(w, PLACE_LOOSE, v, visit);
	visit_unlisted(w, PLACE_TRANSIT, v, visit);
}

static const char *check_list(const struct world *w, u32 nr)
{
	const struct slob_list *l = slob_list_at(w, nr);
	ref previous = 0;
	u32 len = 0;

	for (ref r = l->head; r; previous = r, r = slob_page_at(w, r)->next, len++) {
		const struct slob_page *page = slob_page_at(w, r);
		INVARIANT(len < l->nr_pages, "a list's length matches its count");
		INVARIANT(page->prev == previous, "a list is linked both ways");
		INVARIANT(page->list == nr && page->head.place == l->kind, "a page knows its list");
		INVARIANT(l->node == NODE_ANY || l->node == page->head.node,
			  "a page is on a list of its node");
	}
	INVARIANT(len == l->nr_pages, "a list's length matches its count");
	INVARIANT(l->tail == previous, "a list ends at its tail");
	return NULL;
}

static const char *check_page(const struct world *w, const struct slob_page *page,
			      slob_page_law law, struct slob_sum *sum)
{
	struct slob_sum own = { 0 };

	INVARIANT(page->head.place != PLACE_TRANSIT, "no page is in transit between events");
	if (page->is_run) {
		INVARIANT(page->head.place == PLACE_LOOSE,
			  "pages of a large request are on no list");
		sum->taken++;
		return NULL;
	}
	INVARIANT((page->free != 0) == (page->head.place != PLACE_LOOSE),
		  "a page is on a list exactly while part of it is free");
	const char *broken = law(w, page, &own);
	INVARIANT(!broken, broken);
	INVARIANT(own.taken + own.free_blocks == page->head.objects, "a page counts its blocks");
	sum->taken += own.taken;
	sum->free_blocks += own.free_blocks;
	sum->free_bytes += own.free_bytes;
	return NULL;
}

/* Checks the totals from which slob_usage() is computed. */
static const char *check_sums(const struct world *w, const struct slob_sum *sum, u32 pages)
{
	const struct slob *slob = slob_of(w);
	u32 live = 0;
	u64 tails = 0;

	for (u32 id = 0; id < w->nr_caches; id++) {
		const struct kmem_cache *s = cache_at(w, id);
		u64 run = (u64)slob_page_bytes(w) << s->order;
		live += s->live;
		INVARIANT(id == 0 || s->slabs == 0, "pages belong to the first cache");
		if (id && slob_is_run(w, s->size, s->align))
			tails += s->live * (run - s->size);
	}
	INVARIANT(sum->taken == live, "every live object is one allocated block");
	INVARIANT(sum->free_bytes == slob->free_bytes, "free bytes are those of all pages");
	INVARIANT(tails == slob->tail_bytes, "bytes after objects are those of all large requests");
	INVARIANT(slob->counters[0] - slob->counters[PAGE_FREE - PAGE_NEW] == pages,
		  "every page taken and not returned is there");
	return NULL;
}

const char *slob_check_all(const struct world *w, const struct kmem_cache *s, slob_page_law law)
{
	struct slob_sum sum = { 0 };
	u32 listed = 0, slabs = 0, runs = 0, on_lists = 0;
	const char *broken = NULL;

	if (s->id)
		return NULL;
	for (u32 i = 0; i < slob_of(w)->nr_lists && !broken; i++) {
		broken = check_list(w, i);
		listed += slob_list_at(w, i)->nr_pages;
	}
	for (ref r = s->first_slab; r && !broken; r = slab_head_at(w, r)->newer) {
		const struct slob_page *page = slob_page_at(w, r);
		broken = check_page(w, page, law, &sum);
		on_lists += page->head.place != PLACE_LOOSE;
		runs += page->is_run;
		slabs++;
	}
	INVARIANT(!broken, broken);
	INVARIANT(listed == on_lists && listed == s->partial, "a page is in exactly one place");
	INVARIANT(slabs == s->slabs && sum.taken + sum.free_blocks == s->total_objects,
		  "a cache counts its pages and blocks");
	return check_sums(w, &sum, slabs - runs);
}
