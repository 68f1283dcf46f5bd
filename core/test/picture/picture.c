/*
 * picture.c - see picture.h.
 */
#include "test/picture/picture.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
	struct visitor visitor;
	struct picture *p;
} taker;

static void *grow(void *array, u32 *room, u32 need, size_t bytes)
{
	if (need <= *room)
		return array;
	*room = need * 2 + 64;
	array = realloc(array, *room * bytes);
	if (!array)
		exit(1);
	return array;
}

static void reach_row(struct picture *p, u32 serial)
{
	u32 before = p->room_rows;

	p->row_of = grow(p->row_of, &p->room_rows, serial + 1, sizeof(u32));
	if (p->room_rows > before)
		memset(p->row_of + before, 0xff, (p->room_rows - before) * sizeof(u32));
}

static void take_place(struct visitor *v, const struct kmem_place *place)
{
	struct picture *p = taker.p;

	(void)v;
	p->place = grow(p->place, &p->room_places, p->nr_places + 1, sizeof(*place));
	p->place[p->nr_places] = *place;
	p->place[p->nr_places].first_slab = p->nr_slabs;
	p->place[p->nr_places++].first_entry = p->nr_entries;
}

static void take_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		      const struct kmem_extent *extents)
{
	struct picture *p = taker.p;

	(void)v;
	(void)extents;
	reach_row(p, row->serial);
	p->slab = grow(p->slab, &p->room_slabs, p->nr_slabs + 1, sizeof(*row));
	p->cell = grow(p->cell, &p->room_cells, p->nr_cells + row->objects, 1);
	p->slab[p->nr_slabs] = *row;
	p->slab[p->nr_slabs].place = p->nr_places - 1;
	p->slab[p->nr_slabs].first_cell = p->nr_cells;
	memcpy(p->cell + p->nr_cells, cells, row->objects);
	p->nr_cells += row->objects;
	p->row_of[row->serial] = p->nr_slabs++;
}

static void take_entry(struct visitor *v, const struct kmem_entry *entry)
{
	struct picture *p = taker.p;

	(void)v;
	p->entry = grow(p->entry, &p->room_entries, p->nr_entries + 1, sizeof(*entry));
	p->entry[p->nr_entries++] = *entry;
}

void picture_take(struct picture *p, const struct world *w, const struct kmem_ops *ops,
		  const struct kmem_cache *s)
{
	taker.visitor = (struct visitor){ 0, take_place, take_slab, take_entry, NULL };
	taker.p = p;
	for (u32 i = 0; i < p->nr_slabs; i++)
		p->row_of[p->slab[i].serial] = NO_ROW;
	p->nr_places = p->nr_slabs = p->nr_cells = p->nr_entries = 0;
	p->is_there = 1;
	ops->walk(w, s, &taker.visitor);
}

const struct kmem_slab_row *picture_slab(const struct picture *p, u32 serial)
{
	return serial < p->room_rows && p->row_of[serial] != NO_ROW ? &p->slab[p->row_of[serial]]
								    : NULL;
}

const struct kmem_place *picture_place(const struct picture *p, u32 kind, u32 cpu, u32 node,
				       u32 target)
{
	for (u32 i = 0; i < p->nr_places; i++) {
		const struct kmem_place *place = &p->place[i];
		if (place->kind == kind && (cpu == NODE_ANY || place->cpu == cpu) &&
		    (node == NODE_ANY || place->node == node) &&
		    (target == NODE_ANY || place->target == target))
			return place;
	}
	return NULL;
}

u32 picture_cell(const struct picture *p, u32 serial, u32 index)
{
	const struct kmem_slab_row *row = picture_slab(p, serial);

	return row && index < row->objects ? p->cell[row->first_cell + index] : CELL_ANY;
}

static int claims_slab(const struct claims *c, u32 serial)
{
	for (u32 i = 0; i < c->nr_slabs; i++)
		if (c->slab[i] == serial)
			return 1;
	return c->any_slab;
}

static int claims_object(const struct claims *c, u32 serial, u32 index)
{
	for (u32 i = 0; i < c->nr_objects; i++)
		if (c->object[i].slab == serial && c->object[i].index == index)
			return 1;
	return 0;
}

static int same_place(const struct kmem_place *a, const struct kmem_place *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->node == b->node &&
	       a->target == b->target && a->bytes == b->bytes;
}

static char problem[160];

static const char *say(const char *what, u32 serial, u32 index)
{
	snprintf(problem, sizeof(problem), "%s: slab %u, object %u", what, serial, index);
	return problem;
}

/* Was the change of this cell claimed with many others? */
static int is_counted(const struct claims *c, u32 from, u32 to)
{
	return c->nr_cells && (c->cells_from == CELL_ANY || from == c->cells_from) &&
	       (c->cells_to == CELL_ANY || to == c->cells_to);
}

static const char *judge_cells(const struct picture *before, const struct picture *after,
			       const struct kmem_slab_row *was, const struct kmem_slab_row *is,
			       const struct claims *c, u32 *counted)
{
	int mine = claims_slab(c, is->serial);

	if (mine && c->cells_any)
		return NULL;
	if (was->objects != is->objects)
		return say("a slab has another number of objects", is->serial, 0);
	for (u32 i = 0; i < is->objects; i++) {
		u32 from = before->cell[was->first_cell + i], to = after->cell[is->first_cell + i];
		if (from == to || claims_object(c, is->serial, i))
			continue;
		if (!is_counted(c, from, to))
			return say("an object changed that the step does not name", is->serial, i);
		++*counted;
	}
	if (!mine && (was->free_on_slab != is->free_on_slab || was->inuse != is->inuse) &&
	    !*counted && !c->nr_objects)
		return say("a slab counts otherwise", is->serial, 0);
	return NULL;
}

static const char *judge_slabs(const struct picture *before, const struct picture *after,
			       const struct claims *c)
{
	const char *broken = NULL;
	u32 counted = 0;

	for (u32 i = 0; i < after->nr_slabs && !broken; i++) {
		const struct kmem_slab_row *is = &after->slab[i],
					   *was = picture_slab(before, is->serial);
		if (!was) {
			if (!claims_slab(c, is->serial))
				return say("a slab came that the step does not name", is->serial,
					   0);
			continue;
		}
		if (!same_place(&before->place[was->place], &after->place[is->place]) &&
		    !claims_slab(c, is->serial))
			return say("a slab moved that the step does not name", is->serial, 0);
		broken = judge_cells(before, after, was, is, c, &counted);
	}
	for (u32 i = 0; i < before->nr_slabs && !broken; i++) {
		u32 serial = before->slab[i].serial;
		if (!picture_slab(after, serial) && !claims_slab(c, serial))
			return say("a slab went that the step does not name", serial, 0);
	}
	if (!broken && counted != c->nr_cells) {
		snprintf(problem, sizeof(problem), "%u objects changed where the step says %u",
			 counted, c->nr_cells);
		return problem;
	}
	return broken;
}

/* Lists without the slabs that are claimed stand in the order in which they stood. */
static const char *judge_order(const struct picture *before, const struct picture *after,
			       const struct claims *c)
{
	for (u32 i = 0; i < after->nr_places && !c->any_slab; i++) {
		const struct kmem_place *place = &after->place[i];
		u32 last = 0, first = 1;
		for (u32 k = 0; k < place->nr_slabs; k++) {
			const struct kmem_slab_row *is = &after->slab[place->first_slab + k],
						   *was = picture_slab(before, is->serial);
			if (claims_slab(c, is->serial) || !was)
				continue;
			if (!first && was->position <= last)
				return say("a list stands in another order", is->serial, 0);
			last = was->position;
			first = 0;
		}
	}
	return NULL;
}

/* May the object come into a place, or leave it? */
static int may_wander(const struct picture *before, const struct picture *after,
		      const struct claims *c, const struct kmem_entry *e)
{
	return c->entries_any || claims_object(c, e->slab, e->index) ||
	       is_counted(c, picture_cell(before, e->slab, e->index),
			  picture_cell(after, e->slab, e->index));
}

static const struct kmem_place *counterpart(const struct picture *p, const struct kmem_place *place)
{
	for (u32 i = 0; i < p->nr_places; i++)
		if (same_place(&p->place[i], place))
			return &p->place[i];
	return NULL;
}

/* Entries of a place that nobody claims are the same in both, in the same order. */
static const char *judge_place(const struct picture *before, const struct kmem_place *was,
			       const struct picture *after, const struct kmem_place *is,
			       const struct claims *c)
{
	u32 a = 0, b = 0, nr_was = was ? was->nr_entries : 0, nr_is = is ? is->nr_entries : 0;

	for (;;) {
		const struct kmem_entry *x = NULL, *y = NULL;
		for (; a < nr_was; a++) {
			x = &before->entry[was->first_entry + a];
			if (!may_wander(before, after, c, x))
				break;
		}
		for (; b < nr_is; b++) {
			y = &after->entry[is->first_entry + b];
			if (!may_wander(before, after, c, y))
				break;
		}
		if (a == nr_was && b == nr_is)
			return NULL;
		if (a < nr_was && (b == nr_is || x->slab != y->slab || x->index != y->index))
			return say("an object left a place, and the step does not name it", x->slab,
				   x->index);
		if (a == nr_was)
			return say("an object came to a place, and the step does not name it",
				   y->slab, y->index);
		a++;
		b++;
	}
}

static const char *judge_entries(const struct picture *before, const struct picture *after,
				 const struct claims *c)
{
	for (u32 i = 0; i < after->nr_places; i++) {
		const struct kmem_place *is = &after->place[i];
		const char *broken = judge_place(before, counterpart(before, is), after, is, c);
		if (broken)
			return broken;
	}
	for (u32 i = 0; i < before->nr_places; i++) {
		const struct kmem_place *was = &before->place[i];
		const char *broken = counterpart(after, was)
					     ? NULL
					     : judge_place(before, was, after, NULL, c);
		if (broken)
			return broken;
	}
	return NULL;
}

const char *picture_judge(const struct picture *before, const struct picture *after,
			  const struct claims *c)
{
	const char *broken = judge_slabs(before, after, c);

	if (!broken)
		broken = judge_order(before, after, c);
	return broken ? broken : judge_entries(before, after, c);
}
