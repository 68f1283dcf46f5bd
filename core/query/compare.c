/*
 * compare.c - two traces side by side: the numbers of each at positions that are aligned, joined by the names of their rows.
 *
 * 	A  |----|----|----|        B  |--------|--------|--------|        the same share, time or event at each bar
 *
 * Each session gives its numbers in parts (side.c), as bytes that a comparison keeps in a region of its own.
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
#include "query/side.h"
#include "util/poison.h"
#include "util/text.h"

/* The first one decides the order of the rows. */
static const struct {
	u8 nr, of[MAX_AMOUNTS];
} amounts[NR_VALUES(kmem_compared)] = {
	[COMPARED_CACHES] = { 6,
			      { AMOUNT_SLAB_BYTES, AMOUNT_REQUESTED_BYTES, AMOUNT_WASTE_BYTES,
				AMOUNT_LIVE_OBJECTS, AMOUNT_SLABS, AMOUNT_CYCLES } },
	[COMPARED_SITES] = { 5,
			     { AMOUNT_LIVE_BYTES, AMOUNT_LIVE_OBJECTS, AMOUNT_ALLOCATIONS,
			       AMOUNT_BYTES_REQUESTED, AMOUNT_BYTES_ALLOCATED } },
	[COMPARED_WASTE] = { 1, { AMOUNT_BYTES } },
	[COMPARED_TOTALS] = { 1, { AMOUNT_VALUE } },
	[COMPARED_COUNTERS] = { 1, { AMOUNT_VALUE } },
	[COMPARED_CURVES] = { 5,
			      { AMOUNT_SLAB_BYTES, AMOUNT_WASTE_BYTES, AMOUNT_LIVE_OBJECTS,
				AMOUNT_SLABS, AMOUNT_PARTIAL } },
};

struct side {
	u32 nr_points, nr_rows[2]; /* points of values, and rows of call sites */
	u32 at[KMEM_COMPARE_POINTS], nr_values[KMEM_COMPARE_POINTS];
	const u64 *values[KMEM_COMPARE_POINTS];
	const struct side_row *rows[2];
};

/* A row of one side; its values start at `first` of each position. */
struct half {
	const struct side_row *row;
	const struct side *side;
	u32 first;
};

struct joined {
	const struct half *a, *b; /* NULL: that trace has no such row */
};

struct kmem_compare {
	u64 room_bytes, used_bytes;
	u64 parts_bytes; /* used by the parts */
	struct side side[2];
	struct joined *joined;
	u32 nr_joined;
	struct kmem_differences out;
};

/* Returns zeroed memory from the region, NULL if it is full. */
static void *cut(struct kmem_compare *c, u64 len_bytes)
{
	u8 *at = (u8 *)c + c->used_bytes;

	len_bytes = ALIGN_UP(len_bytes, (u64)8);
	if (len_bytes > c->room_bytes - c->used_bytes || !host_commit(at + len_bytes))
		return NULL;
	c->used_bytes += len_bytes;
	return memset(at, 0, len_bytes);
}

struct kmem_compare *kmem_compare_open(void *base, u64 size)
{
	struct kmem_compare *c = base;

	if (size < KMEM_MIN_COMPARE_BYTES || !host_commit((u8 *)base + sizeof(*c)))
		return NULL;
	memset(c, 0, sizeof(*c));
	c->room_bytes = size;
	c->parts_bytes = ALIGN_UP(sizeof(*c), (u64)8);
	return c;
}

u8 *kmem_compare_part(struct kmem_compare *c, u32 which, u32 part, u32 op, u32 len_bytes)
{
	struct side *side = &c->side[which & 1];
	u32 point = side->nr_points;

	c->used_bytes = c->parts_bytes;
	void *to = part == SIDE_VALUES && point == KMEM_COMPARE_POINTS ? NULL : cut(c, len_bytes);
	if (!to)
		return NULL;
	c->parts_bytes = c->used_bytes;
	if (part == SIDE_VALUES) {
		side->at[point] = op;
		side->nr_values[point] = len_bytes / (u32)sizeof(u64);
		side->values[point] = to;
		side->nr_points++;
	} else {
		side->rows[part == SIDE_SITES] = to;
		side->nr_rows[part == SIDE_SITES] = len_bytes / (u32)sizeof(struct side_row);
	}
	return to;
}

static u64 value_at(const struct half *half, u32 amount, u32 point)
{
	u32 at = half ? half->first + amount : 0;

	if (!half)
		return 0;
	if (half->row->table == COMPARED_SITES)
		return half->row->amounts[amount];
	return at < half->side->nr_values[point] ? half->side->values[point][at] : 0;
}

static s64 difference(const struct joined *j, u32 amount, u32 point)
{
	return (s64)(value_at(j->b, amount, point) - value_at(j->a, amount, point));
}

static const struct side_row *any_of(const struct joined *j)
{
	return (j->a ? j->a : j->b)->row;
}

static u64 size_of(s64 n)
{
	return n < 0 ? -(u64)n : (u64)n;
}

static int compare_text(const char *x, const char *y)
{
	for (; *x && *x == *y; x++)
		y++;
	return (u8)*x - (u8)*y;
}

static int compare_rows(const struct side_row *x, const struct side_row *y)
{
	int order = (x->table > y->table) - (x->table < y->table);

	order = order ? order : compare_text(x->name, y->name);
	return order ? order : compare_text(x->cache, y->cache);
}

/* Sorts by name; rows of one name keep their order. */
static int by_name(const void *one, const void *two)
{
	const struct half *x = one, *y = two;
	int order = compare_rows(x->row, y->row);

	return order ? order : (x > y) - (x < y);
}

/* Sorts table by table, the largest change first. */
static int by_change(const void *one, const void *two)
{
	const struct joined *x = one, *y = two;
	u32 table = any_of(x)->table;

	for (u32 i = 0; table == any_of(y)->table && i < amounts[table].nr; i++) {
		u64 a = size_of(difference(x, i, NR_PARTS)),
		    b = size_of(difference(y, i, NR_PARTS));
		if (a != b)
			return a < b ? 1 : -1;
	}
	int order = compare_rows(any_of(x), any_of(y));
	return order ? order : (x > y) - (x < y);
}

static void sift(const void **v, u32 i, u32 nr, int (*order)(const void *, const void *))
{
	const void *moved = v[i];

	for (u32 child; (child = 2 * i + 1) < nr; i = child) {
		child += child + 1 < nr && order(v[child], v[child + 1]) < 0;
		if (order(moved, v[child]) >= 0)
			break;
		v[i] = v[child];
	}
	v[i] = moved;
}

/* Pointers to items, sorted; NULL without memory. */
static const void **sorted(struct kmem_compare *c, const void *items, u32 nr, u32 item_bytes,
			   int (*order)(const void *, const void *))
{
	const void **v = cut(c, (nr + 1ull) * sizeof(*v));

	if (!v)
		return NULL;
	for (u32 i = 0; i < nr; i++)
		v[i] = (const u8 *)items + (u64)i * item_bytes;
	for (u32 i = nr / 2; i--;)
		sift(v, i, nr, order);
	for (u32 n = nr; n-- > 1;) {
		const void *last = v[n];
		v[n] = v[0];
		v[0] = last;
		sift(v, 0, n, order);
	}
	return v;
}

/* Returns the rows of a side, by their names. */
static const void **halves_of(struct kmem_compare *c, const struct side *side)
{
	u32 nr = side->nr_rows[0] + side->nr_rows[1], first = 0;
	struct half *halves = cut(c, (nr + 1ull) * sizeof(*halves));

	if (!halves)
		return NULL;
	for (u32 i = 0; i < nr; i++) {
		int is_site = i >= side->nr_rows[0];
		const struct side_row *row = side->rows[is_site] +
					     (is_site ? i - side->nr_rows[0] : i);
		halves[i] = (struct half){ row, side, first };
		first += amounts[row->table].nr;
	}
	return sorted(c, halves, nr, sizeof(*halves), by_name);
}

/* Call sites of two builds */

/* Returns the first such character, or the end. */
static const char *from_mark(const char *name, char mark)
{
	while (*name && *name != mark)
		name++;
	return name;
}

/* Returns the length of the function's name; 0 for a name without an offset. */
static u32 function_length(const char *name)
{
	const char *plus = from_mark(name, '+');

	return plus[0] && plus[1] == '0' && plus[2] == 'x' ? (u32)(plus - name) : 0;
}

/* Returns the hexadecimal number after a mark and 0x; 0 without it. */
static u64 hex_behind(const char *p)
{
	u64 n = 0;

	for (p += *p ? 3 : 0; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++)
		n = n << 4 | (u64)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	return n;
}

static int same_function(const struct half *x, const struct half *y)
{
	const char *a = x->row->name, *b = y->row->name;
	u32 length = function_length(a);

	return length && length == function_length(b) && memcmp(a, b, length) == 0 &&
	       text_is(x->row->cache, y->row->cache) &&
	       text_is(from_mark(a, '['), from_mark(b, '['));
}

/* Returns the call site that only A has, or only B. */
static const struct half *only_in(const struct joined *j, int is_b)
{
	const struct half *half = is_b ? j->b : j->a;

	return (j->a && j->b) || !half || half->row->table != COMPARED_SITES ? NULL : half;
}

static int builds_differ(const struct kmem_compare *c)
{
	u32 same = 0, other = 0;

	for (const struct joined *j = c->joined, *end = j + c->nr_joined; j < end; j++) {
		const struct half *a = only_in(j, 0), *b = NULL;
		same += j->a && j->b && j->a->row->table == COMPARED_SITES &&
			function_length(j->a->row->name);
		for (const struct joined *k = c->joined; a && !b && k < end; k++)
			b = only_in(k, 1) && same_function(a, only_in(k, 1)) ? k->b : NULL;
		if (b && hex_behind(from_mark(a->row->name, '/')) !=
				 hex_behind(from_mark(b->row->name, '/')))
			return 1;
		other += b != NULL;
	}
	return other > same;
}

/* Returns how many rows of the row's function only one trace has, and how many of them have a lower offset. */
static u32 count_of_function(const struct kmem_compare *c, const struct half *half, int is_b,
			     u32 *lower)
{
	u32 nr = 0;

	*lower = 0;
	for (u32 i = 0; i < c->nr_joined; i++) {
		const struct half *other = only_in(&c->joined[i], is_b);
		if (!other || !same_function(half, other))
			continue;
		nr++;
		*lower += hex_behind(from_mark(other->row->name, '+')) <
			  hex_behind(from_mark(half->row->name, '+'));
	}
	return nr;
}

/* Returns the row of B whose call site is to be joined with that of A; NULL if there is none. */
static const struct joined *partner_of(const struct kmem_compare *c, const struct half *a)
{
	u32 rank, other, nr = count_of_function(c, a, 0, &rank);

	for (u32 k = 0; k < c->nr_joined; k++) {
		const struct half *b = only_in(&c->joined[k], 1);
		if (b && same_function(a, b) && count_of_function(c, b, 1, &other) == nr &&
		    other == rank)
			return &c->joined[k];
	}
	return NULL;
}

/* Joins them in a new list, so that each is looked for among all that were not joined. Returns 0 without memory. */
static int join_builds(struct kmem_compare *c)
{
	struct joined *to = cut(c, (c->nr_joined + 1ull) * sizeof(*to));
	u32 nr = c->nr_joined, kept = 0;

	for (u32 i = 0; to && i < nr; i++)
		to[i] = c->joined[i];
	for (u32 i = 0; to && i < nr; i++) {
		const struct half *a = only_in(&c->joined[i], 0);
		const struct joined *partner = a ? partner_of(c, a) : NULL;
		if (!partner)
			continue;
		to[i].b = partner->b;
		to[partner - c->joined].b = NULL;
	}
	for (u32 i = 0; to && i < nr; i++)
		if (to[i].a || to[i].b)
			to[kept++] = to[i];
	c->joined = to;
	c->nr_joined = kept;
	return to != NULL;
}

/* Returns 0 without memory. */
static int join(struct kmem_compare *c)
{
	u32 nr_a = c->side[0].nr_rows[0] + c->side[0].nr_rows[1],
	    nr_b = c->side[1].nr_rows[0] + c->side[1].nr_rows[1], i = 0, k = 0;
	const void **a = halves_of(c, &c->side[0]), **b = halves_of(c, &c->side[1]);

	c->joined = cut(c, (nr_a + nr_b + 1ull) * sizeof(*c->joined));
	c->nr_joined = 0;
	if (!a || !b || !c->joined)
		return 0;
	while (i < nr_a || k < nr_b) {
		const struct half *x = a[i], *y = b[k];
		int order = i == nr_a ? 1 : k == nr_b ? -1 : compare_rows(x->row, y->row);
		c->joined[c->nr_joined++] = (struct joined){ order <= 0 ? x : NULL,
							     order >= 0 ? y : NULL };
		i += order <= 0;
		k += order >= 0;
	}
	return !builds_differ(c) || join_builds(c);
}

/* The answer */

static u32 offset_of(const struct kmem_compare *c, const void *p)
{
	return (u32)((const u8 *)p - (const u8 *)c);
}

/* Finds the part in which the difference changes most. */
static void fill_step(const struct kmem_compare *c, const struct joined *j, u32 amount,
		      struct kmem_difference_amount *to)
{
	const u32 *a = c->side[0].at, *b = c->side[1].at;

	to->step_from_a = to->step_end_a = to->step_from_b = to->step_end_b = KMEM_NONE32;
	for (u32 i = 1; i <= NR_PARTS; i++) {
		s64 step = difference(j, amount, i) - difference(j, amount, i - 1);
		if (size_of(step) <= size_of(to->step))
			continue;
		to->step = step;
		to->step_from_a = a[i - 1];
		to->step_end_a = a[i];
		to->step_from_b = b[i - 1];
		to->step_end_b = b[i];
	}
}

/* The first amount that changed decides. */
static u32 kind_of(const struct joined *j, const struct kmem_difference_amount *amount, u32 nr)
{
	if (!j->a || !j->b)
		return j->a ? CHANGED_VANISHED : CHANGED_APPEARED;
	for (u32 i = 0; i < nr; i++)
		if (amount[i].change)
			return amount[i].change > 0 ? CHANGED_GREW : CHANGED_SHRANK;
	return CHANGED_SAME;
}

static int fill_row(struct kmem_compare *c, const struct joined *j, struct kmem_difference *row)
{
	const struct side_row *any = any_of(j), *a = j->a ? j->a->row : NULL,
			      *b = j->b ? j->b->row : NULL;
	u32 nr = amounts[any->table].nr;
	struct kmem_difference_amount *amount = cut(c, nr * sizeof(*amount));

	for (u32 i = 0; amount && i < nr; i++) {
		amount[i].amount = amounts[any->table].of[i];
		amount[i].a = value_at(j->a, i, NR_PARTS);
		amount[i].b = value_at(j->b, i, NR_PARTS);
		amount[i].change = difference(j, i, NR_PARTS);
		fill_step(c, j, i, &amount[i]);
	}
	if (!amount)
		return 0;
	*row = (struct kmem_difference){
		.table = any->table,
		.kind = kind_of(j, amount, nr),
		.name_at = offset_of(c, any->name),
		.cache_at = any->cache[0] ? offset_of(c, any->cache) : 0,
		.name_in_b_at = a && b && !text_is(a->name, b->name) ? offset_of(c, b->name) : 0,
		.first_a = a ? a->first_op : KMEM_NONE32,
		.first_b = b ? b->first_op : KMEM_NONE32,
		.peak_a = a ? a->peak_op : KMEM_NONE32,
		.peak_b = b ? b->peak_op : KMEM_NONE32,
		.amounts_at = offset_of(c, amount),
		.nr_amounts = nr,
	};
	return 1;
}

/* Fills the curves of both at each position, amount by amount. Returns 0 without memory. */
static int fill_curves(struct kmem_compare *c, const struct joined *j)
{
	u32 nr = amounts[COMPARED_CURVES].nr;
	u64(*curves)[2][KMEM_COMPARE_POINTS] = cut(c, nr * sizeof(*curves));

	for (u32 i = 0; curves && i < nr; i++)
		for (u32 k = 0; k < KMEM_COMPARE_POINTS; k++) {
			curves[i][0][k] = value_at(j->a, i, k);
			curves[i][1][k] = value_at(j->b, i, k);
		}
	c->out.curves_at = curves ? offset_of(c, curves) : 0;
	return curves != NULL;
}

const struct kmem_differences *kmem_compare(struct kmem_compare *c)
{
	c->used_bytes = c->parts_bytes;
	int is_done = join(c);
	const void **order =
		is_done ? sorted(c, c->joined, c->nr_joined, sizeof(*c->joined), by_change) : NULL;
	struct kmem_difference *rows = order ? cut(c, (c->nr_joined + 1ull) * sizeof(*rows)) : NULL;

	c->out = (struct kmem_differences){ .nr_rows = c->nr_joined,
					    .rows_at = rows ? offset_of(c, rows) : 0,
					    .at_a_at = offset_of(c, c->side[0].at),
					    .at_b_at = offset_of(c, c->side[1].at) };
	is_done = rows != NULL;
	for (u32 i = 0; is_done && i < c->nr_joined; i++) {
		is_done = fill_row(c, order[i], &rows[i]);
		if (is_done && rows[i].table == COMPARED_CURVES)
			is_done = fill_curves(c, order[i]);
	}
	return is_done ? &c->out : NULL;
}
