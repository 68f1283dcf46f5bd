/*
 * slub_memory.c - SLUB's objects as addresses, and the bytes of debugging in memory that is attached to the page frames
 * (kmem_attach).
 *
 * Without memory the bytes are drawn from state. With memory the same checks see what is there: a span with wrong
 * bytes is recorded as damage of the slab right before it is checked, and what a check restores is written back.
 */
#include "alloc/slub/slub_debug.h"

u64 slub_address(const struct world *w, const struct kmem_cache *s, object_loc loc)
{
	return slub_slab_address(w, at(w, LOC_SLAB(loc))) + slub_object_at(s, LOC_INDEX(loc));
}

object_loc slub_object_with(const struct world *w, ref slab, u64 address)
{
	const struct slab *of = at(w, slab);
	const struct kmem_cache *s = cache_at(w, of->cache);
	u32 index = (u32)(address - slub_slab_address(w, of)) / s->size;

	return index < of->objects ? LOC(slab, index) | (u64)s->id << 48 : 0;
}

static u8 *memory_of(const struct world *w, const struct slab *slab)
{
	u8 *memory = world_host(w)->memory;

	return memory ? memory + slub_slab_address(w, slab) : NULL;
}

void slub_memory_fill(struct world *w, const struct slab *slab, u32 start, u32 end, u32 value)
{
	u8 *bytes = memory_of(w, slab);

	if (bytes && end > start)
		memset(bytes + start, (int)value, end - start);
}

void slub_memory_object(struct world *w, const struct kmem_cache *s, const struct slab *slab,
			u32 index, u32 red)
{
	u32 object = slub_object_at(s, index), end = object + s->object_size;

	if (s->flags & CACHE_RED_ZONE) {
		slub_memory_fill(w, slab, object - s->red_left_pad, object, red);
		slub_memory_fill(w, slab, end, object + s->inuse, red);
	}
	if (slub_has_object_poison(s)) {
		slub_memory_fill(w, slab, object, end - 1, POISON_FREE);
		slub_memory_fill(w, slab, end - 1, end, POISON_END);
	}
}

void slub_memory_slab(struct world *w, const struct kmem_cache *s, const struct slab *slab)
{
	if (s->flags & CACHE_POISON)
		slub_memory_fill(w, slab, 0, slub_slab_bytes(w, slab), POISON_INUSE);
	for (u32 i = 0; i < slab->objects; i++)
		slub_memory_object(w, s, slab, i, RED_INACTIVE);
}

void slub_memory_read(struct world *w, struct slab *slab, u32 start, u32 end, u32 value)
{
	const u8 *bytes = memory_of(w, slab);

	if (!bytes)
		return;
	while (start < end && bytes[start] == value)
		start++;
	while (start < end && bytes[end - 1] == value)
		end--;
	if (start < end)
		slub_damage(w, slab, start, end, bytes[start]);
}
