/*
 * call_sites.c - what each call site allocated and what became of it.
 */
#include "query/sites/call_sites.h"

#include "query/index/query.h"
#include "session/job.h"
#include "util/text.h"

/*
 * Percentiles of lifetimes, from a logarithmic histogram of each row.
 *
 *	pages[row]   0 0 7 3 5 0 …    a page for each power of two that a lifetime of the row starts with
 *	counts       page 1 | page 2 | …    2^precision counters each, from one power of two to the next
 *
 * When the pages are used up, every two counters become one, so memory is bounded and the precision is known: a
 * percentile is wrong by at most 1 part in 2^(precision + 1).
 */

/* Merges every two counters; pages keep their numbers. */
static void coarsen(struct site_lifetimes *l)
{
	u32 nr = (l->nr_pages << l->precision) / 2;

	for (u32 i = 0; i < nr; i++)
		l->counts[i] = l->counts[2 * i] + l->counts[2 * i + 1];
	l->precision--;
}

static int is_full(const struct site_lifetimes *l)
{
	return l->nr_pages >= l->nr_counts >> l->precision;
}

void lifetimes_begin(struct site_lifetimes *l, u32 nr_rows)
{
	memset(l->pages, 0, nr_rows * sizeof(*l->pages));
	l->precision = FINEST_LIFETIMES;
	l->nr_pages = l->is_over = 0;
}

void lifetimes_add_page(struct site_lifetimes *l, u32 *page)
{
	while (is_full(l) && l->precision)
		coarsen(l);
	l->is_over |= is_full(l);
	if (l->is_over)
		return;
	memset(l->counts + (l->nr_pages << l->precision), 0, sizeof(*l->counts) << l->precision);
	*page = ++l->nr_pages;
}

/* Returns the middle of the values that a counter counts. */
static u64 middle_of(const struct site_lifetimes *l, u32 octave, u32 counter)
{
	u64 top = (u64)1 << l->precision | counter;

	if (octave <= l->precision)
		return top >> (l->precision - octave);
	u32 shift = octave - l->precision;
	return (top << shift) + ((u64)1 << shift) / 2;
}

u32 lifetimes_rank(const struct site_lifetimes *l, u32 row, enum lifetime_kind kind,
		   const struct lifetime_range *of, u64 *percentiles)
{
	static const u8 per_cent[NR_PERCENTILES] = { 50, 90, 99 };
	u32 looked_at = 0, i = 0, last = octave_of(of->max);
	u64 nr = 0;

	for (u32 octave = octave_of(of->min); octave <= last; octave++) {
		u32 page = l->pages[row][(u32)kind + octave], nr_counters = 1u << l->precision;
		looked_at++;
		if (!page)
			continue;
		const u32 *counts = l->counts + ((page - 1) << l->precision);
		looked_at += nr_counters;
		for (u32 k = 0; k < nr_counters; k++) {
			nr += counts[k];
			for (; i < NR_PERCENTILES && nr * 100 >= (u64)of->nr * per_cent[i]; i++)
				percentiles[i] = MIN(MAX(middle_of(l, octave, k), of->min),
						     of->max);
		}
	}
	return looked_at;
}

/*
 * Kmem.h's functions for call sites: counts every event once, then dates the live objects.
 */

int sites_are_kept(const struct kmem_session *s)
{
	const struct sites *x = sites_of(s);

	if (x->nr_ops != s->trace.nr_ops || x->nr_sites != s->trace.nr_sites)
		return 0;
	return x->is_behind ? x->generation == s->generation &&
				      x->index_drops == query_of(s)->index_drops
			    : s->trace.query_run.at == x->block;
}

s32 begin_sites(struct kmem_session *s, const void *args)
{
	const struct kmem_sites_args *a = args;
	const char *task = a->task && *a->task ? a->task : NULL;
	struct sites *x = sites_of(s);

	x->state = SITES_NONE;
	if (!s->import.imported)
		return session_fail(s, KMEM_ESTATE, "no trace: import one first");
	if (s->w && !s->timeline.built)
		return session_fail(s, KMEM_ESTATE, "the replay is not complete");
	if (!a->by || a->by >> NR_VALUES(kmem_sites_by))
		return session_fail(s, KMEM_EPARAM,
				    "expected one or more of call site, cache, CPU, node and task");
	if ((task || a->by & SITES_BY_BIT(SITES_BY_TASK)) &&
	    !(s->trace.kept.flags & (u32)KMEM_KEEP_TASKS))
		return session_fail(
			s, KMEM_EPARAM,
			"the import did not keep tasks: import the trace again and keep "
			"them");
	x->by = a->by;
	x->cpu = a->cpu;
	x->node = a->node;
	x->first_op = a->first_op;
	x->end_op = a->end_op;
	x->is_split = a->by & ~(SITES_BY_BIT(SITES_BY_SITE) | SITES_BY_BIT(SITES_BY_CACHE));
	x->has_tasks = task != NULL;
	x->is_simple = !x->is_split && !task && a->cpu == KMEM_ANY && a->node == KMEM_ANY &&
		       !a->first_op && a->end_op >= s->trace.nr_ops;
	s32 status = sites_prepare(s, a->cache && *a->cache ? a->cache : NULL, task);
	if (status)
		return status;
	x->nr_ops = s->trace.nr_ops;
	x->nr_sites = s->trace.nr_sites;
	x->next = 0;
	x->state = SITES_COUNTING;
	return KMEM_OK;
}

static int is_counted(const struct sites *x, const struct site_note *note, u32 cpu, u32 task, u32 i)
{
	return note->base != ROW_FILTERED && i >= x->first_op && i < x->end_op &&
	       (x->cpu == KMEM_ANY || x->cpu == cpu) &&
	       (x->node == KMEM_ANY || x->node == x->node_of_cpu[cpu]) &&
	       (!x->has_tasks || bit_is_set(x->by_task, task / TEXT_STEP));
}

/* Returns the row of an allocation where CPUs, nodes or tasks are counted separately; ROW_FILTERED once the rows are
 * full. */
NOINLINE u32 split_row(struct sites *x, u32 base, u32 cpu, u32 task)
{
	u32 node = x->node_of_cpu[cpu], by_cpu = x->by & SITES_BY_BIT(SITES_BY_CPU);

	if (!by_cpu)
		cpu = CPU_NONE;
	if (!by_cpu && !(x->by & SITES_BY_BIT(SITES_BY_NODE)))
		node = NODE_ANY;
	if (!(x->by & SITES_BY_BIT(SITES_BY_TASK)))
		task = 0;
	u64 key = (u64)base << 16 | (by_cpu ? cpu : node) | (u64)1 << 63;
	struct site_slot *slot = sites_slot(x, key, task);
	if (!slot->row) {
		u32 row = sites_new_row(x, base, cpu, node, task);
		if (row == ROW_FILTERED)
			return row;
		*slot = (struct site_slot){ key, row + 1, task };
	}
	return slot->row - 1;
}

/* The row of an allocation where not every allocation counts for the row of its base; ROW_FILTERED if it does not count. */
NOINLINE u32 chosen_row(const struct kmem_session *s, struct sites *x, struct op op, u32 i,
			int *is_full)
{
	const struct site_note *note = &x->notes[op.site];
	u32 task = trace_task(&s->trace, i);

	if (!is_counted(x, note, op.cpu, task, i))
		return ROW_FILTERED;
	if (!x->is_split)
		return note->base;
	u32 row = split_row(x, note->base, op.cpu, task);
	*is_full = row == ROW_FILTERED;
	return row;
}

/* Returns 0 if there are too many rows. */
ALWAYS_INLINE int count_alloc(const struct kmem_session *s, struct sites *x, struct op op, u32 i,
			      u64 time)
{
	struct site_note *note = &x->notes[op.site];
	struct site_birth *birth = &x->births[op.handle];
	u32 nr = note->base;

	if (unlikely(note->cache == CACHE_NONE))
		return 1;
	note->allocs++;
	if (!x->is_simple) {
		int is_full = 0;
		nr = chosen_row(s, x, op, i, &is_full);
		if (is_full)
			return 0;
	}
	*birth = (struct site_birth){ time, i + 1, op.site, nr, op.cpu, 0 };
	if (nr == ROW_FILTERED)
		return 1;
	if (nr >= x->nr_rows)
		return 0;
	struct kmem_site_row *row = &x->rows[nr];
	row->allocations++;
	row->last_op = i;
	row->first_op = MIN(row->first_op, i);
	row->bytes_requested += note->bytes;
	row->bytes_allocated += note->slot;
	row->live_bytes += note->slot;
	row->peak_live_bytes = MAX(row->peak_live_bytes, row->live_bytes);
	if (unlikely(++row->live_objects > row->peak_live_objects)) {
		row->peak_live_objects = row->live_objects;
		row->peak_op = i;
	}
	return 1;
}

/* The means hold sums until the rows are complete. */
ALWAYS_INLINE void count_lifetime(struct kmem_site_row *row, u32 events, u64 time)
{
	row->lifetime_events_mean += events;
	row->lifetime_events_min = MIN(row->lifetime_events_min, events);
	row->lifetime_events_max = MAX(row->lifetime_events_max, events);
	row->lifetime_time_mean += time;
	row->lifetime_time_min = MIN(row->lifetime_time_min, time);
	row->lifetime_time_max = MAX(row->lifetime_time_max, time);
}

ALWAYS_INLINE void count_free(const struct kmem_session *s, struct sites *x, struct op op, u32 i,
			      u64 time)
{
	struct site_birth *birth = &x->births[op.handle];

	if (!birth->op)
		return;
	struct site_note *note = &x->notes[birth->site];
	struct kmem_site_row *row = birth->row < x->nr_rows ? &x->rows[birth->row] : NULL;
	u32 events = i + 1 - birth->op;
	time = time > birth->time ? time - birth->time : 0;
	birth->op = 0;
	if (row) {
		row->live_objects--;
		row->live_bytes -= note->slot;
	}
	if (op.flags & OP_IMPLIED) {
		note->unseen_frees++;
		if (row)
			row->unseen_frees++;
		return;
	}
	note->frees++;
	note->rcu_frees += x->notes[op.site].is_rcu;
	x->lives[note->cache].frees[31 - (u32)__builtin_clz(events | 1)]++;
	if (!row)
		return;
	row->frees++;
	row->cross_cpu_frees += birth->cpu != op.cpu;
	row->cross_node_frees += x->node_of_cpu[birth->cpu] != x->node_of_cpu[op.cpu];
	count_lifetime(row, events, time);
	lifetimes_add(&x->lifetimes, birth->row, LIFETIME_EVENTS, events);
	if (s->trace.has_times)
		lifetimes_add(&x->lifetimes, birth->row, LIFETIME_TIME, time);
}

/* Any event; returns 0 if there are too many rows. */
NOINLINE int count_other(const struct kmem_session *s, struct sites *x, u32 i, u64 time)
{
	const struct op op = trace_op(&s->trace, i);
	const struct site *site = &s->trace.sites[op.site];

	if (op.kind == OP_FREE && op.handle != HANDLE_NONE)
		count_free(s, x, op, i, time);
	else if (op_allocates(op.kind) && op.handle != HANDLE_NONE)
		return count_alloc(s, x, op, i, time);
	else if (op.kind == OP_NOTHING && site->was == OP_FREE)
		x->notes[op.site].orphan_frees++;
	return 1;
}

/* Counts events of one chunk of the trace; returns 0 if there are too many rows. */
static int count_run(const struct kmem_session *s, struct sites *x, u32 end)
{
	const struct packed_op *packed = trace_packed(&s->trace, x->next);
	u64 times[TIMES_AT_ONCE];
	int is_done = 1;

	while (x->next < end && is_done) {
		u32 nr = MIN(end - x->next, (u32)TIMES_AT_ONCE - x->next % TIMES_AT_ONCE);
		trace_times(&s->trace, x->next, nr, times);
		for (u32 k = 0; k < nr && is_done; k++, packed++) {
			u32 i = x->next + k, kind = packed->object >> PACKED_KIND_AT;
			struct op op = { .handle = packed->object & PACKED_HANDLE_MASK,
					 .site = packed->place & PACKED_SITE_MASK,
					 .cpu = (u16)(packed->place >> PACKED_CPU_AT) };
			if (kind == PACKED_FREE)
				count_free(s, x, op, i, times[k]);
			else if (kind == PACKED_ALLOC || kind == PACKED_KMALLOC)
				is_done = count_alloc(s, x, op, i, times[k]);
			else
				is_done = count_other(s, x, i, times[k]);
		}
		x->next += nr;
	}
	return is_done;
}

static s32 count_events(struct kmem_session *s, struct sites *x, u32 nr)
{
	u32 end = (u32)MIN((u64)x->next + nr, (u64)s->trace.nr_ops);

	while (x->next < end) {
		u32 chunk_end = (x->next / OPS_PER_CHUNK + 1) * OPS_PER_CHUNK;
		if (!count_run(s, x, MIN(end, chunk_end)))
			return session_fail(s, KMEM_ELIMIT,
					    "more than 65536 rows: group by fewer things, or "
					    "choose a cache, CPU, node or task");
	}
	return KMEM_OK;
}

/* Adds up what the sites of the trace have counted. */
static void add_caches(const struct kmem_session *s, struct sites *x)
{
	for (u32 i = 0; i < s->trace.nr_sites; i++) {
		const struct site_note *note = &x->notes[i];
		struct kmem_site_cache *cache = &x->caches[note->cache];
		if (note->cache >= x->nr_caches)
			continue;
		cache->allocations += note->allocs;
		cache->frees += note->frees;
		cache->unseen_frees += note->unseen_frees;
		cache->rcu_frees += note->rcu_frees;
		cache->orphan_frees += note->orphan_frees;
		struct site_note *group = &x->notes[note->group];
		group->group_allocs += note->allocs;
		group->group_live += note->allocs - note->frees - note->unseen_frees;
	}
}

static u32 row_of_cache(const struct kmem_session *s, const struct sites *x, const char *name)
{
	u32 row = 0;

	while (row < x->nr_caches && !text_is(s->trace.text + x->caches[row].name_at, name))
		row++;
	return row;
}

/* Frees of objects in the state of --start belong to the state's caches: the trace often names none. */
static void name_older(const struct kmem_session *s, struct sites *x)
{
	const struct start *start = &s->import.start;
	u32 row = x->nr_caches, row_of = KMEM_NONE32;

	for (u32 i = 0; i < start->frees.nr && !start->is_inferred; i++) {
		const struct start_free *f = &start->frees.at[i];
		u32 cache = start->slabs.at[f->slab].cache;
		if (cache != row_of)
			row = row_of_cache(s, x, start->caches.at[cache].name);
		row_of = cache;
		x->notes[trace_op(&s->trace, f->op).site].orphan_frees--;
		if (row < x->nr_caches)
			x->caches[row].orphan_frees++;
	}
}

static void date_live(struct kmem_session *s, struct sites *x, u32 nr)
{
	u32 end = (u32)MIN((u64)x->next + nr, (u64)s->trace.nr_handles);

	for (; x->next < end; x->next++) {
		const struct site_birth *birth = &x->births[x->next];
		if (!birth->op)
			continue;
		u32 op = birth->op - 1, nr_cache = x->notes[birth->site].cache;
		struct kmem_site_row *row = birth->row < x->nr_rows ? &x->rows[birth->row] : NULL;
		struct kmem_site_cache *cache = &x->caches[nr_cache];
		u32 is_suspect = (cache->usual_lifetime &&
				  s->trace.nr_ops - op > cache->usual_lifetime) ||
				 sites_are_left(x, &x->notes[birth->site]);
		cache->live_objects++;
		cache->leak_suspects += is_suspect;
		cache->oldest_live_op = MIN(cache->oldest_live_op, op);
		if (!row)
			continue;
		row->live_bytes_requested += x->notes[birth->site].bytes;
		row->leak_suspects += is_suspect;
		row->oldest_live_op = MIN(row->oldest_live_op, op);
	}
}

/* Finds the percentiles of rows until about `most` buckets have been looked at. */
static void rank_rows(const struct kmem_session *s, struct sites *x, u64 most)
{
	u64 at[NR_PERCENTILES], nr = 0;

	for (; x->next < x->nr_rows && nr < most; x->next++) {
		struct kmem_site_row *row = &x->rows[x->next];
		const struct lifetime_range events = { row->lifetime_events_min,
						       row->lifetime_events_max, row->frees },
					    times = { row->lifetime_time_min,
						      row->lifetime_time_max, row->frees };
		nr++;
		if (!row->frees || x->lifetimes.is_over)
			continue;
		nr += lifetimes_rank(&x->lifetimes, x->next, LIFETIME_EVENTS, &events, at);
		row->lifetime_events_p50 = (u32)at[0];
		row->lifetime_events_p90 = (u32)at[1];
		row->lifetime_events_p99 = (u32)at[2];
		if (!s->trace.has_times)
			continue;
		nr += lifetimes_rank(&x->lifetimes, x->next, LIFETIME_TIME, &times, at);
		row->lifetime_time_p50 = at[0];
		row->lifetime_time_p90 = at[1];
		row->lifetime_time_p99 = at[2];
	}
}

static void finish_row(const struct kmem_session *s, struct sites *x, struct kmem_site_row *row)
{
	const char *text = s->trace.text;

	row->call_site_at = session_offset(s, text + row->call_site_at);
	row->cache_at = session_offset(s, text);
	row->task_at = session_offset(s, text + row->task_at);
	if (row->cache != KMEM_NONE32)
		row->cache_at = x->caches[row->cache].name_at;
	if (row->frees) {
		row->lifetime_events_mean /= row->frees;
		row->lifetime_time_mean /= row->frees;
	} else {
		row->lifetime_time_min = 0;
	}
	if (row->bytes_allocated)
		row->fragmentation = (u32)((row->bytes_allocated - row->bytes_requested) * 10000 /
					   row->bytes_allocated);
}

static void scale(u32 *const *numbers, u32 nr, u32 by)
{
	for (u32 i = 0; i < nr; i++)
		*numbers[i] = (u32)MIN((u64)*numbers[i] * by, (u64)KMEM_NONE32 - 1);
}

/* Scales the row of a sampled trace to estimates of what the machine did. Lifetimes come from the few objects with
 * both events. */
static void scale_row(struct kmem_site_row *row, u32 by)
{
	u32 *const numbers[] = { &row->allocations,	  &row->frees,
				 &row->unseen_frees,	  &row->live_objects,
				 &row->peak_live_objects, &row->cross_cpu_frees,
				 &row->cross_node_frees };

	scale(numbers, ARRAY_SIZE(numbers), by);
	row->bytes_requested *= by;
	row->bytes_allocated *= by;
	row->live_bytes *= by;
	row->live_bytes_requested *= by;
	row->peak_live_bytes *= by;
}

static void scale_cache(struct kmem_site_cache *cache, u32 by)
{
	u32 *const numbers[] = { &cache->allocations,  &cache->frees,	  &cache->unseen_frees,
				 &cache->orphan_frees, &cache->rcu_frees, &cache->live_objects };

	scale(numbers, ARRAY_SIZE(numbers), by);
}

/* Drops rows without an allocation that counts, and orders the others by their first one: rows are made in that order, or
 * in the order of the sites, which is the same. */
static void finish(struct kmem_session *s, struct sites *x)
{
	u32 nr = 0;

	u32 sampling = s->trace.report.sampling;

	sites_judge(s);
	for (u32 i = 0; i < x->nr_caches; i++) {
		x->caches[i].name_at = session_offset(s, s->trace.text + x->caches[i].name_at);
		if (sampling)
			scale_cache(&x->caches[i], sampling);
	}
	for (u32 i = 0; i < x->nr_rows; i++) {
		if (!x->rows[i].allocations)
			continue;
		x->rows[nr] = x->rows[i];
		finish_row(s, x, &x->rows[nr]);
		if (sampling)
			scale_row(&x->rows[nr], sampling);
		nr++;
	}
	const struct kmem_report *report = &s->trace.report;
	x->result = (struct kmem_sites){ .lost = report->lost,
					 .rows_at = session_offset(s, x->rows),
					 .nr_rows = nr,
					 .caches_at = session_offset(s, x->caches),
					 .nr_caches = x->nr_caches,
					 .ops = s->trace.nr_ops,
					 .by = x->by,
					 .time_is_known = s->trace.has_times,
					 .lifetime_parts = x->lifetimes.is_over
								   ? 0
								   : 2u << x->lifetimes.precision,
					 .is_guess = report->lost || report->truncated || sampling,
					 .sampling = sampling };
	x->state = SITES_READY;
}

s64 work_sites(struct kmem_session *s, u32 max_ops)
{
	struct sites *x = sites_of(s);
	u32 nr_live = s->trace.nr_handles / LIVE_AT_ONCE + 1;

	if (x->state == SITES_NONE || !sites_are_kept(s)) {
		x->state = SITES_NONE;
		return session_fail(
			s, KMEM_ESTATE,
			"no call sites have started, or another query took their memory");
	}
	if (x->state == SITES_READY)
		return 0;
	if (x->state == SITES_COUNTING) {
		s32 status = count_events(s, x, max_ops);
		if (status) {
			x->state = SITES_NONE;
			return status;
		}
		if (x->next < s->trace.nr_ops)
			return (s64)(s->trace.nr_ops - x->next) + nr_live;
		name_older(s, x);
		add_caches(s, x);
		sites_judge(s);
		x->next = 0;
		x->state = SITES_DATING;
		return nr_live;
	}
	if (x->state == SITES_DATING) {
		date_live(s, x, (u32)MIN((u64)max_ops * LIVE_AT_ONCE, (u64)0xffffffff));
		if (x->next < s->trace.nr_handles)
			return (s->trace.nr_handles - x->next) / LIVE_AT_ONCE + 1;
		x->next = 0;
		x->state = SITES_RANKING;
	}
	rank_rows(s, x, max_ops);
	if (x->next < x->nr_rows)
		return x->nr_rows - x->next;
	finish(s, x);
	return 0;
}

const struct kmem_sites *kmem_sites(struct kmem_session *s)
{
	struct sites *x = sites_of(s);

	if (x->state == SITES_READY && sites_are_kept(s))
		return &x->result;
	return session_none(s, KMEM_ESTATE, "the call sites are not complete");
}
