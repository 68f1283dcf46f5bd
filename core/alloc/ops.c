/*
 * ops.c - the table of allocators.
 */
#include "alloc/ops.h"

#include "sim/cache.h"

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

void visit_no_place(struct visitor *v, const struct kmem_place *place)
{
	(void)v;
	(void)place;
}

void visit_no_entry(struct visitor *v, const struct kmem_entry *entry)
{
	(void)v;
	(void)entry;
}

static void see_place(struct visitor *v, const struct kmem_place *place)
{
	((struct slab_finder *)v)->place = *place;
}

static void see_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		     const struct kmem_extent *extents)
{
	struct slab_finder *f = (struct slab_finder *)v;

	if (row->serial != f->serial || f->is_found)
		return;
	f->is_found = 1;
	f->slab = *row;
	f->found_in = f->place;
	f->cell = f->index < row->objects ? cells[f->index] : CELL_ALLOCATED;
	if (extents && f->index < row->objects)
		f->extent = extents[f->index];
}

static void see_entry(struct visitor *v, const struct kmem_entry *entry)
{
	struct slab_finder *f = (struct slab_finder *)v;

	if (entry->slab == f->serial && entry->index == f->index)
		f->entry_in = f->place;
}

struct slab_finder slab_find(const struct kmem_ops *ops, const struct world *w,
			     const struct kmem_cache *s, u32 serial, u32 index)
{
	struct slab_finder f = { .visitor = { index == 0xffffffff, see_place, see_slab, see_entry,
					      NULL },
				 .serial = serial,
				 .index = index };

	ops->walk(w, s, &f.visitor);
	return f;
}

struct kmem_place place_row(const struct kmem_cache *s, u32 kind, u32 cpu, u32 node)
{
	return (struct kmem_place){ .kind = (u16)kind,
				    .cache = s->id,
				    .cpu = (u16)cpu,
				    .node = (u16)node,
				    .target = 0xffff };
}

struct kmem_slab_row slab_row(const struct world *w, const struct slab_head *slab, u32 position)
{
	return (struct kmem_slab_row){
		.address = (u64)slab->pfn << w->machine.page_shift,
		.serial = slab->serial,
		.position = position,
		.cache = ((const struct kmem_cache *)at(w, slab->cache))->id,
		.node = slab->node,
		.objects = slab->objects,
		.owner_cpu = CPU_NONE,
		.order = slab->order,
	};
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
