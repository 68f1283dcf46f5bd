/*
 * slab_array.c - array caches: per-CPU, shared and alien. Each is created on first use.
 *
 * Kernel: struct array_cache, transfer_objects(), __drain_alien_cache() in mm/slab.c, 6.1.
 */
#include "alloc/slab/slab.h"

static u32 array_bytes(u32 limit)
{
	return (u32)sizeof(struct array_cache) + limit * (u32)sizeof(object_loc);
}

static ref make_array(struct world *w, u32 limit, u32 batchcount)
{
	ref new = world_alloc(w, array_bytes(limit));
	struct array_cache *ac = at(w, new);

	ac->limit = limit;
	ac->batchcount = batchcount;
	return new;
}

void slab_free_array(struct world *w, ref array)
{
	if (array)
		world_free(w, array, array_bytes(((struct array_cache *)at(w, array))->limit));
}

struct array_cache *slab_cpu_array(struct world *w, struct kmem_cache *s, u32 cpu)
{
	ref *mine = (ref *)at(w, s->cpus) + cpu;
	const struct slab_cache *own = slab_own(w, s);

	if (unlikely(!*mine))
		*mine = make_array(w, own->limit, own->batchcount);
	return at(w, *mine);
}

struct array_cache *slab_shared_array(struct world *w, struct kmem_cache *s, u32 node)
{
	struct kmem_cache_node *n = slab_node(w, s, node);
	const struct slab_cache *own = slab_own(w, s);

	if (!own->shared)
		return NULL;
	if (!n->shared)
		n->shared = make_array(w, own->shared * own->batchcount, 0);
	return at(w, n->shared);
}

struct array_cache *slab_alien_at(const struct world *w, const struct kmem_cache_node *n, u32 home)
{
	ref r = n->alien ? ((ref *)at(w, n->alien))[home] : 0;

	return r ? at(w, r) : NULL;
}

struct array_cache *slab_alien_array(struct world *w, struct kmem_cache *s, u32 node, u32 home)
{
	struct kmem_cache_node *n = slab_node(w, s, node);

	if (!n->alien)
		n->alien = world_alloc(w, w->machine.nr_nodes * (u32)sizeof(ref));
	ref *array = (ref *)at(w, n->alien) + home;
	if (!*array)
		*array = make_array(w, slab_own(w, s)->alien_limit, 0);
	return at(w, *array);
}

int slab_adopt_array(struct world *w, struct kmem_cache *s, const struct adopted_array *was)
{
	struct slab_cache *own = slab_own(w, s);
	struct kmem_cache_node *n = slab_node(w, s, node_of_cpu(w, 0));

	if (was->nr > was->limit || !was->batchcount || was->batchcount > was->limit)
		return 0;
	own->limit = was->limit;
	own->batchcount = was->batchcount;
	own->shared = 0;
	n->free_limit = was->free_limit;
	n->free_touched = was->free_touched;
	struct array_cache *ac = slab_cpu_array(w, s, 0);
	for (u32 i = 0; i < was->nr; i++) {
		ac->entry[ac->avail++] = was->entries[i];
		slab_mark(w, was->entries[i], CELL_FREE_CPU);
	}
	ac->touched = was->touched;
	return 1;
}

u32 slab_transfer(struct world *w, struct array_cache *to, struct array_cache *from, u32 most,
		  u32 cell)
{
	u32 nr = MIN(most, MIN(from->avail, to->limit - to->avail));

	for (u32 i = 0; i < nr; i++) {
		object_loc loc = from->entry[from->avail - nr + i];
		to->entry[to->avail + i] = loc;
		from->entry[from->avail - nr + i] = 0;
		slab_mark(w, loc, cell);
	}
	from->avail -= nr;
	to->avail += nr;
	return nr;
}

void slab_array_drop(struct array_cache *ac, u32 nr)
{
	ac->avail -= nr;
	for (u32 i = 0; i < ac->avail; i++)
		ac->entry[i] = ac->entry[i + nr];
	memset(ac->entry + ac->avail, 0, nr * sizeof(object_loc));
}

void slab_drain_alien(struct world *w, struct kmem_cache *s, u32 home, struct array_cache *ac,
		      struct doomed *doomed)
{
	struct kmem_cache_node *n = slab_node(w, s, home);
	struct array_cache *shared = slab_shared_array(w, s, home);

	if (!ac->avail)
		return;
	lock_take(w, &n->list_lock, s->id, home);
	if (shared) {
		u32 moved = slab_transfer(w, shared, ac, ac->limit, CELL_FREE_SHARED);
		emit_ALIEN_TO_SHARED(w, s->id, home, moved, shared->avail, shared->limit);
	}
	u32 rest = ac->avail;
	if (rest) {
		slab_free_block(w, s, home, ac->entry, rest, doomed);
		slab_array_drop(ac, rest);
		emit_ALIEN_TO_SLABS(w, s->id, home, rest, n->free_objects);
	}
	lock_release(w, &n->list_lock);
}
