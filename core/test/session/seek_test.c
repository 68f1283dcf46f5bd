/*
 * seek_test.c - time travel: seek(n) is run(n) bit for bit, in both directions, whatever was viewed before; recording
 * changes nothing; keyframes stay within their budget; a step's view is the world at that step.
 */
#include <stdlib.h>

#include "query/index/query.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { NONE = 0xffffffff };

static void seeking_equals_running(struct kmem_session *s, u32 stride)
{
	u64 *hashes = straight_run(s);
	u32 nr = kmem_nr_ops(s), n = 0;

	for (u32 i = 0; i < tries(400, 100); i++) {
		n = (n + stride) % (nr + 1);
		CHECK(kmem_seek(s, n) == 0, "%s", kmem_error(s));
		CHECK(kmem_hash(s) == hashes[n], "seek to %u", n);
		CHECK(kmem_check(s) == 0, "%s at %u", kmem_error(s), n);
		if (i % 3 == 0 && n < nr) {
			s32 steps = kmem_steps(s, n);
			CHECK(steps >= 0, "%s", kmem_error(s));
			CHECK(kmem_position(s) == n + 1 && kmem_hash(s) == hashes[n + 1],
			      "recorded op %u", n);
			if (steps > 0)
				CHECK(kmem_peek(s, n, (u32)steps - 1, CACHE_NONE) != NULL);
			CHECK(kmem_hash(s) == hashes[n + 1], "looking inside op %u changes nothing",
			      n);
		}
	}
	free(hashes);
}

static void a_tight_budget_only_costs_time(struct kmem_session *s)
{
	u64 *hashes = straight_run(s);
	u32 nr = kmem_nr_ops(s);

	CHECK(kmem_build(s, (u64)1 << 20) == 0, "%s", kmem_error(s));
	for (u32 n = nr; n > 0; n -= MIN(n, 997u)) {
		CHECK(kmem_seek(s, n) == 0);
		CHECK(kmem_hash(s) == hashes[n], "seek to %u on a tight budget", n);
	}
	free(hashes);
}

static void building_again_gives_the_same(struct kmem_session *s)
{
	u64 first, again;

	CHECK(kmem_build(s, 0) == 0);
	first = kmem_hash(s);
	CHECK(kmem_set(s, "min_partial_rule", "static") == 0 &&
	      kmem_set(s, "order_rule", "linux-6.7") == 0);
	CHECK(kmem_build(s, 0) == 0);
	CHECK(kmem_set(s, "min_partial_rule", "") == 0 && kmem_set(s, "order_rule", NULL) == 0);
	CHECK(kmem_begin(s, JOB_BUILD, NULL) == 0);
	while (kmem_work(s, JOB_BUILD, 333) > 0)
		continue;
	again = kmem_hash(s);
	CHECK(first == again, "a second build of the same machine");
}

static u32 cells_of(struct kmem_session *s, const struct kmem_frame *f, u32 kind)
{
	const u8 *cells = (const u8 *)s + f->cells_at;
	u32 nr = 0;

	for (u32 i = 0; i < f->nr_cells; i++)
		nr += cells[i] == kind;
	return nr;
}

/* The last view of an op is the world after it; the first shows it in progress. */
static void pictures_are_in_order(struct kmem_session *s)
{
	u32 nr = kmem_nr_ops(s);

	for (u32 op = 0; op < nr; op += nr / 50 + 1) {
		s32 steps = kmem_steps(s, op);
		if (steps <= 0)
			continue;
		kmem_seek(s, op + 1);
		const struct kmem_frame *after = kmem_view(s, CACHE_NONE);
		u32 allocated = cells_of(s, after, CELL_ALLOCATED), slabs = after->nr_slabs;
		const struct kmem_frame *last = kmem_peek(s, op, (u32)steps - 1, CACHE_NONE);
		CHECK(last->step == (u32)steps && cells_of(s, last, CELL_ALLOCATED) == allocated,
		      "op %u", op);
		CHECK(last->nr_slabs == slabs);
	}
	CHECK(kmem_peek(s, nr, 0, CACHE_NONE) == NULL &&
	      kmem_peek(s, 0, 60000, CACHE_NONE) == NULL);
}

static void next_and_previous_meet(struct kmem_session *s)
{
	u32 forward[64], nr = 0;

	for (u32 g = GO_EVENT; g <= GO_SLAB; g++) {
		kmem_seek(s, 0);
		for (nr = 0; nr < 64; nr++) {
			forward[nr] = kmem_next(s, g, 0);
			kmem_seek(s, forward[nr]);
		}
		for (u32 i = 63; i-- > 0 && forward[i + 1] < kmem_nr_ops(s);) {
			u32 back = kmem_previous(s, g, 0);
			CHECK(back == forward[i], "granularity %u: back to %u, forth was %u", g,
			      back, forward[i]);
			kmem_seek(s, forward[i]);
		}
	}
	kmem_seek(s, kmem_nr_ops(s));
	CHECK(kmem_next(s, GO_EVENT, CACHE_NONE) == kmem_nr_ops(s));
	kmem_seek(s, 0);
	CHECK(kmem_previous(s, GO_EVENT, CACHE_NONE) == 0);
}

static u32 previous_from(struct kmem_session *s, u32 i)
{
	u32 n = (i * 7919u) % (kmem_nr_ops(s) + 1), cache = i % 5 ? i % 7 : CACHE_NONE;

	kmem_seek(s, n);
	return kmem_previous(s, i % 3, cache);
}

static void an_index_changes_no_answer(struct kmem_session *s)
{
	enum { NR = 150 };
	u32 without[NR];

	for (u32 i = 0; i < NR; i++)
		without[i] = previous_from(s, i);
	CHECK(kmem_job(s, JOB_INDEX, NULL) == 0, "%s", kmem_error(s));
	for (u32 i = 0; i < NR; i++)
		CHECK(previous_from(s, i) == without[i], "number %u was %u", i, without[i]);
	next_and_previous_meet(s);
}

/* An index that does not fit in its budget is refused with a sentence, and everything else still works. */
static void refuses_an_index_without_room(void)
{
	struct kmem_session *s = session_of_text(synthetic_trace(20000, 500, 2, 1));

	CHECK(kmem_job(s, JOB_INDEX, NULL) == KMEM_ESTATE &&
	      kmem_work(s, JOB_INDEX, 1) == KMEM_ESTATE);
	CHECK(kmem_build(s, 0) == 0);
	CHECK(kmem_job(s, JOB_INDEX, &(struct kmem_build_args){ 700000, 0 }) == KMEM_ENOMEM &&
		      strstr(kmem_error(s), "17 bytes"),
	      "%s", kmem_error(s));
	CHECK(kmem_index_bytes(s) == 0 && kmem_life(s, 0, NONE, NONE) == NULL);
	CHECK(kmem_seek(s, 10000) == 0 && kmem_check(s) == 0 && kmem_view(s, CACHE_NONE) != NULL);
	CHECK(kmem_job(s, JOB_INDEX, NULL) == 0 && kmem_life(s, 0, NONE, NONE) != NULL, "%s",
	      kmem_error(s));
	CHECK(kmem_life(s, 0, 1u << 30, NONE) == NULL && kmem_life(s, 77, NONE, NONE) == NULL);
	CHECK(kmem_build(s, 0) == 0 && kmem_index_bytes(s) == 0, "a build drops the index");
}

/* What the world and the index have written counts as written when the next trace is read, also after a seek. */
static void tracks_which_memory_was_ever_written(void)
{
	struct kmem_session *s = session_of_text(synthetic_trace(20000, 5000, 4, 1));

	CHECK(kmem_build(s, 0) == 0);
	u64 end = (u64)((u8 *)s->w - s->pool.base) + s->w->used;
	CHECK(kmem_seek(s, 0) == 0 && kmem_import_begin(s) == 0);
	CHECK(s->pool.dirty_bytes >= end, "the world had %llu bytes", (unsigned long long)end);
	s = session_of_text(synthetic_trace(20000, 5000, 4, 1));
	CHECK(kmem_build(s, 0) == 0 && kmem_job(s, JOB_INDEX, NULL) == 0);
	end = (u64)(s->timeline.behind.top - s->pool.base);
	CHECK(kmem_seek(s, 0) == 0 && kmem_import_begin(s) == 0 && s->pool.dirty_bytes >= end);
}

/* Only the zones that a search has asked so far are counted. */
static void a_picture_counts_the_steps_that_it_shows(struct kmem_session *s)
{
	u32 searches = 0, zones = 0, partly = 0;

	for (u32 op = 0; op < kmem_nr_ops(s) && partly < 20; op++) {
		s32 nr = kmem_steps(s, op);
		for (s32 k = 0; k < nr; k++) {
			u32 kind = kmem_step_rows(s)[k].kind;
			u32 outcome = kmem_step_rows(s)[k].args[3];
			searches += kind == STEP_ANY_NODE_ENTER;
			zones += kind == STEP_ANY_NODE_ZONE && outcome != OUTCOME_EXCLUDED;
			if (kind != STEP_ANY_NODE_ENTER && kind != STEP_ANY_NODE_ZONE)
				continue;
			const struct kmem_frame *f = kmem_peek(s, op, (u32)k, 0);
			CHECK(f && f->any_node_entered == searches && f->any_node_zones == zones,
			      "op %u, step %d: %u zones instead of %u", op, k,
			      f ? f->any_node_zones : 0, zones);
			CHECK(kmem_steps(s, op) == nr);
			partly += k + 1 < nr;
		}
	}
	CHECK(partly >= 20, "%u searches were seen half done", partly);
}

int main(void)
{
	struct kmem_session *s = session_of_text(synthetic_trace(30000, 900, 4, 2));

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_nr_ops(s) == 30000);
	RUN(seeking_equals_running(s, 12347));
	RUN(pictures_are_in_order(s));
	RUN(a_picture_counts_the_steps_that_it_shows(s));
	RUN(next_and_previous_meet(s));
	RUN(an_index_changes_no_answer(s));
	RUN(a_tight_budget_only_costs_time(s));
	RUN(building_again_gives_the_same(s));
	RUN(refuses_an_index_without_room());
	RUN(tracks_which_memory_was_ever_written());
	s = session_of_text(synthetic_trace(30000, 900, 4, 2));
	CHECK(kmem_preset(s, "linux-7.2") == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
	RUN(seeking_equals_running(s, 12347));
	RUN(pictures_are_in_order(s));
	RUN(next_and_previous_meet(s));
	RUN(an_index_changes_no_answer(s));
	return check_summary();
}
