/*
 * model_test.c - an allocator against a naive oracle that only knows which objects are live.
 *
 * After every operation: live objects never overlap, are aligned and on pages of the right node, the walk finds
 * exactly as many as are live, counters equal what happened, every law of the policy holds. Driven by random
 * operations and by *all* short sequences on two CPUs with two objects a slab. SOAK=1 goes deeper.
 */
#include <stdlib.h>

#include "check.h"
#include "session_util.h"
#include "small_world.h"

#include "../base/page.h"

enum { MAX_LIVE = 512, MAX_SLABS = 4096 };

struct oracle {
	struct visitor visitor;
	struct small_world *sw;
	u32 live[MAX_LIVE], nr_live, next_id;
	u64 allocs, frees;
	/* What a walk found. */
	u64 first_byte[MAX_SLABS], last_byte[MAX_SLABS];
	u32 allocated, nr_slabs, nr_free;
	const char *broken;
};

static void see_place(struct visitor *v, const struct kmem_place *place)
{
	struct oracle *o = (struct oracle *)v;

	if (place->kind == PLACE_TRANSIT)
		o->broken = "nothing is on the way between operations";
}

static void see_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		     const struct kmem_extent *extents)
{
	struct oracle *o = (struct oracle *)v;
	u64 bytes = (u64)4096 << row->order;
	u32 on_cpu = 0, free = 0;

	(void)extents;
	for (u32 i = 0; i < row->objects; i++) {
		o->allocated += cells[i] == CELL_ALLOCATED;
		free += cells[i] == CELL_FREE;
		on_cpu += cells[i] == CELL_FREE_CPU;
	}
	o->nr_free += free + on_cpu;
	if (free != row->free_on_slab || on_cpu != row->free_on_cpu)
		o->broken = "a row counts its cells";
	if ((u64)row->objects * o->sw->s->size > bytes)
		o->broken = "objects fit in their slab";
	if (page_node(o->sw->w, (u32)(row->address >> 12)) != row->node)
		o->broken = "a slab's pages are on its node";
	for (u64 at = row->address; at < row->address + bytes; at += 4096)
		if (!page_is_used(o->sw->w, (u32)(at >> 12)))
			o->broken = "a slab's pages are taken";
	for (u32 i = 0; i < o->nr_slabs; i++)
		if (row->address <= o->last_byte[i] && row->address + bytes > o->first_byte[i])
			o->broken = "slabs do not overlap";
	o->first_byte[o->nr_slabs] = row->address;
	o->last_byte[o->nr_slabs++] = row->address + bytes - 1;
}

static u32 counter(const struct oracle *o, u32 which)
{
	u32 sum[NR_COUNTERS] = { 0 };

	o->sw->ops->count(o->sw->w, o->sw->s, sum);
	return sum[which];
}

static const char *judge(struct oracle *o)
{
	const char *broken = laws(o->sw);

	if (broken)
		return broken;
	o->allocated = o->nr_slabs = o->nr_free = 0;
	o->broken = NULL;
	o->visitor.place = see_place;
	o->visitor.slab = see_slab;
	o->sw->ops->walk(o->sw->w, o->sw->s, &o->visitor);
	if (o->broken)
		return o->broken;
	if (o->allocated != o->nr_live)
		return "the walk finds every live object and no other";
	for (u32 i = 0; i < o->nr_live; i++)
		for (u32 k = i + 1; k < o->nr_live; k++)
			if (o->sw->loc[o->live[i]] == o->sw->loc[o->live[k]])
				return "no object is given out twice";
	if (o->nr_slabs != o->sw->s->slabs || counter(o, ALLOC_SLAB) != o->sw->s->next_serial)
		return "slabs made are counted, and those not given back are there";
	if (o->allocs != counter(o, ALLOC_FASTPATH) + counter(o, ALLOC_SLOWPATH))
		return "every allocation is counted once";
	if (o->frees != counter(o, FREE_FASTPATH) + counter(o, FREE_SLOWPATH))
		return "every free is counted once";
	return NULL;
}

static void alloc_one(struct oracle *o, u32 cpu, u32 node)
{
	u32 id = o->next_id++ % SMALL_WORLD_OBJECTS;

	o->allocs++;
	if (play_alloc(o->sw, cpu, id, node))
		o->live[o->nr_live++] = id;
}

static void free_one(struct oracle *o, u32 cpu, u32 which)
{
	o->frees++;
	play_free(o->sw, cpu, o->live[which]);
	o->live[which] = o->live[--o->nr_live];
}

static u32 next_random(u64 *seed, u32 below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)((*seed >> 33) % below);
}

static void random_ops(u64 seed, u32 ops, u32 judge_every)
{
	static const char *const presets[] = { "linux-2.6.26", "linux-2.6.36", "linux-4.19",
					       "linux-5.14",   "linux-6.1",    "linux-6.12",
					       "linux-6.18" };
	u64 s = seed;
	struct policy p = policy_of_preset(presets[next_random(&s, ARRAY_SIZE(presets))]);
	u32 cpus = 1 + next_random(&s, 6), nodes = 1 + next_random(&s, MIN(cpus, 4u));
	static const u32 sizes[] = { 8, 24, 64, 192, 256, 700, 1024, 2048, 4096, 9000, 40000 };
	struct oracle o = { 0 };

	p.cpu_partial_lists &= next_random(&s, 4) != 0;
	p.deactivate_exhausted |= next_random(&s, 8) == 0;
	p.end_by_cpu_objects |= next_random(&s, 8) == 0;
	p.push_one_by_one |= next_random(&s, 8) == 0;
	p.count_all_empty |= next_random(&s, 8) == 0;
	p.any_node_always |= next_random(&s, 8) == 0;
	p.skip_checked = next_random(&s, 2) == 0;
	p.freelist_random = next_random(&s, 3) == 0;
	p.min_partial = next_random(&s, 2) ? AUTOMATIC : next_random(&s, 4);
	p.cpu_partial = next_random(&s, 2) ? AUTOMATIC : next_random(&s, 8);
	u32 flags = next_random(&s, 5) == 0 ? CACHE_RED_ZONE : 0;
	o.sw = small_world_flags(cpus, nodes, sizes[next_random(&s, ARRAY_SIZE(sizes))], flags, p);
	for (u32 i = 0; i < ops; i++) {
		u32 cpu = next_random(&s, cpus), dice = next_random(&s, 1000);
		u32 lean = i / 400 % 2 ? 600 : 400; /* grow for a while, then dwindle */
		if (dice < 3)
			play(o.sw, dice == 0 ? "S" : dice == 1 ? "F" : "0F");
		else if (o.nr_live < MAX_LIVE && (dice < lean || !o.nr_live))
			alloc_one(&o, cpu, next_random(&s, 4) ? NODE_ANY : next_random(&s, nodes));
		else if (o.nr_live)
			free_one(&o, cpu, next_random(&s, o.nr_live));
		if (i % judge_every)
			continue;
		const char *broken = judge(&o);
		CHECK(!broken, "%s (seed %llu, op %u)", broken, (unsigned long long)seed, i);
		if (broken)
			return;
	}
}

/* All sequences: the world is copied at every branch, so each prefix runs once. */
static u64 sequences;

static void all_from(struct oracle *o, u32 depth)
{
	static u8 saved[16][1 << 18];
	struct oracle before = *o;
	object_loc places[16];
	u32 used = o->sw->w->used;

	if (!depth)
		return;
	KASSERT(used <= sizeof(saved[0]) && depth < 16);
	memcpy(saved[depth], o->sw->w, used);
	for (u32 i = 0; i < before.nr_live; i++)
		places[i] = o->sw->loc[before.live[i]];
	for (u32 move = 0; move < 9; move++) {
		if (move < 2)
			alloc_one(o, move, NODE_ANY);
		else if (move < 6 && o->nr_live && (move < 4 || o->nr_live > 1))
			free_one(o, move & 1, move < 4 ? 0 : o->nr_live - 1);
		else if (move >= 6)
			play(o->sw, move == 6 ? "S" : move == 7 ? "0F" : "1F");
		else
			continue;
		sequences++;
		const char *broken = judge(o);
		CHECK(!broken, "%s (sequence %llu)", broken, (unsigned long long)sequences);
		if (broken)
			return;
		all_from(o, depth - 1);
		memcpy(o->sw->w, saved[depth], used);
		world_host(o->sw->w)->zeroed_bytes = used;
		*o = before;
		for (u32 i = 0; i < before.nr_live; i++)
			o->sw->loc[before.live[i]] = places[i];
	}
}

int main(void)
{
	int soak = getenv("SOAK") != NULL;
	struct policy p = small_world_policy();
	struct oracle o = { 0 };

	for (u64 seed = 1; seed <= (soak ? 2000 : 150); seed++)
		random_ops(seed, soak ? 5000 : 3000, soak ? 1 : 4);
	p.max_order = 0;
	p.min_partial = 1;
	p.cpu_partial = 2;
	o.sw = small_world(2, 1, 2048, p);
	all_from(&o, soak ? 7 : 5);
	CHECK(sequences > 1000);
	return check_summary();
}
