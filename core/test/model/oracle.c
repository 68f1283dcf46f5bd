/*
 * oracle.c - see oracle.h. The rows of one walk are gathered; a table of marks tells what was met before.
 */
#include "test/model/oracle.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/page.h"
#include "test/model/oracle_counts.h"
#include "test/model/oracle_sheaves.h"
#include "test/support/world_copy.h"

enum { MAX_SLABS = 1 << 13, MAX_CELLS = 1 << 21, MAX_ENTRIES = 1 << 16, MARKS = 1 << 17 };

struct seen_slab {
	struct kmem_slab_row row;
	u32 kind;	  /* of its place */
	u32 first_cell;	  /* in cells */
	u32 first_extent; /* in extents */
};

struct seen_entry {
	struct kmem_entry row;
	struct kmem_place place;
};

/* What has been met in this walk: kind and key together are looked up. */
enum mark { MARK_SLAB = 1, MARK_PAGE, MARK_ENTRY, MARK_LIVE };

struct marks {
	u64 key[MARKS];
	u32 walk[MARKS]; /* the mark is of this walk */
	u32 value[MARKS];
	u32 now;
};

/* One walk at a time: nothing here outlives it. */
static struct seen {
	struct visitor visitor;
	const struct world *w;
	int between;  /* no operation is at work */
	int is_local; /* no search has asked another node, and no node is short of memory */
	struct kmem_place place;
	u32 slabs_due, entries_due; /* rows of this place still to come */
	u32 nr_slabs, nr_cells, nr_extents, nr_entries, nr_partial;
	u32 cells_of_kind[CELL_FREE_ALIEN + 1];
	u32 free_in_cpu_slabs; /* on freelists of CPUs */
	const char *broken;
	struct seen_slab slab[MAX_SLABS];
	struct seen_entry entry[MAX_ENTRIES];
	u8 cell[MAX_CELLS];
	struct kmem_extent extent[MAX_CELLS];
	struct marks marks;
} seen;

/* A judgement that has a text has found a broken law. */
#define LAWS(judgement)                                        \
	do {                                                   \
		const char *law = (judgement);                 \
		seen.broken = seen.broken ? seen.broken : law; \
	} while (0)

#define LAW(cond, text)                                                   \
	do {                                                              \
		if (!(cond))                                              \
			seen.broken = seen.broken ? seen.broken : (text); \
	} while (0)

static u32 *mark(enum mark kind, u64 key, int *met)
{
	struct marks *m = &seen.marks;
	u64 k = key << 3 | kind;
	u32 i = (u32)(k * 0x9e3779b97f4a7c15u >> 40) % MARKS;

	while (m->walk[i] == m->now && m->key[i] != k)
		i = (i + 1) % MARKS;
	*met = m->walk[i] == m->now;
	m->walk[i] = m->now;
	m->key[i] = k;
	return &m->value[i];
}

static int met_before(enum mark kind, u64 key)
{
	int met;

	mark(kind, key, &met);
	return met;
}

static u64 slab_key(u32 cache, u32 serial)
{
	return (u64)cache << 32 | serial;
}

/* NULL if the walk has not met it. */
static struct seen_slab *find_slab(u32 cache, u32 serial)
{
	int met;
	u32 *nr = mark(MARK_SLAB, slab_key(cache, serial), &met);

	if (!met)
		*nr = MAX_SLABS;
	return *nr == MAX_SLABS ? NULL : &seen.slab[*nr];
}

static void end_place(void)
{
	LAW(!seen.slabs_due, "a place has as many slabs as it says");
	LAW(!seen.entries_due, "a place has as many entries as it says");
}

static void see_place(struct visitor *v, const struct kmem_place *place)
{
	(void)v;
	end_place();
	LAW(!seen.between || place->kind != PLACE_TRANSIT,
	    "nothing is on the way between operations");
	seen.place = *place;
	seen.slabs_due = place->nr_slabs;
	seen.entries_due = place->nr_entries;
	if (seen.between && sheaves_replace_cpu_slabs(seen.w))
		LAWS(sheaves_see_place(seen.w, place));
	if (place->kind == PLACE_NODE_PARTIAL ||
	    (place->kind >= PLACE_SMALL_PAGES && place->kind <= PLACE_CLASS_PAGES))
		seen.nr_partial += place->nr_slabs;
}

static void see_pages(const struct kmem_slab_row *row)
{
	const struct world *w = seen.w;
	u32 first = (u32)(row->address >> w->machine.page_shift);

	for (u32 pfn = first; pfn < first + (1u << row->order); pfn++) {
		LAW(page_is_used(w, pfn), "a slab's pages are taken");
		LAW(page_node(w, pfn) == row->node, "a slab's pages are on its node");
		LAW(!met_before(MARK_PAGE, pfn), "slabs do not overlap");
	}
}

/* In rising order, one behind the other. */
static void see_extents(const struct kmem_slab_row *row, const struct kmem_extent *extents)
{
	u32 end = 0;

	for (u32 i = 0; i < row->objects; i++) {
		LAW(extents[i].offset >= end && extents[i].bytes, "cells do not overlap");
		end = extents[i].offset + extents[i].bytes;
	}
	LAW(end <= 1u << (seen.w->machine.page_shift + row->order), "cells are in their slab");
	memcpy(seen.extent + seen.nr_extents, extents, row->objects * sizeof(*extents));
	seen.nr_extents += row->objects;
}

static void see_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		     const struct kmem_extent *extents)
{
	struct seen_slab *slab = &seen.slab[seen.nr_slabs];
	u32 of_kind[CELL_FREE_ALIEN + 1] = { 0 };
	int met;
	u32 *nr = mark(MARK_SLAB, slab_key(row->cache, row->serial), &met);

	(void)v;
	if (seen.nr_slabs == MAX_SLABS || seen.nr_cells + row->objects > MAX_CELLS) {
		LAW(0, "the oracle's tables hold all");
		return;
	}
	*nr = seen.nr_slabs++;
	LAW(!met, "a slab is in one place only");
	LAW(seen.slabs_due, "a place has as many slabs as it says");
	seen.slabs_due--;
	*slab = (struct seen_slab){ *row, seen.place.kind, seen.nr_cells, seen.nr_extents };
	see_pages(row);
	for (u32 i = 0; i < row->objects; i++) {
		LAW(cells[i] <= CELL_FREE_ALIEN, "a cell is of a known kind");
		of_kind[cells[i] % ARRAY_SIZE(of_kind)]++;
	}
	for (u32 i = 0; i < ARRAY_SIZE(of_kind); i++)
		seen.cells_of_kind[i] += of_kind[i];
	if (seen.place.kind == PLACE_CPU_SLAB)
		seen.free_in_cpu_slabs += row->free_on_cpu;
	LAW(!seen.between || of_kind[CELL_FREE] == row->free_on_slab, "a row counts its cells");
	if (seen.between && sheaves_replace_cpu_slabs(seen.w))
		LAWS(sheaves_see_slab(&seen.place, row));
	memcpy(seen.cell + seen.nr_cells, cells, row->objects);
	seen.nr_cells += row->objects;
	if (extents)
		see_extents(row, extents);
	else
		slab->first_extent = ORACLE_NOBODY;
}

static void see_entry(struct visitor *v, const struct kmem_entry *entry)
{
	(void)v;
	if (seen.nr_entries == MAX_ENTRIES) {
		LAW(0, "the oracle's tables hold all");
		return;
	}
	LAW(seen.entries_due, "a place has as many entries as it says");
	seen.entries_due--;
	seen.entry[seen.nr_entries++] = (struct seen_entry){ *entry, seen.place };
}

static void walk(const struct kmem_ops *ops, const struct world *w, int between)
{
	static const struct kmem_place nowhere;

	seen.visitor = (struct visitor){ 0, see_place, see_slab, see_entry, NULL };
	seen.w = w;
	seen.between = between;
	seen.marks.now++;
	sheaves_begin_walk();
	seen.broken = NULL;
	seen.place = nowhere;
	seen.slabs_due = seen.entries_due = 0;
	seen.nr_slabs = seen.nr_cells = seen.nr_extents = seen.nr_entries = seen.nr_partial = 0;
	seen.free_in_cpu_slabs = 0;
	memset(seen.cells_of_kind, 0, sizeof(seen.cells_of_kind));
	for (u32 id = 0; id < (ops->shared_slabs ? MIN(w->nr_caches, 1u) : w->nr_caches); id++)
		ops->walk(w, cache_at(w, id), &seen.visitor);
	end_place();
}

/* SLOB counts units, whose size is the first cache's. */
static int counts_units(const struct oracle *o)
{
	return o->ops == &slob_ops;
}

/* The cell of the object in its slab: index, or of SLOB the block with that unit. */
static u32 cell_of(const struct oracle *o, const struct seen_slab *slab, u32 index)
{
	if (!counts_units(o))
		return index;
	u32 at_byte = index * cache_at(seen.w, 0)->size;
	for (u32 i = 0; i < slab->row.objects; i++) {
		const struct kmem_extent *e = &seen.extent[slab->first_extent + i];
		if (at_byte >= e->offset && at_byte < e->offset + e->bytes)
			return i;
	}
	return ORACLE_NOBODY;
}

/* Which free cells an entry of that place stands for. */
static u32 cell_kind_of(u32 place_kind)
{
	switch (place_kind) {
	case PLACE_CPU_ARRAY:
	case PLACE_CPU_QUEUE:
	case PLACE_SHEAF_MAIN:
	case PLACE_SHEAF_SPARE:
	case PLACE_SHEAF_RCU:
	case PLACE_SHEAF_WAITING:
		return CELL_FREE_CPU;
	case PLACE_ALIEN_ARRAY:
	case PLACE_ALIEN_QUEUE:
		return CELL_FREE_ALIEN;
	default:
		return CELL_FREE_SHARED;
	}
}

static void judge_entry(const struct seen_entry *e)
{
	struct seen_slab *slab = find_slab(e->row.cache, e->row.slab);

	LAW(slab != NULL, "an entry refers to a slab that is there");
	if (!slab)
		return;
	LAW(e->row.index < slab->row.objects, "an entry refers to an object of its slab");
	u32 cell = seen.cell[slab->first_cell + e->row.index % slab->row.objects];
	u64 key = (u64)(slab - seen.slab) << 16 | e->row.index;
	LAW(!met_before(MARK_ENTRY, key), "no object is in arrays or queues twice");
	LAW(cell != CELL_FREE, "an object in an array is not on its slab's freelist too");
	LAW(cell != CELL_ALLOCATED, "no live object is in an array or queue");
	LAW(!seen.between || cell == cell_kind_of(e->place.kind),
	    "a cell tells where its object is");
	LAW(cell_kind_of(e->place.kind) != CELL_FREE_ALIEN || slab->row.node == e->place.target,
	    "an alien place holds objects of its node");
	/* Only a refill that searched other nodes, or got their pages, puts their objects into a sheaf. */
	LAW(!sheaves_replace_cpu_slabs(seen.w) || !seen.is_local || slab->row.node == e->place.node,
	    "a sheaf holds objects of its CPU's node");
}

static void judge_entries(void)
{
	u32 of_kind[CELL_FREE_ALIEN + 1] = { 0 };

	for (u32 i = 0; i < seen.nr_entries; i++) {
		judge_entry(&seen.entry[i]);
		of_kind[cell_kind_of(seen.entry[i].place.kind)]++;
	}
	of_kind[CELL_FREE_CPU] += seen.free_in_cpu_slabs;
	for (u32 kind = CELL_FREE_CPU; seen.between && kind <= CELL_FREE_ALIEN; kind++)
		LAW(of_kind[kind] == seen.cells_of_kind[kind],
		    "an object that is free and not in its slab is in one array or queue");
}

/* Behind a red zone or, of SLOB's first cache, which serves kmalloc, behind the header. */
static void judge_alignment(const struct oracle *o, const struct oracle_object *x,
			    const struct seen_slab *slab)
{
	const struct kmem_cache *s = cache_at(seen.w, x->cache);
	u64 object = x->address + s->red_left_pad;
	u32 align = MAX(s->align, 1u);

	if (counts_units(o))
		object = slab->row.address + (u64)LOC_INDEX(x->loc) * cache_at(seen.w, 0)->size;
	if (counts_units(o) && !x->cache)
		align = x->bytes & (x->bytes - 1) ? 8 : MAX(x->bytes, 8u);
	LAW(object % align == 0, "objects are aligned");
	LAW(object + x->bytes <= x->end, "an object has the bytes that were asked for");
}

/* The object is seen for the first time. */
static void meet_object(struct oracle *o, struct oracle_object *new, const struct seen_slab *slab)
{
	const struct kmem_cache *s = cache_at(seen.w, new->cache);

	for (u32 id = 0; id < o->nr_objects; id++) {
		const struct oracle_object *x = &o->object[id];
		LAW(x == new || !x->loc || !x->address || x->end <= new->address ||
			    x->address >= new->end,
		    "live objects do not overlap");
	}
	LAW(new->end <=
		    slab->row.address + ((u64)1 << (seen.w->machine.page_shift + slab->row.order)),
	    "an object is in its slab");
	judge_alignment(o, new, slab);
	LAW(o->ops->shared_slabs || new->bytes <= s->object_size,
	    "a request fits in its cache's objects");
	/* Up to 2.6.35 the any-node search did not care what was named. */
	LAW(!o->has_room || new->node == NODE_ANY || slab->row.node == new->node ||
		    seen.w->policy.any_node_always,
	    "an object is on the node that was named");
}

static void judge_object(struct oracle *o, struct oracle_object *x)
{
	const struct world *w = seen.w;
	struct seen_slab *slab = find_slab(o->ops->shared_slabs ? 0 : x->cache,
					   o->ops->serial(w, LOC_SLAB(x->loc)));

	LAW(slab != NULL, "the walk finds the slab of every live object");
	if (!slab)
		return;
	u32 cell = cell_of(o, slab, LOC_INDEX(x->loc));
	LAW(cell < slab->row.objects, "a live object is in its slab");
	if (seen.broken)
		return;
	LAW(seen.cell[slab->first_cell + cell] == CELL_ALLOCATED, "a live object is allocated");
	u64 key = (u64)(slab - seen.slab) << 16 | cell;
	LAW(!met_before(MARK_LIVE, key), "no object is given out twice");
	u64 address, end;
	if (slab->first_extent == ORACLE_NOBODY) {
		u32 size = cache_at(w, slab->row.cache)->size;
		address = slab->row.address + slab->row.start + (u64)cell * size;
		end = address + size;
	} else {
		const struct kmem_extent *extent = &seen.extent[slab->first_extent + cell];
		address = slab->row.address + extent->offset;
		end = address + extent->bytes;
	}
	int fresh = x->address == 0;
	LAW(fresh || (x->address == address && x->end == end), "a live object stays where it is");
	x->address = address;
	x->end = end;
	if (fresh)
		meet_object(o, x, slab);
}

static void judge_objects(struct oracle *o, u32 moving)
{
	for (u32 id = 0; id < o->nr_objects && !seen.broken; id++)
		if (id != moving && o->object[id].loc)
			judge_object(o, &o->object[id]);
}

/* What the world and its caches count is what the walk has found. */
static void judge_totals(const struct oracle *o)
{
	const struct world *w = seen.w;
	u32 slabs = 0, partial = 0, live = 0, cells = 0;
	u64 bytes = 0;

	for (u32 id = 0; id < w->nr_caches; id++) {
		const struct kmem_cache *s = cache_at(w, id);
		slabs += s->slabs;
		partial += s->partial;
		live += s->live;
		cells += s->total_objects;
		bytes += s->slab_bytes;
	}
	LAW(seen.cells_of_kind[CELL_ALLOCATED] == o->nr_live ||
		    (o->requests && seen.cells_of_kind[CELL_ALLOCATED] > o->nr_live),
	    "the walk finds every live object and no other");
	LAW(live == o->nr_live, "caches count their live objects");
	LAW(slabs == seen.nr_slabs && slabs == w->slabs, "slabs are counted");
	LAW(partial == seen.nr_partial && partial == w->partial, "partial slabs are counted");
	LAW(o->ops->shared_slabs || cells == seen.nr_cells, "objects of slabs are counted");
	LAW(bytes == w->slab_bytes, "bytes in slabs are counted");
	LAW(((u64)w->machine.pages_in_use << w->machine.page_shift) == bytes + w->large_bytes,
	    "pages that are taken are in slabs or in large requests");
}

void oracle_begin(struct oracle *o, const struct kmem_ops *ops)
{
	memset(o, 0, sizeof(*o));
	o->ops = ops;
	o->has_room = 1;
}

void oracle_copy(struct oracle *to, const struct oracle *from)
{
	memcpy(to, from, offsetof(struct oracle, object));
	memcpy(to->object, from->object, from->nr_objects * sizeof(from->object[0]));
}

void oracle_alloc(struct oracle *o, u32 id, u32 cache, object_loc loc, u32 bytes, u32 node,
		  u32 home)
{
	KASSERT(id < ORACLE_OBJECTS);
	while (o->nr_objects <= id)
		o->object[o->nr_objects++].loc = 0;
	o->allocs++;
	o->from_home += node == NODE_ANY || node == home;
	o->nr_live += loc != 0;
	o->object[id] = (struct oracle_object){ loc, 0, 0, cache, bytes, node };
}

void oracle_free(struct oracle *o, u32 id)
{
	o->frees++;
	o->nr_live--;
	o->object[id].loc = 0;
}

const char *oracle_judge(struct oracle *o, const struct world *w)
{
	for (u32 id = 0; id < w->nr_caches; id++) {
		const char *broken = o->ops->check(w, cache_at(w, id));
		if (broken)
			return broken;
	}
	walk(o->ops, w, 1);
	seen.is_local = o->has_room && !w->any_node_zones;
	judge_entries();
	judge_objects(o, ORACLE_NOBODY);
	judge_totals(o);
	if (sheaves_replace_cpu_slabs(w))
		LAWS(sheaves_judge(o, w));
	if (seen.broken)
		return seen.broken;
	const char *broken = oracle_counts(o, w);
	return broken ? broken : page_check(w);
}

/* In the middle of an operation. */
static const char *glance(struct oracle *o, const struct world *w, u32 moving)
{
	walk(o->ops, w, 0);
	seen.is_local = 0;
	judge_entries();
	judge_objects(o, moving);
	return seen.broken;
}

const char *oracle_look_inside(struct oracle *o, struct world *w, u32 moving, void (*run)(void *),
			       void *arg)
{
	static u8 *saved, *picture;
	static u32 room;
	u32 used = w->used;
	const char *broken = NULL;

	if (room < used + WORLD_HEADROOM_BYTES + sizeof(struct world_host)) {
		room = 2 * used + WORLD_HEADROOM_BYTES + sizeof(struct world_host);
		free(saved);
		free(picture);
		saved = malloc(room);
		picture = malloc(room);
		KASSERT(saved && picture);
	}
	struct world *copy = (struct world *)(void *)(picture + sizeof(struct world_host));
	world_put_aside(saved, w);
	step_begin(w, RECORD_LIST, 0, NULL);
	run(arg);
	u32 nr = step_end(w);
	for (u32 k = 0; k < nr && !broken; k++) {
		world_bring_back(w, saved, used);
		step_begin(w, RECORD_LIST, k, copy);
		run(arg);
		step_end(w);
		broken = glance(o, copy, moving);
	}
	return broken;
}
