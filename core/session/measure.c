/*
 * measure.c - replays a trace once for its numbers, and takes fingerprints of its decisions.
 */
#include "alloc/ops.h"
#include "session/job.h"
#include "session/session.h"

/*
 * Replays the trace once for its numbers, without keyframes. After every event it
 * compares the levels and costs with the worst so far.
 */

/* For a level the worst event is where it is highest; for a cost, the one that adds most. */
enum track {
	TRACK_SLAB_BYTES,
	TRACK_SLABS,
	TRACK_PARTIAL,
	TRACK_PAGES,
	TRACK_OP_CYCLES,
	TRACK_LOCK_WAIT,
	TRACK_ZONES,
};

static void note(struct kmem_session *s, enum track track, u64 value)
{
	struct worst *worst = &s->timeline.worst[track];

	if (value <= worst->value)
		return;
	worst->value = value;
	worst->op = s->w->op;
}

s32 begin_measure(struct kmem_session *s, const void *args)
{
	s32 status = begin_build(s, args);

	memset(s->timeline.worst, 0, sizeof(s->timeline.worst));
	s->timeline.large_calls = 0;
	if (status)
		return status;
	/* A level that no event exceeds belongs to the start, not to the trace: it keeps position 0. */
	s->timeline.worst[TRACK_SLAB_BYTES].value = s->w->slab_bytes;
	s->timeline.worst[TRACK_SLABS].value = s->w->slabs;
	s->timeline.worst[TRACK_PARTIAL].value = s->w->partial;
	s->timeline.worst[TRACK_PAGES].value = s->w->machine.pages_in_use;
	return 0;
}

s64 work_measure(struct kmem_session *s, u32 max_ops)
{
	struct world *w = s->w;

	if (!w || s->timeline.built)
		return session_fail(s, KMEM_ESTATE, "no measurement has started");
	u32 end = (u32)MIN((u64)w->op + max_ops, (u64)s->trace.nr_ops);
	while (w->op < end) {
		u64 waited = w->lock_wait_cycles;
		u64 large_bytes = w->large_bytes;
		u32 zones = w->any_node_zones;
		s32 status = kmem_run(s, 1, 0);
		if (status)
			return status;
		s->timeline.large_calls += w->large_bytes != large_bytes;
		note(s, TRACK_SLAB_BYTES, w->slab_bytes);
		note(s, TRACK_SLABS, w->slabs);
		note(s, TRACK_PARTIAL, w->partial);
		note(s, TRACK_PAGES, w->machine.pages_in_use);
		note(s, TRACK_OP_CYCLES, op_cycles(w));
		note(s, TRACK_LOCK_WAIT, w->lock_wait_cycles - waited);
		note(s, TRACK_ZONES, w->any_node_zones - zones);
	}
	return s->trace.nr_ops - w->op;
}

static void put(struct kmem_session *s, u32 measured, u64 value)
{
	s->timeline.measured[measured].value = value;
}

static void put_with(struct kmem_session *s, enum kmem_measure measure, u64 value, enum track track)
{
	put(s, measure, value);
	s->timeline.measured[measure].op = s->timeline.worst[track].op;
}

static void put_memory(struct kmem_session *s, const struct kmem_totals *t)
{
	put_with(s, NUM_SLAB_BYTES_PEAK, s->timeline.worst[TRACK_SLAB_BYTES].value,
		 TRACK_SLAB_BYTES);
	put(s, NUM_SLAB_BYTES, t->slab_bytes);
	put(s, NUM_REQUESTED_BYTES, t->requested_bytes);
	put(s, NUM_WASTE, t->waste_rounding + t->waste_tail + t->waste_free);
	put(s, NUM_WASTE_ROUNDING, t->waste_rounding);
	put(s, NUM_WASTE_TAIL, t->waste_tail);
	put(s, NUM_WASTE_FREE_OBJECTS, t->waste_free);
	put(s, NUM_LARGE_BYTES, t->large_bytes);
	put_with(s, NUM_PAGES_PEAK, t->pages_peak, TRACK_PAGES);
	put_with(s, NUM_PAGES_IN_USE, t->pages_in_use, TRACK_PAGES);
	put_with(s, NUM_SLABS_PEAK, s->timeline.worst[TRACK_SLABS].value, TRACK_SLABS);
	put_with(s, NUM_SLABS, t->slabs, TRACK_SLABS);
	put_with(s, NUM_PARTIAL_PEAK, s->timeline.worst[TRACK_PARTIAL].value, TRACK_PARTIAL);
	put_with(s, NUM_PARTIAL, t->partial, TRACK_PARTIAL);
	put(s, NUM_LIVE_OBJECTS, t->live_objects);
}

static void put_locks(struct kmem_session *s)
{
	u32 nr, takes = 0, contended = 0;
	const struct kmem_lock_row *row = kmem_lock_rows(s, &nr);

	for (u32 i = 0; i < nr; i++) {
		takes += row[i].takes;
		contended += row[i].contended;
	}
	put_with(s, NUM_LOCK_TAKES, takes, TRACK_LOCK_WAIT);
	put_with(s, NUM_LOCK_CONTENDED, contended, TRACK_LOCK_WAIT);
}

/*
 * Every slab that was made or existed before event 1, and no longer exists, was discarded. Shrink discards slabs
 * without counting, so we cannot use the counters of discarded slabs.
 */
static u64 page_calls(const struct kmem_session *s, const struct kmem_totals *t)
{
	u64 made = t->counters[ALLOC_SLAB];

	return 2 * made + s->import.warmed.slabs - t->slabs + s->timeline.large_calls;
}

static void put_times(struct kmem_session *s, const struct kmem_totals *t)
{
	put_with(s, NUM_CYCLES, t->cycles, TRACK_OP_CYCLES);
	put_with(s, NUM_LOCK_WAIT_CYCLES, t->lock_wait_cycles, TRACK_LOCK_WAIT);
	put_with(s, NUM_ELAPSED_CYCLES, t->elapsed_cycles, TRACK_OP_CYCLES);
	put_with(s, NUM_OP_CYCLES_PEAK, s->timeline.worst[TRACK_OP_CYCLES].value, TRACK_OP_CYCLES);
	put_locks(s);
	put(s, NUM_PAGE_CALLS, page_calls(s, t));
	put(s, NUM_SLOW_PATHS, s->w->slow_paths);
}

u32 kmem_has_measure(struct kmem_session *s, u32 measured)
{
	if (!s->w || measured >= NR_MEASURED)
		return 0;
	if (measured >= NR_MEASURES)
		return kmem_has_counter(s, measured - NR_MEASURES);
	if (measured == NUM_PAGE_CALLS)
		return kmem_has_counter(s, ALLOC_SLAB);
	/* Measures after this one exist in some allocators only. */
	return measured <= NUM_SLOW_PATHS || s->replay.ops->measures >> measured & 1;
}

static void put_searches(struct kmem_session *s, const struct kmem_totals *t)
{
	put_with(s, NUM_GET_ANY_PARTIAL_ENTERED, t->any_node_entered, TRACK_ZONES);
	put_with(s, NUM_ZONES_VISITED, t->any_node_zones, TRACK_ZONES);
	put(s, NUM_SEARCHES, t->searches);
	put(s, NUM_PAGES_VISITED, t->pages_visited);
	put(s, NUM_BLOCKS_VISITED, t->blocks_visited);
	put(s, NUM_MOST_PAGES_VISITED, t->most_pages_visited);
	put(s, NUM_MOST_BLOCKS_VISITED, t->most_blocks_visited);
	put(s, NUM_HEAD_FRAGMENT_BYTES, t->head_fragment_bytes);
}

const struct kmem_measured *kmem_measured(struct kmem_session *s, u32 *nr)
{
	*nr = 0;
	if (!s->w)
		return session_none(s, KMEM_ESTATE, "nothing has been measured yet");
	const struct kmem_totals *t = kmem_totals(s);
	for (u32 i = 0; i < NR_MEASURED; i++) {
		u32 counter = i - NR_MEASURES;
		s->timeline.measured[i] =
			(struct kmem_measured){ 0, s->timeline.worst[TRACK_SLAB_BYTES].op, 0 };
		if (i >= NR_MEASURES)
			put(s, i, t->counters[counter]);
	}
	put_memory(s, t);
	put_times(s, t);
	put_searches(s, t);
	for (u32 i = 0; i < NR_MEASURED; i++) {
		s->timeline.measured[i].known = kmem_has_measure(s, i);
		if (!s->timeline.measured[i].known)
			s->timeline.measured[i].value = 0;
	}
	*nr = NR_MEASURED;
	return s->timeline.measured;
}

/*
 * A number for the decisions of each event: two machines decide alike while their
 * numbers are equal.
 *
 * The number covers the kinds of steps in order, their nodes, and the object's location. It leaves
 * out thresholds and list lengths, which may differ long before they change a decision.
 */

static u32 mixed(u32 hash, u32 value)
{
	hash = (hash ^ value) * 0x9e3779b1u;
	return hash ^ hash >> 15;
}

static u32 print_of(const struct kmem_session *s)
{
	u32 hash = mixed(mixed(0x811c9dc5u, s->timeline.op_slab), s->timeline.op_index);

	for (u32 i = 0; i < s->timeline.nr_steps; i++)
		hash = mixed(hash,
			     s->timeline.steps[i].kind | (u32)s->timeline.steps[i].node << 16);
	return hash;
}

const u32 *kmem_fingerprints(struct kmem_session *s, u32 op, u32 n, u32 *nr)
{
	*nr = 0;
	s->timeline.steps_op = NO_OP;
	if (kmem_seek(s, op))
		return NULL;
	scratch_reset(s);
	u32 most = MIN(MIN(n, (u32)MAX_FINGERPRINTS), s->trace.nr_ops - op);
	u32 *prints = scratch_alloc(s, MAX(most, 1u) * sizeof(*prints));
	if (!prints)
		return NULL;
	while (*nr < most) {
		if (session_record(s, op + *nr, 0, NULL))
			return NULL;
		prints[(*nr)++] = print_of(s);
	}
	s->timeline.steps_op = NO_OP;
	return prints;
}
