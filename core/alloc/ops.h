/*
 * ops.h - the interface of an allocator: a table of functions.
 *
 * An allocator includes sim/, util/ and this file only, never another allocator. All other code reaches an
 * allocator through this struct and its row in tables/allocators.def. A new allocator therefore
 * needs no other code.
 */
#ifndef ALLOC_OPS_H
#define ALLOC_OPS_H

#include "sim/cache.h"
#include "sim/step.h"
#include "sim/world.h"
#include "util/text.h"

/* The location of an object. Low half: ref of its slab; next 16 bits: index; the caller owns the
 * top 16 bits. 0: no location. */
typedef u64 object_loc;

#define LOC(slab, index) ((object_loc)(slab) | (object_loc)(index) << 32)
#define LOC_SLAB(loc) ((ref)(loc))
#define LOC_INDEX(loc) ((u32)((loc) >> 32) & 0xffffu)

/* The `slab` of a step that concerns no slab. */
#define NO_SLAB 0xffffffffu

enum shrink_mode { SHRINK_FLUSH_CPU, SHRINK_FLUSH_ALL, SHRINK_DISCARD };

enum tick_mode {
	TICK_CLOCK, /* the clock advances by `number` seconds */
	TICK_REAP,  /* the CPU's reaper runs */
	TICK_EXPIRE, /* memory is short: idle objects expire on node `number`, or on all (NODE_ANY) */
};

/* Receives the rows of walk(), place by place. Slabs and entries arrive in the place's order: slabs
 * from the head, entries from the oldest. */
struct visitor {
	u32 only_counts; /* slab() only needs the numbers of objects and extents; cells may hold anything */
	void (*place)(struct visitor *v, const struct kmem_place *place);
	/* `cells` holds row->objects bytes (enum kmem_cell) and `extents` as many rows; `extents`
	 * is NULL if all cells have the same size. */
	void (*slab)(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		     const struct kmem_extent *extents);
	void (*entry)(struct visitor *v, const struct kmem_entry *entry);
	void (*lock)(struct visitor *v,
		     const struct kmem_lock_row *row); /* called by locks() only */
};

/* Do nothing, for visitors that don't need places or entries. */
void visit_no_place(struct visitor *v, const struct kmem_place *place);
void visit_no_entry(struct visitor *v, const struct kmem_entry *entry);

/* How a cache uses its memory, in bytes. A slot is an object with its metadata and padding. */
struct usage {
	u64 slots;  /* bytes of live objects */
	u64 tail;   /* tail waste: the end of each slab, too short for an object */
	u64 free;   /* free objects, on any list or in any queue */
	u64 before; /* objects in use before event 1, which no event allocated */
};

/* Requests beyond plain allocations and frees. */
enum kmem_request {
	REQUEST_BULK_ALLOC, /* takes `number` objects for the TAKEs that follow */
	REQUEST_BULK_TAKE,  /* returns the next of them, or 0 */
	REQUEST_BULK_PUT,   /* loc: an object for the next bulk free */
	REQUEST_BULK_FREE, /* frees the objects that were PUT; slot 1: bypasses the sheaves, like kfree_bulk() */
	REQUEST_FREE_RCU, /* loc: kfree_rcu() */
	REQUEST_GRACE,	  /* the grace period has ended for every object given to FREE_RCU */
	REQUEST_CPU_DEAD, /* `number`: the CPU that has gone offline; `cpu` flushes its objects */
	REQUEST_PREFILL,  /* a sheaf with at least `number` objects for the caller's `slot` */
	REQUEST_PREFILLED_TAKE, /* returns an object of that sheaf, or 0 */
	REQUEST_REFILL,		/* refills the sheaf to at least `number` objects */
	REQUEST_RETURN,		/* the caller returns the sheaf */
	REQUEST_FREE_GROUP, /* locs: `number` objects of one slab, freed as one list whose head is the last of them */
	/* loc: an object in use of a slab that adopt() made; with number 1 kernels with cpu slabs wait for BULK_FREE */
	REQUEST_FREE_ADOPTED,
	REQUEST_BARRIER, /* every CPU hands its RCU sheaf over, then the same as REQUEST_GRACE */
	REQUEST_GROUP_TAKE, /* returns an object of a bulk allocation of a kernel with cpu slabs, or 0 */
};

enum {
	MAX_REQUEST_OBJECTS =
		4096, /* objects in one bulk request or prefilled sheaf; larger numbers are cut to this */
	NR_REQUEST_SLOTS = 16, /* prefilled sheaves that a CPU may hold of one cache at a time */
};

struct request {
	u32 kind, number, slot;
	object_loc loc;
	const object_loc *locs; /* REQUEST_FREE_GROUP */
	u32 sheaf_cpu; /* in `slot`: 1 + the CPU that prefilled the sheaf; 0: the CPU that asks */
};

/* A slab whose exact state is known: the objects on its freelists, in the order in which they'll be
 * allocated. All others are in use. */
struct exact_slab {
	const u16 *free;     /* [nr_free]: slab freelist */
	const u16 *cpu_free; /* [nr_cpu_free]: cpu freelist of a cpu slab */
	u16 nr_free, nr_cpu_free;
	u16 order, objects;
	u32 is_before; /* objects in use are adopted, and only REQUEST_FREE_ADOPTED frees them */
};

/* A slab that the machine had before the first event, for adopt(). */
struct adopted_slab {
	u32 place; /* enum kmem_place_kind: where it is */
	u32 cpu,
		node; /* the CPU matters where a CPU holds the slab; the node is where its memory is */
	u32 inuse; /* objects in use, which no event frees, unless the state is exact. PLACE_SHEAF_MAIN: the others are
			* in that sheaf */
	const struct exact_slab *exact; /* NULL if only the numbers are known */
};

/* The array that the only CPU of a machine had before the first event, with its node's numbers. */
struct adopted_array {
	u32 limit, batchcount, touched;
	u32 free_limit, free_touched; /* of the node */
	const object_loc
		*entries; /* [nr], oldest first: objects in use in slabs that adopt() made */
	u32 nr;
};

/* A sheaf that the machine had before the first event, once adopt() has made the slabs of its objects. */
struct adopted_sheaf {
	u32 place; /* PLACE_SHEAF_MAIN, _SPARE, _RCU, _WAITING, PLACE_BARN_FULL, _EMPTY; any other means that it's moving between two of these */
	u32 cpu, node;		   /* the CPU that holds it, or the node of its barn */
	const object_loc *entries; /* [nr] oldest first: objects in use */
	u32 nr;
};

/* A part of an event that a trace reports separately. */
struct sheaf_part {
	u32 kind; /* enum kernel_part */
	ref sheaf; /* the sheaf that the part works on; a part that creates or finds a sheaf stores it here */
	ref slabs;  /* slabs taken off their list to fill this sheaf, kept for the next parts */
	u32 node;   /* length of a list */
	u32 number; /* the reported number of objects, and how many a sheaf usually holds */
	u32 usual;
	u32 is_returned, is_flushed, is_refilled,
		is_spare; /* what the previous parts did with the sheaf */
	object_loc loc;	  /* an object that the part has taken */
};

struct order_tries;

/* A `corrupt` line: code overwrites or frees an object that it doesn't own. */
struct corruption {
	u32 kind; /* enum kmem_corruption */
	s32 at;	  /* offset from the start of the object */
	u32 len;  /* bytes */
	u32 value;
	u32 live; /* 1: the object has not been freed */
};

/* A file of /sys/kernel/slab/<cache>/ and its value, for the whole cache or for one part of it. */
enum attribute_shape {
	ATTRIBUTE_NUMBER,
	ATTRIBUTE_NODES,     /* the total, then " N0=…" for each node with a share */
	ATTRIBUTE_CPUS,	     /* the total, then " C0=…" for each CPU with a share */
	ATTRIBUTE_CPU_SLABS, /* "objects(slabs)", then " C0=objects(slabs)" for each CPU with a share */
	ATTRIBUTE_TEXT,
	ATTRIBUTE_WRITTEN, /* text that the allocator writes when asked */
};

enum { WHOLE = 0xffffffff };

enum { RECLAIM_PASSES = 13 }; /* passes in one direct reclaim: DEF_PRIORITY from 12 down to 0 */

struct attribute {
	const char *name;
	const char *text; /* ATTRIBUTE_TEXT */
	/* ATTRIBUTE_WRITTEN: writes at most `room` bytes, including the NUL. */
	void (*write)(const struct world *w, const struct kmem_cache *s, char *buf, u32 room);
	u32 shape; /* enum attribute_shape */
	u32 writable;
	u32 value; /* ATTRIBUTE_CPU_SLABS: objects */
	u32 slabs; /* ATTRIBUTE_CPU_SLABS: slabs */
};

/* The rows of a view, which are printed as a state in golden-file notation. */
struct state_rows {
	const struct kmem_place *places;
	const struct kmem_slab_row *slabs;
	const u8 *cells;
	const struct kmem_extent *extents;
	u32 nr_places, nr_slabs, nr_cpus, nr_nodes;
	u32 unit; /* slot size of the first cache in bytes */
	/* Linked lists of places: one for each CPU, then one for each node with the places that no
	 * CPU owns. Each link is a place's number + 1; 0 ends the list. */
	u32 *first, *next;
};

/* Builds those lists, in memory for nr_cpus + nr_nodes + nr_places numbers. */
void state_list_places(struct state_rows *r);
/* Returns the first place of that kind on one CPU, on one node without a CPU, or anywhere
 * (CPU_NONE, NODE_ANY); NULL if there is none. */
const struct kmem_place *state_place(const struct state_rows *r, u32 kind, u32 cpu, u32 node);
u32 state_slabs_on(const struct state_rows *r, u32 node);
/* Appends "serial(free objects)" for each slab of the place. */
void state_add_slabs(const struct state_rows *r, const struct kmem_place *place,
		     const char *between, struct text *t);

/* An event, with the rows that its columns are built from. */
struct placed {
	const struct kmem_op_row *row;
	const struct kmem_step *steps;
	u32 nr_steps;
	u32 unit;
};

/* How `slabscope placements` prints an allocator's events and states; kmem.h has the structs. */
struct placement_notation {
	struct kmem_placement_words words;
	/* Fills at most KMEM_MAX_PLACEMENT_COLUMNS and returns how many. NULL: the columns are CPU,
	 * node, slab and index. */
	u32 (*columns)(const struct placed *p, struct kmem_placement_column *c);
	/* Adds columns after the counters. NULL: adds none. */
	u32 (*totals)(const struct kmem_totals *t, struct kmem_placement_column *c);
	void (*state)(const struct state_rows *r, struct text *t);
};

#define REQUEST_BIT(kind) (1u << (kind))

struct kmem_ops {
	/* NULL: the common columns, and no states */
	const struct placement_notation *placements;
	u64 measures; /* one bit for each enum kmem_measure that only some allocators have */
	u32 smallest_kmalloc; /* size of the smallest kmalloc class in bytes */
	u32 shared_slabs;     /* 1: all caches share slabs, which belong to the first cache */
	u32 adds_up_cycles;   /* 1: the allocator sums s->cycles itself; info() reports the total */
	u32 no_slabinfo;      /* 1: kernels with this allocator have no /proc/slabinfo */
	u32 no_presets; /* 1: the allocator is the same in every kernel, so presets do not apply */
	u32 no_orders;	/* 1: the slab order does not depend on the object size */
	u32 levels;	/* enum levels: the levels that its caches' places belong to */
	/* Each REQUEST_BIT(enum kmem_op_kind) that it acts on, in addition to allocations, frees
	 * and settings. */
	u32 requests;

	/* Returns the levels of a cache, where caches differ; s is NULL for the allocator's
	 * default. NULL: use `levels`. */
	u32 (*levels_of)(const struct world *w, const struct kmem_cache *s);

	/* Whether the allocator can count this (enum kmem_counter) on the machine. */
	int (*has_counter)(const struct world *w, u32 counter);
	/* Derives fields of the policy from the parameters that it already holds. NULL: there are none. */
	void (*settle)(struct policy *p);
	/* Creates whatever state the allocator needs besides its caches, in a new world. NULL: it
	 * needs none. */
	void (*prepare)(struct world *w);
	/* Sets sizes, order, thresholds and arrays of a cache whose layout is known. */
	void (*create)(struct world *w, struct kmem_cache *s);
	/* Makes a slab as it was before the first event. No counter and no object of the trace
	 * changes. The slab goes to the tail of its list, or to the head of a per-CPU partial list.
	 * Returns the slab, or 0 if the cache has no such place or memory is short. NULL: the
	 * allocator does not support a warm start. */
	ref (*adopt)(struct world *w, struct kmem_cache *s, const struct adopted_slab *slab);
	/* 1 if adopt() takes exact states too, on any machine. */
	u32 adopts_exactly;
	/* Fills the array of CPU 0 after adopt() has made the slabs, which may be exact ones here.
	 * Returns 0 if the entries don't fit. NULL: the allocator has no arrays. */
	int (*adopt_array)(struct world *w, struct kmem_cache *s, const struct adopted_array *was);
	/* Returns how many objects a sheaf of the cache holds; 0 if the cache has no sheaves. NULL
	 * if adopt_sheaf() is. */
	u32 (*sheaf_capacity)(const struct world *w, const struct kmem_cache *s);
	/* Appends a sheaf to a barn, or to the sheaves that wait for a grace period. Returns it, or
	 * 0 if the cache has no such place or the place is full. NULL: the allocator has no
	 * sheaves. */
	ref (*adopt_sheaf)(struct world *w, struct kmem_cache *s, const struct adopted_sheaf *was);
	/* Makes a free object the next one that the CPU allocates. Its slab is the one with that
	 * serial number, or a new one if there is none. Returns 0 if the object is not free. NULL:
	 * not possible. */
	int (*force)(struct world *w, struct kmem_cache *s, u32 cpu, u32 serial, u32 index);
	/* Performs one part of an event on the CPU at work. Returns 0 if the model, in its current
	 * state, would not do this. NULL: no kernel reports parts. */
	int (*part)(struct world *w, struct kmem_cache *s, struct sheaf_part *part);
	/* Returns the cache that serves a kmalloc of that many bytes; 0 if pages serve it directly.
	 * NULL: one cache per class. */
	ref (*kmalloc_cache)(const struct world *w, u32 bytes);
	/* node: NODE_ANY or a node of the machine; bytes: what the caller asked for. Returns 0 if
	 * memory runs out. */
	object_loc (*alloc)(struct world *w, struct kmem_cache *s, u32 cpu, u32 node, u32 bytes);
	void (*free)(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc);
	/* Frees idle memory in one pass of direct reclaim, once no node has been able to provide
	 * the pages. Returns 0 if nothing more can be freed. NULL: the allocator takes no part in
	 * reclaim. */
	int (*reclaim)(struct world *w);
	/* Runs after a large request has taken pages, when kswapd may have to run. NULL: kswapd
	 * frees nothing here. */
	void (*pages_taken)(struct world *w);
	/* Serves the request on that CPU and returns the object of a TAKE; 0: none is left. PUT and
	 * FREE_RCU end the life of an object; an allocator without such requests frees it at once.
	 * NULL: the allocator ignores all of them. */
	object_loc (*request)(struct world *w, struct kmem_cache *s, u32 cpu,
			      const struct request *q);
	/* NULL: the allocator has no clock, and nothing expires. */
	void (*tick)(struct world *w, u32 cpu, enum tick_mode mode, u32 number);
	void (*shrink)(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode);
	/* Writes a tunable of the cache (AUTOMATIC: back to the value at creation). Returns 0 if
	 * the cache has no such tunable. Otherwise returns 1, with the old value in *old and the
	 * value now in force in *value. */
	int (*set)(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old);
	void (*walk)(const struct world *w, const struct kmem_cache *s, struct visitor *v);
	/* Checks the invariants of the policy. Returns NULL, or the one that is violated. */
	const char *(*check)(const struct world *w, const struct kmem_cache *s);
	/* Returns the serial number of a slab in its cache. */
	u32 (*serial)(const struct world *w, ref slab);
	/* Returns which cell stands for an object in its slab's row of walk(). NULL: the cell
	 * number is the object's index. */
	u32 (*cell)(const struct world *w, u32 cache, object_loc loc);
	/* Adds the cache's counter totals to sum[NR_COUNTERS]. */
	void (*count)(const struct world *w, const struct kmem_cache *s, u32 *sum);
	/* Fills the slabinfo columns that depend on the allocator: objects, active_slabs,
	 * cpu_slabs, tunables. */
	void (*info)(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row);
	/* Returns the objects in use as slabinfo reports them, where the kernel only estimates.
	 * NULL: the same as info(). */
	u32 (*slabinfo_objects)(const struct world *w, const struct kmem_cache *s);
	/* Passes every lock that was ever taken to v->lock. */
	void (*locks)(const struct world *w, const struct kmem_cache *s, struct visitor *v);
	/* Damages the index-th object, live or free, of the slab with that serial number. NULL: the
	 * allocator does not model corruption. */
	void (*corrupt)(struct world *w, struct kmem_cache *s, u32 serial, u32 index,
			const struct corruption *c);
	/* Reads the nr-th sysfs file: for the WHOLE cache, or for one node or CPU if the file has
	 * separate values for these. Returns 0 past the last file. NULL: the allocator has no
	 * files. */
	int (*attribute)(const struct world *w, const struct kmem_cache *s, u32 nr, u32 part,
			 struct attribute *a);
	/* Adds the layout, free pointer and tracks of an object, which walk() leaves out. NULL:
	 * there is nothing to add. */
	void (*object)(const struct world *w, const struct kmem_cache *s, u32 serial, u32 index,
		       struct kmem_object_row *row);
	/* Writes at most MAX_BYTE_RUNS runs of bytes that cover the object's slot and returns how
	 * many. Returns 0 if the object does not exist. NULL: the model keeps no bytes. */
	u32 (*bytes)(const struct world *w, const struct kmem_cache *s, u32 serial, u32 index,
		     struct kmem_byte_run *runs);
	/* Checks every object of a cache. Returns 0 if the cache has no checks. NULL: no cache has
	 * any. */
	int (*validate)(struct world *w, struct kmem_cache *s);
	/* Returns the address of an object. NULL: kmem_attach() refuses the allocator. */
	u64 (*address)(const struct world *w, const struct kmem_cache *s, object_loc loc);
	/* Returns the object that contains the byte at this address of the slab, with the id of its
	 * cache in the top bits. */
	object_loc (*object_with)(const struct world *w, ref slab, u64 address);
	/* Returns a power of two that divides the address of every object allocated for a request
	 * of this size. NULL: slots follow one another from the start of the slab. */
	u32 (*alignment)(const struct world *w, const struct kmem_cache *s, u32 bytes);
	/* NULL: every slot has s->size bytes, and a slab holds s->total_objects of them. */
	void (*usage)(const struct world *w, const struct kmem_cache *s, struct usage *u);
	/* Fills in the row for a slot of row->size bytes: order (ORDER_NONE if no order can hold
	 * one), objects, waste, and the allocator's own columns. NULL: sim/cache.h computes it. */
	void (*order_row)(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
			  struct kmem_order_row *row, struct order_tries *tries);
	/* Returns totals that only this allocator counts. NULL: there are none. */
	void (*totals)(const struct world *w, struct kmem_totals *t);
};

enum levels {
#define LEVELS(id) LEVELS_##id,
#include "tables/allocators.def"
	NR_LEVEL_SETS
};

enum allocator {
#define ALLOCATOR(id, name, label, ops) ALLOCATOR_##id,
#include "tables/allocators.def"
	NR_ALLOCATORS
};

#define ALLOCATOR(id, name, label, ops) extern const struct kmem_ops NOT_IN_FIRST_VIEW ops;
#include "tables/allocators.def"

const struct kmem_ops *ops_of(u32 allocator);
/* The name that --allocator accepts. */
const char *allocator_name(u32 allocator);

/* A slab of a cache, and what walk() reports about one object in it. */
struct slab_finder {
	struct visitor visitor;
	u32 serial, index; /* index 0xffffffff: looks for no object */
	u32 is_found, cell;
	struct kmem_slab_row slab;
	struct kmem_extent extent; /* bytes 0: all cells have the same size */
	struct kmem_place place, found_in,
		entry_in; /* entry_in: the array or sheaf that holds the object */
};
struct slab_finder slab_find(const struct kmem_ops *ops, const struct world *w,
			     const struct kmem_cache *s, u32 serial, u32 index);

struct slab_head;
/* For implementations of walk(). Makes a place of the cache, on a CPU or CPU_NONE and on a node or
 * NODE_ANY. */
struct kmem_place place_row(const struct kmem_cache *s, u32 kind, u32 cpu, u32 node);
/* Fills in the row of a slab from its head alone: no object is in use, and no CPU owns it. */
struct kmem_slab_row slab_row(const struct world *w, const struct slab_head *slab, u32 position);
/* Passes a lock's row to v->lock; for implementations of locks(). */
void lock_report(struct visitor *v, const struct vlock *lock, enum kmem_lock_kind kind, u32 cache,
		 u32 node, u32 target);

/* For implementations of check(). */
#define INVARIANT(cond, text)        \
	do {                         \
		if (!(cond))         \
			return text; \
	} while (0)

#define MEASURE_BIT(measure) ((u64)1 << (measure))
_Static_assert(NR_MEASURES <= 64, "kmem_ops.measures has a bit for each measure");

/* For sets of the first 64 counters. */
#define COUNTER_BIT(counter) ((u64)1 << (counter))

#endif
