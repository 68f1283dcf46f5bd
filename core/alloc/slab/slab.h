/*
 * slab.h - SLAB's structures, shared by its own files only.
 *
 *	cache ─ cpu 0: array cache ○ ○ ○    single objects: allocations take the newest, flushes the oldest
 *	      ─ cpu 1: …
 *	      ─ node 0: shared array ○ ○    shared by the CPUs of the node
 *	                alien caches ○      freed here, from another node: one array for each node
 *	                slabs  full ● ⇄ ●   partial ● ⇄ ●   free ● ⇄ ●
 *
 * An object in an array is not in its slab. A slab's index array is a stack: the entries from
 * `active` on list its free objects, starting with the next one.
 *
 * Kernel: mm/slab.c, 6.1; with slab_era=linux-2.6.24, the same file of that version.
 */
#ifndef ALLOC_SLAB_SLAB_H
#define ALLOC_SLAB_SLAB_H

#include "sim/cache.h"
#include "alloc/ops.h"
#include "alloc/slab/slab_size.h"

enum {
	BATCHREFILL_LIMIT = 16, /* marks an array that no CPU has used since it was last reaped */
	ALIEN_LIMIT = 12,
	REAPTIMEOUT_NODE = 4, /* seconds */
	NR_SLAB_COUNTERS = SLAB_DESTROY - ALLOCHIT + 1,
};

enum slab_list { SLABS_FULL, SLABS_PARTIAL, SLABS_FREE, NR_SLAB_LISTS };

struct slab {
	struct slab_head head;
	ref next, prev; /* links on its node's list; a doomed list uses only `next` */
	u32 start;	/* bytes before the first object */
	u16 active;	/* objects that are allocated or in arrays */
	u16 reserved;
	u16 index[]; /* [objects], followed by u8[objects]: enum kmem_cell of each object */
};

struct array_cache {
	u32 avail, limit, batchcount, touched;
	struct vlock lock;  /* locks an alien cache; shared arrays have the node's lock */
	object_loc entry[]; /* [limit], oldest first; 0: an entry just removed */
};

struct kmem_cache_node {
	struct vlock list_lock;
	ref head[NR_SLAB_LISTS], tail[NR_SLAB_LISTS];
	u32 nr[NR_SLAB_LISTS];
	u32 free_objects; /* free objects in slabs, not in arrays */
	u32 free_limit;
	u32 colour_next;
	u32 free_touched; /* 1: an allocation searched the free slabs since the last reaping */
	u32 next_reap;	  /* seconds */
	ref shared;	  /* struct array_cache, 0 until first used */
	ref alien;	  /* ref[nr_nodes] of struct array_cache, 0 until first used */
	u32 reserved;
};

/* s->own: the part of a cache that only SLAB has. */
struct slab_cache {
	u32 limit, batchcount, shared; /* the tunables now in force */
	u32 alien_limit;
	u32 colours, colour_off, front;
	u32 management; /* enum kmem_management */
	u32 counters[NR_SLAB_COUNTERS];
	u32 reserved;
};

/* SLAB's root in the world, with its clock and its cursors. */
struct slab_clock {
	u32 seconds;
	ref next_reap;	 /* u32[nr_nodes]: reap timers for caches that haven't been used yet */
	u16 reap_node[]; /* [nr_cpus]: the node whose alien cache each CPU drains next */
};

/* Slabs to discard once the lists are up to date; the last one added goes first. */
struct doomed {
	ref first;
};

ALWAYS_INLINE struct kmem_cache_node *slab_node(const struct world *w, const struct kmem_cache *s,
						u32 node)
{
	return (struct kmem_cache_node *)at(w, s->nodes) + node;
}

ALWAYS_INLINE struct slab_cache *slab_own(const struct world *w, const struct kmem_cache *s)
{
	return at(w, s->own);
}

ALWAYS_INLINE struct slab *slab_of(const struct world *w, object_loc loc)
{
	return at(w, LOC_SLAB(loc));
}

/* Returns the state of each object in the slab. */
ALWAYS_INLINE u8 *slab_cells(const struct slab *slab)
{
	return (u8 *)(uintptr_t)(slab->index + slab->head.objects);
}

ALWAYS_INLINE void slab_mark(const struct world *w, object_loc loc, u32 cell)
{
	slab_cells(slab_of(w, loc))[LOC_INDEX(loc)] = (u8)cell;
}

/* Returns 0 if the CPU hasn't used the cache yet. */
ALWAYS_INLINE struct array_cache *slab_array_of(const struct world *w, const struct kmem_cache *s,
						u32 cpu)
{
	ref r = ((ref *)at(w, s->cpus))[cpu];

	return r ? at(w, r) : NULL;
}

/* Increments the counter and emits the step. */
#define STAT(w, s, kind, ...)                                  \
	do {                                                   \
		slab_own(w, s)->counters[(kind) - ALLOCHIT]++; \
		emit_##kind(w, (s)->id, __VA_ARGS__);          \
	} while (0)
/* Does the same inline, for the commonest events. */
#define STAT_OFTEN(w, s, kind, ...)                                            \
	do {                                                                   \
		slab_own(w, s)->counters[(kind) - ALLOCHIT]++;                 \
		emit_if_##kind(is_recording(w) != 0, w, (s)->id, __VA_ARGS__); \
	} while (0)

/* slab_lists.c: slabs, their stacks, the lists of a node */
struct slab *slab_grow(struct world *w, struct kmem_cache *s, u32 node, int here);
/* Puts a newly grown slab on the list that fits its number of allocated objects. */
void slab_grow_end(struct world *w, struct kmem_cache *s, struct slab *slab);
/* Makes a slab from before the first event. None of its objects are in arrays. In an exact one,
 * every object is in use except those on its stack. */
ref slab_adopt(struct world *w, struct kmem_cache *s, const struct adopted_slab *was);
object_loc slab_get_obj(struct world *w, struct slab *slab, u32 cell);
/* Returns the slab that serves next: a partial one if there is any, otherwise a free one. It stays
 * on its list. NULL if no slab has a free object. */
struct slab *slab_first(struct world *w, struct kmem_cache *s, u32 node);
/* Moves a slab whose objects were taken to the head of the list that now fits it. */
void slab_relist(struct world *w, struct kmem_cache *s, struct slab *slab);
/* Returns objects to their slabs and clears each entry. */
void slab_free_block(struct world *w, struct kmem_cache *s, u32 node, object_loc *entry, u32 nr,
		     struct doomed *doomed);
void slab_destroy_doomed(struct world *w, struct kmem_cache *s, struct doomed *doomed);
/* Discards up to `most` free slabs, starting at the tail, and returns how many. */
u32 slab_drain_freelist(struct world *w, struct kmem_cache *s, u32 node, u32 most);

/* slab_array.c: arrays of objects */
struct array_cache *slab_cpu_array(struct world *w, struct kmem_cache *s, u32 cpu);
/* Returns NULL if the cache has none. */
struct array_cache *slab_shared_array(struct world *w, struct kmem_cache *s, u32 node);
struct array_cache *slab_alien_array(struct world *w, struct kmem_cache *s, u32 node, u32 home);
/* Returns the alien cache, or NULL if it was never used. */
struct array_cache *slab_alien_at(const struct world *w, const struct kmem_cache_node *n, u32 home);
/* Moves up to `most` of the newest entries and returns how many. */
u32 slab_transfer(struct world *w, struct array_cache *to, struct array_cache *from, u32 most,
		  u32 cell);
/* Drops the nr oldest entries and moves the rest down. */
void slab_array_drop(struct array_cache *ac, u32 nr);
int slab_adopt_array(struct world *w, struct kmem_cache *s, const struct adopted_array *was);
void slab_drain_alien(struct world *w, struct kmem_cache *s, u32 home, struct array_cache *ac,
		      struct doomed *doomed);
void slab_free_array(struct world *w, ref array);

/* slab_reap.c: the clock, reaping, shrinking */
void slab_prepare(struct world *w);
/* Returns when a cache created now first has its shared array and free slabs reaped on the node. */
u32 *slab_unused_timer(const struct world *w, u32 node);
void slab_tick(struct world *w, u32 cpu, enum tick_mode mode, u32 seconds);
void slab_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);

/* slab_tune.c: creates caches, writes tunables, fills slabinfo */
void slab_create(struct world *w, struct kmem_cache *s);
int slab_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old);
void slab_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row);
void slab_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v);

/* slab_walk.c: rows and invariants */
void slab_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v);
const char *slab_check(const struct world *w, const struct kmem_cache *s);

/* slab_placements.c */
extern const struct placement_notation slab_placements;

#endif
