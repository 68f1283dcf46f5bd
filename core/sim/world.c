/*
 * world.c - the world's blocks, its random numbers and its hash.
 *
 * New blocks are cut off the end. Freed blocks go on a last-in-first-out list per size class.
 * Blocks never move or merge, so the same events produce the same bytes.
 */
#include "sim/world.h"

#include "util/poison.h"

enum { GROW_BYTES = 65536, MIN_BLOCK_BYTES = 16 };

/* Sizes 16 20 24 28 | 32 40 48 56 | 64 … */
static u32 class_bytes(u32 class)
{
	return (MIN_BLOCK_BYTES + (class % 4) * (MIN_BLOCK_BYTES / 4)) << (class / 4);
}

_Static_assert((u64)(MIN_BLOCK_BYTES + 3 * (MIN_BLOCK_BYTES / 4)) << (NR_BLOCK_CLASSES / 4 - 1) ==
			       LARGEST_BLOCK_BYTES &&
		       NR_BLOCK_CLASSES % 4 == 0,
	       "the last class holds the largest block");

static u32 class_of(u32 len_bytes)
{
	if (len_bytes <= MIN_BLOCK_BYTES)
		return 0;
	u32 shift = 27 - (u32)__builtin_clz(len_bytes - 1);
	u32 class = shift * 4 + ((len_bytes - 1) >> (shift + 2)) - 3;
	return class;
}

/* Returns the bytes of a block of that class. A block that is too large has no class. */
static u32 block_bytes(u32 class)
{
	KASSERT(class < NR_BLOCK_CLASSES);
	return ALIGN_UP(class_bytes(class), 8u);
}

struct world *world_init(void *memory, u64 len_bytes)
{
	struct world_host *host = memory;
	struct world *w = (struct world *)(host + 1);

	KASSERT(len_bytes > sizeof(*host) + sizeof(*w) + WORLD_HEADROOM_BYTES);
	KASSERT(host_commit((u8 *)memory + GROW_BYTES));
	region_unpoison(memory, GROW_BYTES);
	memset(memory, 0, GROW_BYTES);
	memcpy(host->costs, default_costs, sizeof(default_costs));
	host->limit_bytes = MIN(len_bytes - sizeof(*host), 0xffff0000u);
	host->zeroed_bytes = GROW_BYTES - sizeof(*host);
	w->used = ALIGN_UP((u32)sizeof(*w) + WORLD_RED_ZONE_BYTES, 64u);
	w->rng = 0x9e3779b97f4a7c15u;
	region_poison(w + 1, host->zeroed_bytes - sizeof(*w));
	return w;
}

/* Zeroes the next bytes to be cut off; until then they are poisoned. */
NOINLINE void zero_up_to(struct world *w, u32 used)
{
	struct world_host *host = world_host(w);

	while (host->zeroed_bytes < used) {
		u64 step = MAX(GROW_BYTES, used - host->zeroed_bytes);
		step = MIN(step, host->limit_bytes - host->zeroed_bytes);
		u8 *end = (u8 *)w + host->zeroed_bytes;
		KASSERT(step > 0 && host_commit(end + step));
		region_unpoison(end, step);
		memset(end, 0, step);
		region_poison(end, step);
		host->zeroed_bytes += step;
	}
}

/* Returns a freed block, or 0. */
static ref take_free_block(struct world *w, u32 class)
{
	ref block = w->free_blocks[class];

	if (!block)
		return 0;
	region_unpoison(at(w, block), block_bytes(class));
	w->free_blocks[class] = *(ref *)at(w, block);
	/* world_free() has zeroed the rest. */
	*(ref *)at(w, block) = 0;
	return block;
}

static ref cut_block(struct world *w, u32 bytes)
{
	/* Blocks of at least a cache line start at one. */
	ref block = bytes >= 64 ? ALIGN_UP(w->used, 64u) : w->used;

	KASSERT((u64)block + bytes + WORLD_RED_ZONE_BYTES <= world_host(w)->limit_bytes);
	w->used = block + bytes + WORLD_RED_ZONE_BYTES;
	if (unlikely(world_host(w)->zeroed_bytes < w->used))
		zero_up_to(w, w->used);
	region_unpoison(at(w, block), bytes);
	return block;
}

ref world_alloc(struct world *w, u32 len_bytes)
{
	u32 class = class_of(len_bytes), bytes = block_bytes(class);
	ref block = take_free_block(w, class);

	if (!block)
		block = cut_block(w, bytes);
	region_poison((u8 *)at(w, block) + len_bytes, bytes - len_bytes);
	return block;
}

void world_free(struct world *w, ref block, u32 len_bytes)
{
	u32 class = class_of(len_bytes), bytes = block_bytes(class);

	if (!block)
		return;
	/* Unpoisons only the slack: the memset below detects a block that is free already or too
	 * short. */
	region_unpoison((u8 *)at(w, block) + len_bytes, bytes - len_bytes);
	/* Stale bytes would make two equal worlds differ. */
	memset(at(w, block), 0, bytes);
	*(ref *)at(w, block) = w->free_blocks[class];
	w->free_blocks[class] = block;
	region_poison(at(w, block), bytes);
}

ref world_grow_array(struct world *w, ref array, u32 *room, u32 elem_bytes)
{
	u32 old = *room, new = old ? old * 2 : 16;
	ref bigger = world_alloc(w, new *elem_bytes);

	if (array) {
		memcpy(at(w, bigger), at(w, array), (u64)old * elem_bytes);
		world_free(w, array, old * elem_bytes);
	}
	*room = new;
	return bigger;
}

void world_take(struct world *w, const struct world *from)
{
	zero_up_to(w, from->used);
	region_copy(w, from, from->used);
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators" (2016). */
u32 world_random(struct world *w, u32 below)
{
	u64 x = w->rng;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	w->rng = x;
	return (u32)((x * 0x2545f4914f6cdd1dull >> 32) * below >> 32);
}

/* Four lanes of multiply and rotate make hashing megabytes take microseconds. */
IGNORES_POISON u64 world_hash(const struct world *w)
{
	const u64 k = 0x9e3779b97f4a7c15u;
	u64 lane[4] = { w->used, k, ~k, k << 1 };
	u32 words = w->used / 8;
	const u8 *p = (const u8 *)w;

	for (u32 i = 0; i < words; i++) {
		u64 v;
		memcpy(&v, p + (u64)i * 8, 8);
		u64 h = (lane[i & 3] ^ v) * k;
		lane[i & 3] = h << 29 | h >> 35;
	}
	u64 h = 0;
	for (u32 i = 0; i < 4; i++) {
		h = (h ^ lane[i]) * k;
		h ^= h >> 32;
	}
	return h;
}

struct kmem_bug *bug_last(struct world *w)
{
	KASSERT(w->nr_bugs);
	return (struct kmem_bug *)at(w, w->bugs) + MIN(w->nr_bugs - 1, (u32)MAX_BUGS);
}

struct kmem_bug *bug_new(struct world *w)
{
	if (w->nr_bugs == w->bugs_room && w->nr_bugs <= MAX_BUGS)
		w->bugs = world_grow_array(w, w->bugs, &w->bugs_room, sizeof(struct kmem_bug));
	w->nr_bugs++;
	struct kmem_bug *bug = bug_last(w);
	memset(bug, 0, sizeof(*bug));
	bug->op = w->op;
	bug->cpu = (u16)w->cpu;
	return bug;
}
