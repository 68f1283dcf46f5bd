/*
 * hash.c - grows a hash table, and closes the gap that a removed key leaves.
 */
#include "util/hash.h"

enum { FIRST_SLOTS = 4096 };

int hash_grow(struct pool *pool, struct hash *h)
{
	struct hash old = *h;
	const struct hash_slot *from = old.run.at;
	u64 nr = from ? (old.mask + 1) * 2 : FIRST_SLOTS;

	h->run = (struct buffer){ 0 };
	if (!buffer_grow(pool, &h->run, nr * sizeof(*from))) {
		*h = old;
		return 0;
	}
	h->mask = nr - 1;
	h->shift = (u32)__builtin_clzll(nr) + 1;
	for (u64 i = 0; from && i <= old.mask; i++) {
		if (!from[i].taken)
			continue;
		struct hash_slot *to = hash_home(h, from[i].key);
		while (to->taken)
			to = hash_behind(h, to);
		*to = from[i];
	}
	buffer_free(pool, &old.run);
	return 1;
}

void hash_remove(struct hash *h, struct hash_slot *slot)
{
	struct hash_slot *slots = h->run.at;
	u64 hole = (u64)(slot - slots), mask = h->mask;

	/* A later key whose search crosses the gap moves into it. */
	for (u64 i = (hole + 1) & mask; slots[i].taken; i = (i + 1) & mask) {
		u64 home = (u64)(hash_home(h, slots[i].key) - slots);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			slots[hole] = slots[i];
			hole = i;
		}
	}
	slots[hole].taken = 0;
	h->nr--;
}

void hash_free(struct pool *pool, struct hash *h)
{
	buffer_free(pool, &h->run);
	*h = (struct hash){ 0 };
}
