/*
 * slub_sheaf_requests.c - bulk requests, kfree_rcu(), prefilled sheaves and offline CPUs of 7.x, which a trace spreads
 * over several events.
 *
 * Between two events such a request keeps its objects in an array or a sheaf that belongs to it; their link is LINK_BULK.
 */
#include "alloc/slub/slub_fast.h"

struct slub_calls *slub_calls(const struct world *w, const struct kmem_cache *s, u32 cpu)
{
	ref calls = slub_own(w, s)->calls;
	ref own = calls ? ((ref *)at(w, calls))[cpu] : 0;

	return own ? at(w, own) : NULL;
}

struct slub_calls *slub_calls_of(struct world *w, struct kmem_cache *s, u32 cpu)
{
	struct slub_own *own = slub_own(w, s);

	if (!own->calls)
		own->calls = world_alloc(w, w->machine.nr_cpus * (u32)sizeof(ref));
	ref *mine = (ref *)at(w, own->calls) + cpu;
	if (!*mine)
		*mine = world_alloc(w, sizeof(struct slub_calls));
	return at(w, *mine);
}

object_loc *slub_array_room(struct world *w, struct slub_array *array, u32 nr)
{
	u32 room = array->room;

	if (array->nr + nr > room) {
		u32 bytes = room * (u32)sizeof(object_loc);
		room = MAX(2 * room, array->nr + nr);
		ref new = world_alloc(w, room * (u32)sizeof(object_loc));
		if (array->objects) {
			memcpy(at(w, new), at(w, array->objects), bytes);
			world_free(w, array->objects, bytes);
		}
		array->objects = new;
		array->room = (u16)room;
	}
	return at(w, array->objects);
}

void slub_array_drop(struct world *w, struct slub_array *array)
{
	if (array->objects)
		world_free(w, array->objects, array->room * (u32)sizeof(object_loc));
	*array = (struct slub_array){ 0 };
}

static object_loc take(struct world *w, struct kmem_cache *s)
{
	struct slub_calls *calls = slub_calls(w, s, w->cpu);

	if (!calls || calls->next == calls->taken.nr)
		return 0;
	object_loc loc = ((object_loc *)at(w, calls->taken.objects))[calls->next++];
	struct slab *slab = at(w, LOC_SLAB(loc));
	slab->link[LOC_INDEX(loc)] = LINK_ALLOCATED;
	emit_BULK_TAKEN(w, s->id, slab->node, slab->serial, LOC_INDEX(loc),
			calls->taken.nr - calls->next);
	if (calls->next == calls->taken.nr) {
		slub_array_drop(w, &calls->taken);
		calls->next = 0;
	}
	return loc;
}

void slub_array_put(struct world *w, const struct kmem_cache *s, struct slub_array *array,
		    object_loc loc)
{
	struct slab *slab = at(w, LOC_SLAB(loc));

	KASSERT(slab->link[LOC_INDEX(loc)] == LINK_ALLOCATED);
	slub_array_room(w, array, 1)[array->nr] = LOC(LOC_SLAB(loc), LOC_INDEX(loc));
	array->nr++;
	slab->link[LOC_INDEX(loc)] = LINK_BULK;
	emit_BULK_PUT(w, s->id, slab->node, slab->serial, LOC_INDEX(loc), array->nr);
}

static void put(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c, object_loc loc)
{
	struct slub_array *array = &slub_calls_of(w, s, w->cpu)->put;

	/* If the trace never ends its bulk free, this does. */
	if (array->nr == MAX_REQUEST_OBJECTS)
		slub_bulk_free(w, s, c, array);
	slub_array_put(w, s, array, loc);
}

/* Returns where the request's sheaf is recorded. A task that has moved to a different CPU still has
 * the sheaf from the CPU that prefilled it. */
static ref *prefilled(struct world *w, struct kmem_cache *s, const struct request *q)
{
	u32 cpu = q->sheaf_cpu ? q->sheaf_cpu - 1 : w->cpu;

	return &slub_calls_of(w, s, cpu)->prefilled[q->slot % NR_REQUEST_SLOTS];
}

static object_loc serve(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
			const struct request *q)
{
	u32 number = MIN(q->number, (u32)MAX_REQUEST_OBJECTS);

	switch ((enum kmem_request)q->kind) {
	case REQUEST_BULK_ALLOC:
		slub_bulk_alloc(w, s, c, number);
		break;
	case REQUEST_BULK_TAKE:
		return take(w, s);
	case REQUEST_BULK_PUT:
		put(w, s, c, q->loc);
		break;
	case REQUEST_BULK_FREE:
		if (q->slot == 1)
			slub_kfree_bulk(w, s, c, &slub_calls_of(w, s, w->cpu)->put);
		else
			slub_bulk_free(w, s, c, &slub_calls_of(w, s, w->cpu)->put);
		break;
	case REQUEST_FREE_RCU:
		slub_free_rcu(w, s, c, q->loc);
		break;
	case REQUEST_BARRIER:
		slub_rcu_barrier(w, s);
		break;
	case REQUEST_GRACE:
		slub_grace_period(w, s);
		break;
	case REQUEST_CPU_DEAD:
		if (q->number < w->machine.nr_cpus)
			slub_sheaf_cpu_dead(w, s, q->number);
		break;
	case REQUEST_PREFILL:
		slub_prefill(w, s, c, prefilled(w, s, q), number);
		break;
	case REQUEST_PREFILLED_TAKE:
		return slub_take_prefilled(w, s, prefilled(w, s, q));
	case REQUEST_REFILL:
		slub_refill_prefilled(w, s, c, prefilled(w, s, q), number);
		break;
	case REQUEST_RETURN:
		slub_return_prefilled(w, s, c, prefilled(w, s, q));
		break;
	case REQUEST_FREE_ADOPTED: /* slub_request_any() */
	case REQUEST_FREE_GROUP:   /* for kernels with cpu slabs */
	case REQUEST_GROUP_TAKE:
		break;
	}
	return 0;
}

object_loc slub_request(struct world *w, struct kmem_cache *s, u32 cpu, const struct request *q)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, cpu);
	u64 cycles = s->cycles, fast = slub_fast_cycles(w, c);
	object_loc loc = serve(w, s, c, q);

	slub_charge(w, s, c, cycles, fast);
	return loc;
}
