/*
 * accounting.c - finds out whether the kernel has kmalloc caches for accounted objects, kmalloc-cg-….
 *
 * Linux has them since 5.14, unless it is built without memory cgroups or booted without their accounting. It has them for
 * certain if some event names one. An older release has none, nor has a kernel whose kmem_cache_free lacks name=, as before
 * 5.12. It has none if a free names kmalloc-64 for an accounted object, or if its own counters name only plain kmalloc caches.
 * It has none if an accounted object lives in a page with others. Without a sign it has them, as most machines do. The caches of
 * the machine itself, which the caller may know, come first.
 */
#include "import/inferred/inferred.h"
#include "import/sites.h"
#include "params/kernel_release.h"
#include "sim/cache.h"
#include "util/text.h"

enum {
	LEAST_COUNTED = 32,	 /* accounted objects, until missing counters mean something */
	MOST_NEIGHBOURS = 65536, /* objects looked for in the pages of others */
	LARGEST_SHARED = 2048,	 /* bytes: a page has two such objects */
	PAGE_BYTES = 4096,	 /* no kernel has smaller pages */
};

/* Signs that the trace has. */
struct signs {
	u64 accounted; /* kmalloc requests */
	u32 is_named;  /* some cache is called kmalloc-cg-… */
	u32 is_plain;  /* a free names a plain cache for an accounted object */
};

static int begins(const struct import *im, u32 text, const char *with)
{
	const u8 *at = (const u8 *)im->trace->text + text;

	return text && text != NAME_KNOWN &&
	       span_begins(at, at + text_length((const char *)at), with);
}

static int is_accounting(const struct import *im, u32 text)
{
	return begins(im, text, "kmalloc-cg-");
}

static struct signs read_signs(const struct import *im)
{
	const struct trace *t = im->trace;
	const struct site_use *uses = im->uses.at;
	struct signs signs = { 0 };

	for (u32 i = 0; i < t->nr_sites; i++) {
		const struct site *site = &t->sites[i];
		int is_request = site->kind == OP_KMALLOC && site->kmalloc_type == KMALLOC_CGROUP;
		signs.is_named |= is_accounting(im, uses[i].freed_as) ||
				  (site->was == OP_FREE && is_accounting(im, site->cache_name));
		if (!is_request)
			continue;
		signs.accounted += uses[i].ops;
		signs.is_plain |= begins(im, uses[i].freed_as, "kmalloc-") &&
				  !is_accounting(im, uses[i].freed_as);
	}
	for (u32 i = 0; i < t->nr_caches; i++)
		signs.is_named |= is_accounting(im, t->caches[i].name);
	return signs;
}

static int is_before_5_14(const struct trace *t)
{
	static const u32 since[NR_PARTS] = { 5, 14, 0 };
	u32 part[NR_PARTS] = { 0 };

	return release_version(t->kernel, part) && release_is_newer(since, part);
}

/* Kernels with the _node events wrote no names before 5.12. */
static int is_before_5_12(const struct import *im)
{
	return !im->has_free_names && kind_at(im, KIND_CACHE_FREE)->lines &&
	       kind_at(im, KIND_KMALLOC_NODE)->lines + kind_at(im, KIND_CACHE_ALLOC_NODE)->lines;
}

/* Whether the kernel's own counters know plain kmalloc caches only: 1, or 0. If they know others, *is_named is 1. */
static int counts_plain_only(const struct import *im, u32 *is_named)
{
	const struct trace *t = im->trace;
	const struct kmem_kernel_counters_row *rows = t->counters_run.at;
	int has_plain = 0;

	for (u32 i = 0; i < t->nr_counters_rows; i++) {
		*is_named |= (u32)is_accounting(im, rows[i].name_at);
		has_plain |= begins(im, rows[i].name_at, "kmalloc-");
	}
	return has_plain && !*is_named;
}

/* Whether a live accounted object shares its page with one that is not, of the same class. */
static int shares_page(const struct import *im, const struct hash_slot *object, u32 *left)
{
	const struct site *sites = im->trace->sites, *own = &sites[alloc_site_of(object)];
	u32 bytes = own->slot;
	u64 page = object->key & ~(u64)(PAGE_BYTES - 1);

	if (!bytes || bytes > LARGEST_SHARED || bytes & (bytes - 1))
		return 0;
	for (u64 at = page; at < page + PAGE_BYTES && *left; at += bytes, --*left) {
		const struct hash_slot *other = hash_find(&im->pointers, at);
		const struct site *site = other->taken ? &sites[alloc_site_of(other)] : own;
		if (site->kind == OP_KMALLOC && site->slot == bytes &&
		    site->kmalloc_type == KMALLOC_NORMAL)
			return 1;
	}
	return 0;
}

/* Whether objects that live at the end show that they share pages. Hashed pointers show nothing. */
static int pages_are_shared(const struct import *im)
{
	const struct trace *t = im->trace;
	const struct hash_slot *slots = im->pointers.run.at;
	u32 left = MOST_NEIGHBOURS;

	for (u64 i = 0; !t->report.hashed && slots && i <= im->pointers.mask && left; i++) {
		const struct site *site = &t->sites[slots[i].taken ? alloc_site_of(&slots[i]) : 0];
		if (slots[i].taken && site->kind == OP_KMALLOC &&
		    site->kmalloc_type == KMALLOC_CGROUP && shares_page(im, &slots[i], &left))
			return 1;
	}
	return 0;
}

static int has_no_accounting(const struct import *im)
{
	struct signs signs = read_signs(im);
	int counts_plain = counts_plain_only(im, &signs.is_named);

	if (!signs.accounted || signs.is_named)
		return 0;
	return im->trace->lacks_accounting || is_before_5_14(im->trace) || is_before_5_12(im) ||
	       signs.is_plain || (counts_plain && signs.accounted >= LEAST_COUNTED) ||
	       pages_are_shared(im);
}

int import_accounting(struct import *im)
{
	struct trace *t = im->trace;
	const struct site_use *uses = im->uses.at;

	if (!has_no_accounting(im))
		return 0;
	for (u32 i = 0; i < t->nr_sites && im->status == KMEM_OK; i++) {
		struct site *site = &t->sites[i];
		if (site->kmalloc_type != KMALLOC_CGROUP)
			continue;
		site->kmalloc_type = KMALLOC_NORMAL;
		if (site->kind != OP_KMALLOC)
			continue;
		site->cache_name = kmalloc_name(im, KMALLOC_NORMAL, site->slot);
		struct kmem_trace_cache_row *rows = im->rows.at;
		if (uses[i].row != ROW_NONE && is_accounting(im, rows[uses[i].row].name_at))
			rows[uses[i].row].name_at = site->cache_name;
	}
	return 1;
}
