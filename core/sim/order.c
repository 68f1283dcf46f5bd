/*
 * order.c - the order rules, and the thresholds that follow from an object's size.
 *
 * A try has a number of objects m and a fraction f. It starts at the lowest order that holds m
 * objects and ends at the limit. It finds the first order whose tail waste is at most 1/f of the
 * slab. The rules differ in the sequence of m and f.
 */
#include "sim/order.h"

struct search {
	u32 size, page_shift;
	u32 min_order, max_order;
	struct order_tries *tries;
};

static u32 fls32(u32 x)
{
	return x ? 32 - (u32)__builtin_clz(x) : 0;
}

u32 order_of_bytes(u32 page_shift, u64 len_bytes)
{
	u32 order = 0;

	while ((u64)1 << (page_shift + order) < len_bytes)
		order++;
	return order;
}

u32 order_objects(u32 page_shift, u32 order, u32 size)
{
	u64 fit = ((u64)1 << (page_shift + order)) / size;

	return (u32)MIN(fit, (u64)MAX_OBJS_PER_SLAB);
}

static void note(struct search *s, u32 m, u32 f, u32 order, u32 remainder, u32 accepted)
{
	if (!s->tries)
		return;
	if (s->tries->nr < ORDER_MAX_TRIES) {
		u32 outcome = accepted ? OUTCOME_ACCEPTED : OUTCOME_TOO_WASTEFUL;
		struct kmem_order_try row = { m, f, order, remainder, accepted, outcome, 0 };
		s->tries->row[s->tries->nr] = row;
	}
	s->tries->nr++;
}

/* First order in first…max that wastes at most 1/f; ORDER_NONE if there is none. */
static u32 try_orders(struct search *s, u32 m, u32 f, u32 first, u32 max)
{
	for (u32 o = first; o <= max; o++) {
		u64 bytes = (u64)1 << (s->page_shift + o);
		u32 remainder = (u32)(bytes % s->size);
		if (bytes < s->size)
			remainder = (u32)bytes;
		u32 fits = bytes >= s->size && remainder <= bytes / f;
		note(s, m, f, o, remainder, fits);
		if (fits)
			return o;
	}
	return ORDER_NONE;
}

static u32 try_objects(struct search *s, u32 m, u32 f, u32 max)
{
	u32 first = MAX(s->min_order, order_of_bytes(s->page_shift, (u64)m * s->size));

	return try_orders(s, m, f, first, max);
}

/* Accepts less waste first; the least number of objects falls by one, or by half. */
static u32 rule_by_waste(struct search *s, u32 m, int by_half)
{
	for (; m > 1; m = by_half ? m / 2 : m - 1) {
		for (u32 f = 16; f >= 4; f /= 2) {
			u32 o = try_objects(s, m, f, s->max_order);
			if (o != ORDER_NONE)
				return o;
		}
	}
	u32 o = try_objects(s, 1, 1, s->max_order);
	return o != ORDER_NONE ? o : try_objects(s, 1, 1, MAX_ORDER);
}

static u32 rule_rfc_2023(struct search *s, u32 m)
{
	u32 extra = (1u << s->page_shift) / 4096;

	if (extra == 1)
		extra = 0;
	for (; m >= 1; m--) {
		for (u32 f = 16 + extra; f >= 4; f /= 2) {
			u32 o = try_objects(s, m, f, s->max_order);
			if (o != ORDER_NONE)
				return o;
		}
	}
	return try_objects(s, 1, 1, MAX_ORDER);
}

static u32 rule_linux_6_7(struct search *s, u32 m)
{
	u32 first = MAX(s->min_order, order_of_bytes(s->page_shift, (u64)m * s->size));

	for (u32 f = 16; f > 1; f /= 2) {
		u32 o = try_orders(s, m, f, first, s->max_order);
		if (o != ORDER_NONE)
			return o;
	}
	u32 o = order_of_bytes(s->page_shift, s->size);
	return try_orders(s, 1, 1, o, MAX_ORDER);
}

u32 order_calculate(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		    struct order_tries *tries)
{
	struct search s = { size, page_shift, p->min_order, MAX(p->max_order, p->min_order),
			    tries };
	u32 m = p->min_objects ? p->min_objects : 4 * (fls32(nr_cpus) + 1);
	u32 max_objects = order_objects(page_shift, s.max_order, size);

	if (tries)
		tries->nr = 0;
	/* An index cannot number that many objects: returns the highest order at which it can. */
	if (!p->any_number_of_objects &&
	    ((u64)1 << (page_shift + p->min_order)) / size > MAX_OBJS_PER_SLAB) {
		u32 too_many = order_of_bytes(page_shift, (u64)MAX_OBJS_PER_SLAB * size);
		return MAX(too_many, 1u) - 1;
	}
	switch (p->order_rule) {
	case ORDER_RFC_2023:
		return rule_rfc_2023(&s, MIN(m, max_objects));
	case ORDER_LINUX_6_7:
		return rule_linux_6_7(&s, MIN(m, MAX(max_objects, 1)));
	case ORDER_LINUX_2_6_26:
		return rule_by_waste(&s, m, 1);
	default:
		return rule_by_waste(&s, MIN(m, max_objects), 0);
	}
}

enum { LEAST_MIN_PARTIAL = 5, LARGEST_MIN_PARTIAL = 10 };

u32 min_partial_written(const struct policy *p, u32 value)
{
	if (value == AUTOMATIC || !p->clamp_min_partial)
		return value;
	return CLAMP(value, (u32)LEAST_MIN_PARTIAL, (u32)LARGEST_MIN_PARTIAL);
}

u32 min_partial_of(const struct policy *p, u32 size)
{
	u32 log2 = fls32(size) - 1;

	if (p->min_partial != AUTOMATIC)
		return p->min_partial;
	if (p->min_partial_rule == MIN_PARTIAL_STATIC)
		return LEAST_MIN_PARTIAL;
	if (p->min_partial_rule == MIN_PARTIAL_MAINLINE)
		log2 /= 2;
	return CLAMP(log2, (u32)LEAST_MIN_PARTIAL, (u32)LARGEST_MIN_PARTIAL);
}

u32 cpu_partial_of(const struct policy *p, u32 page_shift, u32 size)
{
	static const u8 slabs_era[4] = { 6, 24, 52, 120 }, objects_era[4] = { 2, 6, 13, 30 };
	u32 step = size >= 1u << page_shift ? 0 : size >= 1024 ? 1 : size >= 256 ? 2 : 3;

	if (p->cpu_partial != AUTOMATIC)
		return p->cpu_partial;
	return p->cpu_partial_objects ? objects_era[step] : slabs_era[step];
}

u32 cpu_partial_slabs_of(u32 cpu_partial, u32 objects_per_slab)
{
	u64 slabs = DIV_ROUND_UP((u64)cpu_partial * 2, objects_per_slab);

	return (u32)MIN(slabs, (u64)0xffffffff);
}

u32 sheaf_capacity_of(const struct policy *p, u32 page_shift, u32 size)
{
	if (p->sheaf_capacity != AUTOMATIC)
		return p->sheaf_capacity;
	/* With a header of 32 bytes these fill a kmalloc class: 64, 128, 256 or 512 bytes. */
	return size >= 1u << page_shift ? 4 : size >= 1024 ? 12 : size >= 256 ? 28 : 60;
}
