/*
 * object_test.c - which object is at a place: the same with the complete index, with the tables of handles that the
 * first query makes, and by going back through all events.
 */
#include "query/index/query.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/model/ops_text.h"
#include "test/support/session_util.h"

enum { NR_OPS = 3000, LIVE = 200, PLACES = 12, NOTHING = 0xffffffff };

/* Finds the allocation by the simplest rule. */
static u32 latest_alloc(const struct kmem_session *s, u32 object)
{
	u32 found = NOTHING;

	for (u32 op = 0; op < s->w->op; op++) {
		const struct op o = trace_op(&s->trace, op);
		if (o.handle == object && (o.kind == OP_ALLOC || o.kind == OP_KMALLOC))
			found = op;
	}
	return found;
}

/* Looks at every live object of the position, found by its place. Returns how many there are. */
static u32 look_at_all(struct kmem_session *s)
{
	u32 nr = 0;

	for (u32 object = 0; object < s->trace.nr_handles; object++) {
		u32 cache;
		object_loc loc = replay_locate(&s->replay, object, &cache);
		if (!loc)
			continue;
		u32 cell = s->replay.ops->cell ? s->replay.ops->cell(s->w, cache, loc)
					       : LOC_INDEX(loc);
		cache = s->replay.ops->shared_slabs ? 0 : cache;
		u32 slab = s->replay.ops->serial(s->w, LOC_SLAB(loc)),
		    alloc = latest_alloc(s, object);
		const struct kmem_object_row *row = kmem_object(s, cache, slab, cell);
		nr++;
		CHECK(row && row->state == CELL_ALLOCATED && row->handle == object, "object %u",
		      object);
		CHECK(row && row->alloc_op == alloc, "object %u at %u: %u, not %u", object,
		      s->w->op, row ? row->alloc_op : 0, alloc);
		CHECK(row &&
		      row->requested == s->trace.sites[trace_op(&s->trace, alloc).site].bytes);
	}
	return nr;
}

static void look_at_positions(struct kmem_session *s, u32 seed)
{
	struct dice d = { .seed = seed };
	u32 nr = 0;

	for (u32 i = 0; i < PLACES; i++) {
		CHECK(kmem_seek(s, roll(&d, NR_OPS + 1)) == 0, "%s", kmem_error(s));
		nr += look_at_all(s);
	}
	CHECK(nr > PLACES * LIVE / 8, "%u objects", nr);
}

static void owners(const char *allocator)
{
	struct kmem_session *s = session_of_text(synthetic_trace(NR_OPS, LIVE, 4, 2));

	CHECK(kmem_set(s, "allocator", allocator) == 0, "%s", kmem_error(s));
	/* During a build neither exists. */
	CHECK(kmem_begin(s, JOB_BUILD, NULL) == 0 && kmem_work(s, JOB_BUILD, NR_OPS / 2) > 0, "%s",
	      kmem_error(s));
	CHECK(look_at_all(s) > 0 && query_of(s)->index.state == INDEX_NONE);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	look_at_positions(s, 1);
	CHECK(query_of(s)->index.state == INDEX_HANDLES, "%s: one pass is enough", allocator);
	CHECK(kmem_index_bytes(s) == 0 && kmem_life(s, 0, NOTHING, NOTHING) == NULL &&
		      kmem_work(s, JOB_INDEX, 1) == KMEM_ESTATE,
	      "to all others there is no index");
	const u8 *tables = s->timeline.behind.base;
	CHECK(kmem_peek(s, NR_OPS / 2, 0, CACHE_NONE) != NULL, "%s", kmem_error(s));
	look_at_positions(s, 2);
	CHECK(s->timeline.behind.base == tables && query_of(s)->index.state == INDEX_HANDLES);
	CHECK(kmem_job(s, JOB_INDEX, NULL) == 0 && query_of(s)->index.state == INDEX_READY, "%s",
	      kmem_error(s));
	look_at_positions(s, 3);
	CHECK(kmem_build(s, 0) == 0 && query_of(s)->index.state == INDEX_NONE, "%s", kmem_error(s));
}

int main(void)
{
	static const char *const allocators[] = { "slub", "slab", "unified", "slob",
						  "slob-segregated" };

	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++)
		RUN(owners(allocators[i]));
	return check_summary();
}
