/*
 * warm_test.c - a warm start: as many slabs, lists and objects as the snapshot says, marked, never counted, and the
 * same after every seek.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"

#include <stdio.h>
#include <string.h>

static const char *const dump =
	"/sys/kernel/slab/filp/slab_size:256\n/sys/kernel/slab/filp/object_size:256\n"
	"/sys/kernel/slab/filp/order:0\n/sys/kernel/slab/filp/objs_per_slab:16\n"
	"/sys/kernel/slab/filp/cpu_partial:24\n"
	"/sys/kernel/slab/filp/slabs:14 N0=9 N1=5\n/sys/kernel/slab/filp/partial:5 N0=3 N1=2\n"
	"/sys/kernel/slab/filp/objects_partial:31 N0=25 N1=6\n"
	"/sys/kernel/slab/filp/cpu_slabs:4 N0=3 N1=1\n"
	"/sys/kernel/slab/filp/slabs_cpu_partial:16(2) C0=16(2)\n";

static const char *const slabinfo = "slabinfo - version: 2.1\n# name <active_objs> …\n"
				    "filp 203 240 256 16 1 : tunables 0 0 0 : slabdata 15 15 0\n";

static char trace[16384];

/* Bursts that fill and empty slabs on both CPUs. */
static const char *bursts(void)
{
	size_t len = (size_t)snprintf(trace, sizeof(trace),
				      "slabtrace 1\nmachine cpus=2 nodes=2\n"
				      "cache f size=256 name=filp\ncache o size=64 name=other\n");

	for (u32 i = 0; i < 150; i++)
		len += (size_t)snprintf(trace + len, sizeof(trace) - len, "a %u f cpu=%u\n", i,
					i & 1);
	for (u32 i = 0; i < 150; i++)
		len += (size_t)snprintf(trace + len, sizeof(trace) - len, "f %u cpu=%u\n",
					i * 7 % 150, i / 3 & 1);
	snprintf(trace + len, sizeof(trace) - len, "a 1000 o cpu=0\n");
	return trace;
}

static struct kmem_session *warm_session(const char *state)
{
	struct kmem_session *s = session_of_text(bursts());

	CHECK(kmem_warm_begin(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)state, (u32)strlen(state)) == 0);
	CHECK(kmem_machine_state_end(s) == 0, "%s", kmem_error(s));
	return s;
}

/* Counts slabs, and objects that are inferred, at places of a kind on a node and CPU; 0xffff: any. */
static u32 count(struct kmem_session *s, u32 kind, u32 node, u32 cpu, u32 *inferred)
{
	const struct kmem_frame *f = kmem_view(s, 0);
	const struct kmem_place *places = (const void *)((const u8 *)s + f->places_at);
	const struct kmem_slab_row *slabs = (const void *)((const u8 *)s + f->slabs_at);
	u32 nr = 0;

	*inferred = 0;
	for (u32 i = 0; i < f->nr_slabs; i++) {
		const struct kmem_place *p = &places[slabs[i].place];
		if (p->kind != kind || (node != 0xffff && p->node != node) ||
		    (cpu != 0xffff && p->cpu != cpu))
			continue;
		nr++;
		*inferred += slabs[i].inferred;
	}
	return nr;
}

static void lists_match_those_of_the_snapshot(void)
{
	struct kmem_session *s = warm_session(dump);
	u32 inferred;

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_seek(s, 0) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
	CHECK(count(s, PLACE_NODE_PARTIAL, 0, 0xffff, &inferred) == 3 && inferred == 25);
	CHECK(count(s, PLACE_NODE_PARTIAL, 1, 0xffff, &inferred) == 2 && inferred == 6);
	CHECK(count(s, PLACE_CPU_PARTIAL, 0xffff, 0, &inferred) == 2 && inferred == 16);
	CHECK(count(s, PLACE_CPU_SLAB, 0xffff, 0, &inferred) == 1 && inferred == 8);
	CHECK(count(s, PLACE_CPU_SLAB, 0xffff, 1, &inferred) == 1 && inferred == 8);
	/* Slabs on no list are full: 9 - 3 - 3 on node 0, 5 - 2 - 1 on node 1. */
	CHECK(count(s, PLACE_NODE_FULL, 0, 0xffff, &inferred) == 3 && inferred == 48);
	CHECK(count(s, PLACE_NODE_FULL, 1, 0xffff, &inferred) == 2 && inferred == 32);
	const struct kmem_warm *warm = kmem_warm(s);
	CHECK(warm->caches == 1 && warm->cold == 1 && warm->refused == 0, "%u %u %u", warm->caches,
	      warm->cold, warm->refused);
	CHECK(warm->slabs == 14 && warm->partial == 5 && warm->cpu_slabs == 4);
	CHECK(warm->objects == 25 + 6 + 16 + 8 + 8 + 48 + 32);
	CHECK(strstr(kmem_warm_text(s), "14 slabs and 143 objects in use"), "%s",
	      kmem_warm_text(s));
}

static void counts_nothing_before_the_first_event(void)
{
	struct kmem_session *s = warm_session(dump);
	u32 nr;

	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, 0) == 0);
	const struct kmem_totals t = *kmem_totals(s);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		CHECK(t.counters[i] == 0, "counter %u", i);
	CHECK(t.cycles == 0 && t.live_objects == 0 && t.requested_bytes == 0);
	CHECK(t.slabs == 14 && t.partial == 5 && t.pages_in_use == 14);
	CHECK(kmem_cpu_rows(s, &nr)->clock == 0);
	/* Every event finds room, so the end has a new slab less for each of the first lists. */
	CHECK(kmem_seek(s, kmem_nr_ops(s)) == 0);
	u32 made = kmem_totals(s)->counters[ALLOC_SLAB];
	kmem_close(s);
	s = session_of_text(bursts());
	CHECK(kmem_build(s, 0) == 0 && made < kmem_totals(s)->counters[ALLOC_SLAB]);
}

static void seeking_equals_replaying_and_every_state_is_sound(void)
{
	static u64 hash[512];
	struct kmem_session *s = warm_session(dump);

	CHECK(kmem_build(s, 0) == 0);
	for (u32 n = 0; n <= kmem_nr_ops(s); n++) {
		CHECK(kmem_seek(s, n) == 0 && kmem_check(s) == 0, "%u: %s", n, kmem_error(s));
		hash[n] = kmem_hash(s);
	}
	for (u32 n = kmem_nr_ops(s) + 1; n-- > 0;)
		CHECK(kmem_seek(s, n) == 0 && kmem_hash(s) == hash[n], "%u", n);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == hash[kmem_nr_ops(s)]);
}

static void slabinfo_makes_partial_slabs_half_full(void)
{
	struct kmem_session *s = warm_session(slabinfo);
	u32 inferred;

	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, 0) == 0 && kmem_check(s) == 0);
	/* 37 free objects: 5 slabs of 16, 43 objects in use, on two nodes. */
	CHECK(count(s, PLACE_NODE_PARTIAL, 0xffff, 0xffff, &inferred) == 5 && inferred == 43);
	CHECK(count(s, PLACE_NODE_FULL, 0xffff, 0xffff, &inferred) == 10 && inferred == 160);
}

static void every_event_leaves_a_sound_state(struct kmem_session *s)
{
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	for (u32 n = 0; n <= kmem_nr_ops(s); n += 7)
		CHECK(kmem_seek(s, n) == 0 && kmem_check(s) == 0, "%u: %s", n, kmem_error(s));
	CHECK(kmem_seek(s, 0) == 0);
}

/* 55,000 slabs exist before event 1, more than fit in the keyframe budget of a short trace. */
static void a_busy_machine_can_seek(void)
{
	static const char busy[] =
		"/sys/kernel/slab/filp/slab_size:256\n/sys/kernel/slab/filp/object_size:256\n"
		"/sys/kernel/slab/filp/order:0\n/sys/kernel/slab/filp/objs_per_slab:16\n"
		"/sys/kernel/slab/filp/slabs:55000 N0=30000 N1=25000\n"
		"/sys/kernel/slab/filp/partial:9000 N0=5000 N1=4000\n"
		"/sys/kernel/slab/filp/objects_partial:72000 N0=40000 N1=32000\n";
	struct kmem_session *s = warm_session(busy);

	for (u32 build = 0; build < 2; build++) {
		CHECK(kmem_build(s, 1 << 20) == 0, "%s", kmem_error(s));
		CHECK(kmem_totals(s)->slabs >= 55000, "%u", kmem_totals(s)->slabs);
		u64 end = kmem_hash(s);
		CHECK(kmem_seek(s, 0) == 0 && kmem_totals(s)->slabs == 55000, "%s", kmem_error(s));
		CHECK(kmem_seek(s, 150) == 0 && kmem_seek(s, 10) == 0, "%s", kmem_error(s));
		CHECK(kmem_seek(s, kmem_nr_ops(s)) == 0 && kmem_hash(s) == end);
	}
}

static void slob_cannot_start_from_slabs(void)
{
	struct kmem_session *s = warm_session(dump);

	CHECK(kmem_set(s, "allocator", "slob") == 0 && kmem_build(s, 0) == 0);
	CHECK(kmem_warm(s)->slabs == 0 && kmem_warm(s)->refused > 0);
	CHECK(strstr(kmem_warm_text(s), "cannot start"));
}

static void array_caches_and_queues_start_empty(void)
{
	static const char *const others[] = { "slab", "unified" };

	for (u32 i = 0; i < 2; i++) {
		struct kmem_session *s = warm_session(dump);
		u32 inferred, slab = i == 0;
		CHECK(kmem_set(s, "allocator", others[i]) == 0);
		every_event_leaves_a_sound_state(s);
		const struct kmem_totals t = *kmem_totals(s);
		CHECK(t.slabs == 14 && t.partial == 5 && t.cycles == 0 && t.live_objects == 0);
		for (u32 k = 0; k < NR_COUNTERS; k++)
			CHECK(t.counters[k] == 0, "%s: counter %u", others[i], k);
		CHECK(kmem_warm(s)->cpu_slabs == 0 && kmem_warm(s)->refused == 0);
		CHECK(count(s, PLACE_NODE_PARTIAL, 0, 0xffff, &inferred) == 3 && inferred == 25);
		CHECK(count(s, slab ? PLACE_NODE_FULL : PLACE_LOOSE, 0, 0xffff, &inferred) == 6 &&
		      inferred == 96);
	}
}

/* SLAB's slabinfo counts slabs without an object in use, and SLAB has a list of them. */
static void slabs_without_objects_are_free_slabs(void)
{
	struct kmem_session *s = warm_session(
		"slabinfo - version: 2.1\nfilp 40 160 256 16 1 : tunables 0 0 0 : slabdata 4 10 0\n");
	u32 inferred;

	CHECK(kmem_set(s, "allocator", "slab") == 0);
	every_event_leaves_a_sound_state(s);
	CHECK(count(s, PLACE_NODE_FREE, 0xffff, 0xffff, &inferred) == 6 && inferred == 0);
	CHECK(count(s, PLACE_NODE_PARTIAL, 0xffff, 0xffff, &inferred) == 3 && inferred == 24);
	CHECK(count(s, PLACE_NODE_FULL, 0xffff, 0xffff, &inferred) == 1 && inferred == 16);
}

static void debugged_caches_have_lists_but_no_cpu_slabs(void)
{
	struct kmem_session *s = warm_session(dump);
	u32 inferred;

	CHECK(kmem_set(s, "red_zone", "on") == 0 && kmem_set(s, "sanity_checks", "on") == 0 &&
		      kmem_set(s, "poison", "on") == 0 && kmem_set(s, "store_user", "on") == 0,
	      "%s", kmem_error(s));
	every_event_leaves_a_sound_state(s);
	CHECK(kmem_warm(s)->cpu_slabs == 0 && kmem_warm(s)->refused == 0);
	CHECK(count(s, PLACE_NODE_PARTIAL, 0xffff, 0xffff, &inferred) == 5 && inferred > 0);
	CHECK(kmem_totals(s)->cycles == 0);
}

static void main_sheaves_start_half_full(void)
{
	static char state[2048];
	u32 in_sheaves = 0;

	snprintf(state, sizeof(state), "%s/sys/kernel/slab/filp/sheaf_capacity:20\n", dump);
	struct kmem_session *s = warm_session(state);
	CHECK(kmem_preset(s, "linux-7.2") == 0);
	every_event_leaves_a_sound_state(s);
	const struct kmem_frame *f = kmem_view(s, 0);
	const struct kmem_place *places = (const void *)((const u8 *)s + f->places_at);
	for (u32 i = 0; i < f->nr_places; i++)
		if (places[i].kind == PLACE_SHEAF_MAIN)
			in_sheaves += places[i].nr_entries;
	CHECK(in_sheaves == 2 * 10, "%u", in_sheaves);
	CHECK(kmem_totals(s)->slabs == 14 && kmem_totals(s)->cycles == 0);
	/* The first allocation finds an object in its sheaf. */
	CHECK(kmem_seek(s, 1) == 0 && kmem_totals(s)->counters[ALLOC_FASTPATH] == 1);
}

static void kernels_without_cpu_slabs_have_lists_too(void)
{
	struct kmem_session *s = warm_session(dump);

	CHECK(kmem_preset(s, "linux-7.2") == 0 && kmem_build(s, 0) == 0);
	for (u32 n = 0; n <= kmem_nr_ops(s); n += 10)
		CHECK(kmem_seek(s, n) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
	CHECK(kmem_warm(s)->slabs == 14 && kmem_warm(s)->cpu_slabs == 0);
}

static void a_snapshot_on_show_is_a_start_only_on_request(void)
{
	struct kmem_session *s = session_of_text(bursts());

	CHECK(kmem_build(s, 0) == 0);
	u64 cold = kmem_hash(s);
	u32 start = kmem_from(s);
	CHECK(kmem_machine_state_begin(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)dump, (u32)strlen(dump)) == 0);
	CHECK(kmem_machine_state_end(s) == 0 && kmem_build(s, 0) == 0 && kmem_hash(s) == cold);
	kmem_warm_use(s, 1);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) != cold && kmem_warm(s)->slabs == 14);
	kmem_warm_use(s, 0);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == cold && kmem_from(s) == start);
	/* More slabs than the machine has memory. */
	kmem_warm_use(s, 1);
	CHECK(kmem_set(s, "memory", "64M") == 0);
	const char *huge = "/sys/kernel/slab/filp/slabs:40000\n";
	CHECK(kmem_machine_state_begin(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)huge, (u32)strlen(huge)) == 0);
	CHECK(kmem_machine_state_end(s) == 0 && kmem_build(s, 0) == KMEM_ENOMEM);
	CHECK(strstr(kmem_error(s), "do not fit"), "%s", kmem_error(s));
}

int main(void)
{
	RUN(lists_match_those_of_the_snapshot());
	RUN(counts_nothing_before_the_first_event());
	RUN(seeking_equals_replaying_and_every_state_is_sound());
	RUN(slabinfo_makes_partial_slabs_half_full());
	RUN(a_busy_machine_can_seek());
	RUN(slob_cannot_start_from_slabs());
	RUN(array_caches_and_queues_start_empty());
	RUN(slabs_without_objects_are_free_slabs());
	RUN(debugged_caches_have_lists_but_no_cpu_slabs());
	RUN(main_sheaves_start_half_full());
	RUN(kernels_without_cpu_slabs_have_lists_too());
	RUN(a_snapshot_on_show_is_a_start_only_on_request());
	return check_summary();
}
