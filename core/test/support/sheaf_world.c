/*
 * sheaf_world.c - see sheaf_world.h.
 */
#include "test/support/sheaf_world.h"

#include <string.h>

#include "test/support/check.h"
#include "test/support/session_util.h"

static struct small_world *world_of(u32 cpus, u32 nodes, u32 size, u32 flags, s32 capacity,
				    s32 min_partial)
{
	struct policy p = policy_of_preset("linux-7.2");

	if (capacity >= 0)
		p.sheaf_capacity = (u32)capacity;
	if (min_partial >= 0)
		p.min_partial = (u32)min_partial;
	return small_world_flags(cpus, nodes, size, flags, p);
}

struct small_world *world_72(u32 cpus, u32 nodes, u32 size, s32 capacity, s32 min_partial)
{
	return world_of(cpus, nodes, size, 0, capacity, min_partial);
}

struct small_world *debug_world_72(u32 cpus, u32 nodes, u32 size, s32 min_partial)
{
	return world_of(cpus, nodes, size, CACHE_RED_ZONE, AUTOMATIC_CAPACITY, min_partial);
}

void counts_72(struct small_world *sw, const char *script, const char *want)
{
	static const char no_counter[] = "SHEAF_SWAP+";
	static char got[65536];
	char *swap;

	snprintf(got, sizeof(got), "%s", play(sw, script));
	while ((swap = strstr(got, no_counter)) != NULL)
		memmove(swap, swap + strlen(no_counter), strlen(swap + strlen(no_counter)) + 1);
	CHECK(!strcmp(got, want), "after `%s`\n  want %s\n  got  %s", script, want, got);
}

void alloc_range(struct small_world *sw, u32 cpu, u32 first, u32 end)
{
	for (u32 id = first; id < end; id++)
		play_alloc(sw, cpu, id, NODE_ANY);
	CHECK(!laws(sw), "%s", laws(sw));
}

void free_range(struct small_world *sw, u32 cpu, u32 first, u32 end)
{
	for (u32 id = first; id < end; id++)
		play_free(sw, cpu, id);
	CHECK(!laws(sw), "%s", laws(sw));
}

static u32 serial_of(const struct small_world *sw, object_loc loc)
{
	return ((const struct slab *)at(sw->w, LOC_SLAB(loc)))->serial;
}

void free_at(struct small_world *sw, u32 cpu, u32 slab, u32 index)
{
	for (u32 id = 0; id < SMALL_WORLD_OBJECTS; id++) {
		object_loc loc = sw->loc[id];
		if (!loc || serial_of(sw, loc) != slab || LOC_INDEX(loc) != index)
			continue;
		play_free(sw, cpu, id);
		return;
	}
	CHECK(0, "nobody has object %u of slab %u", index, slab);
}

static u32 put_object(const struct small_world *sw, char *text, object_loc loc)
{
	return (u32)sprintf(text, "%u.%u", serial_of(sw, loc), LOC_INDEX(loc));
}

void object_is(struct small_world *sw, u32 id, const char *want)
{
	char got[32] = "none";

	if (sw->loc[id])
		put_object(sw, got, sw->loc[id]);
	CHECK(!strcmp(got, want), "object %u: want %s, got %s", id, want, got);
}

void main_is(struct small_world *sw, u32 cpu, const char *want)
{
	const struct slub_pcs *p = slub_pcs(sw->w, sw->s, cpu);
	const struct slub_sheaf *main = sheaf_at(sw->w, p->main);
	char got[2048] = "";
	u32 len = 0;

	for (u32 i = 0; i < main->nr; i++) {
		len += (u32)sprintf(got + len, "%s", i ? " " : "");
		len += put_object(sw, got + len, main->object[i]);
	}
	CHECK(!strcmp(got, want), "main of CPU %u\n  want %s\n  got  %s", cpu, want, got);
}

void list_is(struct small_world *sw, u32 node, const char *want)
{
	char got[2048] = "";
	u32 len = 0;

	for (ref r = slub_node(sw->w, sw->s, node)->head; r;) {
		const struct slab *slab = at(sw->w, r);
		len += (u32)sprintf(got + len, "%s%u(%u)", len ? " " : "", slab->serial,
				    slab_free_count(slab));
		r = slab->next;
	}
	CHECK(!strcmp(got, want), "list of node %u\n  want %s\n  got  %s", node, want, got);
}

void freelist_is(struct small_world *sw, u32 node, u32 slab, const char *want)
{
	char got[2048] = "";
	u32 len = 0;

	for (ref r = slub_node(sw->w, sw->s, node)->head; r;) {
		const struct slab *on_list = at(sw->w, r);
		r = on_list->next;
		if (on_list->serial != slab)
			continue;
		for (u32 i = on_list->freelist; i; i = on_list->link[i - 1])
			len += (u32)sprintf(got + len, "%s%u", len ? " " : "", i - 1);
	}
	CHECK(!strcmp(got, want), "freelist of slab %u\n  want %s\n  got  %s", slab, want, got);
}

u32 counted_72(struct small_world *sw, u32 counter)
{
	u32 sum[NR_COUNTERS] = { 0 };

	sw->ops->count(sw->w, sw->s, sum);
	return sum[counter];
}

const struct kmem_step *step_72(const struct small_world *sw, u32 kind, u32 nr)
{
	for (u32 i = 0; i < sw->nr_steps; i++)
		if (sw->steps[i].kind == kind && !nr--)
			return &sw->steps[i];
	return NULL;
}
