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

/* The slot of a pointer for which something waits; NULL without memory. */
static struct hash_slot *slot_of(struct kmem_session *s, struct hash *h, u64 ptr)
{
	if (!hash_reserve(&s->pool, h))
		return NULL;
	struct hash_slot *slot = hash_find(h, ptr);
	if (!slot->taken)
		hash_put(h, slot, (struct hash_slot){ ptr, 0, NOBODY });
	return hash_find(h, ptr);
}

static u64 pointer_of(const struct kmem_session *s, const struct check_event *ev)
{
	return trace_pointer(&s->trace, ev->op);
}

/* An allocation has its row since its line; a free comes when its line does. */
s32 check_event_waits(struct kmem_session *s, struct check *c, const struct check_event *ev)
{
	u64 ptr = pointer_of(s, ev);
	struct hash_slot *slot =
		slot_of(s, ev->kind == CHECK_ALLOC ? &c->waits_alloc : &c->waits_free, ptr);

	if (!slot)
		return KMEM_ENOMEM;
	if (ev->kind == CHECK_ALLOC && slot->taken != NOBODY) {
		struct check_event *row = c->unsorted.at + slot->taken - 1;
		row->op = ev->op;
		row->node = ev->node;
		slot->taken = NOBODY;
		return 0;
	}
	if (ev->kind == CHECK_ALLOC)
		return check_event_add(s, c, ev);
	struct check_event *row = array_add(&s->pool, &c->group.all, sizeof(*row));
	if (!row)
		return KMEM_ENOMEM;
	*row = *ev;
	slot->taken = c->group.nr;
	return 0;
}

/* Adds the free that waits for this pointer, if there is one, at a line or at once (0). */
static s32 end_wait(struct kmem_session *s, struct check *c, u64 ptr, u32 line, int *found)
{
	struct hash_slot *slot = slot_of(s, &c->waits_free, ptr);

	*found = slot && slot->taken != NOBODY;
	if (!slot || !*found)
		return slot ? 0 : KMEM_ENOMEM;
	struct check_event *ev = c->group.at + slot->taken - 1;
	slot->taken = NOBODY;
	ev->line = line;
	/* Its task may have gone to another CPU in between. */
	if (line)
		ev->cpu = ((struct kernel_line *)s->trace.kept.effects.at)[line - 1].cpu;
	ev->flags &= line ? (u8) ~(CHECK_IN_GROUP | CHECK_LAST) : ev->flags;
	return check_event_add(s, c, ev);
}

/* Adds the frees of the task's bulk request on that cache that still wait, as one request. line: its first group went to a slab,
 * as kfree_bulk() does. */
static s32 end_group(struct kmem_session *s, struct check *c, u32 task, u32 cache, u32 line)
{
	struct check_event *rows = c->group.at;
	u32 last = CHECK_NONE;
	int found;

	for (u32 i = 0; i < c->group.nr; i++) {
		struct hash_slot *slot = rows[i].flags & CHECK_IN_GROUP && rows[i].cache == cache &&
							 trace_task(&s->trace, rows[i].op) == task
						 ? slot_of(s, &c->waits_free,
							   pointer_of(s, &rows[i]))
						 : NULL;
		if (!slot || slot->taken != i + 1)
			continue;
		rows[i].flags &= (u8)~CHECK_LAST;
		if (end_wait(s, c, pointer_of(s, &rows[i]), 0, &found))
			return KMEM_ENOMEM;
		last = c->unsorted.nr - 1;
		c->unsorted.at[last].line = line;
	}
	if (last != CHECK_NONE)
		c->unsorted.at[last].flags |= CHECK_LAST;
	return 0;
}

static s32 add_alloc(struct kmem_session *s, struct check *c, u32 cache, u64 ptr,
		     struct check_event *ev)
{
	u32 index, row;
	int found;

	if (end_wait(s, c, ptr, 0, &found))
		return KMEM_ENOMEM;
	row = check_place(s, c, cache, ptr, &index);
	struct hash_slot *slot = slot_of(s, &c->waits_alloc, ptr);
	if (row == CHECK_NONE || index == CHECK_NONE || !slot)
		return slot ? 0 : KMEM_ENOMEM;
	ev->kind = CHECK_ALLOC;
	ev->slab = c->slabs.at[row].nr;
	ev->index = (u16)index;
	slot->taken = c->unsorted.nr + 1;
	return check_event_add(s, c, ev);
}

static s32 add_free(struct kmem_session *s, struct check *c, u64 ptr, struct check_event *ev)
{
	u32 index, row;
	int found;

	if (end_wait(s, c, ptr, ev->line, &found) || found)
		return found ? 0 : KMEM_ENOMEM;
	row = check_place(s, c, CHECK_NONE, ptr, &index);
	if (row == CHECK_NONE || index == CHECK_NONE || c->slabs.at[row].cache != ev->cache)
		return 0;
	ev->kind = CHECK_FREE;
	ev->slab = c->slabs.at[row].nr;
	ev->index = (u16)index;
	return check_event_add(s, c, ev);
}

static int waits(struct kmem_session *s, struct check *c, u64 ptr)
{
	const struct hash_slot *slot = slot_of(s, &c->waits_free, ptr);

	return slot && slot->taken != NOBODY &&
	       !(c->group.at[slot->taken - 1].flags & CHECK_IN_GROUP);
}

static u32 new_slab(struct kmem_session *s, struct check *c, u32 cache, u64 address)
{
	u32 index, row = check_place(s, c, cache, address, &index);

	return row == CHECK_NONE ? CHECK_NONE : c->slabs.at[row].nr;
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

	if (cache == CHECK_NONE || line->before < c->from || line->before > c->end)
		return 0;
	switch (line->what) {
	case PART_POP:
	case PART_SHEAF_POP:
		return add_alloc(s, c, cache, line->p, &ev);
	case PART_SLAB_ONE:
		return add_alloc(s, c, cache, line->q, &ev);
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
		ev.slab = new_slab(s, c, cache, line->p);
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
 * A sheaf that an event has is in a row here. Parts on slabs have no address of a sheaf: they belong to the sheaf that
 * their task took last.
 */

/* A sheaf of the kernel. */
struct sheaf_row {
	struct sheaf_part part;
	u64 task;  /* that took it; 0: none */
	u32 below; /* row + 1 of the sheaf that this task took before */
};

static struct sheaf_row *row_at(const struct parts *parts, u32 nr)
{
	return parts->sheaves.at + nr;
}

/* The row of the sheaf with that address; NULL without memory. */
static struct sheaf_row *row_of(struct pool *pool, struct parts *parts, u64 address)
{
	if (!hash_reserve(pool, &parts->by_address))
		return NULL;
	struct hash_slot *slot = hash_find(&parts->by_address, address);
	if (slot->taken)
		return row_at(parts, slot->taken - 1);
	struct sheaf_row *row = array_add(pool, &parts->sheaves.all, sizeof(*row));
	if (row)
		hash_put(&parts->by_address, slot,
			 (struct hash_slot){ address, 0, parts->sheaves.nr });
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

static u64 task_of(const struct trace *t, const struct kernel_line *line)
{
	return check_task(t, line->task, line->cpu);
}

/* The slot with row + 1 of the sheaf that the task took last; NULL without memory. */
static struct hash_slot *latest_of(struct pool *pool, struct parts *parts, u64 task)
{
	if (!hash_reserve(pool, &parts->tasks))
		return NULL;
	struct hash_slot *slot = hash_find(&parts->tasks, task);
	if (!slot->taken)
		hash_put(&parts->tasks, slot, (struct hash_slot){ task, 0, CHECK_NONE });
	return hash_find(&parts->tasks, task);
}

/* The task no longer has the sheaf. */
static void let_go(struct run *run, struct sheaf_row *row)
{
	struct hash_slot *slot = row->task ? latest_of(run->pool, run->parts, row->task) : NULL;
	u32 nr = (u32)(row - row_at(run->parts, 0)) + 1;

	row->task = 0;
	if (!slot)
		return;
	if (slot->taken == nr) {
		slot->taken = row->below;
		return;
	}
	for (u32 i = slot->taken; i != CHECK_NONE; i = row_at(run->parts, i - 1)->below)
		if (row_at(run->parts, i - 1)->below == nr) {
			row_at(run->parts, i - 1)->below = row->below;
			return;
		}
}

static void take_hold(struct run *run, struct sheaf_row *row, u64 task)
{
	let_go(run, row);
	struct hash_slot *slot = latest_of(run->pool, run->parts, task);

	if (!slot)
		return;
	row->task = task;
	row->below = slot->taken;
	slot->taken = (u32)(row - row_at(run->parts, 0)) + 1;
}

enum part_role {
	ROLE_OTHER,
	ROLE_TAKES,   /* the task has the sheaf from now on */
	ROLE_LETS_GO, /* somebody else has it */
	ROLE_OF_SLABS,
};

static enum part_role role_of(u32 what)
{
	switch (what) {
	case PART_SPARE_OUT:
	case PART_BARN_GET_EMPTY:
	case PART_BARN_GET_FULL:
	case PART_SHEAF_NEW:
	case PART_RETURN:
	case PART_REFILL:
	case PART_RCU_DONE:
		return ROLE_TAKES;
	case PART_MAIN_IS:
	case PART_SPARE_IS:
	case PART_RCU_IS:
	case PART_RCU_WAIT:
	case PART_BARN_PUT_EMPTY:
	case PART_BARN_PUT_FULL:
	case PART_SHEAF_GONE:
	case PART_PREFILLED:
		return ROLE_LETS_GO;
	case PART_SLAB_OFF_LIST:
	case PART_SLAB_TAKE:
	case PART_SLAB_BACK:
	case PART_SLAB_UNUSED:
	case PART_SLAB_NEW:
	case PART_SLAB_FREE:
		return ROLE_OF_SLABS;
	default:
		return ROLE_OTHER;
	}
}

/* A sheaf of the model is one of the kernel's. Where the two have parted, a second address may find it. */
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
	u64 task = task_of(run->trace, line);
	enum part_role role = role_of(line->what);

	if (!row)
		return;
	struct sheaf_part *part = &row->part;
	if (role == ROLE_TAKES) {
		begin(part, line->what);
		take_hold(run, row, task);
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
	struct hash_slot *slot = latest_of(run->pool, run->parts, task_of(run->trace, line));
	struct sheaf_part *part = slot && slot->taken != CHECK_NONE
					  ? &row_at(run->parts, slot->taken - 1)->part
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

	if (role_of(line->what) == ROLE_OF_SLABS)
		return step_of_slab(run, line);
	if (line->what == PART_SWAP || line->what == PART_BARN_SWAP_FULL ||
	    line->what == PART_BARN_SWAP_EMPTY)
		ask(run, &none, line->what);
	else if (line->what != PART_PUSH_BULK && line->what != PART_POP_BULK)
		step_of_sheaf(run, line, usual);
	return 0;
}
