/*
 * work_test.c - how the work on a large machine grows: twice the CPUs or nodes must not cost four or eight times as much.
 *
 * Work is counted in basic blocks, not timed. The Makefile builds the files that walk CPUs and nodes once more for this
 * test (COUNTED), calling the hook below in each block.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kmem_doctor.h"
#include "sim/machine.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { CPUS = 512, NODES = 256, WORLD_BYTES = 64 << 20 };

void __sanitizer_cov_trace_pc(void);

static u64 blocks;

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* Distances may differ, so every node sorts all the others. */
static u64 work_of_machine(u32 nodes, int with_distances)
{
	struct machine_spec spec = { .nr_cpus = nodes,
				     .nr_nodes = nodes,
				     .page_shift = 12,
				     .fail_order = NR_ORDERS,
				     .memory_bytes = (u64)nodes << 20 };
	u16 *distances = malloc((size_t)nodes * nodes * sizeof(*distances));
	const char *why = "";
	void *memory = aligned_alloc(64, WORLD_BYTES);
	struct world *w = world_init(memory, WORLD_BYTES);

	for (u32 i = 0; i < nodes * nodes; i++)
		distances[i] = (u16)(i % (nodes + 1) ? 20 + i * 7 % 13 : 10);
	spec.distance = with_distances ? distances : NULL;
	blocks = 0;
	CHECK(machine_build(w, &spec, &why) == 0, "%s", why);
	free(memory);
	free(distances);
	return blocks;
}

/* Makes as many lists as nodes, each that long, which costs no more than sorting them. */
static void sorts_all_fallbacks_in_one_pass(void)
{
	for (int with_distances = 0; with_distances < 2; with_distances++) {
		u64 some = work_of_machine(NODES, with_distances),
		    twice = work_of_machine(2 * NODES, with_distances);
		CHECK(some > NODES * NODES, "%llu", (unsigned long long)some);
		CHECK(twice < 5 * some, "%llu after %llu", (unsigned long long)twice,
		      (unsigned long long)some);
	}
}

/* Each CPU holds its own objects; then one expiry runs. */
static struct kmem_session *used_by_all(const char *allocator, u32 cpus)
{
	char *text = malloc(4096 + (size_t)cpus * 64), *end = text;

	end += sprintf(end, "slabtrace 1\nmachine cpus=%u nodes=4\ncache c size=1024 name=c\n",
		       cpus);
	for (u32 cpu = 0; cpu < cpus; cpu++)
		end += sprintf(end, "a o%u c cpu=%u\n", cpu, cpu);
	sprintf(end, "expire\n");
	struct kmem_session *s = session_of_text(text);
	free(text);
	CHECK(kmem_set(s, "allocator", allocator) == 0 && kmem_build(s, 0) == 0, "%s",
	      kmem_error(s));
	return s;
}

static u64 work_of_state(const char *allocator, u32 cpus)
{
	struct kmem_session *s = used_by_all(allocator, cpus);

	CHECK(kmem_seek(s, cpus) == 0);
	blocks = 0;
	const char *state = kmem_placement_state(s, 0, 1024);
	CHECK(state && *state, "%s", kmem_error(s));
	return blocks;
}

static u64 work_of_expiry(u32 cpus)
{
	struct kmem_session *s = used_by_all("unified", cpus);

	CHECK(kmem_seek(s, cpus) == 0);
	blocks = 0;
	CHECK(kmem_run(s, 1, 0) == 0, "%s", kmem_error(s));
	return blocks;
}

static void a_state_is_written_in_one_walk(void)
{
	static const char *const allocators[] = { "slub", "slab", "unified" };

	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++) {
		u64 some = work_of_state(allocators[i], CPUS),
		    twice = work_of_state(allocators[i], 2 * CPUS);
		CHECK(some > CPUS, "%s: %llu", allocators[i], (unsigned long long)some);
		CHECK(twice < 3 * some, "%s: %llu after %llu", allocators[i],
		      (unsigned long long)twice, (unsigned long long)some);
	}
}

static void an_expiry_visits_each_cpu_once(void)
{
	u64 some = work_of_expiry(CPUS), twice = work_of_expiry(2 * CPUS);

	CHECK(some > CPUS, "%llu", (unsigned long long)some);
	CHECK(twice < 3 * some, "%llu after %llu", (unsigned long long)twice,
	      (unsigned long long)some);
}

int main(void)
{
	RUN(sorts_all_fallbacks_in_one_pass());
	RUN(a_state_is_written_in_one_walk());
	RUN(an_expiry_visits_each_cpu_once());
	return check_summary();
}
