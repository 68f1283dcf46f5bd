/*
 * against.c - the numbers of two traces at positions that are aligned, joined by the names of their rows.
 *
 * 	A  |----|----|----|        B  |--------|--------|--------|        the same share, time or event at each bar
 *
 * A position is a number of events done. The session visits them in order, so that each part is replayed once.
 *
 * Call sites of two builds of a kernel differ in offsets and sizes:
 *
 * 	A	getname_flags+0x26/0x170	getname_flags+0x91/0x170
 * 	B	getname_flags+0x24/0x1e0	getname_flags+0xa0/0x1e0	joined in the order of their offsets
 *
 * Rows of exactly the same name are joined already. Builds differ if a function has two sizes. Without sizes they differ if
 * less than half of the call sites of common functions are the same. Within one function and cache the rows that are left are
 * joined if both traces have as many of them.
 */
#include <stdlib.h>

#include "cli/commands/compare.h"
#include "doc/doc.h"
#include "doc/names.h"

/* The numbers of one trace */

static const char *const waste_fields[] = {
	"waste_rounding",  "waste_tail",	  "waste_free",
	"requested_bytes", "in_use_before_bytes", "slab_bytes"
};
static const char *const total_fields[] = { "live_objects", "slabs",	       "partial",
					    "pages_in_use", "pages_peak",      "large_bytes",
					    "cycles",	    "lock_wait_cycles" };

/* Aligned positions */

/* Returns how many events happen up to `time` after the first one. */
static u32 events_until(struct side *side, u64 time)
{
	struct kmem_session *s = side->host.session;
	u64 first = kmem_report(s)->time_first;
	u32 low = 0, high = kmem_nr_ops(s);

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		if (kmem_op(s, mid)->time - first <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static u64 duration_of(const struct side *side)
{
	const struct kmem_report *r = kmem_report(side->host.session);

	return r->time_last - r->time_first;
}

static void check_times(const struct side *a, const struct side *b)
{
	const struct side *sides[] = { a, b };

	for (u32 i = 0; i < 2; i++)
		if (!duration_of(sides[i]))
			refuse_call("--align time: %s has no times; align by event or by share",
				    sides[i]->host.trace);
	if (kmem_report(a->host.session)->time_is_ns != kmem_report(b->host.session)->time_is_ns)
		refuse_call(
			"--align time: one trace has nanoseconds and the other has ticks of an unknown clock; "
			"align by event or by share");
}

/* Part i of NR_PARTS equal parts, rounded down. */
static u64 part_of(u64 whole, u32 i)
{
	return whole / NR_PARTS * i + whole % NR_PARTS * i / NR_PARTS;
}

void sides_align(struct side *a, struct side *b, enum align align)
{
	u32 nr_a = kmem_nr_ops(a->host.session), nr_b = kmem_nr_ops(b->host.session);
	u64 longest = align == ALIGN_TIME ? MAX(duration_of(a), duration_of(b)) : MAX(nr_a, nr_b);

	if (align == ALIGN_TIME)
		check_times(a, b);
	for (u32 i = 0; i < NR_POINTS; i++) {
		u64 here = part_of(longest, i);
		if (align == ALIGN_TIME) {
			a->at[i] = events_until(a, here);
			b->at[i] = events_until(b, here);
		} else if (align == ALIGN_EVENT) {
			a->at[i] = MIN((u32)here, nr_a);
			b->at[i] = MIN((u32)here, nr_b);
		} else {
			a->at[i] = (u32)part_of(nr_a, i);
			b->at[i] = (u32)part_of(nr_b, i);
		}
	}
	/* All events are done at the end, also those that are behind later ones. */
	a->at[NR_PARTS] = nr_a;
	b->at[NR_PARTS] = nr_b;
}

/* Rows */

/* Appends a row. */
static struct side_row *add_row(struct side *side, enum table_id id, const char *name)
{
	const struct table_def *def = &table_defs[id];
	struct side_table *t = &side->tables[id];

	if (t->nr == t->room) {
		u32 room = t->room ? 2 * t->room : 64;
		struct side_row *rows = realloc(t->rows, room * sizeof(*rows));
		if (!rows)
			give_up("no memory for the numbers of two traces");
		t->rows = rows;
		t->room = room;
	}
	struct side_row *row = &t->rows[t->nr];
	memset(row, 0, sizeof(*row));
	row->values = memory_for((u64)def->nr_figures * def->nr_points, sizeof(u64));
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->first_op = row->peak_op = NO_EVENT;
	t->nr++;
	return row;
}

static void begin_totals(struct side *side)
{
	for (u32 i = 0; i < ARRAY_SIZE(waste_fields); i++)
		add_row(side, TABLE_WASTE, waste_fields[i]);
	for (u32 i = 0; i < ARRAY_SIZE(total_fields); i++)
		add_row(side, TABLE_TOTALS, total_fields[i]);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (kmem_has_counter(side->host.session, i))
			add_row(side, TABLE_COUNTERS, lower_case(counter_name(i)).s);
	add_row(side, TABLE_CURVES, table_defs[TABLE_CURVES].title);
}

static u64 total_named(const struct kmem_totals *t, const char *field)
{
	return field_value(fields_of_kmem_totals, t, field);
}

static void take_totals(struct side *side, u32 point)
{
	const struct kmem_totals t = *kmem_totals(side->host.session);
	u64 *curve = side->tables[TABLE_CURVES].rows[0].values + point;
	u32 at = 0;

	for (u32 i = 0; i < ARRAY_SIZE(waste_fields); i++)
		side->tables[TABLE_WASTE].rows[i].values[point] = total_named(&t, waste_fields[i]);
	for (u32 i = 0; i < ARRAY_SIZE(total_fields); i++)
		side->tables[TABLE_TOTALS].rows[i].values[point] = total_named(&t, total_fields[i]);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (kmem_has_counter(side->host.session, i))
			side->tables[TABLE_COUNTERS].rows[at++].values[point] = t.counters[i];
	const u64 values[] = { t.slab_bytes, t.waste_rounding + t.waste_tail + t.waste_free,
			       t.live_objects, t.slabs, t.partial };
	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		curve[i * NR_POINTS] = values[i];
}

static void take_caches(struct side *side, u32 point)
{
	struct side_table *table = &side->tables[TABLE_CACHES];
	u32 nr;
	const struct kmem_cache_row *c = kmem_cache_rows(side->host.session, &nr);

	for (u32 i = 0; i < nr; i++) {
		if (i == table->nr)
			add_row(side, TABLE_CACHES, host_text(&side->host, c[i].name_at));
		u64 used = c[i].requested_bytes + c[i].in_use_before_bytes;
		const u64 values[] = { c[i].slab_bytes,
				       c[i].requested_bytes,
				       c[i].slab_bytes - MIN(c[i].slab_bytes, used),
				       c[i].live_objects,
				       c[i].slabs,
				       c[i].cycles };
		for (u32 k = 0; k < ARRAY_SIZE(values); k++)
			table->rows[i].values[k * NR_POINTS + point] = values[k];
	}
}

static void take_lives(struct side *side)
{
	for (u32 i = 0; i < side->tables[TABLE_CACHES].nr; i++) {
		struct side_row *row = &side->tables[TABLE_CACHES].rows[i];
		const struct kmem_life *life = kmem_life(side->host.session, i, NO_EVENT, NO_EVENT);
		if (!life)
			continue;
		row->first_op = life->born_op;
		row->peak_op = life->slabs_peak_op;
	}
}

/* Counts the call sites of the whole trace; the index may go for it. */
static void take_sites(struct side *side)
{
	const struct kmem_sites_args all = { .by = 1u << SITES_BY_SITE | 1u << SITES_BY_CACHE,
					     .cpu = KMEM_ANY,
					     .node = KMEM_ANY,
					     .end_op = KMEM_NONE32 };
	host_finish(&side->host, JOB_SITES, &all, "counting call sites");
	const struct kmem_sites *sites = kmem_sites(side->host.session);
	const struct kmem_site_row *rows = sites ? host_rows(&side->host, sites->rows_at) : NULL;

	for (u32 i = 0; sites && i < sites->nr_rows; i++) {
		const char *name = host_text(&side->host, rows[i].call_site_at);
		struct side_row *row = add_row(side, TABLE_SITES, *name ? name : "unknown");
		snprintf(row->cache, sizeof(row->cache), "%s",
			 host_text(&side->host, rows[i].cache_at));
		row->first_op = rows[i].first_op;
		row->peak_op = rows[i].peak_op;
		row->values[0] = rows[i].live_bytes;
		row->values[1] = rows[i].live_objects;
		row->values[2] = rows[i].allocations;
		row->values[3] = rows[i].bytes_requested;
		row->values[4] = rows[i].bytes_allocated;
	}
}

void side_take(struct side *side)
{
	begin_totals(side);
	for (u32 i = 0; i < NR_POINTS; i++) {
		host_must(&side->host, kmem_seek(side->host.session, side->at[i]));
		take_totals(side, i);
		take_caches(side, i);
		progress(&side->host, "comparing", i, NR_PARTS);
	}
	progress_end(&side->host);
	take_lives(side);
	take_sites(side);
}

int side_lacks_names(const struct side *side)
{
	static const char by_size[] = "size-";
	const struct side_table *t = &side->tables[TABLE_CACHES];

	for (u32 i = 0; i < t->nr; i++)
		if (strncmp(t->rows[i].name, by_size, sizeof(by_size) - 1) == 0)
			return 1;
	return 0;
}

/* Call sites of two builds */

static const u32 NO_ROW = 0xffffffff;

/* The length of the function's name; 0 for a name without an offset. */
static size_t function_length(const char *name)
{
	const char *plus = strstr(name, "+0x");

	return plus ? (size_t)(plus - name) : 0;
}

static unsigned long offset_in(const char *name)
{
	return strtoul(name + function_length(name) + 1, NULL, 16);
}

static unsigned long size_in(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? strtoul(slash + 1, NULL, 16) : 0;
}

/* The module in brackets, or "". */
static const char *module_in(const char *name)
{
	const char *bracket = strrchr(name, '[');

	return bracket ? bracket : "";
}

static int same_function(const struct side_row *x, const struct side_row *y)
{
	size_t length = function_length(x->name);

	return length && length == function_length(y->name) &&
	       memcmp(x->name, y->name, length) == 0 && strcmp(x->cache, y->cache) == 0 &&
	       strcmp(module_in(x->name), module_in(y->name)) == 0;
}

/* Whether the row is only in A, or only in B. */
static const struct side_row *only_in(const struct change_row *row, int is_b)
{
	return is_b ? (row->a ? NULL : row->b) : (row->b ? NULL : row->a);
}

static int builds_differ(const struct changes *changes)
{
	u32 same = 0, other = 0;

	for (u32 i = 0; i < changes->nr; i++) {
		const struct change_row *row = &changes->rows[i];
		const struct side_row *a = only_in(row, 0);
		same += row->a && row->b && function_length(row->a->name);
		for (u32 k = 0; a && k < changes->nr; k++) {
			const struct side_row *b = only_in(&changes->rows[k], 1);
			if (!b || !same_function(a, b))
				continue;
			if (size_in(a->name) != size_in(b->name))
				return 1;
			other++;
			break;
		}
	}
	return other > same;
}

/* How many rows only one trace has of the row's function, and how many of them have a lower offset. */
static u32 count_of_function(const struct changes *changes, const struct side_row *row, int is_b,
			     u32 *lower)
{
	u32 nr = 0;

	*lower = 0;
	for (u32 i = 0; i < changes->nr; i++) {
		const struct side_row *other = only_in(&changes->rows[i], is_b);
		if (!other || !same_function(row, other))
			continue;
		nr++;
		*lower += offset_in(other->name) < offset_in(row->name);
	}
	return nr;
}

/* The row of B that is joined with the row of A. */
static u32 partner_of(const struct changes *changes, const struct side_row *a)
{
	u32 rank, other;
	u32 nr = count_of_function(changes, a, 0, &rank);

	for (u32 k = 0; k < changes->nr; k++) {
		const struct side_row *b = only_in(&changes->rows[k], 1);
		if (b && same_function(a, b) && count_of_function(changes, b, 1, &other) == nr &&
		    other == rank)
			return k;
	}
	return NO_ROW;
}

static void join_builds(struct changes *changes)
{
	u32 *partner = memory_for(changes->nr + 1, sizeof(*partner)), kept = 0;

	if (!builds_differ(changes)) {
		free(partner);
		return;
	}
	for (u32 i = 0; i < changes->nr; i++) {
		const struct side_row *a = only_in(&changes->rows[i], 0);
		partner[i] = a ? partner_of(changes, a) : NO_ROW;
	}
	for (u32 i = 0; i < changes->nr; i++) {
		if (partner[i] == NO_ROW)
			continue;
		changes->rows[i].b = changes->rows[partner[i]].b;
		changes->rows[partner[i]].b = NULL;
	}
	for (u32 i = 0; i < changes->nr; i++)
		if (changes->rows[i].a || changes->rows[i].b)
			changes->rows[kept++] = changes->rows[i];
	changes->nr = kept;
	free(partner);
}

/* Rows of both */

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
	if (table == TABLE_SITES)
		join_builds(&changes);
	qsort(changes.rows, changes.nr, sizeof(*changes.rows), by_change);
	free(left);
	free(right);
	return changes;
}
