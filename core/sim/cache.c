/* cache.c - caches, the common part of their slabs, and the order of a slab. */
#include "sim/cache.h"
#include "util/text.h"
#include "kmem_types.h"
#include "sim/page.h"

/*
 * Object layout, alignment, merging and the kmalloc classes, as Linux 6.1 has them.
 */

enum { WORD = 8, CACHE_LINE = 64 };

static const u32 class_sizes[NR_KMALLOC_CLASSES] = {
	8,    16,   32,	   64,	  96,	 128,	 192,	  256,	   512,	    1024,    2048,
	4096, 8192, 16384, 32768, 65536, 131072, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22
};

static u32 required_align(const struct cache_spec *spec)
{
	u32 align = spec->align;

	if (spec->flags & CACHE_HWCACHE_ALIGN) {
		u32 line = CACHE_LINE;
		while (spec->object_size <= line / 2)
			line /= 2;
		align = MAX(align, line);
	}
	return ALIGN_UP(MAX(align, (u32)WORD), (u32)WORD);
}

/* The order of these steps matters: see the picture in cache.h. */
static void lay_out(const struct world *w, struct kmem_cache *s, u32 asked_size)
{
	u32 flags = s->flags, bytes = ALIGN_UP(s->object_size, (u32)WORD);

	if (flags & CACHE_RED_ZONE && bytes == s->object_size)
		bytes += WORD;
	s->inuse = bytes;
	/* Since 7.0 a recorded kmalloc size keeps the free pointer out of an object with red zones. */
	int has_size = w->policy.object_layout >= LAYOUT_LINUX_7_0 && flags & CACHE_STORE_USER &&
		       flags & CACHE_KMALLOC;
	u32 size_bytes = w->policy.object_layout >= LAYOUT_LINUX_7_0 ? 8 : 4;
	if (flags & (CACHE_TYPESAFE_BY_RCU | CACHE_POISON | CACHE_CTOR) ||
	    (flags & CACHE_RED_ZONE && (s->object_size < WORD || has_size))) {
		s->offset = bytes;
		bytes += WORD;
	} else {
		s->offset = w->policy.link_first ? 0 : s->object_size / 2 & ~(u32)(WORD - 1);
	}
	if (flags & CACHE_STORE_USER)
		bytes += 2 * TRACK_BYTES + (flags & CACHE_KMALLOC ? size_bytes : 0);
	if (flags & CACHE_RED_ZONE) {
		s->red_left_pad = ALIGN_UP((u32)WORD, s->align);
		bytes += WORD + s->red_left_pad;
	}
	s->size = ALIGN_UP(MAX(bytes, asked_size), s->align);
}

static void copy_name(u8 *to, const char *from)
{
	u32 i = 0;

	for (; from[i] && i + 1 < MAX_NAME_BYTES; i++)
		to[i] = (u8)from[i];
	/* A truncated name must not end inside a UTF-8 sequence. */
	if (from[i])
		while (i > 0 && (to[i - 1] & 0xc0) == 0x80)
			i--;
	to[i] = 0;
}

struct kmem_cache *cache_new(struct world *w, const struct cache_spec *spec)
{
	if (!w->caches)
		w->caches = world_alloc(w, MAX_CACHES * (u32)sizeof(ref));
	if (w->nr_caches == MAX_CACHES)
		return NULL;
	ref new = world_alloc(w, sizeof(struct kmem_cache));
	struct kmem_cache *s = at(w, new);
	((ref *)at(w, w->caches))[w->nr_caches] = new;
	s->id = (u16)w->nr_caches++;
	s->refcount = 1;
	s->object_size = spec->object_size;
	s->flags = spec->flags;
	s->align = required_align(spec);
	copy_name(s->name, spec->name);
	lay_out(w, s, spec->size);
	s->cpus = world_alloc(w, w->machine.nr_cpus * (u32)sizeof(ref));
	return s;
}

u32 cache_named(const struct world *w, const char *name)
{
	for (u32 id = 0; id < w->nr_caches; id++)
		if (text_is(cache_name(w, id), name))
			return id;
	return CACHE_NONE;
}

struct kmem_cache *cache_find_mergeable(const struct world *w, const struct cache_spec *spec)
{
	u32 align = required_align(spec);
	u32 size = ALIGN_UP(MAX(ALIGN_UP(spec->object_size, (u32)WORD), spec->size), align);

	if (!w->policy.merge || spec->flags & CACHE_NEVER_MERGE)
		return NULL;
	for (u32 id = w->nr_caches; id-- > 0;) {
		struct kmem_cache *s = cache_at(w, id);
		if (s->flags & CACHE_NEVER_MERGE || size > s->size)
			continue;
		if ((s->flags ^ spec->flags) & CACHE_MERGE_SAME || s->size & (align - 1))
			continue;
		if (s->size - size < WORD)
			return s;
	}
	return NULL;
}

u32 cache_guess_align(u32 object_size, u32 size)
{
	struct cache_spec on_lines = { "", object_size, 0, 0, CACHE_HWCACHE_ALIGN };
	u32 line = required_align(&on_lines);

	if (ALIGN_UP(object_size, (u32)WORD) == size)
		return WORD;
	if (ALIGN_UP(object_size, line) == size)
		return line;
	/* Debugging with a free pointer after the object: the slot's largest natural alignment. */
	u32 align = size & -size;
	return CLAMP(align, (u32)WORD, (u32)CACHE_LINE);
}

u32 kmalloc_class(u32 bytes, u32 largest)
{
	if (bytes > largest)
		return KMALLOC_TOO_LARGE;
	for (u32 class = 0;; class ++)
		if (bytes <= class_sizes[class])
			return class;
}

u32 kmalloc_class_size(u32 class)
{
	return class_sizes[class];
}

struct cache_spec kmalloc_spec(enum object_layout layout, u32 type, u32 class, char *name)
{
	static const char *const prefix[NR_KMALLOC_TYPES] = { "kmalloc-", "kmalloc-rcl-",
							      "kmalloc-cg-", "dma-kmalloc-" };
	static const u32 type_flags[NR_KMALLOC_TYPES] = { 0, CACHE_RECLAIM, CACHE_ACCOUNT,
							  CACHE_DMA };
	u32 bytes = class_sizes[class], n = 0, power_of_two = !(bytes & (bytes - 1));
	u32 unit = bytes >= 1 << 20 ? 1 << 20 : bytes >= 1024 ? 1024 : 1, shown = bytes / unit;
	u32 digits = shown >= 100 ? 100 : shown >= 10 ? 10 : 1;
	/* Since 6.12 the largest power of two that divides the size: 32 for 96, 64 for 192. */
	u32 align = power_of_two || layout >= LAYOUT_LINUX_6_12 ? bytes & -bytes : 0;
	struct cache_spec spec = { name, bytes, bytes, align, CACHE_KMALLOC | type_flags[type] };

	for (const char *p = prefix[type]; *p; p++)
		name[n++] = *p;
	for (; digits; digits /= 10)
		name[n++] = (char)('0' + shown / digits % 10);
	if (unit > 1)
		name[n++] = unit == 1024 ? 'k' : 'M';
	name[n] = 0;
	return spec;
}

/*
 * Allocates and frees the pages of slabs; keeps the counts of caches and of the world.
 */

static void account(struct world *w, struct kmem_cache *s, const struct slab_head *slab, s32 sign)
{
	u64 bytes = (u64)1 << (w->machine.page_shift + slab->order);

	s->total_objects += (u32)(sign * slab->objects);
	s->slabs += (u32)sign;
	s->slabs_peak = MAX(s->slabs_peak, s->slabs);
	s->slab_bytes += sign > 0 ? bytes : 0 - bytes;
	w->slab_bytes += sign > 0 ? bytes : 0 - bytes;
	w->slabs += (u32)sign;
	w->slab_moves++;
}

static void link_newest(struct world *w, struct kmem_cache *s, struct slab_head *slab)
{
	ref self = ref_of(w, slab);

	slab->older = s->last_slab;
	if (s->last_slab)
		slab_head_at(w, s->last_slab)->newer = self;
	else
		s->first_slab = self;
	s->last_slab = self;
}

static void unlink_slab(struct world *w, struct kmem_cache *s, const struct slab_head *slab)
{
	if (slab->older)
		slab_head_at(w, slab->older)->newer = slab->newer;
	else
		s->first_slab = slab->newer;
	if (slab->newer)
		slab_head_at(w, slab->newer)->older = slab->older;
	else
		s->last_slab = slab->older;
}

static struct slab_head *make(struct world *w, struct kmem_cache *s, u32 node, u32 order,
			      u32 objects, u32 block_bytes, u32 highest, int here)
{
	ref new = world_alloc(w, block_bytes);
	u32 pfn = here ? page_alloc_here(w, node, order, new, highest)
		       : page_alloc(w, node, order, new, highest);

	if (pfn == PFN_NONE) {
		world_free(w, new, block_bytes);
		return NULL;
	}
	struct slab_head *slab = slab_head_at(w, new);
	slab->cache = ref_of(w, s);
	slab->serial = s->next_serial++;
	slab->pfn = pfn;
	slab->block_bytes = block_bytes;
	slab->objects = (u16)objects;
	slab->node = (u16)page_node(w, pfn);
	slab->order = (u8)order;
	slab->place = PLACE_TRANSIT;
	return slab;
}

struct slab_head *slab_make(struct world *w, struct kmem_cache *s, u32 node, u32 order, u32 objects,
			    u32 block_bytes)
{
	return make(w, s, node, order, objects, block_bytes, cache_zone(s), 0);
}

struct slab_head *slab_make_for_request(struct world *w, struct kmem_cache *s, u32 node, u32 order,
					u32 objects, u32 block_bytes)
{
	return make(w, s, node, order, objects, block_bytes, request_zone(w), 0);
}

struct slab_head *slab_make_here(struct world *w, struct kmem_cache *s, u32 node, u32 order,
				 u32 objects, u32 block_bytes)
{
	return make(w, s, node, order, objects, block_bytes, cache_zone(s), 1);
}

void slab_enter(struct world *w, struct kmem_cache *s, struct slab_head *slab)
{
	link_newest(w, s, slab);
	account(w, s, slab, 1);
}

void slab_leave(struct world *w, struct kmem_cache *s, struct slab_head *slab)
{
	unlink_slab(w, s, slab);
	account(w, s, slab, -1);
}

void slab_give_back(struct world *w, struct slab_head *slab)
{
	u32 pfn = slab->pfn, order = slab->order;

	world_free(w, ref_of(w, slab), slab->block_bytes);
	page_free(w, pfn, order);
}

/*
 * The order rules, and the thresholds that follow from an object's size.
 *
 * A try has a minimum number of objects m and a fraction f. It starts at the lowest order that holds m objects and ends
 * at the limit. It finds the first order whose tail waste is at most 1/f of the slab. The rules differ in the sequence
 * of m and f.
 */

struct search {
	u32 size, page_shift;
	u32 min_order, max_order;
	struct order_tries *tries;
};

static u32 fls32(u32 x)
{
	return x ? 32 - (u32)__builtin_clz(x) : 0;
}

u32 order_of_bytes(u32 page_shift, u64 len_bytes)
{
	u32 order = 0;

	while ((u64)1 << (page_shift + order) < len_bytes)
		order++;
	return order;
}

u32 order_objects(u32 page_shift, u32 order, u32 size)
{
	u64 fit = ((u64)1 << (page_shift + order)) / size;

	return (u32)MIN(fit, (u64)MAX_OBJS_PER_SLAB);
}

static void note(struct search *s, u32 m, u32 f, u32 order, u32 remainder, u32 accepted)
{
	if (!s->tries)
		return;
	if (s->tries->nr < ORDER_MAX_TRIES) {
		u32 outcome = accepted ? OUTCOME_ACCEPTED : OUTCOME_TOO_WASTEFUL;
		struct kmem_order_try row = { m, f, order, remainder, accepted, outcome, 0 };
		s->tries->row[s->tries->nr] = row;
	}
	s->tries->nr++;
}

/* Returns the first order in first…max that wastes at most 1/f; ORDER_NONE if there is none. */
static u32 try_orders(struct search *s, u32 m, u32 f, u32 first, u32 max)
{
	for (u32 o = first; o <= max; o++) {
		u64 bytes = (u64)1 << (s->page_shift + o);
		u32 remainder = (u32)(bytes % s->size);
		if (bytes < s->size)
			remainder = (u32)bytes;
		u32 fits = bytes >= s->size && remainder <= bytes / f;
		note(s, m, f, o, remainder, fits);
		if (fits)
			return o;
	}
	return ORDER_NONE;
}

static u32 try_objects(struct search *s, u32 m, u32 f, u32 max)
{
	u32 first = MAX(s->min_order, order_of_bytes(s->page_shift, (u64)m * s->size));

	return try_orders(s, m, f, first, max);
}

/* Accepts less waste first; the least number of objects falls by one, or by half. */
static u32 rule_by_waste(struct search *s, u32 m, int by_half)
{
	for (; m > 1; m = by_half ? m / 2 : m - 1) {
		for (u32 f = 16; f >= 4; f /= 2) {
			u32 o = try_objects(s, m, f, s->max_order);
			if (o != ORDER_NONE)
				return o;
		}
	}
	u32 o = try_objects(s, 1, 1, s->max_order);
	return o != ORDER_NONE ? o : try_objects(s, 1, 1, MAX_ORDER);
}

static u32 rule_rfc_2023(struct search *s, u32 m)
{
	u32 extra = (1u << s->page_shift) / 4096;

	if (extra == 1)
		extra = 0;
	for (; m >= 1; m--) {
		for (u32 f = 16 + extra; f >= 4; f /= 2) {
			u32 o = try_objects(s, m, f, s->max_order);
			if (o != ORDER_NONE)
				return o;
		}
	}
	return try_objects(s, 1, 1, MAX_ORDER);
}

static u32 rule_linux_6_7(struct search *s, u32 m)
{
	u32 first = MAX(s->min_order, order_of_bytes(s->page_shift, (u64)m * s->size));

	for (u32 f = 16; f > 1; f /= 2) {
		u32 o = try_orders(s, m, f, first, s->max_order);
		if (o != ORDER_NONE)
			return o;
	}
	u32 o = order_of_bytes(s->page_shift, s->size);
	return try_orders(s, 1, 1, o, MAX_ORDER);
}

u32 order_calculate(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		    struct order_tries *tries)
{
	struct search s = { size, page_shift, p->min_order, MAX(p->max_order, p->min_order),
			    tries };
	u32 m = p->min_objects ? p->min_objects : 4 * (fls32(nr_cpus) + 1);
	u32 max_objects = order_objects(page_shift, s.max_order, size);

	if (tries)
		tries->nr = 0;
	/* Returns the highest order at which an index can still number all objects. */
	if (!p->any_number_of_objects &&
	    ((u64)1 << (page_shift + p->min_order)) / size > MAX_OBJS_PER_SLAB) {
		u32 too_many = order_of_bytes(page_shift, (u64)MAX_OBJS_PER_SLAB * size);
		return MAX(too_many, 1u) - 1;
	}
	switch (p->order_rule) {
	case ORDER_RFC_2023:
		return rule_rfc_2023(&s, MIN(m, max_objects));
	case ORDER_LINUX_6_7:
		return rule_linux_6_7(&s, MIN(m, MAX(max_objects, 1)));
	case ORDER_LINUX_2_6_26:
		return rule_by_waste(&s, m, 1);
	default:
		return rule_by_waste(&s, MIN(m, max_objects), 0);
	}
}

enum { LEAST_MIN_PARTIAL = 5, LARGEST_MIN_PARTIAL = 10 };

u32 min_partial_written(const struct policy *p, u32 value)
{
	if (value == AUTOMATIC || !p->clamp_min_partial)
		return value;
	return CLAMP(value, (u32)LEAST_MIN_PARTIAL, (u32)LARGEST_MIN_PARTIAL);
}

u32 min_partial_of(const struct policy *p, u32 size)
{
	u32 log2 = fls32(size) - 1;

	if (p->min_partial != AUTOMATIC)
		return p->min_partial;
	if (p->min_partial_rule == MIN_PARTIAL_STATIC)
		return LEAST_MIN_PARTIAL;
	if (p->min_partial_rule == MIN_PARTIAL_MAINLINE)
		log2 /= 2;
	return CLAMP(log2, (u32)LEAST_MIN_PARTIAL, (u32)LARGEST_MIN_PARTIAL);
}

u32 cpu_partial_of(const struct policy *p, u32 page_shift, u32 size)
{
	static const u8 slabs_era[4] = { 6, 24, 52, 120 }, objects_era[4] = { 2, 6, 13, 30 };
	u32 step = size >= 1u << page_shift ? 0 : size >= 1024 ? 1 : size >= 256 ? 2 : 3;

	if (p->cpu_partial != AUTOMATIC)
		return p->cpu_partial;
	return p->cpu_partial_objects ? objects_era[step] : slabs_era[step];
}

u32 cpu_partial_slabs_of(u32 cpu_partial, u32 objects_per_slab)
{
	u64 slabs = DIV_ROUND_UP((u64)cpu_partial * 2, objects_per_slab);

	return (u32)MIN(slabs, (u64)0xffffffff);
}

u32 sheaf_capacity_of(const struct policy *p, u32 page_shift, u32 size)
{
	if (p->sheaf_capacity != AUTOMATIC)
		return p->sheaf_capacity;
	/* With a header of 32 bytes these fill a kmalloc class: 64, 128, 256 or 512 bytes. */
	return size >= 1u << page_shift ? 4 : size >= 1024 ? 12 : size >= 256 ? 28 : 60;
}
