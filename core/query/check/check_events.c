/*
 * check_events.c - the events of a check, and the first one at each object.
 */
#include "query/check/check_model.h"
#include "util/text.h"

/*
 * Compares the first event at each object with what the start state says of it.
 *
 * The trace of a run that begins at the state frees objects in use, and allocates free ones. If events between the state and
 * the trace are missing, or the state is of another run, the first events at many objects contradict it.
 */

/* An object of the start state. Its first event makes it OBJECT_SEEN. */
enum { OBJECT_IN_USE, OBJECT_FREE, OBJECT_UNKNOWN, OBJECT_SEEN };

static void mark(const struct check *c, u32 slab, const u16 *indices, u32 nr)
{
	u8 *objects = (u8 *)c->objects.at + STATE_ROWS(u64, c->object_at)[slab];

	for (u32 i = 0; i < nr; i++)
		objects[indices[i]] = OBJECT_FREE;
}

/* Objects in an array or a sheaf are free, unless a grace period or a caller has the sheaf. */
static void mark_array(const struct check *c, const struct state_list *list)
{
	const u64 *object = STATE_ROWS(u64, c->states[0].addresses) + list->at;
	u8 is = list->kind == LIST_SHEAF_RCU || list->kind == LIST_SHEAF_WAITING ||
				list->kind == LIST_SHEAF_PREFILLED
			? OBJECT_UNKNOWN
			: OBJECT_FREE;

	for (u32 i = 0; i < list->nr; i++)
		((u8 *)c->objects.at)[STATE_ROWS(u64, c->object_at)[object[i] >> 16] +
				      (object[i] & 0xffff)] = is;
}

static s32 check_first_begin(struct kmem_session *s, struct check *c)
{
	const struct state *start = &c->states[0];
	const struct state_slab *slabs = start->slabs.run.at;
	const struct state_list *lists = start->lists.run.at;
	const u16 *indices = start->indices.run.at;
	u64 all = 0;

	c->firsts = c->contradictions = 0;
	for (u32 i = 0; i < start->slabs.nr; i++) {
		u64 *at = rows_add(&s->pool, &c->object_at, sizeof(*at));
		if (!at)
			return KMEM_ENOMEM;
		*at = all;
		all += slabs[i].objects;
	}
	if (!buffer_grow(&s->pool, &c->objects, MAX(all, (u64)1)))
		return KMEM_ENOMEM;
	for (u32 i = 0; i < start->slabs.nr; i++) {
		/* A state of SLAB lacks which objects of partial slabs are free. */
		u8 is = !start->is_slab || slabs[i].inuse == slabs[i].objects ? OBJECT_IN_USE
			: slabs[i].inuse				      ? OBJECT_UNKNOWN
									      : OBJECT_FREE;
		memset((u8 *)c->objects.at + STATE_ROWS(u64, c->object_at)[i], is,
		       slabs[i].objects);
		mark(c, i, indices + slabs[i].free_at, slabs[i].nr_free);
	}
	for (u32 i = 0; i < start->lists.nr; i++) {
		if (list_has_objects(lists[i].kind))
			mark_array(c, &lists[i]);
		else if (lists[i].kind == LIST_CPU_SLAB && lists[i].nr)
			mark(c, (u32)STATE_ROWS(u64, start->addresses)[lists[i].at],
			     indices + lists[i].free_at, lists[i].nr_free);
	}
	return 0;
}

static void check_first_event(struct check *c, u32 row, u32 index, int is_alloc)
{
	if (row >= c->object_at.nr ||
	    index >= STATE_ROWS(struct state_slab, c->states[0].slabs)[row].objects)
		return;
	u8 *object = (u8 *)c->objects.at + STATE_ROWS(u64, c->object_at)[row] + index;
	if (*object <= OBJECT_FREE) {
		c->firsts++;
		c->contradictions += (*object == OBJECT_IN_USE) == is_alloc;
	}
	*object = OBJECT_SEEN;
}

/* Compares the first event at each object with the start state. The row is that of its slab. */
static void check_first_drop(struct kmem_session *s, struct check *c)
{
	rows_free(&s->pool, &c->object_at);
	buffer_free(&s->pool, &c->objects);
}

/*
 * Finds the cache and the slab of each event, and sorts the events by cache.
 *
 * An allocation's cache is the one that its line names, or the kmalloc class of its size. The start state says which
 * slab a pointer is in, and for new slabs the cache's order does. A free is of the cache that its page belongs to: its
 * line often has another name, or none.
 */

enum { PAGE_SHIFT = 12, MOST_GROUP = 64 };

u32 kernel_slab_at(const struct check *c, u64 address)
{
	return c->pages.run.at ? hash_find(&c->pages, address >> PAGE_SHIFT)->taken - 1u
			       : CHECK_NONE;
}

/* One more slab of the kernel; its pages are no other slab's any more. */
static u32 add_slab(struct kmem_session *s, struct check *c, u64 address, u32 cache, u32 order)
{
	struct check_cache *of = STATE_ROWS(struct check_cache, c->caches) + cache;
	struct kernel_slab *slab = rows_add(&s->pool, &c->slabs, sizeof(*slab));

	if (!slab)
		return CHECK_NONE;
	*slab = (struct kernel_slab){ address, cache, of->nr_slabs++, 0 };
	for (u64 page = address >> PAGE_SHIFT, i = 0; i < 1u << order; i++) {
		if (!hash_reserve(&s->pool, &c->pages))
			return CHECK_NONE;
		struct hash_slot *slot = hash_find(&c->pages, page + i);
		if (slot->taken)
			slot->taken = c->slabs.nr;
		else
			hash_put(&c->pages, slot, (struct hash_slot){ page + i, 0, c->slabs.nr });
	}
	return c->slabs.nr - 1;
}

/* Notes the first event on a slab of the start state. */
static void touch(struct check *c, u32 row, u32 cache)
{
	struct kernel_slab *slab = STATE_ROWS(struct kernel_slab, c->slabs) + row;

	if (row >= c->states[0].slabs.nr || slab->is_touched)
		return;
	slab->is_touched = 1;
	c->touched++;
	c->of_other_caches += slab->cache != cache;
}

/* The cache of an allocation site. Kernels without accounting serve accounted requests from the plain caches. */
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

/* The row of the slab of an allocation's object. */
static u32 slab_of_alloc(struct kmem_session *s, struct check *c, u32 cache, u64 ptr)
{
	const struct kernel_slab *slabs = c->slabs.run.at;
	u32 known = kernel_slab_at(c, ptr);
	const struct state_cache *of = STATE_ROWS(struct state_cache, c->states[0].caches) + cache;
	u32 order = of->order;

	if (known != CHECK_NONE)
		touch(c, known, cache);
	if (known != CHECK_NONE && slabs[known].cache == cache)
		return known;
	/* A slab of the smaller order shows in the stop state. */
	for (u32 o = 0; o < of->order; o++) {
		u32 there = state_slab_of(&c->states[1], ptr & ~(((u64)1 << (PAGE_SHIFT + o)) - 1));
		const struct state_slab *slab = STATE_ROWS(struct state_slab, c->states[1].slabs) +
						there;
		if (there != CHECK_NONE && slab->order == o)
			order = o;
	}
	return add_slab(s, c, ptr & ~(((u64)1 << (PAGE_SHIFT + order)) - 1), cache, order);
}

u32 check_place(struct kmem_session *s, struct check *c, u32 cache, u64 ptr, u32 *index)
{
	u32 row = cache == CHECK_NONE ? kernel_slab_at(c, ptr) : slab_of_alloc(s, c, cache, ptr);

	if (row == CHECK_NONE)
		return CHECK_NONE;
	const struct kernel_slab *slab = STATE_ROWS(struct kernel_slab, c->slabs) + row;
	const struct state_cache *of = STATE_ROWS(struct state_cache, c->states[0].caches) +
				       slab->cache;
	*index = (u32)((ptr - slab->address) / of->size);
	return (ptr - slab->address) % of->size || *index >= of->objects ? CHECK_NONE : row;
}

/* The import has found the objects of bulk requests. */
static u8 group_flags(const struct op *op, const struct site *site)
{
	if (site->request != SITE_GROUP)
		return 0;
	return CHECK_IN_GROUP | (op->flags & OP_GROUP_LAST ? CHECK_LAST : 0);
}

/* An event as a row, without its cache's order of events. Returns its cache, or CACHE_NONE if it is none of the state's. */
static u32 read_event(struct kmem_session *s, struct check *c, u32 op, struct check_event *ev)
{
	const struct trace *t = &s->trace;
	const struct op o = trace_op(t, op);
	const struct site *site = &t->sites[o.site];
	u64 ptr = trace_pointer(t, op);
	int is_alloc = o.kind == OP_ALLOC || o.kind == OP_KMALLOC;
	int is_orphan = o.kind == OP_NOTHING && site->reason == REASON_ORPHAN_FREE;

	if (!ptr || (!is_alloc && !is_orphan && o.kind != OP_FREE))
		return CACHE_NONE;
	u32 row, cache;
	if (is_alloc) {
		if (o.kind == OP_KMALLOC && trace_slot(t, site) > 2u << PAGE_SHIFT) {
			c->out.large++;
			return CACHE_NONE;
		}
		cache = cache_of_site(c, t, site);
		if (cache == CHECK_NONE) {
			c->out.other_caches++;
			return CACHE_NONE;
		}
		row = slab_of_alloc(s, c, cache, ptr);
	} else {
		row = kernel_slab_at(c, ptr);
		if (row != CHECK_NONE)
			touch(c, row, STATE_ROWS(struct kernel_slab, c->slabs)[row].cache);
		c->out.unknown_frees += row == CHECK_NONE;
		c->out.unseen_frees += (o.flags & OP_IMPLIED) != 0;
	}
	if (row == CHECK_NONE)
		return CACHE_NONE;
	const struct kernel_slab *slab = STATE_ROWS(struct kernel_slab, c->slabs) + row;
	const struct state_cache *of = STATE_ROWS(struct state_cache, c->states[0].caches) +
				       slab->cache;
	u64 offset = ptr - slab->address;
	/* SLAB's colour shifts the objects by less than one. */
	if ((offset % of->size && !c->states[0].is_slab) || offset / of->size >= of->objects) {
		c->out.odd_pointers++;
		return CACHE_NONE;
	}
	check_first_event(c, row, (u32)(offset / of->size), is_alloc);
	*ev = (struct check_event){ .op = op,
				    .cache = (u16)slab->cache,
				    .slab = slab->nr,
				    .index = (u16)(offset / of->size),
				    .cpu = o.cpu,
				    .node = is_alloc ? site->node : (u16)NODE_ANY,
				    .kind = is_alloc ? CHECK_ALLOC : CHECK_FREE,
				    .flags = group_flags(&o, site) };
	return slab->cache;
}

void check_events_drop(struct kmem_session *s, struct check *c)
{
	check_work_drop(s, c);
	check_first_drop(s, c);
	check_lines_drop(s, c);
	check_parts_drop(&s->pool, &c->parts);
	rows_free(&s->pool, &c->unsorted);
	rows_free(&s->pool, &c->events);
	rows_free(&s->pool, &c->caches);
	rows_free(&s->pool, &c->slabs);
	hash_free(&s->pool, &c->pages);
	buffer_free(&s->pool, &c->cache_of_op);
	buffer_free(&s->pool, &c->paths);
	buffer_free(&s->pool, &c->recorded);
}

static s32 add_start_slabs(struct kmem_session *s, struct check *c)
{
	const struct state *start = &c->states[0];

	for (u32 i = 0; i < start->caches.nr; i++)
		if (!rows_add(&s->pool, &c->caches, sizeof(struct check_cache)))
			return KMEM_ENOMEM;
	for (u32 i = 0; i < start->slabs.nr; i++) {
		const struct state_slab *slab = STATE_ROWS(struct state_slab, start->slabs) + i;
		if (add_slab(s, c, slab->address, slab->cache, slab->order) == CHECK_NONE)
			return KMEM_ENOMEM;
	}
	return 0;
}

/* Moves the rows, which are in the trace's order, to the places of their caches. */
static void sort_events(struct check *c, const struct check_event *from, u32 nr)
{
	struct check_cache *caches = c->caches.run.at;
	struct check_event *to = c->events.run.at;
	u32 first = 0;

	for (u32 i = 0; i < c->caches.nr; i++) {
		caches[i].first = first;
		first += caches[i].nr;
		caches[i].nr = 0;
	}
	for (u32 i = 0; i < nr; i++) {
		struct check_cache *cache = &caches[from[i].cache];
		to[cache->first + cache->nr++] = from[i];
		cache->allocations += from[i].kind == CHECK_ALLOC;
	}
}

/* The objects of a bulk free take effect together, where its last line is. Moves the events of other CPUs in between. */
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
	struct check_event *ev = c->events.run.at;

	for (u32 nr = 0; nr < c->caches.nr; nr++) {
		const struct check_cache *cache = STATE_ROWS(struct check_cache, c->caches) + nr;
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
	struct check_event *row = rows_add(&s->pool, &c->unsorted, sizeof(*ev));

	if (!row)
		return KMEM_ENOMEM;
	*row = *ev;
	STATE_ROWS(struct check_cache, c->caches)[ev->cache].nr++;
	return 0;
}

static s32 add_event(struct kmem_session *s, struct check *c, u32 op)
{
	struct check_event ev;
	u32 cache = op < c->from || op >= c->end ? CACHE_NONE : read_event(s, c, op, &ev);

	((u16 *)c->cache_of_op.at)[op] = (u16)cache;
	if (cache == CACHE_NONE)
		return 0;
	return c->has_parts ? check_event_waits(s, c, &ev) : check_event_add(s, c, &ev);
}

s32 check_events_run(struct kmem_session *s, struct check *c, u32 *events)
{
	struct rows *raw = &c->unsorted;

	for (; c->next_op < s->trace.nr_ops; c->next_op++, --*events) {
		if (!*events)
			return 1;
		if (check_lines(s, c, c->next_op) || add_event(s, c, c->next_op))
			return KMEM_ENOMEM;
	}
	if (check_lines(s, c, CHECK_NONE))
		return KMEM_ENOMEM;
	check_lines_drop(s, c);
	check_first_drop(s, c);
	c->events.nr = raw->nr;
	if (!buffer_grow(&s->pool, &c->events.run, MAX(raw->nr, 1u) * sizeof(struct check_event)))
		return KMEM_ENOMEM;
	sort_events(c, raw->run.at, raw->nr);
	rows_free(&s->pool, raw);
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
