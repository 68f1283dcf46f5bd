/*
 * check_lines.c - puts each event where lines of slub_op say that it took effect.
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
#include "query/check/check_model.h"

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
		struct check_event *row = STATE_ROWS(struct check_event, c->unsorted) +
					  slot->taken - 1;
		row->op = ev->op;
		row->node = ev->node;
		slot->taken = NOBODY;
		return 0;
	}
	if (ev->kind == CHECK_ALLOC)
		return check_event_add(s, c, ev);
	struct check_event *row = rows_add(&s->pool, &c->group, sizeof(*row));
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
	struct check_event *ev = STATE_ROWS(struct check_event, c->group) + slot->taken - 1;
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
	struct check_event *rows = c->group.run.at;
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
		STATE_ROWS(struct check_event, c->unsorted)[last].line = line;
	}
	if (last != CHECK_NONE)
		STATE_ROWS(struct check_event, c->unsorted)[last].flags |= CHECK_LAST;
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
	if (row == CHECK_NONE || !slot)
		return slot ? 0 : KMEM_ENOMEM;
	ev->kind = CHECK_ALLOC;
	ev->slab = STATE_ROWS(struct kernel_slab, c->slabs)[row].nr;
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
	if (row == CHECK_NONE || STATE_ROWS(struct kernel_slab, c->slabs)[row].cache != ev->cache)
		return 0;
	ev->kind = CHECK_FREE;
	ev->slab = STATE_ROWS(struct kernel_slab, c->slabs)[row].nr;
	ev->index = (u16)index;
	return check_event_add(s, c, ev);
}

static int waits(struct kmem_session *s, struct check *c, u64 ptr)
{
	const struct hash_slot *slot = slot_of(s, &c->waits_free, ptr);

	return slot && slot->taken != NOBODY &&
	       !(STATE_ROWS(struct check_event, c->group)[slot->taken - 1].flags & CHECK_IN_GROUP);
}

static u32 new_slab(struct kmem_session *s, struct check *c, u32 cache, u64 address)
{
	u32 index, row = check_place(s, c, cache, address, &index);

	return row == CHECK_NONE ? CHECK_NONE : STATE_ROWS(struct kernel_slab, c->slabs)[row].nr;
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
	rows_free(&s->pool, &c->group);
}
