/*
 * replay.c - the loop that executes a trace's events. It reads an event, looks up cache and object,
 * calls the allocator, and stores the object's location.
 */
#include "replay/replay_tables.h"
#include "replay/replay.h"
#include "machine_state/machine_state.h"
#include "replay/start.h"
#include "util/text.h"

#define FAST_PATHS
#include "tables/allocators.def"
#include "sim/cache.h"
#include "sim/page.h"
#include "machine_state/machine_state.h"
#include "replay/start.h"

static handle *handle_at(const struct world *w, u32 nr)
{
	return (handle *)at(w, w->handles) + nr;
}

/* Returns the highest zone that the site's flags permit. */
static u32 zone_of(const struct trace *t, const struct site *site)
{
	if (!op_allocates(site->kind) && site->kind != OP_BULK_ALLOC)
		return ZONE_NORMAL;
	if (site->kind == OP_KMALLOC && site->kmalloc_type == KMALLOC_DMA)
		return ZONE_DMA;
	return gfp_zone_of(trace_text(t, site->gfp));
}

void replay_resolve(struct replay *r, u32 from, u32 to)
{
	struct world *w = r->w;
	const struct trace *t = r->trace;
	struct resolved *known = at(w, w->sites);

	for (u32 i = from; i < to; i++) {
		const struct site *site = &t->sites[i];
		known[i].bytes = site->bytes;
		known[i].node = site->node < w->machine.nr_nodes ? site->node : NODE_ANY;
		known[i].barred_zones = (u16)(ZONE_NORMAL - zone_of(t, site));
	}
}

void replay_prepare(struct replay *r)
{
	struct world *w = r->w;
	const struct trace *t = r->trace;
	const struct trace_fork *f = &t->fork;
	u32 handles = f->is_on ? f->nr_handles : t->nr_handles,
	    sites = f->is_on ? f->nr_sites : t->nr_sites,
	    caches = f->is_on ? f->nr_caches : t->nr_caches;

	w->handles = world_alloc(w, MAX(handles, 1u) * (u32)sizeof(handle));
	w->sites = world_alloc(w, MAX(sites, 1u) * (u32)sizeof(struct resolved));
	w->trace_caches = world_alloc(w, MAX(caches, 1u) * (u32)sizeof(ref));
	r->by_table = r->ops != &FAST_OPS || MAX(t->report.cpus, f->cpus) > w->machine.nr_cpus ||
		      w->policy.debug_flags || w->policy.work || t->nr_corruptions;
	for (u32 i = 0; i < t->nr_caches; i++)
		r->by_table |= (t->caches[i].flags & CACHE_DEBUG) != 0;
	replay_resolve(r, 0, sites);
}

u64 replay_tables_bytes(const struct trace *t)
{
	u64 handles = (u64)t->nr_handles * sizeof(handle),
	    sites = (u64)t->nr_sites * sizeof(struct resolved),
	    bytes = handles + sites + (u64)t->nr_caches * sizeof(ref);

	if (MAX(handles, sites) > LARGEST_BLOCK_BYTES)
		return (u64)1 << 32;

	/* Blocks come in four sizes per doubling. */
	return bytes + bytes / 4 + 1024;
}

ref trace_cache(struct replay *r, u32 nr)
{
	ref *known = (ref *)at(r->w, r->w->trace_caches) + nr;

	if (!*known) {
		const struct trace_cache *c = &r->trace->caches[nr];
		struct cache_spec spec = { trace_text(r->trace, c->name), c->object_size, c->size,
					   c->align, c->flags };
		if (!spec.align && c->size)
			spec.align = cache_guess_align(c->object_size, c->size);
		ref new = replay_create_cache(r, &spec);
		*known = new;
	}
	return *known;
}

u32 kmalloc_class_of(const struct replay *r, u32 bytes)
{
	const struct policy *p = &r->w->policy;
	u32 page = 1u << r->w->machine.page_shift;
	u32 largest = p->kmalloc_all_classes ? LARGEST_KMALLOC_CLASS
		      : p->kmalloc_one_page  ? page
					     : 2 * page;

	return kmalloc_class(MAX(bytes, r->ops->smallest_kmalloc), largest);
}

ref kmalloc_cache(struct replay *r, u32 type, u32 bytes)
{
	u32 class = kmalloc_class_of(r, bytes);

	if (r->ops->kmalloc_cache) {
		ref cache = r->ops->kmalloc_cache(r->w, bytes);
		return cache ? cache : RESOLVED_LARGE;
	}
	if (class == KMALLOC_TOO_LARGE)
		return RESOLVED_LARGE;
	ref *known = &r->w->kmalloc[type][class];
#ifndef KMEM_FIRST_VIEW
	if (!*known && type == KMALLOC_CGROUP &&
	    (start_lacks_accounting(r->start) || machine_state_lacks_accounting(r->machine_state)))
		*known = kmalloc_cache(r, KMALLOC_NORMAL, bytes);
#endif
	if (!*known) {
		char name[MAX_NAME_BYTES];
		struct cache_spec spec = kmalloc_spec(r->w->policy.object_layout, type, class,
						      name);
		*known = replay_create_cache(r, &spec);
	}
	return *known;
}

NOINLINE ref resolve_site(struct replay *r, u32 site_nr)
{
	const struct site *site = &r->trace->sites[site_nr];
	ref cache = site->cache == SITE_CACHE_KMALLOC
			    ? kmalloc_cache(r, site->kmalloc_type, site->bytes)
			    : trace_cache(r, site->cache);

	struct resolved *known = (struct resolved *)at(r->w, r->w->sites) + site_nr;
	if (cache > RESOLVED_LARGE)
		known->barred_zones = MAX(known->barred_zones,
					  (u16)(ZONE_NORMAL - cache_zone(at(r->w, cache))));
	/* Requests with barred zones take the slow function each time. */
	if (!known->barred_zones)
		known->cache = cache;
	return cache;
}

void alloc_large(struct replay *r, handle *h, u32 bytes, u32 node)
{
	struct world *w = r->w;
	u32 order = order_of_bytes(w->machine.page_shift, bytes);
	u32 home = node == NODE_ANY ? node_of_cpu(w, w->cpu) : node;
	/* No kmalloc cache serves GFP_DMA32, so kmalloc drops it, like kmalloc_fix_flags(). */
	u32 highest = request_zone(w) == ZONE_DMA ? ZONE_DMA : ZONE_NORMAL;
	u32 pfn = order > MAX_ORDER ? PFN_NONE : page_alloc(w, home, order, 1, highest);
	/* If the machine refuses the order itself, reclaim cannot help. */
	int may_reclaim = r->ops->reclaim && order < w->machine.fail_order && order <= MAX_ORDER;

	for (u32 i = 0; pfn == PFN_NONE && may_reclaim && i < RECLAIM_PASSES; i++) {
		may_reclaim = r->ops->reclaim(w);
		if (may_reclaim)
			pfn = page_alloc(w, home, order, 1, highest);
	}
	w->slow_paths++;
	if (pfn == PFN_NONE) {
		emit_ALLOC_FAILED(w, CACHE_NONE, node, node);
		return;
	}
	*h = LOC(pfn + 1, order) | (u64)HANDLE_LARGE << 48;
	w->large_bytes += (u64)1 << (w->machine.page_shift + order);
	w->large_requested += bytes;
	w->large_live++;
	emit_LARGE_ALLOC(w, CACHE_NONE, page_node(w, pfn), bytes, order, pfn);
	if (r->ops->pages_taken)
		r->ops->pages_taken(w);
}

void free_large(struct replay *r, handle h, u32 bytes)
{
	struct world *w = r->w;
	u32 pfn = LOC_SLAB(h) - 1, order = LOC_INDEX(h);

	w->slow_paths++;
	w->large_bytes -= (u64)1 << (w->machine.page_shift + order);
	w->large_requested -= bytes;
	w->large_live--;
	emit_LARGE_FREE(w, CACHE_NONE, page_node(w, pfn), order, pfn);
	page_free(w, pfn, order);
}

/* The loop is compiled three times. Two of them inline one allocator's fast paths, because a call
 * costs wasm as much as the rest of a fast path. Without a listener the compiler removes
 * steps. The third calls an allocator through its table. It also runs the inlined allocator if
 * debugging needs event numbers, or if the machine has fewer CPUs than the trace. */
enum loop { FAST_PLAIN, FAST_RECORDED, OTHER };

/* Calls the allocator through its table. */
static void alloc_by_table(struct replay *r, const struct tables *t, u32 object, u32 cpu,
			   const struct resolved *site, ref cache)
{
	struct kmem_cache *s = at(t->w, cache);
	object_loc loc = r->ops->alloc(t->w, s, cpu, site->node, site->bytes);

	if (!r->ops->adds_up_cycles)
		s->cycles += op_cycles(t->w);
	if (loc)
		note_alloc(t, object, site, s, loc);
}

/*
 * A site's first use, barred zones, or no slab for the request, because it is too large or there are too many caches.
 * Returns 0 if nothing is left to do.
 */
NOINLINE ref alloc_unusual(struct replay *r, const struct tables *t, u32 object, u32 site_nr,
			   u32 cpu)
{
	const struct resolved *site = &t->sites[site_nr];
	ref cache = site->cache ? site->cache : resolve_site(r, site_nr);

	if (!cache) {
		emit_ALLOC_FAILED(t->w, CACHE_NONE, site->node, site->node);
		return 0;
	}
	if (cache > RESOLVED_LARGE && !site->barred_zones)
		return cache;
	world_host(t->w)->barred_zones = site->barred_zones;
	if (cache == RESOLVED_LARGE)
		alloc_large(r, &t->handles[object], site->bytes, site->node);
	else
		alloc_by_table(r, t, object, cpu, site, cache);
	world_host(t->w)->barred_zones = 0;
	return 0;
}

ALWAYS_INLINE void do_alloc(struct replay *r, const struct tables *t, u32 object, u32 site_nr,
			    u32 cpu, const enum loop mode)
{
	const struct resolved *site = &t->sites[site_nr];
	ref cache = site->cache;

	if (unlikely(cache <= RESOLVED_LARGE)) {
		cache = alloc_unusual(r, t, object, site_nr, cpu);
		if (!cache)
			return;
	}
	struct kmem_cache *s = at(t->w, cache);
	object_loc loc = mode == OTHER
				 ? r->ops->alloc(t->w, s, cpu, site->node, site->bytes)
				 : fast_alloc(t->w, s, cpu, site->node, mode == FAST_RECORDED);
	if (mode == OTHER && !r->ops->adds_up_cycles)
		s->cycles += op_cycles(t->w);
	if (likely(loc))
		note_alloc(t, object, site, s, loc);
}

/* Frees a large kmalloc, or an object whose allocation failed. */
NOINLINE void free_unusual(struct replay *r, handle h, u32 bytes)
{
	if (h)
		free_large(r, h, bytes);
	else
		emit_NOTHING(r->w, CACHE_NONE, NODE_ANY, REASON_NEVER_PLACED);
}

/* Returns the handle that remembers a freed object's location. */
handle replay_keep_trail(const struct replay *r, handle h)
{
	if (!h || HANDLE_CACHE(h) == HANDLE_LARGE)
		return 0;
	return LOC(r->ops->serial(r->w, LOC_SLAB(h)), LOC_INDEX(h)) |
	       (u64)(HANDLE_CACHE(h) | HANDLE_KEPT) << 48;
}

ALWAYS_INLINE void do_free(struct replay *r, const struct tables *t, u32 object, u32 site_nr,
			   u32 cpu, u32 is_kept, const enum loop mode)
{
	handle h = t->handles[object];
	u32 bytes = t->sites[site_nr].bytes;

	t->handles[object] = 0;
	if (mode == OTHER && is_kept)
		t->handles[object] = replay_keep_trail(r, h);
	/* One test for both cases: only HANDLE_LARGE sets the highest bit. */
	if (unlikely((s64)h <= 0)) {
		free_unusual(r, h, bytes);
		return;
	}
	struct kmem_cache *s = cache_at(t->w, HANDLE_CACHE(h));
	s->live--;
	s->requested -= bytes;
	if (mode == OTHER)
		r->ops->free(t->w, s, cpu, h);
	else
		fast_free(t->w, s, cpu, h, mode == FAST_RECORDED);
	if (mode == OTHER && !r->ops->adds_up_cycles)
		s->cycles += op_cycles(t->w);
}

/* Only allocators called through the table may have work before an event. */
ALWAYS_INLINE void begin_op(const struct tables *t, u32 cpu, const enum loop mode)
{
	if (mode == OTHER && t->w->policy.work)
		op_begin_after_work(t->w, cpu);
	else
		op_begin(t->w, t->cpus, cpu);
}

#ifndef KMEM_FIRST_VIEW
/* Frees an object from before the trace, if the event does that. */
static int free_from_before(struct replay *r, const struct op *op, u32 nr, u32 cpu)
{
	struct start_slab *of;
	struct request q = { .kind = REQUEST_FREE_ADOPTED }, end = { .kind = REQUEST_BULK_FREE };
	q.loc = start_object(r->start, r->trace, nr, &of);

	if (!q.loc)
		return 0;
	struct kmem_cache *s = cache_at(r->w, of->made_cache);
	q.number = r->trace->sites[op->site].request == SITE_GROUP;
	r->ops->request(r->w, s, cpu, &q);
	if (op->flags & OP_GROUP_LAST && !r->w->policy.no_cpu_slabs)
		r->ops->request(r->w, s, cpu, &end);
	return 1;
}
#endif

static void run_single(struct replay *r, const struct tables *t, const struct op *op, u32 cpu)
{
	if (op->kind == OP_FREE)
		do_free(r, t, op->handle, op->site, cpu, op->flags & OP_KEPT, OTHER);
	else
		do_alloc(r, t, op->handle, op->site, cpu, OTHER);
}

/* Any event but a plain allocation or free goes through the allocator's table. */
NOINLINE void run_unusual(struct replay *r, const struct tables *t, struct packed_op packed, u32 nr)
{
	const struct op op = trace_unpack(r->trace, packed);
	u32 cpu = op.cpu % t->w->machine.nr_cpus;

	begin_op(t, cpu, OTHER);
#ifndef KMEM_FIRST_VIEW
	if (op.kind == OP_NOTHING && r->start && free_from_before(r, &op, nr, cpu))
		return;
#else
	(void)nr; /* no start */
#endif
	if (op.kind == OP_NOTHING)
		emit_NOTHING(t->w, CACHE_NONE, NODE_ANY, r->trace->sites[op.site].reason);
	else if (op.kind > OP_FREE)
		replay_other(r, t, &op, cpu);
	else if (!(op.flags & OP_BY_REQUEST) || !replay_member(r, t, &op, nr, cpu))
		run_single(r, t, &op, cpu);
#ifndef KMEM_FIRST_VIEW
	if (op.flags & OP_GROUP_LAST)
		replay_group_end(r, &op, cpu);
#endif
}

ALWAYS_INLINE void run_op(struct replay *r, const struct tables *t, struct packed_op packed, u32 nr,
			  const enum loop mode)
{
	u32 object = packed.object & PACKED_HANDLE_MASK, site = packed.place & PACKED_SITE_MASK,
	    cpu = packed.place >> PACKED_CPU_AT;

	if (unlikely(!is_plain_op(packed))) {
		run_unusual(r, t, packed, nr);
	} else {
		cpu = mode == OTHER ? cpu % t->w->machine.nr_cpus : cpu;
		begin_op(t, cpu, mode);
		if (packed.object >> PACKED_KIND_AT == PACKED_FREE)
			do_free(r, t, object, site, cpu, 0, mode);
		else
			do_alloc(r, t, object, site, cpu, mode);
	}
	if (mode != FAST_PLAIN)
		t->w->op++;
}

/* The loop checks the room between batches; WORLD_HEADROOM_BYTES suffices for one. */
enum { BATCH_OPS = 64 };

ALWAYS_INLINE u32 run_loop(struct replay *r, u32 n, const enum loop mode)
{
	struct world *w = r->w;
	u32 first = w->op, i = first;
	u32 end = (u32)MIN((u64)first + n, (u64)r->trace->nr_ops);
	struct tables t = { w, at(w, w->sites), at(w, w->handles), clock_cpus(w) };

	while (i < end && world_has_room(w)) {
		const struct packed_op *packed = trace_packed(r->trace, i);
		const struct packed_op *stop = packed + MIN(end - i, BATCH_OPS - i % BATCH_OPS);
		i += (u32)(stop - packed);
		for (; packed < stop; packed++)
			run_op(r, &t, *packed, i - (u32)(stop - packed), mode);
		/* Only steps contain the number of the current event. */
		w->op = i;
	}
	return w->op - first;
}

u32 replay_run(struct replay *r, u32 n)
{
	return r->trace->fork.is_on ? replay_fork(r, n) : replay_plainly(r, n);
}

u32 replay_plainly(struct replay *r, u32 n)
{
	if (r->by_table)
		return run_loop(r, n, OTHER);
	return is_recording(r->w) ? run_loop(r, n, FAST_RECORDED) : run_loop(r, n, FAST_PLAIN);
}

u32 replay_cache_of_site(const struct replay *r, const struct site *site)
{
	const struct world *w = r->w;
	ref cache = 0;
	u32 bytes = site->kind == OP_CORRUPT ? r->trace->corruptions[site->bytes].bytes
					     : site->bytes;

	u32 nr = site->kind == OP_SET ? r->trace->sets[site->bytes].cache : site->cache;

	if (site->kind == OP_NOTHING || site->kind == OP_TICK || site->kind == OP_REAP ||
	    site->kind == OP_EXPIRE || site->kind == OP_GRACE || site->kind == OP_BARRIER ||
	    site->kind == OP_CPU_DEAD)
		return CACHE_NONE;
	if (nr != CACHE_NONE) {
		if (!is_before_fork(r) || nr < r->trace->fork.nr_caches)
			cache = ((ref *)at(w, w->trace_caches))[nr];
	} else if (site->kind == OP_SET) {
		return CACHE_NONE;
	} else if (bytes && r->ops->kmalloc_cache) {
		cache = r->ops->kmalloc_cache(w, bytes);
	} else if (bytes) {
		u32 class = kmalloc_class_of(r, bytes);
		cache = class == KMALLOC_TOO_LARGE ? 0 : w->kmalloc[site->kmalloc_type][class];
	}
	return cache ? ((struct kmem_cache *)at(w, cache))->id : CACHE_NONE;
}

u32 replay_cache_of_event(const struct replay *r, u32 nr)
{
	const struct op op = trace_op(r->trace, nr);
	struct start_slab *of;

#ifndef KMEM_FIRST_VIEW
	if (op.kind == OP_NOTHING && r->start && start_object(r->start, r->trace, nr, &of))
		return of->made_cache;
#else
	(void)of; /* no start */
#endif
	return replay_cache_of_site(r, &r->trace->sites[op.site]);
}

/* Returns where the object of a handle is; 0 for no handle, and before a fork also for handles of the fork. */
static handle handle_of(const struct replay *r, u32 nr)
{
	if (nr == HANDLE_NONE || (is_before_fork(r) && nr >= r->trace->fork.nr_handles))
		return 0;
	return *handle_at(r->w, nr);
}

object_loc replay_locate(const struct replay *r, u32 nr, u32 *cache)
{
	handle h = handle_of(r, nr);

	*cache = h && HANDLE_CACHE(h) < HANDLE_KEPT ? HANDLE_CACHE(h) : CACHE_NONE;
	return *cache == CACHE_NONE ? 0 : h;
}

void replay_trail(const struct replay *r, u32 nr, u32 *cache, u32 *serial, u32 *index)
{
	handle h = handle_of(r, nr);
	u32 of = HANDLE_CACHE(h);

	*cache = h && of != HANDLE_LARGE ? of & ~(u32)HANDLE_KEPT : CACHE_NONE;
	*serial = of < HANDLE_KEPT && h ? r->ops->serial(r->w, LOC_SLAB(h)) : LOC_SLAB(h);
	*index = LOC_INDEX(h);
}

const char *replay_check(const struct replay *r)
{
	const struct world *w = r->w;
	u32 placed = 0, live = 0, cache;

	for (u32 i = 0; i < r->trace->nr_handles; i++) {
		if (!replay_locate(r, i, &cache))
			continue;
		if (cache >= w->nr_caches || cache_at(w, cache)->live == 0)
			return "a live handle's cache has live objects";
		placed++;
	}
	for (u32 id = 0; id < w->nr_caches; id++) {
		const char *broken = r->ops->check(w, cache_at(w, id));
		if (broken)
			return broken;
		live += cache_at(w, id)->live;
	}
	/* Single requests (replay_requests.c) have no handles. */
	if (placed != live && r->trace->nr_ops)
		return "every live handle is one allocated object";
	return page_check(w);
}

/*
 * Creates a cache when the trace first uses it: its size and thresholds, its sheaves, and whether it
 * joins another.
 */

static int is_one_of(const char *name, const char *const *names, u32 nr)
{
	int found = 0;

	for (u32 i = 0; i < nr && !found; i++)
		found = text_is(names[i], name);
	return found;
}

/* Sets the sheaf capacity of one cache in the policy. In 6.18 a few have sheaves. In 7.x all have them, except the two
 * boot caches and those created with SLAB_NOLEAKTRACE, which no trace shows: these three are known by their names. The
 * kernel merges none of the caches named here. */
static void choose_sheaves(struct world *w, struct cache_spec *spec)
{
	static const char *const asked[] = { "maple_node", "vm_area_struct" };
	static const char *const refused[] = { "kmem_cache", "kmem_cache_node", "kmemleak_object",
					       "kmemleak_scan_area", "debug_objects_cache" };
	int asks = is_one_of(spec->name, asked, ARRAY_SIZE(asked));

	if (w->policy.sheaf_capacity == AUTOMATIC) {
		int refuses = is_one_of(spec->name, refused, ARRAY_SIZE(refused));
		if (refuses)
			w->policy.sheaf_capacity = 0;
		if (refuses || asks)
			spec->flags |= CACHE_NOMERGE;
		if (asks)
			spec->flags |= CACHE_ASKED_SHEAVES;
	} else if (w->policy.few_sheaves && !asks) {
		w->policy.sheaf_capacity = 0;
	}
}

ref replay_create_cache(struct replay *r, const struct cache_spec *asked)
{
	struct world *w = r->w;
	struct cache_spec spec = *asked;
	struct policy policy = w->policy;

	/* This cache's order, thresholds and sheaves, if the snapshot has them. */
	choose_sheaves(w, &spec);
	if (r->machine_state->is_used)
		machine_state_apply(r->machine_state, w->machine.page_shift, &spec, &w->policy);
#ifndef KMEM_FIRST_VIEW
	start_apply(r->start, &spec, &w->policy);
#endif
	if (w->policy.sheaf_capacity && !w->policy.no_cpu_slabs)
		spec.flags |= CACHE_NOMERGE;
	spec.flags |= w->policy.debug_flags;
	struct kmem_cache *s = cache_find_mergeable(w, &spec);
	if (s) {
		s->object_size = MAX(s->object_size, spec.object_size);
		s->refcount++;
	} else {
		s = cache_new(w, &spec);
		if (s)
			r->ops->create(w, s);
#ifndef KMEM_FIRST_VIEW
		if (s)
			start_settle(r->start, s);
#endif
	}
	w->policy = policy;
	return s ? ref_of(w, s) : 0;
}
