/*
 * kmem_types.h - included by every file of the core: the public header and kmem_own.h, short types, limits, and assumptions about
 * the platform.
 *
 * Everything in the world (sim/world.h) consists of these types only. It never stores a pointer, size_t, long, bool
 * or enum, so one memcpy is a snapshot, and native and wasm worlds are byte-equal. Programs that embed the core
 * include kmem.h alone. Only this file, kmem.h, util/poison.h and tables/ depend on the platform; other files have
 * conditional compilation for KMEM_FIRST_VIEW alone.
 */
#ifndef KMEM_TYPES_H
#define KMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kmem_own.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint64_t bits64; /* a pointer, say: JavaScript reads it whole, as a bigint */
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* An offset in the world, in bytes from its start. 0 means none. */
typedef u32 ref;

_Static_assert(sizeof(int) == 4, "int is 32 bits");
_Static_assert((s32)-1 >> 1 == (s32)-1, "signed shift keeps the sign");

#define ARRAY_SIZE(a) ((u32)(sizeof(a) / sizeof((a)[0])))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, lo, hi) MIN(MAX(x, lo), hi)
#define DIV_ROUND_UP(a, b) (((a) + (b) - 1) / (b))
#define ALIGN_UP(x, a) (((x) + ((a) - 1)) & ~((a) - 1))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#ifdef KMEM_FIRST_VIEW
#define ALWAYS_INLINE static inline
#else
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#endif
#define NOINLINE static __attribute__((noinline))

/* Stops immediately when an invariant is broken, on every platform. Bad input never gets here. */
#define KASSERT(cond)                     \
	do {                              \
		if (unlikely(!(cond)))    \
			__builtin_trap(); \
	} while (0)

#ifdef __wasm__
/* Linear memory is committed by growing it; 64 KiB is the unit. Returns 0 when the host refuses. */
ALWAYS_INLINE int host_commit(const void *end)
{
	u32 have = (u32)__builtin_wasm_memory_size(0);
	u32 want = (u32)(((u64)(uintptr_t)end + 65535) >> 16);

	if (want <= have)
		return 1;
	/* Grow in large steps: growing is slow, and the host recreates its views of the memory after each growth. */
	u32 step = MAX(want - have, MIN(have / 8, 256u));
	if (__builtin_wasm_memory_grow(0, step) != (__SIZE_TYPE__)-1)
		return 1;
	return __builtin_wasm_memory_grow(0, want - have) != (__SIZE_TYPE__)-1;
}
#else
/* Natively the region is a lazy mapping of its full size: there is nothing to do. */
ALWAYS_INLINE int host_commit(const void *end)
{
	return end != NULL;
}
#endif

/*
 * The module of the first view (wasm/build.mjs) is small and leaves out the files that it does not need. Tables of
 * those files are 0 there, and their functions trap.
 */
#ifdef KMEM_FIRST_VIEW
#define NOT_IN_FIRST_VIEW __attribute__((weak))
#define IS_FIRST_VIEW 1
#else
#define NOT_IN_FIRST_VIEW
#define IS_FIRST_VIEW 0
#endif

/* Limits: each table has one. Exceeding a limit gives a message or a result, never a crash. */
enum {
	MAX_CPUS = KMEM_MAX_CPUS,
	MAX_NODES = KMEM_MAX_NODES,
	MAX_ZONES_PER_NODE = 3,
	MAX_CACHES = KMEM_MAX_CACHES,
	MAX_ORDER = NR_ORDERS - 1, /* largest run of the page allocator, in pages: 2^MAX_ORDER */
	MAX_OBJS_PER_SLAB = 32767, /* kernel: slab->objects has 15 bits (mm/slab.h, 6.1) */
	MAX_STEPS_PER_OP = KMEM_MAX_STEPS,
	MAX_LINE_BYTES = 65536,
	MAX_NAME_BYTES = 64,
	MAX_FINGERPRINTS = KMEM_MAX_FINGERPRINTS,
	MAX_BUGS = KMEM_MAX_BUGS,
	MAX_DAMAGES = 64, /* runs of wrong bytes recorded per slab */
	/* runs of one slot: its parts, the eight bytes of a free pointer, and both ends of each damage */
	MAX_BYTE_RUNS = 24 + 2 * MAX_DAMAGES,
	MAX_SHRINK_BUCKET = 32, /* kernel: SHRINK_PROMOTE_MAX (mm/slub.c, 6.1) */
};

#define CPU_NONE KMEM_NONE
#define NODE_ANY KMEM_NONE
#define CACHE_NONE KMEM_NONE

/* The number of values of an enum in tables/abi. */
#define NR_VALUES(name) ((u32)sizeof(struct values_of_##name))

enum kmem_param {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) PARAM_##id,
#include "tables/params.def"
#undef PARAM
	NR_PARAMS
};

_Static_assert(MAX_CPUS <= CPU_NONE,
	       "every CPU has a number of 16 bits, and CPU_NONE is none of them");
_Static_assert(MAX_NODES <= NODE_ANY,
	       "every node has a number of 16 bits, and NODE_ANY is none of them");
_Static_assert(MAX_CACHES <= CACHE_NONE,
	       "every cache has a number of 16 bits, and CACHE_NONE is none of them");
_Static_assert(MAX_OBJS_PER_SLAB < 0xffff,
	       "an object's place in its slab has 16 bits, all ones for none");

#endif
