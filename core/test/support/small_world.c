/*
 * small_world.c - see small_world.h.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test/support/small_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/page.h"
#include "test/support/check.h"

static const char *const step_names[NR_STEP_KINDS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) #kind,
#include "tables/steps/steps.def"
#undef STEP
};

static const struct {
	const char *of, *key;
} values[] = {
#define VALUE(name, key, words) { #name, #key },
#include "tables/abi/abi.def"
};

/* A step that has a counter's name counts; NULL for the others. */
static const char *counter_of(u32 step_kind)
{
	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		if (!strcmp(values[i].of, "kmem_counter") &&
		    !strcmp(values[i].key, step_names[step_kind]))
			return values[i].key;
	return NULL;
}

struct policy small_world_policy(void)
{
	struct policy p = { 0 };

	p.max_order = 3;
	p.min_partial = AUTOMATIC;
	p.cpu_partial = AUTOMATIC;
	p.queue = p.batch = p.shared = p.alien = AUTOMATIC;
	p.cpu_partial_lists = 1;
	p.merge = 1;
	p.defrag_ratio = 1000;
	p.slab_max_order = 1;
	p.limit = AUTOMATIC;
	p.batchcount = AUTOMATIC;
	p.shared_factor = AUTOMATIC;
	return p;
}

struct small_world *small_world_flags(u32 cpus, u32 nodes, u32 size, u32 flags,
				      struct policy policy)
{
	static struct small_world *sw;
	static void *memory;
	const u64 len = (u64)256 << 20;
	struct machine_spec spec = { cpus, nodes, 12,	NR_ORDERS, (u64)nodes << 31,
				     NULL, NULL,  NULL, NULL };
	struct cache_spec cache = { "c0", size, 0, 0, flags };
	const char *why;

	if (memory)
		munmap(memory, len);
	memory = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	free(sw);
	sw = calloc(1, sizeof(*sw));
	if (!sw || memory == MAP_FAILED)
		exit(1);
	sw->w = world_init(memory, len);
	sw->w->policy = policy;
	CHECK(machine_build(sw->w, &spec, &why) == 0, "%s", why);
	world_host(sw->w)->steps = sw->steps;
	sw->ops = ops_of(policy.allocator);
	if (sw->ops->prepare)
		sw->ops->prepare(sw->w);
	sw->s = cache_new(sw->w, &cache);
	sw->ops->create(sw->w, sw->s);
	return sw;
}

struct small_world *small_world(u32 cpus, u32 nodes, u32 size, struct policy policy)
{
	return small_world_flags(cpus, nodes, size, 0, policy);
}

const char *laws(struct small_world *sw)
{
	const char *broken = sw->ops->check(sw->w, sw->s);

	return broken ? broken : page_check(sw->w);
}

object_loc play_alloc(struct small_world *sw, u32 cpu, u32 id, u32 node)
{
	op_begin(sw->w, clock_cpus(sw->w), cpu);
	sw->loc[id] = sw->ops->alloc(sw->w, sw->s, cpu, node, sw->s->object_size);
	sw->s->live += sw->loc[id] != 0;
	sw->w->op++;
	return sw->loc[id];
}

void play_free(struct small_world *sw, u32 cpu, u32 id)
{
	op_begin(sw->w, clock_cpus(sw->w), cpu);
	sw->s->live--;
	sw->ops->free(sw->w, sw->s, cpu, sw->loc[id]);
	sw->loc[id] = 0;
	sw->w->op++;
}

static const char *play_word(struct small_world *sw, const char *p)
{
	char *end = (char *)p;
	u32 all = p[0] == 'F' || p[0] == 'S' || p[0] == 'X',
	    cpu = all ? 0 : (u32)strtoul(p, &end, 10), node = NODE_ANY;
	char verb = *end++;

	if (verb == 'a' || verb == 'f') {
		u32 id = (u32)strtoul(end, &end, 10);
		if (*end == '@')
			node = (u32)strtoul(end + 1, &end, 10);
		if (verb == 'a')
			play_alloc(sw, cpu, id, node);
		else
			play_free(sw, cpu, id);
		return end;
	}
	op_begin(sw->w, clock_cpus(sw->w), cpu);
	if (verb == 'X') {
		sw->ops->tick(sw->w, 0, TICK_EXPIRE, all ? NODE_ANY : cpu);
		sw->w->op++;
		return end;
	}
	sw->ops->shrink(sw->w, sw->s, cpu,
			verb == 'S' ? SHRINK_DISCARD
			: all	    ? SHRINK_FLUSH_ALL
				    : SHRINK_FLUSH_CPU);
	sw->w->op++;
	return end;
}

const char *play(struct small_world *sw, const char *script)
{
	u32 len = 0;

	step_begin(sw->w, RECORD_LIST, 0, NULL);
	for (const char *p = script; *p;) {
		p = play_word(sw, p);
		const char *broken = laws(sw);
		CHECK(!broken, "%s, in `%s` before `%s`", broken, script, p);
		while (*p == ' ')
			p++;
	}
	sw->nr_steps = step_end(sw->w);
	sw->text[0] = 0;
	for (u32 i = 0; i < sw->nr_steps; i++) {
		const char *name = counter_of(sw->steps[i].kind);
		if (name)
			len += (u32)snprintf(sw->text + len, sizeof(sw->text) - len, "%s%s",
					     len ? "+" : "", name);
	}
	return sw->text;
}

struct artist {
	struct visitor visitor;
	struct small_world *sw;
	u32 len, kind;
};

static void put(struct artist *a, const char *format, u32 x, u32 y)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	a->len += (u32)snprintf(a->sw->text + a->len, sizeof(a->sw->text) - a->len, format, x, y);
#pragma GCC diagnostic pop
}

static void draw_queue(struct artist *a, const struct kmem_place *place, const char *space)
{
	put(a, space, 0, 0);
	if (place->kind == PLACE_CPU_QUEUE)
		put(a, "cpu%u", place->cpu, 0);
	else
		put(a, place->kind == PLACE_SHARED_QUEUE ? "shared%u" : "alien%u", place->target,
		    0);
	put(a, "=%u/%u", place->nr_entries, place->limit);
	if (!place->touched)
		put(a, "*", 0, 0);
}

/* Their number is given with their place. */
static void draw_entry(struct visitor *v, const struct kmem_entry *entry)
{
	(void)v;
	(void)entry;
}

static void draw_place(struct visitor *v, const struct kmem_place *place)
{
	struct artist *a = (struct artist *)v;
	const char *space = a->len ? " " : "";

	a->kind = place->kind;
	if (place->kind == PLACE_CPU_SLAB) {
		put(a, space, 0, 0);
		put(a, place->nr_slabs ? "cpu%u:" : "cpu%u:slab=-1/free=0", place->cpu, 0);
	} else if (place->kind == PLACE_CPU_PARTIAL) {
		put(a, "/part=", 0, 0);
	} else if (place->kind == PLACE_NODE_PARTIAL) {
		put(a, " node%u:", place->node, 0);
	} else if (place->kind == PLACE_NODE_FULL) {
		const struct kmem_place *p = place;
		put(a, " full=%u", p->nr_slabs, 0);
	} else if (place->kind == PLACE_LOOSE) {
		put(a, " loose=%u", place->nr_slabs, 0);
	} else if (place->kind == PLACE_CPU_QUEUE || place->kind == PLACE_SHARED_QUEUE ||
		   place->kind == PLACE_ALIEN_QUEUE) {
		draw_queue(a, place, space);
	}
}

static void draw_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		      const struct kmem_extent *extents)
{
	struct artist *a = (struct artist *)v;

	(void)cells;
	(void)extents;
	if (a->kind == PLACE_CPU_SLAB)
		put(a, "slab=%u/free=%u", row->serial, row->free_on_cpu);
	else if (a->kind != PLACE_NODE_FULL && a->kind != PLACE_LOOSE)
		put(a, "%u(%u)", row->serial, row->free_on_slab);
}

const char *draw(struct small_world *sw)
{
	struct artist a = { { 0, draw_place, draw_slab, draw_entry, NULL }, sw, 0, 0 };

	sw->text[0] = 0;
	sw->ops->walk(sw->w, sw->s, &a.visitor);
	return sw->text;
}
