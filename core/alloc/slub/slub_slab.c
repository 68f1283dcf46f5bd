/*
 * slub_slab.c - creates and discards slabs; keeps the node partial lists.
 *
 * Kernel: kmem_cache_open(), allocate_slab(), discard_slab(), add_partial(), remove_partial() in
 * mm/slub.c, 6.1.
 */
#include "alloc/slub/slub_sheaf.h"

#include "sim/cache.h"
#include "sim/page.h"

struct kmem_cache_cpu *slub_make_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref new = world_alloc(w, slub_own(w, s)->has_barns ? sizeof(struct slub_cpu_sheaves)
							   : sizeof(struct kmem_cache_cpu));
	struct kmem_cache_cpu *c = at(w, new);
	((ref *)at(w, s->cpus))[cpu] = new;
	c->partial_owner = w->policy.unfrozen_partials ? CPU_NONE : (u16)cpu;
#ifndef KMEM_FIRST_VIEW
	if (w->policy.no_cpu_slabs)
		slub_sheaf_make_cpu(w, s, c, cpu);
#endif
	return c;
}

static void report_tries(struct world *w, const struct kmem_cache *s,
			 const struct order_tries *tries)
{
	for (u32 i = 0; i < MIN(tries->nr, ORDER_MAX_TRIES); i++) {
		const struct kmem_order_try *t = &tries->row[i];
		emit_ORDER_TRY(w, s->id, NODE_ANY, t->min_objects, t->fraction, t->order,
			       t->remainder, t->accepted ? OUTCOME_ACCEPTED : OUTCOME_TOO_WASTEFUL);
	}
}

/* Returns how many objects a sheaf holds; 0: no sheaves. Debug caches have none, because each
 * object has to be checked. In 6.18 caches of large objects had none either, because their sheaves
 * would take too much memory. */
static u32 sheaf_capacity(const struct world *w, const struct kmem_cache *s)
{
	if (s->flags & CACHE_DEBUG)
		return 0;
	if (w->policy.no_cpu_slabs)
		return slub_sheaf_capacity(w, s);
	return s->min_order <= 3 ? w->policy.sheaf_capacity : 0;
}

void slub_create(struct world *w, struct kmem_cache *s)
{
	const struct policy *p = &w->policy;
	u32 shift = w->machine.page_shift;
	struct order_tries tries;

	s->order = (u16)order_calculate(p, shift, w->machine.nr_cpus, s->size, &tries);
	s->min_order = (u16)order_of_bytes(shift, s->size);
	/* This is larger than the largest run, so the page allocator will refuse every slab. */
	if (s->order == ORDER_NONE)
		s->order = s->min_order;
	s->objects = (u16)order_objects(shift, s->order, s->size);
	s->min_objects = (u16)order_objects(shift, s->min_order, s->size);
	s->min_partial = min_partial_of(p, s->size);
	/* Debug caches keep nothing per CPU. */
	s->cpu_partial_lists = CPU_PARTIAL_NONE;
	if (p->cpu_partial_lists && !p->no_cpu_slabs && !(s->flags & CACHE_DEBUG))
		s->cpu_partial_lists = p->cpu_partial_objects ? CPU_PARTIAL_OBJECTS
							      : CPU_PARTIAL_SLABS;
	s->cpu_partial = s->cpu_partial_lists ? cpu_partial_of(p, shift, s->size) : 0;
	s->cpu_partial_slabs = cpu_partial_slabs_of(s->cpu_partial, s->objects);
	s->defrag_ratio = p->defrag_ratio;
	u32 capacity = sheaf_capacity(w, s), has_barns = capacity || p->no_cpu_slabs;
	u32 barns = has_barns * w->machine.nr_nodes * (u32)sizeof(struct slub_barn);
	s->own = world_alloc(w, (u32)sizeof(struct slub_own) + barns);
	struct slub_own *own = slub_own(w, s);
	own->interrupt_every = p->interrupt_every;
	own->created_on = p->no_cpu_slabs ? w->cpu : 0;
	own->sheaf_capacity = capacity;
	own->has_barns = has_barns;
	slub_choose_way(w, s);
	s->nodes = world_alloc(w, w->machine.nr_nodes * (u32)sizeof(struct kmem_cache_node));
	report_tries(w, s, &tries);
	emit_CACHE_CREATE(w, s->id, NODE_ANY, s->object_size, s->size, s->order, s->objects,
			  s->min_partial);
}

/* Draws a permutation once per cache, like the kernel's random_seq. */
static const u16 *random_order(struct world *w, struct kmem_cache *s)
{
	if (!s->random_seq) {
		s->random_seq = world_alloc(w, s->objects * 2u);
		u16 *seq = at(w, s->random_seq);
		for (u32 i = 0; i < s->objects; i++)
			seq[i] = (u16)i;
		for (u32 i = s->objects - 1u; i > 0; i--) {
			u32 k = world_random(w, i + 1);
			u16 other = seq[k];
			seq[k] = seq[i];
			seq[i] = other;
		}
	}
	return at(w, s->random_seq);
}

/* Links all objects: ascending, or in the order of the cache's permutation from a random start. */
void slub_link_all(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	u32 nr = slab->objects;

	if (!w->policy.freelist_random || nr < 2) {
		for (u32 i = 0; i < nr; i++)
			slab->link[i] = (u16)(i + 2);
		slab->link[nr - 1] = LINK_END;
		slab->freelist = 1;
		return;
	}
	const u16 *seq = random_order(w, s);
	u32 pos = world_random(w, s->objects), previous = nr;
	for (u32 i = 0; i < s->objects; i++, pos = pos + 1 == s->objects ? 0 : pos + 1) {
		/* A slab of the smaller order skips indices beyond its own objects. */
		if (seq[pos] >= nr)
			continue;
		if (previous == nr)
			slab->freelist = (u16)(seq[pos] + 1);
		else
			slab->link[previous] = (u16)(seq[pos] + 1);
		previous = seq[pos];
	}
	slab->link[previous] = LINK_END;
}

static void account_slab(struct world *w, struct kmem_cache *s, const struct slab *slab, s32 sign)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);
	u64 bytes = (u64)1 << (w->machine.page_shift + slab->order);

	n->nr_slabs += (u32)sign;
	n->total_objects += (u32)(sign * slab->objects);
	s->total_objects += (u32)(sign * slab->objects);
	s->slabs += (u32)sign;
	s->slabs_peak = MAX(s->slabs_peak, s->slabs);
	s->slab_bytes += sign > 0 ? bytes : 0 - bytes;
	w->slab_bytes += sign > 0 ? bytes : 0 - bytes;
	w->slabs += (u32)sign;
	w->slab_moves++;
}

/* Only these two functions request pages. */
typedef u32 (*page_source)(struct world *w, u32 node, u32 order, u32 owner, u32 highest);

static struct slab *new_slab(struct world *w, struct kmem_cache *s, u32 home, page_source source)
{
	u32 order = s->order, objects = s->objects;
	ref new = world_alloc(w, slub_block_bytes(s, objects));
	u32 highest = cache_zone(s), pfn = source(w, home, order, new, highest);

	if (pfn == PFN_NONE && s->min_order < s->order) {
		world_free(w, new, slub_block_bytes(s, objects));
		order = s->min_order;
		objects = s->min_objects;
		new = world_alloc(w, slub_block_bytes(s, objects));
		pfn = source(w, home, order, new, highest);
		if (pfn != PFN_NONE)
			STAT(w, s, ORDER_FALLBACK, home, s->order, order);
	}
	if (pfn == PFN_NONE) {
		world_free(w, new, slub_block_bytes(s, objects));
		return NULL;
	}
	struct slab *slab = at(w, new);
	slab->cache = s->id;
	slab->serial = s->next_serial++;
	slab->pfn = pfn;
	slab->objects = (u16)objects;
	slab->node = (u16)page_node(w, pfn);
	slab->owner = CPU_NONE;
	slab->order = (u8)order;
	slab->place = PLACE_TRANSIT;
	slab->older = s->last_slab;
	if (s->last_slab)
		((struct slab *)at(w, s->last_slab))->newer = new;
	else
		s->first_slab = new;
	s->last_slab = new;
	account_slab(w, s, slab, 1);
	return slab;
}

static struct slab *linked(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	if (slab)
		slub_link_all(w, s, slab);
	return slab;
}

struct slab *slub_new_slab(struct world *w, struct kmem_cache *s, u32 node)
{
	const struct cpu *cpu = (struct cpu *)at(w, w->machine.cpus) + w->cpu;

	return linked(w, s, new_slab(w, s, node == NODE_ANY ? cpu->node : node, page_alloc));
}

struct slab *slub_new_slab_unlinked(struct world *w, struct kmem_cache *s)
{
	return new_slab(w, s, node_of_cpu(w, w->cpu), page_alloc);
}

struct slab *slub_new_slab_there(struct world *w, struct kmem_cache *s, u32 node)
{
	return linked(w, s, new_slab(w, s, node, page_alloc_here));
}

void slub_discard_slab(struct world *w, struct kmem_cache *s, struct slab *slab, int counted)
{
	u32 pfn = slab->pfn, order = slab->order;

	if (unlikely(s->flags & CACHE_DEBUG))
		slub_debug_discard(w, s, slab);
	if (slab->older)
		((struct slab *)at(w, slab->older))->newer = slab->newer;
	else
		s->first_slab = slab->newer;
	if (slab->newer)
		((struct slab *)at(w, slab->newer))->older = slab->older;
	else
		s->last_slab = slab->older;
	account_slab(w, s, slab, -1);
	if (counted)
		STAT(w, s, FREE_SLAB, slab->node, slab->serial, order, pfn);
	else
		emit_SHRINK_FREE(w, s->id, slab->node, slab->serial, order, pfn);
	world_free(w, ref_of(w, slab), slub_block_bytes(s, slab->objects));
	page_free(w, pfn, order);
}

void slub_list_add(struct world *w, struct kmem_cache *s, struct slab *slab, enum kmem_end end)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);
	ref self = ref_of(w, slab);

	slab->next = end == END_HEAD ? n->head : 0;
	slab->prev = end == END_HEAD ? 0 : n->tail;
	if (slab->next)
		((struct slab *)at(w, slab->next))->prev = self;
	else
		n->tail = self;
	if (slab->prev)
		((struct slab *)at(w, slab->prev))->next = self;
	else
		n->head = self;
	slab->place = PLACE_NODE_PARTIAL;
	n->nr_partial++;
	s->partial++;
	w->partial++;
}

void slub_list_remove(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);

	if (slab->next)
		((struct slab *)at(w, slab->next))->prev = slab->prev;
	else
		n->tail = slab->prev;
	if (slab->prev)
		((struct slab *)at(w, slab->prev))->next = slab->next;
	else
		n->head = slab->next;
	slab->next = 0;
	slab->prev = 0;
	slab->place = PLACE_TRANSIT;
	n->nr_partial--;
	s->partial--;
	w->partial--;
}

void slub_full_add(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);

	slab->place = PLACE_NODE_FULL;
	if (!(s->flags & CACHE_STORE_USER)) {
		emit_FULL_LEAVE(w, s->id, slab->node, slab->serial, n->nr_partial);
		return;
	}
	slab->next = n->full;
	slab->prev = 0;
	if (n->full)
		((struct slab *)at(w, n->full))->prev = ref_of(w, slab);
	n->full = ref_of(w, slab);
	emit_FULL_ADD(w, s->id, slab->node, slab->serial, n->nr_partial);
}

void slub_full_remove(struct world *w, struct kmem_cache *s, struct slab *slab)
{
	struct kmem_cache_node *n = slub_node(w, s, slab->node);

	slab->place = PLACE_TRANSIT;
	if (!(s->flags & CACHE_STORE_USER))
		return;
	if (slab->next)
		((struct slab *)at(w, slab->next))->prev = slab->prev;
	if (slab->prev)
		((struct slab *)at(w, slab->prev))->next = slab->next;
	else
		n->full = slab->next;
	slab->next = 0;
	slab->prev = 0;
}
