/*
 * check_fallback.c - finds the order in which each node's any-node search asks the others.
 *
 * It follows from the distances between nodes, which neither a trace nor a state has. If the command line does not give
 * them, every order is tried for one node after the other. The order with which the caches follow the kernel for longest
 * is kept; no difference keeps the order of equal distances.
 */
#include "query/check/check_model.h"

static void swap(u8 *a, u8 *b)
{
	u8 other = *a;

	*a = *b;
	*b = other;
}

int check_next_order(u8 *order, u32 nr)
{
	u32 i = nr - 1, k = nr - 1;

	while (i && order[i - 1] >= order[i])
		i--;
	if (!i)
		return 0;
	while (order[k] <= order[i - 1])
		k--;
	swap(&order[i - 1], &order[k]);
	for (k = nr - 1; i < k; i++, k--)
		swap(&order[i], &order[k]);
	return 1;
}

void check_first_order(const struct check *c, u32 node, u8 *order)
{
	u32 nr = 0;

	for (u32 other = 0; other < c->nr_fallback; other++)
		if (other != node)
			order[nr++] = (u8)other;
}

/* The next trial is of that node's first order. */
static void begin_node(struct check *c)
{
	struct fallback_search *f = &c->search;

	memcpy(f->kept, c->fallback[f->node], sizeof(f->kept));
	check_first_order(c, f->node, f->order);
	memcpy(c->fallback[f->node], f->order, sizeof(f->order));
}

/* The order that equal distances give: upwards from the node, and round. */
static void begin_orders(struct check *c, u32 nodes)
{
	for (u32 node = 0; node < nodes; node++)
		for (u32 i = 0; i + 1 < nodes; i++)
			c->fallback[node][i] = (u8)((node + 1 + i) % nodes);
	c->nr_fallback = nodes;
	begin_node(c);
}

/* Keeps the order with which the caches followed for longest. */
static void next_trial(struct check *c)
{
	struct fallback_search *f = &c->search;
	u32 nodes = c->states[0].nr_nodes;
	u64 events = f->pass.sum;

	f->pass = (struct check_pass){ .follows = 1 };
	if (!c->nr_fallback) {
		f->best = f->before = events;
		begin_orders(c, nodes);
		return;
	}
	if (events > f->best)
		memcpy(f->kept, f->order, sizeof(f->kept));
	f->best = MAX(f->best, events);
	u32 is_more = (u32)check_next_order(f->order, nodes - 1);
	memcpy(c->fallback[f->node], is_more ? f->order : f->kept, sizeof(f->kept));
	if (is_more)
		return;
	/* A node's order may matter only once another one's is right. */
	if (++f->node == nodes) {
		f->is_on = f->best > f->before && ++f->round < nodes;
		f->before = f->best;
		f->node = 0;
	}
	if (f->is_on)
		begin_node(c);
}

void check_fallback_begin(struct kmem_session *s, struct check *c)
{
	u32 nodes = c->states[0].nr_nodes;

	c->nr_fallback = 0;
	c->search = (struct fallback_search){ .pass = { .follows = 1 } };
	c->search.is_on = !c->has_parts && nodes >= 3 && nodes <= MOST_FALLBACK_NODES &&
			  !params_is_chosen(&s->params, PARAM_DISTANCE);
}

s32 check_fallback_run(struct kmem_session *s, struct check *c, u32 *events)
{
	while (c->search.is_on) {
		s32 more = check_pass_run(s, c, &c->search.pass, events);
		if (more)
			return more;
		next_trial(c);
	}
	return 0;
}

s32 check_fallback(struct kmem_session *s, struct check *c)
{
	s32 more;

	check_fallback_begin(s, c);
	do {
		u32 events = CHECK_NONE;
		more = check_fallback_run(s, c, &events);
	} while (more > 0);
	return more;
}
