/*
 * check_search.c - what the search for that order tries: paths that events took, copies of the world, and orders of
 * nodes.
 */
#include "query/check/check_model.h"
#include "query/check/check_order.h"

/*
 * The paths that a kernel's events took, from lines of slub_stat: which slow counters each of them raised, and
 * where it took effect.
 *
 *	alloc_slowpath … alloc_from_partial … kmem_cache_alloc		an allocation
 *	kfree … free_slowpath … free_add_partial			a free
 *
 * Lines belong to the event of their task and cache. The effect is near the last line that reports a list or a slab.
 */

/* Only allocations take these. */
#define PATHS_OF_ALLOCS                                                                   \
	(PATH(ALLOC_FROM_PARTIAL) | PATH(ALLOC_SLAB) | PATH(ALLOC_REFILL) |               \
	 PATH(ALLOC_NODE_MISMATCH) | PATH(DEACTIVATE_BYPASS) | PATH(DEACTIVATE_TO_HEAD) | \
	 PATH(DEACTIVATE_TO_TAIL) | PATH(CPU_PARTIAL_ALLOC) | PATH(CPU_PARTIAL_NODE))
/* The event took effect before such a line, and other events may have since. */
#define PATHS_BEHIND                                                                             \
	(PATH(FREE_SLAB) | PATH(DEACTIVATE_EMPTY) | PATH(CPU_PARTIAL_DRAIN) | PATH(ALLOC_SLAB) | \
	 PATH(CPU_PARTIAL_FREE))

/* A task that is working on a cache. */
struct doing {
	struct check_path alloc; /* path of the allocation that will have a line; mask 0: none */
	u32 free_op;		 /* the latest free; CHECK_NONE: none since an allocation started */
};

/* The state of reading the lines. */
struct path_reader {
	struct kmem_session *s;
	struct check *c;
	ARRAY(struct doing) rows;
	struct hash by_task; /* and cache; taken: row + 1 */
};

static struct doing *doing_of(struct path_reader *r, u32 task, u32 cpu, u32 cache)
{
	u64 key = check_task(&r->s->trace, task, cpu) << 16 | cache;

	u32 *nr = hash_number(&r->s->pool, &r->by_task, key, CHECK_NONE);

	if (!nr || *nr != CHECK_NONE)
		return nr ? &r->rows.at[*nr - 1] : NULL;
	struct doing *row = array_add(&r->s->pool, &r->rows.all, sizeof(*row));
	if (!row)
		return NULL;
	row->free_op = CHECK_NONE;
	*nr = r->rows.nr;
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
	if (!op_allocates(o.kind)) {
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
	array_free(&s->pool, &r.rows.all);
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

/* Returns the slow counters that the model has raised since the last call. */
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

u32 order_reach(struct order *o, u32 i, u32 limit)
{
	order_note_counters(o);
	while (i < limit) {
		u32 done = order_step(o, i);
		o->steps += done;
		if (o->off)
			return i;
		i += done;
	}
	return limit;
}

/*
 * Copies of a small world and its tables, to go back to an earlier event of the cache.
 *
 * The world is copied as a whole. The tables are larger, so each change to them is noted and undone.
 */

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
	/* A trial that only ran the accepted order has repeated the same changes. */
	if (o->run.undo == &o->trial.all) {
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
	const struct undo *trial = o->trial.at, *accepted = o->accepted.at;

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
	o->run.undo = &o->trial.all;
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

/* A repair looks back a bounded number of events, so the copies cover the latest ones; the first copy, from the
 * start, serves anything older. */
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
	o->run.undo = &o->accepted.all;
	return pos;
}

void anchors_drop(struct order *o)
{
	for (u32 i = 0; i < MOST_ANCHORS; i++)
		buffer_free(&o->s->pool, &o->anchors[i].copy);
	buffer_free(&o->s->pool, &o->near.copy);
	array_free(&o->s->pool, &o->accepted.all);
	array_free(&o->s->pool, &o->trial.all);
}

/*
 * Finds the order in which each node's any-node search asks the others.
 *
 * It follows from the distances between nodes, which neither a trace nor a state contains. If the command line does
 * not give them, every order is tried, one node after another. The order with which the caches follow the kernel
 * for longest is kept; if none is better, the order of equal distances stays.
 */

static void swap(u8 *a, u8 *b)
{
	u8 other = *a;

	*a = *b;
	*b = other;
}

int check_next_order(u8 *order, u32 nr)
{
	u32 i = nr - 1, k = nr - 1;

	while (i && order[i - 1] >= order[i])
		i--;
	if (!i)
		return 0;
	while (order[k] <= order[i - 1])
		k--;
	swap(&order[i - 1], &order[k]);
	for (k = nr - 1; i < k; i++, k--)
		swap(&order[i], &order[k]);
	return 1;
}

void check_first_order(const struct check *c, u32 node, u8 *order)
{
	u32 nr = 0;

	for (u32 other = 0; other < c->nr_fallback; other++)
		if (other != node)
			order[nr++] = (u8)other;
}

/* The next trial starts with that node's first order. */
static void begin_node(struct check *c)
{
	struct fallback_search *f = &c->search;

	memcpy(f->kept, c->fallback[f->node], sizeof(f->kept));
	check_first_order(c, f->node, f->order);
	memcpy(c->fallback[f->node], f->order, sizeof(f->order));
}

/* Starts with the order that equal distances give: upwards from the node, and round. */
static void begin_orders(struct check *c, u32 nodes)
{
	for (u32 node = 0; node < nodes; node++)
		for (u32 i = 0; i + 1 < nodes; i++)
			c->fallback[node][i] = (u8)((node + 1 + i) % nodes);
	c->nr_fallback = nodes;
	begin_node(c);
}

/* Keeps the order with which the caches followed for longest. */
static void next_trial(struct check *c)
{
	struct fallback_search *f = &c->search;
	u32 nodes = c->states[0].nr_nodes;
	u64 events = f->pass.sum;

	f->pass = (struct check_pass){ .follows = 1 };
	if (!c->nr_fallback) {
		f->best = f->before = events;
		begin_orders(c, nodes);
		return;
	}
	if (events > f->best)
		memcpy(f->kept, f->order, sizeof(f->kept));
	f->best = MAX(f->best, events);
	u32 is_more = (u32)check_next_order(f->order, nodes - 1);
	memcpy(c->fallback[f->node], is_more ? f->order : f->kept, sizeof(f->kept));
	if (is_more)
		return;
	/* A node's order may matter only once another node's is right. */
	if (++f->node == nodes) {
		f->is_on = f->best > f->before && ++f->round < nodes;
		f->before = f->best;
		f->node = 0;
	}
	if (f->is_on)
		begin_node(c);
}

void check_fallback_begin(struct kmem_session *s, struct check *c)
{
	u32 nodes = c->states[0].nr_nodes;

	c->nr_fallback = 0;
	c->search = (struct fallback_search){ .pass = { .follows = 1 } };
	c->search.is_on = !c->has_parts && nodes >= 3 && nodes <= MOST_FALLBACK_NODES &&
			  !params_is_chosen(&s->params, PARAM_DISTANCE);
}

s32 check_fallback_run(struct kmem_session *s, struct check *c, u32 *events)
{
	while (c->search.is_on) {
		s32 more = check_pass_run(s, c, &c->search.pass, events);
		if (more)
			return more;
		next_trial(c);
	}
	return 0;
}

s32 check_fallback(struct kmem_session *s, struct check *c)
{
	s32 more;

	check_fallback_begin(s, c);
	do {
		u32 events = CHECK_NONE;
		more = check_fallback_run(s, c, &events);
	} while (more > 0);
	return more;
}

/*
 * Whether another order of nodes explains a wrong allocation, with the order of events so far.
 *
 * check_search.c looks for the order of nodes by the events that the caches follow, and they may follow only to the first one
 * that was late. With the late ones moved, more is known. An order of nodes that explains the cache from its start to
 * well past the allocation replaces the old one. Then the search for the order of events starts again, with all
 * caches.
 */

int order_ask_nodes(struct order *o, u32 i)
{
	struct check *c = o->c;
	const struct machine *m = &o->run.w->machine;
	const struct check_event *ev = &o->ev[i];
	u32 nodes = c->nr_fallback, limit = MIN(o->nr, i + HORIZON);
	u8 was[MOST_FALLBACK_NODES], order[MOST_FALLBACK_NODES];
	const struct check_path *paths = c->paths.at;
	u32 path = o->path | (o->has_paths ? paths[ev->op].mask : 0);

	/* The kernel or the model took a slab from a node's list, perhaps another node's. */
	if (!nodes || o->asked == MOST_ASKED || o->asked_op == ev->op || o->off != OFF_OBJECT ||
	    !(path & PATH(ALLOC_FROM_PARTIAL)) || o->steps > MOST_STEPS ||
	    c->work.rounds == MOST_ROUNDS)
		return 0;
	o->asked++;
	o->asked_op = ev->op;
	u32 node = ev->node < nodes ? ev->node : node_of_cpu(o->run.w, ev->cpu % m->nr_cpus);
	memcpy(was, c->fallback[node], sizeof(was));
	check_first_order(c, node, order);
	do {
		memcpy(c->fallback[node], order, nodes - 1);
		if (!memcmp(order, was, nodes - 1))
			continue;
		o->err = check_world(o->s, c, o->cache, CONTROL_NONE, &o->run);
		o->has_other_nodes = !o->err && order_reach(o, 0, limit) == limit;
	} while (!o->err && !o->has_other_nodes && check_next_order(order, nodes - 1));
	if (!o->has_other_nodes)
		memcpy(c->fallback[node], was, sizeof(was));
	return 1;
}
