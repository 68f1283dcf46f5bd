/*
 * unified_size.c - the lengths of queues and the memory that they take.
 *
 * A length is requested in objects. The allocation rounds its bytes up, and the queue uses all of
 * them:
 *
 *	CPU:    24 bytes, pointers …                     to a cache line: 120 → 1024 bytes → 125
 *	shared: alien queues …, 16 bytes, pointers …     to a kmalloc size: 600 → 8192 bytes → 1022
 *	alien:  16 bytes, pointers …                     to a power of two: 120 → 1024 bytes → 126
 *
 * Queues are created on first use; until then they count as empty and untouched. Patches 3, 4, 9,
 * 10 and 14 of UnifiedV4.
 */
#include "alloc/unified/unified.h"

enum { CACHE_LINE = 64, SHARED_BATCHES = 10, LEAST_MIN_PARTIAL = 5, MOST_MIN_OBJECTS = 64 };

static u32 fls32(u32 x)
{
	return x ? 32 - (u32)__builtin_clz(x) : 0;
}

/* Each set of sibling CPUs forms a group; all CPUs without siblings form one more. */
void unified_prepare(struct world *w)
{
	const struct cpu *cpus = at(w, w->machine.cpus);
	u32 nr_cpus = w->machine.nr_cpus, nr = 0;
	u16 siblings[MAX_CPUS] = { 0 }, group[MAX_CPUS], alone = CPU_NONE;

	w->roots[UNIFIED_ROOT] = world_alloc(w, sizeof(struct unified_machine));
	struct unified_machine *m = unified_machine(w);
	m->group_of_cpu = world_alloc(w, nr_cpus * 2);
	m->home = world_alloc(w, nr_cpus * 2);
	u16 *group_of_cpu = at(w, m->group_of_cpu), *home = at(w, m->home);
	memset(group, 0xff, sizeof(group));
	for (u32 cpu = 0; cpu < nr_cpus; cpu++)
		siblings[cpus[cpu].llc]++;
	for (u32 cpu = 0; cpu < nr_cpus; cpu++) {
		u16 *known = siblings[cpus[cpu].llc] > 1 ? &group[cpus[cpu].llc] : &alone;
		if (*known == CPU_NONE) {
			*known = (u16)nr;
			home[nr++] = cpus[cpu].node;
		}
		group_of_cpu[cpu] = *known;
	}
	m->nr_groups = nr;
}

u32 unified_cpu_max(u32 queue)
{
	u32 bytes = ALIGN_UP(POINTER_BYTES * queue + QUEUE_HEADER_BYTES, (u32)CACHE_LINE);

	return (bytes - QUEUE_HEADER_BYTES) / POINTER_BYTES;
}

u32 unified_automatic_queue(const struct world *w, const struct kmem_cache *s)
{
	if (s->flags & CACHE_LOWMEM)
		return LOWMEM_QUEUE;
	if (s->size > 1u << w->machine.page_shift)
		return 8;
	if (s->size > 1024)
		return 24;
	return s->size > 256 ? 54 : 120;
}

/* Returns the bytes that an allocation really gets: kmalloc's sizes up to half a page, whole runs
 * of pages above that. */
static u32 allocation_bytes(const struct world *w, u32 bytes)
{
	u32 page = 1u << w->machine.page_shift;

	if (bytes > page / 2)
		return page << order_of_bytes(w->machine.page_shift, bytes);
	if (bytes > 64 && bytes <= 96)
		return 96;
	if (bytes > 128 && bytes <= 192)
		return 192;
	return bytes <= 8 ? 8 : 1u << fls32(bytes - 1);
}

/* Returns the bytes of an alien queue. Many nodes need many queues, so these are shorter unless the
 * user sets a length. */
static u32 alien_bytes(const struct world *w, const struct unified_cache *u, u32 asked)
{
	u32 nr_nodes = w->machine.nr_nodes, queue = asked == AUTOMATIC ? u->queue : asked;
	u32 shift =
		fls32(ALIGN_UP(POINTER_BYTES * queue + SHARED_HEADER_BYTES, (u32)CACHE_LINE) - 1);

	if (nr_nodes == 1 || queue == 0 || u->shared == 0)
		return 0;
	if (asked != AUTOMATIC)
		return 1u << shift;
	if (nr_nodes > 32)
		return 1u << 6;
	return 1u << MIN(shift, nr_nodes > 4 ? 8u : 11u);
}

static u32 automatic_shared(const struct world *w, const struct kmem_cache *s)
{
	int none = w->machine.nr_cpus == 1 || s->size >= 1u << w->machine.page_shift ||
		   s->flags & CACHE_LOWMEM;

	return none ? 0 : SHARED_BATCHES * unified_own(w, s)->batch;
}

void unified_size_shared(struct world *w, struct kmem_cache *s, u32 shared, u32 alien)
{
	struct unified_cache *u = unified_own(w, s);

	u->shared_asked = shared;
	u->alien_asked = alien;
	u->shared = shared == AUTOMATIC ? automatic_shared(w, s) : shared;
	if (u->shared && shared != AUTOMATIC)
		u->shared = MAX(u->shared, MAX(u->batch, (u32)LEAST_QUEUE));
	if (s->flags & CACHE_LOWMEM && alien == AUTOMATIC)
		alien = 0;
	u32 bytes = alien_bytes(w, u, alien);
	u->alien_max = bytes ? (bytes - SHARED_HEADER_BYTES) / POINTER_BYTES : 0;
	u32 front = bytes * (w->machine.nr_nodes - 1) + SHARED_HEADER_BYTES;
	u->shared_max = u->shared
				? (allocation_bytes(w, front + POINTER_BYTES * u->shared) - front) /
					  POINTER_BYTES
				: 0;
}

static void size_queues(struct world *w, struct kmem_cache *s)
{
	const struct policy *p = &w->policy;
	struct unified_cache *u = unified_own(w, s);
	int lowmem = (s->flags & CACHE_LOWMEM) != 0;

	if (s->flags & CACHE_DEBUG)
		return;
	u->queue = p->queue == AUTOMATIC || lowmem ? unified_automatic_queue(w, s) : p->queue;
	u->batch_asked = lowmem ? AUTOMATIC : p->batch;
	u->batch = u->batch_asked == AUTOMATIC ? (u->queue + 1) / 2 : MIN(u->batch_asked, u->queue);
	u->cpu_max = unified_cpu_max(u->queue);
	unified_size_shared(w, s, lowmem ? AUTOMATIC : p->shared, lowmem ? AUTOMATIC : p->alien);
}

u32 unified_min_partial(const struct world *w, const struct kmem_cache *s, u32 asked)
{
	struct policy p = w->policy;

	p.min_partial = asked;
	if (asked == AUTOMATIC && s->flags & CACHE_LOWMEM)
		return LEAST_MIN_PARTIAL;
	return min_partial_of(&p, s->size);
}

/* One word in the page descriptor is the bitmap of up to 64 objects; a larger bitmap takes room
 * from the objects. */
static u32 objects_of(u32 page_shift, u32 order, u32 size)
{
	u64 bytes = (u64)1 << (page_shift + order);

	if (bytes / size <= 64)
		return (u32)(bytes / size);
	return (u32)MIN(bytes / 8 * 64 / ((u64)size / 8 * 64 + 1), (u64)MOST_OBJECTS);
}

/* Returns the policy with this allocator's values for the order rule. */
static struct policy slab_policy(const struct policy *p, u32 nr_cpus)
{
	struct policy own = *p;

	own.min_objects = MIN(p->min_objects ? p->min_objects : 4 * (fls32(nr_cpus) + 1),
			      (u32)MOST_MIN_OBJECTS);
	own.any_number_of_objects = 1;
	return own;
}

void unified_order_row(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		       struct kmem_order_row *row, struct order_tries *tries)
{
	struct policy own = slab_policy(p, nr_cpus);

	row->order = order_calculate(&own, page_shift, nr_cpus, size, tries);
	row->aligned_size = size;
	row->min_partial = min_partial_of(&own, size);
	if (row->order == ORDER_NONE)
		return;
	row->objects = objects_of(page_shift, row->order, size);
	row->waste = (u32)(((u64)1 << (page_shift + row->order)) - (u64)row->objects * size);
}

static void size_slabs(struct world *w, struct kmem_cache *s, struct order_tries *tries)
{
	u32 shift = w->machine.page_shift;
	struct kmem_order_row row = { 0 };

	unified_order_row(&w->policy, shift, w->machine.nr_cpus, s->size, &row, tries);
	s->min_order = (u16)order_of_bytes(shift, s->size);
	/* This is larger than the largest run, so the page allocator will refuse every slab. */
	s->order = row.order == ORDER_NONE ? s->min_order : (u16)row.order;
	s->objects = (u16)objects_of(shift, s->order, s->size);
	s->min_objects = (u16)objects_of(shift, s->min_order, s->size);
	s->min_partial = unified_min_partial(w, s, w->policy.min_partial);
}

void unified_create(struct world *w, struct kmem_cache *s)
{
	u32 nr_groups = unified_machine(w)->nr_groups, nr_nodes = w->machine.nr_nodes;
	struct order_tries tries;

	s->nodes = world_alloc(w, nr_nodes * (u32)sizeof(struct unified_node));
	s->own = world_alloc(w, sizeof(struct unified_cache));
	struct unified_cache *u = unified_own(w, s);
	u->groups = world_alloc(w, nr_groups * (u32)sizeof(struct unified_group));
	size_slabs(w, s, &tries);
	size_queues(w, s);
	for (u32 i = 0; i < MIN(tries.nr, ORDER_MAX_TRIES); i++) {
		const struct kmem_order_try *t = &tries.row[i];
		emit_ORDER_TRY(w, s->id, NODE_ANY, t->min_objects, t->fraction, t->order,
			       t->remainder, t->accepted ? OUTCOME_ACCEPTED : OUTCOME_TOO_WASTEFUL);
	}
	emit_CACHE_CREATE(w, s->id, NODE_ANY, s->object_size, s->size, s->order, s->objects,
			  s->min_partial);
	emit_QUEUE_SIZES(w, s->id, NODE_ANY, u->queue, u->batch, u->cpu_max, u->shared_max,
			 u->alien_max);
}

struct unified_cpu *unified_make_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref new = world_alloc(w, sizeof(struct unified_cpu));

	((ref *)at(w, s->cpus))[cpu] = new;
	return at(w, new);
}

static u32 queue_bytes(u32 max)
{
	return (u32)(sizeof(struct unified_queue) + max * sizeof(object_loc));
}

static struct unified_queue *make_queue(struct world *w, ref *queue, struct vlock *lock, u32 kind,
					u32 owner, u32 max)
{
	if (!*queue) {
		*queue = world_alloc(w, queue_bytes(max));
		struct unified_queue *q = at(w, *queue);
		q->lock = lock ? ref_of(w, lock) : 0;
		q->max = max;
		q->kind = (u8)kind;
		q->owner = (u16)owner;
	}
	return at(w, *queue);
}

struct unified_queue *unified_cpu_queue(struct world *w, struct kmem_cache *s, u32 cpu)
{
	struct unified_cpu *c = unified_cpu(w, s, cpu);

	return make_queue(w, &c->queue, NULL, QUEUE_CPU, cpu, unified_own(w, s)->cpu_max);
}

struct unified_queue *unified_shared_queue(struct world *w, struct kmem_cache *s, u32 group)
{
	struct unified_group *g = unified_group(w, s, group);
	u32 max = unified_own(w, s)->shared_max;

	return max ? make_queue(w, &g->shared, &g->lock, QUEUE_SHARED, group, max) : NULL;
}

struct unified_queue *unified_alien_queue(struct world *w, struct kmem_cache *s, u32 group,
					  u32 node)
{
	struct unified_group *g = unified_group(w, s, group);
	u32 max = unified_own(w, s)->alien_max;

	/* Groups may span nodes; objects from any node of the group are not alien there. */
	if (!max || node == unified_home(w, group))
		return NULL;
	if (!g->aliens)
		g->aliens = world_alloc(w, w->machine.nr_nodes * (u32)sizeof(struct unified_alien));
	struct unified_alien *alien = unified_alien(w, g, node);
	return make_queue(w, &alien->queue, &alien->lock, QUEUE_ALIEN, group, max);
}

void unified_drop_queue(struct world *w, struct kmem_cache *s, ref *queue, u32 node)
{
	struct unified_queue *q = at(w, *queue);

	if (!*queue)
		return;
	unified_flush_queue(w, s, q, node);
	world_free(w, *queue, queue_bytes(q->max));
	*queue = 0;
}
