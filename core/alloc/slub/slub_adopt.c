/*
 * slub_adopt.c - a warm start: rebuilds the slabs that the machine had before the first event, on the lists where they were.
 *
 * Objects in use are the first ones of the slab's freelist, because a machine state does not say which. For their
 * slabs, objects in sheaves are in use; a sheaf takes them once the slabs exist. Nothing is
 * counted, and no path of the allocator runs: only the lists and their counts change.
 */
#include "alloc/slub/slub_fast.h"
#include "alloc/slub/slub_sheaf.h"

/* Takes this many objects off the slab freelist for good. */
static void mark_adopted(struct slab *slab, u32 inuse)
{
	for (; slab->inuse < inuse; slab->inuse++) {
		u32 index = slab->freelist - 1u;
		slab->freelist = slab->link[index];
		slab->link[index] = LINK_ADOPTED;
	}
}

/* Objects on the state's freelists are free, all others are in use. Returns the head of the freelist. */
static u16 link_exactly(struct slab *slab, const u16 *free, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		slab->link[free[i]] = i + 1 < nr ? (u16)(free[i + 1] + 1) : (u16)LINK_END;
	return nr ? (u16)(free[0] + 1) : (u16)LINK_END;
}

static void mark_exactly(struct slab *slab, const struct exact_slab *e)
{
	for (u32 i = 0; i < slab->objects; i++)
		slab->link[i] = e->is_before ? LINK_ADOPTED : LINK_ALLOCATED;
	slab->freelist = link_exactly(slab, e->free, e->nr_free);
	slab->inuse = (u16)(slab->objects - e->nr_free);
}

static int cpu_can_hold(const struct world *w, struct kmem_cache *s, u32 place)
{
	if (w->policy.no_cpu_slabs || s->flags & CACHE_DEBUG)
		return 0;
	if (place == PLACE_CPU_SLAB)
		return !slub_cpu((struct world *)w, s, w->cpu)->slab;
	return s->cpu_partial_lists != CPU_PARTIAL_NONE;
}

static void give_to_cpu(struct world *w, struct kmem_cache *s, struct slab *slab,
			const struct adopted_slab *was)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, w->cpu);

	if (was->place == PLACE_CPU_SLAB) {
		slub_install(w, c, slab);
		if (was->exact) {
			c->freelist = link_exactly(slab, was->exact->cpu_free,
						   was->exact->nr_cpu_free);
			c->nr_free = was->exact->nr_cpu_free;
		} else {
			slub_move_freelist(c, slab);
		}
	} else if (s->cpu_partial_lists == CPU_PARTIAL_OBJECTS) {
		slub_partial_push_objects(w, c, slab);
	} else {
		slub_partial_push(w, c, slab);
	}
}

/* Returns how many objects the main sheaf of the CPU at work has room for. Kernels with cpu slabs
 * make it later. */
static u32 sheaf_room(struct world *w, struct kmem_cache *s)
{
	if (!w->policy.no_cpu_slabs || !slub_own(w, s)->sheaf_capacity)
		return 0;
	const struct slub_sheaf *main = sheaf_at(w, slub_cpu(w, s, w->cpu)->main);
	return slub_own(w, s)->sheaf_capacity - main->nr;
}

/* Moves free objects of the slab to the main sheaf. The first one goes last, so it's allocated first. */
static void fill_sheaf(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	struct slub_sheaf *main = slub_sheaf_main(w, s, slub_cpu(w, s, w->cpu),
						  slub_pcs(w, s, w->cpu));
	u32 nr = slab_free_count(slab);

	for (u32 i = main->nr + nr; i-- > main->nr;) {
		u32 index = slab->freelist - 1u;
		main->object[i] = LOC(ref_of(w, slab), index);
		slab->freelist = slab->link[index];
		slab->link[index] = LINK_SHEAF;
	}
	main->nr = (u16)(main->nr + nr);
	slab->inuse = slab->objects;
	slab->place = PLACE_NODE_FULL;
}

/* Every slab on a list needs a free object; only a cpu slab may have none. */
static u32 most_in_use(const struct kmem_cache *s, u32 place)
{
	return place == PLACE_CPU_SLAB || place == PLACE_NODE_FULL ? s->objects : s->objects - 1u;
}

static ref adopt(struct world *w, struct kmem_cache *s, const struct adopted_slab *was)
{
	int by_cpu = was->place == PLACE_CPU_SLAB || was->place == PLACE_CPU_PARTIAL;

	if (was->inuse > most_in_use(s, was->place) || (by_cpu && !cpu_can_hold(w, s, was->place)))
		return 0;
	if (was->place == PLACE_SHEAF_MAIN && sheaf_room(w, s) < s->objects - was->inuse)
		return 0;
	struct slab *slab = slub_new_slab_there(w, s, was->node);
	if (!slab)
		return 0;
	if (was->exact)
		mark_exactly(slab, was->exact);
	else
		mark_adopted(slab, was->inuse);
	if (by_cpu)
		give_to_cpu(w, s, slab, was);
	else if (was->place == PLACE_NODE_PARTIAL)
		slub_list_append(w, s, slub_node(w, s, slab->node), slab);
	else if (was->place == PLACE_SHEAF_MAIN)
		fill_sheaf(w, s, slab);
	else if (s->flags & CACHE_STORE_USER)
		slub_full_add(w, s, slab);
	else
		slab->place = PLACE_NODE_FULL;
	return ref_of(w, slab);
}

void slub_disown(struct world *w, object_loc loc)
{
	struct slab *slab = at(w, LOC_SLAB(loc));

	KASSERT(slab->link[LOC_INDEX(loc)] == LINK_ADOPTED);
	slab->link[LOC_INDEX(loc)] = LINK_ALLOCATED;
}

ref slub_adopt(struct world *w, struct kmem_cache *s, const struct adopted_slab *was)
{
	u16 cpu = w->cpu, least = s->min_order, order = s->order, objects = s->objects;

	/* The exact state of a slab doesn't include the bytes that checks read. */
	if (s->flags & CACHE_DEBUG && was->exact)
		return 0;
	w->cpu = (u16)was->cpu;
	if (was->exact) {
		s->order = was->exact->order;
		s->objects = was->exact->objects;
	}
	s->min_order = s->order; /* without a fallback, which would be counted */
	ref done = adopt(w, s, was);
	s->min_order = least;
	s->order = order;
	s->objects = objects;
	w->cpu = cpu;
	return done;
}

u32 slub_capacity_of_sheaves(const struct world *w, const struct kmem_cache *s)
{
	return slub_has_sheaves(w) && !(s->flags & CACHE_DEBUG) ? slub_own(w, s)->sheaf_capacity
								: 0;
}

/* Appends it to those that are already there. */
static void append_sheaf(struct world *w, ref *last, ref sheaf)
{
	while (*last)
		last = &sheaf_at(w, *last)->next;
	*last = sheaf;
}

static int put_sheaf(struct world *w, struct kmem_cache *s, const struct adopted_sheaf *was,
		     ref sheaf)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, was->cpu);
	struct slub_pcs *p = slub_pcs_of(c);
	struct slub_barn *barn = slub_barn(w, s, was->node);
	u32 is_full = was->nr == slub_own(w, s)->sheaf_capacity;

	switch (was->place) {
	case PLACE_SHEAF_MAIN:
		if (p->main && sheaf_at(w, p->main)->nr)
			return 0;
		p->main = sheaf;
		if (w->policy.no_cpu_slabs)
			slub_sheaf_set_main(c, p, sheaf);
		return 1;
	case PLACE_SHEAF_SPARE:
		return p->spare ? 0 : (p->spare = sheaf, 1);
	case PLACE_SHEAF_RCU:
		/* A full RCU sheaf waits. */
		return p->rcu || is_full ? 0 : (p->rcu = sheaf, 1);
	case PLACE_BARN_FULL:
		if (!is_full || barn->nr_full == BARN_SHEAVES)
			return 0;
		sheaf_mark(w, sheaf_at(w, sheaf), LINK_BARN);
		append_sheaf(w, &barn->full, sheaf);
		barn->nr_full++;
		return 1;
	case PLACE_BARN_EMPTY:
		append_sheaf(w, &barn->empty, sheaf);
		barn->nr_empty++;
		return !was->nr;
	case PLACE_SHEAF_WAITING:
		append_sheaf(w, &slub_own(w, s)->waiting, sheaf);
		sheaf_at(w, sheaf)->rcu_cpu = (u16)was->cpu;
		return 1;
	default:
		sheaf_mark(w, sheaf_at(w, sheaf), LINK_BULK);
		return 1;
	}
}

static u16 *link_of(const struct world *w, object_loc loc)
{
	struct slab *slab = at(w, LOC_SLAB(loc));

	return &slab->link[LOC_INDEX(loc)];
}

ref slub_adopt_sheaf(struct world *w, struct kmem_cache *s, const struct adopted_sheaf *was)
{
	u32 capacity = slub_capacity_of_sheaves(w, s);

	if (was->nr > capacity || !capacity)
		return 0;
	ref new = sheaf_memory(w, capacity);
	struct slub_sheaf *sheaf = sheaf_at(w, new);
	u16 before[MAX_SHEAF_CAPACITY];
	for (; sheaf->nr < was->nr; sheaf->nr++) {
		u16 *link = link_of(w, was->entries[sheaf->nr]);
		if (*link != LINK_ALLOCATED && *link != LINK_ADOPTED)
			break;
		before[sheaf->nr] = *link;
		*link = LINK_SHEAF;
		sheaf->object[sheaf->nr] = was->entries[sheaf->nr];
	}
	if (sheaf->nr == was->nr && put_sheaf(w, s, was, new))
		return new;
	/* The objects remain in use. */
	while (sheaf->nr) {
		sheaf->nr--;
		*link_of(w, was->entries[sheaf->nr]) = before[sheaf->nr];
	}
	return 0;
}
