/*
 * live_objects.c - the table of live objects. A removal moves the objects behind it, so a search ends at the first free slot.
 */
#include "cli/programs/live_objects.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 4096 };

/* The top bits of the product with the golden ratio spread pointers evenly. */
static u64 home_of(const struct live_objects *live, u64 key)
{
	return key * 0x9e3779b97f4a7c15ull >> live->shift;
}

static struct live_object *find_slot(const struct live_objects *live, u64 key)
{
	u64 i = home_of(live, key);

	while (live->slots[i].key && live->slots[i].key != key)
		i = (i + 1) & (live->nr_slots - 1);
	return &live->slots[i];
}

struct live_object *live_find(const struct live_objects *live, u64 key)
{
	struct live_object *o = live->nr_slots ? find_slot(live, key) : NULL;

	return o && o->key ? o : NULL;
}

static int grow(struct live_objects *live)
{
	struct live_objects more = { .nr = live->nr,
				     .nr_slots = MAX(2 * live->nr_slots, (u64)FIRST_SLOTS) };

	more.shift = 64 - (u32)__builtin_ctzll(more.nr_slots);
	more.slots = calloc(more.nr_slots, sizeof(*more.slots));
	if (!more.slots)
		return 0;
	for (u64 i = 0; i < live->nr_slots; i++)
		if (live->slots[i].key)
			*find_slot(&more, live->slots[i].key) = live->slots[i];
	free(live->slots);
	*live = more;
	return 1;
}

int live_add(struct live_objects *live, struct live_object object)
{
	if (2 * (live->nr + 1) > live->nr_slots && !grow(live))
		return 0;
	*find_slot(live, object.key) = object;
	live->nr++;
	return 1;
}

struct live_object live_take(struct live_objects *live, u64 key)
{
	struct live_object *o = live_find(live, key), taken = { 0 };
	u64 mask = live->nr_slots - 1;

	if (!o)
		return taken;
	taken = *o;
	u64 gap = (u64)(o - live->slots);
	for (u64 i = (gap + 1) & mask; live->slots[i].key; i = (i + 1) & mask) {
		/* It may move to the free place if its search passes there. */
		if (((i - home_of(live, live->slots[i].key)) & mask) < ((i - gap) & mask))
			continue;
		live->slots[gap] = live->slots[i];
		gap = i;
	}
	live->slots[gap] = (struct live_object){ 0 };
	live->nr--;
	return taken;
}

void live_close(struct live_objects *live)
{
	free(live->slots);
}
