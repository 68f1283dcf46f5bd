/*
 * against_side.c - the numbers of one trace at the positions that are aligned with those of another trace.
 *
 *	A  |----|----|----|        B  |--------|--------|--------|        the same share, time or event at each bar
 *
 * A position is a number of events done. The session visits them in order, so that each part is replayed once.
 */
#include <stdlib.h>

#include "cli/print/named_fields.h"
#include "cli/studies/against.h"
#include "cli/text/names.h"

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

static int check_times(const struct side *a, const struct side *b)
{
	const struct side *sides[] = { a, b };

	for (u32 i = 0; i < 2; i++) {
		if (duration_of(sides[i]))
			continue;
		complain("--align time: %s has no times; align by event or by share",
			 sides[i]->host.trace);
		return EXIT_CALL;
	}
	if (kmem_report(a->host.session)->time_is_ns == kmem_report(b->host.session)->time_is_ns)
		return EXIT_DONE;
	complain(
		"--align time: one trace has nanoseconds and the other has ticks of an unknown clock; "
		"align by event or by share");
	return EXIT_CALL;
}

/* Part i of NR_PARTS equal parts, rounded down. */
static u64 part_of(u64 whole, u32 i)
{
	return whole / NR_PARTS * i + whole % NR_PARTS * i / NR_PARTS;
}

int sides_align(struct side *a, struct side *b, enum align align)
{
	u32 nr_a = kmem_nr_ops(a->host.session), nr_b = kmem_nr_ops(b->host.session);
	int status = align == ALIGN_TIME ? check_times(a, b) : EXIT_DONE;
	u64 longest = align == ALIGN_TIME ? MAX(duration_of(a), duration_of(b)) : MAX(nr_a, nr_b);

	for (u32 i = 0; i < NR_POINTS && !status; i++) {
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
	return status;
}

/* Rows */

static int no_memory(void)
{
	complain("no memory for the numbers of two traces");
	return EXIT_INPUT;
}

/* Appends a row; NULL without memory. */
static struct side_row *add_row(struct side *side, enum table_id id, const char *name)
{
	const struct table_def *def = &table_defs[id];
	struct side_table *t = &side->tables[id];

	if (t->nr == t->room) {
		u32 room = t->room ? 2 * t->room : 64;
		struct side_row *rows = realloc(t->rows, room * sizeof(*rows));
		if (!rows)
			return NULL;
		t->rows = rows;
		t->room = room;
	}
	struct side_row *row = &t->rows[t->nr];
	memset(row, 0, sizeof(*row));
	row->values = calloc((size_t)def->nr_figures * def->nr_points, sizeof(u64));
	if (!row->values)
		return NULL;
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->first_op = row->peak_op = NO_EVENT;
	t->nr++;
	return row;
}

static int begin_totals(struct side *side)
{
	const struct table_def *curves = &table_defs[TABLE_CURVES];

	for (u32 i = 0; i < ARRAY_SIZE(waste_fields); i++)
		if (!add_row(side, TABLE_WASTE, waste_fields[i]))
			return no_memory();
	for (u32 i = 0; i < ARRAY_SIZE(total_fields); i++)
		if (!add_row(side, TABLE_TOTALS, total_fields[i]))
			return no_memory();
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (kmem_has_counter(side->host.session, i) &&
		    !add_row(side, TABLE_COUNTERS, lower_case(counter_name(i)).s))
			return no_memory();
	return add_row(side, TABLE_CURVES, curves->title) ? EXIT_DONE : no_memory();
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

static int take_caches(struct side *side, u32 point)
{
	struct side_table *table = &side->tables[TABLE_CACHES];
	u32 nr;
	const struct kmem_cache_row *c = kmem_cache_rows(side->host.session, &nr);

	for (u32 i = 0; i < nr; i++) {
		if (i == table->nr &&
		    !add_row(side, TABLE_CACHES, host_text(&side->host, c[i].name_at)))
			return no_memory();
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
	return EXIT_DONE;
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
static int take_sites(struct side *side)
{
	struct kmem_session *s = side->host.session;
	const struct kmem_sites_args all = { .by = 1u << SITES_BY_SITE | 1u << SITES_BY_CACHE,
					     .cpu = KMEM_ANY,
					     .node = KMEM_ANY,
					     .end_op = KMEM_NONE32 };
	int status = host_finish(&side->host, JOB_SITES, &all, "counting call sites");
	const struct kmem_sites *sites = status ? NULL : kmem_sites(s);
	const struct kmem_site_row *rows = sites ? host_rows(&side->host, sites->rows_at) : NULL;

	for (u32 i = 0; sites && i < sites->nr_rows; i++) {
		const char *name = host_text(&side->host, rows[i].call_site_at);
		struct side_row *row = add_row(side, TABLE_SITES, *name ? name : "unknown");
		if (!row)
			return no_memory();
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
	return status;
}

int side_take(struct side *side)
{
	int status = begin_totals(side);

	for (u32 i = 0; i < NR_POINTS && !status; i++) {
		s32 err = kmem_seek(side->host.session, side->at[i]);
		if (err)
			return host_failed(&side->host, err);
		take_totals(side, i);
		status = take_caches(side, i);
		progress(&side->host, "comparing", i, NR_PARTS);
	}
	progress_end(&side->host);
	if (status)
		return status;
	take_lives(side);
	return take_sites(side);
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

void side_free(struct side *side)
{
	for (u32 t = 0; t < NR_TABLES; t++) {
		for (u32 i = 0; i < side->tables[t].nr; i++)
			free(side->tables[t].rows[i].values);
		free(side->tables[t].rows);
	}
	host_close(&side->host);
}
