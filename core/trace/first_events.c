/*
 * first_events.c - notes the first event at each address: a bitmap for each page, with a bit for each 8 bytes.
 */
#include "trace/first_events.h"
#include "trace/trace.h"

enum { PART_OF_REGION = 8, WORDS = 8, MOST_PAGES = 1 << (32 - FIRST_ROW_SHIFT) };

_Static_assert(WORDS * 64 == 1 << FIRST_ROW_SHIFT, "a bitmap covers a page");

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
	buffer_free(t->pool, &c->pages);
	*c = (struct first_events){ 0 };
}

/* The page's row + 1; 0 without memory. */
static u32 row_of(struct trace *t, u64 page)
{
	struct first_events *c = &t->first_events;

	if (!hash_reserve(t->pool, &c->rows))
		return 0;
	struct hash_slot *slot = hash_find(&c->rows, page);
	if (slot->taken)
		return slot->taken;
	u32 row = c->nr_pages;
	if (row == MOST_PAGES ||
	    !buffer_grow(t->pool, &c->bits, (row + 1) * (u64)(WORDS * sizeof(u64))) ||
	    !buffer_grow(t->pool, &c->pages, (row + 1) * (u64)sizeof(u64)))
		return 0;
	hash_put(&c->rows, slot, (struct hash_slot){ page, 0, ++c->nr_pages });
	memset((u64 *)c->bits.at + row * (u64)WORDS, 0, WORDS * sizeof(u64));
	((u64 *)c->pages.at)[row] = page;
	return row + 1;
}

/* All that is noted, when its tables double. */
static u64 most_bytes(const struct first_events *c)
{
	return c->nr * (u64)sizeof(struct packed_first_event) +
	       2 * (c->bits.block_bytes + c->pages.block_bytes + c->rows.run.block_bytes);
}

/* The place of the next event; NULL without memory. */
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

void first_events_note(struct trace *t, u64 ptr, u32 op)
{
	struct first_events *c = &t->first_events;
	u32 granule = (u32)(ptr & ((1 << FIRST_PAGE_SHIFT) - 1)) >> FIRST_GRANULE_SHIFT;

	if (c->is_full)
		return;
	if (ptr & ((1 << FIRST_GRANULE_SHIFT) - 1)) {
		c->nr_unaligned++;
		return;
	}
	u32 row = row_of(t, ptr >> FIRST_PAGE_SHIFT);
	u64 bit = (u64)1 << granule % 64;
	u64 *bits = row ? (u64 *)c->bits.at + (row - 1) * (u64)WORDS + granule / 64 : NULL;
	if (bits && *bits & bit)
		return;
	struct packed_first_event *place = bits ? next_place(t) : NULL;
	/* The events noted so far still show the time before. */
	if (!place) {
		stop(t);
		return;
	}
	*bits |= bit;
	*place = (struct packed_first_event){ (row - 1) << FIRST_ROW_SHIFT | granule, op };
	c->nr++;
}
