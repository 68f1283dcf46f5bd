/*
 * picture_rules.c - see picture_rules.h; what SLUB's steps say, and which allocator's rules hold.
 *
 * One case a kind of step. A kind that is not here changes nothing that a picture shows.
 */
#include "test/picture/picture_rules.h"

#include "test/picture/picture_claim.h"

#define A(i) step->args[i]

static void slub_alloc_step(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_ALLOC_FASTPATH:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_FREE_CPU, CELL_ALLOCATED);
		if (claim_is_unified())
			claim_entries_in(PLACE_CPU_QUEUE, step->cpu, NODE_ANY, NODE_ANY, A(2));
		else
			claim_number("left on the cpu freelist", A(2), claim_free_on_cpu(A(0)));
		break;
	case STEP_OBJECT_TAKEN:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_ANY, CELL_ALLOCATED);
		if (claim_is_unified())
			claim_entries_in(PLACE_CPU_QUEUE, step->cpu, NODE_ANY, NODE_ANY, A(2));
		else
			claim_number("left on the freelist", A(2),
				     claim_free_on_cpu(A(0)) + claim_free_on_slab(A(0)));
		break;
	case STEP_ALLOC_FROM_PARTIAL:
		claim_about(A(0));
		claim_list_length(PLACE_NODE_PARTIAL, A(2));
		if (claim_is_unified())
			break;
		claim_slab_at_cpu(A(0), PLACE_CPU_SLAB, step->cpu);
		claim_freelist_to_cpu(A(0));
		claim_number("free objects", A(1), claim_free_on_cpu(A(0)));
		break;
	case STEP_ALLOC_SLAB:
		claim_slab_comes(A(0));
		if (A(4) == FRESH_CPU_SLAB)
			claim_slab_at_cpu(A(0), PLACE_CPU_SLAB, step->cpu);
		else
			claim_slab_in(A(0), PLACE_TRANSIT);
		claim_number("free objects", A(2),
			     claim_free_on_cpu(A(0)) + claim_free_on_slab(A(0)));
		break;
	default:
		break;
	}
}

static void cpu_slab_step(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_ALLOC_NODE_MISMATCH:
		claim_slab_in(A(0), PLACE_TRANSIT);
		claim_freelist_to_slab(A(0));
		break;
	case STEP_CPU_SLAB_DETACH:
		claim_slab_in(A(0), PLACE_TRANSIT);
		claim_number("objects of the cpu freelist", A(1), claim_free_on_cpu_before(A(0)));
		claim_freelist_to_slab(A(0));
		break;
	case STEP_CPU_SLAB_INSTALL:
		claim_slab_at_cpu(A(0), PLACE_CPU_SLAB, step->cpu);
		claim_number("free objects", A(1), claim_free_on_cpu(A(0)));
		claim_freelist_to_cpu(A(0));
		break;
	case STEP_ALLOC_REFILL:
		claim_about(A(0));
		claim_freelist_to_cpu(A(0));
		claim_number("objects that the CPU took over", A(1), claim_rest()->nr_cells);
		break;
	case STEP_DEACTIVATE_BYPASS:
	case STEP_DEACTIVATE_FULL:
		claim_slab_in(A(0), PLACE_NODE_FULL);
		break;
	case STEP_CPU_PARTIAL_ALLOC:
		claim_slab_at_cpu(A(0), PLACE_CPU_SLAB, step->cpu);
		claim_chain_length(step->cpu, A(1));
		break;
	case STEP_CPU_PARTIAL_NODE:
		claim_slab_at_cpu(A(0), PLACE_CPU_PARTIAL, step->cpu);
		claim_number("free objects", A(1), claim_free_on_slab(A(0)));
		claim_chain_length(step->cpu, A(2));
		break;
	default:
		break;
	}
}

static void slub_free_step(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_FREE_FASTPATH:
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_ANY, CELL_FREE_CPU);
		break;
	case STEP_BULK_LIST:
		claim_about(A(0));
		claim_objects_become(A(1), CELL_ALLOCATED, CELL_ANY);
		break;
	case STEP_FREE_SLOWPATH:
		if (claim_is_unified())
			break;
		claim_about(A(0));
		claim_object_becomes(A(0), A(1), CELL_ANY, CELL_FREE);
		claim_number("free objects", A(4), claim_free_on_slab(A(0)));
		break;
	case STEP_FREE_ADD_PARTIAL:
		claim_slab_on_list(A(0), PLACE_NODE_PARTIAL,
				   claim_is_unified() ? END_HEAD : END_TAIL);
		claim_number("free objects", A(1), claim_free_on_slab(A(0)));
		claim_list_length(PLACE_NODE_PARTIAL, A(2));
		break;
	case STEP_FREE_REMOVE_PARTIAL:
		claim_slab_in(A(0), PLACE_TRANSIT);
		claim_list_length(PLACE_NODE_PARTIAL, A(1));
		break;
	case STEP_SHRINK_DISCARD:
		claim_slab_in(A(0), PLACE_TRANSIT);
		claim_list_length(PLACE_NODE_PARTIAL, A(1));
		break;
	case STEP_FREE_SLAB:
	case STEP_SHRINK_FREE:
		claim_slab_gone(A(0));
		break;
	case STEP_CHAIN_PUSH:
		claim_slab_at_cpu(A(0), PLACE_CPU_PARTIAL, step->cpu);
		claim_chain_length(step->cpu, A(1));
		break;
	case STEP_CPU_PARTIAL_FREE:
		claim_about(A(0));
		if (A(1))
			claim_slab_at_cpu(A(0), PLACE_CPU_PARTIAL, step->cpu);
		claim_chain_length(step->cpu, A(1));
		break;
	case STEP_CHAIN_DETACH:
		claim_rest()->any_slab = 1;
		claim_chain_length(step->cpu, 0);
		break;
	default:
		break;
	}
}

static void deactivate_step(const struct kmem_step *step)
{
	switch (step->kind) {
	case STEP_DEACTIVATE_TO_HEAD:
	case STEP_DEACTIVATE_TO_TAIL:
		claim_slab_on_list(A(0), PLACE_NODE_PARTIAL,
				   step->kind == STEP_DEACTIVATE_TO_HEAD ? END_HEAD : END_TAIL);
		claim_number("free objects", A(1), claim_free_on_slab(A(0)));
		claim_list_length(PLACE_NODE_PARTIAL, A(2));
		break;
	case STEP_DEACTIVATE_EMPTY:
		if (A(3) == OUTCOME_KEEP)
			claim_slab_on_list(A(0), PLACE_NODE_PARTIAL, END_TAIL);
		break;
	case STEP_LIST_ADD:
		claim_slab_on_list(A(0), PLACE_NODE_PARTIAL, A(2));
		claim_number("free objects", A(1), claim_free_on_slab(A(0)));
		claim_list_length(PLACE_NODE_PARTIAL, A(3));
		break;
	case STEP_FULL_ADD:
	case STEP_FULL_LEAVE:
		claim_slab_in(A(0), PLACE_NODE_FULL);
		claim_list_length(PLACE_NODE_PARTIAL, A(1));
		break;
	case STEP_SHRINK_BUCKET:
		claim_rest()->any_slab = 1;
		break;
	case STEP_FIX:
		claim_about(A(1));
		claim_rest()->cells_any = 1;
		break;
	case STEP_OBJECTS_LOST:
		claim_about(A(0));
		claim_rest()->cells_any = 1;
		break;
	default:
		break;
	}
}

static void sheaf_step(const struct kmem_step *step)
{
	u32 cpu = step->cpu;

	switch (step->kind) {
	case STEP_ALLOC_PCS:
		claim_object_becomes(A(0), A(1), CELL_FREE_CPU, CELL_ALLOCATED);
		claim_entries_in(PLACE_SHEAF_MAIN, cpu, NODE_ANY, NODE_ANY, A(2));
		break;
	case STEP_FREE_PCS:
		claim_object_becomes(A(0), A(1), CELL_ALLOCATED, CELL_FREE_CPU);
		claim_entries_in(PLACE_SHEAF_MAIN, cpu, NODE_ANY, NODE_ANY, A(2));
		break;
	case STEP_SHEAF_SWAP:
	case STEP_SHEAF_PLACES:
		claim_rest()->entries_any = 1;
		claim_entries_in(PLACE_SHEAF_MAIN, cpu, NODE_ANY, NODE_ANY, A(0));
		claim_entries_in(PLACE_SHEAF_SPARE, cpu, NODE_ANY, NODE_ANY, A(1));
		break;
	case STEP_SHEAF_REFILL:
		claim_objects_become(A(0), CELL_ALLOCATED, CELL_FREE_CPU);
		break;
	case STEP_BARN_GET:
		claim_objects_become(A(0), CELL_FREE_SHARED, CELL_FREE_CPU);
		claim_entries_in(PLACE_SHEAF_MAIN, cpu, NODE_ANY, NODE_ANY, A(0));
		break;
	case STEP_BARN_PUT:
		claim_objects_become(A(0), CELL_FREE_CPU, CELL_FREE_SHARED);
		claim_entries_in(PLACE_SHEAF_MAIN, cpu, NODE_ANY, NODE_ANY, 0);
		break;
	default:
		break;
	}
}

const char *picture_claims(const struct world *w, const struct kmem_step *step,
			   const struct picture *before, const struct picture *after,
			   struct claims *c)
{
	claim_begin(w, step, before, after, c);
	switch (w->policy.allocator) {
	case ALLOCATOR_SLUB:
		if (w->policy.no_cpu_slabs && picture_rules_sheaves(step))
			break;
		slub_alloc_step(step);
		cpu_slab_step(step);
		slub_free_step(step);
		deactivate_step(step);
		sheaf_step(step);
		break;
	case ALLOCATOR_UNIFIED:
		slub_alloc_step(step);
		slub_free_step(step);
		picture_rules_unified(step);
		break;
	case ALLOCATOR_SLAB:
		picture_rules_slab(step);
		break;
	default:
		picture_rules_slob(step);
	}
	return claim_broken();
}
