/*
 * check_refuse.c - refuses a trace without addresses, and a state that is not the one that the trace began or ended with: of the
 * other end, another run or another machine, or the trace lacks events behind it.
 *
 * Such a state is a wrong start for every cache, so each figure would be one about chance.
 */
#include "query/check/check_model.h"
#include "util/text.h"

enum {
	MOST_GAP_NS =
		2000000000, /* from the start state to the first event: it is written with all CPUs stopped */
	CLOCK_NS = 10000000,  /* clocks of CPUs, and microseconds in the text */
	LEAST_SLABS = 8,      /* contradictions that may be chance, */
	PART_OF_SLABS = 10,   /* and their part of the slabs that events touch, */
	PART_OF_OBJECTS = 50, /* and of the objects */
};

static const char lacks_events[] =
	"events between them are missing, or the state is of another run or machine";

static s32 refuse(struct kmem_session *s, const char *what)
{
	return session_fail(s, KMEM_EINPUT, what);
}

/* may_lack: the trace is on the side of the state where it should be, but too far away. */
static s32 refuse_times(struct kmem_session *s, const char *what, u64 state, const char *event,
			u64 time, int may_lack)
{
	char sentence[320];
	struct text t = text_in(sentence, sizeof(sentence));

	text_add(&t, what);
	text_print(&t, " was read %u ms after boot, and the trace's ", (u32)(state / 1000000));
	text_print(&t, "%s event is at %u ms: ", event, (u32)(time / 1000000));
	text_add(&t, may_lack ? lacks_events : "it is of another run");
	return refuse(s, sentence);
}

/* Events before the start state and behind the stop state are known by markers. */
static s32 check_times(struct kmem_session *s, const struct check *c)
{
	const struct trace *t = &s->trace;
	const struct state *start = &c->states[0], *stop = &c->states[1];

	if (stop->is_complete && start->time && stop->time && stop->time < start->time)
		return refuse(
			s,
			"the stop state is older than the start state; expected both of one run");
	if (!t->report.time_is_ns || !t->has_times || t->nr_state_marks || !t->nr_ops)
		return 0;
	u64 first = trace_time(t, 0), last = trace_time(t, t->nr_ops - 1);
	if (start->time && (start->time > first + CLOCK_NS || start->time + MOST_GAP_NS < first))
		return refuse_times(s, "the start state", start->time, "first", first,
				    start->time < first);
	if (stop->is_complete && stop->time &&
	    (stop->time + CLOCK_NS < last || stop->time > last + MOST_GAP_NS))
		return refuse_times(s, "the stop state", stop->time, "last", last,
				    stop->time > last);
	return 0;
}

/* Start and stop state have the same caches, or some of one machine's are of another size. */
static s32 check_pair(struct kmem_session *s, const struct check *c)
{
	const struct state *start = &c->states[0], *stop = &c->states[1];

	if (!stop->is_complete)
		return 0;
	int is_same = start->has_sheaves == stop->has_sheaves &&
		      start->nr_nodes == stop->nr_nodes && start->nr_cpus == stop->nr_cpus;
	for (u32 i = 0; i < start->caches.nr && is_same; i++) {
		const struct state_cache *a = STATE_ROWS(struct state_cache, start->caches) + i;
		u32 there = state_cache_of(stop, a->name);
		const struct state_cache *b = STATE_ROWS(struct state_cache, stop->caches) + there;
		is_same = there == CHECK_NONE || (a->size == b->size && a->objects == b->objects);
	}
	return is_same ? 0
		       : refuse(s, "the start state and the stop state are of two machines: their "
				   "CPUs, nodes or caches differ");
}

s32 check_refuses(struct kmem_session *s, const struct check *c)
{
	const struct state *start = &c->states[0], *stop = &c->states[1];

	if (!s->trace.kept.nr_pointers)
		return refuse(s, "no event of the trace has a pointer to compare: expected the "
				 "kernel's recording with addresses, or a slabtrace that `convert "
				 "--keep pointers,tasks` wrote");
	if (s->trace.report.hashed)
		return refuse(s,
			      "the trace's pointers are hashed, so none shows its slab: expected a "
			      "trace with addresses (echo 0 > options/hash-ptr)");
	if (start->which == 2)
		return refuse(
			s,
			"the state that was given as the start is a stop state: its V line says so");
	if (stop->is_complete && stop->which == 1)
		return refuse(
			s,
			"the state that was given as the stop is a start state: its V line says so");
	s32 err = check_pair(s, c);
	if (!err && s->trace.report.cpus > MAX(start->nr_cpus, 1u))
		err = refuse(
			s,
			"the start state is of another machine: the trace has events of more CPUs "
			"than it has");
	if (!err && s->trace.kept.nr_parts && !start->has_sheaves)
		err = refuse(
			s,
			"the start state is of another kernel: the trace reports sheaves, which it "
			"does not have");
	return err ? err : check_times(s, c);
}

/* An allocation that is the first event on a slab of the state has to be of its cache. Objects have to be free before they are
 * allocated. */
s32 check_refuses_slabs(struct kmem_session *s, const struct check *c)
{
	u32 of_trace = c->slabs.nr - c->states[0].slabs.nr, allocations = 0;
	/* Objects move while a state is read that has markers around it. */
	u32 part = s->trace.nr_state_marks ? PART_OF_SLABS : PART_OF_OBJECTS;
	char sentence[320];
	struct text t = text_in(sentence, sizeof(sentence));

	if (c->out.other_caches * PART_OF_SLABS > c->out.events + c->out.other_caches)
		return refuse(
			s,
			"the start state is of another machine: more than a tenth of the trace's "
			"events are of caches that it does not have");
	for (u32 i = 0; i < c->caches.nr; i++)
		allocations += STATE_ROWS(struct check_cache, c->caches)[i].allocations;
	if (!allocations)
		return refuse(s, "the trace has no allocation to compare: none that has a pointer, "
				 "is of a cache of the start state and lies behind it");
	text_add(&t, "the trace does not begin at the start state: ");
	if (c->of_other_caches >= LEAST_SLABS && c->of_other_caches * PART_OF_SLABS >= c->touched) {
		text_print(&t, "of the %u slabs in it that the trace uses, ", c->touched);
		text_print(&t, "%u belong to another cache", c->of_other_caches);
	} else if (c->contradictions >= LEAST_SLABS && c->contradictions * part >= c->firsts) {
		text_print(&t, "of the %u objects in it that the trace uses, ", c->firsts);
		text_print(&t, "%u are freed while free, or allocated while in use",
			   c->contradictions);
	} else if (!c->touched && c->states[0].slabs.nr && of_trace >= LEAST_SLABS) {
		text_print(&t, "none of the trace's %u slabs is in it", of_trace);
	} else {
		return 0;
	}
	text_add(&t, "; ");
	text_add(&t, lacks_events);
	return refuse(s, sentence);
}
