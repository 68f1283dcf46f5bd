/*
 * unified_reclaim_test.c - the unified allocator gives back what lies idle when the page allocator runs low, and no trace
 * has to say so.
 *
 * A machine of one node with 16 MiB has 4096 pages: 768 Normal, 2304 DMA32 and 1024 DMA, which are used in that order. One
 * cache leaves free slabs behind; another then wants pages.
 */
#include <stdio.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

static struct kmem_session *session_of(const char *text)
{
	struct kmem_session *s = session_of_text(text);

	CHECK(kmem_report(s)->skipped_lines == 0, "lines are wrong");
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
	return s;
}

static u32 steps_of(struct kmem_session *s, u32 op, u32 kind)
{
	s32 nr = kmem_steps(s, op);
	u32 found = 0;

	for (s32 i = 0; i < nr; i++)
		found += kmem_step_rows(s)[i].kind == kind;
	return found;
}

/* CPU 0 allocates `slabs` slabs of 8 pages and frees all their objects: they lie in its queue and on the list. */
static u32 leave_idle(char *text, u32 room, const char *machine, u32 slabs)
{
	u32 nr = 4 * slabs;
	u32 len = (u32)snprintf(text, room,
				"slabtrace 1\nmachine allocator=unified cpus=1 nodes=1 %s\n"
				"cache idle size=8192\ncache busy size=32768\n",
				machine);

	for (u32 i = 0; i < nr; i++)
		len += (u32)snprintf(text + len, room - len, "a %u idle cpu=0\n", i);
	for (u32 i = 0; i < nr; i++)
		len += (u32)snprintf(text + len, room - len, "f %u cpu=0\n", i);
	return len;
}

/* Slabs of 8 pages that stay. */
static u32 keep_busy(char *text, u32 room, u32 len, u32 slabs)
{
	for (u32 i = 0; i < slabs; i++)
		len += (u32)snprintf(text + len, room - len, "a %u busy cpu=0\n", 1000 + i);
	return len;
}

enum { ROOM = 1 << 16, IDLE_SLABS = 100, ALL_SLABS = 512 };

static char text[ROOM];

/* 504 pages are free, but no run of 512: reclaim makes one of the idle slabs' pages, and needs two passes for it, because
 * the first clears marks. */
static void direct_reclaim(void)
{
	u32 len = leave_idle(text, ROOM, "memory=16M min_partial=101", IDLE_SLABS);

	len = keep_busy(text, ROOM, len, 349);
	snprintf(text + len, ROOM - len, "k 9999 2097152 cpu=0\n");
	struct kmem_session *s = session_of(text);
	u32 last = kmem_nr_ops(s) - 1, passes = steps_of(s, last, STEP_DIRECT_RECLAIM);
	CHECK(steps_of(s, last - 1, STEP_EXPIRED_BYTES) == 0, "nothing expires before");
	CHECK(passes == 2, "%u passes", passes);
	CHECK(steps_of(s, last, STEP_LARGE_ALLOC) == 1, "the request is served");
	CHECK(steps_of(s, last, STEP_FREE_SLAB) >= 64, "64 slabs of 8 pages make the run");
}

/* The same for a slab: the idle cache's queue of 13 objects holds the last pages. */
static void direct_reclaim_for_a_slab(void)
{
	u32 len = leave_idle(text, ROOM, "memory=16M min_partial=0", 3);

	len = keep_busy(text, ROOM, len, ALL_SLABS);
	struct kmem_session *s = session_of(text);
	u32 failed = 0;
	for (u32 op = 24; op < kmem_nr_ops(s); op++)
		failed += steps_of(s, op, STEP_ALLOC_FAILED);
	CHECK(failed == 0, "%u requests got no memory", failed);
}

/* Reclaim ends when nothing idle is left, and the request fails as before. */
static void nothing_to_reclaim(void)
{
	u32 len = leave_idle(text, ROOM, "memory=16M", 0);

	keep_busy(text, ROOM, len, ALL_SLABS + 1);
	struct kmem_session *s = session_of(text);
	u32 last = kmem_nr_ops(s) - 1, passes = steps_of(s, last, STEP_DIRECT_RECLAIM);
	CHECK(steps_of(s, last, STEP_ALLOC_FAILED) == 1, "the last request fails");
	CHECK(passes >= 1 && passes <= RECLAIM_PASSES, "%u passes", passes);
}

/* Below the low watermarks kswapd comes behind each operation that takes pages; above them never. min_free_kbytes is 512, so
 * the DMA zone, which is the last to be used, has its low watermark at 32 * 5/4 pages. */
static void kswapd(void)
{
	u32 len = leave_idle(text, ROOM, "memory=16M min_partial=101", 20), first = 0, woken = 0,
	    freed = 0;

	keep_busy(text, ROOM, len, 500);
	struct kmem_session *s = session_of(text);
	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		u32 wakes = steps_of(s, op, STEP_KSWAPD_WAKE),
		    runs = steps_of(s, op, STEP_KSWAPD_RUN);
		if (wakes && !first)
			first = op;
		woken += wakes;
		freed += steps_of(s, op, STEP_FREE_SLAB);
		CHECK(runs == wakes, "op %u: %u runs, %u wakes", op, runs, wakes);
		CHECK(first || steps_of(s, op, STEP_EXPIRED_BYTES) == 0, "op %u: nothing yet", op);
	}
	/* The first run clears the list's mark, the second gives its free slabs back. */
	CHECK(woken > 1 && freed >= 16, "%u wakes, %u slabs went back", woken, freed);
	CHECK(kmem_seek(s, first + 1) == 0 && s->w->machine.pages_in_use > 4096 - 40,
	      "%u of 4096 pages were in use", s->w->machine.pages_in_use);
}

/* With enough memory, or a scripted refusal, nothing is reclaimed. */
static void no_pressure(void)
{
	leave_idle(text, ROOM, "min_partial=101", IDLE_SLABS);
	struct kmem_session *s = session_of(text);
	u32 steps = 0;
	for (u32 op = 0; op < kmem_nr_ops(s); op++)
		steps += steps_of(s, op, STEP_EXPIRED_BYTES);
	CHECK(steps == 0, "something expired");
	u32 len = leave_idle(text, ROOM, "fail_order=0", 0);
	snprintf(text + len, ROOM - len, "a 0 busy cpu=0\nk 1 65536 cpu=0\n");
	s = session_of(text);
	for (u32 op = 0; op < 2; op++)
		CHECK(steps_of(s, op, STEP_DIRECT_RECLAIM) == 0 &&
			      steps_of(s, op, STEP_ALLOC_FAILED) == 1,
		      "a scripted refusal");
}

int main(void)
{
	RUN(direct_reclaim());
	RUN(direct_reclaim_for_a_slab());
	RUN(nothing_to_reclaim());
	RUN(kswapd());
	RUN(no_pressure());
	return check_summary();
}
