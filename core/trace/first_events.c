/*
 * first_events.c - notes the first event at each address: a bitmap for each page, with a bit for each 8 bytes.
 */
#include "trace/first_events.h"
#include "trace/trace.h"

enum { PAGE_SHIFT = 12, GRANULE_SHIFT = 3, PART_OF_REGION = 8, WORDS = 8 };

_Static_assert(WORDS * 64 << GRANULE_SHIFT == 1 << PAGE_SHIFT, "a bitmap covers a page");

void first_events_begin(struct trace *t)
{
	t->first_events.is_on = 1;
	t->first_events.room_bytes = t->pool->size_bytes / PART_OF_REGION;
}

static void stop(struct trace *t)
{
	hash_free(t->pool, &t->first_events.pages);
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
	first_events_end(t);
	buffer_free(t->pool, &t->first_events.run);
	t->first_events = (struct first_events){ 0 };
}

/* The page's bitmap; NULL without memory. */
static u64 *bits_of(struct trace *t, u64 page)
{
	struct first_events *c = &t->first_events;
	u64 bytes = (c->nr_pages + 1) * (u64)(WORDS * sizeof(u64));

	if (!hash_reserve(t->pool, &c->pages))
		return NULL;
	struct hash_slot *slot = hash_find(&c->pages, page);
	if (!slot->taken) {
		if (!buffer_grow(t->pool, &c->bits, bytes))
			return NULL;
		hash_put(&c->pages, slot, (struct hash_slot){ page, 0, ++c->nr_pages });
		memset((u64 *)c->bits.at + (c->nr_pages - 1) * WORDS, 0, WORDS * sizeof(u64));
	}
	return (u64 *)c->bits.at + (slot->taken - 1) * WORDS;
}

/* All that is noted, when its tables double. */
static u64 most_bytes(const struct first_events *c)
{
	return 2 * (c->run.block_bytes + c->bits.block_bytes + c->pages.run.block_bytes);
}

void first_events_note(struct trace *t, u64 ptr, u32 op)
{
	struct first_events *c = &t->first_events;
	u32 granule = (u32)(ptr & ((1 << PAGE_SHIFT) - 1)) >> GRANULE_SHIFT;
	u64 *bits = c->is_full ? NULL : bits_of(t, ptr >> PAGE_SHIFT);

	if (c->is_full)
		return;
	if (bits && bits[granule / 64] >> granule % 64 & 1)
		return;
	/* The events noted so far still show the time before. */
	if (!bits || most_bytes(c) > c->room_bytes ||
	    !buffer_grow(t->pool, &c->run, (c->nr + 1) * (u64)sizeof(struct first_event))) {
		stop(t);
		return;
	}
	bits[granule / 64] |= (u64)1 << granule % 64;
	((struct first_event *)c->run.at)[c->nr++] = (struct first_event){ ptr, op, 0 };
}
