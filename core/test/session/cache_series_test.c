/*
 * cache_series_test.c - the metrics of one cache against its rows after every event, and against those of all caches;
 * and the lanes of CPUs against the path of every event.
 */
#include <string.h>

#include "alloc/ops.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { EVENTS = 1500 }; /* one event per bucket */

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

/* Runs in slices, with other calls in between. */
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

/* Here a bucket has several events. */
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

/* Compares with the path of every event: a bucket has the deepest of them, from the first level of its cache to its
 * last. */
static void lanes_are_as_deep_as_paths(const char *allocator)
{
	struct kmem_session *s = built(2500, allocator);
	static u8 want[4][1024];
	u32 nr;

	CHECK(!kmem_lanes(s), "%s: lanes without an index", allocator);
	CHECK(!kmem_job(s, JOB_INDEX, NULL), "%s", kmem_error(s));
	const struct kmem_lanes *lanes = kmem_lanes(s);
	CHECK(lanes && lanes->nr_lanes == 4 && lanes->cpus_per_lane == 1, "%s", allocator);
	CHECK(lanes->nr_buckets <= ARRAY_SIZE(want[0]) &&
		      lanes->nr_buckets * lanes->ops_per_bucket >= kmem_nr_ops(s),
	      "%u buckets of %u events", lanes->nr_buckets, lanes->ops_per_bucket);
	memset(want, 0, sizeof(want));
	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		const struct kmem_path path = *kmem_path(s, op);
		kmem_levels(s, path.cache == KMEM_NONE ? CACHE_NONE : path.cache, &nr);
		u32 depth = path.end ? 1 + path.end * 254 / (nr - 1) : 1;
		u8 *most = &want[kmem_op(s, op)->cpu][op / lanes->ops_per_bucket];
		*most = (u8)MAX(*most, depth);
	}
	const u8 *depths = (const u8 *)s + lanes->depths_at;
	for (u32 cpu = 0; cpu < 4; cpu++)
		CHECK(memcmp(depths + cpu * lanes->nr_buckets, want[cpu], lanes->nr_buckets) == 0,
		      "%s: CPU %u", allocator, cpu);
}

int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++) {
		RUN(a_cache_has_the_numbers_of_its_rows(allocators[i]));
		RUN(the_slow_paths_of_all_caches_add_up(allocators[i]));
		RUN(lanes_are_as_deep_as_paths(allocators[i]));
	}
	return check_summary();
}
