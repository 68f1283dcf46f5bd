/*
 * slob_pages.c - the pages of SLOB, independent of their contents: their cache, lists, runs and
 * counters.
 *
 * An alignment larger than a page is served by a run, where the kernel would hit a BUG().
 *
 * Kernel: slob_new_pages(), slob_free_pages(), __kmem_cache_create() in mm/slob.c, 6.1.
 */
#include "alloc/slob/slob.h"

#include "sim/cache.h"
#include "sim/page.h"

void slob_prepare(struct world *w, u32 nr_lists, u32 nr_locks, u32 slot_bytes, u32 largest)
{
	struct cache_spec spec = { "slob", slot_bytes, slot_bytes, 0, CACHE_KMALLOC };
	struct kmem_cache *s = cache_new(w, &spec);
	struct slob *slob;

	KASSERT(s && s->id == 0);
	s->size = slot_bytes;
	s->offset = 0;
	s->objects = (u16)(slob_page_bytes(w) / slot_bytes);
	/* Caches share pages, so merging them gains nothing. */
	w->policy.merge = 0;
	w->roots[SLOB_ROOT] = world_alloc(w, sizeof(struct slob));
	slob = slob_of(w);
	slob->lists = world_alloc(w, nr_lists * (u32)sizeof(struct slob_list));
	slob->locks = world_alloc(w, nr_locks * (u32)sizeof(struct vlock));
	slob->nr_lists = nr_lists;
	slob->largest = largest;
}

void slob_list_name(struct world *w, u32 list, u32 kind, u32 node, u32 bytes)
{
	struct slob_list *l = slob_list_at(w, list);

	l->kind = (u16)kind;
	l->node = (u16)node;
	l->bytes = bytes;
}

u32 slob_object_bytes(const struct kmem_cache *s)
{
	return s->object_size + (s->flags & CACHE_TYPESAFE_BY_RCU ? SLOB_FOOTER_BYTES : 0);
}

u32 slob_is_run(const struct world *w, u32 size, u32 align)
{
	return size > slob_of(w)->largest || align > slob_page_bytes(w);
}

void slob_cache_size(struct world *w, struct kmem_cache *s, u32 size)
{
	s->size = size;
	s->inuse = s->object_size;
	s->offset = 0;
	s->red_left_pad = 0;
	s->objects = (u16)MAX(slob_page_bytes(w) / size, 1u);
	if (slob_is_run(w, size, s->align)) {
		s->order = (u16)order_of_bytes(w->machine.page_shift, MAX(size, s->align));
		s->objects = 1;
	}
	s->min_order = s->order;
	s->min_objects = s->objects;
	emit_CACHE_WITHOUT_SLABS(w, s->id, NODE_ANY, s->object_size, s->size, s->align);
}

struct slob_page *slob_page_new(struct world *w, u32 home, u32 blocks, u32 descriptor_bytes)
{
	struct kmem_cache *owner = cache_at(w, 0);
	struct slob_page *page = (struct slob_page *)slab_make_for_request(
		w, owner, home, 0, blocks, descriptor_bytes);

	w->slow_paths++;
	if (!page)
		return NULL;
	slob_of(w)->free_bytes += slob_page_bytes(w);
	return page;
}

int slob_zone_serves(const struct world *w, const struct slob_page *page)
{
	u32 highest = request_zone(w);

	return highest == ZONE_NORMAL || page_zone(w, page->head.pfn) <= highest;
}

void slob_page_opened(struct world *w, struct slob_page *page)
{
	slab_enter(w, cache_at(w, 0), &page->head);
	SLOB_STAT(w, PAGE_NEW, page, slob_page_bytes(w), page->head.objects, page->head.pfn);
}

void slob_page_free(struct world *w, struct slob_page *page)
{
	u32 node = page->head.node, serial = page->head.serial, pfn = page->head.pfn;

	w->slow_paths++;
	slab_leave(w, cache_at(w, 0), &page->head);
	slob_of(w)->counters[PAGE_FREE - PAGE_NEW]++;
	emit_PAGE_FREE(w, 0, node, serial, pfn);
	slab_give_back(w, &page->head);
}

void slob_list_push(struct world *w, struct slob_page *page, u32 list, u32 reason)
{
	struct slob_list *l = slob_list_at(w, list);
	ref self = ref_of(w, page);

	page->next = l->head;
	page->prev = 0;
	if (l->head)
		slob_page_at(w, l->head)->prev = self;
	else
		l->tail = self;
	l->head = self;
	l->nr_pages++;
	page->list = (u16)list;
	page->head.place = (u8)l->kind;
	cache_at(w, 0)->partial++;
	w->partial++;
	SLOB_STAT(w, PAGE_TO_LIST_HEAD, page, l->kind, l->bytes, l->nr_pages, reason);
}

void slob_list_remove(struct world *w, struct slob_page *page, u32 reason)
{
	struct slob_list *l = slob_list_at(w, page->list);

	if (page->prev)
		slob_page_at(w, page->prev)->next = page->next;
	else
		l->head = page->next;
	if (page->next)
		slob_page_at(w, page->next)->prev = page->prev;
	else
		l->tail = page->prev;
	page->next = 0;
	page->prev = 0;
	l->nr_pages--;
	page->head.place = PLACE_LOOSE;
	cache_at(w, 0)->partial--;
	w->partial--;
	SLOB_STAT(w, PAGE_OFF_LIST, page, l->kind, l->bytes, l->nr_pages, reason);
}

object_loc slob_run_alloc(struct world *w, struct kmem_cache *s, u32 home)
{
	struct kmem_cache *owner = cache_at(w, 0);
	struct slob_page *run = s->order > MAX_ORDER
					? NULL
					: (struct slob_page *)slab_make_for_request(
						  w, owner, home, s->order, 1, sizeof(*run));

	w->slow_paths++;
	if (!run) {
		emit_ALLOC_FAILED(w, s->id, home, home);
		return 0;
	}
	run->is_run = 1;
	run->head.place = PLACE_LOOSE;
	slob_of(w)->tail_bytes += ((u64)slob_page_bytes(w) << s->order) - s->size;
	slab_enter(w, owner, &run->head);
	SLOB_EMIT(w, RUN_ALLOC, run, s->order, s->size, run->head.pfn);
	return LOC(ref_of(w, run), 0);
}

void slob_run_free(struct world *w, struct kmem_cache *s, struct slob_page *run)
{
	u32 node = run->head.node, serial = run->head.serial, pfn = run->head.pfn;

	w->slow_paths++;
	slob_of(w)->tail_bytes -= ((u64)slob_page_bytes(w) << s->order) - s->size;
	slab_leave(w, cache_at(w, 0), &run->head);
	emit_RUN_FREE(w, 0, node, serial, s->order, pfn);
	slab_give_back(w, &run->head);
}

void slob_visited(struct slob *slob, u32 pages, u32 blocks)
{
	slob->searches++;
	slob->pages_visited += pages;
	slob->blocks_visited += blocks;
	slob->most_pages = MAX(slob->most_pages, pages);
	slob->most_blocks = MAX(slob->most_blocks, blocks);
}

/* There is nothing to shrink: SLOB keeps no empty pages and nothing per CPU. */
void slob_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode)
{
	(void)cpu;
	(void)mode;
	emit_NOTHING(w, s->id, NODE_ANY, REASON_NOTHING_KEPT);
}

u32 slob_serial(const struct world *w, ref slab)
{
	return slab_head_at(w, slab)->serial;
}

void slob_count(const struct world *w, const struct kmem_cache *s, u32 *sum)
{
	if (s->id)
		return;
	for (u32 i = 0; i < NR_SLOB_COUNTERS; i++)
		sum[PAGE_NEW + i] += slob_of(w)->counters[i];
}

/* Counts live objects in all pages; all blocks belong to cache 0. */
void slob_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row)
{
	row->objects = s->live;
	row->active_slabs = s->slabs;
	if (s->id) {
		row->total_objects = s->live;
		return;
	}
	for (u32 id = 1; id < w->nr_caches; id++)
		row->objects += cache_at(w, id)->live;
}

void slob_usage(const struct world *w, const struct kmem_cache *s, struct usage *u)
{
	const struct slob *slob = slob_of(w);

	if (s->id) {
		u->slots = (u64)s->live * s->size;
		return;
	}
	u->free = slob->free_bytes;
	u->tail = slob->tail_bytes;
	u->slots = s->slab_bytes - u->free - u->tail;
	for (u32 id = 1; id < w->nr_caches; id++)
		u->slots -= (u64)cache_at(w, id)->live * cache_at(w, id)->size;
}

void slob_totals(const struct world *w, struct kmem_totals *t)
{
	const struct slob *slob = slob_of(w);

	t->searches = slob->searches;
	t->pages_visited = slob->pages_visited;
	t->blocks_visited = slob->blocks_visited;
	t->head_fragment_bytes = slob->fragment_bytes;
	t->most_pages_visited = slob->most_pages;
	t->most_blocks_visited = slob->most_blocks;
}
