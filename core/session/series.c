/*
 * series.c - samples the world during the first pass through the trace.
 */
#include "session/session.h"

#include "sim/cache.h"

s32 series_init(struct series *s, struct pool *pool)
{
	u64 *room = pool_alloc(pool, (u64)SERIES_NUMBERS * sizeof(u64));

	if (!room)
		return KMEM_ENOMEM;
	series_place(s, room);
	return 0;
}

void series_place(struct series *s, u64 *room)
{
	for (u32 m = 0; m < NR_METRICS; m++) {
		s->min[m] = room + (u64)2 * m * MAX_BUCKETS;
		s->max[m] = s->min[m] + MAX_BUCKETS;
	}
}

void series_begin(struct series *s, u32 nr_ops)
{
	s->ops_per_bucket = MAX(DIV_ROUND_UP((u64)nr_ops, (u64)MAX_BUCKETS), 1u);
	s->ops_per_sample = MAX(s->ops_per_bucket / SAMPLES_PER_BUCKET, 1u);
	s->nr_buckets = 0;
	s->slow_paths = 0;
}

u32 series_due(const struct series *s, u32 op)
{
	u32 in_bucket = op % s->ops_per_bucket;
	u32 to_sample = s->ops_per_sample - in_bucket % s->ops_per_sample;

	return MIN(to_sample, s->ops_per_bucket - in_bucket);
}

int series_is_due(const struct series *s, u32 op)
{
	return series_due(s, op) == s->ops_per_sample || op % s->ops_per_bucket == 0;
}

void series_measure(const struct world *w, u64 before_bytes, u64 *value)
{
	u64 live = w->large_live, requested = 0;

	for (u32 id = 0; id < w->nr_caches; id++) {
		const struct kmem_cache *c = cache_at(w, id);
		live += c->live;
		requested += c->requested;
	}
	value[METRIC_LIVE_OBJECTS] = live;
	value[METRIC_SLABS] = w->slabs;
	value[METRIC_PARTIAL_SLABS] = w->partial;
	value[METRIC_SLAB_BYTES] = w->slab_bytes;
	value[METRIC_WASTE_BYTES] = w->slab_bytes - requested - before_bytes;
}

void series_add(struct series *s, u32 op, const u64 *value)
{
	u32 bucket = (op - 1) / s->ops_per_bucket;
	int first = bucket >= s->nr_buckets;

	for (u32 m = 0; m < NR_METRICS; m++) {
		if (m == METRIC_SLOW_PATHS) {
			s->max[m][bucket] = value[m] + (first ? 0 : s->max[m][bucket]);
			s->min[m][bucket] = s->max[m][bucket];
			continue;
		}
		s->min[m][bucket] = first ? value[m] : MIN(s->min[m][bucket], value[m]);
		s->max[m][bucket] = first ? value[m] : MAX(s->max[m][bucket], value[m]);
	}
	s->nr_buckets = MAX(s->nr_buckets, bucket + 1);
}

void series_sample(struct series *s, const struct world *w, u64 before_bytes)
{
	u64 value[NR_METRICS];

	series_measure(w, before_bytes, value);
	value[METRIC_SLOW_PATHS] = w->slow_paths - s->slow_paths;
	s->slow_paths = w->slow_paths;
	series_add(s, w->op, value);
}

struct kmem_series series_row(const struct series *s, u32 metric, const u8 *base)
{
	return (struct kmem_series){
		.nr_buckets = s->nr_buckets,
		.ops_per_bucket = s->ops_per_bucket,
		.min_at = (u32)((const u8 *)s->min[metric] - base),
		.max_at = (u32)((const u8 *)s->max[metric] - base),
	};
}
