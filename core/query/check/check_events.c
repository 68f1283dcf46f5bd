/*
 * check_events.c - the events of a check, and the first one at each object.
 */
#include "query/check/check_model.h"
#include "util/text.h"

/*
 * Compares the first event at each object with what the start state says about it.
 *
 * A trace that starts at the state frees objects in use and allocates free ones. If events between the state and the
 * trace are missing, or the state is from another run, the first events at many objects contradict it.
 */

/* An object of the start state. Its first event makes it OBJECT_SEEN. */
enum { OBJECT_IN_USE, OBJECT_FREE, OBJECT_UNKNOWN, OBJECT_SEEN };

static u8 *object_at(const struct check *c, u32 slab, u32 index)
{
	return (u8 *)c->objects.at + c->states[0].slabs.at[slab].first_object + index;
}

static void mark_free(const struct check *c, u32 slab, u32 at, u32 nr)
{
	for (u32 i = at; i < at + nr; i++)
		*object_at(c, slab, c->states[0].indices.at[i]) = OBJECT_FREE;
}

static s32 check_first_begin(struct kmem_session *s, struct check *c)
{
	const struct state *start = &c->states[0];

	c->firsts = c->contradictions = c->unseen = c->frees.nr = 0;
	if (!buffer_grow(&s->pool, &c->objects, MAX(start->nr_objects, (u64)1)))
		return KMEM_ENOMEM;
	for (u32 i = 0; i < start->slabs.nr; i++) {
		const struct state_slab *slab = &start->slabs.at[i];
		const struct state_list *list = state_list_of(start, slab);
		/* SLAB's state does not say which objects of partial slabs are free. */
		u8 is = !start->is_slab || slab->inuse == slab->objects ? OBJECT_IN_USE
			: slab->inuse					? OBJECT_UNKNOWN
									: OBJECT_FREE;
		memset(object_at(c, i, 0), is, slab->objects);
		mark_free(c, i, slab->free_at, slab->nr_free);
		if (list)
			mark_free(c, i, list->free_at, list->nr_free);
	}
	/* Objects in an array or a sheaf are free, unless a grace period or a caller has the sheaf. */
	for (u32 i = 0; i < start->lists.nr; i++) {
		const struct state_list *list = &start->lists.at[i];
		u8 is = list->kind == LIST_SHEAF_RCU || list->kind == LIST_SHEAF_WAITING ||
					list->kind == LIST_SHEAF_PREFILLED
				? OBJECT_UNKNOWN
				: OBJECT_FREE;
		for (u32 k = 0; k < list->nr && list_has_objects(list->kind); k++) {
			u64 object = start->addresses.at[list->at + k];
			*object_at(c, (u32)(object >> 16), object & 0xffff) = is;
		}
	}
	return 0;
}

/* Compares the first event at an object with the start state. The row is its slab's. */
static s32 check_first_event(struct kmem_session *s, struct check *c, u32 row, u32 index,
			     const struct check_event *ev, int is_orphan)
{
	const struct state *start = &c->states[0];

	if (row >= start->slabs.nr || index >= start->slabs.at[row].objects)
		return 0;
	u8 *object = object_at(c, row, index), was = *object;
	*object = OBJECT_SEEN;
	c->firsts += was <= OBJECT_FREE;
	c->contradictions += was <= OBJECT_FREE &&
			     (was == OBJECT_IN_USE) == (ev->kind == CHECK_ALLOC);
	c->unseen += was == OBJECT_IN_USE && ev->kind == CHECK_ALLOC;
	if (was != OBJECT_IN_USE || !is_orphan || !c->keeps_frees)
		return 0;
	struct start_free *to = array_add(&s->pool, &c->frees.all, sizeof(*to));
	if (!to)
		return KMEM_ENOMEM;
	*to = (struct start_free){ ev->op, row, index };
	return 0;
}

/*
 * Finds the cache and the slab of each event, and sorts the events by cache.
 *
 * An allocation's cache is the one that its line names, or the kmalloc class of its size. The start state says which
 * slab a pointer is in; for new slabs the cache's order does. A free belongs to the cache that owns its page: its
 * line often gives another name, or none.
 */

enum { PAGE_SHIFT = 12, MOST_GROUP = 64 };

u32 kernel_slab_at(const struct check *c, u64 address)
{
	return c->pages.run.at ? hash_find(&c->pages, address >> PAGE_SHIFT)->taken - 1u
			       : CHECK_NONE;
}

/* Adds a slab of the kernel; its pages no longer belong to any other slab. */
static u32 add_slab(struct kmem_session *s, struct check *c, u64 address, u32 cache, u32 order)
{
	struct check_cache *of = c->caches.at + cache;
	struct kernel_slab *slab = array_add(&s->pool, &c->slabs.all, sizeof(*slab));

	if (!slab)
		return CHECK_NONE;
	*slab = (struct kernel_slab){ address, cache, of->nr_slabs++, 0 };
	for (u64 page = address >> PAGE_SHIFT, i = 0; i < 1u << order; i++) {
		u32 *row = hash_number(&s->pool, &c->pages, page + i, CHECK_NONE);
		if (!row)
			return CHECK_NONE;
		*row = c->slabs.nr;
	}
	return c->slabs.nr - 1;
}

/* Notes the first event on a slab of the start state. */
static void touch(struct check *c, u32 row, u32 cache)
{
	struct kernel_slab *slab = c->slabs.at + row;

	if (row >= c->states[0].slabs.nr || slab->is_touched)
		return;
	slab->is_touched = 1;
	c->touched++;
	c->of_other_caches += slab->cache != cache;
}

/* Returns the cache of an allocation site. Kernels without accounting serve accounted requests from the plain
 * caches. */
static u32 cache_of_site(const struct check *c, const struct trace *t, const struct site *site)
{
	const char *name = trace_text(t, site->cache_name);
	u32 cache = state_cache_of(&c->states[0], name);
	char plain[MAX_NAME_BYTES];
	struct text out = text_in(plain, sizeof(plain));

	if (cache != CHECK_NONE || !(name[0] == 'k' && text_length(name) > 11))
		return cache;
	for (u32 i = 0; i < 11; i++)
		if (name[i] != "kmalloc-cg-"[i])
			return cache;
	text_add(&out, "kmalloc-");
	text_add(&out, name + 11);
	return state_cache_of(&c->states[0], plain);
}

/* Returns the row of the slab that holds an allocation's object. */
static u32 slab_of_alloc(struct kmem_session *s, struct check *c, u32 cache, u64 ptr)
{
	const struct state *stop = &c->states[1];
	u32 known = kernel_slab_at(c, ptr), order = c->states[0].caches.at[cache].order;

	if (known != CHECK_NONE)
		touch(c, known, cache);
	if (known != CHECK_NONE && c->slabs.at[known].cache == cache)
		return known;
	/* If the slab has a smaller order, the stop state shows it. */
	for (u32 o = 0; o < c->states[0].caches.at[cache].order; o++) {
		u32 there = state_slab_of(stop, ptr & ~(((u64)1 << (PAGE_SHIFT + o)) - 1));
		if (there != CHECK_NONE && stop->slabs.at[there].order == o)
			order = o;
	}
	return add_slab(s, c, ptr & ~(((u64)1 << (PAGE_SHIFT + order)) - 1), cache, order);
}

u32 check_place(struct kmem_session *s, struct check *c, u32 cache, u64 ptr, u32 *index)
{
	u32 row = cache == CHECK_NONE ? kernel_slab_at(c, ptr) : slab_of_alloc(s, c, cache, ptr);

	if (row == CHECK_NONE)
		return CHECK_NONE;
	const struct kernel_slab *slab = &c->slabs.at[row];
	const struct state_cache *of = &c->states[0].caches.at[slab->cache];
	u64 offset = ptr - slab->address;
	/* SLAB's colour shifts the objects by less than one. */
	int is_odd = (offset % of->size && !c->states[0].is_slab) ||
		     offset / of->size >= of->objects;
	*index = is_odd ? CHECK_NONE : (u32)(offset / of->size);
	return row;
}

/* Returns the import has found the objects of bulk requests. */
static u8 group_flags(const struct op *op, const struct site *site)
{
	if (site->request != SITE_GROUP)
		return 0;
	return CHECK_IN_GROUP | (op->flags & OP_GROUP_LAST ? CHECK_LAST : 0);
}

/* Reads an event as a row, not yet sorted by cache. Returns 1, 0 if no cache of the state has it, or an error. */
static s32 read_event(struct kmem_session *s, struct check *c, u32 op, struct check_event *ev)
{
	const struct trace *t = &s->trace;
	const struct op o = trace_op(t, op);
	const struct site *site = &t->sites[o.site];
	u64 ptr = trace_pointer(t, op);
	int is_alloc = op_allocates(o.kind);
	int is_orphan = o.kind == OP_NOTHING && site->reason == REASON_ORPHAN_FREE;
	u32 index, cache = is_alloc ? cache_of_site(c, t, site) : CHECK_NONE;

	if (!ptr || (!is_alloc && !is_orphan && o.kind != OP_FREE))
		return 0;
	if (o.kind == OP_KMALLOC && trace_slot(t, site) > 2u << PAGE_SHIFT) {
		c->out.large++;
		return 0;
	}
	if (is_alloc && cache == CHECK_NONE) {
		c->out.other_caches++;
		return 0;
	}
	u32 row = check_place(s, c, cache, ptr, &index);
	if (!is_alloc) {
		if (row != CHECK_NONE)
			touch(c, row, c->slabs.at[row].cache);
		c->out.unknown_frees += row == CHECK_NONE;
		c->out.unseen_frees += (o.flags & OP_IMPLIED) != 0;
	}
	if (row == CHECK_NONE || index == CHECK_NONE) {
		c->out.odd_pointers += row != CHECK_NONE;
		return 0;
	}
	*ev = (struct check_event){ .op = op,
				    .cache = (u16)c->slabs.at[row].cache,
				    .slab = c->slabs.at[row].nr,
				    .index = (u16)index,
				    .cpu = o.cpu,
				    .node = is_alloc ? site->node : (u16)NODE_ANY,
				    .kind = is_alloc ? CHECK_ALLOC : CHECK_FREE,
				    .flags = group_flags(&o, site) };
	return check_first_event(s, c, row, index, ev, is_orphan) ? KMEM_ENOMEM : 1;
}

void check_events_drop(struct kmem_session *s, struct check *c)
{
	check_work_drop(s, c);
	buffer_free(&s->pool, &c->objects);
	array_free(&s->pool, &c->frees.all);
	check_lines_drop(s, c);
	check_parts_drop(&s->pool, &c->parts);
	array_free(&s->pool, &c->unsorted.all);
	array_free(&s->pool, &c->events.all);
	array_free(&s->pool, &c->caches.all);
	array_free(&s->pool, &c->slabs.all);
	hash_free(&s->pool, &c->pages);
	buffer_free(&s->pool, &c->cache_of_op);
	buffer_free(&s->pool, &c->paths);
	buffer_free(&s->pool, &c->recorded);
}

static s32 add_start_slabs(struct kmem_session *s, struct check *c)
{
	const struct state *start = &c->states[0];

	for (u32 i = 0; i < start->caches.nr; i++)
		if (!array_add(&s->pool, &c->caches.all, sizeof(*c->caches.at)))
			return KMEM_ENOMEM;
	for (u32 i = 0; i < start->slabs.nr; i++)
		if (add_slab(s, c, start->slabs.at[i].address, start->slabs.at[i].cache,
			     start->slabs.at[i].order) == CHECK_NONE)
			return KMEM_ENOMEM;
	return 0;
}

/* Sorts the rows, which are in the trace's order, by cache. */
static void sort_events(struct check *c)
{
	u32 first = 0;

	for (u32 i = 0; i < c->caches.nr; i++) {
		c->caches.at[i].first = first;
		first += c->caches.at[i].nr;
		c->caches.at[i].nr = 0;
	}
	for (u32 i = 0; i < c->unsorted.nr; i++) {
		const struct check_event *ev = &c->unsorted.at[i];
		struct check_cache *cache = &c->caches.at[ev->cache];
		c->events.at[cache->first + cache->nr++] = *ev;
		cache->allocations += ev->kind == CHECK_ALLOC;
	}
}

/* A bulk free takes effect as a whole, at its last line. Moves the events of other CPUs that lie in between. */
static void gather_group(struct check_event *ev, u32 nr)
{
	struct check_event members[MOST_GROUP];
	u32 found = 1, kept = 0, last = 0;

	for (u32 i = 1; i < nr && found <= MOST_GROUP && !last; i++) {
		int is_member = ev[i].cpu == ev[0].cpu && ev[i].kind == CHECK_FREE &&
				ev[i].flags & CHECK_IN_GROUP;
		found += (u32)is_member;
		last = is_member && ev[i].flags & CHECK_LAST ? i : 0;
	}
	if (!last || last + 1 == found || found > MOST_GROUP)
		return;
	u16 cpu = ev[0].cpu;
	found = 0;
	for (u32 i = 0; i <= last; i++) {
		if (ev[i].cpu == cpu && ev[i].kind == CHECK_FREE && ev[i].flags & CHECK_IN_GROUP)
			members[found++] = ev[i];
		else
			ev[kept++] = ev[i];
	}
	memcpy(&ev[kept], members, found * sizeof(*ev));
}

static void gather_groups(struct check *c)
{
	struct check_event *ev = c->events.at;

	for (u32 nr = 0; nr < c->caches.nr; nr++) {
		const struct check_cache *cache = c->caches.at + nr;
		u32 end = cache->first + cache->nr;
		for (u32 i = cache->first; i < end; i++)
			if (ev[i].kind == CHECK_FREE && ev[i].flags & CHECK_IN_GROUP &&
			    !(ev[i].flags & CHECK_LAST))
				gather_group(&ev[i], end - i);
	}
}

s32 check_events_begin(struct kmem_session *s, struct check *c)
{
	const struct trace *t = &s->trace;
	u64 bytes = MAX((u64)t->nr_ops, 1u);

	check_events_drop(s, c);
	c->next_op = c->next_line = 0;
	c->touched = c->of_other_caches = 0;
	c->has_parts = c->states[0].has_sheaves && s->trace.kept.nr_parts;
	if (!buffer_grow(&s->pool, &c->cache_of_op, bytes * 2) || add_start_slabs(s, c) ||
	    check_first_begin(s, c))
		return KMEM_ENOMEM;
	/* Markers say where each state was read: its last event, and the first of the stop state. */
	c->from = t->nr_state_marks > 1 ? t->state_marks[1] : 0;
	c->end = t->nr_state_marks > 2 ? t->state_marks[2] : t->nr_ops;
	c->out.beside = t->nr_ops - MAX(c->end, c->from) + c->from;
	return 0;
}

s32 check_event_add(struct kmem_session *s, struct check *c, const struct check_event *ev)
{
	struct check_event *row = array_add(&s->pool, &c->unsorted.all, sizeof(*ev));

	if (!row)
		return KMEM_ENOMEM;
	*row = *ev;
	c->caches.at[ev->cache].nr++;
	return 0;
}

static s32 add_event(struct kmem_session *s, struct check *c, u32 op)
{
	struct check_event ev;
	s32 found = op < c->from || op >= c->end ? 0 : read_event(s, c, op, &ev);

	((u16 *)c->cache_of_op.at)[op] = found > 0 ? ev.cache : CACHE_NONE;
	if (found <= 0)
		return found;
	return c->has_parts ? check_event_waits(s, c, &ev) : check_event_add(s, c, &ev);
}

s32 check_events_run(struct kmem_session *s, struct check *c, u32 *events)
{
	for (; c->next_op < s->trace.nr_ops; c->next_op++, --*events) {
		if (!*events)
			return 1;
		if (check_lines(s, c, c->next_op) || add_event(s, c, c->next_op))
			return KMEM_ENOMEM;
	}
	if (check_lines(s, c, CHECK_NONE))
		return KMEM_ENOMEM;
	check_lines_drop(s, c);
	buffer_free(&s->pool, &c->objects);
	c->events.nr = c->unsorted.nr;
	if (!buffer_grow(&s->pool, &c->events.all.run,
			 MAX(c->events.nr, 1u) * sizeof(struct check_event)))
		return KMEM_ENOMEM;
	sort_events(c);
	array_free(&s->pool, &c->unsorted.all);
	gather_groups(c);
	c->out.events = c->events.nr;
	return 0;
}

s32 check_events(struct kmem_session *s, struct check *c)
{
	u32 events = CHECK_NONE;
	s32 err = check_events_begin(s, c);

	return err ? err : check_events_run(s, c, &events);
}
