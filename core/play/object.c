/*
 * object.c - one object for a person: what the walk says of it, what the allocator knows, and who has it.
 *
 * The trace's object that is in a slot is found by going through the handles, and its allocation by going back through
 * the operations: nothing is kept for the sake of this look.
 */
#include "session.h"

enum { NOTHING = 0xffffffff };

struct finder {
	struct visitor visitor;
	struct kmem_object_row *row;
	u32 found;
};

static void pass_place(struct visitor *v, const struct kmem_place *place)
{
	(void)v;
	(void)place;
}

static void pass_entry(struct visitor *v, const struct kmem_entry *entry)
{
	(void)v;
	(void)entry;
}

static void look_at_slab(struct visitor *v, const struct kmem_slab_row *slab, const u8 *cells,
			 const struct kmem_extent *extents)
{
	struct finder *f = (struct finder *)v;
	struct kmem_object_row *row = f->row;

	if (slab->serial != row->slab || slab->cache != row->cache || row->index >= slab->objects)
		return;
	f->found = 1;
	row->state = cells[row->index];
	row->slab_address = slab->address;
	row->slot = slab->start + row->index * row->slot_bytes;
	if (extents) {
		row->slot = extents[row->index].offset;
		row->slot_bytes = extents[row->index].bytes;
	}
	row->address = slab->address + row->slot;
}

/* The handle whose object is there. */
static u32 find_handle(const struct kmem_session *s, const struct kmem_object_row *row)
{
	u32 cache;

	for (u32 i = 0; i < s->trace.nr_handles; i++) {
		object_loc loc = replay_locate(&s->replay, i, &cache);
		if (loc && cache == row->cache && LOC_INDEX(loc) == row->index &&
		    s->replay.ops->serial(s->w, LOC_SLAB(loc)) == row->slab)
			return i;
	}
	return NOTHING;
}

/* The latest operation before the position that allocated the object of a handle. */
static u32 find_alloc(const struct kmem_session *s, u32 nr)
{
	for (u32 op = s->w->op; op-- > 0;) {
		const struct op o = trace_op(&s->trace, op);
		if (o.handle == nr && (o.kind == OP_ALLOC || o.kind == OP_KMALLOC))
			return op;
	}
	return NOTHING;
}

static void fill_owner(struct kmem_session *s, struct kmem_object_row *row)
{
	row->handle = find_handle(s, row);
	if (row->handle == NOTHING)
		return;
	row->alloc_op = find_alloc(s, row->handle);
	if (row->alloc_op != NOTHING)
		row->requested = s->trace.sites[trace_op(&s->trace, row->alloc_op).site].bytes;
}

const struct kmem_object_row *kmem_object(struct kmem_session *s, u32 cache, u32 slab, u32 index)
{
	struct kmem_object_row *row = &s->object_row;
	struct finder f = { { .place = pass_place, .slab = look_at_slab, .entry = pass_entry },
			    row,
			    0 };

	if (!s->w || cache >= s->w->nr_caches) {
		session_fail(s, KMEM_ESTATE, "there is no such cache at this position");
		return NULL;
	}
	const struct kmem_cache *c = cache_at(s->w, cache);
	memset(row, 0, sizeof(*row));
	row->cache = (u16)cache;
	row->slab = slab;
	row->index = index;
	row->object_bytes = c->object_size;
	row->slot_bytes = c->size;
	row->next = row->handle = row->alloc_op = row->free_op = NOTHING;
	row->alloc_cpu = row->free_cpu = CPU_NONE;
	s->replay.ops->walk(s->w, c, &f.visitor);
	if (!f.found) {
		session_fail(s, KMEM_ESTATE, "there is no such object at this position");
		return NULL;
	}
	if (s->replay.ops->object)
		s->replay.ops->object(s->w, c, slab, index, row);
	if (row->state == CELL_ALLOCATED)
		fill_owner(s, row);
	session_fill_track(s, row->alloc_op, &row->alloc_cpu, &row->alloc_time,
			   &row->alloc_site_at);
	session_fill_track(s, row->free_op, &row->free_cpu, &row->free_time, &row->free_site_at);
	return row;
}
