/*
 * clock_test.c - virtual time: clocks of CPUs, lines that move, locks that are waited for.
 *
 * Cycles are added by hand here, so the examples say what the rules are, whatever steps.def says.
 */
#include <stdlib.h>

#include "sim/step.h"
#include "test/support/check.h"
#include "test/support/small_world.h"

/* Makes a machine with two CPUs on each of two nodes. */
static struct world *four_cpus(void)
{
	return small_world(4, 2, 64, small_world_policy())->w;
}

/* Returns the CPU's clock when the work is done. */
static u64 after_work(struct world *w, u32 cpu, u32 cycles)
{
	op_begin(w, clock_cpus(w), cpu);
	w->now += cycles;
	return w->now;
}

/*
 *	CPU 0  ▕ 100 ▏        ▕ 10 ▏
 *	CPU 1  ▕ 30 ▏▕ 50 ▏
 */
static void operations_overlap(void)
{
	struct world *w = four_cpus();
	u64 start = clock_of(w, 0);

	CHECK(after_work(w, 0, 100) == start + 100);
	/* CPU 1 was idle until the first operation started. */
	CHECK(after_work(w, 1, 30) == start + 30 && clock_busy(w, 1) == 30);
	CHECK(after_work(w, 1, 50) == start + 80);
	CHECK(after_work(w, 0, 10) == start + 110);
	/* No operation begins before the one before it in the trace: CPU 2 joins at start + 100. */
	CHECK(after_work(w, 2, 1) == start + 101 && clock_busy(w, 2) == 1);
}

/* What looks at the camera's copy of a world may ask whether it is recorded, and even emit: nothing is written. */
static void a_picture_records_nothing(void)
{
	struct world *w = four_cpus();
	u8 *memory = calloc(1, sizeof(struct world_host) + w->used);
	struct world *copy = (struct world *)(void *)(memory + sizeof(struct world_host));

	memset(memory, 0xff, sizeof(struct world_host));
	step_begin(w, RECORD_LIST, 0, copy);
	emit_CACHE_WITHOUT_SLABS(w, 0, NODE_ANY, 7, 0, 0);
	const struct kmem_step *steps = world_host(w)->steps, first = steps[0], second = steps[1];
	CHECK(copy->used == w->used && copy->now == w->now);
	CHECK(is_recording(w) && !is_recording(copy) && !has_camera(copy));
	emit_CACHE_WITHOUT_SLABS(copy, 0, NODE_ANY, 8, 0, 0);
	CHECK(step_end(w) == 1, "only the world's own step is listed");
	CHECK(memcmp(&first, &steps[0], sizeof(first)) == 0);
	CHECK(memcmp(&second, &steps[1], sizeof(second)) == 0);
	CHECK(!world_has_room(copy), "nor can it grow");
	free(memory);
}

static void a_request_waits_for_a_held_lock(void)
{
	struct world *w = four_cpus();
	struct vlock lock = { 0 };
	u64 start = clock_of(w, 0);

	op_begin(w, clock_cpus(w), 0);
	lock_take(w, &lock, CACHE_NONE, NODE_ANY);
	w->now += 500;
	lock_release(w, &lock);
	CHECK(lock.free_at == start + DEFAULT_COST_LOCK + 500 && lock.contended == 0);
	op_begin(w, clock_cpus(w), 1);
	lock_take(w, &lock, CACHE_NONE, NODE_ANY);
	CHECK(w->now == start + DEFAULT_COST_LOCK + 500, "it goes on when the holder has let go");
	CHECK(lock.takes == 2 && lock.contended == 1);
	CHECK(lock.wait_cycles == 500 - DEFAULT_COST_REMOTE_LINE &&
	      w->lock_wait_cycles == lock.wait_cycles);
	lock_release(w, &lock);
	op_begin(w, clock_cpus(w), 1);
	lock_take(w, &lock, CACHE_NONE, NODE_ANY);
	CHECK(lock.takes == 3 && lock.contended == 1, "a CPU does not wait for itself");
}

static void lines_come_over(void)
{
	struct world *w = four_cpus();
	cacheline last = 0;
	u64 now;

	op_begin(w, clock_cpus(w), 0);
	now = w->now;
	line_touch(w, &last);
	line_touch(w, &last);
	CHECK(w->now == now, "nobody had it before");
	op_begin(w, clock_cpus(w), 1);
	now = w->now;
	line_touch(w, &last);
	CHECK(w->now == now + DEFAULT_COST_REMOTE_LINE, "from the same node");
	op_begin(w, clock_cpus(w), 2);
	now = w->now;
	line_touch(w, &last);
	CHECK(w->now == now + 2 * DEFAULT_COST_REMOTE_LINE, "from the other node");
	line_touch(w, &last);
	CHECK(w->now == now + 2 * DEFAULT_COST_REMOTE_LINE, "it stays");
}

int main(void)
{
	RUN(a_picture_records_nothing());
	RUN(operations_overlap());
	RUN(a_request_waits_for_a_held_lock());
	RUN(lines_come_over());
	return check_summary();
}
