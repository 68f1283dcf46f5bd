/*
 * side.c - the numbers of one trace, for a comparison with another: the values of all rows at a position, the names of these rows,
 * and the call sites, as bytes that compare.c reads.
 */
#include "query/side.h"
#include "session/session.h"
#include "util/text.h"

static const struct total {
	const char *name;
	u16 at;
	u8 bytes, table;
} totals[] = {
#define TOTAL(table, field)                                                                      \
	{ #field, offsetof(struct kmem_totals, field), sizeof(((struct kmem_totals *)0)->field), \
	  COMPARED_##table }
	TOTAL(WASTE, waste_rounding),
	TOTAL(WASTE, waste_tail),
	TOTAL(WASTE, waste_free),
	TOTAL(WASTE, requested_bytes),
	TOTAL(WASTE, in_use_before_bytes),
	TOTAL(WASTE, slab_bytes),
	TOTAL(TOTALS, live_objects),
	TOTAL(TOTALS, slabs),
	TOTAL(TOTALS, partial),
	TOTAL(TOTALS, pages_in_use),
	TOTAL(TOTALS, pages_peak),
	TOTAL(TOTALS, large_bytes),
	TOTAL(TOTALS, cycles),
	TOTAL(TOTALS, lock_wait_cycles),
#undef TOTAL
};

static const char *const counters[] = {
#define COUNTER(key, words) #key,
#include "tables/allocators.def"
};

u32 kmem_side_at(struct kmem_session *s, u32 align, u64 longest, u32 point)
{
	u64 first = s->trace.report.time_first;
	u32 nr_ops = s->trace.nr_ops, low = 0, high = nr_ops;
	u64 whole = align == ALIGN_SHARE ? nr_ops : longest,
	    here = whole / NR_PARTS * point + whole % NR_PARTS * point / NR_PARTS;

	/* All events are done at the end, even those that come after later ones. */
	if (point >= NR_PARTS)
		return nr_ops;
	if (align != ALIGN_TIME)
		return (u32)MIN(here, (u64)nr_ops);
	while (low < high) {
		u32 mid = low + (high - low) / 2;
		if (kmem_op(s, mid)->time - first <= here)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Returns the values of all rows but call sites; those of caches come last, because their number grows. */
static const void *values_here(struct kmem_session *s, u32 *len_bytes)
{
	const struct kmem_totals t = *kmem_totals(s);
	u32 nr;
	const struct kmem_cache_row *c = kmem_cache_rows(s, &nr);
	u64 *values = scratch_alloc(s, (ARRAY_SIZE(totals) + NR_COUNTERS + (nr + 1) * MAX_AMOUNTS) *
					       sizeof(u64)),
	    *to = values;

	for (u32 i = 0; to && i < ARRAY_SIZE(totals); i++, to++) {
		*to = 0;
		memcpy(to, (const u8 *)&t + totals[i].at, totals[i].bytes);
	}
	for (u32 i = 0; to && i < NR_COUNTERS; i++)
		if (kmem_has_counter(s, i))
			*to++ = t.counters[i];
	const u64 curves[] = { t.slab_bytes, t.waste_rounding + t.waste_tail + t.waste_free,
			       t.live_objects, t.slabs, t.partial };
	for (u32 i = 0; to && i < ARRAY_SIZE(curves); i++)
		*to++ = curves[i];
	for (u32 i = 0; to && i < nr; i++, to += MAX_AMOUNTS) {
		u64 used = c[i].requested_bytes + c[i].in_use_before_bytes;
		to[0] = c[i].slab_bytes;
		to[1] = c[i].requested_bytes;
		to[2] = c[i].slab_bytes - MIN(c[i].slab_bytes, used);
		to[3] = c[i].live_objects;
		to[4] = c[i].slabs;
		to[5] = c[i].cycles;
	}
	*len_bytes = (u32)((u8 *)to - (u8 *)values);
	return values;
}

static struct side_row *put_row(struct side_row *row, u32 table, const char *name)
{
	memset(row, 0, sizeof(*row));
	row->table = table;
	row->first_op = row->peak_op = KMEM_NONE32;
	memcpy(row->name, name, MIN(text_length(name), (u32)MAX_ROW_NAME_BYTES - 1));
	return row + 1;
}

/* Returns the rows of these values. */
static const void *rows_here(struct kmem_session *s, u32 *len_bytes)
{
	u32 nr;
	const struct kmem_cache_row *c = kmem_cache_rows(s, &nr);
	u64 most = ARRAY_SIZE(totals) + NR_COUNTERS + 1 + nr;
	struct side_row *rows = scratch_alloc(s, most * sizeof(*rows)), *to = rows;

	if (!rows)
		return NULL;
	for (u32 i = 0; i < ARRAY_SIZE(totals); i++)
		to = put_row(to, totals[i].table, totals[i].name);
	for (u32 i = 0; i < NR_COUNTERS; i++) {
		if (!kmem_has_counter(s, i))
			continue;
		to = put_row(to, COMPARED_COUNTERS, counters[i]);
		for (char *p = to[-1].name; *p; p++)
			*p = (char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
	}
	to = put_row(to, COMPARED_CURVES, "all caches");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_life *life = kmem_life(s, i, KMEM_NONE32, KMEM_NONE32);
		to = put_row(to, COMPARED_CACHES, (const char *)s->pool.base + c[i].name_at);
		to[-1].first_op = life ? life->born_op : KMEM_NONE32;
		to[-1].peak_op = life ? life->slabs_peak_op : KMEM_NONE32;
	}
	*len_bytes = (u32)((u8 *)to - (u8 *)rows);
	return rows;
}

static const void *sites_here(struct kmem_session *s, u32 *len_bytes)
{
	const struct kmem_sites *sites = kmem_sites(s);
	const u8 *base = s->pool.base;

	if (!sites)
		return NULL;
	scratch_reset(s);
	const struct kmem_site_row *site = (const void *)(base + sites->rows_at);
	struct side_row *rows = scratch_alloc(s, (sites->nr_rows + 1ull) * sizeof(*rows));
	for (u32 i = 0; rows && i < sites->nr_rows; i++, site++) {
		const char *name = (const char *)base + site->call_site_at,
			   *cache = (const char *)base + site->cache_at;
		const u64 own[] = { site->live_bytes, site->live_objects, site->allocations,
				    site->bytes_requested, site->bytes_allocated };
		put_row(&rows[i], COMPARED_SITES, site->call_site_at && *name ? name : "unknown");
		if (site->cache_at)
			memcpy(rows[i].cache, cache,
			       MIN(text_length(cache), (u32)MAX_NAME_BYTES - 1));
		memcpy(rows[i].amounts, own, sizeof(own));
		rows[i].first_op = site->first_op;
		rows[i].peak_op = site->peak_op;
	}
	*len_bytes = sites->nr_rows * (u32)sizeof(*rows);
	return rows;
}

const u8 *kmem_side(struct kmem_session *s, u32 part, u32 *len_bytes)
{
	const void *bytes = NULL;

	*len_bytes = 0;
	if (part == SIDE_SITES)
		bytes = sites_here(s, len_bytes);
	else if (!s->timeline.built)
		session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	else if (!(bytes = (part == SIDE_ROWS ? rows_here : values_here)(s, len_bytes)))
		session_fail(s, KMEM_ENOMEM, "not enough memory for the numbers of a trace");
	return bytes;
}
