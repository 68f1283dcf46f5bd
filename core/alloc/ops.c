/*
 * ops.c - the table of allocators, in the order of params.def's `allocator`.
 */
#include "ops.h"

const struct kmem_ops *ops_of(u32 allocator)
{
	static const struct kmem_ops *const table[] = { &slub_ops };

	KASSERT(allocator < ARRAY_SIZE(table));
	return table[allocator];
}
