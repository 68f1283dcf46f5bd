/*
 * unified_attributes.c - a cache's files under /sys/kernel/slab in the unified allocator.
 *
 *	per_cpu_caches	54 C0=54/125*			total, then objects/room of each CPU, * untouched
 *	shared_caches	66 C0-3=66/1022			of each group of CPUs
 *	alien_caches	9 C0,4=9[N1=3/30:N2=6/30*]	of each group, then by node
 *
 * The files are those of SLUB in 2.6.36, plus those of patches 3, 9, 10 and 12 of UnifiedV4. They lack
 * remote_node_defrag_ratio, because the search that it limited is gone. Slabs and objects are
 * counted as in SLUB.
 */
#include "alloc/unified/unified.h"
#include "util/text.h"

enum value { OF_CACHE, OF_FLAG, OF_COUNTER, OF_NODES, OF_QUEUES, OF_CTOR, NO_VALUE };

enum of_cache {
	SLAB_SIZE,
	OBJECT_SIZE,
	OBJS_PER_SLAB,
	ORDER,
	MIN_PARTIAL,
	CPU_QUEUE_SIZE,
	BATCH_SIZE,
	ALIEN_QUEUE_SIZE,
	EXPIRED,
	ALIASES,
	ALIGN,
	ZERO
};
enum of_nodes { OBJECTS, OBJECTS_PARTIAL, PARTIAL, TOTAL_OBJECTS, SLABS };
enum of_queues { SHARED_QUEUE_SIZE, PER_CPU_CACHES, SHARED_CACHES, ALIEN_CACHES };

static const struct file {
	const char *name;
	u8 value; /* enum value */
	u8 writable;
	u16 which; /* of_cache, of_nodes, of_queues, a flag, a counter */
} files[] = {
	{ "slab_size", OF_CACHE, 0, SLAB_SIZE },
	{ "object_size", OF_CACHE, 0, OBJECT_SIZE },
	{ "objs_per_slab", OF_CACHE, 0, OBJS_PER_SLAB },
	{ "order", OF_CACHE, 0, ORDER },
	{ "min_partial", OF_CACHE, 1, MIN_PARTIAL },
	{ "cpu_queue_size", OF_CACHE, 1, CPU_QUEUE_SIZE },
	{ "batch_size", OF_CACHE, 1, BATCH_SIZE },
	{ "shared_queue_size", OF_QUEUES, 1, SHARED_QUEUE_SIZE },
	{ "alien_queue_size", OF_CACHE, 1, ALIEN_QUEUE_SIZE },
	{ "expire", OF_CACHE, 1, EXPIRED },
	{ "per_cpu_caches", OF_QUEUES, 0, PER_CPU_CACHES },
	{ "shared_caches", OF_QUEUES, 0, SHARED_CACHES },
	{ "alien_caches", OF_QUEUES, 0, ALIEN_CACHES },
	{ "objects", OF_NODES, 0, OBJECTS },
	{ "objects_partial", OF_NODES, 0, OBJECTS_PARTIAL },
	{ "partial", OF_NODES, 0, PARTIAL },
	{ "total_objects", OF_NODES, 0, TOTAL_OBJECTS },
	{ "slabs", OF_NODES, 0, SLABS },
	{ "ctor", OF_CTOR, 0, 0 },
	{ "aliases", OF_CACHE, 0, ALIASES },
	{ "align", OF_CACHE, 0, ALIGN },
	{ "hwcache_align", OF_FLAG, 0, CACHE_HWCACHE_ALIGN },
	{ "reclaim_account", OF_FLAG, 0, CACHE_RECLAIM },
	{ "destroy_by_rcu", OF_FLAG, 0, CACHE_TYPESAFE_BY_RCU },
	{ "sanity_checks", OF_FLAG, 0, CACHE_SANITY },
	{ "trace", OF_CACHE, 0, ZERO },
	{ "red_zone", OF_FLAG, 0, CACHE_RED_ZONE },
	{ "poison", OF_FLAG, 0, CACHE_POISON },
	{ "store_user", OF_FLAG, 0, CACHE_STORE_USER },
	{ "cache_dma", OF_FLAG, 0, CACHE_DMA },
	{ "validate", NO_VALUE, 1, 0 },
	{ "shrink", NO_VALUE, 1, 0 },
	{ "alloc_fastpath", OF_COUNTER, 1, ALLOC_FASTPATH },
	{ "alloc_shared", OF_COUNTER, 1, ALLOC_SHARED },
	{ "alloc_slowpath", OF_COUNTER, 1, ALLOC_SLOWPATH },
	{ "alloc_alien", OF_COUNTER, 1, ALLOC_ALIEN },
	{ "alloc_alien_slow", OF_COUNTER, 1, ALLOC_ALIEN_SLOW },
	{ "alloc_direct", OF_COUNTER, 1, ALLOC_DIRECT },
	{ "alloc_from_partial", OF_COUNTER, 1, ALLOC_FROM_PARTIAL },
	{ "alloc_slab", OF_COUNTER, 1, ALLOC_SLAB },
	{ "free_fastpath", OF_COUNTER, 1, FREE_FASTPATH },
	{ "free_shared", OF_COUNTER, 1, FREE_SHARED },
	{ "free_slowpath", OF_COUNTER, 1, FREE_SLOWPATH },
	{ "free_alien", OF_COUNTER, 1, FREE_ALIEN },
	{ "free_alien_slow", OF_COUNTER, 1, FREE_ALIEN_SLOW },
	{ "free_direct", OF_COUNTER, 1, FREE_DIRECT },
	{ "free_add_partial", OF_COUNTER, 1, FREE_ADD_PARTIAL },
	{ "free_remove_partial", OF_COUNTER, 1, FREE_REMOVE_PARTIAL },
	{ "free_slab", OF_COUNTER, 1, FREE_SLAB },
	{ "queue_flush", OF_COUNTER, 1, QUEUE_FLUSH },
	{ "order_fallback", OF_COUNTER, 1, ORDER_FALLBACK },
};

/* Adds =objects/room, and * if the queue is untouched; one that was never used counts as empty. */
static u32 add_queue(struct text *o, const struct world *w, ref queue, u32 max)
{
	const struct unified_queue *q = at(w, queue);
	u32 objects = queue ? q->objects : 0;

	if (o)
		text_print(o, "=%u/%u%s", objects, max, queue && q->touched ? "" : "*");
	return objects;
}

/* Adds the CPUs of a group, for example C0-3,8. */
static void add_cpus(struct text *o, const struct world *w, u32 group)
{
	const char *before = " C";

	for (u32 cpu = 0, last; cpu < w->machine.nr_cpus; cpu++) {
		if (unified_group_of(w, cpu) != group)
			continue;
		for (last = cpu;
		     last + 1 < w->machine.nr_cpus && unified_group_of(w, last + 1) == group;)
			last++;
		text_add_number(o, before, cpu);
		if (last > cpu)
			text_add_number(o, "-", last);
		before = ",";
		cpu = last;
	}
}

/* Adds the alien queues of one group, or the one for a single node; with `o` NULL it only counts. */
static u32 add_aliens(struct text *o, const struct world *w, const struct kmem_cache *s, u32 group)
{
	const struct unified_group *g = unified_group(w, s, group);
	const char *before = "[N";
	u32 total = 0;

	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		if (node == unified_home(w, group))
			continue;
		if (o)
			text_add_number(o, before, node);
		total += add_queue(o, w, g->aliens ? unified_alien(w, g, node)->queue : 0,
				   unified_own(w, s)->alien_max);
		before = ":N";
	}
	if (o)
		text_add(o, "]");
	return total;
}

static void add_cpu_queues(struct text *o, const struct world *w, const struct kmem_cache *s,
			   u32 max)
{
	const ref *cpus = at(w, s->cpus);
	u32 total = 0;

	for (int counted = 0; counted < 2; counted++) {
		if (counted)
			text_add_number(o, "", total);
		for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
			const struct unified_cpu *c = at(w, cpus[cpu]);
			if (counted)
				text_add_number(o, " C", cpu);
			total += add_queue(counted ? o : NULL, w, cpus[cpu] ? c->queue : 0, max);
		}
	}
}

static void add_groups(struct text *o, const struct world *w, const struct kmem_cache *s, int alien)
{
	const struct unified_cache *u = unified_own(w, s);
	u32 total = alien ? 0 : unified_shared_objects(w, s), nr = unified_machine(w)->nr_groups;

	for (u32 group = 0; alien && group < nr; group++)
		total += add_aliens(NULL, w, s, group);
	text_add_number(o, "", total);
	for (u32 group = 0; (alien ? u->alien_max : u->shared_max) && group < nr; group++) {
		add_cpus(o, w, group);
		if (alien) {
			text_add_number(o, "=", add_aliens(NULL, w, s, group));
			add_aliens(o, w, s, group);
		} else {
			add_queue(o, w, unified_group(w, s, group)->shared, u->shared_max);
		}
	}
}

static void write_shared_size(const struct world *w, const struct kmem_cache *s, char *buf,
			      u32 room)
{
	struct text o = text_in(buf, room);

	text_print(&o, "%u %u", unified_own(w, s)->shared_max, unified_own(w, s)->shared);
}

static void write_cpus(const struct world *w, const struct kmem_cache *s, char *buf, u32 room)
{
	struct text o = text_in(buf, room);

	add_cpu_queues(&o, w, s, unified_own(w, s)->cpu_max);
}

static void write_shared(const struct world *w, const struct kmem_cache *s, char *buf, u32 room)
{
	struct text o = text_in(buf, room);

	add_groups(&o, w, s, 0);
}

static void write_aliens(const struct world *w, const struct kmem_cache *s, char *buf, u32 room)
{
	struct text o = text_in(buf, room);

	add_groups(&o, w, s, 1);
}

static u32 cache_value(const struct world *w, const struct kmem_cache *s, u32 which)
{
	const struct unified_cache *u = unified_own(w, s);

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
	case CPU_QUEUE_SIZE:
		return u->queue;
	case BATCH_SIZE:
		return u->batch;
	case ALIEN_QUEUE_SIZE:
		return u->alien_max;
	case EXPIRED:
		return (u32)MIN(u->expired_bytes, (u64)0xffffffff);
	case ALIASES:
		return s->refcount - 1u;
	case ALIGN:
		return s->align;
	default:
		return 0;
	}
}

static u32 node_value(const struct world *w, const struct kmem_cache *s, u32 node, u32 which)
{
	u32 free = 0, used_partial = 0, slabs = 0, objects = 0;

	for (ref r = s->first_slab; r;) {
		const struct unified_slab *slab = at(w, r);
		r = slab->head.newer;
		if (slab->head.node != node)
			continue;
		slabs++;
		objects += slab->head.objects;
		free += slab->nr_free;
		used_partial += slab->nr_free ? slab->head.objects - slab->nr_free : 0;
	}
	switch (which) {
	case OBJECTS:
		return objects - free;
	case OBJECTS_PARTIAL:
		return used_partial;
	case PARTIAL:
		return unified_node(w, s, node)->nr_partial;
	case TOTAL_OBJECTS:
		return objects;
	default:
		return slabs;
	}
}

static u32 part_value(const struct world *w, const struct kmem_cache *s, const struct file *f,
		      u32 part)
{
	if (f->value == OF_NODES)
		return node_value(w, s, part, f->which);
	ref cpu = ((const ref *)at(w, s->cpus))[part];
	return cpu ? ((const struct unified_cpu *)at(w, cpu))->counters[UNIFIED_SLOT(f->which)] : 0;
}

int unified_attribute(const struct world *w, const struct kmem_cache *s, u32 nr, u32 part,
		      struct attribute *a)
{
	static void (*const write[])(const struct world *, const struct kmem_cache *, char *,
				     u32) = { write_shared_size, write_cpus, write_shared,
					      write_aliens };
	static const u8 shapes[] = { ATTRIBUTE_NUMBER, ATTRIBUTE_NUMBER,  ATTRIBUTE_CPUS,
				     ATTRIBUTE_NODES,  ATTRIBUTE_WRITTEN, ATTRIBUTE_TEXT,
				     ATTRIBUTE_TEXT };

	if (nr >= ARRAY_SIZE(files))
		return 0;
	const struct file *f = &files[nr];
	*a = (struct attribute){
		.name = f->name, .text = "", .shape = shapes[f->value], .writable = f->writable
	};
	u32 parts = a->shape == ATTRIBUTE_NODES ? w->machine.nr_nodes : w->machine.nr_cpus;
	if (f->value == OF_QUEUES)
		a->write = write[f->which];
	else if (f->value == OF_CACHE)
		a->value = cache_value(w, s, f->which);
	else if (f->value == OF_FLAG)
		a->value = (s->flags & f->which) != 0;
	else if (f->value == OF_CTOR)
		a->text = s->flags & CACHE_CTOR ? "(a constructor)" : "";
	else if (f->value != NO_VALUE && part != WHOLE)
		a->value = part_value(w, s, f, part);
	else if (f->value != NO_VALUE)
		for (u32 i = 0; i < parts; i++)
			a->value += part_value(w, s, f, i);
	return 1;
}
