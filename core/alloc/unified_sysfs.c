/*
 * unified_sysfs.c - the unified allocator as /sys/kernel/slab shows it: what can be written while it runs, what its
 * files read, and slabinfo's counts.
 *
 *	per_cpu_caches	54 C0=54/125*			total, then objects/room of each CPU, * untouched
 *	shared_caches	66 C0-3=66/1022			of each group of CPUs
 *	alien_caches	9 C0,4=9[N1=3/30:N2=6/30*]	of each group, then by node
 *
 * A write that the kernel would refuse is refused here, with a step that says so. Patches 3, 4, 9, 10, 12.
 */
#include "unified.h"

const char *const unified_attribute_names[NR_UNIFIED_ATTRIBUTES] = {
	"cpu_queue_size", "batch_size",	    "shared_queue_size", "alien_queue_size", "min_partial",
	"expire",	  "per_cpu_caches", "shared_caches",	 "alien_caches",
};

static int is_allowed(struct world *w, const struct kmem_cache *s, u32 param, u32 value, u32 least,
		      u32 most)
{
	if (value == AUTOMATIC || (value >= least && value <= most))
		return 1;
	EMIT(w, SET_REFUSED, s->id, NODE_ANY, param, value, least, most, 0);
	return 0;
}

static u32 automatic_batch(const struct unified_cache *u)
{
	return u->batch_asked == AUTOMATIC ? (u->queue + 1) / 2 : MIN(u->batch_asked, u->queue);
}

/* All CPUs' queues are emptied and made anew, whatever lies in them. */
static u32 set_queue(struct world *w, struct kmem_cache *s, u32 value)
{
	struct unified_cache *u = unified_own(w, s);
	const ref *cpus = at(w, s->cpus);

	if (!is_allowed(w, s, PARAM_QUEUE, value, LEAST_QUEUE, MOST_QUEUE))
		return u->queue;
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++)
		if (cpus[cpu])
			unified_drop_queue(w, s, &((struct unified_cpu *)at(w, cpus[cpu]))->queue,
					   node_of_cpu(w, cpu));
	u->queue = value == AUTOMATIC ? unified_automatic_queue(w, s) : value;
	u->batch = automatic_batch(u);
	u->cpu_max = unified_cpu_max(u->queue);
	return u->queue;
}

static u32 set_batch(struct world *w, struct kmem_cache *s, u32 value)
{
	struct unified_cache *u = unified_own(w, s);

	if (is_allowed(w, s, PARAM_BATCH, value, 1, u->queue)) {
		u->batch_asked = value;
		u->batch = automatic_batch(u);
	}
	return u->batch;
}

/* Shared and alien queues are one allocation: to change either, both are emptied and made anew. */
static void drop_groups(struct world *w, struct kmem_cache *s)
{
	for (u32 i = 0; i < unified_machine(w)->nr_groups; i++) {
		struct unified_group *g = unified_group(w, s, i);
		for (u32 node = 0; g->aliens && node < w->machine.nr_nodes; node++)
			unified_drop_queue(w, s, &unified_alien(w, g, node)->queue, node);
		unified_drop_queue(w, s, &g->shared, unified_home(w, i));
	}
}

static u32 set_shared(struct world *w, struct kmem_cache *s, u32 value)
{
	struct unified_cache *u = unified_own(w, s);

	if (value &&
	    !is_allowed(w, s, PARAM_SHARED, value, MAX((u32)LEAST_QUEUE, u->batch), MOST_QUEUE))
		return u->shared;
	drop_groups(w, s);
	unified_size_shared(w, s, value, u->alien_asked);
	return u->shared;
}

static u32 set_alien(struct world *w, struct kmem_cache *s, u32 value)
{
	struct unified_cache *u = unified_own(w, s);

	if (!is_allowed(w, s, PARAM_ALIEN, value, 0, MOST_ALIEN))
		return u->alien_max;
	drop_groups(w, s);
	unified_size_shared(w, s, u->shared_asked, value);
	return u->alien_max;
}

int unified_set(struct world *w, struct kmem_cache *s, u32 param, u32 *value, u32 *old)
{
	const struct unified_cache *u = unified_own(w, s);

	if (param == PARAM_MIN_PARTIAL) {
		*old = s->min_partial;
		*value = s->min_partial =
			unified_min_partial(w, s, min_partial_written(&w->policy, *value));
		return 1;
	}
	/* Debugging has no queues. */
	if (s->flags & CACHE_DEBUG)
		return 0;
	switch (param) {
	case PARAM_QUEUE:
		*old = u->queue;
		*value = set_queue(w, s, *value);
		return 1;
	case PARAM_BATCH:
		*old = u->batch;
		*value = set_batch(w, s, *value);
		return 1;
	case PARAM_SHARED:
		*old = u->shared;
		*value = set_shared(w, s, *value);
		return 1;
	case PARAM_ALIEN:
		*old = u->alien_max;
		*value = set_alien(w, s, *value);
		return 1;
	default:
		return 0;
	}
}

static u32 objects_in_shared(const struct world *w, const struct kmem_cache *s)
{
	u32 nr = 0;

	for (u32 group = 0; group < unified_machine(w)->nr_groups; group++) {
		ref shared = unified_group(w, s, group)->shared;
		nr += shared ? ((const struct unified_queue *)at(w, shared))->objects : 0;
	}
	return nr;
}

void unified_info(const struct world *w, const struct kmem_cache *s, struct kmem_cache_row *row)
{
	const struct unified_cache *u = unified_own(w, s);
	u32 free = 0;

	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		for (ref r = unified_node(w, s, node)->head; r;) {
			const struct unified_slab *slab = at(w, r);
			free += slab->nr_free;
			r = slab->next;
		}
	}
	row->objects = s->total_objects - free;
	row->active_slabs = s->slabs;
	row->limit = u->queue;
	row->batchcount = u->batch;
	row->sharedfactor = u->batch ? (u->shared + u->batch / 2) / u->batch : 0;
	row->sharedavail = objects_in_shared(w, s);
}

void unified_locks(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	for (u32 node = 0; node < w->machine.nr_nodes; node++)
		lock_tell(v, &unified_node(w, s, node)->list_lock, LOCK_LIST, s->id, node, 0xffff);
	for (u32 group = 0; group < unified_machine(w)->nr_groups; group++) {
		const struct unified_group *g = unified_group(w, s, group);
		u32 home = unified_home(w, group);
		lock_tell(v, &g->lock, LOCK_SHARED, s->id, home, group);
		for (u32 node = 0; g->aliens && node < w->machine.nr_nodes; node++)
			lock_tell(v, &unified_alien(w, g, node)->lock, LOCK_ALIEN, s->id, home,
				  node);
	}
}

struct out {
	char *buf;
	u32 len, room;
};

static void add(struct out *o, const char *text)
{
	for (; *text && o->len + 1 < o->room; text++)
		o->buf[o->len++] = *text;
	o->buf[o->len] = 0;
}

static void add_number(struct out *o, const char *before, u64 n)
{
	char digits[24];
	u32 at = sizeof(digits) - 1;

	digits[at] = 0;
	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	add(o, before);
	add(o, digits + at);
}

/* =objects/room, and * if untouched; a queue that was never used is an empty one. */
static u32 add_queue(struct out *o, const struct world *w, ref queue, u32 max)
{
	const struct unified_queue *q = at(w, queue);
	u32 objects = queue ? q->objects : 0;

	if (o) {
		add_number(o, "=", objects);
		add_number(o, "/", max);
		add(o, queue && q->touched ? "" : "*");
	}
	return objects;
}

/* C0-3,8: the CPUs of a group. */
static void add_cpus(struct out *o, const struct world *w, u32 group)
{
	const char *before = " C";

	for (u32 cpu = 0, last; cpu < w->machine.nr_cpus; cpu++) {
		if (unified_group_of(w, cpu) != group)
			continue;
		for (last = cpu;
		     last + 1 < w->machine.nr_cpus && unified_group_of(w, last + 1) == group;)
			last++;
		add_number(o, before, cpu);
		if (last > cpu)
			add_number(o, "-", last);
		before = ",";
		cpu = last;
	}
}

/* Of one group, or of one other node in it; counts only if o is NULL. */
static u32 add_aliens(struct out *o, const struct world *w, const struct kmem_cache *s, u32 group)
{
	const struct unified_group *g = unified_group(w, s, group);
	const char *before = "[N";
	u32 total = 0;

	for (u32 node = 0; node < w->machine.nr_nodes; node++) {
		if (node == unified_home(w, group))
			continue;
		if (o)
			add_number(o, before, node);
		total += add_queue(o, w, g->aliens ? unified_alien(w, g, node)->queue : 0,
				   unified_own(w, s)->alien_max);
		before = ":N";
	}
	if (o)
		add(o, "]");
	return total;
}

static void add_cpu_queues(struct out *o, const struct world *w, const struct kmem_cache *s,
			   u32 max)
{
	const ref *cpus = at(w, s->cpus);
	u32 total = 0;

	for (int counted = 0; counted < 2; counted++) {
		if (counted)
			add_number(o, "", total);
		for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
			const struct unified_cpu *c = at(w, cpus[cpu]);
			if (counted)
				add_number(o, " C", cpu);
			total += add_queue(counted ? o : NULL, w, cpus[cpu] ? c->queue : 0, max);
		}
	}
}

static void add_groups(struct out *o, const struct world *w, const struct kmem_cache *s, int alien)
{
	const struct unified_cache *u = unified_own(w, s);
	u32 total = alien ? 0 : objects_in_shared(w, s), nr = unified_machine(w)->nr_groups;

	for (u32 group = 0; alien && group < nr; group++)
		total += add_aliens(NULL, w, s, group);
	add_number(o, "", total);
	for (u32 group = 0; (alien ? u->alien_max : u->shared_max) && group < nr; group++) {
		add_cpus(o, w, group);
		if (alien) {
			add_number(o, "=", add_aliens(NULL, w, s, group));
			add_aliens(o, w, s, group);
		} else {
			add_queue(o, w, unified_group(w, s, group)->shared, u->shared_max);
		}
	}
}

u32 unified_attribute(const struct world *w, const struct kmem_cache *s,
		      enum unified_attribute which, char *buf, u32 room)
{
	const struct unified_cache *u = unified_own(w, s);
	struct out o = { buf, 0, room };

	KASSERT(room);
	switch (which) {
	case ATTRIBUTE_PER_CPU_CACHES:
		add_cpu_queues(&o, w, s, u->cpu_max);
		return o.len;
	case ATTRIBUTE_SHARED_CACHES:
		add_groups(&o, w, s, 0);
		return o.len;
	case ATTRIBUTE_ALIEN_CACHES:
		add_groups(&o, w, s, 1);
		return o.len;
	case ATTRIBUTE_SHARED_QUEUE_SIZE:
		add_number(&o, "", u->shared_max);
		add_number(&o, " ", u->shared);
		return o.len;
	default:
		break;
	}
	add_number(&o, "",
		   which == ATTRIBUTE_CPU_QUEUE_SIZE	 ? u->queue
		   : which == ATTRIBUTE_BATCH_SIZE	 ? u->batch
		   : which == ATTRIBUTE_ALIEN_QUEUE_SIZE ? u->alien_max
		   : which == ATTRIBUTE_MIN_PARTIAL	 ? s->min_partial
							 : u->expired_bytes);
	return o.len;
}
