/*
 * start.h - the slabs that the machine had before the first event: what a build starts with.
 *
 * Code that knows or infers them fills the rows, such as query/check/check_start.c from the state of a kernel.
 * session/session_start.c adopts them in a new world. A free of an object from before the trace then frees exactly that
 * object.
 */
#ifndef REPLAY_START_H
#define REPLAY_START_H

#include "replay/replay.h"
#include "util/pool.h"

/* A cache of the machine, with its numbers. A parameter that the user or the trace sets wins over them. */
struct start_cache {
	char name[MAX_NAME_BYTES];
	u32 size, object_size;
	u16 order, objects, min_objects;
	u16 reserved;
	u32 min_partial, cpu_partial, cpu_partial_slabs;
	u32 defrag; /* as the kernel stores it: attribute x 10 */
};

/* One slab. Slabs come in the order in which lists take them: ops.h, adopt(). */
struct start_slab {
	u32 cache; /* row of caches */
	u32 place; /* enum kmem_place_kind */
	u32 free_at,
		cpu_free_at; /* where they start in `indices`: slab freelist, and right before it the cpu freelist */
	u16 nr_free, nr_cpu_free; /* their lengths; all other objects are in use */
	u16 order, objects;
	u16 cpu, node;
	ref made;		     /* the model's slab in the current build; 0: none */
	u32 made_cache, made_serial; /* its cache, and its number there */
};

/* A sheaf. Its objects are in use for their slabs. */
struct start_sheaf {
	u32 cache, place; /* as in struct start_slab */
	u32 at, nr;	  /* objects in `entries`, oldest first */
	u16 cpu, node;
};

struct start_entry {
	u32 slab; /* row of slabs, + 1; 0: the place stays empty */
	u32 index;
};

/* A free of an object from before the trace. */
struct start_free {
	u32 op;
	u32 slab; /* row of slabs */
	u32 index;
};

struct start {
	struct buffer
		counts_run; /* u32[rows][NR_KERNEL_COUNTERS]: `before` of the kernel's counters, while it is 0 there */
	ARRAY(struct start_cache) caches;
	ARRAY(struct start_slab) slabs;
	ARRAY(u16) indices;
	ARRAY(struct start_free) frees; /* by event, ascending */
	ARRAY(struct start_sheaf) sheaves;
	ARRAY(struct start_entry) entries;
	u32 held;	    /* enum held_by_parameters: numbers that parameters decide */
	u32 is_inferred;    /* from the trace; otherwise the machine's own state */
	u32 has_accounting; /* some cache is a kmalloc-cg one */
	u32 machine;	    /* parameters of the machine that it set, as bits of their list */
	u32 unseen;	    /* allocations at objects that no event had freed */
	u32 next; /* row of frees that start_object() tries first, because replays go forwards */
};

/* Returns the row of the cache, or NULL; `s` may have no start. */
const struct start_cache *start_cache_named(const struct start *s, const char *name);
/* Returns 1 if the machine serves accounted requests from the plain kmalloc caches. */
int start_lacks_accounting(const struct start *s);
/* Before a cache is created, sets its size and order, and keeps it from being merged. */
void start_apply(const struct start *s, struct cache_spec *spec, struct policy *policy);
/* After it has been created, sets its other numbers. */
void start_settle(const struct start *s, struct kmem_cache *cache);
/* Returns the object that the event frees, if it is from before the trace; 0: it is not. */
object_loc start_object(struct start *s, const struct trace *t, u32 op, struct start_slab **of);

#endif
