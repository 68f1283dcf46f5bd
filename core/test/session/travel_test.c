/*
 * travel_test.c - lives and searches against a scan: every event is recorded once through the public calls, and every
 * answer of index and search is looked up in that list.
 */
#include <stdlib.h>

#include "query/index/query.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/model/ops_text.h"
#include "test/support/session_util.h"

enum { MAX_MOMENTS = 1 << 21, MAX_ROWS = 4096 };

/* One step, and what it is about; the event's own object is an extra step, of kind NR_STEP_KINDS. */
struct moment {
	u32 op, step, kind, what, cache, slab, index;
};

struct scan {
	struct moment *at;
	u32 nr;
	u32 *slow; /* [op] */
	u32 *slab_moves;
	u32 *cache; /* cache of the operation, CACHE_NONE */
};

static struct scan scan;
static u32 shared;

static const char *const arg_names[NR_STEP_KINDS][5] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) { #a0, #a1, #a2, #a3, #a4 },
#include "tables/steps/steps.def"
#undef STEP
};

static u32 argument(const struct kmem_step *step, const char *name)
{
	for (u32 i = 0; i < 5; i++)
		if (strcmp(arg_names[step->kind][i], name) == 0)
			return step->args[i];
	return NOWHERE;
}

static int step_holds(u32 when, u32 kind)
{
#define HOLDS(moment, step)                               \
	if (when == WHEN_##moment && kind == STEP_##step) \
		return 1;
#include "tables/steps/steps.def"
	return 0;
}

static int names_a_block(u32 kind)
{
#define UNITS(step)              \
	if (kind == STEP_##step) \
		return 1;
#include "tables/steps/steps.def"
	return 0;
}

static int passes_over(u32 kind)
{
#define PASSED(step)             \
	if (kind == STEP_##step) \
		return 1;
#include "tables/steps/steps.def"
	return 0;
}

static u32 what_of(struct kmem_session *s, const struct kmem_step *step,
		   const struct kmem_op_row *op, const struct moment *m)
{
	u32 what = 0;

	for (u32 when = WHEN_ALLOC; when < WHEN_STEP; when++)
		if (when != WHEN_SLOW_PATH && step_holds(when, step->kind))
			what |= 1u << when;
	if (step->node == NODE_ANY || step->node == kmem_node_of_cpu(s, step->cpu))
		what &= ~(1u << WHEN_REMOTE_NODE);
	if (op->kind != OP_FREE || op->slab != m->slab || m->cache != op->cache)
		what &= ~(1u << WHEN_EMPTY_FREED);
	if (step->kind == STEP_NOTHING && step->args[0] != REASON_ORPHAN_FREE &&
	    step->args[0] != REASON_FAILED_ALLOC && step->args[0] != REASON_NEVER_PLACED)
		what &= ~(1u << WHEN_ANOMALY);
	return what;
}

static void keep(struct moment m)
{
	if (scan.nr < MAX_MOMENTS)
		scan.at[scan.nr++] = m;
}

static void scan_op(struct kmem_session *s, u32 op)
{
	const struct op o = trace_op(&s->trace, op);
	kmem_seek(s, op);
	u32 slow = s->w->slow_paths, moves = s->w->slab_moves, first = scan.nr, k;
	u32 nr = (u32)kmem_steps(s, op);
	const struct kmem_op_row row = *kmem_op(s, op);
	int has_object = row.slab != NOWHERE &&
			 (o.kind == OP_FREE || o.kind == OP_ALLOC || o.kind == OP_KMALLOC);

	scan.cache[op] = row.cache;
	scan.slow[op] = s->w->slow_paths - slow;
	scan.slab_moves[op] = s->w->slab_moves - moves;
	CHECK(nr > 0 || !has_object, "op %u has no step", op);
	for (k = 0; k < nr; k++) {
		const struct kmem_step *step = kmem_step_rows(s) + k;
		struct moment m = { op,	    k, step->kind, 0, step->cache, argument(step, "slab"),
				    NOWHERE };
		if (passes_over(step->kind))
			m.slab = NOWHERE;
		if (m.slab != NOWHERE && !names_a_block(step->kind))
			m.index = argument(step, "index");
		if (shared && m.slab != NOWHERE)
			m.cache = row.cache;
		m.what = what_of(s, step, &row, &m);
		keep(m);
		if (has_object && k == (o.kind == OP_FREE ? 0 : nr - 1))
			keep((struct moment){
				op, k, NR_STEP_KINDS,
				(1u << (o.kind == OP_FREE ? WHEN_FREE : WHEN_ALLOC)) |
					(o.flags & OP_IMPLIED ? 1u << WHEN_ANOMALY : 0),
				row.cache, row.slab, row.index });
	}
	if (!scan.slow[op] || !nr)
		return;
	for (k = first; k < scan.nr; k++)
		if (scan.at[k].kind < NR_STEP_KINDS && step_holds(WHEN_SLOW_PATH, scan.at[k].kind))
			break;
	scan.at[k == scan.nr ? first : k].what |= 1u << WHEN_SLOW_PATH;
}

static void scan_all(struct kmem_session *s)
{
	u32 nr = kmem_nr_ops(s);

	scan.nr = 0;
	scan.slow = realloc(scan.slow, nr * sizeof(u32) + 1);
	scan.slab_moves = realloc(scan.slab_moves, nr * sizeof(u32) + 1);
	scan.cache = realloc(scan.cache, nr * sizeof(u32) + 1);
	if (!scan.at)
		scan.at = malloc(MAX_MOMENTS * sizeof(*scan.at));
	shared = s->replay.ops->shared_slabs;
	for (u32 op = 0; op < nr; op++)
		scan_op(s, op);
	CHECK(scan.nr < MAX_MOMENTS, "the scan holds all moments");
}

static int is_of_slab(const struct moment *m, u32 cache, u32 slab, u32 index)
{
	return m->slab == slab && (shared || m->cache == cache) &&
	       (index == NOWHERE || m->index == index);
}

static int is_about(const struct moment *m, u32 cache, u32 slab, u32 index)
{
	return slab == NOWHERE ? m->cache == cache : is_of_slab(m, cache, slab, index);
}

/* Finds the rows of a life according to the scan: events and what they did. */
static u32 scan_life(u32 nr_ops, u32 cache, u32 slab, u32 index, struct kmem_life_row *rows,
		     u32 max)
{
	u32 nr = 0, at = 0, told = ~0u;

	if (slab != NOWHERE)
		told = index == NOWHERE ? ~(u32)CACHE_CONDITIONS : (u32)OBJECT_CONDITIONS;
	for (u32 op = 0; op < nr_ops; op++) {
		int touched = slab == NOWHERE && scan.cache[op] == cache;
		u32 what = 0;
		for (; at < scan.nr && scan.at[at].op == op; at++) {
			if (!is_about(&scan.at[at], cache, slab, index))
				continue;
			touched = 1;
			what |= scan.at[at].what & told;
		}
		if (touched && nr < max)
			rows[nr++] = (struct kmem_life_row){ op, what, 0, 0 };
	}
	return nr;
}

static void compare_rows(const struct kmem_life_row *want, const struct kmem_life_row *got, u32 nr,
			 const char *how, u32 cache, u32 slab, u32 index)
{
	for (u32 i = 0; i < nr; i++)
		CHECK(want[i].op == got[i].op && want[i].what == got[i].what,
		      "%s of cache %u slab %d index %d: row %u is op %u what %x, scan has op %u what %x",
		      how, cache, (s32)slab, (s32)index, i, got[i].op, got[i].what, want[i].op,
		      want[i].what);
}

static void check_numbers(struct kmem_session *s, const struct kmem_life_row *want, u32 nr,
			  u32 cache, u32 slab, u32 index)
{
	const struct kmem_life *life = kmem_life(s, cache, slab, index);
	u32 allocs = 0, frees = 0, live = 0, peak = 0, peak_op = NOWHERE;

	for (u32 i = 0; i < nr; i++) {
		u32 is_alloc = want[i].what >> WHEN_ALLOC & 1,
		    is_free = want[i].what >> WHEN_FREE & 1;
		allocs += is_alloc;
		frees += is_free;
		live += is_alloc - is_free;
		if ((s32)live > (s32)peak) {
			peak = live;
			peak_op = want[i].op;
		}
	}
	CHECK(life && life->nr_ops == nr && life->first_op == want[0].op &&
		      life->last_op == want[nr - 1].op && life->allocs == allocs &&
		      life->frees == frees && life->objects_peak == peak &&
		      life->objects_peak_op == peak_op,
	      "life of cache %u slab %d index %d in numbers: %u ops %u allocs %u frees, %u at once",
	      cache, (s32)slab, (s32)index, nr, allocs, frees, peak);
}

/* Reads all of a life forwards and backwards, in pages. */
static void check_life(struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 page)
{
	static struct kmem_life_row want[MAX_ROWS];
	u32 all = scan_life(kmem_nr_ops(s), cache, slab, index, want, MAX_ROWS), nr, from = 0,
	    done = 0;

	do {
		const struct kmem_life_row *rows = kmem_life_rows(s, cache, slab, index, from, 0,
								  page, &nr);
		compare_rows(want + done, rows, MIN(nr, all - done), "life", cache, slab, index);
		done += nr;
		from = nr ? rows[nr - 1].op + 1 : from;
	} while (nr == page && done < MAX_ROWS - page);
	CHECK(done == all || all == MAX_ROWS, "cache %u slab %d index %d: %u rows, the scan has %u",
	      cache, (s32)slab, (s32)index, done, all);
	if (all == MAX_ROWS || !all)
		return;
	check_numbers(s, want, all, cache, slab, index);
	from = kmem_nr_ops(s);
	for (done = all; done; done -= nr) {
		const struct kmem_life_row *rows = kmem_life_rows(s, cache, slab, index, from, 1,
								  page, &nr);
		if (!nr || nr > done)
			break;
		compare_rows(want + done - nr, rows, nr, "life backwards", cache, slab, index);
		from = rows[0].op;
	}
	CHECK(!done, "%u rows are missing backwards", done);
}

static void check_lives(struct kmem_session *s, struct dice *d)
{
	for (u32 cache = 0; cache < query_of(s)->index.nr_caches; cache++)
		check_life(s, cache, NOWHERE, NOWHERE, 1 + roll(d, 700));
	for (u32 i = 0; i < 60 && scan.nr; i++) {
		const struct moment *m = &scan.at[roll(d, scan.nr)];
		if (m->slab == NOWHERE || m->cache == CACHE_NONE)
			continue;
		check_life(s, m->cache, m->slab, NOWHERE, 1 + roll(d, 40));
		if (m->index != NOWHERE)
			check_life(s, m->cache, m->slab, m->index, 1 + roll(d, 10));
	}
}

static u32 first_of_object(u32 from, s32 step, u32 nr_ops, u32 object, struct kmem_session *s,
			   int want_alloc)
{
	for (u32 op = from; op < nr_ops; op += (u32)step) {
		const struct op o = trace_op(&s->trace, op);
		int is_alloc = o.kind == OP_ALLOC || o.kind == OP_KMALLOC;
		if (o.handle == object && (want_alloc ? is_alloc : is_alloc || o.kind == OP_FREE))
			return want_alloc || !is_alloc ? op : NOWHERE;
	}
	return NOWHERE;
}

/* Lists the allocations at a place, in order. */
static u32 allocs_at(const struct moment *m, u32 *ops, u32 max)
{
	u32 nr = 0;

	for (u32 i = 0; i < scan.nr && nr < max; i++)
		if (scan.at[i].kind == NR_STEP_KINDS && scan.at[i].what >> WHEN_ALLOC & 1 &&
		    is_of_slab(&scan.at[i], m->cache, m->slab, m->index))
			ops[nr++] = scan.at[i].op;
	return nr;
}

static void check_lifetime(struct kmem_session *s, u32 op)
{
	static u32 ops[MAX_ROWS];
	const struct kmem_lifetime *in = kmem_lifetime(s, op);
	u32 nr_ops = kmem_nr_ops(s), object = trace_op(&s->trace, op).handle, i = 0, nr;
	u32 alloc = first_of_object(op, -1, nr_ops, object, s, 1);

	if (object == HANDLE_NONE || alloc == NOWHERE) {
		CHECK(in == NULL, "op %u has no object", op);
		return;
	}
	CHECK(in && in->alloc_op == alloc &&
		      in->free_op == first_of_object(alloc + 1, 1, nr_ops, object, s, 0) &&
		      in->handle_earlier_op ==
			      first_of_object(alloc - 1, -1, nr_ops, object, s, 1) &&
		      in->handle_later_op == first_of_object(alloc + 1, 1, nr_ops, object, s, 1),
	      "the object of op %u", op);
	for (i = 0; i < scan.nr; i++)
		if (scan.at[i].op == alloc && scan.at[i].kind == NR_STEP_KINDS)
			break;
	if (!in || i == scan.nr) {
		CHECK(in && in->slab == NOWHERE, "op %u's object is in no slab", op);
		return;
	}
	nr = allocs_at(&scan.at[i], ops, MAX_ROWS);
	for (i = 0; i < nr && ops[i] != alloc; i++)
		continue;
	CHECK(in->nr == nr && in->number == i && in->earlier_op == (i ? ops[i - 1] : NOWHERE) &&
		      in->later_op == (i + 1 < nr ? ops[i + 1] : NOWHERE),
	      "op %u: number %u of %u at its place, the scan has %u of %u", op, in->number, in->nr,
	      i, nr);
	CHECK(kmem_alloc_at(s, in->cache, in->slab, in->index, alloc) == alloc &&
	      kmem_alloc_at(s, in->cache, in->slab, in->index, 0) == ops[0]);
}

static int condition_holds(const struct kmem_condition *c, const struct moment *m)
{
	int is_moment = c->when == WHEN_TOUCHED ? 1
			: c->when == WHEN_STEP	? c->step == m->kind
						: (int)(m->what >> c->when & 1);

	return is_moment && (c->slab == NOWHERE ? c->cache == CACHE_NONE || c->cache == m->cache
						: is_of_slab(m, c->cache, c->slab, c->index));
}

static const struct moment *scan_find(const struct kmem_condition *c, u32 nr, u32 op, u32 step,
				      u32 back)
{
	for (u32 i = 0; i < scan.nr; i++) {
		const struct moment *m = &scan.at[back ? scan.nr - 1 - i : i];
		int is_before = m->op < op || (m->op == op && m->step < step);
		for (u32 k = 0; k < nr && is_before == (int)back; k++)
			if (condition_holds(&c[k], m))
				return m;
	}
	return NULL;
}

static struct kmem_condition random_condition(struct dice *d)
{
	struct kmem_condition c = {
		NOWHERE, NOWHERE, (u16)roll(d, WHEN_STEP + 1), 0, CACHE_NONE, 0
	};
	const struct moment *m = &scan.at[roll(d, scan.nr)];

	if (c.when == WHEN_STEP)
		c.step = (u16)(m->kind < NR_STEP_KINDS ? m->kind : roll(d, NR_STEP_KINDS));
	if (roll(d, 3) == 0)
		c.cache = (u16)m->cache;
	if (roll(d, 3) == 0 && m->slab != NOWHERE && m->cache != CACHE_NONE) {
		c.cache = (u16)m->cache;
		c.slab = m->slab;
		c.index = roll(d, 2) ? m->index : NOWHERE;
	}
	return c;
}

static void check_search(struct kmem_session *s, struct dice *d, u32 slice)
{
	struct kmem_condition c[3] = { random_condition(d), random_condition(d),
				       random_condition(d) };
	u32 nr = 1 + roll(d, 3), op = roll(d, kmem_nr_ops(s) + 1), step = roll(d, 2) * roll(d, 9),
	    back = roll(d, 2);
	const struct moment *want;
	s64 left;

	if (op == kmem_nr_ops(s))
		step = 0;
	want = scan_find(c, nr, op, step, back);
	CHECK(kmem_begin(s, JOB_FIND, &(struct kmem_find_args){ c, nr, op, step, back }) == 0, "%s",
	      kmem_error(s));
	while ((left = kmem_work(s, JOB_FIND, slice)) > 0)
		if (roll(d, 8) == 0)
			kmem_seek(s, roll(d, kmem_nr_ops(s)));
	const struct kmem_found *got = kmem_found(s);
	CHECK(left == 0 && !want == !got &&
		      (!want || (want->op == got->op && want->step == got->step)),
	      "when %u (of %u) of cache %d slab %d index %d %s %u.%u: %d.%d, the scan has %d.%d",
	      c[0].when, nr, (s16)c[0].cache, (s32)c[0].slab, (s32)c[0].index,
	      back ? "before" : "from", op, step, got ? (s32)got->op : -1,
	      got ? (s32)got->step : -1, want ? (s32)want->op : -1, want ? (s32)want->step : -1);
}

/* The events found agree with what the world counts. */
static void check_counts(struct kmem_session *s)
{
	u32 at = 0;

	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		u32 slow = 0, moves = 0, first = at;
		for (; at < scan.nr && scan.at[at].op == op; at++) {
			slow += scan.at[at].what >> WHEN_SLOW_PATH & 1;
			moves += (scan.at[at].what >> WHEN_NEW_SLAB & 1) +
				 (scan.at[at].what >> WHEN_SLAB_FREED & 1);
		}
		CHECK(slow == (scan.slow[op] && at > first), "slow paths of op %u", op);
		CHECK(moves == scan.slab_moves[op],
		      "op %u made or gave back %u slabs, its steps say %u", op, scan.slab_moves[op],
		      moves);
	}
}

static void check_trace(const char *text, const char *allocator, u64 seed, u32 searches)
{
	struct kmem_session *s = session_of_text(text);
	struct dice d = { .seed = seed };

	if (allocator)
		CHECK(kmem_set(s, "allocator", allocator) == 0);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	u64 end = kmem_hash(s);
	scan_all(s);
	if (!scan.nr)
		return;
	check_counts(s);
	for (u32 i = 0; i < searches; i++)
		check_search(s, &d, 1 + roll(&d, 900));
	CHECK(kmem_begin(s, JOB_INDEX, NULL) == 0, "%s", kmem_error(s));
	while (kmem_work(s, JOB_INDEX, 1 + roll(&d, 3000)) > 0)
		if (roll(&d, 4) == 0)
			kmem_seek(s, roll(&d, kmem_nr_ops(s)));
	CHECK(kmem_index_bytes(s) > 0, "%s", kmem_error(s));
	check_lives(s, &d);
	for (u32 i = 0; i < 100; i++)
		check_lifetime(s, roll(&d, kmem_nr_ops(s)));
	for (u32 i = 0; i < searches; i++)
		check_search(s, &d, 1 + roll(&d, 900));
	CHECK(kmem_seek(s, kmem_nr_ops(s)) == 0 && kmem_hash(s) == end && kmem_check(s) == 0,
	      "looking changes nothing");
}

int main(void)
{
	static const char *const allocators[] = { "slub", "slab", "unified", "slob",
						  "slob-segregated" };
	u32 shallower = getenv("SHALLOWER") != NULL;

	for (u32 a = 0; a < ARRAY_SIZE(allocators); a++) {
		RUN(check_trace(synthetic_trace(6000, 300, 4, 2), allocators[a], a + 1,
				shallower ? 10 : 60));
		for (u32 i = 0; i < (shallower ? 3 : 30); i++) {
			struct dice d = { .seed = 1000 * a + i + 1 };
			check_trace(ops_text(&d, allocators[a], 500), NULL, i + 1, 30);
		}
	}
	return check_summary();
}
