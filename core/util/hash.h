/*
 * hash.h - a hash table in a pool: open addressing, a power of two of slots, growing before it is full.
 *
 * In a header because the importer looks several things up for every event.
 */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include "util/buffer.h"

#define HASH_MULTIPLIER 0x9e3779b97f4a7c15ull

/* What key, more and taken mean is the owner's; several slots may have one key if it is itself a hash. */
struct hash_slot {
	u64 key;
	u32 more;
	u32 taken; /* 0: the slot is free */
};

struct hash {
	struct buffer
		run; /* struct hash_slot, mask + 1 of them; at is NULL before the first hash_reserve */
	u64 mask, nr;
	u32 shift; /* leaves as many bits as the mask has */
	u32 reserved;
};

/*
 * Where a key is looked for first: the top bits of a multiplication by the golden ratio. Objects of a slab are evenly
 * spaced, and this spreads what is evenly spaced more evenly than chance would.
 */
ALWAYS_INLINE struct hash_slot *hash_home(const struct hash *h, u64 key)
{
	return (struct hash_slot *)h->run.at + (key * HASH_MULTIPLIER >> h->shift);
}

/* The slot behind another. */
ALWAYS_INLINE struct hash_slot *hash_behind(const struct hash *h, const struct hash_slot *slot)
{
	struct hash_slot *slots = h->run.at;

	return &slots[(u64)(slot - slots + 1) & h->mask];
}

/* The slot of a key, or the free one where it would go. */
ALWAYS_INLINE struct hash_slot *hash_find(const struct hash *h, u64 key)
{
	struct hash_slot *slots = h->run.at;
	u64 i = key * HASH_MULTIPLIER >> h->shift;

	while (slots[i].taken && slots[i].key != key)
		i = (i + 1) & h->mask;
	return &slots[i];
}

/* hash.c: doubles the table, or makes its first slots; 0: the pool is full. */
int hash_grow(struct pool *pool, struct hash *h);

/*
 * 1 if there is room for one more key, 0 if the pool is full. An eighth of the slots stays free. With more of them more
 * searches would end where they begin, but a table of pointers would not stay in the processor's cache, which a wasm
 * module cannot fetch it into ahead. Slots may have moved.
 */
ALWAYS_INLINE int hash_reserve(struct pool *pool, struct hash *h)
{
	return likely((h->nr + 1) * 8 <= (h->mask + 1) * 7) || hash_grow(pool, h);
}

/* Fills a free slot. */
ALWAYS_INLINE void hash_put(struct hash *h, struct hash_slot *slot, struct hash_slot content)
{
	*slot = content;
	h->nr++;
}

void hash_remove(struct hash *h, struct hash_slot *slot);
void hash_free(struct pool *pool, struct hash *h);

#endif
