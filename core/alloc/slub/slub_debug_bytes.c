/*
 * slub_debug_bytes.c - the layout of a debugged slab, and the bytes in it that are damaged.
 *
 *	slot: | left red zone | object … | red zone | free pointer | tracks | padding |
 *	                      ^ slub_object_at      ^ +inuse       ^ +slub_info_end
 */
#include "alloc/slub/slub_debug.h"

static u32 links_bytes(u32 objects)
{
	return ALIGN_UP((u32)sizeof(struct slab) + objects * 2, 8u);
}

u32 slub_block_bytes(const struct kmem_cache *s, u32 objects)
{
	u32 tracks = s->flags & CACHE_STORE_USER ? objects * (u32)sizeof(struct track) : 0;

	if (!(s->flags & CACHE_DEBUG))
		return (u32)sizeof(struct slab) + objects * 2;
	return links_bytes(objects) + (u32)sizeof(struct slab_debug) + tracks;
}

struct slab_debug *slub_debug_of(const struct world *w, const struct slab *slab)
{
	return at(w, ref_of(w, slab) + links_bytes(slab->objects));
}

u32 slub_object_at(const struct kmem_cache *s, u32 index)
{
	return index * s->size + s->red_left_pad;
}

u64 slub_slab_address(const struct world *w, const struct slab *slab)
{
	return (u64)slab->pfn << w->machine.page_shift;
}

u32 slub_slab_bytes(const struct world *w, const struct slab *slab)
{
	return 1u << (w->machine.page_shift + slab->order);
}

u32 slub_info_end(const struct kmem_cache *s)
{
	return slub_pointer_is_outside(s) ? s->inuse + POINTER_BYTES : s->inuse;
}

int slub_is_in_use(const struct slab *slab, u32 index)
{
	u32 link = slab->link[index];

	return link == LINK_ALLOCATED || link == LINK_LOST_USED || link == LINK_ADOPTED;
}

static struct damage *damage_at(const struct world *w, ref r)
{
	return at(w, r);
}

static void damage_add(struct world *w, struct slab_debug *d, u32 start, u32 end, u32 value)
{
	if (d->nr_damages == MAX_DAMAGES)
		return;
	ref new = world_alloc(w, sizeof(struct damage));
	struct damage *damage = damage_at(w, new);
	damage->start = start;
	damage->end = end;
	damage->value = (u8)value;
	damage->next = d->damages;
	d->damages = new;
	d->nr_damages++;
}

void slub_undamage(struct world *w, struct slab *slab, u32 start, u32 end)
{
	struct slab_debug *d = slub_debug_of(w, slab);
	u32 behind = 0, behind_end = 0, behind_value = 0;

	for (ref *from = &d->damages; *from;) {
		struct damage *damage = damage_at(w, *from);
		if (damage->start >= end || damage->end <= start) {
			from = &damage->next;
			continue;
		}
		/* The part after `end` becomes separate damage. Only one damage can reach that far. */
		if (damage->end > end) {
			behind = end;
			behind_end = damage->end;
			behind_value = damage->value;
		}
		if (damage->start < start) {
			damage->end = start;
			from = &damage->next;
			continue;
		}
		ref gone = *from;
		*from = damage->next;
		world_free(w, gone, sizeof(struct damage));
		d->nr_damages--;
	}
	if (behind_end)
		damage_add(w, d, behind, behind_end, behind_value);
}

void slub_damage(struct world *w, struct slab *slab, u32 start, u32 end, u32 value)
{
	slub_undamage(w, slab, start, end);
	damage_add(w, slub_debug_of(w, slab), start, end, value);
}

u32 slub_byte(const struct world *w, const struct slab *slab, u32 at_byte, u32 base)
{
	for (ref r = slub_debug_of(w, slab)->damages; r; r = damage_at(w, r)->next)
		if (damage_at(w, r)->start <= at_byte && at_byte < damage_at(w, r)->end)
			return damage_at(w, r)->value;
	return base;
}

int slub_is_damaged(const struct world *w, const struct slab *slab, u32 start, u32 end)
{
	for (ref r = slub_debug_of(w, slab)->damages; r; r = damage_at(w, r)->next)
		if (damage_at(w, r)->start < end && start < damage_at(w, r)->end)
			return 1;
	return 0;
}
