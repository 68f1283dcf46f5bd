/*
 * index_note.c - adds recorded events to the index one by one: postings, blocks, and the history of caches in
 * numbers.
 */
#include "util/poison.h"
#include "query/index/query.h"
#include "session/session.h"

_Static_assert(NR_STEP_KINDS <= 32 * KIND_WORDS, "every step kind has its bit");
_Static_assert(WHEN_STEP <= 15, "conditions fit in a posting");

void *index_alloc(struct index *x, u64 len_bytes)
{
	u64 bytes = ALIGN_UP(len_bytes, (u64)8) + RED_ZONE_BYTES;
	struct side_block *a = x->memory;
	u8 *p = a->top;

	if (bytes > (u64)(a->end - p) || !host_commit(p + bytes)) {
		x->full = 1;
		return NULL;
	}
	a->top += bytes;
	region_poison(p + len_bytes, bytes - len_bytes);
	region_unpoison(p, len_bytes);
	return memset(p, 0, len_bytes);
}

/* Returns the index of a new zeroed row, NOWHERE when memory runs out. */
static u32 column_add(struct index *x, struct column *c)
{
	u32 chunk = c->nr / COLUMN_CHUNK;

	if (c->nr % COLUMN_CHUNK == 0) {
		u8 *rows = chunk == MAX_COLUMN_CHUNKS
				   ? NULL
				   : index_alloc(x, (u64)COLUMN_CHUNK * c->row_bytes);
		x->full |= !rows;
		if (!rows)
			return NOWHERE;
		c->chunk[chunk] = rows;
	}
	return c->nr++;
}

static u32 add_slab(struct index *x, u32 cache, u32 serial)
{
	u32 nr = column_add(x, &x->slabs);

	if (nr == NOWHERE)
		return NOWHERE;
	struct slab_note *note = index_slab(x, nr);
	note->cache = (u16)cache;
	note->serial = serial;
	return nr;
}

static int grow_pages(struct index *x, struct cache_note *c, u32 page)
{
	u32 nr = MAX(c->nr_pages * 2, ALIGN_UP(page + 1, 8u));
	u32 **pages = index_alloc(x, (u64)nr * sizeof(*pages));

	if (!pages)
		return 0;
	if (c->nr_pages)
		memcpy(pages, c->pages, c->nr_pages * sizeof(*pages));
	c->pages = pages;
	c->nr_pages = nr;
	return 1;
}

/* Returns where the index + 1 of a slab is stored; NULL when memory runs out. */
static u32 *number_of(struct index *x, struct cache_note *c, u32 serial)
{
	u32 page = serial / SERIALS_PER_PAGE;

	if (serial == NOWHERE)
		return &c->beyond;
	if (page >= c->nr_pages && !grow_pages(x, c, page))
		return NULL;
	if (!c->pages[page])
		c->pages[page] = index_alloc(x, SERIALS_PER_PAGE * sizeof(u32));
	return c->pages[page] ? c->pages[page] + serial % SERIALS_PER_PAGE : NULL;
}

u32 index_find_slab(const struct kmem_session *s, u32 cache, u32 serial)
{
	const struct index *x = &query_of(s)->index;

	if (serial != NOWHERE && s->replay.ops->shared_slabs)
		cache = 0;
	if (cache >= x->nr_caches)
		return NOWHERE;
	const struct cache_note *c = &x->caches[cache];
	if (serial == NOWHERE)
		return c->beyond - 1;
	u32 page = serial / SERIALS_PER_PAGE;
	return page < c->nr_pages && c->pages[page] ? c->pages[page][serial % SERIALS_PER_PAGE] - 1
						    : NOWHERE;
}

enum { MERGED_WITH = 12 }; /* latest postings of an event that a new one may merge with */

/* Merges with a posting of the current event. A condition of a slab joins the posting of any object in it. */
static u32 merge(struct index *x, u32 slab, u32 index, u32 what)
{
	u32 first = MAX(x->op_start, x->log.nr - MIN(x->log.nr, (u32)MERGED_WITH));

	for (u32 i = x->log.nr; i-- > first;) {
		struct posting *p = index_posting(x, i);
		if (p->slab != slab)
			continue;
		int is_any = index == NO_SINGLE && !(what & WHEN_BIT(WHEN_ANOMALY));
		if (p->index == NO_SINGLE && !(p->what & WHEN_BIT(WHEN_ANOMALY)))
			p->index = (u16)index;
		if (p->index == index || is_any) {
			p->what |= (u16)what;
			return i;
		}
	}
	return NOWHERE;
}

/* Returns the index of the posting. cache: the cache that the slab counts for; owner: the cache that numbers the
 * slab. */
static u32 post(struct index *x, u32 owner, u32 cache, u32 serial, u32 index, u32 what)
{
	u32 *number = number_of(x, &x->caches[owner], serial);

	if (number && !*number)
		*number = add_slab(x, cache, serial) + 1;
	if (!number || !*number)
		return NOWHERE;
	u32 place = merge(x, *number - 1, index, what);
	if (place != NOWHERE)
		return place;
	place = column_add(x, &x->log);
	if (place == NOWHERE)
		return NOWHERE;
	*index_posting(x, place) = (struct posting){ *number - 1, (u16)index, (u16)what };
	index_slab(x, *number - 1)->nr++;
	return place;
}

static void touch_cache(struct index *x, u32 cache, u32 op, u32 what)
{
	struct cache_note *c = &x->caches[cache];

	if (c->touched_op != op + 1)
		x->touched[x->nr_touched++] = (u16)cache;
	c->touched_op = op + 1;
	c->life.slabs_made += what >> WHEN_NEW_SLAB & 1;
	c->life.slabs_freed += what >> WHEN_SLAB_FREED & 1;
	c->life.allocs += what >> WHEN_ALLOC & 1;
	c->life.frees += what >> WHEN_FREE & 1;
	if (what >> WHEN_FIRST_USE & 1 && c->life.born_op == NOWHERE)
		c->life.born_op = op;
}

static void enter(struct kmem_session *s, const struct touched_op *o, const struct touch *t)
{
	struct index *x = &query_of(s)->index;
	u32 owner = o->shared ? 0 : t->cache;
	u32 has_slab = t->slab != NOWHERE && owner < x->nr_caches &&
		       t->slab < cache_at(s->w, owner)->next_serial;
	u32 index = t->index < NO_SINGLE ? t->index : NO_SINGLE, place = NOWHERE;

	x->blocks[o->op / BLOCK_OPS].what |= t->what;
	if (has_slab)
		place = post(x, owner, o->shared ? CACHE_NONE : t->cache, t->slab, index, t->what);
	if (t->cache >= x->nr_caches)
		return;
	touch_cache(x, t->cache, o->op, t->what);
	/* Slabs that serve all caches do not identify the cache. */
	if (has_slab && !o->shared)
		x->caches[t->cache].place = place + 1;
	else
		x->caches[t->cache].pending |= t->what;
}

/* Completes the note of a touched cache at the end of an event. */
static void finish_cache(struct kmem_session *s, u32 cache, u32 op)
{
	struct index *x = &query_of(s)->index;
	struct cache_note *c = &x->caches[cache];
	const struct kmem_cache *now = cache_at(s->w, cache);

	if (c->place <= x->op_start || c->pending & ~(u32)CACHE_CONDITIONS)
		post(x, cache, cache, NOWHERE, NO_SINGLE, c->pending);
	else
		index_posting(x, c->place - 1)->what |= (u16)c->pending;
	c->pending = 0;
	c->life.first_op = c->life.nr_ops ? c->life.first_op : op;
	c->life.last_op = op;
	c->life.nr_ops++;
	if (now->slabs_peak > c->life.slabs_peak) {
		c->life.slabs_peak = now->slabs_peak;
		c->life.slabs_peak_op = op;
	}
	if (now->live > c->life.objects_peak) {
		c->life.objects_peak = now->live;
		c->life.objects_peak_op = op;
	}
	x->block_caches[(op / BLOCK_OPS) * x->cache_words + cache / 32] |= 1u << cache % 32;
}

/* Adds the event to the figures of its level and to the chapters of the trace. */
static void note_path(struct kmem_session *s, const struct touched_op *o)
{
	struct index *x = &query_of(s)->index;
	struct levels_walk walk = levels_begin(levels_of(s, o->cache));
	u32 cycles = (u32)MIN(op_cycles(s->w), 0xffffffffu);

	for (u32 k = 0; k < o->nr_steps; k++)
		levels_step(s, &walk, s->timeline.steps + k);
	chapters_note(s, &x->chapters, o, &walk, cycles);
	if (o->kind == OP_FREE || !o->has_object || o->cache >= x->nr_caches)
		return;
	struct level_note *note = &x->caches[o->cache].levels[walk.asked];
	note->least_cycles = note->allocs ? MIN(note->least_cycles, cycles) : cycles;
	note->most_cycles = MAX(note->most_cycles, cycles);
	note->cycles += cycles;
	note->allocs++;
}

void index_note_op(struct kmem_session *s, const struct touched_op *o)
{
	struct index *x = &query_of(s)->index;
	struct block *block = &x->blocks[o->op / BLOCK_OPS];
	struct touch t;

	x->op_start = x->log.nr;
	x->nr_touched = 0;
	if (o->op % BLOCK_OPS == 0)
		block->start = x->log.nr;
	for (u32 k = 0; k < o->nr_steps; k++) {
		u32 kind = s->timeline.steps[k].kind;
		block->kinds[kind / 32] |= 1u << kind % 32;
		t = touch_of_step(s, o, k);
		enter(s, o, &t);
	}
	if (o->has_object) {
		t = touch_of_object(o);
		enter(s, o, &t);
	}
	if (o->cache < x->nr_caches)
		touch_cache(x, o->cache, o->op, 0);
	for (u32 i = 0; i < x->nr_touched; i++)
		finish_cache(s, x->touched[i], o->op);
	note_path(s, o);
	if (x->log.nr == x->op_start) {
		u32 place = column_add(x, &x->log);
		if (place != NOWHERE)
			*index_posting(x, place) = (struct posting){ NOWHERE, NO_SINGLE, 0 };
	}
	if (!x->full)
		index_posting(x, x->op_start)->what |= FIRST_OF_OP;
}
