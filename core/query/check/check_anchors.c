/*
 * check_anchors.c - copies of a small world and its tables, to go back to an earlier event of the cache.
 *
 * The world is copied as a whole. The tables are larger, so each change of them is noted, and taken back.
 */
#include "query/check/check_order.h"

int anchor_save(struct order *o, struct anchor *a, u32 pos)
{
	/* An older copy is poisoned where its world was, and moves if the block grows. */
	region_unpoison(a->copy.at, a->copy.room_bytes);
	if (!buffer_grow(o->run.pool, &a->copy, ALIGN_UP(o->run.w->used, 64u))) {
		o->err = session_fail(o->s, KMEM_ENOMEM, "not enough memory to infer the order");
		return 0;
	}
	region_copy(a->copy.at, o->run.w, o->run.w->used);
	a->bytes = o->run.w->used;
	/* A trial that has run the accepted order only has made the same changes again. */
	if (o->run.undo == &o->trial) {
		o->at += o->trial.nr;
		o->trial.nr = 0;
	} else {
		o->at = o->accepted.nr;
	}
	a->undo = o->at;
	a->pos = pos;
	return 1;
}

/* Sets the tables as they were at that place of the accepted order. */
static void go_to(struct order *o, u32 place)
{
	const struct undo *trial = o->trial.run.at, *accepted = o->accepted.run.at;

	o->run.undo = NULL;
	while (o->trial.nr) {
		const struct undo *row = &trial[--o->trial.nr];
		run_set(&o->run, row->table, row->index, row->was);
	}
	while (o->at > place) {
		const struct undo *row = &accepted[--o->at];
		run_set(&o->run, row->table, row->index, row->was);
	}
	while (o->at < place) {
		const struct undo *row = &accepted[o->at++];
		run_set(&o->run, row->table, row->index, row->now);
	}
	o->run.undo = &o->trial;
}

static void restore(struct order *o, const struct anchor *a)
{
	struct world *w = o->run.w;
	u64 zeroed = world_host(w)->zeroed_bytes;

	region_copy(w, a->copy.at, a->bytes);
	world_host(w)->zeroed_bytes = w->used;
	if (zeroed > w->used)
		region_poison((u8 *)w + w->used, zeroed - w->used);
	go_to(o, a->undo);
}

u32 anchor_restore(struct order *o, u32 pos)
{
	u32 i = o->nr_anchors - 1;

	if (o->has_near && o->near.pos <= pos) {
		restore(o, &o->near);
		return o->near.pos;
	}
	while (o->anchors[i].pos > pos)
		i--;
	restore(o, &o->anchors[i]);
	return o->anchors[i].pos;
}

/* A repair looks back by a bounded number of events. So the copies are of the latest ones; the first copy, of the start,
 * serves whatever is older. */
static void drop_oldest(struct order *o)
{
	struct anchor oldest = o->anchors[1];

	for (u32 i = 2; i < o->nr_anchors; i++)
		o->anchors[i - 1] = o->anchors[i];
	o->anchors[--o->nr_anchors] = oldest;
}

void anchors_note(struct order *o, u32 i)
{
	if (o->nr_anchors && i < o->anchors[o->nr_anchors - 1].pos + ANCHOR_GAP)
		return;
	if (o->nr_anchors == MOST_ANCHORS)
		drop_oldest(o);
	if (anchor_save(o, &o->anchors[o->nr_anchors], i))
		o->nr_anchors++;
}

u32 anchor_return(struct order *o, u32 pos)
{
	o->has_near = 0;
	while (o->nr_anchors > 1 && o->anchors[o->nr_anchors - 1].pos > pos)
		o->nr_anchors--;
	pos = anchor_restore(o, pos);
	o->accepted.nr = o->at;
	o->run.undo = &o->accepted;
	return pos;
}

void anchors_drop(struct order *o)
{
	for (u32 i = 0; i < MOST_ANCHORS; i++)
		buffer_free(&o->s->pool, &o->anchors[i].copy);
	buffer_free(&o->s->pool, &o->near.copy);
	rows_free(&o->s->pool, &o->accepted);
	rows_free(&o->s->pool, &o->trial);
}
