/*
 * check_interval.c - the interval of an event: between the previous and the next event of its task on its CPU.
 *
 * The line of an allocation follows its effect, and the line of a free precedes it. So that is how far an event's effect may
 * be away from its line, counted in lines of other tasks and CPUs.
 */
#include "query/check/check_model.h"

/* The number of the task's latest event on the CPU, which becomes op + 1; 0: it has none. */
static s32 swap_latest(struct kmem_session *s, struct hash *latest, u64 key, u32 op, u32 *before)
{
	if (!hash_reserve(&s->pool, latest))
		return KMEM_ENOMEM;
	struct hash_slot *slot = hash_find(latest, key);
	*before = slot->taken;
	if (slot->taken)
		slot->taken = op + 1;
	else
		hash_put(latest, slot, (struct hash_slot){ key, 0, op + 1 });
	return 0;
}

s32 check_intervals(struct kmem_session *s, struct check *c)
{
	const struct trace *t = &s->trace;
	u64 bytes = MAX(t->nr_ops, 1u) * (u64)sizeof(u32);
	struct hash latest = { 0 };
	s32 err = 0;

	if (!buffer_grow(&s->pool, &c->before, bytes) || !buffer_grow(&s->pool, &c->after, bytes))
		return KMEM_ENOMEM;
	u32 *before = c->before.at, *after = c->after.at;
	for (u32 op = 0; op < t->nr_ops && !err; op++) {
		u64 key = (u64)trace_task(t, op) << 16 | trace_op(t, op).cpu;
		err = swap_latest(s, &latest, key, op, &before[op]);
		after[op] = t->nr_ops;
		if (!err && before[op])
			after[before[op] - 1] = op;
	}
	hash_free(&s->pool, &latest);
	return err;
}
