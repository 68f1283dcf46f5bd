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

/* The other stairs that have the rows which these lack, + 1. */
static const u8 extends[NR_STAIRS] = {
#define EXTENDS(stairs, other) [STAIRS_##stairs] = STAIRS_##other + 1,
#include "tables/allocators.def"
};

/* The level, + 1, at which a step happens: one of those stairs. */
#define ON(stairs, level) LEVEL_##level + 1 + 0 * AT_##stairs##_##level

struct step_level {
	u8 near, far, asks; /* 0: the tables have no row */
	u8 by_arg;	    /* number of the argument that it depends on, + 1 */
};

static const struct step_level step_levels[NR_STAIRS][NR_STEP_KINDS] = {
#define ASKS(stairs, step, near, far) \
	[STAIRS_##stairs][STEP_##step] = { ON(stairs, near), ON(stairs, far), 1, 0 },
#define GIVES(stairs, step, near, far) \
	[STAIRS_##stairs][STEP_##step] = { ON(stairs, near), ON(stairs, far), 0, 0 },
#define GIVES_BY(stairs, step, arg, near, far) \
	[STAIRS_##stairs][STEP_##step] = { ON(stairs, near), ON(stairs, far), 0, (arg) + 1 },
#include "tables/allocators.def"
};

/* The same for values of the argument that it depends on. */
static const struct {
	u16 stairs, step, value;
	struct step_level level;
} levels_by_arg[] = {
#define GIVES_IF(stairs, step, value, near, far) \
	{ STAIRS_##stairs, STEP_##step, value, { ON(stairs, near), ON(stairs, far), 0, 0 } },
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

static const u8 is_of_cpus[NR_VALUES(kmem_level)] = {
#define OF_CPUS(level) [LEVEL_##level] = 1,
#include "tables/allocators.def"
};

_Static_assert(NR_VALUES(kmem_level) < 255, "a step's level has 8 bits");
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

static u64 places_of(u32 level)
{
	u64 places = 0;

	for (u32 i = 0; i < ARRAY_SIZE(covers); i++)
		if (covers[i].level == level)
			places |= (u64)1 << covers[i].place;
	return places;
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

/* The row of a step on these stairs, or on those that they extend. */
static const struct step_level *row_of(u32 *stairs, u32 kind)
{
	const struct step_level *row = &step_levels[*stairs][kind];

	if (row->near || !extends[*stairs])
		return row;
	*stairs = extends[*stairs] - 1u;
	return &step_levels[*stairs][kind];
}

int stairs_say(u32 stairs, u32 kind)
{
	return row_of(&stairs, kind)->near || page_steps[kind] || has_no_level[kind];
}

int stairs_ask(u32 stairs, u32 kind)
{
	return row_of(&stairs, kind)->asks || page_steps[kind] & ASKS_PAGES;
}

u32 stairs_base(u32 stairs)
{
	return extends[stairs] ? extends[stairs] - 1u : stairs;
}

u32 stairs_at(u32 stairs, u32 level)
{
	u32 levels[MAX_LEVELS], nr = stairs_levels(stairs, levels);

	for (u32 i = 0; i < nr; i++)
		if (levels[i] == level)
			return i;
	return NO_STAIR;
}

u32 stairs_at_place(u32 stairs, u32 kind, int is_far)
{
	u32 levels[MAX_LEVELS], nr = stairs_levels(stairs, levels), unwanted;

	unwanted = is_far ? NEAR_NODE : FAR_NODES;
	for (u32 i = 0; i < nr; i++)
		if (places_of(levels[i]) >> kind & 1 && level_nodes[levels[i]] != unwanted)
			return i;
	return NO_STAIR;
}

int stairs_of_cpus(u32 stairs, u32 at)
{
	u32 levels[MAX_LEVELS];

	return at < stairs_levels(stairs, levels) && is_of_cpus[levels[at]];
}

int stairs_give_pages_back(u32 kind)
{
	return page_steps[kind] == AT_PAGES;
}

void stairs_step(const struct kmem_session *s, struct stairs_walk *walk,
		 const struct kmem_step *step)
{
	u32 stairs = walk->stairs, asks = page_steps[step->kind] & ASKS_PAGES;
	const struct step_level *row = row_of(&stairs, step->kind);

	for (u32 i = 0, arg = row->by_arg; arg && i < ARRAY_SIZE(levels_by_arg); i++)
		if (levels_by_arg[i].stairs == stairs && levels_by_arg[i].step == step->kind &&
		    levels_by_arg[i].value == step->args[arg - 1])
			row = &levels_by_arg[i].level;
	walk->at = NO_STAIR;
	if (page_steps[step->kind]) {
		walk->at = stairs_at(walk->stairs, LEVEL_PAGES);
	} else if (row->near) {
		u32 level = step_is_remote(s, step) ? row->far : row->near;
		walk->at = stairs_at(walk->stairs, level - 1u);
		asks = row->asks;
	}
	if (walk->at == NO_STAIR)
		return;
	if (asks)
		walk->asked = MAX(walk->asked, walk->at);
	walk->questions += asks && walk->at;
	walk->deepest = MAX(walk->deepest, walk->at);
}

u32 stairs_end(const struct stairs_walk *walk, u32 op_kind)
{
	return op_allocates(op_kind) ? walk->asked : walk->deepest;
}

u32 stairs_fast_cycles(const struct world *w, u32 stairs, u32 op_kind)
{
	if (!fast_steps[stairs].exists)
		return 0;
	if (op_allocates(op_kind))
		return (u32)cost_of(w, fast_steps[stairs].alloc);
	return op_kind == OP_FREE ? (u32)cost_of(w, fast_steps[stairs].free) : 0;
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

static u8 is_asked(u32 stairs, u32 level)
{
	for (u32 kind = 0; kind < NR_STEP_KINDS; kind++) {
		const struct step_level *row = &step_levels[stairs][kind];
		if (row->asks && (row->near == level + 1 || row->far == level + 1))
			return 1;
	}
	return level == LEVEL_PAGES || (extends[stairs] && is_asked(extends[stairs] - 1u, level));
}

/* Levels of the same kinds of places are one row, which has a column for each node. */
static u16 row_of_level(const struct kmem_stair *levels, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (levels[i].places == levels[nr].places)
			return levels[i].row;
	return nr ? (u16)(levels[nr - 1].row + 1) : 0;
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
		q->stairs[i].is_asked = is_asked(stairs, levels[i]);
		q->stairs[i].is_of_cpus = is_of_cpus[levels[i]];
		q->stairs[i].row = row_of_level(q->stairs, i);
		for (u32 c = 0; q->index.state == INDEX_READY && c < q->index.nr_caches; c++)
			if (cache == CACHE_NONE ? stairs_of(s, c) == stairs : c == cache)
				add_note(&q->stairs[i], &q->index.caches[c].levels[i]);
	}
	share_out(q->stairs, *nr);
	return q->stairs;
}
