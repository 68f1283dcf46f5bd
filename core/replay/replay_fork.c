/*
 * replay_fork.c - replays a fork: recorded events up to its position, then its own events.
 *
 * Up to there the world has the tables of the recorded trace, so its states are the same bit for bit.
 * In front of the first own event they grow by the fork's handles, sites and caches.
 */
#include "replay/replay.h"

static int grow_table(struct world *w, ref *table, u32 before, u32 after, u32 bytes)
{
	u64 need_bytes = (u64)after * bytes;

	if (after <= before)
		return 1;
	/* World blocks are up to a quarter larger. */
	if (need_bytes > LARGEST_BLOCK_BYTES ||
	    w->used + need_bytes * 5 / 4 + WORLD_HEADROOM_BYTES > world_host(w)->limit_bytes)
		return 0;
	ref more = world_alloc(w, (u32)need_bytes), old = *table;
	memcpy(at(w, more), at(w, old), (size_t)MAX(before, 1u) * bytes);
	world_free(w, old, MAX(before, 1u) * bytes);
	*table = more;
	return 1;
}

static int grow_tables(struct replay *r)
{
	const struct trace *t = r->trace;
	const struct trace_fork *f = &t->fork;
	struct world *w = r->w;

	if (!grow_table(w, &w->handles, f->nr_handles, t->nr_handles, sizeof(handle)) ||
	    !grow_table(w, &w->sites, f->nr_sites, t->nr_sites, RESOLVED_BYTES) ||
	    !grow_table(w, &w->trace_caches, f->nr_caches, t->nr_caches, sizeof(ref)))
		return 0;
	replay_resolve(r, f->nr_sites, t->nr_sites);
	return 1;
}

u32 replay_fork(struct replay *r, u32 n)
{
	u32 at = r->trace->fork.at, done = 0;

	if (r->w->op < at) {
		u32 before = MIN(n, at - r->w->op);
		done = replay_plainly(r, before);
		if (done < before)
			return done;
	}
	if (done == n || (r->w->op == at && !grow_tables(r)))
		return done;
	return done + replay_plainly(r, n - done);
}
