/*
 * session_warm.c - a warm start: a build begins with the slabs that the trace's pointers show, that a machine state counts, or
 * both.
 *
 * Caches are otherwise made when the trace first uses them. Here they are all made at the start, in the same order, so that
 * the first picture has every slab. Clocks, counters and searches begin at 0 as ever.
 */
#include "machine_state/machine_state.h"
#include "replay/replay_tables.h"
#include "session/session.h"
#include "session/warm/start_doubt.h"

struct machine_state *session_warm_state(struct kmem_session *s)
{
	struct session_import *im = &s->import;

	if (im->start_limit == LIMIT_EMPTY)
		return NULL;
	if (im->warm.nr_rows && !im->warm.is_reading)
		return &im->warm;
	struct machine_state *o = im->before.nr_rows ? &im->before : &im->machine_state;
	return im->is_warm && o->nr_rows ? o : NULL;
}

/* Makes the cache of each allocation site, as the replay would; sites are in the order of their first event. */
static void make_caches(struct kmem_session *s)
{
	const struct trace *t = &s->trace;

	for (u32 i = 0; i < t->nr_sites; i++) {
		const struct site *site = &t->sites[i];
		if (site->kind == OP_KMALLOC)
			kmalloc_cache(&s->replay, site->kmalloc_type, site->bytes);
		else if (site->kind == OP_ALLOC || site->kind == OP_BULK_ALLOC)
			trace_cache(&s->replay, site->cache);
	}
}

/* Clocks, searches and moves of slabs from before the first event are not the trace's. */
static void forget_work(struct world *w)
{
	w->now = w->op_start = 0;
	w->slow_paths = w->slab_moves = 0;
	w->any_node_entered = w->any_node_zones = 0;
	for (u32 id = 0; id < w->nr_caches; id++)
		cache_at(w, id)->slabs_peak = cache_at(w, id)->slabs;
}

/* The pointers show nothing: the world is made again, without caches. */
static s32 begin_cold(struct kmem_session *s)
{
	s->import.inferring.is_vain = 1;
	s32 err = session_new_world(s);
	s->import.inferring.is_vain = 0;
	return err;
}

/* Makes the slabs that a machine state counts, beside those that pointers have shown. */
static s32 adopt_counted(struct kmem_session *s, struct machine_state *o)
{
	struct kmem_warm *sum = &s->import.warmed;
	const struct kmem_ops *ops = s->replay.ops;

	/* Page events show for each slab whether it is old. */
	int knows_free = s->replay.start && page_events_map(&s->trace.page_events) != 0;

	memset(o->tables->is_adopted, 0, sizeof(o->tables->is_adopted));
	for (u32 id = 0; id < s->w->nr_caches; id++) {
		if (!ops->adopt)
			sum->refused++;
		else if (!warm_start(o, ops, s->w, cache_at(s->w, id), knows_free, sum))
			return session_fail(
				s, KMEM_ENOMEM,
				"the slabs of the machine state do not fit in the memory of the simulated "
				"machine: set more memory (--memory), or begin cold");
		if (s->w->used + WORLD_HEADROOM_BYTES > world_host(s->w)->limit_bytes)
			return session_fail(s, KMEM_ENOMEM,
					    "the region has no room for the slabs of the machine "
					    "state: begin cold, or use the native command");
	}
	return 0;
}

s32 session_warm(struct kmem_session *s)
{
	struct machine_state *o = session_warm_state(s);
	struct kmem_warm *sum = &s->import.warmed;
	int has_rows = s->replay.start != NULL;
	s32 err = 0;

	memset(sum, 0, sizeof(*sum));
	start_doubt_begin(s);
	if (!has_rows && !s->import.inferring.is_ready && !o)
		return 0;
	make_caches(s);
	if (!has_rows && s->import.inferring.is_ready && !session_infer(s) && !o)
		return begin_cold(s);
	if (s->replay.start)
		err = session_start(s);
	if (!err && o) {
		sum->caches = sum->cold = sum->refused = 0;
		err = adopt_counted(s, o);
	}
	forget_work(s->w);
	sum->pages = s->w->machine.pages_in_use;
	return err;
}

s32 kmem_warm_begin(struct kmem_session *s)
{
	s->import.machine_state.is_reading = s->import.cache_params.is_reading = 0;
	return session_machine_state_begin(s, &s->import.warm);
}

void kmem_warm_use(struct kmem_session *s, u32 on)
{
	s->import.is_warm = on != 0;
}

const struct kmem_warm *kmem_warm(struct kmem_session *s)
{
	static const struct kmem_warm cold = { 0 };

	return s->w ? &s->import.warmed : &cold;
}

void kmem_start_limit(struct kmem_session *s, u32 limit)
{
	s->import.start_limit = limit;
}

/* Says why a build starts from empty although pointers or a file may show the machine's slabs. */
static const char *why_empty(struct kmem_session *s)
{
	const struct session_import *im = &s->import;

	if (im->start_limit)
		return "replays are compared, and one of them cannot start from the machine's slabs";
	if (s->timeline.turns.is_on)
		return "a replay by clocks cannot start from slabs that pointers show";
	if (!s->trace.first_events.nr || s->trace.report.hashed)
		return "the trace does not say which slabs the machine had before";
	if (!im->infers)
		return "the slabs that the trace's pointers show are left out";
	if (!s->replay.ops->adopts_exactly)
		return "this allocator cannot start from the slabs that the trace's pointers show";
	if (s->w->policy.debug_flags)
		return "with debugging no replay can start from the slabs that the trace's pointers "
		       "show";
	if (im->inferring.is_misfit)
		return "the slots and orders of this machine do not fit the slabs that the trace's "
		       "pointers show";
	return "the trace's pointers show no slab from before it";
}

static void add_empty(struct kmem_session *s, struct text *t)
{
	if (session_warm_state(s))
		text_add(t, "Start from empty: this allocator cannot start from the slabs of a "
			    "snapshot.");
	else if (kmem_start_from(s) == START_BEGINNING)
		text_add(t, "Start from empty: the trace contains its own beginning.");
	else
		text_print(t, "Start from empty, a guess: %s.", why_empty(s));
}

const char *kmem_warm_text(struct kmem_session *s)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));
	const struct kmem_warm *sum = kmem_warm(s);

	text_add(&t, "");
	if (!s->w)
		return s->out.text;
	if (kmem_start_from(s) != START_SNAPSHOT) {
		if (sum->slabs || (s->import.start.nr_caches && !s->import.start.is_inferred &&
				   !s->import.start_limit))
			session_start_text(s, &t);
		else
			add_empty(s, &t);
		return s->out.text;
	}
	if (sum->inferred && sum->cold) {
		text_print(
			&t,
			"Start from slabinfo and pointers: %u slab{s} with %ju object{s} in use; a "
			"snapshot of the machine counted those of %u cache{s}, those of %u "
			"other{s} are a guess from pointers",
			sum->slabs, (uintmax_t)sum->objects, sum->caches, sum->cold);
	} else {
		text_print(
			&t,
			"Start from slabinfo: %u cache{s} {start|starts} with %u slab{s} and %ju "
			"object{s} in use, as a snapshot of the machine counted them",
			sum->caches, sum->slabs, (uintmax_t)sum->objects);
		if (sum->cold + sum->refused)
			text_print(&t, "; %u cache{s} {start|starts} empty, a guess",
				   sum->cold + sum->refused);
	}
	text_add(&t, ".");
	const char *doubt = kmem_start_doubt(s);
	if (*doubt)
		text_print(&t, " %s", doubt);
	return s->out.text;
}
