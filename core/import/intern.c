/*
 * intern.c - stores repeated things once: strings, event names, rows of the report.
 *
 * The scanner computes the hash of a string while it reads. A string found by its hash is compared
 * in full, eight bytes at a time. Stored strings lie on multiples of eight, padded with zeros; the
 * other text is masked.
 */
#include "import/import.h"
#include "util/text.h"

enum { MAX_KIND_NAME = 40 };

int import_grow(struct import *im, struct buffer *b, u64 need_bytes)
{
	if (buffer_grow(im->trace->pool, b, need_bytes))
		return 1;
	import_out_of_memory(im);
	return 0;
}

void *import_block(struct import *im, u64 bytes)
{
	void *block = pool_alloc(im->trace->pool, bytes);

	if (!block)
		import_out_of_memory(im);
	return block;
}

int import_reserve(struct import *im, struct hash *h)
{
	if (hash_reserve(im->trace->pool, h))
		return 1;
	import_out_of_memory(im);
	return 0;
}

/* Makes room for a string of len bytes and its padding. Returns its offset, or 0. */
static u32 more_text(struct import *im, u32 len)
{
	struct trace *t = im->trace;
	u32 at = t->text_bytes ? t->text_bytes : 8;
	u64 end = (u64)at + (len / 8 + 1) * 8;

	if (end > 0xffffffffu || !import_grow(im, &t->text_run, end + 8)) {
		import_out_of_memory(im);
		return 0;
	}
	t->text = t->text_run.at;
	t->text_bytes = (u32)end;
	return at;
}

NOINLINE u32 intern_new(struct import *im, const struct span *span)
{
	if (!import_reserve(im, &im->texts))
		return 0;
	u32 text = more_text(im, span->len);
	if (!text)
		return 0;
	memcpy(im->trace->text + text, span->at, span->len);
	struct hash_slot *slot = hash_home(&im->texts, span->hash);
	while (slot->taken)
		slot = hash_behind(&im->texts, slot);
	hash_put(&im->texts, slot, (struct hash_slot){ span->hash, 0, text });
	return text;
}

/* The string is not in the first slot, or not stored yet. */
u32 intern_slow(struct import *im, const struct span *span)
{
	const struct hash_slot *slot = hash_home(&im->texts, span->hash);

	for (; slot->taken; slot = hash_behind(&im->texts, slot))
		if (slot->key == span->hash && same_text(im, slot->taken, span))
			return slot->taken;
	return intern_new(im, span);
}

/* A text as a span: copied, as words are loaded past its end. */
static struct span copied(const char *text, u8 *copy, u32 room)
{
	u32 len = MIN(text_length(text), room - 8);

	memset(copy, 0, room);
	memcpy(copy, text, len);
	return span_of(copy, copy + len);
}

u32 intern_text(struct import *im, const char *text)
{
	u8 copy[MAX_PROBLEM_TEXT * 2 + 8];
	struct span span = copied(text, copy, sizeof(copy));

	return intern_span(im, &span);
}

u32 kind_find(const struct import *im, const struct span *name)
{
	const struct kind *kinds = im->kinds.at;

	for (u32 k = 0; k < im->nr_kinds; k++) {
		if (kinds[k].hash == name->hash && kinds[k].len_bytes == name->len &&
		    same_text(im, kinds[k].name, name))
			return k;
	}
	return KIND_NONE;
}

u32 kind_of(struct import *im, const struct span *name)
{
	struct kind *kinds;
	u32 found = kind_find(im, name);

	if (found != KIND_NONE)
		return found;
	if (im->nr_kinds == MAX_KINDS)
		return MAX_KINDS - 1;
	if (!import_grow(im, &im->kinds, (im->nr_kinds + 1) * sizeof(struct kind)))
		return 0;
	kinds = im->kinds.at;
	struct kind kind = { .hash = name->hash, .len_bytes = name->len };
	kind.name = intern_span(im, name);
	if (im->nr_kinds == MAX_KINDS - 1)
		kind.name = intern_text(im, "other events");
	kinds[im->nr_kinds] = kind;
	return im->nr_kinds++;
}

u32 kind_count(struct import *im, const struct span *name)
{
	u32 kind = kind_of(im, name);

	if (im->status == KMEM_OK)
		kind_at(im, kind)->lines++;
	return kind;
}

u32 kind_of_text(struct import *im, const char *name)
{
	u8 copy[MAX_KIND_NAME + 8];
	struct span span = copied(name, copy, sizeof(copy));

	return kind_of(im, &span);
}

u32 kind_count_text(struct import *im, const char *name)
{
	u32 kind = kind_of_text(im, name);

	if (im->status == KMEM_OK)
		kind_at(im, kind)->lines++;
	return kind;
}

/* The first view's module treats such an event like any that it does not know. Its kind keeps the number, under a name that no
 * event has. */
#define WHOLE_MODULE(name, nr) IS_FIRST_VIEW ? nr : name

/* The known tracepoints come first, whether they occur in the trace or not. */
void kinds_init(struct import *im)
{
	static const struct {
		const char *name;
		u8 what;
	} known[NR_KMEM_KINDS] = {
		[KIND_KMALLOC] = { "kmalloc", WHAT_KMALLOC },
		[KIND_KMALLOC_NODE] = { "kmalloc_node", WHAT_KMALLOC },
		[KIND_CACHE_ALLOC] = { "kmem_cache_alloc", WHAT_CACHE_ALLOC },
		[KIND_CACHE_ALLOC_NODE] = { "kmem_cache_alloc_node", WHAT_CACHE_ALLOC },
		[KIND_KFREE] = { "kfree", WHAT_FREE },
		[KIND_CACHE_FREE] = { "kmem_cache_free", WHAT_FREE },
		[KIND_SLUB_STAT] = { "slub_stat", WHAT_OTHER },
		[KIND_KFREE_RCU] = { WHOLE_MODULE("probe_kfree_rcu", "0"), WHAT_FREE },
		[KIND_SLUB_OP] = { WHOLE_MODULE("slub_op", "1"), WHAT_OTHER },
		[KIND_BULK_ALLOC] = { "kmem_cache_alloc_bulk", WHAT_OTHER },
		[KIND_BULK_FREE] = { "kmem_cache_free_bulk", WHAT_OTHER },
		[KIND_MARKER] = { "tracing_mark_write", WHAT_OTHER },
		[KIND_PRINT] = { "print", WHAT_OTHER },
		[KIND_PAGE_ALLOC] = { WHOLE_MODULE("mm_page_alloc", "2"), WHAT_OTHER },
		[KIND_PAGE_FREE] = { WHOLE_MODULE("mm_page_free", "3"), WHAT_OTHER },
		[KIND_BULK_ALLOC_PROBE] = { WHOLE_MODULE("probe_alloc_bulk", "4"), WHAT_OTHER },
		[KIND_BULK_FREE_PROBE] = { WHOLE_MODULE("probe_free_bulk", "5"), WHAT_OTHER },
		[KIND_PREFILL] = { WHOLE_MODULE("probe_prefill_sheaf", "6"), WHAT_OTHER },
		[KIND_REFILL] = { WHOLE_MODULE("probe_refill_sheaf", "7"), WHAT_OTHER },
		[KIND_RETURN] = { WHOLE_MODULE("probe_return_sheaf", "8"), WHAT_OTHER },
		[KIND_TAKE] = { WHOLE_MODULE("probe_alloc_from_sheaf", "9"), WHAT_OTHER },
		[KIND_GRACE] = { WHOLE_MODULE("probe_rcu_sheaf_done", "10"), WHAT_OTHER },
	};

	for (u32 k = 0; k < NR_KMEM_KINDS; k++) {
		if (kind_of_text(im, known[k].name) == k && im->status == KMEM_OK)
			kind_at(im, k)->what = known[k].what;
	}
}

/* The report's row for a cache of this name and size, or of this name if the size is unknown. */
u32 row_of(struct import *im, u32 name, u32 size)
{
	struct kmem_trace_cache_row *rows = im->rows.at;
	/* name_at is the text's number until the report is built. */
	for (u32 i = 0; i < im->nr_rows; i++) {
		if (rows[i].name_at == name && (rows[i].size == size || !size || !rows[i].size)) {
			rows[i].size = MAX(rows[i].size, size);
			return i;
		}
	}
	if (im->nr_rows == 2 * MAX_CACHES)
		return ROW_NONE;
	if (!import_grow(im, &im->rows, (im->nr_rows + 1) * sizeof(*rows)))
		return ROW_NONE;
	rows = im->rows.at;
	rows[im->nr_rows].name_at = name;
	rows[im->nr_rows].size = size;
	return im->nr_rows++;
}
