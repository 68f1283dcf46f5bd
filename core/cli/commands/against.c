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

#include "cli/commands/against.h"

static const char *const align_names[] = { "time", "event", "share" };

/* A table's rows are fields of the totals, or have these fields of their own row as figures. */
const struct table tables[NR_TABLES] = {
	[TABLE_CACHES] = { "caches",
			   "caches",
			   { "slab_bytes", "requested_bytes", "waste_bytes", "live_objects",
			     "slabs", "cycles" } },
	[TABLE_SITES] = { "sites",
			  "call sites",
			  { "live_bytes", "live_objects", "allocations", "bytes_requested",
			    "bytes_allocated" } },
	[TABLE_WASTE] = { "waste", "bytes in slabs", { "bytes" } },
	[TABLE_TOTALS] = { "totals", "totals", { "value" } },
	[TABLE_COUNTERS] = { "counters", "counters", { "value" } },
	[TABLE_CURVES] = { "curves",
			   "all caches",
			   { "slab_bytes", "waste_bytes", "live_objects", "slabs", "partial" } },
};

static const char *const total_rows[][9] = {
	[TABLE_WASTE] = { "waste_rounding", "waste_tail", "waste_free", "requested_bytes",
			  "in_use_before_bytes", "slab_bytes" },
	[TABLE_TOTALS] = { "live_objects", "slabs", "partial", "pages_in_use", "pages_peak",
			   "large_bytes", "cycles", "lock_wait_cycles" },
};

/* Aligned positions */

/* Returns how many events happen up to `time` after the first one. */
static u32 events_until(const struct side *side, u64 time)
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

/* Part i of NR_PARTS equal parts, rounded down. */
static u64 part_of(u64 whole, u32 i)
{
	return whole / NR_PARTS * i + whole % NR_PARTS * i / NR_PARTS;
}

static void check_times(const struct against *c)
{
	const struct kmem_report *r[2];

	for (u32 i = 0; i < 2; i++) {
		r[i] = kmem_report(c->side[i].host.session);
		if (r[i]->time_last == r[i]->time_first)
			refuse_call("--align time: %s has no times; align by event or by share",
				    c->side[i].host.trace);
	}
	if (r[0]->time_is_ns != r[1]->time_is_ns)
		refuse_call(
			"--align time: one trace has nanoseconds and the other has ticks of an unknown clock; "
			"align by event or by share");
}

static void align(struct against *c)
{
	int by_time = strcmp(c->align, "time") == 0, by_event = strcmp(c->align, "event") == 0;
	u64 longest = 0;

	if (by_time)
		check_times(c);
	for (u32 i = 0; i < 2; i++) {
		struct kmem_session *s = c->side[i].host.session;
		const struct kmem_report *r = kmem_report(s);
		u64 length = by_time ? r->time_last - r->time_first : kmem_nr_ops(s);
		longest = MAX(longest, length);
	}
	for (u32 i = 0; i < 2; i++) {
		struct side *side = &c->side[i];
		u32 nr_ops = kmem_nr_ops(side->host.session);
		for (u32 k = 0; k < NR_PARTS; k++) {
			u64 here = part_of(longest, k);
			side->at[k] = by_time	 ? events_until(side, here)
				      : by_event ? (u32)MIN(here, nr_ops)
						 : (u32)part_of(nr_ops, k);
		}
		/* All events are done at the end, also those that are behind later ones. */
		side->at[NR_PARTS] = nr_ops;
	}
}

/* The numbers of one trace */

static u32 nr_figures(u32 table)
{
	u32 nr = 0;

	while (nr < MAX_FIGURES && tables[table].figures[nr])
		nr++;
	return nr;
}

/* Only the end of call sites is known. */
static u32 nr_points(u32 table)
{
	return table == TABLE_SITES ? 1 : NR_POINTS;
}

static u64 *place_of(const struct side_row *row, u32 figure, u32 point)
{
	u32 points = nr_points(row->table);

	return &row->values[figure * points + MIN(point, points - 1)];
}

/* Row number `at` of a side; it is added behind the last. */
static struct side_row *row_at(struct side *side, u32 at, u32 table, const char *name)
{
	if (at < side->nr)
		return &side->rows[at];
	if (side->nr == side->room) {
		side->room = MAX(2 * side->room, 64u);
		side->rows = realloc(side->rows, side->room * sizeof(*side->rows));
		if (!side->rows)
			give_up("no memory for the numbers of two traces");
	}
	struct side_row *row = &side->rows[side->nr++];
	*row = (struct side_row){
		.table = table,
		.first_op = NO_EVENT,
		.peak_op = NO_EVENT,
		.values = memory_for((u64)nr_figures(table) * nr_points(table), sizeof(u64)),
	};
	snprintf(row->name, sizeof(row->name), "%s", name);
	return row;
}

static u64 total_of(const struct kmem_totals *t, const char *figure)
{
	return strcmp(figure, "waste_bytes") == 0
		       ? t->waste_rounding + t->waste_tail + t->waste_free
		       : field_value(ROW(kmem_totals, t), figure);
}

static u64 cache_figure(const struct kmem_cache_row *c, const char *figure)
{
	u64 used = c->requested_bytes + c->in_use_before_bytes;

	return strcmp(figure, "waste_bytes") == 0 ? c->slab_bytes - MIN(c->slab_bytes, used)
						  : field_value(ROW(kmem_cache_row, c), figure);
}

/* All rows but call sites at one point; those of caches come last, because their number grows. */
static void take_point(struct side *side, u32 point)
{
	struct kmem_session *s = side->host.session;
	const struct kmem_totals t = *kmem_totals(s);
	const char *figure;
	u32 at = 0, nr;

	for (u32 table = TABLE_WASTE; table <= TABLE_TOTALS; table++)
		for (u32 i = 0; (figure = total_rows[table][i]); i++)
			*place_of(row_at(side, at++, table, figure), 0, point) = total_of(&t,
											  figure);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (kmem_has_counter(s, i))
			*place_of(row_at(side, at++, TABLE_COUNTERS, lower_case(counter_name(i)).s),
				  0, point) = t.counters[i];
	struct side_row *curves = row_at(side, at++, TABLE_CURVES, tables[TABLE_CURVES].title);
	for (u32 f = 0; f < nr_figures(TABLE_CURVES); f++)
		*place_of(curves, f, point) = total_of(&t, tables[TABLE_CURVES].figures[f]);
	const struct kmem_cache_row *c = kmem_cache_rows(s, &nr);
	for (u32 i = 0; i < nr; i++) {
		struct side_row *row = row_at(side, at++, TABLE_CACHES,
					      host_text(&side->host, c[i].name_at));
		row->cache_id = i;
		for (u32 f = 0; f < nr_figures(TABLE_CACHES); f++)
			*place_of(row, f, point) = cache_figure(&c[i],
								tables[TABLE_CACHES].figures[f]);
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
	const struct kmem_site_row *site = sites ? host_rows(&side->host, sites->rows_at) : NULL;
	for (u32 i = 0; sites && i < sites->nr_rows; i++, site++) {
		const char *name = host_text(&side->host, site->call_site_at);
		struct side_row *row = row_at(side, side->nr, TABLE_SITES,
					      *name ? name : "unknown");
		snprintf(row->cache, sizeof(row->cache), "%s",
			 host_text(&side->host, site->cache_at));
		row->first_op = site->first_op;
		row->peak_op = site->peak_op;
		for (u32 f = 0; f < nr_figures(TABLE_SITES); f++)
			*place_of(row, f, NR_PARTS) = field_value(ROW(kmem_site_row, site),
								  tables[TABLE_SITES].figures[f]);
	}
}

static void take(struct side *side)
{
	struct host *h = &side->host;

	for (u32 i = 0; i < NR_POINTS; i++) {
		host_must(h, kmem_seek(h->session, side->at[i]));
		take_point(side, i);
		progress(h, "comparing", i, NR_PARTS);
	}
	progress_end(h);
	for (u32 i = 0; i < side->nr; i++) {
		struct side_row *row = &side->rows[i];
		const struct kmem_life *life = row->table == TABLE_CACHES
						       ? kmem_life(h->session, row->cache_id,
								   NO_EVENT, NO_EVENT)
						       : NULL;
		row->first_op = life ? life->born_op : NO_EVENT;
		row->peak_op = life ? life->slabs_peak_op : NO_EVENT;
		side->lacks_names |= row->table == TABLE_CACHES &&
				     strncmp(row->name, "size-", strlen("size-")) == 0;
	}
	take_sites(side);
}

/* Call sites of two builds */

/* The length of the function's name; 0 for a name without an offset. */
static size_t function_length(const char *name)
{
	const char *plus = strstr(name, "+0x");

	return plus ? (size_t)(plus - name) : 0;
}

/* The hexadecimal number behind the first of these characters, 0 without it. */
static unsigned long number_behind(const char *name, char mark)
{
	const char *at = strchr(name, mark);

	return at ? strtoul(at + 1, NULL, 16) : 0;
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

/* The call site that only A has, or only B. */
static const struct side_row *only_in(const struct change *change, int is_b)
{
	const struct side_row *row = is_b ? change->b : change->a;

	return (change->a && change->b) || !row || row->table != TABLE_SITES ? NULL : row;
}

static int builds_differ(const struct against *c)
{
	u32 same = 0, other = 0;

	for (u32 i = 0; i < c->nr; i++) {
		const struct change *change = &c->changes[i];
		const struct side_row *a = only_in(change, 0);
		same += change->a && change->b && change->a->table == TABLE_SITES &&
			function_length(change->a->name);
		for (u32 k = 0; a && k < c->nr; k++) {
			const struct side_row *b = only_in(&c->changes[k], 1);
			if (!b || !same_function(a, b))
				continue;
			if (number_behind(a->name, '/') != number_behind(b->name, '/'))
				return 1;
			other++;
			break;
		}
	}
	return other > same;
}

/* How many rows only one trace has of the row's function, and how many of them have a lower offset. */
static u32 count_of_function(const struct against *c, const struct side_row *row, int is_b,
			     u32 *lower)
{
	u32 nr = 0;

	*lower = 0;
	for (u32 i = 0; i < c->nr; i++) {
		const struct side_row *other = only_in(&c->changes[i], is_b);
		if (!other || !same_function(row, other))
			continue;
		nr++;
		*lower += number_behind(strstr(other->name, "+0x"), '+') <
			  number_behind(strstr(row->name, "+0x"), '+');
	}
	return nr;
}

/* Finds the row of B that is to be joined with the row of A. */
static void find_partner(const struct against *c, struct change *change)
{
	const struct side_row *a = only_in(change, 0);
	u32 rank, other, nr = a ? count_of_function(c, a, 0, &rank) : 0;

	change->partner = NULL;
	for (u32 k = 0; a && k < c->nr && !change->partner; k++) {
		const struct side_row *b = only_in(&c->changes[k], 1);
		if (b && same_function(a, b) && count_of_function(c, b, 1, &other) == nr &&
		    other == rank)
			change->partner = &c->changes[k];
	}
}

static void join_builds(struct against *c)
{
	u32 kept = 0;

	if (!builds_differ(c))
		return;
	for (u32 i = 0; i < c->nr; i++)
		find_partner(c, &c->changes[i]);
	for (u32 i = 0; i < c->nr; i++) {
		struct change *partner = c->changes[i].partner;
		if (!partner)
			continue;
		c->changes[i].b = partner->b;
		partner->b = NULL;
	}
	for (u32 i = 0; i < c->nr; i++)
		if (c->changes[i].a || c->changes[i].b)
			c->changes[kept++] = c->changes[i];
	c->nr = kept;
}

/* Rows of both */

u64 value_at(const struct side_row *row, u32 figure, u32 point)
{
	return row ? *place_of(row, figure, point) : 0;
}

static s64 difference(const struct change *change, u32 figure, u32 point)
{
	return (s64)(value_at(change->b, figure, point) - value_at(change->a, figure, point));
}

s64 change_in(const struct change *change, u32 figure)
{
	return difference(change, figure, NR_PARTS);
}

u32 largest_step(const struct change *change, u32 figure, s64 *by)
{
	u32 best = 0;

	*by = 0;
	for (u32 i = 1; i < NR_POINTS; i++) {
		s64 step = difference(change, figure, i) - difference(change, figure, i - 1);
		if (llabs(step) <= llabs(*by))
			continue;
		*by = step;
		best = i;
	}
	return best;
}

/* The first figure that changed decides. */
const char *kind_of_change(const struct change *change)
{
	if (!change->a)
		return "appeared";
	if (!change->b)
		return "vanished";
	for (u32 i = 0; i < nr_figures(any_of(change)->table); i++) {
		s64 by = change_in(change, i);
		if (by)
			return by > 0 ? "grew" : "shrank";
	}
	return "same";
}

static int compare_names(const struct side_row *x, const struct side_row *y)
{
	int order = (x->table > y->table) - (x->table < y->table);

	order = order ? order : strcmp(x->name, y->name);
	return order ? order : strcmp(x->cache, y->cache);
}

/* Table by table, the largest change first. */
static int by_change(const void *one, const void *two)
{
	const struct change *x = one, *y = two;
	u32 table = any_of(x)->table;

	for (u32 i = 0; table == any_of(y)->table && i < nr_figures(table); i++) {
		s64 a = llabs(change_in(x, i)), b = llabs(change_in(y, i));
		if (a != b)
			return a < b ? 1 : -1;
	}
	return compare_names(any_of(x), any_of(y));
}

/* Rows of one name keep their order. */
static int by_name(const void *one, const void *two)
{
	const struct side_row *x = *(const struct side_row *const *)one,
			      *y = *(const struct side_row *const *)two;
	int names = compare_names(x, y);

	return names ? names : (x > y) - (x < y);
}

static const struct side_row **sorted_rows(const struct side *side)
{
	const struct side_row **rows = memory_for(side->nr, sizeof(*rows));

	for (u32 i = 0; i < side->nr; i++)
		rows[i] = &side->rows[i];
	qsort(rows, side->nr, sizeof(*rows), by_name);
	return rows;
}

static void join(struct against *c)
{
	u32 nr_a = c->side[0].nr, nr_b = c->side[1].nr, i = 0, k = 0;
	const struct side_row **a = sorted_rows(&c->side[0]), **b = sorted_rows(&c->side[1]);

	c->changes = memory_for((u64)nr_a + nr_b, sizeof(*c->changes));
	while (i < nr_a || k < nr_b) {
		int order = i == nr_a ? 1 : k == nr_b ? -1 : compare_names(a[i], b[k]);
		c->changes[c->nr++] = (struct change){ .a = order <= 0 ? a[i] : NULL,
						       .b = order >= 0 ? b[k] : NULL };
		i += order <= 0;
		k += order >= 0;
	}
	join_builds(c);
	qsort(c->changes, c->nr, sizeof(*c->changes), by_change);
}

const char *align_named(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(align_names); i++)
		if (strcmp(name, align_names[i]) == 0)
			return align_names[i];
	refuse_call("--align: expected time, event or share; found `%.40s`", name);
}

void against_compare(struct against *c)
{
	align(c);
	take(&c->side[0]);
	take(&c->side[1]);
	join(c);
}
