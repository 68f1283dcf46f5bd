/*
 * slub_debug.c - SLUB's paths for debug caches. They have no cpu slab and no per-CPU partial list.
 *
 *	alloc: first slab of the node's list ─ checks slab and object ─ allocates │ failed: isolates the slab, tries the next
 *	free:  checks slab, freelist, object ─ back on the slab freelist          │ failed: the object stays as it is
 *
 * The node's list lock guards each allocation and free. As in the kernel, only sanity_checks makes
 * the paths check what the other options prepare.
 *
 * Kernel: alloc_single_from_partial(), alloc_single_from_new_slab(), alloc_debug_processing(),
 * free_debug_processing(), validate_slab_cache() in mm/slub.c, 6.1.
 */
#include "alloc/slub/slub_debug.h"
#include "alloc/slub/slub_fast.h"

#include "sim/world.h"

/* Rewrites red zones and poison, and with them the owner's bytes or the free pointer. */
static void init_object(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
			u32 red)
{
	u32 object = slub_object_at(s, index);

	slub_undamage(w, slab, object - s->red_left_pad, object + s->inuse);
	slub_memory_object(w, s, slab, index, red);
}

static void set_track(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
		      int freed)
{
	u32 at_byte = slub_object_at(s, index) + slub_info_end(s) + (freed ? TRACK_BYTES : 0);

	if (!(s->flags & CACHE_STORE_USER))
		return;
	struct track *track = &slub_debug_of(w, slab)->track[index];
	*(freed ? &track->freed : &track->allocated) = w->op + 1;
	slub_undamage(w, slab, at_byte, at_byte + TRACK_BYTES);
}

/* The slab freelist is damaged, so no object leaves the slab or returns to it from now on. */
static void isolate(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	for (u32 i = 0; i < slab->objects; i++)
		if (slab->link[i] <= slab->objects)
			slab->link[i] = LINK_LOST_FREE;
	slab->freelist = LINK_END;
	slab->inuse = slab->objects;
	slub_debug_of(w, slab)->isolated = 1;
	slub_list_remove(w, s, slab);
	slab->place = PLACE_LOOSE;
	slub_fix(w, s, slab, FIX_MARKED_USED);
}

/* Takes the first object off the freelist. */
static void pop(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index)
{
	u32 next = slub_pointer_read(w, s, slab, index);
	int astray = next != slab->link[index], checked = s->flags & CACHE_SANITY;

	slab->freelist = slab->link[index];
	if (astray && checked) {
		int usable = next && next - 1 != index && slab->link[next - 1] <= slab->objects;
		slab->freelist = (u16)(usable ? next : LINK_END);
	}
	slab->link[index] = LINK_ALLOCATED;
	slab->inuse++;
	init_object(w, s, slab, index, RED_ACTIVE);
	set_track(w, s, slab, index, 0);
	if (!astray)
		return;
	if (checked) {
		slub_freelist_settle(w, s, slab);
		return;
	}
	slub_pointer_mend(w, s, slab, index);
	emit_CORRUPT_EFFECT(w, s->id, slab->node, EFFECT_POINTER, slab->serial, index);
}

/* Returns 0 if the slab had to be isolated. */
static object_loc take_one(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	u32 index = slab->freelist - 1u;

	if (s->flags & CACHE_SANITY) {
		if (!slub_check_slab(w, s, slab) || !slub_check_object(w, s, slab, index, 0)) {
			isolate(w, s, slab);
			return 0;
		}
		emit_OBJECT_CHECKED(w, s->id, slab->node, slab->serial, index);
	}
	pop(w, s, slab, index);
	emit_OBJECT_TAKEN(w, s->id, slab->node, slab->serial, index, slab_free_count(slab));
	return LOC(ref_of(w, slab), index);
}

/* Takes an object from a slab that `search` finds on a node partial list; returns 0 if there is none. */
static object_loc take_from_partial(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				    u32 node,
				    struct slab *(*search)(struct world *, struct kmem_cache *,
							   struct kmem_cache_cpu *, u32))
{
	struct slab *slab;
	object_loc loc = 0;

	while (!loc && (slab = search(w, s, c, node)) != NULL) {
		struct kmem_cache_node *n = slub_node(w, s, slab->node);
		lock_take(w, &n->list_lock, s->id, slab->node);
		loc = take_one(w, s, slab);
		if (loc && !slab->freelist) {
			slub_list_remove(w, s, slab);
			slub_full_add(w, s, slab);
		}
		lock_release(w, &n->list_lock);
	}
	return loc;
}

object_loc slub_debug_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			    u32 node)
{
	object_loc loc = take_from_partial(w, s, c, node, slub_get_partial);

	if (loc)
		return loc;
	/* Since 7.0 all nodes are searched before the request takes pages from a different node. */
	int there = node != NODE_ANY && w->policy.no_cpu_slabs;
	struct slab *slab = there ? slub_new_slab_there(w, s, node) : slub_new_slab(w, s, node);
	if (!slab && there) {
		loc = take_from_partial(w, s, c, node, slub_get_partial_anywhere);
		if (loc)
			return loc;
		slab = slub_new_slab(w, s, node);
	}
	if (!slab) {
		emit_ALLOC_FAILED(w, s->id, node, node);
		return 0;
	}
	slub_memory_slab(w, s, slab);
	struct kmem_cache_node *n = slub_node(w, s, slab->node);
	STAT_ON(c, w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects,
		slab->pfn, FRESH_LOOSE);
	lock_take(w, &n->list_lock, s->id, slab->node);
	loc = take_one(w, s, slab);
	if (slab->freelist) {
		slub_list_add(w, s, slab, END_HEAD);
		emit_LIST_ADD(w, s->id, slab->node, slab->serial, slab_free_count(slab), END_HEAD,
			      n->nr_partial);
	} else {
		slub_full_add(w, s, slab);
	}
	lock_release(w, &n->list_lock);
	return loc;
}

/* Returns whether the address at that offset may be freed as an object. */
static int may_be_freed(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
			u32 at_byte)
{
	if (!(s->flags & CACHE_SANITY))
		return 1;
	if (!slub_check_slab(w, s, slab))
		return 0;
	if (at_byte != slub_object_at(s, index)) {
		slub_report(w, s, slab, NO_OBJECT, CHECK_INVALID_POINTER, at_byte);
		return 0;
	}
	if (slub_on_freelist(w, s, slab, index)) {
		slub_report(w, s, slab, index, CHECK_ALREADY_FREE, at_byte);
		return 0;
	}
	if (!slub_check_object(w, s, slab, index, 1))
		return 0;
	emit_OBJECT_CHECKED(w, s->id, slab->node, slab->serial, index);
	return 1;
}

/* Makes the object a free one, after it has passed its checks. */
static void make_free(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index)
{
	init_object(w, s, slab, index, RED_INACTIVE);
	set_track(w, s, slab, index, 1);
	slub_pointer_mend(w, s, slab, index);
}

static void put_free(struct slab *slab, u32 index)
{
	slab->link[index] = slab->freelist;
	slab->freelist = (u16)(index + 1);
	slab->inuse--;
}

int slub_free_checked(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		      struct slab *slab, u32 index, u32 at_byte)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);
	u32 owner = slab->freelist ? OWNER_NODE_LIST : OWNER_FULL;

	w->slow_paths++;
	lock_take(w, &n->list_lock, s->id, slab->node);
	if (!may_be_freed(w, s, slab, index, at_byte)) {
		c->counters[FREE_SLOWPATH]++;
		bug_last(w)->refused = slub_slab_address(w, slab) + at_byte;
		/* The refused object is lost: its owner no longer uses it, and it is on no freelist. */
		if (slab->link[index] == LINK_ALLOCATED && at_byte == slub_object_at(s, index))
			slab->link[index] = LINK_LOST_USED;
		slub_fix(w, s, slab, FIX_NOT_FREED);
		lock_release(w, &n->list_lock);
		return 0;
	}
	int was_full = slab->freelist == LINK_END;
	make_free(w, s, slab, index);
	put_free(slab, index);
	u32 node = slab->node, serial = slab->serial, free = slab_free_count(slab);
	if (!w->policy.no_cpu_slabs)
		STAT_ON(c, w, s, FREE_SLOWPATH, node, serial, index, owner, CPU_NONE, free);
	lock_release(w, &n->list_lock);
	if (w->policy.no_cpu_slabs)
		emit_FREE_PAST_SHEAF(w, s->id, node, serial, index, REASON_DEBUG);
	if (was_full || !slab->inuse)
		slub_free_to_node(w, s, slab, was_full);
	/* Since 7.0 the kernel counts at the very end. */
	if (w->policy.no_cpu_slabs)
		STAT_ON(c, w, s, FREE_SLOWPATH, node, serial, index, owner, CPU_NONE, free);
	return 1;
}

void slub_debug_free(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		     object_loc loc)
{
	struct slab *slab = at(w, LOC_SLAB(loc));
	u32 index = LOC_INDEX(loc);

	KASSERT(slab->link[index] == LINK_ALLOCATED);
	slub_free_checked(w, s, c, slab, index, slub_object_at(s, index));
}

int slub_debug_free_group(struct world *w, struct kmem_cache *s, const object_loc *group, u32 nr,
			  u32 others)
{
	struct slab *slab = at(w, LOC_SLAB(group[0]));
	struct kmem_cache_node *n = slub_node(w, s, slab->node);
	u32 unchecked = nr;

	lock_take(w, &n->list_lock, s->id, slab->node);
	for (; unchecked; unchecked--) {
		u32 index = LOC_INDEX(group[unchecked - 1]), at_byte = slub_object_at(s, index);
		if (!may_be_freed(w, s, slab, index, at_byte)) {
			bug_last(w)->refused = slub_slab_address(w, slab) + at_byte;
			break;
		}
		make_free(w, s, slab, index);
	}
	if (unchecked) {
		/* None of them is freed, but those already checked have the bytes of a free object by now. */
		for (u32 i = 0; i < nr; i++)
			slab->link[LOC_INDEX(group[i])] = i < unchecked ? LINK_LOST_USED
									: LINK_LOST_FREE;
		slub_fix(w, s, slab, FIX_NOT_FREED);
		lock_release(w, &n->list_lock);
		return 0;
	}
	int was_full = slab->freelist == LINK_END;
	for (u32 i = 0; i < nr; i++)
		put_free(slab, LOC_INDEX(group[i]));
	lock_release(w, &n->list_lock);
	emit_FLUSH_GROUP(w, s->id, slab->node, slab->serial, nr, slab_free_count(slab), others);
	if (was_full || !slab->inuse)
		slub_free_to_node(w, s, slab, was_full);
	return 1;
}

void slub_debug_discard(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	struct slab_debug *d = slub_debug_of(w, slab);

	if (s->flags & CACHE_SANITY && (d->damages || world_host(w)->memory)) {
		slub_check_slab(w, s, slab);
		for (u32 i = 0; i < slab->objects; i++)
			slub_check_object(w, s, slab, i, 0);
	}
	slub_undamage(w, slab, 0, slub_slab_bytes(w, slab));
}

static void validate_slab(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	u8 is_free[MAX_OBJS_PER_SLAB] = { 0 };

	if (!slub_check_slab(w, s, slab))
		return;
	slub_on_freelist(w, s, slab, NO_OBJECT);
	for (u32 i = slab->freelist; i; i = slab->link[i - 1])
		is_free[i - 1] = 1;
	for (u32 i = 0; i < slab->objects; i++)
		if (!slub_check_object(w, s, slab, i, !is_free[i]))
			break;
	emit_VALIDATED(w, s->id, slab->node, slab->serial);
}

int slub_validate(struct world *w, struct kmem_cache *s)
{
	if (!(s->flags & CACHE_DEBUG))
		return 0;
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct kmem_cache_node *n = slub_node(w, s, node);
		for (ref r = n->head; r; r = ((struct slab *)at(w, r))->next)
			validate_slab(w, s, at(w, r));
		for (ref r = n->full; r; r = ((struct slab *)at(w, r))->next)
			validate_slab(w, s, at(w, r));
	}
	return 1;
}
