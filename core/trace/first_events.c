/*
 * first_events.c - notes the first event at each address, and events of the page allocator.
 *
 * A hash gives the row of a block of memory. The row has a number for each page of the block: 0, the page's only place + 1,
 * or PLACES and the number of a bitmap with a bit for each 8 bytes.
 *
 * Large objects, and traces of few events, have one place in many pages. A bitmap for each of them would cost more memory
 * and time than the events themselves.
 */
#include "trace/trace.h"
#include "trace/first_events.h"

/* Notes events of the page allocator, and finds out where the kernel maps the pages that they name. */

enum { PAGES_PART_OF_REGION = 16, MACHINE_PAGE_SHIFT = 12 };

void page_events_begin(struct trace *t)
{
	t->page_events.room_bytes = t->pool->size_bytes / PAGES_PART_OF_REGION;
}

void page_events_end(struct trace *t)
{
	buffer_free(t->pool, &t->page_events.last);
}

void page_events_drop(struct trace *t)
{
	page_events_end(t);
	buffer_free(t->pool, &t->page_events.run);
	t->page_events = (struct page_events){ 0 };
}

void page_events_note(struct trace *t, struct page_event event)
{
	struct page_events *p = &t->page_events;
	u64 need_bytes = (p->nr + 1) * (u64)sizeof(event);

	if (p->is_full || event.order > MOST_PAGE_ORDER || event.cpu >= MAX_CPUS)
		return;
	if (need_bytes > p->room_bytes || !buffer_grow(t->pool, &p->run, need_bytes) ||
	    !buffer_grow(t->pool, &p->last, MAX_CPUS * sizeof(u32))) {
		p->is_full = 1;
		return;
	}
	((struct page_event *)p->run.at)[p->nr++] = event;
	if (event.is_alloc)
		((u32 *)p->last.at)[event.cpu] = p->nr;
}

/* Casts one vote for a candidate. A new candidate replaces the rarest one. */
static void vote(struct page_events *p, u64 address)
{
	struct page_map *rarest = p->maps;

	for (u32 i = 0; i < NR_PAGE_MAPS; i++) {
		if (p->maps[i].votes && p->maps[i].address == address) {
			p->maps[i].votes++;
			return;
		}
		if (p->maps[i].votes < rarest->votes)
			rarest = &p->maps[i];
	}
	*rarest = (struct page_map){ address, 1 };
}

/* An object appeared at an address that no earlier event had. */
static void page_events_object(struct trace *t, u64 ptr, u32 cpu)
{
	struct page_events *p = &t->page_events;
	u32 *last = p->last.at, nr = last && cpu < MAX_CPUS ? last[cpu] : 0;

	if (!nr)
		return;
	struct page_event event = page_event_at(p, nr - 1);
	u64 block = ptr >> (MACHINE_PAGE_SHIFT + event.order) << (MACHINE_PAGE_SHIFT + event.order);
	u64 address = block - ((u64)event.pfn << MACHINE_PAGE_SHIFT);
	last[cpu] = 0;
	if (!(address & (((u64)1 << PAGE_MAP_SHIFT) - 1)))
		vote(p, address);
}

u64 page_events_map(const struct page_events *p)
{
	struct page_map best = { 0 }, second = { 0 };

	for (u32 i = 0; i < NR_PAGE_MAPS; i++) {
		const struct page_map *map = &p->maps[i];
		if (map->votes > best.votes) {
			second = best;
			best = *map;
		} else if (map->votes > second.votes) {
			second = *map;
		}
	}
	return best.votes >= LEAST_PAGE_VOTES && best.votes / 4 >= second.votes ? best.address : 0;
}

enum {
	PART_OF_REGION = 8,
	PLACES = 1 << (FIRST_PAGE_SHIFT - FIRST_GRANULE_SHIFT), /* places in a page */
	WORDS = PLACES / 64,
	MOST_BLOCKS = 1 << (32 - FIRST_ROW_SHIFT)
};

void first_events_begin(struct trace *t)
{
	t->first_events.is_on = 1;
	t->first_events.room_bytes = t->pool->size_bytes / PART_OF_REGION;
}

static void stop(struct trace *t)
{
	hash_free(t->pool, &t->first_events.rows);
	buffer_free(t->pool, &t->first_events.bits);
	t->first_events.is_full = 1;
}

void first_events_end(struct trace *t)
{
	stop(t);
	t->first_events.is_on = 0;
}

void first_events_drop(struct trace *t)
{
	struct first_events *c = &t->first_events;
	struct packed_first_event **chunks = c->chunks.at;

	first_events_end(t);
	for (u32 i = 0; i < DIV_ROUND_UP(c->nr, (u32)FIRST_EVENTS_PER_CHUNK); i++)
		pool_free(t->pool, chunks[i], POOL_UNIT_BYTES);
	buffer_free(t->pool, &c->chunks);
	buffer_free(t->pool, &c->blocks);
	*c = (struct first_events){ 0 };
}

/* Returns the block's row + 1; 0 without memory. */
static u32 row_of(struct trace *t, u64 block)
{
	struct first_events *c = &t->first_events;

	if (!hash_reserve(t->pool, &c->rows))
		return 0;
	struct hash_slot *slot = hash_find(&c->rows, block);
	if (slot->taken)
		return slot->taken;
	u32 row = (u32)c->rows.nr;
	if (row == MOST_BLOCKS ||
	    !buffer_grow(t->pool, &c->blocks, (row + 1) * (u64)sizeof(struct first_block)))
		return 0;
	hash_put(&c->rows, slot, (struct hash_slot){ block, 0, row + 1 });
	((struct first_block *)c->blocks.at)[row].address = block;
	return row + 1;
}

/* Notes a place of a block; 0 if it is known, or without memory. */
static int is_new(struct trace *t, struct first_block *block, u32 place)
{
	struct first_events *c = &t->first_events;
	u32 *page = &block->pages[place / PLACES], own = place % PLACES, only = *page - 1;

	if (!*page) {
		c->nr_pages++;
		*page = own + 1;
		return 1;
	}
	if (only == own)
		return 0;
	if (only < PLACES) {
		*page = PLACES + ++c->nr_bits;
		if (!buffer_grow(t->pool, &c->bits, c->nr_bits * (u64)(WORDS * sizeof(u64)))) {
			stop(t);
			return 0;
		}
	}
	u64 *bits = (u64 *)c->bits.at + (*page - PLACES - 1) * (u64)WORDS;
	if (only < PLACES)
		bits[only / 64] = (u64)1 << only % 64;
	u64 before = bits[own / 64];
	bits[own / 64] |= (u64)1 << own % 64;
	return bits[own / 64] != before;
}

/* Returns the first noted place of a page, from `place` on; PLACES: none. */
static u32 next_in_page(const struct first_events *c, u32 page, u32 place)
{
	const u64 *bits = (const u64 *)c->bits.at + (page - PLACES - 1) * (u64)WORDS;

	if (page <= PLACES)
		return page && page - 1 >= place ? page - 1 : PLACES;
	for (u32 word = place / 64; word < WORDS; word++) {
		u64 left = bits[word] & ~(u64)0 << (word == place / 64 ? place % 64 : 0);
		if (left)
			return word * 64 + (u32)__builtin_ctzll(left);
	}
	return PLACES;
}

u64 first_events_next(const struct first_events *c, u64 ptr, u64 end)
{
	while (c->rows.nr && ptr < end) {
		const struct hash_slot *slot = hash_find(&c->rows, ptr >> FIRST_BLOCK_SHIFT);
		u64 page = ptr >> FIRST_PAGE_SHIFT << FIRST_PAGE_SHIFT;
		if (!slot->taken) {
			ptr = ((ptr >> FIRST_BLOCK_SHIFT) + 1) << FIRST_BLOCK_SHIFT;
			continue;
		}
		const struct first_block *block = (const struct first_block *)c->blocks.at +
						  slot->taken - 1;
		u32 place =
			next_in_page(c,
				     block->pages[(ptr >> FIRST_PAGE_SHIFT) %
						  (1 << (FIRST_BLOCK_SHIFT - FIRST_PAGE_SHIFT))],
				     (u32)(ptr - page) >> FIRST_GRANULE_SHIFT);
		if (place < PLACES)
			return MIN(page + ((u64)place << FIRST_GRANULE_SHIFT), end);
		ptr = page + (1 << FIRST_PAGE_SHIFT);
	}
	return end;
}

/* Returns the bytes of all that is noted, when its tables double. */
static u64 most_bytes(const struct first_events *c)
{
	return c->nr * (u64)sizeof(struct packed_first_event) +
	       2 * (c->bits.block_bytes + c->blocks.block_bytes + c->rows.run.block_bytes);
}

/* Returns the place of the next event; NULL without memory. */
static struct packed_first_event *next_place(struct trace *t)
{
	struct first_events *c = &t->first_events;
	u32 chunk = c->nr / FIRST_EVENTS_PER_CHUNK, i = c->nr % FIRST_EVENTS_PER_CHUNK;

	if (!i) {
		void *at = NULL;
		if (most_bytes(c) <= c->room_bytes &&
		    buffer_grow(t->pool, &c->chunks, (chunk + 1) * (u64)sizeof(void *)))
			at = pool_alloc(t->pool, POOL_UNIT_BYTES);
		if (!at)
			return NULL;
		((void **)c->chunks.at)[chunk] = at;
	}
	return &((struct packed_first_event **)c->chunks.at)[chunk][i];
}

void first_events_note(struct trace *t, u64 ptr, u32 op, u32 cpu)
{
	struct first_events *c = &t->first_events;

	if (c->is_full)
		return;
	if (ptr & ((1 << FIRST_GRANULE_SHIFT) - 1)) {
		c->nr_unaligned++;
		return;
	}
	u32 place = (u32)(ptr & ((1 << FIRST_BLOCK_SHIFT) - 1)) >> FIRST_GRANULE_SHIFT;
	u32 row = row_of(t, ptr >> FIRST_BLOCK_SHIFT);
	struct first_block *block = (struct first_block *)c->blocks.at + row - 1;
	if (row && !is_new(t, block, place))
		return;
	struct packed_first_event *packed = row ? next_place(t) : NULL;
	/* The events noted so far still show the time before. */
	if (!packed) {
		stop(t);
		return;
	}
	*packed = (struct packed_first_event){ (row - 1) << FIRST_ROW_SHIFT | place, op };
	c->nr++;
	page_events_object(t, ptr, cpu);
}
