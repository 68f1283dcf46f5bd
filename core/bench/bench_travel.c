/*
 * bench_travel.c - the part of `slabscope bench` that moves through the trace: seeks, keyframes, the object history
 * index and searches.
 *
 * It uses synthetic traces with few and with many live objects, and measures the memory of a million events.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/bench_text.h"

enum { MEMORY_EVENTS = 1000000, CHUNK_BYTES = 64 << 10, NR_REPLAYS = 3 };

/* Generates the text while importing it: the whole text would be larger than everything else. */
static void import_made(struct bench *b, u32 nr_events, u32 nr_live)
{
	struct kmem_session *s = b->host->session;
	struct bench_text text;
	static char chunk[CHUNK_BYTES];
	u32 len;

	if (!bench_text_begin(&text, nr_events, nr_live))
		give_up("not enough memory for the objects of the synthetic trace: lower --live");
	host_must(b->host, kmem_import_begin(s));
	while ((len = bench_text_more(&text, chunk, CHUNK_BYTES)) > 0) {
		host_must(b->host, kmem_import_chunk(s, (const u8 *)chunk, len));
		progress(b->host, "importing", text.next, nr_events);
	}
	progress_end(b->host);
	bench_text_end(&text);
	host_must(b->host, kmem_import_end(s));
	b->nr_ops = kmem_nr_ops(s);
}

static void open_made(struct bench *b, const struct args *args, u32 nr_events, u32 nr_live)
{
	host_open(b->host, args);
	kmem_infer_use(b->host->session, 0);
	b->host->trace = "synthetic";
	import_made(b, nr_events, nr_live);
}

void bench_memory(struct bench *b, const struct args *args)
{
	open_made(b, args, MEMORY_EVENTS, SYNTHETIC_LIVE);
	replay(b, 0);
	b->rows[0] = (struct row){ "memory of a million events",
				   (double)resident_bytes(),
				   MEMORY_EVENTS,
				   0,
				   20,
				   0,
				   "bytes of the whole process after import and replay, per event",
				   SYNTHETIC_LIVE / 1000,
				   1 };
	b->rows[0].ratio = b->rows[0].figure / b->rows[0].reference;
	host_close(b->host);
}

/* Rows measured on each synthetic trace, in this order. */
enum travel_row { SEEK, KEYFRAME, INDEX, INDEX_BYTES, FIND, FIND_NOTHING, LIFE };
static const struct row travel_rows[] = {
	{ "seek p99", 0, 0, 0, 0, 0, "99th percentile of seeks against a whole replay", 0, 0 },
	{ "keyframe per object slot", 0, 0, 0, 16, 0,
	  "bytes of a keyframe at the end, per object slot of all slabs", 0, 1 },
	{ "index of lives", 0, 0, 0, 0, 0, "time of making the index against replay with steps", 0,
	  0 },
	{ "index per event", 0, 0, 0, 0, 0, "bytes of the index, per event", 0, 1 },
	{ "find back p99", 0, 0, 0, 0, 0,
	  "the last slab discarded before a position, against a whole replay", 0, 0 },
	{ "find back nothing p99", 0, 0, 0, 0, 0,
	  "a condition that never held, against a whole replay", 0, 0 },
	{ "page of a life p99", 0, 0, 0, 0, 0, "256 rows of a cache's life, against a whole replay",
	  0, 0 },
};

static double least_replay(struct bench *b, u32 with_steps)
{
	double least = replay(b, with_steps);

	for (u32 i = 1; i < NR_REPLAYS; i++) {
		double seconds = replay(b, with_steps);
		least = MIN(least, seconds);
	}
	return least;
}

static void row_of_ratio(struct row *row, double figure, double reference)
{
	row->figure = figure;
	row->reference = reference;
	row->ratio = figure / reference;
}

static s32 find_back(struct bench *b, u32 when, u32 op)
{
	struct kmem_condition c = { 0xffffffff, 0xffffffff, (u16)when, 0, CACHE_NONE, 0 };

	return kmem_job(b->host->session, JOB_FIND,
			&(struct kmem_find_args){ &c, 1, op, 0, KMEM_BACK });
}

/* Searches backwards from a position for the last discarded slab, as a breakpoint would. */
static s32 visit_discard(struct bench *b, u32 op)
{
	return find_back(b, WHEN_SLAB_FREED, op);
}

/* Searches for a condition that never holds, so it examines every block. */
static s32 visit_nothing(struct bench *b, u32 op)
{
	return find_back(b, WHEN_ORDER_FALLBACK, op);
}

/* Reads a page of the busiest cache's history. */
static s32 visit_life(struct bench *b, u32 op)
{
	u32 nr;

	return kmem_life_rows(b->host->session, 0, 0xffffffff, 0xffffffff, op, 1, 256, &nr)
		       ? KMEM_OK
		       : KMEM_ESTATE;
}

static void measure_travel(struct bench *b, u32 live, double seek_limit)
{
	static const struct {
		enum travel_row row;
		visit *go;
		const char *what;
	} searches[] = { { FIND, visit_discard, "searching" },
			 { FIND_NOTHING, visit_nothing, "searching" },
			 { LIFE, visit_life, "reading lives" } };
	struct kmem_session *s = b->host->session;
	struct row *rows = b->rows + b->nr_rows;
	double plain = least_replay(b, 0), recorded = least_replay(b, 1);
	u64 state_bytes = kmem_state_bytes(s), slots = 0;
	u32 nr_caches;
	const struct kmem_cache_row *caches = kmem_cache_rows(s, &nr_caches);

	for (u32 i = 0; i < nr_caches; i++)
		slots += caches[i].total_objects;

	memcpy(rows, travel_rows, sizeof(travel_rows));
	b->nr_rows += ARRAY_SIZE(travel_rows);
	for (u32 i = 0; i < ARRAY_SIZE(travel_rows); i++)
		rows[i].live = live / 1000;
	rows[SEEK].limit = seek_limit;
	first_pass(b);
	struct seek_times times = visits(b, visit_seek, "seeking");
	row_of_p99(&rows[SEEK], &times, plain);
	row_of_ratio(&rows[KEYFRAME], (double)state_bytes, (double)slots);
	double start = cpu_seconds();
	host_must(b->host, kmem_job(s, JOB_INDEX, NULL));
	row_of_ratio(&rows[INDEX], cpu_seconds() - start, recorded);
	row_of_ratio(&rows[INDEX_BYTES], (double)kmem_index_bytes(s), b->nr_ops);
	for (u32 i = 0; i < ARRAY_SIZE(searches); i++) {
		times = visits(b, searches[i].go, searches[i].what);
		row_of_p99(&rows[searches[i].row], &times, plain);
	}
}

void bench_travel(struct bench *b, const struct args *args)
{
	static const struct {
		u32 live;
		double seek_limit;
	} sizes[] = { { 100000, 1.0 / 60 }, { 800000, 1.0 / 12 } };
	u32 nr_events = (u32)option_or(args, "events", SYNTHETIC_EVENTS);
	u32 nr_ops = b->nr_ops;

	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		u32 live = (u32)option_or(args, "live", sizes[i].live);
		host_close(b->host);
		open_made(b, args, nr_events, live);
		measure_travel(b, live, sizes[i].seek_limit);
		if (given(args, "live"))
			break;
	}
	b->nr_ops = nr_ops;
}
