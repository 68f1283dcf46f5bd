/*
 * zones_test.c - requests and caches that may not use every zone: GFP_DMA, GFP_DMA32, flags=dma, flags=dma32, under every
 * allocator.
 *
 * A machine with one node has zones DMA (frames below 4096 at 4 KiB), DMA32 and Normal; requests without flags get Normal.
 */
#include <stdio.h>
#include <string.h>

#include "sim/page.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

static const char *const allocators[] = { "slub", "slab", "unified", "slob", "slob-segregated" };

static struct kmem_session *session_of(const char *allocator, const char *lines)
{
	static char text[4096];

	snprintf(text, sizeof(text), "slabtrace 1\nmachine allocator=%s %s", allocator, lines);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_report(s)->skipped_lines == 0, "%s: lines are wrong", allocator);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	return s;
}

/* Returns the kind of zone that a handle's object is in. */
static u32 zone_of_handle(struct kmem_session *s, u32 nr)
{
	handle h = ((const handle *)at(s->w, s->w->handles))[nr];

	CHECK(h != 0, "object %u has no memory", nr);
	if (!h)
		return ZONE_NORMAL + 1;
	if (HANDLE_CACHE(h) == HANDLE_LARGE)
		return page_zone(s->w, LOC_SLAB(h) - 1);
	u32 cache = s->replay.ops->shared_slabs ? 0 : HANDLE_CACHE(h);
	const struct kmem_frame *f = kmem_view(s, (u16)cache);
	u32 serial = s->replay.ops->serial(s->w, LOC_SLAB(h));
	const struct kmem_slab_row *row = (const void *)((const u8 *)s + f->slabs_at);
	for (u32 i = 0; i < f->nr_slabs; i++)
		if (row[i].serial == serial)
			return page_zone(s->w, (u32)(row[i].address >> s->w->machine.page_shift));
	CHECK(0, "the slab of object %u is not in the view", nr);
	return ZONE_NORMAL + 1;
}

static void zones_are(const char *allocator, const char *lines, const u32 *zones, u32 nr)
{
	struct kmem_session *s = session_of(allocator, lines);

	for (u32 i = 0; i < nr; i++) {
		u32 zone = zone_of_handle(s, i);
		CHECK(zone == zones[i], "%s: object %u is in zone %u, not %u", allocator, i, zone,
		      zones[i]);
	}
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
}

/* Each object twice, so that the second comes from what the first left behind. */
static void pages_by_request(void)
{
	static const char *const lines = "cpus=1 nodes=1\n"
					 "cache d size=100 flags=dma\n"
					 "cache e size=104 flags=dma32\n"
					 "k 0 100 cpu=0\n"
					 "k 1 100 cpu=0 type=dma\n"
					 "k 2 100 cpu=0 type=dma\n"
					 "k 3 100 cpu=0 gfp=GFP_KERNEL|GFP_DMA\n"
					 "a 4 d cpu=0\n"
					 "a 5 d cpu=0\n"
					 "k 6 100000 cpu=0 gfp=GFP_KERNEL|__GFP_DMA\n"
					 "k 7 100 cpu=0 gfp=0xcc1\n"
					 "k 8 100000 cpu=0\n";
	static const u32 zones[] = { ZONE_NORMAL, ZONE_DMA, ZONE_DMA, ZONE_DMA,	  ZONE_DMA,
				     ZONE_DMA,	  ZONE_DMA, ZONE_DMA, ZONE_NORMAL };

	for (u32 a = 0; a < ARRAY_SIZE(allocators); a++)
		zones_are(allocators[a], lines, zones, ARRAY_SIZE(zones));
}

static void dma32_caches(void)
{
	static const u32 zones[] = { ZONE_NORMAL, ZONE_DMA32, ZONE_DMA32 };

	for (u32 a = 0; a < ARRAY_SIZE(allocators); a++)
		zones_are(allocators[a],
			  "cpus=1 nodes=1\ncache e size=104 flags=dma32\nk 0 2000 cpu=0\n"
			  "a 1 e cpu=0\na 2 e cpu=0\n",
			  zones, ARRAY_SIZE(zones));
}

/* No kmalloc cache stands for GFP_DMA32: the slab is of any zone, as kmalloc_fix_flags() has it. */
static void kmalloc_drops_dma32(void)
{
	static const u32 zones[] = { ZONE_NORMAL, ZONE_NORMAL };

	for (u32 a = 0; a < 3; a++)
		zones_are(allocators[a],
			  "cpus=1 nodes=1\nk 0 100 cpu=0 gfp=GFP_KERNEL|GFP_DMA32\n"
			  "k 1 100000 cpu=0 gfp=GFP_KERNEL|GFP_DMA32\n",
			  zones, ARRAY_SIZE(zones));
}

/* Only node 0 has the zone: a CPU of node 1 gets its memory from there, and nobody from another zone. */
static void other_nodes(void)
{
	static const u32 zones[] = { ZONE_DMA, ZONE_DMA, ZONE_DMA };

	for (u32 a = 0; a < ARRAY_SIZE(allocators); a++)
		zones_are(allocators[a],
			  "cpus=2 nodes=2\ncache d size=512 flags=dma\nk 0 100 cpu=1 type=dma\n"
			  "a 1 d cpu=1\na 2 d cpu=1 node=1\n",
			  zones, ARRAY_SIZE(zones));
}

/* 16 MiB of DMA serve no more than 32 runs of half a MiB: then there is no memory, however much Normal is free. */
static void no_other_zone_helps(void)
{
	for (u32 a = 0; a < ARRAY_SIZE(allocators); a++) {
		char lines[4096];
		u32 len = (u32)snprintf(lines, sizeof(lines), "cpus=1 nodes=1\n"), nr = 40;
		for (u32 i = 0; i < nr; i++)
			len += (u32)snprintf(lines + len, sizeof(lines) - len,
					     "k %u 500000 cpu=0 type=dma\n", i);
		struct kmem_session *s = session_of(allocators[a], lines);
		u32 placed = 0;
		for (u32 i = 0; i < nr; i++)
			placed += ((const handle *)at(s->w, s->w->handles))[i] != 0;
		CHECK(placed == 32, "%s: %u of %u got memory", allocators[a], placed, nr);
	}
}

static u32 steps_of_kind(struct kmem_session *s, u32 op, u32 kind)
{
	s32 nr = kmem_steps(s, op);
	u32 found = 0;

	for (s32 i = 0; i < nr; i++)
		found += kmem_step_rows(s)[i].kind == kind;
	return found;
}

/* get_any_partial() of a kernel with one node looks at it once for each zone that the request may use. */
static void any_node_search_stops(void)
{
	struct kmem_session *s = session_of("slub", "cpus=1 nodes=1 min_partial=0\n"
						    "cache d size=512 flags=dma\n"
						    "k 0 100 cpu=0\n"
						    "k 1 200 cpu=0 gfp=GFP_KERNEL|GFP_DMA32\n"
						    "k 2 100 cpu=0 gfp=GFP_KERNEL|GFP_DMA\n"
						    "a 3 d cpu=0\n");
	static const u32 zones[] = { 3, 2, 1, 1 };

	for (u32 op = 0; op < ARRAY_SIZE(zones); op++) {
		u32 nr = steps_of_kind(s, op, STEP_ANY_NODE_ZONE);
		CHECK(nr == zones[op], "op %u: %u zones were asked, not %u", op, nr, zones[op]);
	}
	CHECK(kmem_seek(s, 4) == 0 && kmem_totals(s)->any_node_zones == 7, "%u zones in all",
	      kmem_totals(s)->any_node_zones);
}

/* fallback_alloc() of a CPU on node 1, which has no DMA zone: one zone is asked, and not the three others. */
static void slab_fallback_stops(void)
{
	struct kmem_session *s = session_of("slab", "cpus=2 nodes=2\n"
						    "cache d size=512 flags=dma\n"
						    "a 0 d cpu=1\n");

	CHECK(steps_of_kind(s, 0, STEP_FALLBACK_ZONE) == 1, "zones of the fallback");
}

static struct kmem_next_object next_of_cpu_1(const char *allocator, const char *lines)
{
	struct kmem_session *s = session_of(allocator, lines);
	struct kmem_next_object none = { .slab = 0 };
	u32 nr;

	CHECK(kmem_seek(s, kmem_nr_ops(s) - 1) == 0, "%s", kmem_error(s));
	const struct kmem_next_object *rows = kmem_next_objects(s, CACHE_NONE, 1, &nr);
	for (u32 i = 0; rows && i < nr; i++)
		if (strcmp((const char *)s + rows[i].name_at, "d") == 0)
			return rows[i];
	CHECK(0, "%s: CPU 1 has no row", allocator);
	return none;
}

/* The zones of the cache, and the work of a CPU before an event, count whether or not the trace's next event is that one. */
static void the_next_object_has_the_same_zones_and_work(void)
{
	static const char *const machines[] = { "", "work=200 defrag_gate=cycles "
						    "remote_node_defrag_ratio=25 " };

	for (u32 a = 0; a < ARRAY_SIZE(allocators); a++)
		for (u32 m = 0; m < ARRAY_SIZE(machines); m++) {
			struct kmem_next_object next[2];
			for (u32 cpu = 0; cpu < 2; cpu++) {
				char lines[256];
				snprintf(
					lines, sizeof(lines),
					"cpus=2 nodes=1 %s\ncache d size=512 flags=dma\n"
					"cache e size=64\na 0 e cpu=1\na 1 d cpu=0\na 2 d cpu=%u\n",
					machines[m], cpu);
				next[cpu] = next_of_cpu_1(allocators[a], lines);
			}
			CHECK(!next[0].is_event && next[1].is_event, "%s", allocators[a]);
			CHECK(next[0].slab == next[1].slab && next[0].index == next[1].index &&
				      next[0].cycles == next[1].cycles,
			      "%s %s: slab %u, %u cycles; as an event slab %u, %u cycles",
			      allocators[a], machines[m], next[0].slab, next[0].cycles,
			      next[1].slab, next[1].cycles);
		}
}

int main(void)
{
	RUN(pages_by_request());
	RUN(dma32_caches());
	RUN(kmalloc_drops_dma32());
	RUN(other_nodes());
	RUN(no_other_zone_helps());
	RUN(any_node_search_stops());
	RUN(slab_fallback_stops());
	RUN(the_next_object_has_the_same_zones_and_work());
	return check_summary();
}
