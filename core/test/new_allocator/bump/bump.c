/*
 * bump.c - the simplest allocator there is: each node has a slab at work, whose objects are handed out in their order
 * and never again. A slab is discarded when all its objects were handed out and are free.
 *
 * A test adds it to a copy of the core by the recipe of docs/architecture.md.
 */
#include "alloc/ops.h"
#include "sim/cache.h"

struct bump_slab {
	struct slab_head head;
	u32 next; /* object to be handed out next */
	u32 used;
	u8 is_used[];
};

struct bump_node {
	ref slab; /* at work, 0: none */
	u32 taken, slabs_made;
};

static struct bump_node *node_at(const struct world *w, const struct kmem_cache *s, u32 node)
{
	return (struct bump_node *)at(w, s->nodes) + node;
}

static struct bump_slab *slab_at(const struct world *w, ref slab)
{
	return at(w, slab);
}

static void create(struct world *w, struct kmem_cache *s)
{
	u32 order = w->policy.bump_order;

	while (order < MAX_ORDER && (u64)1 << (w->machine.page_shift + order) < s->size)
		order++;
	s->order = s->min_order = (u16)order;
	s->objects = s->min_objects = (u16)MIN(
		((u64)1 << (w->machine.page_shift + order)) / s->size, (u64)MAX_OBJS_PER_SLAB);
	s->nodes = world_alloc(w, w->machine.nr_nodes * (u32)sizeof(struct bump_node));
	emit_BUMP_CREATE(w, s->id, NODE_ANY, s->object_size, s->size, s->order, s->objects);
}

static struct bump_slab *make_slab(struct world *w, struct kmem_cache *s, u32 node)
{
	struct slab_head *head = s->objects ? slab_make(w, s, node, s->order, s->objects,
							(u32)sizeof(struct bump_slab) + s->objects)
					    : NULL;

	if (!head)
		return NULL;
	w->slow_paths++;
	head->place = PLACE_BUMP;
	node_at(w, s, node)->slab = ref_of(w, head);
	node_at(w, s, node)->slabs_made++;
	slab_enter(w, s, head);
	emit_BUMP_SLAB(w, s->id, head->node, head->serial, head->order, head->objects, head->pfn);
	return (struct bump_slab *)head;
}

static void discard(struct world *w, struct kmem_cache *s, struct bump_slab *slab)
{
	struct slab_head *head = &slab->head;

	slab_leave(w, s, head);
	emit_BUMP_DISCARD(w, s->id, head->node, head->serial, head->order, head->pfn);
	slab_give_back(w, head);
}

static object_loc alloc(struct world *w, struct kmem_cache *s, u32 cpu, u32 node, u32 bytes)
{
	u32 home = node == NODE_ANY ? ((struct cpu *)at(w, w->machine.cpus))[cpu].node : node;
	struct bump_node *n = node_at(w, s, home);
	struct bump_slab *slab = n->slab ? slab_at(w, n->slab) : make_slab(w, s, home);

	(void)bytes;
	if (!slab) {
		emit_ALLOC_FAILED(w, s->id, node, node);
		return 0;
	}
	/* A slab may have moved nothing, but the world's blocks may have grown. */
	n = node_at(w, s, home);
	u32 index = slab->next++;
	slab->is_used[index] = 1;
	slab->used++;
	n->taken++;
	emit_BUMP_TAKE(w, s->id, slab->head.node, slab->head.serial, index,
		       slab->head.objects - slab->next);
	if (slab->next == slab->head.objects) {
		slab->head.place = PLACE_LOOSE;
		n->slab = 0;
	}
	return LOC(ref_of(w, slab), index);
}

static void free_object(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	struct bump_slab *slab = slab_at(w, LOC_SLAB(loc));

	(void)cpu;
	KASSERT(slab->is_used[LOC_INDEX(loc)]);
	slab->is_used[LOC_INDEX(loc)] = 0;
	slab->used--;
	emit_BUMP_FREE(w, s->id, slab->head.node, slab->head.serial, LOC_INDEX(loc), slab->used);
	if (!slab->used && slab->next == slab->head.objects)
		discard(w, s, slab);
}

static void shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode)
{
	(void)cpu;
	for (u32 node = 0; mode == SHRINK_DISCARD && node < w->machine.nr_nodes; node++) {
		struct bump_node *n = node_at(w, s, node);
		if (!n->slab || slab_at(w, n->slab)->used)
			continue;
		struct bump_slab *slab = slab_at(w, n->slab);
		n->slab = 0;
		discard(w, s, slab);
	}
}

static int set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old)
{
	(void)w, (void)s, (void)param, (void)value, (void)old;
	return 0;
}

static void visit_slab(const struct world *w, const struct kmem_cache *s,
		       const struct bump_slab *slab, struct visitor *v)
{
	const struct slab_head *head = &slab->head;
	struct kmem_slab_row row = { 0 };
	u8 cells[MAX_OBJS_PER_SLAB];

	for (u32 i = 0; i < head->objects; i++)
		cells[i] = slab->is_used[i] ? CELL_ALLOCATED : CELL_FREE;
	row.address = (u64)head->pfn << w->machine.page_shift;
	row.serial = head->serial;
	row.cache = s->id;
	row.node = head->node;
	row.order = head->order;
	row.objects = head->objects;
	row.inuse = (u16)slab->used;
	row.free_on_slab = (u16)(head->objects - slab->used);
	v->slab(v, &row, cells, NULL);
}

static void visit_place(const struct world *w, const struct kmem_cache *s, u32 kind, u32 node,
			struct visitor *v)
{
	struct kmem_place place = { 0 };

	place.kind = (u16)kind;
	place.cache = s->id;
	place.node = (u16)node;
	place.cpu = CPU_NONE;
	for (int kept = 0; kept < 2; kept++) {
		if (kept)
			v->place(v, &place);
		for (ref r = s->first_slab; r; r = slab_at(w, r)->head.newer) {
			const struct bump_slab *slab = slab_at(w, r);
			if (slab->head.place != kind || slab->head.node != node)
				continue;
			if (kept)
				visit_slab(w, s, slab, v);
			else
				place.nr_slabs++;
		}
	}
}

static void walk(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		visit_place(w, s, PLACE_BUMP, node, v);
		visit_place(w, s, PLACE_LOOSE, node, v);
	}
}

static const char *check(const struct world *w, const struct kmem_cache *s)
{
	u32 live = 0;

	for (ref r = s->first_slab; r; r = slab_at(w, r)->head.newer) {
		const struct bump_slab *slab = slab_at(w, r);
		u32 used = 0;
		for (u32 i = 0; i < slab->head.objects; i++)
			used += slab->is_used[i];
		if (used != slab->used || slab->used > slab->next)
			return "a slab counts its used objects, which were handed out";
		if ((slab->next < slab->head.objects) != (slab->head.place == PLACE_BUMP))
			return "a slab is at work until all its objects were handed out";
		if (!used && slab->head.place != PLACE_BUMP)
			return "a slab whose objects are all free is discarded";
		live += used;
	}
	return live == s->live ? NULL : "used objects of slabs are the live objects of the cache";
}

static u32 serial(const struct world *w, ref slab)
{
	return slab_head_at(w, slab)->serial;
}

static void count(const struct world *w, const struct kmem_cache *s, u32 *sum)
{
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		sum[BUMP_TAKE] += node_at(w, s, node)->taken;
		sum[BUMP_SLAB] += node_at(w, s, node)->slabs_made;
	}
}

static void info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row)
{
	(void)w;
	row->objects = s->live;
	row->active_slabs = s->slabs;
}

static void locks(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	(void)w, (void)s, (void)v;
}

static int bump_has_counter(const struct world *w, u32 counter)
{
	(void)w;
	return counter == BUMP_TAKE || counter == BUMP_SLAB;
}

const struct kmem_ops bump_ops = {
	.has_counter = bump_has_counter,
	.no_presets = 1,
	.smallest_kmalloc = 8,
	.levels = LEVELS_BUMP,
	.create = create,
	.alloc = alloc,
	.free = free_object,
	.shrink = shrink,
	.set = set,
	.walk = walk,
	.check = check,
	.serial = serial,
	.count = count,
	.info = info,
	.locks = locks,
};
