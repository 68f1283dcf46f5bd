/*
 * slob.h - what SLOB and the segregated SLOB share, for use in their own files only.
 *
 *	SLOB         small  ● ⇄ ● ⇄ ●      a page holds blocks of any size: ▓▓░▓▓▓▓░░▓
 *	             medium ● ⇄ ●
 *	             large  ●              full pages are on no list
 *	segregated   node 0: 8 ● ⇄ ●  16 …  4096        a page holds objects of one size
 *
 * Pages serve all caches. They belong to cache 0, "slob", which also serves kmalloc. A named cache
 * has a size and an alignment but no pages. A request as large as a page gets pages of its own: a
 * run.
 */
#ifndef ALLOC_SLOB_SLOB_H
#define ALLOC_SLOB_SLOB_H

#include "sim/cache.h"
#include "alloc/ops.h"

enum {
	NR_SLOB_COUNTERS = PAGE_FREE - PAGE_NEW + 1,
	SLOB_FOOTER_BYTES =
		24, /* size of the struct slob_rcu that RCU needs in an object: two pointers and a size */
};

#define SLOB_MEASURES                                                            \
	(MEASURE_BIT(NUM_SEARCHES) | MEASURE_BIT(NUM_PAGES_VISITED) |            \
	 MEASURE_BIT(NUM_BLOCKS_VISITED) | MEASURE_BIT(NUM_MOST_PAGES_VISITED) | \
	 MEASURE_BIT(NUM_MOST_BLOCKS_VISITED) | MEASURE_BIT(NUM_HEAD_FRAGMENT_BYTES))

/* The descriptor of a page. The descriptors of both allocators start with it; a run needs nothing else. */
struct slob_page {
	struct slab_head
		head; /* objects: all blocks, allocated and free; place: the list's kind, or PLACE_LOOSE */
	ref next, prev; /* links on its list */
	u32 free;	/* free units in SLOB, free objects in the segregated SLOB */
	u16 list;	/* number of the list that it's on, or was last on */
	u16 is_run;	/* 1: a run, which holds a single object */
};

struct slob_list {
	ref head, tail;
	u32 nr_pages;
	u32 bytes; /* largest request that the list serves */
	u16 kind;  /* enum kmem_place_kind */
	u16 node;  /* NODE_ANY: holds pages of every node */
};

/* SLOB's state besides caches and pages. */
struct slob {
	/* Totals of the page walk that the 2021 proposal criticises. */
	u64 searches;		     /* allocations served by shared pages */
	u64 pages_visited;	     /* pages visited for these, with or without success */
	u64 blocks_visited;	     /* free blocks visited on those pages */
	u64 fragment_bytes;	     /* bytes split off to align an object */
	u64 free_bytes;		     /* bytes that are free in pages now */
	u64 tail_bytes;		     /* bytes of tail waste in runs now */
	u32 most_pages, most_blocks; /* most visits for a single allocation */
	u32 counters[NR_SLOB_COUNTERS];
	ref lists; /* struct slob_list[nr_lists] */
	ref locks; /* struct vlock[]: one in SLOB, one per node in the segregated SLOB */
	u32 nr_lists;
	u32 largest; /* bytes of the largest object that a shared page can hold */
};

enum { SLOB_ROOT = 1 };

ALWAYS_INLINE struct slob *slob_of(const struct world *w)
{
	return at(w, w->roots[SLOB_ROOT]);
}

ALWAYS_INLINE struct slob_page *slob_page_at(const struct world *w, ref r)
{
	return at(w, r);
}

ALWAYS_INLINE struct slob_list *slob_list_at(const struct world *w, u32 list)
{
	return (struct slob_list *)at(w, slob_of(w)->lists) + list;
}

ALWAYS_INLINE struct vlock *slob_lock(const struct world *w, u32 nr)
{
	return (struct vlock *)at(w, slob_of(w)->locks) + nr;
}

/* Returns the requested node, or the CPU's own if none was requested. */
ALWAYS_INLINE u32 slob_home(const struct world *w, u32 cpu, u32 node)
{
	return node == NODE_ANY ? node_of_cpu(w, cpu) : node;
}

ALWAYS_INLINE u32 slob_page_bytes(const struct world *w)
{
	return 1u << w->machine.page_shift;
}

/* Increments the counter and emits the step for a page of cache 0. */
#define SLOB_STAT(w, kind, page, ...)                      \
	do {                                               \
		slob_of(w)->counters[(kind) - PAGE_NEW]++; \
		SLOB_EMIT(w, kind, page, ##__VA_ARGS__);   \
	} while (0)
#define SLOB_EMIT(w, kind, page, ...) \
	emit_##kind(w, 0, (page)->head.node, (page)->head.serial, ##__VA_ARGS__)
/* Inline, because a search passes over thousands of pages and blocks. */
#define SLOB_EMIT_OFTEN(w, kind, page, ...)                           \
	emit_if_##kind(is_recording(w) != 0, w, 0, (page)->head.node, \
		       (page)->head.serial, ##__VA_ARGS__)

/* slob_pages.c: the cache that owns all pages, lists, runs */
/* Creates the state of an empty machine; the caller still names the lists. slot_bytes: the minimum
 * for one object; largest: see struct slob. */
void slob_prepare(struct world *w, u32 nr_lists, u32 nr_locks, u32 slot_bytes, u32 largest);
void slob_list_name(struct world *w, u32 list, u32 kind, u32 node, u32 bytes);
/* Returns the size of the cache's objects, including SLOB's footer. */
u32 slob_object_bytes(const struct kmem_cache *s);
/* Sets the object size of a named cache. */
void slob_cache_size(struct world *w, struct kmem_cache *s, u32 size);
/* Returns 1 if objects of that size get a run. */
u32 slob_is_run(const struct world *w, u32 size, u32 align);
object_loc slob_run_alloc(struct world *w, struct kmem_cache *s, u32 home);
void slob_run_free(struct world *w, struct kmem_cache *s, struct slob_page *run);
/* Creates an unlisted page with this many free blocks; NULL if memory runs out. */
struct slob_page *slob_page_new(struct world *w, u32 home, u32 blocks, u32 descriptor_bytes);
/* Emits the step for a new page, once its blocks exist. */
/* Whether the page's zone is permitted for the current request. The kernel's SLOB checks only when
 * it takes a new page. */
int slob_zone_serves(const struct world *w, const struct slob_page *page);
void slob_page_opened(struct world *w, struct slob_page *page);
/* Returns an unlisted page to the page allocator. */
void slob_page_free(struct world *w, struct slob_page *page);
void slob_list_push(struct world *w, struct slob_page *page, u32 list, u32 reason);
void slob_list_remove(struct world *w, struct slob_page *page, u32 reason);
/* Adds what one allocation from shared pages visited. */
void slob_visited(struct slob *slob, u32 pages, u32 blocks);
/* The remaining functions of struct kmem_ops. */
void slob_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);
u32 slob_serial(const struct world *w, ref slab);
void slob_count(const struct world *w, const struct kmem_cache *s, u32 *sum);
void slob_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row);
void slob_usage(const struct world *w, const struct kmem_cache *s, struct usage *u);
void slob_totals(const struct world *w, struct kmem_totals *t);

/* slob_walk.c: rows and invariants of both allocators */
typedef void (*slob_visit)(const struct world *w, const struct slob_page *page,
			   struct kmem_slab_row *row, struct visitor *v);
/* Walks places and pages; visit adds the cells of a page that is not a run. */
void slob_walk_lists(const struct world *w, struct visitor *v, slob_visit visit);
/* The totals of a page, which the invariants compare. */
struct slob_sum {
	u32 taken, free_blocks, free_bytes;
};

/* Checks a page and fills in its totals. Returns NULL, or the invariant that the page violates. */
typedef const char *(*slob_page_law)(const struct world *w, const struct slob_page *page,
				     struct slob_sum *sum);
/* Checks the invariants of lists, pages and totals. */
const char *slob_check_all(const struct world *w, const struct kmem_cache *s, slob_page_law law);

/* slob_placements.c */
extern const struct placement_notation slob_placements;

/* slob_placements.c */
extern const struct placement_notation slob_segregated_placements;

#endif
