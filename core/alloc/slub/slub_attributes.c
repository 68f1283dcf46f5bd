/*
 * slub_attributes.c - a cache's files under /sys/kernel/slab, with the kernel's names in the
 * kernel's order.
 *
 * It also prints a cache's state in golden-file notation: cpuN:slab=S/free=F/part=id(free)..., then each node partial
 * list from its head. The modelled kernel has NUMA, SLUB_DEBUG and SLUB_STATS, but
 * not failslab, KFENCE or memory cgroups.
 *
 * Kernel: slab_attrs, show_slab_objects(), show_stat(), slabs_cpu_partial_show() in mm/slub.c, 6.1.
 */
#include "alloc/slub/slub_sheaf.h"

enum value {
	OF_CACHE, /* a single number for the whole cache */
	OF_FLAG,
	OF_COUNTER,
	OF_NODES,
	OF_CPU_SLABS,
	OF_CHAINS,
	OF_CTOR,
	NO_VALUE, /* write-only */
};

enum of_cache {
	SLAB_SIZE,
	OBJECT_SIZE,
	OBJS_PER_SLAB,
	ORDER,
	MIN_PARTIAL,
	CPU_PARTIAL,
	ALIASES,
	ALIGN,
	USERSIZE,
	DEFRAG_RATIO,
	SHEAF_CAPACITY,
	ZERO
};
enum of_nodes { OBJECTS, OBJECTS_PARTIAL, PARTIAL, TOTAL_OBJECTS, SLABS };

static const struct file {
	const char *name;
	u8 value; /* enum value */
	u8 writable;
	u16 which; /* of_cache, of_nodes, a flag, a counter */
} files[] = {
	{ "slab_size", OF_CACHE, 0, SLAB_SIZE },
	{ "object_size", OF_CACHE, 0, OBJECT_SIZE },
	{ "objs_per_slab", OF_CACHE, 0, OBJS_PER_SLAB },
	{ "order", OF_CACHE, 0, ORDER },
	{ "min_partial", OF_CACHE, 1, MIN_PARTIAL },
	{ "cpu_partial", OF_CACHE, 1, CPU_PARTIAL },
	{ "objects", OF_NODES, 0, OBJECTS },
	{ "objects_partial", OF_NODES, 0, OBJECTS_PARTIAL },
	{ "partial", OF_NODES, 0, PARTIAL },
	{ "cpu_slabs", OF_CPU_SLABS, 0, 0 },
	{ "ctor", OF_CTOR, 0, 0 },
	{ "aliases", OF_CACHE, 0, ALIASES },
	{ "align", OF_CACHE, 0, ALIGN },
	{ "hwcache_align", OF_FLAG, 0, CACHE_HWCACHE_ALIGN },
	{ "reclaim_account", OF_FLAG, 0, CACHE_RECLAIM },
	{ "destroy_by_rcu", OF_FLAG, 0, CACHE_TYPESAFE_BY_RCU },
	{ "shrink", NO_VALUE, 1, 0 },
	{ "slabs_cpu_partial", OF_CHAINS, 0, 0 },
	{ "total_objects", OF_NODES, 0, TOTAL_OBJECTS },
	{ "slabs", OF_NODES, 0, SLABS },
	{ "sanity_checks", OF_FLAG, 0, CACHE_SANITY },
	{ "trace", OF_CACHE, 0, ZERO },
	{ "red_zone", OF_FLAG, 0, CACHE_RED_ZONE },
	{ "poison", OF_FLAG, 0, CACHE_POISON },
	{ "store_user", OF_FLAG, 0, CACHE_STORE_USER },
	{ "validate", NO_VALUE, 1, 0 },
	{ "cache_dma", OF_FLAG, 0, CACHE_DMA },
	{ "remote_node_defrag_ratio", OF_CACHE, 1, DEFRAG_RATIO },
#define COUNTER_FILE(counter, name) { #name, OF_COUNTER, 1, counter }
	COUNTER_FILE(ALLOC_FASTPATH, alloc_fastpath),
	COUNTER_FILE(ALLOC_SLOWPATH, alloc_slowpath),
	/* Since 7.0. */
	COUNTER_FILE(FREE_RCU_SHEAF, free_rcu_sheaf),
	COUNTER_FILE(FREE_RCU_SHEAF_FAIL, free_rcu_sheaf_fail),
	COUNTER_FILE(FREE_FASTPATH, free_fastpath),
	COUNTER_FILE(FREE_SLOWPATH, free_slowpath),
	COUNTER_FILE(FREE_FROZEN, free_frozen),
	COUNTER_FILE(FREE_ADD_PARTIAL, free_add_partial),
	COUNTER_FILE(FREE_REMOVE_PARTIAL, free_remove_partial),
	COUNTER_FILE(ALLOC_FROM_PARTIAL, alloc_from_partial),
	COUNTER_FILE(ALLOC_SLAB, alloc_slab),
	COUNTER_FILE(ALLOC_REFILL, alloc_refill),
	COUNTER_FILE(ALLOC_NODE_MISMATCH, alloc_node_mismatch),
	COUNTER_FILE(FREE_SLAB, free_slab),
	COUNTER_FILE(CPUSLAB_FLUSH, cpuslab_flush),
	COUNTER_FILE(DEACTIVATE_FULL, deactivate_full),
	COUNTER_FILE(DEACTIVATE_EMPTY, deactivate_empty),
	COUNTER_FILE(DEACTIVATE_TO_HEAD, deactivate_to_head),
	COUNTER_FILE(DEACTIVATE_TO_TAIL, deactivate_to_tail),
	COUNTER_FILE(DEACTIVATE_REMOTE_FREES, deactivate_remote_frees),
	COUNTER_FILE(DEACTIVATE_BYPASS, deactivate_bypass),
	COUNTER_FILE(ORDER_FALLBACK, order_fallback),
	COUNTER_FILE(CMPXCHG_DOUBLE_FAIL, cmpxchg_double_fail),
	COUNTER_FILE(CMPXCHG_DOUBLE_CPU_FAIL, cmpxchg_double_cpu_fail),
	COUNTER_FILE(CPU_PARTIAL_ALLOC, cpu_partial_alloc),
	COUNTER_FILE(CPU_PARTIAL_FREE, cpu_partial_free),
	COUNTER_FILE(CPU_PARTIAL_NODE, cpu_partial_node),
	COUNTER_FILE(CPU_PARTIAL_DRAIN, cpu_partial_drain),
	{ "usersize", OF_CACHE, 0, USERSIZE },
	/* These kernels have sheaves, since 6.18. */
	COUNTER_FILE(ALLOC_PCS, alloc_pcs),
	COUNTER_FILE(FREE_PCS, free_pcs),
	COUNTER_FILE(SHEAF_FLUSH, sheaf_flush),
	COUNTER_FILE(SHEAF_REFILL, sheaf_refill),
	COUNTER_FILE(SHEAF_ALLOC, sheaf_alloc),
	COUNTER_FILE(SHEAF_FREE, sheaf_free),
	COUNTER_FILE(SHEAF_SWAP, sheaf_swap),
	COUNTER_FILE(BARN_GET, barn_get),
	COUNTER_FILE(BARN_GET_FAIL, barn_get_fail),
	COUNTER_FILE(BARN_PUT, barn_put),
	COUNTER_FILE(BARN_PUT_FAIL, barn_put_fail),
	/* Since 7.0. */
	COUNTER_FILE(SHEAF_PREFILL_FAST, sheaf_prefill_fast),
	COUNTER_FILE(SHEAF_PREFILL_SLOW, sheaf_prefill_slow),
	COUNTER_FILE(SHEAF_PREFILL_OVERSIZE, sheaf_prefill_oversize),
	COUNTER_FILE(SHEAF_RETURN_FAST, sheaf_return_fast),
	COUNTER_FILE(SHEAF_RETURN_SLOW, sheaf_return_slow),
#undef COUNTER_FILE
	{ "sheaf_capacity", OF_CACHE, 0, SHEAF_CAPACITY },
};

static u32 cache_value(const struct world *w, const struct kmem_cache *s, u32 which)
{
	switch (which) {
	case SLAB_SIZE:
		return s->size;
	case OBJECT_SIZE:
		return s->object_size;
	case OBJS_PER_SLAB:
		return s->objects;
	case ORDER:
		return s->order;
	case MIN_PARTIAL:
		return s->min_partial;
	case CPU_PARTIAL:
		return s->cpu_partial;
	case ALIASES:
		return s->refcount - 1u;
	case ALIGN:
		return s->align;
	case USERSIZE:
		/* Usercopy may read all of a kmalloc object, and nothing of other objects. */
		return s->flags & CACHE_KMALLOC ? s->object_size : 0;
	case DEFRAG_RATIO:
		return s->defrag_ratio / 10;
	case SHEAF_CAPACITY:
		return slub_own(w, s)->sheaf_capacity;
	default:
		return 0;
	}
}

static u32 node_value(const struct world *w, const struct kmem_cache *s, u32 node, u32 which)
{
	const struct kmem_cache_node *n = slub_node(w, s, node);
	u32 free = 0, used = 0;

	for (ref r = n->head; r; r = ((struct slab *)at(w, r))->next) {
		const struct slab *slab = at(w, r);
		free += slab_free_count(slab);
		used += slab->inuse;
	}
	switch (which) {
	case OBJECTS:
		return n->total_objects - free;
	case OBJECTS_PARTIAL:
		return used;
	case PARTIAL:
		return n->nr_partial;
	case TOTAL_OBJECTS:
		return n->total_objects;
	default:
		return n->nr_slabs;
	}
}

static const struct kmem_cache_cpu *cpu_of(const struct world *w, const struct kmem_cache *s,
					   u32 cpu)
{
	ref r = ((const ref *)at(w, s->cpus))[cpu];

	return r ? at(w, r) : NULL;
}

/* Returns how many slabs CPUs hold on the node; a per-CPU partial list counts on the node of its
 * first slab. */
static u32 held_on_node(const struct world *w, const struct kmem_cache *s, u32 node)
{
	u32 nr = 0;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		const struct kmem_cache_cpu *c = cpu_of(w, s, cpu);
		if (!c)
			continue;
		if (c->slab && ((const struct slab *)at(w, c->slab))->node == node)
			nr++;
		if (c->partial && ((const struct slab *)at(w, c->partial))->node == node)
			nr += c->partial_slabs;
	}
	return nr;
}

/* Fills in the values of one CPU, if the file has any. */
static void fill_cpu(const struct world *w, const struct kmem_cache *s, const struct file *f,
		     u32 cpu, struct attribute *a)
{
	const struct kmem_cache_cpu *c = cpu_of(w, s, cpu);

	if (f->value == OF_COUNTER && f->which >= ALLOC_PCS) {
		const struct slub_own *own = slub_own(w, s);
		const struct slub_pcs *p = own->has_barns ? slub_pcs(w, s, cpu) : NULL;
		a->value += p ? p->counters[f->which - ALLOC_PCS] : 0;
		/* The kernel makes every CPU's main sheaf when it creates the cache, whether or not
		 * that CPU ever uses it. */
		if (f->which == SHEAF_ALLOC && w->policy.no_cpu_slabs && own->created_on == cpu)
			a->value += own->sheaf_capacity ? w->machine.nr_cpus : 0;
		return;
	}
	if (!c)
		return;
	if (f->value == OF_COUNTER) {
		a->value += c->counters[f->which];
		return;
	}
	a->slabs += c->partial_slabs;
}

static void fill_part(const struct world *w, const struct kmem_cache *s, const struct file *f,
		      u32 part, struct attribute *a)
{
	if (a->shape != ATTRIBUTE_NODES)
		fill_cpu(w, s, f, part, a);
	else if (f->value == OF_NODES)
		a->value += node_value(w, s, part, f->which);
	else
		a->value += held_on_node(w, s, part);
}

static u32 shape_of(u32 value)
{
	switch (value) {
	case OF_COUNTER:
		return ATTRIBUTE_CPUS;
	case OF_NODES:
	case OF_CPU_SLABS:
		return ATTRIBUTE_NODES;
	case OF_CHAINS:
		return ATTRIBUTE_CPU_SLABS;
	case OF_CTOR:
	case NO_VALUE:
		return ATTRIBUTE_TEXT;
	default:
		return ATTRIBUTE_NUMBER;
	}
}

static int kernel_has(const struct world *w, const struct file *f)
{
	if (f->value == OF_COUNTER)
		return slub_has_counter(w, f->which);
	return f->which != SHEAF_CAPACITY || f->value != OF_CACHE || slub_has_sheaves(w);
}

/* Returns the nr-th file that the modelled kernel has, or NULL. */
static const struct file *find_file(const struct world *w, u32 nr)
{
	for (u32 i = 0; i < ARRAY_SIZE(files); i++)
		if (kernel_has(w, &files[i]) && !nr--)
			return &files[i];
	return NULL;
}

int slub_attribute(const struct world *w, const struct kmem_cache *s, u32 nr, u32 part,
		   struct attribute *a)
{
	const struct file *f = find_file(w, nr);
	if (!f)
		return 0;
	u32 shape = shape_of(f->value),
	    parts = shape == ATTRIBUTE_NODES ? w->machine.nr_nodes : w->machine.nr_cpus;
	*a = (struct attribute){
		.name = f->name, .text = "", .shape = shape, .writable = f->writable
	};
	if (f->value == OF_CACHE)
		a->value = cache_value(w, s, f->which);
	else if (f->value == OF_FLAG)
		a->value = (s->flags & f->which) != 0;
	else if (f->value == OF_CTOR)
		a->text = s->flags & CACHE_CTOR ? "(a constructor)" : "";
	else if (shape != ATTRIBUTE_TEXT && part != WHOLE)
		fill_part(w, s, f, part, a);
	else if (shape != ATTRIBUTE_TEXT)
		for (u32 i = 0; i < parts; i++)
			fill_part(w, s, f, i, a);
	/* The kernel assumes that half of the objects are free. */
	if (shape == ATTRIBUTE_CPU_SLABS)
		a->value = a->slabs * s->objects / 2;
	return 1;
}

/* Returns the node's partial list, and how many slabs are on it. */
static void add_node(const struct state_rows *r, u32 node, struct text *t)
{
	const struct kmem_place *list = state_place(r, PLACE_NODE_PARTIAL, CPU_NONE, node);

	text_print(t, " node%u:", node);
	state_add_slabs(r, list, "", t);
	text_print(t, " nr_partial=%u slabs=%u", list ? list->nr_slabs : 0,
		   state_slabs_on(r, node));
}

static void add_cpu_sheaves(const struct state_rows *r, u32 cpu, struct text *t)
{
	const struct kmem_place *main = state_place(r, PLACE_SHEAF_MAIN, cpu, NODE_ANY);
	const struct kmem_place *spare = state_place(r, PLACE_SHEAF_SPARE, cpu, NODE_ANY);

	text_print(t, " cpu%u:main=%u", cpu, main ? main->nr_entries : 0);
	if (spare && spare->sheaves)
		text_print(t, "/spare=%u", spare->nr_entries);
	else
		text_add(t, "/spare=-");
}

/* Without cpu slabs a state reads cpuN:main=n/spare=n, then each node's list, and its barn's full
 * and empty sheaves. */
static void sheaves_state(const struct state_rows *r, struct text *t)
{
	for (u32 cpu = 0; cpu < r->nr_cpus; cpu++)
		add_cpu_sheaves(r, cpu, t);
	for (u32 node = 0; node < r->nr_nodes; node++) {
		const struct kmem_place *full = state_place(r, PLACE_BARN_FULL, CPU_NONE, node);
		const struct kmem_place *empty = state_place(r, PLACE_BARN_EMPTY, CPU_NONE, node);
		add_node(r, node, t);
		text_print(t, " full=%u empty=%u", full ? full->sheaves : 0,
			   empty ? empty->sheaves : 0);
	}
}

static void state(const struct state_rows *r, struct text *t)
{
	if (!state_place(r, PLACE_CPU_SLAB, CPU_NONE, NODE_ANY)) {
		sheaves_state(r, t);
		return;
	}
	for (u32 cpu = 0; cpu < r->nr_cpus; cpu++) {
		const struct kmem_place *own = state_place(r, PLACE_CPU_SLAB, cpu, NODE_ANY);
		const struct kmem_slab_row *slab = own && own->nr_slabs ? &r->slabs[own->first_slab]
									: NULL;
		if (slab)
			text_print(t, " cpu%u:slab=%u/free=%u/part=", cpu, slab->serial,
				   slab->free_on_cpu);
		else
			text_print(t, " cpu%u:slab=-1/free=0/part=", cpu);
		state_add_slabs(r, state_place(r, PLACE_CPU_PARTIAL, cpu, NODE_ANY), "", t);
	}
	for (u32 node = 0; node < r->nr_nodes; node++)
		add_node(r, node, t);
}

static u32 totals(const struct kmem_totals *t, struct kmem_placement_column *c)
{
	c[0] = (struct kmem_placement_column){ "get_any_partial_entered", t->any_node_entered, 1,
					       0 };
	c[1] = (struct kmem_placement_column){ "zones_visited", t->any_node_zones, 1, 0 };
	return 2;
}

const struct placement_notation slub_placements = {
	.words = { "id", "alloc", "alloc", 0, 0 },
	.totals = totals,
	.state = state,
};
