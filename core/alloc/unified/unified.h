/*
 * unified.h - structures of the unified allocator (Lameter's UnifiedV4, 2010), shared by its own files only.
 *
 *	cache ─ CPU 0: queue ● ● ● ●          objects, oldest first: taken and added at the end, drained at the front
 *	      ─ CPU 1: …
 *	      ─ group 0: shared queue ● ●     of the CPUs that share a last-level cache
 *	                 alien queues ● / ●   one for each other node: what the group freed or took there
 *	      ─ node 0: partial list ● ⇄ ●    slabs with a free bit; slabs without one are on no list
 *
 * Free objects of a slab are bits of its bitmap. Objects in a queue are neither there nor allocated: a byte an
 * object (enum kmem_cell) tells which, so that a walk need not search the queues. Nodes, shared and alien queues
 * have locks; slabs have none. Debugging caches have queues that hold nothing.
 */
#ifndef ALLOC_UNIFIED_UNIFIED_H
#define ALLOC_UNIFIED_UNIFIED_H

#include "alloc/ops.h"

#include "sim/order.h"
#include "sim/slabs.h"

enum {
	UNTOUCHED_BATCH = 16, /* objects that a queue gets which nobody used for a while */
	LEAST_QUEUE = 4,
	MOST_QUEUE = 10000,
	MOST_ALIEN = 1000,
	LOWMEM_QUEUE = 5,
	MOST_OBJECTS = 65535,	  /* of a slab: a place names them with 16 bits */
	QUEUE_HEADER_BYTES = 24,  /* of a CPU's queue, in front of its pointers */
	SHARED_HEADER_BYTES = 16, /* of a shared or an alien one */
	POINTER_BYTES = 8,
};

struct unified_queue {
	ref lock; /* struct vlock; 0 for a CPU's queue, which needs none */
	u32 objects, max;
	u32 first; /* where the oldest is; 0 but while the front is drained */
	u32 reserved;
	u16 owner;	     /* CPU or group */
	u8 touched;	     /* used since the last expiry */
	u8 kind;	     /* enum kmem_queue */
	object_loc object[]; /* [max]; 0 where there is none */
};

/* Slots for the counters that this allocator has: SLUB's, then its own. */
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
	ref head, tail; /* partial list */
	u32 nr_partial;
	u32 touched; /* the list changed since the last expiry */
};

struct unified_slab {
	struct slab_head head;
	ref next, prev; /* on the partial list */
	u32 nr_free;	/* bits of the bitmap */
	u32 nr_on_cpus; /* objects in CPUs' queues */
	u64 map[];	/* a bit an object, 1: free; then cells, u8[objects] */
};

/* What the CPUs of one group share of one cache. Queues come and go, their locks remember. */
struct unified_alien {
	struct vlock lock;
	ref queue; /* 0 until first used; stays 0 for the home node */
	u32 reserved;
};

struct unified_group {
	struct vlock lock;
	ref shared; /* 0 until first used */
	ref aliens; /* struct unified_alien[nr_nodes], 0 until one is used */
};

/* Sizes and tunables of one cache: kmem_cache.own. */
struct unified_cache {
	u32 queue, batch; /* desired length of a CPU's queue; objects moved at a time */
	u32 cpu_max;	  /* what a CPU's queue holds */
	u32 shared;	  /* desired length of a shared queue, 0: there are none */
	u32 shared_max;	  /* what one holds */
	u32 alien_max;	  /* what an alien queue holds, 0: there are none */
	u32 batch_asked, shared_asked, alien_asked; /* AUTOMATIC or number */
	ref groups;				    /* struct unified_group[nr_groups] */
	u64 expired_bytes;			    /* in the last expiry */
};

/* Which CPUs share: world.unified. */
struct unified_machine {
	u32 nr_groups;
	ref group_of_cpu; /* u16[nr_cpus] */
	ref home; /* u16[nr_groups]: node where a group's queues live, that of its first CPU */
	u32 kswapd_is_woken; /* pages were low during the operation at work */
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

/* NULL if the group never had an alien queue. */
ALWAYS_INLINE struct unified_alien *unified_alien(const struct world *w,
						  const struct unified_group *g, u32 node)
{
	return g->aliens ? (struct unified_alien *)at(w, g->aliens) + node : NULL;
}

ALWAYS_INLINE u32 node_of_cpu(const struct world *w, u32 cpu)
{
	return ((struct cpu *)at(w, w->machine.cpus))[cpu].node;
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

/* What the CPU keeps of the cache, made on first use. */
struct unified_cpu *unified_make_cpu(struct world *w, struct kmem_cache *s, u32 cpu);

ALWAYS_INLINE struct unified_cpu *unified_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref r = ((ref *)at(w, s->cpus))[cpu];

	return likely(r) ? at(w, r) : unified_make_cpu(w, s, cpu);
}

/* Counts on the CPU at work and tells it. */
#define STAT(w, s, kind, node, a0, a1, a2, a3, a4)                           \
	do {                                                                 \
		unified_cpu(w, s, (w)->cpu)->counters[UNIFIED_SLOT(kind)]++; \
		EMIT(w, kind, (s)->id, node, a0, a1, a2, a3, a4);            \
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

/* unified_size.c: how long queues are; queues are made and thrown away */
void unified_prepare(struct world *w);
void unified_create(struct world *w, struct kmem_cache *s);
struct unified_queue *unified_cpu_queue(struct world *w, struct kmem_cache *s, u32 cpu);
/* NULL if the cache has none. */
struct unified_queue *unified_shared_queue(struct world *w, struct kmem_cache *s, u32 group);
struct unified_queue *unified_alien_queue(struct world *w, struct kmem_cache *s, u32 group,
					  u32 node);
/* Empties the queue and throws it away; the next use makes a new one. */
void unified_drop_queue(struct world *w, struct kmem_cache *s, ref *queue, u32 node);
u32 unified_cpu_max(u32 queue);
u32 unified_min_partial(const struct world *w, const struct kmem_cache *s, u32 asked);
void unified_order_row(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		       struct kmem_order_row *row, struct order_tries *tries);
u32 unified_automatic_queue(const struct world *w, const struct kmem_cache *s);
void unified_size_shared(struct world *w, struct kmem_cache *s, u32 shared, u32 alien);

/* unified_slab.c: objects between slabs and queues; partial lists */
struct unified_slab *unified_new_slab(struct world *w, struct kmem_cache *s, u32 node);
void unified_release_slab(struct world *w, struct kmem_cache *s, struct unified_slab *slab);
void unified_list_add(struct world *w, struct kmem_cache *s, struct unified_slab *slab, u32 end);
void unified_list_remove(struct world *w, struct kmem_cache *s, struct unified_slab *slab);
/* The slab's nr lowest free objects go to the end of the queue, the lowest last. */
void unified_take(struct world *w, struct kmem_cache *s, struct unified_slab *slab,
		  struct unified_queue *q, u32 nr);
/* The slab's lowest free object. */
object_loc unified_take_one(struct world *w, struct kmem_cache *s, struct unified_slab *slab);
/* Objects of one slab, in no queue, go back to it; the node's lock is held. */
void unified_put(struct world *w, struct kmem_cache *s, struct unified_slab *slab,
		 const object_loc *object, u32 nr);
/* The oldest nr objects of the queue go back to their slabs; the queue is then untouched. */
void unified_drain(struct world *w, struct kmem_cache *s, struct unified_queue *q, u32 nr);
/* The cell kind of objects in such a queue. */
u8 unified_cell_of_queue(u32 kind);

/* unified_expire.c: what lies idle goes back when memory is short */
void unified_tick(struct world *w, u32 cpu, enum tick_mode mode, u32 number);
void unified_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);
/* Empties it; it may stay as it is or be thrown away. */
void unified_flush_queue(struct world *w, struct kmem_cache *s, struct unified_queue *q, u32 node);
/* unified_reclaim.c: the page allocator runs low */
struct unified_slab *unified_new_slab_after_reclaim(struct world *w, struct kmem_cache *s,
						    u32 node);
int unified_reclaim(struct world *w);
/* During an operation: whether kswapd is to run at its end. */
void unified_wake_kswapd(struct world *w, u32 highest);
void unified_run_kswapd(struct world *w);
void unified_pages_taken(struct world *w);

/* unified_expire.c: of all nodes with NODE_ANY. 1 if a mark was cleared or something went. */
int unified_expire(struct world *w, struct kmem_cache *s, u32 node);

/* unified_sysfs.c: what can be read and written while it runs */
int unified_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old);
void unified_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v);
void unified_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row);
/* Objects in shared queues. */
u32 unified_shared_objects(const struct world *w, const struct kmem_cache *s);

/* unified_attributes.c: the files that show it */
int unified_attribute(const struct world *w, const struct kmem_cache *s, u32 nr, u32 part,
		      struct attribute *a);

/* unified_walk.c: rows and laws */
void unified_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v);
/* A step for each slab: what its bitmap and the queues say. */
int unified_validate(struct world *w, struct kmem_cache *s);
const char *unified_check(const struct world *w, const struct kmem_cache *s);

/* unified_placements.c */
extern const struct placement_notation unified_placements;

#endif
