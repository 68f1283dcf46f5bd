/*
 * stairs.c - levels of places: the path of an event over them, and what the allocations of a trace cost there.
 */
#include "query/index/stairs.h"

#include "query/index/query.h"
#include "session/session.h"

/* Every stair of every allocator, one after another. */
enum {
#define STAIR(stairs, level) AT_##stairs##_##level,
#include "tables/allocators.def"
	NR_STAIR_ROWS
};

static const struct {
	u8 stairs, level;
} stair_rows[] = {
#define STAIR(stairs, level) { STAIRS_##stairs, LEVEL_##level },
#include "tables/allocators.def"
};

/* In place of a level's row: where the step before did. */
enum {
#define STAIRS(id) AT_##id##_SAME = -1,
#include "tables/allocators.def"
};

/* The row of the level, + 1, at which a step happens; 0: where the step before it did. */
struct step_level {
	u8 near, far, asks;
	u8 is_said,
		by_arg; /* the tables have a row; number of the argument that it depends on, + 1 */
};

static const struct step_level step_levels[NR_STAIRS][NR_STEP_KINDS] = {
#define ASKS(stairs, step, near, far)                                                            \
	[STAIRS_##stairs][STEP_##step] = { AT_##stairs##_##near + 1, AT_##stairs##_##far + 1, 1, \
					   1, 0 },
#define GIVES(stairs, step, near, far)                                                           \
	[STAIRS_##stairs][STEP_##step] = { AT_##stairs##_##near + 1, AT_##stairs##_##far + 1, 0, \
					   1, 0 },
#define GIVES_BY(stairs, step, arg, near, far)                                                   \
	[STAIRS_##stairs][STEP_##step] = { AT_##stairs##_##near + 1, AT_##stairs##_##far + 1, 0, \
					   1, (arg) + 1 },
#include "tables/allocators.def"
};

/* The same for values of the argument that it depends on. */
static const struct {
	u16 stairs, step, value;
	struct step_level level;
} levels_by_arg[] = {
#define GIVES_IF(stairs, step, value, near, far) \
	{ STAIRS_##stairs,                       \
	  STEP_##step,                           \
	  value,                                 \
	  { AT_##stairs##_##near + 1, AT_##stairs##_##far + 1, 0, 1, 0 } },
#include "tables/allocators.def"
};

/* Steps without a level on stairs that do not say where they happen. */
static const u8 has_no_level[NR_STEP_KINDS] = {
#define NO_LEVEL(step) [STEP_##step] = 1,
#include "tables/allocators.def"
};

/* The only step of an allocation and of a free on the fast path; no row: these stairs have no fast path. */
static const struct {
	u16 exists, alloc, free;
} fast_steps[NR_STAIRS] = {
#define FAST(stairs, alloc, free) [STAIRS_##stairs] = { 1, STEP_##alloc, STEP_##free },
#include "tables/allocators.def"
};

/* Steps that take something out of a place. */
static const struct {
	u16 stairs, step;
} takes[] = {
#define TAKES(stairs, place, step) { STAIRS_##stairs, STEP_##step },
#include "tables/allocators.def"
};

enum { AT_PAGES = 1, ASKS_PAGES = 2 };

/* The same on all stairs: their last level. */
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

_Static_assert(NR_STAIR_ROWS < 255, "a stair's row has 8 bits");
_Static_assert(NR_VALUES(kmem_place_kind) <= 64, "a level's places are bits");

static u32 first_row(u32 stairs)
{
	u32 row = 0;

	while (row < NR_STAIR_ROWS && stair_rows[row].stairs != stairs)
		row++;
	return row;
}

u32 stairs_levels(u32 stairs, u32 levels[MAX_LEVELS])
{
	u32 nr = 0;

	for (u32 row = first_row(stairs);
	     row < NR_STAIR_ROWS && stair_rows[row].stairs == stairs && nr < MAX_LEVELS; row++)
		levels[nr++] = stair_rows[row].level;
	return nr;
}

u32 stairs_of(const struct kmem_session *s, u32 cache)
{
	const struct kmem_ops *ops = s->replay.ops;

	if (!ops->stairs_of)
		return ops->stairs;
	return ops->stairs_of(s->w, cache < s->w->nr_caches ? cache_at(s->w, cache) : NULL);
}

struct stairs_walk stairs_begin(u32 stairs)
{
	return (struct stairs_walk){ .stairs = stairs };
}

int stairs_say(u32 stairs, u32 kind)
{
	return step_levels[stairs][kind].is_said || page_steps[kind] || has_no_level[kind];
}

static const struct step_level *level_of(u32 stairs, const struct kmem_step *step)
{
	const struct step_level *row = &step_levels[stairs][step->kind];

	for (u32 i = 0; row->by_arg && i < ARRAY_SIZE(levels_by_arg); i++)
		if (levels_by_arg[i].stairs == stairs && levels_by_arg[i].step == step->kind &&
		    levels_by_arg[i].value == step->args[row->by_arg - 1])
			return &levels_by_arg[i].level;
	return row;
}

void stairs_step(const struct kmem_session *s, struct stairs_walk *walk,
		 const struct kmem_step *step)
{
	const struct step_level *row = level_of(walk->stairs, step);
	u32 levels[MAX_LEVELS], first = first_row(walk->stairs), asks = row->asks;

	if (page_steps[step->kind]) {
		walk->at = stairs_levels(walk->stairs, levels) - 1;
		asks = page_steps[step->kind] & ASKS_PAGES;
	} else {
		u32 at = step_is_remote(s, step) ? row->far : row->near;
		if (at)
			walk->at = at - 1u - first;
	}
	if (asks)
		walk->asked = MAX(walk->asked, walk->at);
	walk->questions += asks && walk->at;
	walk->deepest = MAX(walk->deepest, walk->at);
}

static u32 op_allocates(u32 op_kind)
{
	return op_kind == OP_ALLOC || op_kind == OP_KMALLOC;
}

u32 stairs_end(const struct stairs_walk *walk, u32 op_kind)
{
	return op_allocates(op_kind) ? walk->asked : walk->deepest;
}

static u32 fast_cycles(const struct world *w, u32 stairs, u32 op_kind)
{
	if (!fast_steps[stairs].exists)
		return 0;
	if (op_allocates(op_kind))
		return (u32)cost_of(w, fast_steps[stairs].alloc);
	return op_kind == OP_FREE ? (u32)cost_of(w, fast_steps[stairs].free) : 0;
}

static u64 places_of(u32 level)
{
	u64 places = 0;

	for (u32 i = 0; i < ARRAY_SIZE(covers); i++)
		if (covers[i].level == level)
			places |= (u64)1 << covers[i].place;
	return places;
}

static void add_note(struct kmem_stair *row, const struct level_note *note)
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

/* Ten-thousandths of all allocations that add up to the whole: each is rounded down, and those with the largest
 * remainders get what is missing. */
static void share_out(struct kmem_stair *rows, u32 nr)
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

const struct kmem_stair *kmem_stairs(struct kmem_session *s, u32 cache, u32 *nr)
{
	struct query *q = query_of(s);
	u32 levels[MAX_LEVELS];

	*nr = 0;
	if (!s->w || (cache != CACHE_NONE && cache >= s->w->nr_caches)) {
		session_fail(s, KMEM_ESTATE, "no such cache at this position");
		return NULL;
	}
	u32 stairs = stairs_of(s, cache);
	*nr = stairs_levels(stairs, levels);
	memset(q->stairs, 0, sizeof(q->stairs));
	for (u32 i = 0; i < *nr; i++) {
		q->stairs[i].level = levels[i];
		q->stairs[i].nodes = level_nodes[levels[i]];
		q->stairs[i].places = places_of(levels[i]);
		for (u32 c = 0; q->index.state == INDEX_READY && c < q->index.nr_caches; c++)
			if (cache == CACHE_NONE ? stairs_of(s, c) == stairs : c == cache)
				add_note(&q->stairs[i], &q->index.caches[c].levels[i]);
	}
	share_out(q->stairs, *nr);
	return q->stairs;
}

static u32 step_takes(const struct stairs_walk *walk, u32 kind)
{
	for (u32 i = 0; i < ARRAY_SIZE(takes); i++)
		if (takes[i].stairs == walk->stairs && takes[i].step == kind)
			return 1;
	return 0;
}

static u32 step_asks(const struct stairs_walk *walk, u32 kind)
{
	return step_levels[walk->stairs][kind].asks || (page_steps[kind] & ASKS_PAGES);
}

/*
 * Marks the steps of an allocation that asked in vain: it went on to a deeper level, or asked the same thing again
 * elsewhere. Returns how many did.
 */
static u32 mark_vain(const struct kmem_session *s, const struct stairs_walk *walk, u32 nr_steps,
		     const u8 *levels, u8 *vain)
{
	u8 asks_again[MAX_LEVELS][NR_STEP_KINDS] = { 0 };
	u32 nr = 0;

	for (u32 k = nr_steps; k-- > 0;) {
		u32 kind = s->timeline.steps[k].kind, level = levels[k];
		vain[k] = level && step_asks(walk, kind) && !step_takes(walk, kind) &&
			  (level < walk->asked || asks_again[level][kind]);
		asks_again[level][kind] = 1;
		nr += vain[k];
	}
	return nr;
}

const struct kmem_path *kmem_path(struct kmem_session *s, u32 op)
{
	struct query *q = query_of(s);
	struct kmem_path *path = &q->path;
	struct touched_op o;

	touch_kinds_init(q->touch_kinds);
	s32 status = op < kmem_nr_ops(s) ? kmem_seek(s, op)
					 : session_fail(s, KMEM_ESTATE, "past the last event");
	if (!status)
		status = touch_run(s, &o);
	if (status)
		return NULL;
	scratch_reset(s);
	u8 *levels = scratch_alloc(s, MAX(o.nr_steps, 1u));
	u32 *cycles = scratch_alloc(s, MAX(o.nr_steps, 1u) * sizeof(*cycles));
	u8 *vain = scratch_alloc(s, MAX(o.nr_steps, 1u));
	if (!levels || !cycles || !vain) {
		session_fail(s, KMEM_ENOMEM, "not enough memory for the path of this event");
		return NULL;
	}
	struct stairs_walk walk = stairs_begin(stairs_of(s, o.cache));
	for (u32 k = 0; k < o.nr_steps; k++) {
		stairs_step(s, &walk, s->timeline.steps + k);
		levels[k] = (u8)walk.at;
		cycles[k] = (k + 1 == o.nr_steps ? (u32)op_cycles(s->w)
						 : s->timeline.step_times[k]) -
			    (k ? s->timeline.step_times[k - 1] : 0);
	}
	memset(vain, 0, MAX(o.nr_steps, 1u));
	u32 nr_vain = op_allocates(o.kind) ? mark_vain(s, &walk, o.nr_steps, levels, vain) : 0;
	*path = (struct kmem_path){ .op = op,
				    .cache = o.cache,
				    .end = stairs_end(&walk, o.kind),
				    .deepest = walk.deepest,
				    .questions = walk.questions,
				    .cycles = (u32)MIN(op_cycles(s->w), 0xffffffffu),
				    .nr_steps = o.nr_steps,
				    .steps_at = session_offset(s, levels),
				    .cycles_at = session_offset(s, cycles),
				    .fast_cycles = fast_cycles(s->w, walk.stairs, o.kind),
				    .vain_at = session_offset(s, vain),
				    .nr_vain = nr_vain };
	return path;
}
