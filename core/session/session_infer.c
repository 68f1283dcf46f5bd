/*
 * session_infer.c - infers from the trace's pointers which slabs the machine had before event 1.
 *
 * The first event at each address says whether the object there was in use or free before the trace
 * (trace/first_events.h). Slabs of an order start at multiples of their size, so the address gives the slab and, with
 * the slot's size, the index. Both follow the model's cache: if another kernel's sizes put two objects in the same
 * place, they are left out.
 *
 * was_there() decides whether a slab was there or is new: by the page allocator's events if there are any, otherwise by
 * what the objects show. In an old slab, objects whose first event is a free were in use. Objects whose first event is
 * an allocation were free, and on the freelist in this order. Objects without any event count as in use, because most
 * slabs of a machine are full, unless the trace frees the page.
 *
 * infer_lists.c decides on which list a slab was.
 */
#include "replay/replay_tables.h"
#include "session/infer.h"
#include "session/session.h"
#include "util/text.h"

/* Each page, head of a slab, block and CPU may need a row. */
enum { ROWS_PER_PAGE = 4, LEAST_FIT = 4 };

/* How many slabs must show the order of indices, each with how many allocations. */
enum { LEAST_RISING = 4, LEAST_IN_ORDER = 6 };

/*
 * How many sheaves a barn holds; how many events may pass before the first and after the last event of the page
 * allocator; how many slabs of one order with only free objects may have existed by chance.
 */
enum { MOST_IN_BARN = 20, MOST_WITHOUT_PAGES = 1000, MOST_WHOLE = 2 };

enum { MOST_TURNS = 1 << 16 }; /* pairs of a cache and a CPU */

enum { SILENT_PER_SLAB = 64 }; /* objects that no event names */

static int is_wanted(struct kmem_session *s, const struct kmem_ops *ops)
{
	return s->import.infers && !s->import.start_limit && ops->adopts_exactly &&
	       s->trace.first_events.nr && !s->trace.report.hashed && !s->import.start.caches.nr &&
	       !s->timeline.turns.is_on;
}

/* Reserves a table with all the memory it will need, because the pool cannot grow below a world. */
static int reserve_table(struct pool *pool, struct hash *h, u64 rows)
{
	hash_free(pool, h);
	do {
		if (!hash_grow(pool, h))
			return 0;
	} while (h->mask / 8 * 7 <= rows);
	return 1;
}

/* Counts the first events that free an object from before the trace. */
static u32 count_frees(const struct kmem_session *s)
{
	const struct first_events *first = &s->trace.first_events;
	u32 nr = 0;

	for (u32 i = 0; i < first->nr; i++)
		nr += trace_recorded_op(&s->trace, first_event_at(first, i).op).kind == OP_NOTHING;
	return nr;
}

/* Returns the room for the objects without an event of slabs whose page the trace frees: infer_lists.c. Without
 * enough of it the last ones count as in use. */
static u64 room_for_silent(const struct kmem_session *s)
{
	return (u64)MIN(s->trace.page_events.nr, s->trace.first_events.nr_pages) * SILENT_PER_SLAB;
}

void session_infer_reserve(struct kmem_session *s, const struct kmem_ops *ops)
{
	struct start *start = &s->import.start;
	struct inferring *t = &s->import.inferring;
	const struct first_events *first = &s->trace.first_events;
	u64 pages = first->nr_pages;
	struct pool *pool = &s->pool;

	t->is_ready = 0;
	if (!t->is_vain)
		t->nr_misfit = t->is_misfit = 0;
	if (start->is_inferred)
		session_start_drop(s);
	if (t->is_vain || !is_wanted(s, ops))
		return;
	u64 frees = count_frees(s);
	t->is_ready =
		(u32)(reserve_table(pool, &t->table,
				    pages * ROWS_PER_PAGE + 2 * MIN(first->nr, (u32)MOST_TURNS)) &&
		      buffer_grow(pool, &t->slabs, pages * sizeof(struct seen_slab)) &&
		      buffer_grow(pool, &t->caches, MAX_CACHES * sizeof(struct seen_cache)) &&
		      buffer_grow(pool, &t->sites, s->trace.nr_sites * sizeof(u16)) &&
		      buffer_grow(pool, &t->next, first->nr * (u64)sizeof(u32)) &&
		      buffer_grow(pool, &t->turns, first->nr * (u64)sizeof(u32)) &&
		      buffer_grow(pool, &start->sheaves.all.run,
				  (first->nr - frees) * sizeof(struct start_sheaf)) &&
		      buffer_grow(pool, &start->entries.all.run,
				  (first->nr - frees) * sizeof(struct start_entry)) &&
		      buffer_grow(pool, &start->slabs.all.run, pages * sizeof(struct start_slab)) &&
		      buffer_grow(pool, &start->indices.all.run,
				  (first->nr - frees + room_for_silent(s)) * sizeof(u16)) &&
		      buffer_grow(pool, &start->frees.all.run, frees * sizeof(struct start_free)) &&
		      buffer_grow(pool, &start->caches.all.run,
				  MAX_CACHES * sizeof(struct start_cache)) &&
		      !session_start_counts(s));
	start->is_inferred = 1;
	if (!t->is_ready)
		session_start_drop(s);
}

/* Returns a kmalloc cache of that name, which is created if the kernel has it; 0: it has none. */
static ref kmalloc_named(struct replay *r, const char *name)
{
	char known[MAX_NAME_BYTES];

	for (u32 type = 0; type < NR_KMALLOC_TYPES; type++) {
		for (u32 class = 0; class < NR_KMALLOC_CLASSES; class ++) {
			kmalloc_spec(r->w->policy.object_layout, type, class, known);
			if (text_is(known, name))
				return kmalloc_cache(r, type, kmalloc_class_size(class));
		}
	}
	return 0;
}

/* Returns a cache to which the trace only frees: it has the size in the snapshot; 0 if it is not there. */
static ref machine_named(struct kmem_session *s, const char *name)
{
	const struct machine_state *o = session_machine_before(s);
	const struct kmem_machine_state_row *row = o ? machine_state_find(o, name) : NULL;

	if (!row || row->size == NOT_REPORTED || !row->size)
		return 0;
	u32 bytes = row->object_size == NOT_REPORTED ? row->size : MIN(row->object_size, row->size);
	struct cache_spec spec = { name, bytes, row->size, cache_guess_align(bytes, row->size),
				   CACHE_NOMERGE };
	return replay_create_cache(&s->replay, &spec);
}

static ref find_cache(struct kmem_session *s, const char *name)
{
	struct replay *r = &s->replay;
	const struct trace *t = r->trace;
	u32 known = cache_named(r->w, name);
	ref kmalloc;

	if (known != CACHE_NONE)
		return ref_of(r->w, cache_at(r->w, known));
	for (u32 i = 0; i < t->nr_caches; i++)
		if (text_is(trace_text(t, t->caches[i].name), name))
			return trace_cache(r, i);
	if (!*name)
		return 0;
	kmalloc = kmalloc_named(r, name);
	return kmalloc ? kmalloc : machine_named(s, name);
}

/* Returns the cache of an allocation or of a free of an object from before the trace; NULL: unknown, or pages serve
 * it. */
static struct kmem_cache *cache_of(struct infer *in, u32 site_nr)
{
	struct replay *r = &in->s->replay;
	const struct site *site = &in->s->trace.sites[site_nr];
	u16 *known = &in->cache_of_site[site_nr];
	ref cache = 0;

	if (!*known) {
		if (site->kind == OP_KMALLOC)
			cache = kmalloc_cache(r, site->kmalloc_type, site->bytes);
		else if (site->kind == OP_ALLOC)
			cache = trace_cache(r, site->cache);
		else if (site->reason == REASON_ORPHAN_FREE)
			cache = find_cache(in->s, trace_text(&in->s->trace, site->cache_name));
		*known = cache > RESOLVED_LARGE
				 ? (u16)(((struct kmem_cache *)at(in->w, cache))->id + 2)
				 : 1;
	}
	return *known > 1 ? cache_at(in->w, *known - 2u) : NULL;
}

/* Returns the slab of that cache at the address. NULL: a slab of another cache was there earlier. */
static struct seen_slab *slab_at(struct infer *in, const struct kmem_cache *cache, u64 ptr)
{
	u64 bytes = (u64)1 << (in->w->machine.page_shift + cache->order);
	u64 head = ptr & ~(bytes - 1);
	struct seen_slab *slab = infer_slab(in, ptr);

	if (!slab) {
		const struct hash_slot *slot = infer_slot(in, KEY_PAGE, head >> INFER_PAGE_SHIFT);
		u32 nr = slot->taken ? slot->more : in->nr_slabs;
		if (nr == in->nr_slabs)
			in->slabs[in->nr_slabs++] = (struct seen_slab){ .head = head,
									.cache = cache->id,
									.page_op = NO_PAGE_EVENT };
		infer_put(in, KEY_PAGE, head >> INFER_PAGE_SHIFT, nr);
		infer_put(in, KEY_PAGE, ptr >> INFER_PAGE_SHIFT, nr);
		slab = &in->slabs[nr];
	}
	return slab->cache == cache->id && slab->head == head ? slab : NULL;
}

static void add_event(struct infer *in, struct seen_slab *slab, u32 nr, const struct op *op)
{
	u64 ptr = first_event_at(in->events, nr).ptr;

	if (slab->last)
		in->next[slab->last - 1] = nr + 1;
	else
		slab->first = nr + 1;
	slab->last = nr + 1;
	if (op->kind == OP_NOTHING) {
		slab->nr_freed++;
		return;
	}
	slab->nr_rising += slab->nr_rising == slab->nr_allocated &&
			   infer_index(in, slab, ptr) == slab->nr_allocated;
	slab->nr_allocated++;
}

/* Whether an object of that cache can be at the address. */
static int fits(const struct infer *in, const struct kmem_cache *cache, u64 ptr)
{
	u64 bytes = (u64)1 << (in->w->machine.page_shift + cache->order);

	return (ptr & (bytes - 1)) % cache->size == 0;
}

/* Returns 0 if too many objects lie where no slab has an object: then these are not pointers of a machine. */
static int find_slabs(struct infer *in)
{
	u32 nr_fit = 0, nr_misfit = in->events->nr_unaligned;

	for (u32 i = 0; i < in->nr_events; i++) {
		const struct first_event event = first_event_at(in->events, i);
		const struct op op = infer_op(in, &event);
		struct kmem_cache *cache = cache_of(in, op.site);
		in->next[i] = 0;
		if (!cache)
			continue;
		if (!fits(in, cache, event.ptr)) {
			nr_misfit++;
			continue;
		}
		struct seen_slab *slab = slab_at(in, cache, event.ptr);
		nr_fit++;
		if (slab)
			add_event(in, slab, i, &op);
	}
	in->s->import.inferring.nr_misfit = nr_misfit;
	in->s->import.inferring.is_misfit = nr_misfit > nr_fit / LEAST_FIT;
	return !in->s->import.inferring.is_misfit;
}

/* Finds the first event of the page allocator at the head of each slab. */
static void find_pages(struct infer *in)
{
	const struct page_events *pages = &in->s->trace.page_events;
	u64 map = page_events_map(pages);

	for (u32 i = 0; map && i < pages->nr; i++) {
		struct page_event event = page_event_at(pages, i);
		u64 head = map + ((u64)event.pfn << INFER_PAGE_SHIFT);
		struct seen_slab *slab = infer_slab(in, head);
		if (slab && slab->head == head && slab->page_op == NO_PAGE_EVENT)
			slab->page_op = event.op;
	}
}

static int is_whole(const struct infer *in, const struct seen_slab *slab)
{
	return !slab->nr_freed && slab->nr_allocated == cache_at(in->w, slab->cache)->objects;
}

/* By chance one shuffled slab in 720 hands out its first six objects by index. If many slabs do, the kernel does not shuffle
 * freelists, and no sheaf reverses them. Then whole slabs in another order are old ones that had no objects in use. */
static u32 order_of_indices(const struct infer *in)
{
	u32 rising = 0, others = 0;

	for (u32 i = 0; i < in->nr_slabs; i++) {
		const struct seen_slab *slab = &in->slabs[i];
		int is_rising = slab->nr_rising == slab->nr_allocated && !slab->nr_freed;
		if (slab->nr_allocated < LEAST_IN_ORDER)
			continue;
		rising += (u32)is_rising;
		others += !is_rising && is_whole(in, slab);
	}
	return rising >= LEAST_RISING && others / 10 <= rising ? ORDER_RISING : ORDER_UNKNOWN;
}

static u32 first_op(const struct infer *in, const struct seen_slab *slab)
{
	return first_event_at(in->events, slab->first - 1).op;
}

/* A CPU takes all objects of a new slab before it goes to another one. With sheaves this is nearly true: some objects may
 * lie in the barn at the end. A snapshot counts free objects, so with one we need not rely on this. */
static int takes_whole_slabs(const struct infer *in, const struct kmem_cache *cache)
{
	return !infer_capacity(in, cache) || !session_warm_state(in->s);
}

/* The range in which the trace has every event of the page allocator, for some orders. */
struct covered {
	u32 from, to;
	u32 orders; /* bits */
};

static int is_covered(const struct infer *in, const struct seen_slab *slab,
		      const struct covered *covered)
{
	u32 op = first_op(in, slab);

	return op >= covered->from && op < covered->to &&
	       covered->orders >> cache_at(in->w, slab->cache)->order & 1;
}

/*
 * The most slabs without objects in use that a machine can keep of a cache: on lists of nodes and CPUs, and after
 * sheaves.
 */
static u32 most_empty(const struct infer *in, const struct kmem_cache *cache)
{
	const struct machine *m = &in->w->machine;
	u32 in_sheaves = infer_capacity(in, cache) * (2 * m->nr_cpus + MOST_IN_BARN * m->nr_nodes);

	return m->nr_nodes * cache->min_partial + m->nr_cpus * (cache->cpu_partial_slabs + 1) +
	       in_sheaves / cache->objects;
}

/* Orders of the page allocator's events. One without events counts too, unless the trace shows several new slabs of it. */
static u32 orders_covered(const struct infer *in)
{
	const struct page_events *pages = &in->s->trace.page_events;
	u32 with_events = 0, orders = 0, nr_whole[MOST_PAGE_ORDER + 1] = { 0 };

	for (u32 i = 0; i < pages->nr; i++)
		with_events |= 1u << page_event_at(pages, i).order;
	for (u32 i = 0; i < in->nr_slabs; i++)
		nr_whole[cache_at(in->w, in->slabs[i].cache)->order] += is_whole(in, &in->slabs[i]);
	for (u32 order = 0; order <= MOST_PAGE_ORDER; order++)
		if (with_events >> order & 1 || nr_whole[order] <= MOST_WHOLE)
			orders |= 1u << order;
	return orders;
}

/* The trace may lack events of the page allocator: those of an order, those before they were switched on, or some here and
 * there. In the last case more slabs than a machine keeps would have been there without an object in use. */
static struct covered covered_by_pages(const struct infer *in)
{
	const struct page_events *pages = &in->s->trace.page_events;
	struct covered c = { .to = NO_PAGE_EVENT };
	u32 empty[MAX_CACHES] = { 0 };

	if (!page_events_map(pages))
		return (struct covered){ 0 };
	u32 first = page_event_at(pages, 0).op, last = page_event_at(pages, pages->nr - 1).op;
	if (first > MOST_WITHOUT_PAGES)
		c.from = first;
	if (pages->is_full || in->s->trace.nr_ops - last > MOST_WITHOUT_PAGES)
		c.to = last;
	c.orders = orders_covered(in);
	for (u32 i = 0; i < in->nr_slabs; i++) {
		const struct seen_slab *slab = &in->slabs[i];
		const struct kmem_cache *cache = cache_at(in->w, slab->cache);
		if (is_whole(in, slab) && slab->page_op > first_op(in, slab) &&
		    is_covered(in, slab, &c) && ++empty[slab->cache] > most_empty(in, cache))
			return (struct covered){ 0 };
	}
	return c;
}

static void mark_last(struct infer *in)
{
	for (u32 i = in->nr_events; i-- > 0;) {
		const struct first_event event = first_event_at(in->events, i);
		const struct op op = infer_op(in, &event);
		struct seen_slab *slab = infer_slab(in, event.ptr);
		if (!slab || op.kind == OP_NOTHING ||
		    in->cache_of_site[op.site] != slab->cache + 2u)
			continue;
		u64 key = (u64)slab->cache << 16 | infer_cpu(in, &op);
		if (infer_slot(in, KEY_LAST, key)->taken)
			continue;
		infer_put(in, KEY_LAST, key, 1);
		slab->is_last = 1;
	}
}

/* The page allocator's events are certain, where the trace has all. Otherwise an object that is freed before it is
 * allocated was there, and its slab with it. We do not invent a slab that shows neither: the model then takes a new one, as
 * from an empty start. */
static int was_there(const struct infer *in, const struct seen_slab *slab,
		     const struct covered *covered)
{
	if (slab->page_op <= first_op(in, slab))
		return 0;
	if (is_covered(in, slab, covered))
		return 1;
	if (slab->nr_freed)
		return 1;
	if (in->order == ORDER_RISING)
		return slab->nr_rising < slab->nr_allocated;
	if (is_whole(in, slab))
		return 0;
	return takes_whole_slabs(in, cache_at(in->w, slab->cache)) && !slab->is_last;
}

/* Counts the slabs of each cache that were certainly there before the trace: a snapshot of its start has no fewer. */
static void show_old(const struct infer *in, const struct covered *covered)
{
	u32 nr[MAX_CACHES] = { 0 };

	for (u32 i = 0; i < in->nr_slabs && !covered->from; i++)
		nr[in->slabs[i].cache] += in->slabs[i].is_old &&
					  is_covered(in, &in->slabs[i], covered);
	for (u32 id = 0; id < in->w->nr_caches; id++)
		start_doubt_slabs(in->s, cache_name(in->w, id), nr[id]);
}

/*
 * A snapshot of the start says how many slabs the cache had. A trace that lacks events, say those of a CPU, shows more:
 * an object that it only frees may belong to a slab that came later. The slabs are in the order of their first event.
 */
static void keep_counted(struct infer *in)
{
	struct kmem_session *s = in->s;
	const struct machine_state *o = session_warm_state(s);
	u32 left[MAX_CACHES];

	if (!o && s->import.before.nr_rows)
		o = &s->import.before;
	if (!o)
		return;
	for (u32 id = 0; id < in->w->nr_caches; id++) {
		const struct kmem_machine_state_row *row =
			machine_state_find(o, cache_name(in->w, id));
		left[id] = row ? row->slabs : NOT_REPORTED;
	}
	for (u32 i = 0; i < in->nr_slabs; i++) {
		struct seen_slab *slab = &in->slabs[i];
		u32 *of = &left[slab->cache];
		slab->is_old = slab->is_old && *of;
		*of -= slab->is_old && *of != NOT_REPORTED;
	}
}

/* Events belong to the slab until its page is freed. */
static void drop_later_events(struct infer *in, struct seen_slab *slab)
{
	u32 first = 0, last = 0;

	for (u32 i = slab->first, next; i; i = next) {
		next = in->next[i - 1];
		in->next[i - 1] = 0;
		if (first_event_at(in->events, i - 1).op >= slab->page_op)
			continue;
		if (last)
			in->next[last - 1] = i;
		else
			first = i;
		last = i;
	}
	slab->first = first;
	slab->last = last;
}

static void decide(struct infer *in)
{
	const struct covered covered = covered_by_pages(in);

	in->order = order_of_indices(in);
	mark_last(in);
	for (u32 i = 0; i < in->nr_slabs; i++) {
		struct seen_slab *slab = &in->slabs[i];
		slab->is_old = (u8)was_there(in, slab, &covered);
	}
	show_old(in, &covered);
	keep_counted(in);
	for (u32 i = 0; i < in->nr_slabs; i++)
		if (in->slabs[i].is_old)
			drop_later_events(in, &in->slabs[i]);
	/* New slabs come from the CPU's own node. */
	for (u32 i = 0; i < in->nr_slabs; i++) {
		const struct seen_slab *slab = &in->slabs[i];
		const struct first_event event = first_event_at(in->events, slab->first - 1);
		const struct op op = infer_op(in, &event);
		if (!slab->is_old)
			infer_put(in, KEY_BLOCK, event.ptr >> INFER_BLOCK_SHIFT,
				  infer_node(in, &op));
	}
}

/* A free without a cache's name belongs to the existing slab, if that one is from before the trace. */
static void find_unnamed(struct infer *in)
{
	for (u32 i = 0; i < in->nr_events; i++) {
		const struct first_event event = first_event_at(in->events, i);
		const struct op op = infer_op(in, &event);
		struct seen_slab *slab = infer_slab(in, event.ptr);
		if (op.kind == OP_NOTHING && slab && !cache_of(in, op.site))
			add_event(in, slab, i, &op);
	}
}

int session_infer(struct kmem_session *s)
{
	struct inferring *t = &s->import.inferring;
	struct infer in = { .s = s,
			    .w = s->w,
			    .table = &t->table,
			    .slabs = t->slabs.at,
			    .caches = t->caches.at,
			    .cache_of_site = t->sites.at,
			    .events = &s->trace.first_events,
			    .next = t->next.at,
			    .turns = t->turns.at,
			    .nr_events = s->trace.first_events.nr };

	memset(in.cache_of_site, 0, s->trace.nr_sites * sizeof(u16));
	memset(in.caches, 0, MAX_CACHES * sizeof(struct seen_cache));
	if (find_slabs(&in)) {
		find_unnamed(&in);
		find_pages(&in);
		decide(&in);
		infer_lists(&in);
	}
	s->replay.start = s->import.start.slabs.nr ? &s->import.start : NULL;
	return s->replay.start != NULL;
}

void kmem_infer_use(struct kmem_session *s, u32 on)
{
	s->import.infers = on != 0;
}
