/*
 * picture.h - what a view shows of one cache, and whether two pictures differ in nothing but what a step says.
 *
 * A step claims changes: this slab is now there, this object is now taken, so many objects moved from here to there.
 * picture_judge() holds the pictures before and after the step against the claims. A claim that the second picture does
 * not bear out lags behind the sentence; a difference that nobody claimed runs ahead of it.
 */
#ifndef TEST_PICTURE_PICTURE_H
#define TEST_PICTURE_PICTURE_H

#include "alloc/ops.h"

enum {
	NO_ROW = 0xffffffff,
	CELL_ANY = 0xff,
	MAX_CLAIMS = 8,
};

struct picture {
	u32 nr_places, nr_slabs, nr_cells, nr_entries;
	u32 room_places, room_slabs, room_cells, room_entries, room_rows;
	struct kmem_place *place;
	struct kmem_slab_row *slab; /* first_cell and place are indices into this picture */
	u8 *cell;
	struct kmem_entry *entry;
	u32 *row_of;  /* [room_rows]: by serial number; NO_ROW */
	u32 is_there; /* 0: never taken */
};

/* Changes that a step tells of. */
struct claims {
	u32 slab[MAX_CLAIMS]; /* their rows may change, and they may move */
	u32 nr_slabs;
	u32 any_slab;  /* any row may change and move: a whole list was taken off or sorted */
	u32 cells_any; /* of claimed slabs any cell may change */
	struct kmem_entry object[MAX_CLAIMS]; /* may change and come or go in places of entries */
	u32 nr_objects;
	u32 cells_from, cells_to,
		nr_cells; /* as many cells of any slab change so; nr_cells 0: none do */
	u32 entries_any;  /* entries may come and go: two places changed contents */
};

/* The cache as rows. */
void picture_take(struct picture *p, const struct world *w, const struct kmem_ops *ops,
		  const struct kmem_cache *s);
const struct kmem_slab_row *picture_slab(const struct picture *p, u32 serial);
/* Of a place that has that kind and CPU or node; NULL: there is none. target: NODE_ANY for any. */
const struct kmem_place *picture_place(const struct picture *p, u32 kind, u32 cpu, u32 node,
				       u32 target);
/* enum kmem_cell, CELL_ANY if there is no such object. */
u32 picture_cell(const struct picture *p, u32 serial, u32 index);
/* NULL, or what differs without being claimed. */
const char *picture_judge(const struct picture *before, const struct picture *after,
			  const struct claims *c);

#endif
