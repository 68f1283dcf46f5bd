/*
 * chapters.c - finds the chapters of a trace, and says what each of them and what any event shows.
 */
#include "query/index/query.h"
#include "session/session.h"
#include "util/text.h"

enum {
	FAST_RUN = 8,	/* the longest run of fast allocations to look for */
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

/* Notes a run of allocations of one CPU from one cache that end at the first level, whatever other CPUs do in
 * between. */
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
			   "CPU %u frees an object of %s on node %u, whose memory is nearer to "
			   "other CPUs.",
			   c->cpu, name, c->node);
		break;
	case CHAPTER_DRAIN:
		text_print(
			t,
			"CPU %u has as much free memory of %s as it may hold, and drains some for "
			"the first time.",
			c->cpu, name);
		break;
	case CHAPTER_WALK:
		text_print(t, "The longest search: %u question{s} for one object of %s.", c->number,
			   name);
		break;
	default:
		/* SLOB's lists serve all nodes. */
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

/*
 * An event in two sentences: what happened, and what it cost or why.
 *
 * The title of an allocation comes from where its search ends, that of a free from its most important step; both are rows
 * of tables/steps/levels.def.
 */

static const struct {
	u16 step, rank;
	const char *words;
} captions[] = {
#define CAPTION(rank, step, words) { STEP_##step, rank, words },
#include "tables/allocators.def"
};

static const char *const found_words[] = {
	[LEVEL_PAGES] = "makes a slab from new pages",
#define FOUND(level, words) [LEVEL_##level] = words,
#include "tables/allocators.def"
};

/* An event with its steps, and the levels of its cache. */
struct event {
	struct kmem_path path;
	const struct kmem_path_step *steps;
	const struct kmem_level_row *levels;
	u32 nr, nr_levels, kind, cpu, is_first_use;
};

/* Adds the caption of the step with the lowest rank. Returns 0 if no step has one. */
static int add_by_step(struct text *t, const struct kmem_session *s, u32 most)
{
	u32 best = NOWHERE, step = 0;

	for (u32 k = 0; k < s->timeline.nr_steps; k++)
		for (u32 i = 0; i < ARRAY_SIZE(captions); i++)
			if (captions[i].step == s->timeline.steps[k].kind &&
			    captions[i].rank <= most &&
			    (best == NOWHERE || captions[i].rank < captions[best].rank)) {
				best = i;
				step = k;
			}
	if (best == NOWHERE)
		return 0;
	sentence_add(t, s, s->timeline.steps + step, captions[best].words);
	return 1;
}

/* Returns how many nodes gave the allocation nothing, and one of them. */
static u32 nodes_without(const struct kmem_session *s, const struct event *e, u32 *one)
{
	u32 nr = 0;

	for (u32 k = 0; k < e->nr; k++) {
		const struct kmem_path_step *at = &e->steps[k];
		if (at->verb != VERB_IN_VAIN || at->cpu != CPU_NONE ||
		    !e->levels[at->level].places || s->timeline.steps[k].node == NODE_ANY)
			continue;
		u32 i = 0;
		while (i < k && (e->steps[i].verb != VERB_IN_VAIN || e->steps[i].cpu != CPU_NONE ||
				 s->timeline.steps[i].node != s->timeline.steps[k].node))
			i++;
		nr += i == k;
		*one = s->timeline.steps[k].node;
	}
	return nr;
}

/* Adds what an allocation that ends at that level does; the node comes from its last step there. */
static void add_found(struct text *t, const struct kmem_session *s, const struct event *e)
{
	u32 level = e->levels[e->path.end].level, k = e->nr;

	while (k-- > 1 && e->steps[k].level != e->path.end)
		;
	if (level < ARRAY_SIZE(found_words) && found_words[level])
		sentence_add(t, s, s->timeline.steps + k, found_words[level]);
	else
		text_print(t, "finds one in its %s", level_name(level));
}

static void add_alloc(struct text *t, const struct kmem_session *s, const struct event *e)
{
	u32 node = 0, nr = nodes_without(s, e, &node), wanted = NODE_ANY;

	if (!e->path.end && e->path.fast_cycles && e->nr == 1) {
		text_print(t, "CPU %u takes the next object from its %s", e->cpu,
			   level_name(e->levels[0].level));
		return;
	}
	wanted = s->trace.sites[trace_op(&s->trace, e->path.op).site].node;
	if (e->is_first_use && e->path.cache < s->w->nr_caches)
		text_print(t, "CPU %u is the first to use %s", e->cpu,
			   cache_name(s->w, e->path.cache));
	else if (wanted != NODE_ANY)
		text_print(t, "CPU %u needs an object of node %u", e->cpu, wanted);
	else if (e->path.fast_cycles)
		text_print(t, "CPU %u has none left", e->cpu);
	else
		text_print(t, "CPU %u needs room", e->cpu);
	if (nr == 1)
		text_print(t, ", gets nothing from node %u", node);
	else if (nr)
		text_print(t, ", gets nothing from %u nodes", nr);
	text_add(t, nr ? ", and " : " and ");
	add_found(t, s, e);
}

/* Whether debugging found a fault, and the object stays in use. */
static int is_refused_free(const struct kmem_session *s)
{
	for (u32 k = 0; k < s->timeline.nr_steps; k++)
		if (s->timeline.steps[k].kind == STEP_FIX &&
		    s->timeline.steps[k].args[0] == FIX_NOT_FREED)
			return 1;
	return 0;
}

static void add_caption(struct text *t, struct kmem_session *s, const struct event *e)
{
	int frees = e->kind == OP_FREE;

	if (add_by_step(t, s, frees ? NOWHERE : 0))
		return;
	if (op_allocates(e->kind) && e->nr && e->nr_levels && e->path.cache != CACHE_NONE)
		add_alloc(t, s, e);
	else if (frees && is_refused_free(s))
		text_print(t, "CPU %u frees an object, but debugging finds a fault and refuses",
			   e->cpu);
	else if (frees && e->nr && e->path.fast_cycles)
		text_print(t, "CPU %u puts the object back in its %s", e->cpu,
			   level_name(e->levels[0].level));
	else
		text_add(t, kmem_op_sentence(s, e->path.op));
}

/* Adds which slabs other nodes kept because they had too few. Returns how many. */
static u32 add_kept(struct text *t, const struct kmem_session *s)
{
	u32 slabs = 0, nodes = 0, node = 0, kept = 0;

	for (u32 k = 0; k < s->timeline.nr_steps; k++) {
		const struct kmem_step *step = s->timeline.steps + k;
		u32 i = 0;
		if (step->kind != STEP_ANY_NODE_ZONE || step->args[3] != OUTCOME_TOO_FEW)
			continue;
		while (i < k && (s->timeline.steps[i].kind != STEP_ANY_NODE_ZONE ||
				 s->timeline.steps[i].node != step->node))
			i++;
		if (i < k)
			continue;
		slabs += step->args[1];
		nodes++;
		node = step->node;
		kept = cache_at(s->w, step->cache)->min_partial;
	}
	if (nodes == 1)
		text_print(t, "%'u slab{s} on node %u had room", slabs, node);
	else if (nodes)
		text_print(t, "%'u slabs on %u nodes had room", slabs, nodes);
	if (nodes)
		text_print(t, ", but a node with %'u or fewer (min_partial) is passed over.", kept);
	return nodes;
}

/* Returns the cycles that moving cache lines from other CPUs added to the steps. Waits for locks are separate steps. */
static u32 cycles_for_lines(const struct kmem_session *s, const struct event *e)
{
	u32 sum = 0;

	for (u32 k = 0; k < e->nr; k++) {
		u32 kind = s->timeline.steps[k].kind, own = cost_of(s->w, kind);
		if (kind != STEP_LOCK_WAIT &&
		    e->steps[k].cycles >= own + cost_of(s->w, COST_REMOTE_LINE))
			sum += e->steps[k].cycles - own;
	}
	return sum;
}

static void add_consequence(struct text *t, const struct kmem_session *s, const struct event *e)
{
	u32 fast = e->path.fast_cycles, times = fast ? (e->path.cycles + fast / 2) / fast : 0;

	if (add_kept(t, s) || times < 2)
		return;
	text_print(t, "This %s took %'u cycles, %'u times as long as a fast one",
		   e->kind == OP_FREE ? "free" : "allocation", e->path.cycles, times);
	text_add(t, cycles_for_lines(s, e) > e->path.cycles / 2
			    ? "; most of them went on memory that another CPU wrote last."
			    : ".");
}

const struct kmem_caption *kmem_caption(struct kmem_session *s, u32 op)
{
	struct query *q = query_of(s);
	struct text caption = text_in(q->caption_text, sizeof(q->caption_text)),
		    consequence = text_in(q->consequence_text, sizeof(q->consequence_text));
	const struct kmem_path *path = kmem_path(s, op);
	struct event e = { .is_first_use = 0 };

	if (!path)
		return NULL;
	e.path = *path;
	e.steps = kmem_path_steps(s, op, &e.nr);
	if (!e.steps)
		return NULL;
	e.levels = kmem_levels(s, e.path.cache, &e.nr_levels);
	const struct kmem_op_row *row = kmem_op(s, op);
	e.kind = row->kind;
	e.cpu = row->cpu;
	for (u32 k = 0; k < e.nr; k++)
		e.is_first_use |= q->touch_kinds[s->timeline.steps[k].kind].what >> WHEN_FIRST_USE &
				  1;
	add_caption(&caption, s, &e);
	add_consequence(&consequence, s, &e);
	q->caption = (struct kmem_caption){ op, session_offset(s, q->caption_text),
					    session_offset(s, q->consequence_text) };
	return &q->caption;
}
