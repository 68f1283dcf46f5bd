/*
 * freed_names.c - names the caches of allocations whose events do not.
 *
 *	kmem_cache_alloc: call_site=getname_flags+0x24/0x60 ptr=…a000 bytes_req=4096 bytes_alloc=4096	no name before 6.18
 *	kmem_cache_free: call_site=putname+0x4f/0x60 ptr=…a000 name=names_cache				since 5.12
 *
 * While a trace is read, the allocations of each call site and slot size have a cache of their own, whose id is the call
 * site. At the end it gets the name that frees of its objects have. At least three of four such frees must agree, otherwise the
 * files of the machine may name it (machine_names.c), or it stays a nameless cache, such as size-4096. Then caches of the same
 * name and slot size become one, and so do those that the machine has merged.
 */
#include "import/inferred/inferred.h"
#include "import/sites.h"

void import_freed_as(struct import *im, struct site_use *use, const struct span *name)
{
	im->has_free_names = 1;
	if (!name->len || use->freed_as == NAME_KNOWN)
		return;
	use->named_frees++;
	if (use->freed_as && same_text(im, use->freed_as, name)) {
		use->lead++;
	} else if (!use->lead) {
		use->freed_as = intern_span(im, name);
		use->lead = 1;
	} else {
		use->lead--;
	}
}

int import_nameless(struct import *im, u32 cache, u32 row)
{
	if (!import_grow(im, &im->nameless, (im->nr_nameless + 1) * sizeof(struct nameless)))
		return 0;
	((struct nameless *)im->nameless.at)[im->nr_nameless++] = (struct nameless){ .cache = cache,
										     .row = row };
	return 1;
}

/* Adds one site's vote. The candidate that is left has the majority, if there is one. */
static void add_vote(struct nameless *n, const struct site_use *use)
{
	n->named += use->named_frees;
	if (!n->name || n->name == use->freed_as) {
		n->name = use->freed_as;
		n->lead += use->lead;
	} else if (n->lead >= use->lead) {
		n->lead -= use->lead;
	} else {
		n->name = use->freed_as;
		n->lead = use->lead - n->lead;
	}
}

static struct nameless *nameless_of(const struct import *im, u32 cache)
{
	struct nameless *all = im->nameless.at;
	u32 low = 0, high = im->nr_nameless;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		if (all[middle].cache < cache)
			low = middle + 1;
		else
			high = middle;
	}
	return low < im->nr_nameless && all[low].cache == cache ? &all[low] : NULL;
}

/* While it has no name, its id is its call site. */
static void name_by_machine(struct import *im, struct trace_cache *cache)
{
	const char *name = import_machine_name(im, trace_text(im->trace, cache->id), cache);

	if (name)
		cache->name = intern_text(im, name);
}

/* The machine has one cache where these have two names. The first one found stands for both. */
static void merge_as_machine(struct import *im)
{
	struct trace *t = im->trace;
	const struct machine_names *m = &t->machine_names;

	for (u32 i = 0; m->machine && i < t->nr_caches; i++)
		t->caches[i].id =
			intern_text(im, m->target(m->machine, trace_text(t, t->caches[i].name)));
}

/* Counts the votes, and gives each nameless cache and its row the name. */
static void give_names(struct import *im)
{
	struct trace *t = im->trace;
	const struct site_use *uses = im->uses.at;
	struct kmem_trace_cache_row *rows = im->rows.at;
	struct nameless *all = im->nameless.at;

	for (u32 i = 0; i < t->nr_sites; i++) {
		const struct site *site = &t->sites[i];
		struct nameless *n = site->was == OP_ALLOC ? nameless_of(im, site->cache) : NULL;
		if (n && uses[i].freed_as && uses[i].freed_as != NAME_KNOWN)
			add_vote(n, &uses[i]);
	}
	for (u32 i = 0; i < im->nr_nameless; i++) {
		struct trace_cache *cache = &t->caches[all[i].cache];
		/* Three of four agree if they lead the others by half of all. */
		if (all[i].name && all[i].lead >= all[i].named - all[i].named / 2)
			cache->name = all[i].name;
		else if (t->machine_names.machine)
			name_by_machine(im, cache);
		cache->id = cache->name;
		if (all[i].row != ROW_NONE)
			rows[all[i].row].name_at = cache->name;
	}
}

/* Makes caches of the same id and slot size one. to[i] is the new number of cache i. */
static void join_caches(struct trace *t, u16 *to)
{
	u32 nr = 0;

	for (u32 i = 0; i < t->nr_caches; i++) {
		const struct trace_cache cache = t->caches[i];
		u32 k = 0;
		while (k < nr && (t->caches[k].id != cache.id || t->caches[k].size != cache.size))
			k++;
		if (k == nr)
			t->caches[nr++] = cache;
		else
			t->caches[k].object_size = MAX(t->caches[k].object_size, cache.object_size);
		to[i] = (u16)k;
	}
	t->nr_caches = nr;
}

static void name_caches(struct import *im)
{
	struct trace *t = im->trace;
	u64 bytes = t->nr_caches * sizeof(u16);
	u32 nr_before = t->nr_caches;
	u16 *to;

	if (!im->nr_nameless || !(to = import_block(im, bytes)))
		return;
	give_names(im);
	merge_as_machine(im);
	join_caches(t, to);
	for (u32 i = 0; i < t->nr_sites; i++) {
		struct site *site = &t->sites[i];
		if (site->cache < nr_before)
			site->cache = to[site->cache];
		if (site->kind == OP_ALLOC)
			site->cache_name = t->caches[site->cache].name;
	}
	pool_free(t->pool, to, bytes);
}

/* Rows that are now of the same cache become one. */
static void join_rows(struct import *im)
{
	struct site_use *uses = im->uses.at;
	u64 bytes = im->nr_rows * sizeof(u32);
	u32 nr_before = im->nr_rows, *to = bytes ? import_block(im, bytes) : NULL;
	const struct kmem_trace_cache_row *rows = im->rows.at;

	if (!to)
		return;
	im->nr_rows = 0;
	/* A row's new place is never behind its old one. */
	for (u32 i = 0; i < nr_before; i++)
		to[i] = row_of(im, rows[i].name_at, rows[i].size);
	for (u32 i = 0; i < im->trace->nr_sites; i++)
		if (uses[i].row != ROW_NONE)
			uses[i].row = to[uses[i].row];
	pool_free(im->trace->pool, to, bytes);
}

void import_settle(struct import *im)
{
	/* A slabtrace and a workload say all of this themselves. */
	if (im->status != KMEM_OK || !im->format || im->format == &format_slabtrace ||
	    im->format->is_made)
		return;
	name_caches(im);
	if (import_accounting(im) || im->nr_nameless)
		join_rows(im);
}
