/*
 * picture_rules_others.c - what the steps of SLAB, Unified and both SLOBs say.
 */
#include "test/picture/picture_claim.h"
#include "test/picture/picture_rules.h"

#define A(i) step->args[i]

static void slab_alloc_step(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_ALLOCHIT:
	case STEP_ARRAY_POP:
		claim_object_becomes(A(0), A(1), CELL_FREE_CPU, CELL_ALLOCATED);
		claim_entries_in(PLACE_CPU_ARRAY, step->cpu, NODE_ANY, NODE_ANY, A(2));
		break;
	case STEP_REFILL_SHARED:
		claim_objects_become(A(0), CELL_FREE_SHARED, CELL_FREE_CPU);
		claim_entries_in(PLACE_SHARED_ARRAY, NODE_ANY, step->node, NODE_ANY, A(1));
		break;
	case STEP_REFILL_SLAB:
	case STEP_REFILL_NEW:
		claim_about(A(0));
		claim_objects_become(A(1), CELL_FREE, CELL_FREE_CPU);
		break;
	case STEP_SLAB_RELIST:
		claim_slab_on_list(A(0), A(3), A(2));
		claim_list_length(A(3), A(4));
		break;
	case STEP_GROWN:
		claim_slab_comes(A(0));
		claim_slab_in(A(0), PLACE_TRANSIT);
		claim_number("free objects", A(2), claim_free_on_slab(A(0)));
		break;
	case STEP_NODEALLOCS:
	case STEP_NODE_TAKE:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_FREE, CELL_ALLOCATED);
		break;
	default:
		break;
	}
}

static void slab_free_step(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_FREEHIT:
	case STEP_ARRAY_PUSH:
		claim_object_becomes(A(0), A(1), CELL_ALLOCATED, CELL_FREE_CPU);
		claim_entries_in(PLACE_CPU_ARRAY, step->cpu, NODE_ANY, NODE_ANY, A(2));
		break;
	case STEP_FLUSH_SHARED:
		claim_objects_become(A(0), CELL_FREE_CPU, CELL_FREE_SHARED);
		claim_entries_in(PLACE_SHARED_ARRAY, NODE_ANY, step->node, NODE_ANY, A(1));
		break;
	case STEP_BLOCK_FREE:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_ANY, CELL_FREE);
		break;
	case STEP_ALIEN_TO_SHARED:
		claim_objects_become(A(0), CELL_FREE_ALIEN, CELL_FREE_SHARED);
		claim_entries_in(PLACE_SHARED_ARRAY, NODE_ANY, step->node, NODE_ANY, A(1));
		break;
	case STEP_ALIEN_PUSH:
		claim_object_becomes(A(0), A(1), CELL_ALLOCATED, CELL_FREE_ALIEN);
		claim_entries_in(PLACE_ALIEN_ARRAY, NODE_ANY, step->node, A(2), A(3));
		break;
	case STEP_SLAB_OFF_LIST:
		claim_slab_in(A(0), PLACE_TRANSIT);
		claim_list_length(PLACE_NODE_FREE, A(1));
		break;
	case STEP_SLAB_DESTROY:
		claim_slab_gone(A(0));
		break;
	default:
		break;
	}
}

void picture_rules_slab(const struct kmem_step *step)
{
	slab_alloc_step(step);
	slab_free_step(step);
}

static u32 cell_of_queue(u32 queue)
{
	return queue == QUEUE_CPU      ? CELL_FREE_CPU
	       : queue == QUEUE_SHARED ? CELL_FREE_SHARED
				       : CELL_FREE_ALIEN;
}

static void unified_alloc_step(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_ALLOC_SHARED:
		claim_objects_become(A(0), CELL_FREE_SHARED, CELL_FREE_CPU);
		claim_entries_in(PLACE_SHARED_QUEUE, NODE_ANY, NODE_ANY, A(2), A(1));
		break;
	case STEP_QUEUE_TAKE:
		claim_about(A(0));
		claim_objects_become(A(1), CELL_FREE, cell_of_queue(A(3)));
		break;
	case STEP_BITMAP_TAKE:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_FREE, CELL_ALLOCATED);
		claim_number("free in the bitmap", A(2), claim_free_on_slab(A(0)));
		break;
	case STEP_SLAB_EXHAUSTED:
		claim_slab_in(A(0), PLACE_LOOSE);
		claim_list_length(PLACE_NODE_PARTIAL, A(1));
		break;
	case STEP_SLAB_REST:
		claim_slab_on_list(A(0), PLACE_NODE_PARTIAL, A(2));
		claim_number("free in the bitmap", A(1), claim_free_on_slab(A(0)));
		claim_list_length(PLACE_NODE_PARTIAL, A(3));
		break;
	case STEP_ALLOC_ALIEN:
		claim_object_becomes(A(0), A(1), CELL_FREE_ALIEN, CELL_ALLOCATED);
		break;
	default:
		break;
	}
}

static void unified_free_step(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_QUEUE_PUSH:
		claim_object_becomes(A(0), A(1), CELL_ALLOCATED, CELL_FREE_CPU);
		claim_entries_in(PLACE_CPU_QUEUE, step->cpu, NODE_ANY, NODE_ANY, A(2));
		break;
	case STEP_FREE_SHARED:
		claim_objects_become(A(0), CELL_FREE_CPU, CELL_FREE_SHARED);
		claim_entries_in(PLACE_SHARED_QUEUE, NODE_ANY, NODE_ANY, A(2), A(1));
		break;
	case STEP_FREE_ALIEN:
	case STEP_FREE_ALIEN_SLOW:
		claim_object_becomes(A(0), A(1), CELL_ALLOCATED, CELL_FREE_ALIEN);
		break;
	case STEP_BITMAP_PUT:
		claim_about(A(0));
		claim_objects_become(A(1), CELL_ANY, CELL_FREE);
		claim_number("free in the bitmap", A(2), claim_free_on_slab(A(0)));
		break;
	case STEP_LIST_TRIM:
		claim_rest()->any_slab = 1;
		claim_list_length(PLACE_NODE_PARTIAL, A(1));
		break;
	case STEP_EXPIRE_LIST_SPARED: {
		const struct kmem_place *place = picture_place(claim_after(), PLACE_NODE_PARTIAL,
							       NODE_ANY, step->node, NODE_ANY);
		claim_number("touched", 0, place ? place->touched : 0);
		break;
	}
	default:
		break;
	}
}

void picture_rules_unified(const struct kmem_step *step)
{
	unified_alloc_step(step);
	unified_free_step(step);
}

/* Blocks of a page are numbered anew when one is split or merged, so a step on a page may change all of its cells. */
void picture_rules_slob(const struct kmem_step *step)
{
	claim_rest()->cells_any = 1;
	switch (step->kind) {
	case STEP_BLOCK_SPLIT_HEAD:
	case STEP_BLOCK_SPLIT:
	case STEP_BLOCK_EXACT:
	case STEP_BLOCK_PUT:
	case STEP_PAGE_UNFULL:
	case STEP_COALESCE_NEXT:
	case STEP_COALESCE_PREVIOUS:
		claim_about(A(0));
		break;
	case STEP_CLASS_POP:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_FREE, CELL_ALLOCATED);
		claim_number("left in the page", A(2), claim_free_on_slab(A(0)));
		break;
	case STEP_CLASS_PUSH:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_ALLOCATED, CELL_FREE);
		claim_number("free in the page", A(2), claim_free_on_slab(A(0)));
		break;
	case STEP_ROTATE:
		claim_rest()->any_slab = 1;
		claim_slab_on_list(A(0), A(1), END_HEAD);
		break;
	case STEP_PAGE_NEW:
		claim_slab_comes(A(0));
		break;
	case STEP_PAGE_TO_LIST_HEAD:
		claim_slab_on_list(A(0), A(1), END_HEAD);
		break;
	case STEP_PAGE_OFF_LIST:
		claim_slab_in(A(0), PLACE_LOOSE);
		break;
	case STEP_PAGE_FREE:
	case STEP_RUN_FREE:
		claim_slab_gone(A(0));
		break;
	case STEP_RUN_ALLOC:
		claim_slab_comes(A(0));
		claim_slab_in(A(0), PLACE_LOOSE);
		break;
	default:
		break;
	}
}
