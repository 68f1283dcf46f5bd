/*
 * slub.h - SLUB's structures, shared by its own files only.
 *
 *	cache ─ cpu 0: cpu slab ● freelist ─ partial chain ● ● ●        frozen: only this CPU allocates from them
 *	      ─ cpu 1: …
 *	      ─ node 0: partial list ● ⇄ ● ⇄ ●                          at least one free object each
 *	                full slabs are on no list                       (debugging keeps them on one)
 *
 * A free object's link is the u16 at its index in the slab's descriptor: index + 1 of the next free object, 0 at
 * the end, LINK_ALLOCATED while the object is in use. The kernel keeps it in the object, at s->offset.
 */
#ifndef ALLOC_SLUB_SLUB_H
#define ALLOC_SLUB_SLUB_H

#include "alloc/ops.h"

enum {
	LINK_END = 0,
	LINK_ALLOCATED = 0xffff,
	/* Debugging takes objects out of use: they are neither allocated nor on a freelist, with the bytes of either. */
	LINK_LOST_FREE = 0xfffe,
	LINK_LOST_USED = 0xfffd,
	/* slub_sheaf.h: in a CPU's sheaf, or in the barn. */
	LINK_SHEAF = 0xfffc,
	LINK_BARN = 0xfffb,
};

struct slab {
	/* Next to each other as in a step, which then gets all three at once. */
	u16 cache; /* id */
	u16 node;
	u32 serial; /* in its cache, 0 = first made */
	ref next;   /* on a node list or a CPU's chain */
	union {
		ref prev; /* on a node list */
		/* On a chain that is limited by objects: free ones when pushed, from here to its end. */
		u32 chain_objects;
	};
	ref newer, older; /* all slabs of the cache */
	u32 pfn;
	u16 objects;
	u16 inuse;    /* objects not on the slab's own freelist */
	u16 freelist; /* the slab's own: index + 1 of its first object */
	u16 owner;    /* CPU that holds it: the slab is frozen; CPU_NONE */
	u8 place;     /* enum kmem_place_kind */
	u8 order;
	cacheline line; /* of this descriptor; a fast path does not touch it */
	u16 link[];	/* [objects] */
};

struct kmem_cache_cpu {
	ref slab;     /* cpu slab */
	u16 freelist; /* objects only this CPU may take: index + 1 of the first */
	u16 nr_free;  /* how many those are */
	ref partial;  /* chain, head */
	u32 counters[NR_KERNEL_COUNTERS];
	u32 chain_slabs; /* slabs on the chain */
	u16 chain_owner; /* theirs: this CPU, or CPU_NONE where chains are not frozen */
	u16 reserved[3];
};

struct kmem_cache_node {
	struct vlock list_lock;
	ref head, tail; /* partial list */
	u32 nr_partial;
	u32 nr_slabs;
	u32 total_objects;
	ref full; /* debugging: full slabs */
};

/* What else there is to a cache: s->own. */
struct slub_own {
	u32 interrupt_every; /* each so manieth allocation is an interrupted one, 0 none */
	u32 since_interrupt; /* allocations since the last of them */
	u32 sheaf_capacity;  /* slub_sheaf.h; 0: no sheaves */
	ref pcs;	     /* ref[nr_cpus]: struct slub_pcs, 0 until that CPU uses the cache */
	ref barns;	     /* struct slub_barn[nr_nodes] */
};

_Static_assert(offsetof(struct slab, cache) == 0 && offsetof(struct slab, node) == 2 &&
		       offsetof(struct slab, serial) == 4,
	       "as step_about() has them");
_Static_assert(sizeof(struct kmem_cache_cpu) == 128, "two cache lines");

enum list_end { LIST_HEAD, LIST_TAIL };

ALWAYS_INLINE struct kmem_cache_node *slub_node(const struct world *w, const struct kmem_cache *s,
						u32 node)
{
	return (struct kmem_cache_node *)at(w, s->nodes) + node;
}

ALWAYS_INLINE struct slub_own *slub_own(const struct world *w, const struct kmem_cache *s)
{
	return at(w, s->own);
}

/* What the CPU keeps of the cache, made on first use. */
struct kmem_cache_cpu *slub_make_cpu(struct world *w, struct kmem_cache *s, u32 cpu);

ALWAYS_INLINE struct kmem_cache_cpu *slub_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref r = ((ref *)at(w, s->cpus))[cpu];

	return likely(r) ? at(w, r) : slub_make_cpu(w, s, cpu);
}

/* Cache, node and serial of a slab, as a step has them. */
ALWAYS_INLINE u64 slub_about(const struct slab *slab)
{
	u64 about;

	memcpy(&about, &slab->cache, sizeof(about));
	return about;
}

/* Counts on the CPU at work, whose part of the cache is c, and tells it. */
#define STAT_ON(c, w, s, kind, node, a0, a1, a2, a3, a4)          \
	do {                                                      \
		(c)->counters[kind]++;                            \
		EMIT(w, kind, (s)->id, node, a0, a1, a2, a3, a4); \
	} while (0)
/* For functions compiled twice: with and without recording. */
#define STAT_IF(rec, c, w, s, kind, node, a0, a1, a2, a3, a4)             \
	do {                                                              \
		(c)->counters[kind]++;                                    \
		EMIT_IF(rec, w, kind, (s)->id, node, a0, a1, a2, a3, a4); \
	} while (0)
/* The same for a step about a slab, which is its first argument. */
#define TELL_SLAB(rec, w, slab, kind, a1, a2, a3, a4) \
	EMIT_ABOUT(rec, w, kind, slub_about(slab), a1, a2, a3, a4)
#define STAT_SLAB(rec, c, w, slab, kind, a1, a2, a3, a4)       \
	do {                                                   \
		(c)->counters[kind]++;                         \
		TELL_SLAB(rec, w, slab, kind, a1, a2, a3, a4); \
	} while (0)
#define STAT(w, s, kind, node, a0, a1, a2, a3, a4) \
	STAT_ON(slub_cpu(w, s, (w)->cpu), w, s, kind, node, a0, a1, a2, a3, a4)

ALWAYS_INLINE u32 slab_free_count(const struct slab *slab)
{
	return (u32)slab->objects - slab->inuse;
}

/*
 * Cycles of operations that ended on a fast path: they are counted there anyway, so s->cycles leaves them out, and only
 * slow ones are added up.
 */
ALWAYS_INLINE u64 slub_fast_cycles(const struct kmem_cache_cpu *c)
{
	return (u64)c->counters[ALLOC_FASTPATH] * COST_ALLOC_FASTPATH +
	       (u64)c->counters[FREE_FASTPATH] * COST_FREE_FASTPATH;
}

/* The slab becomes the head of the CPU's chain. */
ALWAYS_INLINE void slub_chain_push(struct world *w, struct kmem_cache_cpu *c, struct slab *slab)
{
	slab->owner = c->chain_owner;
	slab->place = PLACE_CPU_PARTIAL;
	slab->next = c->partial;
	c->partial = ref_of(w, slab);
	c->chain_slabs++;
}

/* The same on a chain that is limited by objects. */
ALWAYS_INLINE void slub_chain_push_objects(struct world *w, struct kmem_cache_cpu *c,
					   struct slab *slab)
{
	u32 before = c->partial ? ((struct slab *)at(w, c->partial))->chain_objects : 0;

	slub_chain_push(w, c, slab);
	slab->chain_objects = before + slab_free_count(slab);
}

ALWAYS_INLINE void slub_unfreeze(struct slab *slab)
{
	slab->owner = CPU_NONE;
	slab->place = PLACE_TRANSIT;
}

/* Off the head of the node's partial list, which is not empty. */
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

/* To the tail of the node's partial list. */
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
/* From that node's memory or not at all. */
struct slab *slub_new_slab_there(struct world *w, struct kmem_cache *s, u32 node);
/* counted: FREE_SLAB is counted, which shrinking does not do. */
void slub_discard_slab(struct world *w, struct kmem_cache *s, struct slab *slab, int counted);
void slub_list_add(struct world *w, struct kmem_cache *s, struct slab *slab, enum list_end end);
void slub_list_remove(struct world *w, struct kmem_cache *s, struct slab *slab);
void slub_full_add(struct world *w, struct kmem_cache *s, struct slab *slab);
void slub_full_remove(struct world *w, struct kmem_cache *s, struct slab *slab);

/* slub_partial.c: getting from and giving to node lists and chains */
struct slab *slub_get_partial(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			      u32 node);
/* Other nodes' too, although a node was asked for. */
struct slab *slub_get_partial_anywhere(struct world *w, struct kmem_cache *s,
				       struct kmem_cache_cpu *c, u32 node);
/* The chain goes to the nodes to make room for the slab. */
void slub_drain_and_push(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slab *slab);
/* Onto the CPU's chain where its limit counts objects. */
void slub_put_counting_objects(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			       struct slab *slab);
void slub_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);

/* slub_deactivate.c: a CPU gives its slab up */
struct detached {
	struct slab *slab;
	u32 cpu_objects;    /* were on the cpu freelist */
	u32 remote_objects; /* others had freed them to the slab freelist */
};
/* The CPU has no cpu slab afterwards; what was on the cpu freelist joins the slab freelist. */
struct detached slub_detach(struct world *w, struct kmem_cache_cpu *c);
void slub_deactivate(struct world *w, struct kmem_cache *s, const struct detached *d);
void slub_deactivate_cpu_slab(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c);
/* The cpu slab, of which nothing is left, as before 3.1. */
void slub_deactivate_exhausted(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c);
/* Of an empty slab: does its node keep enough without it? */
int slub_not_needed(struct world *w, struct kmem_cache *s, const struct slab *slab);

/* slub_debug.c: caches with debugging have neither cpu slabs nor chains */
object_loc slub_debug_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			    u32 node);
void slub_debug_free(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		     object_loc loc);
/* Bytes of a descriptor: what debugging keeps is behind the links. */
u32 slub_block_bytes(const struct kmem_cache *s, u32 objects);
/* Before a slab of a debug cache is given back. */
void slub_debug_discard(struct world *w, struct kmem_cache *s, struct slab *slab);
int slub_validate(struct world *w, struct kmem_cache *s);

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

/* slub_bytes.c */
void slub_corrupt(struct world *w, struct kmem_cache *s, u32 serial, u32 index,
		  const struct corruption *c);

/* slub_slowpath.c: whether the cache's operations may take the fast paths */
void slub_choose_way(struct world *w, struct kmem_cache *s);

/* slub_sysfs.c: what can be read and written while it runs */
int slub_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old);
void slub_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v);
void slub_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row);

/* slub_walk.c: rows; slub_invariants.c: laws */
void slub_walk(const struct world *w, const struct kmem_cache *s, struct visitor *v);
const char *slub_check(const struct world *w, const struct kmem_cache *s);

ALWAYS_INLINE const struct slab *slab_at(const struct world *w, ref r)
{
	return at(w, r);
}

/* slub_attributes.c */
extern const struct placement_notation NOT_IN_FIRST_VIEW slub_placements;

#endif
