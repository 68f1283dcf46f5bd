/*
 * experiment_judge.c - the rules by which a figure agrees with the seed's, and numbers in sentences.
 */
#include "experiment.h"

enum { SAYS_NOTHING_PER_MILLE = 10 };

/* Of these a spread's standard deviation is a whole number near enough. */
static u64 square_root(u64 n)
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
	/* Squares of what is far from the mean go into 64 bits when the last digits are left out. */
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

void text_add_decimal(struct text *t, s64 value, u32 decimals)
{
	u64 n = (u64)(value < 0 ? -value : value), unit = 1;

	for (u32 i = 0; i < decimals; i++)
		unit *= 10;
	if (value < 0)
		text_add(t, "-");
	text_add_u64(t, n / unit);
	if (!decimals)
		return;
	text_add(t, ".");
	for (unit /= 10; unit; unit /= 10)
		text_add_u64(t, n / unit % 10);
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
	s64 off = (value - from) * 10000 / from;
	text_add_decimal(t, off < 0 ? -off : off, 2);
	text_add(t, value < from ? " % below" : " % above");
}

int figure_side(s64 a, s64 b, u32 per_mille)
{
	s64 off = a < b ? b - a : a - b, larger = MAX(a, b);

	if (off * 1000 <= larger * (s64)per_mille)
		return 0;
	return a < b ? -1 : 1;
}

/* What tells b from a. */
static const char *name_beside(const struct experiment *e, const struct kmem_figure_row *a,
			       const struct kmem_figure_row *b)
{
	const char *texts = e->texts.buf - e->texts_at, *row = texts + b->row_at;

	return text_is(row, texts + a->row_at) ? texts + b->column_at : row;
}

void judge_order(struct experiment *e, const u32 *figures, u32 nr, u32 per_mille)
{
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_figure_row *a = figure_row(e, figures[i]);
		struct text *why = figure_why(e);
		u32 said = 0, broken = 0;
		for (u32 k = 0; k < nr; k++) {
			const struct kmem_figure_row *b = figure_row(e, figures[k]);
			int seed = figure_side(a->seed_value, b->seed_value,
					       SAYS_NOTHING_PER_MILLE);
			if (k == i)
				continue;
			said += seed != 0;
			broken += seed &&
				  seed != figure_side(a->ours_value, b->ours_value, per_mille);
			text_add(why, i + k > 1 && k ? "; " : "");
			text_add_distance(why, a->ours_value, b->ours_value);
			text_add(why, " ");
			text_add(why, name_beside(e, a, b));
			if (seed && !figure_side(a->ours_value, b->ours_value, per_mille))
				text_add(why, ", too little to count");
			text_add(why, ", in the seed ");
			text_add_distance(why, a->seed_value, b->seed_value);
			text_add(why, seed ? "" : ", as good as equal");
		}
		text_add(why, ".");
		figure_judge(e, figures[i],
			     !said    ? AGREEMENT_OPEN
			     : broken ? AGREEMENT_NO
				      : AGREEMENT_YES);
	}
}

/* The value with other decimals, as far as it has them. */
static s64 rescaled(s64 value, u32 from, u32 to)
{
	for (; from < to; from++)
		value *= 10;
	for (; from > to; from--)
		value /= 10;
	return value;
}

void judge_spread(struct experiment *e, u32 figure)
{
	const struct kmem_figure_row *row = figure_row(e, figure);
	s64 ours = rescaled(row->ours_value, row->ours_decimals, row->real_decimals);
	int below = ours<row->real_least, above = ours> row->real_most;
	struct text *why = figure_why(e);

	text_add_decimal(why, row->ours_value, row->ours_decimals);
	text_add(why, below   ? " is less than the least, "
		      : above ? " is more than the most, "
			      : " is between ");
	if (!above)
		text_add_decimal(why, row->real_least, row->real_decimals);
	text_add(why, !below && !above ? " and " : "");
	if (!below)
		text_add_decimal(why, row->real_most, row->real_decimals);
	text_add(why, ", that boots of the real kernel had.");
	figure_judge(e, figure, below || above ? AGREEMENT_NO : AGREEMENT_YES);
}

void judge_near(struct experiment *e, u32 figure, u32 per_mille)
{
	const struct kmem_figure_row *row = figure_row(e, figure);
	s64 with = row->has_real ? row->real_value : row->seed_value;
	u32 with_decimals = row->has_real ? row->real_decimals : row->seed_decimals,
	    decimals = MAX(row->ours_decimals, with_decimals);
	s64 ours = rescaled(row->ours_value, row->ours_decimals, decimals),
	    other = rescaled(with, with_decimals, decimals);
	struct text *why = figure_why(e);

	text_add_decimal(why, row->ours_value, row->ours_decimals);
	text_add(why, " is ");
	text_add_distance(why, ours, other);
	text_add(why, row->has_real ? " the real kernel's " : " the seed's ");
	text_add_decimal(why, with, with_decimals);
	text_add(why, "; within ");
	text_add_decimal(why, per_mille, 1);
	text_add(why, " % is near.");
	figure_judge(e, figure, figure_side(ours, other, per_mille) ? AGREEMENT_NO : AGREEMENT_YES);
}

void judge_open(struct experiment *e, const u32 *figures, u32 nr, const char *words)
{
	for (u32 i = 0; i < nr; i++) {
		text_add(figure_why(e), words);
		figure_judge(e, figures[i], AGREEMENT_OPEN);
	}
}
