/*
 * slub_object.c - one object as it lies in memory: its slot's parts, and its free pointer with the arithmetic.
 */
#include "slub_debug.h"

struct slab *slub_find_slab(const struct world *w, const struct kmem_cache *s, u32 serial)
{
	for (ref r = s->last_slab; r; r = ((struct slab *)at(w, r))->older)
		if (((struct slab *)at(w, r))->serial == serial)
			return at(w, r);
	return NULL;
}

static void fill_layout(const struct kmem_cache *s, u32 index, struct kmem_object_row *row)
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
		row->tracks_bytes = 2 * TRACK_BYTES + (s->flags & CACHE_KMALLOC ? 4 : 0);
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

/* What debugging fills red zones and free objects with. */
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
	fill_layout(s, index, row);
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
