/*
 * slub_check.c - the checks of debugging: red zones, poison, padding, free pointers, the number of
 * free objects.
 *
 * A failed check records a report (sim/world.h), emits steps, repairs what the kernel
 * repairs, and returns 0. An isolated slab refuses frees, as since 6.13; 6.1 would fail on the
 * slab's list.
 *
 * Kernel: check_bytes_and_report(), check_object(), check_slab(), on_freelist() in mm/slub.c, 6.1.
 */
#include "alloc/slub/slub_debug.h"

#include "sim/world.h"

static struct kmem_bug *new_bug(struct world *w, struct kmem_cache *s, const struct slab *slab,
				u32 index, u32 check)
{
	struct kmem_bug *bug = bug_new(w);

	bug->check = (u8)check;
	bug->cache = s->id;
	bug->slab = slab->serial;
	bug->index = index;
	bug->slab_objects = slab->objects;
	bug->slab_used = slab->inuse;
	bug->alloc_op = bug->free_op = NO_OBJECT;
	bug->alloc_cpu = bug->free_cpu = CPU_NONE;
	bug->address = slub_slab_address(w, slab);
	if (index == NO_OBJECT)
		return bug;
	bug->address = slub_object_address(w, s, slab, index);
	bug->pointer = slub_pointer_decoded(w, s, slab, index);
	return bug;
}

/* Reports who allocated and freed the object, if its tracks are intact. */
static void report_tracks(struct world *w, struct kmem_cache *s, const struct slab *slab, u32 index,
			  struct kmem_bug *bug)
{
	u32 track_at = slub_object_at(s, index) + slub_info_end(s);

	if (!(s->flags & CACHE_STORE_USER))
		return;
	const struct track *track = &slub_debug_of(w, slab)->track[index];
	if (track->allocated && !slub_is_damaged(w, slab, track_at, track_at + TRACK_BYTES)) {
		bug->alloc_op = track->allocated - 1;
		emit_BUG_ALLOCATED(w, s->id, slab->node, slab->serial, index, bug->alloc_op);
	}
	track_at += TRACK_BYTES;
	if (track->freed && !slub_is_damaged(w, slab, track_at, track_at + TRACK_BYTES)) {
		bug->free_op = track->freed - 1;
		emit_BUG_FREED(w, s->id, slab->node, slab->serial, index, bug->free_op);
	}
}

static void report_bug(struct world *w, struct kmem_cache *s, const struct slab *slab,
		       struct kmem_bug *bug, u32 at_byte)
{
	bug->fault = slub_slab_address(w, slab) + at_byte;
	bug->offset = at_byte;
	if (bug->index == NO_OBJECT)
		emit_SLAB_BUG(w, s->id, slab->node, bug->check, slab->serial, at_byte);
	else
		emit_BUG(w, s->id, slab->node, bug->check, slab->serial, bug->index, at_byte);
	if (bug->len)
		emit_BUG_BYTES(w, s->id, slab->node, slab->serial, at_byte, bug->len, bug->found,
			       bug->expected);
	if (bug->index != NO_OBJECT)
		report_tracks(w, s, slab, bug->index, bug);
}

void slub_report(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index, u32 check,
		 u32 at_byte)
{
	report_bug(w, s, slab, new_bug(w, s, slab, index, check), at_byte);
}

_Static_assert(NR_VALUES(kmem_fix) <= 8, "kmem_bug.fixes has a bit for each fix");

void slub_fix(struct world *w, struct kmem_cache *s, const struct slab *slab, u32 fix)
{
	bug_last(w)->fixes |= (u8)(1u << fix);
	emit_FIX(w, s->id, slab->node, fix, slab->serial);
}

/* Bytes [start, end) that should be `expected`; undamaged, they are `base`. */
struct span {
	u32 check, start, end, expected, base;
};

/* Finds the first and the last wrong byte; returns 0 if there are none. */
static int find_wrong(const struct world *w, const struct slab *slab, const struct span *span,
		      u32 *first, u32 *last)
{
	*first = span->end;
	*last = 0;
	if (span->base == span->expected && !slub_is_damaged(w, slab, span->start, span->end))
		return 0;
	for (u32 i = span->start; i < span->end; i++) {
		if (slub_byte(w, slab, i, span->base) == span->expected)
			continue;
		*first = MIN(*first, i);
		*last = i;
	}
	return *first < span->end;
}

static int check_bytes(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
		       struct span span)
{
	u32 first, last;

	slub_memory_read(w, slab, span.start, span.end, span.base);
	if (!find_wrong(w, slab, &span, &first, &last))
		return 1;
	struct kmem_bug *bug = new_bug(w, s, slab, index, span.check);
	bug->len = last - first + 1;
	bug->expected = (u8)span.expected;
	bug->found = (u8)slub_byte(w, slab, first, span.base);
	report_bug(w, s, slab, bug, first);
	if (span.base == span.expected)
		slub_undamage(w, slab, first, last + 1);
	else
		slub_damage(w, slab, first, last + 1, span.expected);
	slub_memory_fill(w, slab, first, last + 1, span.expected);
	slub_fix(w, s, slab, FIX_RESTORED);
	return 0;
}

static void check_slab_padding(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	struct span padding = { CHECK_SLAB_PADDING, slab->objects * s->size,
				slub_slab_bytes(w, slab), POISON_INUSE, POISON_INUSE };

	if (s->flags & CACHE_POISON)
		check_bytes(w, s, slab, NO_OBJECT, padding);
}

int slub_check_slab(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	if (slub_debug_of(w, slab)->isolated) {
		slub_report(w, s, slab, NO_OBJECT, CHECK_DISABLED, 0);
		return 0;
	}
	/* Padding damage is repaired, so it does not fail the slab. */
	check_slab_padding(w, s, slab);
	return 1;
}

static int check_red_zones(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
			   int active)
{
	u32 object = slub_object_at(s, index), expected = active ? RED_ACTIVE : RED_INACTIVE,
	    base = slub_is_in_use(slab, index) ? RED_ACTIVE : RED_INACTIVE;
	struct span left = { CHECK_LEFT_REDZONE, object - s->red_left_pad, object, expected, base };
	struct span right = { CHECK_RIGHT_REDZONE, object + s->object_size, object + s->inuse,
			      expected, base };

	return check_bytes(w, s, slab, index, left) && check_bytes(w, s, slab, index, right);
}

static int check_poison(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index)
{
	u32 object = slub_object_at(s, index), last = object + s->object_size - 1;
	struct span body = { CHECK_POISON, object, last, POISON_FREE, POISON_FREE };
	struct span end = { CHECK_END_POISON, last, last + 1, POISON_END, POISON_END };

	return check_bytes(w, s, slab, index, body) && check_bytes(w, s, slab, index, end);
}

/* Checks the padding: from the object's last metadata to the next slot's left red zone. */
static void check_object_padding(struct world *w, struct kmem_cache *s, struct slab *slab,
				 u32 index)
{
	u32 object = slub_object_at(s, index), info = slub_info_end(s);

	if (s->flags & CACHE_STORE_USER)
		info += slub_tracks_bytes(w, s);
	struct span padding = { CHECK_OBJECT_PADDING, object + info,
				object + s->size - s->red_left_pad, POISON_INUSE, POISON_INUSE };
	check_bytes(w, s, slab, index, padding);
}

int slub_check_object(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
		      int active)
{
	u32 object = slub_object_at(s, index);

	if (s->flags & CACHE_RED_ZONE && !check_red_zones(w, s, slab, index, active))
		return 0;
	if (!(s->flags & CACHE_RED_ZONE) && s->flags & CACHE_POISON) {
		struct span slack = { CHECK_ALIGNMENT, object + s->object_size, object + s->inuse,
				      POISON_INUSE, POISON_INUSE };
		check_bytes(w, s, slab, index, slack);
	}
	if (!active && slub_has_object_poison(s) && !check_poison(w, s, slab, index))
		return 0;
	if (s->flags & CACHE_POISON)
		check_object_padding(w, s, slab, index);
	/* The owner may overwrite a free pointer that lies inside the object. */
	if (active && !slub_pointer_is_outside(s))
		return 1;
	if (slub_pointer_read(w, s, slab, index) != POINTER_BAD)
		return 1;
	slub_report(w, s, slab, index, CHECK_FREEPOINTER, object + s->offset);
	slub_pointer_mend(w, s, slab, index);
	if (slab->link[index] <= slab->objects)
		slab->link[index] = LINK_END;
	slub_fix(w, s, slab, FIX_ZAPPED);
	return 0;
}

static void report_count(struct world *w, struct kmem_cache *s, struct slab *slab, u32 free)
{
	struct kmem_bug *bug = new_bug(w, s, slab, NO_OBJECT, CHECK_COUNT);

	bug->counter = slab->inuse;
	bug->counted = (s32)slab->objects - (s32)free;
	report_bug(w, s, slab, bug, 0);
	emit_BUG_COUNT(w, s->id, slab->node, slab->serial, bug->counter, (u32)bug->counted);
	slub_freelist_settle(w, s, slab);
	slub_fix(w, s, slab, FIX_COUNT);
}

int slub_on_freelist(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index)
{
	u32 nr = 0;

	for (u32 i = slab->freelist; i && nr <= slab->objects;) {
		u32 object = i - 1;
		if (object == index)
			return 1;
		i = slub_pointer_read(w, s, slab, object);
		nr++;
		if (i != POINTER_BAD)
			continue;
		slub_report(w, s, slab, object, CHECK_FREECHAIN,
			    slub_object_at(s, object) + s->offset);
		slub_pointer_mend(w, s, slab, object);
		slab->link[object] = LINK_END;
		slub_fix(w, s, slab, FIX_ZAPPED);
		break;
	}
	if (nr != (u32)slab->objects - slab->inuse)
		report_count(w, s, slab, nr);
	return 0;
}
