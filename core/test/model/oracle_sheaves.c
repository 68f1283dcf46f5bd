/*
 * oracle_sheaves.c - see oracle_sheaves.h.
 */
#include "test/model/oracle_sheaves.h"

enum { FULL_IN_BARN = 10, SHEAF_HEADER = 32, ASKED = 32 };

static struct gathered {
	u32 sheaves;		 /* beyond one main sheaf a CPU */
	u32 full_in_barns;	 /* sheaves */
	u32 objects[MAX_CACHES]; /* in sheaves of the cache */
	u32 all_objects;
} gathered;

int sheaves_replace_cpu_slabs(const struct world *w)
{
	return w->policy.allocator == ALLOCATOR_SLUB && w->policy.no_cpu_slabs;
}

/* So many objects that a sheaf with them is exactly a kmalloc class. */
static u32 fill_class(u32 at_least)
{
	u32 bytes = 8;

	while (bytes < SHEAF_HEADER + 8 * at_least)
		bytes *= 2;
	return (bytes - SHEAF_HEADER) / 8;
}

static u32 capacity_of(const struct world *w, const struct kmem_cache *s)
{
	u32 page = 1u << w->machine.page_shift, capacity;

	if (s->flags & CACHE_DEBUG)
		return 0;
	if (w->policy.sheaf_capacity != AUTOMATIC)
		capacity = w->policy.sheaf_capacity;
	else if (s->size >= page)
		capacity = fill_class(4);
	else if (s->size >= 1024)
		capacity = fill_class(12);
	else if (s->size >= 256)
		capacity = fill_class(26);
	else
		capacity = fill_class(60);
	return s->flags & CACHE_ASKED_SHEAVES && capacity < ASKED ? ASKED : capacity;
}

void sheaves_begin_walk(void)
{
	memset(&gathered, 0, sizeof(gathered));
}

static const char *see_sheaf(const struct kmem_place *place, u32 capacity)
{
	if (place->nr_entries > capacity)
		return "a sheaf holds no more than its capacity";
	if (place->sheaves > 1 || (!place->sheaves && place->nr_entries))
		return "a CPU has one sheaf of each kind, or none";
	gathered.sheaves += place->kind == PLACE_SHEAF_MAIN ? 0 : place->sheaves;
	return NULL;
}

const char *sheaves_see_place(const struct world *w, const struct kmem_place *place)
{
	u32 capacity;

	switch (place->kind) {
	case PLACE_SHEAF_MAIN:
	case PLACE_SHEAF_SPARE:
	case PLACE_SHEAF_RCU:
	case PLACE_SHEAF_WAITING:
	case PLACE_BARN_FULL:
	case PLACE_BARN_EMPTY:
		break;
	case PLACE_CPU_SLAB:
	case PLACE_CPU_PARTIAL:
		return place->nr_slabs ? "since 7.0 no CPU holds a slab" : NULL;
	default:
		return NULL;
	}
	capacity = capacity_of(w, cache_at(w, place->cache));
	if (!capacity)
		return "a cache whose sheaves hold nothing has none";
	gathered.objects[place->cache] += place->nr_entries;
	gathered.all_objects += place->nr_entries;
	if (place->kind == PLACE_SHEAF_MAIN || place->kind == PLACE_SHEAF_SPARE ||
	    place->kind == PLACE_SHEAF_RCU)
		return see_sheaf(place, capacity);
	gathered.sheaves += place->sheaves;
	if (place->kind == PLACE_SHEAF_WAITING)
		return NULL;
	if (place->kind == PLACE_BARN_EMPTY)
		return place->nr_entries ? "an empty sheaf is empty" : NULL;
	gathered.full_in_barns += place->sheaves;
	if (place->sheaves > FULL_IN_BARN)
		return "a barn has at most ten full sheaves";
	return place->nr_entries == place->sheaves * capacity ? NULL
							      : "a full sheaf holds its capacity";
}

const char *sheaves_see_slab(const struct kmem_place *place, const struct kmem_slab_row *row)
{
	if (place->kind == PLACE_NODE_PARTIAL && row->node != place->node)
		return "a slab is on the list of its node";
	if (row->free_on_slab && place->kind != PLACE_NODE_PARTIAL)
		return "a slab with a free object is on its node's list";
	if (!row->free_on_slab && place->kind == PLACE_NODE_PARTIAL)
		return "a full slab is on no list";
	return NULL;
}

/* What went into sheaves and has not left them is there. */
static const char *judge_flow(const struct oracle *o, const u32 *counted)
{
	u64 in = (u64)counted[SHEAF_REFILL] + counted[FREE_FASTPATH] + counted[FREE_RCU_SHEAF];
	u64 out = (u64)counted[ALLOC_FASTPATH] + counted[SHEAF_FLUSH];

	if ((u64)counted[ALLOC_FASTPATH] + counted[ALLOC_SLOWPATH] != o->allocs)
		return "every allocation came from a sheaf or from slabs";
	if ((u64)counted[FREE_FASTPATH] + counted[FREE_SLOWPATH] + counted[FREE_RCU_SHEAF] !=
	    o->frees)
		return "every free went to a sheaf or to its slab";
	if (in != out + gathered.all_objects)
		return "objects that went into sheaves are there, were allocated or flushed";
	if ((u64)counted[SHEAF_ALLOC] != (u64)counted[SHEAF_FREE] + gathered.sheaves)
		return "sheaves that were made are there or were given back";
	if ((u64)counted[BARN_GET] + gathered.full_in_barns > counted[BARN_PUT])
		return "full sheaves of a barn were put there";
	return NULL;
}

const char *sheaves_judge(const struct oracle *o, const struct world *w)
{
	u32 counted[NR_COUNTERS] = { 0 };

	for (u32 id = 0; id < w->nr_caches; id++) {
		const struct kmem_cache *s = cache_at(w, id);
		struct kmem_cache_row row = { 0 };
		o->ops->count(w, s, counted);
		o->ops->info(w, s, &row);
		u32 known = s->live + gathered.objects[id];
		/* A request holds some that no place shows. */
		if (o->requests ? row.objects < known : row.objects != known)
			return "active objects are those of callers and those in sheaves";
		if (row.cpu_slabs)
			return "since 7.0 no CPU holds a slab";
	}
	return o->requests ? NULL : judge_flow(o, counted);
}
