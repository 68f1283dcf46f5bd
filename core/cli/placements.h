/*
 * placements.h - what `slabscope placements --state` writes of each allocator: the golden files' notation.
 */
#ifndef CLI_PLACEMENTS_H
#define CLI_PLACEMENTS_H

#include "host.h"

/* The first place of that kind, of any CPU (CPU_NONE) and any node (NODE_ANY) or of one; NULL: there is none. */
const struct kmem_place *find_place(const struct host *h, const struct kmem_frame *f, u32 kind,
				    u32 cpu, u32 node);

/* placements_slub.c */
void print_state_slub(const struct host *h, const struct kmem_frame *f);
/* placements_slab.c */
void print_state_slab(const struct host *h, const struct kmem_frame *f);

#endif
