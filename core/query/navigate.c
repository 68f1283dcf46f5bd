/*
 * navigate.c - the next or previous event of a kind: an event of a cache, a slow path, a new or a discarded slab.
 *
 * Forwards it replays on. Backwards it replays the gaps before the position, latest first, or only the blocks that
 * the index selects.
 */
#include "query/index/query.h"
#include "session/session.h"

/* Checks whether event `op` (0-based), just replayed, matches. */
struct watch {
	u32 granularity, cache;
	u32 slow_paths, slab_moves; /* what they were before the event */
};

static int of_cache(const struct kmem_session *s, u32 op, u32 cache)
{
	return cache == CACHE_NONE || replay_cache_of_event(&s->replay, op) == cache;
}

static int step_matches(struct kmem_session *s, struct watch *watch, u32 op)
{
	u32 slow = s->w->slow_paths, moves = s->w->slab_moves;
	int hit = watch->granularity == GO_EVENT ||
		  (watch->granularity == GO_SLOW_PATH && slow != watch->slow_paths) ||
		  (watch->granularity == GO_SLAB && moves != watch->slab_moves);

	watch->slow_paths = slow;
	watch->slab_moves = moves;
	return hit && of_cache(s, op, watch->cache);
}

static struct watch watch_from_here(const struct kmem_session *s, u32 granularity, u32 cache)
{
	struct watch watch = { granularity, cache, s->w->slow_paths, s->w->slab_moves };

	return watch;
}

u32 kmem_next(struct kmem_session *s, u32 granularity, u32 cache)
{
	if (!s->timeline.built)
		return 0;
	struct watch watch = watch_from_here(s, granularity, cache);
	while (s->w->op < s->trace.nr_ops && replay_run(&s->replay, 1))
		if (step_matches(s, &watch, s->w->op - 1))
			return s->w->op;
	return s->trace.nr_ops;
}

/* Returns the last match with a position in (from, below), 0 if there is none. */
static u32 last_match(struct kmem_session *s, u32 from, u32 below, u32 granularity, u32 cache)
{
	u32 found = 0;

	if (kmem_seek(s, from))
		return 0;
	struct watch watch = watch_from_here(s, granularity, cache);
	while (s->w->op + 1 < below && replay_run(&s->replay, 1))
		if (step_matches(s, &watch, s->w->op - 1))
			found = s->w->op;
	return found;
}

static int block_may_match(const struct index *x, u32 nr, u32 granularity, u32 cache)
{
	u32 slab = WHEN_BIT(WHEN_NEW_SLAB) | WHEN_BIT(WHEN_SLAB_FREED);
	u32 conditions = granularity == GO_SLAB ? slab : WHEN_BIT(WHEN_SLOW_PATH);

	if (granularity != GO_EVENT && !(x->blocks[nr].what & conditions))
		return 0;
	return cache == CACHE_NONE || index_block_has(x, nr, cache);
}

/* With the index: replays only blocks of events that may contain a match. */
static u32 previous_in_blocks(struct kmem_session *s, u32 below, u32 granularity, u32 cache)
{
	u32 found = 0;

	while (below > 1 && !found) {
		u32 block = (below - 2) / BLOCK_OPS;
		if (block_may_match(&query_of(s)->index, block, granularity, cache))
			found = last_match(s, block * BLOCK_OPS, below, granularity, cache);
		below = block * BLOCK_OPS + 1;
	}
	return found;
}

u32 kmem_previous(struct kmem_session *s, u32 granularity, u32 cache)
{
	const struct keyframes *k = &s->timeline.keyframes;
	u32 below = s->timeline.built ? s->w->op : 0;

	if (s->timeline.built && query_of(s)->index.state == INDEX_READY)
		return previous_in_blocks(s, below, granularity, cache);
	for (u32 i = k->nr; s->timeline.built && i-- > 0;) {
		if (k->at[i].op + 1 >= below)
			continue;
		u32 found = last_match(s, k->at[i].op, below, granularity, cache);
		if (found)
			return found;
		below = k->at[i].op + 1;
	}
	return 0;
}
