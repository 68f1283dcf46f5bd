/*
 * slub_sheaf_bulk.c - allocates and frees many objects with one request (7.x).
 *
 *	alloc: from main, spare and barn, as many as they hold ─ the rest from slabs
 *	free:  into main and empty sheaves that are there ─ the rest, and objects of other nodes, to slabs
 *
 * Kernel: kmem_cache_alloc_bulk(), alloc_from_pcs_bulk(), kmem_cache_free_bulk(), free_to_pcs_bulk() in mm/slub.c, 7.2.
 */
#include "alloc/slub/slub_fast.h"

/* Gets objects into main; returns 0 if the CPU and its barn have none. */
static int main_has_objects(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			    struct slub_pcs *p)
{
	if (sheaf_at(w, p->main)->nr)
		return 1;
	if (p->spare && sheaf_at(w, p->spare)->nr) {
		slub_sheaf_swap(w, s, c, p);
		return 1;
	}
	return slub_sheaf_take_full(w, s, c, p);
}

static u32 take_from_sheaves(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			     struct slub_array *to, u32 wanted)
{
	struct slub_pcs *p = slub_pcs(w, s, w->cpu);
	u32 got = 0;

	while (got < wanted && main_has_objects(w, s, c, p)) {
		struct slub_sheaf *main = sheaf_at(w, p->main);
		u32 batch = MIN(wanted - got, (u32)main->nr);
		object_loc *object = at(w, to->objects);
		main->nr = (u16)(main->nr - batch);
		for (u32 i = 0; i < batch; i++) {
			object_loc loc = main->object[main->nr + i];
			object[to->nr++] = loc;
			((struct slab *)at(w, LOC_SLAB(loc)))->link[LOC_INDEX(loc)] = LINK_BULK;
		}
		got += batch;
		c->counters[ALLOC_FASTPATH] += batch;
		emit_BULK_FROM_SHEAF(w, s->id, NODE_ANY, batch, main->nr, wanted - got);
	}
	return got;
}

/* Takes them one by one, because each object has to be checked; each counts as a separate allocation. */
static void take_checked(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 object_loc *array, u16 *nr, u32 wanted)
{
	for (u32 i = 0; i < wanted; i++) {
		object_loc loc = slub_sheaf_alloc_slow(w, s, c, NODE_ANY);
		if (!loc)
			break;
		array[(*nr)++] = loc;
		((struct slab *)at(w, LOC_SLAB(loc)))->link[LOC_INDEX(loc)] = LINK_BULK;
	}
}

int slub_take_from_slabs(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 object_loc *array, u16 *nr, u32 wanted)
{
	u32 before = *nr, slow_paths = w->slow_paths;
	int checked = s->flags & CACHE_DEBUG;

	if (checked)
		take_checked(w, s, c, array, nr, wanted);
	else
		slub_refill_objects(w, s, c, array, nr, wanted, LINK_BULK);
	w->slow_paths = slow_paths;
	if (*nr - before < wanted) {
		slub_free_array(w, s, array, nr, before);
		return 0;
	}
	if (!checked) {
		c->counters[ALLOC_SLOWPATH] += wanted;
		emit_BULK_FROM_SLABS(w, s->id, NODE_ANY, wanted);
	}
	return 1;
}

void slub_bulk_alloc(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, u32 nr)
{
	struct slub_calls *calls = slub_calls_of(w, s, w->cpu);
	u32 slow_paths = w->slow_paths, got = 0;

	/* These objects come from an earlier request, and no allocation has taken them. */
	if (calls->next < calls->taken.nr) {
		object_loc *left = at(w, calls->taken.objects);
		calls->taken.nr = (u16)(calls->taken.nr - calls->next);
		memmove(left, left + calls->next, calls->taken.nr * sizeof(*left));
		calls->next = 0;
		slub_bulk_free(w, s, c, &calls->taken);
	}
	slub_array_room(w, &calls->taken, nr);
	if (slub_own(w, s)->sheaf_capacity)
		got = take_from_sheaves(w, s, c, &calls->taken, nr);
	w->slow_paths = slow_paths + 1;
	object_loc *objects = at(w, calls->taken.objects);
	if (got == nr || slub_take_from_slabs(w, s, c, objects, &calls->taken.nr, nr - got))
		return;
	/* The request fails as a whole: the objects that came from sheaves go to slabs, too. */
	emit_ALLOC_FAILED(w, s->id, NODE_ANY, NODE_ANY);
	slub_free_array(w, s, objects, &calls->taken.nr, 0);
	slub_array_drop(w, &calls->taken);
}

/* Frees the array's objects to their slabs, and counts them in one step. */
static void free_past_sheaves(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			      object_loc *array, u16 *nr)
{
	u32 objects = *nr;

	if (!objects)
		return;
	slub_free_array(w, s, array, nr, 0);
	c->counters[FREE_SLOWPATH] += objects;
	emit_BULK_TO_SLABS(w, s->id, NODE_ANY, objects);
}

/* Moves objects of other nodes out of the array and fills each gap with the array's last object.
 * Frees them in batches; *nr of them stay in foreign[FLUSH_BATCH]. */
static void set_foreign_aside(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			      struct slub_array *array, object_loc *foreign, u16 *nr)
{
	object_loc *object = at(w, array->objects);

	for (u32 i = 0; i < array->nr;) {
		if (((struct slab *)at(w, LOC_SLAB(object[i])))->node == c->node) {
			i++;
			continue;
		}
		foreign[(*nr)++] = object[i];
		object[i] = object[--array->nr];
		if (*nr == FLUSH_BATCH)
			free_past_sheaves(w, s, c, foreign, nr);
	}
}

/* Replaces main, which is full, with a sheaf that already exists and has room. */
static int main_has_room(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slub_pcs *p)
{
	u32 node = sheaf_home(w);
	struct slub_barn *barn = slub_barn(w, s, node);
	ref full = p->main;

	if (!sheaf_is_full(sheaf_at(w, full)))
		return 1;
	if (!p->spare) {
		ref empty = barn_take_empty(w, s, node);
		if (!empty)
			return 0;
		p->spare = full;
		slub_sheaf_set_main(c, p, empty);
		slub_sheaf_report(w, s, p);
		return 1;
	}
	if (!sheaf_is_full(sheaf_at(w, p->spare))) {
		slub_sheaf_swap(w, s, c, p);
		return 1;
	}
	if (barn->nr_full >= slub_barn_limit(w) || !barn->nr_empty) {
		STAT_PCS(w, s, p, BARN_PUT_FAIL, 1, node, barn->nr_full);
		return 0;
	}
	slub_sheaf_set_main(c, p, barn_take_empty(w, s, node));
	barn_add_full(w, s, node, full);
	STAT_PCS(w, s, p, BARN_PUT, 1, node, sheaf_at(w, full)->nr, barn->nr_full, barn->nr_empty);
	return 1;
}

/* Puts objects into existing sheaves until these have no more room; the rest stay in the array. */
static void put_into_sheaves(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			     struct slub_array *array)
{
	struct slub_pcs *p = slub_pcs(w, s, w->cpu);
	object_loc *object = at(w, array->objects);

	while (array->nr && main_has_room(w, s, c, p)) {
		struct slub_sheaf *main = slub_sheaf_main(w, s, c, p);
		u32 batch = MIN((u32)array->nr, (u32)main->capacity - main->nr);
		for (u32 i = 0; i < batch; i++) {
			main->object[main->nr++] = object[i];
			((struct slab *)at(w, LOC_SLAB(object[i])))->link[LOC_INDEX(object[i])] =
				LINK_SHEAF;
		}
		array->nr = (u16)(array->nr - batch);
		memmove(object, object + batch, array->nr * sizeof(*object));
		c->counters[FREE_FASTPATH] += batch;
		emit_BULK_TO_SHEAF(w, s->id, NODE_ANY, batch, main->nr, array->nr);
	}
}

/* Without sheaves every group is counted separately, and its objects come in the opposite order. */
static void free_groups(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			struct slub_array *array)
{
	object_loc *object = at(w, array->objects);

	while (array->nr) {
		u32 before = array->nr;
		slub_free_group(w, s, object, &array->nr, 0, GROUP_REVERSED);
		c->counters[FREE_SLOWPATH] += before - array->nr;
		emit_BULK_TO_SLABS(w, s->id, NODE_ANY, before - array->nr);
	}
}

/* With debugging each object is checked, and if one fails, its group stays out of use. */
static void free_checked(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			 struct slub_array *array)
{
	object_loc *object = at(w, array->objects);

	while (array->nr) {
		u32 before = array->nr;
		int freed = slub_free_checked_group(w, s, object, &array->nr, 0, GROUP_REVERSED);
		u32 nr = before - array->nr;
		c->counters[FREE_SLOWPATH] += nr;
		if (freed)
			emit_BULK_TO_SLABS(w, s->id, NODE_ANY, nr);
	}
}

void slub_bulk_free(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		    struct slub_array *array)
{
	u32 slow_paths = w->slow_paths;
	object_loc foreign[FLUSH_BATCH];
	u16 nr_foreign = 0;

	if (s->flags & CACHE_DEBUG) {
		free_checked(w, s, c, array);
	} else if (!slub_own(w, s)->sheaf_capacity) {
		free_groups(w, s, c, array);
	} else {
		set_foreign_aside(w, s, c, array, foreign, &nr_foreign);
		put_into_sheaves(w, s, c, array);
		free_past_sheaves(w, s, c, at(w, array->objects), &array->nr);
		free_past_sheaves(w, s, c, foreign, &nr_foreign);
	}
	w->slow_paths = slow_paths + 1;
	slub_array_drop(w, array);
}

void slub_kfree_bulk(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		     struct slub_array *array)
{
	u32 slow_paths = w->slow_paths;

	free_groups(w, s, c, array);
	w->slow_paths = slow_paths + 1;
	slub_array_drop(w, array);
}
