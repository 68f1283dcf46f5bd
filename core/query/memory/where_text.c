/*
 * where_text.c - where memory goes, in two sentences for a person: the largest parts, and the largest caches.
 */
#include "query/memory/memory.h"

#include "sim/cache.h"

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
			   (const char *)cache_at(s->w, named[i]->cache)->name);
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
