/*
 * slub_walk.c - turns SLUB's state into rows for views.
 */
#include "alloc/slub/slub_sheaf.h"

/* Fills the cells of one slab: first the state of each link, then the list that each free object is on. */
static void paint(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
		  u8 *cells, u32 *free_on_cpu, u32 *inferred)
{
	*inferred = 0;
	for (u32 i = 0; i < slab->objects; i++) {
		u32 link = slab->link[i];
		cells[i] = link == LINK_ALLOCATED  ? CELL_ALLOCATED
			   : link == LINK_SHEAF	   ? CELL_FREE_CPU
			   : link == LINK_BARN	   ? CELL_FREE_SHARED
			   : link == LINK_BULK	   ? CELL_ALLOCATED
			   : link == LINK_ADOPTED  ? CELL_INFERRED
			   : link <= slab->objects ? CELL_FREE
						   : CELL_LOST;
		*inferred += link == LINK_ADOPTED;
	}
	*free_on_cpu = 0;
	if (slab->place != PLACE_CPU_SLAB)
		return;
	const struct kmem_cache_cpu *c = at(w, ((ref *)at(w, s->cpus))[slab->owner]);
	if (at(w, c->slab) != (const void *)slab)
		return;
	for (u32 i = c->freelist; i; i = slab->link[i - 1]) {
		cells[i - 1] = CELL_FREE_CPU;
		(*free_on_cpu)++;
	}
}

/* partial_cpu: the CPU whose per-CPU partial list holds the slab, or CPU_NONE. */
static void visit_slab(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
		       u32 position, u32 partial_cpu, struct visitor *v)
{
	u8 cells[MAX_OBJS_PER_SLAB];
	struct kmem_slab_row row = { 0 };
	u32 free_on_cpu = 0;

	if (!v->only_counts)
		paint(w, s, slab, cells, &free_on_cpu, &row.inferred);
	row.address = (u64)slab->pfn << w->machine.page_shift;
	row.serial = slab->serial;
	row.position = position;
	row.cache = s->id;
	row.node = slab->node;
	row.objects = slab->objects;
	row.inuse = slab->inuse;
	row.free_on_slab = (u16)slab_free_count(slab);
	row.free_on_cpu = (u16)free_on_cpu;
	row.owner_cpu = partial_cpu == CPU_NONE ? slab->owner : (u16)partial_cpu;
	row.order = slab->order;
	row.frozen = slab->owner != CPU_NONE;
	row.first_extent = 0xffffffff;
	v->slab(v, &row, cells, NULL);
}

static void visit_cpu(const struct world *w, const struct kmem_cache *s, u32 cpu, struct visitor *v)
{
	const u16 node = node_of_cpu(w, cpu);
	const ref cpu_ref = ((ref *)at(w, s->cpus))[cpu];
	const struct kmem_cache_cpu *c = cpu_ref ? at(w, cpu_ref) : NULL;
	struct kmem_place place = place_row(s, PLACE_CPU_SLAB, cpu, node);
	u32 position = 0;

	if (slub_own(w, s)->sheaf_capacity)
		slub_sheaf_walk_cpu(w, s, cpu, v);
	if (w->policy.no_cpu_slabs)
		return;
	place.limit = 1;
	place.nr_slabs = c && c->slab;
	v->place(v, &place);
	if (place.nr_slabs)
		visit_slab(w, s, slab_at(w, c->slab), 0, CPU_NONE, v);
	if (!w->policy.cpu_partial_lists)
		return;
	place.kind = PLACE_CPU_PARTIAL;
	place.limit = w->policy.cpu_partial_objects ? 0 : s->cpu_partial_slabs;
	place.nr_slabs = c ? c->partial_slabs : 0;
	v->place(v, &place);
	for (ref r = c ? c->partial : 0; r; r = slab_at(w, r)->next)
		visit_slab(w, s, slab_at(w, r), position++, cpu, v);
}

/* Visits slabs of one node that are on no list: full ones, or those in transit. */
static void visit_kind(const struct world *w, const struct kmem_cache *s, u32 node, u32 kind,
		       u32 nr_slabs, struct visitor *v)
{
	struct kmem_place place = place_row(s, kind, CPU_NONE, node);
	u32 position = 0;

	place.nr_slabs = nr_slabs;
	if (kind != PLACE_NODE_FULL && !nr_slabs)
		return;
	v->place(v, &place);
	for (ref r = s->first_slab; position < nr_slabs; r = slab_at(w, r)->newer)
		if (slab_at(w, r)->place == kind && slab_at(w, r)->node == node)
			visit_slab(w, s, slab_at(w, r), position++, CPU_NONE, v);
}

static void visit_loose(const struct world *w, const struct kmem_cache *s, u32 node,
			struct visitor *v)
{
	u32 full = 0, loose = 0, transit = 0;

	for (ref r = s->first_slab; r; r = slab_at(w, r)->newer) {
		u32 place = slab_at(w, r)->node == node ? slab_at(w, r)->place : PLACE_CPU_SLAB;
		full += place == PLACE_NODE_FULL;
		loose += place == PLACE_LOOSE;
		transit += place == PLACE_TRANSIT;
	}
	visit_kind(w, s, node, PLACE_NODE_FULL, full, v);
	visit_kind(w, s, node, PLACE_LOOSE, loose, v);
	visit_kind(w, s, node, PLACE_TRANSIT, transit, v);
}

void slub_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++)
		visit_cpu(w, s, cpu, v);
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct kmem_cache_node *n = slub_node(w, s, node);
		struct kmem_place place = place_row(s, PLACE_NODE_PARTIAL, CPU_NONE, node);
		u32 position = 0;
		place.nr_slabs = n->nr_partial;
		if (slub_own(w, s)->sheaf_capacity)
			slub_sheaf_walk_node(w, s, node, v);
		v->place(v, &place);
		for (ref r = n->head; r; r = slab_at(w, r)->next)
			visit_slab(w, s, slab_at(w, r), position++, CPU_NONE, v);
		visit_loose(w, s, node, v);
	}
}
