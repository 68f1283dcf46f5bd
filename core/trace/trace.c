/*
 * trace.c - an imported trace: packs an event's op into eight bytes and unpacks it, replaces the recorded future by a
 * fork, and measures.
 *
 * An op that does not fit (a site past the millionth, a rare flag) lies unpacked in a separate
 * table.
 */
#include "trace/trace.h"
#include "sim/cache.h"
#include "util/scan.h"

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
		if (!IS_FIRST_VIEW && t->sites[op.site].request &&
		    (op.kind == OP_ALLOC || op.kind == OP_FREE))
			op.flags = OP_BY_REQUEST;
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
	int is_usual = op_allocates(op->kind) || op->kind == OP_FREE;

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

/*
 * Derives the kind of kmalloc cache and the zones from allocation flags, and the class from
 * the size.
 *
 * Flags may be names ("GFP_KERNEL|__GFP_ACCOUNT", without the underscores before 4.6) or a number
 * (raw reports). They may also be missing (6.1 with unhashed pointers); `accounted=` then still
 * gives one of them.
 */

/* Bits of gfp_t that have not moved in 5.x and 6.x, and those of 2.6, which prints eight bare hex
 * digits. */
enum {
	GFP_DMA_BIT = 0x01,
	GFP_DMA32_BIT = 0x04,
	GFP_RECLAIMABLE_BIT = 0x10,
	GFP_ACCOUNT_BIT = 0x400000,
	GFP_RECLAIMABLE_BIT_2_6 = 0x80000,
};

static u32 type_of(int dma, int reclaimable, int account)
{
	if (dma)
		return KMALLOC_DMA;
	if (reclaimable)
		return KMALLOC_RECLAIM;
	return account ? KMALLOC_CGROUP : KMALLOC_NORMAL;
}

/* Reads 0xcc0, 3264, or 000000d0, the form of 2.6.31, which sets *old. 0 if the flags are not a
 * number. */
static int read_number(const char *gfp, u64 *value, int *old)
{
	u32 base = 10, n = 0, hex = gfp[0] == '0' && gfp[1] == 'x';

	*value = 0;
	while (gfp[n])
		n++;
	*old = n == 8 && !hex;
	if (hex || *old)
		base = 16;
	for (u32 i = hex ? 2 : 0; i < n; i++) {
		u32 digit = hex_digit((u8)gfp[i]);
		if (digit >= base || *value >> 40)
			return 0;
		*value = *value * base + digit;
	}
	return n > 0;
}

/* Returns the next name before a bar, without underscores, or NULL; moves *at after it. */
static const u8 *next_flag(const u8 **at, const u8 **end)
{
	const u8 *name = *at;

	if (!*name)
		return NULL;
	for (*end = name; **end && **end != '|'; ++*end)
		;
	*at = **end ? *end + 1 : *end;
	return span_begins(name, *end, "__") ? name + 2 : name;
}

u32 gfp_zone_of(const char *gfp)
{
	const u8 *at = (const u8 *)gfp, *name, *end;
	u32 zone = ZONE_NORMAL;
	u64 value;
	int old;

	if (read_number(gfp, &value, &old))
		return value & GFP_DMA_BIT     ? ZONE_DMA
		       : value & GFP_DMA32_BIT ? ZONE_DMA32
					       : ZONE_NORMAL;
	while ((name = next_flag(&at, &end))) {
		if (span_is(name, end, "GFP_DMA"))
			zone = ZONE_DMA;
		else if (span_is(name, end, "GFP_DMA32"))
			zone = MIN(zone, (u32)ZONE_DMA32);
	}
	return zone;
}

u32 kmalloc_type_of(const char *gfp, u32 accounted)
{
	const u8 *at = (const u8 *)gfp, *name, *end;
	int dma = 0, reclaimable = 0, account = !gfp[0] && accounted;
	u64 value;
	int old;

	if (read_number(gfp, &value, &old))
		return type_of(value & GFP_DMA_BIT,
			       (value & (old ? GFP_RECLAIMABLE_BIT_2_6 : GFP_RECLAIMABLE_BIT)) != 0,
			       !old && value & GFP_ACCOUNT_BIT);
	while ((name = next_flag(&at, &end))) {
		dma |= span_is(name, end, "GFP_DMA");
		reclaimable |= span_is(name, end, "GFP_RECLAIMABLE");
		account |= span_is(name, end, "GFP_ACCOUNT") ||
			   span_is(name, end, "GFP_KERNEL_ACCOUNT");
	}
	return type_of(dma, reclaimable, account);
}

u32 kmalloc_slot(u32 bytes)
{
	u32 slot = bytes ? 8 : 0;

	if (bytes > 64 && bytes <= 96)
		return 96;
	if (bytes > 128 && bytes <= 192)
		return 192;
	while (slot < bytes)
		slot *= 2;
	return slot;
}

u32 kmem_kmalloc_slot(u32 bytes)
{
	return kmalloc_slot(bytes);
}

/*
 * Measures a trace in one pass.
 *
 * A lifetime is a number of events that request something from the allocator, including the
 * object's own allocation. An object freed by the next such event has lived for 1. An unseen free,
 * or an object never freed in the trace, has no lifetime. Lifetimes are counted by powers of two,
 * sizes by bytes of the slot.
 */

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
		if (op_allocates(op.kind)) {
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

/* Forks */

static struct packed_op *stash(const struct trace *t)
{
	return t->fork.ops.at;
}

/* Returns how many recorded events the lines may overwrite: the import looks at their number at each checkpoint
 * only. */
static u32 nr_stashed(const struct trace *t)
{
	return MIN(t->fork.nr_ops - t->fork.at,
		   (u32)KMEM_MAX_FORK_EVENTS + (u32)TIMES_PER_CHECKPOINT);
}

struct op trace_recorded_op(const struct trace *t, u32 i)
{
	if (t->fork.is_on && i >= t->fork.at && i - t->fork.at < nr_stashed(t))
		return trace_unpack(t, stash(t)[i - t->fork.at]);
	return trace_op(t, i);
}

int trace_set_aside(struct trace *t, u32 at)
{
	struct trace_fork *f = &t->fork;

	f->at = at;
	f->nr_ops = t->nr_ops;
	f->nr_sites = t->nr_sites;
	f->nr_handles = t->nr_handles;
	f->nr_caches = t->nr_caches;
	f->nr_sets = t->nr_sets;
	f->nr_corruptions = t->nr_corruptions;
	f->nr_large_ops = t->nr_large_ops;
	f->text_bytes = t->text_bytes;
	if (!buffer_grow(t->pool, &f->ops, MAX(nr_stashed(t), 1u) * (u64)sizeof(*stash(t))))
		return 0;
	for (u32 i = 0; i < nr_stashed(t); i++)
		stash(t)[i] = *trace_packed(t, at + i);
	f->is_on = 1;
	return 1;
}

void trace_unfork(struct trace *t)
{
	struct trace_fork *f = &t->fork;
	u32 chunks = DIV_ROUND_UP(f->nr_ops, OPS_PER_CHUNK);

	if (!f->is_on)
		return;
	for (u32 i = 0; i < nr_stashed(t); i++)
		*trace_packed(t, f->at + i) = stash(t)[i];
	for (u32 i = chunks; i < DIV_ROUND_UP(t->nr_ops, OPS_PER_CHUNK); i++) {
		pool_free(t->pool, t->op_chunks[i], OPS_PER_CHUNK * sizeof(struct packed_op));
		t->op_chunks[i] = NULL;
	}
	/* Texts are padded with zeros. */
	memset(t->text + f->text_bytes, 0, t->text_bytes - f->text_bytes);
	t->nr_ops = f->nr_ops;
	t->nr_sites = f->nr_sites;
	t->nr_handles = f->nr_handles;
	t->nr_caches = f->nr_caches;
	t->nr_sets = f->nr_sets;
	t->nr_corruptions = f->nr_corruptions;
	t->nr_large_ops = f->nr_large_ops;
	t->text_bytes = f->text_bytes;
	times_restore(t);
	buffer_free(t->pool, &f->ops);
	*f = (struct trace_fork){ 0 };
}

void trace_free(struct trace *t)
{
	if (!t->pool)
		return;
	if (!IS_FIRST_VIEW && t->fork.is_on)
		trace_unfork(t);
	for (u32 i = 0; t->op_chunks && i < DIV_ROUND_UP(t->nr_ops, OPS_PER_CHUNK); i++)
		pool_free(t->pool, t->op_chunks[i], OPS_PER_CHUNK * sizeof(struct packed_op));
	pool_free(t->pool, t->op_chunks, POOL_UNIT_BYTES);
	times_drop(t);
	if (!IS_FIRST_VIEW) {
		trace_keep_nothing(t);
		first_events_drop(t);
		page_events_drop(t);
	}
	struct buffer *runs[] = { &t->site_run,	      &t->cache_run,	  &t->set_run,
				  &t->corruption_run, &t->text_run,	  &t->report_run,
				  &t->large_run,      &t->counters_run,	  &t->reported.run,
				  &t->filter.run,     &t->pseudonyms.run, &t->query_run,
				  &t->symbols_run };
	for (u32 i = 0; i < ARRAY_SIZE(runs); i++)
		buffer_free(t->pool, runs[i]);
	memset(t, 0, sizeof(*t));
}

u32 trace_group(const struct trace *t, u32 i, const struct trace_filter *filter)
{
	const struct op first = trace_op(t, i);
	const struct site *site = &t->sites[first.site];
	u32 nr = 0;

	if (site->request != SITE_GROUP || !(first.flags & OP_GROUP_FIRST))
		return 0;
	for (u32 k = i; k < t->nr_ops; k++) {
		const struct op op = trace_op(t, k);
		const struct site *other = &t->sites[op.site];
		/* Where the request names no call site, its objects may have any. */
		if (op.cpu != first.cpu || other->request != SITE_GROUP ||
		    other->was != site->was ||
		    (site->call_site && other->call_site != site->call_site))
			continue;
		nr += !filter || filter_has(filter, k);
		if (op.flags & OP_GROUP_LAST)
			break;
	}
	return nr;
}
