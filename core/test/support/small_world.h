/*
 * small_world.h - a machine with one cache, driven by a few letters and drawn in one line.
 *
 * A script is words: `0a1` CPU 0 allocates object 1, `0a1@1` on node 1, `2f1` CPU 2 frees object 1, `0F` CPU 0 is
 * flushed, `F` every CPU, `S` the cache is shrunk, `X` memory is short, `0X` on node 0. A state is drawn as the golden
 * files do: `cpu0:slab=2/free=16/part=1(16)0(16) node0:3(4) nr_partial=1 slabs=4` - lists head first, free objects in
 * brackets; queues as `cpu0=54/125*` - objects, room, * for untouched; `alien1` holds objects of node 1.
 */
#ifndef TEST_SUPPORT_SMALL_WORLD_H
#define TEST_SUPPORT_SMALL_WORLD_H

#include "alloc/ops.h"

enum { SMALL_WORLD_OBJECTS = 4096 };

struct small_world {
	struct world *w;
	struct kmem_cache *s;
	const struct kmem_ops *ops;
	object_loc loc[SMALL_WORLD_OBJECTS];
	struct kmem_step steps[MAX_STEPS_PER_OP + 1];
	u32 nr_steps;
	char text[65536];
};

/* Returns the policy of linux-6.1; SLUB unless .allocator is set. */
struct policy small_world_policy(void);
/* Lives until the next one is made. */
struct small_world *small_world(u32 cpus, u32 nodes, u32 size, struct policy policy);
struct small_world *small_world_flags(u32 cpus, u32 nodes, u32 size, u32 flags,
				      struct policy policy);
/* Runs a script; checks every invariant after every word. Returns the counters of all its words, in order. */
const char *play(struct small_world *sw, const char *script);
const char *draw(struct small_world *sw);
/* Plays one word each, for generated events. */
object_loc play_alloc(struct small_world *sw, u32 cpu, u32 id, u32 node);
void play_free(struct small_world *sw, u32 cpu, u32 id);
const char *laws(struct small_world *sw);

#endif
