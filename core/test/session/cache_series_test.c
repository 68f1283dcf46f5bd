/*
 * cache_series_test.c - the metrics of one cache against its rows after every event, and against those of all caches.
 */
#include <string.h>

#include "alloc/ops.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { EVENTS = 1500 }; /* one event a bucket */

static const char *const allocators[] = {
#define ALLOCATOR(id, name, label, ops) name,
#include "tables/allocators.def"
};

static struct kmem_session *built(u32 nr_ops, const char *allocator)
{
	struct kmem_session *s = session_of_text(synthetic_trace(nr_ops, 300, 4, 2));

	CHECK(!kmem_set(s, "allocator", allocator), "%s", kmem_error(s));
	CHECK(!kmem_build(s, 1 << 20), "%s: %s", allocator, kmem_error(s));
	return s;
}

/* In slices, with other calls in between. */
static void run(struct kmem_session *s, u32 cache)
{
	s64 left = kmem_begin(s, JOB_CACHE_SERIES, &(struct kmem_cache_args){ cache });

	CHECK(left == 0, "%s", kmem_error(s));
	do {
		left = kmem_work(s, JOB_CACHE_SERIES, 97);
		CHECK(left >= 0, "%s", kmem_error(s));
		CHECK(!kmem_seek(s, (u32)left / 2), "%s", kmem_error(s));
	} while (left > 0);
}

static const u64 *most(struct kmem_session *s, const struct kmem_series *row)
{
	return (const u64 *)(const void *)((const u8 *)s + row->max_at);
}

static u64 value_of(struct kmem_session *s, u32 metric, u32 bucket)
{
	return most(s, kmem_cache_series(s, metric))[bucket];
}

static void a_cache_has_the_numbers_of_its_rows(const char *allocator)
{
	struct kmem_session *s = built(EVENTS, allocator);
	u32 nr_ops = kmem_nr_ops(s), nr;
	int shared = s->replay.ops->shared_slabs != 0;

	CHECK(kmem_work(s, JOB_CACHE_SERIES, 1) == KMEM_ESTATE, "%s: none has begun", allocator);
	run(s, 0);
	CHECK(kmem_cache_series(s, METRIC_SLABS)->nr_buckets == nr_ops, "%u buckets",
	      kmem_cache_series(s, METRIC_SLABS)->nr_buckets);
	for (u32 op = 0; op < nr_ops; op++) {
		CHECK(!kmem_seek(s, op + 1), "%s", kmem_error(s));
		const struct kmem_cache_row *rows = kmem_cache_rows(s, &nr);
		u64 live = nr ? rows[0].live_objects : 0, slabs = nr ? rows[0].slabs : 0,
		    partial = nr ? rows[0].partial : 0;
		CHECK(value_of(s, METRIC_LIVE_OBJECTS, op) == live, "%s: event %u", allocator, op);
		if (shared)
			continue;
		CHECK(value_of(s, METRIC_SLABS, op) == slabs, "%s: event %u", allocator, op);
		CHECK(value_of(s, METRIC_PARTIAL_SLABS, op) == partial, "%s: event %u", allocator,
		      op);
	}
}

/* With several events in a bucket. */
static void the_slow_paths_of_all_caches_add_up(const char *allocator)
{
	struct kmem_session *s = built(5 * EVENTS, allocator);
	const struct kmem_series all = *kmem_series(s, METRIC_SLOW_PATHS);
	static u64 sum[1 << 12];
	u32 nr;

	CHECK(all.ops_per_bucket > 1 && all.nr_buckets < ARRAY_SIZE(sum), "%u buckets",
	      all.nr_buckets);
	memset(sum, 0, sizeof(sum));
	kmem_cache_rows(s, &nr);
	for (u32 id = 0; id <= nr; id++) {
		run(s, id < nr ? id : CACHE_NONE);
		for (u32 i = 0; i < all.nr_buckets; i++)
			sum[i] += value_of(s, METRIC_SLOW_PATHS, i);
	}
	for (u32 i = 0; i < all.nr_buckets; i++)
		CHECK(sum[i] == most(s, &all)[i], "%s: bucket %u", allocator, i);
}

int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++) {
		RUN(a_cache_has_the_numbers_of_its_rows(allocators[i]));
		RUN(the_slow_paths_of_all_caches_add_up(allocators[i]));
	}
	return check_summary();
}
