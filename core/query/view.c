/*
 * view.c - the world as rows: places, slabs, cells and objects, caches, zones, CPUs and locks.
 */
#include "query/index/query.h"
#include "sim/page.h"

/*
 * Collects places, slabs and cells from an allocator's walk(), and the tables beside them.
 *
 * It walks twice, first to count and then to store. So the arrays lie one after another in scratch, and nothing
 * moves.
 */

struct collector {
	struct visitor visitor;
	struct kmem_place *places;
	struct kmem_slab_row *slabs;
	u8 *cells;
	struct kmem_entry *entries;
	struct kmem_extent *extents;
	u32 nr_places, nr_slabs, nr_cells, nr_entries, nr_extents;
};

/* While counting, there are no arrays yet. */
static void see_place(struct visitor *v, const struct kmem_place *place)
{
	struct collector *c = (struct collector *)v;

	if (!v->only_counts) {
		c->places[c->nr_places] = *place;
		c->places[c->nr_places].first_entry = c->nr_entries;
		c->places[c->nr_places].first_slab = c->nr_slabs;
	}
	c->nr_places++;
}

static void keep_slab(struct collector *c, const struct kmem_slab_row *row, const u8 *cells,
		      const struct kmem_extent *extents)
{
	struct kmem_slab_row *kept = &c->slabs[c->nr_slabs];

	*kept = *row;
	kept->place = c->nr_places - 1;
	kept->first_cell = c->nr_cells;
	memcpy(c->cells + c->nr_cells, cells, row->objects);
	kept->first_extent = extents ? c->nr_extents : 0xffffffff;
	if (extents)
		memcpy(c->extents + c->nr_extents, extents, row->objects * sizeof(*extents));
	c->places[kept->place].free_objects += (u32)row->free_on_slab + row->free_on_cpu;
}

static void see_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		     const struct kmem_extent *extents)
{
	struct collector *c = (struct collector *)v;

	if (!v->only_counts)
		keep_slab(c, row, cells, extents);
	c->nr_slabs++;
	c->nr_cells += row->objects;
	c->nr_extents += extents ? row->objects : 0;
}

static void see_entry(struct visitor *v, const struct kmem_entry *entry)
{
	struct collector *c = (struct collector *)v;

	if (!v->only_counts)
		c->entries[c->nr_entries] = *entry;
	c->nr_entries++;
}

static void walk(const struct kmem_session *s, const struct world *w, u32 cache, struct visitor *v)
{
	if (s->replay.ops->shared_slabs)
		cache = 0;
	for (u32 id = 0; id < w->nr_caches; id++)
		if (cache == CACHE_NONE || cache == id)
			s->replay.ops->walk(w, cache_at(w, id), v);
}

static const struct kmem_frame *view_frame(struct kmem_session *s, const struct world *w, u32 cache,
					   u32 step)
{
	struct collector count = { .visitor = { 1, see_place, see_slab, see_entry, NULL } };
	struct collector keep = { .visitor = { 0, see_place, see_slab, see_entry, NULL } };
	struct kmem_frame *f = &s->out.frame;

	walk(s, w, cache, &count.visitor);
	keep.places = scratch_alloc(s, (u64)count.nr_places * sizeof(*keep.places));
	keep.slabs = scratch_alloc(s, (u64)count.nr_slabs * sizeof(*keep.slabs));
	keep.cells = scratch_alloc(s, count.nr_cells);
	keep.entries = scratch_alloc(s, (u64)count.nr_entries * sizeof(*keep.entries));
	keep.extents = scratch_alloc(s, (u64)count.nr_extents * sizeof(*keep.extents));
	if (!keep.places || !keep.slabs || !keep.cells || !keep.entries || !keep.extents)
		return session_none(
			s, KMEM_ENOMEM,
			"not enough memory for the rows of this view: select one cache");
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
	f->entries_at = session_offset(s, keep.entries);
	f->nr_entries = keep.nr_entries;
	f->extents_at = session_offset(s, keep.extents);
	f->nr_extents = keep.nr_extents;
	f->any_node_entered = w->any_node_entered;
	f->any_node_zones = w->any_node_zones;
	return f;
}

static void fill_cache_row(struct kmem_session *s, const struct kmem_cache *c,
			   struct kmem_cache_row *row)
{
	memset(row, 0, sizeof(*row));
	row->requested_bytes = c->requested;
	row->slab_bytes = c->slab_bytes;
	row->cycles = c->cycles;
	row->lock_wait_cycles = c->lock_wait_cycles;
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
	row->total_objects = c->total_objects;
	row->live_objects = c->live;
	row->in_use_before_bytes = (u64)in_use_before(s, c->id) * c->size;
	row->partial = c->partial;
	row->min_partial = c->min_partial;
	row->cpu_partial = c->cpu_partial;
	row->cpu_partial_slabs = c->cpu_partial_slabs;
	s->replay.ops->info(s->w, c, row);
	s->replay.ops->count(s->w, c, row->counters);
}

const struct kmem_cache_row *kmem_cache_rows(struct kmem_session *s, u32 *nr)
{
	*nr = 0;
	if (!s->w)
		return NULL;
	struct kmem_cache_row *rows = scratch_rows(s, s->w->nr_caches, sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 id = 0; id < s->w->nr_caches; id++)
		fill_cache_row(s, cache_at(s->w, id), &rows[id]);
	*nr = s->w->nr_caches;
	return rows;
}

u32 kmem_nr_caches(struct kmem_session *s)
{
	return s->w ? s->w->nr_caches : 0;
}

const struct kmem_zone_row *kmem_zone_rows(struct kmem_session *s, u32 *nr)
{
	*nr = 0;
	if (!s->w)
		return NULL;
	struct kmem_zone_row *rows = scratch_rows(s, s->w->machine.nr_zones, sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 z = 0; z < s->w->machine.nr_zones; z++)
		page_zone_row(s->w, z, &rows[z]);
	*nr = s->w->machine.nr_zones;
	return rows;
}

struct usage view_usage(struct kmem_session *s, const struct kmem_cache *c)
{
	struct usage use = { 0 };

	if (s->replay.ops->usage) {
		s->replay.ops->usage(s->w, c, &use);
		return use;
	}
	u64 in_objects = (u64)c->total_objects * c->size;
	use.slots = (u64)c->live * c->size;
	use.tail = c->slab_bytes - in_objects;
	use.before = (u64)in_use_before(s, c->id) * c->size;
	use.free = in_objects - use.slots - use.before;
	return use;
}

const struct kmem_totals *kmem_totals(struct kmem_session *s)
{
	struct kmem_totals *t = &s->out.totals;
	const struct world *w = s->w;

	memset(t, 0, sizeof(*t));
	if (!w)
		return t;
	for (u32 id = 0; id < w->nr_caches; id++) {
		const struct kmem_cache *c = cache_at(w, id);
		struct usage use = view_usage(s, c);
		t->slab_bytes += c->slab_bytes;
		t->requested_bytes += c->requested;
		t->waste_rounding += use.slots - c->requested;
		t->waste_tail += use.tail;
		t->waste_free += use.free;
		t->in_use_before_bytes += use.before;
		t->live_objects += c->live;
		s->replay.ops->count(w, c, t->counters);
	}
	t->live_objects += w->large_live;
	t->large_bytes = w->large_bytes;
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		t->cycles += clock_busy(w, cpu);
		t->elapsed_cycles = MAX(t->elapsed_cycles, clock_of(w, cpu));
	}
	t->work_cycles = (u64)w->op * w->policy.work;
	t->lock_wait_cycles = w->lock_wait_cycles;
	t->pages_in_use = w->machine.pages_in_use;
	t->pages_peak = w->machine.pages_peak;
	t->ops = w->op;
	t->slabs = w->slabs;
	t->partial = w->partial;
	t->any_node_entered = w->any_node_entered;
	t->any_node_zones = w->any_node_zones;
	if (s->replay.ops->totals)
		s->replay.ops->totals(w, t);
	return t;
}

u32 kmem_has_counter(struct kmem_session *s, u32 counter)
{
	const struct kmem_ops *ops = s->replay.ops;

	return s->w && counter < NR_COUNTERS && ops->has_counter(s->w, counter);
}

const struct kmem_series *kmem_series(struct kmem_session *s, u32 metric)
{
	struct kmem_series *row = &s->out.series_row;

	memset(row, 0, sizeof(*row));
	if (metric >= NR_METRICS || !s->timeline.built)
		return row;
	*row = series_row(&s->timeline.series, metric, s->pool.base);
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
	return s->w && cpu < s->w->machine.nr_cpus ? node_of_cpu(s->w, cpu) : 0;
}

const struct kmem_frame *kmem_view(struct kmem_session *s, u32 cache)
{
	if (!s->w)
		return session_none(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	scratch_reset(s);
	return view_frame(s, s->w, cache, 0);
}

const struct kmem_frame *kmem_peek(struct kmem_session *s, u32 op, u32 k, u32 cache)
{
	s->timeline.steps_op = NO_OP;
	if (s->timeline.built && op >= s->trace.nr_ops)
		return session_none(s, KMEM_ESTATE, "past the last event");
	if (kmem_seek(s, op))
		return NULL;
	if (k >= MAX_STEPS_PER_OP)
		return session_none(s, KMEM_ESTATE, "past the steps that an event keeps");
	scratch_reset(s);
	struct world *copy = scratch_picture(s);
	if (!copy)
		return session_none(s, KMEM_ENOMEM, "not enough memory to look inside an event");
	if (session_record(s, op, k, copy))
		return NULL;
	if (k >= s->timeline.nr_steps)
		return session_none(s, KMEM_ESTATE, "past the last step of the event");
	/* The rows directly follow the copy of the world: scratch lasts for one call. */
	s->timeline.scratch = (u8 *)copy + ALIGN_UP(copy->used + RED_ZONE_BYTES, 64u);
	return view_frame(s, copy, cache, k + 1);
}

/*
 * Where virtual time went: tables of CPUs and locks.
 */

const struct kmem_cpu_row *kmem_cpu_rows(struct kmem_session *s, u32 *nr)
{
	*nr = 0;
	if (!s->w)
		return NULL;
	const struct world *w = s->w;
	struct kmem_cpu_row *rows = scratch_rows(s, w->machine.nr_cpus, sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		const struct cpu *c = (struct cpu *)at(w, w->machine.cpus) + cpu;
		rows[cpu] = (struct kmem_cpu_row){
			.clock = clock_of(w, cpu),
			.cycles = clock_busy(w, cpu),
			.lock_wait_cycles = c->lock_wait_cycles,
			.cpu = cpu,
			.node = c->node,
		};
	}
	*nr = w->machine.nr_cpus;
	return rows;
}

struct lock_collector {
	struct visitor visitor;
	struct kmem_lock_row *rows; /* NULL while counting */
	u32 nr;
};

static void see_lock(struct visitor *v, const struct kmem_lock_row *row)
{
	struct lock_collector *c = (struct lock_collector *)v;

	if (c->rows)
		c->rows[c->nr] = *row;
	c->nr++;
}

static void see_all_locks(const struct kmem_session *s, struct lock_collector *c)
{
	c->nr = 0;
	for (u32 id = 0; id < s->w->nr_caches; id++)
		s->replay.ops->locks(s->w, cache_at(s->w, id), &c->visitor);
}

const struct kmem_lock_row *kmem_lock_rows(struct kmem_session *s, u32 *nr)
{
	struct lock_collector c = { .visitor = { .lock = see_lock } };

	*nr = 0;
	if (!s->w)
		return NULL;
	see_all_locks(s, &c);
	c.rows = scratch_rows(s, c.nr, sizeof(*c.rows));
	if (!c.rows)
		return NULL;
	see_all_locks(s, &c);
	*nr = c.nr;
	return c.rows;
}
