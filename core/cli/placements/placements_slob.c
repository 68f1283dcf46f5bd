/*
 * placements_slob.c - rows and states of SLOB and of the segregated one in the notation of the golden
 * files: an object is a byte offset in a page, and a list is page(free units)..., head first; in the
 * segregated one page(free objects), by class.
 */
#include <stdio.h>

#include "cli/placements/placements.h"

void slob_csv(const struct placed *op)
{
	const struct kmem_op_row *row = op->row;

	printf(",%u,", row->bytes);
	if (row->slab != NOWHERE)
		printf("%u,%u,", row->slab, row->index * op->unit);
	else
		fputs(",,", stdout);
}

void slob_json(struct json *j, const struct placed *op)
{
	const struct kmem_op_row *row = op->row;

	json_number(j, "size", row->bytes);
	if (row->slab == NOWHERE)
		return;
	json_number(j, "page", row->slab);
	json_number(j, "offset_bytes", row->index * op->unit);
}

static u32 free_bytes(const struct host *h, const struct kmem_frame *f,
		      const struct kmem_slab_row *slab)
{
	const u8 *cell = (const u8 *)host_rows(h, f->cells_at) + slab->first_cell;
	const struct kmem_extent *extent = host_rows(h, f->extents_at);
	u32 sum = 0;

	for (u32 i = 0; i < slab->objects; i++)
		if (cell[i] == CELL_FREE)
			sum += extent[slab->first_extent + i].bytes;
	return sum;
}

static void print_list(const struct host *h, const struct kmem_frame *f, const char *name, u32 kind,
		       u32 unit)
{
	const struct kmem_place *place = find_place(h, f, kind, CPU_NONE, NODE_ANY);
	const struct kmem_slab_row *slab = host_rows(h, f->slabs_at);

	printf(" %s:", name);
	for (u32 i = 0; place && i < place->nr_slabs; i++) {
		const struct kmem_slab_row *s = &slab[place->first_slab + i];
		printf("%u(%u)", s->serial, free_bytes(h, f, s) / unit);
	}
}

void print_state_slob(const struct host *h, const struct kmem_frame *f, u32 unit)
{
	const struct kmem_slab_row *slab = host_rows(h, f->slabs_at);
	u32 pages = 0;

	for (u32 i = 0; i < f->nr_slabs; i++)
		pages += 1u << slab[i].order;
	print_list(h, f, "small", PLACE_SMALL_PAGES, unit);
	print_list(h, f, "medium", PLACE_MEDIUM_PAGES, unit);
	print_list(h, f, "large", PLACE_LARGE_PAGES, unit);
	printf(" live_pages=%u", pages);
}

/* Bytes of the class that the operation had to do with, 0 if none. */
static u32 class_of(const struct placed *op)
{
	const struct kmem_step *step = kmem_step_rows(op->host->session);

	for (u32 k = 0; k < op->nr_steps; k++) {
		if (step[k].kind == STEP_CLASS_CHOOSE)
			return step[k].args[1];
		if (step[k].kind == STEP_CLASS_PUSH)
			return step[k].args[3];
	}
	return 0;
}

void slob_segregated_csv(const struct placed *op)
{
	const struct kmem_op_row *row = op->row;
	u32 class = class_of(op);

	putchar(',');
	if (row->kind != OP_FREE)
		printf("%u", row->bytes);
	putchar(',');
	if (class)
		printf("%u", class);
	if (row->slab != NOWHERE)
		printf(",%u,%u,%u,", row->slab, row->index, row->index * class);
	else
		fputs(",,,,", stdout);
}

void slob_segregated_json(struct json *j, const struct placed *op)
{
	const struct kmem_op_row *row = op->row;
	u32 class = class_of(op);

	json_number(j, "size", row->bytes);
	if (class)
		json_number(j, "class", class);
	if (row->slab == NOWHERE)
		return;
	json_number(j, "page", row->slab);
	json_number(j, "offset_bytes", row->index * class);
}

void print_state_slob_segregated(const struct host *h, const struct kmem_frame *f, u32 unit)
{
	const struct kmem_place *place = host_rows(h, f->places_at);
	const struct kmem_slab_row *slab = host_rows(h, f->slabs_at);
	u32 nr_nodes = kmem_nr_nodes(h->session), pages = 0;

	for (u32 i = 0; i < f->nr_places; i++) {
		if (place[i].kind != PLACE_CLASS_PAGES)
			continue;
		if (nr_nodes > 1 && place[i].bytes == unit)
			printf(" node%u:", place[i].node);
		printf(" %u:", place[i].bytes);
		for (u32 k = 0; k < place[i].nr_slabs; k++) {
			const struct kmem_slab_row *s = &slab[place[i].first_slab + k];
			printf("%u(%u)", s->serial, s->free_on_slab);
		}
	}
	for (u32 i = 0; i < f->nr_slabs; i++)
		pages += 1u << slab[i].order;
	printf(" live_pages=%u", pages);
}
