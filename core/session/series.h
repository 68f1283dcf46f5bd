/*
 * series.h - metrics over the whole trace, for the timeline.
 *
 * There is a fixed number of buckets. Each stores the least and the greatest value of every metric,
 * from at most eight samples. Small buckets sample every event. Each also counts exactly how many
 * slow paths began in it.
 */
#ifndef SESSION_SERIES_H
#define SESSION_SERIES_H

#include "sim/world.h"
#include "kmem_types.h"
#include "util/pool.h"

enum { MAX_BUCKETS = 2048, SAMPLES_PER_BUCKET = 8 };

struct series {
	u64 *min[NR_METRICS], *max[NR_METRICS]; /* [MAX_BUCKETS] */
	u32 nr_buckets, ops_per_bucket, ops_per_sample;
	u32 slow_paths; /* at the last sample */
};

enum { SERIES_NUMBERS = 2 * NR_METRICS * MAX_BUCKETS };

/* Allocates from the pool, once; returns 0 or KMEM_ENOMEM. */
s32 series_init(struct series *s, struct pool *pool);
void series_begin(struct series *s, u32 nr_ops);
/* Events until the next sample is due. */
u32 series_due(const struct series *s, u32 op);
/* Whether a sample is due before event op. */
int series_is_due(const struct series *s, u32 op);
/* before_bytes: of objects in use before event 1, which are neither requested by an event nor waste. */
void series_sample(struct series *s, const struct world *w, u64 before_bytes);
/* Metrics of all caches now, but for METRIC_SLOW_PATHS. */
void series_measure(const struct world *w, u64 before_bytes, u64 *value);
/* Adds values measured after `op` events; the slow paths are those since the last sample. */
void series_add(struct series *s, u32 op, const u64 *value);
/* Where the numbers lie, as offsets from `base`. */
struct kmem_series series_row(const struct series *s, u32 metric, const u8 *base);
/* Gives it room for SERIES_NUMBERS numbers. */
void series_place(struct series *s, u64 *room);

#endif
