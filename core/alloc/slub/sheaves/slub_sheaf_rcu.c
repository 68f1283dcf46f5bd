/*
 * slub_sheaf_rcu.c - kfree_rcu() into sheaves, and the end of a grace period (7.x).
 *
 *	object of the CPU's node ─ the CPU's RCU sheaf ─ full: waits ─ grace period ─ barn, or its slabs
 *	other objects            ─ an array per CPU                  ─ grace period ─ bulk free
 *
 * Kernel: __kfree_rcu_sheaf(), rcu_free_sheaf(), flush_rcu_all_sheaves() in mm/slub.c, 7.2.
 */
#include "alloc/slub/slub_fast.h"

/* Finds an RCU sheaf for the CPU: an empty spare, an empty sheaf from the barn, or a new one. */
static struct slub_sheaf *rcu_sheaf(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	if (p->rcu)
		return sheaf_at(w, p->rcu);
	if (p->spare && !sheaf_at(w, p->spare)->nr) {
		p->rcu = p->spare;
		p->spare = 0;
		slub_sheaf_report(w, s, p);
	} else {
		p->rcu = sheaf_take_empty(w, s, p);
	}
	p->rcu = sheaf_with_room(w, s, p->rcu);
	return sheaf_at(w, p->rcu);
}

void slub_rcu_hand_over(struct world *w, struct kmem_cache *s, struct slub_pcs *p, u32 cpu,
			int flushed)
{
	struct slub_sheaf *sheaf = sheaf_at(w, p->rcu);
	ref *last = &slub_own(w, s)->waiting;

	while (*last)
		last = &sheaf_at(w, *last)->next;
	*last = p->rcu;
	p->rcu = 0;
	/* This is the CPU at work, because an offline CPU runs no callbacks. */
	sheaf->rcu_cpu = w->cpu;
	sheaf->rcu_flushed = flushed != 0;
	emit_RCU_SHEAF_WAITS(w, s->id, NODE_ANY, sheaf->nr, cpu);
}

/* The array is full, so it joins the full ones. */
static void put_aside(struct world *w, struct slub_calls *calls)
{
	ref full = world_alloc(w, sizeof(struct slub_late)), *last = &calls->full_arrays;

	while (*last)
		last = &((struct slub_late *)at(w, *last))->next;
	*last = full;
	((struct slub_late *)at(w, full))->array = calls->late;
	calls->late = (struct slub_array){ 0 };
}

/* No sheaf may take the object, so it waits in an array and is freed in bulk. */
static void free_later(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
		       enum kmem_reason reason)
{
	struct slub_calls *calls = slub_calls_of(w, s, w->cpu);
	struct slub_array *late = &calls->late;

	if (late->nr == MAX_REQUEST_OBJECTS)
		put_aside(w, calls);
	slub_array_room(w, late, 1)[late->nr] = LOC(ref_of(w, slab), index);
	late->nr++;
	slab->link[index] = LINK_BULK;
	emit_RCU_LATER(w, s->id, slab->node, slab->serial, index, reason, late->nr);
}

void slub_free_rcu(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, object_loc loc)
{
	struct slab *slab = at(w, LOC_SLAB(loc));
	struct slub_pcs *p = slub_pcs(w, s, w->cpu);
	u32 index = LOC_INDEX(loc);

	KASSERT(slab->link[index] == LINK_ALLOCATED);
	if (slab->node != c->node) {
		free_later(w, s, slab, index, REASON_OTHER_NODE);
		return;
	}
	if (!slub_own(w, s)->sheaf_capacity) {
		STAT_PCS(w, s, p, FREE_RCU_SHEAF_FAIL, 1, slab->node, slab->serial, index);
		free_later(w, s, slab, index, REASON_NO_SHEAVES);
		return;
	}
	struct slub_sheaf *sheaf = rcu_sheaf(w, s, p);
	sheaf->object[sheaf->nr++] = LOC(LOC_SLAB(loc), index);
	slab->link[index] = LINK_SHEAF;
	STAT_PCS(w, s, p, FREE_RCU_SHEAF, 1, slab->node, slab->serial, index, sheaf->nr);
	if (sheaf->nr == sheaf->capacity)
		slub_rcu_hand_over(w, s, p, w->cpu, 0);
}

/* Runs when the grace period of the first waiting sheaf has ended. */
static void end_wait(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	struct slub_own *own = slub_own(w, s);
	ref first = own->waiting;
	struct slub_sheaf *sheaf = sheaf_at(w, first);
	u32 node = sheaf_home(w), flushed = sheaf->rcu_flushed;
	struct slub_barn *barn = slub_barn(w, s, node);

	sheaf->rcu_cpu = 0;
	sheaf->rcu_flushed = 0;
	if (!flushed && barn->nr_full < slub_barn_limit(w)) {
		own->waiting = sheaf->next;
		barn_add_full(w, s, node, first);
		STAT_PCS(w, s, p, BARN_PUT, 1, node, sheaf->nr, barn->nr_full, barn->nr_empty);
		return;
	}
	if (!flushed)
		STAT_PCS(w, s, p, BARN_PUT_FAIL, 1, node, barn->nr_full);
	slub_sheaf_flush_unused(w, s, p, sheaf, SHEAF_OF_RCU);
	own->waiting = sheaf->next;
	sheaf->next = 0;
	if (flushed || barn->nr_empty >= BARN_SHEAVES) {
		sheaf_give_back(w, s, p, first);
		return;
	}
	barn_add_empty(w, s, node, first);
	emit_SHEAF_TO_BARN(w, s->id, node, barn->nr_full, barn->nr_empty);
}

/* Runs when the grace period of the objects in the CPU's arrays has ended. */
static void free_late(struct world *w, struct kmem_cache *s, struct slub_calls *calls)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, w->cpu);

	while (calls->full_arrays) {
		ref first = calls->full_arrays;
		struct slub_late *full = at(w, first);
		slub_bulk_free(w, s, c, &full->array);
		calls->full_arrays = full->next;
		world_free(w, first, sizeof(*full));
	}
	if (calls->late.nr)
		slub_bulk_free(w, s, c, &calls->late);
}

void slub_grace_period(struct world *w, struct kmem_cache *s)
{
	struct slub_own *own = slub_own(w, s);
	u16 asked_on = w->cpu;

	while (own->waiting) {
		w->cpu = sheaf_at(w, own->waiting)->rcu_cpu;
		end_wait(w, s, slub_pcs(w, s, w->cpu));
	}
	for (u32 cpu = 0; own->calls && cpu < w->machine.nr_cpus; cpu++) {
		struct slub_calls *calls = slub_calls(w, s, cpu);
		w->cpu = (u16)cpu;
		if (calls)
			free_late(w, s, calls);
	}
	w->cpu = asked_on;
}

void slub_rcu_barrier(struct world *w, struct kmem_cache *s)
{
	u16 asked_on = w->cpu;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		struct slub_pcs *p = slub_pcs(w, s, cpu);
		/* The kernel queues this as work on that CPU. */
		w->cpu = (u16)cpu;
		if (p && p->rcu)
			slub_rcu_hand_over(w, s, p, cpu, 1);
	}
	w->cpu = asked_on;
	slub_grace_period(w, s);
}
