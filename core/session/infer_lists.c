/*
 * infer_lists.c - decides on which list each inferred slab was, and which of its objects were free.
 *
 * A slab without a free object was full, on no list. Otherwise the first CPU that allocates from it decides. We take
 * the first such slab that it uses for its cpu slab, with the free objects on the cpu freelist. The next few, as many
 * as the list may hold, were on its per-CPU partial list, and later ones on the node partial list. Lists have the order
 * of first use.
 *
 * Where the cache has sheaves, those of a CPU held what it takes first: the main sheaf, then the spare, then full
 * sheaves of the barn. Only the rest was in slabs. A kernel fills whole sheaves, even with objects that no event ever
 * names; for those the model would need slabs that the machine did not have.
 */
#include "session/infer.h"

enum { MOST_OBJECTS = 1 << 15, MOST_FULL_SHEAVES = 10 };

/* Returns where a slab was if this CPU now allocates from it for the first time. */
static u32 place_of(struct infer *in, const struct kmem_cache *cache, u32 cpu)
{
	u64 key = (u64)cache->id << 16 | cpu;
	struct hash_slot *slot = infer_slot(in, KEY_CPU, key);
	u32 used = slot->taken ? slot->more : 0;

	infer_put(in, KEY_CPU, key, used + 1);
	if (in->w->policy.no_cpu_slabs)
		return PLACE_NODE_PARTIAL;
	if (!used)
		return PLACE_CPU_SLAB;
	return used <= cache->cpu_partial_slabs && cache->cpu_partial_lists != CPU_PARTIAL_NONE
		       ? PLACE_CPU_PARTIAL
		       : PLACE_NODE_PARTIAL;
}

/* Adds the slab to the list of its cache. A slab goes before those on a per-CPU partial list: ops.h. */
static void append(struct infer *in, struct seen_slab *slab)
{
	struct seen_cache *of = &in->caches[slab->cache];
	u32 nr = (u32)(slab - in->slabs) + 1;

	slab->is_listed = 1;
	if (slab->place == PLACE_CPU_PARTIAL) {
		slab->next_of_list = of->first_of_cpu;
		of->first_of_cpu = nr;
		return;
	}
	if (of->last)
		in->slabs[of->last - 1].next_of_list = nr;
	else
		of->first = nr;
	of->last = nr;
}

/* Places slabs with free objects, in the order in which these are allocated. */
static void place_used(struct infer *in)
{
	for (u32 i = 0; i < in->nr_events; i++) {
		const struct first_event event = first_event_at(in->events, i);
		struct seen_slab *slab = infer_slab(in, event.ptr);
		const struct op op = infer_op(in, &event);
		if (!slab || !slab->is_old || slab->is_listed || op.kind == OP_NOTHING ||
		    in->cache_of_site[op.site] != slab->cache + 2u)
			continue;
		slab->cpu = (u16)infer_cpu(in, &op);
		slab->node = (u16)infer_node(in, &op);
		slab->place = (u8)place_of(in, cache_at(in->w, slab->cache), slab->cpu);
		append(in, slab);
	}
}

static u64 turns_key(const struct kmem_cache *cache, u32 cpu)
{
	return (u64)cache->id << 16 | cpu;
}

/* Numbers the free objects that each CPU takes from old slabs of a cache with sheaves, in this order. */
static void number_turns(struct infer *in)
{
	for (u32 i = 0; i < in->nr_events; i++) {
		const struct first_event event = first_event_at(in->events, i);
		const struct seen_slab *slab = infer_slab(in, event.ptr);
		const struct op op = infer_op(in, &event);
		in->turns[i] = 0;
		if (!slab || !slab->is_listed || op.kind == OP_NOTHING ||
		    event.op >= slab->page_op || in->cache_of_site[op.site] != slab->cache + 2u ||
		    !infer_capacity(in, cache_at(in->w, slab->cache)))
			continue;
		u64 key = turns_key(cache_at(in->w, slab->cache), infer_cpu(in, &op));
		const struct hash_slot *slot = infer_slot(in, KEY_TURNS, key);
		in->turns[i] = slot->taken ? slot->more + 1 : 1;
		infer_put(in, KEY_TURNS, key, in->turns[i]);
	}
}

static void add_sheaf(struct infer *in, struct start_sheaf sheaf)
{
	struct start *start = &in->s->import.start;

	sheaf.at = start->entries.nr;
	start->entries.nr += sheaf.nr;
	start->sheaves.at[start->sheaves.nr++] = sheaf;
}

/*
 * Plans the sheaves of a CPU for this many objects. The main sheaf gets just enough that the others are full and the
 * rest in slabs fills whole sheaves.
 */
static void plan_sheaves(struct infer *in, struct start_sheaf of, u32 capacity, u32 objects,
			 u32 *room_of_barn)
{
	static const u8 places[] = { PLACE_SHEAF_MAIN, PLACE_SHEAF_SPARE, PLACE_BARN_FULL };

	for (u32 i = 0; objects; i++) {
		of.place = places[MIN(i, (u32)ARRAY_SIZE(places) - 1)];
		of.nr = i ? capacity : (objects - 1) % capacity + 1;
		if (of.place == PLACE_BARN_FULL && !*room_of_barn)
			return;
		*room_of_barn -= of.place == PLACE_BARN_FULL;
		objects -= of.nr;
		add_sheaf(in, of);
	}
}

/* From now on the turns of a CPU lead to its first sheaf, + 1. */
static void plan_all_sheaves(struct infer *in)
{
	for (u32 id = 0; id < in->w->nr_caches; id++) {
		const struct kmem_cache *cache = cache_at(in->w, id);
		u32 capacity = infer_capacity(in, cache), room[MAX_NODES];
		for (u32 node = 0; capacity && node < in->w->machine.nr_nodes; node++)
			room[node] = MOST_FULL_SHEAVES;
		for (u32 cpu = 0; capacity && cpu < in->w->machine.nr_cpus; cpu++) {
			struct hash_slot *slot = infer_slot(in, KEY_TURNS, turns_key(cache, cpu));
			struct start_sheaf of = { .cache = id,
						  .cpu = (u16)cpu,
						  .node = (u16)node_of_cpu(in->w, cpu) };
			u32 first = in->s->import.start.sheaves.nr;
			if (!slot->taken)
				continue;
			plan_sheaves(in, of, capacity, slot->more, &room[of.node]);
			slot->more = first + 1;
		}
	}
}

/* Returns the place in a sheaf of the object that this event takes; NULL: it was in its slab. */
static struct start_entry *entry_of(struct infer *in, const struct seen_slab *slab, u32 nr)
{
	const struct start *start = &in->s->import.start;
	const struct first_event event = first_event_at(in->events, nr);
	const struct op op = infer_op(in, &event);
	u32 turn = in->turns[nr], cpu = infer_cpu(in, &op);

	if (!turn)
		return NULL;
	const struct hash_slot *slot = infer_slot(in, KEY_TURNS,
						  turns_key(cache_at(in->w, slab->cache), cpu));
	for (u32 i = slot->more - 1; i < start->sheaves.nr; i++) {
		const struct start_sheaf *sheaf = &start->sheaves.at[i];
		if (sheaf->cache != slab->cache || sheaf->cpu != cpu)
			return NULL;
		if (turn <= sheaf->nr)
			return &start->entries.at[sheaf->at + sheaf->nr - turn];
		turn -= sheaf->nr;
	}
	return NULL;
}

static void place_full(struct infer *in, struct seen_slab *slab)
{
	const struct first_event event = first_event_at(in->events, slab->first - 1);
	const struct op op = infer_op(in, &event);
	const struct hash_slot *block = infer_slot(in, KEY_BLOCK, slab->head >> INFER_BLOCK_SHIFT);

	slab->node = (u16)(block->taken ? block->more : infer_node(in, &op));
	slab->place = PLACE_NODE_FULL;
	append(in, slab);
}

/* New slabs say nothing about the time before the trace. */
static void forget_events(struct infer *in, const struct seen_slab *slab)
{
	for (u32 i = slab->first, next; i; i = next) {
		next = in->next[i - 1];
		in->next[i - 1] = 0;
	}
}

/* The slab's page is freed later, so its objects were free by then. If no event freed them, they had been all along. */
static void add_silent(struct infer *in, const u64 *is_known, u32 objects)
{
	struct start *start = &in->s->import.start;
	u16 *indices = start->indices.at;
	u32 room = (u32)MIN(start->indices.room_bytes / sizeof(u16), (u64)0xffffffff);

	for (u32 i = 0; i < objects && start->indices.nr < room; i++)
		if (!(is_known[i / 64] >> i % 64 & 1))
			indices[start->indices.nr++] = (u16)i;
}

/* Sorts the slab's objects. A free of one that was in use notes the slab's row, + 1, in place of the next event. */
static void sort_objects(struct infer *in, const struct seen_slab *slab, u32 objects)
{
	struct start *start = &in->s->import.start;
	u16 *indices = start->indices.at;
	u64 is_known[MOST_OBJECTS / 64];

	memset(is_known, 0, DIV_ROUND_UP(objects, 64u) * sizeof(u64));
	for (u32 i = slab->first, next; i; i = next) {
		const struct first_event event = first_event_at(in->events, i - 1);
		u32 index = infer_index(in, slab, event.ptr);
		next = in->next[i - 1];
		in->next[i - 1] = 0;
		if (index >= objects || is_known[index / 64] >> index % 64 & 1)
			continue;
		is_known[index / 64] |= (u64)1 << index % 64;
		struct start_entry *entry = entry_of(in, slab, i - 1);
		if (infer_op(in, &event).kind == OP_NOTHING)
			in->next[i - 1] = start->slabs.nr + 1;
		else if (entry)
			*entry = (struct start_entry){ start->slabs.nr + 1, index };
		else
			indices[start->indices.nr++] = (u16)index;
	}
	if (slab->page_op != NO_PAGE_EVENT)
		add_silent(in, is_known, objects);
}

static void write_slab(struct infer *in, const struct seen_slab *slab)
{
	struct start *start = &in->s->import.start;
	const struct kmem_cache *cache = cache_at(in->w, slab->cache);
	u32 first = start->indices.nr;

	sort_objects(in, slab, MIN((u32)cache->objects, (u32)MOST_OBJECTS));
	u16 nr_free = (u16)(start->indices.nr - first);
	int is_cpu_slab = slab->place == PLACE_CPU_SLAB;
	u32 place = slab->place == PLACE_NODE_FULL && nr_free	? PLACE_NODE_PARTIAL
		    : slab->place != PLACE_CPU_SLAB && !nr_free ? PLACE_NODE_FULL
								: slab->place;
	start->slabs.at[start->slabs.nr++] =
		(struct start_slab){ .cache = slab->cache,
				     .place = place,
				     .free_at = first,
				     .cpu_free_at = first,
				     .nr_free = is_cpu_slab ? 0 : nr_free,
				     .nr_cpu_free = is_cpu_slab ? nr_free : 0,
				     .order = cache->order,
				     .objects = cache->objects,
				     .cpu = slab->cpu,
				     .node = slab->node };
}

static void write_cache(struct infer *in, u32 id)
{
	struct start_cache *row = &in->s->import.start.caches.at[id];
	u32 lists[] = { in->caches[id].first, in->caches[id].first_of_cpu };

	/* Its sizes and thresholds are the model's. */
	*row = (struct start_cache){ 0 };
	memcpy(row->name, cache_name(in->w, id), MAX_NAME_BYTES);
	for (u32 i = 0; i < ARRAY_SIZE(lists); i++)
		for (u32 nr = lists[i]; nr; nr = in->slabs[nr - 1].next_of_list)
			write_slab(in, &in->slabs[nr - 1]);
}

static void write_frees(struct infer *in)
{
	struct start *start = &in->s->import.start;

	for (u32 i = 0; i < in->nr_events; i++) {
		const struct first_event event = first_event_at(in->events, i);
		if (!in->next[i])
			continue;
		start->frees.at[start->frees.nr++] = (struct start_free){
			.op = event.op,
			.slab = in->next[i] - 1,
			.index = infer_index(in, infer_slab(in, event.ptr), event.ptr),
		};
	}
}

void infer_lists(struct infer *in)
{
	struct start *start = &in->s->import.start;

	start->caches.nr = in->w->nr_caches;
	place_used(in);
	number_turns(in);
	plan_all_sheaves(in);
	for (u32 nr = 0; nr < in->nr_slabs; nr++) {
		if (!in->slabs[nr].is_old)
			forget_events(in, &in->slabs[nr]);
		else if (!in->slabs[nr].is_listed)
			place_full(in, &in->slabs[nr]);
	}
	for (u32 id = 0; id < in->w->nr_caches; id++)
		write_cache(in, id);
	write_frees(in);
}
