/*
 * shape.c - measures a trace in one pass.
 *
 * A lifetime is a number of events that request something from the allocator, including the
 * object's own allocation. An object freed by the next such event has lived for 1. An unseen free,
 * or an object never freed in the trace, has no lifetime. Lifetimes are counted by powers of two,
 * sizes by bytes of the slot.
 */
#include "trace/shape.h"

#include "trace/gfp.h"
#include "trace/trace.h"

struct birth_place {
	u32 n; /* events before it */
	u16 cpu;
	u16 is_known; /* its allocation was seen */
};

u64 shape_bytes(const struct trace *t)
{
	return MAX((u64)t->nr_handles, (u64)1) * sizeof(struct birth_place);
}

/* Keeps sizes in ascending order. When the table is full, a new size counts as other. */
static void count_size(struct kmem_shape *shape, struct kmem_shape_size *sizes, u32 max_sizes,
		       u32 bytes)
{
	u32 low = 0, high = shape->nr_sizes;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		if (sizes[mid].bytes < bytes)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < shape->nr_sizes && sizes[low].bytes == bytes) {
		sizes[low].allocs++;
		return;
	}
	if (shape->nr_sizes == max_sizes) {
		shape->other_sizes++;
		return;
	}
	for (u32 i = shape->nr_sizes++; i > low; i--)
		sizes[i] = sizes[i - 1];
	sizes[low] = (struct kmem_shape_size){ .bytes = bytes, .allocs = 1 };
}

static u32 log2_bucket(u32 n)
{
	return n ? 32 - (u32)__builtin_clz(n) - 1 : 0;
}

static void count_free(struct kmem_shape *shape, const struct op *op,
		       const struct birth_place *birth, u32 n)
{
	shape->frees++;
	if (op->flags & OP_IMPLIED) {
		shape->unseen_frees++;
		return;
	}
	shape->seen_frees++;
	shape->remote_frees += op->cpu != birth->cpu;
	shape->lifetimes[log2_bucket(n - birth->n)]++;
}

/* Notes the live objects at the end of each part of the trace, for the curve. In a short trace
 * several parts may end with one event. */
static void note_live(const struct trace *t, struct kmem_shape *shape, u32 i)
{
	u32 nr = ARRAY_SIZE(shape->live);
	u32 end = (u32)(((u64)i + 1) * nr / t->nr_ops);

	for (u32 part = (u32)((u64)i * nr / t->nr_ops); part < end; part++)
		shape->live[part] = shape->live_now;
	shape->live_peak = MAX(shape->live_peak, shape->live_now);
}

static void note_requested(struct kmem_shape *shape, u32 bytes, u32 ops_done)
{
	shape->requested_now += bytes;
	if (shape->requested_now <= shape->requested_peak)
		return;
	shape->requested_peak = shape->requested_now;
	shape->requested_peak_op = ops_done;
}

void shape_of(const struct trace *t, void *births, struct kmem_shape *shape,
	      struct kmem_shape_size *sizes, u32 max_sizes)
{
	struct birth_place *birth = births;
	u32 n = 0, last_cpu = 0xffffffff;

	memset(shape, 0, sizeof(*shape));
	memset(births, 0, shape_bytes(t));
	for (u32 i = 0; i < t->nr_ops; i++) {
		const struct op op = trace_op(t, i);
		const struct site *site = &t->sites[op.site];
		if (op.kind == OP_ALLOC || op.kind == OP_KMALLOC) {
			birth[op.handle] = (struct birth_place){ n, op.cpu, 1 };
			shape->allocs++;
			shape->kmallocs += op.kind == OP_KMALLOC;
			shape->live_now++;
			note_requested(shape, site->bytes, i + 1);
			count_size(shape, sizes, max_sizes, trace_slot(t, site));
		} else if (op.kind == OP_FREE && birth[op.handle].is_known) {
			count_free(shape, &op, &birth[op.handle], n);
			birth[op.handle].is_known = 0;
			shape->live_now--;
			shape->requested_now -= site->bytes;
		}
		note_live(t, shape, i);
		if (op.kind == OP_NOTHING)
			continue;
		shape->cpu_changes += last_cpu != 0xffffffff && last_cpu != op.cpu;
		last_cpu = op.cpu;
		n++;
	}
	shape->ops = n;
	shape->nr_lifetimes = ARRAY_SIZE(shape->lifetimes);
	shape->nr_live = ARRAY_SIZE(shape->live);
}
