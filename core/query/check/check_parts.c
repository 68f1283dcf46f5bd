/*
 * check_parts.c - events on sheaves in parts: where lines of slub_op say that they took effect.
 */
#include "query/check/check_model.h"
#include "util/text.h"

/*
 * Puts each event where lines of slub_op say that it took effect.
 *
 *	pop p=ptr … kmem_cache_alloc ptr	the allocation is at the pop
 *	kfree ptr … push p=ptr			the free is at the push
 *
 * Frees without an event, and frees in bulk:
 *
 *	rcu_push p=ptr				kfree_rcu
 *	kfree_bulk, its frees … slab_free	all of them take effect at the first line of their cache
 *
 * Other lines become parts, check_parts.c.
 */

enum { NOBODY = CHECK_NONE };

/* Returns the row that waits for a pointer, + 1; NULL without memory. */
static u32 *waits_for(struct kmem_session *s, struct hash *h, u64 ptr)
{
	return hash_number(&s->pool, h, ptr, NOBODY);
}

/* An allocation already has its row; a free gets one when its line comes. */
s32 check_event_waits(struct kmem_session *s, struct check *c, const struct check_event *ev)
{
	int is_alloc = ev->kind == CHECK_ALLOC;
	u32 *nr = waits_for(s, is_alloc ? &c->waits_alloc : &c->waits_free,
			    trace_pointer(&s->trace, ev->op));

	if (!nr)
		return KMEM_ENOMEM;
	if (is_alloc && *nr == NOBODY)
		return check_event_add(s, c, ev);
	if (is_alloc) {
		struct check_event *row = &c->unsorted.at[*nr - 1];
		row->op = ev->op;
		row->node = ev->node;
		*nr = NOBODY;
		return 0;
	}
	struct check_event *row = array_add(&s->pool, &c->group.all, sizeof(*row));
	if (!row)
		return KMEM_ENOMEM;
	*row = *ev;
	*nr = c->group.nr;
	return 0;
}

/* Adds the free that waits for this pointer, at a line or at once (0). Returns 1, 0 if none waits, or an error. */
static s32 end_wait(struct kmem_session *s, struct check *c, u64 ptr, u32 line)
{
	u32 *nr = waits_for(s, &c->waits_free, ptr);

	if (!nr || *nr == NOBODY)
		return nr ? 0 : KMEM_ENOMEM;
	struct check_event *ev = &c->group.at[*nr - 1];
	*nr = NOBODY;
	ev->line = line;
	/* Its task may have moved to another CPU in between. */
	if (line) {
		ev->cpu = ((struct kernel_line *)s->trace.kept.effects.at)[line - 1].cpu;
		ev->flags &= (u8) ~(CHECK_IN_GROUP | CHECK_LAST);
	}
	return check_event_add(s, c, ev) ? KMEM_ENOMEM : 1;
}

/* Adds the frees of the task's bulk request on that cache that still wait, as one request. line: its first group went to a slab,
 * as kfree_bulk() does. */
static s32 end_group(struct kmem_session *s, struct check *c, u32 task, u32 cache, u32 line)
{
	struct check_event *last = NULL;

	for (u32 i = 0; i < c->group.nr; i++) {
		struct check_event *ev = &c->group.at[i];
		u64 ptr = trace_pointer(&s->trace, ev->op);
		if (!(ev->flags & CHECK_IN_GROUP) || ev->cache != cache ||
		    trace_task(&s->trace, ev->op) != task)
			continue;
		const u32 *nr = waits_for(s, &c->waits_free, ptr);
		if (!nr)
			return KMEM_ENOMEM;
		if (*nr != i + 1)
			continue;
		ev->flags &= (u8)~CHECK_LAST;
		if (end_wait(s, c, ptr, 0) < 0)
			return KMEM_ENOMEM;
		last = &c->unsorted.at[c->unsorted.nr - 1];
		last->line = line;
	}
	if (last)
		last->flags |= CHECK_LAST;
	return 0;
}

/* Adds the event for that slab's object. */
static s32 add_at(struct kmem_session *s, struct check *c, u32 row, u32 index, u32 kind,
		  struct check_event *ev)
{
	ev->kind = (u8)kind;
	ev->slab = c->slabs.at[row].nr;
	ev->index = (u16)index;
	return check_event_add(s, c, ev);
}

static s32 add_alloc(struct kmem_session *s, struct check *c, u64 ptr, struct check_event *ev)
{
	u32 index;

	if (end_wait(s, c, ptr, 0) < 0)
		return KMEM_ENOMEM;
	u32 row = check_place(s, c, ev->cache, ptr, &index);
	if (row == CHECK_NONE || index == CHECK_NONE)
		return 0;
	u32 *nr = waits_for(s, &c->waits_alloc, ptr);
	if (!nr)
		return KMEM_ENOMEM;
	*nr = c->unsorted.nr + 1;
	return add_at(s, c, row, index, CHECK_ALLOC, ev);
}

static s32 add_free(struct kmem_session *s, struct check *c, u64 ptr, struct check_event *ev)
{
	s32 found = end_wait(s, c, ptr, ev->line);
	u32 index;

	if (found)
		return MIN(found, 0);
	u32 row = check_place(s, c, CHECK_NONE, ptr, &index);
	if (row == CHECK_NONE || index == CHECK_NONE || c->slabs.at[row].cache != ev->cache)
		return 0;
	return add_at(s, c, row, index, CHECK_FREE, ev);
}

/* Whether a free outside groups waits for that pointer. */
static int waits(struct kmem_session *s, struct check *c, u64 ptr)
{
	const u32 *nr = waits_for(s, &c->waits_free, ptr);

	return nr && *nr != NOBODY && !(c->group.at[*nr - 1].flags & CHECK_IN_GROUP);
}

static s32 add_line(struct kmem_session *s, struct check *c, u32 nr)
{
	const struct kernel_line *line = (struct kernel_line *)s->trace.kept.effects.at + nr;
	u32 cache = line->what < NR_KERNEL_PARTS
			    ? state_cache_of(&c->states[0], trace_text(&s->trace, line->name))
			    : CHECK_NONE;
	struct check_event ev = { .op = line->before,
				  .cpu = line->cpu,
				  .node = NODE_ANY,
				  .kind = CHECK_PART,
				  .slab = CHECK_NONE,
				  .cache = (u16)cache,
				  .line = nr + 1 };

	u32 row, index;

	if (cache == CHECK_NONE || line->before < c->from || line->before > c->end)
		return 0;
	switch (line->what) {
	case PART_POP:
	case PART_SHEAF_POP:
		return add_alloc(s, c, line->p, &ev);
	case PART_SLAB_ONE:
		return add_alloc(s, c, line->q, &ev);
	case PART_PUSH:
	case PART_RCU_PUSH:
		return add_free(s, c, line->p, &ev);
	case PART_SLAB_FREE:
		if (line->n == 1 && waits(s, c, line->q))
			return add_free(s, c, line->q, &ev);
		return end_group(s, c, line->task, cache, nr + 1) || check_event_add(s, c, &ev)
			       ? KMEM_ENOMEM
			       : 0;
	case PART_SLAB_NEW:
		row = check_place(s, c, cache, line->p, &index);
		ev.slab = row == CHECK_NONE ? CHECK_NONE : c->slabs.at[row].nr;
		return check_event_add(s, c, &ev);
	case PART_PUSH_BULK:
		return end_group(s, c, line->task, cache, 0);
	default:
		return check_event_add(s, c, &ev);
	}
}

s32 check_lines(struct kmem_session *s, struct check *c, u32 op)
{
	const struct kernel_line *lines = s->trace.kept.effects.at;

	for (; c->has_parts && c->next_line < s->trace.kept.nr_effects; c->next_line++) {
		if (lines[c->next_line].before > op)
			return 0;
		if (add_line(s, c, c->next_line))
			return KMEM_ENOMEM;
	}
	return 0;
}

void check_lines_drop(struct kmem_session *s, struct check *c)
{
	hash_free(&s->pool, &c->waits_alloc);
	hash_free(&s->pool, &c->waits_free);
	array_free(&s->pool, &c->group.all);
}

/*
 * Replays the parts of events on sheaves, where lines of slub_op say that they took effect.
 *
 *	spare_out p ─ slab_off_list ─ slab_take ─ slab_back ─ refilled p ─ main_is p ─ pop
 *
 * 7.x is preemptible between them, so events of several tasks interlock. A line says which part comes next, and on which
 * sheaf, by its address. The model chooses the objects, and may refuse the part (alloc/slub/sheaves). Then
 * it does what is missing at once, when an object is allocated or freed.
 *
 * A sheaf that an event holds has a row here. Parts on slabs have no address of a sheaf: they belong to the sheaf that
 * their task took last.
 */

/* A sheaf of the kernel. */
struct sheaf_row {
	struct sheaf_part part;
	u64 task;  /* the task that took it; 0: none */
	u32 below; /* row + 1 of the sheaf that this task took before */
};

static struct sheaf_row *row_at(const struct parts *parts, u32 nr)
{
	return parts->sheaves.at + nr;
}

/* Returns the row of the sheaf with that address; NULL without memory. */
static struct sheaf_row *row_of(struct pool *pool, struct parts *parts, u64 address)
{
	u32 *nr = hash_number(pool, &parts->by_address, address, CHECK_NONE);

	if (!nr || *nr != CHECK_NONE)
		return nr ? row_at(parts, *nr - 1) : NULL;
	struct sheaf_row *row = array_add(pool, &parts->sheaves.all, sizeof(*row));
	*nr = row ? parts->sheaves.nr : CHECK_NONE;
	return row;
}

void check_parts_drop(struct pool *pool, struct parts *parts)
{
	array_free(pool, &parts->sheaves.all);
	hash_free(pool, &parts->by_address);
	hash_free(pool, &parts->tasks);
}

s32 check_parts_know(struct kmem_session *s, struct run *run, u64 address, ref sheaf)
{
	struct sheaf_row *row = run->parts ? row_of(&s->pool, run->parts, address) : NULL;

	if (row)
		row->part.sheaf = sheaf;
	return row || !run->parts
		       ? 0
		       : session_fail(s, KMEM_ENOMEM, "not enough memory for the sheaves");
}

u64 check_task(const struct trace *t, u32 task, u32 cpu)
{
	const char *name = trace_text(t, task);
	u32 len = text_length(name);
	int is_idle = len > 1 && name[len - 1] == '0' && name[len - 2] == '-';

	return ((u64)task + 1) << 16 | (is_idle ? cpu : 0);
}

/* Returns the row + 1 of the sheaf that the task took last; NULL without memory. */
static u32 *latest_of(struct run *run, u64 task)
{
	return hash_number(run->pool, &run->parts->tasks, task, CHECK_NONE);
}

/* The task no longer has the sheaf. */
static void let_go(struct run *run, struct sheaf_row *row)
{
	u32 *at = row->task ? latest_of(run, row->task) : NULL;
	u32 nr = (u32)(row - row_at(run->parts, 0)) + 1;

	row->task = 0;
	while (at && *at != CHECK_NONE && *at != nr)
		at = &row_at(run->parts, *at - 1)->below;
	if (at && *at == nr)
		*at = row->below;
}

static void take_hold(struct run *run, struct sheaf_row *row, u64 task)
{
	let_go(run, row);
	u32 *latest = latest_of(run, task);

	if (!latest)
		return;
	row->task = task;
	row->below = *latest;
	*latest = (u32)(row - row_at(run->parts, 0)) + 1;
}

enum part_role {
	ROLE_OTHER,
	ROLE_TAKES,   /* the task has the sheaf from now on */
	ROLE_LETS_GO, /* somebody else has it */
	ROLE_OF_SLABS,
};

static const u8 roles[NR_KERNEL_PARTS] = {
	[PART_SPARE_OUT] = ROLE_TAKES,	     [PART_BARN_GET_EMPTY] = ROLE_TAKES,
	[PART_BARN_GET_FULL] = ROLE_TAKES,   [PART_SHEAF_NEW] = ROLE_TAKES,
	[PART_RETURN] = ROLE_TAKES,	     [PART_REFILL] = ROLE_TAKES,
	[PART_RCU_DONE] = ROLE_TAKES,	     [PART_MAIN_IS] = ROLE_LETS_GO,
	[PART_SPARE_IS] = ROLE_LETS_GO,	     [PART_RCU_IS] = ROLE_LETS_GO,
	[PART_RCU_WAIT] = ROLE_LETS_GO,	     [PART_BARN_PUT_EMPTY] = ROLE_LETS_GO,
	[PART_BARN_PUT_FULL] = ROLE_LETS_GO, [PART_SHEAF_GONE] = ROLE_LETS_GO,
	[PART_PREFILLED] = ROLE_LETS_GO,     [PART_SLAB_OFF_LIST] = ROLE_OF_SLABS,
	[PART_SLAB_TAKE] = ROLE_OF_SLABS,    [PART_SLAB_BACK] = ROLE_OF_SLABS,
	[PART_SLAB_UNUSED] = ROLE_OF_SLABS,  [PART_SLAB_NEW] = ROLE_OF_SLABS,
	[PART_SLAB_FREE] = ROLE_OF_SLABS,
};

/* Matches a sheaf of the model with one of the kernel's. Where the two have diverged, a second address may find it. */
static void forget_elsewhere(struct parts *parts, const struct sheaf_part *part, ref sheaf)
{
	for (u32 i = 0; i < parts->sheaves.nr; i++) {
		struct sheaf_part *other = &row_at(parts, i)->part;
		if (other != part && other->sheaf == sheaf)
			other->sheaf = 0;
	}
}

static int ask(struct run *run, struct sheaf_part *part, u32 kind)
{
	ref sheaf = part->sheaf;

	part->kind = kind;
	int is_done = run->ops->part(run->w, run->s, part);
	if (part->sheaf != sheaf)
		forget_elsewhere(run->parts, part, part->sheaf ? part->sheaf : sheaf);
	run->parts->nr++;
	run->parts->nr_refused += !is_done;
	return is_done;
}

static void begin(struct sheaf_part *part, u32 what)
{
	int keeps = what == PART_RETURN || what == PART_REFILL || what == PART_RCU_DONE;

	*part = (struct sheaf_part){ .sheaf = keeps ? part->sheaf : 0,
				     .is_returned = what == PART_RETURN,
				     .is_spare = what == PART_SPARE_OUT };
}

static void step_of_sheaf(struct run *run, const struct kernel_line *line, u32 usual)
{
	struct sheaf_row *row = row_of(run->pool, run->parts, line->p);
	u32 role = roles[line->what];

	if (!row)
		return;
	struct sheaf_part *part = &row->part;
	if (role == ROLE_TAKES) {
		begin(part, line->what);
		take_hold(run, row, check_task(run->trace, line->task, line->cpu));
	}
	if (line->what == PART_RETURN || line->what == PART_REFILL)
		return;
	/* Slabs that the kernel's sheaf had no use for. */
	while (role == ROLE_LETS_GO && part->slabs && ask(run, part, PART_SLAB_BACK)) {
	}
	part->number = (u32)MAX(line->n, 0);
	part->usual = usual;
	part->is_flushed |= line->what == PART_FLUSH;
	ask(run, part, line->what);
	part->is_refilled |= line->what == PART_REFILLED;
	if (role == ROLE_LETS_GO)
		let_go(run, row);
}

static object_loc step_of_slab(struct run *run, const struct kernel_line *line)
{
	const u32 *nr = latest_of(run, check_task(run->trace, line->task, line->cpu));
	struct sheaf_part *part = nr && *nr != CHECK_NONE ? &row_at(run->parts, *nr - 1)->part
							  : NULL;

	/* Slabs that no sheaf is filled from, or emptied to: a bulk request, which takes effect as a whole. */
	if (!part || (line->what == PART_SLAB_FREE && !part->is_flushed))
		return 0;
	part->node = line->node < 0 ? CHECK_NONE : (u32)line->node;
	return ask(run, part, line->what) && line->what == PART_SLAB_NEW ? part->loc : 0;
}

object_loc check_part_alloc(struct run *run, const struct check_event *ev, u32 node)
{
	const struct kernel_line *line = run->lines + ev->line - 1;
	struct sheaf_part main = { .sheaf = 0 };
	struct sheaf_row *row = row_of(run->pool, run->parts, line->q);
	struct sheaf_part *part = line->what == PART_SHEAF_POP && row ? &row->part : &main;

	if (line->what != PART_SLAB_ONE && ask(run, part, line->what))
		return part->loc;
	return run->ops->alloc(run->w, run->s, run->w->cpu, node, run->s->object_size);
}

void check_part_free(struct run *run, const struct check_event *ev, object_loc loc)
{
	const struct kernel_line *line = run->lines + ev->line - 1;
	struct request late = { .kind = REQUEST_FREE_RCU, .loc = loc };

	if (line->what == PART_RCU_PUSH)
		run->ops->request(run->w, run->s, run->w->cpu, &late);
	else
		run->ops->free(run->w, run->s, run->w->cpu, loc);
}

object_loc check_part_step(struct run *run, const struct check_event *ev, u32 usual)
{
	const struct kernel_line *line = run->lines + ev->line - 1;
	struct sheaf_part none = { .sheaf = 0 };

	if (roles[line->what] == ROLE_OF_SLABS)
		return step_of_slab(run, line);
	if (line->what == PART_SWAP || line->what == PART_BARN_SWAP_FULL ||
	    line->what == PART_BARN_SWAP_EMPTY)
		ask(run, &none, line->what);
	else if (line->what != PART_PUSH_BULK && line->what != PART_POP_BULK)
		step_of_sheaf(run, line, usual);
	return 0;
}
