/*
 * slub_sheaf.h - sheaves of 6.18: arrays of objects in front of SLUB's slabs, exchanged as a whole.
 *
 *	CPU:   main ▤▤▤▢▢   spare ▤▤▤▤▤           pop and push at the main sheaf's end
 *	node:  barn  full ▤ ▤ ▤   empty ▢ ▢       the latest first, at most 10 of each
 *
 * A slab counts an object in a sheaf as in use; its link is LINK_SHEAF, in the barn LINK_BARN.
 */
#ifndef ALLOC_SLUB_SLUB_SHEAF_H
#define ALLOC_SLUB_SLUB_SHEAF_H

#include "alloc/slub/slub.h"

enum {
	BARN_SHEAVES = 10, /* full sheaves at most, and as many empty ones */
	NR_SHEAF_COUNTERS = BARN_PUT_FAIL - ALLOC_PCS + 1,
};

struct slub_sheaf {
	ref next; /* in the barn */
	u32 nr;
	object_loc object[]; /* [capacity], oldest first */
};

/* The sheaves of a CPU, created on first use. */
struct slub_pcs {
	ref main;
	ref spare; /* 0: none */
	u32 counters[NR_SHEAF_COUNTERS];
};

struct slub_barn {
	struct vlock lock;
	ref full, empty; /* the latest first */
	u32 nr_full, nr_empty;
};

/* Whether the modelled kernel has sheaves, in some caches at least. */
ALWAYS_INLINE int slub_has_sheaves(const struct world *w)
{
	return w->policy.sheaf_capacity || w->policy.sheaves_in_state;
}

ALWAYS_INLINE struct slub_barn *slub_barn(const struct world *w, const struct kmem_cache *s,
					  u32 node)
{
	return (struct slub_barn *)at(w, slub_own(w, s)->barns) + node;
}

/* NULL until the CPU has used the cache. */
ALWAYS_INLINE struct slub_pcs *slub_pcs(const struct world *w, const struct kmem_cache *s, u32 cpu)
{
	ref r = ((ref *)at(w, slub_own(w, s)->pcs))[cpu];

	return r ? at(w, r) : NULL;
}

/* slub_sheaf.c. Call these only if slub_own()->sheaf_capacity is not 0. */
void slub_sheaf_create(struct world *w, struct kmem_cache *s);
/* Returns 0 if the slabs have to serve the request. */
object_loc slub_sheaf_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c);
/* Returns 0 if the object has to go to its slab. */
int slub_sheaf_free(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		    object_loc loc);
/* Flushes the sheaves of the CPU at work. */
void slub_sheaf_flush_cpu(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c);
void slub_barn_shrink(struct world *w, struct kmem_cache *s, u32 node);

/* slub_sheaf_walk.c */
void slub_sheaf_walk_cpu(const struct world *w, const struct kmem_cache *s, u32 cpu,
			 struct visitor *v);
void slub_sheaf_walk_node(const struct world *w, const struct kmem_cache *s, u32 node,
			  struct visitor *v);
/* *nr: objects in sheaves. */
const char *slub_sheaf_check(const struct world *w, const struct kmem_cache *s, u32 *nr);
void slub_sheaf_count(const struct world *w, const struct kmem_cache *s, u32 *sum);

#endif
