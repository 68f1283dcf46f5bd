/*
 * workload_objects.c - turns a workload's objects into events, and draws its random numbers.
 *
 * Each object has its own name, as in slabtrace, and goes through the importer's tables. Handles,
 * sites and the report therefore match those of the same trace read as text.
 */
#include "trace/slabtrace.h"
#include "workload/workload.h"

enum { PERCENT = 100, ANY_STRETCH_PERCENT = 8 };

static const struct sort_def {
	const char *name; /* NULL: kmalloc */
	u32 object[2], slot[2];
	u32 flags; /* kmalloc: its type */
	const char *from, *to;
} sorts[NR_SORTS] = {
#define CACHE(id, name, object_1, slot_1, object_18, slot_18, flags, from, to) \
	{ name, { object_1, object_18 }, { slot_1, slot_18 }, flags, from, to },
#define BYTES(id, bytes_1, bytes_18, type, from, to) \
	{ NULL, { bytes_1, bytes_18 }, { 0, 0 }, type, from, to },
#include "tables/workload.def"
#undef CACHE
#undef BYTES
};

/* Draws random numbers by splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). */
static u64 next_random(struct workload *g)
{
	u64 z = g->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

u32 workload_below(struct workload *g, u32 n)
{
	return (u32)((next_random(g) >> 32) * n >> 32);
}

int workload_chance(struct workload *g, u32 percent)
{
	return workload_below(g, PERCENT) < percent;
}

u32 workload_stretch(struct workload *g, u32 usual, u32 most)
{
	u32 limit = workload_chance(g, ANY_STRETCH_PERCENT) ? most : usual;

	return 1 + workload_below(g, limit);
}

u64 workload_scaled(const struct workload *g, enum workload_key key)
{
	u64 n = g->value[key] * g->value[WORKLOAD_KEY_SCALE] / PERCENT;

	return MAX(n, (u64)1);
}

/* Makes the recipe of a line a, k or f of slabtrace. */
static struct recipe recipe_of(struct import *im, enum kmem_op_kind op, u32 bytes, u32 type)
{
	return (struct recipe){ .op = op,
				.node = (u16)NODE_ANY,
				.cache = (u16)CACHE_NONE,
				.bytes_req = bytes,
				.bytes_alloc = op == OP_KMALLOC ? kmalloc_slot(bytes) : 0,
				.kmalloc_type = (u8)type,
				.kind_name = intern_text(im, slabtrace_lines[op].word) };
}

void workload_sorts_init(struct workload *g)
{
	for (u32 i = 0; i < NR_SORTS; i++) {
		const struct sort_def *def = &sorts[i];
		g->alloc[i] = recipe_of(g->im, def->name ? OP_ALLOC : OP_KMALLOC,
					def->object[g->kernel], def->name ? 0 : def->flags);
		g->alloc[i].call_site = intern_text(g->im, def->from);
		g->free[i] = recipe_of(g->im, OP_FREE, 0, 0);
		g->free[i].call_site = intern_text(g->im, def->to);
	}
}

static object_name put_new(struct workload *g, const struct recipe *recipe, u32 cpu)
{
	struct import *im = g->im;
	struct op op = { .handle = HANDLE_NONE, .cpu = (u16)cpu, .kind = recipe->op };

	op.site = import_site(im, recipe);
	if (im->status != KMEM_OK || op.site == SITE_FULL)
		return 0;
	im->max_cpu_plus_1 = MAX(im->max_cpu_plus_1, cpu + 1);
	im->trace->report.allocs++;
	kind_count_text(im, slabtrace_lines[recipe->op].word);
	import_alloc(im, ++g->last_name, op.site, &op, 0);
	return g->last_name;
}

static void put_free(struct workload *g, const struct recipe *recipe, object_name object, u32 cpu)
{
	struct import *im = g->im;
	struct hash_slot *pointer = pointer_find(im, object);
	struct op op = { .handle = HANDLE_NONE, .cpu = (u16)cpu };

	if (!object || !pointer || im->status != KMEM_OK)
		return;
	im->max_cpu_plus_1 = MAX(im->max_cpu_plus_1, cpu + 1);
	im->trace->report.frees++;
	kind_count_text(im, slabtrace_lines[OP_FREE].word);
	import_free(im, pointer, free_site(im, recipe, alloc_site_of(pointer)), &op, 0);
}

/* Declares a cache when the workload first needs an object of it. */
static int declare(struct workload *g, enum workload_sort sort)
{
	const struct sort_def *def = &sorts[sort];
	struct trace_cache cache = { .object_size = def->object[g->kernel],
				     .size = def->slot[g->kernel],
				     .flags = def->flags };

	cache.name = cache.id = intern_text(g->im, def->name);
	g->alloc[sort].cache = (u16)import_cache(g->im, &cache);
	return g->alloc[sort].cache != CACHE_NONE;
}

object_name workload_new(struct workload *g, enum workload_sort sort, u32 cpu)
{
	if (!sorts[sort].object[g->kernel])
		return 0;
	if (sorts[sort].name && g->alloc[sort].cache == CACHE_NONE && !declare(g, sort))
		return 0;
	return put_new(g, &g->alloc[sort], cpu);
}

object_name workload_new_bytes(struct workload *g, enum workload_sort sort, u32 bytes, u32 cpu)
{
	struct recipe recipe = g->alloc[sort];

	recipe.bytes_req = bytes;
	recipe.bytes_alloc = kmalloc_slot(bytes);
	return bytes ? put_new(g, &recipe, cpu) : 0;
}

void workload_free(struct workload *g, enum workload_sort sort, object_name object, u32 cpu)
{
	put_free(g, &g->free[sort], object, cpu);
}

object_name workload_new_plain(struct workload *g, const struct trace_cache *cache, u32 cpu)
{
	struct recipe recipe = recipe_of(g->im, OP_ALLOC, cache->object_size, 0);

	recipe.cache = (u16)import_cache(g->im, cache);
	return recipe.cache == CACHE_NONE ? 0 : put_new(g, &recipe, cpu);
}

object_name workload_kmalloc_plain(struct workload *g, u32 bytes, u32 type, u32 cpu)
{
	struct recipe recipe = recipe_of(g->im, OP_KMALLOC, bytes, type);

	return put_new(g, &recipe, cpu);
}

void workload_free_plain(struct workload *g, object_name object, u32 cpu)
{
	struct recipe recipe = recipe_of(g->im, OP_FREE, 0, 0);

	put_free(g, &recipe, object, cpu);
}

/* Objects that readers may still see */

static void rcu_run(struct workload *g, u32 cpu, u32 nr)
{
	struct rcu_waiting *waiting = &g->rcu[cpu];

	for (u32 i = 0; i < nr; i++)
		workload_free(g, waiting->sort[i], waiting->object[i], cpu);
	for (u32 i = nr; i < waiting->nr; i++) {
		waiting->object[i - nr] = waiting->object[i];
		waiting->sort[i - nr] = waiting->sort[i];
	}
	waiting->nr -= nr;
}

void workload_free_rcu(struct workload *g, enum workload_sort sort, object_name object, u32 cpu)
{
	struct rcu_waiting *waiting = &g->rcu[cpu];

	if (!object)
		return;
	if (waiting->nr == MAX_RCU_WAITING)
		rcu_run(g, cpu, RCU_BATCH);
	waiting->object[waiting->nr] = object;
	waiting->sort[waiting->nr++] = (u8)sort;
}

void workload_rcu_end(struct workload *g)
{
	for (u32 cpu = 0; cpu < g->cpus; cpu++)
		rcu_run(g, cpu, g->rcu[cpu].nr);
}
