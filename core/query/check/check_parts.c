/*
 * check_parts.c - replays the parts of events on sheaves, where lines of slub_op say that they took effect.
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
#include "query/check/check_model.h"
#include "util/text.h"

/* A sheaf of the kernel. */
struct sheaf_row {
	struct sheaf_part part;
	u64 task;  /* that took it; 0: none */
	u32 below; /* row + 1 of the sheaf that this task took before */
};

static struct sheaf_row *row_at(const struct parts *parts, u32 nr)
{
	return STATE_ROWS(struct sheaf_row, parts->rows) + nr;
}

/* The row of the sheaf with that address; NULL without memory. */
static struct sheaf_row *row_of(struct pool *pool, struct parts *parts, u64 address)
{
	if (!hash_reserve(pool, &parts->by_address))
		return NULL;
	struct hash_slot *slot = hash_find(&parts->by_address, address);
	if (slot->taken)
		return row_at(parts, slot->taken - 1);
	struct sheaf_row *row = rows_add(pool, &parts->rows, sizeof(*row));
	if (row)
		hash_put(&parts->by_address, slot,
			 (struct hash_slot){ address, 0, parts->rows.nr });
	return row;
}

void check_parts_drop(struct pool *pool, struct parts *parts)
{
	rows_free(pool, &parts->rows);
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
	for (u32 i = 0; i < parts->rows.nr; i++) {
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
