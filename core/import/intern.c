/*
 * intern.c - stores repeated things once: strings, event names, rows of the report, caches and sites.
 *
 * The scanner computes the hash of a string while it reads. A string found by its hash is compared
 * in full, eight bytes at a time. Stored strings lie on multiples of eight, padded with zeros; the
 * other text is masked.
 */
#include "import/import.h"
#include "util/text.h"
#include "sim/cache.h"
#include "import/sites.h"

enum { MAX_KIND_NAME = 40, MAX_COPIED_BYTES = 256 };

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
	hash_add(&im->texts, span->hash, text);
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

/* Returns a text as a span. It is copied, because words are loaded past its end. */
static struct span copied(const char *text, u8 *copy, u32 room)
{
	u32 len = MIN(text_length(text), room - 8);

	memset(copy, 0, room);
	memcpy(copy, text, len);
	return span_of(copy, copy + len);
}

u32 intern(struct import *im, const u8 *at, const u8 *end)
{
	if (at == end)
		return 0;
	struct span span = span_of(at, end);
	return intern_span(im, &span);
}

u32 intern_bytes(struct import *im, const u8 *at, u64 len)
{
	u8 copy[MAX_COPIED_BYTES + 8] = { 0 };

	len = MIN(len, (u64)MAX_COPIED_BYTES);
	memcpy(copy, at, len);
	return intern(im, copy, copy + len);
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

/*
 * The first view's module treats such an event like any it does not know. Its kind keeps the number, under a name that
 * no event has.
 */
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

/* Returns the report's row for a cache of this name and size, or of this name if the size is unknown. */
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

/* Creates what many events share: caches and sites. */

enum { LARGEST_KMALLOC = 2 << 16 };

/* Adds a cache, or finds the one of this name and size; CACHE_NONE when there are too many. */
u32 import_cache(struct import *im, const struct trace_cache *cache)
{
	struct trace *t = im->trace;

	for (u32 i = 0; i < t->nr_caches; i++) {
		if (t->caches[i].id == cache->id && t->caches[i].size == cache->size) {
			t->caches[i].object_size = MAX(t->caches[i].object_size,
						       cache->object_size);
			return i;
		}
	}
	if (t->nr_caches == MAX_CACHES ||
	    !import_grow(im, &t->cache_run, (t->nr_caches + 1) * (u64)sizeof(*cache)))
		return CACHE_NONE;
	t->caches = t->cache_run.at;
	t->caches[t->nr_caches] = *cache;
	return t->nr_caches++;
}

static int more_sites(struct import *im)
{
	struct trace *t = im->trace;
	u64 nr = t->nr_sites + 1;

	if (!import_grow(im, &t->site_run, nr * sizeof(struct site)) ||
	    !import_grow(im, &im->recipes, nr * sizeof(struct packed)) ||
	    !import_grow(im, &im->uses, nr * sizeof(struct site_use)))
		return 0;
	t->sites = t->site_run.at;
	return 1;
}

/* Names a nameless cache by its size: "size-192". */
static u32 sized_name(struct import *im, const char *stem, u32 bytes)
{
	char name[32];
	struct text out = text_in(name, sizeof(name));

	text_add_number(&out, stem, bytes);
	return intern_text(im, name);
}

/* Returns the kmalloc class name in the replayed kernel. A slot that fits no class keeps its own size. */
u32 kmalloc_name(struct import *im, u32 type, u32 bytes)
{
	char name[MAX_NAME_BYTES];
	u32 class = kmalloc_class(bytes, LARGEST_KMALLOC);

	if (class == KMALLOC_TOO_LARGE || kmalloc_class_size(class) != bytes)
		return sized_name(im, "kmalloc-", bytes);
	kmalloc_spec(LAYOUT_LINUX_6_1, type, class, name);
	return intern_text(im, name);
}

/* The call site has its own cache until inferred_names.c knows the name. 0 if too many have one. */
static int place_nameless(struct import *im, const struct recipe *r, struct trace_cache cache,
			  struct site *site, struct site_use *use)
{
	u32 before = im->trace->nr_caches;

	if (!r->call_site || before >= MAX_CACHES / 2)
		return 0;
	cache.id = r->call_site;
	site->cache = (u16)import_cache(im, &cache);
	use->row = row_of(im, cache.id, cache.size);
	use->freed_as = 0;
	return site->cache != CACHE_NONE &&
	       (im->trace->nr_caches == before || import_nameless(im, site->cache, use->row));
}

/* Sets an allocation's cache and report row; 0 when there are too many caches. */
static int place_alloc(struct import *im, const struct recipe *r, struct site *site,
		       struct site_use *use)
{
	struct trace *t = im->trace;

	if (r->op == OP_KMALLOC) {
		site->cache = SITE_CACHE_KMALLOC;
		if (site->kmalloc_type == KMALLOC_CGROUP)
			use->freed_as = 0;
		use->row = row_of(im,
				  r->bytes_alloc
					  ? kmalloc_name(im, site->kmalloc_type, r->bytes_alloc)
					  : intern_text(im, "kmalloc"),
				  r->bytes_alloc);
		return 1;
	}
	if (r->cache == CACHE_NONE) {
		struct trace_cache cache = { .object_size = r->bytes_req,
					     .size = r->bytes_alloc,
					     .flags = CACHE_NOMERGE };
		cache.name = r->cache_name ? r->cache_name
					   : sized_name(im, "size-", r->bytes_alloc);
		cache.id = cache.name;
		if (!r->cache_name && place_nameless(im, r, cache, site, use))
			return 1;
		site->cache = (u16)import_cache(im, &cache);
		if (site->cache == CACHE_NONE)
			return 0;
	}
	use->row = row_of(im, t->caches[site->cache].name, t->caches[site->cache].size);
	return 1;
}

/* Names the cache and the slot of an allocation, for queries about call sites. */
static void name_cache(struct import *im, const struct recipe *r, struct site *site)
{
	const struct trace *t = im->trace;

	if (r->op == OP_FREE || site->kind == OP_NOTHING) {
		site->cache_name = r->cache_name;
	} else if (r->op == OP_KMALLOC) {
		site->slot = r->bytes_alloc ? r->bytes_alloc : kmalloc_slot(site->bytes);
		site->cache_name = kmalloc_name(im, site->kmalloc_type, site->slot);
	} else if (r->op == OP_ALLOC) {
		site->slot = trace_slot(t, site);
		site->cache_name = t->caches[site->cache].name;
	}
}

u32 new_site(struct import *im, u64 w0, u64 w1, u64 w2, u64 w3)
{
	struct trace *t = im->trace;
	struct packed packed = { { w0, w1, w2, w3 } };
	struct recipe recipe, *r = &recipe;
	memcpy(r, &packed, sizeof(recipe));
	struct site site = { .call_site = r->call_site,
			     .name = r->kind_name,
			     .bytes = r->bytes_req,
			     .gfp = r->gfp,
			     .cache = r->cache,
			     .node = r->node,
			     .kind = r->reason ? OP_NOTHING : r->op,
			     .reason = r->reason,
			     .was = r->op,
			     .kmalloc_type = r->kmalloc_type,
			     .request = (r->marks & ~RECIPE_ELSEWHERE) >> RECIPE_REQUEST_AT };
	struct site_use use = { .row = ROW_NONE, .freed_as = NAME_KNOWN };

	if (r->marks & RECIPE_ELSEWHERE) {
		site.sheaf_cpu = (u16)(r->node + 1);
		site.node = (u16)NODE_ANY;
	}
	if (r->kmalloc_type == TYPE_BY_GFP)
		site.kmalloc_type = (u8)kmalloc_type_of(t->text + r->gfp,
							r->marks & RECIPE_ACCOUNTED);
	if (r->op == OP_FREE && !r->reason)
		use.row = r->bytes_alloc;
	else if (r->op == OP_FREE && r->cache_name)
		use.row = row_of(im, r->cache_name, 0);
	else if ((r->op == OP_ALLOC || r->op == OP_KMALLOC) && !place_alloc(im, r, &site, &use))
		return SITE_FULL;
	if (!IS_FIRST_VIEW)
		name_cache(im, r, &site);
	if (!more_sites(im) || !import_reserve(im, &im->sites))
		return 0;
	t->sites[t->nr_sites] = site;
	((struct packed *)im->recipes.at)[t->nr_sites] = packed;
	((struct site_use *)im->uses.at)[t->nr_sites] = use;
	hash_add(&im->sites, packed_hash(packed), t->nr_sites + 1);
	return t->nr_sites++;
}

/* Returns the site of a recipe; SITE_FULL when it needs a cache and there are too many. */
u32 import_site(struct import *im, const struct recipe *recipe)
{
	return find_site(im, *recipe);
}

/* Returns the site of a free whose object was allocated at alloc_site. */
u32 free_site(struct import *im, const struct recipe *base, u32 alloc_site)
{
	return find_free_site(im, *base, alloc_site);
}
