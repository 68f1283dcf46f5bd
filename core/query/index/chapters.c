/*
 * chapters.c - finds the chapters of a trace, and says what each of them shows.
 */
#include "query/index/query.h"

#include "session/session.h"
#include "util/text.h"

enum {
	FAST_RUN = 8,	/* the longest run of fast allocations that is looked for */
	FAST_SHOWN = 3, /* of these, enough to show what the fast path is */
	MOST_BREAK = 64 /* events of other CPUs between two of them */
};

/* The number of the argument, + 1, that is the length of a node's list after the step. */
static const u8 lengths[NR_STEP_KINDS] = {
#define LENGTH(step, arg) [STEP_##step] = (arg) + 1,
#include "tables/steps/levels.def"
};

static void keep(struct chapter_notes *notes, const struct kmem_chapter *chapter)
{
	struct kmem_chapter *best = &notes->best[chapter->kind];

	if (chapter->number > best->number)
		*best = *chapter;
}

/* A run of allocations of one CPU from one cache that end at the first level, whatever other CPUs do in between. */
static void note_run(struct chapter_notes *notes, const struct kmem_chapter *event, int is_fast)
{
	struct kmem_chapter *run = &notes->run;
	int is_cpu = run->cpu == event->cpu, is_same = is_cpu && run->cache == event->cache;

	if (is_cpu ? !is_fast || !is_same : event->op - run->last_op > MOST_BREAK)
		run->number = 0;
	if (!is_fast || (run->number && !is_same))
		return;
	if (!run->number)
		*run = *event;
	run->kind = CHAPTER_FAST;
	run->last_op = event->op;
	run->number++;
	if (run->number <= FAST_SHOWN)
		notes->shown_op = run->last_op;
	if (run->number <= FAST_RUN && run->number > notes->best[CHAPTER_FAST].number) {
		notes->best[CHAPTER_FAST] = *run;
		notes->fast_op = notes->shown_op;
	}
}

/*
 * The slow path goes as deep as any allocation does, and is the costliest of those. Among equals it is the last one of the
 * CPU whose fast path is shown, so that a reader follows one CPU.
 */
static void note_slow(struct chapter_notes *notes, struct kmem_chapter c,
		      const struct levels_walk *walk)
{
	const struct kmem_chapter *best = &notes->best[CHAPTER_SLOW],
				  *fast = &notes->best[CHAPTER_FAST];
	u32 order[MAX_LEVELS];

	if (best->number && walk->asked < notes->slow_at)
		return;
	if (best->number && walk->asked == notes->slow_at) {
		int is_same_cpu = fast->number && fast->cpu == c.cpu;
		if (c.number < best->number || (c.number == best->number && !is_same_cpu))
			return;
	}
	c.kind = CHAPTER_SLOW;
	notes->best[CHAPTER_SLOW] = c;
	levels_in(walk->levels, order);
	notes->slow_at = walk->asked;
	notes->slow_level = order[walk->asked];
}

static int is_alloc(const struct touched_op *o)
{
	return o->has_object && o->kind != OP_FREE;
}

/* A remote free that drains as well shows two things at once, so it counts only where no other exists. */
static void note_costs(struct chapter_notes *notes, struct kmem_chapter c, u32 is_far,
		       u32 has_drain)
{
	c.kind = CHAPTER_COST;
	keep(notes, &c);
	c.kind = CHAPTER_FAR;
	if (is_far && !has_drain)
		keep(notes, &c);
	if (is_far && has_drain && c.number > notes->far_too.number)
		notes->far_too = c;
	c.kind = CHAPTER_DRAIN;
	if (has_drain && !notes->best[CHAPTER_DRAIN].number)
		keep(notes, &c);
}

void chapters_note(const struct kmem_session *s, struct chapter_notes *notes,
		   const struct touched_op *o, const struct levels_walk *walk, u32 cycles)
{
	struct kmem_chapter c = { .op = o->op, .last_op = o->op, .node = NODE_ANY };
	u32 is_far = 0, has_drain = 0;

	c.cache = (u16)o->cache;
	c.cpu = s->w->cpu;
	note_run(notes, &c, is_alloc(o) && !walk->deepest);
	for (u32 k = 0; k < o->nr_steps; k++) {
		const struct kmem_step *step = s->timeline.steps + k;
		has_drain |= (u32)step_drains(step->kind);
		is_far |= o->kind == OP_FREE && o->has_object && step_is_remote(s, step);
		if (is_far && c.node == NODE_ANY)
			c.node = step->node;
		if (!lengths[step->kind] || step->node == NODE_ANY)
			continue;
		struct kmem_chapter list = c;
		list.kind = CHAPTER_LIST;
		list.node = step->node;
		list.number = step->args[lengths[step->kind] - 1];
		keep(notes, &list);
	}
	if (!o->has_object)
		return;
	c.number = cycles;
	if (is_alloc(o) && walk->asked)
		note_slow(notes, c, walk);
	note_costs(notes, c, is_far, has_drain);
	c.kind = CHAPTER_WALK;
	c.number = walk->questions;
	if (c.number > 1)
		keep(notes, &c);
}

static void write_title(const struct kmem_session *s, const struct chapter_notes *notes,
			const struct kmem_chapter *c, struct text *t)
{
	const char *name = name_or(s, c->cache, "large kmalloc");

	switch (c->kind) {
	case CHAPTER_FAST:
		text_print(t, "CPU %u allocates %u object{s} of %s from its own free objects.",
			   c->cpu, c->number, name);
		break;
	case CHAPTER_SLOW:
		text_print(t, "CPU %u goes down to the %s: %u model cycle{s} for one object of %s.",
			   c->cpu, level_name(notes->slow_level), c->number, name);
		break;
	case CHAPTER_COST:
		text_print(t, "The costliest event: %u model cycle{s} for one object of %s.",
			   c->number, name);
		break;
	case CHAPTER_FAR:
		text_print(t,
			   "CPU %u frees an object of %s on node %u: in memory that is nearer to "
			   "other CPUs.",
			   c->cpu, name, c->node);
		break;
	case CHAPTER_DRAIN:
		text_print(
			t,
			"CPU %u may hold no more free memory of %s, and drains it for the first time.",
			c->cpu, name);
		break;
	case CHAPTER_WALK:
		text_print(t, "The longest search: %u question{s} for one object of %s.", c->number,
			   name);
		break;
	default:
		/* SLOB's lists are those of all nodes. */
		if (s->replay.ops->shared_slabs)
			text_print(t, "The longest list: %u page{s} of all caches.", c->number);
		else
			text_print(t, "The longest list: %u slab{s} of %s on node %u.", c->number,
				   name, c->node);
	}
}

/* An event that is a chapter already needs no second one. */
static int is_listed(const struct query *q, u32 nr, u32 op)
{
	for (u32 i = 0; i < nr; i++)
		if (q->chapters[i].op == op)
			return 1;
	return 0;
}

static struct kmem_chapter chapter_of(const struct chapter_notes *notes, u32 kind)
{
	struct kmem_chapter best = notes->best[kind];

	if (kind == CHAPTER_FAR && !best.number)
		return notes->far_too;
	if (kind == CHAPTER_FAST) {
		best.number = MIN(best.number, FAST_SHOWN);
		best.last_op = notes->fast_op;
	}
	return best;
}

const struct kmem_chapter *kmem_chapters(struct kmem_session *s, u32 *nr)
{
	struct query *q = query_of(s);

	*nr = 0;
	if (q->index.state != INDEX_READY)
		return session_none(s, KMEM_ESTATE, "the index is not built yet");
	for (u32 kind = 0; kind < NR_VALUES(kmem_chapter_kind); kind++) {
		struct kmem_chapter best = chapter_of(&q->index.chapters, kind);
		u32 at = *nr;
		if (!best.number || is_listed(q, *nr, best.op))
			continue;
		struct text t = text_in(q->chapter_titles[kind], CHAPTER_TITLE_BYTES);
		write_title(s, &q->index.chapters, &best, &t);
		best.title_at = session_offset(s, q->chapter_titles[kind]);
		best.name_at = session_offset(s, name_or(s, best.cache, q->no_name));
		for (; at > 0 && q->chapters[at - 1].op > best.op; at--)
			q->chapters[at] = q->chapters[at - 1];
		q->chapters[at] = best;
		++*nr;
	}
	return q->chapters;
}
