/*
 * huge.c - blocks that are larger than the largest run of pages: each is a mapping of its own.
 *
 * A table finds a block by its address. A pointer that is in no table belongs to somebody else, such as the dynamic
 * linker before it was served, and a free of it does nothing.
 */
#define _GNU_SOURCE
#include "preload/run/run.h"

#include <errno.h>
#include <sys/mman.h>

enum { NR_SLOTS = 1 << 16, MAP_PAGE = 4096 };

struct huge {
	const u8 *p; /* NULL: free slot */
	u64 bytes;   /* requested */
	u8 *map;     /* the mapping around it */
	u64 map_bytes;
};

static struct huge table[NR_SLOTS];
static u32 nr;

static u32 first_slot(const void *p)
{
	return (u32)((uintptr_t)p / MAP_PAGE * 0x9e3779b1u) % NR_SLOTS;
}

static struct huge *find(const void *p)
{
	for (u32 i = first_slot(p); table[i].p; i = (i + 1) % NR_SLOTS)
		if (table[i].p == p)
			return &table[i];
	return NULL;
}

static void add(struct huge block)
{
	u32 i = first_slot(block.p);

	while (table[i].p)
		i = (i + 1) % NR_SLOTS;
	table[i] = block;
	nr++;
}

/* Removes a slot, and moves those after it that were displaced by it. */
static void take_out(struct huge *slot)
{
	u32 hole = (u32)(slot - table);

	table[hole].p = NULL;
	nr--;
	for (u32 i = (hole + 1) % NR_SLOTS; table[i].p; i = (i + 1) % NR_SLOTS) {
		u32 home = first_slot(table[i].p);
		if ((i + NR_SLOTS - home) % NR_SLOTS < (i + NR_SLOTS - hole) % NR_SLOTS)
			continue;
		table[hole] = table[i];
		table[i].p = NULL;
		hole = i;
	}
}

static void account(s64 bytes)
{
	struct run_result *r = run.result;

	if (!r || !run.is_first)
		return;
	r->huge_bytes += (u64)bytes;
	r->huge_allocs += bytes > 0;
	r->huge_peak_bytes = MAX(r->huge_peak_bytes, r->huge_bytes);
}

void *huge_alloc(u64 bytes, u64 align)
{
	u64 room = align > MAP_PAGE ? align : 0, all = ALIGN_UP(bytes, (u64)MAP_PAGE) + room;

	if (all < bytes || all > (u64)1 << 46 || nr > NR_SLOTS / 2) {
		errno = ENOMEM;
		return NULL;
	}
	u8 *map = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED) {
		errno = ENOMEM;
		return NULL;
	}
	u8 *p = room ? (u8 *)ALIGN_UP((uintptr_t)map, (uintptr_t)align) : map;
	add((struct huge){ p, bytes, map, all });
	account((s64)bytes);
	return p;
}

u64 huge_bytes(const void *p)
{
	const struct huge *block = find(p);

	return block ? (u64)(block->map + block->map_bytes - block->p) : 0;
}

void huge_free(const void *p)
{
	struct huge *slot = find(p), block = *slot;
	int error = errno;

	take_out(slot);
	account(-(s64)block.bytes);
	munmap(block.map, block.map_bytes);
	errno = error;
}

void *huge_resize(void *p, u64 bytes)
{
	struct huge *slot = find(p), block = *slot;
	u64 all = ALIGN_UP(bytes, (u64)MAP_PAGE);

	if (all < bytes || block.p != block.map)
		return NULL;
	u8 *map = mremap(block.map, block.map_bytes, all, MREMAP_MAYMOVE);
	if (map == MAP_FAILED)
		return NULL;
	take_out(slot);
	add((struct huge){ map, bytes, map, all });
	account((s64)bytes);
	account(-(s64)block.bytes);
	return map;
}
