/*
 * poison.h - marks for the address sanitizer which bytes of the session's region are in use.
 *
 * The sanitizer sees the region as one allocation, in which nothing can overflow. Each function
 * that allocates part of the region therefore poisons the bytes around it. These are red zones
 * between neighbours, the rounding at the end of a block, free blocks, and the bytes past the end.
 * Without the sanitizer these functions are empty, red zones have no bytes, and the region's layout
 * stays the same.
 *
 * Poison counts in granules of 8 bytes: a poisoned run may start anywhere, but ends at a multiple
 * of 8.
 */
#ifndef UTIL_POISON_H
#define UTIL_POISON_H

#include "kmem_types.h"

#if defined(__SANITIZE_ADDRESS__)
#define KMEM_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KMEM_POISON 1
#endif
#endif

#ifdef KMEM_POISON

enum {
	RED_ZONE_BYTES = 64,	   /* after each run of the pool and each row of working memory */
	WORLD_RED_ZONE_BYTES = 16, /* after each block of the world: only addresses change */
	POISON_GRANULE_BYTES = 8,
};

/*
 * Reads and writes any bytes, poisoned or not. Not instrumented, because a fuzzer would learn nothing from these loops
 * over megabytes.
 */
#ifdef __clang__
#define IGNORES_POISON __attribute__((no_sanitize("address", "coverage")))
#else
#define IGNORES_POISON __attribute__((no_sanitize("address")))
#endif

/* Declared here so that the core includes no header of its host. */
void __asan_poison_memory_region(const volatile void *from, size_t len_bytes);
void __asan_unpoison_memory_region(const volatile void *from, size_t len_bytes);
void __asan_get_shadow_mapping(size_t *scale, size_t *offset);

ALWAYS_INLINE void region_poison(const void *from, u64 len_bytes)
{
	__asan_poison_memory_region(from, (size_t)len_bytes);
}

ALWAYS_INLINE void region_unpoison(const void *from, u64 len_bytes)
{
	__asan_unpoison_memory_region(from, (size_t)len_bytes);
}

/* How many bytes of a run may be used if need_bytes were requested. */
ALWAYS_INLINE u64 region_room(u64 need_bytes, u64 block_bytes)
{
	(void)block_bytes;
	return need_bytes;
}

/* The sanitizer's shadow byte for the granule at p; 0: all its bytes are in use. Not inline: gcc 12
 * crashes. */
__attribute__((unused, noinline)) static volatile u8 *region_note(const void *p)
{
	size_t scale, offset;

	__asan_get_shadow_mapping(&scale, &offset);
	return (volatile u8 *)(((uintptr_t)p >> scale) + offset);
}

/* 1 if one of the bytes is poisoned. from and len_bytes must be multiples of 8. */
IGNORES_POISON __attribute__((unused)) static u32 region_has_poison(const void *from, u64 len_bytes)
{
	const volatile u8 *note = region_note(from);
	u32 any = 0;

	for (u64 i = 0; i < len_bytes / POISON_GRANULE_BYTES; i++)
		any |= note[i];
	return any != 0;
}

/* volatile, because the sanitizer would check a call of memcpy. */
IGNORES_POISON __attribute__((unused)) static void region_copy_words(volatile void *to,
								     const volatile void *from,
								     u64 len_bytes)
{
	typedef u64 __attribute__((may_alias, aligned(1))) word;
	volatile word *words = to;
	const volatile word *source = from;
	u64 nr = len_bytes / sizeof(word);

	for (u64 i = 0; i < nr; i++)
		words[i] = source[i];
	for (u64 i = nr * sizeof(word); i < len_bytes; i++)
		((volatile u8 *)to)[i] = ((const volatile u8 *)from)[i];
}

/* Copies bytes and their poison. All numbers must be multiples of 8. */
ALWAYS_INLINE void region_copy(void *to, const void *from, u64 len_bytes)
{
	region_copy_words(to, from, len_bytes);
	region_copy_words(region_note(to), region_note(from), len_bytes / POISON_GRANULE_BYTES);
}

#else

enum { RED_ZONE_BYTES = 0, WORLD_RED_ZONE_BYTES = 0 };

#define IGNORES_POISON

ALWAYS_INLINE void region_poison(const void *from, u64 len_bytes)
{
	(void)from;
	(void)len_bytes;
}

ALWAYS_INLINE void region_unpoison(const void *from, u64 len_bytes)
{
	(void)from;
	(void)len_bytes;
}

ALWAYS_INLINE u64 region_room(u64 need_bytes, u64 block_bytes)
{
	(void)need_bytes;
	return block_bytes;
}

ALWAYS_INLINE u32 region_has_poison(const void *from, u64 len_bytes)
{
	(void)from;
	(void)len_bytes;
	return 0;
}

ALWAYS_INLINE void region_copy(void *to, const void *from, u64 len_bytes)
{
	memcpy(to, from, (size_t)len_bytes);
}

#endif

#endif
