/*
 * find.c - finds the next or previous step at which one of several conditions holds.
 *
 * Conditions are checked on recorded steps. With an index, the search skips blocks of events in which no condition
 * can hold; without one, it replays every event. Backwards it replays a whole block, or the gap between two
 * keyframes, and keeps the last match.
 */
#include "session/job.h"
#include "query/index/query.h"
#include "session/session.h"

static int of_thing(const struct kmem_condition *c, const struct touch *t, u32 shared)
{
	if (c->slab == NOWHERE)
		return c->cache == CACHE_NONE || c->cache == t->cache;
	return c->slab == t->slab && (shared || c->cache == t->cache) &&
	       (c->index == NOWHERE || c->index == t->index);
}

/* Returns the number of the first condition that holds there, or nr. */
static u32 holds(const struct find *f, const struct touch *t, u32 kind, u32 shared)
{
	for (u32 i = 0; i < f->nr; i++) {
		const struct kmem_condition *c = &f->conditions[i];
		int is_met = c->when == WHEN_TOUCHED ? 1
			     : c->when == WHEN_STEP  ? c->step == kind
						     : (int)(t->what >> c->when & 1);
		if (is_met && of_thing(c, t, shared))
			return i;
	}
	return f->nr;
}

/* Checks step k of the recorded event. */
static int look_at_step(struct kmem_session *s, const struct touched_op *o, u32 k)
{
	struct find *f = &query_of(s)->find;
	struct touch t = touch_of_step(s, o, k);
	u32 condition = holds(f, &t, s->timeline.steps[k].kind, o->shared);

	if (o->has_object && k == touch_object_step(o)) {
		t = touch_of_object(o);
		u32 other = holds(f, &t, NR_STEP_KINDS, o->shared);
		condition = MIN(condition, other);
	}
	if (condition == f->nr)
		return 0;
	f->found = (struct kmem_found){ o->op, k, condition, 0 };
	return 1;
}

static int has_posting(const struct kmem_session *s, u32 block, u32 i)
{
	const struct index *x = &query_of(s)->index;
	const struct kmem_condition *c = &query_of(s)->find.conditions[i];
	u32 place = x->blocks[block].start,
	    end = block + 1 < x->nr_blocks ? x->blocks[block + 1].start : x->log.nr,
	    any = c->when == WHEN_TOUCHED || c->when == WHEN_STEP;

	for (; place < end; place++) {
		const struct posting *p = index_posting(x, place);
		if (!any && !(p->what >> c->when & 1))
			continue;
		if (c->slab == NOWHERE) {
			if (p->slab != NOWHERE && index_slab(x, p->slab)->cache == c->cache)
				return 1;
		} else if (p->slab == query_of(s)->find.numbers[i] &&
			   (c->index == NOWHERE || c->index == p->index)) {
			return 1;
		}
	}
	return 0;
}

static int may_hold(const struct kmem_session *s, u32 block, u32 i)
{
	const struct index *x = &query_of(s)->index;
	const struct kmem_condition *c = &query_of(s)->find.conditions[i];
	const struct block *b = &x->blocks[block];

	if (c->when == WHEN_STEP && !(b->kinds[c->step / 32] >> c->step % 32 & 1))
		return 0;
	if (c->when != WHEN_STEP && c->when != WHEN_TOUCHED && !(b->what >> c->when & 1))
		return 0;
	if (c->slab != NOWHERE)
		return query_of(s)->find.numbers[i] != NOWHERE && has_posting(s, block, i);
	if (c->cache == CACHE_NONE)
		return 1;
	if (!index_block_has(x, block, c->cache))
		return 0;
	/* The effect of such a step on a cache need not be in a posting. */
	return c->when == WHEN_STEP || c->when == WHEN_TOUCHED || has_posting(s, block, i);
}

static int any_may_hold(const struct kmem_session *s, u32 block)
{
	if (query_of(s)->index.state != INDEX_READY)
		return 1;
	for (u32 i = 0; i < query_of(s)->find.nr; i++)
		if (may_hold(s, block, i))
			return 1;
	return 0;
}

/* Replays the event `next`; keeps its first or last match within the search's bounds. */
static s32 look_at_op(struct kmem_session *s, int *is_hit)
{
	struct find *f = &query_of(s)->find;
	const struct touched_op *o = &f->last;
	s32 status = 0;

	*is_hit = 0;
	if (f->last.nr_steps == 0 || f->last.op != f->next || s->timeline.steps_op != f->next) {
		status = s->w->op == f->next ? 0 : kmem_seek(s, f->next);
		if (!status)
			status = touch_run(s, &f->last);
	}
	if (status)
		return status;
	u32 first = !f->back && o->op == f->op ? f->step : 0,
	    end = f->back && o->op == f->op ? MIN(f->step, o->nr_steps) : o->nr_steps;
	for (u32 n = first; n < end && !*is_hit; n++)
		*is_hit = look_at_step(s, o, f->back ? first + end - 1 - n : n);
	f->next++;
	return 0;
}

static s32 run_forwards(struct kmem_session *s, u32 nr)
{
	struct find *f = &query_of(s)->find;
	int is_hit = 0;

	while (nr && !f->is_over) {
		u32 block = f->next / BLOCK_OPS;
		if (f->next >= s->trace.nr_ops) {
			f->is_over = 1;
		} else if (!any_may_hold(s, block)) {
			f->next = (block + 1) * BLOCK_OPS;
		} else {
			u32 end = MIN(s->trace.nr_ops, (block + 1) * BLOCK_OPS);
			for (; nr && f->next < end && !is_hit; nr--) {
				s32 status = look_at_op(s, &is_hit);
				if (status)
					return status;
			}
			f->is_over = f->is_found = (u32)is_hit;
		}
	}
	return 0;
}

/* Goes back to the next lower range of events worth searching; returns 0 if there is none. */
static int step_back(struct kmem_session *s)
{
	struct find *f = &query_of(s)->find;

	while (f->from) {
		u32 last = f->from - 1, block = last / BLOCK_OPS;
		f->end = f->from;
		f->from = query_of(s)->index.state == INDEX_READY
				  ? block * BLOCK_OPS
				  : s->timeline.keyframes.at[keyframes_nearest(s, last)].op;
		f->next = f->from;
		if (any_may_hold(s, block))
			return 1;
	}
	return 0;
}

static s32 run_backwards(struct kmem_session *s, u32 nr)
{
	struct find *f = &query_of(s)->find;
	int is_hit;

	while (nr && !f->is_over) {
		if (f->next == f->end) {
			f->is_over = f->is_found || !step_back(s);
			continue;
		}
		s32 status = look_at_op(s, &is_hit);
		if (status)
			return status;
		f->is_found |= (u32)is_hit;
		nr--;
	}
	return 0;
}

static const char *wrong_condition(const struct kmem_session *s, const struct kmem_condition *c)
{
	if (c->when > WHEN_STEP || (c->when == WHEN_STEP && c->step >= NR_STEP_KINDS))
		return "expected a condition of enum kmem_when";
	if (c->slab == NOWHERE ? c->index != NOWHERE
			       : c->cache == CACHE_NONE && !s->replay.ops->shared_slabs)
		return "expected the cache of a slab, and the slab of an object";
	return NULL;
}

s32 begin_find(struct kmem_session *s, const void *args)
{
	const struct kmem_find_args *a = args;
	u32 nr = a->nr;
	struct find *f = &query_of(s)->find;
	const char *wrong = NULL;
	struct touched_op last = f->last;

	if (!s->timeline.built)
		return session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	touch_kinds_init(query_of(s)->touch_kinds);
	if (!nr || nr > MAX_CONDITIONS)
		return session_fail(s, KMEM_EPARAM, "expected 1 to 64 conditions");
	memset(f, 0, sizeof(*f));
	f->last = last;
	memcpy(f->conditions, a->conditions, nr * sizeof(*a->conditions));
	f->is_over = 1;
	for (u32 i = 0; i < nr && !wrong; i++) {
		wrong = wrong_condition(s, &f->conditions[i]);
		f->numbers[i] =
			f->conditions[i].slab == NOWHERE || query_of(s)->index.state != INDEX_READY
				? NOWHERE
				: index_find_slab(s, f->conditions[i].cache, f->conditions[i].slab);
	}
	if (wrong)
		return session_fail(s, KMEM_EPARAM, wrong);
	f->nr = nr;
	f->back = a->direction != KMEM_FORWARD;
	f->op = MIN(a->op, s->trace.nr_ops);
	f->step = f->op == a->op ? a->step : 0;
	f->is_over = 0;
	f->next = f->op;
	if (f->back)
		f->from = f->next = f->end = MIN(f->op + (f->step != 0), s->trace.nr_ops);
	return 0;
}

s64 work_find(struct kmem_session *s, u32 max_ops)
{
	struct find *f = &query_of(s)->find;
	s32 status;

	if (!f->nr || !s->timeline.built)
		return session_fail(s, KMEM_ESTATE, "no search has started");
	status = f->back ? run_backwards(s, max_ops) : run_forwards(s, max_ops);
	if (status || f->is_over)
		return status;
	return 1 + (s64)(f->back ? f->end : s->trace.nr_ops - f->next);
}

const struct kmem_found *kmem_found(struct kmem_session *s)
{
	return query_of(s)->find.is_over && query_of(s)->find.is_found ? &query_of(s)->find.found
								       : NULL;
}
