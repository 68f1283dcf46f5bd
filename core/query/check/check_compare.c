/*
 * check_compare.c - compares the model's lists with those of the stop state: which slabs, in which order, with which free objects.
 */
#include "query/check/check_model.h"

struct comparison {
	struct visitor visitor;
	const struct check *c;
	const struct run *run;
	u32 cache;
	const struct state_list *list; /* at work; NULL: the place is not a list */
	u32 position, differs;
	u32 all, equal;
};

static const struct state_list *list_of(const struct comparison *m, u32 kind, u32 of)
{
	const struct state *stop = &m->c->states[1];
	const struct state_list *lists = stop->lists.run.at;
	const char *name = STATE_ROWS(struct state_cache, m->c->states[0].caches)[m->cache].name;
	u32 cache = state_cache_of(stop, name);

	for (u32 i = 0; i < stop->lists.nr; i++)
		if (lists[i].cache == cache && lists[i].kind == kind && lists[i].of == of)
			return &lists[i];
	return NULL;
}

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
	struct comparison *m = (struct comparison *)v;

	end_list(m);
	m->position = m->differs = 0;
	if (place->kind == PLACE_CPU_SLAB)
		m->list = list_of(m, LIST_CPU_SLAB, place->cpu);
	else if (place->kind == PLACE_CPU_PARTIAL)
		m->list = list_of(m, LIST_CPU_PARTIAL, place->cpu);
	else if (place->kind == PLACE_NODE_PARTIAL)
		m->list = list_of(m, LIST_NODE_PARTIAL, place->node);
	else if (place->kind == PLACE_NODE_FREE)
		m->list = list_of(m, LIST_NODE_FREE, place->node);
	else if (place->kind == PLACE_SHEAF_MAIN)
		m->list = list_of(m, LIST_SHEAF_MAIN, place->cpu);
	else if (place->kind == PLACE_SHEAF_SPARE)
		m->list = list_of(m, LIST_SHEAF_SPARE, place->cpu);
	else if (place->kind == PLACE_SHEAF_RCU)
		m->list = list_of(m, LIST_SHEAF_RCU, place->cpu);
	else if (place->kind == PLACE_BARN_FULL)
		m->list = list_of(m, LIST_BARN_FULL, place->node);
	else if (place->kind == PLACE_CPU_ARRAY)
		m->list = list_of(m, LIST_CPU_ARRAY, place->cpu);
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
	const struct state_slab *slab = STATE_ROWS(struct state_slab, stop->slabs) +
					((u64 *)stop->addresses.run.at)[m->list->at + i];
	const u16 *indices = stop->indices.run.at;
	u32 known = kernel_slab_at(m->c, slab->address);
	const struct kernel_slab *kernel = STATE_ROWS(struct kernel_slab, m->c->slabs) + known;
	u32 matched = row->serial < m->run->serials ? m->run->slab_of[row->serial] : 0;
	int is_same = known != CHECK_NONE && kernel->address == slab->address &&
		      kernel->cache == m->cache && matched == kernel->nr + 1;
	if (stop->is_slab) {
		m->differs |= !is_same || row->inuse != slab->inuse;
		return;
	}
	is_same = is_same &&
		  free_is(indices + slab->free_at, slab->nr_free, cells, row->objects, CELL_FREE);
	if (m->list->kind == LIST_CPU_SLAB)
		is_same = is_same && free_is(indices + m->list->free_at, m->list->nr_free, cells,
					     row->objects, CELL_FREE_CPU);
	m->differs |= !is_same;
}

/* An object in a sheaf, or in an array of SLAB, at its position from the oldest. One without a name can be any of its slab. */
static void compare_entry(struct visitor *v, const struct kmem_entry *entry)
{
	struct comparison *m = (struct comparison *)v;
	const struct state *stop = &m->c->states[1];
	u32 i = m->position++;

	if (!m->list || !list_has_objects(m->list->kind) || i >= m->list->nr) {
		m->differs |= m->list != NULL;
		return;
	}
	u64 object = ((const u64 *)stop->addresses.run.at)[m->list->at + i];
	u64 address = STATE_ROWS(struct state_slab, stop->slabs)[object >> 16].address;
	u32 known = kernel_slab_at(m->c, address);
	const struct kernel_slab *kernel = STATE_ROWS(struct kernel_slab, m->c->slabs) + known;
	u32 matched = entry->slab < m->run->serials ? m->run->slab_of[entry->slab] : 0;
	if (known == CHECK_NONE || kernel->cache != m->cache || matched != kernel->nr + 1) {
		m->differs = 1;
		return;
	}
	u32 index = run_has_names(m->run) ? check_slab_index(m->run, kernel->nr, entry->index)
					  : entry->index;
	m->differs |= index != CHECK_NONE && index != (object & 0xffff);
}

void check_no_entry(struct visitor *v, const struct kmem_entry *entry)
{
	(void)v;
	(void)entry;
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
