/*
 * experiment_judge.c - applies the rules of proposals.def: does a figure agree with the real kernel's or the
 * proposal's? It also formats numbers for sentences.
 *
 * proposals.def defines each rule and names the source of its numbers.
 */
#include "studies/experiment.h"

/* Rounds down; a whole number is exact enough for the standard deviation of a spread. */
u64 square_root(u64 n)
{
	u64 low = 0, high = (u64)1 << 32;

	while (low + 1 < high) {
		u64 mid = low + (high - low) / 2;
		if (mid * mid <= n)
			low = mid;
		else
			high = mid;
	}
	return low;
}

struct spread spread_of(const u64 *values, u32 nr)
{
	struct spread s = { .least = values[0] };
	u64 sum = 0, squares = 0, scale = 1;

	for (u32 i = 0; i < nr; i++) {
		s.least = MIN(s.least, values[i]);
		s.most = MAX(s.most, values[i]);
		sum += values[i];
	}
	s.mean = sum / nr;
	/* Drop the last digits, so that squares of large deviations from the mean fit in 64 bits. */
	while ((s.most - s.least) / scale > 1000000)
		scale *= 10;
	for (u32 i = 0; i < nr; i++) {
		u64 off = MAX(values[i], s.mean) - MIN(values[i], s.mean);
		squares += off / scale * (off / scale);
	}
	s.sd = nr > 1 ? square_root(squares / (nr - 1)) * scale : 0;
	return s;
}

u64 share_of(u64 part, u64 all)
{
	return all ? part * 10000 / all : 0;
}

void text_add_distance(struct text *t, s64 value, s64 from)
{
	if (value == from) {
		text_add(t, "equal to");
		return;
	}
	if (!from) {
		text_add(t, "more than");
		return;
	}
	intmax_t off = (value - from) * 10000 / from;
	text_print(t, "%.2jd %% %s", off < 0 ? -off : off, value < from ? "below" : "above");
}

/* Converts a value to another number of decimals, as precisely as it has them. */
static s64 rescaled(s64 value, u32 from, u32 to)
{
	for (; from < to; from++)
		value *= 10;
	for (; from > to; from--)
		value /= 10;
	return value;
}

/* ROUNDS */

static enum kmem_agreement rule_rounds(struct experiment *e, u32 figure)
{
	const struct kmem_figure_row *row = figure_row(e, figure);
	s64 ours = rescaled(row->ours_value, row->ours_decimals, row->real_decimals);
	int below = ours<row->real_least, above = ours> row->real_most;
	struct text *why = &e->texts;

	text_add_decimal(why, row->ours_value, row->ours_decimals);
	if (row->real_least == row->real_most) {
		text_add(why, ", where the real kernel always had ");
		text_add_decimal(why, row->real_least, row->real_decimals);
		text_add(why, ".");
		return below || above ? AGREEMENT_NO : AGREEMENT_YES;
	}
	text_add(why, below ? " is less than " : above ? " is more than " : " is between ");
	if (!above)
		text_add_decimal(why, row->real_least, row->real_decimals);
	text_add(why, !below && !above ? " and " : "");
	if (!below)
		text_add_decimal(why, row->real_most, row->real_decimals);
	text_add(why, below   ? ", the least of the real kernel's rounds."
		      : above ? ", the most of the real kernel's rounds."
			      : ", as in the real kernel's rounds.");
	return below || above ? AGREEMENT_NO : AGREEMENT_YES;
}

/* ONCE */

static const u64 factors[NR_RULES] = {
#define RULE(id, hundredths, words) hundredths,
#include "tables/proposals/proposals.def"
#undef RULE
};

/* Adds " against the real kernel's 2.810"; returns the value that ours is compared with, and its decimals. */
static s64 add_other(struct text *why, const struct kmem_figure_row *row, u32 *decimals)
{
	s64 other = row->has_real ? row->real_value : row->seed_value;

	*decimals = row->has_real ? row->real_decimals : row->seed_decimals;
	text_print(why, "%.*jd against the %s %.*jd", (int)row->ours_decimals,
		   (intmax_t)row->ours_value, row->has_real ? "real kernel's" : "proposal's",
		   (int)*decimals, (intmax_t)other);
	return other;
}

/* ratio: the larger by the smaller, in thousandths, rounded up. */
static enum kmem_agreement add_factor(struct text *why, u64 ratio, enum experiment_rule once,
				      int within)
{
	text_print(why, " is a factor of %.2jd, %s %.2jd.", (intmax_t)(ratio + 5) / 10,
		   within ? "within" : "beyond", (intmax_t)factors[once]);
	return within ? AGREEMENT_YES : AGREEMENT_NO;
}

static enum kmem_agreement rule_once(struct experiment *e, u32 figure, enum experiment_rule once)
{
	const struct kmem_figure_row *row = figure_row(e, figure);
	struct text *why = &e->texts;
	u32 decimals;
	s64 other = add_other(why, row, &decimals), ours = row->ours_value;

	if (!ours || !other || (ours < 0) != (other < 0)) {
		text_add(why, !ours && !other ? ": both are zero." : ": no factor relates them.");
		return !ours && !other ? AGREEMENT_YES : AGREEMENT_NO;
	}
	/* Count in halves of the last digit, because rounding may hide up to one half in either figure. */
	u32 all = MAX(decimals, row->ours_decimals);
	u64 a = (u64)rescaled(ours < 0 ? -ours : ours, row->ours_decimals, all) * 2,
	    b = (u64)rescaled(other < 0 ? -other : other, decimals, all) * 2,
	    a_off = (u64)rescaled(1, row->ours_decimals, all),
	    b_off = (u64)rescaled(1, decimals, all);
	u64 large = MAX(a, b), small = MIN(a, b), least = large - MIN(large, a > b ? a_off : b_off),
	    most = small + (a > b ? b_off : a_off);
	return add_factor(why, large * 1000 / small, once, least * 100 <= most * factors[once]);
}

enum kmem_agreement rule_share(struct experiment *e, u32 figure, enum experiment_rule once)
{
	const struct kmem_figure_row *row = figure_row(e, figure);
	struct text *why = &e->texts;
	u32 decimals;
	s64 other = add_other(why, row, &decimals), ours = row->ours_value;

	KASSERT(decimals == 2 && row->ours_decimals == 2);
	/* Compare the odds of the larger share with those of the smaller, in halves of the last digit. */
	u64 p = (u64)MAX(ours, other) * 2, q = (u64)MIN(ours, other) * 2, all = 20000;
	u64 least = (p - MIN(p, 1u)) * (all - q - MIN(all - q, 1u)), most = (all - p + 1) * (q + 1);
	u64 ratio = p * (all - q) * 1000 / MAX(q * (all - p), (u64)1);

	text_add(why, ", by odds,");
	return add_factor(why, ratio, once, least * 100 <= most * factors[once]);
}

enum kmem_agreement rule_value(struct experiment *e, u32 figure, enum experiment_rule once)
{
	return figure_row(e, figure)->has_spread ? rule_rounds(e, figure)
						 : rule_once(e, figure, once);
}

void judge_value(struct experiment *e, u32 figure, enum experiment_rule once)
{
	figure_judge(e, figure, figure_row(e, figure)->has_spread ? RULE_ROUNDS : once,
		     rule_value(e, figure, once));
}

/* ORDER */

u64 unknown_error_ppm(u32 rounds)
{
	u64 ppm = (u64)(figure_seed_value(FIG_NETIO_REAL_SLAB_SD) * 1000000 /
			figure_seed_value(FIG_NETIO_REAL_SLAB_AVG));

	return ppm * 1000 / square_root((u64)rounds * 1000000);
}

int time_changed(s64 change, u32 rounds)
{
	u64 ppm = (u64)(change < 0 ? -change : change) * 100, error = unknown_error_ppm(rounds);

	return ppm * ppm > 8 * error * error;
}

/* Returns -1 if a is less than b, 1 if it is more, 0 if they differ by at most two standard errors. */
static int side_of(s64 a, u64 a_ppm, s64 b, u64 b_ppm)
{
	/* Drop the last digits of long numbers, so that squares of thousandths fit in 64 bits. */
	while (MAX(a, b) > 1000000) {
		a /= 10;
		b /= 10;
	}
	u64 off = (u64)(a < b ? b - a : a - b) * 1000;
	u64 a_error = (u64)a * a_ppm / 1000, b_error = (u64)b * b_ppm / 1000;

	if (off * off <= 4 * (a_error * a_error + b_error * b_error))
		return 0;
	return a < b ? -1 : 1;
}

enum { MOST_RUNS = 64 };

/* The same for two means of the same traces, by the difference in each trace. */
static int paired_side(const struct timed *a, const struct timed *b)
{
	const u64 zero = (u64)1 << 40;
	u64 off[MOST_RUNS] = { 0 };

	KASSERT(a->nr_runs == b->nr_runs && a->nr_runs <= MOST_RUNS);
	for (u32 i = 0; i < a->nr_runs; i++)
		off[i] = zero + a->runs[i] - b->runs[i];
	struct spread s = spread_of(off, a->nr_runs);
	u64 mean = MAX(s.mean, zero) - MIN(s.mean, zero);
	if (!mean || mean * mean * a->nr_runs <= 4 * s.sd * s.sd)
		return 0;
	return s.mean < zero ? -1 : 1;
}

void judge_time(struct experiment *e, const struct timed *times, u32 nr, u32 which)
{
	const struct timed *a = times + which;
	const struct kmem_figure_row *row = figure_row(e, a->figure);
	struct text *why = &e->texts;
	const char *texts = why->buf - e->texts_at;
	u32 said = 0, broken = 0;

	for (u32 k = 0; k < nr; k++) {
		const struct timed *b = times + k;
		const struct kmem_figure_row *other = figure_row(e, b->figure);
		if (k == which)
			continue;
		int seed = side_of(row->seed_value, a->seed_ppm, other->seed_value, b->seed_ppm),
		    ours = a->runs ? paired_side(a, b)
				   : side_of(a->ours, a->ours_ppm, b->ours, b->ours_ppm);
		said += seed != 0;
		broken += seed && seed != ours;
		text_add(why, k > (which == 0) ? ". " : "");
		text_add_distance(why, a->ours, b->ours);
		text_add(why, " ");
		/* The name that distinguishes the two. */
		text_add(why, texts + (text_is(texts + row->row_at, texts + other->row_at)
					       ? other->column_at
					       : other->row_at));
		text_add(why, ours || a->ours == b->ours ? "" : ", too little to count");
		text_add(why, "; in the proposal it is ");
		text_add_distance(why, row->seed_value, other->seed_value);
		text_add(why, seed ? "" : ", too little to count");
	}
	text_add(why, ".");
	figure_judge(e, a->figure, RULE_ORDER,
		     !said    ? AGREEMENT_OPEN
		     : broken ? AGREEMENT_NO
			      : AGREEMENT_YES);
}

void judge_two_times(struct experiment *e, u32 first, u32 rounds)
{
	struct timed both[2];

	for (u32 i = 0; i < 2; i++)
		both[i] = (struct timed){
			.figure = first + i,
			.ours = figure_row(e, first + i)->ours_value,
			.seed_ppm = unknown_error_ppm(rounds),
			.ours_ppm = unknown_error_ppm(rounds),
		};
	for (u32 i = 0; i < 2; i++)
		judge_time(e, both, 2, i);
}

void judge_open(struct experiment *e, u32 first, u32 nr, const char *words)
{
	for (u32 i = 0; i < nr; i++) {
		text_add(&e->texts, words);
		figure_judge(e, first + i, RULE_OPEN, AGREEMENT_OPEN);
	}
}
