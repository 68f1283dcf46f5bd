/*
 * check_result.c - runs the events of a check, and compares each, and the lists at the end, with the kernel's.
 */
#include "query/check/check_model.h"
#include "sim/step.h"

/*
 * Compares the model's lists with those of the stop state: which slabs, in which order, with which free objects.
 */

struct comparison {
	struct visitor visitor;
	const struct check *c;
	const struct run *run;
	u32 cache;
	const struct state_list *list; /* at work; NULL: the place is not a list */
	u32 position, differs;
	u32 all, equal;
};

/* Lists that are empty on both sides say nothing, so they do not count. */
static void end_list(struct comparison *m)
{
	if (m->list && (m->position || m->list->nr)) {
		m->all++;
		m->equal += !m->differs && m->position == m->list->nr;
	}
	m->list = NULL;
}

static void begin_list(struct visitor *v, const struct kmem_place *place)
{
	static const struct {
		u8 place, list, is_of_node;
	} kinds[] = { { PLACE_CPU_SLAB, LIST_CPU_SLAB, 0 },
		      { PLACE_CPU_PARTIAL, LIST_CPU_PARTIAL, 0 },
		      { PLACE_NODE_PARTIAL, LIST_NODE_PARTIAL, 1 },
		      { PLACE_NODE_FREE, LIST_NODE_FREE, 1 },
		      { PLACE_SHEAF_MAIN, LIST_SHEAF_MAIN, 0 },
		      { PLACE_SHEAF_SPARE, LIST_SHEAF_SPARE, 0 },
		      { PLACE_SHEAF_RCU, LIST_SHEAF_RCU, 0 },
		      { PLACE_BARN_FULL, LIST_BARN_FULL, 1 },
		      { PLACE_CPU_ARRAY, LIST_CPU_ARRAY, 0 } };
	struct comparison *m = (struct comparison *)v;
	const struct state *stop = &m->c->states[1];
	u32 cache = state_cache_of(stop, m->c->states[0].caches.at[m->cache].name), k = 0;

	end_list(m);
	m->position = m->differs = 0;
	while (k < ARRAY_SIZE(kinds) && kinds[k].place != place->kind)
		k++;
	for (u32 i = 0; i < stop->lists.nr && k < ARRAY_SIZE(kinds) && !m->list; i++) {
		const struct state_list *list = &stop->lists.at[i];
		if (list->cache == cache && list->kind == kinds[k].list &&
		    list->of == (kinds[k].is_of_node ? place->node : place->cpu))
			m->list = list;
	}
}

/* Whether the freelist has as many objects as the cells say, and all of them are free there. */
static int free_is(const u16 *indices, u32 nr, const u8 *cells, u32 objects, u32 cell)
{
	u32 found = 0, known = 0;

	for (u32 i = 0; i < objects; i++)
		found += cells[i] == cell;
	for (u32 i = 0; i < nr; i++)
		known += indices[i] < objects && cells[indices[i]] == cell;
	return found == nr && known == nr;
}

/* Returns the number + 1 of the kernel's slab at that address, if it is the model's slab; 0: it is not. */
static u32 is_matched(const struct comparison *m, u64 address, u32 serial)
{
	u32 known = kernel_slab_at(m->c, address);
	const struct kernel_slab *kernel = &m->c->slabs.at[known];

	return known != CHECK_NONE && kernel->address == address && kernel->cache == m->cache &&
			       serial < m->run->serials && m->run->slab_of[serial] == kernel->nr + 1
		       ? kernel->nr + 1
		       : 0;
}

static void compare_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
			 const struct kmem_extent *extents)
{
	struct comparison *m = (struct comparison *)v;
	const struct state *stop = &m->c->states[1];
	u32 i = m->position++;

	(void)extents;
	if (!m->list || i >= m->list->nr) {
		m->differs |= m->list != NULL;
		return;
	}
	const struct state_slab *slab = &stop->slabs.at[stop->addresses.at[m->list->at + i]];
	int is_same = is_matched(m, slab->address, row->serial);
	if (stop->is_slab) {
		m->differs |= !is_same || row->inuse != slab->inuse;
		return;
	}
	is_same = is_same && free_is(stop->indices.at + slab->free_at, slab->nr_free, cells,
				     row->objects, CELL_FREE);
	if (m->list->kind == LIST_CPU_SLAB)
		is_same = is_same && free_is(stop->indices.at + m->list->free_at, m->list->nr_free,
					     cells, row->objects, CELL_FREE_CPU);
	m->differs |= !is_same;
}

/* Compares an object in a sheaf, or in an array of SLAB, at its position from the oldest. One without a name can be
 * any of its slab. */
static void compare_entry(struct visitor *v, const struct kmem_entry *entry)
{
	struct comparison *m = (struct comparison *)v;
	const struct state *stop = &m->c->states[1];
	u32 i = m->position++;

	if (!m->list || !list_has_objects(m->list->kind) || i >= m->list->nr) {
		m->differs |= m->list != NULL;
		return;
	}
	u64 object = stop->addresses.at[m->list->at + i],
	    address = stop->slabs.at[object >> 16].address;
	u32 slab = is_matched(m, address, entry->slab);
	u32 index = slab ? check_slab_index(m->run, slab - 1, entry->index) : 0;
	m->differs |= !slab || (index != CHECK_NONE && index != (object & 0xffff));
}

void check_lists(const struct check *c, u32 cache, const struct run *run, u32 *all, u32 *equal)
{
	struct comparison m = {
		.visitor = { .place = begin_list, .slab = compare_slab, .entry = compare_entry },
		.c = c,
		.run = run,
		.cache = cache
	};

	if (c->states[1].is_complete)
		run->ops->walk(run->w, run->s, &m.visitor);
	end_list(&m);
	*all = m.all;
	*equal = m.equal;
}

/*
 * Replays the events of each cache, and compares the model's slab and index with the recorded pointer.
 *
 * The model's slabs and the kernel's are matched once: those of the start state by their address. A new one of the model is
 * matched with the slab whose object the kernel handed out at that event, unless another slab of the model has it.
 */

static u32 place_of(const struct run *run, const struct check_event *ev)
{
	return ev->slab * run->objects + ev->index;
}

void run_set(struct run *run, u32 table, u32 index, u64 value)
{
	u32 *numbers = table == TABLE_SLAB_OF ? run->slab_of : run->serial_of;
	u64 was = table == TABLE_LOCS ? run->locs[index] : numbers[index];
	struct undo *row = run->undo && was != value ? array_add(run->pool, run->undo, sizeof(*row))
						     : NULL;

	run->is_lost |= run->undo && was != value && !row;
	if (row)
		*row = (struct undo){ table, index, was, value };
	if (table == TABLE_LOCS)
		run->locs[index] = value;
	else
		numbers[index] = (u32)value;
}

/* Matches a new slab of the model with the kernel's. */
static void match(struct run *run, u32 serial, u32 slab)
{
	u32 was = run->serial_of[slab];

	if (serial >= run->serials || run->slab_of[serial] ||
	    (was && slab_find(run->ops, run->w, run->s, was - 1, CHECK_NONE).is_found))
		return;
	if (run->serial_of[slab])
		check_slab_renew(run, slab);
	run_set(run, TABLE_SLAB_OF, serial, slab + 1);
	run_set(run, TABLE_SERIAL_OF, slab, serial + 1);
}

int check_is_right(const struct run *run, const struct check_event *ev, object_loc loc)
{
	u32 serial = run->ops->serial(run->w, LOC_SLAB(loc));

	return serial < run->serials && run->slab_of[serial] == ev->slab + 1 &&
	       check_slab_index(run, ev->slab, LOC_INDEX(loc)) == ev->index;
}

static object_loc do_alloc(struct run *run, const struct check_event *ev)
{
	struct request take = { .kind = REQUEST_GROUP_TAKE };
	u32 cpu = ev->cpu % run->w->machine.nr_cpus, ratio = run->s->defrag_ratio,
	    node = ev->node < run->w->machine.nr_nodes ? ev->node : NODE_ANY;
	object_loc known = run->locs[place_of(run, ev)], loc = 0;

	if (known)
		run->ops->free(run->w, run->s, cpu, known);
	if (ev->flags & CHECK_GATE)
		run->s->defrag_ratio = 0;
	if (ev->flags & CHECK_FORCED && run->ops->force)
		run->ops->force(run->w, run->s, cpu, run->serial_of[ev->slab] - 1u, ev->index);
	if (ev->line)
		loc = check_part_alloc(run, ev, node);
	else if (ev->flags & CHECK_IN_GROUP && run->ops->request)
		loc = run->ops->request(run->w, run->s, cpu, &take);
	if (!loc)
		loc = run->ops->alloc(run->w, run->s, cpu, node, run->s->object_size);
	run->s->defrag_ratio = ratio;
	run_set(run, TABLE_LOCS, place_of(run, ev), loc);
	u32 serial = loc ? run->ops->serial(run->w, LOC_SLAB(loc)) : run->serials;
	if (loc)
		match(run, serial, ev->slab);
	if (serial < run->serials && run->slab_of[serial] == ev->slab + 1)
		run->nr_by_slab += (u32)check_slab_name(run, ev->slab, LOC_INDEX(loc), ev->index);
	return loc;
}

/* Kernels with sheaves sort the objects of a bulk free themselves. */
static u32 free_bulk(struct run *run, const struct check_event *ev, u32 nr_events)
{
	struct request all = { .kind = REQUEST_BULK_FREE, .slot = ev->line != 0 };
	u32 done = 0, cpu = ev->cpu % run->w->machine.nr_cpus, is_last = 0;

	while (done < nr_events && !is_last && ev[done].flags & CHECK_IN_GROUP &&
	       ev[done].kind == CHECK_FREE) {
		struct request put = { .kind = REQUEST_BULK_PUT,
				       .loc = run->locs[place_of(run, &ev[done])] };
		is_last = ev[done].flags & CHECK_LAST;
		if (put.loc)
			run->ops->request(run->w, run->s, cpu, &put);
		run_set(run, TABLE_LOCS, place_of(run, &ev[done++]), 0);
	}
	run->ops->request(run->w, run->s, cpu, &all);
	return done;
}

/* A bulk free hands each slab its objects as one list. */
static u32 free_group(struct run *run, const struct check_event *ev, u32 nr_events)
{
	object_loc locs[64];
	u32 done = 0, nr = 0, cpu = ev->cpu % run->w->machine.nr_cpus;

	while (done < nr_events) {
		object_loc loc = run->locs[place_of(run, &ev[done])];
		int is_last = ev[done].flags & CHECK_LAST, is_ours = ev[done].cpu == ev->cpu;
		if (!is_ours || !(ev[done].flags & CHECK_IN_GROUP) || ev[done].kind != CHECK_FREE)
			break;
		if (nr && (nr == ARRAY_SIZE(locs) || LOC_SLAB(loc) != LOC_SLAB(locs[0]))) {
			struct request q = { .kind = REQUEST_FREE_GROUP,
					     .number = nr,
					     .locs = locs };
			run->ops->request(run->w, run->s, cpu, &q);
			nr = 0;
		}
		if (loc)
			locs[nr++] = loc;
		run_set(run, TABLE_LOCS, place_of(run, &ev[done++]), 0);
		if (is_last)
			break;
	}
	if (nr) {
		struct request q = { .kind = REQUEST_FREE_GROUP, .number = nr, .locs = locs };
		run->ops->request(run->w, run->s, cpu, &q);
	}
	return done;
}

u32 check_step(struct run *run, const struct check_event *ev, u32 behind, object_loc *loc)
{
	run->w->op = ev->op;
	op_begin(run->w, at(run->w, run->w->machine.cpus), ev->cpu % run->w->machine.nr_cpus);
	if (ev->kind == CHECK_ALLOC) {
		*loc = do_alloc(run, ev);
		return 1;
	}
	if (ev->kind == CHECK_PART) {
		*loc = check_part_step(run, ev, run->usual);
		/* A slab of the model is the one that the kernel made there. */
		if (*loc && ev->slab != CHECK_NONE)
			match(run, run->ops->serial(run->w, LOC_SLAB(*loc)), ev->slab);
		return 1;
	}
	if (ev->flags & CHECK_IN_GROUP && run->ops->request)
		return run->w->policy.no_cpu_slabs ? free_bulk(run, ev, behind)
						   : free_group(run, ev, behind);
	object_loc known = run->locs[place_of(run, ev)];
	if (!known)
		known = check_slab_older(run, ev);
	if (known && ev->line)
		check_part_free(run, ev, known);
	else if (known)
		run->ops->free(run->w, run->s, ev->cpu % run->w->machine.nr_cpus, known);
	run_set(run, TABLE_LOCS, place_of(run, ev), 0);
	return 1;
}

/* Whether the events keep what this replay finds. */
static int is_kept(const struct check_pass *p)
{
	return p->control == CONTROL_NONE && !p->follows;
}

static s32 open_cache(struct kmem_session *s, struct check *c, struct check_pass *p)
{
	struct check_cache *cache = c->caches.at + p->nr;
	s32 err = check_world(s, c, p->nr, p->control, &p->run);

	if (err)
		return err;
	if (is_kept(p))
		cache->slabs_at_start = p->run.s->slabs;
	memset(p->before, 0, sizeof(p->before));
	p->run.ops->count(p->run.w, p->run.s, p->before);
	p->is_open = 1;
	p->at = p->right = 0;
	return 0;
}

/* Replays one event, or a bulk request; 0: it was the last that the pass needs of its cache. */
static int replay_event(struct check *c, struct check_pass *p, struct check_event *ev, u32 behind)
{
	object_loc loc = 0;
	u32 done = check_step(&p->run, ev, behind, &loc);
	int is_alloc = ev->kind == CHECK_ALLOC, is_right = is_alloc && loc &&
							   !(ev->flags & CHECK_GIVEN_UP) &&
							   check_is_right(&p->run, ev, loc);

	if (p->follows && is_alloc && !is_right)
		return 0;
	p->at += done;
	p->right += (u32)is_right;
	if (!is_kept(p))
		return 1;
	ev->flags = (u8)((ev->flags & ~CHECK_RIGHT) | (is_right ? CHECK_RIGHT : 0));
	if (is_alloc && !is_right && ev->op < c->first_wrong) {
		c->first_wrong = ev->op;
		c->first_wrong_cache = p->nr;
	}
	return 1;
}

static void close_cache(struct check *c, struct check_pass *p)
{
	struct check_cache *cache = c->caches.at + p->nr;
	u32 sum[NR_COUNTERS] = { 0 };
	struct run *run = &p->run;

	p->is_open = 0;
	p->sum += p->follows ? p->at : p->right;
	if (!is_kept(p))
		return;
	cache->right = p->right;
	cache->slabs_at_end = run->s->slabs;
	run->ops->count(run->w, run->s, sum);
	c->out.by_slab += run->nr_by_slab;
	c->out.parts += c->parts.nr;
	c->out.parts_refused += c->parts.nr_refused;
	for (u32 i = 0; i < STATE_COUNTERS; i++) {
		u32 counter = state_counter(&c->states[0], i);
		cache->counters[i] = counter < NR_COUNTERS ? sum[counter] - p->before[counter] : 0;
	}
	check_lists(c, p->nr, run, &cache->lists, &cache->lists_equal);
}

s32 check_pass_run(struct kmem_session *s, struct check *c, struct check_pass *p, u32 *events)
{
	for (; p->nr < c->caches.nr; p->nr++) {
		const struct check_cache *cache = c->caches.at + p->nr;
		struct check_event *ev = c->events.at + cache->first;
		s32 err = p->is_open || !cache->nr ? 0 : open_cache(s, c, p);
		if (err)
			return err;
		while (p->is_open && p->at < cache->nr) {
			int has_room = world_has_room(p->run.w);
			if (!*events)
				return 1;
			if (!has_room && !p->follows)
				return session_fail(s, KMEM_ENOMEM,
						    "a cache is too large to be checked");
			--*events;
			if (!has_room || !replay_event(c, p, &ev[p->at], cache->nr - p->at))
				break;
		}
		if (p->is_open)
			close_cache(c, p);
	}
	return 0;
}
