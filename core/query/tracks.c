/*
 * tracks.c - metrics over the whole trace in one more replay: curves of one cache, and counter tracks for Perfetto.
 */
#include "query/index/query.h"
#include "session/job.h"
#include "session/session.h"
#include "sim/cache.h"
#include "util/protobuf.h"
#include "util/text.h"

/*
 * Metrics of one cache over the whole trace, in the buckets and from the samples of the timeline of all
 * caches. One more replay finds them, in slices.
 */

/* Caches that share slabs have none of their own: the slabs of all of them count. */
static void cache_series_measure(struct kmem_session *s, u32 id, u64 *value)
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

static void sample_cache(struct kmem_session *s, struct cache_series *x)
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
		return session_fail(s, KMEM_ESTATE, "no series of a cache has started");
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
			sample_cache(s, x);
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

/*
 * Counter tracks of a replay, as a Perfetto trace.
 *
 *	packet: this track belongs to that group, and counts bytes	once a track
 *	packet: time, track, value					where the value has changed
 *
 * One replay finds the values of all caches together and of the tracked ones. Metrics are measured at regular
 * distances, in events, and at the end; slow paths are counted from the beginning, so that no event is lost between
 * two samples. Field numbers come from Perfetto's public schema.
 */

enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	COUNTER_UNIT = 3,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_VALUE = 30,
};

enum {
	TYPE_COUNTER = 4,
	UNIT_COUNT = 2,
	UNIT_BYTES = 3,
	FLAG_FIRST_PACKET = 1,
	SEQUENCE = 0x510b,	 /* as well */
	FIRST_UUID = 0x510b0000, /* any number that other traces do not use */
	MOST_SAMPLES = 4096,	 /* where the caller sets no distance */
};

_Static_assert(MAX_NAME_BYTES + 40 <= MAX_MESSAGE_BYTES, "a cache's name fits in a packet");

/* The rows of a group, in the order in which a viewer shows them. */
static const struct {
	const char *name;
	u8 metric, unit;
} rows[] = {
	{ "slab bytes", METRIC_SLAB_BYTES, UNIT_BYTES },
	{ "bytes not requested", METRIC_WASTE_BYTES, UNIT_BYTES },
	{ "live objects", METRIC_LIVE_OBJECTS, UNIT_COUNT },
	{ "slabs", METRIC_SLABS, UNIT_COUNT },
	{ "partial slabs on nodes", METRIC_PARTIAL_SLABS, UNIT_COUNT },
	{ "slow paths so far", METRIC_SLOW_PATHS, UNIT_COUNT },
};

_Static_assert(ARRAY_SIZE(rows) == NR_METRICS, "each metric has a track");

static void emit(struct tracks *x, struct message *packet)
{
	struct message head = { .len = 0 };

	put_number(packet, PACKET_SEQUENCE, SEQUENCE);
	if (!x->has_begun)
		put_number(packet, PACKET_FLAGS, FLAG_FIRST_PACKET);
	x->has_begun = 1;
	put_head(&head, TRACE_PACKET, packet->len);
	KASSERT(x->nr_bytes + head.len + packet->len <= sizeof(x->bytes));
	memcpy(x->bytes + x->nr_bytes, head.bytes, head.len);
	memcpy(x->bytes + x->nr_bytes + head.len, packet->bytes, packet->len);
	x->nr_bytes += head.len + packet->len;
}

/* Each group has a number of its own, and so has each of its rows. */
static u64 uuid_of(u32 group, u32 row_plus_1)
{
	return FIRST_UUID + (u64)group * (NR_METRICS + 1) + row_plus_1;
}

static void describe(struct tracks *x, u32 group, u32 row_plus_1, const char *name)
{
	struct message track = { .len = 0 }, packet = { .len = 0 }, counter = { .len = 0 };

	put_number(&track, TRACK_UUID, uuid_of(group, row_plus_1));
	put_bytes(&track, TRACK_NAME, name, text_length(name));
	if (row_plus_1) {
		put_number(&track, TRACK_PARENT, uuid_of(group, 0));
		put_number(&counter, COUNTER_UNIT, rows[row_plus_1 - 1].unit);
		put_bytes(&track, TRACK_COUNTER, counter.bytes, counter.len);
	}
	put_bytes(&packet, PACKET_TRACK_DESCRIPTOR, track.bytes, track.len);
	emit(x, &packet);
}

static void describe_group(struct tracks *x, u32 group, const char *name)
{
	describe(x, group, 0, name);
	for (u32 row = 0; row < NR_METRICS; row++)
		describe(x, group, row + 1, rows[row].name);
}

static void put_value(struct tracks *x, u64 time, u32 group, u32 row, u64 value)
{
	struct message event = { .len = 0 }, packet = { .len = 0 };

	put_number(&packet, PACKET_TIMESTAMP, time);
	put_number(&event, EVENT_TYPE, TYPE_COUNTER);
	put_number(&event, EVENT_TRACK, uuid_of(group, row + 1));
	put_number(&event, EVENT_VALUE, value);
	put_bytes(&packet, PACKET_TRACK_EVENT, event.bytes, event.len);
	emit(x, &packet);
}

/* Group 0 is all caches together. */
static void sample(struct kmem_session *s, struct tracks *x)
{
	const struct world *w = s->w;
	u64 values[NR_METRICS];
	u64 time = s->trace.has_times ? trace_time(&s->trace, x->next_op - 1) : x->next_op;

	for (u32 group = 0; group <= x->nr_caches; group++) {
		memset(values, 0, sizeof(values));
		if (!group)
			series_measure(w, in_use_before_bytes(s), values);
		else if (x->caches[group - 1] < w->nr_caches)
			cache_series_measure(s, x->caches[group - 1], values);
		values[METRIC_SLOW_PATHS] = x->slow_paths[group];
		for (u32 row = 0; row < NR_METRICS; row++) {
			u64 value = values[rows[row].metric];
			if (x->has_sample && x->last[group][row] == value)
				continue;
			x->last[group][row] = value;
			put_value(x, time, group, row, value);
		}
	}
	x->has_sample = 1;
}

/* Returns the bytes of its slabs at their peak. Allocators whose caches share slabs have requested bytes instead. */
static u64 weight(const struct kmem_session *s, u32 id)
{
	const struct kmem_cache *c = cache_at(s->w, id);

	return s->replay.ops->shared_slabs ? c->requested : (u64)c->slabs_peak << c->order;
}

/* Tracks the caches of the greatest weight, heaviest first; of equal ones the first. */
static void choose_caches(const struct kmem_session *s, struct tracks *x, u32 nr)
{
	u16 *caches = x->caches;

	for (u32 id = 0; id < s->w->nr_caches; id++) {
		u32 at = x->nr_caches;
		while (at && weight(s, caches[at - 1]) < weight(s, id))
			at--;
		if (at == nr)
			continue;
		x->nr_caches = MIN(x->nr_caches + 1, nr);
		for (u32 i = x->nr_caches - 1; i > at; i--)
			caches[i] = caches[i - 1];
		caches[at] = (u16)id;
	}
}

s32 begin_tracks(struct kmem_session *s, const void *args)
{
	const struct kmem_tracks_args *a = args;
	struct tracks *x = &query_of(s)->tracks;

	memset(x, 0, sizeof(*x));
	if (!s->timeline.built)
		return session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	if (a->nr_caches > KMEM_MAX_TRACKED_CACHES)
		return session_fail(s, KMEM_EPARAM, "expected at most 16 caches to track");
	s32 status = kmem_seek(s, s->trace.nr_ops);
	if (status)
		return status;
	if (a->cache != KMEM_ANY && a->cache >= s->w->nr_caches)
		return session_fail(s, KMEM_EPARAM, "the machine has no cache of that number");
	if (a->cache != KMEM_ANY)
		x->caches[x->nr_caches++] = (u16)a->cache;
	else if (a->nr_caches)
		choose_caches(s, x, a->nr_caches);
	describe_group(x, 0, "Slabscope: all caches");
	for (u32 i = 0; i < x->nr_caches; i++)
		describe_group(x, i + 1, cache_name(s->w, x->caches[i]));
	x->every = a->every ? a->every : MAX(s->trace.nr_ops / MOST_SAMPLES, 1u);
	x->state = TRACKS_RUNNING;
	return 0;
}

/* Returns 1 if the bytes of one more sample fit. */
static int has_room(const struct tracks *x)
{
	return (x->nr_caches + 1) * NR_METRICS * (u32)MAX_MESSAGE_BYTES <=
	       sizeof(x->bytes) - x->nr_bytes;
}

s64 work_tracks(struct kmem_session *s, u32 max_ops)
{
	struct tracks *x = &query_of(s)->tracks;
	struct touched_op o;

	if (x->state == TRACKS_NONE)
		return session_fail(s, KMEM_ESTATE, "no tracks have started");
	/* The descriptions are the bytes before the first run. */
	if (x->next_op)
		x->nr_bytes = 0;
	s32 status = kmem_seek(s, x->next_op);
	for (; !status && max_ops && x->next_op < s->trace.nr_ops && has_room(x); max_ops--) {
		u32 slow = s->w->slow_paths;
		status = touch_run(s, &o);
		if (status)
			break;
		x->next_op++;
		slow = s->w->slow_paths - slow;
		x->slow_paths[0] += slow;
		for (u32 i = 0; slow && i < x->nr_caches; i++)
			x->slow_paths[i + 1] += x->caches[i] == o.cache ? slow : 0;
		if (x->next_op % x->every == 0 || x->next_op == s->trace.nr_ops)
			sample(s, x);
	}
	return status ? status : (s64)s->trace.nr_ops - x->next_op;
}

const u8 *kmem_tracks_bytes(struct kmem_session *s, u32 *nr)
{
	const struct tracks *x = &query_of(s)->tracks;

	*nr = x->nr_bytes;
	return x->bytes;
}
