/*
 * slub_sheaf_walk.c - rows and counters of sheaves, and their invariants between events.
 */
#include "alloc/slub/slub_sheaf.h"

/* `number` is the sheaf's position in its place; 0 is taken next. */
static void visit_objects(const struct world *w, const struct kmem_cache *s, ref sheaf, u32 number,
			  struct visitor *v)
{
	for (u32 i = 0; sheaf && i < sheaf_at(w, sheaf)->nr; i++) {
		object_loc loc = sheaf_at(w, sheaf)->object[i];
		struct kmem_entry entry = { ((struct slab *)at(w, LOC_SLAB(loc)))->serial,
					    (u16)LOC_INDEX(loc), s->id, (u16)number, 0 };
		v->entry(v, &entry);
	}
}

static void visit_sheaf(const struct world *w, const struct kmem_cache *s, struct kmem_place *place,
			u32 kind, ref sheaf, struct visitor *v)
{
	place->kind = (u16)kind;
	place->nr_entries = sheaf ? sheaf_at(w, sheaf)->nr : 0;
	/* Since 7.0 each CPU has an empty main sheaf even before it needs one. */
	place->sheaves = sheaf || (w->policy.no_cpu_slabs && kind == PLACE_SHEAF_MAIN);
	v->place(v, place);
	visit_objects(w, s, sheaf, 0, v);
}

static struct kmem_place sheaf_place(const struct kmem_cache *s, u32 cpu, u32 node, u32 limit)
{
	struct kmem_place place = { 0 };

	place.target = 0xffff;
	place.cache = s->id;
	place.cpu = (u16)cpu;
	place.node = (u16)node;
	place.limit = limit;
	return place;
}

/* A sheaf that is being filled appears as the spare. */
void slub_sheaf_walk_cpu(const struct world *w, const struct kmem_cache *s, u32 cpu,
			 struct visitor *v)
{
	const struct slub_pcs *p = slub_pcs(w, s, cpu);
	u32 node = node_of_cpu(w, cpu);
	struct kmem_place place = sheaf_place(s, cpu, node, slub_own(w, s)->sheaf_capacity);

	visit_sheaf(w, s, &place, PLACE_SHEAF_MAIN, p ? p->main : 0, v);
	visit_sheaf(w, s, &place, PLACE_SHEAF_SPARE, p ? (p->spare ? p->spare : p->refilled) : 0,
		    v);
	if (w->policy.no_cpu_slabs)
		visit_sheaf(w, s, &place, PLACE_SHEAF_RCU, p ? p->rcu : 0, v);
}

/* Visits the objects of a list of sheaves. The newest sheaf is taken first, so it comes last. */
static void visit_list(const struct world *w, const struct kmem_cache *s, ref list, u32 nr,
		       struct visitor *v)
{
	for (u32 last = nr; last-- > 0;) {
		ref sheaf = list;
		for (u32 i = 0; i < last; i++)
			sheaf = sheaf_at(w, sheaf)->next;
		visit_objects(w, s, sheaf, last, v);
	}
}

static u32 objects_of(const struct world *w, ref list)
{
	u32 nr = 0;

	for (; list; list = sheaf_at(w, list)->next)
		nr += sheaf_at(w, list)->nr;
	return nr;
}

/* Visits the sheaves that wait for a grace period, as a place on the node of the CPU that handed
 * them to RCU. If there are none, there is no place. */
static void visit_waiting(const struct world *w, const struct kmem_cache *s, u32 node,
			  struct kmem_place *place, struct visitor *v)
{
	const struct cpu *cpus = at(w, w->machine.cpus);

	place->kind = PLACE_SHEAF_WAITING;
	place->sheaves = 0;
	for (ref r = slub_own(w, s)->waiting; r; r = sheaf_at(w, r)->next) {
		if (cpus[sheaf_at(w, r)->rcu_cpu].node != node)
			continue;
		place->sheaves++;
		place->nr_entries += sheaf_at(w, r)->nr;
	}
	if (!place->sheaves)
		return;
	v->place(v, place);
	u32 number = place->sheaves;
	for (ref r = slub_own(w, s)->waiting; r; r = sheaf_at(w, r)->next)
		if (cpus[sheaf_at(w, r)->rcu_cpu].node == node)
			visit_objects(w, s, r, --number, v);
}

/* All full sheaves of a node share one place. */
void slub_sheaf_walk_node(const struct world *w, const struct kmem_cache *s, u32 node,
			  struct visitor *v)
{
	const struct slub_barn *barn = slub_barn(w, s, node);
	u32 capacity = slub_own(w, s)->sheaf_capacity;
	struct kmem_place place = sheaf_place(s, CPU_NONE, node, BARN_SHEAVES * capacity);

	place.kind = PLACE_BARN_FULL;
	place.sheaves = barn->nr_full;
	place.nr_entries = objects_of(w, barn->full);
	v->place(v, &place);
	visit_list(w, s, barn->full, barn->nr_full, v);
	if (!w->policy.no_cpu_slabs)
		return;
	place.kind = PLACE_BARN_EMPTY;
	place.sheaves = barn->nr_empty;
	place.nr_entries = 0;
	place.limit = 0;
	v->place(v, &place);
	visit_waiting(w, s, node, &place, v);
}

static const char *check_sheaf(const struct world *w, const struct kmem_cache *s,
			       const struct slub_sheaf *sheaf, u32 link, u32 *nr)
{
	INVARIANT(sheaf->nr <= MIN((u32)sheaf->capacity, slub_own(w, s)->sheaf_capacity),
		  "a sheaf holds no more than its capacity");
	for (u32 i = 0; i < sheaf->nr; i++) {
		const struct slab *slab = at(w, LOC_SLAB(sheaf->object[i]));
		INVARIANT(slab->cache == s->id && LOC_INDEX(sheaf->object[i]) < slab->objects,
			  "a sheaf holds objects of its cache");
		INVARIANT(slab->link[LOC_INDEX(sheaf->object[i])] == link,
			  "an object's link says that a CPU or the barn has it");
	}
	*nr += sheaf->nr;
	return NULL;
}

static const char *check_cpu(const struct world *w, const struct kmem_cache *s, u32 cpu, u32 *nr)
{
	const struct slub_pcs *p = slub_pcs(w, s, cpu);
	const char *broken;

	/* In 6.18 the main sheaf is made when an object first goes through it. */
	if (!p || (!p->main && !w->policy.no_cpu_slabs))
		return NULL;
	if (!slub_own(w, s)->sheaf_capacity)
		return p->main || p->spare || p->rcu
			       ? "a cache without a sheaf capacity has no sheaves"
			       : NULL;
	INVARIANT(p->main != 0, "a CPU has a main sheaf");
	INVARIANT(!p->refilled, "no sheaf is being filled between events");
	INVARIANT(p->main != p->spare, "main and spare are different sheaves");
	INVARIANT(!sheaf_at(w, p->main)->next, "a CPU's sheaf is not in the barn");
	broken = check_sheaf(w, s, sheaf_at(w, p->main), LINK_SHEAF, nr);
	if (!broken && p->spare)
		broken = check_sheaf(w, s, sheaf_at(w, p->spare), LINK_SHEAF, nr);
	if (broken || !w->policy.no_cpu_slabs)
		return broken;
	ref own = ((ref *)at(w, s->cpus))[cpu];
	INVARIANT(own && ((struct kmem_cache_cpu *)at(w, own))->main == p->main,
		  "the fast path points to the main sheaf");
	return p->rcu ? check_sheaf(w, s, sheaf_at(w, p->rcu), LINK_SHEAF, nr) : NULL;
}

static const char *check_barn(const struct world *w, const struct kmem_cache *s, u32 node, u32 *nr)
{
	const struct slub_barn *barn = slub_barn(w, s, node);
	u32 full = 0, empty = 0;

	for (ref r = barn->full; r && full <= BARN_SHEAVES; r = sheaf_at(w, r)->next, full++) {
		const char *broken = check_sheaf(w, s, sheaf_at(w, r), LINK_BARN, nr);
		if (broken)
			return broken;
		INVARIANT(sheaf_at(w, r)->nr == slub_own(w, s)->sheaf_capacity,
			  "a sheaf on the barn's full list is full");
	}
	for (ref r = barn->empty; r && empty <= barn->nr_empty; r = sheaf_at(w, r)->next, empty++)
		INVARIANT(!sheaf_at(w, r)->nr, "a sheaf on the barn's empty list is empty");
	INVARIANT(full == barn->nr_full && empty == barn->nr_empty, "a barn counts its sheaves");
	INVARIANT(full <= BARN_SHEAVES, "a barn has at most ten full sheaves");
	INVARIANT(empty <= BARN_SHEAVES || w->policy.no_cpu_slabs,
		  "in 6.18 a barn has at most ten empty sheaves");
	return NULL;
}

const char *slub_sheaf_check(const struct world *w, const struct kmem_cache *s, u32 *nr)
{
	const char *broken = NULL;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus && !broken; cpu++)
		broken = check_cpu(w, s, cpu, nr);
	for (u32 node = 0; node < w->machine.nr_nodes && !broken; node++)
		broken = check_barn(w, s, node, nr);
	for (ref r = slub_own(w, s)->waiting; r && !broken; r = sheaf_at(w, r)->next)
		broken = check_sheaf(w, s, sheaf_at(w, r), LINK_SHEAF, nr);
	return broken;
}

void slub_sheaf_count(const struct world *w, const struct kmem_cache *s, u32 *sum)
{
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		const struct slub_pcs *p = slub_pcs(w, s, cpu);
		for (u32 k = 0; p && k < NR_SHEAF_COUNTERS; k++)
			sum[ALLOC_PCS + k] += p->counters[k];
	}
}
