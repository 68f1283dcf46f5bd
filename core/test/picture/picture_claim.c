/*
 * picture_claim.c - see picture_claim.h.
 */
#include "test/picture/picture_claim.h"

#include <stdio.h>

/* The step at hand. */
static struct {
	const struct world *w;
	const struct kmem_step *step;
	const struct picture *before, *after;
	struct claims *c;
	const char *broken;
	char words[160];
} now;

static void fail(const char *what, u32 said, u32 shown)
{
	if (now.broken)
		return;
	snprintf(now.words, sizeof(now.words), "%s: %u said, %u shown", what, said, shown);
	now.broken = now.words;
}

void claim_number(const char *what, u32 said, u32 shown)
{
	if (said != shown)
		fail(what, said, shown);
}

/* The slab's row may change. */
void claim_about(u32 serial)
{
	now.c->slab[now.c->nr_slabs++] = serial;
}

/* The slab is in such a place now, wherever it was. */
void claim_slab_in(u32 serial, u32 kind)
{
	const struct kmem_slab_row *row = picture_slab(now.after, serial);

	claim_about(serial);
	if (!row)
		fail("the slab is not there", serial, NO_ROW);
	else
		claim_number("place of the slab", kind, now.after->place[row->place].kind);
}

void claim_slab_at_cpu(u32 serial, u32 kind, u32 cpu)
{
	const struct kmem_slab_row *row = picture_slab(now.after, serial);

	claim_slab_in(serial, kind);
	if (row)
		claim_number("CPU of the slab", cpu, now.after->place[row->place].cpu);
}

/* On a list of the step's node, at that end of it. */
void claim_slab_on_list(u32 serial, u32 kind, u32 end)
{
	const struct kmem_slab_row *row = picture_slab(now.after, serial);

	claim_slab_in(serial, kind);
	if (!row)
		return;
	const struct kmem_place *place = &now.after->place[row->place];
	if (place->node != NODE_ANY)
		claim_number("node of the list", now.step->node, place->node);
	claim_number("position on the list", end == END_HEAD ? 0 : place->nr_slabs - 1,
		     row->position);
}

void claim_slab_gone(u32 serial)
{
	claim_about(serial);
	if (picture_slab(now.after, serial))
		fail("the slab is still there", NO_ROW, serial);
	if (!picture_slab(now.before, serial))
		fail("the slab was gone before", serial, NO_ROW);
}

void claim_slab_comes(u32 serial)
{
	claim_about(serial);
	if (!picture_slab(now.after, serial))
		fail("the new slab is not there", serial, NO_ROW);
	if (picture_slab(now.before, serial))
		fail("the new slab was there before", NO_ROW, serial);
}

void claim_list_length(u32 kind, u32 said)
{
	const struct kmem_place *place = picture_place(now.after, kind, NODE_ANY, now.step->node,
						       NODE_ANY);

	claim_number("length of the list", said, place ? place->nr_slabs : 0);
}

void claim_chain_length(u32 cpu, u32 said)
{
	const struct kmem_place *place = picture_place(now.after, PLACE_CPU_PARTIAL, cpu, NODE_ANY,
						       NODE_ANY);

	claim_number("length of the per-CPU partial list", said, place ? place->nr_slabs : 0);
}

void claim_entries_in(u32 kind, u32 cpu, u32 node, u32 target, u32 said)
{
	const struct kmem_place *place = picture_place(now.after, kind, cpu, node, target);

	claim_number("objects in the place", said, place ? place->nr_entries : 0);
}

void claim_object(u32 serial, u32 index)
{
	now.c->object[now.c->nr_objects++] = (struct kmem_entry){ serial, (u16)index, 0, 0, 0 };
}

/* The object was in one state and is now in the other. */
void claim_object_becomes(u32 serial, u32 index, u32 from, u32 to)
{
	u32 was = picture_cell(now.before, serial, index);

	claim_object(serial, index);
	if (from != CELL_ANY && was != CELL_ANY)
		claim_number("state of the object before", from, was);
	claim_number("state of the object", to, picture_cell(now.after, serial, index));
}

void claim_objects_become(u32 nr, u32 from, u32 to)
{
	now.c->nr_cells = nr;
	now.c->cells_from = from;
	now.c->cells_to = to;
}

u32 claim_free_on_slab(u32 serial)
{
	const struct kmem_slab_row *row = picture_slab(now.after, serial);

	return row ? row->free_on_slab : 0;
}

u32 claim_free_on_cpu(u32 serial)
{
	const struct kmem_slab_row *row = picture_slab(now.after, serial);

	return row ? row->free_on_cpu : 0;
}

u32 claim_free_on_cpu_before(u32 serial)
{
	const struct kmem_slab_row *row = picture_slab(now.before, serial);

	return row ? row->free_on_cpu : 0;
}

u32 claim_is_unified(void)
{
	return now.w->policy.allocator == ALLOCATOR_UNIFIED;
}

/* All that is free on the slab goes to its CPU, or back to it. */
void claim_freelist_to_cpu(u32 serial)
{
	const struct kmem_slab_row *row = picture_slab(now.before, serial);

	claim_objects_become(row ? row->free_on_slab : 0, CELL_FREE, CELL_FREE_CPU);
}

void claim_freelist_to_slab(u32 serial)
{
	claim_objects_become(claim_free_on_cpu_before(serial), CELL_FREE_CPU, CELL_FREE);
}

void claim_begin(const struct world *w, const struct kmem_step *step, const struct picture *before,
		 const struct picture *after, struct claims *c)
{
	now.w = w;
	now.step = step;
	now.before = before;
	now.after = after;
	now.c = c;
	now.broken = NULL;
	memset(c, 0, sizeof(*c));
}

struct claims *claim_rest(void)
{
	return now.c;
}

const struct picture *claim_before(void)
{
	return now.before;
}

const struct picture *claim_after(void)
{
	return now.after;
}

const char *claim_broken(void)
{
	return now.broken;
}
