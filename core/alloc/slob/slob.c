/*
 * slob.c - SLOB of Linux 6.1: allocation and free.
 *
 *	page:  ▓▓▓▓░░▓▓▓▓▓▓░░░░░░     free blocks in address order, first fit
 *	list:  ● ● ◉ ● ●  becomes  ◉ ● ● ● ●     rotated: the next search starts where this one ended
 *
 * SLOB has one lock and three lists by size of request. A search walks the pages of the list, and
 * the free blocks of each page with enough free units. A block has as many units as the request
 * needs: 2 bytes each, or 4 on pages too large for 16 bits. kmalloc stores the size in the 8 bytes
 * before the object.
 *
 * The kernel links free blocks through their own first units. Here a page's descriptor lists all
 * blocks, so that views can show allocated ones; only free ones count as visited.
 *
 * Kernel: slob_alloc(), slob_page_alloc(), slob_free(), __do_kmalloc_node() in mm/slob.c, 6.1.
 */
#include "alloc/slob/slob_blocks.h"

enum {
	HEADER_BYTES = 8,
	SMALL_BELOW = 256, /* bytes of a request, including the header */
	MEDIUM_BELOW = 1024,
};

enum { LIST_SMALL, LIST_MEDIUM, LIST_LARGE, NR_SLOB_LISTS };

/* A request, as a search sees it. */
struct wanted {
	u32 bytes, units;
	u32 align;  /* the object's alignment in bytes */
	u32 header; /* header bytes before the object */
	u32 list, node;
	u32 pages, blocks; /* pages and blocks visited so far */
};

static u32 list_of(u32 bytes)
{
	return bytes < SMALL_BELOW ? LIST_SMALL : bytes < MEDIUM_BELOW ? LIST_MEDIUM : LIST_LARGE;
}

static void prepare(struct world *w)
{
	u32 page = slob_page_bytes(w), unit = 1u << slob_unit_shift(w);

	slob_prepare(w, NR_SLOB_LISTS, 1, unit, page - 1);
	slob_list_name(w, LIST_SMALL, PLACE_SMALL_PAGES, NODE_ANY, SMALL_BELOW - 1);
	slob_list_name(w, LIST_MEDIUM, PLACE_MEDIUM_PAGES, NODE_ANY, MEDIUM_BELOW - 1);
	slob_list_name(w, LIST_LARGE, PLACE_LARGE_PAGES, NODE_ANY, page - 1);
}

static void create(struct world *w, struct kmem_cache *s)
{
	slob_cache_size(w, s, ALIGN_UP(slob_object_bytes(s), 1u << slob_unit_shift(w)));
}

static ref kmalloc_cache(const struct world *w, u32 bytes)
{
	return bytes < slob_page_bytes(w) - HEADER_BYTES ? ref_of(w, cache_at(w, 0)) : 0;
}

static struct wanted wanted_of(const struct world *w, const struct kmem_cache *s, u32 node,
			       u32 bytes)
{
	struct wanted q = { .bytes = s->size, .align = s->align, .node = node };

	if (s->id == 0) {
		int power_of_two = !(bytes & (bytes - 1));
		q.bytes = bytes + HEADER_BYTES;
		q.align = power_of_two ? MAX(bytes, (u32)HEADER_BYTES) : HEADER_BYTES;
		q.header = HEADER_BYTES;
	}
	q.units = DIV_ROUND_UP(q.bytes, 1u << slob_unit_shift(w));
	q.list = list_of(q.bytes);
	return q;
}

/* Returns the distance in units from a block's start to the first aligned position for the object. */
static u32 units_to_aligned(const struct world *w, const struct wanted *q, u32 start)
{
	u32 shift = slob_unit_shift(w), at_byte = start << shift;

	return (ALIGN_UP(at_byte + q->header, q->align) - q->header - at_byte) >> shift;
}

/* Allocates the start of block i, leaving `delta` units before it free. Returns the first allocated
 * unit. */
static u32 take(struct world *w, struct slob_blocks *page, const struct wanted *q, u32 i, u32 delta)
{
	u32 shift = slob_unit_shift(w);

	if (delta) {
		slob_split(w, page, i, delta);
		slob_of(w)->fragment_bytes += delta << shift;
		SLOB_EMIT(w, BLOCK_SPLIT_HEAD, &page->page, i, delta, delta << shift);
		i++;
	}
	u32 left = slob_block_units(w, page, i) - q->units;
	if (left)
		slob_split(w, page, i, q->units);
	slob_take(w, page, i, q->bytes);
	if (left)
		SLOB_EMIT(w, BLOCK_SPLIT, &page->page, i, q->units, left, page->page.free);
	else
		SLOB_EMIT(w, BLOCK_EXACT, &page->page, i, q->units, page->page.free);
	return slob_block_at(w, page, i)->start;
}

/* Finds the first block that fits, in address order; UNIT_NONE if every free block is too small. */
static u32 take_in_page(struct world *w, struct slob_blocks *page, struct wanted *q)
{
	u32 left = page->free_blocks;

	line_touch(w, &page->page.head.line);
	for (u32 i = 0; left; i++) {
		const struct slob_block *b = slob_block_at(w, page, i);
		if (b->bytes)
			continue;
		left--;
		q->blocks++;
		u32 units = slob_block_units(w, page, i), delta = units_to_aligned(w, q, b->start);
		if (units < q->units + delta) {
			SLOB_EMIT_OFTEN(w, BLOCK_TOO_SMALL, &page->page, i, units, q->units, delta);
			continue;
		}
		SLOB_EMIT(w, BLOCK_FITS, &page->page, i, units, q->units, delta);
		return take(w, page, q, i, delta);
	}
	return UNIT_NONE;
}

/* Rotates the list so that the page is first; the pages before it move to the end in the same order. */
static void rotate_to(struct world *w, struct slob_page *page, u32 before)
{
	struct slob_list *l = slob_list_at(w, page->list);
	ref self = ref_of(w, page);

	slob_page_at(w, l->tail)->next = l->head;
	slob_page_at(w, l->head)->prev = l->tail;
	l->tail = page->prev;
	slob_page_at(w, l->tail)->next = 0;
	page->prev = 0;
	l->head = self;
	SLOB_STAT(w, ROTATE, page, l->kind, before, l->nr_pages);
}

static void pass_over(struct world *w, const struct slob_page *page, const struct wanted *q,
		      u32 reason)
{
	slob_of(w)->counters[NEXT_PAGE - PAGE_NEW]++;
	SLOB_EMIT_OFTEN(w, NEXT_PAGE, page, page->free, q->units, reason);
}

/* Walks the list for a page that can serve; NULL if none can. *unit is the block's first unit. */
static struct slob_blocks *search(struct world *w, struct wanted *q, u32 *unit)
{
	const struct slob_list *l = slob_list_at(w, q->list);

	for (ref r = l->head; r; r = slob_page_at(w, r)->next) {
		struct slob_page *page = slob_page_at(w, r);
		u32 before = q->pages++;
		if (q->node != NODE_ANY && page->head.node != q->node) {
			pass_over(w, page, q, REASON_OTHER_NODE);
			continue;
		}
		if (!slob_zone_serves(w, page)) {
			pass_over(w, page, q, REASON_OTHER_ZONE);
			continue;
		}
		if (page->free < q->units) {
			pass_over(w, page, q, REASON_FEW_UNITS);
			continue;
		}
		*unit = take_in_page(w, at(w, r), q);
		if (*unit == UNIT_NONE) {
			pass_over(w, page, q, REASON_NO_BLOCK);
			continue;
		}
		w->slow_paths += before != 0;
		if (page->free == 0)
			slob_list_remove(w, page, REASON_PAGE_FULL);
		else if (before)
			rotate_to(w, page, before);
		return at(w, r);
	}
	return NULL;
}

static struct slob_blocks *open_page(struct world *w, struct wanted *q, u32 home, u32 *unit)
{
	struct slob_blocks *page = slob_new_blocks(w, home);

	if (!page)
		return NULL;
	slob_list_push(w, &page->page, q->list, REASON_PAGE_NEW);
	q->pages++;
	*unit = take_in_page(w, page, q);
	KASSERT(*unit != UNIT_NONE);
	if (page->page.free == 0)
		slob_list_remove(w, &page->page, REASON_PAGE_FULL);
	return page;
}

static object_loc alloc(struct world *w, struct kmem_cache *s, u32 cpu, u32 node, u32 bytes)
{
	u32 shift = slob_unit_shift(w), home = slob_home(w, cpu, node), unit;
	struct wanted q = wanted_of(w, s, node, bytes);
	struct vlock *lock = slob_lock(w, 0);

	if (s->id && slob_is_run(w, s->size, s->align))
		return slob_run_alloc(w, s, home);
	const struct slob_list *l = slob_list_at(w, q.list);
	lock_take(w, lock, s->id, NODE_ANY);
	emit_LIST_CHOOSE(w, s->id, node, q.bytes, q.units, q.align, l->kind, l->nr_pages);
	struct slob_blocks *page = search(w, &q, &unit);
	if (!page)
		page = open_page(w, &q, home, &unit);
	lock_release(w, lock);
	slob_visited(slob_of(w), q.pages, q.blocks);
	if (!page) {
		emit_ALLOC_FAILED(w, s->id, node, node);
		return 0;
	}
	unit += q.header >> shift;
	if (q.header)
		SLOB_EMIT(w, HEADER_WRITE, &page->page, unit << shift, bytes);
	return LOC(ref_of(w, page), unit);
}

/* Merges a freed block with the free block after it, then with the one before it. */
static void put_block(struct world *w, struct slob_blocks *page, u32 i)
{
	u32 units = slob_block_units(w, page, i), passed = 0;

	line_touch(w, &page->page.head.line);
	for (u32 k = 0; k < i; k++)
		passed += slob_block_at(w, page, k)->bytes == 0;
	/* The kernel walks the free blocks up to this address. */
	w->now += (u64)passed * cost_of(w, STEP_BLOCK_TOO_SMALL);
	slob_put(w, page, i);
	SLOB_EMIT(w, BLOCK_PUT, &page->page, i, units, page->page.free, passed);
	if (i + 1u < page->page.head.objects && !slob_block_at(w, page, i + 1)->bytes) {
		slob_merge(w, page, i);
		units = slob_block_units(w, page, i);
		SLOB_EMIT(w, COALESCE_NEXT, &page->page, i, units);
	}
	if (i && !slob_block_at(w, page, i - 1)->bytes) {
		slob_merge(w, page, i - 1);
		units = slob_block_units(w, page, i - 1);
		SLOB_EMIT(w, COALESCE_PREVIOUS, &page->page, i - 1, units);
	}
}

static void free_block(struct world *w, struct slob_blocks *page, u32 i)
{
	u32 units = slob_block_units(w, page, i), list = list_of(slob_block_at(w, page, i)->bytes);

	if (page->page.free + units == slob_page_bytes(w) >> slob_unit_shift(w)) {
		if (page->page.free)
			slob_list_remove(w, &page->page, REASON_PAGE_EMPTY);
		slob_free_blocks(w, page);
		return;
	}
	if (page->page.free) {
		put_block(w, page, i);
		return;
	}
	slob_put(w, page, i);
	SLOB_EMIT(w, PAGE_UNFULL, &page->page, i, units);
	slob_list_push(w, &page->page, list, REASON_PAGE_UNFULL);
}

/* Returns the block that holds an object. Splits and merges renumber blocks, so a location stores
 * the unit instead. */
static u32 block_of(const struct world *w, u32 cache, object_loc loc)
{
	u32 header = cache ? 0 : HEADER_BYTES >> slob_unit_shift(w);

	return slob_find_block(w, at(w, LOC_SLAB(loc)), LOC_INDEX(loc) - header);
}

static u64 address(const struct world *w, const struct kmem_cache *s, object_loc loc)
{
	(void)s;
	return slab_address(w, LOC_SLAB(loc)) + (LOC_INDEX(loc) << slob_unit_shift(w));
}

/* A page does not know which caches its objects belong to. Only kmalloc's objects have a header, so
 * only those are looked up. */
static object_loc object_with(const struct world *w, ref slab, u64 where)
{
	const struct slob_blocks *page = at(w, slab);
	u32 shift = slob_unit_shift(w);
	u32 i = slob_block_with(w, page, (u32)(where - slab_address(w, slab)) >> shift);

	return slob_block_at(w, page, i)->bytes
		       ? LOC(slab, slob_block_at(w, page, i)->start + (HEADER_BYTES >> shift))
		       : 0;
}

static u32 alignment(const struct world *w, const struct kmem_cache *s, u32 bytes)
{
	struct wanted q = wanted_of(w, s, NODE_ANY, bytes);

	return MIN(q.align & -q.align, slob_page_bytes(w));
}

static u32 cell(const struct world *w, u32 cache, object_loc loc)
{
	return slob_page_at(w, LOC_SLAB(loc))->is_run ? 0 : block_of(w, cache, loc);
}

static void slob_free(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	struct slob_page *page = slob_page_at(w, LOC_SLAB(loc));
	struct vlock *lock = slob_lock(w, 0);

	(void)cpu;
	if (page->is_run) {
		slob_run_free(w, s, page);
		return;
	}
	lock_take(w, lock, s->id, NODE_ANY);
	free_block(w, at(w, LOC_SLAB(loc)), block_of(w, s->id, loc));
	lock_release(w, lock);
}

static void locks(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	if (s->id == 0)
		lock_report(v, slob_lock(w, 0), LOCK_ALL, CACHE_NONE, NODE_ANY, 0xffff);
}

static int slob_has_counter(const struct world *w, u32 counter)
{
	(void)w;
	return counter - PAGE_NEW < NR_SLOB_COUNTERS;
}

const struct kmem_ops slob_ops = {
	.placements = &slob_placements,
	.has_counter = slob_has_counter,
	.measures = SLOB_MEASURES,
	.no_presets = 1,
	.no_orders = 1,
	.shared_slabs = 1,
	.no_slabinfo = 1,
	.levels = LEVELS_SLOB,
	.prepare = prepare,
	.create = create,
	.kmalloc_cache = kmalloc_cache,
	.alloc = alloc,
	.free = slob_free,
	.shrink = slob_shrink,
	.walk = slob_walk,
	.check = slob_check,
	.serial = slob_serial,
	.cell = cell,
	.count = slob_count,
	.info = slob_info,
	.locks = locks,
	.usage = slob_usage,
	.totals = slob_totals,
	.address = address,
	.object_with = object_with,
	.alignment = alignment,
};
