/*
 * hash.h - a hash table in a pool: open addressing, a power of two of slots; it grows before it is
 * full.
 *
 * The look-up is inlined, because the importer looks up several things for every event.
 */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include "util/pool.h"

#define HASH_MULTIPLIER 0x9e3779b97f4a7c15ull

/* The owner defines key, more and taken. If the key is itself a hash, several slots may have the
 * same one. */
struct hash_slot {
	u64 key;
	u32 more;
	u32 taken; /* 0: the slot is free */
};

struct hash {
	struct buffer run; /* mask + 1 struct hash_slot; at is NULL before hash_reserve() */
	u64 mask, nr;
	u32 shift; /* leaves as many bits as the mask has */
	u32 reserved;
};

/*
 * The first slot to search for a key: the top bits of its product with the golden ratio. Objects of
 * a slab are evenly spaced. This spreads them more evenly than random numbers would.
 */
ALWAYS_INLINE struct hash_slot *hash_home(const struct hash *h, u64 key)
{
	return (struct hash_slot *)h->run.at + (key * HASH_MULTIPLIER >> h->shift);
}

/* The next slot. */
ALWAYS_INLINE struct hash_slot *hash_behind(const struct hash *h, const struct hash_slot *slot)
{
	struct hash_slot *slots = h->run.at;

	return &slots[(u64)(slot - slots + 1) & h->mask];
}

/* The slot of a key, or the free slot where it belongs. */
ALWAYS_INLINE struct hash_slot *hash_find(const struct hash *h, u64 key)
{
	struct hash_slot *slots = h->run.at;
	u64 i = key * HASH_MULTIPLIER >> h->shift;

	while (slots[i].taken && slots[i].key != key)
		i = (i + 1) & h->mask;
	return &slots[i];
}

/* pool.c: doubles the table, or creates its first slots; 0: the pool is full. */
int hash_grow(struct pool *pool, struct hash *h);

/*
 * 1 if there is room for one more key, 0 if the pool is full. Slots may have moved. An eighth of the slots stays free.
 * With more free slots, more searches would end immediately, but then a table of pointers would not fit in the
 * processor's cache, and a wasm module cannot prefetch it.
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

/* Fills the first free slot for a key that is itself a hash. */
static inline void hash_add(struct hash *h, u64 key, u32 taken)
{
	struct hash_slot *slot = hash_home(h, key);

	while (slot->taken)
		slot = hash_behind(h, slot);
	hash_put(h, slot, (struct hash_slot){ key, 0, taken });
}

/* pool.c: the number in `taken` of a key, which is `first` for a new one; not 0. NULL: the pool is full. */
u32 *hash_number(struct pool *pool, struct hash *h, u64 key, u32 first);

void hash_remove(struct hash *h, struct hash_slot *slot);
void hash_free(struct pool *pool, struct hash *h);

#endif
