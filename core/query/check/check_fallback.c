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

/* The next permutation in lexical order; 0 after the last one. */
static int next_order(u8 *order, u32 nr)
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

static void first_order(const struct check *c, u32 node, u8 *order)
{
	u32 nr = 0;

	for (u32 other = 0; other < c->nr_fallback; other++)
		if (other != node)
			order[nr++] = (u8)other;
}

/* Events of all caches before their first wrong ones. */
static s64 followed(struct kmem_session *s, struct check *c)
{
	s64 all = 0;

	for (u32 nr = 0; nr < c->caches.nr; nr++) {
		s64 events = check_follow(s, c, nr);
		if (events < 0)
			return events;
		all += events;
	}
	return all;
}

/* Keeps the best order of that node; returns what it gives, at least `best`, or an error. */
static s64 try_orders(struct kmem_session *s, struct check *c, u32 node, s64 best)
{
	u8 order[MOST_FALLBACK_NODES] = { 0 }, kept[MOST_FALLBACK_NODES];

	memcpy(kept, c->fallback[node], sizeof(kept));
	first_order(c, node, order);
	do {
		memcpy(c->fallback[node], order, sizeof(order));
		s64 events = followed(s, c);
		if (events < 0)
			return events;
		if (events > best)
			memcpy(kept, order, sizeof(order));
		best = MAX(best, events);
	} while (next_order(order, c->nr_fallback - 1));
	memcpy(c->fallback[node], kept, sizeof(kept));
	return best;
}

s32 check_fallback(struct kmem_session *s, struct check *c)
{
	u32 nodes = c->states[0].nr_nodes;

	c->nr_fallback = 0;
	if (nodes < 3 || nodes > MOST_FALLBACK_NODES ||
	    params_is_chosen(&s->params, PARAM_DISTANCE))
		return 0;
	s64 best = followed(s, c);
	/* The order that equal distances give: upwards from the node, and round. */
	for (u32 node = 0; node < nodes; node++)
		for (u32 i = 0; i + 1 < nodes; i++)
			c->fallback[node][i] = (u8)((node + 1 + i) % nodes);
	c->nr_fallback = nodes;
	/* A node's order may matter only once another one's is right. */
	for (u32 pass = 0; pass < nodes; pass++) {
		s64 before = best;
		for (u32 node = 0; node < nodes && best >= 0; node++)
			best = try_orders(s, c, node, best);
		if (best <= before)
			break;
	}
	return best < 0 ? (s32)best : 0;
}
