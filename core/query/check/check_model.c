/*
 * check_model.c - a check from start to end: whether trace and states can be compared, its work in slices, and
 * its sums.
 */
#include "query/check/check_model.h"

#include "import/import.h"
#include "session/job.h"
#include "util/text.h"

/*
 * The states and the result of a check: reads the states, and sums up what its passes found.
 */

enum { LEAST_COUNT = 20, CLOSE_SLABS = 2 };

static struct state *state_at_work(struct kmem_session *s)
{
	struct check *c = check_of(s);

	return &c->states[c->states[KMEM_STATE_STOP].is_reading ? KMEM_STATE_STOP
								: KMEM_STATE_START];
}

s32 kmem_state_begin(struct kmem_session *s, u32 which)
{
	struct check *c = check_of(s);

	if (which > KMEM_STATE_STOP)
		return session_fail(s, KMEM_EPARAM, "expected the start state or the stop state");
	check_events_drop(s, c);
	c->states[!which].is_reading = 0;
	return state_begin(s, &c->states[which]);
}

s32 kmem_state_chunk(struct kmem_session *s, const u8 *bytes, u32 len_bytes)
{
	return state_chunk(s, state_at_work(s), bytes, len_bytes);
}

s32 kmem_state_end(struct kmem_session *s)
{
	return state_end(s, state_at_work(s));
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

static void sum_counter(struct kmem_checked *out, u64 kernel, u64 model)
{
	if (kernel < LEAST_COUNT)
		return;
	out->cells++;
	out->within_1_percent += distance(kernel, model) * 100 <= kernel;
	out->within_10_percent += distance(kernel, model) * 10 <= kernel;
}

/* Without a stop state: sums what the trace reports of the kernel one by one, which leaves out the fast paths. */
static void sum_reported(const struct kmem_session *s, const struct check *c,
			 struct kmem_checked *out, u32 nr)
{
	const struct trace *t = &s->trace;
	const struct kmem_kernel_counters_row *rows = t->counters_run.at;
	u32 row = counters_row_of(t, (const char *)s->pool.base, c->states[0].caches.at[nr].name);

	for (u32 i = 0; i < STATE_COUNTERS && row; i++) {
		u32 counter = state_counter(&c->states[0], i);
		if (counter < NR_KERNEL_COUNTERS)
			sum_counter(out, rows[row - 1].all[counter], c->caches.at[nr].counters[i]);
	}
}

static void sum_cache(struct kmem_session *s, struct check *c, u32 nr,
		      struct kmem_checked_cache *row)
{
	struct kmem_checked *out = &c->out;
	const struct check_cache *cache = &c->caches.at[nr];
	const struct state_cache *start = &c->states[0].caches.at[nr];
	const struct state *last = &c->states[1];
	u32 there = last->is_complete ? state_cache_of(last, start->name) : CHECK_NONE;
	const struct state_cache *stop = last->caches.at + there;

	*row = (struct kmem_checked_cache){
		.name = start->name,
		.events = cache->nr,
		.allocations = cache->allocations,
		.right = cache->right,
		.model_slabs = (s32)(cache->slabs_at_end - cache->slabs_at_start),
	};
	out->allocations += cache->allocations;
	if (!last->is_complete)
		sum_reported(s, c, out, nr);
	if (there == CHECK_NONE)
		return;
	row->has_kernel_slabs = 1;
	row->kernel_slabs = (s32)(stop->nr_slabs - start->nr_slabs);
	out->caches++;
	out->within_2 += row->kernel_slabs - row->model_slabs <= CLOSE_SLABS &&
			 row->model_slabs - row->kernel_slabs <= CLOSE_SLABS;
	out->lists += cache->lists;
	out->lists_equal += cache->lists_equal;
	/* The kernel's counters between the states. */
	for (u32 i = 0; i < STATE_COUNTERS; i++)
		if (stop->counters[i] >= start->counters[i])
			sum_counter(out, stop->counters[i] - start->counters[i],
				    cache->counters[i]);
}

static s32 check_sum_up(struct kmem_session *s, struct check *c)
{
	u64 bytes = MAX(c->caches.nr, 1u) * (u64)sizeof(struct kmem_checked_cache);

	if (!buffer_grow(&s->pool, &c->row_run, bytes))
		return KMEM_ENOMEM;
	c->rows = c->row_run.at;
	for (u32 nr = 0; nr < c->caches.nr; nr++)
		if (c->caches.at[nr].nr)
			sum_cache(s, c, nr, &c->rows[c->out.nr_rows++]);
	c->out.rows = c->rows;
	c->out.nr_fallback = c->nr_fallback;
	memcpy(c->out.fallback, c->fallback, sizeof(c->fallback));
	return 0;
}

s32 check_ready(struct kmem_session *s, const struct check *c)
{
	if (!s->import.imported)
		return session_fail(s, KMEM_ESTATE, "no trace is imported");
	if (!c->states[0].is_complete || c->states[0].is_broken)
		return session_fail(s, KMEM_ESTATE, "no start state has been read");
	if (!s->trace.kept.pointers)
		return session_fail(s, KMEM_ESTATE,
				    "the trace's pointers were not kept, or did not fit in memory");
	return 0;
}

/* Reports what the search for the order changed. */
static s32 check_list_moves(struct kmem_session *s, struct check *c)
{
	c->moves.nr = 0;
	for (u32 i = 0; i < c->events.nr; i++) {
		const struct check_event *ev = &c->events.at[i];
		const struct check_cache *cache = &c->caches.at[ev->cache];
		int is_behind = i + 1 == cache->first + cache->nr;
		if (ev->flags & CHECK_GIVEN_UP &&
		    (!c->out.given_up++ || ev->op < c->out.given_up_op))
			c->out.given_up_op = ev->op;
		/* A bulk free counts as one. */
		if (!(ev->flags & (CHECK_MOVED | CHECK_GATE)) ||
		    (ev->flags & CHECK_IN_GROUP && !(ev->flags & CHECK_LAST) &&
		     ev->kind != CHECK_ALLOC))
			continue;
		struct kmem_checked_move *move = array_add(&s->pool, &c->moves.all, sizeof(*move));
		if (!move)
			return KMEM_ENOMEM;
		move->op = ev->op;
		move->next_op = is_behind ? KMEM_NONE32 : ev[1].op;
		move->skips_nodes = (ev->flags & CHECK_GATE) != 0;
		move->cache = c->states[0].caches.at[ev->cache].name;
		c->out.moves += (ev->flags & CHECK_MOVED) != 0;
		c->out.resynchronised += move->skips_nodes;
	}
	c->out.moved = c->moves.at;
	c->out.nr_moved = c->moves.nr;
	return 0;
}

/*
 * Refuses a trace without addresses, and a state other than the one that the trace started or ended with: it comes
 * from the other end, another run or another machine, or the trace lacks the events after it.
 *
 * Such a state is a wrong start for every cache, so every figure would be down to chance.
 */

enum {
	MOST_GAP_NS =
		2000000000, /* time from the start state to the first event: it is written with all CPUs stopped */
	CLOCK_NS = 10000000,  /* clocks of CPUs, and microseconds in the text */
	LEAST_SLABS = 8,      /* contradictions that may be chance, */
	PART_OF_SLABS = 10,   /* and their part of the slabs that events touch, */
	PART_OF_OBJECTS = 50, /* and of the objects */
	REASON_BYTES = 320,   /* room for a sentence with numbers */
};

static const char lacks_events[] =
	"events between them are missing, or the state is of another run or machine";

/* may_lack: the trace is on the side of the state where it should be, but too far away. */
static const char *wrong_time(char *sentence, const char *what, u64 state, const char *event,
			      u64 time, int may_lack)
{
	struct text t = text_in(sentence, REASON_BYTES);

	text_print(&t, "%s was read %u ms after boot, and the trace's %s event is at %u ms: ", what,
		   (u32)(state / 1000000), event, (u32)(time / 1000000));
	text_add(&t, may_lack ? lacks_events : "it is of another run");
	return sentence;
}

/* Markers show which events came before the start state and after the stop state. */
static const char *wrong_times(const struct trace *t, const struct state *start,
			       const struct state *stop, char *sentence)
{
	if (stop->is_complete && start->time && stop->time && stop->time < start->time)
		return "the stop state is older than the start state; expected both of one run";
	if (!t->report.time_is_ns || !t->has_times || t->nr_state_marks || !t->nr_ops)
		return NULL;
	u64 first = trace_time(t, 0), last = trace_time(t, t->nr_ops - 1);
	if (start->time && (start->time > first + CLOCK_NS || start->time + MOST_GAP_NS < first))
		return wrong_time(sentence, "the start state", start->time, "first", first,
				  start->time < first);
	if (stop->is_complete && stop->time &&
	    (stop->time + CLOCK_NS < last || stop->time > last + MOST_GAP_NS))
		return wrong_time(sentence, "the stop state", stop->time, "last", last,
				  stop->time > last);
	return NULL;
}

/* Whether start and stop state have the same caches, of the same sizes. */
static int are_of_one_machine(const struct state *start, const struct state *stop)
{
	int is_same = start->has_sheaves == stop->has_sheaves &&
		      start->nr_nodes == stop->nr_nodes && start->nr_cpus == stop->nr_cpus;

	for (u32 i = 0; i < start->caches.nr && is_same; i++) {
		const struct state_cache *a = &start->caches.at[i];
		u32 there = state_cache_of(stop, a->name);
		const struct state_cache *b = stop->caches.at + there;
		is_same = there == CHECK_NONE || (a->size == b->size && a->objects == b->objects);
	}
	return is_same;
}

/* Says why trace and states cannot be compared; NULL: they can. */
static const char *why_not(const struct trace *t, const struct state *start,
			   const struct state *stop, char *sentence)
{
	if (stop->is_complete && stop->is_slab != start->is_slab)
		return "the start state and the stop state come from different allocators";
	/* A state of SLAB has the arrays of one CPU only. */
	if (start->is_slab && (start->nr_cpus != 1 || start->nr_nodes != 1 || start->has_others))
		return "the state comes from SLAB on several CPUs or nodes, and lacks the objects in "
		       "shared arrays and alien caches; expected one CPU";
	if (!t->kept.nr_pointers)
		return "no event of the trace has a pointer to compare: expected the kernel's "
		       "recording with addresses, or a slabtrace that `convert --keep "
		       "pointers,tasks` wrote";
	if (t->report.hashed)
		return "the trace's pointers are hashed, so none shows its slab: expected a trace "
		       "with addresses (echo 0 > options/hash-ptr)";
	if (start->which == 2)
		return "the state that was given as the start is a stop state: its V line says so";
	if (stop->is_complete && stop->which == 1)
		return "the state that was given as the stop is a start state: its V line says so";
	if (stop->is_complete && !are_of_one_machine(start, stop))
		return "the start state and the stop state come from different machines: their CPUs, nodes "
		       "or caches differ";
	if (t->report.cpus > MAX(start->nr_cpus, 1u))
		return "the start state comes from another machine: the trace has events on more "
		       "CPUs than it has";
	if (t->kept.nr_parts && !start->has_sheaves)
		return "the start state comes from another kernel: the trace reports sheaves, which it "
		       "does not have";
	return wrong_times(t, start, stop, sentence);
}

/* The same once the events are known. An allocation that is the first event on a slab of the state has to be of its cache. Objects
 * have to be free before they are allocated. */
static const char *why_not_slabs(const struct kmem_session *s, const struct check *c,
				 char *sentence)
{
	u32 of_trace = c->slabs.nr - c->states[0].slabs.nr, allocations = 0;
	/* Objects move while a state with markers around it is read. */
	u32 part = s->trace.nr_state_marks ? PART_OF_SLABS : PART_OF_OBJECTS;
	struct text t = text_in(sentence, REASON_BYTES);

	if (c->out.other_caches * PART_OF_SLABS > c->out.events + c->out.other_caches)
		return "the start state comes from another machine: more than a tenth of the "
		       "trace's events use caches that it does not have";
	for (u32 i = 0; i < c->caches.nr; i++)
		allocations += c->caches.at[i].allocations;
	if (!allocations)
		return "the trace has no allocations to compare: none has a pointer, uses a cache "
		       "of the start state and comes after it";
	text_add(&t, "the trace does not start at the start state: ");
	if (c->of_other_caches >= LEAST_SLABS && c->of_other_caches * PART_OF_SLABS >= c->touched)
		text_print(&t,
			   "of the %u slabs in it that the trace uses, %u belong to another cache",
			   c->touched, c->of_other_caches);
	else if (c->contradictions >= LEAST_SLABS && c->contradictions * part >= c->firsts)
		text_print(&t,
			   "of the %u objects in it that the trace uses, %u are freed while free, "
			   "or allocated while in use",
			   c->firsts, c->contradictions);
	else if (!c->touched && c->states[0].slabs.nr && of_trace >= LEAST_SLABS)
		text_print(&t, "none of the trace's %u slabs is in it", of_trace);
	else
		return NULL;
	text_add(&t, "; ");
	text_add(&t, lacks_events);
	return sentence;
}

/*
 * JOB_CHECK: the replays of a check, in slices.
 */

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
	char sentence[REASON_BYTES];
	s32 err = check_ready(s, c);

	if (err)
		return err;
	const char *why = why_not(&s->trace, &c->states[0], &c->states[1], sentence);
	if (why)
		return session_fail(s, KMEM_EINPUT, why);
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

/* Continues the phase: returns 1 if it has more to do, 0 at its end, or an error. */
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

/* After the replays with all controls: searches for the order, if the caller wants that. */
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
	char sentence[REASON_BYTES];
	const char *why;
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
		why = why_not_slabs(s, c, sentence);
		return why ? session_fail(s, KMEM_EINPUT, why) : 0;
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

/* Thousandths of the work that is left. This is an estimate that counts a phase as some number of replays, since
 * nobody knows how many orders and moves will be tried. */
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
		return session_fail(s, KMEM_ESTATE, "no check has started, or it was interrupted");
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
