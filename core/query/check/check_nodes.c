/*
 * check_nodes.c - whether another order of nodes explains a wrong allocation, with the order of events so far.
 *
 * check_fallback.c looks for the order of nodes by the events that the caches follow, and they may follow only to the first one
 * that was late. With the late ones moved, more is known. An order of nodes that explains the cache from its start to well behind
 * the allocation replaces the old one. Then the search for the order of events begins again, with all caches.
 */
#include "query/check/check_order.h"

/* How far the model is right with the orders of nodes as they are. */
static u32 reach_of_nodes(struct order *o, u32 limit)
{
	o->err = check_world(o->s, o->c, o->cache, CONTROL_NONE, &o->run);
	if (o->err)
		return 0;
	order_note_counters(o);
	for (u32 i = 0; i < limit;) {
		u32 done = order_step(o, i);
		o->steps += done;
		if (o->off)
			return i;
		i += done;
	}
	return limit;
}

/* Whether the kernel or the model took a slab from a node's list, maybe of another node. */
static int took_from_node(const struct order *o, const struct check_event *ev)
{
	const struct check_path *paths = o->c->paths.at;
	u32 path = o->path | (o->has_paths ? paths[ev->op].mask : 0);

	return o->off == OFF_OBJECT && path & PATH(ALLOC_FROM_PARTIAL);
}

int order_ask_nodes(struct order *o, u32 i)
{
	struct check *c = o->c;
	const struct machine *m = &o->run.w->machine;
	const struct check_event *ev = &o->ev[i];
	u32 nodes = c->nr_fallback, limit = MIN(o->nr, i + HORIZON);
	u8 was[MOST_FALLBACK_NODES], order[MOST_FALLBACK_NODES];

	if (!nodes || o->asked == MOST_ASKED || o->asked_op == ev->op || !took_from_node(o, ev) ||
	    o->steps > MOST_STEPS || c->work.rounds == MOST_ROUNDS)
		return 0;
	o->asked++;
	o->asked_op = ev->op;
	const struct cpu *cpus = at(o->run.w, m->cpus);
	u32 node = ev->node < nodes ? ev->node : cpus[ev->cpu % m->nr_cpus].node;
	memcpy(was, c->fallback[node], sizeof(was));
	check_first_order(c, node, order);
	do {
		memcpy(c->fallback[node], order, nodes - 1);
		if (memcmp(order, was, nodes - 1) && reach_of_nodes(o, limit) == limit)
			o->has_other_nodes = 1;
	} while (!o->err && !o->has_other_nodes && check_next_order(order, nodes - 1));
	if (!o->has_other_nodes)
		memcpy(c->fallback[node], was, sizeof(was));
	return 1;
}
