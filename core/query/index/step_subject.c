/*
 * step_subject.c - see step_subject.h. The table comes from the rows and from the argument names in steps.def.
 */
#include "query/index/query.h"
#include "session/session.h"

static int is_word(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static const struct {
	u16 step, when;
} holds[] = {
#define HOLDS(condition, step) { STEP_##step, WHEN_##condition },
#include "tables/steps/steps.def"
};

static const u16 units[] = {
#define UNITS(step) STEP_##step,
#include "tables/steps/steps.def"
};

static const u16 passed[] = {
#define PASSED(step) STEP_##step,
#include "tables/steps/steps.def"
};

static void note_args(struct touch_kind *kind, const char *const *args)
{
	for (u32 i = 0; i < 5; i++) {
		if (is_word(args[i], "slab"))
			kind->slab_arg = (u8)(i + 1);
		if (is_word(args[i], "index"))
			kind->index_arg = (u8)(i + 1);
	}
}

void touch_kinds_init(struct touch_kind *kinds)
{
	for (u32 i = 0; i < NR_STEP_KINDS; i++)
		note_args(&kinds[i], step_args(i));
	for (u32 i = 0; i < ARRAY_SIZE(units); i++)
		kinds[units[i]].index_arg = 0;
	for (u32 i = 0; i < ARRAY_SIZE(passed); i++)
		kinds[passed[i]].slab_arg = kinds[passed[i]].index_arg = 0;
	for (u32 i = 0; i < ARRAY_SIZE(holds); i++) {
		if (holds[i].when == WHEN_SLOW_PATH)
			kinds[holds[i].step].is_slow = 1;
		else
			kinds[holds[i].step].what |= (u16)WHEN_BIT(holds[i].when);
	}
}

/* Finds the first step of the slow path. A slow event without such a step counts as slow at its start. */
static u32 find_slow_step(const struct kmem_session *s)
{
	for (u32 k = 0; k < s->timeline.nr_steps; k++)
		if (query_of(s)->touch_kinds[s->timeline.steps[k].kind].is_slow)
			return k;
	return 0;
}

s32 touch_run(struct kmem_session *s, struct touched_op *o)
{
	u32 slow_before = s->w->slow_paths;
	const struct op op = trace_op(&s->trace, s->w->op);
	s32 status = session_record(s, s->w->op, 0, NULL);

	if (status)
		return status;
	o->op = s->timeline.steps_op;
	/* An event without an object of its own has one if it frees an object of the start. */
	u32 frees_older = op.kind == OP_NOTHING && s->timeline.op_cache != CACHE_NONE;
	o->kind = frees_older ? OP_FREE : op.kind;
	o->nr_steps = s->timeline.nr_steps;
	o->shared = s->replay.ops->shared_slabs;
	o->has_object = (o->kind == OP_ALLOC || o->kind == OP_KMALLOC || o->kind == OP_FREE) &&
			s->timeline.op_cache != CACHE_NONE;
	o->cache = s->timeline.op_cache != CACHE_NONE
			   ? s->timeline.op_cache
			   : replay_cache_of_site(&s->replay, &s->trace.sites[op.site]);
	o->slab = o->has_object ? s->timeline.op_slab : NOWHERE;
	o->index = o->has_object ? s->timeline.op_index : NOWHERE;
	o->slow_step = s->w->slow_paths == slow_before ? NOWHERE : find_slow_step(s);
	o->implied = op.flags & OP_IMPLIED;
	return 0;
}

int step_is_remote(const struct kmem_session *s, const struct kmem_step *step)
{
	const struct cpu *cpus = at(s->w, s->w->machine.cpus);

	return step->node != NODE_ANY && step->node != cpus[step->cpu].node;
}

static int is_anomaly(const struct kmem_step *step)
{
	return step->kind != STEP_NOTHING || step->args[0] == REASON_ORPHAN_FREE ||
	       step->args[0] == REASON_FAILED_ALLOC || step->args[0] == REASON_NEVER_PLACED;
}

struct touch touch_of_step(const struct kmem_session *s, const struct touched_op *o, u32 k)
{
	const struct kmem_step *step = s->timeline.steps + k;
	const struct touch_kind *kind = &query_of(s)->touch_kinds[step->kind];
	struct touch t = { kind->what, step->cache, NOWHERE, NOWHERE };

	if (kind->slab_arg) {
		t.slab = step->args[kind->slab_arg - 1];
		if (kind->index_arg)
			t.index = step->args[kind->index_arg - 1];
	}
	if (o->shared && t.slab != NOWHERE)
		t.cache = o->cache;
	if (t.what & WHEN_BIT(WHEN_REMOTE_NODE) && !step_is_remote(s, step))
		t.what &= ~WHEN_BIT(WHEN_REMOTE_NODE);
	if (t.what & WHEN_BIT(WHEN_EMPTY_FREED) &&
	    !(o->kind == OP_FREE && t.slab == o->slab && t.cache == o->cache))
		t.what &= ~WHEN_BIT(WHEN_EMPTY_FREED);
	if (t.what & WHEN_BIT(WHEN_ANOMALY) && !is_anomaly(step))
		t.what &= ~WHEN_BIT(WHEN_ANOMALY);
	if (k == o->slow_step)
		t.what |= WHEN_BIT(WHEN_SLOW_PATH);
	return t;
}

struct touch touch_of_object(const struct touched_op *o)
{
	u32 when = o->kind == OP_FREE ? WHEN_FREE : WHEN_ALLOC;
	struct touch t = { WHEN_BIT(when), o->cache, o->slab, o->index };

	if (o->implied)
		t.what |= WHEN_BIT(WHEN_ANOMALY);
	return t;
}

u32 touch_object_step(const struct touched_op *o)
{
	return o->kind == OP_FREE || !o->nr_steps ? 0 : o->nr_steps - 1;
}
