/*
 * world.h - the world: one block of memory with the whole state of the simulated machine.
 *
 *	struct world_host | struct world | blocks …            (grows upwards)
 *	                  ^ w
 *
 * Every reference inside is a byte offset from w, so a snapshot is memcpy(copy, w, w->used). Two worlds are equal if
 * and only if those bytes are. struct world_host, before the world, holds its links to the outside: how far it may
 * grow, and where steps are recorded. The host is never copied or hashed.
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
	/* Room that one event can need at most; replay stops if less is left. */
	WORLD_HEADROOM_BYTES = 24 << 20,
};

/* Costs in model cycles, parameters cost.NAME: one for each step kind, then those of sim/step.h. */
enum { LARGEST_COST = 1000000 };
enum cost { COST_LOCK = NR_STEP_KINDS, COST_REMOTE_LINE, NR_COSTS };

struct world_host {
	u64 limit_bytes;	 /* the world may grow to this */
	u64 zeroed_bytes;	 /* the bytes up to here have been zeroed */
	struct kmem_step *steps; /* room for MAX_STEPS_PER_OP, plus one slot */
	struct kmem_step *next;	 /* slot of the next step */
	struct kmem_step *turn;	 /* when next reaches this, step_turn() runs */
	u32 *times; /* when each step happened, in cycles since the event began; NULL: not recorded */
	u32 recording;	 /* enum recording */
	u32 camera_step; /* the step, counted from 0, after which the camera copies the world */
	struct world *camera_copy; /* the copy; NULL: no camera */
	u8 *memory;	  /* behind page frame 0, kmem_attach(); NULL: frames have no memory */
	u32 barred_zones; /* zone kinds, from the highest, that the current request may not use */
	u32 reserved[13]; /* so that native worlds start at a line of the processor's cache */
	/* In force for the whole session, so not part of the world's state. */
	u32 costs[ALIGN_UP(NR_COSTS, 16)];
};

_Static_assert(sizeof(struct world_host) % 8 == 0 &&
		       (sizeof(void *) < 8 || sizeof(struct world_host) % 64 == 0),
	       "the world after it is aligned");

enum recording {
	RECORD_OFF,
	RECORD_RING, /* latest steps overwrite the oldest */
	RECORD_LIST, /* the first MAX_STEPS_PER_OP are kept */
};

/* Bits for the numbers of a cache that parameters set, although a real machine's file has others. */
enum held_by_parameters {
	HELD_ORDER = 1,
	HELD_MIN_PARTIAL = 2,
	HELD_CPU_PARTIAL = 4,
	HELD_SHEAVES = 8
};

/* The resolved choices of params.def that allocators read. */
struct policy {
	u8 allocator;  /* enum allocator, alloc/ops.h */
	u8 order_rule; /* enum order_rule */
	u8 min_order, max_order;
	u8 min_partial_rule; /* enum min_partial_rule */
	u8 skip_checked : 4; /* node_search=skip-checked */
	/*
	 * Wrong on purpose, for negative controls: drained slabs, or slabs with a remainder, go to the head; a barn
	 * takes fewer full sheaves.
	 */
	u8 drain_to_head : 2, barn_less : 2;
	u8 gate_by_cycles;	 /* defrag_gate=cycles */
	u8 cpu_partial_lists;	 /* the kernel has per-CPU partial lists */
	u8 cpu_partial_objects;	 /* their limit counts objects */
	u8 release_on_free;	 /* empty_on_free=release */
	u8 deactivate_exhausted; /* exhausted_slab=deactivated */
	u8 end_by_cpu_objects;	 /* deactivate_end=cpu-objects */
	u8 push_one_by_one;	 /* deactivate_order=reversed */
	u8 count_all_empty;	 /* deactivate_empty=all */
	u8 any_node_always;	 /* any_node_search=always */
	u8 clamp_min_partial;	 /* min_partial_write=clamped */
	u8 kmalloc_all_classes;	 /* slabs serve kmalloc requests of megabytes */
	u8 kmalloc_one_page;	 /* kmalloc_cutoff=one-page */
	u8 unfrozen_partials;	 /* chain_slabs=loose */
	u8 node_first;		 /* node_fallback=strict-first */
	u8 link_first;		 /* free_pointer=first-word */
	u8 merge;
	u8 freelist_random;
	u8 freelist_hardened;
	u8 slab_era; /* enum slab_era */
	u8 slab_max_order;
	u8 any_number_of_objects; /* a slab may have more than MAX_OBJS_PER_SLAB */
	u8 no_colour;		  /* colour=off */
	u8 few_sheaves : 4;	  /* sheaf_caches=linux-6.18 */
	u8 object_layout : 4;	  /* enum object_layout */
	u8 sheaves_in_state;	  /* some cache of a snapshot has sheaves */
	u8 held;		  /* enum held_by_parameters */
	u8 no_cpu_slabs;	  /* cpu_slabs=off */
	u32 min_objects;	  /* 0: automatic */
	u32 min_partial;	  /* AUTOMATIC or number */
	u32 cpu_partial;	  /* AUTOMATIC or number */
	u32 sheaf_capacity;  /* AUTOMATIC, or 0: no sheaves; while a cache is created, its own */
	u32 interrupt_every; /* interrupted_refill */
	u32 defrag_ratio;    /* as stored by the kernel: attribute x 10 */
	u32 limit, batchcount, shared_factor; /* AUTOMATIC or number */
	u32 debug_flags;		 /* enum cache_flags: debugging options of every cache */
	u32 queue, batch, shared, alien; /* AUTOMATIC or number */
	u32 work;			 /* cycles of other work before each event */
#define OWN_POLICY(field, param, how) u32 field;
#include "tables/allocators.def"
};

#define AUTOMATIC 0xffffffffu

enum { MAX_SHEAF_CAPACITY = 512 };

/* The rules of a slot's layout; sim/cache.c has the differences. */
enum object_layout { LAYOUT_LINUX_6_1, LAYOUT_LINUX_6_12, LAYOUT_LINUX_7_0 };

struct world {
	u32 used; /* bytes in use, from w */
	u32 nr_caches;
	ref caches;	    /* ref[MAX_CACHES]: struct kmem_cache */
	ref handles;	    /* handle[nr_handles]: location of each live object */
	ref sites;	    /* struct resolved[nr_sites], replay/replay.c */
	ref trace_caches;   /* ref[]: cache that serves a cache of the trace, 0 until first used */
	ref kmalloc[4][22]; /* [enum kmalloc_type][class]: cache, 0 until first used */
	u64 rng;
	u64 now;	      /* clock of the CPU at work; the others' are in struct cpu */
	u64 op_start;	      /* its clock when the current event began */
	u64 lock_wait_cycles; /* sum over all CPUs */
	u64 large_bytes;      /* kmalloc straight from the page allocator */
	u64 large_requested;
	u32 op;	     /* events done; the fields from here on are laid out as in struct kmem_step */
	u16 no_kind; /* always 0 */
	u16 cpu;     /* CPU at work */
	u32 large_live;
	u32 slow_paths; /* events that left a fast path */
	u32 slabs;	/* slabs of all caches */
	u32 partial;	/* slabs on node partial lists */
	u32 any_node_entered;
	u32 any_node_zones;
	u32 slab_moves; /* slabs created or discarded so far */
	u32 nr_bugs;	/* reports so far; the first MAX_BUGS are kept */
	u32 bugs_room;
	ref bugs; /* struct kmem_bug[bugs_room], sim/world.h */
	u32 reserved_bugs;
	u64 slab_bytes;
	struct policy policy;
	struct machine machine;
	ref free_blocks[NR_BLOCK_CLASSES];
	/* The allocator's state beyond caches, in the root that it chooses; state hashes cover all
	 * three. */
	ref roots[3];
};

ALWAYS_INLINE struct world_host *world_host(const struct world *w)
{
	return (struct world_host *)(uintptr_t)w - 1;
}

/* Model cycles of a step kind, or of a row of enum cost. */
ALWAYS_INLINE u64 cost_of(const struct world *w, u32 cost)
{
	return world_host(w)->costs[cost];
}

extern const u32 default_costs[NR_COSTS];

ALWAYS_INLINE u32 is_recording(const struct world *w)
{
	return world_host(w)->recording != RECORD_OFF;
}

/* Whether the camera is still due. */
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

/* Creates an empty world after the host at `memory`, which is aligned to 64 bytes and len_bytes
 * long. */
struct world *world_init(void *memory, u64 len_bytes);
/* Allocates a zeroed block. It cannot fail: the caller has checked for room (WORLD_HEADROOM_BYTES). */
ref world_alloc(struct world *w, u32 len_bytes);
void world_free(struct world *w, ref block, u32 len_bytes);
/* Moves an array of nr elements to one with twice the room; *room counts elements, 0 at first. */
ref world_grow_array(struct world *w, ref array, u32 *room, u32 elem_bytes);
/* Replaces the state by a copy of another world's, which fits. */
void world_take(struct world *w, const struct world *from);
/* 1 if there is room for another event. */
ALWAYS_INLINE int world_has_room(const struct world *w)
{
	return (u64)w->used + WORLD_HEADROOM_BYTES <= world_host(w)->limit_bytes;
}
u64 world_hash(const struct world *w);
u32 world_random(struct world *w, u32 below);

/* The errors that debugging has reported so far, in order. They are part of the world, so seeking back removes later ones. */
/* Returns a zeroed report with op and cpu filled in, valid until the next call. Past MAX_BUGS all reports
 * share the last slot, which kmem_reports() does not show. */
struct kmem_bug *bug_new(struct world *w);
/* Returns the latest report, which must exist. */
struct kmem_bug *bug_last(struct world *w);

#endif
