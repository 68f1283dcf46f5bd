/*
 * slab_tune.c - creates SLAB caches, writes their tunables, and fills slabinfo.
 *
 * Kernel: __kmem_cache_create(), do_tune_cpucache(), setup_kmem_cache_node(), slabinfo_write(),
 * get_slabinfo() in mm/slab.c, 6.1.
 */
#include "alloc/slab/slab.h"

static u32 cpus_of_node(const struct world *w, u32 node)
{
	u32 nr = 0;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++)
		nr += node_of_cpu(w, cpu) == node;
	return nr;
}

static void take_tunables(struct slab_cache *own, struct slab_tunables t)
{
	own->limit = t.limit;
	own->batchcount = t.batchcount;
	own->shared = t.shared;
}

static void report_tries(struct world *w, const struct kmem_cache *s,
			 const struct order_tries *tries)
{
	for (u32 i = 0; i < MIN(tries->nr, ORDER_MAX_TRIES); i++) {
		const struct kmem_order_try *t = &tries->row[i];
		emit_SLAB_ORDER_TRY(w, s->id, NODE_ANY, t->management, t->order, t->min_objects,
				    t->remainder, t->outcome);
	}
}

/* Lays out SLAB's slots: without free pointers or debugging, and with kmalloc aligned to cache lines. */
static struct slab_wish wish_of(struct kmem_cache *s)
{
	if (s->flags & CACHE_KMALLOC)
		s->align = MAX(s->align, slab_kmalloc_align(s->object_size));
	u32 words = ALIGN_UP(s->object_size, 8u);
	u32 more = s->flags & (CACHE_CTOR | CACHE_TYPESAFE_BY_RCU | CACHE_DEBUG);
	struct slab_wish wish = { s->object_size, more ? words : s->size, s->align, s->flags };

	return wish;
}

static void make_nodes(struct world *w, struct kmem_cache *s)
{
	const struct slab_cache *own = slab_own(w, s);

	s->nodes = world_alloc(w, w->machine.nr_nodes * (u32)sizeof(struct kmem_cache_node));
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		struct kmem_cache_node *n = slab_node(w, s, node);
		n->free_limit = slab_free_limit_of(cpus_of_node(w, node), own->batchcount,
						   s->objects);
		n->next_reap = *slab_unused_timer(w, node);
	}
}

void slab_create(struct world *w, struct kmem_cache *s)
{
	const struct policy *p = &w->policy;
	struct slab_wish wish = wish_of(s);
	struct order_tries tries;
	struct slab_sizing size = slab_size_of(p, w->machine.page_shift, &wish, &tries);

	s->own = world_alloc(w, sizeof(struct slab_cache));
	struct slab_cache *own = slab_own(w, s);
	s->size = size.size;
	s->inuse = size.size;
	s->offset = 0;
	s->red_left_pad = 0;
	/* This is larger than the largest run, so the page allocator will refuse every slab. */
	s->order = (u16)(size.num ? size.order : order_of_bytes(w->machine.page_shift, size.size));
	s->objects = (u16)MAX(size.num, 1u);
	own->colours = size.colours;
	own->colour_off = size.colour_off;
	own->front = size.front;
	own->management = size.management;
	take_tunables(own, slab_tunables_of(p, w->machine.page_shift, w->machine.nr_cpus, s->size));
	own->alien_limit = own->limit > 1 ? ALIEN_LIMIT : own->limit;
	make_nodes(w, s);
	report_tries(w, s, &tries);
	emit_SLAB_CACHE_CREATE(w, s->id, NODE_ANY, s->object_size, s->size, s->order, s->objects,
			       own->management);
	emit_SLAB_TUNE(w, s->id, NODE_ANY, own->limit, own->batchcount, own->shared, own->colours);
}

/* Returns all entries of an array to their slabs and frees the array. */
static void retire(struct world *w, struct kmem_cache *s, u32 node, ref *array)
{
	struct doomed doomed = { 0 };

	if (!*array)
		return;
	struct array_cache *ac = at(w, *array);
	slab_free_block(w, s, node, ac->entry, ac->avail, &doomed);
	slab_free_array(w, *array);
	*array = 0;
	slab_destroy_doomed(w, s, &doomed);
}

/* Replaces the CPU and shared arrays; alien caches stay as they are. */
static void tune(struct world *w, struct kmem_cache *s, struct slab_tunables t)
{
	struct slab_cache *own = slab_own(w, s);

	take_tunables(own, t);
	emit_SLAB_TUNE(w, s->id, NODE_ANY, own->limit, own->batchcount, own->shared, own->colours);
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++)
		retire(w, s, node_of_cpu(w, cpu), (ref *)at(w, s->cpus) + cpu);
	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		struct kmem_cache_node *n = slab_node(w, s, node);
		n->free_limit = slab_free_limit_of(cpus_of_node(w, node), own->batchcount,
						   s->objects);
		retire(w, s, node, &n->shared);
	}
}

int slab_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old)
{
	struct slab_cache *own = slab_own(w, s);
	struct slab_tunables t = { own->limit, own->batchcount, own->shared };
	struct policy p = w->policy;
	u32 *field = param == PARAM_LIMIT	    ? &t.limit
		     : param == PARAM_BATCHCOUNT    ? &t.batchcount
		     : param == PARAM_SHARED_FACTOR ? &t.shared
						    : NULL;

	if (!field)
		return 0;
	*old = *field;
	if (*value == AUTOMATIC) {
		p.limit = p.batchcount = p.shared_factor = AUTOMATIC;
		struct slab_tunables automatic = slab_tunables_of(&p, w->machine.page_shift,
								  w->machine.nr_cpus, s->size);
		*value = param == PARAM_LIMIT	     ? automatic.limit
			 : param == PARAM_BATCHCOUNT ? automatic.batchcount
						     : automatic.shared;
	}
	*field = *value;
	if (t.batchcount >= 1 && t.batchcount <= t.limit) {
		tune(w, s, t);
		return 1;
	}
	emit_SLAB_TUNE_IGNORED(w, s->id, NODE_ANY, t.limit, t.batchcount, t.shared);
	*value = *old;
	return 1;
}

void slab_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row)
{
	const struct slab_cache *own = slab_own(w, s);
	u32 free_objects = 0, free_slabs = 0;

	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		const struct kmem_cache_node *n = slab_node(w, s, node);
		free_objects += n->free_objects;
		free_slabs += n->nr[SLABS_FREE];
		if (n->shared)
			row->sharedavail += ((struct array_cache *)at(w, n->shared))->avail;
	}
	row->objects = s->total_objects - free_objects;
	row->active_slabs = s->slabs - free_slabs;
	row->limit = own->limit;
	row->batchcount = own->batchcount;
	row->sharedfactor = own->shared;
}

/* The node's list lock guards its shared array. */
void slab_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	u32 nr_nodes = w->machine.nr_nodes;

	for (u32 node = 0; node < nr_nodes; node++) {
		const struct kmem_cache_node *n = slab_node(w, s, node);
		lock_report(v, &n->list_lock, LOCK_LIST, s->id, node, 0xffff);
		for (u32 home = 0; n->alien && home < nr_nodes; home++) {
			const struct array_cache *ac = slab_alien_at(w, n, home);
			if (ac)
				lock_report(v, &ac->lock, LOCK_ALIEN, s->id, node, home);
		}
	}
}
