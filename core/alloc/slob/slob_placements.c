/*
 * slob_placements.c - events and states of both SLOBs in golden-file notation.
 *
 * An object is written as a byte offset in a page, a list as page(free units)... from the head; in the
 * segregated SLOB page(free objects), by class.
 */
#include "alloc/slob/slob.h"

enum { NOWHERE = 0xffffffff };

static u32 slob_columns(const struct placed *p, struct kmem_placement_column *c)
{
	const struct kmem_op_row *row = p->row;
	u32 is_placed = row->slab != NOWHERE;

	c[0] = (struct kmem_placement_column){ "size", row->bytes, 1, 1 };
	c[1] = (struct kmem_placement_column){ "page", row->slab, is_placed, is_placed };
	c[2] = (struct kmem_placement_column){ "offset_bytes", row->index * p->unit, is_placed,
					       is_placed };
	return 3;
}

static u32 free_bytes(const struct state_rows *r, const struct kmem_slab_row *slab)
{
	u32 sum = 0;

	for (u32 i = 0; i < slab->objects; i++)
		if (r->cells[slab->first_cell + i] == CELL_FREE)
			sum += r->extents[slab->first_extent + i].bytes;
	return sum;
}

static void add_list(const struct state_rows *r, const char *name, u32 kind, struct text *t)
{
	const struct kmem_place *place = state_place(r, kind, CPU_NONE, NODE_ANY);

	text_add(t, name);
	for (u32 i = 0; place && i < place->nr_slabs; i++) {
		const struct kmem_slab_row *slab = &r->slabs[place->first_slab + i];
		text_add_number(t, "", slab->serial);
		text_add_number(t, "(", free_bytes(r, slab) / r->unit);
		text_add(t, ")");
	}
}

static void add_live_pages(const struct state_rows *r, struct text *t)
{
	u32 pages = 0;

	for (u32 i = 0; i < r->nr_slabs; i++)
		pages += 1u << r->slabs[i].order;
	text_add_number(t, " live_pages=", pages);
}

static void slob_state(const struct state_rows *r, struct text *t)
{
	add_list(r, " small:", PLACE_SMALL_PAGES, t);
	add_list(r, " medium:", PLACE_MEDIUM_PAGES, t);
	add_list(r, " large:", PLACE_LARGE_PAGES, t);
	add_live_pages(r, t);
}

/* Returns the size in bytes of the class that the event used, 0 if it used none. */
static u32 class_of(const struct placed *p)
{
	for (u32 k = 0; k < p->nr_steps; k++) {
		if (p->steps[k].kind == STEP_CLASS_CHOOSE)
			return p->steps[k].args[1];
		if (p->steps[k].kind == STEP_CLASS_PUSH)
			return p->steps[k].args[3];
	}
	return 0;
}

static u32 segregated_columns(const struct placed *p, struct kmem_placement_column *c)
{
	const struct kmem_op_row *row = p->row;
	u32 class = class_of(p), is_placed = row->slab != NOWHERE;

	c[0] = (struct kmem_placement_column){ "size", row->bytes, row->kind != OP_FREE, 1 };
	c[1] = (struct kmem_placement_column){ "class", class, class != 0, class != 0 };
	c[2] = (struct kmem_placement_column){ "page", row->slab, is_placed, is_placed };
	c[3] = (struct kmem_placement_column){ "index", row->index, is_placed, 0 };
	c[4] = (struct kmem_placement_column){ "offset_bytes", row->index * class,
					       is_placed && class, is_placed && class };
	return 5;
}

static void segregated_state(const struct state_rows *r, struct text *t)
{
	for (u32 i = 0; i < r->nr_places; i++) {
		const struct kmem_place *place = &r->places[i];
		if (place->kind != PLACE_CLASS_PAGES)
			continue;
		if (r->nr_nodes > 1 && place->bytes == r->unit) {
			text_add_number(t, " node", place->node);
			text_add(t, ":");
		}
		text_add_number(t, " ", place->bytes);
		text_add(t, ":");
		state_add_slabs(r, place, "", t);
	}
	add_live_pages(r, t);
}

static u32 totals(const struct kmem_totals *t, struct kmem_placement_column *c)
{
	c[0] = (struct kmem_placement_column){ "pages_visited", (s64)t->pages_visited, 1, 0 };
	c[1] = (struct kmem_placement_column){ "blocks_visited", (s64)t->blocks_visited, 1, 0 };
	return 2;
}

const struct placement_notation slob_placements = {
	.words = { "arg", "cache_alloc", "kmalloc", 1, 0 },
	.columns = slob_columns,
	.totals = totals,
	.state = slob_state,
};

const struct placement_notation slob_segregated_placements = {
	.words = { "arg", "cache_alloc", "kmalloc", 1, 0 },
	.columns = segregated_columns,
	.totals = totals,
	.state = segregated_state,
};
