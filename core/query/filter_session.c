/*
 * filter_session.c - filters a session's trace, and writes it as text.
 */
#include "session/job.h"
#include "session/session.h"
#include "trace/export.h"

static s32 add_choice(struct kmem_session *s, const struct kmem_choice *choice)
{
	u32 nr = filter_key_of(choice->key);

	if (nr == NR_FILTER_KEYS)
		return session_fail(
			s, KMEM_EPARAM,
			"a filter has the keys from-event, to-event, from-time, to-time, "
			"cpu, node, cache, call-site and task");
	s32 status = filter_add(&s->trace, nr, choice->value);
	return status ? session_fail(s, status, s->trace.filter.error) : 0;
}

s32 begin_filter(struct kmem_session *s, const void *args)
{
	const struct kmem_filter_args *a = args;

	if (!s->import.imported)
		return session_fail(s, KMEM_ESTATE, "no trace to filter: import one first");
	s32 status = filter_begin(&s->trace);
	if (status && s->w) {
		session_drop_world(s);
		status = filter_begin(&s->trace);
	}
	if (status)
		return session_fail(s, status, "not enough memory for a filter, two bits an event");
	for (u32 i = 0; !status && i < a->nr; i++)
		status = add_choice(s, &a->choices[i]);
	if (status)
		filter_off(&s->trace);
	return status;
}

/* CPUs belong to nodes as in the machine that a build makes. */
static void know_nodes(struct kmem_session *s)
{
	struct trace_filter *f = &s->trace.filter;
	u32 len;

	f->nr_cpus = session_nr_cpus(s);
	f->nr_nodes = (u32)params_get(&s->params, PARAM_NODES);
	f->node_of_cpu = params_list(&s->params, PARAM_CPU_NODE, &len);
	if (f->node_of_cpu && len < f->nr_cpus)
		f->node_of_cpu = NULL;
}

s64 work_filter(struct kmem_session *s, u32 max_ops)
{
	if (!s->import.imported || s->trace.filter.phase == FILTER_OFF)
		return session_fail(s, KMEM_ESTATE, "no filter has started");
	know_nodes(s);
	return filter_run(&s->trace, max_ops);
}

void kmem_filter_end(struct kmem_session *s)
{
	filter_off(&s->trace);
}

/* Returns the filter that has run to its end, or NULL. */
static const struct trace_filter *ready(struct kmem_session *s)
{
	const struct trace_filter *f = &s->trace.filter;

	if (s->import.imported && f->phase == FILTER_READY && f->nr_ops == s->trace.nr_ops)
		return f;
	return session_none(s, KMEM_ESTATE, "no filter has run to its end");
}

static u32 in_window(const struct trace_filter *f, u32 op)
{
	return op >= f->from && op < f->nr_ops ? op : KMEM_NONE32;
}

const struct kmem_filter *kmem_filter(struct kmem_session *s)
{
	const struct trace_filter *f = ready(s);

	if (!f)
		return NULL;
	s->out.filter = (struct kmem_filter){
		.from = f->from,
		.to = f->to,
		.events = f->nr_events,
		.allocs = f->nr_allocs,
		.frees = f->nr_frees,
		.before = f->nr_before,
		.first = in_window(f, filter_next(f, f->from)),
		.last = in_window(f, filter_previous(f, f->nr_ops)),
	};
	return &s->out.filter;
}

static int is_of_cache(const struct kmem_session *s, u32 op, u32 cache)
{
	return cache == KMEM_ANY || replay_cache_of_event(&s->replay, op) == cache;
}

u32 kmem_filter_next(struct kmem_session *s, u32 op, u32 direction, u32 cache)
{
	const struct trace_filter *f = ready(s);

	if (!f || (!s->w && cache != KMEM_ANY))
		return KMEM_NONE32;
	if (direction == KMEM_BACK) {
		u32 i = filter_previous(f, MIN(op, f->nr_ops));
		while (i >= f->from && i < f->nr_ops && !is_of_cache(s, i, cache))
			i = filter_previous(f, i);
		return in_window(f, i);
	}
	u32 i = filter_next(f, MAX(op, f->from));
	while (i < f->nr_ops && !is_of_cache(s, i, cache))
		i = filter_next(f, i + 1);
	return in_window(f, i);
}

/* Finds a chosen object of that cache at the position; 0 if the handle has none. */
static int chosen_object(const struct kmem_session *s, u32 nr, u32 cache, struct kmem_entry *entry)
{
	const struct kmem_ops *ops = s->replay.ops;
	u32 of;
	object_loc loc = replay_locate(&s->replay, nr, &of);

	if (!loc || (cache != KMEM_ANY && of != cache && !ops->shared_slabs))
		return 0;
	entry->slab = ops->serial(s->w, LOC_SLAB(loc));
	entry->index = (u16)(ops->cell ? ops->cell(s->w, of, loc) : LOC_INDEX(loc));
	entry->cache = (u16)(ops->shared_slabs ? 0 : of);
	return 1;
}

const struct kmem_entry *kmem_filter_objects(struct kmem_session *s, u32 cache, u32 *nr)
{
	const struct trace_filter *f = ready(s);
	u32 most = 0;

	*nr = 0;
	if (!f)
		return NULL;
	if (!s->w)
		return session_none(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	filter_follow(&s->trace, s->w->op);
	for (u32 word = 0; word < DIV_ROUND_UP(s->trace.nr_handles, 64u); word++)
		most += (u32)__builtin_popcountll(f->objects[word]);
	struct kmem_entry *rows = scratch_rows(s, most, sizeof(*rows));
	if (!rows)
		return session_none(
			s, KMEM_ENOMEM,
			"not enough memory to list the chosen objects: select one cache");
	for (u32 i = 0; i < s->trace.nr_handles; i++)
		if (bit_is_set(f->objects, i) && chosen_object(s, i, cache, &rows[*nr]))
			++*nr;
	return rows;
}

const u32 *kmem_filter_bits(struct kmem_session *s, u32 op, u32 nr)
{
	const struct trace_filter *f = ready(s);

	if (!f)
		return NULL;
	if (!s->w || op >= f->nr_ops || nr > f->nr_ops - op)
		return session_none(s, KMEM_ESTATE, "past the last event, or nothing is built");
	scratch_reset(s);
	u64 bytes = DIV_ROUND_UP((u64)nr, (u64)32) * sizeof(u32);
	u32 *bits = scratch_alloc(s, bytes);
	if (!bits)
		return NULL;
	memset(bits, 0, bytes);
	for (u32 i = filter_next(f, MAX(op, f->from)); i < op + nr; i = filter_next(f, i + 1))
		bits[(i - op) / 32] |= 1u << (i - op) % 32;
	return bits;
}

s32 kmem_export(struct kmem_session *s, u32 to, u32 *op, u8 *buf, u32 len_bytes)
{
	struct exporter x = { .t = &s->trace };
	u32 format = to & ~((u32)KMEM_EXPORT_CHOSEN | (u32)KMEM_EXPORT_ANONYMOUS);

	if (!s->import.imported)
		return session_fail(s, KMEM_ESTATE, "no trace to export: import one first");
	if (to & KMEM_EXPORT_CHOSEN) {
		x.filter = ready(s);
		if (!x.filter)
			return KMEM_ESTATE;
	}
	if (to & KMEM_EXPORT_ANONYMOUS) {
		if ((!*op || !s->trace.pseudonyms.sites.names) && !pseudonyms_make(&s->trace))
			return session_fail(s, KMEM_ENOMEM, "not enough memory for pseudonyms");
		x.pseudonyms = &s->trace.pseudonyms;
	}
	return exporter_run(&x, format, op, buf, len_bytes);
}
