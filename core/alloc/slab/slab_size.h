/*
 * slab_size.h - derives SLAB's layout from an object's size: order, position of the indices, colours,
 * array limits.
 *
 * Pure functions of the policy and the machine, so that the command can print whole tables. They
 * model two eras: Linux 6.1, and the SLAB of about 2.6.24, with which the proposals of 2008 and
 * 2010 were compared.
 *
 * Kernel: calculate_slab_order(), set_objfreelist_slab_cache(), set_off_slab_cache(),
 * set_on_slab_cache(), enable_cpucache() in mm/slab.c.
 */
#ifndef ALLOC_SLAB_SLAB_SIZE_H
#define ALLOC_SLAB_SLAB_SIZE_H

#include "sim/cache.h"

/* The requested object and its cache flags. */
struct slab_wish {
	u32 object_size, size; /* size: slot, rounded up to words */
	u32 align;
	u32 flags; /* enum cache_flags */
};

struct slab_sizing {
	u32 size;	/* size of a slot in bytes */
	u32 order, num; /* num: objects in a slab; 0: no order can hold one */
	u32 left_over;	/* bytes of a slab that hold neither objects nor indices */
	u32 management; /* enum kmem_management: where the indices are kept */
	u32 front;	/* bytes before the first object, without the colour */
	u32 colour_off, colours;
};

struct slab_tunables {
	u32 limit, batchcount, shared;
};

/* `tries` may be NULL. */
struct slab_sizing slab_size_of(const struct policy *p, u32 page_shift,
				const struct slab_wish *wish, struct order_tries *tries);
/* Computes the tunables in slabinfo for slots of `size` bytes. */
struct slab_tunables slab_tunables_of(const struct policy *p, u32 page_shift, u32 nr_cpus,
				      u32 size);
/* Returns how many free objects a node with this many CPUs may keep in its slabs. */
u32 slab_free_limit_of(u32 nr_cpus, u32 batchcount, u32 num);
/* Returns the alignment of a kmalloc class: SLAB aligns all of them to cache lines. */
u32 slab_kmalloc_align(u32 bytes);
/* Fills in a row of `slabscope order`. */
void slab_order_row(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		    struct kmem_order_row *row, struct order_tries *tries);

#endif
