/*
 * check_paths.c - the paths that a kernel's events took, from lines of slub_stat: which slow counters each of them raised, and
 * where it took effect.
 *
 *	alloc_slowpath … alloc_from_partial … kmem_cache_alloc		an allocation
 *	kfree … free_slowpath … free_add_partial			a free
 *
 * Lines belong to the event of their task on their CPU. The effect is near the last line that reports a list or a slab.
 */
#include "query/check/check_order.h"

/* What a task is about to do on a CPU. */
struct doing {
	struct check_path alloc; /* of the allocation that will have a line; mask 0: none */
	u32 cache;		 /* of that */
	u32 free_op;		 /* the latest free; CHECK_NONE: an allocation has begun since */
};

static struct doing *doing_of(struct kmem_session *s, struct rows *all, struct hash *by_task,
			      u32 task, u32 cpu)
{
	u64 key = (u64)task << 16 | cpu;

	if (!hash_reserve(&s->pool, by_task))
		return NULL;
	struct hash_slot *slot = hash_find(by_task, key);
	if (slot->taken)
		return STATE_ROWS(struct doing, *all) + slot->taken - 1;
	struct doing *row = rows_add(&s->pool, all, sizeof(*row));
	if (!row)
		return NULL;
	row->free_op = CHECK_NONE;
	hash_put(by_task, slot, (struct hash_slot){ key, 0, all->nr });
	return row;
}

/* Whether the event took effect before that line, and other events may have since. */
static int is_behind(u32 counter)
{
	return counter == FREE_SLAB || counter == DEACTIVATE_EMPTY ||
	       counter == CPU_PARTIAL_DRAIN || counter == ALLOC_SLAB || counter == CPU_PARTIAL_FREE;
}

static void add_line(struct check *c, struct doing *d, u32 cache, u32 counter, u32 rank)
{
	struct check_path *paths = c->paths.at, *path = NULL;

	if (counter >= STATE_COUNTERS)
		return;
	if (counter == ALLOC_SLOWPATH) {
		d->alloc = (struct check_path){ 0 };
		d->cache = cache;
		d->free_op = CHECK_NONE;
	}
	if (d->free_op != CHECK_NONE)
		path = ((u16 *)c->cache_of_op.at)[d->free_op] == cache ? &paths[d->free_op] : NULL;
	else if (d->cache == cache)
		path = &d->alloc;
	if (!path)
		return;
	path->mask |= PATH(counter);
	if (!is_behind(counter))
		path->rank = rank;
}

static s32 add_lines(struct kmem_session *s, struct check *c, struct rows *all,
		     struct hash *by_task, u32 line, u32 op)
{
	const struct kernel_line *at = (struct kernel_line *)s->trace.kept.effects.at + line;
	u32 cache = at->what < PART_COUNTER
			    ? CHECK_NONE
			    : state_cache_of(&c->states[0], trace_text(&s->trace, at->name));
	struct doing *d = cache == CHECK_NONE ? NULL : doing_of(s, all, by_task, at->task, at->cpu);

	if (d)
		add_line(c, d, cache, at->what - PART_COUNTER, line + op);
	return d || cache == CHECK_NONE ? 0 : KMEM_ENOMEM;
}

static s32 add_event(struct kmem_session *s, struct check *c, struct rows *all,
		     struct hash *by_task, u32 line, u32 op)
{
	const struct op o = trace_op(&s->trace, op);
	u32 cache = ((u16 *)c->cache_of_op.at)[op];
	struct check_path *path = (struct check_path *)c->paths.at + op;

	*path = (struct check_path){ 0, line + op };
	if (cache == CACHE_NONE)
		return 0;
	struct doing *d = doing_of(s, all, by_task, trace_task(&s->trace, op), o.cpu);
	if (!d)
		return KMEM_ENOMEM;
	if (o.kind != OP_ALLOC && o.kind != OP_KMALLOC) {
		d->free_op = op;
	} else if (d->cache == cache && d->alloc.mask) {
		*path = d->alloc;
		d->alloc.mask = 0;
	}
	return 0;
}

s32 check_paths(struct kmem_session *s, struct check *c)
{
	const struct trace *t = &s->trace;
	const struct kernel_line *lines = t->kept.effects.at;
	struct hash by_task = { 0 };
	struct rows all = { 0 };
	u32 line = 0;
	s32 err = 0;

	buffer_free(&s->pool, &c->paths);
	/* The counters of kernels with sheaves mean other paths. */
	if (!t->kept.nr_effects || c->states[0].has_sheaves)
		return 0;
	if (!buffer_grow(&s->pool, &c->paths, MAX(t->nr_ops, 1u) * (u64)sizeof(struct check_path)))
		return KMEM_ENOMEM;
	for (u32 op = 0; op < t->nr_ops && !err; op++) {
		for (; !err && line < t->kept.nr_effects && lines[line].before <= op; line++)
			err = add_lines(s, c, &all, &by_task, line, op);
		err = err ? err : add_event(s, c, &all, &by_task, line, op);
	}
	hash_free(&s->pool, &by_task);
	rows_free(&s->pool, &all);
	return err;
}

void order_sort(struct order *o)
{
	const struct check_path *paths = o->c->paths.at;
	u32 seen = 0, nr;

	for (u32 i = 0; paths && i < o->nr; i += nr) {
		u32 to = i;
		nr = order_unit(o, i);
		const struct check_path *path = &paths[o->ev[i + nr - 1].op];
		seen |= path->mask;
		while (to && i - to < FAR_EVENTS && paths[o->ev[to - 1].op].rank > path->rank)
			to--;
		while (!order_is_between(o, to))
			to--;
		if (to != i && nr <= MOST_UNIT)
			order_rotate(o, i, to, nr);
	}
	o->has_paths = (seen & PATHS_COMPARED) != 0;
}

/* The slow counters that the model has raised since the last call. */
static u32 path_taken(struct order *o)
{
	u32 sum[NR_COUNTERS] = { 0 }, mask = 0;

	if (o->run.w->slow_paths == o->slow_paths)
		return 0;
	o->slow_paths = o->run.w->slow_paths;
	o->run.ops->count(o->run.w, o->run.s, sum);
	for (u32 i = 0; i < STATE_COUNTERS; i++)
		mask |= (u32)(sum[i] != o->counters[i]) << i;
	memcpy(o->counters, sum, sizeof(sum));
	return mask;
}

void order_note_counters(struct order *o)
{
	o->slow_paths = o->run.w->slow_paths - 1;
	path_taken(o);
}

/* Whether the model took another path. Lines do not say which event of a bulk allocation they belong to. */
static int is_astray(const struct order *o, const struct check_event *ev)
{
	const struct check_path *paths = o->c->paths.at;
	u32 unknown = ev->kind == CHECK_ALLOC ? CHECK_IN_GROUP | CHECK_GIVEN_UP : 0;

	return o->has_paths && !ev->is_excused && !(ev->flags & unknown) &&
	       (o->path ^ paths[ev->op].mask) & PATHS_COMPARED;
}

u32 order_step(struct order *o, u32 i)
{
	const struct check_event *ev = &o->ev[i];
	object_loc loc = 0;
	u32 done = check_step(&o->run, ev, o->nr - i, &loc);
	u32 serial = loc ? o->run.ops->serial(o->run.w, LOC_SLAB(loc)) : o->run.serials;

	o->model_slab = serial < o->run.serials ? o->run.slab_of[serial] - 1 : CHECK_NONE;
	o->path = path_taken(o);
	if (ev->kind == CHECK_ALLOC && !(ev->flags & CHECK_GIVEN_UP) &&
	    !(loc && check_is_right(&o->run, ev, loc)))
		o->off = OFF_OBJECT;
	else
		o->off = is_astray(o, ev + done - 1) ? OFF_PATH : OFF_NOT;
	return done;
}
