/*
 * freed_objects.c - remembers freed objects by pointer, so that a `corrupt` line can name them.
 *
 * A handle is reused as soon as its object is freed. Replay then no longer knows where the object
 * was. An object that a `corrupt` line names therefore gets its own handle, and its earlier events
 * are changed to use it. A ring remembers the latest NR_GRAVES frees. Frees whose pointers have the
 * same hash are linked, latest first. A link that leads out of the ring ends the list.
 */
#include "import/import.h"

enum { NR_GRAVES = 8192 };

void note_birth(struct import *im, u32 handle, u32 op)
{
	u64 need_bytes = ((u64)handle + 1) * sizeof(struct birth);

	if (need_bytes <= im->births.room_bytes || import_grow(im, &im->births, need_bytes))
		((struct birth *)im->births.at)[handle] = (struct birth){ op, 0 };
}

static struct birth *birth_of(const struct import *im, u32 handle)
{
	if (((u64)handle + 1) * sizeof(struct birth) > im->births.room_bytes)
		return NULL;
	return (struct birth *)im->births.at + handle;
}

static struct grave *grave_at(const struct import *im, u32 death)
{
	return (struct grave *)im->graves.at + death % NR_GRAVES;
}

static struct grave *bucket_of(const struct import *im, u64 key)
{
	return (struct grave *)im->graves.at + (key * HASH_MULTIPLIER >> 32) % NR_GRAVES;
}

static struct grave *grave_find(struct import *im, u64 key)
{
	u32 death = im->graves.at ? bucket_of(im, key)->head : 0;

	while (death && im->nr_deaths - (death - 1) <= NR_GRAVES) {
		struct grave *grave = grave_at(im, death - 1);
		if (grave->key == key)
			return grave;
		death = grave->older;
	}
	return NULL;
}

int note_death(struct import *im, const struct hash_slot *pointer, u32 free_op)
{
	const struct birth *birth = birth_of(im, pointer->more);

	if (!birth ||
	    (!im->graves.at && !import_grow(im, &im->graves, NR_GRAVES * sizeof(struct grave))))
		return 0;
	struct grave *grave = grave_at(im, im->nr_deaths), *bucket = bucket_of(im, pointer->key);
	grave->key = pointer->key;
	grave->handle = pointer->more;
	grave->site = alloc_site_of(pointer);
	grave->alloc_op = birth->op;
	grave->free_op = free_op;
	grave->single = birth->single;
	grave->older = bucket->head;
	bucket->head = ++im->nr_deaths;
	return (int)birth->single;
}

/* Gives an op that was stored earlier another handle. */
static void change_op(struct import *im, u32 i, u32 handle, u8 more_flags)
{
	struct trace *t = im->trace;
	struct op op = trace_op(t, i);

	op.handle = handle;
	op.flags |= more_flags;
	import_pack(im, &op, trace_packed(t, i));
}

static void single_out_live(struct import *im, struct hash_slot *pointer)
{
	const struct birth *birth = birth_of(im, pointer->more);
	u32 old = pointer->more, op;

	if (!birth || birth->single)
		return;
	op = birth->op;
	pointer->more = im->trace->nr_handles++;
	change_op(im, op, pointer->more, 0);
	note_birth(im, pointer->more, op);
	struct birth *own = birth_of(im, pointer->more);
	if (own)
		own->single = 1;
	recycle_handle(im, old);
}

static void single_out_freed(struct import *im, struct grave *grave)
{
	if (grave->single)
		return;
	grave->single = 1;
	grave->handle = im->trace->nr_handles++;
	change_op(im, grave->alloc_op, grave->handle, 0);
	change_op(im, grave->free_op, grave->handle, OP_KEPT);
}

int single_out(struct import *im, u64 key, u32 *handle, u32 *site, u32 *live)
{
	struct hash_slot *pointer = pointer_find(im, key);
	struct grave *grave = pointer ? NULL : grave_find(im, key);

	if (pointer) {
		single_out_live(im, pointer);
		*handle = pointer->more;
		*site = alloc_site_of(pointer);
	} else if (grave) {
		single_out_freed(im, grave);
		*handle = grave->handle;
		*site = grave->site;
	}
	*live = pointer != NULL;
	return pointer || grave;
}
