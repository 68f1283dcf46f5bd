/*
 * slub_partial.c - moves slabs between CPUs and nodes: partial lists, the any-node search, flush
 * and shrink.
 *
 *	take:  node partial list ─ head → cpu slab, the next few → per-CPU partial list
 *	give:  cpu slab → head or tail of its node's list;  per-CPU partial list → tail, slab by slab
 *
 * Kernel: get_partial_node(), get_any_partial(), put_cpu_partial(), __unfreeze_partials(),
 * __kmem_cache_do_shrink() in mm/slub.c, 6.1. The 2018 proposal is policy.skip_checked.
 */
#include "alloc/slub/slub_fast.h"
#include "alloc/slub/slub_sheaf.h"

#include "sim/page.h"

/* The first slab of the node partial list becomes the cpu slab. More go onto the per-CPU partial
 * list until it exceeds half its limit. The limit counts slabs since 5.16, free objects before. */
ALWAYS_INLINE struct slab *take_from_list(struct world *w, struct kmem_cache *s,
					  struct kmem_cache_cpu *c, struct kmem_cache_node *n,
					  const int rec)
{
	const int by_objects = w->policy.cpu_partial_objects;
	u32 half = (by_objects ? s->cpu_partial : s->cpu_partial_slabs) / 2;
	struct slab *first = slub_list_pop(w, s, n);
	u32 extras = 0, objects = slab_free_count(first);

	slub_install(w, c, first);
	slub_move_freelist(c, first);
	STAT_SLAB(rec, c, w, first, ALLOC_FROM_PARTIAL, objects, n->nr_partial);
	while (n->head && w->policy.cpu_partial_lists) {
		u32 have = by_objects ? objects : extras;
		emit_if_THRESHOLD(rec, w, s->id, first->node, WHAT_GRAB_HALF, have, half,
				  have > half ? OUTCOME_ENOUGH : OUTCOME_MORE);
		if (have > half)
			break;
		struct slab *slab = slub_list_pop(w, s, n);
		u32 free = slab_free_count(slab);
		if (by_objects)
			slub_partial_push_objects(w, c, slab);
		else
			slub_partial_push(w, c, slab);
		objects += free;
		extras++;
		STAT_SLAB(rec, c, w, slab, CPU_PARTIAL_NODE, free, c->partial_slabs);
	}
	return first;
}

static struct slab *search_node(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				u32 node)
{
	struct kmem_cache_node *n = slub_node(w, s, node);

	emit_PARTIAL_SEARCH(w, s->id, node, n->nr_partial);
	if (!n->nr_partial)
		return NULL;
	/* A debug cache takes one object and leaves the slab on the list. */
	if (unlikely(s->flags & CACHE_DEBUG))
		return at(w, n->head);
	lock_take(w, &n->list_lock, s->id, node);
	struct slab *slab = is_recording(w) ? take_from_list(w, s, c, n, 1)
					    : take_from_list(w, s, c, n, 0);
	lock_release(w, &n->list_lock);
	return slab;
}

/* The gate admits a share of the searches: attribute x 10 against 1024. */
static int gate_open(struct world *w, const struct kmem_cache *s)
{
	u32 gate = w->policy.gate_by_cycles ? (u32)(w->now % 1024) : 0;
	int open = s->defrag_ratio && gate <= s->defrag_ratio;

	emit_ANY_NODE_ENTER(w, s->id, NODE_ANY, s->defrag_ratio, gate,
			    open ? OUTCOME_OPEN : OUTCOME_CLOSED);
	return open;
}

int slub_search_nodes(struct world *w, struct kmem_cache *s, u32 local, u32 checked,
		      int (*take)(struct world *w, struct kmem_cache *s, u32 node, void *context),
		      void *context)
{
	const struct machine *m = &w->machine;
	const u16 *list = (u16 *)at(w, m->zonelists) + local * m->zonelist_len;
	u32 excluded = checked, highest = request_zone(w);

	w->any_node_entered++;
	if (!gate_open(w, s))
		return 0;
	for (u32 i = 0; i < m->zonelist_len; i++) {
		const struct zone *zone = (struct zone *)at(w, m->zones) + list[i];
		u32 node = zone->node;
		struct kmem_cache_node *n = slub_node(w, s, node);
		if (zone->kind > highest)
			continue;
		if (w->policy.skip_checked && node == excluded) {
			emit_ANY_NODE_ZONE(w, s->id, node, i, n->nr_partial, s->min_partial,
					   OUTCOME_EXCLUDED);
			continue;
		}
		w->any_node_zones++;
		int enough = n->nr_partial > s->min_partial;
		emit_ANY_NODE_ZONE(w, s->id, node, i, n->nr_partial, s->min_partial,
				   enough	   ? OUTCOME_HIT
				   : n->nr_partial ? OUTCOME_TOO_FEW
						   : OUTCOME_NOTHING_THERE);
		if (enough && take(w, s, node, context))
			return 1;
		if (w->policy.skip_checked) {
			emit_ANY_NODE_EXCLUDE(w, s->id, node, excluded, node);
			excluded = node;
		}
	}
	return 0;
}

struct wanted_slab {
	struct kmem_cache_cpu *c;
	struct slab *found;
};

static int take_slab(struct world *w, struct kmem_cache *s, u32 node, void *context)
{
	struct wanted_slab *wanted = context;

	wanted->found = search_node(w, s, wanted->c, node);
	return wanted->found != NULL;
}

struct slab *slub_get_partial_anywhere(struct world *w, struct kmem_cache *s,
				       struct kmem_cache_cpu *c, u32 node)
{
	u32 local = node_of_cpu(w, w->cpu);
	u32 first = node == NODE_ANY ? local : node;
	struct wanted_slab wanted = { c, search_node(w, s, c, first) };

	if (!wanted.found)
		slub_search_nodes(w, s, local, first, take_slab, &wanted);
	return wanted.found;
}

struct slab *slub_get_partial(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			      u32 node)
{
	if (node == NODE_ANY || w->policy.any_node_always)
		return slub_get_partial_anywhere(w, s, c, node);
	return search_node(w, s, c, node);
}

/* Moves a per-CPU partial list, already detached, to the nodes; returns how many slabs were
 * discarded instead. */
ALWAYS_INLINE u32 unfreeze_partials(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				    ref partials, const int rec)
{
	struct kmem_cache_node *locked = NULL;
	ref aside = 0;
	u32 released = 0;

	while (partials) {
		struct slab *slab = at(w, partials);
		struct kmem_cache_node *n = slub_node(w, s, slab->node);
		ref next = slab->next;
		if (n != locked) {
			if (locked)
				lock_release(w, &locked->list_lock);
			lock_take(w, &n->list_lock, s->id, slab->node);
			locked = n;
		}
		line_touch(w, &slab->line);
		slab->owner = CPU_NONE;
		if (unlikely(!slab->inuse && slub_not_needed(w, s, slab))) {
			slab->place = PLACE_TRANSIT;
			slab->next = aside;
			aside = partials;
		} else {
#ifndef KMEM_FIRST_VIEW
			if (unlikely(w->policy.drain_to_head))
				slub_list_add(w, s, slab, END_HEAD);
			else
#endif
				slub_list_append(w, s, n, slab);
			STAT_SLAB(rec, c, w, slab, FREE_ADD_PARTIAL, slab_free_count(slab),
				  n->nr_partial);
		}
		partials = next;
	}
	if (locked)
		lock_release(w, &locked->list_lock);
	for (; aside; released++) {
		struct slab *slab = at(w, aside);
		aside = slab->next;
		slab->next = 0;
		STAT(w, s, DEACTIVATE_EMPTY, slab->node, slab->serial,
		     slub_node(w, s, slab->node)->nr_partial, s->min_partial, OUTCOME_RELEASE);
		slub_discard_slab(w, s, slab, 1);
	}
	return released;
}

static ref detach_partials(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c)
{
	ref partials = c->partial;
	u32 slabs = c->partial_slabs;

	c->partial = 0;
	c->partial_slabs = 0;
	/* Only the world that a picture is taken of shows the slabs before they reach their next list. */
	for (ref r = has_camera(w) ? partials : 0; r; r = ((struct slab *)at(w, r))->next)
		((struct slab *)at(w, r))->place = PLACE_TRANSIT;
	emit_CHAIN_DETACH(w, s->id, NODE_ANY, slabs);
	return partials;
}

/* Since 5.16 the limit counts slabs, and the slab is pushed before the old list moves to the nodes.
 * Older kernels pushed it afterwards. */
ALWAYS_INLINE void drain_and_push(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
				  struct slab *slab, const int rec)
{
	const int push_first = s->cpu_partial_lists != CPU_PARTIAL_OBJECTS;
	u32 slabs = c->partial_slabs;
	ref old = detach_partials(w, s, c);

	if (push_first) {
		slub_partial_push(w, c, slab);
		EMIT_SLAB(rec, w, slab, CHAIN_PUSH, c->partial_slabs);
	}
	u32 released = unfreeze_partials(w, s, c, old, rec);
	STAT_IF(rec, c, w, s, CPU_PARTIAL_DRAIN, NODE_ANY, slabs, released);
	if (!push_first)
		slub_partial_push_objects(w, c, slab);
	STAT_SLAB(rec, c, w, slab, CPU_PARTIAL_FREE, c->partial_slabs);
}

void slub_drain_and_push(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slab *slab)
{
	if (is_recording(w))
		drain_and_push(w, s, c, slab, 1);
	else
		drain_and_push(w, s, c, slab, 0);
}

/* Before 5.16 the limit counted the free objects on the per-CPU partial list, and 0 meant a list
 * that was always empty. */
void slub_put_counting_objects(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			       struct slab *slab)
{
	u32 have = c->partial ? ((struct slab *)at(w, c->partial))->partial_objects : 0;
	int full = c->partial && have > s->cpu_partial;

	if (c->partial)
		emit_THRESHOLD(w, s->id, NODE_ANY, WHAT_CHAIN_OBJECTS, have, s->cpu_partial,
			       full ? OUTCOME_DRAIN : OUTCOME_PUSH);
	if (full) {
		slub_drain_and_push(w, s, c, slab);
		return;
	}
	u32 node = slab->node, serial = slab->serial;
	slub_partial_push_objects(w, c, slab);
	/* A limit of 0: the list is unfrozen as soon as it has a slab. */
	if (!s->cpu_partial) {
		emit_CHAIN_PUSH(w, s->id, node, serial, c->partial_slabs);
		unfreeze_partials(w, s, c, detach_partials(w, s, c), is_recording(w) != 0);
	}
	STAT_ON(c, w, s, CPU_PARTIAL_FREE, node, serial, c->partial_slabs);
}

static void flush_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref cpu_ref = ((ref *)at(w, s->cpus))[cpu];

	if (!cpu_ref)
		return;
	struct kmem_cache_cpu *c = at(w, cpu_ref);
	u16 asked_on = w->cpu;
	w->cpu = (u16)cpu;
	if (slub_own(w, s)->sheaf_capacity && w->policy.no_cpu_slabs)
		slub_sheaf_flush_all_of_cpu(w, s);
	else if (slub_own(w, s)->sheaf_capacity)
		slub_sheaf_flush_cpu(w, s, c);
	if (c->slab) {
		slub_deactivate_cpu_slab(w, s, c);
		STAT(w, s, CPUSLAB_FLUSH, NODE_ANY, cpu);
	}
	if (c->partial)
		unfreeze_partials(w, s, c, detach_partials(w, s, c), is_recording(w) != 0);
	w->cpu = asked_on;
}

/* Unlinks the slab and prepends it to the list between n's head and tail. The list's count already
 * includes it. */
static void move_to_front(struct world *w, struct kmem_cache_node *n, struct slab *slab)
{
	if (!slab->prev)
		return;
	((struct slab *)at(w, slab->prev))->next = slab->next;
	if (slab->next)
		((struct slab *)at(w, slab->next))->prev = slab->prev;
	else
		n->tail = slab->prev;
	slab->prev = 0;
	slab->next = n->head;
	((struct slab *)at(w, n->head))->prev = ref_of(w, slab);
	n->head = ref_of(w, slab);
}

/* Sorts the list: fewest free objects first up to 32, the newest first within each bucket, then the
 * rest in their old order. The bucket with the most free objects moves to the front first. */
static void sort_list(struct world *w, struct kmem_cache *s, struct kmem_cache_node *n, u32 node)
{
	u64 sizes = 0; /* bit f: some slab has f free objects */

	for (ref r = n->head; r; r = ((struct slab *)at(w, r))->next) {
		u32 free = slab_free_count(at(w, r));
		if (free <= MAX_SHRINK_BUCKET)
			sizes |= (u64)1 << free;
	}
	for (u32 free = MAX_SHRINK_BUCKET; free > 0; free--) {
		u32 slabs = 0;
		if (!(sizes >> free & 1))
			continue;
		for (ref r = n->head, next; r; r = next) {
			struct slab *slab = at(w, r);
			next = slab->next;
			if (slab_free_count(slab) != free)
				continue;
			move_to_front(w, n, slab);
			slabs++;
		}
		emit_SHRINK_BUCKET(w, s->id, node, free, slabs);
	}
}

static void shrink_node(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slub_node(w, s, node);
	ref discard = 0, *last = &discard;

	lock_take(w, &n->list_lock, s->id, node);
	for (ref r = n->head, next; r; r = next) {
		struct slab *slab = at(w, r);
		next = slab->next;
		if (slab->inuse)
			continue;
		slub_list_remove(w, s, slab);
		emit_SHRINK_DISCARD(w, s->id, node, slab->serial, n->nr_partial);
		*last = r;
		last = &slab->next;
	}
	sort_list(w, s, n, node);
	lock_release(w, &n->list_lock);
	while (discard) {
		struct slab *slab = at(w, discard);
		discard = slab->next;
		slab->next = 0;
		slub_discard_slab(w, s, slab, 0);
	}
}

void slub_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode)
{
	if (mode == SHRINK_FLUSH_CPU) {
		flush_cpu(w, s, cpu);
		return;
	}
	for (u32 c = 0; c < w->machine.nr_cpus; c++)
		flush_cpu(w, s, c);
	if (mode != SHRINK_DISCARD)
		return;
	u32 has_sheaves = slub_own(w, s)->sheaf_capacity, no_cpu_slabs = w->policy.no_cpu_slabs;
	for (u32 node = 0; has_sheaves && no_cpu_slabs && node < w->machine.nr_nodes; node++)
		slub_sheaf_shrink_barn(w, s, node);
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		if (has_sheaves && !no_cpu_slabs)
			slub_sheaf_shrink_barn(w, s, node);
		if (slub_node(w, s, node)->nr_partial)
			shrink_node(w, s, node);
	}
}
