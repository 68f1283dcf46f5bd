/*
 * page_test.c - the page allocator against a plain array of pages: the lowest free, aligned run of the first zone
 * on the list, nothing twice, everything comes back.
 */
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/small_world.h"

#include "sim/page.h"

enum { MAX_RUNS = 600 };

struct run {
	u32 pfn, order;
};

static u64 seed = 7;

static u32 dice(u32 below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)((seed >> 33) % below);
}

static u32 lowest_free(const struct world *w, const struct zone *z, u32 order)
{
	for (u32 at = 0; at + (1u << order) <= z->nr_pages; at += 1u << order) {
		u32 used = 0;
		for (u32 p = at; p < at + (1u << order) && !used; p++)
			used = page_is_used(w, z->start_pfn + p);
		if (!used)
			return z->start_pfn + at;
	}
	return PFN_NONE;
}

static u32 expected(const struct world *w, u32 node, u32 order)
{
	const struct machine *m = &w->machine;
	const u16 *list = (u16 *)at(w, m->zonelists) + node * m->zonelist_len;

	for (u32 i = 0; i < m->zonelist_len; i++) {
		u32 pfn = lowest_free(w, (struct zone *)at(w, m->zones) + list[i], order);
		if (pfn != PFN_NONE)
			return pfn;
	}
	return PFN_NONE;
}

static struct world *machine(u32 nodes, u64 memory)
{
	static u8 *memory_of_world;
	struct machine_spec spec = { nodes, nodes, 12, NR_ORDERS, memory, NULL, NULL, NULL, NULL };
	const char *why = "";

	free(memory_of_world);
	memory_of_world = aligned_alloc(64, (u64)64 << 20);
	struct world *w = world_init(memory_of_world, (u64)64 << 20);
	CHECK(machine_build(w, &spec, &why) == 0, "%s", why);
	return w;
}

static void the_lowest_run_of_the_first_zone(void)
{
	struct world *w = machine(2, (u64)48 << 20);
	struct run runs[MAX_RUNS];
	u32 nr = 0;

	for (u32 i = 0; i < 4000; i++) {
		if (nr < MAX_RUNS && dice(100) < 55) {
			u32 order = dice(3) ? dice(4) : dice(NR_ORDERS), node = dice(2);
			u32 want = expected(w, node, order),
			    got = page_alloc(w, node, order, 1, ZONE_NORMAL);
			CHECK(got == want, "order %u on node %u: frame %u, want %u", order, node,
			      got, want);
			if (got != PFN_NONE)
				runs[nr++] = (struct run){ got, order };
		} else if (nr) {
			u32 k = dice(nr);
			page_free(w, runs[k].pfn, runs[k].order);
			runs[k] = runs[--nr];
		}
		const char *broken = i % 16 ? NULL : page_check(w);
		CHECK(!broken, "%s", broken);
	}
	while (nr--)
		page_free(w, runs[nr].pfn, runs[nr].order);
	CHECK(w->machine.pages_in_use == 0 && !page_check(w));
}

/* By the definition: of the nodes that are left, the one with the least distance, then that with CPUs of lower nodes, then
 * load. */
static u32 nearest_left(const u16 *distances, u32 nodes, u32 local, const u8 *taken,
			const u32 *load)
{
	u64 best_value = ~(u64)0;
	u32 best = 0;

	for (u32 n = 0; n < nodes; n++) {
		u64 value = ((u64)distances[local * nodes + n] + (n < local) + 1) << 20 | load[n];
		if (!taken[n] && value < best_value) {
			best_value = value;
			best = n;
		}
	}
	return taken[local] ? best : local;
}

static void fallbacks_are_the_nearest_remaining_nodes(void)
{
	enum { NODES = 60 };
	static u16 distances[NODES * NODES];
	struct machine_spec spec = { .nr_cpus = NODES,
				     .nr_nodes = NODES,
				     .page_shift = 12,
				     .fail_order = NR_ORDERS,
				     .memory_bytes = (u64)NODES << 26,
				     .distance = distances };
	u32 load[NODES] = { 0 }, random = 7;
	const char *why = "";
	struct world *w = machine(1, (u64)64 << 20);

	for (u32 i = 0; i < NODES * NODES; i++) {
		random = random * 1664525 + 1013904223;
		distances[i] = (u16)(i % (NODES + 1) ? 20 + (random >> 30) : 10);
	}
	w = world_init((u8 *)w, (u64)64 << 20);
	CHECK(machine_build(w, &spec, &why) == 0, "%s", why);
	for (u32 local = 0; local < NODES; local++) {
		const u16 *list = (u16 *)at(w, w->machine.zonelists) +
				  local * w->machine.zonelist_len;
		u8 taken[NODES] = { 0 };
		for (u32 i = 0, k = 0, previous = local; i < NODES; i++) {
			u32 n = nearest_left(distances, NODES, local, taken, load);
			load[n] += distances[local * NODES + n] !=
				   distances[local * NODES + previous];
			taken[n] = 1;
			previous = n;
			for (; k < w->machine.zonelist_len &&
			       ((struct zone *)at(w, w->machine.zones))[list[k]].node == n;)
				k++;
			CHECK(k > i, "node %u, fallback %u", local, i);
		}
	}
}

static void zonelists_wrap_around(void)
{
	struct world *w = machine(4, (u64)8 << 30);
	static const u16 nodes_of_2[] = { 2, 3, 0, 0, 1, 1 };
	const u16 *list = (u16 *)at(w, w->machine.zonelists) + 2 * w->machine.zonelist_len;

	CHECK(w->machine.nr_zones == 6);
	for (u32 i = 0; i < 6; i++)
		CHECK(((struct zone *)at(w, w->machine.zones))[list[i]].node == nodes_of_2[i],
		      "place %u", i);
	list = at(w, w->machine.zonelists);
	CHECK(((struct zone *)at(w, w->machine.zones))[list[0]].kind == ZONE_DMA32,
	      "highest zone first");
}

static void memory_follows_use(void)
{
	struct world *w = machine(1, (u64)256 << 30);
	u32 empty = w->used;

	CHECK(empty < 4096, "an empty machine of 256 GiB is described in %u bytes", empty);
	page_alloc(w, 0, 0, 1, ZONE_NORMAL);
	CHECK(w->used < empty + 8192);
}

static void an_owner_is_found_from_any_page(void)
{
	struct world *w = machine(1, (u64)64 << 20);
	u32 first = page_alloc(w, 0, 3, 77, ZONE_NORMAL),
	    next = page_alloc(w, 0, 0, 78, ZONE_NORMAL);

	for (u32 p = 0; p < 8; p++)
		CHECK(page_owner(w, first + p) == 77);
	CHECK(page_owner(w, next) == 78 && page_owner(w, next + 1) == 0);
}

static void free_runs_are_reported_as_buddies(void)
{
	struct world *w = machine(1, (u64)64 << 20);
	struct kmem_zone_row row;
	u64 pages = 0;

	page_alloc(w, 0, 0, 1, ZONE_NORMAL);
	u32 zone = w->machine.nr_zones - 1;
	page_zone_row(w, zone, &row);
	for (u32 o = 0; o < NR_ORDERS; o++)
		pages += (u64)row.free_runs[o] << o;
	CHECK(row.used == 1 && pages == row.pages - 1);
	CHECK(row.free_runs[0] >= 1 && row.free_runs[1] >= 1 && row.free_runs[9] >= 1,
	      "1 + 2 + 4 + … of a split run");
}

int main(void)
{
	RUN(the_lowest_run_of_the_first_zone());
	RUN(fallbacks_are_the_nearest_remaining_nodes());
	RUN(zonelists_wrap_around());
	RUN(memory_follows_use());
	RUN(an_owner_is_found_from_any_page());
	RUN(free_runs_are_reported_as_buddies());
	return check_summary();
}
