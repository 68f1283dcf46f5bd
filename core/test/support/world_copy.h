/* world_copy.h - saves and restores worlds, with what the address sanitizer knows about them. */
#ifndef TEST_SUPPORT_WORLD_COPY_H
#define TEST_SUPPORT_WORLD_COPY_H

#include "util/poison.h"
#include "sim/world.h"

/* Copies the world to `to`, which has room for w->used bytes. */
static inline void world_put_aside(void *to, const struct world *w)
{
	region_copy(to, w, w->used);
}

/* Restores the saved world, which had `used` bytes. */
static inline void world_bring_back(struct world *w, const void *from, u32 used)
{
	u64 zeroed_bytes = world_host(w)->zeroed_bytes;

	region_copy(w, from, used);
	world_host(w)->zeroed_bytes = used;
	if (zeroed_bytes > used)
		region_poison((u8 *)w + used, zeroed_bytes - used);
}

#endif
