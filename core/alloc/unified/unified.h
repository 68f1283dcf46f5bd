/*
 * unified.h - structures of the unified allocator (Lameter's UnifiedV4, 2010), shared by its own
 * files only.
 *
 *	cache ─ CPU 0: CPU queue ● ● ● ●      objects, oldest first
 *	      ─ CPU 1: …
 *	      ─ group 0: shared queue ● ●     of the CPUs that share a last-level cache
 *	                 alien queues ● / ●   one for each other node
 *	      ─ node 0: partial list ● ⇄ ●    slabs with a free bit
 *
 * Objects are added and taken at the end of a queue and drained at its front. Alien queues hold
 * objects that the group freed or took on other nodes. Slabs without a free bit are on no list.
 *
 * A slab's bitmap marks its free objects. Objects in a queue are neither free in the bitmap nor
 * allocated. One byte per object (enum kmem_cell) records its queue, so that a walk need not search
 * the queues. Nodes, shared queues and alien queues have locks; slabs have none. Debug caches have
 * queues of capacity 0.
 */
#ifndef ALLOC_UNIFIED_UNIFIED_H
#define ALLOC_UNIFIED_UNIFIED_H

#include "alloc/ops.h"

#include "sim/cache.h"

enum {
	UNTOUCHED_BATCH = 16, /* objects in one refill of a queue that was idle */
	LEAST_QUEUE = 4,
	MOST_QUEUE = 10000,
	MOST_ALIEN = 1000,
	LOWMEM_QUEUE = 5,
	MOST_OBJECTS = 65535, /* objects of a slab: a place stores an object's index in 16 bits */
	QUEUE_HEADER_BYTES = 24,  /* header of a CPU queue, before its pointers */
	SHARED_HEADER_BYTES = 16, /* header of a shared or alien queue, before its pointers */
	POINTER_BYTES = 8,
};

struct unified_queue {
	ref lock; /* struct vlock; 0 for a CPU queue, which needs none */
	u32 objects, max;
	u32 first; /* index of the oldest object; 0 except while the front is drained */
	u32 reserved;
	u16 owner;	     /* the CPU or group that it belongs to */
	u8 touched;	     /* used since the last expiry */
	u8 kind;	     /* enum kmem_queue */
	object_loc object[]; /* [max]; unused entries are 0 */
};

/* Slots for this allocator's counters: SLUB's first, then its own. */
enum { NR_UNIFIED_COUNTERS = NR_KERNEL_COUNTERS + QUEUE_FLUSH - ALLOC_SHARED + 1 };

#define UNIFIED_SLOT(counter)                                 \
	((u32)(counter) < NR_KERNEL_COUNTERS ? (u32)(counter) \
					     : NR_KERNEL_COUNTERS + (u32)(counter) - ALLOC_SHARED)

struct unified_cpu {
	ref queue; /* 0 until first used */
	u32 counters[NR_UNIFIED_COUNTERS];
};

struct unified_node {
	struct vlock list_lock;
	ref head, tail; /* node partial list */
	u32 nr_partial;
	u32 touched; /* whether the list changed since the last expiry */
};

struct unified_slab {
	struct slab_head head;
	ref next, prev; /* whether it's on the partial list */
	u32 nr_free;	/* number of bits in the bitmap */
	u32 nr_on_cpus; /* objects in CPUs' queues */
	u64 map[];	/* one bit per object, 1: free; then u8[objects] of cells */
};

/* The queues that a group of CPUs shares in one cache. Queues come and go, but their locks keep
 * their statistics. */
struct unified_alien {
	struct vlock lock;
	ref queue; /* 0 until first used; always 0 for the home node */
	u32 reserved;
};

struct unified_group {
	struct vlock lock;
	ref shared; /* 0 until first used */
	ref aliens; /* struct unified_alien[nr_nodes], 0 until one is used */
};

/* s->own: the sizes and tunables that only this allocator has. */
struct unified_cache {
	u32 queue, batch; /* requested length of a CPU queue; objects moved at a time */
	u32 cpu_max;	  /* capacity of a CPU queue */
	u32 shared;	  /* requested length of a shared queue; 0: there are none */
	u32 shared_max;	  /* capacity of a shared queue */
	u32 alien_max;	  /* capacity of an alien queue; 0: there are none */
	u32 batch_asked, shared_asked, alien_asked; /* AUTOMATIC or number */
	ref groups;				    /* struct unified_group[nr_groups] */
	u64 expired_bytes;			    /* bytes that the last expiry freed */
};

/* The groups of CPUs that share queues: world.unified. */
struct unified_machine {
	u32 nr_groups;
	ref group_of_cpu; /* u16[nr_cpus] */
	ref home; /* u16[nr_groups]: node of each group's queues, which is its first CPU's */
	u32 kswapd_is_woken; /* 1: the current event found every zone low, so kswapd runs afterwards */
};

ALWAYS_INLINE struct unified_cache *unified_own(const struct world *w, const struct kmem_cache *s)
{
	return at(w, s->own);
}

ALWAYS_INLINE struct unified_node *unified_node(const struct world *w, const struct kmem_cache *s,
						u32 node)
{
	return (struct unified_node *)at(w, s->nodes) + node;
}

enum { UNIFIED_ROOT = 2 };

ALWAYS_INLINE struct unified_machine *unified_machine(const struct world *w)
{
	return at(w, w->roots[UNIFIED_ROOT]);
}

ALWAYS_INLINE u32 unified_group_of(const struct world *w, u32 cpu)
{
	return ((u16 *)at(w, unified_machine(w)->group_of_cpu))[cpu];
}

ALWAYS_INLINE u32 unified_home(const struct world *w, u32 group)
{
	return ((u16 *)at(w, unified_machine(w)->home))[group];
}

ALWAYS_INLINE struct unified_group *unified_group(const struct world *w, const struct kmem_cache *s,
						  u32 group)
{
	return (struct unified_group *)at(w, unified_own(w, s)->groups) + group;
}

/* Returns NULL if the group never had an alien queue. */
ALWAYS_INLINE struct unified_alien *unified_alien(const struct world *w,
						  const struct unified_group *g, u32 node)
{
	return g->aliens ? (struct unified_alien *)at(w, g->aliens) + node : NULL;
}

ALWAYS_INLINE struct unified_slab *unified_slab(const struct world *w, object_loc loc)
{
	return at(w, LOC_SLAB(loc));
}

ALWAYS_INLINE u32 unified_map_words(const struct unified_slab *slab)
{
	return DIV_ROUND_UP((u32)slab->head.objects, 64u);
}

ALWAYS_INLINE u8 *unified_cells(const struct unified_slab *slab)
{
	return (u8 *)(uintptr_t)(slab->map + unified_map_words(slab));
}

/* Returns the CPU's part of the cache, which is created on first use. */
struct unified_cpu *unified_make_cpu(struct world *w, struct kmem_cache *s, u32 cpu);

ALWAYS_INLINE struct unified_cpu *unified_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref r = ((ref *)at(w, s->cpus))[cpu];

	return likely(r) ? at(w, r) : unified_make_cpu(w, s, cpu);
}

/* Increments the counter of the CPU at work and emits the step. */
#define STAT(w, s, kind, ...)                                                \
	do {                                                                 \
		unified_cpu(w, s, (w)->cpu)->counters[UNIFIED_SLOT(kind)]++; \
		emit_##kind(w, (s)->id, __VA_ARGS__);                        \
	} while (0)
/* Does the same for the CPU's part c, inline, for the commonest events. */
#define STAT_OFTEN(w, s, c, kind, ...)                                         \
	do {                                                                   \
		(c)->counters[UNIFIED_SLOT(kind)]++;                           \
		emit_if_##kind(is_recording(w) != 0, w, (s)->id, __VA_ARGS__); \
	} while (0)

ALWAYS_INLINE void unified_lock(struct world *w, const struct kmem_cache *s,
				const struct unified_queue *q, u32 node)
{
	if (q->lock)
		lock_take(w, at(w, q->lock), s->id, node);
}

ALWAYS_INLINE void unified_unlock(struct world *w, const struct unified_queue *q)
{
	if (q->lock)
		lock_release(w, at(w, q->lock));
}

/* unified_size.c: lengths of queues; creates and frees queues */
void unified_prepare(struct world *w);
void unified_create(struct world *w, struct kmem_cache *s);
struct unified_queue *unified_cpu_queue(struct world *w, struct kmem_cache *s, u32 cpu);
/* Returns NULL if the cache has none. */
struct unified_queue *unified_shared_queue(struct world *w, struct kmem_cache *s, u32 group);
struct unified_queue *unified_alien_queue(struct world *w, struct kmem_cache *s, u32 group,
					  u32 node);
/* Empties and frees the queue; its next use creates a new one. */
void unified_drop_queue(struct world *w, struct kmem_cache *s, ref *queue, u32 node);
u32 unified_cpu_max(u32 queue);
u32 unified_min_partial(const struct world *w, const struct kmem_cache *s, u32 asked);
void unified_order_row(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		       struct kmem_order_row *row, struct order_tries *tries);
u32 unified_automatic_queue(const struct world *w, const struct kmem_cache *s);
void unified_size_shared(struct world *w, struct kmem_cache *s, u32 shared, u32 alien);

/* unified_slab.c: moves objects between slabs and queues; partial lists */
struct unified_slab *unified_new_slab(struct world *w, struct kmem_cache *s, u32 node);
/* Makes a slab from before the first event, whose objects are in no queue. */
ref unified_adopt(struct world *w, struct kmem_cache *s, const struct adopted_slab *was);
void unified_release_slab(struct world *w, struct kmem_cache *s, struct unified_slab *slab);
void unified_list_add(struct world *w, struct kmem_cache *s, struct unified_slab *slab, u32 end);
void unified_list_remove(struct world *w, struct kmem_cache *s, struct unified_slab *slab);
/* Moves the slab's `nr` lowest free objects to the end of the queue, the lowest last. */
void unified_take(struct world *w, struct kmem_cache *s, struct unified_slab *slab,
		  struct unified_queue *q, u32 nr);
/* Takes the slab's lowest free object. */
object_loc unified_take_one(struct world *w, struct kmem_cache *s, struct unified_slab *slab);
/* Frees objects of one slab that are in no queue. The caller holds the node's lock. */
void unified_put(struct world *w, struct kmem_cache *s, struct unified_slab *slab,
		 const object_loc *object, u32 nr);
/* Frees the oldest nr objects of the queue to their slabs and marks the queue untouched. */
void unified_drain(struct world *w, struct kmem_cache *s, struct unified_queue *q, u32 nr);
/* Returns the cell kind of objects in this kind of queue. */
u8 unified_cell_of_queue(u32 kind);

/* unified_expire.c: frees idle memory when pages are short */
void unified_tick(struct world *w, u32 cpu, enum tick_mode mode, u32 number);
void unified_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);
/* Empties the queue; the caller may keep or free it. */
void unified_flush_queue(struct world *w, struct kmem_cache *s, struct unified_queue *q, u32 node);
/* unified_reclaim.c: reacts when the page allocator runs low */
struct unified_slab *unified_new_slab_after_reclaim(struct world *w, struct kmem_cache *s,
						    u32 node);
int unified_reclaim(struct world *w);
/* Checks during an event whether kswapd has to run after it. */
void unified_wake_kswapd(struct world *w, u32 highest);
void unified_run_kswapd(struct world *w);
void unified_pages_taken(struct world *w);

/* unified_expire.c: expires one node, or all with NODE_ANY. Returns 1 if it cleared a mark or freed
 * anything. */
int unified_expire(struct world *w, struct kmem_cache *s, u32 node);

/* unified_sysfs.c: files that can be read and written at run time */
int unified_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old);
void unified_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v);
void unified_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row);
/* Counts the objects in shared queues. */
u32 unified_shared_objects(const struct world *w, const struct kmem_cache *s);

/* unified_attributes.c: read-only files */
int unified_attribute(const struct world *w, const struct kmem_cache *s, u32 nr, u32 part,
		      struct attribute *a);

/* unified_walk.c: rows and invariants */
void unified_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v);
/* Emits a step for each slab: the state in its bitmap and in the queues. */
int unified_validate(struct world *w, struct kmem_cache *s);
const char *unified_check(const struct world *w, const struct kmem_cache *s);

/* unified_placements.c */
extern const struct placement_notation unified_placements;

#endif
