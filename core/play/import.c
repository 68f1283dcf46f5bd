/*
 * import.c - struct event to struct op: pointers become handles, all that repeats becomes a site.
 *
 *	pointer ─ open addressing ─ handle (dense, the last one freed is used first) and site of the allocation
 *	texts and numbers of the event ─ recipe ─ open addressing ─ site
 *
 * A recording is not complete, and what was not recorded is made good here, always said in the report:
 *  - a pointer that is allocated while it is live was freed unseen: an implied free goes first;
 *  - a free of what was never seen allocated asks nothing of the replay, nor does a free of NULL. NULL that the
 *    kernel hashed (5.2 to 5.6) is a constant like any other and counts as an orphan: nothing tells it apart;
 *  - a failed allocation, and kmalloc(0), give no object.
 */
#include "../base/cache.h"
#include "import.h"

enum { FIRST_POINTERS = 4096, FIRST_SITES = 4096, ZERO_SIZE_PTR = 16, MAX_OBJECT_BYTES = 64 << 20 };

static u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * HASH_MULTIPLIER;
	return hash ^ hash >> 32;
}

/* Ops */

static int more_ops(struct import *im)
{
	struct trace *t = im->trace;
	u32 chunk = t->nr_ops / OPS_PER_CHUNK;

	if (chunk >= POOL_UNIT_BYTES / sizeof(struct op *)) {
		import_fail(im, KMEM_ELIMIT, "The trace has more operations than fit in a session; cut it by time.");
		return 0;
	}
	t->op_chunks[chunk] = pool_alloc(t->pool, OPS_PER_CHUNK * sizeof(struct op));
	if (!t->op_chunks[chunk])
		import_out_of_memory(im);
	return t->op_chunks[chunk] != NULL;
}

/* Appends; NULL once the import has failed. */
struct op *import_op(struct import *im, const struct op *op, u64 time)
{
	struct trace *t = im->trace;
	u32 n = t->nr_ops;

	if (unlikely(im->status != KMEM_OK) || (n % OPS_PER_CHUNK == 0 && !more_ops(im)) ||
	    !times_add(im, n, time))
		return NULL;
	struct op *slot = &t->op_chunks[n / OPS_PER_CHUNK][n % OPS_PER_CHUNK];
	*slot = *op;
	((struct site_use *)im->uses.at)[op->site].ops++;
	if (n == 0 || time < t->report.time_first)
		t->report.time_first = time;
	if (time > t->report.time_last)
		t->report.time_last = time;
	im->last_time = time;
	t->nr_ops = n + 1;
	return slot;
}

/* Pointers */

ALWAYS_INLINE u64 pointer_home(const struct import *im, u64 key)
{
	u64 hash = key * HASH_MULTIPLIER;

	return (hash >> 32 ^ hash >> 12) & im->pointer_mask;
}

static int more_pointers(struct import *im)
{
	u64 nr = im->pointer_mask ? (im->pointer_mask + 1) * 2 : FIRST_POINTERS, old_mask = im->pointer_mask;
	struct trace_run old = im->pointers, run = { 0 };

	if (!run_grow(im, &run, nr * sizeof(struct pointer)))
		return 0;
	struct pointer *to = run.at;
	const struct pointer *from = old.at;
	im->pointer_mask = nr - 1;
	for (u64 i = 0; from && i <= old_mask; i++) {
		if (!from[i].site_plus_1)
			continue;
		u64 k = pointer_home(im, from[i].key);
		while (to[k].site_plus_1)
			k = (k + 1) & im->pointer_mask;
		to[k] = from[i];
	}
	run_free(im->trace->pool, &old);
	im->pointers = run;
	return 1;
}

struct pointer *pointer_find(struct import *im, u64 key)
{
	struct pointer *pointers = im->pointers.at;

	for (u64 i = pointer_home(im, key); pointers[i].site_plus_1; i = (i + 1) & im->pointer_mask) {
		if (pointers[i].key == key)
			return &pointers[i];
	}
	return NULL;
}

static void pointer_remove(struct import *im, struct pointer *gone)
{
	struct pointer *pointers = im->pointers.at;
	u64 hole = (u64)(gone - pointers), mask = im->pointer_mask;

	/* What follows and could be found only across the hole moves into it. */
	for (u64 i = (hole + 1) & mask; pointers[i].site_plus_1; i = (i + 1) & mask) {
		u64 home = pointer_home(im, pointers[i].key);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			pointers[hole] = pointers[i];
			hole = i;
		}
	}
	pointers[hole].site_plus_1 = 0;
	im->nr_pointers--;
}

static u32 take_handle(struct import *im)
{
	if (im->nr_free_handles)
		return ((u32 *)im->free_handles.at)[--im->nr_free_handles];
	return im->trace->nr_handles++;
}

/* An object is born under a key that is not live. */
void import_alloc(struct import *im, u64 key, u32 site, struct op *op, u64 time)
{
	if ((im->nr_pointers + 1) * 4 > (im->pointer_mask + 1) * 3 && !more_pointers(im))
		return;
	struct pointer *pointers = im->pointers.at;
	u64 i = pointer_home(im, key);

	while (pointers[i].site_plus_1)
		i = (i + 1) & im->pointer_mask;
	op->handle = take_handle(im);
	op->site = site;
	pointers[i] = (struct pointer){ key, op->handle, site + 1 };
	im->nr_pointers++;
	import_op(im, op, time);
}

void import_free(struct import *im, struct pointer *pointer, u32 site, struct op *op, u64 time)
{
	if (!run_grow(im, &im->free_handles, (im->nr_free_handles + 1) * (u64)sizeof(u32)))
		return;
	op->handle = pointer->handle;
	op->site = site;
	op->kind = OP_FREE;
	((u32 *)im->free_handles.at)[im->nr_free_handles++] = pointer->handle;
	pointer_remove(im, pointer);
	import_op(im, op, time);
}

/* Sites */

/* Adds a cache, or finds the recorded one of this name and size; CACHE_NONE when there are too many. */
u32 import_cache(struct import *im, const struct trace_cache *cache)
{
	struct trace *t = im->trace;

	for (u32 i = 0; i < t->nr_caches; i++) {
		if (t->caches[i].id == cache->id && t->caches[i].size == cache->size) {
			t->caches[i].object_size = MAX(t->caches[i].object_size, cache->object_size);
			return i;
		}
	}
	if (t->nr_caches == MAX_CACHES ||
	    !run_grow(im, &t->cache_run, (t->nr_caches + 1) * (u64)sizeof(*cache)))
		return CACHE_NONE;
	t->caches = t->cache_run.at;
	t->caches[t->nr_caches] = *cache;
	return t->nr_caches++;
}

static int more_sites(struct import *im)
{
	struct trace *t = im->trace;
	u64 nr = t->nr_sites + 1;

	if (!run_grow(im, &t->site_run, nr * sizeof(struct site)) ||
	    !run_grow(im, &im->recipes, nr * sizeof(struct recipe)) ||
	    !run_grow(im, &im->uses, nr * sizeof(struct site_use)))
		return 0;
	t->sites = t->site_run.at;
	return 1;
}

static u32 recipe_hash(const struct recipe *recipe)
{
	u64 words[4];

	memcpy(words, recipe, sizeof(words));
	return (u32)mix(mix(mix(mix(0, words[0]), words[1]), words[2]), words[3]);
}

static int more_site_slots(struct import *im)
{
	u32 nr = im->site_mask ? (im->site_mask + 1) * 2 : FIRST_SITES;
	struct trace_run run = { 0 };

	if (!run_grow(im, &run, nr * (u64)sizeof(u32)))
		return 0;
	u32 *slots = run.at;
	const struct recipe *recipes = im->recipes.at;
	for (u32 s = 0; s < im->trace->nr_sites; s++) {
		u32 k = recipe_hash(&recipes[s]) & (nr - 1);
		while (slots[k])
			k = (k + 1) & (nr - 1);
		slots[k] = s + 1;
	}
	run_free(im->trace->pool, &im->site_slots);
	im->site_slots = run;
	im->site_mask = nr - 1;
	return 1;
}

/* "size-192" for a cache that has no name, "kmalloc-192" for a class. */
static u32 sized_name(struct import *im, const char *stem, u32 bytes)
{
	char name[32];
	u32 n = 0, digits = 1;

	for (; stem[n]; n++)
		name[n] = stem[n];
	for (u32 rest = bytes; rest >= 10; rest /= 10)
		digits++;
	name[n + digits] = 0;
	for (u32 k = digits; k--; bytes /= 10)
		name[n + k] = (char)('0' + bytes % 10);
	return intern_text(im, name);
}

/* The cache and the report's row of an allocation; 0 when there are too many caches. */
static int place_alloc(struct import *im, const struct recipe *r, struct site *site, struct site_use *use)
{
	struct trace *t = im->trace;

	if (r->op == OP_KMALLOC) {
		site->cache = SITE_CACHE_KMALLOC;
		use->row = row_of(im, r->bytes_alloc ? sized_name(im, "kmalloc-", r->bytes_alloc) :
						       intern_text(im, "kmalloc"), r->bytes_alloc);
		return 1;
	}
	if (r->cache == CACHE_NONE) {
		struct trace_cache cache = { .object_size = r->bytes_req,
					     .size = r->bytes_alloc,
					     .flags = CACHE_NOMERGE };
		cache.name = r->cache_name ? r->cache_name : sized_name(im, "size-", r->bytes_alloc);
		cache.id = cache.name;
		site->cache = (u16)import_cache(im, &cache);
		if (site->cache == CACHE_NONE)
			return 0;
	}
	use->row = row_of(im, t->caches[site->cache].name, t->caches[site->cache].size);
	return 1;
}

static u32 new_site(struct import *im, const struct recipe *r)
{
	struct trace *t = im->trace;
	struct site site = { .call_site = r->call_site,
			     .name = r->kind_name,
			     .bytes = r->bytes_req,
			     .gfp = r->gfp,
			     .cache = r->cache,
			     .node = r->node,
			     .kind = r->reason ? OP_NOTHING : r->op,
			     .reason = r->reason,
			     .was = r->op,
			     .kmalloc_type = r->kmalloc_type };
	struct site_use use = { .row = ROW_NONE };

	if (r->op == OP_FREE && !r->reason)
		use.row = r->bytes_alloc;
	else if (r->op == OP_FREE && r->cache_name)
		use.row = row_of(im, r->cache_name, 0);
	else if ((r->op == OP_ALLOC || r->op == OP_KMALLOC) && !place_alloc(im, r, &site, &use))
		return SITE_FULL;
	if (r->kmalloc_type == TYPE_BY_GFP)
		site.kmalloc_type = (u8)kmalloc_type_of(t->text + r->gfp, r->accounted);
	if (!more_sites(im) ||
	    ((t->nr_sites + 1) * 2 > im->site_mask && !more_site_slots(im)))
		return 0;
	t->sites[t->nr_sites] = site;
	((struct recipe *)im->recipes.at)[t->nr_sites] = *r;
	((struct site_use *)im->uses.at)[t->nr_sites] = use;
	u32 *slots = im->site_slots.at;
	u32 i = recipe_hash(r) & im->site_mask;
	while (slots[i])
		i = (i + 1) & im->site_mask;
	slots[i] = t->nr_sites + 1;
	return t->nr_sites++;
}

/* The site of a recipe; SITE_FULL when it would need one cache too many. */
u32 import_site(struct import *im, const struct recipe *recipe)
{
	const struct recipe *recipes = im->recipes.at;
	const u32 *slots = im->site_slots.at;
	u64 words[4], other[4];

	memcpy(words, recipe, sizeof(words));
	for (u32 i = recipe_hash(recipe) & im->site_mask; slots && slots[i]; i = (i + 1) & im->site_mask) {
		memcpy(other, &recipes[slots[i] - 1], sizeof(other));
		if (!((words[0] ^ other[0]) | (words[1] ^ other[1]) | (words[2] ^ other[2]) | (words[3] ^ other[3])))
			return slots[i] - 1;
	}
	return new_site(im, recipe);
}

/* The site of a free: like base, with size and cache of the allocation. */
u32 free_site(struct import *im, const struct recipe *base, u32 alloc_site)
{
	const struct site *alloc = &im->trace->sites[alloc_site];
	struct recipe recipe = *base;

	recipe.op = OP_FREE;
	recipe.bytes_req = alloc->bytes;
	recipe.bytes_alloc = ((struct site_use *)im->uses.at)[alloc_site].row;
	recipe.cache = alloc->cache;
	recipe.kmalloc_type = alloc->kmalloc_type;
	return import_site(im, &recipe);
}

/* Events */

static void event_free(struct import *im, const struct event *ev, struct recipe *recipe, struct op *op)
{
	struct kmem_report *report = &im->trace->report;
	struct pointer *pointer;

	recipe->op = OP_FREE;
	report->frees++;
	if (ev->ptr_state == PTR_VALUE && ev->ptr == 0) {
		recipe->reason = REASON_NULL_FREE;
		report->null_frees++;
	} else if (ev->ptr_state == PTR_VALUE && (ev->ptr == ZERO_SIZE_PTR || ev->ptr == im->zero_size_ptr)) {
		recipe->reason = REASON_ZERO_SIZE;
	} else if (ev->ptr_state == PTR_VALUE && (pointer = pointer_find(im, ev->ptr))) {
		import_free(im, pointer, free_site(im, recipe, pointer->site_plus_1 - 1), op, ev->time);
		return;
	} else {
		recipe->reason = REASON_ORPHAN_FREE;
		recipe->cache_name = intern_span(im, &ev->cache);
		report->orphan_frees++;
	}
	op->site = import_site(im, recipe);
	import_op(im, op, ev->time);
}

/* The free that was not recorded of an object whose memory is handed out again. */
static void imply_free(struct import *im, struct pointer *pointer, const struct op *op, u64 time)
{
	struct op free_op = { .cpu = op->cpu, .flags = OP_IMPLIED };
	struct recipe recipe = { .kind_name = intern_text(im, "free"), .node = (u16)NODE_ANY };

	u32 site = free_site(im, &recipe, pointer->site_plus_1 - 1);
	((struct site_use *)im->uses.at)[site].row = ROW_NONE; /* the recording has no such free */
	im->trace->report.unseen_frees++;
	import_free(im, pointer, site, &free_op, time);
}

static void event_alloc(struct import *im, const struct event *ev, struct recipe *recipe, struct op *op)
{
	struct kmem_report *report = &im->trace->report;
	struct pointer *pointer;

	recipe->op = ev->what == WHAT_KMALLOC ? OP_KMALLOC : OP_ALLOC;
	recipe->gfp = intern_span(im, &ev->gfp);
	recipe->cache_name = intern_span(im, &ev->cache);
	recipe->bytes_req = ev->bytes_req;
	recipe->bytes_alloc = ev->bytes_alloc;
	recipe->node = (u16)ev->node;
	recipe->accounted = ev->accounted;
	recipe->kmalloc_type = ev->what == WHAT_KMALLOC ? TYPE_BY_GFP : 0;
	if (ev->what == WHAT_KMALLOC && ev->bytes_req == 0) {
		recipe->reason = REASON_ZERO_SIZE;
		im->zero_size_ptr = ev->ptr ? ev->ptr : ZERO_SIZE_PTR;
	} else if (ev->ptr_state == PTR_VALUE && ev->ptr == 0) {
		recipe->reason = REASON_FAILED_ALLOC;
	}
	u32 site = import_site(im, recipe);
	if (site == SITE_FULL) {
		import_problem(im, ev->cache.len ? ev->cache.at : NULL, "this is one cache more than the 4096 that are kept apart; cut the recording by cache");
		return;
	}
	report->allocs++;
	op->site = site;
	if (recipe->reason) {
		report->failed_allocs += recipe->reason == REASON_FAILED_ALLOC;
		import_op(im, op, ev->time);
		return;
	}
	op->kind = recipe->op;
	if (ev->ptr_state == PTR_UNKNOWN) {
		op->handle = take_handle(im);
		im->unknown_live++;
		import_op(im, op, ev->time);
		return;
	}
	pointer = pointer_find(im, ev->ptr);
	if (pointer)
		imply_free(im, pointer, op, ev->time);
	import_alloc(im, ev->ptr, site, op, ev->time);
}

void import_event(struct import *im, const struct event *ev)
{
	struct trace *t = im->trace;
	struct op op = { .handle = HANDLE_NONE, .cpu = (u16)ev->cpu };
	struct recipe recipe = { .node = (u16)NODE_ANY, .cache = (u16)CACHE_NONE };

	if (ev->cpu >= MAX_CPUS) {
		import_problem(im, NULL, "this CPU is past the 4096 that a machine may have");
		return;
	}
	if (ev->node != NODE_ANY && ev->node >= MAX_NODES) {
		import_problem(im, NULL, "this node is past the 1024 that a machine may have");
		return;
	}
	if (ev->what != WHAT_FREE && MAX(ev->bytes_alloc, ev->bytes_req) > MAX_OBJECT_BYTES) {
		import_problem(im, NULL, "no kernel hands out objects of more than 64 MiB: the size must be damaged");
		return;
	}
	if (ev->what == WHAT_CACHE_ALLOC && ev->bytes_alloc == 0) {
		import_problem(im, NULL, "an object of a cache cannot have 0 bytes: bytes_alloc must be damaged");
		return;
	}
	im->max_cpu_plus_1 = MAX(im->max_cpu_plus_1, ev->cpu + 1);
	if (ev->node != NODE_ANY)
		im->max_node_plus_1 = MAX(im->max_node_plus_1, ev->node + 1);
	t->report.hashed |= ev->hashed;
	recipe.call_site = intern_span(im, &ev->call_site);
	recipe.kind_name = kind_at(im, ev->kind)->name;
	if (ev->what == WHAT_FREE)
		event_free(im, ev, &recipe, &op);
	else
		event_alloc(im, ev, &recipe, &op);
}

s32 import_init(struct import *im)
{
	struct trace *t = im->trace;

	t->op_chunks = pool_alloc(t->pool, POOL_UNIT_BYTES);
	if (!t->op_chunks)
		return import_out_of_memory(im);
	if (!run_grow(im, &t->text_run, 16) || !more_pointers(im) || !times_open(im))
		return im->status;
	t->text = t->text_run.at;
	return KMEM_OK;
}
