/*
 * infer.h - what session_infer.c and infer_lists.c share: the slabs that the first events at each address show.
 */
#ifndef SESSION_WARM_INFER_H
#define SESSION_WARM_INFER_H

#include "session/session.h"

/* A slab of the machine, by its address. Numbers that are + 1 are 0 for none. */
struct seen_slab {
	u64 head;	  /* address of its first byte */
	u32 first, last;  /* its events in `events`, by `next`; + 1 */
	u32 next_of_list; /* the next slab of its cache's current list; + 1 */
	u32 page_op; /* events before the first one of the page allocator at its head; NO_PAGE_EVENT: there is none */
	u16 cache;	  /* cache of the model */
	u16 nr_allocated; /* objects whose first event is an allocation */
	u16 nr_freed;	  /* objects whose first event is a free */
	u16 nr_rising;	  /* allocations from the first one on whose index was 0, 1, 2 … */
	u16 cpu, node;
	u8 place;   /* enum kmem_place_kind */
	u8 is_old;  /* it existed before event 1 */
	u8 is_last; /* some CPU took a new object from it, and later from no other slab */
	u8 is_listed;
};

/* The slabs of one cache, in the order in which adopt() takes them; + 1. */
struct seen_cache {
	u32 first, last;  /* cpu slabs, node partial lists, full slabs */
	u32 first_of_cpu; /* per-CPU partial lists, each backwards */
};

/* In which order the first allocations of new slabs go through the indices, as far as the trace shows it. */
enum index_order { ORDER_UNKNOWN, ORDER_RISING };

enum { NO_PAGE_EVENT = 0xffffffff };

struct infer {
	struct kmem_session *s;
	struct world *w;
	struct hash *table; /* by enum infer_key */
	struct seen_slab *slabs;
	struct seen_cache *caches;
	u16 *cache_of_site; /* + 2; 0: not looked up yet, 1: none */
	const struct first_events *events;
	u32 *next; /* for each event: the next one of its slab; + 1 */
	u32 *turns; /* for each event: its number among those that its CPU took from old slabs of the cache; 0: none */
	u32 nr_slabs, nr_events;
	u32 order; /* enum index_order */
};

/* Rows of the table: the slab of a page; the node of a block of memory; the rest by CPU and cache. KEY_TURNS counts the
 * free objects that the CPU took, and later is the number of its first sheaf, + 1. */
enum infer_key { KEY_PAGE, KEY_BLOCK, KEY_CPU, KEY_TURNS, KEY_LAST };

enum { INFER_PAGE_SHIFT = 12, INFER_BLOCK_SHIFT = 27, KEY_KIND_SHIFT = 60 };

/* infer_lists.c: decides where the slabs from before the trace were, and writes them to struct start. */
void infer_lists(struct infer *in);

ALWAYS_INLINE u64 infer_whole_key(enum infer_key kind, u64 key)
{
	return (key & (((u64)1 << KEY_KIND_SHIFT) - 1)) | (u64)kind << KEY_KIND_SHIFT;
}

/* The slot of a key; a free one if the table has none. */
ALWAYS_INLINE struct hash_slot *infer_slot(const struct infer *in, enum infer_key kind, u64 key)
{
	return hash_find(in->table, infer_whole_key(kind, key));
}

ALWAYS_INLINE void infer_put(struct infer *in, enum infer_key kind, u64 key, u32 value)
{
	struct hash_slot *slot = infer_slot(in, kind, key);

	if (slot->taken)
		slot->more = value;
	else
		hash_put(in->table, slot,
			 (struct hash_slot){ infer_whole_key(kind, key), value, 1 });
}

/* The slab at that address; NULL: none is known there. */
ALWAYS_INLINE struct seen_slab *infer_slab(const struct infer *in, u64 ptr)
{
	const struct hash_slot *slot = infer_slot(in, KEY_PAGE, ptr >> INFER_PAGE_SHIFT);

	return slot->taken ? &in->slabs[slot->more] : NULL;
}

ALWAYS_INLINE struct op infer_op(const struct infer *in, const struct first_event *event)
{
	return trace_recorded_op(&in->s->trace, event->op);
}

/* The event's CPU in the machine. */
ALWAYS_INLINE u32 infer_cpu(const struct infer *in, const struct op *op)
{
	return op->cpu % in->w->machine.nr_cpus;
}

ALWAYS_INLINE u32 infer_node(const struct infer *in, const struct op *op)
{
	return node_of_cpu(in->w, infer_cpu(in, op));
}

/* Objects in a sheaf of the cache; 0: it has none. */
ALWAYS_INLINE u32 infer_capacity(const struct infer *in, const struct kmem_cache *cache)
{
	const struct kmem_ops *ops = in->s->replay.ops;

	return ops->sheaf_capacity ? ops->sheaf_capacity(in->w, cache) : 0;
}

/* The object's index in its slab. */
ALWAYS_INLINE u32 infer_index(const struct infer *in, const struct seen_slab *slab, u64 ptr)
{
	return (u32)((ptr - slab->head) / cache_at(in->w, slab->cache)->size);
}

#endif
