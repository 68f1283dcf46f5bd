/*
 * picture_rules_sheaves.c - what the steps of SLUB without cpu slabs say: objects move between slabs, sheaves and barn.
 */
#include "test/picture/picture_rules.h"

#include "test/picture/picture_claim.h"

#define A(i) step->args[i]

static void contents_of(const struct kmem_step *step, u32 main, u32 spare)
{
	claim_rest()->entries_any = 1;
	claim_entries_in(PLACE_SHEAF_MAIN, step->cpu, NODE_ANY, NODE_ANY, main);
	claim_entries_in(PLACE_SHEAF_SPARE, step->cpu, NODE_ANY, NODE_ANY, spare);
}

/* Whether a free object of the slab is a caller's now: a bulk request has no sheaf. */
static int gives_to_callers(u32 serial)
{
	const struct kmem_slab_row *row = picture_slab(claim_after(), serial);

	for (u32 i = 0; row && i < row->objects; i++)
		if (picture_cell(claim_before(), serial, i) == CELL_FREE &&
		    picture_cell(claim_after(), serial, i) == CELL_ALLOCATED)
			return 1;
	/* A new slab was not there before: all its objects were free. */
	return row && !picture_slab(claim_before(), serial) &&
	       picture_cell(claim_after(), serial, 0) == CELL_ALLOCATED;
}

/* The slabs of a refill leave their list together, before the first of them gives objects. */
static void from_slab(const struct kmem_step *step)
{
	claim_rest()->any_slab = 1;
	claim_rest()->entries_any = 1;
	claim_objects_become(A(1), CELL_FREE,
			     gives_to_callers(A(0)) ? CELL_ALLOCATED : CELL_FREE_CPU);
	claim_number("free objects left", A(2), claim_free_on_slab(A(0)));
}

static int alloc_rules(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_ALLOC_FASTPATH:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_FREE_CPU, CELL_ALLOCATED);
		claim_entries_in(PLACE_SHEAF_MAIN, step->cpu, NODE_ANY, NODE_ANY, A(2));
		return 1;
	case STEP_ALLOC_NODE_MISMATCH:
		return 1;
	case STEP_SHEAF_FROM_SLAB:
		from_slab(step);
		return 1;
	case STEP_SHEAF_REFILL:
		return 1;
	case STEP_SHEAF_SWAP:
	case STEP_SHEAF_PLACES:
		contents_of(step, A(0), A(1));
		return 1;
	case STEP_BARN_GET:
		claim_objects_become(A(0), CELL_FREE_SHARED, CELL_FREE_CPU);
		claim_rest()->entries_any = 1;
		claim_entries_in(PLACE_SHEAF_MAIN, step->cpu, NODE_ANY, NODE_ANY, A(0));
		return 1;
	default:
		return 0;
	}
}

static int free_rules(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_BARN_PUT:
		claim_objects_become(A(0), CELL_FREE_CPU, CELL_FREE_SHARED);
		claim_rest()->entries_any = 1;
		claim_entries_in(PLACE_SHEAF_MAIN, step->cpu, NODE_ANY, NODE_ANY, 0);
		return 1;
	case STEP_FREE_PAST_SHEAF:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_ALLOCATED, CELL_FREE);
		return 1;
	case STEP_FREE_SLOWPATH:
		/* It only counts: the slab may be gone by now. */
		return 1;
	case STEP_FLUSH_GROUP:
		claim_about(A(0));
		claim_rest()->cells_any = 1;
		claim_rest()->entries_any = 1;
		claim_number("free objects", A(2), claim_free_on_slab(A(0)));
		return 1;
	default:
		return 0;
	}
}

static int request_rules(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_BULK_FROM_SHEAF:
		claim_objects_become(A(0), CELL_FREE_CPU, CELL_ALLOCATED);
		claim_rest()->entries_any = 1;
		claim_entries_in(PLACE_SHEAF_MAIN, step->cpu, NODE_ANY, NODE_ANY, A(1));
		return 1;
	case STEP_BULK_TO_SHEAF:
		claim_objects_become(A(0), CELL_ALLOCATED, CELL_FREE_CPU);
		claim_rest()->entries_any = 1;
		claim_entries_in(PLACE_SHEAF_MAIN, step->cpu, NODE_ANY, NODE_ANY, A(1));
		return 1;
	case STEP_FREE_RCU_SHEAF:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_ALLOCATED, CELL_FREE_CPU);
		claim_entries_in(PLACE_SHEAF_RCU, step->cpu, NODE_ANY, NODE_ANY, A(2));
		return 1;
	case STEP_RCU_SHEAF_WAITS:
		claim_rest()->entries_any = 1;
		claim_entries_in(PLACE_SHEAF_RCU, A(1), NODE_ANY, NODE_ANY, 0);
		return 1;
	default:
		return 0;
	}
}

int picture_rules_sheaves(const struct kmem_step *step)
{
	return alloc_rules(step) || free_rules(step) || request_rules(step);
}
