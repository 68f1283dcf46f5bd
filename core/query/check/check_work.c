/*
 * check_work.c - JOB_CHECK: the replays of a check, in slices.
 */
#include "session/job.h"
#include "query/check/check_model.h"

enum { THOUSAND = 1000 };

void check_work_drop(struct kmem_session *s, struct check *c)
{
	check_order_drop(s, c);
	c->work.phase = CHECK_IDLE;
}

s32 begin_check(struct kmem_session *s, const void *args)
{
	const struct kmem_check_args *a = args;
	struct check *c = check_of(s);
	s32 err = check_ready(s, c);

	err = err ? err : check_slab_fits(s, c);
	err = err ? err : check_refuses(s, c);
	if (err)
		return err;
	session_drop_world(s);
	memset(&c->out, 0, sizeof(c->out));
	c->first_wrong = CHECK_NONE;
	if (check_events_begin(s, c))
		return session_fail(s, KMEM_ENOMEM, "not enough memory to check the trace");
	c->work = (struct check_work){
		.phase = CHECK_EVENTS,
		/* On one CPU no event of SLAB takes effect elsewhere, and slub_op says where. */
		.infers = a->infer_order && !c->states[0].is_slab && !c->has_parts,
		.nr_ops = s->trace.nr_ops,
		.left = THOUSAND
	};
	return 0;
}

/* Goes on in the phase: 1 if it has more to do, 0 at its end, or an error. */
static s32 run_phase(struct kmem_session *s, struct check *c, u32 *events)
{
	s32 more = 0;

	switch (c->work.phase) {
	case CHECK_EVENTS:
		more = check_events_run(s, c, events);
		return more < 0 ? session_fail(s, more, "not enough memory to check the trace")
				: more;
	case CHECK_FALLBACK:
		return check_fallback_run(s, c, events);
	case CHECK_INFER:
		return check_order_run(c, events);
	default:
		return check_pass_run(s, c, &c->work.pass, events);
	}
}

static s32 finish(struct kmem_session *s, struct check *c)
{
	s32 err = check_sum_up(s, c);

	for (u32 i = CONTROL_NONE + 1; i < NR_CONTROLS; i++)
		c->out.proves_nothing |= (u32)(c->out.control_right[i] >= c->out.right) << i;
	c->work.phase = CHECK_IDLE;
	return err ? err : check_why(s, c);
}

/* Behind the replays with all controls: looks for the order, if that is wanted. */
static s32 begin_order(struct kmem_session *s, struct check *c)
{
	c->out.right = c->out.recorded_right = c->out.control_right[CONTROL_NONE];
	if (!c->work.infers)
		return finish(s, c);
	c->work.phase = CHECK_INFER;
	c->work.pass.control = CONTROL_NONE;
	c->work.spent = 0;
	return check_order_begin(s, c);
}

static s32 next_phase(struct kmem_session *s, struct check *c)
{
	struct check_work *w = &c->work;
	u32 control = w->pass.control;
	u64 right = w->pass.sum;

	w->pass = (struct check_pass){ 0 };
	if (w->phase != CHECK_REPLAYS)
		w->spent = 0;
	switch (w->phase) {
	case CHECK_EVENTS:
		check_fallback_begin(s, c);
		w->phase = CHECK_FALLBACK;
		return check_refuses_slabs(s, c);
	case CHECK_FALLBACK:
		w->phase = CHECK_REPLAYS;
		return 0;
	case CHECK_REPLAYS:
		c->out.control_right[control] = right;
		w->pass.control = control + 1;
		return w->pass.control < NR_CONTROLS ? 0 : begin_order(s, c);
	case CHECK_INFER:
		w->phase = check_order_is_void(c) ? CHECK_REPLAYS : CHECK_AGAIN;
		check_order_drop(s, c);
		c->first_wrong = CHECK_NONE;
		return 0;
	default:
		c->out.right = right;
		s32 err = check_list_moves(s, c);
		return err ? err : finish(s, c);
	}
}

/* Thousandths of the work to go. A phase takes as long as some replays: an estimate, since nobody knows how many orders and
 * moves will be tried. */
static s32 left_of(const struct kmem_session *s, const struct check *c)
{
	const struct check_work *w = &c->work;
	const u8 replays[NR_CHECK_PHASES] = { [CHECK_EVENTS] = 1,
					      [CHECK_FALLBACK] = c->states[0].nr_nodes > 2 ? 8 : 0,
					      [CHECK_REPLAYS] = NR_CONTROLS,
					      [CHECK_INFER] = w->infers ? 4 : 0,
					      [CHECK_AGAIN] = (u8)w->infers };
	u64 all = 0, done = 0;

	for (u32 i = 0; i < NR_CHECK_PHASES; i++) {
		u64 of = (u64)replays[i] * MAX(s->trace.nr_ops, 1u);
		all += of;
		done += i < w->phase ? of : i == w->phase ? MIN(w->spent, of) : 0;
	}
	return (s32)(THOUSAND - THOUSAND * MIN(done, all - 1) / all);
}

s64 work_check(struct kmem_session *s, u32 events)
{
	struct check *c = check_of(s);
	struct check_work *w = &c->work;

	if (w->phase == CHECK_IDLE || s->w || w->nr_ops != s->trace.nr_ops || check_ready(s, c))
		return session_fail(s, KMEM_ESTATE, "no check has begun, or it was interrupted");
	events = MAX(events, 1u);
	s32 more = 0;
	while (!more && w->phase != CHECK_IDLE && events) {
		u32 before = events;
		more = run_phase(s, c, &events);
		w->spent += before - events;
		more = more ? more : next_phase(s, c);
	}
	if (more < 0)
		check_work_drop(s, c);
	if (more < 0 || w->phase == CHECK_IDLE)
		return MIN(more, 0);
	w->left = MIN(w->left, (u32)left_of(s, c));
	return (s32)w->left;
}
