/*
 * unified_order_test.c - which objects and slabs of the unified allocator come first: the newest of a shared queue, the
 * last slab of a list for an alien queue; and which zones kswapd looks at.
 */
#include <stdio.h>

#include "alloc/unified/unified.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/small_world.h"

static struct small_world *machine(u32 cpus, u32 nodes)
{
	struct policy p = small_world_policy();

	p.allocator = ALLOCATOR_UNIFIED;
	p.queue = 4;
	p.batch = 2;
	p.shared = 8;
	return small_world(cpus, nodes, 256, p);
}

/* A refill takes from the top of the shared queue, which got the oldest objects of other queues. */
static void the_newest_objects_of_a_shared_queue_come_first(void)
{
	struct small_world *sw = machine(2, 1);

	for (u32 id = 0; id < 16; id++)
		play_alloc(sw, 0, id, NODE_ANY);
	for (u32 id = 0; id < 16; id++)
		play_free(sw, 0, id);
	const struct unified_queue *shared = unified_shared_queue(sw->w, sw->s,
								  unified_group_of(sw->w, 1));
	u32 held = shared->objects;
	CHECK(held > 2, "%u in the shared queue", held);
	object_loc newest = shared->object[held - 1], oldest = shared->object[0];
	play_alloc(sw, 1, 100, NODE_ANY);
	CHECK(sw->loc[100] == newest, "the newest is handed out first");
	CHECK(shared->objects == held - 2 && shared->object[0] == oldest, "the oldest stays");
}

/* For another node's object the last slab of that node's list is emptied into the alien queue. */
static void an_alien_queue_is_filled_from_the_tail(void)
{
	struct small_world *sw = machine(2, 2);

	for (u32 id = 0; id < 20; id++)
		play_alloc(sw, 1, id, NODE_ANY);
	play_free(sw, 1, 0);
	play(sw, "F");
	const struct unified_node *n = unified_node(sw->w, sw->s, 1);
	ref head = n->head, tail = n->tail;
	CHECK(n->nr_partial == 2 && head != tail, "%u slabs on the list", n->nr_partial);
	play_alloc(sw, 0, 100, 1);
	CHECK(LOC_SLAB(sw->loc[100]) == tail && n->head == head, "the last slab serves");
}

static u32 wakes(struct kmem_session *s, u32 op)
{
	s32 nr = kmem_steps(s, op);
	u32 found = 0;

	for (s32 i = 0; i < nr; i++)
		found += kmem_step_rows(s)[i].kind == STEP_KSWAPD_WAKE;
	return found;
}

/* The DMA zone of 1024 pages is nearly used up: that concerns requests for DMA, and no others. */
static void kswapd_sleeps_while_some_zone_has_pages(void)
{
	static char text[8192];
	u32 len = (u32)snprintf(text, sizeof(text),
				"slabtrace 1\nmachine allocator=unified cpus=1 nodes=1 memory=16M\n"
				"cache c size=256\n"),
	    large = 62;

	for (u32 i = 0; i < large; i++)
		len += (u32)snprintf(text + len, sizeof(text) - len, "k %u 65536 cpu=0 type=dma\n",
				     i);
	snprintf(text + len, sizeof(text) - len, "a %u c cpu=0\nk %u 65536 cpu=0\n", large,
		 large + 1);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(wakes(s, large - 1) == 1, "32 pages of DMA are left");
	CHECK(wakes(s, large) == 0, "a slab of any zone");
	CHECK(wakes(s, large + 1) == 0, "large pages of any zone");
}

int main(void)
{
	RUN(the_newest_objects_of_a_shared_queue_come_first());
	RUN(an_alien_queue_is_filled_from_the_tail());
	RUN(kswapd_sleeps_while_some_zone_has_pages());
	return check_summary();
}
