/*
 * cache.h - struct kmem_cache: a cache, its object layout, and the kmalloc size classes.
 *
 *	slot: | left red pad | object … free pointer … | red zone | tracks | padding |
 *	                       ^ +0      ^ +offset        ^ +inuse
 *
 * All allocators share these fields. The refs `cpus` and `nodes` lead to an allocator's own data
 * per CPU and per node.
 *
 * Kernel: calculate_sizes() in mm/slub.c, mm/slab_common.c (6.1).
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include "kmem_types.h"
#include "sim/step.h"
#include "sim/world.h"

enum cache_flags {
	CACHE_HWCACHE_ALIGN = 1,
	CACHE_RECLAIM = 2,
	CACHE_CTOR = 4,
	CACHE_TYPESAFE_BY_RCU = 8,
	CACHE_RED_ZONE = 16,
	CACHE_POISON = 32,
	CACHE_STORE_USER = 64,
	CACHE_NOMERGE = 128,
	CACHE_SANITY = 256,
	CACHE_ACCOUNT = 512,
	CACHE_DMA = 1024,
	CACHE_KMALLOC = 2048,
	CACHE_LOWMEM = 4096, /* short queues, which save memory at the cost of speed (Unified V4) */
	CACHE_DMA32 = 8192,  /* pages below 4 GiB */
	CACHE_ASKED_SHEAVES = 16384, /* its creator asked for a sheaf capacity */
	CACHE_DEBUG = CACHE_RED_ZONE | CACHE_POISON | CACHE_STORE_USER | CACHE_SANITY,
	CACHE_NEVER_MERGE = CACHE_CTOR | CACHE_TYPESAFE_BY_RCU | CACHE_DEBUG | CACHE_NOMERGE |
		CACHE_KMALLOC,
	CACHE_MERGE_SAME = CACHE_RECLAIM | CACHE_DMA | CACHE_DMA32 | CACHE_ACCOUNT | CACHE_LOWMEM,
};

/* The capacity that 6.18 and 7.x ask for in maple_node and vm_area_struct. */
enum { ASKED_SHEAF_CAPACITY = 32 };

enum {
	TRACK_BYTES = 24
}; /* CPU, time and caller of an allocation or free; without the stack depot */

/* Byte values with which debugging fills unused memory (include/linux/poison.h, 6.1). */
enum {
	RED_INACTIVE = 0xbb,
	RED_ACTIVE = 0xcc,
	POISON_INUSE = 0x5a,
	POISON_FREE = 0x6b,
	POISON_END = 0xa5,
};

/* Kinds of kmalloc caches, in the kernel's order of precedence (kmalloc_type(), include/linux/slab.h, 6.1). */
enum kmalloc_type {
	KMALLOC_NORMAL,
	KMALLOC_RECLAIM,
	KMALLOC_CGROUP,
	KMALLOC_DMA,
	NR_KMALLOC_TYPES
};

enum { NR_KMALLOC_CLASSES = 22, LARGEST_KMALLOC_CLASS = 1 << 22, KMALLOC_TOO_LARGE = 0xff };

_Static_assert(ARRAY_SIZE(((struct world *)0)->kmalloc) == NR_KMALLOC_TYPES &&
		       ARRAY_SIZE(((struct world *)0)->kmalloc[0]) == NR_KMALLOC_CLASSES,
	       "the world has a place for each kmalloc cache");
_Static_assert(NR_KMALLOC_CLASSES <= KMALLOC_TOO_LARGE, "no class has the number for too large");

/* Whether CPUs have partial lists, and what limits their length. */
enum cpu_partial_unit { CPU_PARTIAL_NONE, CPU_PARTIAL_SLABS, CPU_PARTIAL_OBJECTS };

struct kmem_cache {
	ref cpus;	/* ref[nr_cpus]: the CPU's part of the cache, 0 until that CPU uses it */
	ref fast_cpus;	/* `cpus`, or as many zeros if no event may take the fast path */
	ref nodes;	/* the allocator's array [nr_nodes] */
	u32 size;	/* bytes of a slot */
	u32 live;	/* allocated objects */
	u32 flags;	/* enum cache_flags */
	u64 requested;	/* bytes requested in live objects */
	u64 slab_bytes; /* bytes in its slabs */
	u64 cycles;	/* cycles of its events, waiting included */
	u64 lock_wait_cycles;
	u32 object_size, inuse, offset, align, red_left_pad;
	u16 id;			    /* order of creation, from 0 */
	u16 order, objects;	    /* preferred */
	u16 min_order, min_objects; /* used when the preferred order fails */
	u16 refcount;		    /* caches merged into it, including itself */
	u16 cpu_partial_lists;	    /* enum cpu_partial_unit */
	u16 reserved;
	u32 min_partial, cpu_partial, cpu_partial_slabs;
	u32 defrag_ratio; /* as the kernel stores it: attribute x 10 */
	u32 slabs, slabs_peak, total_objects, partial;
	u32 next_serial;	   /* serial of the next slab */
	ref first_slab, last_slab; /* all slabs, oldest first */
	ref own;		   /* the allocator's further data of the cache */
	ref random_seq;		   /* u16[objects]: order of a fresh freelist, freelist_random=on */
	u8 name[MAX_NAME_BYTES];
};

/* Highest zone for slabs of the cache. The caller's flags do not count: the kernel takes the zone
 * of a slab from s->allocflags alone. */
ALWAYS_INLINE u32 cache_zone(const struct kmem_cache *s)
{
	if (s->flags & (CACHE_DMA | CACHE_DMA32))
		return s->flags & CACHE_DMA ? ZONE_DMA : ZONE_DMA32;
	return ZONE_NORMAL;
}

/* The request for a new cache. */
struct cache_spec {
	const char *name;
	u32 object_size;
	u32 size;  /* slot size in the trace, 0 if unknown; the slot is at least as large */
	u32 align; /* requested alignment, 0 for none */
	u32 flags;
};

/* Creates a cache with name and layout; the allocator sets order and thresholds. NULL if there are
 * MAX_CACHES. */
struct kmem_cache *cache_new(struct world *w, const struct cache_spec *spec);
ALWAYS_INLINE struct kmem_cache *cache_at(const struct world *w, u32 id)
{
	return (struct kmem_cache *)at(w, ((ref *)at(w, w->caches))[id]);
}

ALWAYS_INLINE const char *cache_name(const struct world *w, u32 id)
{
	return (const char *)cache_at(w, id)->name;
}

/* Returns the cache of that name; CACHE_NONE if there is none. */
u32 cache_named(const struct world *w, const char *name);
/* Returns an existing cache that can also serve the spec's objects, or NULL. */
struct kmem_cache *cache_find_mergeable(const struct world *w, const struct cache_spec *spec);
/* Returns an alignment that would round object_size up to size. */
u32 cache_guess_align(u32 object_size, u32 size);
/* Returns the class of a kmalloc request. KMALLOC_TOO_LARGE above `largest`, the size of the largest class.
 * bytes > 0. */
u32 kmalloc_class(u32 bytes, u32 largest);
u32 kmalloc_class_size(u32 class);
/* Returns the spec of the kmalloc cache; writes its name to name[MAX_NAME_BYTES]. */
struct cache_spec kmalloc_spec(enum object_layout layout, u32 type, u32 class, char *name);

/*
 * The common part of every slab: pages, a descriptor beside them, a number in its cache.
 *
 * An allocator's own descriptor starts with struct slab_head. So other code can refer to a slab without knowing its
 * allocator.
 */

struct slab_head {
	ref cache;
	u32 serial;	   /* number in its cache, 0 = first made */
	ref newer, older;  /* all slabs of the cache */
	u32 pfn;	   /* frame of its first page */
	u32 block_bytes;   /* bytes of the descriptor */
	u16 objects, node; /* node: home of its memory */
	u8 order, place;   /* place: enum kmem_place_kind */
	cacheline line;	   /* the descriptor's line */
};

ALWAYS_INLINE struct slab_head *slab_head_at(const struct world *w, ref slab)
{
	return at(w, slab);
}

ALWAYS_INLINE u64 slab_address(const struct world *w, ref slab)
{
	return (u64)slab_head_at(w, slab)->pfn << w->machine.page_shift;
}

/* Creates a slab of 2^order pages from `node` or its zonelist, with a zeroed descriptor of
 * block_bytes. Its head is filled in; its place is PLACE_TRANSIT. Views do not show it before
 * slab_enter(). NULL if no node has the pages. */
struct slab_head *slab_make(struct world *w, struct kmem_cache *s, u32 node, u32 order, u32 objects,
			    u32 block_bytes);
/* The same for slabs that serve all caches: the current request limits the zones, not a cache. */
struct slab_head *slab_make_for_request(struct world *w, struct kmem_cache *s, u32 node, u32 order,
					u32 objects, u32 block_bytes);
/* The same as slab_make(), from that node only. */
struct slab_head *slab_make_here(struct world *w, struct kmem_cache *s, u32 node, u32 order,
				 u32 objects, u32 block_bytes);
/* Adds the slab to its cache, right before the step that reports it. */
void slab_enter(struct world *w, struct kmem_cache *s, struct slab_head *slab);
/* Removes an unlisted slab from its cache, right before the step that reports it. */
void slab_leave(struct world *w, struct kmem_cache *s, struct slab_head *slab);
/* Frees the pages and the descriptor after slab_leave(). */
void slab_give_back(struct world *w, struct slab_head *slab);

/*
 * The order of a slab, and the two thresholds that follow from an object's size.
 *
 * The four rules are data: mainline up to 6.6, the 2023 proposal (finer fractions as pages grow),
 * 6.7 and later, and 2.6.26–2.6.28.
 *
 * Kernel: calculate_order(), calc_slab_order(), set_min_partial(), set_cpu_partial() in mm/slub.c.
 */

/* In the order of params.def. */
enum order_rule { ORDER_MAINLINE, ORDER_RFC_2023, ORDER_LINUX_6_7, ORDER_LINUX_2_6_26 };
enum slab_era { SLAB_LINUX_6_1, SLAB_LINUX_2_6_24 };
enum min_partial_rule { MIN_PARTIAL_MAINLINE, MIN_PARTIAL_RFC_2008, MIN_PARTIAL_STATIC };

enum { ORDER_MAX_TRIES = 512, ORDER_NONE = 0xffff };

struct order_tries {
	u32 nr; /* tries made; the first ORDER_MAX_TRIES are kept */
	struct kmem_order_try row[ORDER_MAX_TRIES];
};

/* Returns the order for slots of `size` bytes; ORDER_NONE if no order can hold one. tries may be NULL. */
u32 order_calculate(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		    struct order_tries *tries);
/* get_order(): the lowest order that holds len_bytes. */
u32 order_of_bytes(u32 page_shift, u64 len_bytes);
/* Returns the objects in a slab of that order, at most as many as an index can number. */
u32 order_objects(u32 page_shift, u32 order, u32 size);
u32 min_partial_of(const struct policy *p, u32 size);
/* Returns the attribute's value after a write of `value`, AUTOMATIC or a number. */
u32 min_partial_written(const struct policy *p, u32 value);
/* Returns the target number of objects on a per-CPU partial list (5.16 and later; smaller before). */
u32 cpu_partial_of(const struct policy *p, u32 page_shift, u32 size);
u32 cpu_partial_slabs_of(u32 cpu_partial, u32 objects_per_slab);
/* Returns the objects in a sheaf of a cache with slots of `size` bytes, by the rule of 7.0 if automatic. Kernel:
 * calculate_sheaf_capacity() in mm/slub.c, 7.2. */
u32 sheaf_capacity_of(const struct policy *p, u32 page_shift, u32 size);

#endif
