/*
 * where.c - where memory goes: the bytes of the pages in use, in parts that add up to them exactly, and in words.
 */
#include "query/memory/memory.h"
#include "sim/cache.h"

/*
 * Where memory goes: the bytes of the pages in use, in parts that add up to them exactly.
 *
 * Requests, rounding and tail waste are what the caches count. Free objects are found by a walk over the places, so
 * that each belongs to the place that holds it. Callers hold the rest in advance, and the caches count it as free.
 */

enum { NR_PLACES = NR_VALUES(kmem_place_kind) };

/* Amounts of a cache, or of all caches, in the order of their rows: of each part one, or one for each kind of place. */
enum {
	AT_REQUESTED,
	AT_ROUNDING,
	AT_TAIL,
	AT_FREE,
	AT_EMPTY = AT_FREE + NR_PLACES,
	AT_AHEAD = AT_EMPTY + NR_PLACES,
	AT_LOST,
	AT_INFERRED,
	AT_LARGE,
	NR_AMOUNTS
};

_Static_assert((u32)PART_TAIL == AT_TAIL && (u32)PART_LARGE - PART_AHEAD == AT_LARGE - AT_AHEAD,
	       "amounts are in the order of the parts");

struct amount {
	u64 bytes;
	u32 objects, slabs;
};

struct tally {
	struct amount at[NR_AMOUNTS];
	u32 slabs;
};

struct taker {
	struct visitor visitor;
	const struct world *w;
	struct tally *tally;
	struct kmem_place place; /* whose slabs and entries come next */
};

static void add(struct tally *t, u32 i, u64 bytes, u32 objects, u32 slabs)
{
	t->at[i].bytes += bytes;
	t->at[i].objects += objects;
	t->at[i].slabs += slabs;
}

static u32 slot_bytes(const struct taker *t, u32 cache)
{
	return cache_at(t->w, cache)->size;
}

/* Counts objects in a queue, an array cache or a sheaf. */
static void take_place(struct visitor *v, const struct kmem_place *place)
{
	struct taker *t = (struct taker *)v;

	t->place = *place;
	if (place->nr_entries)
		add(t->tally, AT_FREE + place->kind,
		    (u64)place->nr_entries * slot_bytes(t, place->cache), place->nr_entries, 0);
}

/* A node keeps slabs without an object in use on its lists of partial and of free slabs. */
static int is_kept_empty(const struct taker *t, const struct kmem_slab_row *row)
{
	return row->inuse == 0 && row->free_on_slab == row->objects &&
	       (t->place.kind == PLACE_NODE_PARTIAL || t->place.kind == PLACE_NODE_FREE);
}

static void take_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		      const struct kmem_extent *extents)
{
	struct taker *t = (struct taker *)v;
	u32 kind = t->place.kind, size = slot_bytes(t, row->cache), free = row->free_on_slab;
	int is_empty = is_kept_empty(t, row);

	for (u32 i = 0; i < row->objects; i++) {
		/* Cells that differ in size: those of one slab, in bytes. */
		if (extents && cells[i] == CELL_FREE)
			add(t->tally, AT_FREE + kind, extents[i].bytes, 1, 0);
		if (!extents && cells[i] == CELL_LOST)
			add(t->tally, AT_LOST, size, 1, 0);
	}
	if (extents)
		return;
	/* Only a cpu slab has a freelist of its CPU; elsewhere these objects are entries of a queue. */
	if (kind == PLACE_CPU_SLAB)
		free += row->free_on_cpu;
	add(t->tally, AT_INFERRED, (u64)row->inferred * size, row->inferred, 0);
	if (free)
		add(t->tally, (is_empty ? AT_EMPTY : AT_FREE) + kind, (u64)free * size, free,
		    (u32)is_empty);
}

/* Finds objects that the counts call free and that no place holds. */
static void find_ahead(struct kmem_session *s, const struct kmem_cache *c, struct tally *tally)
{
	u64 bytes = view_usage(s, c).free - tally->at[AT_LOST].bytes;

	for (u32 i = AT_FREE; i < AT_AHEAD; i++)
		bytes -= tally->at[i].bytes;
	add(tally, AT_AHEAD, bytes, (u32)(bytes / c->size), 0);
}

static void take(struct kmem_session *s, u32 cache, struct tally *tally)
{
	struct taker t = { .visitor = { 0, take_place, take_slab, visit_no_entry, NULL },
			   .w = s->w,
			   .tally = tally };

	s->replay.ops->walk(s->w, cache_at(s->w, cache), &t.visitor);
	find_ahead(s, cache_at(s->w, cache), tally);
}

/* Takes the amounts that the cache itself counts. */
static void take_counts(struct kmem_session *s, const struct kmem_cache *c, struct tally *tally)
{
	struct usage use = view_usage(s, c);

	add(tally, AT_REQUESTED, c->requested, c->live, 0);
	add(tally, AT_ROUNDING, use.slots - c->requested, 0, 0);
	add(tally, AT_TAIL, use.tail, 0, 0);
	tally->slabs = c->slabs;
}

/* Fills the rows of a cache; without room for them it only counts them. */
struct rows {
	struct kmem_memory_row *at;
	u32 nr, cache, shares;
	u32 scale; /* 1, or the sampling of the trace */
};

static u32 scaled(u32 n, u32 scale)
{
	return (u32)MIN((u64)n * scale, (u64)0xffffffff);
}

static void put(struct rows *r, u32 part, u32 place, struct amount amount)
{
	if (!amount.bytes && part != PART_PAGES)
		return;
	if (r->at)
		r->at[r->nr] =
			(struct kmem_memory_row){ .bytes = amount.bytes * r->scale,
						  .objects = scaled(amount.objects, r->scale),
						  .slabs = scaled(amount.slabs, r->scale),
						  .cache = (u16)r->cache,
						  .part = (u16)part,
						  .place = (u16)place,
						  .shares = (u16)r->shares };
	r->nr++;
}

/* Adds rows of the first nr amounts, and of their sum. */
static void put_rows(struct rows *r, const struct tally *tally, u32 nr)
{
	struct amount pages = { .slabs = nr == NR_AMOUNTS ? tally->slabs : 0 };

	for (u32 i = 0; i < nr; i++) {
		u32 part = i < AT_FREE	  ? i
			   : i < AT_EMPTY ? PART_FREE
			   : i < AT_AHEAD ? PART_EMPTY
					  : PART_AHEAD + i - AT_AHEAD;
		u32 place = i < AT_FREE || i >= AT_AHEAD ? KMEM_NONE : (i - AT_FREE) % NR_PLACES;
		put(r, part, place, tally->at[i]);
		pages.bytes += tally->at[i].bytes;
	}
	put(r, PART_PAGES, KMEM_NONE, pages);
}

/* Both passes take the same: the first counts the rows, the second stores them. */
static u32 list_rows(struct kmem_session *s, u32 only, const struct tally *tallies,
		     struct kmem_memory_row *at)
{
	struct rows r = { .at = at,
			  .shares = s->replay.ops->shared_slabs,
			  .scale = MAX(s->trace.report.sampling, 1u) };
	struct tally all = { .at = { [AT_LARGE] = { .bytes = s->w->large_bytes } } };

	for (u32 id = 0; id < s->w->nr_caches; id++) {
		const struct tally *one = &tallies[id];
		r.cache = id;
		/* A cache that shares its slabs counts only its own requests and rounding. */
		if (only == KMEM_ANY || only == id)
			put_rows(&r, one, r.shares ? (u32)AT_TAIL : (u32)NR_AMOUNTS);
		for (u32 i = 0; i < NR_AMOUNTS; i++)
			add(&all, i, one->at[i].bytes, one->at[i].objects, one->at[i].slabs);
		all.slabs += one->slabs;
	}
	r.cache = KMEM_NONE;
	if (only == KMEM_ANY)
		put_rows(&r, &all, NR_AMOUNTS);
	return r.nr;
}

const struct kmem_memory_row *kmem_memory(struct kmem_session *s, u32 cache, u32 *nr)
{
	*nr = 0;
	if (!s->w)
		return session_none(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	if (cache != KMEM_ANY && cache >= s->w->nr_caches)
		return session_none(s, KMEM_ESTATE,
				    "expected the number of a cache that exists at this position");
	/* Slabs that caches share belong to the first one. */
	u32 nr_caches = s->w->nr_caches,
	    nr_owners = s->replay.ops->shared_slabs ? MIN(nr_caches, 1u) : nr_caches;
	struct tally *tallies = scratch_rows(s, nr_caches, sizeof(*tallies));
	struct kmem_memory_row *rows = NULL;
	if (tallies) {
		memset(tallies, 0, nr_caches * sizeof(*tallies));
		for (u32 id = 0; id < nr_caches; id++) {
			take_counts(s, cache_at(s->w, id), &tallies[id]);
			if (id < nr_owners && (cache == KMEM_ANY || cache == id))
				take(s, id, &tallies[id]);
		}
		u32 nr_rows = list_rows(s, cache, tallies, NULL);
		rows = scratch_alloc(s, (u64)nr_rows * sizeof(*rows));
	}
	if (!rows)
		return session_none(
			s, KMEM_ENOMEM,
			"not enough memory for the parts of this many caches: select one cache");
	*nr = list_rows(s, cache, tallies, rows);
	return rows;
}

/*
 * Where memory goes, in two sentences for a person: the largest parts, and the largest caches.
 */

enum { PARTS_NAMED = 2, CACHES_NAMED = 3 };

static const char *const part_words[] = {
	[PART_REQUESTED] = "requests",
	[PART_ROUNDING] = "internal fragmentation",
	[PART_TAIL] = "tail waste",
	[PART_FREE] = "free objects",
	[PART_EMPTY] = "empty slabs that nodes keep",
	[PART_AHEAD] = "objects that callers hold for later",
	[PART_LOST] = "objects that debugging took out of use",
	[PART_INFERRED] = "objects in use before the trace began",
	[PART_LARGE] = "large kmalloc in whole pages",
};

static void add_size(struct text *t, u64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB" };
	u32 unit = 0, shift = 10;

	if (bytes < 1024) {
		text_print(t, "%ju byte{s}", (uintmax_t)bytes);
		return;
	}
	while (unit < 2 && bytes >> (shift + 10)) {
		unit++;
		shift += 10;
	}
	text_print(t, "%.1jd %s", (intmax_t)((bytes >> (shift - 10)) * 10 >> 10), units[unit]);
}

static u32 share_of(u64 bytes, u64 all)
{
	return all ? (u32)((bytes * 100 + all / 2) / all) : 0;
}

/* Returns the row with most bytes among those below a limit in the order of size; of equals the first. NULL: no
 * other. */
static const struct kmem_memory_row *next_largest(const struct kmem_memory_row *rows, u32 nr,
						  const struct kmem_memory_row *after,
						  int (*counts)(const struct kmem_memory_row *row))
{
	const struct kmem_memory_row *best = NULL;

	for (u32 i = 0; i < nr; i++) {
		const struct kmem_memory_row *row = &rows[i];
		if (!counts(row) || !row->bytes || (after && row == after) ||
		    (after &&
		     (row->bytes > after->bytes || (row->bytes == after->bytes && row < after))))
			continue;
		if (!best || row->bytes > best->bytes)
			best = row;
	}
	return best;
}

static int is_waste(const struct kmem_memory_row *row)
{
	return row->cache == KMEM_NONE && row->part != PART_REQUESTED && row->part != PART_PAGES;
}

static int is_cache(const struct kmem_memory_row *row)
{
	return row->cache != KMEM_NONE && row->part == PART_PAGES;
}

static u64 bytes_of(const struct kmem_memory_row *rows, u32 nr, u32 part)
{
	for (u32 i = 0; i < nr; i++)
		if (rows[i].cache == KMEM_NONE && rows[i].part == part)
			return rows[i].bytes;
	return 0;
}

/* Names the largest rows that count, the largest first. */
static u32 name_largest(const struct kmem_memory_row *rows, u32 nr,
			const struct kmem_memory_row **named, u32 most,
			int (*counts)(const struct kmem_memory_row *row))
{
	const struct kmem_memory_row *row = NULL;
	u32 nr_named = 0;

	while (nr_named < most && (row = next_largest(rows, nr, row, counts)) != NULL)
		named[nr_named++] = row;
	return nr_named;
}

static void add_parts(struct kmem_session *s, struct text *t, const struct kmem_memory_row *rows,
		      u32 nr, u64 pages)
{
	const struct kmem_memory_row *named[PARTS_NAMED];
	u32 nr_named = name_largest(rows, nr, named, PARTS_NAMED, is_waste);

	text_add(t, "Of ");
	add_size(t, pages);
	text_print(t, " in pages (%s), %u %% is requested memory", from_words(kmem_from(s)),
		   share_of(bytes_of(rows, nr, PART_REQUESTED), pages));
	for (u32 i = 0; i < nr_named; i++) {
		text_print(t, "%s%u %% %s", i + 1 == nr_named ? " and " : ", ",
			   share_of(named[i]->bytes, pages), part_words[named[i]->part]);
		if (named[i]->place != KMEM_NONE)
			text_print(t, " (%s)", place_words(named[i]->place));
	}
	text_add(t, ".");
}

static void add_caches(struct kmem_session *s, struct text *t, const struct kmem_memory_row *rows,
		       u32 nr, u64 pages)
{
	const struct kmem_memory_row *named[CACHES_NAMED];
	u32 nr_named = name_largest(rows, nr, named, CACHES_NAMED, is_cache);

	if (!nr_named)
		return;
	text_add(t, nr_named == 1 ? " The largest cache is " : " The largest caches are ");
	for (u32 i = 0; i < nr_named; i++) {
		text_print(t, "%s%s (",
			   !i		       ? ""
			   : i + 1 == nr_named ? " and "
					       : ", ",
			   cache_name(s->w, named[i]->cache));
		add_size(t, named[i]->bytes);
		text_print(t, ", %u %%)", share_of(named[i]->bytes, pages));
	}
	text_add(t, ".");
}

const char *kmem_memory_sentences(struct kmem_session *s)
{
	u32 nr;
	const struct kmem_memory_row *rows = kmem_memory(s, KMEM_ANY, &nr);
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	if (!rows)
		return NULL;
	u64 pages = bytes_of(rows, nr, PART_PAGES);
	if (!pages)
		return "No pages are in use.";
	/* Requested bytes come first: they do not depend on the start. */
	text_add(&t, "Live objects request ");
	add_size(&t, bytes_of(rows, nr, PART_REQUESTED) + bytes_of(rows, nr, PART_LARGE));
	text_add(&t, " (measured). ");
	add_parts(s, &t, rows, nr, pages);
	add_caches(s, &t, rows, nr, pages);
	return s->out.text;
}

const char *kmem_measured_text(struct kmem_session *s)
{
	const struct kmem_shape *shape = kmem_shape(s);
	struct text t = text_in(s->out.text, sizeof(s->out.text));
	u64 scale = MAX(s->trace.report.sampling, 1u);

	text_add(&t, "");
	if (!shape || !shape->requested_peak)
		return s->out.text;
	text_add(&t, "The trace requests at most ");
	add_size(&t, shape->requested_peak * scale);
	text_print(&t, " at once, after %'u event{s}, and ", shape->requested_peak_op);
	add_size(&t, shape->requested_now * scale);
	text_print(&t, " at the end, in %'u object{s} (measured).", shape->live_now);
	return s->out.text;
}
