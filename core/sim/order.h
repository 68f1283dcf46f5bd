/*
 * order.h - how many pages a slab gets, and the two thresholds that follow from an object's size.
 *
 * Four rules as data: mainline up to 6.6, the 2023 seed (finer fractions as pages grow), 6.7 and later, and
 * 2.6.26–2.6.28. Kernel: calculate_order(), calc_slab_order(), set_min_partial(), set_cpu_partial() in mm/slub.c.
 */
#ifndef SIM_ORDER_H
#define SIM_ORDER_H

#include "kmem_types.h"
#include "sim/world.h"

/* In the order of params.def. */
enum order_rule { ORDER_MAINLINE, ORDER_RFC_2023, ORDER_LINUX_6_7, ORDER_LINUX_2_6_26 };
enum slab_era { SLAB_LINUX_6_1, SLAB_LINUX_2_6_24 };
enum min_partial_rule { MIN_PARTIAL_MAINLINE, MIN_PARTIAL_RFC_2008, MIN_PARTIAL_STATIC };

enum { ORDER_MAX_TRIES = 512, ORDER_NONE = 0xffff };

struct order_tries {
	u32 nr; /* made; the first ORDER_MAX_TRIES are kept */
	struct kmem_order_try row[ORDER_MAX_TRIES];
};

/* Order for slots of `size` bytes, or ORDER_NONE where no order can hold one. tries may be NULL. */
u32 order_calculate(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		    struct order_tries *tries);
/* Least order that holds len_bytes: get_order(). */
u32 order_of_bytes(u32 page_shift, u64 len_bytes);
/* Objects in a slab of that order: never more than an index can name. */
u32 order_objects(u32 page_shift, u32 order, u32 size);
u32 min_partial_of(const struct policy *p, u32 size);
/* What the attribute becomes when `value`, AUTOMATIC or a number, is written to it. */
u32 min_partial_written(const struct policy *p, u32 value);
/* Objects that a CPU's chain is meant to hold (5.16 and later; before it, smaller numbers of objects). */
u32 cpu_partial_of(const struct policy *p, u32 page_shift, u32 size);
u32 cpu_partial_slabs_of(u32 cpu_partial, u32 objects_per_slab);

#endif
