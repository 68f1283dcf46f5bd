/*
 * cache_series.c - metrics of one cache over the whole trace, in the buckets and from the samples of the timeline of all
 * caches. One more replay finds them, in slices.
 */
#include "session/job.h"
#include "query/index/query.h"
#include "session/session.h"
#include "sim/cache.h"

/* Caches that share slabs have none of their own: the slabs of all of them count. */
void cache_series_measure(struct kmem_session *s, u32 id, u64 *value)
{
	const struct world *w = s->w;
	const struct kmem_cache *c = cache_at(w, id);
	int shared = s->replay.ops->shared_slabs != 0;

	value[METRIC_LIVE_OBJECTS] = c->live;
	value[METRIC_SLABS] = shared ? w->slabs : c->slabs;
	value[METRIC_PARTIAL_SLABS] = shared ? w->partial : c->partial;
	value[METRIC_SLAB_BYTES] = shared ? w->slab_bytes : c->slab_bytes;
	u64 used = c->requested + (u64)in_use_before(s, id) * c->size;
	value[METRIC_WASTE_BYTES] = value[METRIC_SLAB_BYTES] - MIN(used, value[METRIC_SLAB_BYTES]);
}

static void sample(struct kmem_session *s, struct cache_series *x)
{
	u64 value[NR_METRICS] = { 0 };

	if (x->cache < s->w->nr_caches)
		cache_series_measure(s, x->cache, value);
	value[METRIC_SLOW_PATHS] = x->slow_paths;
	x->slow_paths = 0;
	series_add(&x->series, s->w->op, value);
}

s32 begin_cache_series(struct kmem_session *s, const void *args)
{
	const struct kmem_cache_args *a = args;
	struct cache_series *x = &query_of(s)->cache_series;

	if (!s->timeline.built)
		return session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	memset(x, 0, sizeof(*x));
	series_place(&x->series, x->room);
	series_begin(&x->series, s->trace.nr_ops);
	x->cache = a->cache;
	x->state = CACHE_SERIES_RUNNING;
	return 0;
}

s64 work_cache_series(struct kmem_session *s, u32 max_ops)
{
	struct cache_series *x = &query_of(s)->cache_series;
	struct touched_op o;

	if (x->state == CACHE_SERIES_NONE)
		return session_fail(s, KMEM_ESTATE, "no series of a cache has begun");
	s32 status = kmem_seek(s, x->next_op);
	for (; !status && max_ops && x->next_op < s->trace.nr_ops; max_ops--) {
		u32 slow = s->w->slow_paths;
		status = touch_run(s, &o);
		if (status)
			break;
		x->next_op++;
		if (o.cache == x->cache)
			x->slow_paths += s->w->slow_paths - slow;
		if (series_is_due(&x->series, x->next_op) || x->next_op == s->trace.nr_ops)
			sample(s, x);
	}
	if (status)
		return status;
	if (x->next_op == s->trace.nr_ops)
		x->state = CACHE_SERIES_READY;
	return s->trace.nr_ops - x->next_op;
}

const struct kmem_series *kmem_cache_series(struct kmem_session *s, u32 metric)
{
	struct cache_series *x = &query_of(s)->cache_series;

	memset(&s->out.series_row, 0, sizeof(s->out.series_row));
	if (metric < NR_METRICS && x->state == CACHE_SERIES_READY)
		s->out.series_row = series_row(&x->series, metric, s->pool.base);
	return &s->out.series_row;
}
