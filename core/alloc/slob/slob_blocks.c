/*
 * slob_blocks.c - splits, allocates, frees and merges the blocks of a page; their rows and
 * invariants.
 */
#include "alloc/slob/slob_blocks.h"

/* for 64 KiB in units of 4 bytes */
enum { MAX_PAGE_UNITS = 16384 };

static u32 bytes_of(const struct world *w, const struct slob_blocks *page, u32 i)
{
	return slob_block_units(w, page, i) << slob_unit_shift(w);
}

struct slob_blocks *slob_new_blocks(struct world *w, u32 home)
{
	struct slob_blocks *page = (struct slob_blocks *)slob_page_new(w, home, 1,
								       sizeof(struct slob_blocks));

	if (!page)
		return NULL;
	page->blocks = world_grow_array(w, 0, &page->room, sizeof(struct slob_block));
	page->free_blocks = 1;
	page->page.free = slob_page_bytes(w) >> slob_unit_shift(w);
	slob_page_opened(w, &page->page);
	return page;
}

void slob_free_blocks(struct world *w, struct slob_blocks *page)
{
	slob_of(w)->free_bytes -= (u64)page->page.free << slob_unit_shift(w);
	world_free(w, page->blocks, page->room * (u32)sizeof(struct slob_block));
	slob_page_free(w, &page->page);
}

/* The blocks of a page count as objects of the page's cache. */
static void count_blocks(struct world *w, struct slob_blocks *page, s32 change)
{
	page->page.head.objects = (u16)(page->page.head.objects + change);
	page->free_blocks += (u32)change;
	cache_at(w, 0)->total_objects += (u32)change;
}

void slob_split(struct world *w, struct slob_blocks *page, u32 i, u32 units)
{
	u32 nr = page->page.head.objects;

	if (nr == page->room)
		page->blocks = world_grow_array(w, page->blocks, &page->room,
						sizeof(struct slob_block));
	struct slob_block *b = slob_block_at(w, page, i);
	for (u32 k = nr; k > i + 1; k--)
		b[k - i] = b[k - i - 1];
	b[1].start = (u16)(b->start + units);
	b[1].bytes = 0;
	count_blocks(w, page, 1);
}

void slob_merge(struct world *w, struct slob_blocks *page, u32 i)
{
	u32 nr = page->page.head.objects;
	struct slob_block *b = slob_block_at(w, page, 0);

	for (u32 k = i + 1; k + 1 < nr; k++)
		b[k] = b[k + 1];
	/* Stale bytes would make two equal worlds differ. */
	memset(&b[nr - 1], 0, sizeof(*b));
	count_blocks(w, page, -1);
}

void slob_take(struct world *w, struct slob_blocks *page, u32 i, u32 bytes)
{
	slob_block_at(w, page, i)->bytes = (u16)bytes;
	page->free_blocks--;
	page->page.free -= slob_block_units(w, page, i);
	slob_of(w)->free_bytes -= bytes_of(w, page, i);
}

void slob_put(struct world *w, struct slob_blocks *page, u32 i)
{
	slob_block_at(w, page, i)->bytes = 0;
	page->free_blocks++;
	page->page.free += slob_block_units(w, page, i);
	slob_of(w)->free_bytes += bytes_of(w, page, i);
}

u32 slob_block_with(const struct world *w, const struct slob_blocks *page, u32 unit)
{
	u32 lo = 0, hi = page->page.head.objects;

	while (hi - lo > 1) {
		u32 mid = (lo + hi) / 2;
		if (slob_block_at(w, page, mid)->start <= unit)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

u32 slob_find_block(const struct world *w, const struct slob_blocks *page, u32 unit)
{
	u32 i = slob_block_with(w, page, unit);

	KASSERT(slob_block_at(w, page, i)->start == unit && slob_block_at(w, page, i)->bytes);
	return i;
}

static void visit(const struct world *w, const struct slob_page *page, struct kmem_slab_row *row,
		  struct visitor *v)
{
	const struct slob_blocks *blocks = (const struct slob_blocks *)page;
	u8 cells[MAX_PAGE_UNITS];
	struct kmem_extent extents[MAX_PAGE_UNITS];

	for (u32 i = 0; i < row->objects; i++) {
		const struct slob_block *b = slob_block_at(w, blocks, i);
		cells[i] = b->bytes ? CELL_ALLOCATED : CELL_FREE;
		extents[i].offset = (u32)b->start << slob_unit_shift(w);
		extents[i].bytes = bytes_of(w, blocks, i);
	}
	row->free_on_slab = (u16)blocks->free_blocks;
	row->inuse = (u16)(row->objects - row->free_on_slab);
	v->slab(v, row, cells, extents);
}

void slob_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	if (s->id == 0)
		slob_walk_lists(w, v, visit);
}

static const char *blocks_law(const struct world *w, const struct slob_page *page,
			      struct slob_sum *sum)
{
	const struct slob_blocks *blocks = (const struct slob_blocks *)page;
	u32 units = slob_page_bytes(w) >> slob_unit_shift(w), free_units = 0;

	for (u32 i = 0; i < page->head.objects; i++) {
		const struct slob_block *b = slob_block_at(w, blocks, i);
		u32 len = slob_block_units(w, blocks, i);
		if ((i == 0 && b->start) || len == 0 || len > units)
			return "blocks cover their page, in address order";
		if (b->bytes && DIV_ROUND_UP(b->bytes, 1u << slob_unit_shift(w)) != len)
			return "an allocated block is as long as its request needs";
		if (i && !b->bytes && !slob_block_at(w, blocks, i - 1)->bytes)
			return "adjacent free blocks are merged";
		sum->taken += b->bytes != 0;
		sum->free_blocks += b->bytes == 0;
		free_units += b->bytes ? 0 : len;
	}
	sum->free_bytes += free_units << slob_unit_shift(w);
	if (free_units != page->free)
		return "a page's count of free units is right";
	if (page->head.objects - sum->taken != blocks->free_blocks)
		return "a page's count of free blocks is right";
	return free_units == units ? "an entirely free page is returned" : NULL;
}

const char *slob_check(const struct world *w, const struct kmem_cache *s)
{
	return slob_check_all(w, s, blocks_law);
}
