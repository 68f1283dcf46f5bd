/*
 * slub.h - SLUB's structures, shared by its own files only.
 *
 *	cache ─ cpu 0: cpu slab ● freelist ─ per-CPU partial list ● ● ●    frozen: only this CPU allocates from them
 *	      ─ cpu 1: …
 *	      ─ node 0: node partial list ● ⇄ ● ⇄ ●                        at least one free object each
 *	                full slabs are on no list                          (on a full list with store_user)
 *
 * The link of a free object is the u16 at its index in the slab's descriptor. It holds index + 1 of
 * the next free object, 0 at the end, and LINK_ALLOCATED while the object is in use. The kernel
 * stores the link in the object, at s->offset.
 */
#ifndef ALLOC_SLUB_SLUB_H
#define ALLOC_SLUB_SLUB_H

#include "alloc/ops.h"

enum {
	LINK_END = 0,
	LINK_ALLOCATED = 0xffff,
	/* Debugging takes objects out of use. They are neither allocated nor on a freelist; they
	 * keep the bytes of a free or of an allocated object. */
	LINK_LOST_FREE = 0xfffe,
	LINK_LOST_USED = 0xfffd,
	/* slub_sheaf.h: the object is in a CPU's sheaf or in the barn. */
	LINK_SHEAF = 0xfffc,
	LINK_BARN = 0xfffb,
	/* The object is taken for the rest of a bulk request, or for a sheaf that a caller has prefilled. */
	LINK_BULK = 0xfffa,
	/* The object has been in use since before the first event, after a warm start. It stays in
	 * use until slub_disown(), because no event has freed it yet. */
	LINK_ADOPTED = 0xfff9,
};

struct slab {
	/* These are in the order of a step's fields, so that one load copies all three. */
	u16 cache; /* id */
	u16 node;
	u32 serial; /* serial number in its cache, 0 = made first */
	ref next;   /* on a node partial list, a per-CPU partial list or a full list */
	union {
		ref prev; /* on a node partial list or a full list */
		/* Where the per-CPU partial list is limited by objects: the free objects from here
		 * to the end of the list, as counted at each push. */
		u32 partial_objects;
	};
	ref newer, older; /* list of all slabs of the cache */
	u32 pfn;
	u16 objects;
	u16 inuse;    /* objects not on the slab freelist */
	u16 freelist; /* slab freelist: index + 1 of its first object */
	u16 owner;    /* the CPU that the slab is frozen for, or CPU_NONE */
	u8 place;     /* enum kmem_place_kind */
	u8 order;
	cacheline line; /* of this descriptor; a fast path does not access it */
	u16 link[];	/* [objects] */
};

struct kmem_cache_cpu {
	ref slab;     /* cpu slab */
	u16 freelist; /* cpu freelist: index + 1 of the first object */
	u16 nr_free;  /* objects on the cpu freelist */
	ref partial;  /* per-CPU partial list: its head */
	u32 counters[NR_KERNEL_COUNTERS];
	u32 partial_slabs; /* slabs on the per-CPU partial list */
	u16 partial_owner; /* the CPU that owns those slabs: this one, or CPU_NONE where the list is not frozen */
	u16 node; /* of this CPU */
	ref main; /* since 7.0: this CPU's main sheaf, which its struct slub_pcs names too; 0: none */
};

struct kmem_cache_node {
	struct vlock list_lock;
	ref head, tail; /* node partial list */
	u32 nr_partial;
	u32 nr_slabs;
	u32 total_objects;
	ref full; /* full list, used only by caches with store_user */
};

struct slub_barn {
	struct vlock lock;
	ref full, empty; /* newest first */
	u32 nr_full, nr_empty;
};

/* s->own: the part of a cache that only SLUB has. */
struct slub_own {
	u32 interrupt_every; /* every Nth allocation is interrupted; 0: none */
	u32 since_interrupt; /* allocations since the last interrupted one */
	u32 sheaf_capacity;  /* slub_sheaf.h; 0: no sheaves */
	u32 has_barns;	     /* 1: with sheaves, or without cpu slabs */
	ref calls;   /* ref[nr_cpus]: struct slub_calls, 0 until the CPU makes its first request */
	ref waiting; /* sheaves that wait for a grace period, longest wait first */
	u32 created_on;		 /* the CPU that created the cache */
	struct slub_barn barn[]; /* [nr_nodes] */
};

_Static_assert(sizeof(struct kmem_cache_cpu) == 128, "two cache lines");

ALWAYS_INLINE struct kmem_cache_node *slub_node(const struct world *w, const struct kmem_cache *s,
						u32 node)
{
	return (struct kmem_cache_node *)at(w, s->nodes) + node;
}

ALWAYS_INLINE struct slub_own *slub_own(const struct world *w, const struct kmem_cache *s)
{
	return at(w, s->own);
}

/* Returns the CPU's part of the cache, which is created on first use. */
struct kmem_cache_cpu *slub_make_cpu(struct world *w, struct kmem_cache *s, u32 cpu);

ALWAYS_INLINE struct kmem_cache_cpu *slub_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref r = ((ref *)at(w, s->cpus))[cpu];

	return likely(r) ? at(w, r) : slub_make_cpu(w, s, cpu);
}

/* Increments the counter of the CPU at work, in its part c of the cache, and emits the step. */
#define STAT_ON(c, w, s, kind, ...)                   \
	do {                                          \
		(c)->counters[kind]++;                \
		emit_##kind(w, (s)->id, __VA_ARGS__); \
	} while (0)
#define STAT(w, s, kind, ...) STAT_ON(slub_cpu(w, s, (w)->cpu), w, s, kind, __VA_ARGS__)
/* For functions that are compiled twice, with and without steps. */
#define STAT_IF(rec, c, w, s, kind, ...)                      \
	do {                                                  \
		(c)->counters[kind]++;                        \
		emit_if_##kind(rec, w, (s)->id, __VA_ARGS__); \
	} while (0)
/* Does the same for a step whose first argument is a slab. */
#define STAT_SLAB(rec, c, w, slab, kind, ...)                 \
	do {                                                  \
		(c)->counters[kind]++;                        \
		EMIT_SLAB(rec, w, slab, kind, ##__VA_ARGS__); \
	} while (0)
/* Emits the step without counting anything. */
#define EMIT_SLAB(rec, w, slab, kind, ...) \
	emit_if_##kind(rec, w, (slab)->cache, (slab)->node, (slab)->serial, ##__VA_ARGS__)

ALWAYS_INLINE u32 slab_free_count(const struct slab *slab)
{
	return (u32)slab->objects - slab->inuse;
}

/*
 * Cycles of events that ended on a fast path. Counters already give their number, so s->cycles sums
 * only the slow ones.
 */
ALWAYS_INLINE u64 slub_fast_cycles(const struct world *w, const struct kmem_cache_cpu *c)
{
	return c->counters[ALLOC_FASTPATH] * cost_of(w, STEP_ALLOC_FASTPATH) +
	       c->counters[FREE_FASTPATH] * cost_of(w, STEP_FREE_FASTPATH);
}

/* Pushes the slab onto the head of the per-CPU partial list. */
ALWAYS_INLINE void slub_partial_push(struct world *w, struct kmem_cache_cpu *c, struct slab *slab)
{
	slab->owner = c->partial_owner;
	slab->place = PLACE_CPU_PARTIAL;
	slab->next = c->partial;
	c->partial = ref_of(w, slab);
	c->partial_slabs++;
}

/* Does the same where the list's limit counts objects. */
ALWAYS_INLINE void slub_partial_push_objects(struct world *w, struct kmem_cache_cpu *c,
					     struct slab *slab)
{
	u32 before = c->partial ? ((struct slab *)at(w, c->partial))->partial_objects : 0;

	slub_partial_push(w, c, slab);
	slab->partial_objects = before + slab_free_count(slab);
}

ALWAYS_INLINE void slub_unfreeze(struct slab *slab)
{
	slab->owner = CPU_NONE;
	slab->place = PLACE_TRANSIT;
}

/* Removes the head of the node partial list, which is not empty. */
ALWAYS_INLINE struct slab *slub_list_pop(struct world *w, struct kmem_cache *s,
					 struct kmem_cache_node *n)
{
	struct slab *slab = at(w, n->head);

	n->head = slab->next;
	if (slab->next)
		((struct slab *)at(w, slab->next))->prev = 0;
	else
		n->tail = 0;
	n->nr_partial--;
	s->partial--;
	w->partial--;
	return slab;
}

/* Appends the slab to the tail of the node partial list. */
ALWAYS_INLINE void slub_list_append(struct world *w, struct kmem_cache *s,
				    struct kmem_cache_node *n, struct slab *slab)
{
	ref self = ref_of(w, slab);

	slab->next = 0;
	slab->prev = n->tail;
	if (n->tail)
		((struct slab *)at(w, n->tail))->next = self;
	else
		n->head = self;
	n->tail = self;
	slab->place = PLACE_NODE_PARTIAL;
	n->nr_partial++;
	s->partial++;
	w->partial++;
}

/* slub_slab.c: slabs and lists */
void slub_create(struct world *w, struct kmem_cache *s);
struct slab *slub_new_slab(struct world *w, struct kmem_cache *s, u32 node);
/* Makes a slab for the CPU's node, without links; slub_link_all() sets them and the freelist. */
struct slab *slub_new_slab_unlinked(struct world *w, struct kmem_cache *s);
void slub_link_all(struct world *w, struct kmem_cache *s, struct slab *slab);
/* Uses memory of that node only. */
struct slab *slub_new_slab_there(struct world *w, struct kmem_cache *s, u32 node);
/* counted: whether to count FREE_SLAB, which shrinking does not do. */
void slub_discard_slab(struct world *w, struct kmem_cache *s, struct slab *slab, int counted);
void slub_list_add(struct world *w, struct kmem_cache *s, struct slab *slab, enum kmem_end end);
void slub_list_remove(struct world *w, struct kmem_cache *s, struct slab *slab);
void slub_full_add(struct world *w, struct kmem_cache *s, struct slab *slab);
void slub_full_remove(struct world *w, struct kmem_cache *s, struct slab *slab);

/* slub_partial.c: searches nodes, moves slabs between node partial lists and per-CPU partial lists */
struct slab *slub_get_partial(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			      u32 node);
/* Searches other nodes too, although the request names a node. */
struct slab *slub_get_partial_anywhere(struct world *w, struct kmem_cache *s,
				       struct kmem_cache_cpu *c, u32 node);
/* Searches the node of every permitted zone in the local zonelist, until `take` returns 1. The caller has just
 * searched `checked` without success. */
int slub_search_nodes(struct world *w, struct kmem_cache *s, u32 local, u32 checked,
		      int (*take)(struct world *w, struct kmem_cache *s, u32 node, void *context),
		      void *context);
/* Moves the per-CPU partial list to the nodes to make room for the slab. */
void slub_drain_and_push(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slab *slab);
/* Pushes onto the per-CPU partial list where its limit counts objects. */
void slub_put_counting_objects(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			       struct slab *slab);
void slub_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);

/* slub_deactivate.c: a CPU deactivates its cpu slab */
struct detached {
	struct slab *slab;
	u32 cpu_objects;    /* objects that were on the cpu freelist */
	u32 remote_objects; /* objects that other CPUs had freed to the slab freelist */
};
/* Leaves the CPU without a cpu slab; the cpu freelist joins the slab freelist. */
struct detached slub_detach(struct world *w, struct kmem_cache_cpu *c);
void slub_deactivate(struct world *w, struct kmem_cache *s, const struct detached *d);
void slub_deactivate_cpu_slab(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c);
/* Deactivates a cpu slab without free objects, as kernels before 3.1 did. */
void slub_deactivate_exhausted(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c);
/* Puts a slab with free objects on its node's list, under the list's lock. */
void slub_list_slab(struct world *w, struct kmem_cache *s, struct slab *slab, enum kmem_end end);
/* Whether an empty slab can be discarded: its node has enough partial slabs without it. */
int slub_not_needed(struct world *w, struct kmem_cache *s, const struct slab *slab);

/* slub_slowpath.c: frees a group of objects of one slab as one list; takes an object of a bulk
 * allocation, which is not counted as a fast path. */
void slub_free_list(struct world *w, struct kmem_cache *s, u32 cpu, const object_loc *locs, u32 nr);
object_loc slub_take_uncounted(struct world *w, struct kmem_cache *s, u32 cpu);
/* Collects the objects of a bulk free, and frees them as one list per slab, whose head is its last object. */
void slub_list_put(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc);
void slub_lists_free(struct world *w, struct kmem_cache *s, u32 cpu);

/* slub_adopt.c: makes a slab that the machine had before the first event; turns one of its objects
 * in use into an ordinary one, which can be freed. */
ref slub_adopt(struct world *w, struct kmem_cache *s, const struct adopted_slab *was);
/* slub_force.c */
int slub_force(struct world *w, struct kmem_cache *s, u32 cpu, u32 serial, u32 index);
ref slub_adopt_sheaf(struct world *w, struct kmem_cache *s, const struct adopted_sheaf *was);
u32 slub_capacity_of_sheaves(const struct world *w, const struct kmem_cache *s);
void slub_disown(struct world *w, object_loc loc);

/* slub_debug.c: debug caches have neither cpu slabs nor per-CPU partial lists */
object_loc slub_debug_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			    u32 node);
void slub_debug_free(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		     object_loc loc);
/* Frees objects of one slab at once during a bulk free; the last becomes the first on the freelist.
 * Returns 0 without freeing any if a check fails. The caller does the counting; `others` are still
 * to be freed. */
int slub_debug_free_group(struct world *w, struct kmem_cache *s, const object_loc *group, u32 nr,
			  u32 others);
/* slub_debug_bytes.c: size of a descriptor in bytes; the debugging data follows the links. */
u32 slub_block_bytes(const struct kmem_cache *s, u32 objects);
/* Runs before a debug cache discards a slab. */
void slub_debug_discard(struct world *w, struct kmem_cache *s, struct slab *slab);
int slub_validate(struct world *w, struct kmem_cache *s);

/* slub.c: handles a free that changed the slab's list, because the slab was full or is now empty. */
void slub_free_to_node(struct world *w, struct kmem_cache *s, struct slab *slab, int was_full);

/* slub.c: whether the modelled kernel has the counter. */
int slub_has_counter(const struct world *w, u32 counter);

/* slub_attributes.c */
int slub_attribute(const struct world *w, const struct kmem_cache *s, u32 nr, u32 part,
		   struct attribute *a);

/* slub_object.c */
struct slab *slub_find_slab(const struct world *w, const struct kmem_cache *s, u32 serial);
void slub_object(const struct world *w, const struct kmem_cache *s, u32 serial, u32 index,
		 struct kmem_object_row *row);

/* slub_bytes.c */
u32 slub_bytes(const struct world *w, const struct kmem_cache *s, u32 serial, u32 index,
	       struct kmem_byte_run *runs);

/* slub_memory.c: addresses */
u64 slub_address(const struct world *w, const struct kmem_cache *s, object_loc loc);
object_loc slub_object_with(const struct world *w, ref slab, u64 address);
void slub_corrupt(struct world *w, struct kmem_cache *s, u32 serial, u32 index,
		  const struct corruption *c);

/* slub_slowpath.c: decides whether the cache's events may take the fast paths */
void slub_choose_way(struct world *w, struct kmem_cache *s);

/* slub_sysfs.c: files that can be read and written at run time */
int slub_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old);
void slub_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v);
void slub_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row);
u32 slub_slabinfo_objects(const struct world *w, const struct kmem_cache *s);

/* slub_walk.c: rows; slub_invariants.c: invariants */
void slub_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v);
const char *slub_check(const struct world *w, const struct kmem_cache *s);

ALWAYS_INLINE const struct slab *slab_at(const struct world *w, ref r)
{
	return at(w, r);
}

/* slub_attributes.c */
extern const struct placement_notation NOT_IN_FIRST_VIEW slub_placements;

#endif
