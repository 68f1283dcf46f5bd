/*
 * ops.h - what an allocator is to the rest of the program: a table of functions.
 *
 * An allocator includes sim/ and this file only, never another allocator. All other code knows allocators by this
 * struct and by their rows in tables/allocators.def, so a new one needs no other code.
 */
#ifndef ALLOC_OPS_H
#define ALLOC_OPS_H

#include "sim/cache.h"
#include "sim/step.h"
#include "sim/world.h"
#include "util/text.h"

/* Where an object is: ref of its slab in the low half, then 16 bits of index; the top 16 bits are the caller's.
 * 0: nowhere. */
typedef u64 object_loc;

#define LOC(slab, index) ((object_loc)(slab) | (object_loc)(index) << 32)
#define LOC_SLAB(loc) ((ref)(loc))
#define LOC_INDEX(loc) ((u32)((loc) >> 32) & 0xffffu)

enum shrink_mode { SHRINK_FLUSH_CPU, SHRINK_FLUSH_ALL, SHRINK_DISCARD };

enum tick_mode {
	TICK_CLOCK, /* the clock goes on by `number` seconds */
	TICK_REAP,  /* it is the CPU's turn to reap */
	TICK_EXPIRE, /* memory is short: what lies idle expires, of node `number` or (NODE_ANY) of all */
};

/* Gets the rows of walk(), place by place; slabs and entries of a place come in its order, slabs head first,
 * entries oldest first. */
struct visitor {
	u32 only_counts; /* of `slab`: the numbers of objects and extents; cells may be anything */
	void (*place)(struct visitor *v, const struct kmem_place *place);
	/* cells has row->objects bytes, enum kmem_cell; extents as many rows, or is NULL where all cells are alike. */
	void (*slab)(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		     const struct kmem_extent *extents);
	void (*entry)(struct visitor *v, const struct kmem_entry *entry);
	void (*lock)(struct visitor *v, const struct kmem_lock_row *row); /* of locks() only */
};

/* Where a cache's memory is, in bytes; slots are objects with all that belongs to them. */
struct usage {
	u64 slots; /* of live objects */
	u64 tail;  /* ends of slabs that can hold no object */
	u64 free;  /* free objects, wherever they are kept */
};

struct order_tries;

/* A `corrupt` line: memory of an object is hit by somebody who should not. */
struct corruption {
	u32 kind; /* enum kmem_corruption */
	s32 at;	  /* offset from the object */
	u32 len;  /* bytes */
	u32 value;
	u32 live; /* 1: the object has not been freed */
};

/* A file of /sys/kernel/slab/<cache>/, and what it reads for the whole cache or for one part of it. */
enum attribute_shape {
	ATTRIBUTE_NUMBER,
	ATTRIBUTE_NODES,     /* total, then " N0=…" for nodes that have some */
	ATTRIBUTE_CPUS,	     /* total, then " C0=…" for CPUs that have some */
	ATTRIBUTE_CPU_SLABS, /* "objects(slabs)", then " C0=objects(slabs)" for CPUs that have some */
	ATTRIBUTE_TEXT,
	ATTRIBUTE_WRITTEN, /* text that the allocator writes when it is asked to */
};

enum { WHOLE = 0xffffffff };

enum { RECLAIM_PASSES = 13 }; /* of one direct reclaim at most: DEF_PRIORITY 12 down to 0 */

struct attribute {
	const char *name;
	const char *text; /* ATTRIBUTE_TEXT */
	/* ATTRIBUTE_WRITTEN: cut to what room holds, NUL-terminated. */
	void (*write)(const struct world *w, const struct kmem_cache *s, char *buf, u32 room);
	u32 shape; /* enum attribute_shape */
	u32 writable;
	u32 value; /* ATTRIBUTE_CPU_SLABS: objects */
	u32 slabs; /* of ATTRIBUTE_CPU_SLABS */
};

/* Rows of a view, for a state in the notation of golden files. */
struct state_rows {
	const struct kmem_place *places;
	const struct kmem_slab_row *slabs;
	const u8 *cells;
	const struct kmem_extent *extents;
	u32 nr_places, nr_slabs, nr_cpus, nr_nodes;
	u32 unit; /* bytes of a slot of the first cache */
};

/* The first place of that kind, of any CPU (CPU_NONE) and any node (NODE_ANY) or of one; NULL: there is none. */
const struct kmem_place *state_place(const struct state_rows *r, u32 kind, u32 cpu, u32 node);
u32 state_slabs_on(const struct state_rows *r, u32 node);
/* "serial(free objects)" of each of its slabs. */
void state_add_slabs(const struct state_rows *r, const struct kmem_place *place,
		     const char *between, struct text *t);

/* An event, and what its columns are made from. */
struct placed {
	const struct kmem_op_row *row;
	const struct kmem_step *steps;
	u32 nr_steps;
	u32 unit;
};

/* What `slabscope placements` writes of an allocator; kmem.h has the structs. */
struct placement_notation {
	struct kmem_placement_words words;
	/* At most KMEM_MAX_PLACEMENT_COLUMNS; returns how many. NULL: CPU, node, slab and index. */
	u32 (*columns)(const struct placed *p, struct kmem_placement_column *c);
	/* Sums behind the counters. NULL: none. */
	u32 (*totals)(const struct kmem_totals *t, struct kmem_placement_column *c);
	void (*state)(const struct state_rows *r, struct text *t);
};

struct kmem_ops {
	/* NULL: the usual columns, and no states. */
	const struct placement_notation *placements;
	u64 counters;	      /* bit per enum kmem_counter that it may have */
	u64 measures;	      /* bit per enum kmem_measure, of those that not every allocator has */
	u32 smallest_kmalloc; /* bytes of the smallest kmalloc class */
	u32 shared_slabs;     /* 1: slabs serve all caches, and belong to the first one */
	u32 adds_up_cycles;   /* 1: s->cycles is its own to keep; info() tells them */
	u32 no_slabinfo;      /* 1: its kernel has no /proc/slabinfo */
	u32 no_presets;	      /* 1: it is the same in every kernel */
	u32 no_orders;	      /* 1: it chooses no order by the size of objects */

	/* Which of the counters it does not have on this machine. NULL: none. */
	u64 (*absent)(const struct world *w);
	/* What follows for the policy from the parameters in it. NULL: nothing. */
	void (*settle)(struct policy *p);
	/* What the allocator keeps beyond caches, in a new world. NULL: nothing. */
	void (*prepare)(struct world *w);
	/* Sizes, order, thresholds, arrays of a cache whose layout is known. */
	void (*create)(struct world *w, struct kmem_cache *s);
	/* The cache that serves a kmalloc of that many bytes, 0 if pages serve it directly. NULL: caches by class. */
	ref (*kmalloc_cache)(const struct world *w, u32 bytes);
	/* node: NODE_ANY or a node of the machine; bytes: the request. 0 when there is no memory. */
	object_loc (*alloc)(struct world *w, struct kmem_cache *s, u32 cpu, u32 node, u32 bytes);
	void (*free)(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc);
	/* One pass of reclaim, for pages that no node has: gives back what lies idle. 0 if there is nothing to be had any
	 * more. NULL: it gives nothing back then. */
	int (*reclaim)(struct world *w);
	/* A large request has taken pages: kswapd may have to run. NULL: it has nothing for kswapd. */
	void (*pages_taken)(struct world *w);
	/* NULL: has no clock, and nothing that expires. */
	void (*tick)(struct world *w, u32 cpu, enum tick_mode mode, u32 number);
	void (*shrink)(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);
	/* A tunable of the cache is written (AUTOMATIC: as at creation); returns 0 if it has none of that name,
	 * otherwise 1 with the old value, and in *value the new one, as they are in force. */
	int (*set)(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old);
	void (*walk)(const struct world *w, const struct kmem_cache *s, struct visitor *v);
	/* Laws of the policy: NULL, or the one that is broken. */
	const char *(*check)(const struct world *w, const struct kmem_cache *s);
	/* Serial number of a slab in its cache. */
	u32 (*serial)(const struct world *w, ref slab);
	/* Which cell of its slab's row in walk() an object of the cache is. NULL: the one of its index. */
	u32 (*cell)(const struct world *w, u32 cache, object_loc loc);
	/* Counter totals of a cache, added to sum[NR_COUNTERS]. */
	void (*count)(const struct world *w, const struct kmem_cache *s, u32 *sum);
	/* Slabinfo's columns that depend on the allocator: objects, active_slabs, cpu_slabs, tunables. */
	void (*info)(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row);
	/* Tells v->lock every lock that was ever taken. */
	void (*locks)(const struct world *w, const struct kmem_cache *s, struct visitor *v);
	/* NULL: corruption is not modelled. The object is, or was, the index-th of the slab with that number. */
	void (*corrupt)(struct world *w, struct kmem_cache *s, u32 serial, u32 index,
			const struct corruption *c);
	/* The nr-th file of sysfs: of the WHOLE cache, or the share of one node or CPU, as its shape asks. 0 if there
	 * are not so many. NULL: there are none. */
	int (*attribute)(const struct world *w, const struct kmem_cache *s, u32 nr, u32 part,
			 struct attribute *a);
	/* What it knows of an object beyond the rows of walk(): layout, free pointer, tracks. NULL: nothing. */
	void (*object)(const struct world *w, const struct kmem_cache *s, u32 serial, u32 index,
		       struct kmem_object_row *row);
	/* Writes at most MAX_BYTE_RUNS runs of bytes that fill the object's slot and returns how many; 0 if there is
	 * no such object. NULL: the model keeps no bytes. */
	u32 (*bytes)(const struct world *w, const struct kmem_cache *s, u32 serial, u32 index,
		     struct kmem_byte_run *runs);
	/* Checks every object of a cache; 0 if there is nothing to check by. NULL: there never is. */
	int (*validate)(struct world *w, struct kmem_cache *s);
	/* NULL: slots are s->size bytes, and slabs hold s->total_objects of them. */
	void (*usage)(const struct world *w, const struct kmem_cache *s, struct usage *u);
	/* A slot of row->size bytes: order (ORDER_NONE if none holds it), objects, waste and what else the row has
	 * of this allocator. NULL: by sim/order.h. */
	void (*order_row)(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
			  struct kmem_order_row *row, struct order_tries *tries);
	/* Sums that only this allocator has. NULL: none. */
	void (*totals)(const struct world *w, struct kmem_totals *t);
};

enum allocator {
#define ALLOCATOR(id, name, label, ops) ALLOCATOR_##id,
#include "tables/allocators.def"
	NR_ALLOCATORS
};

#define ALLOCATOR(id, name, label, ops) extern const struct kmem_ops NOT_IN_FIRST_VIEW ops;
#include "tables/allocators.def"

const struct kmem_ops *ops_of(u32 allocator);
/* As --allocator names it. */
const char *allocator_name(u32 allocator);

/* For locks(). */
void lock_tell(struct visitor *v, const struct vlock *lock, enum kmem_lock_kind kind, u32 cache,
	       u32 node, u32 target);

#define MEASURE_BIT(measure) ((u64)1 << (measure))
_Static_assert(NR_MEASURES <= 64, "kmem_ops.measures has a bit for each measure");

#define COUNTER_BIT(counter) ((u64)1 << (counter))
_Static_assert(NR_COUNTERS <= 64, "kmem_ops.counters and absent() have a bit for each counter");

#endif
