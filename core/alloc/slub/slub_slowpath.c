/*
 * slub_slowpath.c - events that may not take the fast path: a CPU's first event on a cache, and all events of a cache
 * with extra work.
 *
 * The fast paths read s->fast_cpus and find 0 there, so these cases cost them nothing. One such
 * case is an interrupted allocation. It shows the effect of a race, although events run one after
 * another:
 *
 *	no slab anywhere ─ waits for pages … other tasks run, the CPU gets a slab … ─ flushes that slab, installs its own
 *
 * Kernel: the end of ___slab_alloc() in mm/slub.c, where the CPU already has another slab.
 */
#include "alloc/slub/slub_fast.h"
#include "alloc/slub/slub_sheaf.h"

void slub_choose_way(struct world *w, struct kmem_cache *s)
{
	u32 bytes = w->machine.nr_cpus * (u32)sizeof(ref);
	int direct = s->fast_cpus == s->cpus, is_new = !s->fast_cpus;

	const struct slub_own *own = slub_own(w, s);

	int has_extra_work = w->policy.no_cpu_slabs
				     ? !own->sheaf_capacity
				     : (own->interrupt_every && !(s->flags & CACHE_DEBUG)) ||
					       own->sheaf_capacity;

	if (has_extra_work) {
		if (is_new || direct)
			s->fast_cpus = world_alloc(w, bytes);
		return;
	}
	if (!is_new && !direct)
		world_free(w, s->fast_cpus, bytes);
	s->fast_cpus = s->cpus;
}

static object_loc alloc_interrupted(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				    u32 node)
{
	w->slow_paths++;
	STAT_ON(c, w, s, ALLOC_SLOWPATH, NODE_ANY, REASON_INTERRUPTED, node);
	struct slab *slab = slub_new_slab(w, s, node);
	if (!slab) {
		emit_ALLOC_FAILED(w, s->id, node, node);
		return 0;
	}
	STAT_ON(c, w, s, ALLOC_SLAB, slab->node, slab->serial, slab->order, slab->objects,
		slab->pfn, FRESH_LOOSE);
	if (c->slab) {
		slub_deactivate_cpu_slab(w, s, c);
		STAT_ON(c, w, s, CPUSLAB_FLUSH, NODE_ANY, w->cpu);
	}
	slub_install(w, c, slab);
	slub_load_freelist(w, c, slab);
	emit_CPU_SLAB_INSTALL(w, s->id, slab->node, slab->serial, c->nr_free);
	return slub_take_object(w, c, slab, c->freelist, c->nr_free, is_recording(w));
}

static object_loc alloc_long_way(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				 u32 node)
{
	struct slub_own *own = slub_own(w, s);

	if (own->sheaf_capacity && node == NODE_ANY) {
		object_loc loc = slub_sheaf_alloc(w, s, c);
		if (loc)
			return loc;
	} else if (s->fast_cpus != s->cpus && own->interrupt_every &&
		   ++own->since_interrupt >= own->interrupt_every) {
		own->since_interrupt = 0;
		return alloc_interrupted(w, s, c, node);
	}
	return slub_alloc_from_slabs(w, s, c, node, is_recording(w) != 0);
}

void slub_charge(struct world *w, struct kmem_cache *s, const struct kmem_cache_cpu *c,
		 u64 cycles_before, u64 fast_before)
{
	s->cycles = cycles_before + op_cycles(w) - (slub_fast_cycles(w, c) - fast_before);
}

/* Returns whether the main sheaf of 6.18 holds an object, or has room for one. If so, no slab and
 * none of its counters takes part in the event, and slub_charge() would find nothing to correct. */
static int main_has(const struct world *w, const struct kmem_cache *s, int room)
{
	u32 capacity = slub_own(w, s)->sheaf_capacity;
	ref main = capacity ? slub_pcs(w, s, w->cpu)->main : 0;
	u32 nr = main ? sheaf_at(w, main)->nr : 0;

	return main && (room ? nr < capacity : nr > 0);
}

object_loc slub_alloc_long_way(struct world *w, struct kmem_cache *s, u32 cpu, u32 node)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, cpu);
#ifndef KMEM_FIRST_VIEW
	if (w->policy.no_cpu_slabs)
		return slub_alloc_from_sheaf(w, s, c, node, is_recording(w) != 0);
#endif
	if (node == NODE_ANY && main_has(w, s, 0)) {
		object_loc loc = slub_sheaf_alloc(w, s, c);
		s->cycles += op_cycles(w);
		return loc;
	}
	u64 cycles = s->cycles, fast = slub_fast_cycles(w, c);
	object_loc loc = alloc_long_way(w, s, c, node);

	slub_charge(w, s, c, cycles, fast);
	return loc;
}

void slub_free_long_way(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, cpu);
#ifndef KMEM_FIRST_VIEW
	if (w->policy.no_cpu_slabs) {
		slub_free_to_sheaf(w, s, c, loc, is_recording(w) != 0);
		return;
	}
#endif
	if (main_has(w, s, 1) && slub_sheaf_free(w, s, c, loc)) {
		s->cycles += op_cycles(w);
		return;
	}
	u64 cycles = s->cycles, fast = slub_fast_cycles(w, c);

	if (unlikely(s->flags & CACHE_DEBUG))
		slub_debug_free(w, s, c, loc);
	else if (!slub_own(w, s)->sheaf_capacity || !slub_sheaf_free(w, s, c, loc))
		slub_free_to_slabs(w, s, c, loc, is_recording(w) != 0);
	slub_charge(w, s, c, cycles, fast);
}

#ifndef KMEM_FIRST_VIEW
/* kmem_cache_alloc_bulk() takes what the cpu freelist has without counting it, and does not look at
 * its node. */
object_loc slub_take_uncounted(struct world *w, struct kmem_cache *s, u32 cpu)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, cpu);
	struct slab *slab = at(w, c->slab);

	if (!c->freelist)
		return slub_alloc_slow(w, s, c, NODE_ANY, is_recording(w) != 0);
	u32 index = slub_pop(c, slab, c->freelist, c->nr_free);
	EMIT_SLAB(is_recording(w) != 0, w, slab, OBJECT_TAKEN, index, c->nr_free);
	return LOC(c->slab, index);
}

/* kmem_cache_free_bulk() hands the objects of one slab to do_slab_free() as one list, which counts once. */
void slub_free_list(struct world *w, struct kmem_cache *s, u32 cpu, const object_loc *locs, u32 nr)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, cpu);
	struct slab *slab = at(w, LOC_SLAB(locs[0]));
	int was_full = slab->freelist == LINK_END;
	u32 head = LOC_INDEX(locs[nr - 1]);

	for (u32 i = 0; i < nr; i++) {
		u32 index = LOC_INDEX(locs[i]);
		KASSERT(slab->link[index] == LINK_ALLOCATED);
		if (c->slab != LOC_SLAB(locs[0])) {
			slub_push_on_slab(slab, index);
			continue;
		}
		slab->link[index] = c->freelist;
		c->freelist = (u16)(index + 1);
		c->nr_free++;
	}
	if (nr > 1)
		emit_BULK_LIST(w, s->id, slab->node, slab->serial, nr);
	if (c->slab == LOC_SLAB(locs[0])) {
		STAT_SLAB(is_recording(w) != 0, c, w, slab, FREE_FASTPATH, head, c->nr_free);
		return;
	}
	w->slow_paths++;
	line_touch(w, &slab->line);
	slub_freed_slowly(w, s, c, slab, head, was_full, is_recording(w) != 0);
	s->cycles += op_cycles(w);
}

enum { MOST_OF_LIST = 512 };

/* Collects an object of a bulk free, which takes effect with slub_lists_free(). */
void slub_list_put(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	struct slub_array *array = &slub_calls_of(w, s, cpu)->put;

	if (array->nr == MAX_REQUEST_OBJECTS)
		slub_lists_free(w, s, cpu);
	slub_array_put(w, s, array, loc);
}

/* Moves objects that share the first one's slab to the list and returns how many. The others keep
 * their order. */
static u32 list_of_slab(struct slub_array *array, object_loc *objects, object_loc *list, u32 room)
{
	u32 slab = LOC_SLAB(objects[0]), nr = 0, kept = 0;

	for (u32 i = 0; i < array->nr; i++) {
		if (LOC_SLAB(objects[i]) == slab && nr < room)
			list[nr++] = objects[i];
		else
			objects[kept++] = objects[i];
	}
	array->nr = (u16)kept;
	return nr;
}

void slub_lists_free(struct world *w, struct kmem_cache *s, u32 cpu)
{
	struct slub_calls *calls = slub_calls(w, s, cpu);
	object_loc list[MOST_OF_LIST];

	while (calls && calls->put.nr) {
		u32 nr = list_of_slab(&calls->put, at(w, calls->put.objects), list, MOST_OF_LIST);
		struct slab *slab = at(w, LOC_SLAB(list[0]));
		for (u32 i = 0; i < nr; i++)
			slab->link[LOC_INDEX(list[i])] = LINK_ALLOCATED;
		slub_free_list(w, s, cpu, list, nr);
		calls = slub_calls(w, s, cpu);
	}
	if (calls)
		slub_array_drop(w, &calls->put);
}
#endif
