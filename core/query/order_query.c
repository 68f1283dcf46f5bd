/*
 * order_query.c - how many pages a slab of a given slot size gets under the settings, and which orders were tried.
 */
#include "alloc/ops.h"
#include "query/index/query.h"

const struct kmem_order_row *kmem_order(struct kmem_session *s, u32 size)
{
	struct kmem_order_row *row = &s->out.order_row;
	s64 cpus = params_get(&s->params, PARAM_CPUS);
	u32 shift = session_page_shift(s),
	    nr_cpus = cpus == PARAM_AUTOMATIC ? MAX(s->trace.report.cpus, 1u) : (u32)cpus;
	struct policy p;

	if (!size)
		session_fail(s, KMEM_EPARAM, "an object has at least one byte");
	if (!size || session_policy(s, &p))
		return NULL;
	memset(row, 0, sizeof(*row));
	row->size = size;
	row->nr_cpus = nr_cpus;
	const struct kmem_ops *ops = ops_of(p.allocator);
	if (ops->order_row)
		ops->order_row(&p, shift, nr_cpus, size, row, &query_of(s)->tries);
	else
		row->order = order_calculate(&p, shift, nr_cpus, size, &query_of(s)->tries);
	row->nr_tries = query_of(s)->tries.nr;
	if (row->order == ORDER_NONE) {
		session_fail(s, KMEM_EPARAM, "no order can hold an object of that size");
		return NULL;
	}
	if (ops->order_row)
		return row;
	row->aligned_size = size;
	row->objects = order_objects(shift, row->order, size);
	row->waste = (u32)(((u64)1 << (shift + row->order)) - (u64)row->objects * size);
	row->min_partial = min_partial_of(&p, size);
	row->cpu_partial_objects = p.cpu_partial_lists ? cpu_partial_of(&p, shift, size) : 0;
	row->sheaf_capacity = p.no_cpu_slabs ? sheaf_capacity_of(&p, shift, size) : 0;
	row->cpu_partial_slabs = cpu_partial_slabs_of(row->cpu_partial_objects, row->objects);
	return row;
}

const struct kmem_order_try *kmem_order_tries(struct kmem_session *s, u32 *nr)
{
	*nr = MIN(query_of(s)->tries.nr, (u32)ORDER_MAX_TRIES);
	return query_of(s)->tries.row;
}
