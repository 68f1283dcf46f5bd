/*
 * slub_sheaf_parts.c - events on sheaves, split into the parts in which they take effect (7.x).
 *
 * The kernel is preemptible between them: while one task fills a sheaf, another one may take the next slab of the
 * same list. A trace that records each part shows when it took effect. The model itself chooses the sheaf, the slab
 * and the objects. The model refuses a part that it would not start in its current state.
 *
 * Counters rise once a part is known to be complete. Nothing is recorded as a step.
 */
#include "alloc/slub/slub_fast.h"

static struct slub_pcs *pcs_at_work(struct world *w, struct kmem_cache *s)
{
	return slub_pcs_of(slub_cpu(w, s, w->cpu));
}

static void count(struct slub_pcs *p, u32 counter, u32 nr)
{
	p->counters[counter - ALLOC_PCS] += nr;
}

static int is_in(const struct world *w, ref list, ref sheaf)
{
	while (list && list != sheaf)
		list = sheaf_at(w, list)->next;
	return list != 0;
}

/* Whether only the event at work holds the sheaf. */
static int is_under_way(struct world *w, struct kmem_cache *s, ref sheaf)
{
	const struct slub_own *own = slub_own(w, s);

	if (!sheaf || is_in(w, own->waiting, sheaf))
		return 0;
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		const struct slub_pcs *p = slub_pcs(w, s, cpu);
		if (p && (p->main == sheaf || p->spare == sheaf || p->rcu == sheaf))
			return 0;
	}
	for (u32 node = 0; node < w->machine.nr_nodes; node++)
		if (is_in(w, own->barn[node].full, sheaf) || is_in(w, own->barn[node].empty, sheaf))
			return 0;
	return 1;
}

static int is_empty(const struct world *w, ref sheaf)
{
	return !sheaf_at(w, sheaf)->nr;
}

static u32 missing_in(const struct world *w, const struct sheaf_part *q)
{
	const struct slub_sheaf *f = sheaf_at(w, q->sheaf);
	u32 found = f->nr;

	for (ref r = q->slabs; r; r = ((struct slab *)at(w, r))->next)
		found += slab_free_count(at(w, r));
	return f->capacity - MIN(found, (u32)f->capacity);
}

static int pop(struct world *w, struct kmem_cache *s, struct sheaf_part *q)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, w->cpu);
	struct slub_sheaf *main = sheaf_at(w, c->main);

	if (!main->nr)
		return 0;
	q->loc = main->object[--main->nr];
	((struct slab *)at(w, LOC_SLAB(q->loc)))->link[LOC_INDEX(q->loc)] = LINK_ALLOCATED;
	c->counters[ALLOC_FASTPATH]++;
	return 1;
}

static int pop_prefilled(struct world *w, struct kmem_cache *s, struct sheaf_part *q)
{
	struct slub_sheaf *f = is_under_way(w, s, q->sheaf) ? sheaf_at(w, q->sheaf) : NULL;

	if (!f || !f->nr)
		return 0;
	q->loc = f->object[--f->nr];
	((struct slab *)at(w, LOC_SLAB(q->loc)))->link[LOC_INDEX(q->loc)] = LINK_ALLOCATED;
	return 1;
}

/* Main is empty or full, and the spare can help. */
static int swap(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, w->cpu);

	if (!p->spare ||
	    !((is_empty(w, p->main) && !is_empty(w, p->spare)) ||
	      (sheaf_is_full(sheaf_at(w, p->main)) && !sheaf_is_full(sheaf_at(w, p->spare)))))
		return 0;
	slub_sheaf_swap(w, s, c, p);
	return 1;
}

static int swap_full(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, w->cpu);

	if (!is_empty(w, p->main) || (p->spare && !is_empty(w, p->spare)) ||
	    !slub_barn(w, s, c->node)->nr_full)
		return 0;
	return slub_sheaf_take_full(w, s, c, p);
}

static int swap_empty(struct world *w, struct kmem_cache *s, struct slub_pcs *p)
{
	struct kmem_cache_cpu *c = slub_cpu(w, s, w->cpu);
	struct slub_barn *barn = slub_barn(w, s, c->node);
	ref full = p->main;

	if (!sheaf_is_full(sheaf_at(w, full)) || !p->spare ||
	    !sheaf_is_full(sheaf_at(w, p->spare)) || barn->nr_full >= slub_barn_limit(w) ||
	    !barn->nr_empty)
		return 0;
	slub_sheaf_set_main(c, p, barn_take_empty(w, s, c->node));
	barn_add_full(w, s, c->node, full);
	count(p, BARN_PUT, 1);
	return 1;
}

/* Takes the sheaf away from the CPU at work, unless it's already on its way. */
static int take_out(struct world *w, struct kmem_cache *s, struct slub_pcs *p, ref sheaf)
{
	if (p->spare == sheaf) {
		p->spare = 0;
		return 1;
	}
	/* Main is put away before a different sheaf replaces it. */
	if (p->main == sheaf) {
		slub_sheaf_set_main(slub_cpu(w, s, w->cpu), p,
				    sheaf_memory(w, slub_own(w, s)->sheaf_capacity));
		p->refilled = p->main;
		return 1;
	}
	return is_under_way(w, s, sheaf);
}

static void empty(struct world *w, struct kmem_cache *s, ref sheaf)
{
	struct slub_sheaf *f = sheaf_at(w, sheaf);

	slub_free_array(w, s, f->object, &f->nr, 0);
}

/* An allocation found no full sheaf, so it filled this one. */
static void count_refill(struct slub_pcs *p, const struct sheaf_part *q)
{
	count(p, BARN_GET_FAIL, q->is_refilled && !q->is_returned);
}

static int put_full(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	u32 node = sheaf_home(w);
	struct slub_barn *barn = slub_barn(w, s, node);

	if (!q->sheaf || !sheaf_is_full(sheaf_at(w, q->sheaf)) || !take_out(w, s, p, q->sheaf))
		return 0;
	count_refill(p, q);
	if (q->is_returned)
		count(p, SHEAF_RETURN_SLOW, 1);
	if (barn->nr_full < slub_barn_limit(w)) {
		barn_add_full(w, s, node, q->sheaf);
		count(p, BARN_PUT, 1);
		return 1;
	}
	count(p, BARN_PUT_FAIL, 1);
	count(p, SHEAF_FLUSH, sheaf_at(w, q->sheaf)->nr);
	empty(w, s, q->sheaf);
	barn_add_empty(w, s, node, q->sheaf);
	return 0;
}

static int put_empty(struct world *w, struct kmem_cache *s, struct slub_pcs *p,
		     struct sheaf_part *q)
{
	if (!q->sheaf || !take_out(w, s, p, q->sheaf))
		return 0;
	empty(w, s, q->sheaf);
	barn_add_empty(w, s, sheaf_home(w), q->sheaf);
	return 1;
}

static int main_is(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	ref old = p->main;

	if (!is_under_way(w, s, q->sheaf))
		return 0;
	if (q->is_flushed)
		empty(w, s, q->sheaf);
	/* This sheaf stood in for a main sheaf that had been put away. */
	if (p->refilled == old)
		old = 0;
	p->refilled = 0;
	if (old && p->spare)
		return 0;
	if (old)
		p->spare = old;
	slub_sheaf_set_main(slub_cpu(w, s, w->cpu), p, q->sheaf);
	count_refill(p, q);
	return 1;
}

static int spare_is(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	if (p->spare || !is_under_way(w, s, q->sheaf))
		return 0;
	p->spare = q->sheaf;
	count_refill(p, q);
	if (q->is_returned)
		count(p, SHEAF_RETURN_FAST, 1);
	return 1;
}

static int spare_out(struct slub_pcs *p, struct sheaf_part *q)
{
	q->sheaf = p->spare;
	p->spare = 0;
	return q->sheaf != 0;
}

static int rcu_is(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	if (p->rcu || !q->sheaf || !is_empty(w, q->sheaf) ||
	    (p->spare != q->sheaf && !is_under_way(w, s, q->sheaf)))
		return 0;
	if (p->spare == q->sheaf)
		p->spare = 0;
	p->rcu = q->sheaf;
	return 1;
}

/* The last of the waiting sheaves is the one that the CPU has just handed over. */
static int rcu_wait(struct world *w, struct kmem_cache *s, struct sheaf_part *q)
{
	ref last = slub_own(w, s)->waiting;

	while (last && sheaf_at(w, last)->next)
		last = sheaf_at(w, last)->next;
	q->sheaf = last && sheaf_at(w, last)->rcu_cpu == w->cpu ? last : 0;
	return q->sheaf != 0;
}

static int rcu_done(struct world *w, struct kmem_cache *s, struct sheaf_part *q)
{
	ref *at_list = &slub_own(w, s)->waiting;

	while (*at_list && *at_list != q->sheaf)
		at_list = &sheaf_at(w, *at_list)->next;
	if (!*at_list)
		return 0;
	*at_list = sheaf_at(w, q->sheaf)->next;
	sheaf_at(w, q->sheaf)->next = 0;
	sheaf_at(w, q->sheaf)->rcu_cpu = 0;
	return 1;
}

/* Appends a slab to those that wait to be taken. */
static int off_list(struct world *w, struct kmem_cache *s, struct sheaf_part *q)
{
	struct kmem_cache_node *n = slub_node(w, s, q->node);
	ref *last = &q->slabs;

	if (!is_under_way(w, s, q->sheaf) || !n->nr_partial || !missing_in(w, q))
		return 0;
	/* The any-node search skips a node that is itself short of slabs. */
	int is_first = 1;
	for (; *last; last = &((struct slab *)at(w, *last))->next)
		is_first = ((struct slab *)at(w, *last))->node != q->node;
	if (is_first && q->node != sheaf_home(w) && n->nr_partial <= s->min_partial)
		return 0;
	*last = slub_refill_unlist(w, s, q->node);
	return 1;
}

/* Takes the freelist of the next slab. If some of it remains, the slab keeps waiting. */
static int take(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	struct slub_sheaf *f = q->sheaf ? sheaf_at(w, q->sheaf) : NULL;
	struct slab *slab = q->slabs ? at(w, q->slabs) : NULL;

	if (!slab || f->nr == f->capacity)
		return 0;
	u32 before = f->nr;
	slub_refill_take(w, s, slab, f);
	count(p, SHEAF_REFILL, f->nr - before);
	if (slab->freelist)
		return 1;
	q->slabs = slab->next;
	slab->next = 0;
	slab->place = PLACE_NODE_FULL;
	return 1;
}

/* Returns a slab to its node's list. */
static int back(struct world *w, struct kmem_cache *s, struct sheaf_part *q)
{
	struct slab *slab = q->slabs ? at(w, q->slabs) : NULL;

	if (!slab)
		return 0;
	q->slabs = slab->next;
	slab->next = 0;
	slub_sheaf_list_slab(w, s, slab, slub_refill_end(w));
	return 1;
}

static int new_slab(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	struct slub_sheaf *f = is_under_way(w, s, q->sheaf) ? sheaf_at(w, q->sheaf) : NULL;
	u32 before = f ? f->nr : 0;

	if (!f || q->slabs || f->nr == f->capacity)
		return 0;
	if (!slub_refill_new(w, s, slub_cpu(w, s, w->cpu), f))
		return 0;
	q->loc = f->object[before];
	count(p, SHEAF_REFILL, f->nr - before);
	return 1;
}

/* Completes the refill, and lets the model do what the reported parts left out. */
static int refilled(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	if (!is_under_way(w, s, q->sheaf))
		return 0;
	struct slub_sheaf *f = sheaf_at(w, q->sheaf);
	int is_exact = !q->slabs && f->nr == f->capacity;
	while (q->slabs)
		if (!take(w, s, p, q) || (q->slabs && f->nr == f->capacity))
			back(w, s, q);
	u32 before = f->nr;
	if (f->nr < f->capacity)
		slub_refill_objects(w, s, slub_cpu(w, s, w->cpu), f->object, &f->nr,
				    f->capacity - f->nr, LINK_SHEAF);
	count(p, SHEAF_REFILL, f->nr - before);
	return is_exact;
}

static int flush(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	if (!is_under_way(w, s, q->sheaf))
		return 0;
	u32 is_full = sheaf_is_full(sheaf_at(w, q->sheaf)) &&
		      slub_barn(w, s, sheaf_home(w))->nr_full >= slub_barn_limit(w);
	count(p, SHEAF_FLUSH, sheaf_at(w, q->sheaf)->nr);
	if (q->is_returned)
		count(p, SHEAF_RETURN_SLOW, 1);
	else
		count(p, BARN_PUT_FAIL, 1);
	return q->is_returned || is_full;
}

static int free_group(struct world *w, struct kmem_cache *s, struct sheaf_part *q)
{
	struct slub_sheaf *f = is_under_way(w, s, q->sheaf) ? sheaf_at(w, q->sheaf) : NULL;

	if (!f || !f->nr)
		return 0;
	slub_free_group(w, s, f->object, &f->nr, 0, GROUP_IN_ORDER);
	return 1;
}

static int gone(struct world *w, struct kmem_cache *s, struct slub_pcs *p, struct sheaf_part *q)
{
	if (!is_under_way(w, s, q->sheaf))
		return 0;
	empty(w, s, q->sheaf);
	sheaf_give_back(w, s, p, q->sheaf);
	q->sheaf = 0;
	return 1;
}

static int new_sheaf(struct world *w, struct kmem_cache *s, struct slub_pcs *p,
		     struct sheaf_part *q)
{
	q->sheaf = q->number > q->usual ? sheaf_memory(w, q->number) : sheaf_new(w, s, p);
	if (q->number > q->usual)
		count(p, SHEAF_ALLOC, 1);
	return 1;
}

/* Handles the parts that move objects between a sheaf and slabs, and the end of a prefill. */
static int slab_part(struct world *w, struct kmem_cache *s, struct slub_pcs *p,
		     struct sheaf_part *q)
{
	switch ((enum kernel_part)q->kind) {
	case PART_SLAB_OFF_LIST:
		return q->node < w->machine.nr_nodes && off_list(w, s, q);
	case PART_SLAB_TAKE:
		return take(w, s, p, q);
	case PART_SLAB_BACK:
	case PART_SLAB_UNUSED:
		return back(w, s, q);
	case PART_SLAB_NEW:
		return new_slab(w, s, p, q);
	case PART_REFILLED:
		return refilled(w, s, p, q);
	case PART_FLUSH:
		return flush(w, s, p, q);
	case PART_SLAB_FREE:
		return free_group(w, s, q);
	case PART_PREFILLED:
		count(p, q->is_spare ? SHEAF_PREFILL_FAST : SHEAF_PREFILL_SLOW, 1);
		count(p, BARN_GET_FAIL, !q->is_spare && q->is_refilled);
		return q->sheaf != 0;
	default:
		return 0;
	}
}

int slub_sheaf_part(struct world *w, struct kmem_cache *s, struct sheaf_part *q)
{
	struct slub_pcs *p = pcs_at_work(w, s);
	u32 home = sheaf_home(w);

	if (!slub_own(w, s)->sheaf_capacity)
		return 0;
	switch ((enum kernel_part)q->kind) {
	case PART_POP:
		return pop(w, s, q);
	case PART_SHEAF_POP:
		return pop_prefilled(w, s, q);
	case PART_SWAP:
		return swap(w, s, p);
	case PART_BARN_SWAP_FULL:
		return swap_full(w, s, p);
	case PART_BARN_SWAP_EMPTY:
		return swap_empty(w, s, p);
	case PART_BARN_GET_EMPTY:
		q->sheaf = barn_take_empty(w, s, home);
		return q->sheaf != 0;
	case PART_BARN_GET_FULL:
		q->sheaf = barn_take_full(w, s, home);
		count(p, BARN_GET, q->sheaf != 0);
		return q->sheaf != 0;
	case PART_BARN_PUT_EMPTY:
		return put_empty(w, s, p, q);
	case PART_BARN_PUT_FULL:
		return put_full(w, s, p, q);
	case PART_SHEAF_NEW:
		return new_sheaf(w, s, p, q);
	case PART_SHEAF_GONE:
		return gone(w, s, p, q);
	case PART_MAIN_IS:
		return main_is(w, s, p, q);
	case PART_SPARE_IS:
		return spare_is(w, s, p, q);
	case PART_SPARE_OUT:
		return spare_out(p, q);
	case PART_RCU_IS:
		return rcu_is(w, s, p, q);
	case PART_RCU_WAIT:
		return rcu_wait(w, s, q);
	case PART_RCU_DONE:
		return rcu_done(w, s, q);
	default:
		return slab_part(w, s, p, q);
	}
}
