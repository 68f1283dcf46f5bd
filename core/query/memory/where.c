/*
 * where.c - where memory goes: the bytes of the pages in use, in parts that add up to them exactly, and in words.
 */
#include "query/memory/memory.h"
#include "sim/cache.h"

/*
 * Where memory goes: the bytes of the pages in use, in parts that add up to them exactly.
 *
 * Requests, rounding and tail waste are what the caches count. Free objects are found by a walk over the places, so that
 * each belongs to the place that has it. Callers hold the rest, which the caches count as free, ahead of use.
 */

enum { NR_PLACES = NR_VALUES(kmem_place_kind) };

struct amount {
	u64 bytes;
	u32 objects, slabs;
};

/* Free objects of a cache, or of all caches. */
struct tally {
	struct amount free[NR_PLACES], empty[NR_PLACES], lost, ahead, before;
};

struct taker {
	struct visitor visitor;
	const struct world *w;
	struct tally *tally;
	struct kmem_place place; /* whose slabs and entries come now */
};

static void add(struct amount *to, u64 bytes, u32 objects, u32 slabs)
{
	to->bytes += bytes;
	to->objects += objects;
	to->slabs += slabs;
}

static u32 slot_bytes(const struct taker *t, u32 cache)
{
	return cache_at(t->w, cache)->size;
}

/* Objects in a queue, an array cache or a sheaf. */
static void take_place(struct visitor *v, const struct kmem_place *place)
{
	struct taker *t = (struct taker *)v;

	t->place = *place;
	if (place->nr_entries)
		add(&t->tally->free[place->kind],
		    (u64)place->nr_entries * slot_bytes(t, place->cache), place->nr_entries, 0);
}

/* A node keeps slabs without an object in use on its lists of partial and of free slabs. */
static int is_kept_empty(const struct taker *t, const struct kmem_slab_row *row)
{
	return row->inuse == 0 && row->free_on_slab == row->objects &&
	       (t->place.kind == PLACE_NODE_PARTIAL || t->place.kind == PLACE_NODE_FREE);
}

/* Cells that differ in size: those of one slab, in bytes. */
static void take_blocks(struct taker *t, const struct kmem_slab_row *row, const u8 *cells,
			const struct kmem_extent *extents)
{
	for (u32 i = 0; i < row->objects; i++)
		if (cells[i] == CELL_FREE)
			add(&t->tally->free[t->place.kind], extents[i].bytes, 1, 0);
}

static void take_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		      const struct kmem_extent *extents)
{
	struct taker *t = (struct taker *)v;
	u32 kind = t->place.kind, size = slot_bytes(t, row->cache), lost = 0;
	u32 free = row->free_on_slab;

	if (extents) {
		take_blocks(t, row, cells, extents);
		return;
	}
	/* Only a cpu slab has a freelist of its CPU; elsewhere these objects are entries of a queue. */
	if (kind == PLACE_CPU_SLAB)
		free += row->free_on_cpu;
	for (u32 i = 0; i < row->objects; i++)
		lost += cells[i] == CELL_LOST;
	add(&t->tally->before, (u64)row->inferred * size, row->inferred, 0);
	if (lost)
		add(&t->tally->lost, (u64)lost * size, lost, 0);
	if (free && is_kept_empty(t, row))
		add(&t->tally->empty[kind], (u64)free * size, free, 1);
	else if (free)
		add(&t->tally->free[kind], (u64)free * size, free, 0);
}

/* Objects that the counts call free and that no place has. */
static void find_ahead(struct kmem_session *s, const struct kmem_cache *c, struct tally *tally)
{
	u64 bytes = view_usage(s, c).free - tally->lost.bytes;

	for (u32 place = 0; place < NR_PLACES; place++)
		bytes -= tally->free[place].bytes + tally->empty[place].bytes;
	tally->ahead = (struct amount){ bytes, (u32)(bytes / c->size), 0 };
}

static void take(struct kmem_session *s, u32 cache, struct tally *tally)
{
	struct taker t = { .visitor = { 0, take_place, take_slab, visit_no_entry, NULL },
			   .w = s->w,
			   .tally = tally };

	s->replay.ops->walk(s->w, cache_at(s->w, cache), &t.visitor);
	find_ahead(s, cache_at(s->w, cache), tally);
}

/* The rows of a cache; without room for them only their number. */
struct rows {
	struct kmem_memory_row *at;
	u32 nr, cache, shares;
	u32 scale; /* 1, or the sampling of the trace */
	u64 bytes; /* of the rows since the last total */
};

static u32 scaled(u32 n, u32 scale)
{
	return (u32)MIN((u64)n * scale, (u64)0xffffffff);
}

static void put(struct rows *r, u32 part, u32 place, struct amount amount)
{
	if (!amount.bytes && part != PART_PAGES)
		return;
	if (part != PART_PAGES)
		amount.bytes *= r->scale;
	amount.objects = scaled(amount.objects, r->scale);
	amount.slabs = scaled(amount.slabs, r->scale);
	if (r->at)
		r->at[r->nr] = (struct kmem_memory_row){ .bytes = amount.bytes,
							 .objects = amount.objects,
							 .slabs = amount.slabs,
							 .cache = (u16)r->cache,
							 .part = (u16)part,
							 .place = (u16)place,
							 .shares = (u16)r->shares };
	r->nr++;
	r->bytes += amount.bytes;
}

/* Everything that the caches and the world count, of one cache or of all. */
struct known {
	u64 requested, rounding, tail, large;
	u32 live, slabs;
};

static struct known known_of(struct kmem_session *s, const struct kmem_cache *c)
{
	struct usage use = view_usage(s, c);

	return (struct known){ .requested = c->requested,
			       .rounding = use.slots - c->requested,
			       .tail = use.tail,
			       .live = c->live,
			       .slabs = c->slabs };
}

static void add_known(struct known *sum, const struct known *one)
{
	sum->requested += one->requested;
	sum->rounding += one->rounding;
	sum->tail += one->tail;
	sum->live += one->live;
	sum->slabs += one->slabs;
}

static void put_free(struct rows *r, const struct tally *tally)
{
	for (u32 place = 0; place < NR_PLACES; place++)
		put(r, PART_FREE, place, tally->free[place]);
	for (u32 place = 0; place < NR_PLACES; place++)
		put(r, PART_EMPTY, place, tally->empty[place]);
	put(r, PART_AHEAD, KMEM_NONE, tally->ahead);
	put(r, PART_LOST, KMEM_NONE, tally->lost);
	put(r, PART_INFERRED, KMEM_NONE, tally->before);
}

/* tally NULL: a cache that shares its slabs, so nothing behind the rounding is its own. */
static void put_rows(struct rows *r, const struct known *known, const struct tally *tally)
{
	r->bytes = 0;
	put(r, PART_REQUESTED, KMEM_NONE, (struct amount){ known->requested, known->live, 0 });
	put(r, PART_ROUNDING, KMEM_NONE, (struct amount){ known->rounding, 0, 0 });
	if (tally) {
		put(r, PART_TAIL, KMEM_NONE, (struct amount){ known->tail, 0, 0 });
		put_free(r, tally);
	}
	put(r, PART_LARGE, KMEM_NONE, (struct amount){ known->large, 0, 0 });
	put(r, PART_PAGES, KMEM_NONE, (struct amount){ r->bytes, 0, tally ? known->slabs : 0 });
}

static void add_tally(struct tally *sum, const struct tally *one)
{
	for (u32 i = 0; i < NR_PLACES; i++) {
		add(&sum->free[i], one->free[i].bytes, one->free[i].objects, 0);
		add(&sum->empty[i], one->empty[i].bytes, one->empty[i].objects,
		    one->empty[i].slabs);
	}
	add(&sum->lost, one->lost.bytes, one->lost.objects, 0);
	add(&sum->before, one->before.bytes, one->before.objects, 0);
	add(&sum->ahead, one->ahead.bytes, one->ahead.objects, 0);
}

/* Both passes take the same: the first counts the rows, the second stores them. */
static u32 list_rows(struct kmem_session *s, u32 only, const struct tally *tallies,
		     struct kmem_memory_row *at)
{
	struct rows r = { .at = at,
			  .shares = s->replay.ops->shared_slabs,
			  .scale = MAX(s->trace.report.sampling, 1u) };
	struct known sum = { .large = s->w->large_bytes };
	struct tally all = { 0 };

	for (u32 id = 0; id < s->w->nr_caches; id++) {
		struct known known = known_of(s, cache_at(s->w, id));
		r.cache = id;
		if (only == KMEM_ANY || only == id)
			put_rows(&r, &known, r.shares ? NULL : &tallies[id]);
		add_known(&sum, &known);
		add_tally(&all, &tallies[id]);
	}
	r.cache = KMEM_NONE;
	if (only == KMEM_ANY)
		put_rows(&r, &sum, &all);
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
	struct tally *tallies = scratch_rows(s, s->w->nr_caches, sizeof(*tallies));
	if (tallies) {
		memset(tallies, 0, s->w->nr_caches * sizeof(*tallies));
		/* Slabs that caches share belong to the first one. */
		u32 nr_owners = s->replay.ops->shared_slabs ? MIN(s->w->nr_caches, 1u)
							    : s->w->nr_caches;
		for (u32 id = 0; id < nr_owners; id++)
			if (cache == KMEM_ANY || cache == id)
				take(s, id, &tallies[id]);
		u32 nr_rows = list_rows(s, cache, tallies, NULL);
		struct kmem_memory_row *rows = scratch_alloc(s, (u64)nr_rows * sizeof(*rows));
		if (rows) {
			*nr = list_rows(s, cache, tallies, rows);
			return rows;
		}
	}
	return session_none(s, KMEM_ENOMEM,
			    "not enough memory for the parts of so many caches: select one cache");
}

/*
 * Where memory goes, in two sentences for a person: the largest parts, and the largest caches.
 */

enum { PARTS_NAMED = 2, CACHES_NAMED = 3 };

static const char *const part_words[] = {
	[PART_REQUESTED] = "requests",
	[PART_ROUNDING] = "rounding up to the slot",
	[PART_TAIL] = "tail waste",
	[PART_FREE] = "free objects",
	[PART_EMPTY] = "empty slabs that nodes keep",
	[PART_AHEAD] = "objects that callers hold ahead of use",
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

/* The row with most bytes among those below a limit in the order of size; of equals the first. NULL: no other. */
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

static void add_parts(struct kmem_session *s, struct text *t, const struct kmem_memory_row *rows,
		      u32 nr, u64 pages)
{
	const struct kmem_memory_row *named[PARTS_NAMED], *row = NULL;
	u32 nr_named = 0;

	while (nr_named < PARTS_NAMED && (row = next_largest(rows, nr, row, is_waste)) != NULL)
		named[nr_named++] = row;
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
	const struct kmem_memory_row *named[CACHES_NAMED], *row = NULL;
	u32 nr_named = 0;

	while (nr_named < CACHES_NAMED && (row = next_largest(rows, nr, row, is_cache)) != NULL)
		named[nr_named++] = row;
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
		return "No page is in use.";
	/* Requested bytes come first: they do not depend on the start. */
	add_size(&t, bytes_of(rows, nr, PART_REQUESTED) + bytes_of(rows, nr, PART_LARGE));
	text_add(&t, " are requested by live objects (measured). ");
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
