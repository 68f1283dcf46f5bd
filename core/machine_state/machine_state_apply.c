/*
 * machine_state_apply.c - creates caches that match a machine state, and decides which parameters
 * win over it.
 *
 * A chosen parameter wins over the machine state: one set by the user, the trace, or a preset that
 * either of them named. The file's number for it is then ignored.
 *
 *	number in the file		is ignored if one of these is set
 *	order				order_rule min_order max_order min_objects
 *	min_partial			min_partial_rule min_partial
 *	cpu_partial			cpu_partial_lists cpu_partial cpu_partial_unit
 *	sheaf_capacity			sheaf_capacity sheaf_caches
 *
 * Sizes, alignment and flags are not parameters, so they always come from the file.
 */
#include "alloc/ops.h"
#include "machine_state/machine_state.h"
#include "sim/order.h"
#include "trace/trace.h"

static const struct {
	u8 bit; /* enum held_by_parameters */
	u8 nr_params;
	u16 params[4];
} fields[] = {
	{ HELD_ORDER,
	  4,
	  { PARAM_ORDER_RULE, PARAM_MIN_ORDER, PARAM_MAX_ORDER, PARAM_MIN_OBJECTS } },
	{ HELD_MIN_PARTIAL, 2, { PARAM_MIN_PARTIAL_RULE, PARAM_MIN_PARTIAL } },
	{ HELD_CPU_PARTIAL,
	  3,
	  { PARAM_CPU_PARTIAL_LISTS, PARAM_CPU_PARTIAL, PARAM_CPU_PARTIAL_UNIT } },
	{ HELD_SHEAVES, 2, { PARAM_SHEAF_CAPACITY, PARAM_SHEAF_CACHES } },
};

u32 machine_state_held(const struct params *p)
{
	u32 held = 0;

	for (u32 i = 0; i < ARRAY_SIZE(fields); i++)
		for (u32 k = 0; k < fields[i].nr_params; k++)
			if (params_is_chosen(p, (enum kmem_param)fields[i].params[k]))
				held |= fields[i].bit;
	return held;
}

static int tells_sheaves(const struct machine_state *o)
{
	for (u32 i = 0; i < o->nr_rows; i++) {
		if (o->tables->rows[i].sheaf_capacity - 1 < MAX_SHEAF_CAPACITY)
			return 1;
	}
	return 0;
}

void machine_state_policy(const struct machine_state *o, const struct params *params,
			  struct policy *p)
{
	p->held = (u8)machine_state_held(params);
	p->sheaves_in_state = (u8)(params_is_used(params, PARAM_SHEAF_CAPACITY) &&
				   !(p->held & HELD_SHEAVES) && tells_sheaves(o));
}

static void set_flag(u32 *flags, u32 flag, u32 told)
{
	if (told != NOT_REPORTED)
		*flags = told ? *flags | flag : *flags & ~flag;
}

/* With another page size, the same order means another number of bytes. */
static int order_fits(const struct kmem_machine_state_row *row, u32 page_shift)
{
	u64 slab_bytes = (u64)1 << (page_shift + MIN(row->order, 10u));

	if (row->order == NOT_REPORTED || row->order > 10)
		return 0;
	if (row->objects_per_slab == NOT_REPORTED || row->size == NOT_REPORTED)
		return 1;
	u64 objects_bytes = (u64)row->objects_per_slab * row->size;
	return objects_bytes <= slab_bytes && objects_bytes > slab_bytes / 4;
}

static void apply_thresholds(const struct kmem_machine_state_row *row, u32 page_shift,
			     struct policy *p)
{
	if (!(p->held & HELD_ORDER) && order_fits(row, page_shift))
		p->min_order = p->max_order = (u8)row->order;
	if (!(p->held & HELD_MIN_PARTIAL) && row->min_partial != NOT_REPORTED)
		p->min_partial = row->min_partial;
	if (!(p->held & HELD_CPU_PARTIAL) && row->cpu_partial != NOT_REPORTED)
		p->cpu_partial = row->cpu_partial;
	if (p->sheaves_in_state && row->sheaf_capacity <= MAX_SHEAF_CAPACITY)
		p->sheaf_capacity = row->sheaf_capacity;
}

int machine_state_apply(const struct machine_state *o, u32 page_shift, struct cache_spec *spec,
			struct policy *policy)
{
	const struct kmem_machine_state_row *row = o->tables ? machine_state_find(o, spec->name)
							     : NULL;

	if (!row || (row->size != NOT_REPORTED && row->size < spec->object_size) ||
	    (row->size != NOT_REPORTED && row->size > MAX_CACHE_OBJECT_BYTES))
		return 0;
	if (row->size != NOT_REPORTED)
		spec->size = row->size;
	if (row->object_size != NOT_REPORTED && row->object_size >= spec->object_size &&
	    row->object_size <= MAX(spec->size, spec->object_size))
		spec->object_size = row->object_size;
	if (row->align != NOT_REPORTED && row->align && row->align <= 65536 &&
	    !(row->align & (row->align - 1)))
		spec->align = row->align;
	set_flag(&spec->flags, CACHE_HWCACHE_ALIGN, row->hwcache_align);
	set_flag(&spec->flags, CACHE_RECLAIM, row->reclaim_account);
	set_flag(&spec->flags, CACHE_DMA, row->cache_dma);
	/* Since 6.12 such an object may hold its free pointer inside, which then takes no extra
	 * room. */
	if (row->size == NOT_REPORTED || row->size >= spec->object_size + 8)
		set_flag(&spec->flags, CACHE_TYPESAFE_BY_RCU, row->destroy_by_rcu);
	apply_thresholds(row, page_shift, policy);
	return 1;
}
