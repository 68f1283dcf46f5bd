/*
 * warm_start.h - fills a new cache with the slabs that a machine state says it had.
 */
#ifndef MACHINE_STATE_WARM_START_H
#define MACHINE_STATE_WARM_START_H

#include "alloc/ops.h"
#include "machine_state/machine_state.h"

/* Gives the cache the slabs of its row and adds up in *sum what was made. The first cache of a row gets them.
 * knows_free: where the cache has slabs already, these have every free object that CPUs held and that events use. Returns 0 if
 * the machine's memory is too small for them. */
int warm_start(struct machine_state *o, const struct kmem_ops *ops, struct world *w,
	       struct kmem_cache *s, int knows_free, struct kmem_warm *sum);

#endif
