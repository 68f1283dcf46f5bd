/*
 * call_sites_lifetimes.c - percentiles of lifetimes, from logarithmic histograms of all rows in one table.
 *
 *	2^precision buckets from one power of two to the next; values below 2^(precision + 1) have buckets of their own
 *
 * A bucket takes memory once a lifetime falls into it. When the table is full, each two buckets become one, so memory is
 * bounded and the precision is known: a percentile is wrong by at most 1 part in 2^(precision + 1).
 */
#include "query/sites/call_sites.h"
#include "util/hash.h"

enum {
	BUCKET_BITS = 11,
	KIND_AT = BUCKET_BITS,
	ROW_AT,
	/* Neighbours lie in one line of the CPU's cache. */
	TOGETHER = 8,
};

_Static_assert((64 - FINEST_LIFETIMES) << FINEST_LIFETIMES < 1 << BUCKET_BITS,
	       "the last bucket has a number");
_Static_assert((u64)MAX_SITE_ROWS << ROW_AT < 0xffffffff, "each bucket of each row has a key");

static u32 bucket_of(u64 value, u32 precision)
{
	u32 high = 63 - (u32)__builtin_clzll(value | 1);
	u32 shift = high > precision ? high - precision : 0;

	return (shift << precision) + (u32)(value >> shift);
}

/* The smallest value of a bucket, and how many values it has. */
static u64 first_of(u32 bucket, u32 precision, u64 *width)
{
	u32 shift = bucket >> precision > 1 ? (bucket >> precision) - 1 : 0;

	*width = (u64)1 << shift;
	return (u64)(bucket - (shift << precision)) << shift;
}

static u32 key_of(u32 row, enum lifetime_kind kind, u32 bucket)
{
	return (row << ROW_AT | (u32)kind << KIND_AT | bucket) + 1;
}

/* Returns the slot of a key: the one that has it, or the free one where it belongs. */
static struct site_bucket *find(const struct site_lifetimes *l, u32 key)
{
	u32 line = (u32)(key / TOGETHER * HASH_MULTIPLIER >> 32);
	u32 i = (line * TOGETHER + key % TOGETHER) & l->mask;

	while (l->table[i].key && l->table[i].key != key)
		i = (i + 1) & l->mask;
	return &l->table[i];
}

static int is_full(const struct site_lifetimes *l)
{
	return l->nr > l->mask / 2;
}

static void put(struct site_lifetimes *l, u32 key, u32 nr)
{
	struct site_bucket *slot = find(l, key);

	l->nr += !slot->key;
	*slot = (struct site_bucket){ key, slot->nr + nr };
}

/* Halves the number of buckets, into the other table. */
static void coarsen(struct site_lifetimes *l)
{
	struct site_bucket *from = l->table;
	u64 width;

	l->table = l->spare;
	l->spare = from;
	memset(l->table, 0, ((u64)l->mask + 1) * sizeof(*l->table));
	l->nr = 0;
	for (u32 i = 0; i <= l->mask; i++) {
		u32 key = from[i].key - 1, bucket = key & ((1u << BUCKET_BITS) - 1);
		if (!from[i].key)
			continue;
		u64 value = first_of(bucket, l->precision, &width);
		put(l, key - bucket + bucket_of(value, l->precision - 1) + 1, from[i].nr);
	}
	l->precision--;
}

void lifetimes_begin(struct site_lifetimes *l)
{
	memset(l->table, 0, ((u64)l->mask + 1) * sizeof(*l->table));
	l->precision = FINEST_LIFETIMES;
	l->nr = l->is_over = 0;
}

void lifetimes_add(struct site_lifetimes *l, u32 row, enum lifetime_kind kind, u64 value)
{
	if (unlikely(l->is_over))
		return;
	struct site_bucket *slot = find(l, key_of(row, kind, bucket_of(value, l->precision)));
	if (likely(slot->key)) {
		slot->nr++;
		return;
	}
	while (is_full(l) && l->precision)
		coarsen(l);
	l->is_over = is_full(l);
	put(l, key_of(row, kind, bucket_of(value, l->precision)), 1);
}

u32 lifetimes_rank(const struct site_lifetimes *l, u32 row, enum lifetime_kind kind,
		   const struct lifetime_range *of, u64 *percentiles)
{
	static const u8 per_cent[NR_PERCENTILES] = { 50, 90, 99 };
	u32 bucket = bucket_of(of->min, l->precision), last = bucket_of(of->max, l->precision),
	    looked_at = last - bucket + 1;
	u64 nr = 0, width;

	for (u32 i = 0; i < NR_PERCENTILES; bucket++) {
		if (bucket > last)
			break;
		nr += find(l, key_of(row, kind, bucket))->nr;
		u64 middle = first_of(bucket, l->precision, &width) + width / 2;
		for (; i < NR_PERCENTILES && nr * 100 >= (u64)of->nr * per_cent[i]; i++)
			percentiles[i] = MIN(MAX(middle, of->min), of->max);
	}
	return looked_at;
}
