/*
 * world.h - the world: one block of memory that is the whole state of the simulated machine.
 *
 *	struct world_host | struct world | blocks …            (grows upwards)
 *	                  ^ w
 *
 * Every reference inside is a byte offset from w, so a snapshot is memcpy(copy, w, w->used) and two worlds are
 * the same if and only if those bytes are. What the world needs from outside (how far it may grow, where
 * steps are recorded) sits in front of it, in struct world_host, and is never copied or hashed.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim/machine.h"
#include "kmem_types.h"

struct kmem_step;

enum {
	/* Blocks come in four sizes per doubling, from 16 bytes. */
	NR_BLOCK_CLASSES = 104,
	LARGEST_BLOCK_BYTES = 28 << 25,
	/* Room that one operation can need at most: replay stops before an operation when less is left. */
	WORLD_HEADROOM_BYTES = 24 << 20,
};

struct world_host {
	u64 limit_bytes;	   /* the world may grow to this */
	u64 zeroed_bytes;	   /* and has been zeroed to here */
	struct kmem_step *steps;   /* room for MAX_STEPS_PER_OP, and one slot more */
	struct kmem_step *next;	   /* where the next step is written */
	struct kmem_step *turn;	   /* when next gets here, step_turn() decides how to go on */
	u32 recording;		   /* enum recording */
	u32 camera_step;	   /* the step, from 0, after which the picture is taken */
	struct world *camera_copy; /* where to; NULL: no camera */
	u32 barred_zones; /* kinds of zones that the request at work may not use, from the highest */
	u32 reserved;
};

enum recording {
	RECORD_OFF,
	RECORD_RING, /* latest steps overwrite the oldest */
	RECORD_LIST, /* the first MAX_STEPS_PER_OP are kept */
};

/* Numbers of a cache that the parameters decide, though the file of a real machine has others: bits. */
enum held_by_parameters {
	HELD_ORDER = 1,
	HELD_MIN_PARTIAL = 2,
	HELD_CPU_PARTIAL = 4,
	HELD_SHEAVES = 8
};

/* The choices of params.def that allocators look at, resolved. */
struct policy {
	u8 allocator;  /* enum allocator, alloc/ops.h */
	u8 order_rule; /* enum order_rule */
	u8 min_order, max_order;
	u8 min_partial_rule;	 /* enum min_partial_rule */
	u8 skip_checked;	 /* node_search=skip-checked */
	u8 gate_by_cycles;	 /* defrag_gate=cycles */
	u8 cpu_partial_lists;	 /* built with chains */
	u8 cpu_partial_objects;	 /* the chain's limit counts objects */
	u8 release_on_free;	 /* empty_on_free=release */
	u8 deactivate_exhausted; /* exhausted_slab=deactivated */
	u8 end_by_cpu_objects;	 /* deactivate_end=cpu-objects */
	u8 push_one_by_one;	 /* deactivate_order=reversed */
	u8 count_all_empty;	 /* deactivate_empty=all */
	u8 any_node_always;	 /* any_node_search=always */
	u8 clamp_min_partial;	 /* min_partial_write=clamped */
	u8 kmalloc_all_classes;	 /* slabs serve kmalloc of megabytes */
	u8 kmalloc_one_page;	 /* kmalloc_cutoff=one-page */
	u8 loose_chains;	 /* chain_slabs=loose */
	u8 node_first;		 /* node_fallback=strict-first */
	u8 link_first;		 /* free_pointer=first-word */
	u8 merge;
	u8 freelist_random;
	u8 freelist_hardened;
	u8 slab_era; /* enum slab_era */
	u8 slab_max_order;
	u8 any_number_of_objects;	      /* a slab may have more than MAX_OBJS_PER_SLAB */
	u8 no_colour;			      /* colour=off */
	u8 few_sheaves;			      /* sheaf_caches=linux-6.18 */
	u8 told_sheaves;		      /* some cache of an overlay has them */
	u8 held;			      /* enum held_by_parameters */
	u32 min_objects;		      /* 0: automatic */
	u32 min_partial;		      /* AUTOMATIC or number */
	u32 cpu_partial;		      /* AUTOMATIC or number */
	u32 sheaf_capacity;		      /* 0: no sheaves; while a cache is made, its own */
	u32 interrupt_every;		      /* interrupted_refill */
	u32 defrag_ratio;		      /* as stored by the kernel: attribute x 10 */
	u32 limit, batchcount, shared_factor; /* AUTOMATIC or number */
	u32 debug_flags;		      /* enum cache_flags: debugging of every cache */
	u32 queue, batch, shared, alien;      /* AUTOMATIC or number */
	u32 work;			      /* cycles of a CPU before each operation */
#define OWN_POLICY(field, param, how) u32 field;
#include "tables/allocators.def"
};

#define AUTOMATIC 0xffffffffu

enum { MAX_SHEAF_CAPACITY = 512 };

struct world {
	u32 used; /* bytes from w that are in use */
	u32 nr_caches;
	ref caches;	    /* ref[MAX_CACHES]: struct kmem_cache */
	ref handles;	    /* struct handle[nr_handles]: where each live object is */
	ref sites;	    /* struct resolved[nr_sites], replay/replay.c */
	ref trace_caches;   /* ref[]: cache that serves a cache of the trace, 0 until first used */
	ref kmalloc[4][22]; /* [enum kmalloc_type][class]: cache, 0 until first used */
	u64 rng;
	u64 now;	      /* clock of the CPU at work; the others' are in struct cpu */
	u64 op_start;	      /* what it was when the operation at work began */
	u64 lock_wait_cycles; /* of all CPUs */
	u64 large_bytes;      /* kmalloc straight from the page allocator */
	u64 large_requested;
	u32 op;	     /* operations done; from here on as in struct kmem_step */
	u16 no_kind; /* always 0 */
	u16 cpu;     /* at work */
	u32 large_live;
	u32 slow_paths; /* operations that left a fast path */
	u32 slabs;	/* slabs of all caches */
	u32 partial;	/* slabs on node partial lists */
	u32 any_node_entered;
	u32 any_node_zones;
	u32 slab_moves; /* slabs made or given back so far */
	u32 nr_bugs;	/* found so far; the first MAX_BUGS are kept */
	u32 bugs_room;
	ref bugs; /* struct kmem_bug[bugs_room], sim/debug_reports.h */
	u32 reserved_bugs;
	u64 slab_bytes;
	struct policy policy;
	struct machine machine;
	ref free_blocks[NR_BLOCK_CLASSES];
	/* What the allocator keeps beyond caches, in the one that it chooses: hashes of states count all three. */
	ref roots[3];
};

ALWAYS_INLINE struct world_host *world_host(const struct world *w)
{
	return (struct world_host *)(uintptr_t)w - 1;
}

ALWAYS_INLINE u32 is_recording(const struct world *w)
{
	return world_host(w)->recording != RECORD_OFF;
}

/* A picture is to be taken of a step to come. */
ALWAYS_INLINE int has_camera(const struct world *w)
{
	return world_host(w)->camera_copy != NULL;
}

ALWAYS_INLINE void *at(const struct world *w, ref r)
{
	return (u8 *)(uintptr_t)w + r;
}

ALWAYS_INLINE ref ref_of(const struct world *w, const void *p)
{
	return (ref)((const u8 *)p - (const u8 *)w);
}

/* An empty world behind the host at `memory`, which is aligned to 64 bytes and len_bytes long. */
struct world *world_init(void *memory, u64 len_bytes);
/* Zeroed block. The caller has made sure of room (WORLD_HEADROOM_BYTES): it does not fail. */
ref world_alloc(struct world *w, u32 len_bytes);
void world_free(struct world *w, ref block, u32 len_bytes);
/* Moves an array of nr elements to one of twice the room; *room is in elements, 0 at first. */
ref world_grow_array(struct world *w, ref array, u32 *room, u32 elem_bytes);
/* 1 if another operation can be run. */
ALWAYS_INLINE int world_has_room(const struct world *w)
{
	return (u64)w->used + WORLD_HEADROOM_BYTES <= world_host(w)->limit_bytes;
}
u64 world_hash(const struct world *w);
u32 world_random(struct world *w, u32 below);

#endif
