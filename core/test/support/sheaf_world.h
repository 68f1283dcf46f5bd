/* sheaf_world.h - a small world of Linux 7.2, and what its sheaves and lists look like. */
#ifndef TEST_SUPPORT_SHEAF_WORLD_H
#define TEST_SUPPORT_SHEAF_WORLD_H

#include "alloc/slub/slub_sheaf.h"
#include "test/support/small_world.h"

enum { AUTOMATIC_CAPACITY = -1, AUTOMATIC_MIN_PARTIAL = -1 };

/* Lives until the next one is made. */
struct small_world *world_72(u32 cpus, u32 nodes, u32 size, s32 capacity, s32 min_partial);
struct small_world *debug_world_72(u32 cpus, u32 nodes, u32 size, s32 min_partial);

/* Runs a script and checks what was counted, in order. SHEAF_SWAP is a step, and no counter of 7.2. */
void counts_72(struct small_world *sw, const char *script, const char *want);
/* Allocates, or frees, the ids from `first` up to, not including, `end`. */
void alloc_range(struct small_world *sw, u32 cpu, u32 first, u32 end);
void free_range(struct small_world *sw, u32 cpu, u32 first, u32 end);
/* Frees the object at slab.index, whatever its id. */
void free_at(struct small_world *sw, u32 cpu, u32 slab, u32 index);

/* These check a text: objects as slab.index, a list as slab(free objects), each from first to last. */
void object_is(struct small_world *sw, u32 id, const char *want);
void main_is(struct small_world *sw, u32 cpu, const char *want);
void list_is(struct small_world *sw, u32 node, const char *want);
/* Indices of the slab's free objects, first to last; the slab is on the node's list. */
void freelist_is(struct small_world *sw, u32 node, u32 slab, const char *want);
/* Returns the sum of a counter. */
u32 counted_72(struct small_world *sw, u32 counter);
/* Returns the nr-th step of that kind in the last script; NULL if there are fewer. */
const struct kmem_step *step_72(const struct small_world *sw, u32 kind, u32 nr);

#endif
