/*
 * slub_bytes.c - the actual and the expected bytes of an object's slot.
 *
 * The world stores no bytes. The expected value of a byte follows from the state of its object, the
 * actual value from the recorded damage of its slab. The owner of a live object may write anything,
 * so its bytes are unknown.
 */
#include "alloc/slub/slub_debug.h"

enum { BYTE_UNKNOWN = 0xffff };

/* Describes the bytes up to `end`, from the start of the slot, that share an expected value. */
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

static struct due due_at(const struct world *w, const struct kmem_cache *s, int in_use, u32 at_byte)
{
	u32 left = s->red_left_pad, object_end = left + s->object_size, inuse_end = left + s->inuse,
	    info_end = left + slub_info_end(s),
	    padding = s->flags & CACHE_POISON ? POISON_INUSE : BYTE_UNKNOWN,
	    zone = in_use ? RED_ACTIVE : RED_INACTIVE;

	if (s->flags & CACHE_STORE_USER)
		info_end += slub_tracks_bytes(w, s);
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

/* A stored free pointer replaces the bytes that would otherwise be expected there. */
static struct due due_with_pointer(const struct world *w, const struct kmem_cache *s,
				   const struct slab *slab, u32 index, u32 at_byte)
{
	struct due plain = due_at(w, s, slub_is_in_use(slab, index), at_byte);
	u32 pointer = s->red_left_pad + s->offset;

	if (slab->link[index] > slab->objects || at_byte >= pointer + POINTER_BYTES)
		return plain;
	if (at_byte < pointer)
		return due(MIN(plain.end, pointer), plain.value);
	u64 written = slub_pointer_written(w, s, slab, index);
	return due(at_byte + 1, (u32)(written >> 8 * (at_byte - pointer)) & 0xff);
}

/* Returns where the next damage after a byte of the slab starts or ends; `end` if nothing is nearer. */
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

/* `corrupt` lines: code writes outside its object, or frees what it does not own.
 * 
 * In a debug cache the damage is recorded or the free attempted, and the checks report errors.
 * Without debugging the world stays as it is, and a step states the effect on a real kernel. */

static void report_effect(struct world *w, struct kmem_cache *s, const struct slab *slab, u32 index,
			  u32 effect)
{
	emit_CORRUPT_EFFECT(w, s->id, slab ? slab->node : NODE_ANY, effect,
			    slab ? slab->serial : NO_OBJECT, index);
}

/* Whether [a, a_end) and [b, b_end) overlap. */
static int meet(u32 a, u32 a_end, u32 b, u32 b_end)
{
	return a < b_end && b < a_end;
}

/* Describes what happens without debugging when bytes [start, end) of the slab are overwritten. */
static u32 effect_unchecked(const struct kmem_cache *s, const struct slab *slab, u32 index,
			    u32 start, u32 end)
{
	u32 last = MIN((end - 1) / s->size, slab->objects - 1u), effect = EFFECT_UNUSED;

	for (u32 i = start / s->size; i <= last; i++) {
		u32 object = slub_object_at(s, i), pointer = object + s->offset;
		if (slub_is_in_use(slab, i)) {
			if (i != index && meet(start, end, object, object + s->object_size))
				return EFFECT_NEIGHBOUR;
			if (i == index && end <= object + s->object_size)
				effect = EFFECT_OWN;
			continue;
		}
		if (meet(start, end, pointer, pointer + POINTER_BYTES))
			return EFFECT_POINTER;
	}
	return effect;
}

/* Does the same with debugging: records the damage, except in bytes that a live object's owner may write. */
static u32 damage(struct world *w, struct kmem_cache *s, struct slab *slab, u32 start, u32 end,
		  u32 value)
{
	u32 last = MIN((end - 1) / s->size, slab->objects - 1u);

	slub_damage(w, slab, start, end, value);
	for (u32 i = start / s->size; i <= last; i++) {
		u32 object = slub_object_at(s, i);
		if (slub_is_in_use(slab, i))
			slub_undamage(w, slab, object, object + s->object_size);
	}
	if (!slub_is_damaged(w, slab, start, end))
		return EFFECT_OWN;
	return s->flags & CACHE_SANITY ? EFFECT_WATCHED : EFFECT_VALIDATE;
}

/* `live`: the writer owns the object at index; otherwise the writer has freed it. */
static void write_bytes(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
			const struct corruption *c)
{
	s64 from = (s64)slub_object_at(s, index) + c->at;
	u32 bytes = slub_slab_bytes(w, slab), start = (u32)CLAMP(from, 0, (s64)bytes),
	    end = (u32)CLAMP(from + c->len, 0, (s64)bytes);

	emit_CORRUPT_WRITE(w, s->id, slab->node, slab->serial, index, (u32)c->at, c->len, c->value);
	if (start >= end)
		report_effect(w, s, slab, index, EFFECT_OUTSIDE);
	else if (s->flags & CACHE_DEBUG)
		report_effect(w, s, slab, index, damage(w, s, slab, start, end, c->value));
	else
		report_effect(w, s, slab, index,
			      effect_unchecked(s, slab, c->live ? index : NO_OBJECT, start, end));
}

/* A hardened kernel's set_freepointer() stops if an object would point to itself. That happens if
 * the object is already first on its freelist. */
static int is_first_free(struct world *w, struct kmem_cache *s, const struct slab *slab, u32 index)
{
	const struct kmem_cache_cpu *c = slub_cpu(w, s, w->cpu);
	u32 first = at(w, c->slab) == (const void *)slab ? c->freelist : slab->freelist;

	return first == index + 1;
}

/* The caller frees an object that it does not own. */
static void free_again(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index)
{
	if (slab->link[index] == LINK_ALLOCATED)
		report_effect(w, s, slab, index, EFFECT_REUSED);
	else if (s->flags & CACHE_SANITY)
		slub_free_checked(w, s, slub_cpu(w, s, w->cpu), slab, index,
				  slub_object_at(s, index));
	else if (w->policy.freelist_hardened && is_first_free(w, s, slab, index))
		slub_report(w, s, slab, index, CHECK_DOUBLE_FREE_BUG,
			    slub_object_at(s, index) + s->offset);
	else
		report_effect(w, s, slab, index, EFFECT_CYCLE);
}

static void free_pointer(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
			 const struct corruption *c)
{
	s64 pointer = (s64)slub_object_at(s, index) + c->at, in_slots = pointer - s->red_left_pad;

	emit_WILD_FREE(w, s->id, slab->node, slab->serial, index, (u32)c->at);
	if (pointer < 0 || pointer >= (s64)slub_slab_bytes(w, slab))
		report_effect(w, s, slab, index, EFFECT_OUTSIDE);
	else if (in_slots >= 0 && in_slots % s->size == 0 && in_slots / s->size < slab->objects)
		free_again(w, s, slab, (u32)(in_slots / s->size));
	else if (s->flags & CACHE_SANITY)
		slub_free_checked(w, s, slub_cpu(w, s, w->cpu), slab, index, (u32)pointer);
	else
		report_effect(w, s, slab, index, EFFECT_WILD);
}

void slub_corrupt(struct world *w, struct kmem_cache *s, u32 serial, u32 index,
		  const struct corruption *c)
{
	struct slab *slab = slub_find_slab(w, s, serial);
	struct corruption pointer = *c;

	if (!slab) {
		report_effect(w, s, NULL, index, EFFECT_GONE);
		return;
	}
	switch (c->kind) {
	case CORRUPT_WRITE:
		write_bytes(w, s, slab, index, c);
		break;
	case CORRUPT_FREELIST:
		pointer.at = (s32)s->offset;
		pointer.len = POINTER_BYTES;
		write_bytes(w, s, slab, index, &pointer);
		break;
	case CORRUPT_DOUBLE_FREE:
		emit_DOUBLE_FREE(w, s->id, slab->node, slab->serial, index);
		free_again(w, s, slab, index);
		break;
	default:
		free_pointer(w, s, slab, index, c);
	}
}
