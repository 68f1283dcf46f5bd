/*
 * cache.h - struct kmem_cache: what a cache is, its object layout, the kmalloc size classes, its counters.
 */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include "types.h"

enum cache_flags {
	CACHE_HWCACHE_ALIGN = 1,
	CACHE_RECLAIM = 2,
	CACHE_CTOR = 4,
	CACHE_TYPESAFE_BY_RCU = 8,
	CACHE_RED_ZONE = 16,
	CACHE_POISON = 32,
	CACHE_STORE_USER = 64,
	CACHE_NOMERGE = 128,
	CACHE_SANITY = 256,
	CACHE_ACCOUNT = 512,
	CACHE_DMA = 1024,
	CACHE_KMALLOC = 2048,
};

/* Kinds of kmalloc caches, in the kernel's order of precedence (kmalloc_type(), include/linux/slab.h, 6.1). */
enum kmalloc_type { KMALLOC_NORMAL, KMALLOC_RECLAIM, KMALLOC_CGROUP, KMALLOC_DMA, NR_KMALLOC_TYPES };

#endif
