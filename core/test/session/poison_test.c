/*
 * poison_test.c - what must not be touched in the region is poisoned in builds with the address sanitizer (util/poison.h):
 * each of these accesses ends its process with a report. Builds without the sanitizer have no red zones.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/poison.h"
#include "query/index/query.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { REGION_BYTES = 8 << 20, WORLD_BYTES = 64 << 20, REPORT_BYTES = 4096 };

static void *map(size_t len_bytes)
{
	void *memory = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	return memory;
}

/* The access itself: volatile, so the compiler keeps it. */
static void touch(const void *p)
{
	volatile u8 *byte = (u8 *)(uintptr_t)p;

	*byte = *byte;
}

/* Cases: each makes what it needs, checks that it may be used, and then does what is forbidden. */

static struct pool *pool(void)
{
	static struct pool p;

	pool_init(&p, map(REGION_BYTES), REGION_BYTES, 64);
	return &p;
}

static void one_byte_past_a_pool_block(void)
{
	u8 *block = pool_alloc(pool(), 100);

	touch(block + 99);
	touch(block + 100);
}

static void one_byte_past_a_pool_block_of_whole_units(void)
{
	struct pool *p = pool();
	u8 *block = pool_alloc(p, POOL_UNIT_BYTES);

	pool_alloc(p, 8);
	touch(block + POOL_UNIT_BYTES - 1);
	touch(block + POOL_UNIT_BYTES);
}

static void past_an_extended_pool_block(void)
{
	struct pool *p = pool();
	u8 *block = pool_alloc(p, POOL_UNIT_BYTES);

	CHECK(pool_extend(p, block, POOL_UNIT_BYTES, POOL_UNIT_BYTES) == 1);
	touch(block + 2 * POOL_UNIT_BYTES - 1);
	touch(block + 2 * POOL_UNIT_BYTES);
}

static void a_pool_block_that_was_freed(void)
{
	struct pool *p = pool();
	u8 *block = pool_alloc(p, 100);

	touch(block);
	pool_free(p, block, 100);
	touch(block);
}

static void between_the_parts_of_a_pool_block(void)
{
	u8 *at = pool_alloc(pool(), 2 * PART_BYTES(64)), *part = pool_cut(&at, 64);

	pool_cut(&at, 64);
	touch(part + 63);
	touch(part + 64);
}

static struct world *world(void)
{
	return world_init(map(WORLD_BYTES), WORLD_BYTES);
}

static void one_byte_past_a_world_block(void)
{
	struct world *w = world();
	u8 *block = at(w, world_alloc(w, 33));

	touch(block + 32);
	touch(block + 33);
}

static void one_byte_past_a_full_world_block(void)
{
	struct world *w = world();
	u8 *block = at(w, world_alloc(w, 64));

	world_alloc(w, 64);
	touch(block + 63);
	touch(block + 64);
}

static void one_byte_past_a_reused_world_block(void)
{
	struct world *w = world();
	ref first = world_alloc(w, 40);

	world_free(w, first, 40);
	u8 *block = at(w, world_alloc(w, 36));
	CHECK(block == at(w, first), "the block is used again");
	touch(block + 35);
	touch(block + 36);
}

static void a_world_block_that_was_freed(void)
{
	struct world *w = world();
	ref block = world_alloc(w, 40);

	world_free(w, block, 40);
	touch(at(w, block));
}

static void a_world_block_freed_twice(void)
{
	struct world *w = world();
	ref block = world_alloc(w, 40);

	world_free(w, block, 40);
	world_free(w, block, 40);
}

static void past_the_end_of_the_world(void)
{
	struct world *w = world();

	touch(at(w, w->used));
}

static struct kmem_session *session(void)
{
	struct kmem_session *s = session_of_text(synthetic_trace(9000, 300, 2, 1));

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	return s;
}

static void past_the_rows_of_a_view(void)
{
	struct kmem_session *s = session();
	const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
	u8 *rows = s->pool.base + f->places_at;

	touch(rows + f->nr_places * sizeof(struct kmem_place) - 1);
	touch(rows + f->nr_places * sizeof(struct kmem_place));
}

static void rows_of_the_previous_call(void)
{
	struct kmem_session *s = session();
	const struct kmem_place *places =
		(const void *)(s->pool.base + kmem_view(s, CACHE_NONE)->places_at);

	touch(places);
	kmem_seek(s, 0);
	scratch_reset(s);
	touch(places);
}

/* A keyframe restores the world, and which of its bytes are poisoned. */
static void a_block_freed_by_a_seek(void)
{
	struct kmem_session *s = session();
	u32 keyframe = s->timeline.keyframes.nr - 1, class = 0;

	keyframes_restore(s, keyframe);
	while (class < NR_BLOCK_CLASSES - 1 && !s->w->free_blocks[class])
		class ++;
	CHECK(keyframe > 0 && s->w->free_blocks[class] != 0, "something is free there");
	CHECK(kmem_seek(s, 0) == 0);
	keyframes_restore(s, keyframe);
	touch(at(s->w, s->w->free_blocks[class]));
}

static void a_block_that_is_free_in_a_keyframe(void)
{
	struct world *w = world();
	u8 *memory = map(WORLD_BYTES);
	struct world *copy = (struct world *)(void *)(memory + sizeof(struct world_host));
	static struct kmem_step steps[MAX_STEPS_PER_OP + 1];
	ref block = world_alloc(w, 40);

	world_free(w, block, 40);
	world_host(w)->steps = steps;
	step_begin(w, RECORD_LIST, 0, copy);
	emit_CACHE_WITHOUT_SLABS(w, CACHE_NONE, NODE_ANY, 0, 0, 0);
	CHECK(copy->used == w->used);
	touch(at(copy, block));
}

static void past_a_table_of_the_index(void)
{
	struct kmem_session *s = session();

	CHECK(kmem_job(s, JOB_INDEX, NULL) == 0, "%s", kmem_error(s));
	touch(query_of(s)->index.handle_ops + s->trace.nr_ops - 1);
	touch(query_of(s)->index.handle_ops + s->trace.nr_ops);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(f) { #f, f }
	CASE(one_byte_past_a_pool_block),	  CASE(one_byte_past_a_pool_block_of_whole_units),
	CASE(past_an_extended_pool_block),	  CASE(a_pool_block_that_was_freed),
	CASE(between_the_parts_of_a_pool_block),  CASE(one_byte_past_a_world_block),
	CASE(one_byte_past_a_full_world_block),	  CASE(one_byte_past_a_reused_world_block),
	CASE(a_world_block_that_was_freed),	  CASE(a_world_block_freed_twice),
	CASE(past_the_end_of_the_world),	  CASE(past_the_rows_of_a_view),
	CASE(rows_of_the_previous_call),	  CASE(a_block_freed_by_a_seek),
	CASE(a_block_that_is_free_in_a_keyframe), CASE(past_a_table_of_the_index),
#undef CASE
};

/* Runs a case in its own process; its output goes to report. Returns its exit status. */
static int run_alone(void (*run)(void), char *report)
{
	int ends[2], status = 0;
	size_t len = 0;
	ssize_t got;

	if (pipe(ends))
		exit(1);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		run();
		_exit(check_failed ? 3 : 0);
	}
	close(ends[1]);
	while ((got = read(ends[0], report + len, REPORT_BYTES - 1 - len)) > 0)
		len += (size_t)got;
	report[len] = 0;
	close(ends[0]);
	waitpid(child, &status, 0);
	return status;
}

static void is_reported(u32 i)
{
	char report[REPORT_BYTES];
	int status = run_alone(cases[i].run, report);
	int has_report = strstr(report, "use-after-poison") != NULL;

	if (RED_ZONE_BYTES)
		CHECK(status != 0 && has_report, "%s: %s", cases[i].name, report);
	else
		CHECK(status == 0 && report[0] == 0, "%s: %s", cases[i].name, report);
}

/* Rows that do not fit are an error with a sentence, and the session remembers: a command must not pass half an answer for
 * one. */
static void rows_without_room_are_an_error(void)
{
	void *memory = calloc(1, (u64)256 << 20);
	struct kmem_session *s = kmem_open(memory, (u64)256 << 20);
	u64 whole = s->pool.size_bytes;
	u32 nr;

	CHECK(kmem_begin(s, JOB_WORKLOAD, &(struct kmem_workload_args){ "netio", "scale=0.01" }) ==
	      0);
	while (kmem_work(s, JOB_WORKLOAD, 1 << 20) > 0)
		;
	CHECK(kmem_build(s, 0) == 0 && kmem_cache_rows(s, &nr) && nr && !kmem_lacked_memory(s));
	s->pool.size_bytes = (u64)(s->timeline.scratch - s->pool.base) - nr;
	CHECK(!kmem_cache_rows(s, &nr) && !nr && kmem_lacked_memory(s));
	CHECK(strstr(kmem_error(s), "not enough memory") != NULL, "%s", kmem_error(s));
	CHECK(!kmem_memory(s, KMEM_ANY, &nr) && !kmem_slabinfo(s, &nr));
	s->pool.size_bytes = whole;
	kmem_close(s);
	free(memory);
}

int main(void)
{
	RUN(rows_without_room_are_an_error());
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		RUN(is_reported(i));
	return check_summary();
}
