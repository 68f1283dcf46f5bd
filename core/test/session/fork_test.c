/*
 * fork_test.c - a fork continues a trace after any event: up to there every state is the recorded one bit for bit, its
 * own events replay like any others, and ending it restores the recorded future.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/index/query.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { TEXT_ROOM = 1 << 20 };

static const char own_lines[] = "cache mine size=300 align=64\n"
				"a w1 mine cpu=1\n"
				"k w2 512 cpu=3\n"
				"a w3 mine cpu=0\n"
				"f w1 cpu=2\n"
				"corrupt write w3 cpu=1 len=8\n"
				"set min_partial=2 cache=mine\n"
				"flush kmalloc-512\n"
				"shrink c1\n"
				"validate mine\n"
				"tick 2\n"
				"reap cpu=1\n"
				"expire\n"
				"f w3 cpu=1\n"
				"corrupt double-free w3 cpu=1\n";

enum { NR_OWN = 14 };

static s32 fork_at(struct kmem_session *s, u32 n, const char *lines)
{
	s32 status = kmem_fork(s, n, (const u8 *)lines, (u32)strlen(lines));

	if (!status)
		status = kmem_build(s, 0);
	return status;
}

static char *exported(struct kmem_session *s)
{
	char *text = calloc(TEXT_ROOM, 1);
	u32 at = 0, len = 0;
	s32 more;

	while ((more = kmem_export(s, KMEM_EXPORT_SLABTRACE, &at, (u8 *)text + len,
				   TEXT_ROOM - 1 - len)) > 0)
		len += (u32)more;
	CHECK(more == 0, "%s", kmem_error(s));
	return text;
}

/* Visits every state of the fork, forwards and then by seeking. */
static void is_a_trace(struct kmem_session *s, const u64 *recorded, u32 n, u32 nr_own)
{
	CHECK(kmem_nr_ops(s) == n + nr_own, "%u events", kmem_nr_ops(s));
	u64 *hashes = straight_run(s);

	for (u32 i = 0; i <= n; i += 1 + i / 7)
		CHECK(hashes[i] == recorded[i], "the recorded state after %u events", i);
	CHECK(hashes[n] == recorded[n], "the state at the fork, event %u", n);
	for (u32 i = 0; i <= nr_own; i++) {
		u32 to = n + (i * 5) % (nr_own + 1);
		CHECK(kmem_seek(s, to) == 0 && kmem_hash(s) == hashes[to], "seek to %u", to);
		CHECK(kmem_check(s) == 0, "%s at %u", kmem_error(s), to);
	}
	CHECK(kmem_job(s, JOB_INDEX, NULL) == 0, "%s", kmem_error(s));
	for (u32 i = 0; i < nr_own; i++) {
		s32 steps = kmem_steps(s, n + i);
		CHECK(steps >= 0, "%s", kmem_error(s));
		if (steps > 0)
			CHECK(kmem_peek(s, n + i, 0, KMEM_ANY) != NULL, "%s", kmem_error(s));
		CHECK(kmem_op_sentence(s, n + i)[0] != 0);
		/* From before the fork, none of its objects and caches can be seen yet. */
		kmem_seek(s, n - 1);
		CHECK(kmem_op(s, n + i) != NULL && kmem_op_sentence(s, n + i)[0] != 0);
		u32 nr;
		kmem_next_objects(s, KMEM_NONE, 0, &nr);
		CHECK(kmem_seek(s, n) == 0);
		kmem_next_objects(s, KMEM_NONE, 0, &nr);
		CHECK(kmem_hash(s) == hashes[n], "questions change nothing");
	}
	free(hashes);
}

static void any_event_forks(const char *text, const char *allocator)
{
	static const u32 places[] = { 1, 2, 511, 512, 513, 1023, 1024, 1500, 1999, 2000 };
	struct kmem_session *s = session_of_text(text);

	CHECK(kmem_set(s, "allocator", allocator) == 0 && kmem_build(s, 0) == 0, "%s",
	      kmem_error(s));
	u64 *recorded = straight_run(s);
	u32 nr = kmem_nr_ops(s);
	char *before = exported(s);

	for (u32 i = 0; i < ARRAY_SIZE(places); i += tries(1, 3)) {
		u32 n = MIN(places[i], nr);
		CHECK(fork_at(s, n, "") == 0, "%s", kmem_error(s));
		is_a_trace(s, recorded, n, 0);
		CHECK(fork_at(s, n, own_lines) == 0, "%s: %s", allocator, kmem_error(s));
		is_a_trace(s, recorded, n, NR_OWN);
		CHECK(kmem_fork_leave(s) == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
		CHECK(kmem_nr_ops(s) == nr && kmem_hash(s) == recorded[nr],
		      "%s: the recorded end after a fork at %u", allocator, n);
		char *after = exported(s);
		CHECK(strcmp(before, after) == 0, "the text after a fork at %u", n);
		free(after);
	}
	CHECK(kmem_fork_leave(s) == KMEM_ESTATE);
	free(before);
	free(recorded);
}

/* Two sessions, one with each future: their decisions are equal up to the fork, and differ at one of its events. */
static void futures_diverge_at_the_fork(const char *text, const char *allocator)
{
	static const u32 places[] = { 1, 700, 1999 };
	u32 *prints = malloc((KMEM_MAX_FINGERPRINTS + 1) * sizeof(*prints));

	for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
		u32 n = places[i], nr_recorded, nr_forked;
		struct kmem_session *s = session_of_text(text);

		CHECK(kmem_set(s, "allocator", allocator) == 0 && kmem_build(s, 0) == 0, "%s",
		      kmem_error(s));
		const u32 *recorded = kmem_fingerprints(s, 0, KMEM_MAX_FINGERPRINTS, &nr_recorded);
		CHECK(recorded && nr_recorded == kmem_nr_ops(s), "%u of them", nr_recorded);
		memcpy(prints, recorded, nr_recorded * sizeof(*prints));
		CHECK(fork_at(s, n, own_lines) == 0, "%s", kmem_error(s));
		const u32 *forked = kmem_fingerprints(s, 0, KMEM_MAX_FINGERPRINTS, &nr_forked);
		CHECK(forked && nr_forked == n + NR_OWN, "%u of them", nr_forked);
		u32 first = 0;
		while (first < MIN(nr_recorded, nr_forked) && prints[first] == forked[first])
			first++;
		CHECK(first >= n && first < n + NR_OWN, "%s: the futures part at %u of %u",
		      allocator, first, n);
	}
	free(prints);
}

/* The fork frees every recorded object by the number of its event, and nothing is left. */
static void recorded_objects_are_freed(const char *text)
{
	struct kmem_session *s = session_of_text(text);
	char *lines = calloc(TEXT_ROOM, 1);
	u32 nr = 0, more = 0;

	CHECK(fork_at(s, 1500, "") == 0, "%s", kmem_error(s));
	u32 live = (u32)kmem_totals(s)->live_objects;
	const u32 *ops = kmem_fork_objects(s, 4096, &nr);
	CHECK(ops && nr == live && nr > 10, "%u objects of %u", nr, live);
	CHECK(kmem_fork_objects(s, 3, &more) && more == 3);
	ops = kmem_fork_objects(s, 4096, &nr);
	for (u32 i = 0, len = 0; i < nr; i++) {
		CHECK(i == 0 || ops[i] < ops[i - 1], "the latest comes first");
		len += (u32)sprintf(lines + len, "f %u cpu=%u\n", ops[i] + 1, i % 4);
	}
	CHECK(fork_at(s, 1500, lines) == 0, "%s", kmem_error(s));
	CHECK(kmem_nr_ops(s) == 1500 + nr && kmem_totals(s)->live_objects == 0, "%llu live",
	      (unsigned long long)kmem_totals(s)->live_objects);
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
	free(lines);
}

/* A line that cannot be read gives a reason, and the recorded events are restored. */
static void bad_lines_are_refused(const char *text)
{
	static const char *const bad[][2] = {
		{ "f 2001 cpu=0\n", "no object with this ID is live" },
		{ "a 9999 nowhere cpu=0\n", "expected the ID of a `cache` line" },
		{ "flush nowhere\n", "kmalloc cache such as kmalloc-192" },
		{ "machine cpus=9\n", "must come before the first event" },
		{ "set allocator=slab\n", "cannot change while the trace runs" },
		{ "k w 10 cpu=0\nk w 10 cpu=0\n", "still live" },
		{ "dance\n", "expected a, k, f" },
	};
	struct kmem_session *s = session_of_text(text);

	CHECK(kmem_build(s, 0) == 0);
	u64 end = kmem_hash(s);
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		CHECK(fork_at(s, 700, bad[i][0]) == KMEM_EINPUT, "%s", bad[i][0]);
		CHECK(strstr(kmem_error(s), bad[i][1]) != NULL, "%s", kmem_error(s));
		CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == end, "after %s", bad[i][0]);
	}
	CHECK(fork_at(s, 0, "") == KMEM_ESTATE && fork_at(s, 2001, "") == KMEM_ESTATE);
	char *many = calloc(TEXT_ROOM, 1);
	for (u32 i = 0; i <= KMEM_MAX_FORK_EVENTS; i++)
		memcpy(many + i * 7, "tick 1\n", 7);
	CHECK(fork_at(s, 700, many) == KMEM_ELIMIT, "%s", kmem_error(s));
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == end);
	many[KMEM_MAX_FORK_EVENTS * 7] = 0;
	CHECK(fork_at(s, 700, many) == 0 && kmem_nr_ops(s) == 700 + KMEM_MAX_FORK_EVENTS, "%s",
	      kmem_error(s));
	free(many);
}

/* However many events the lines have, the recorded ones after the fork are restored. */
static void too_many_events_are_refused_and_harm_nothing(void)
{
	static const u32 numbers[] = { KMEM_MAX_FORK_EVENTS + 1, KMEM_MAX_FORK_EVENTS + 600,
				       20000 };
	struct kmem_session *s = session_of_text(synthetic_trace(9000, 200, 4, 2));
	char *many = calloc(200000, 1);

	CHECK(kmem_build(s, 0) == 0);
	u64 end = kmem_hash(s);
	for (u32 k = 0; k < ARRAY_SIZE(numbers); k++) {
		for (u32 i = 0; i < numbers[k]; i++)
			memcpy(many + i * 7, "tick 1\n", 8);
		CHECK(fork_at(s, 700, many) == KMEM_ELIMIT, "%s", kmem_error(s));
		CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == end, "%u events", numbers[k]);
	}
	/* A list is many events in one line. */
	u32 len = (u32)sprintf(many, "cache mine size=64\n");
	for (u32 line = 0, id = 100000; line < 9; line++) {
		len += (u32)sprintf(many + len, "a %u", id++);
		for (u32 i = 1; i < 512; i++)
			len += (u32)sprintf(many + len, ",%u", id++);
		len += (u32)sprintf(many + len, " mine cpu=0\n");
	}
	CHECK(fork_at(s, 700, many) == KMEM_ELIMIT, "%s", kmem_error(s));
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == end);
	free(many);
}

/* Objects of a bulk request are named by the numbers of their events, like all others. */
static void requests_continue_after_the_fork(void)
{
	struct kmem_session *s = session_of_text(
		"slabtrace 1\nmachine cpus=2 preset=linux-7.2\n"
		"cache c0 size=1024\na 7,8,9 c0 cpu=0\nf 8,9 cpu=0\n");

	/* After the request and two of its objects: the third one waits and comes back. */
	CHECK(fork_at(s, 3, "f 2,3 cpu=1\na 4,5 c0 cpu=0\nr 5 cpu=0\ngrace\n") == 0, "%s",
	      kmem_error(s));
	CHECK(kmem_build(s, 0) == 0 && kmem_nr_ops(s) == 3 + 3 + 3 + 1 + 1 && kmem_check(s) == 0,
	      "%s", kmem_error(s));
	CHECK(kmem_totals(s)->live_objects == 1);
	CHECK(fork_at(s, 3, "f 4,3 cpu=1\n") == KMEM_EINPUT && strstr(kmem_error(s), "is live"),
	      "%s", kmem_error(s));
}

/* Ops lie in chunks of 65,536: a fork may cross their end, and the recorded end. */
static void events_added_in_chunks_give_the_same_fork(void)
{
	static const u32 places[] = { 65500, 65530, 65536, 65537 };

	for (u32 i = 0; i < ARRAY_SIZE(places); i += tries(1, 3)) {
		u32 nr = i & 1 ? 65536 : 66000, n = MIN(places[i], nr);
		struct kmem_session *s = session_of_text(synthetic_trace(nr, 200, 4, 2));
		CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, n) == 0);
		u64 here = kmem_hash(s);
		CHECK(kmem_seek(s, nr) == 0);
		u64 end = kmem_hash(s);
		CHECK(fork_at(s, n, own_lines) == 0, "%s", kmem_error(s));
		CHECK(kmem_check(s) == 0 && kmem_seek(s, n) == 0 && kmem_hash(s) == here);
		CHECK(kmem_fork_leave(s) == 0 && kmem_build(s, 0) == 0);
		CHECK(kmem_nr_ops(s) == nr && kmem_hash(s) == end);
		CHECK(fork_at(s, n, own_lines) == 0, "%s", kmem_error(s));
		CHECK(kmem_import_begin(s) == 0, "an import ends a fork");
	}
}

int main(void)
{
	static const char *const allocators[] = { "slub", "slab", "unified", "slob",
						  "slob-segregated" };
	/* The generator's text lives until the next one. */
	const char *once = synthetic_trace(2000, 150, 4, 2);
	char *text = strcpy(malloc(strlen(once) + 1), once);

	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++)
		RUN(any_event_forks(text, allocators[i]));
	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++)
		RUN(futures_diverge_at_the_fork(text, allocators[i]));
	RUN(recorded_objects_are_freed(text));
	RUN(bad_lines_are_refused(text));
	RUN(too_many_events_are_refused_and_harm_nothing());
	RUN(requests_continue_after_the_fork());
	RUN(events_added_in_chunks_give_the_same_fork());
	free(text);
	return check_summary();
}
