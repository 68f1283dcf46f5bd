/*
 * all_moves.c - see all_moves.h.
 *
 *	a1 ─┬─ a1 ─┬─ …      the world is copied at every branch, so that each
 *	    ├─ f  ─┼─ …      beginning of a sequence is run once
 *	    └─ S  ─┴─ …
 */
#include "test/model/all_moves.h"

#include <stdlib.h>

#include "test/support/check.h"
#include "test/model/oracle.h"
#include "test/support/session_util.h"
#include "test/support/world_copy.h"

#include "session/session.h"

enum { MAX_DEPTH = 12, MAX_MOVES = 32 };

/* A letter stands for one move on each CPU, or for one move:
 * a, b  allocates from the first, the second cache      n  from the first, on the next node
 * f, l  frees the oldest, the latest object             F  flushes the CPU
 * S     shrinks    T  two seconds go by    R  reaps the CPU    X  everything idle expires */
static const struct arena {
	const char *allocator, *machine;
	u32 sizes[2]; /* of the caches */
	const char *letters;
	u32 depth;
	u32 flags; /* of its caches */
} arenas[] = {
	{ "slub", "cpus=2 max_order=0 min_partial=1 cpu_partial=2", { 2048, 0 }, "aflSF", 7, 0 },
	{ "slub",
	  "cpus=2 nodes=2 max_order=0 min_partial=0 cpu_partial=2",
	  { 2048, 0 },
	  "anfF",
	  7,
	  0 },
	{ "slub",
	  "cpus=2 max_order=0 min_partial=1 cpu_partial_lists=off empty_on_free=release",
	  { 2048, 0 },
	  "aflS",
	  7,
	  0 },
	{ "slub", "cpus=2 sheaf_capacity=2 max_order=0 min_partial=0", { 2048, 0 }, "aflSF", 6, 0 },
	{ "slub",
	  "cpus=2 nodes=2 sheaf_capacity=1 max_order=0 min_partial=0",
	  { 2048, 0 },
	  "anfF",
	  6,
	  0 },
	/* One-object slabs, sheaves of four. */
	{ "slub", "cpus=2 preset=linux-7.2 max_order=0 min_partial=1", { 4096, 0 }, "aflSF", 5, 0 },
	{ "slub",
	  "cpus=2 preset=linux-7.2 sheaf_capacity=1 max_order=0 min_partial=1",
	  { 2048, 0 },
	  "aflSF",
	  6,
	  0 },
	{ "slub",
	  "cpus=2 preset=linux-7.2 sheaf_capacity=0 max_order=0 min_partial=1",
	  { 2048, 0 },
	  "aflS",
	  6,
	  0 },
	{ "slub",
	  "cpus=2 nodes=2 preset=linux-7.2 sheaf_capacity=2 max_order=0 min_partial=0",
	  { 2048, 0 },
	  "anfF",
	  6,
	  0 },
	/* No search of other nodes: sheaves hold objects of their own. */
	{ "slub",
	  "cpus=2 nodes=2 preset=linux-7.2 sheaf_capacity=1 max_order=0 min_partial=0 "
	  "remote_node_defrag_ratio=0",
	  { 2048, 0 },
	  "anfS",
	  6,
	  0 },
	/* Debugging: no sheaves, and full slabs are on a list. */
	{ "slub",
	  "cpus=2 preset=linux-7.2 max_order=0 min_partial=1",
	  { 1900, 0 },
	  "aflS",
	  6,
	  CACHE_RED_ZONE | CACHE_SANITY },
	/* Large slabs are refused: a fallback to two objects each. */
	{ "slub", "cpus=2 preset=linux-7.2 fail_order=1 min_partial=0", { 2048, 0 }, "aflF", 5, 0 },
	/* Memory for five slabs of one object: it runs out in the middle of a refill. */
	{ "slub",
	  "cpus=2 preset=linux-7.2 memory=20M min_partial=1",
	  { 4 << 20, 0 },
	  "aflSF",
	  6,
	  0 },
	{ "slab",
	  "cpus=2 limit=2 batchcount=1 shared_factor=1 slab_max_order=0",
	  { 2000, 0 },
	  "aflSFTR",
	  6,
	  0 },
	{ "slab",
	  "cpus=2 nodes=2 limit=1 batchcount=1 shared_factor=2 slab_max_order=0",
	  { 2000, 0 },
	  "anfTS",
	  7,
	  0 },
	{ "slab",
	  "cpus=2 slab_era=linux-2.6.24 limit=2 batchcount=2 shared_factor=1 slab_max_order=0",
	  { 1900, 0 },
	  "aflST",
	  6,
	  0 },
	{ "slob", "cpus=1 nodes=2", { 1500, 200 }, "abnfl", 7, 0 },
	{ "slob", "cpus=2", { 2600, 900 }, "abfl", 6, 0 },
	{ "unified",
	  "cpus=2 queue=4 batch=1 shared=4 max_order=0 min_partial=0",
	  { 2048, 0 },
	  "aflSX",
	  6,
	  0 },
	{ "unified",
	  "cpus=2 nodes=2 queue=4 shared=4 llc_groups=0,0 max_order=0 min_partial=0",
	  { 2048, 0 },
	  "anfFX",
	  6,
	  0 },
	{ "unified",
	  "cpus=4 nodes=2 queue=4 batch=1 shared=4 alien=1 max_order=0 min_partial=0",
	  { 2048, 0 },
	  "anfX",
	  4,
	  0 },
	{ "slob-segregated", "cpus=1 nodes=2", { 2000, 1000 }, "abnfl", 7, 0 },
	{ "slob-segregated", "cpus=2", { 1500, 4000 }, "abfl", 6, 0 },
};

struct move {
	char letter;
	u32 cpu;
};

/* Who is live, oldest first; copied at every branch. */
struct position {
	u32 nr_live, live[MAX_DEPTH];
	struct oracle oracle;
};

static struct game {
	const struct arena *arena;
	struct kmem_session *s;
	struct world *w;
	const struct kmem_ops *ops;
	struct kmem_cache *caches[2];
	struct move moves[MAX_MOVES];
	u32 nr_moves;
	u64 sequences;
	struct position here, before[MAX_DEPTH];
	u8 *world_before[MAX_DEPTH];
	char path[MAX_DEPTH * 2 + 1]; /* moves so far */
	/* The move at work; it may be made several times over. */
	struct move move;
	u32 id; /* object that it concerns */
	object_loc loc;
} game;

static int is_alloc(char letter)
{
	return letter == 'a' || letter == 'b' || letter == 'n';
}

static int is_free(char letter)
{
	return letter == 'f' || letter == 'l';
}

static void put_moves(struct game *g)
{
	g->nr_moves = 0;
	for (const char *p = g->arena->letters; *p; p++) {
		u32 nr = strchr("STX", *p) ? 1 : g->w->machine.nr_cpus;
		for (u32 cpu = 0; cpu < nr; cpu++)
			g->moves[g->nr_moves++] = (struct move){ *p, cpu };
	}
}

static void set_up(struct game *g, const struct arena *arena)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "slabtrace 1\nmachine allocator=%s %s\ncache c size=64\nshrink c\n",
		 arena->allocator, arena->machine);
	g->arena = arena;
	g->s = session_of_text(text);
	CHECK(kmem_report(g->s)->skipped_lines == 0, "%s", text);
	CHECK(kmem_build(g->s, 0) == 0 && kmem_seek(g->s, 0) == 0, "%s", kmem_error(g->s));
	g->w = g->s->w;
	g->ops = g->s->replay.ops;
	for (u32 i = 0; i < 2 && arena->sizes[i]; i++) {
		struct cache_spec spec = { i ? "c1" : "c0", arena->sizes[i], 0, 0,
					   arena->flags | CACHE_NOMERGE };
		g->caches[i] = cache_new(g->w, &spec);
		g->ops->create(g->w, g->caches[i]);
	}
	put_moves(g);
	g->here.nr_live = 0;
	oracle_begin(&g->here.oracle, g->ops);
}

/* Whether the move can be made, and is not the same as another one. */
static int is_possible(const struct game *g, const struct move *m)
{
	if (m->letter == 'f')
		return g->here.nr_live > 0;
	return m->letter != 'l' || g->here.nr_live > 1;
}

static void make_alloc(struct game *g)
{
	struct world *w = g->w;
	struct kmem_cache *s = g->caches[g->move.letter == 'b'];
	u32 home = clock_cpus(w)[g->move.cpu].node;
	u32 node = g->move.letter == 'n' ? (home + 1) % w->machine.nr_nodes : NODE_ANY;

	g->loc = g->ops->alloc(w, s, g->move.cpu, node, s->object_size);
	s->live += g->loc != 0;
	s->requested += g->loc ? s->object_size : 0;
}

static void make_free(struct game *g)
{
	const struct oracle_object *x = &g->here.oracle.object[g->id];
	struct kmem_cache *s = cache_at(g->w, x->cache);

	s->live--;
	s->requested -= s->object_size;
	g->ops->free(g->w, s, g->move.cpu, x->loc);
}

/* The move at work, on the world alone. */
static void make(void *arg)
{
	struct game *g = arg;
	u32 cpu = g->move.cpu;
	char letter = g->move.letter;

	op_begin(g->w, clock_cpus(g->w), cpu);
	if (is_alloc(letter))
		make_alloc(g);
	else if (is_free(letter))
		make_free(g);
	else if (letter == 'T')
		g->ops->tick(g->w, cpu, TICK_CLOCK, 2);
	else if (letter == 'R')
		g->ops->tick(g->w, cpu, TICK_REAP, 0);
	else if (letter == 'X')
		g->ops->tick(g->w, g->w->cpu, TICK_EXPIRE, NODE_ANY);
	else
		g->ops->shrink(g->w, g->caches[0], cpu,
			       letter == 'S' ? SHRINK_DISCARD : SHRINK_FLUSH_CPU);
	g->w->op++;
}

/* Which object the move concerns. */
static void choose(struct game *g, const struct move *m)
{
	struct position *p = &g->here;

	g->move = *m;
	g->id = 0;
	if (is_free(m->letter))
		g->id = p->live[m->letter == 'f' ? 0 : p->nr_live - 1];
	else
		while (g->id < p->oracle.nr_objects && p->oracle.object[g->id].loc)
			g->id++;
}

/* What the move has done to the objects. */
static void note(struct game *g)
{
	struct position *p = &g->here;
	const struct kmem_cache *s = g->caches[g->move.letter == 'b'];
	u32 nodes = g->w->machine.nr_nodes, from = g->move.letter == 'f' ? 0 : p->nr_live - 1;

	if (is_alloc(g->move.letter)) {
		u32 home = clock_cpus(g->w)[g->move.cpu].node;
		oracle_alloc(&p->oracle, g->id, s->id, g->loc, s->object_size,
			     g->move.letter == 'n' ? (home + 1) % nodes : NODE_ANY, home);
		if (g->loc)
			p->live[p->nr_live++] = g->id;
	} else if (is_free(g->move.letter)) {
		oracle_free(&p->oracle, g->id);
		p->nr_live--;
		memmove(&p->live[from], &p->live[from + 1],
			(p->nr_live - from) * sizeof(p->live[0]));
	}
}

static const char *play_move(struct game *g, const struct move *m, u32 depth)
{
	const char *broken = NULL;

	choose(g, m);
	if (depth > 1)
		broken = oracle_look_inside(&g->here.oracle, g->w,
					    is_free(m->letter) ? g->id : ORACLE_NOBODY, make, g);
	else
		make(g);
	note(g);
	return broken ? broken : oracle_judge(&g->here.oracle, g->w);
}

static void copy_position(struct position *to, const struct position *from)
{
	memcpy(to, from, offsetof(struct position, oracle));
	oracle_copy(&to->oracle, &from->oracle);
}

/* All sequences of `depth` moves from here. Returns 0 when a law broke. */
static int all_from(struct game *g, u32 depth, u32 played)
{
	u32 used = g->w->used;

	g->world_before[depth] = realloc(g->world_before[depth], used);
	KASSERT(g->world_before[depth] != NULL);
	world_put_aside(g->world_before[depth], g->w);
	copy_position(&g->before[depth], &g->here);
	for (u32 i = 0; i < g->nr_moves; i++) {
		const struct move *m = &g->moves[i];
		if (!is_possible(g, m))
			continue;
		g->path[played * 2] = m->letter;
		g->path[played * 2 + 1] = (char)('0' + m->cpu);
		g->path[played * 2 + 2] = 0;
		const char *broken = play_move(g, m, depth);
		g->sequences++;
		if (broken) {
			CHECK(0, "%s %s: %s: %s", g->arena->allocator, g->arena->machine, g->path,
			      broken);
			return 0;
		}
		if (depth > 1 && !all_from(g, depth - 1, played + 1))
			return 0;
		world_bring_back(g->w, g->world_before[depth], used);
		copy_position(&g->here, &g->before[depth]);
	}
	return 1;
}

u64 all_moves(const char *allocator, s32 deeper)
{
	u64 sequences = 0;

	for (u32 i = 0; i < ARRAY_SIZE(arenas); i++) {
		if (strcmp(arenas[i].allocator, allocator))
			continue;
		set_up(&game, &arenas[i]);
		game.sequences = 0;
		check_passed += (unsigned)all_from(&game,
						   (u32)MAX((s32)arenas[i].depth + deeper, 1), 0);
		sequences += game.sequences;
	}
	for (u32 i = 0; i < MAX_DEPTH; i++) {
		free(game.world_before[i]);
		game.world_before[i] = NULL;
	}
	return sequences;
}
