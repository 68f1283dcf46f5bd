/*
 * slub_object.c - one object in memory: the parts of its slot, and how its free pointer is encoded.
 */
#include "alloc/slub/slub_debug.h"

struct slab *slub_find_slab(const struct world *w, const struct kmem_cache *s, u32 serial)
{
	for (ref r = s->last_slab; r; r = ((struct slab *)at(w, r))->older)
		if (((struct slab *)at(w, r))->serial == serial)
			return at(w, r);
	return NULL;
}

static void fill_layout(const struct world *w, const struct kmem_cache *s, u32 index,
			struct kmem_object_row *row)
{
	u32 info = slub_info_end(s);

	row->slot = index * s->size;
	row->slot_bytes = s->size;
	row->left_bytes = s->red_left_pad;
	row->object_bytes = s->object_size;
	row->right_bytes = s->inuse - s->object_size;
	row->link_offset = s->offset;
	if (s->flags & CACHE_STORE_USER) {
		row->tracks_offset = info;
		row->tracks_bytes = slub_tracks_bytes(w, s);
	}
	row->padding_offset = info + row->tracks_bytes;
	row->padding_bytes = s->size - s->red_left_pad - row->padding_offset;
}

static void fill_link(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
		      u32 index, struct kmem_object_row *row)
{
	u32 link;

	row->link_address = row->address + s->offset;
	row->secret = slub_secret(w, s);
	if (w->policy.freelist_hardened)
		row->swapped = slub_swab64(row->link_address);
	if (slab->link[index] > slab->objects)
		return;
	row->pointer = slub_pointer_decoded(w, s, slab, index);
	row->stored = slub_pointer_stored(w, s, slab, index);
	link = slub_pointer_read(w, s, slab, index);
	if (link != LINK_END && link != POINTER_BAD)
		row->next = link - 1;
}

/* Returns the values with which debugging fills red zones and free objects. */
static void fill_known_bytes(const struct kmem_cache *s, const struct slab *slab, u32 index,
			     struct kmem_object_row *row)
{
	int in_use = slub_is_in_use(slab, index);

	if (s->flags & CACHE_RED_ZONE)
		row->zone = in_use ? RED_ACTIVE : RED_INACTIVE;
	if (!in_use && slub_has_object_poison(s))
		row->poison = POISON_FREE;
}

void slub_object(const struct world *w, const struct kmem_cache *s, u32 serial, u32 index,
		 struct kmem_object_row *row)
{
	const struct slab *slab = slub_find_slab(w, s, serial);

	if (!slab || index >= slab->objects)
		return;
	row->address = slub_object_address(w, s, slab, index);
	fill_layout(w, s, index, row);
	fill_link(w, s, slab, index, row);
	if (!(s->flags & CACHE_DEBUG))
		return;
	fill_known_bytes(s, slab, index, row);
	row->damaged = (u8)slub_is_damaged(w, slab, row->slot, row->slot + s->size);
	if (!(s->flags & CACHE_STORE_USER))
		return;
	const struct track *track = &slub_debug_of(w, slab)->track[index];
	row->alloc_op = track->allocated - 1;
	row->free_op = track->freed - 1;
}

/* Free pointers as the kernel stores them in free objects, and freelists with damaged pointers.
 * 
 *	stored = pointer ^ secret of the cache ^ byteswap(address where it is stored)      freelist_hardened
 *	stored = pointer                                                                   otherwise
 * 
 * The slab's descriptor stores links; only damaged bytes make a pointer read differently. Addresses
 * are those of the simulated machine; the kernel's also contain the base of its direct map.
 * 
 * Kernel: freelist_ptr(), get_freepointer(), check_valid_pointer() in mm/slub.c, 6.1 (the byteswap
 * since 5.7). */

u64 slub_swab64(u64 x)
{
	u64 swapped = 0;

	for (u32 i = 0; i < 8; i++)
		swapped |= (x >> 8 * i & 0xff) << (56 - 8 * i);
	return swapped;
}

/* The kernel draws a random number for each cache; ours repeats in every run. SplitMix64 of the
 * cache's number (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). */
u64 slub_secret(const struct world *w, const struct kmem_cache *s)
{
	u64 x = (u64)(s->id + 1) * 0x9e3779b97f4a7c15ull;

	if (!w->policy.freelist_hardened)
		return 0;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

u64 slub_object_address(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			u32 index)
{
	return slub_slab_address(w, slab) + slub_object_at(s, index);
}

static u64 mask_of(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
		   u32 index)
{
	if (!w->policy.freelist_hardened)
		return 0;
	return slub_secret(w, s) ^ slub_swab64(slub_object_address(w, s, slab, index) + s->offset);
}

/* An object in use or lost has no link. If its pointer is outside the object, the word is assumed
 * to hold the end marker. */
static u64 plain_pointer(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			 u32 index)
{
	u32 link = slab->link[index];

	if (link == LINK_END || link > slab->objects)
		return 0;
	return slub_object_address(w, s, slab, link - 1);
}

u64 slub_pointer_written(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			 u32 index)
{
	return plain_pointer(w, s, slab, index) ^ mask_of(w, s, slab, index);
}

u64 slub_pointer_stored(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			u32 index)
{
	u64 stored = slub_pointer_written(w, s, slab, index), read = 0;
	u32 at_byte = slub_object_at(s, index) + s->offset;

	if (!(s->flags & CACHE_DEBUG))
		return stored;
	for (u32 i = 0; i < POINTER_BYTES; i++)
		read |= (u64)slub_byte(w, slab, at_byte + i, (u32)(stored >> 8 * i) & 0xff)
			<< 8 * i;
	return read;
}

u64 slub_pointer_decoded(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			 u32 index)
{
	return slub_pointer_stored(w, s, slab, index) ^ mask_of(w, s, slab, index);
}

u32 slub_pointer_read(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
		      u32 index)
{
	u32 at_byte = slub_object_at(s, index) + s->offset;

	if (!(s->flags & CACHE_DEBUG) ||
	    !slub_is_damaged(w, slab, at_byte, at_byte + POINTER_BYTES))
		return slab->link[index] <= slab->objects ? slab->link[index] : LINK_END;
	u64 pointer = slub_pointer_decoded(w, s, slab, index);
	if (!pointer)
		return LINK_END;
	u64 offset = pointer - slub_slab_address(w, slab) - s->red_left_pad;
	if (offset >= (u64)slab->objects * s->size || offset % s->size)
		return POINTER_BAD;
	return (u32)(offset / s->size) + 1;
}

void slub_pointer_mend(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index)
{
	u32 at_byte = slub_object_at(s, index) + s->offset;

	slub_undamage(w, slab, at_byte, at_byte + POINTER_BYTES);
}

static int is_free(const struct slab *slab, u32 index)
{
	return slab->link[index] <= slab->objects;
}

void slub_freelist_settle(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	u8 reached[(MAX_OBJS_PER_SLAB + 7) / 8] = { 0 };
	u32 nr = 0, lost = 0, next;

	for (u32 i = slab->freelist; i; i = next, nr++) {
		u32 index = i - 1;
		reached[index / 8] |= (u8)(1u << index % 8);
		next = slub_pointer_read(w, s, slab, index);
		/* The pointer leads out of the slab, to an object in use, or back to one already
		 * visited. */
		if (next == POINTER_BAD || (next && !is_free(slab, next - 1)) ||
		    (next && reached[(next - 1) / 8] >> (next - 1) % 8 & 1))
			next = LINK_END;
		slub_pointer_mend(w, s, slab, index);
		slab->link[index] = (u16)next;
	}
	for (u32 i = 0; i < slab->objects; i++) {
		if (!is_free(slab, i) || reached[i / 8] >> i % 8 & 1)
			continue;
		slab->link[i] = LINK_LOST_FREE;
		lost++;
	}
	slab->inuse = (u16)(slab->objects - nr);
	if (lost)
		emit_OBJECTS_LOST(w, s->id, slab->node, slab->serial, lost);
}
