/*
 * caption.c - an event in two sentences: what happened, and what it cost or why.
 *
 * The title of an allocation comes from where its search ends, that of a free from its most important step; both are rows
 * of tables/steps/levels.def.
 */
#include "query/index/query.h"
#include "session/session.h"
#include "util/text.h"

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

/* How many nodes gave the allocation nothing, and one of them. */
static u32 nodes_in_vain(const struct kmem_session *s, const struct event *e, u32 *one)
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

/* Adds what an allocation that ends at that level does; the node is that of its last step there. */
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
	u32 node = 0, nr = nodes_in_vain(s, e, &node), wanted = NODE_ANY;

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
		text_print(t, ", asks node %u without success", node);
	else if (nr)
		text_print(t, ", asks %u nodes without success", nr);
	text_add(t, nr ? ", and " : " and ");
	add_found(t, s, e);
}

static void add_caption(struct text *t, struct kmem_session *s, const struct event *e)
{
	int frees = e->kind == OP_FREE;

	if (add_by_step(t, s, frees ? NOWHERE : 0))
		return;
	if (op_allocates(e->kind) && e->nr && e->nr_levels && e->path.cache != CACHE_NONE)
		add_alloc(t, s, e);
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
		text_print(t, "%'u slab{s} of node %u had room", slabs, node);
	else if (nodes)
		text_print(t, "%'u slabs of %u nodes had room", slabs, nodes);
	if (nodes)
		text_print(t, ", but min_partial lets a node keep %'u for its own CPUs.", kept);
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
			    ? "; most of them fetch memory that another CPU wrote last."
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
