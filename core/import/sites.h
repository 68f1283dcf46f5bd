/*
 * sites.h - finds the site of an event: a few hundred recipes, with one look-up for every event.
 *
 * The look-up is inlined, so it is in a header: the recipe then never leaves the registers.
 */
#ifndef IMPORT_SITES_H
#define IMPORT_SITES_H

#include "import/import.h"

/* A recipe as four words in registers, in the order of its bytes in memory. A struct written by field and read by word would
 * stall on its own stores. */
struct packed {
	u64 word[4];
};

_Static_assert(sizeof(struct packed) == sizeof(struct recipe), "the words are the whole recipe");

ALWAYS_INLINE struct packed pack(struct recipe r)
{
	return (struct packed){
		{ (u64)r.call_site | (u64)r.gfp << 32, (u64)r.cache_name | (u64)r.kind_name << 32,
		  (u64)r.bytes_req | (u64)r.bytes_alloc << 32,
		  (u64)r.node | (u64)r.cache << 16 | (u64)r.op << 32 | (u64)r.reason << 40 |
			  (u64)r.kmalloc_type << 48 | (u64)r.marks << 56 }
	};
}

ALWAYS_INLINE u64 packed_hash(struct packed p)
{
	u64 hash = (p.word[0] * HASH_MULTIPLIER) ^ (p.word[1] * 0xc2b2ae3d27d4eb4full);

	return hash + ((p.word[2] * 0x165667b19e3779f9ull) ^ (p.word[3] * 0x27d4eb2f165667c5ull));
}

/* sites.c: the name of the kmalloc cache for slots of that size, a text */
u32 kmalloc_name(struct import *im, u32 type, u32 bytes);
/* Creates the site of a new recipe; SITE_FULL when it needs a cache and there are too
 * many. */
u32 new_site(struct import *im, u64 w0, u64 w1, u64 w2, u64 w3);

ALWAYS_INLINE u32 find_site(struct import *im, struct recipe recipe)
{
	const struct packed *recipes = im->recipes.at;
	struct packed p = pack(recipe);

	for (const struct hash_slot *slot = hash_home(&im->sites, packed_hash(p)); slot->taken;
	     slot = hash_behind(&im->sites, slot)) {
		const u64 *other = recipes[slot->taken - 1].word;
		if (!((p.word[0] ^ other[0]) | (p.word[1] ^ other[1]) | (p.word[2] ^ other[2]) |
		      (p.word[3] ^ other[3])))
			return slot->taken - 1;
	}
	return new_site(im, p.word[0], p.word[1], p.word[2], p.word[3]);
}

/* The site of a free like base, with the allocation's size and cache. */
ALWAYS_INLINE u32 find_free_site(struct import *im, struct recipe recipe, u32 alloc_site)
{
	const struct site *alloc = &im->trace->sites[alloc_site];

	recipe.op = OP_FREE;
	recipe.bytes_req = alloc->bytes;
	recipe.bytes_alloc = ((struct site_use *)im->uses.at)[alloc_site].row;
	recipe.cache = alloc->cache;
	recipe.kmalloc_type = alloc->kmalloc_type;
	return find_site(im, recipe);
}

#endif
