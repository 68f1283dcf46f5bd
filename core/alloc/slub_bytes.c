/*
 * slub_bytes.c - the bytes of an object's slot: what they hold, and what they should hold.
 *
 * The world keeps no bytes. What a byte should hold follows from the state of its object, and what it holds from the
 * damages of its slab. The owner of a live object may write anything, so those bytes are unknown.
 */
#include "slub_debug.h"

enum { BYTE_UNKNOWN = 0xffff };

/* Bytes up to `end`, from the start of the slot, that should hold one value. */
struct due {
	u32 end, value;
};

static struct due due(u32 end, u32 value)
{
	return (struct due){ end, value };
}

static struct due due_in_object(const struct kmem_cache *s, int in_use, u32 at_byte)
{
	u32 end = s->red_left_pad + s->object_size;

	if (in_use || !slub_has_object_poison(s))
		return due(end, BYTE_UNKNOWN);
	return at_byte < end - 1 ? due(end - 1, POISON_FREE) : due(end, POISON_END);
}

static struct due due_at(const struct kmem_cache *s, int in_use, u32 at_byte)
{
	u32 left = s->red_left_pad, object_end = left + s->object_size, inuse_end = left + s->inuse,
	    info_end = left + slub_info_end(s),
	    padding = s->flags & CACHE_POISON ? POISON_INUSE : BYTE_UNKNOWN,
	    zone = in_use ? RED_ACTIVE : RED_INACTIVE;

	if (s->flags & CACHE_STORE_USER)
		info_end += 2 * TRACK_BYTES + (s->flags & CACHE_KMALLOC ? 4 : 0);
	if (at_byte < left)
		return due(left, zone);
	if (at_byte < object_end)
		return due_in_object(s, in_use, at_byte);
	if (at_byte < inuse_end)
		return due(inuse_end, s->flags & CACHE_RED_ZONE ? zone : padding);
	if (at_byte < info_end)
		return due(info_end, BYTE_UNKNOWN);
	return due(s->size, padding);
}

/* The free pointer of an object that has one lies over what is there otherwise. */
static struct due due_with_pointer(const struct world *w, const struct kmem_cache *s,
				   const struct slab *slab, u32 index, u32 at_byte)
{
	struct due plain = due_at(s, slub_is_in_use(slab, index), at_byte);
	u32 pointer = s->red_left_pad + s->offset;

	if (slab->link[index] > slab->objects || at_byte >= pointer + POINTER_BYTES)
		return plain;
	if (at_byte < pointer)
		return due(MIN(plain.end, pointer), plain.value);
	u64 written = slub_pointer_written(w, s, slab, index);
	return due(at_byte + 1, (u32)(written >> 8 * (at_byte - pointer)) & 0xff);
}

/* The nearest start or end of a damage behind a byte of the slab, `end` if none is nearer. */
static u32 damage_border(const struct world *w, const struct slab *slab, u32 at_byte, u32 end)
{
	const struct damage *damage;

	for (ref r = slub_debug_of(w, slab)->damages; r; r = damage->next) {
		damage = at(w, r);
		if (damage->start > at_byte)
			end = MIN(end, damage->start);
		else if (damage->end > at_byte)
			end = MIN(end, damage->end);
	}
	return end;
}

u32 slub_bytes(const struct world *w, const struct kmem_cache *s, u32 serial, u32 index,
	       struct kmem_byte_run *runs)
{
	const struct slab *slab = slub_find_slab(w, s, serial);
	u32 nr = 0, slot = index * s->size;

	if (!slab || index >= slab->objects)
		return 0;
	for (u32 from = 0; from < s->size; from = runs[nr++].end) {
		struct due what = due_with_pointer(w, s, slab, index, from);
		u32 found = what.value, end = MIN(what.end, s->size);
		KASSERT(nr < MAX_BYTE_RUNS && end > from);
		if (s->flags & CACHE_DEBUG) {
			end = damage_border(w, slab, slot + from, slot + end) - slot;
			found = slub_byte(w, slab, slot + from, what.value);
		}
		runs[nr] = (struct kmem_byte_run){ .start = from,
						   .end = end,
						   .found = (u16)found,
						   .expected = (u16)what.value,
						   .overwritten = found != what.value };
	}
	return nr;
}
