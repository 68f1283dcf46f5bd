/*
 * model_test.c - every allocator against the naive oracle of oracle.h, by chance and by exhaustion.
 *
 * By chance: machines, parameters, caches and operations as ops_text.h throws them, replayed by a session. By
 * exhaustion: on a machine so small that its lists, arrays and queues run over at once, *all* sequences of moves
 * up to some length. Every law is asked after every operation, and the weaker ones after every step.
 *
 * Arguments: an allocator to test alone, --ops N for N random operations each, --seed N to see one trace again.
 * SOAK=1 goes deeper, SHALLOWER=1, for builds that are slow, less deep.
 */
#include <stdlib.h>

#include "test/support/check.h"
#include "test/model/all_moves.h"
#include "test/model/ops_text.h"
#include "test/support/session_util.h"
#include "test/model/watch.h"

#include "alloc/ops.h"

enum { OPS_PER_TRACE = 1500 };

/* How much is tried. */
struct effort {
	u64 random_ops; /* per allocator */
	s32 deeper;	/* moves beyond the depth of the table */
	u64 seed;	/* 0: all */
};

static void by_chance(const char *allocator, const struct effort *effort)
{
	u64 left = effort->random_ops;
	u32 seed = 0, op;

	while (left && (!effort->seed || !seed)) {
		struct watch how = { 1, 7, 97 };
		struct dice d = { .seed = effort->seed ? effort->seed : ++seed };
		const char *text = ops_text(&d, allocator, OPS_PER_TRACE);
		struct kmem_session *s = session_of_text(text);
		if (effort->seed) {
			fputs(text, stdout);
			seed++;
		}
		CHECK(kmem_report(s)->skipped_lines == 0, "%s, seed %u: not a clean trace",
		      allocator, seed);
		const char *broken = watch_replay(s, &how, &op);
		CHECK(!broken, "%s, seed %u, after operation %u: %s", allocator, seed, op, broken);
		left -= MIN(left, (u64)kmem_nr_ops(s));
	}
}

/* Set, and not to nothing. */
static int has(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

int main(int argc, char **argv)
{
	int soak = has("SOAK"), shallower = has("SHALLOWER");
	struct effort effort = { soak	     ? 1000000
				 : shallower ? 4000
					     : 20000,
				 soak - 2 * shallower, 0 };
	const char *only = NULL;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--ops") && i + 1 < argc)
			effort.random_ops = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			effort.seed = strtoull(argv[++i], NULL, 10);
		else
			only = argv[i];
	}
	for (u32 i = 0; i < NR_ALLOCATORS; i++) {
		const char *allocator = allocator_name(i);
		if (only && strcmp(only, allocator))
			continue;
		RUN(by_chance(allocator, &effort));
		if (!effort.seed)
			RUN(CHECK(all_moves(allocator, effort.deeper) > 1000));
	}
	return check_summary();
}
