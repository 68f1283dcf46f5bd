/*
 * against_rows.c - joins the rows of two traces by name, and measures what changed.
 */
#include <stdlib.h>

#include "cli/studies/against.h"

const char *const align_names[] = { "time", "event", "share" };

const struct table_def table_defs[NR_TABLES] = {
	[TABLE_CACHES] = { "caches",
			   "caches",
			   6,
			   NR_POINTS,
			   { "slab_bytes", "requested_bytes", "waste_bytes", "live_objects",
			     "slabs", "cycles" } },
	[TABLE_SITES] = { "sites",
			  "call sites",
			  5,
			  1,
			  { "live_bytes", "live_objects", "allocations", "bytes_requested",
			    "bytes_allocated" } },
	[TABLE_WASTE] = { "waste", "bytes in slabs", 1, NR_POINTS, { "bytes" } },
	[TABLE_TOTALS] = { "totals", "totals", 1, NR_POINTS, { "value" } },
	[TABLE_COUNTERS] = { "counters", "counters", 1, NR_POINTS, { "value" } },
	[TABLE_CURVES] = { "curves",
			   "all caches",
			   5,
			   NR_POINTS,
			   { "slab_bytes", "waste_bytes", "live_objects", "slabs", "partial" } },
};

u64 figure_at_end(const struct side_row *row, enum table_id table, u32 figure)
{
	u32 nr_points = table_defs[table].nr_points;

	return row ? row->values[figure * nr_points + nr_points - 1] : 0;
}

s64 change_in(const struct change_row *row, enum table_id table, u32 figure)
{
	return (s64)(figure_at_end(row->b, table, figure) - figure_at_end(row->a, table, figure));
}

struct step_of_change largest_step(const struct change_row *row, enum table_id table, u32 figure)
{
	u32 nr_points = table_defs[table].nr_points;
	struct step_of_change best = { 0, 0, 0 };
	s64 before = 0;

	for (u32 i = 0; i < nr_points; i++) {
		u32 at = figure * nr_points + i;
		s64 now = (s64)((row->b ? row->b->values[at] : 0) -
				(row->a ? row->a->values[at] : 0));
		s64 step = now - before;
		if (i && llabs(step) > llabs(best.change))
			best = (struct step_of_change){ step, i - 1, i };
		before = now;
	}
	return best;
}

/* The first figure that changed decides. */
const char *kind_of_change(const struct change_row *row, enum table_id table)
{
	if (!row->a)
		return "appeared";
	if (!row->b)
		return "vanished";
	for (u32 i = 0; i < table_defs[table].nr_figures; i++) {
		s64 change = change_in(row, table, i);
		if (change)
			return change > 0 ? "grew" : "shrank";
	}
	return "same";
}

static int compare_names(const struct side_row *x, const struct side_row *y)
{
	int names = strcmp(x->name, y->name);

	return names ? names : strcmp(x->cache, y->cache);
}

static enum table_id sorted_table; /* qsort passes nothing on */

static int by_change(const void *one, const void *two)
{
	const struct change_row *x = one, *y = two;

	for (u32 i = 0; i < table_defs[sorted_table].nr_figures; i++) {
		s64 a = llabs(change_in(x, sorted_table, i)),
		    b = llabs(change_in(y, sorted_table, i));
		if (a != b)
			return a < b ? 1 : -1;
	}
	return compare_names(x->a ? x->a : x->b, y->a ? y->a : y->b);
}

/* Rows of one name keep their order. */
static int by_name(const void *one, const void *two)
{
	const struct side_row *x = *(const struct side_row *const *)one,
			      *y = *(const struct side_row *const *)two;
	int names = compare_names(x, y);

	return names ? names : (x > y) - (x < y);
}

static const struct side_row **sorted_rows(const struct side_table *t)
{
	const struct side_row **rows = memory_for(t->nr + 1, sizeof(*rows));

	for (u32 i = 0; i < t->nr; i++)
		rows[i] = &t->rows[i];
	qsort(rows, t->nr, sizeof(*rows), by_name);
	return rows;
}

struct changes changes_of(const struct side *a, const struct side *b, enum table_id table)
{
	const struct side_table *x = &a->tables[table], *y = &b->tables[table];
	const struct side_row **left = sorted_rows(x), **right = sorted_rows(y);
	struct changes changes = { memory_for((u64)x->nr + y->nr + 1, sizeof(struct change_row)),
				   0 };
	u32 i = 0, k = 0;

	while (i < x->nr || k < y->nr) {
		int order = i == x->nr ? 1 : k == y->nr ? -1 : compare_names(left[i], right[k]);
		changes.rows[changes.nr++] = (struct change_row){ order <= 0 ? left[i] : NULL,
								  order >= 0 ? right[k] : NULL };
		i += order <= 0;
		k += order >= 0;
	}
	sorted_table = table;
	if (changes.rows && table == TABLE_SITES)
		join_builds(&changes);
	if (changes.rows)
		qsort(changes.rows, changes.nr, sizeof(*changes.rows), by_change);
	free(left);
	free(right);
	return changes;
}
