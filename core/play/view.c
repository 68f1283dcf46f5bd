/*
 * view.c - collects places, slabs and cells from an allocator's walk(), and the tables beside the stage.
 *
 * The walk is made twice, to count and to keep: so the arrays lie one behind the other in scratch and nothing is
 * ever moved.
 */
#include "view.h"

#include "../base/page.h"
#include "session.h"

struct collector {
	struct visitor visitor;
	struct kmem_place *places;
	struct kmem_slab_row *slabs;
	u8 *cells;
	u32 nr_places, nr_slabs, nr_cells;
};

static void count_place(struct visitor *v, const struct kmem_place *place)
{
	((struct collector *)v)->nr_places++;
	(void)place;
}

static void count_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells)
{
	struct collector *c = (struct collector *)v;

	(void)cells;
	c->nr_slabs++;
	c->nr_cells += row->objects;
}

static void keep_place(struct visitor *v, const struct kmem_place *place)
{
	struct collector *c = (struct collector *)v;

	c->places[c->nr_places] = *place;
	c->places[c->nr_places++].first_slab = c->nr_slabs;
}

static void keep_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells)
{
	struct collector *c = (struct collector *)v;
	struct kmem_slab_row *kept = &c->slabs[c->nr_slabs++];

	*kept = *row;
	kept->place = c->nr_places - 1;
	kept->first_cell = c->nr_cells;
	memcpy(c->cells + c->nr_cells, cells, row->objects);
	c->nr_cells += row->objects;
	c->places[kept->place].free_objects += (u32)row->free_on_slab + row->free_on_cpu;
}

static void walk(const struct kmem_session *s, const struct world *w, u32 cache, struct visitor *v)
{
	for (u32 id = 0; id < w->nr_caches; id++)
		if (cache == CACHE_NONE || cache == id)
			s->replay.ops->walk(w, cache_at(w, id), v);
}

const struct kmem_frame *view_frame(struct kmem_session *s, const struct world *w, u32 cache,
				    u32 step)
{
	struct collector count = { { count_place, count_slab }, NULL, NULL, NULL, 0, 0, 0 };
	struct collector keep = { { keep_place, keep_slab }, NULL, NULL, NULL, 0, 0, 0 };
	struct kmem_frame *f = &s->frame;

	walk(s, w, cache, &count.visitor);
	keep.places = scratch_alloc(s, (u64)count.nr_places * sizeof(*keep.places));
	keep.slabs = scratch_alloc(s, (u64)count.nr_slabs * sizeof(*keep.slabs));
	keep.cells = scratch_alloc(s, count.nr_cells);
	if (!keep.places || !keep.slabs || !keep.cells) {
		session_fail(
			s, KMEM_ENOMEM,
			"there is no memory left for the rows of this view: look at one cache");
		return NULL;
	}
	walk(s, w, cache, &keep.visitor);
	memset(f, 0, sizeof(*f));
	f->op = w->op;
	f->step = step;
	f->places_at = session_offset(s, keep.places);
	f->nr_places = keep.nr_places;
	f->slabs_at = session_offset(s, keep.slabs);
	f->nr_slabs = keep.nr_slabs;
	f->cells_at = session_offset(s, keep.cells);
	f->nr_cells = keep.nr_cells;
	return f;
}

/* Free objects on node lists, for slabinfo's active_objs; slabs that CPUs hold. */
struct slabinfo {
	struct visitor visitor;
	u32 kind, free_on_nodes, cpu_slabs;
};

static void slabinfo_place(struct visitor *v, const struct kmem_place *place)
{
	((struct slabinfo *)v)->kind = place->kind;
}

static void slabinfo_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells)
{
	struct slabinfo *info = (struct slabinfo *)v;

	(void)cells;
	if (info->kind == PLACE_NODE_PARTIAL)
		info->free_on_nodes += row->free_on_slab;
	if (info->kind == PLACE_CPU_SLAB || info->kind == PLACE_CPU_PARTIAL)
		info->cpu_slabs++;
}

static void fill_cache_row(struct kmem_session *s, const struct kmem_cache *c,
			   struct kmem_cache_row *row)
{
	struct slabinfo info = { { slabinfo_place, slabinfo_slab }, 0, 0, 0 };

	s->replay.ops->walk(s->w, c, &info.visitor);
	memset(row, 0, sizeof(*row));
	row->requested_bytes = c->requested;
	row->slab_bytes = c->slab_bytes;
	row->name_at = session_offset(s, c->name);
	row->cache = c->id;
	row->order = c->order;
	row->object_size = c->object_size;
	row->size = c->size;
	row->align = c->align;
	row->objects_per_slab = c->objects;
	row->offset = c->offset;
	row->slabs = c->slabs;
	row->slabs_peak = c->slabs_peak;
	row->objects = c->total_objects - info.free_on_nodes;
	row->total_objects = c->total_objects;
	row->live_objects = c->live;
	row->partial = c->partial;
	row->cpu_slabs = info.cpu_slabs;
	row->min_partial = c->min_partial;
	row->cpu_partial = c->cpu_partial;
	row->cpu_partial_slabs = c->cpu_partial_slabs;
	s->replay.ops->count(s->w, c, row->counters);
}

const struct kmem_cache_row *kmem_cache_rows(struct kmem_session *s, u32 *nr)
{
	*nr = 0;
	if (!s->w)
		return NULL;
	scratch_reset(s);
	struct kmem_cache_row *rows = scratch_alloc(s, MAX(s->w->nr_caches, 1u) * sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 id = 0; id < s->w->nr_caches; id++)
		fill_cache_row(s, cache_at(s->w, id), &rows[id]);
	*nr = s->w->nr_caches;
	return rows;
}

const struct kmem_zone_row *kmem_zone_rows(struct kmem_session *s, u32 *nr)
{
	*nr = 0;
	if (!s->w)
		return NULL;
	scratch_reset(s);
	struct kmem_zone_row *rows = scratch_alloc(s, s->w->machine.nr_zones * sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 z = 0; z < s->w->machine.nr_zones; z++)
		page_zone_row(s->w, z, &rows[z]);
	*nr = s->w->machine.nr_zones;
	return rows;
}

const struct kmem_totals *kmem_totals(struct kmem_session *s)
{
	struct kmem_totals *t = &s->totals;
	const struct world *w = s->w;

	memset(t, 0, sizeof(*t));
	if (!w)
		return t;
	for (u32 id = 0; id < w->nr_caches; id++) {
		const struct kmem_cache *c = cache_at(w, id);
		u64 in_objects = (u64)c->total_objects * c->size, live = (u64)c->live * c->size;
		t->slab_bytes += c->slab_bytes;
		t->requested_bytes += c->requested;
		t->waste_rounding += live - c->requested;
		t->waste_tail += c->slab_bytes - in_objects;
		t->waste_free += in_objects - live;
		t->live_objects += c->live;
		s->replay.ops->count(w, c, t->counters);
	}
	t->live_objects += w->large_live;
	t->large_bytes = w->large_bytes;
	t->cycles = w->cycles;
	t->lock_wait_cycles = w->lock_wait_cycles;
	t->pages_in_use = w->machine.pages_in_use;
	t->pages_peak = w->machine.pages_peak;
	t->ops = w->op;
	t->slabs = w->slabs;
	t->partial = w->partial;
	t->any_node_entered = w->any_node_entered;
	t->any_node_zones = w->any_node_zones;
	return t;
}

const struct kmem_series *kmem_series(struct kmem_session *s, u32 metric)
{
	struct kmem_series *row = &s->series_row;

	memset(row, 0, sizeof(*row));
	if (metric >= NR_METRICS || !s->built)
		return row;
	row->nr_buckets = s->series.nr_buckets;
	row->ops_per_bucket = s->series.ops_per_bucket;
	row->min_at = session_offset(s, s->series.min[metric]);
	row->max_at = session_offset(s, s->series.max[metric]);
	return row;
}

u32 kmem_nr_cpus(struct kmem_session *s)
{
	return s->w ? s->w->machine.nr_cpus : 0;
}

u32 kmem_nr_nodes(struct kmem_session *s)
{
	return s->w ? s->w->machine.nr_nodes : 0;
}

u32 kmem_node_of_cpu(struct kmem_session *s, u32 cpu)
{
	return s->w && cpu < s->w->machine.nr_cpus
		       ? ((struct cpu *)at(s->w, s->w->machine.cpus))[cpu].node
		       : 0;
}
