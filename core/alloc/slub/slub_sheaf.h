/*
 * slub_sheaf.h - sheaves: arrays of objects in front of SLUB's slabs, exchanged as a whole.
 *
 *	CPU:   main ▤▤▤▢▢   spare ▤▤▤▤▤   rcu ▤▢▢▢▢   pop and push at the main sheaf's end
 *	node:  barn  full ▤ ▤ ▤   empty ▢ ▢            newest first, at most 10 full ones
 *
 * A slab counts an object in a sheaf as in use; its link is LINK_SHEAF, in the barn LINK_BARN.
 *
 * In 6.18 a few caches have sheaves in front of their cpu slabs: slub_sheaf.c. Since 7.0 every cache has
 * them, and CPUs hold no slab: slub_sheaf_alloc.c, slub_sheaf_free.c, slub_sheaf_refill.c.
 */
#ifndef ALLOC_SLUB_SLUB_SHEAF_H
#define ALLOC_SLUB_SLUB_SHEAF_H

#include "alloc/slub/slub.h"

enum {
	BARN_SHEAVES = 10, /* most full sheaves in a barn */
	FLUSH_BATCH = 32,  /* how many objects of a main sheaf are freed at once */
	NR_SHEAF_COUNTERS = SHEAF_RETURN_SLOW - ALLOC_PCS + 1,
};

struct slub_sheaf {
	ref next;	  /* next one in the barn, or among those that wait for a grace period */
	u16 nr, capacity; /* capacity 0: part of struct slub_cpu_sheaves, without room for objects */
	u16 rcu_cpu;	  /* while it waits: the CPU that handed it to RCU */
	u16 rcu_flushed;  /* while it waits: 1 if it won't go to a barn afterwards */
	object_loc object[]; /* [capacity], oldest first */
};

/* The sheaves of a CPU. */
struct slub_pcs {
	ref main;     /* 0: none yet (6.18) */
	ref spare;    /* 0: none */
	ref rcu;      /* kfree_rcu() fills it; 0: none */
	ref refilled; /* an event is filling it from slabs; always 0 between events */
	u32 counters[NR_SHEAF_COUNTERS];
};

/* A CPU's part of a cache with barns, in one block because short traces make many. */
struct slub_cpu_sheaves {
	struct kmem_cache_cpu cpu;
	struct slub_pcs pcs;
	/* Since 7.0 this is the header of the main sheaf until an object is put into it: most CPUs
	 * of a short trace only allocate. */
	struct slub_sheaf first;
};

/* Objects that a request holds between two events. */
struct slub_array {
	ref objects; /* object_loc[room] */
	u16 nr, room;
};

/* An array of objects that wait for a grace period, made once there are as many as one request may hold. */
struct slub_late {
	ref next;
	struct slub_array array;
};

/* A CPU's requests that last for several events. */
struct slub_calls {
	struct slub_array taken; /* objects of a bulk allocation; `next` of them are allocated */
	struct slub_array put;	 /* objects for a bulk free */
	struct slub_array late;	 /* objects given to kfree_rcu() that no sheaf could take */
	ref full_arrays;	 /* struct slub_late, oldest first: those from before `late` */
	u32 next;
	ref prefilled[NR_REQUEST_SLOTS];
};

/* Adds `nr` to the counter and emits the step. */
#define STAT_PCS(w, s, p, kind, nr, ...)                   \
	do {                                               \
		(p)->counters[(kind) - ALLOC_PCS] += (nr); \
		emit_##kind(w, (s)->id, __VA_ARGS__);      \
	} while (0)

/* Whether the modelled kernel has sheaves, at least in some caches. */
ALWAYS_INLINE int slub_has_sheaves(const struct world *w)
{
	return w->policy.sheaf_capacity || w->policy.sheaves_in_state || w->policy.no_cpu_slabs;
}

ALWAYS_INLINE struct slub_barn *slub_barn(const struct world *w, const struct kmem_cache *s,
					  u32 node)
{
	return &slub_own(w, s)->barn[node];
}

/* Whether the cache has barns. */
ALWAYS_INLINE struct slub_pcs *slub_pcs_of(struct kmem_cache_cpu *c)
{
	return &((struct slub_cpu_sheaves *)c)->pcs;
}

/* Returns NULL until the CPU has used the cache, which must have barns. */
ALWAYS_INLINE struct slub_pcs *slub_pcs(const struct world *w, const struct kmem_cache *s, u32 cpu)
{
	ref r = ((ref *)at(w, s->cpus))[cpu];

	return r ? slub_pcs_of(at(w, r)) : NULL;
}

ALWAYS_INLINE struct slub_sheaf *sheaf_at(const struct world *w, ref r)
{
	return at(w, r);
}

/* Returns how many full sheaves a barn takes. */
ALWAYS_INLINE u32 slub_barn_limit(const struct world *w)
{
	return BARN_SHEAVES - w->policy.barn_less;
}

/* Removes the first sheaf of a barn's list; 0 if there is none. */
ALWAYS_INLINE ref barn_pop(struct world *w, ref *list, u32 *nr)
{
	ref first = *list;

	if (first) {
		*list = sheaf_at(w, first)->next;
		sheaf_at(w, first)->next = 0;
		(*nr)--;
	}
	return first;
}

ALWAYS_INLINE void barn_push(struct world *w, ref *list, u32 *nr, ref sheaf)
{
	sheaf_at(w, sheaf)->next = *list;
	*list = sheaf;
	(*nr)++;
}

ALWAYS_INLINE void slub_sheaf_set_main(struct kmem_cache_cpu *c, struct slub_pcs *p, ref sheaf)
{
	c->main = sheaf;
	p->main = sheaf;
}

/* Gets memory for a sheaf, which nothing counts. */
ref sheaf_memory(struct world *w, u32 capacity);

/* Returns the sheaf, or the one that replaces it if it has no room for objects. */
ALWAYS_INLINE ref sheaf_with_room(struct world *w, const struct kmem_cache *s, ref sheaf)
{
	return likely(sheaf_at(w, sheaf)->capacity)
		       ? sheaf
		       : sheaf_memory(w, slub_own(w, s)->sheaf_capacity);
}

/* Whether no other object fits, even after sheaf_with_room(). */
ALWAYS_INLINE int sheaf_is_full(const struct slub_sheaf *sheaf)
{
	return sheaf->capacity && sheaf->nr == sheaf->capacity;
}

/* Returns the main sheaf, with room for its objects. */
ALWAYS_INLINE struct slub_sheaf *slub_sheaf_main(struct world *w, const struct kmem_cache *s,
						 struct kmem_cache_cpu *c, struct slub_pcs *p)
{
	if (unlikely(!sheaf_at(w, p->main)->capacity))
		slub_sheaf_set_main(c, p, sheaf_with_room(w, s, p->main));
	return sheaf_at(w, p->main);
}

/* Returns the node of the CPU at work. */
ALWAYS_INLINE u32 sheaf_home(const struct world *w)
{
	return node_of_cpu(w, w->cpu);
}

/* slub_sheaf_barn.c: sheaves and barns. */
/* Returns how many objects a sheaf of the cache holds by the rule of 7.x, if that is automatic. */
u32 slub_sheaf_capacity(const struct world *w, const struct kmem_cache *s);
/* Makes a sheaf and counts SHEAF_ALLOC. */
ref sheaf_new(struct world *w, struct kmem_cache *s, struct slub_pcs *p);
/* Counts SHEAF_FREE. */
void sheaf_give_back(struct world *w, struct kmem_cache *s, struct slub_pcs *p, ref sheaf);
/* Marks the objects in their slabs as held by this sheaf. */
void sheaf_mark(struct world *w, const struct slub_sheaf *sheaf, u16 link);
/* Takes a full or an empty sheaf out of the barn, under its lock. */
ref barn_take_full(struct world *w, struct kmem_cache *s, u32 node);
ref barn_take_empty(struct world *w, struct kmem_cache *s, u32 node);
/* Returns an empty sheaf from the barn of the CPU's node, or a new one. */
ref sheaf_take_empty(struct world *w, struct kmem_cache *s, struct slub_pcs *p);
void barn_add_full(struct world *w, struct kmem_cache *s, u32 node, ref sheaf);
void barn_add_empty(struct world *w, struct kmem_cache *s, u32 node, ref sheaf);

/* slub_sheaf.c: sheaves of 6.18. Call these only if slub_own()->sheaf_capacity is not 0. */
/* Returns 0 if the slabs have to serve the request. */
object_loc slub_sheaf_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c);
/* Returns 0 if the object has to go to its slab. */
int slub_sheaf_free(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		    object_loc loc);
/* Flushes the sheaves of the CPU at work. */
void slub_sheaf_flush_cpu(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c);
/* Frees the sheaf's objects to their slabs one by one, newest first. */
void slub_sheaf_flush(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		      struct slub_pcs *p, struct slub_sheaf *sheaf, enum kmem_sheaf which);
/* Returns the sheaves of the CPU at work, which has used the cache; in 6.18 it now has a main sheaf. */
struct slub_pcs *slub_sheaf_pcs(struct world *w, struct kmem_cache *s);

/* Kernels without cpu slabs (7.x). */
/* Adds the cycles of an event that ends on a fast path to the cache's sum: but not those of the
 * fast path itself, which follow from its counter (slub_fast_cycles()). Returns 0 if the event did
 * not end on one. */
ALWAYS_INLINE void slub_sheaf_charge(const struct world *w, struct kmem_cache *s, u64 fast_cycles)
{
	s->cycles += op_cycles(w) - fast_cycles;
}

/* slub_sheaf_alloc.c: serves an allocation that the main sheaf alone cannot. */
object_loc slub_sheaf_alloc_slow(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				 u32 node);
/* Fills a sheaf to its capacity and counts SHEAF_REFILL; a different sheaf may replace it. Returns
 * 0 if memory runs out first. */
int slub_sheaf_refill(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		      struct slub_pcs *p, ref *sheaf);
/* slub_sheaf_barn.c: exchanges the empty main sheaf for a full one from the barn. Returns 0 if the
 * barn has none. */
int slub_sheaf_take_full(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slub_pcs *p);
void slub_sheaf_swap(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		     struct slub_pcs *p);
/* slub_sheaf_free.c: handles a free that does more than go onto the main sheaf. */
void slub_sheaf_free_slow(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			  object_loc loc);
/* Runs when the CPU first uses the cache. */
void slub_sheaf_make_cpu(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, u32 cpu);
/* Reports the contents of the CPU's two sheaves after an exchange that no other step describes. */
void slub_sheaf_report(struct world *w, const struct kmem_cache *s, const struct slub_pcs *p);
/* slub_sheaf_flush.c */
/* Prepends a list of `nr` objects, linked from head to tail, to the slab's freelist. Returns
 * whether the slab was full. */
int slub_put_objects(struct world *w, struct slab *slab, u32 head, u32 tail, u32 nr);
/* Frees all objects but the first `first` to their slabs; those that share a slab go at once. *nr
 * is the array's length, which falls to `first` group by group. Counts no FREE_SLOWPATH. */
void slub_free_array(struct world *w, struct kmem_cache *s, object_loc *array, u16 *nr, u32 first);
/* The order in which the objects of a group join the slab's freelist. */
enum group_order { GROUP_IN_ORDER, GROUP_REVERSED };
/* Frees the last object and those near it that share its slab; slub_free_array() repeats this. */
void slub_free_group(struct world *w, struct kmem_cache *s, object_loc *array, u16 *nr, u32 first,
		     enum group_order order);
/* Does the same with debugging, which checks every object. Returns 0 if a check fails; then none is
 * freed, and they all stay out of use. */
int slub_free_checked_group(struct world *w, struct kmem_cache *s, object_loc *array, u16 *nr,
			    u32 first, enum group_order order);
/* Flushes a sheaf other than main: counts SHEAF_FLUSH before its objects leave. */
void slub_sheaf_flush_unused(struct world *w, struct kmem_cache *s, struct slub_pcs *p,
			     struct slub_sheaf *sheaf, enum kmem_sheaf which);
/* Flushes the CPU at work; its main sheaf stays, empty. */
void slub_sheaf_flush_all_of_cpu(struct world *w, struct kmem_cache *s);
/* These serve both kernels with sheaves. */
void slub_sheaf_shrink_barn(struct world *w, struct kmem_cache *s, u32 node);
/* slub_sheaf_refill.c: puts a slab with free objects on its node's list. */
void slub_sheaf_list_slab(struct world *w, struct kmem_cache *s, struct slab *slab,
			  enum kmem_end end);
/* Takes up to `need` objects from slabs, starting on the CPU's node, and appends them to the array,
 * which already holds *nr. Their links become `link`. */
void slub_refill_objects(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 object_loc *array, u16 *nr, u32 need, u16 link);

/* Do the same in parts: take the first slab off the node's list; move what a sheaf lacks from a
 * slab's freelist or from a new slab; decide where a slab that keeps a remainder goes. */
ref slub_refill_unlist(struct world *w, struct kmem_cache *s, u32 node);
void slub_refill_take(struct world *w, struct kmem_cache *s, struct slab *slab,
		      struct slub_sheaf *sheaf);
int slub_refill_new(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		    struct slub_sheaf *sheaf);
enum kmem_end slub_refill_end(const struct world *w);
/* slub_sheaf_parts.c */
int slub_sheaf_part(struct world *w, struct kmem_cache *s, struct sheaf_part *q);

/* slub_sheaf_requests.c: requests that last for several events. */
object_loc slub_request(struct world *w, struct kmem_cache *s, u32 cpu, const struct request *q);
/* Returns the CPU's requests, which are created on first use. */
struct slub_calls *slub_calls_of(struct world *w, struct kmem_cache *s, u32 cpu);
/* Returns NULL if the CPU has none. */
struct slub_calls *slub_calls(const struct world *w, const struct kmem_cache *s, u32 cpu);
/* Makes room for `nr` more objects and returns the array's first. */
object_loc *slub_array_room(struct world *w, struct slub_array *array, u32 nr);
void slub_array_drop(struct world *w, struct slub_array *array);
/* Adds an allocated object to the pending bulk free. */
void slub_array_put(struct world *w, const struct kmem_cache *s, struct slub_array *array,
		    object_loc loc);
/* slub_sheaf_bulk.c */
/* Appends `wanted` objects of slabs to the array and counts them in one step, with debugging one by
 * one; their links are LINK_BULK. Returns 0 if memory runs out; the objects that it got go back to
 * their slabs. */
int slub_take_from_slabs(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 object_loc *array, u16 *nr, u32 wanted);
void slub_bulk_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, u32 nr);
/* Frees the array's objects as kmem_cache_free_bulk() does, and leaves the array empty. */
void slub_bulk_free(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		    struct slub_array *array);
/* Does the same as kfree_bulk() does it, bypassing the sheaves. */
void slub_kfree_bulk(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		     struct slub_array *array);
/* slub_sheaf_rcu.c */
void slub_free_rcu(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, object_loc loc);
void slub_grace_period(struct world *w, struct kmem_cache *s);
/* Models kvfree_rcu_barrier(): every CPU hands its RCU sheaf over, and a grace period ends. */
void slub_rcu_barrier(struct world *w, struct kmem_cache *s);
/* Hands the RCU sheaf of `cpu` to RCU; the CPU at work is called back. `flushed` means that it does
 * not go to a barn afterwards. */
void slub_rcu_hand_over(struct world *w, struct kmem_cache *s, struct slub_pcs *p, u32 cpu,
			int flushed);
/* slub_sheaf_flush.c: flushes a CPU that is offline; the CPU at work counts. */
void slub_sheaf_cpu_dead(struct world *w, struct kmem_cache *s, u32 dead);
/* slub_sheaf_prefill.c */
/* `noted` is where the sheaf is recorded, in the calls of the CPU that prefilled it. 0: there is none. */
void slub_prefill(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, ref *noted,
		  u32 number);
object_loc slub_take_prefilled(struct world *w, const struct kmem_cache *s, const ref *noted);
void slub_refill_prefilled(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			   ref *noted, u32 number);
void slub_return_prefilled(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			   ref *noted);

/* slub_sheaf_walk.c */
void slub_sheaf_walk_cpu(const struct world *w, const struct kmem_cache *s, u32 cpu,
			 struct visitor *v);
void slub_sheaf_walk_node(const struct world *w, const struct kmem_cache *s, u32 node,
			  struct visitor *v);
/* nr: number of objects in sheaves. */
const char *slub_sheaf_check(const struct world *w, const struct kmem_cache *s, u32 *nr);
void slub_sheaf_count(const struct world *w, const struct kmem_cache *s, u32 *sum);

#endif
