/*
 * trace_op.c - packs an event's op into eight bytes, and unpacks it.
 *
 * An op that does not fit (a site past the millionth, a rare flag) lies unpacked in a separate
 * table.
 */
#include "trace/gfp.h"
#include "trace/trace.h"

struct op trace_unpack(const struct trace *t, struct packed_op packed)
{
	u32 kind = packed.object >> PACKED_KIND_AT, nr = packed.object & PACKED_HANDLE_MASK;
	struct op op = { .handle = nr,
			 .site = packed.place & PACKED_SITE_MASK,
			 .cpu = (u16)(packed.place >> PACKED_CPU_AT),
			 .kind = (u8)kind };

	if (kind == PACKED_LARGE)
		return ((const struct op *)t->large_run.at)[nr];
	if (kind == PACKED_AS_SITE) {
		op.kind = t->sites[op.site].kind;
		op.handle = nr == PACKED_HANDLE_MASK ? HANDLE_NONE : nr;
#ifndef KMEM_FIRST_VIEW
		if (t->sites[op.site].request && (op.kind == OP_ALLOC || op.kind == OP_FREE))
			op.flags = OP_BY_REQUEST;
#endif
	} else if (kind == PACKED_IMPLIED_FREE) {
		op.kind = OP_FREE;
		op.flags = OP_IMPLIED;
	}
	return op;
}

u32 trace_slot(const struct trace *t, const struct site *site)
{
	if (site->was != OP_ALLOC)
		return kmalloc_slot(site->bytes);
	const struct trace_cache *cache = &t->caches[site->cache];
	return cache->size ? cache->size : ALIGN_UP(cache->object_size, 8);
}

static u32 kind_of_op(const struct trace *t, const struct op *op)
{
	int is_usual = op->kind == OP_ALLOC || op->kind == OP_KMALLOC || op->kind == OP_FREE;

	if (op->site > PACKED_SITE_MASK || op->cpu >= MAX_CPUS)
		return PACKED_LARGE;
	if (is_usual && op->handle < PACKED_HANDLE_MASK && !op->flags)
		return op->kind;
	if (op->kind == OP_FREE && op->handle < PACKED_HANDLE_MASK && op->flags == OP_IMPLIED)
		return PACKED_IMPLIED_FREE;
	if (op->kind == t->sites[op->site].kind && !(op->flags & ~OP_BY_REQUEST) &&
	    (op->handle < PACKED_HANDLE_MASK || op->handle == HANDLE_NONE))
		return PACKED_AS_SITE;
	return PACKED_LARGE;
}

s32 trace_pack(struct trace *t, const struct op *op, struct packed_op *packed)
{
	u32 kind = kind_of_op(t, op), handle = op->handle & PACKED_HANDLE_MASK;

	packed->place = op->site | (u32)op->cpu << PACKED_CPU_AT;
	if (kind == PACKED_LARGE) {
		u64 need_bytes = (t->nr_large_ops + 1) * (u64)sizeof(*op);
		if (t->nr_large_ops == PACKED_HANDLE_MASK)
			return KMEM_ELIMIT;
		if (!buffer_grow(t->pool, &t->large_run, need_bytes))
			return KMEM_ENOMEM;
		((struct op *)t->large_run.at)[t->nr_large_ops] = *op;
		handle = t->nr_large_ops++;
	}
	packed->object = handle | kind << PACKED_KIND_AT;
	return KMEM_OK;
}

struct packed_op trace_renamed(struct trace *t, struct packed_op packed, u32 handle)
{
	u32 kind = packed.object >> PACKED_KIND_AT;

	KASSERT(handle < PACKED_HANDLE_MASK);
	if (kind == PACKED_LARGE)
		((struct op *)t->large_run.at)[packed.object & PACKED_HANDLE_MASK].handle = handle;
	else
		packed.object = handle | kind << PACKED_KIND_AT;
	return packed;
}
