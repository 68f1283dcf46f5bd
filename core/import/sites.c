/*
 * sites.c - creates what many events share: caches and sites.
 */
#include "sim/cache.h"
#include "import/sites.h"
#include "util/text.h"

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

/* The kmalloc class name in the replayed kernel. A slot that fits no class keeps its own size. */
u32 kmalloc_name(struct import *im, u32 type, u32 bytes)
{
	char name[MAX_NAME_BYTES];
	u32 class = kmalloc_class(bytes, LARGEST_KMALLOC);

	if (class == KMALLOC_TOO_LARGE || kmalloc_class_size(class) != bytes)
		return sized_name(im, "kmalloc-", bytes);
	kmalloc_spec(LAYOUT_LINUX_6_1, type, class, name);
	return intern_text(im, name);
}

/* The call site has its own cache until inferred/freed_names.c knows the name. 0 if too many have one. */
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

#ifndef KMEM_FIRST_VIEW
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
#endif

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
			     .request = (u8)(r->marks >> RECIPE_REQUEST_AT) };
	struct site_use use = { .row = ROW_NONE, .freed_as = NAME_KNOWN };

	if (r->kmalloc_type == TYPE_BY_GFP)
		site.kmalloc_type = (u8)kmalloc_type_of(t->text + r->gfp,
							r->marks & RECIPE_ACCOUNTED);
	if (r->op == OP_FREE && !r->reason)
		use.row = r->bytes_alloc;
	else if (r->op == OP_FREE && r->cache_name)
		use.row = row_of(im, r->cache_name, 0);
	else if ((r->op == OP_ALLOC || r->op == OP_KMALLOC) && !place_alloc(im, r, &site, &use))
		return SITE_FULL;
#ifndef KMEM_FIRST_VIEW
	name_cache(im, r, &site);
#endif
	if (!more_sites(im) || !import_reserve(im, &im->sites))
		return 0;
	t->sites[t->nr_sites] = site;
	((struct packed *)im->recipes.at)[t->nr_sites] = packed;
	((struct site_use *)im->uses.at)[t->nr_sites] = use;
	u64 hash = packed_hash(packed);
	struct hash_slot *slot = hash_home(&im->sites, hash);
	while (slot->taken)
		slot = hash_behind(&im->sites, slot);
	hash_put(&im->sites, slot, (struct hash_slot){ hash, 0, t->nr_sites + 1 });
	return t->nr_sites++;
}

/* The site of a recipe; SITE_FULL when it needs a cache and there are too many. */
u32 import_site(struct import *im, const struct recipe *recipe)
{
	return find_site(im, *recipe);
}

/* The site of a free whose object was allocated at alloc_site. */
u32 free_site(struct import *im, const struct recipe *base, u32 alloc_site)
{
	return find_free_site(im, *base, alloc_site);
}
