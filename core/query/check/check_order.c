/*
 * check_order.c - in which order events took effect: within their intervals, such that the model makes the recorded
 * choices.
 */
#include "query/check/check_order.h"

#include "query/check/check_model.h"

/*
 * The interval of an event: between the previous and the next event of its task on its CPU.
 *
 * The line of an allocation follows its effect, and the line of a free precedes it. So an event's effect may be this
 * far from its line, counted in lines of other tasks and CPUs.
 */

/* Fills before and after. */
static s32 check_intervals(struct kmem_session *s, struct check *c)
{
	const struct trace *t = &s->trace;
	u64 bytes = MAX(t->nr_ops, 1u) * (u64)sizeof(u32);
	struct hash latest = { 0 };
	u32 none = 0, *number = &none;

	if (!buffer_grow(&s->pool, &c->before, bytes) || !buffer_grow(&s->pool, &c->after, bytes))
		return KMEM_ENOMEM;
	u32 *before = c->before.at, *after = c->after.at;
	for (u32 op = 0; op < t->nr_ops && number; op++) {
		u64 key = (u64)trace_task(t, op) << 16 | trace_op(t, op).cpu;
		number = hash_number(&s->pool, &latest, key, op + 1);
		before[op] = number && *number <= op ? *number : 0;
		after[op] = t->nr_ops;
		if (before[op])
			after[before[op] - 1] = op;
		if (number)
			*number = op + 1;
	}
	hash_free(&s->pool, &latest);
	return number ? 0 : KMEM_ENOMEM;
}

/*
 * Finds the order in which events took effect, from the pointers that the kernel handed out.
 *
 *	… e … recorded order … x
 *
 * At event x the model would hand out the wrong object. An event e near x is moved within its own interval, or one
 * that was under way, or an earlier one that another CPU's event may depend on. The search keeps the move after which
 * the model stays right for longest.
 *
 * With lines of slub_stat the model is also right or wrong about the path of an event, so it shows where a wrong
 * order started. If no move explains x, it stays wrong, and the model may go on from the kernel's object.
 *
 * Every move is tried: on the rows themselves, from a copy of the small world. Likely moves come first: events on the slabs that
 * model and kernel chose; then those near x, an allocation before its line and a free after it.
 */

int order_is_between(const struct order *o, u32 i)
{
	const struct check_event *ev = o->ev + i;

	return !i || i >= o->nr || ev->kind != CHECK_FREE || !(ev->flags & CHECK_IN_GROUP) ||
	       ev[-1].kind != CHECK_FREE || !(ev[-1].flags & CHECK_IN_GROUP) ||
	       ev[-1].flags & CHECK_LAST || ev[-1].cpu != ev->cpu;
}

u32 order_unit(const struct order *o, u32 i)
{
	u32 nr = 1;

	while (!order_is_between(o, i + nr))
		nr++;
	return nr;
}

void order_rotate(struct order *o, u32 from, u32 to, u32 nr)
{
	struct check_event unit[MOST_UNIT], *ev = o->ev;

	memcpy(unit, &ev[from], nr * sizeof(*ev));
	if (to < from)
		memmove(&ev[to + nr], &ev[to], (from - to) * sizeof(*ev));
	else
		memmove(&ev[from], &ev[from + nr], (to - from) * sizeof(*ev));
	memcpy(&ev[to], unit, nr * sizeof(*ev));
}

static void set_flags(struct order *o, u32 at, u32 nr, u32 clear, u32 set)
{
	for (u32 i = at; i < at + nr; i++)
		o->ev[i].flags = (u8)((o->ev[i].flags & ~clear) | set);
}

static void apply(struct order *o, struct move *m)
{
	m->nr = order_unit(o, m->from);
	m->was = o->ev[m->from].flags & (CHECK_MOVED | CHECK_GATE);
	order_rotate(o, m->from, m->to, m->nr);
	set_flags(o, m->to, m->nr, 0, m->from == m->to ? CHECK_GATE : CHECK_MOVED);
}

static void take_back(struct order *o, const struct move *m)
{
	order_rotate(o, m->to, m->from, m->nr);
	set_flags(o, m->from, m->nr, CHECK_MOVED | CHECK_GATE, m->was);
}

/* Sorts the best move first, and equal ones by when they were tried. */
static void keep(struct beam *beam, const struct move *m)
{
	u32 i = MIN(beam->nr, (u32)BEAM - 1);

	if (beam->nr == BEAM && beam->at[BEAM - 1].reach >= m->reach)
		return;
	for (; i && beam->at[i - 1].reach < m->reach; i--)
		beam->at[i] = beam->at[i - 1];
	beam->at[i] = *m;
	beam->nr = MIN(beam->nr + 1, (u32)BEAM);
}

/* Tries one move; returns 1 if it explains enough. */
static int try_move(struct order *o, const struct plan *plan, struct beam *beam, u32 from, u32 to)
{
	struct move m = { .from = from, .to = to };

	if (order_unit(o, from) > MOST_UNIT || !o->trials || o->steps > o->most_steps)
		return 0;
	o->trials--;
	apply(o, &m);
	/* The moved event has to be right too, or the move only postpones the mistake. */
	u32 end = to + m.nr, limit = MAX(plan->limit, MIN(o->nr, end + HORIZON));
	m.reach = order_reach(o, anchor_restore(o, MIN(MIN(from, to), plan->lowest)), limit);
	m.slab = o->model_slab;
	take_back(o, &m);
	if (m.reach > plan->reach && m.reach >= end)
		keep(beam, &m);
	return m.reach == limit;
}

/* A unit, and the places that its interval permits in one direction. */
struct way {
	u32 from, nr, to;
	u32 least, most; /* events of the interval */
	int is_back;
};

static struct way way_of(const struct order *o, u32 from, int is_back)
{
	const u32 *before = o->c->before.at, *after = o->c->after.at;
	u32 nr = order_unit(o, from);

	return (struct way){ .from = from,
			     .nr = nr,
			     .least = before[o->ev[from].op],
			     .most = after[o->ev[from + nr - 1].op],
			     .is_back = is_back };
}

/* Whether the unit may go d places on; sets way->to, and past: the event that it passes last. */
static int goes(const struct order *o, struct way *way, u32 d, const struct check_event **past)
{
	if (way->is_back ? d > way->from : way->from + d + way->nr > o->nr)
		return 0;
	way->to = way->is_back ? way->from - d : way->from + d;
	*past = &o->ev[way->is_back ? way->to : way->to + way->nr - 1];
	return way->is_back ? (*past)->op >= way->least : (*past)->op <= way->most;
}

/* Whether no bulk free would be torn there. */
static int fits(const struct order *o, const struct way *way)
{
	return order_is_between(o, way->is_back ? way->to : way->to + way->nr);
}

/* Tries every place of the event that its interval permits; is_usual: only towards the usual side of its line. */
static int try_event(struct order *o, const struct plan *plan, struct beam *beam, u32 from,
		     int is_usual)
{
	struct way way = way_of(o, from, (o->ev[from].kind == CHECK_ALLOC) == is_usual);
	const struct check_event *past;

	/* A move after the wrong event has no effect on it. */
	for (u32 d = 1; d <= WINDOW && goes(o, &way, d, &past); d++)
		if (fits(o, &way) && MIN(from, way.to) <= plan->reach &&
		    try_move(o, plan, beam, from, way.to))
			return 1;
	return 0;
}

/* Moves near the wrong event. */
static int find_near(struct order *o, const struct plan *plan, struct beam *beam, int is_usual)
{
	u32 wrong = plan->reach;

	for (u32 d = 0; d <= WINDOW; d++) {
		if (d <= wrong && order_is_between(o, wrong - d) &&
		    try_event(o, plan, beam, wrong - d, is_usual))
			return 1;
		if (d && wrong + d < o->nr && order_is_between(o, wrong + d) &&
		    try_event(o, plan, beam, wrong + d, is_usual))
			return 1;
	}
	return is_usual && try_move(o, plan, beam, wrong, wrong);
}

/* Returns the slab of the CPU's allocation before that event: its cpu slab. */
static u32 cpu_slab_before(const struct order *o, u32 i)
{
	const struct check_event *ev = &o->ev[i];

	for (u32 d = 1; d <= MIN(i, (u32)FAR_EVENTS); d++)
		if (ev[-(s32)d].cpu == ev->cpu && ev[-(s32)d].kind == CHECK_ALLOC)
			return ev[-(s32)d].slab;
	return CHECK_NONE;
}

/* Whether the effects of two events may depend on their order although the model was right after them. cpu_slab:
 * before a; lists: a moves slabs between lists. */
static int may_matter(const struct check_event *a, u32 cpu_slab, u32 lists,
		      const struct check_event *b)
{
	return a->cpu != b->cpu &&
	       (a->slab == b->slab || b->slab == cpu_slab || (lists && b->flags & CHECK_LISTS));
}

/* Tries to move an event past each one to which that may matter. */
static int try_past(struct order *o, const struct plan *plan, struct beam *beam, u32 from,
		    u32 *trials)
{
	struct way way = way_of(o, from, o->ev[from].kind == CHECK_ALLOC);
	u32 cpu_slab = way.is_back ? cpu_slab_before(o, from) : CHECK_NONE;
	/* An event after the wrong one has not run yet. */
	u32 lists = from > plan->reach || o->ev[from].flags & CHECK_LISTS;
	const struct check_event *past;

	for (u32 d = 1; d <= FAR_EVENTS && *trials && goes(o, &way, d, &past); d++) {
		if (!may_matter(&o->ev[from], cpu_slab, lists, past) || !fits(o, &way))
			continue;
		--*trials;
		if (try_move(o, plan, beam, from, way.to))
			return 1;
	}
	return 0;
}

/* Whether the CPU has no event between two positions. */
static int is_first_of_cpu(const struct order *o, u32 from, u32 i)
{
	u16 cpu = o->ev[i].cpu;

	while (--i > from)
		if (o->ev[i].cpu == cpu)
			return 0;
	return 1;
}

/* Tries moves long before the wrong event: the cause may be a list that nobody has used since. */
static int find_far(struct order *o, const struct plan *plan, struct beam *beam)
{
	u32 trials = FAR_TRIALS;

	/* Allocations that were under way at the wrong event: the next one of each other CPU. */
	for (u32 i = plan->reach + 1; i < MIN(o->nr, plan->reach + FAR_EVENTS) && trials; i++)
		if (o->ev[i].kind == CHECK_ALLOC && o->ev[i].cpu != o->ev[plan->reach].cpu &&
		    is_first_of_cpu(o, plan->reach, i) && try_past(o, plan, beam, i, &trials))
			return 1;
	trials = FAR_TRIALS;
	for (u32 i = plan->reach; i-- > 0 && trials && plan->reach - i < FAR_EVENTS;)
		if (order_is_between(o, i) && try_past(o, plan, beam, i, &trials))
			return 1;
	return 0;
}

/* Whether the unit at `from`, of nr events, may take effect next to position to. */
static int may_go(const struct order *o, u32 from, u32 nr, u32 to)
{
	const u32 *before = o->c->before.at, *after = o->c->after.at;
	u32 first = o->ev[from].op, last = o->ev[from + nr - 1].op, op = o->ev[to].op;
	int is_alloc = o->ev[from].kind == CHECK_ALLOC;

	if (to < from)
		return op >= before[first] && (is_alloc || op > first);
	return op <= after[last] && (!is_alloc || op < last);
}

/* Tries both exchanges of two units that use the same slabs. */
static int try_pair(struct order *o, const struct plan *plan, struct beam *beam, u32 a, u32 b)
{
	u32 nr_a = order_unit(o, a), nr_b = order_unit(o, b);

	if (o->ev[a].cpu == o->ev[b].cpu)
		return 0;
	if (may_go(o, b, nr_b, a) && try_move(o, plan, beam, b, a))
		return 1;
	return may_go(o, a, nr_a, b + nr_b - 1) && try_move(o, plan, beam, a, b + nr_b - nr_a);
}

/* Exchanges the latest events on the slabs of the wrong event: the kernel's, the model's, and the cpu slab. */
static int find_on_slabs(struct order *o, const struct plan *plan, struct beam *beam)
{
	u32 wrong = plan->reach, nr = 0, at[MOST_ON_SLABS];
	u32 slabs[] = { o->ev[wrong].slab, plan->slab, cpu_slab_before(o, wrong) };

	for (u32 i = MIN(o->nr, wrong + WINDOW);
	     i-- > 0 && nr < MOST_ON_SLABS && i + FAR_EVENTS > wrong;) {
		u32 slab = o->ev[i].slab;
		if ((slab == slabs[0] || slab == slabs[1] || slab == slabs[2]) &&
		    order_is_between(o, i))
			at[nr++] = i;
	}
	for (u32 k = 1; k < nr; k++)
		for (u32 i = k; i-- > 0;)
			if (at[k] <= wrong && try_pair(o, plan, beam, at[k], at[i]))
				return 1;
	return 0;
}

static void find_moves(struct order *o, const struct plan *plan, struct beam *beam)
{
	if (find_on_slabs(o, plan, beam))
		return;
	if (find_near(o, plan, beam, 1) || find_far(o, plan, beam))
		return;
	if (!beam->nr)
		find_near(o, plan, beam, 0);
}

/* Looks for the plan that explains most with few moves; the given plan's moves are applied. */
static struct plan search(struct order *o, const struct plan *plan)
{
	struct beam beam = { .nr = 0 };
	struct plan best = *plan;

	find_moves(o, plan, &beam);
	for (u32 pass = 0; pass < 2; pass++) {
		for (u32 i = 0; i < beam.nr && best.reach < plan->limit; i++) {
			struct plan longer = *plan;
			longer.lowest = MIN(longer.lowest, MIN(beam.at[i].from, beam.at[i].to));
			longer.moves[longer.nr++] = beam.at[i];
			longer.reach = beam.at[i].reach;
			longer.slab = beam.at[i].slab;
			if (pass) {
				apply(o, &beam.at[i]);
				longer = search(o, &longer);
				take_back(o, &beam.at[i]);
			}
			if (longer.reach > best.reach + (pass ? LEAST_GAIN : 0))
				best = longer;
		}
		if (plan->nr + 1 == DEPTH || best.reach > plan->reach + WINDOW)
			break;
	}
	return best;
}

/* No order explains event i: its path, or its object. Unless all that follows is right nevertheless, the model goes on from the
 * kernel's object. */
static void give_up(struct order *o, u32 i, u32 limit, u32 off)
{
	o->lost_hope++;
	if (off == OFF_PATH) {
		o->ev[i + order_unit(o, i) - 1].is_excused = 1;
		o->has_paths = ++o->excused < MOST_EXCUSED;
		return;
	}
	o->ev[i].flags |= CHECK_GIVEN_UP;
	if (order_reach(o, anchor_restore(o, i), limit) < limit)
		o->ev[i].flags |= CHECK_FORCED;
	o->failures++;
}

/* Repairs the order before event i, which is wrong; returns the position from which to continue. */
static u32 repair(struct order *o, u32 i)
{
	u32 off = o->off;
	struct plan plan = { .reach = i,
			     .slab = o->model_slab,
			     .lowest = i,
			     .limit = MIN(o->nr, i + 2 * WINDOW + HORIZON) };
	o->at = o->accepted.nr;
	u32 near = anchor_restore(o, i > WINDOW ? i - WINDOW : 0);

	while (near + WINDOW < i) {
		object_loc loc;
		near += check_step(&o->run, &o->ev[near], o->nr - near, &loc);
	}
	if (!anchor_save(o, &o->near, near))
		return o->nr;
	o->has_near = 1;
	/* A run that contradicts the model may do so everywhere, so hope declines; but each repair gets a share of
	 * what is left. */
	o->trials = MOST_TRIALS >> MIN(o->lost_hope, (u32)LEAST_TRIALS_SHIFT);
	o->most_steps = o->steps + (MOST_STEPS - MIN(o->steps, (u64)MOST_STEPS)) / PART_OF_STEPS;
	plan = search(o, &plan);
	o->has_near = 0;
	if (plan.reach >= i + LEAST_GAIN || plan.reach >= plan.limit) {
		for (u32 k = 0; k < plan.nr; k++)
			apply(o, &plan.moves[k]);
		o->lost_hope -= o->lost_hope > 0;
	} else {
		plan.lowest = i;
		give_up(o, i, plan.limit, off);
	}
	return anchor_return(o, plan.lowest);
}

/* Makes the world of the current cache; returns the position of its first event. */
static u32 begin_cache(struct order *o)
{
	o->err = check_world(o->s, o->c, o->cache, CONTROL_NONE, &o->run);
	if (o->err)
		return o->nr;
	o->accepted.nr = o->trial.nr = o->at = 0;
	o->run.undo = &o->accepted.all;
	o->nr_anchors = 0;
	order_note_counters(o);
	return 0;
}

static u32 advance(struct order *o, u32 i)
{
	anchors_note(o, i);
	u32 done = order_step(o, i);
	if (o->run.is_lost || !world_has_room(o->run.w))
		o->err = session_fail(o->s, KMEM_ENOMEM, "not enough memory to infer the order");
	set_flags(o, i, done, CHECK_LISTS, o->path & PATHS_OF_LISTS ? CHECK_LISTS : 0);
	if (!o->off || o->failures >= MOST_FAILURES)
		return i + done;
	if (order_ask_nodes(o, i))
		return o->err || o->has_other_nodes ? o->nr : begin_cache(o);
	i = repair(o, i);
	order_note_counters(o);
	return i;
}

static s32 open_cache(struct order *o)
{
	const struct check_cache *of = o->c->caches.at + o->cache;

	o->ev = o->c->events.at + of->first;
	o->nr = of->nr;
	order_sort(o);
	o->is_open = 1;
	o->failures = o->excused = o->asked = 0;
	o->asked_op = CHECK_NONE;
	o->next = begin_cache(o);
	return o->err;
}

s32 check_order_begin(struct kmem_session *s, struct check *c)
{
	s32 err = check_intervals(s, c);

	u64 bytes = MAX(c->events.nr, 1u) * (u64)sizeof(struct check_event);

	err = err ? err : check_paths(s, c);
	if (err || !buffer_grow(&s->pool, &c->recorded, bytes) ||
	    !buffer_grow(&s->pool, &c->order, sizeof(struct order)))
		return session_fail(s, KMEM_ENOMEM, "not enough memory to infer the order");
	struct order *o = c->order.at;
	memset(o, 0, sizeof(*o));
	memcpy(c->recorded.at, c->events.at, c->events.nr * sizeof(struct check_event));
	o->s = s;
	o->c = c;
	o->steps = c->work.steps;
	return 0;
}

s32 check_order_run(struct check *c, u32 *events)
{
	struct order *o = c->order.at;

	for (; o->cache < c->caches.nr; o->cache++) {
		const struct check_cache *of = c->caches.at + o->cache;
		/* Caches that are right already need no other order. */
		if (of->right == of->allocations)
			continue;
		if (!o->is_open && open_cache(o))
			return o->err;
		while (o->next < o->nr && !o->has_other_nodes) {
			u64 before = o->steps;
			if (!*events)
				return 1;
			o->next = advance(o, o->next);
			if (o->err)
				return o->err;
			*events -= (u32)MIN(*events, 1 + o->steps - before);
		}
		o->is_open = 0;
		if (o->has_other_nodes)
			return 0;
	}
	return 0;
}

int check_order_is_void(struct check *c)
{
	const struct order *o = c->order.at;

	c->work.steps = o->steps;
	c->work.rounds += o->has_other_nodes;
	if (o->has_other_nodes)
		memcpy(c->events.at, c->recorded.at, c->events.nr * sizeof(struct check_event));
	return (int)o->has_other_nodes;
}

void check_order_drop(struct kmem_session *s, struct check *c)
{
	if (c->order.at)
		anchors_drop(c->order.at);
	buffer_free(&s->pool, &c->order);
}
