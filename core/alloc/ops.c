/*
 * ops.c - the table of allocators.
 */
#include "alloc/ops.h"

const struct kmem_ops *ops_of(u32 allocator)
{
	static const struct kmem_ops *const table[] = {
#define ALLOCATOR(id, name, label, ops) &ops,
#include "tables/allocators.def"
	};

	KASSERT(allocator < ARRAY_SIZE(table));
	return table[allocator];
}

const char *allocator_name(u32 allocator)
{
	static const char *const names[] = {
#define ALLOCATOR(id, name, label, ops) name,
#include "tables/allocators.def"
	};

	KASSERT(allocator < ARRAY_SIZE(names));
	return names[allocator];
}

void lock_report(struct visitor *v, const struct vlock *lock, enum kmem_lock_kind kind, u32 cache,
		 u32 node, u32 target)
{
	struct kmem_lock_row row = { 0 };

	if (!lock->takes)
		return;
	row.wait_cycles = lock->wait_cycles;
	row.takes = lock->takes;
	row.contended = lock->contended;
	row.kind = (u16)kind;
	row.cache = (u16)cache;
	row.node = (u16)node;
	row.target = (u16)target;
	v->lock(v, &row);
}
