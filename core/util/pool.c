/* pool.c - memory: first-fit runs of 64 KiB units, with a bitmap of used units (8 KiB for a 4 GiB region); buffers that
 * grow, and hash tables in them. */
#include "util/pool.h"
#include "util/poison.h"
#include "util/hash.h"

#define MAX_UNITS 65536u

static int unit_used(const struct pool *p, u32 unit)
{
	return p->used[unit / 64] >> (unit % 64) & 1;
}

static void mark(struct pool *p, u32 first, u32 nr, int in_use)
{
	for (u32 u = first; u < first + nr; u++) {
		if (in_use)
			p->used[u / 64] |= (u64)1 << (u % 64);
		else
			p->used[u / 64] &= ~((u64)1 << (u % 64));
	}
}

/* Returns the units of a run. With the address sanitizer they include a red zone at its end. */
static u64 units_of(u64 len_bytes)
{
	return DIV_ROUND_UP(len_bytes + RED_ZONE_BYTES, (u64)POOL_UNIT_BYTES);
}

/* The run has nr units; poisons all but the first len_bytes. */
static void poison_rest(const u8 *run, u64 units, u64 len_bytes)
{
	region_poison(run + len_bytes, units * POOL_UNIT_BYTES - len_bytes);
}

void pool_init(struct pool *p, void *base, u64 size_bytes, u64 reserved)
{
	u64 table = ALIGN_UP(reserved, 64);

	p->base = base;
	p->size_bytes = MIN(size_bytes, (u64)MAX_UNITS * POOL_UNIT_BYTES);
	p->ceiling = p->size_bytes;
	p->used = (u64 *)((u8 *)base + table);
	p->top = ALIGN_UP(table + MAX_UNITS / 8, (u64)POOL_UNIT_BYTES);
	KASSERT(p->top <= p->size_bytes && host_commit(p->base + p->top));
	region_unpoison(base, p->top);
	p->dirty_bytes = p->top;
	mark(p, 0, (u32)(p->top / POOL_UNIT_BYTES), 1);
	region_poison((u8 *)base + reserved, table - reserved);
	region_poison(p->base + table + MAX_UNITS / 8, p->top - table - MAX_UNITS / 8);
}

/* Returns the first unit of nr free units below top. If there are none, the unit at top. */
static u32 find_run(const struct pool *p, u32 nr)
{
	u32 top = (u32)(p->top / POOL_UNIT_BYTES), run = 0;

	for (u32 u = 0; u < top; u++) {
		if (u % 64 == 0 && p->used[u / 64] == ~(u64)0) {
			run = 0;
			u += 63;
			continue;
		}
		run = unit_used(p, u) ? 0 : run + 1;
		if (run == nr)
			return u + 1 - nr;
	}
	return top - run; /* extend a free run that ends at top */
}

void *pool_alloc(struct pool *p, u64 len_bytes)
{
	u64 units = units_of(len_bytes);

	if (len_bytes == 0 || units > MAX_UNITS)
		return NULL;
	u32 first = find_run(p, (u32)units);
	u64 end = (first + units) * POOL_UNIT_BYTES;
	if (end > p->ceiling || (end > p->top && !host_commit(p->base + end)))
		return NULL;
	u8 *run = p->base + (u64)first * POOL_UNIT_BYTES;
	u64 start = (u64)first * POOL_UNIT_BYTES;
	region_unpoison(run, end - start);
	if (start < p->dirty_bytes)
		memset(run, 0, MIN(end, p->dirty_bytes) - start);
	p->top = MAX(p->top, end);
	p->dirty_bytes = MAX(p->dirty_bytes, end);
	mark(p, first, (u32)units, 1);
	poison_rest(run, units, len_bytes);
	return run;
}

int pool_extend(struct pool *p, void *run, u64 len_bytes, u64 more_bytes)
{
	u32 first = (u32)((u64)((u8 *)run - p->base) / POOL_UNIT_BYTES);
	u64 units = units_of(len_bytes + more_bytes), behind = first + units_of(len_bytes);
	u64 start = behind * POOL_UNIT_BYTES, end = (first + units) * POOL_UNIT_BYTES;

	if (end > p->ceiling || (end > p->top && !host_commit(p->base + end)))
		return 0;
	for (u32 u = (u32)behind; u < first + units; u++) {
		if (unit_used(p, u))
			return 0;
	}
	/* The old red zone becomes part of the run. */
	region_unpoison((u8 *)run + len_bytes, units * POOL_UNIT_BYTES - len_bytes);
	if (start < p->dirty_bytes)
		memset(p->base + start, 0, MIN(end, p->dirty_bytes) - start);
	p->top = MAX(p->top, end);
	p->dirty_bytes = MAX(p->dirty_bytes, end);
	mark(p, (u32)behind, (u32)(first + units - behind), 1);
	poison_rest(run, units, len_bytes + more_bytes);
	return 1;
}

void pool_free(struct pool *p, void *run, u64 len_bytes)
{
	if (!run)
		return;
	u32 first = (u32)((u64)((u8 *)run - p->base) / POOL_UNIT_BYTES);
	u64 units = units_of(len_bytes);
	mark(p, first, (u32)units, 0);
	region_poison(run, units * POOL_UNIT_BYTES);
	/* The world may use the units after the last run again. */
	while (!unit_used(p, (u32)(p->top / POOL_UNIT_BYTES) - 1))
		p->top -= POOL_UNIT_BYTES;
}

void pool_close(struct pool *p)
{
	region_unpoison(p->base, p->dirty_bytes);
}

/* Growable buffers in a pool. */

/* Moves the buffer to a block of at least twice the size. */
static int move(struct pool *pool, struct buffer *b, u64 need_bytes)
{
	u64 bytes = b->block_bytes ? b->block_bytes : POOL_UNIT_BYTES;

	while (bytes < need_bytes)
		bytes *= 2;
	void *at = pool_alloc(pool, bytes);
	if (!at)
		return 0;
	if (b->at)
		memcpy(at, b->at, b->room_bytes);
	pool_free(pool, b->at, b->block_bytes);
	region_poison((u8 *)at + b->room_bytes, bytes - b->room_bytes);
	b->at = at;
	b->block_bytes = bytes;
	return 1;
}

int buffer_grow(struct pool *pool, struct buffer *b, u64 need_bytes)
{
	if (need_bytes <= b->room_bytes)
		return 1;
	if (need_bytes > b->block_bytes && !move(pool, b, need_bytes))
		return 0;
	u64 room_bytes = region_room(need_bytes, b->block_bytes);
	region_unpoison((u8 *)b->at + b->room_bytes, room_bytes - b->room_bytes);
	b->room_bytes = room_bytes;
	return 1;
}

void buffer_free(struct pool *pool, struct buffer *b)
{
	pool_free(pool, b->at, b->block_bytes);
	*b = (struct buffer){ 0 };
}

void *array_add(struct pool *pool, struct array *a, u32 row_bytes)
{
	u64 need = ((u64)a->nr + 1) * row_bytes;

	if (need > a->run.room_bytes &&
	    !buffer_grow(pool, &a->run, MAX(need, a->run.room_bytes * 2)))
		return NULL;
	return memset((u8 *)a->run.at + (u64)a->nr++ * row_bytes, 0, row_bytes);
}

void array_free(struct pool *pool, struct array *a)
{
	buffer_free(pool, &a->run);
	a->nr = 0;
}

/* Grows a hash table, and closes the gap that a removed key leaves. */

enum { FIRST_SLOTS = 4096 };

int hash_grow(struct pool *pool, struct hash *h)
{
	struct hash old = *h;
	const struct hash_slot *from = old.run.at;
	u64 nr = from ? (old.mask + 1) * 2 : FIRST_SLOTS;

	h->run = (struct buffer){ 0 };
	if (!buffer_grow(pool, &h->run, nr * sizeof(*from))) {
		*h = old;
		return 0;
	}
	h->mask = nr - 1;
	h->shift = (u32)__builtin_clzll(nr) + 1;
	for (u64 i = 0; from && i <= old.mask; i++) {
		if (!from[i].taken)
			continue;
		struct hash_slot *to = hash_home(h, from[i].key);
		while (to->taken)
			to = hash_behind(h, to);
		*to = from[i];
	}
	buffer_free(pool, &old.run);
	return 1;
}

u32 *hash_number(struct pool *pool, struct hash *h, u64 key, u32 first)
{
	if (!hash_reserve(pool, h))
		return NULL;
	struct hash_slot *slot = hash_find(h, key);
	if (!slot->taken)
		hash_put(h, slot, (struct hash_slot){ key, 0, first });
	return &slot->taken;
}

void hash_remove(struct hash *h, struct hash_slot *slot)
{
	struct hash_slot *slots = h->run.at;
	u64 hole = (u64)(slot - slots), mask = h->mask;

	/* A later key whose search crosses the gap moves into it. */
	for (u64 i = (hole + 1) & mask; slots[i].taken; i = (i + 1) & mask) {
		u64 home = (u64)(hash_home(h, slots[i].key) - slots);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			slots[hole] = slots[i];
			hole = i;
		}
	}
	slots[hole].taken = 0;
	h->nr--;
}

void hash_free(struct pool *pool, struct hash *h)
{
	buffer_free(pool, &h->run);
	*h = (struct hash){ 0 };
}
