/*
 * order.h - the order of a slab, and the two thresholds that follow from an object's size.
 *
 * The four rules are data: mainline up to 6.6, the 2023 proposal (finer fractions as pages grow),
 * 6.7 and later, and 2.6.26–2.6.28.
 *
 * Kernel: calculate_order(), calc_slab_order(), set_min_partial(), set_cpu_partial() in mm/slub.c.
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
	u32 nr; /* tries made; the first ORDER_MAX_TRIES are kept */
	struct kmem_order_try row[ORDER_MAX_TRIES];
};

/* Order for slots of `size` bytes; ORDER_NONE if no order can hold one. tries may be NULL. */
u32 order_calculate(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		    struct order_tries *tries);
/* get_order(): the lowest order that holds len_bytes. */
u32 order_of_bytes(u32 page_shift, u64 len_bytes);
/* Objects in a slab of that order, at most as many as an index can number. */
u32 order_objects(u32 page_shift, u32 order, u32 size);
u32 min_partial_of(const struct policy *p, u32 size);
/* The attribute's value after a write of `value`, AUTOMATIC or a number. */
u32 min_partial_written(const struct policy *p, u32 value);
/* Target number of objects on a per-CPU partial list (5.16 and later; smaller before). */
u32 cpu_partial_of(const struct policy *p, u32 page_shift, u32 size);
u32 cpu_partial_slabs_of(u32 cpu_partial, u32 objects_per_slab);
/* Objects in a sheaf of a cache with slots of `size` bytes, by the rule of 7.0 if automatic. Kernel:
 * calculate_sheaf_capacity() in mm/slub.c, 7.2. */
u32 sheaf_capacity_of(const struct policy *p, u32 page_shift, u32 size);

#endif
