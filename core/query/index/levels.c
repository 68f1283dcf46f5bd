/*
 * levels.c - what a recorded step is about, and the level at which it happens.
 */
#include "query/index/query.h"

#include "session/session.h"

/* The table comes from the rows and from the argument names in steps.def. */

static const struct {
	u16 step, when;
} holds[] = {
#define HOLDS(condition, step) { STEP_##step, WHEN_##condition },
#include "tables/steps/steps.def"
};

static const u16 units[] = {
#define UNITS(step) STEP_##step,
#include "tables/steps/steps.def"
};

static const u16 passed[] = {
#define PASSED(step) STEP_##step,
#include "tables/steps/steps.def"
};

static void note_args(struct touch_kind *kind, const char *const *args)
{
	for (u32 i = 0; i < 5; i++) {
		if (text_is(args[i], "slab"))
			kind->slab_arg = (u8)(i + 1);
		if (text_is(args[i], "index"))
			kind->index_arg = (u8)(i + 1);
	}
}

void touch_kinds_init(struct touch_kind *kinds)
{
	for (u32 i = 0; i < NR_STEP_KINDS; i++)
		note_args(&kinds[i], step_args(i));
	for (u32 i = 0; i < ARRAY_SIZE(units); i++)
		kinds[units[i]].index_arg = 0;
	for (u32 i = 0; i < ARRAY_SIZE(passed); i++)
		kinds[passed[i]].slab_arg = kinds[passed[i]].index_arg = 0;
	for (u32 i = 0; i < ARRAY_SIZE(holds); i++) {
		if (holds[i].when == WHEN_SLOW_PATH)
			kinds[holds[i].step].is_slow = 1;
		else
			kinds[holds[i].step].what |= (u16)WHEN_BIT(holds[i].when);
	}
}

/* Finds the first step of the slow path. A slow event without such a step counts as slow at its start. */
static u32 find_slow_step(const struct kmem_session *s)
{
	for (u32 k = 0; k < s->timeline.nr_steps; k++)
		if (query_of(s)->touch_kinds[s->timeline.steps[k].kind].is_slow)
			return k;
	return 0;
}

s32 touch_run(struct kmem_session *s, struct touched_op *o)
{
	u32 slow_before = s->w->slow_paths;
	const struct op op = trace_op(&s->trace, s->w->op);
	s32 status = session_record(s, s->w->op, 0, NULL);

	if (status)
		return status;
	o->op = s->timeline.steps_op;
	/* An event without an object of its own has one if it frees an object of the start. */
	u32 frees_older = op.kind == OP_NOTHING && s->timeline.op_cache != CACHE_NONE;
	o->kind = frees_older ? OP_FREE : op.kind;
	o->nr_steps = s->timeline.nr_steps;
	o->shared = s->replay.ops->shared_slabs;
	o->has_object = (op_allocates(o->kind) || o->kind == OP_FREE) &&
			s->timeline.op_cache != CACHE_NONE;
	o->cache = s->timeline.op_cache != CACHE_NONE
			   ? s->timeline.op_cache
			   : replay_cache_of_site(&s->replay, &s->trace.sites[op.site]);
	o->slab = o->has_object ? s->timeline.op_slab : NOWHERE;
	o->index = o->has_object ? s->timeline.op_index : NOWHERE;
	o->slow_step = s->w->slow_paths == slow_before ? NOWHERE : find_slow_step(s);
	o->implied = op.flags & OP_IMPLIED;
	return 0;
}

int step_is_remote(const struct kmem_session *s, const struct kmem_step *step)
{
	return step->node != NODE_ANY && step->node != node_of_cpu(s->w, step->cpu);
}

static int is_anomaly(const struct kmem_step *step)
{
	return step->kind != STEP_NOTHING || step->args[0] == REASON_ORPHAN_FREE ||
	       step->args[0] == REASON_FAILED_ALLOC || step->args[0] == REASON_NEVER_PLACED;
}

struct touch touch_of_step(const struct kmem_session *s, const struct touched_op *o, u32 k)
{
	const struct kmem_step *step = s->timeline.steps + k;
	const struct touch_kind *kind = &query_of(s)->touch_kinds[step->kind];
	struct touch t = { kind->what, step->cache, NOWHERE, NOWHERE };

	if (kind->slab_arg) {
		t.slab = step->args[kind->slab_arg - 1];
		if (kind->index_arg)
			t.index = step->args[kind->index_arg - 1];
	}
	if (o->shared && t.slab != NOWHERE)
		t.cache = o->cache;
	if (t.what & WHEN_BIT(WHEN_REMOTE_NODE) && !step_is_remote(s, step))
		t.what &= ~WHEN_BIT(WHEN_REMOTE_NODE);
	if (t.what & WHEN_BIT(WHEN_EMPTY_FREED) &&
	    !(o->kind == OP_FREE && t.slab == o->slab && t.cache == o->cache))
		t.what &= ~WHEN_BIT(WHEN_EMPTY_FREED);
	if (t.what & WHEN_BIT(WHEN_ANOMALY) && !is_anomaly(step))
		t.what &= ~WHEN_BIT(WHEN_ANOMALY);
	if (k == o->slow_step)
		t.what |= WHEN_BIT(WHEN_SLOW_PATH);
	return t;
}

struct touch touch_of_object(const struct touched_op *o)
{
	u32 when = o->kind == OP_FREE ? WHEN_FREE : WHEN_ALLOC;
	struct touch t = { WHEN_BIT(when), o->cache, o->slab, o->index };

	if (o->implied)
		t.what |= WHEN_BIT(WHEN_ANOMALY);
	return t;
}

u32 touch_object_step(const struct touched_op *o)
{
	return o->kind == OP_FREE || !o->nr_steps ? 0 : o->nr_steps - 1;
}

/*
 * Levels of places: the path of an event over them, and what the allocations of a trace cost there.
 */

/* Every level of every allocator, one after another. */
enum {
#define HAS_LEVEL(levels, level) AT_##levels##_##level,
#include "tables/allocators.def"
	NR_LEVEL_ROWS
};

static const struct {
	u8 levels, level;
} level_rows[] = {
#define HAS_LEVEL(levels, level) { LEVELS_##levels, LEVEL_##level },
#include "tables/allocators.def"
};

/* The other set, + 1, that holds the rows missing from this one. */
static const u8 extends[NR_LEVEL_SETS] = {
#define EXTENDS(levels, other) [LEVELS_##levels] = LEVELS_##other + 1,
#include "tables/allocators.def"
};

/* The level, + 1, at which a step happens: one of its set. */
#define ON(levels, level) LEVEL_##level + 1 + 0 * AT_##levels##_##level

struct step_level {
	u8 near, far, asks; /* 0: the tables have no row */
	u8 by_arg;	    /* number of the argument that it depends on, + 1 */
};

static const struct step_level step_levels[NR_LEVEL_SETS][NR_STEP_KINDS] = {
#define ASKS(levels, step, near, far) \
	[LEVELS_##levels][STEP_##step] = { ON(levels, near), ON(levels, far), 1, 0 },
#define GIVES(levels, step, near, far) \
	[LEVELS_##levels][STEP_##step] = { ON(levels, near), ON(levels, far), 0, 0 },
#define GIVES_BY(levels, step, arg, near, far) \
	[LEVELS_##levels][STEP_##step] = { ON(levels, near), ON(levels, far), 0, (arg) + 1 },
#include "tables/allocators.def"
};

/* The same for values of the argument that it depends on. */
static const struct {
	u16 levels, step, value;
	struct step_level level;
} levels_by_arg[] = {
#define GIVES_IF(levels, step, value, near, far) \
	{ LEVELS_##levels, STEP_##step, value, { ON(levels, near), ON(levels, far), 0, 0 } },
#include "tables/allocators.def"
};

/* Steps without a level in sets that do not say where they happen. */
static const u8 has_no_level[NR_STEP_KINDS] = {
#define NO_LEVEL(step) [STEP_##step] = 1,
#include "tables/allocators.def"
};

/* The only step of an allocation and of a free on the fast path; no row: the set has no fast path. */
static const struct {
	u16 exists, alloc, free;
} fast_steps[NR_LEVEL_SETS] = {
#define FAST(levels, alloc, free) [LEVELS_##levels] = { 1, STEP_##alloc, STEP_##free },
#include "tables/allocators.def"
};

enum { AT_PAGES = 1, ASKS_PAGES = 2 };

/* The same in every set: its last level. */
static const u8 page_steps[NR_STEP_KINDS] = {
#define FROM_PAGES(step) [STEP_##step] = AT_PAGES | ASKS_PAGES,
#define TO_PAGES(step) [STEP_##step] = AT_PAGES,
#include "tables/allocators.def"
};

static const u8 level_nodes[NR_VALUES(kmem_level)] = {
#define LEVEL(key, words, nodes) [LEVEL_##key] = nodes,
#include "tables/allocators.def"
};

static const struct {
	u8 level, place;
} covers[] = {
#define COVERS(level, place) { LEVEL_##level, place },
#include "tables/allocators.def"
};

static const u8 is_of_cpus[NR_VALUES(kmem_level)] = {
#define OF_CPUS(level) [LEVEL_##level] = 1,
#include "tables/allocators.def"
};

/* Steps that take something out of a place. */
static const struct {
	u16 levels, place, step;
} takes[] = {
#define TAKES(levels, place, step) { LEVELS_##levels, place, STEP_##step },
#include "tables/allocators.def"
};

static const u8 drains[NR_STEP_KINDS] = {
#define DRAINS(step) [STEP_##step] = 1,
#include "tables/steps/levels.def"
};

static const char *const level_words[NR_VALUES(kmem_level)] = {
	[LEVEL_PAGES] = "page allocator",
#define LEVEL(key, words, nodes) [LEVEL_##key] = words,
#include "tables/allocators.def"
};

_Static_assert(NR_VALUES(kmem_level) < 255, "a step's level has 8 bits");
_Static_assert(NR_VALUES(kmem_place_kind) <= 64, "a level's places are bits");

static u32 first_row(u32 levels)
{
	u32 row = 0;

	while (row < NR_LEVEL_ROWS && level_rows[row].levels != levels)
		row++;
	return row;
}

u32 levels_in(u32 levels, u32 order[MAX_LEVELS])
{
	u32 nr = 0;

	for (u32 row = first_row(levels);
	     row < NR_LEVEL_ROWS && level_rows[row].levels == levels && nr < MAX_LEVELS; row++)
		order[nr++] = level_rows[row].level;
	return nr;
}

static u64 places_of(u32 level)
{
	u64 places = 0;

	for (u32 i = 0; i < ARRAY_SIZE(covers); i++)
		if (covers[i].level == level)
			places |= (u64)1 << covers[i].place;
	return places;
}

u32 levels_of(const struct kmem_session *s, u32 cache)
{
	const struct kmem_ops *ops = s->replay.ops;

	if (!ops->levels_of)
		return ops->levels;
	return ops->levels_of(s->w, cache < s->w->nr_caches ? cache_at(s->w, cache) : NULL);
}

struct levels_walk levels_begin(u32 levels)
{
	return (struct levels_walk){ .levels = levels };
}

/* Returns the row of a step in this set, or in the one that it extends. */
static const struct step_level *row_of(u32 *levels, u32 kind)
{
	const struct step_level *row = &step_levels[*levels][kind];

	if (row->near || !extends[*levels])
		return row;
	*levels = extends[*levels] - 1u;
	return &step_levels[*levels][kind];
}

int levels_say(u32 levels, u32 kind)
{
	return row_of(&levels, kind)->near || page_steps[kind] || has_no_level[kind];
}

int levels_ask(u32 levels, u32 kind)
{
	return row_of(&levels, kind)->asks || page_steps[kind] & ASKS_PAGES;
}

u32 levels_base(u32 levels)
{
	return extends[levels] ? extends[levels] - 1u : levels;
}

int levels_take(u32 levels, u32 step)
{
	for (u32 i = 0; i < ARRAY_SIZE(takes); i++)
		if (takes[i].step == step &&
		    (takes[i].levels == levels || takes[i].levels == levels_base(levels)))
			return 1;
	return 0;
}

u32 levels_takers(u32 levels, u32 place, u16 steps[MAX_TAKERS])
{
	u32 nr = 0;

	for (u32 i = 0; i < ARRAY_SIZE(takes) && nr < MAX_TAKERS; i++)
		if (takes[i].levels == levels && takes[i].place == place)
			steps[nr++] = takes[i].step;
	return nr;
}

int step_drains(u32 kind)
{
	return drains[kind];
}

const char *level_name(u32 level)
{
	return level_words[level];
}

u32 levels_at(u32 levels, u32 level)
{
	u32 order[MAX_LEVELS], nr = levels_in(levels, order);

	for (u32 i = 0; i < nr; i++)
		if (order[i] == level)
			return i;
	return LEVEL_NONE;
}

u32 levels_at_place(u32 levels, u32 kind, int is_far)
{
	u32 order[MAX_LEVELS], nr = levels_in(levels, order), unwanted;

	unwanted = is_far ? NEAR_NODE : FAR_NODES;
	for (u32 i = 0; i < nr; i++)
		if (places_of(order[i]) >> kind & 1 && level_nodes[order[i]] != unwanted)
			return i;
	return LEVEL_NONE;
}

int levels_of_cpus(u32 levels, u32 at)
{
	u32 order[MAX_LEVELS];

	return at < levels_in(levels, order) && is_of_cpus[order[at]];
}

int levels_give_pages_back(u32 kind)
{
	return page_steps[kind] == AT_PAGES;
}

void levels_step(const struct kmem_session *s, struct levels_walk *walk,
		 const struct kmem_step *step)
{
	u32 levels = walk->levels, asks = page_steps[step->kind] & ASKS_PAGES;
	const struct step_level *row = row_of(&levels, step->kind);

	for (u32 i = 0, arg = row->by_arg; arg && i < ARRAY_SIZE(levels_by_arg); i++)
		if (levels_by_arg[i].levels == levels && levels_by_arg[i].step == step->kind &&
		    levels_by_arg[i].value == step->args[arg - 1])
			row = &levels_by_arg[i].level;
	walk->at = LEVEL_NONE;
	if (page_steps[step->kind]) {
		walk->at = levels_at(walk->levels, LEVEL_PAGES);
	} else if (row->near) {
		u32 level = step_is_remote(s, step) ? row->far : row->near;
		walk->at = levels_at(walk->levels, level - 1u);
		asks = row->asks;
	}
	if (walk->at == LEVEL_NONE)
		return;
	if (asks)
		walk->asked = MAX(walk->asked, walk->at);
	walk->questions += asks && walk->at;
	walk->deepest = MAX(walk->deepest, walk->at);
}

u32 levels_end(const struct levels_walk *walk, u32 op_kind)
{
	return op_allocates(op_kind) ? walk->asked : walk->deepest;
}

u32 levels_fast_cycles(const struct world *w, u32 levels, u32 op_kind)
{
	if (!fast_steps[levels].exists)
		return 0;
	if (op_allocates(op_kind))
		return (u32)cost_of(w, fast_steps[levels].alloc);
	return op_kind == OP_FREE ? (u32)cost_of(w, fast_steps[levels].free) : 0;
}

static void add_note(struct kmem_level_row *row, const struct level_note *note)
{
	if (!note->allocs)
		return;
	row->least_cycles = row->allocs ? MIN(row->least_cycles, note->least_cycles)
					: note->least_cycles;
	row->most_cycles = MAX(row->most_cycles, note->most_cycles);
	row->allocs += note->allocs;
	row->cycles += note->cycles;
}

enum { WHOLE_SHARE = 10000 };

/* Computes ten-thousandths of all allocations that add up to the whole: each is rounded down, and those with the
 * largest remainders get what is missing. */
static void share_out(struct kmem_level_row *rows, u32 nr)
{
	u64 all = 0, left = WHOLE_SHARE;

	for (u32 i = 0; i < nr; i++)
		all += rows[i].allocs;
	if (!all)
		return;
	for (u32 i = 0; i < nr; i++) {
		rows[i].share = (u32)(rows[i].allocs * WHOLE_SHARE / all);
		left -= rows[i].share;
	}
	for (u32 done = 0; left; left--) {
		u32 most = NOWHERE;
		for (u32 i = 0; i < nr; i++)
			if (!(done >> i & 1) &&
			    (most == NOWHERE || rows[i].allocs * WHOLE_SHARE % all >
							rows[most].allocs * WHOLE_SHARE % all))
				most = i;
		done |= 1u << most;
		rows[most].share++;
	}
}

int levels_are_asked(u32 levels, u32 level)
{
	for (u32 kind = 0; kind < NR_STEP_KINDS; kind++) {
		const struct step_level *row = &step_levels[levels][kind];
		if (row->asks && (row->near == level + 1 || row->far == level + 1))
			return 1;
	}
	return level == LEVEL_PAGES ||
	       (extends[levels] && levels_are_asked(extends[levels] - 1u, level));
}

/* Levels of the same kinds of places are one row, which has a column for each node. */
static u16 row_of_level(const struct kmem_level_row *rows, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (rows[i].places == rows[nr].places)
			return rows[i].row;
	return nr ? (u16)(rows[nr - 1].row + 1) : 0;
}

/* CPUs without an event, which a machine of another size has, need none. */
void lanes_begin(struct index *x, u32 nr_cpus, u32 nr_ops)
{
	struct kmem_lanes *lanes = &x->lanes;

	lanes->cpus_per_lane = DIV_ROUND_UP(nr_cpus, (u32)LANES_MOST);
	lanes->nr_lanes = DIV_ROUND_UP(nr_cpus, lanes->cpus_per_lane);
	lanes->ops_per_bucket = nr_ops / LANE_BUCKETS + 1;
	lanes->nr_buckets = DIV_ROUND_UP(nr_ops, lanes->ops_per_bucket);
	x->depths = index_alloc(x, (u64)lanes->nr_lanes * lanes->nr_buckets);
}

enum { DEEPEST = 255 };

/* Caches with other levels share a lane, so a depth is a share of theirs. */
void lanes_note(struct kmem_session *s, const struct touched_op *o, const struct levels_walk *walk)
{
	struct index *x = &query_of(s)->index;
	u32 order[MAX_LEVELS], at = levels_end(walk, o->kind);
	u32 lane = MIN(s->w->cpu / x->lanes.cpus_per_lane, x->lanes.nr_lanes - 1);
	u8 *deepest = &x->depths[lane * x->lanes.nr_buckets + o->op / x->lanes.ops_per_bucket];
	/* Most events end at the first level: they need no look at the table. */
	u32 depth = at ? 1 + at * (DEEPEST - 1) / (levels_in(walk->levels, order) - 1) : 1;

	*deepest = (u8)MAX(*deepest, depth);
}

const struct kmem_lanes *kmem_lanes(struct kmem_session *s)
{
	struct index *x = &query_of(s)->index;

	if (x->state != INDEX_READY)
		return session_none(s, KMEM_ESTATE, "the lanes need an index");
	x->lanes.depths_at = session_offset(s, x->depths);
	return &x->lanes;
}

const struct kmem_level_row *kmem_levels(struct kmem_session *s, u32 cache, u32 *nr)
{
	struct query *q = query_of(s);
	u32 order[MAX_LEVELS];

	*nr = 0;
	if (!s->w || (cache != CACHE_NONE && cache >= s->w->nr_caches))
		return session_none(s, KMEM_ESTATE, "no such cache at this position");
	u32 levels = levels_of(s, cache);
	*nr = levels_in(levels, order);
	memset(q->levels, 0, sizeof(q->levels));
	for (u32 i = 0; i < *nr; i++) {
		q->levels[i].level = order[i];
		q->levels[i].nodes = level_nodes[order[i]];
		q->levels[i].places = places_of(order[i]);
		q->levels[i].is_asked = (u8)levels_are_asked(levels, order[i]);
		q->levels[i].is_of_cpus = is_of_cpus[order[i]];
		q->levels[i].row = row_of_level(q->levels, i);
		for (u32 c = 0; q->index.state == INDEX_READY && c < q->index.nr_caches; c++)
			if (cache == CACHE_NONE ? levels_of(s, c) == levels : c == cache)
				add_note(&q->levels[i], &q->index.caches[c].levels[i]);
	}
	share_out(q->levels, *nr);
	return q->levels;
}
