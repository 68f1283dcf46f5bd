/*
 * filter.c - goes through a trace and notes which events a filter chooses. See filter.h.
 *
 * First backwards from the window's start: the last event of each object says whether it is live when the window
 * starts. Then forwards through the window: a bit for each object says whether its allocation is chosen.
 */
#include "trace/filter.h"

#include "trace/trace.h"
#include "util/text.h"

/* A fork adds events, objects and sites. */
enum { SPARE = KMEM_MAX_FORK_EVENTS };

static u64 words_for(u64 bits)
{
	return DIV_ROUND_UP(bits + SPARE, (u64)64) * sizeof(u64);
}

static u64 run_bytes(const struct trace *t)
{
	return PART_BYTES(words_for(t->nr_ops)) + PART_BYTES(words_for(t->nr_handles)) +
	       2 * PART_BYTES(words_for(t->nr_sites)) +
	       PART_BYTES(words_for(t->text_bytes / TEXT_STEP));
}

static void cut_run(struct trace *t)
{
	struct trace_filter *f = &t->filter;
	u8 *at = f->run.at;

	f->chosen = pool_cut(&at, words_for(t->nr_ops));
	f->objects = pool_cut(&at, words_for(t->nr_handles));
	f->by_cache = pool_cut(&at, words_for(t->nr_sites));
	f->by_call_site = pool_cut(&at, words_for(t->nr_sites));
	f->by_task = pool_cut(&at, words_for(t->text_bytes / TEXT_STEP));
}

void filter_reserve(struct trace *t)
{
	struct buffer *run = &t->filter.run;

	if (run->room_bytes >= run_bytes(t))
		return;
	t->filter.phase = FILTER_OFF;
	buffer_free(t->pool, run);
	buffer_grow(t->pool, run, run_bytes(t));
}

s32 filter_begin(struct trace *t)
{
	struct trace_filter *f = &t->filter;

	filter_reserve(t);
	if (f->run.room_bytes < run_bytes(t))
		return KMEM_ENOMEM;
	struct buffer run = f->run;
	memset(f, 0, sizeof(*f));
	f->run = run;
	cut_run(t);
	memset(f->chosen, 0, words_for(t->nr_ops));
	memset(f->objects, 0, words_for(t->nr_handles));
	memset(f->by_cache, 0, words_for(t->nr_sites));
	memset(f->by_call_site, 0, words_for(t->nr_sites));
	memset(f->by_task, 0, words_for(t->text_bytes / TEXT_STEP));
	f->nr_ops = t->nr_ops;
	f->to = t->nr_ops;
	f->phase = FILTER_OPEN;
	return KMEM_OK;
}

void filter_off(struct trace *t)
{
	t->filter.phase = FILTER_OFF;
}

static void set_bit(u64 *bits, u32 i, int value)
{
	u64 bit = (u64)1 << i % 64;

	bits[i / 64] = value ? bits[i / 64] | bit : bits[i / 64] & ~bit;
}

static int has(const struct trace_filter *f, enum filter_key key)
{
	return (f->given >> key & 1) != 0;
}

/* Whether a condition depends on the allocation itself, not only on its time. */
static int has_properties(const struct trace_filter *f)
{
	return f->given >> FILTER_CPU != 0;
}

static u32 node_of(const struct trace_filter *f, u32 cpu)
{
	if (cpu >= f->nr_cpus)
		return 0;
	return f->node_of_cpu ? f->node_of_cpu[cpu] : (u32)((u64)cpu * f->nr_nodes / f->nr_cpus);
}

static int passes_place(const struct trace_filter *f, const struct op *op, const struct site *site)
{
	u32 node = site->node == NODE_ANY ? node_of(f, op->cpu) : site->node;

	return (!has(f, FILTER_CPU) || bit_is_set(f->cpus, op->cpu)) &&
	       (!has(f, FILTER_NODE) || (node < MAX_NODES && bit_is_set(f->nodes, node)));
}

/* Whether an allocation passes every condition but the window. */
static int passes(const struct trace *t, u32 i, const struct op *op, const struct site *site)
{
	const struct trace_filter *f = &t->filter;

	return passes_place(f, op, site) &&
	       (!has(f, FILTER_TASK) || bit_is_set(f->by_task, trace_task(t, i) / TEXT_STEP)) &&
	       (!has(f, FILTER_CACHE) || bit_is_set(f->by_cache, op->site)) &&
	       (!has(f, FILTER_CALL_SITE) || bit_is_set(f->by_call_site, op->site));
}

/* Whether a request of a cache or of the whole machine is chosen. It has no call site and no task. */
static int passes_request(const struct trace *t, const struct op *op, const struct site *site)
{
	const struct trace_filter *f = &t->filter;
	u32 cache = site->was == OP_SET ? t->sets[site->bytes].cache : site->cache;
	int has_cpu = !(op->flags & OP_ALL_CPUS) && site->was != OP_SET && site->was != OP_TICK &&
		      site->was != OP_GRACE && site->was != OP_BARRIER;

	if (has_cpu && has(f, FILTER_CPU) && !bit_is_set(f->cpus, op->cpu))
		return 0;
	if (!has(f, FILTER_CACHE) || cache >= t->nr_caches)
		return 1;
	return bit_is_set(f->caches, cache) ||
	       (site->was != OP_SET && bit_is_set(f->by_cache, op->site));
}

/*
 * A bulk request counts as one more event than its objects. It is chosen if all of them are; if only some are, they
 * become single requests.
 */
static int passes_bulk_alloc(const struct trace *t, u32 i, const struct op *op)
{
	const struct trace_filter *f = &t->filter;
	u32 nr = t->sites[op->site].bytes;

	if (i + nr >= f->to)
		return 0;
	for (u32 k = i + 1; k <= i + nr; k++) {
		const struct op member = trace_op(t, k);
		if (member.kind != OP_ALLOC || !passes(t, k, &member, &t->sites[member.site]))
			return 0;
	}
	return nr > 0;
}

static int passes_bulk_free(const struct trace *t, u32 i)
{
	const struct trace_filter *f = &t->filter;
	u32 k = i;

	while (k > 0) {
		const struct op member = trace_op(t, k - 1);
		if (member.kind != OP_FREE || t->sites[member.site].request != SITE_BULK)
			break;
		k--;
		if (k < f->from || !filter_has(f, k))
			return 0;
	}
	return k < i;
}

/* Whether an event that neither allocates nor frees an object is chosen. */
static int passes_other(const struct trace *t, u32 i, const struct op *op, const struct site *site)
{
	const struct trace_filter *f = &t->filter;

	switch (site->was) {
	case OP_ALLOC:
	case OP_KMALLOC:
		/* It failed, or it is a realloc that keeps its object. */
		return op->handle == HANDLE_NONE ? passes(t, i, op, site)
						 : bit_is_set(f->objects, op->handle);
	case OP_FREE:
		/* It frees NULL, or an object from before the trace. */
		return op->handle == HANDLE_NONE ? !has_properties(f)
						 : bit_is_set(f->objects, op->handle);
	case OP_CORRUPT:
		return op->handle != HANDLE_NONE && bit_is_set(f->objects, op->handle);
	case OP_BULK_ALLOC:
		return passes_bulk_alloc(t, i, op);
	case OP_BULK_FREE:
		return passes_bulk_free(t, i);
	default:
		return passes_request(t, op, site);
	}
}

static int choose(struct trace *t, u32 i)
{
	struct trace_filter *f = &t->filter;
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];
	int yes;

	if (op_allocates(op.kind)) {
		yes = passes(t, i, &op, site);
		set_bit(f->objects, op.handle, yes);
		f->nr_allocs += (u32)yes;
	} else if (op.kind == OP_FREE) {
		yes = bit_is_set(f->objects, op.handle);
		f->nr_frees += (u32)yes;
		if (!(op.flags & OP_KEPT))
			set_bit(f->objects, op.handle, 0);
	} else {
		yes = passes_other(t, i, &op, site);
	}
	return yes;
}

static void note(struct trace *t, u32 i)
{
	struct trace_filter *f = &t->filter;
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];
	u32 cache = site->was == OP_SET ? t->sets[site->bytes].cache : site->cache;

	set_bit(f->chosen, i, 1);
	if (cache < t->nr_caches)
		set_bit(f->caches, cache, 1);
}

/* Looks at an event before the window, from the last to the first. Settings keep their effect. */
static void survive(struct trace *t, u32 i)
{
	struct trace_filter *f = &t->filter;
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];
	int is_alloc = op_allocates(op.kind), yes = 0;

	if (site->was == OP_SET)
		yes = passes_request(t, &op, site);
	if ((is_alloc || op.kind == OP_FREE) && !bit_is_set(f->objects, op.handle)) {
		set_bit(f->objects, op.handle, 1);
		yes = is_alloc && passes(t, i, &op, site);
	}
	if (!yes)
		return;
	note(t, i);
	f->nr_before++;
}

/* Starts to go through the window: follows the objects that were chosen before it. */
static void begin_window(struct trace *t)
{
	struct trace_filter *f = &t->filter;

	memset(f->objects, 0, words_for(t->nr_handles));
	for (u32 i = filter_next(f, 0); i < f->from; i = filter_next(f, i + 1)) {
		const struct op op = trace_op(t, i);
		if (op_allocates(op.kind))
			set_bit(f->objects, op.handle, 1);
	}
	f->next = f->from;
	f->phase = FILTER_EVENTS;
}

s64 filter_run(struct trace *t, u32 nr)
{
	struct trace_filter *f = &t->filter;

	if (f->phase == FILTER_OPEN) {
		f->from = MIN(f->from, f->to);
		f->next = f->from;
		f->phase = FILTER_SURVIVORS;
	}
	for (; f->phase == FILTER_SURVIVORS && f->next && nr; nr--)
		survive(t, --f->next);
	if (f->phase == FILTER_SURVIVORS && !f->next)
		begin_window(t);
	for (; f->phase == FILTER_EVENTS && f->next < f->to && nr; nr--, f->next++) {
		if (!choose(t, f->next))
			continue;
		note(t, f->next);
		f->nr_events++;
	}
	if (f->phase == FILTER_EVENTS && f->next == f->to) {
		f->phase = FILTER_READY;
		memset(f->objects, 0, words_for(t->nr_handles));
		f->followed = 0;
	}
	if (f->phase == FILTER_READY)
		return 0;
	return f->phase == FILTER_SURVIVORS ? (s64)f->next + (f->to - f->from) + 1
					    : (s64)(f->to - f->next) + 1;
}

/* A free goes with its allocation, so each chosen event changes exactly one object and can be undone. */
static void follow(struct trace *t, u32 i, int is_undone)
{
	const struct op op = trace_op(t, i);

	if (op_allocates(op.kind))
		set_bit(t->filter.objects, op.handle, !is_undone);
	else if (op.kind == OP_FREE)
		set_bit(t->filter.objects, op.handle, is_undone);
}

void filter_follow(struct trace *t, u32 events)
{
	struct trace_filter *f = &t->filter;

	for (u32 i = filter_next(f, f->followed); i < events; i = filter_next(f, i + 1))
		follow(t, i, 0);
	while (f->followed > events) {
		u32 i = filter_previous(f, f->followed);
		if (i >= f->nr_ops || i < events)
			break;
		follow(t, i, 1);
		f->followed = i;
	}
	f->followed = events;
}

u32 filter_next(const struct trace_filter *f, u32 op)
{
	while (op < f->nr_ops) {
		u64 word = f->chosen[op / 64] >> op % 64;
		if (word)
			return MIN(op + (u32)__builtin_ctzll(word), f->nr_ops);
		op = (op / 64 + 1) * 64;
	}
	return f->nr_ops;
}

u32 filter_previous(const struct trace_filter *f, u32 op)
{
	while (op) {
		u32 last = op - 1;
		u64 word = f->chosen[last / 64] << (63 - last % 64);
		if (word)
			return last - (u32)__builtin_clzll(word);
		op = last / 64 * 64;
	}
	return f->nr_ops;
}
