/*
 * watch.c - see watch.h.
 */
#include "test/model/watch.h"

#include "test/model/oracle.h"

static struct oracle oracle;
/* Something was corrupted: objects may be lost, but the allocator's own laws hold on. */
static int damaged;

static int due(u32 every, u32 op)
{
	return every && op % every == every - 1;
}

static void run_one(void *session)
{
	struct kmem_session *s = session;

	replay_run(&s->replay, 1);
}

/* What the operation, just done, asked of the allocator. */
static void tell_oracle(struct kmem_session *s, const struct op *op, object_loc freed)
{
	const struct site *site = &s->trace.sites[op->site];
	u32 cache;

	oracle.requests |= op->kind >= OP_BULK_ALLOC || op->flags & OP_BY_REQUEST;
	if (op->kind == OP_FREE && freed)
		oracle_free(&oracle, op->handle);
	if (op->kind != OP_ALLOC && op->kind != OP_KMALLOC)
		return;
	object_loc loc = replay_locate(&s->replay, op->handle, &cache);
	if (!loc && replay_cache_of_site(&s->replay, site) == CACHE_NONE)
		return; /* straight from the page allocator, or too many caches */
	oracle_alloc(&oracle, op->handle, cache, loc, site->bytes,
		     site->node < s->w->machine.nr_nodes ? site->node : NODE_ANY,
		     clock_cpus(s->w)[s->w->cpu].node);
}

static const char *run_op(struct kmem_session *s, const struct watch *how, u32 nr)
{
	const struct op op = trace_op(&s->trace, nr);
	const char *broken = NULL;
	object_loc freed = 0;
	u32 cache;

	if (op.kind == OP_FREE)
		freed = replay_locate(&s->replay, op.handle, &cache);
	if (due(how->inside, nr) && !damaged)
		broken = oracle_look_inside(&oracle, s->w, freed ? op.handle : ORACLE_NOBODY,
					    run_one, s);
	else
		run_one(s);
	tell_oracle(s, &op, freed);
	if (op.kind == OP_CORRUPT)
		damaged = 1;
	if (!broken && due(how->judge, nr)) {
		broken = damaged ? NULL : oracle_judge(&oracle, s->w);
		if (!broken)
			broken = replay_check(&s->replay);
	}
	return broken;
}

/* From `here` to some place before it and back: the same world. */
static const char *travel(struct kmem_session *s, u32 here)
{
	u64 hash = kmem_hash(s);
	u32 there = here / 2;

	if (kmem_steps(s, there) < 0 || kmem_seek(s, here))
		return kmem_error(s);
	if (kmem_hash(s) != hash)
		return "a world sought is the world of a straight run";
	if (s->timeline.nr_steps && !kmem_peek(s, there, s->timeline.nr_steps / 2, CACHE_NONE))
		return kmem_error(s);
	if (!kmem_view(s, CACHE_NONE) || kmem_seek(s, here))
		return kmem_error(s);
	return kmem_hash(s) == hash ? NULL : "looking inside an operation changes nothing";
}

/* CPUs that share a queue across nodes share the objects of all these nodes: of the unified allocator those that are
 * said to have one cache, and all that are alone on their node. */
static int queues_are_of_one_node(const struct kmem_session *s)
{
	const struct machine *m = &s->w->machine;
	u32 alone = 0;

	for (u32 node = 0; node < m->nr_nodes; node++) {
		u32 nr = 0;
		for (u32 cpu = 0; cpu < m->nr_cpus; cpu++)
			nr += clock_cpus(s->w)[cpu].node == node;
		alone += nr == 1;
	}
	return s->w->policy.allocator != ALLOCATOR_UNIFIED ||
	       (alone < 2 && params_origin(&s->params, PARAM_LLC_GROUPS) == FROM_DEFAULT);
}

const char *watch_replay(struct kmem_session *s, const struct watch *how, u32 *op)
{
	*op = 0;
	if (kmem_build(s, (u64)1 << 20) || kmem_seek(s, 0))
		return NULL;
	oracle_begin(&oracle, s->replay.ops);
	oracle.has_room = params_origin(&s->params, PARAM_MEMORY) == FROM_DEFAULT &&
			  queues_are_of_one_node(s);
	s->timeline.steps_op = NO_OP;
	damaged = 0;
	for (u32 nr = kmem_nr_ops(s); *op < nr; ++*op) {
		const char *broken = run_op(s, how, *op);
		if (!broken && due(how->travel, *op))
			broken = travel(s, *op + 1);
		if (broken)
			return broken;
	}
	return NULL;
}
