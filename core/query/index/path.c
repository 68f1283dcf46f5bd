/*
 * path.c - the path of an event: where each of its steps happens, what it does there, and which slab it moves.
 *
 * A step knows its slab and where it puts it, but not where the slab was. So the state before the event is searched for
 * the slabs that the steps name.
 */
#include "query/index/query.h"
#include "session/session.h"

static const struct {
	u16 levels, step;
} in_place[] = {
#define IN_PLACE(levels, step) { LEVELS_##levels, STEP_##step },
#include "tables/allocators.def"
};

enum how { ALWAYS, BY_ARG, IF_ARG, UNLESS_ARG };

/* Where a step puts its slab: in a place of a kind, depending on argument number `arg` and a value. */
static const struct {
	u16 levels, step, kind;
	u8 arg, how;
	u32 value;
} slab_puts[] = {
#define PUTS(levels, step, place) { LEVELS_##levels, STEP_##step, place, 0, ALWAYS, 0 },
#define PUTS_BY(levels, step, arg) { LEVELS_##levels, STEP_##step, 0, arg, BY_ARG, 0 },
#define PUTS_IF(levels, step, arg, value, place) \
	{ LEVELS_##levels, STEP_##step, place, arg, IF_ARG, value },
#define PUTS_UNLESS(levels, step, arg, value, place) \
	{ LEVELS_##levels, STEP_##step, place, arg, UNLESS_ARG, value },
#include "tables/allocators.def"
};

/* Numbers of arguments, + 1: the CPU of the place, and which of several places of a node it is. */
static const u8 cpu_args[NR_STEP_KINDS] = {
#define OF_CPU(step, arg) [STEP_##step] = (arg) + 1,
#include "tables/allocators.def"
};

enum { STEPS_NODE = 0xff };

static const u8 target_args[NR_STEP_KINDS] = {
#define TARGET(step, arg) [STEP_##step] = (arg) + 1,
#define TARGET_NODE(step) [STEP_##step] = STEPS_NODE,
#include "tables/allocators.def"
};

enum { NOTED = 1, REFUSED, RETURNED };

static const u8 said_verbs[NR_STEP_KINDS] = {
#define NOTES(step) [STEP_##step] = NOTED,
#define REFUSES(step) [STEP_##step] = REFUSED,
#define RETURNS(step) [STEP_##step] = RETURNED,
#include "tables/allocators.def"
};

/* The number of the argument, + 1, that is 0 if the step gets nothing. */
static const u8 refused_args[NR_STEP_KINDS] = {
#define REFUSES_IF(step, arg) [STEP_##step] = (arg) + 1,
#include "tables/allocators.def"
};

/* A slab that the steps name, and where it is. */
struct named_slab {
	u32 serial;
	u16 cache, is_taken;
	u16 kind, cpu, node, reserved;
};

struct named_slabs {
	struct named_slab *rows;
	u32 mask; /* a power of two of rows, less one */
};

static int is_in_place(u32 levels, u32 kind)
{
	for (u32 i = 0; i < ARRAY_SIZE(in_place); i++)
		if (in_place[i].step == kind &&
		    (in_place[i].levels == levels || in_place[i].levels == levels_base(levels)))
			return 1;
	return 0;
}

/* Whether step k says itself that it got nothing. */
static u8 is_refused(const struct kmem_session *s, u32 k)
{
	const struct kmem_step *step = s->timeline.steps + k;
	u32 arg = refused_args[step->kind];

	return said_verbs[step->kind] == REFUSED || (arg && !step->args[arg - 1]);
}

/*
 * Marks the steps at which an allocation looked for an object and found none: it then went to a deeper level, or looked
 * at another node. Returns the number of such steps, including those whose kind already says so.
 */
static u32 mark_vain(const struct kmem_session *s, const struct levels_walk *walk, u32 op_kind,
		     const u16 *levels, u8 *vain)
{
	u8 asks_again[MAX_LEVELS][NR_STEP_KINDS] = { 0 };
	u32 nr = 0, last_level = LEVEL_NONE, last_node = NODE_ANY, is_answered = 0;

	for (u32 k = s->timeline.nr_steps; k-- > 0;) {
		const struct kmem_step *step = s->timeline.steps + k;
		u32 kind = step->kind, level = levels[k];
		vain[k] = is_refused(s, k);
		if (op_allocates(op_kind) && level && level != LEVEL_NONE &&
		    levels_ask(walk->levels, kind) && said_verbs[kind] != NOTED) {
			is_answered = levels_take(walk->levels, kind) ||
				      (is_answered && level == last_level &&
				       step->node == last_node);
			vain[k] |= !is_answered && (level < walk->asked || asks_again[level][kind]);
			asks_again[level][kind] = 1;
			last_level = level;
			last_node = step->node;
		}
		nr += vain[k];
	}
	return nr;
}

/* The steps of an event, on the levels of its cache. */
struct walked {
	struct touched_op o;
	struct levels_walk walk;
	u16 *levels;
	u32 *cycles;
	u8 *vain;
	u32 nr_vain;
};

/* Runs the event at the position, and walks its steps. */
static s32 walk_steps(struct kmem_session *s, struct walked *event)
{
	s32 status = touch_run(s, &event->o);
	u32 nr = MAX(event->o.nr_steps, 1u);

	if (status)
		return status;
	event->levels = scratch_alloc(s, nr * sizeof(*event->levels));
	event->cycles = scratch_alloc(s, nr * sizeof(*event->cycles));
	event->vain = scratch_alloc(s, nr);
	if (!event->levels || !event->cycles || !event->vain)
		return KMEM_ENOMEM;
	event->walk = levels_begin(levels_of(s, event->o.cache));
	for (u32 k = 0; k < event->o.nr_steps; k++) {
		levels_step(s, &event->walk, s->timeline.steps + k);
		event->levels[k] = (u16)event->walk.at;
		event->cycles[k] = (k + 1 == event->o.nr_steps ? (u32)op_cycles(s->w)
							       : s->timeline.step_times[k]) -
				   (k ? s->timeline.step_times[k - 1] : 0);
	}
	event->nr_vain = mark_vain(s, &event->walk, event->o.kind, event->levels, event->vain);
	return 0;
}

/* Goes to the event. */
static s32 go_to(struct kmem_session *s, u32 op)
{
	if (op >= kmem_nr_ops(s))
		return session_fail(s, KMEM_ESTATE, "past the last event");
	touch_kinds_init(query_of(s)->touch_kinds);
	return kmem_seek(s, op);
}

const struct kmem_path *kmem_path(struct kmem_session *s, u32 op)
{
	struct kmem_path *path = &query_of(s)->path;
	struct walked event;

	if (go_to(s, op))
		return NULL;
	scratch_reset(s);
	if (walk_steps(s, &event))
		return NULL;
	*path = (struct kmem_path){ .op = op,
				    .cache = event.o.cache,
				    .end = levels_end(&event.walk, event.o.kind),
				    .deepest = event.walk.deepest,
				    .questions = event.walk.questions,
				    .cycles = (u32)MIN(op_cycles(s->w), 0xffffffffu),
				    .nr_steps = event.o.nr_steps,
				    .cycles_at = session_offset(s, event.cycles),
				    .fast_cycles = levels_fast_cycles(s->w, event.walk.levels,
								      event.o.kind),
				    .nr_vain = event.nr_vain };
	return path;
}

/* Returns the row of a slab, or a free one. */
static struct named_slab *named(const struct named_slabs *slabs, u32 cache, u32 serial)
{
	u32 at = (serial * 0x9e3779b1u ^ cache) & slabs->mask;

	while (slabs->rows[at].is_taken &&
	       (slabs->rows[at].serial != serial || slabs->rows[at].cache != cache))
		at = (at + 1) & slabs->mask;
	return &slabs->rows[at];
}

static int has_slab(const struct kmem_session *s, const struct kmem_step *step)
{
	return query_of(s)->touch_kinds[step->kind].slab_arg != 0;
}

static u32 slab_of_step(const struct kmem_session *s, const struct kmem_step *step)
{
	return step->args[query_of(s)->touch_kinds[step->kind].slab_arg - 1];
}

/* Makes a row for each slab that the steps name, in no place yet. */
static s32 name_slabs(struct kmem_session *s, struct named_slabs *slabs)
{
	u32 nr = 2;

	while (nr < 2 * s->timeline.nr_steps)
		nr *= 2;
	slabs->mask = nr - 1;
	slabs->rows = scratch_alloc(s, (u64)nr * sizeof(*slabs->rows));
	if (!slabs->rows)
		return KMEM_ENOMEM;
	memset(slabs->rows, 0, nr * sizeof(*slabs->rows));
	for (u32 k = 0; k < s->timeline.nr_steps; k++) {
		const struct kmem_step *step = s->timeline.steps + k;
		if (!has_slab(s, step))
			continue;
		u32 serial = slab_of_step(s, step);
		*named(slabs, step->cache,
		       serial) = (struct named_slab){ serial,	step->cache, 1, KMEM_NONE,
						      CPU_NONE, NODE_ANY,    0 };
	}
	return 0;
}

struct finder {
	struct visitor visitor;
	const struct named_slabs *slabs;
	u16 kind, cpu, node;
};

static void see_place(struct visitor *v, const struct kmem_place *place)
{
	struct finder *f = (struct finder *)v;

	f->kind = place->kind;
	f->cpu = place->cpu;
	f->node = place->node;
}

static void see_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		     const struct kmem_extent *extents)
{
	const struct finder *f = (const struct finder *)v;
	struct named_slab *slab = named(f->slabs, row->cache, row->serial);

	(void)cells;
	(void)extents;
	if (!slab->is_taken)
		return;
	slab->kind = f->kind;
	slab->cpu = f->cpu;
	slab->node = f->node == NODE_ANY ? row->node : f->node;
}

/* Finds where these slabs are now. */
static void find_slabs(const struct kmem_session *s, const struct named_slabs *slabs)
{
	struct finder f = { .visitor = { 1, see_place, see_slab, visit_no_entry, NULL },
			    .slabs = slabs };
	u32 last = NOWHERE;

	for (u32 i = 0; i <= slabs->mask; i++) {
		u32 cache = slabs->rows[i].cache;
		if (!slabs->rows[i].is_taken || cache == last || cache >= s->w->nr_caches)
			continue;
		last = cache;
		s->replay.ops->walk(s->w, cache_at(s->w, cache), &f.visitor);
	}
}

/* Returns the kind of place into which the step puts its slab; KMEM_NONE32: it stays. KMEM_NONE: its pages go back. */
static u32 kind_put(u32 levels, const struct kmem_step *step)
{
	if (levels_give_pages_back(step->kind))
		return KMEM_NONE;
	for (u32 i = 0; i < ARRAY_SIZE(slab_puts); i++) {
		if (slab_puts[i].step != step->kind ||
		    (slab_puts[i].levels != levels && slab_puts[i].levels != levels_base(levels)))
			continue;
		u32 arg = step->args[slab_puts[i].arg], how = slab_puts[i].how;
		if (how == BY_ARG)
			return arg;
		if (how == ALWAYS || (how == IF_ARG) == (arg == slab_puts[i].value))
			return slab_puts[i].kind;
	}
	return KMEM_NONE32;
}

static int is_kind_of_cpus(u32 levels, u32 kind)
{
	return kind != KMEM_NONE && levels_of_cpus(levels, levels_at_place(levels, kind, 0));
}

/* Notes that the step moves its slab to another place, if it does. */
static void put_slab(const struct kmem_session *s, u32 levels, const struct kmem_step *step,
		     struct named_slab *slab, struct kmem_path_step *row)
{
	u32 kind = kind_put(levels, step);

	if (kind == KMEM_NONE32)
		return;
	int is_cpus = is_kind_of_cpus(levels, kind);
	u16 cpu = is_cpus ? step->cpu : CPU_NONE,
	    node = is_cpus ? (u16)node_of_cpu(s->w, step->cpu) : step->node;
	if (slab->kind == kind && slab->cpu == cpu && slab->node == node)
		return;
	row->slab = slab->serial;
	row->from_kind = slab->kind;
	row->from_cpu = slab->cpu;
	row->from_node = slab->kind == KMEM_NONE ? step->node : slab->node;
	row->to_kind = slab->kind = (u16)kind;
	row->to_cpu = slab->cpu = cpu;
	row->to_node = slab->node = node;
}

/* Sets the node or CPU of the level's places at which the step is; in_slab: it is where that slab is. */
static void set_column(const struct kmem_session *s, u32 levels, const struct kmem_step *step,
		       const struct named_slab *in_slab, struct kmem_path_step *row)
{
	u32 cpu_arg = cpu_args[step->kind], target = target_args[step->kind];

	if (row->level == LEVEL_NONE)
		return;
	if (levels_of_cpus(levels, row->level)) {
		row->cpu = step->cpu;
		if (in_slab)
			row->cpu = in_slab->cpu;
		else if (cpu_arg && step->args[cpu_arg - 1] < s->w->machine.nr_cpus)
			row->cpu = (u16)step->args[cpu_arg - 1];
		row->node = (u16)node_of_cpu(s->w, row->cpu);
		return;
	}
	row->node = step->node == NODE_ANY || target == STEPS_NODE
			    ? (u16)node_of_cpu(s->w, step->cpu)
			    : step->node;
	if (target)
		row->target = target == STEPS_NODE ? step->node : (u16)step->args[target - 1];
}

static u16 verb_of(const struct walked *event, const struct kmem_step *step,
		   const struct kmem_path_step *row, u32 is_vain)
{
	u32 levels = event->walk.levels;

	u32 said = said_verbs[step->kind];
	/* A free asks for nothing, although it may swap sheaves as an allocation does. */
	int asks = levels_ask(levels, step->kind) && event->o.kind != OP_FREE;

	if (row->level == LEVEL_NONE || said == NOTED)
		return VERB_NOTES;
	if (asks &&
	    (row->level == levels_at(levels, LEVEL_PAGES) || levels_take(levels, step->kind)))
		return is_vain ? VERB_IN_VAIN : VERB_GIVES;
	if (row->slab == NOWHERE && is_vain)
		return VERB_IN_VAIN;
	if (said == RETURNED || levels_give_pages_back(step->kind))
		return VERB_RETURNS;
	return asks && row->slab == NOWHERE ? VERB_ASKS : VERB_MOVES;
}

static void fill_step(const struct kmem_session *s, const struct walked *event, u32 k,
		      const struct named_slabs *slabs, struct kmem_path_step *row)
{
	const struct kmem_step *step = s->timeline.steps + k;
	struct named_slab *slab = has_slab(s, step)
					  ? named(slabs, step->cache, slab_of_step(s, step))
					  : NULL;
	u32 levels = event->walk.levels;
	const struct named_slab *in_slab = NULL;

	*row = (struct kmem_path_step){ event->cycles[k], NOWHERE,  event->levels[k], 0,
					NODE_ANY,	  CPU_NONE, KMEM_NONE,	      step->cache,
					KMEM_NONE,	  CPU_NONE, NODE_ANY,	      KMEM_NONE,
					CPU_NONE,	  NODE_ANY };
	if (slab && slab->kind != KMEM_NONE && is_in_place(levels, step->kind)) {
		u32 level = levels_at_place(levels, slab->kind, step_is_remote(s, step));
		in_slab = level == LEVEL_NONE ? NULL : slab;
		row->level = in_slab ? (u16)level : row->level;
	}
	if (slab)
		put_slab(s, levels, step, slab, row);
	set_column(s, levels, step, in_slab, row);
	row->verb = verb_of(event, step, row, event->vain[k]);
}

const struct kmem_path_step *kmem_path_steps(struct kmem_session *s, u32 op, u32 *nr)
{
	struct walked event;
	struct named_slabs slabs;

	*nr = 0;
	if (go_to(s, op) || touch_run(s, &event.o))
		return NULL;
	scratch_reset(s);
	if (name_slabs(s, &slabs) || kmem_seek(s, op))
		return NULL;
	find_slabs(s, &slabs);
	if (walk_steps(s, &event))
		return NULL;
	struct kmem_path_step *rows = scratch_alloc(s, MAX(event.o.nr_steps, 1u) * sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 k = 0; k < event.o.nr_steps; k++)
		fill_step(s, &event, k, &slabs, &rows[k]);
	*nr = event.o.nr_steps;
	return rows;
}
