/*
 * check_paths.c - the paths that a kernel's events took, from lines of slub_stat: which slow counters each of them raised, and
 * where it took effect.
 *
 *	alloc_slowpath … alloc_from_partial … kmem_cache_alloc		an allocation
 *	kfree … free_slowpath … free_add_partial			a free
 *
 * Lines belong to the event of their task and cache. The effect is near the last line that reports a list or a slab.
 */
#include "query/check/check_order.h"

/* Only allocations take these. */
#define PATHS_OF_ALLOCS                                                                   \
	(PATH(ALLOC_FROM_PARTIAL) | PATH(ALLOC_SLAB) | PATH(ALLOC_REFILL) |               \
	 PATH(ALLOC_NODE_MISMATCH) | PATH(DEACTIVATE_BYPASS) | PATH(DEACTIVATE_TO_HEAD) | \
	 PATH(DEACTIVATE_TO_TAIL) | PATH(CPU_PARTIAL_ALLOC) | PATH(CPU_PARTIAL_NODE))
/* The event took effect before such a line, and other events may have since. */
#define PATHS_BEHIND                                                                             \
	(PATH(FREE_SLAB) | PATH(DEACTIVATE_EMPTY) | PATH(CPU_PARTIAL_DRAIN) | PATH(ALLOC_SLAB) | \
	 PATH(CPU_PARTIAL_FREE))

/* A task at work on a cache. */
struct doing {
	struct check_path alloc; /* of the allocation that will have a line; mask 0: none */
	u32 free_op;		 /* the latest free; CHECK_NONE: none since an allocation began */
};

/* Lines while they are read. */
struct path_reader {
	struct kmem_session *s;
	struct check *c;
	struct rows rows;    /* struct doing */
	struct hash by_task; /* and cache; taken: row + 1 */
};

static struct doing *doing_of(struct path_reader *r, u32 task, u32 cpu, u32 cache)
{
	u64 key = check_task(&r->s->trace, task, cpu) << 16 | cache;

	if (!hash_reserve(&r->s->pool, &r->by_task))
		return NULL;
	struct hash_slot *slot = hash_find(&r->by_task, key);
	if (slot->taken)
		return STATE_ROWS(struct doing, r->rows) + slot->taken - 1;
	struct doing *row = rows_add(&r->s->pool, &r->rows, sizeof(*row));
	if (!row)
		return NULL;
	row->free_op = CHECK_NONE;
	hash_put(&r->by_task, slot, (struct hash_slot){ key, 0, r->rows.nr });
	return row;
}

static s32 add_line(struct path_reader *r, u32 line, u32 op)
{
	const struct kernel_line *at = (struct kernel_line *)r->s->trace.kept.effects.at + line;
	u32 counter = at->what - PART_COUNTER, bit = counter < STATE_COUNTERS ? PATH(counter) : 0;
	u32 cache = bit ? state_cache_of(&r->c->states[0], trace_text(&r->s->trace, at->name))
			: CHECK_NONE;

	if (cache == CHECK_NONE)
		return 0;
	struct doing *d = doing_of(r, at->task, at->cpu, cache);
	if (!d)
		return KMEM_ENOMEM;
	if (counter == ALLOC_SLOWPATH) {
		d->alloc.mask = 0;
		d->free_op = CHECK_NONE;
	}
	/* An interrupt may have freed while the task allocates. */
	int is_alloc = d->free_op == CHECK_NONE || (d->alloc.mask && bit & PATHS_OF_ALLOCS);
	struct check_path *path = is_alloc ? &d->alloc
					   : (struct check_path *)r->c->paths.at + d->free_op;
	path->mask |= bit;
	if (!(bit & PATHS_BEHIND))
		path->rank = line + op;
	return 0;
}

static s32 add_event(struct path_reader *r, u32 line, u32 op)
{
	const struct trace *t = &r->s->trace;
	const struct op o = trace_op(t, op);
	u32 cache = ((u16 *)r->c->cache_of_op.at)[op];
	struct check_path *path = (struct check_path *)r->c->paths.at + op;

	*path = (struct check_path){ 0, line + op };
	if (cache == CACHE_NONE)
		return 0;
	struct doing *d = doing_of(r, trace_task(t, op), o.cpu, cache);
	if (!d)
		return KMEM_ENOMEM;
	if (o.kind != OP_ALLOC && o.kind != OP_KMALLOC) {
		d->free_op = op;
	} else if (d->alloc.mask) {
		*path = d->alloc;
		d->alloc.mask = 0;
	}
	return 0;
}

s32 check_paths(struct kmem_session *s, struct check *c)
{
	const struct trace_kept *kept = &s->trace.kept;
	const struct kernel_line *lines = kept->effects.at;
	u32 nr_ops = s->trace.nr_ops, line = 0;
	struct path_reader r = { .s = s, .c = c };
	s32 err = 0;

	/* The counters of kernels with sheaves mean other paths. */
	if (!kept->nr_effects || c->states[0].has_sheaves)
		return 0;
	if (!buffer_grow(&s->pool, &c->paths, MAX(nr_ops, 1u) * (u64)sizeof(struct check_path)))
		return KMEM_ENOMEM;
	for (u32 op = 0; op < nr_ops && !err; op++) {
		for (; !err && line < kept->nr_effects && lines[line].before <= op; line++)
			err = add_line(&r, line, op);
		err = err ? err : add_event(&r, line, op);
	}
	hash_free(&s->pool, &r.by_task);
	rows_free(&s->pool, &r.rows);
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
