/*
 * levels_test.c - levels, paths, chapters and the next object: worked examples, and what holds for every trace.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc/ops.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

static const char *const allocators[] = {
#define ALLOCATOR(id, name, label, ops) name,
#include "tables/allocators.def"
};

static struct kmem_session *built(const char *text, const char *allocator, const char *preset)
{
	struct kmem_session *s = session_of_text(text);

	if (preset)
		CHECK(!kmem_preset(s, preset), "%s", kmem_error(s));
	CHECK(!kmem_set(s, "allocator", allocator), "%s", kmem_error(s));
	CHECK(!kmem_build(s, 1 << 20), "%s: %s", allocator, kmem_error(s));
	return s;
}

/* Compares an event's levels, such as "- 2 4 0", and the one at which it ends. */
static void path_is(struct kmem_session *s, u32 op, const char *want, u32 end)
{
	char text[1024] = "";
	u32 nr;
	const struct kmem_path_step *steps = kmem_path_steps(s, op, &nr);

	for (u32 k = 0; k < nr; k++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 steps[k].level == KMEM_NONE ? "%s-" : "%s%u", k ? " " : "",
			 steps[k].level);
	CHECK(strcmp(text, want) == 0, "event %u: %s, not %s", op, text, want);
	const struct kmem_path *path = kmem_path(s, op);
	CHECK(path && path->end == end, "event %u ends at level %u, not %u", op,
	      path ? path->end : 0, end);
}

/* Compares which steps of an event asked unsuccessfully, such as "0010". */
static void vain_is(struct kmem_session *s, u32 op, const char *want)
{
	char text[256] = "";
	u32 nr_vain = 0, nr;
	const struct kmem_path_step *steps = kmem_path_steps(s, op, &nr);

	for (u32 k = 0; k < nr && k < sizeof(text) - 1; k++) {
		text[k] = steps[k].verb == VERB_IN_VAIN ? '1' : '0';
		nr_vain += steps[k].verb == VERB_IN_VAIN;
	}
	CHECK(strcmp(text, want) == 0, "event %u: %s, not %s", op, text, want);
	const struct kmem_path *path = kmem_path(s, op);
	CHECK(path && path->nr_vain == nr_vain, "event %u", op);
}

static void levels_are(struct kmem_session *s, u32 cache, const char *want)
{
	static const char *const words[] = {
		[LEVEL_PAGES] = "page allocator",
#define LEVEL(key, words, nodes) [LEVEL_##key] = words,
#include "tables/allocators.def"
	};
	char text[512] = "";
	u32 nr;
	const struct kmem_level_row *rows = kmem_levels(s, cache, &nr);

	for (u32 i = 0; i < nr; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " > " : "",
			 words[rows[i].level]);
	CHECK(strcmp(text, want) == 0, "%s, not %s", text, want);
}

#define MACHINE "slabtrace 1\nmachine cpus=4 nodes=2\ncache c size=512\n"

/* CPUs 0 and 1 belong to node 0, 2 and 3 to node 1. */
static void a_slow_path_goes_down_and_comes_back(void)
{
	struct kmem_session *s = built(MACHINE "a 1 c cpu=0\na 2 c cpu=0\n", "slub", NULL);

	levels_are(s, CACHE_NONE,
		   "cpu freelist > per-CPU partial list > own node's partial list > "
		   "other nodes > full slabs > page allocator");
	/* Two steps make the cache; then: slow path, node 0, the search of other nodes with its
	 * four zones, pages, slab, object. */
	path_is(s, 0, "- - 0 2 3 2 2 3 3 5 5 0", 5);
	vain_is(s, 0, "000111111000");
	path_is(s, 1, "0", 0);
	vain_is(s, 1, "0");
}

/* Appends the allocations 0 to 16 of CPU 0; a slab of `c` holds 16. */
static void fill_slab_and_take_another(char *text)
{
	for (u32 i = 0; i < 17; i++)
		snprintf(text + strlen(text), 64, "a %u c cpu=0\n", i);
}

/* CPU 0 fills a slab and takes another; CPU 1 frees enough that node 0 lists the first one, where CPU 1 finds it. */
static void a_level_that_answers_is_not_marked_unsuccessful(void)
{
	char text[4096] = MACHINE;

	fill_slab_and_take_another(text);
	strcat(text, "set cpu_partial=0\nf 0 cpu=0\na 17 c cpu=1\n");
	struct kmem_session *s = built(text, "slub", NULL);
	const struct kmem_path *path = kmem_path(s, kmem_nr_ops(s) - 1);
	CHECK(path->end == 2, "its own node's list: level %u", path->end);
	CHECK(path->nr_vain == 0, "%u questions in vain", path->nr_vain);
}

static void a_request_to_another_node_is_marked_remote(void)
{
	struct kmem_session *s = built(MACHINE "a 1 c cpu=0\na 2 c cpu=0 node=1\n", "slub", NULL);
	const struct kmem_path *path = kmem_path(s, 1);
	u32 far = 0, nr;

	CHECK(path->end == 5, "%u", path->end);
	const struct kmem_path_step *steps = kmem_path_steps(s, 1, &nr);
	for (u32 k = 0; k < nr; k++)
		far += steps[k].level == 3;
	CHECK(far == 1, "node 1's list is asked once, not %u times", far);
}

static void a_free_runs_outward(void)
{
	char text[4096] = MACHINE;

	fill_slab_and_take_another(text);
	strcat(text, "f 0 cpu=3\nf 16 cpu=0\n");
	struct kmem_session *s = built(text, "slub", NULL);
	const struct kmem_path *path = kmem_path(s, 17);
	CHECK(path->end == 4, "a full slab of node 0, freed by a CPU of node 1: level %u",
	      path->end);
	path_is(s, 18, "0", 0);
}

static void each_allocator_has_its_own_levels(void)
{
	levels_are(built(MACHINE "a 1 c cpu=0\n", "slab", NULL), CACHE_NONE,
		   "array cache > shared array cache > alien caches > slab lists of the nodes > "
		   "full slabs > page allocator");
	levels_are(built(MACHINE "a 1 c cpu=0\n", "unified", NULL), CACHE_NONE,
		   "CPU queue > shared queue > alien queues > partial lists of the nodes > "
		   "full slabs > page allocator");
	levels_are(built(MACHINE "a 1 c cpu=0\n", "slob", NULL), CACHE_NONE,
		   "pages with room > full pages > page allocator");
	levels_are(built(MACHINE "a 1 c cpu=0\n", "slob-segregated", NULL), CACHE_NONE,
		   "pages with room > full pages > page allocator");
}

/* In 6.18 two caches have sheaves; all others keep SLUB's levels. */
static void sheaves_come_before_slabs(void)
{
	struct kmem_session *s = built("slabtrace 1\nmachine cpus=2 nodes=1\n"
				       "cache maple_node size=256\ncache c size=256\n"
				       "a 1 maple_node cpu=0\na 2 maple_node cpu=0\na 3 c cpu=0\n",
				       "slub", "linux-6.18");

	levels_are(s, 0,
		   "main sheaf > spare sheaf > barn > cpu freelist > per-CPU partial list > "
		   "own node's partial list > other nodes > full slabs > page allocator");
	levels_are(s, 1,
		   "cpu freelist > per-CPU partial list > own node's partial list > "
		   "other nodes > full slabs > page allocator");
	path_is(s, 1, "0", 0);
}

/* A wrong number, state or level fails here for every event of a random trace. */
static void the_next_object_lands_where_it_was_announced(const char *allocator, const char *preset)
{
	struct kmem_session *s = built(synthetic_trace(tries(400, 200), 120, 4, 2), allocator,
				       preset);
	u32 nr_ops = kmem_nr_ops(s), tried = 0, nr;

	CHECK(!kmem_job(s, JOB_INDEX, NULL), "%s", kmem_error(s));
	for (u32 op = 0; op < nr_ops; op++) {
		CHECK(!kmem_seek(s, op), "%s", kmem_error(s));
		const u64 hash = kmem_hash(s);
		const struct kmem_op_row row = *kmem_op(s, op);
		const struct kmem_next_object *rows = kmem_next_objects(s, CACHE_NONE, row.cpu,
									&nr);
		struct kmem_next_object next = { .is_event = 0 };
		CHECK(rows != NULL, "%s", kmem_error(s));
		for (u32 i = 0; rows && i < nr; i++)
			if (rows[i].is_event)
				next = rows[i];
		CHECK(kmem_hash(s) == hash && kmem_position(s) == op, "event %u", op);
		if (row.kind != OP_ALLOC && row.kind != OP_KMALLOC)
			continue;
		const struct kmem_path path = *kmem_path(s, op);
		if (path.cache == CACHE_NONE)
			continue;
		const struct kmem_lifetime *object = kmem_lifetime(s, op);
		tried++;
		CHECK(next.is_event && object && next.cache == path.cache &&
			      next.slab == object->slab && next.index == object->index &&
			      next.cycles == path.cycles && next.end == path.end,
		      "%s, event %u: slab %u object %u, announced slab %u object %u", allocator, op,
		      object ? object->slab : 0, object ? object->index : 0, next.slab, next.index);
	}
	CHECK(tried > tries(100, 50), "%u", tried);
}

/* A CPU gets the same object, whether or not the next event comes from it. */
static void a_cpu_that_is_not_next_gets_the_same_object(const char *allocator)
{
	static char text[2][65536];
	struct kmem_next_object asked = { .is_event = 0 };
	const struct kmem_next_object *rows;
	u32 nr;

	for (u32 i = 0; i < 2; i++)
		snprintf(text[i], sizeof(text[i]), "%sa 9999 %s cpu=%u\n",
			 synthetic_trace(400, 90, 4, 2), "c2", i ? 1 : 3);
	for (u32 i = 0; i < 2; i++) {
		struct kmem_session *s = built(text[i], allocator, NULL);
		CHECK(!kmem_seek(s, kmem_nr_ops(s) - 1), "%s", kmem_error(s));
		rows = kmem_next_objects(s, CACHE_NONE, CPU_NONE, &nr);
		for (u32 k = 0; k < nr; k++) {
			if (strcmp((const char *)s + rows[k].name_at, "c2") != 0 ||
			    rows[k].cpu != 1)
				continue;
			CHECK(rows[k].is_event == i, "%u", i);
			if (i)
				CHECK(rows[k].slab == asked.slab && rows[k].index == asked.index &&
					      rows[k].cycles == asked.cycles,
				      "%s: slab %u object %u, then slab %u object %u", allocator,
				      asked.slab, asked.index, rows[k].slab, rows[k].index);
			asked = rows[k];
		}
	}
}

static void shares_add_up(const char *allocator)
{
	struct kmem_session *s = built(synthetic_trace(tries(3000, 1000), 300, 4, 2), allocator,
				       NULL);
	u32 nr, allocs = 0, counted = 0, share = 0, caches;

	CHECK(!kmem_job(s, JOB_INDEX, NULL), "%s", kmem_error(s));
	CHECK(!kmem_seek(s, kmem_nr_ops(s)), "%s", kmem_error(s));
	kmem_cache_rows(s, &caches);
	for (u32 cache = 0; cache < caches; cache++) {
		const struct kmem_life *life = kmem_life(s, cache, KMEM_NONE32, KMEM_NONE32);
		u32 all = life->allocs;
		const struct kmem_level_row *rows = kmem_levels(s, cache, &nr);
		for (u32 i = 0, sum = 0; i < nr; i++) {
			sum += rows[i].allocs;
			CHECK(i + 1 < nr || sum == all, "cache %u: %u of %u", cache, sum, all);
		}
		allocs += all;
	}
	const struct kmem_level_row *rows = kmem_levels(s, CACHE_NONE, &nr);
	for (u32 i = 0; i < nr; i++) {
		share += rows[i].share;
		counted += rows[i].allocs;
		CHECK(!rows[i].allocs ||
			      (rows[i].least_cycles * (u64)rows[i].allocs <= rows[i].cycles &&
			       rows[i].cycles <= rows[i].most_cycles * (u64)rows[i].allocs),
		      "level %u", i);
	}
	CHECK(share == 10000 && counted == allocs, "%s: share %u, %u of %u", allocator, share,
	      counted, allocs);
}

static u64 cycles_of_all(struct kmem_session *s)
{
	u64 sum = 0;

	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		const struct kmem_path *path = kmem_path(s, op);
		const u32 *cycles = (const u32 *)(const void *)((const u8 *)s + path->cycles_at);
		u64 steps = 0;
		for (u32 k = 0; k < path->nr_steps; k++)
			steps += cycles[k];
		CHECK(steps == path->cycles, "event %u: %u cycles, its steps have %u", op,
		      path->cycles, (u32)steps);
		sum += steps;
	}
	return sum;
}

static void the_cycles_of_steps_add_up(const char *allocator)
{
	struct kmem_session *s = built(synthetic_trace(500, 120, 4, 2), allocator, NULL);
	const u64 usual = cycles_of_all(s);

	/* Setting a cost changes the clock and nothing else. */
	const u32 partial = kmem_totals(s)->slabs;
	CHECK(!kmem_set(s, "cost.PAGES_ALLOC", "4000") && !kmem_set(s, "cost.lock", "90"), "%s",
	      kmem_error(s));
	CHECK(strcmp(kmem_param(s, "cost.LOCK"), "90") == 0, "%s", kmem_param(s, "cost.LOCK"));
	CHECK(!kmem_build(s, 1 << 20), "%s", kmem_error(s));
	CHECK(cycles_of_all(s) > usual + 3600, "%s", allocator);
	CHECK(kmem_totals(s)->slabs == partial, "%s", allocator);
	CHECK(!kmem_set(s, "cost.PAGES_ALLOC", "") && !kmem_set(s, "cost.lock", ""), "%s",
	      kmem_error(s));
	CHECK(!kmem_build(s, 1 << 20) && cycles_of_all(s) == usual, "%s", allocator);
}

static void refuses_invalid_costs(void)
{
	struct kmem_session *s = session_of_text("slabtrace 1\n");

	CHECK(kmem_set(s, "cost.NOTHING_LIKE_IT", "1") == KMEM_EPARAM, "no such step");
	CHECK(kmem_set(s, "cost.LOCK", "1000001") == KMEM_EPARAM, "too many");
	CHECK(kmem_set(s, "cost.LOCK", "-1") == KMEM_EPARAM, "a sign");
	CHECK(kmem_set(s, "cost.", "1") == KMEM_EPARAM, "no name");
	CHECK(!kmem_set(s, "cost.LOCK", "0"), "%s", kmem_error(s));
	CHECK(kmem_default_cost(s, STEP_ALLOC_FASTPATH) == 9, "%u",
	      kmem_default_cost(s, STEP_ALLOC_FASTPATH));
	CHECK(kmem_default_cost(s, KMEM_NONE32) == 0, "past the last one");
}

static void the_path_is_the_same_from_both_sides(const char *allocator)
{
	struct kmem_session *s = built(synthetic_trace(300, 60, 4, 2), allocator, NULL);
	u32 nr_ops = kmem_nr_ops(s);
	static struct kmem_path_step kept[300][64];

	for (u32 pass = 0; pass < 2; pass++)
		for (u32 i = 0; i < nr_ops && i < 300; i++) {
			u32 op = pass ? nr_ops - 1 - i : i;
			u32 nr;
			const struct kmem_path_step *steps = kmem_path_steps(s, op, &nr);
			u32 bytes = MIN(nr, 64u) * (u32)sizeof(*steps);
			if (!pass)
				memcpy(kept[op], steps, bytes);
			CHECK(memcmp(kept[op], steps, bytes) == 0, "%s, event %u", allocator, op);
		}
}

/* Two allocations fill what the CPU holds; a free and an allocation of it are one step each. */
static void a_fast_event_costs_its_fast_path(const char *allocator, const char *preset, u32 cycles)
{
	struct kmem_session *s = built("slabtrace 1\nmachine cpus=2 nodes=1\n"
				       "cache maple_node size=256\n"
				       "a 1 maple_node cpu=0\na 2 maple_node cpu=0\nf 2 cpu=0\n"
				       "a 3 maple_node cpu=0\nflush maple_node\n",
				       allocator, preset);

	for (u32 op = 0; op < 5; op++) {
		const struct kmem_path path = *kmem_path(s, op);
		const u32 want = op < 4 ? cycles : 0;
		CHECK(path.fast_cycles == want, "%s, event %u: %u", allocator, op,
		      path.fast_cycles);
		if (cycles && (op == 2 || op == 3))
			CHECK(path.cycles == cycles && path.nr_steps == 1, "%s, event %u: %u in %u",
			      allocator, op, path.cycles, path.nr_steps);
	}
	CHECK(kmem_path(s, 0)->cycles > cycles, "%s: the first allocation is slow", allocator);
	if (!cycles)
		return;
	CHECK(!kmem_set(s, "cost.ALLOC_FASTPATH", "11") && !kmem_set(s, "cost.ALLOCHIT", "11") &&
		      !kmem_set(s, "cost.ALLOC_PCS", "11") && !kmem_build(s, 1 << 20),
	      "%s", kmem_error(s));
	CHECK(kmem_path(s, 3)->fast_cycles == 11, "%s: a cost that is set counts", allocator);
}

static int allocates(struct kmem_session *s, u32 op)
{
	const struct kmem_op_row *o = kmem_op(s, op);

	return o->kind == OP_ALLOC || o->kind == OP_KMALLOC;
}

/* Compares with a check of every event. */
static void chapters_match_a_full_scan(const char *allocator)
{
	struct kmem_session *s = built(synthetic_trace(tries(1200, 500), 300, 4, 2), allocator,
				       NULL);
	u32 nr, depth = 0, slow_most = 0, cost = KMEM_NONE32, most = 0, walk = 0;
	int has_cost = 0;

	CHECK(!kmem_job(s, JOB_INDEX, NULL), "%s", kmem_error(s));
	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		const struct kmem_path *path = kmem_path(s, op);
		walk = MAX(walk, path->questions);
		if (path->cache == CACHE_NONE)
			continue;
		u32 cycles = path->cycles;
		if (cycles > most) {
			most = cycles;
			cost = op;
		}
		if (allocates(s, op) && path->end >= depth) {
			slow_most = path->end > depth ? cycles : MAX(slow_most, cycles);
			depth = path->end;
		}
	}
	const struct kmem_chapter *rows = kmem_chapters(s, &nr);
	CHECK(nr >= 2, "%s: %u chapters", allocator, nr);
	for (u32 i = 0; i < nr; i++) {
		const char *title = (const char *)s + rows[i].title_at;
		CHECK(strlen(title) > 20 && title[strlen(title) - 1] == '.', "%s", title);
		has_cost |= rows[i].op == cost;
		for (u32 k = 0; k < i; k++)
			CHECK(rows[k].op < rows[i].op && rows[k].kind != rows[i].kind,
			      "%s: chapters %u and %u", allocator, k, i);
		const struct kmem_path path = *kmem_path(s, rows[i].op);
		if (rows[i].kind == CHAPTER_SLOW)
			CHECK(path.end == depth && path.cycles == slow_most, "%s: %u at level %u",
			      allocator, path.cycles, path.end);
		if (rows[i].kind == CHAPTER_WALK)
			CHECK(rows[i].number == walk, "%u, a scan finds %u", rows[i].number, walk);
	}
	CHECK(has_cost, "%s: no chapter is event %u, the costliest", allocator, cost);
}

/* Event + 1 in which each slab came to the place where it is, as views after every event show it. */
struct seen {
	u32 place, since;
};

static struct seen seen[64][4096];

static void look(struct kmem_session *s, u32 op)
{
	const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
	const struct kmem_place *places = (const void *)((const u8 *)s + f->places_at);
	const struct kmem_slab_row *slabs = (const void *)((const u8 *)s + f->slabs_at);

	for (u32 i = 0; i < f->nr_slabs; i++) {
		const struct kmem_place *p = &places[slabs[i].place];
		u32 place = 1 + p->kind + 64u * p->node + (1u << 16) * p->cpu;
		if (slabs[i].cache < 64 && slabs[i].serial < 4096 &&
		    seen[slabs[i].cache][slabs[i].serial].place != place)
			seen[slabs[i].cache][slabs[i].serial] = (struct seen){ place, op };
	}
}

/* Each source of a node's partial list against the views. SLAB and Unified put slabs back into a list that they were in. */
static void why_matches_the_views(const char *allocator, int moves_once)
{
	struct kmem_session *s = built(synthetic_trace(1500, 500, 4, 2), allocator, NULL);
	u32 asked = 0, nr_ops = kmem_nr_ops(s);
	static struct kmem_place places[1024];

	memset(seen, 0, sizeof(seen));
	CHECK(!kmem_job(s, JOB_INDEX, NULL), "%s", kmem_error(s));
	const u32 every = tries(50, 150);
	for (u32 op = 1; op <= nr_ops; op++) {
		CHECK(!kmem_seek(s, op), "%s", kmem_error(s));
		look(s, op);
		if (op % every)
			continue;
		const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
		const u64 hash = kmem_hash(s);
		u32 nr = MIN(f->nr_places, 1024u);
		memcpy(places, (const u8 *)s + f->places_at, nr * sizeof(*places));
		for (u32 i = 0; i < nr; i++) {
			const struct kmem_place *p = &places[i];
			if (!p->nr_slabs && !p->nr_entries)
				continue;
			const struct kmem_why *why = kmem_why(s, p->cache, p->kind, p->cpu,
							      p->node);
			CHECK(why && kmem_position(s) == op && kmem_hash(s) == hash, "%s",
			      kmem_error(s));
			if (!why)
				continue;
			const struct kmem_why_source *sources =
				(const void *)((const u8 *)s + why->sources_at);
			u32 things = why->unknown, first = op;
			for (u32 k = 0; k < why->nr_sources; k++) {
				things += sources[k].things;
				first = MIN(first, sources[k].first_op);
				CHECK(sources[k].events <= sources[k].things &&
					      sources[k].last_op < op,
				      "source %u", k);
			}
			CHECK(things == why->slabs + why->entries, "%u", things);
			CHECK(why->taken_op == KMEM_NONE32 || why->taken_op < op, "%u",
			      why->taken_op);
			if (p->kind != PLACE_NODE_PARTIAL || p->cpu != CPU_NONE)
				continue;
			asked++;
			u32 earliest = op;
			const struct kmem_slab_row *slabs;
			f = kmem_view(s, p->cache);
			slabs = (const void *)((const u8 *)s + f->slabs_at);
			const struct kmem_place *now = (const void *)((const u8 *)s + f->places_at);
			for (u32 k = 0; k < f->nr_slabs; k++)
				if (now[slabs[k].place].kind == p->kind &&
				    now[slabs[k].place].node == p->node)
					earliest = MIN(earliest,
						       seen[p->cache][slabs[k].serial].since - 1);
			CHECK(!moves_once || first == earliest,
			      "%s, after %u events: since event %u, views since %u", allocator, op,
			      first, earliest);
		}
	}
	CHECK(asked > 10, "%s: %u lists", allocator, asked);
}

/* A CPU and a node hold what their places hold; the pages of the nodes add up; no answer moves the position. */
static void why_of_owners_adds_up(const char *allocator)
{
	struct kmem_session *s = built(synthetic_trace(1500, 500, 4, 2), allocator, NULL);
	u32 slabs = 0, entries = 0, nr = 0;
	u64 pages = 0, used = 0;

	CHECK(!kmem_job(s, JOB_INDEX, NULL) && !kmem_seek(s, 900), "%s", kmem_error(s));
	const u64 hash = kmem_hash(s);
	const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
	u32 all_slabs = 0, all_entries = 0;
	for (u32 i = 0; i < f->nr_places; i++) {
		const struct kmem_place *p = (const void *)((const u8 *)s + f->places_at);
		all_slabs += p[i].node == NODE_ANY && p[i].cpu == CPU_NONE ? 0 : p[i].nr_slabs;
		all_entries += p[i].nr_entries;
	}
	for (u32 i = 0; i < 6; i++) {
		const struct kmem_why *why = i < 4 ? kmem_why_about(s, ABOUT_CPU, CACHE_NONE, 0, i,
								    NODE_ANY, KMEM_NONE32)
						   : kmem_why_about(s, ABOUT_NODE, CACHE_NONE, 0,
								    CPU_NONE, i - 4, KMEM_NONE32);
		CHECK(why, "%s: %s", allocator, kmem_error(s));
		if (!why)
			return;
		slabs += why->slabs;
		entries += why->entries;
		CHECK(why->taken_op < 900 && why->put_op < 900, "%u %u", why->taken_op,
		      why->put_op);
	}
	CHECK(slabs == all_slabs && entries == all_entries, "%s: %u of %u slabs, %u of %u objects",
	      allocator, slabs, all_slabs, entries, all_entries);
	for (u32 node = 0; node < 2; node++) {
		const struct kmem_why *why = kmem_why_about(s, ABOUT_PAGES, CACHE_NONE, 0, CPU_NONE,
							    node, KMEM_NONE32);
		pages += why ? why->pages : 0;
	}
	const struct kmem_zone_row *zones = kmem_zone_rows(s, &nr);
	for (u32 i = 0; i < nr; i++)
		used += zones[i].used;
	CHECK(pages == used && used, "%s: %u of %u pages", allocator, (u32)pages, (u32)used);
	CHECK(kmem_position(s) == 900 && kmem_hash(s) == hash, "%s", allocator);
	CHECK(!kmem_why_about(s, ABOUT_CPU, CACHE_NONE, 0, 4, NODE_ANY, KMEM_NONE32), "CPU 4");
	CHECK(!kmem_why_about(s, ABOUT_NODE, CACHE_NONE, 0, CPU_NONE, 2, KMEM_NONE32), "node 2");
	CHECK(!kmem_why_about(s, 4, CACHE_NONE, 0, 0, 0, KMEM_NONE32), "no such subject");
	CHECK(!kmem_why_about(s, ABOUT_CPU, 4000, 0, 0, 0, KMEM_NONE32), "no such cache");
}

static void a_move_names_both_places(void)
{
	char text[4096] = MACHINE;

	fill_slab_and_take_another(text);
	strcat(text, "f 0 cpu=3\nflush c\n");
	struct kmem_session *s = built(text, "slub", NULL);
	const char *const want[] = {
		[0] = "made → CPU 0's cpu slab",
		[1] = "CPU 0's cpu slab",
		[16] = "CPU 0's cpu slab → node 0's full slabs",
		[17] = "node 0's full slabs → CPU 3's per-CPU partial list",
		[18] = "CPU 3's per-CPU partial list → node 0's partial list"
	};

	for (u32 op = 0; op < ARRAY_SIZE(want); op++) {
		const struct kmem_move *move = want[op] ? kmem_move(s, 0, 0, KMEM_NONE32, op)
							: NULL;
		const char *words = move ? (const char *)s + move->text_at : "";
		CHECK(!want[op] || strcmp(words, want[op]) == 0, "event %u: %s", op, words);
		CHECK(!want[op] || kmem_position(s) == op + 1, "%u", kmem_position(s));
	}
	CHECK(!kmem_move(s, 0, 0, KMEM_NONE32, kmem_nr_ops(s)), "past the end");
}

int main(void)
{
	RUN(a_slow_path_goes_down_and_comes_back());
	RUN(a_level_that_answers_is_not_marked_unsuccessful());
	RUN(a_request_to_another_node_is_marked_remote());
	RUN(a_free_runs_outward());
	RUN(each_allocator_has_its_own_levels());
	RUN(sheaves_come_before_slabs());
	RUN(refuses_invalid_costs());
	RUN(a_move_names_both_places());
	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++) {
		RUN(the_next_object_lands_where_it_was_announced(allocators[i], NULL));
		RUN(a_cpu_that_is_not_next_gets_the_same_object(allocators[i]));
		RUN(shares_add_up(allocators[i]));
		RUN(the_cycles_of_steps_add_up(allocators[i]));
		RUN(the_path_is_the_same_from_both_sides(allocators[i]));
		RUN(chapters_match_a_full_scan(allocators[i]));
		RUN(why_of_owners_adds_up(allocators[i]));
	}
	RUN(a_fast_event_costs_its_fast_path("slub", NULL, 9));
	RUN(a_fast_event_costs_its_fast_path("slub", "linux-6.18", 8));
	RUN(a_fast_event_costs_its_fast_path("slab", NULL, 9));
	RUN(a_fast_event_costs_its_fast_path("unified", NULL, 9));
	RUN(a_fast_event_costs_its_fast_path("slob", NULL, 0));
	RUN(the_next_object_lands_where_it_was_announced("slub", "linux-6.18"));
	RUN(why_matches_the_views("slub", 1));
	RUN(why_matches_the_views("slab", 0));
	RUN(why_matches_the_views("unified", 0));
	return check_summary();
}
