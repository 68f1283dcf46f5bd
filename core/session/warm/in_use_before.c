/*
 * in_use_before.c - objects that were in use before event 1: how many of each cache no event has freed yet.
 *
 * A replay's world does not count them, because most replays have none. One walk counts them when a build starts; which of
 * them an event frees, struct start says.
 */
#include "alloc/ops.h"
#include "replay/start.h"
#include "session/session.h"
#include "sim/cache.h"

struct counter {
	struct visitor visitor;
	u32 nr;
};

static void ignore_place(struct visitor *v, const struct kmem_place *place)
{
	(void)v;
	(void)place;
}

static void ignore_entry(struct visitor *v, const struct kmem_entry *entry)
{
	(void)v;
	(void)entry;
}

static void count_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		       const struct kmem_extent *extents)
{
	(void)cells;
	(void)extents;
	((struct counter *)v)->nr += row->inferred;
}

void in_use_before_begin(struct kmem_session *s)
{
	struct in_use_before *b = &s->import.in_use_before;

	memset(b, 0, sizeof(*b));
	b->pages = s->w->machine.pages_in_use;
	for (u32 id = 0; s->import.warmed.slabs && id < s->w->nr_caches; id++) {
		struct counter c = { { 0, ignore_place, count_slab, ignore_entry, NULL }, 0 };
		s->replay.ops->walk(s->w, cache_at(s->w, id), &c.visitor);
		b->at_start[id] = b->now[id] = c.nr;
		b->bytes_at_start += (u64)c.nr * cache_at(s->w, id)->size;
	}
	b->bytes = b->bytes_at_start;
}

/* Counts up to the position, from the start again if the position went back. */
static const struct in_use_before *count_here(struct kmem_session *s)
{
	struct in_use_before *b = &s->import.in_use_before;
	const struct start *start = s->replay.start;
	const struct trace_fork *fork = &s->trace.fork;
	u32 op = s->w->op;

	if (!start || !b->bytes_at_start)
		return b;
	/* A fork's own events have the numbers of the recorded ones. */
	op = fork->is_on ? MIN(op, fork->at) : op;
	if (b->next_free && start->frees[b->next_free - 1].op >= op) {
		memcpy(b->now, b->at_start, sizeof(b->now));
		b->bytes = b->bytes_at_start;
		b->next_free = 0;
	}
	for (; b->next_free < start->nr_frees && start->frees[b->next_free].op < op;
	     b->next_free++) {
		const struct start_slab *slab = &start->slabs[start->frees[b->next_free].slab];
		if (!slab->made)
			continue;
		b->now[slab->made_cache]--;
		b->bytes -= cache_at(s->w, slab->made_cache)->size;
	}
	return b;
}

u32 in_use_before(struct kmem_session *s, u32 cache)
{
	return IS_FIRST_VIEW ? 0 : count_here(s)->now[cache];
}

u64 in_use_before_bytes(struct kmem_session *s)
{
	return IS_FIRST_VIEW ? 0 : count_here(s)->bytes;
}
