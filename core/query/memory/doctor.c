/*
 * doctor.c - changes of one parameter each that are worth a replay, and which of them helped most.
 *
 * The host replays: it may do so in several processes or workers. Here is the list of changes, and the comparison of the
 * results with the replay without a change.
 */
#include "query/memory/memory.h"

#include "params/param_defs.h"

enum { MILLION = 1000000 };

static const u8 set_by[NR_PARAMS] = {
#define SET_BY(param, how) [PARAM_##param] = SET_BY_##how,
#include "tables/allocators.def"
};

/* Whether a value has been tried already, as the one in force has. */
static int is_known(const struct doctor *d, u32 param, const char *value)
{
	if (text_is(d->now[param], value))
		return 1;
	for (u32 i = d->nr; i-- > 0 && d->change[i].param == param;)
		if (text_is(d->change[i].value, value))
			return 1;
	return 0;
}

static void add_change(struct doctor *d, u32 param, const char *value, u32 len)
{
	struct change *c = &d->change[d->nr];

	if (d->nr == MOST_CHANGES || len >= CHANGE_VALUE_BYTES)
		return;
	memset(c, 0, sizeof(*c));
	memcpy(c->value, value, len);
	if (is_known(d, param, c->value))
		return;
	c->param = (u16)param;
	d->nr++;
}

static void add_default(struct doctor *d, u32 param)
{
	add_change(d, param, param_defs[param].def, text_length(param_defs[param].def));
}

static void add_number(struct doctor *d, u32 param, u64 number)
{
	char digits[CHANGE_VALUE_BYTES];
	struct text t = text_in(digits, sizeof(digits));

	text_add_u64(&t, number);
	add_change(d, param, digits, t.len);
}

/* Neighbours of a number in force, in small and in large steps; without one, a ladder from the smallest. */
static void add_numbers(struct doctor *d, u32 param, s64 now)
{
	static const u64 ladder[] = { 0, 1, 2, 4, 16, 64, 256 };
	u64 min, max, n = (u64)now;

	param_bounds(&param_defs[param], &min, &max);
	const u64 near[] = { min, n / 2, n - 1, n + 1, n * 2 }, *tries = now > 0 ? near : ladder;
	for (u32 i = 0; i < (now > 0 ? ARRAY_SIZE(near) : ARRAY_SIZE(ladder)); i++)
		if (tries[i] >= min && tries[i] <= max)
			add_number(d, param, tries[i]);
	add_default(d, param);
}

static void add_changes_of(struct kmem_session *s, struct doctor *d, u32 param)
{
	const struct param_def *def = &param_defs[param];
	struct range rest = range_of(def->values, text_length(def->values));

	while (def->type == CHOICE && rest.at < rest.end) {
		struct range word = scan_part(&rest, ' ');
		add_change(d, param, CHARS_OF(word));
	}
	if (def->type == NUMBER)
		add_numbers(d, param, params_get(&s->params, (enum kmem_param)param));
}

/* Parameters of the allocator. The machine stays as it is, and debugging is only ever switched off. */
static void add_group(struct kmem_session *s, struct doctor *d, const char *group)
{
	for (u32 param = 0; param < NR_PARAMS; param++) {
		if (!params_is_used(&s->params, (enum kmem_param)param) ||
		    !text_is(params_group((enum kmem_param)param), group))
			continue;
		struct text now = text_in(d->now[param], CHANGE_VALUE_BYTES);
		params_add_text(&s->params, (enum kmem_param)param, &now);
		if (text_is(group, "debugging"))
			add_default(d, param);
		else
			add_changes_of(s, d, param);
	}
}

s32 kmem_doctor_begin(struct kmem_session *s)
{
	struct doctor *d = &memory_of(s)->doctor;

	if (!s->w)
		return session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	memset(d, 0, sizeof(*d));
	d->has_begun = 1;
	add_group(s, d, "proposals");
	add_group(s, d, "rules");
	add_group(s, d, "debugging");
	return (s32)d->nr;
}

static const char not_begun[] = "no list of changes has started";

s32 kmem_doctor_result(struct kmem_session *s, u32 change, const u64 *values)
{
	static const u16 measures[NR_DOCTOR_MEASURES] = {
		[DOCTOR_PEAK_BYTES] = NUM_PAGES_PEAK,
		[DOCTOR_END_BYTES] = NUM_PAGES_IN_USE,
		[DOCTOR_SLOW_PATHS] = NUM_SLOW_PATHS,
		[DOCTOR_CYCLES] = NUM_CYCLES,
		[DOCTOR_LOCK_WAIT_CYCLES] = NUM_LOCK_WAIT_CYCLES,
	};
	struct doctor *d = &memory_of(s)->doctor;
	struct change *c = change == KMEM_NONE32 ? NULL : &d->change[change];

	if (!d->has_begun || !s->w)
		return session_fail(s, KMEM_ESTATE, not_begun);
	if (c && change >= d->nr)
		return session_fail(
			s, KMEM_EPARAM,
			"expected the number of a change, below what kmem_doctor_begin returned");
	if (!values) {
		if (c)
			c->state = CHANGE_INVALID;
		return 0;
	}
	u64 *to = c ? c->number : d->base;
	for (u32 i = 0; i < NR_DOCTOR_MEASURES; i++) {
		u64 value = values[measures[i]]
			    << (i <= DOCTOR_END_BYTES ? session_page_shift(s) : 0);
		to[i] = value * MAX(s->trace.report.sampling, 1u);
	}
	if (c) {
		c->state = CHANGE_MEASURED;
		return 0;
	}
	const u64 start_pages = s->import.in_use_before.pages;
	d->peak_is_start = start_pages && values[NUM_PAGES_PEAK] <= start_pages;
	d->has_base = 1;
	return 0;
}

const u64 *kmem_doctor_base(struct kmem_session *s)
{
	struct doctor *d = &memory_of(s)->doctor;

	return d->has_begun ? d->base : session_none(s, KMEM_ESTATE, not_begun);
}

/* Returns how much of a measure is saved, in millionths of the whole, which may be another measure. */
static u32 saving_of(const struct doctor *d, const struct change *c, u32 whole, u32 measure)
{
	u64 now = c->number[measure], base = d->base[measure];

	return now < base && d->base[whole] ? (u32)((base - now) * MILLION / d->base[whole]) : 0;
}

static struct kmem_change row_of(struct kmem_session *s, const struct doctor *d, u32 nr)
{
	const struct change *c = &d->change[nr];
	enum kmem_param param = (enum kmem_param)c->param;
	struct kmem_change row = { .number = nr,
				   .param = param,
				   .value_at = session_offset(s, c->value),
				   .now_at = session_offset(s, d->now[param]),
				   .state = c->state,
				   .set_by = set_by[param] };

	if (c->state != CHANGE_MEASURED || !d->has_base)
		return row;
	for (u32 i = 0; i < NR_DOCTOR_MEASURES; i++)
		row.more[i] = (s64)(c->number[i] - d->base[i]);
	u32 end = saving_of(d, c, DOCTOR_PEAK_BYTES, DOCTOR_END_BYTES);
	row.saves_memory =
		d->peak_is_start ? end
				 : MAX(end, saving_of(d, c, DOCTOR_PEAK_BYTES, DOCTOR_PEAK_BYTES));
	row.saves_slow_paths = saving_of(d, c, DOCTOR_SLOW_PATHS, DOCTOR_SLOW_PATHS);
	return row;
}

/* The tables that have key, name and group are not in the region. */
static void put_texts(struct kmem_session *s, struct kmem_change *row)
{
	enum kmem_param param = (enum kmem_param)row->param;

	row->key_at = scratch_text(s, params_key(param));
	row->name_at = scratch_text(s, params_name(param));
	row->group_at = scratch_text(s, params_group(param));
}

const struct kmem_change *kmem_doctor_changes(struct kmem_session *s, u32 *nr)
{
	struct doctor *d = &memory_of(s)->doctor;

	*nr = 0;
	if (!d->has_begun)
		return session_none(s, KMEM_ESTATE, not_begun);
	struct kmem_change *rows = scratch_rows(s, d->nr, sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 i = 0; i < d->nr; i++) {
		rows[i] = row_of(s, d, i);
		put_texts(s, &rows[i]);
	}
	*nr = d->nr;
	return rows;
}

/* Changes are ranked by each of these. */
enum goal { MEMORY, SLOW_PATHS };

static u32 saving(const struct kmem_change *row, enum goal goal)
{
	return goal == MEMORY ? row->saves_memory : row->saves_slow_paths;
}

/* Returns 1 if another value of the parameter saves more, or as much and comes first. */
static int is_beaten(struct kmem_session *s, const struct doctor *d, const struct kmem_change *row,
		     enum goal goal)
{
	for (u32 i = 0; i < d->nr; i++) {
		if (i == row->number || d->change[i].param != row->param)
			continue;
		struct kmem_change other = row_of(s, d, i);
		if (saving(&other, goal) > saving(row, goal) ||
		    (saving(&other, goal) == saving(row, goal) && i < row->number))
			return 1;
	}
	return 0;
}

static int is_worth_a_row(struct kmem_session *s, const struct doctor *d,
			  const struct kmem_change *row)
{
	return (row->saves_memory && !is_beaten(s, d, row, MEMORY)) ||
	       (row->saves_slow_paths && !is_beaten(s, d, row, SLOW_PATHS));
}

static u32 score(const struct kmem_change *row)
{
	return MAX(row->saves_memory, row->saves_slow_paths);
}

/* Keeps the best in order; of equal ones, the first in the list of changes. */
static u32 insert(struct kmem_change *rows, u32 nr, u32 max, const struct kmem_change *row)
{
	u32 at = nr;

	while (at && score(&rows[at - 1]) < score(row))
		at--;
	if (at == max)
		return nr;
	nr = MIN(nr + 1, max);
	for (u32 i = nr - 1; i > at; i--)
		rows[i] = rows[i - 1];
	rows[at] = *row;
	return nr;
}

/* Whether a boot option or a file of a running kernel sets it. */
static int is_settable(const struct kmem_change *row)
{
	return row->set_by == SET_BY_BOOT || row->set_by == SET_BY_RUNNING;
}

/* Settings for which a person needs no other kernel go first; both groups keep their order. */
static void put_settable_first(struct kmem_change *rows, u32 nr)
{
	for (u32 i = 1, done = 0; i <= nr; i++) {
		struct kmem_change row = rows[i - 1];
		u32 at = i - 1;
		if (!is_settable(&row))
			continue;
		for (; at > done; at--)
			rows[at] = rows[at - 1];
		rows[done++] = row;
	}
}

const struct kmem_change *kmem_doctor_best(struct kmem_session *s, u32 max, u32 *nr)
{
	struct doctor *d = &memory_of(s)->doctor;

	*nr = 0;
	if (!d->has_base)
		return session_none(s, KMEM_ESTATE, not_begun);
	max = MIN(max, d->nr);
	struct kmem_change *rows = scratch_rows(s, max, sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 i = 0; i < d->nr; i++) {
		struct kmem_change row = row_of(s, d, i);
		if (is_worth_a_row(s, d, &row))
			*nr = insert(rows, *nr, max, &row);
	}
	put_settable_first(rows, *nr);
	for (u32 i = 0; i < *nr; i++)
		put_texts(s, &rows[i]);
	return rows;
}
