/*
 * slub_invariants.c - the invariants of a SLUB cache between events; tests check them after each
 * event.
 */
#include "alloc/slub/slub_sheaf.h"

/* Returns the length of a freelist, or 0xffffffff if it is damaged. */
static u32 freelist_len(const struct slab *slab, u32 first)
{
	u32 nr = 0;

	for (u32 i = first; i; i = slab->link[i - 1]) {
		if (i > slab->objects || slab->link[i - 1] > slab->objects || ++nr > slab->objects)
			return 0xffffffffu;
	}
	return nr;
}

/* Counts the objects of a slab that are on no freelist. */
struct away {
	u32 used, lost, in_sheaves, in_bulk, adopted;
};

static struct away count_away(const struct slab *slab)
{
	struct away a = { 0 };

	for (u32 i = 0; i < slab->objects; i++) {
		u32 link = slab->link[i];
		a.used += link == LINK_ALLOCATED;
		a.lost += link == LINK_LOST_FREE || link == LINK_LOST_USED;
		a.in_bulk += link == LINK_BULK;
		a.adopted += link == LINK_ADOPTED;
		a.in_sheaves += link == LINK_SHEAF || link == LINK_BARN;
	}
	return a;
}

static const char *check_slab(const struct world *w, const struct kmem_cache *s,
			      const struct slab *slab, struct away *sum)
{
	struct away a = count_away(slab);
	u32 own = freelist_len(slab, slab->freelist), on_cpu = 0, lost = a.lost;

	sum->used += a.used;
	sum->in_sheaves += a.in_sheaves;
	INVARIANT(!lost || s->flags & CACHE_DEBUG, "only debugging takes objects out of use");
	INVARIANT(own == slab_free_count(slab),
		  "a slab's inuse is its objects less those on the slab freelist");
	INVARIANT((slab->owner != CPU_NONE) ==
			  (slab->place == PLACE_CPU_SLAB ||
			   (slab->place == PLACE_CPU_PARTIAL && !w->policy.unfrozen_partials)),
		  "a slab has an owner exactly while a CPU holds it");
	INVARIANT(slab->place != PLACE_TRANSIT, "no slab is in transit between events");
	INVARIANT(!w->policy.no_cpu_slabs || own || slab->place == PLACE_NODE_FULL ||
			  slab->place == PLACE_LOOSE,
		  "since 7.0 a slab with a free object is on its node's list");
	if (slab->place == PLACE_CPU_SLAB) {
		const struct kmem_cache_cpu *c = at(w, ((ref *)at(w, s->cpus))[slab->owner]);
		INVARIANT(at(w, c->slab) == (const void *)slab, "a cpu slab belongs to its owner");
		on_cpu = freelist_len(slab, c->freelist);
		INVARIANT(on_cpu == c->nr_free, "a CPU counts the objects on its freelist");
	}
	INVARIANT(own + on_cpu + a.used + a.in_sheaves + a.in_bulk + a.adopted + lost ==
			  slab->objects,
		  "every object is allocated, on one freelist, in a sheaf, or out of use");
	if (slab->place == PLACE_NODE_FULL || slab->place == PLACE_LOOSE)
		INVARIANT(own == 0, "a slab on no list is full");
	INVARIANT(slab->place != PLACE_LOOSE || s->flags & CACHE_SANITY,
		  "only checks take a slab out of use");
	if (slab->place == PLACE_NODE_PARTIAL)
		INVARIANT(own > 0, "a slab on a partial list has a free object");
	return NULL;
}

static const char *check_cpu_partials(const struct world *w, const struct kmem_cache *s, u32 *nr)
{
	const ref *cpus = at(w, s->cpus);

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		if (!cpus[cpu])
			continue;
		const struct kmem_cache_cpu *c = at(w, cpus[cpu]);
		*nr += c->slab != 0;
		INVARIANT(c->partial_owner == (w->policy.unfrozen_partials ? CPU_NONE : cpu),
			  "a CPU knows whether its per-CPU partial list is frozen");
		INVARIANT(c->slab || !c->freelist, "a CPU without a slab has no freelist");
		u32 slabs = 0;
		for (ref r = c->partial; r && slabs <= c->partial_slabs; slabs++) {
			const struct slab *slab = slab_at(w, r);
			INVARIANT(slab->place == PLACE_CPU_PARTIAL &&
					  slab->owner == c->partial_owner,
				  "a slab on a per-CPU partial list knows its CPU");
			const struct slab *next = slab_at(w, slab->next);
			INVARIANT(
				s->cpu_partial_lists != CPU_PARTIAL_OBJECTS ||
					slab->partial_objects >
						(slab->next ? next->partial_objects : 0),
				"a per-CPU partial list counts its objects from each slab to the end");
			r = slab->next;
		}
		INVARIANT(slabs == c->partial_slabs,
			  "a CPU counts the slabs on its per-CPU partial list");
		*nr += slabs;
	}
	return NULL;
}

static const char *check_lists(const struct world *w, const struct kmem_cache *s, u32 *nr)
{
	u32 partial = 0;

	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct kmem_cache_node *n = slub_node(w, s, node);
		u32 len = 0;
		ref previous = 0;
		for (ref r = n->head; r; previous = r, r = slab_at(w, r)->next, len++) {
			const struct slab *slab = slab_at(w, r);
			INVARIANT(slab->prev == previous, "a partial list is linked both ways");
			INVARIANT(slab->place == PLACE_NODE_PARTIAL && slab->node == node,
				  "a slab is on the list of its own node");
			INVARIANT(len <= n->nr_partial,
				  "a partial list is as long as nr_partial says");
		}
		INVARIANT(n->tail == previous, "a partial list ends at its tail");
		INVARIANT(len == n->nr_partial, "a partial list is as long as nr_partial says");
		partial += len;
	}
	INVARIANT(partial == s->partial, "a cache counts the partial slabs of all nodes");
	*nr += partial;
	return NULL;
}

const char *slub_check(const struct world *w, const struct kmem_cache *s)
{
	u32 slabs = 0, objects = 0, full = 0, listed = 0, in_sheaves = 0;
	struct away away = { 0 };
	const char *broken = check_cpu_partials(w, s, &listed);

	if (!broken)
		broken = check_lists(w, s, &listed);
	if (!broken && slub_own(w, s)->has_barns)
		broken = slub_sheaf_check(w, s, &in_sheaves);
	for (ref r = s->first_slab; r && !broken; r = slab_at(w, r)->newer) {
		const struct slab *slab = slab_at(w, r);
		INVARIANT(slab->cache == s->id, "a slab knows its cache");
		broken = check_slab(w, s, slab, &away);
		full += slab->place == PLACE_NODE_FULL || slab->place == PLACE_LOOSE;
		slabs++;
		objects += slab->objects;
	}
	if (broken)
		return broken;
	INVARIANT(slabs == s->slabs && objects == s->total_objects,
		  "a cache counts its slabs and objects");
	INVARIANT(away.used == s->live, "a cache counts its live objects");
	INVARIANT(away.in_sheaves == in_sheaves, "an object whose link says so is in a sheaf");
	INVARIANT(listed + full == slabs, "a slab is in exactly one place");
	return NULL;
}
