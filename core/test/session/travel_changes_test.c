/*
 * travel_changes_test.c - lives miss nothing: this compares the world before and after each event, and no slab comes,
 * goes or changes without a row in its life.
 */
#include <stdlib.h>

#include "query/index/query.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/model/ops_text.h"
#include "test/support/session_util.h"

/*
 * A slab in one number: its place, and the state of its objects. The array or queue in which an object waits does not
 * concern the slab.
 */
static u64 slab_sum(const struct kmem_session *s, const struct kmem_frame *f,
		    const struct kmem_slab_row *row)
{
	const u8 *cells = (const u8 *)s + f->cells_at + row->first_cell;
	const struct kmem_place *place = (const struct kmem_place *)((const u8 *)s + f->places_at) +
					 row->place;
	u64 sum = (u64)place->kind << 32 | (u64)place->cpu << 16 | place->node;

	for (u32 i = 0; i < row->objects; i++)
		sum = (sum ^
		       (cells[i] == CELL_FREE_SHARED || cells[i] == CELL_FREE_ALIEN ? CELL_FREE_CPU
										    : cells[i])) *
		      0x100000001b3;
	return sum;
}

struct seen {
	u32 cache, serial;
	u64 sum;
};

static u32 look_at_slabs(struct kmem_session *s, struct seen *seen, u32 max)
{
	const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
	const struct kmem_slab_row *row = (const void *)((const u8 *)s + f->slabs_at);
	u32 nr = 0;

	for (; nr < f->nr_slabs && nr < max; nr++, row++)
		seen[nr] = (struct seen){ row->cache, row->serial, slab_sum(s, f, row) };
	return nr;
}

static const struct seen *find_seen(const struct seen *seen, u32 nr, const struct seen *which)
{
	for (u32 i = 0; i < nr; i++)
		if (seen[i].cache == which->cache && seen[i].serial == which->serial)
			return &seen[i];
	return NULL;
}

static void check_change(struct kmem_session *s, u32 op, const struct seen *slab)
{
	u32 nr;
	const struct kmem_life_row *rows = kmem_life_rows(s, slab->cache, slab->serial, NOWHERE, op,
							  0, 1, &nr);

	CHECK(nr == 1 && rows->op == op,
	      "op %u changes slab %u of cache %u, and its life has no word of it", op, slab->serial,
	      slab->cache);
}

/* Slabs that come, go or change are touched. */
static void check_changes(struct kmem_session *s)
{
	enum { MOST = 1024 };
	static struct seen before[MOST], after[MOST];
	u32 nr_before = 0;

	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		kmem_seek(s, op + 1);
		u32 nr_after = look_at_slabs(s, after, MOST);
		for (u32 i = 0; i < nr_after; i++) {
			const struct seen *was = find_seen(before, nr_before, &after[i]);
			if (!was || was->sum != after[i].sum)
				check_change(s, op, &after[i]);
		}
		for (u32 i = 0; i < nr_before; i++)
			if (!find_seen(after, nr_after, &before[i]))
				check_change(s, op, &before[i]);
		memcpy(before, after, sizeof(before));
		nr_before = nr_after;
	}
}

int main(void)
{
	static const char *const allocators[] = { "slub", "slab", "unified", "slob",
						  "slob-segregated" };
	u32 traces = getenv("SHALLOWER") ? 3 : 30;

	for (u32 a = 0; a < ARRAY_SIZE(allocators); a++) {
		for (u32 i = 0; i < traces; i++) {
			struct dice d = { .seed = 2000 * a + i + 1 };
			struct kmem_session *s = session_of_text(ops_text(&d, allocators[a], 500));
			CHECK(kmem_build(s, 0) == 0 && kmem_job(s, JOB_INDEX, NULL) == 0, "%s",
			      kmem_error(s));
			RUN(check_changes(s));
		}
	}
	return check_summary();
}
