/*
 * call_sites_lifetimes.c - percentiles of lifetimes, from a logarithmic histogram of each row.
 *
 *	pages[row]   0 0 7 3 5 0 …    a page for each power of two that a lifetime of the row begins with
 *	counts       page 1 | page 2 | …    2^precision counters each, from one power of two to the next
 *
 * When the pages are used up, each two counters become one, so memory is bounded and the precision is known: a percentile
 * is wrong by at most 1 part in 2^(precision + 1).
 */
#include "query/sites/call_sites.h"

/* Puts each two counters together; pages keep their numbers. */
static void coarsen(struct site_lifetimes *l)
{
	u32 nr = (l->nr_pages << l->precision) / 2;

	for (u32 i = 0; i < nr; i++)
		l->counts[i] = l->counts[2 * i] + l->counts[2 * i + 1];
	l->precision--;
}

static int is_full(const struct site_lifetimes *l)
{
	return l->nr_pages >= l->nr_counts >> l->precision;
}

void lifetimes_begin(struct site_lifetimes *l, u32 nr_rows)
{
	memset(l->pages, 0, nr_rows * sizeof(*l->pages));
	l->precision = FINEST_LIFETIMES;
	l->nr_pages = l->is_over = 0;
}

void lifetimes_add_page(struct site_lifetimes *l, u32 *page)
{
	while (is_full(l) && l->precision)
		coarsen(l);
	l->is_over |= is_full(l);
	if (l->is_over)
		return;
	memset(l->counts + (l->nr_pages << l->precision), 0, sizeof(*l->counts) << l->precision);
	*page = ++l->nr_pages;
}

/* The middle of the values that a counter counts. */
static u64 middle_of(const struct site_lifetimes *l, u32 octave, u32 counter)
{
	u64 top = (u64)1 << l->precision | counter;

	if (octave <= l->precision)
		return top >> (l->precision - octave);
	u32 shift = octave - l->precision;
	return (top << shift) + ((u64)1 << shift) / 2;
}

u32 lifetimes_rank(const struct site_lifetimes *l, u32 row, enum lifetime_kind kind,
		   const struct lifetime_range *of, u64 *percentiles)
{
	static const u8 per_cent[NR_PERCENTILES] = { 50, 90, 99 };
	u32 looked_at = 0, i = 0, last = octave_of(of->max);
	u64 nr = 0;

	for (u32 octave = octave_of(of->min); octave <= last; octave++) {
		u32 page = l->pages[row][(u32)kind + octave], nr_counters = 1u << l->precision;
		looked_at++;
		if (!page)
			continue;
		const u32 *counts = l->counts + ((page - 1) << l->precision);
		looked_at += nr_counters;
		for (u32 k = 0; k < nr_counters; k++) {
			nr += counts[k];
			for (; i < NR_PERCENTILES && nr * 100 >= (u64)of->nr * per_cent[i]; i++)
				percentiles[i] = MIN(MAX(middle_of(l, octave, k), of->min),
						     of->max);
		}
	}
	return looked_at;
}
