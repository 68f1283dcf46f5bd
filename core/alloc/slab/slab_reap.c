/*
 * slab_reap.c - the reaper, which frees idle memory on each CPU in turn, and shrinking, which frees
 * all of it.
 *
 * Arrays and free slabs survive one turn after each use: that turn clears a mark, the next one
 * frees. Each CPU's reaper runs every two seconds; the trace records this as `reap cpu=N`. A node's
 * shared array and free slabs are due every four seconds, on whichever of its CPUs reaps first.
 *
 * Kernel: cache_reap(), reap_alien(), drain_array(), drain_cpu_caches(), __kmem_cache_shrink() in
 * mm/slab.c, 6.1.
 */
#include "alloc/slab/slab.h"

enum { SLAB_ROOT = 0 };

static struct slab_clock *reap_clock(const struct world *w)
{
	return at(w, w->roots[SLAB_ROOT]);
}

/*
 * A kernel's caches exist before a trace first uses them, and reapers restart the timers of all of
 * them together. So one timer per node stands for every cache that is not yet used.
 */
u32 *slab_unused_timer(const struct world *w, u32 node)
{
	return (u32 *)at(w, reap_clock(w)->next_reap) + node;
}

void slab_prepare(struct world *w)
{
	const struct machine *m = &w->machine;

	w->roots[SLAB_ROOT] = world_alloc(w, (u32)sizeof(struct slab_clock) + m->nr_cpus * 2);
	for (u32 cpu = 0; cpu < m->nr_cpus; cpu++)
		reap_clock(w)->reap_node[cpu] = (u16)((node_of_cpu(w, cpu) + 1) % m->nr_nodes);
	ref timers = world_alloc(w, m->nr_nodes * (u32)sizeof(u32));
	reap_clock(w)->next_reap = timers;
	for (u32 node = 0; node < m->nr_nodes; node++)
		*slab_unused_timer(w, node) = REAPTIMEOUT_NODE;
}

/* Returns the nr oldest entries of one of the node's arrays to their slabs. */
static void drain_oldest(struct world *w, struct kmem_cache *s, u32 node, struct array_cache *ac,
			 u32 nr)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	struct doomed doomed = { 0 };

	lock_take(w, &n->list_lock, s->id, node);
	slab_free_block(w, s, node, ac->entry, nr, &doomed);
	slab_array_drop(ac, nr);
	lock_release(w, &n->list_lock);
	slab_destroy_doomed(w, s, &doomed);
}

/* Reaps a CPU array cache or the shared array; `list` is an enum kmem_place_kind. */
static void reap_array(struct world *w, struct kmem_cache *s, u32 node, struct array_cache *ac,
		       u32 list)
{
	if (!ac || !ac->avail)
		return;
	if (ac->touched) {
		ac->touched = 0;
		emit_REAP_SPARE(w, s->id, node, list, ac->avail);
		return;
	}
	u32 nr = (ac->limit + 4) / 5, had = ac->avail;
	if (nr > had)
		nr = (had + 1) / 2;
	emit_REAP_ARRAY(w, s->id, node, list, nr, had, ac->limit);
	drain_oldest(w, s, node, ac, nr);
}

static void drain_alien(struct world *w, struct kmem_cache *s, u32 node, u32 home,
			struct array_cache *ac)
{
	struct doomed doomed = { 0 };

	lock_take(w, &ac->lock, s->id, node);
	slab_drain_alien(w, s, home, ac, &doomed);
	lock_release(w, &ac->lock);
	slab_destroy_doomed(w, s, &doomed);
}

static void reap_alien(struct world *w, struct kmem_cache *s, u32 node, u32 home)
{
	struct array_cache *ac = slab_alien_at(w, slab_node(w, s, node), home);

	if (!ac || !ac->avail)
		return;
	emit_REAP_ALIEN(w, s->id, node, home, ac->avail);
	drain_alien(w, s, node, home, ac);
}

static void reap_slabs(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	u32 most = DIV_ROUND_UP(n->free_limit, 5 * (u32)s->objects);

	if (n->free_touched) {
		n->free_touched = 0;
		emit_REAP_SPARE_SLABS(w, s->id, node, n->nr[SLABS_FREE]);
		return;
	}
	emit_REAP_SLABS(w, s->id, node, most, n->nr[SLABS_FREE], n->free_limit);
	slab_drain_freelist(w, s, node, most);
}

static int node_is_due(struct world *w, const struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	u32 now = reap_clock(w)->seconds, due = now >= n->next_reap;

	emit_THRESHOLD(w, s->id, node, WHAT_NEXT_REAP, now, n->next_reap,
		       due ? OUTCOME_DUE : OUTCOME_NOT_YET);
	if (due)
		n->next_reap = now + REAPTIMEOUT_NODE;
	return (int)due;
}

static void reap_cache(struct world *w, struct kmem_cache *s, u32 cpu)
{
	u32 node = node_of_cpu(w, cpu), home = reap_clock(w)->reap_node[cpu];
	struct kmem_cache_node *n = slab_node(w, s, node);

	reap_alien(w, s, node, home);
	reap_array(w, s, node, slab_array_of(w, s, cpu), PLACE_CPU_ARRAY);
	if (!node_is_due(w, s, node))
		return;
	reap_array(w, s, node, n->shared ? at(w, n->shared) : NULL, PLACE_SHARED_ARRAY);
	reap_slabs(w, s, node);
}

static void reap(struct world *w, u32 cpu)
{
	u16 *cursor = &reap_clock(w)->reap_node[cpu];
	u32 *timer = slab_unused_timer(w, node_of_cpu(w, cpu)), now = reap_clock(w)->seconds;

	for (u32 id = 0; id < w->nr_caches; id++)
		reap_cache(w, cache_at(w, id), cpu);
	if (now >= *timer)
		*timer = now + REAPTIMEOUT_NODE;
	*cursor = (u16)((*cursor + 1u) % w->machine.nr_nodes);
	if (w->machine.nr_nodes > 1)
		emit_REAP_CURSOR(w, CACHE_NONE, *cursor);
}

void slab_tick(struct world *w, u32 cpu, enum tick_mode mode, u32 seconds)
{
	if (mode == TICK_REAP) {
		reap(w, cpu);
	} else if (mode == TICK_CLOCK) {
		reap_clock(w)->seconds += seconds;
		emit_CLOCK(w, CACHE_NONE, NODE_ANY, seconds, reap_clock(w)->seconds);
	} else {
		emit_NOTHING(w, CACHE_NONE, NODE_ANY, REASON_NO_EXPIRY);
	}
}

static void drain_whole(struct world *w, struct kmem_cache *s, u32 node, struct array_cache *ac,
			u32 list)
{
	if (!ac || !ac->avail)
		return;
	emit_DRAIN_ARRAY(w, s->id, node, list, ac->avail);
	drain_oldest(w, s, node, ac, ac->avail);
}

static void drain_aliens(struct world *w, struct kmem_cache *s, u32 node)
{
	for (u32 home = 0; slab_node(w, s, node)->alien && home < w->machine.nr_nodes; home++) {
		struct array_cache *ac = slab_alien_at(w, slab_node(w, s, node), home);
		if (!ac || !ac->avail)
			continue;
		emit_DRAIN_ARRAY(w, s->id, node, PLACE_ALIEN_ARRAY, ac->avail);
		drain_alien(w, s, node, home, ac);
	}
}

static void drain_cpu(struct world *w, struct kmem_cache *s, u32 cpu)
{
	drain_whole(w, s, node_of_cpu(w, cpu), slab_array_of(w, s, cpu), PLACE_CPU_ARRAY);
}

/* SHRINK_FLUSH_ALL empties every array; SHRINK_DISCARD then also discards the free slabs. */
void slab_shrink(struct world *w, struct kmem_cache *s, u32 cpu, enum shrink_mode mode)
{
	const struct machine *m = &w->machine;

	if (mode == SHRINK_FLUSH_CPU) {
		drain_cpu(w, s, cpu);
		return;
	}
	for (u32 each = 0; each < m->nr_cpus; each++)
		drain_cpu(w, s, each);
	for (u32 node = 0; node < m->nr_nodes; node++)
		drain_aliens(w, s, node);
	for (u32 node = 0; node < m->nr_nodes; node++) {
		ref shared = slab_node(w, s, node)->shared;
		drain_whole(w, s, node, shared ? at(w, shared) : NULL, PLACE_SHARED_ARRAY);
	}
	for (u32 node = 0; mode == SHRINK_DISCARD && node < m->nr_nodes; node++)
		slab_drain_freelist(w, s, node, AUTOMATIC);
}
