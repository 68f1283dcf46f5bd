/*
 * index.c - the index: adds each event, builds it in slices, and finds events and postings in it.
 */
#include "query/index/query.h"
#include "session/job.h"
#include "session/session.h"
#include "util/poison.h"

/*
 * Adds recorded events to the index one by one: postings, blocks, and the history of caches in
 * numbers.
 */

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

/* Adds the event to the figures of its level, to its CPU's lane and to the chapters of the trace. */
static void note_path(struct kmem_session *s, const struct touched_op *o)
{
	struct index *x = &query_of(s)->index;
	struct levels_walk walk = levels_begin(levels_of(s, o->cache));
	u32 cycles = (u32)MIN(op_cycles(s->w), 0xffffffffu);

	for (u32 k = 0; k < o->nr_steps; k++)
		levels_step(s, &walk, s->timeline.steps + k);
	lanes_note(s, o, &walk);
	chapters_note(s, &x->chapters, o, &walk, cycles);
	if (o->kind == OP_FREE || !o->has_object || o->cache >= x->nr_caches)
		return;
	struct level_note *note = &x->caches[o->cache].levels[walk.asked];
	note->least_cycles = note->allocs ? MIN(note->least_cycles, cycles) : cycles;
	note->most_cycles = MAX(note->most_cycles, cycles);
	note->cycles += cycles;
	note->allocs++;
}

/* Adds an event to the index; sets x->full when memory runs out. */
static void index_note_op(struct kmem_session *s, const struct touched_op *o)
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

/*
 * Builds the index in slices, and finds events and postings in it. See query.h.
 */

enum {
	/* Sorting an event takes about a tenth of the time of replaying it with steps. */
	SORTED_AT_ONCE = 8,
};

static void no_life(struct kmem_life *life)
{
	memset(life, 0, sizeof(*life));
	life->first_op = life->last_op = life->born_op = life->gone_op = NOWHERE;
	life->objects_peak_op = life->slabs_peak_op = NOWHERE;
}

static void index_drop(struct kmem_session *s)
{
	session_drop_behind(s);
	memset(&query_of(s)->index, 0, sizeof(query_of(s)->index));
	query_of(s)->index_drops++;
}

static s32 no_memory(struct kmem_session *s)
{
	index_drop(s);
	return session_fail(s, KMEM_ENOMEM,
			    "not enough memory for the index, about 17 bytes per event: "
			    "cut the trace by time or cache, or use the native command");
}

/* Places the memory of queries after all memory that the world has ever used, plus the step by which the world
 * grows. */
void index_place_memory(struct kmem_session *s, u64 budget_bytes)
{
	struct side_block *a = &s->timeline.behind;
	u64 behind = MAX(s->timeline.world_high_bytes, world_host(s->w)->zeroed_bytes);
	u8 *end = s->pool.base + s->pool.size_bytes - WORLD_HEADROOM_BYTES;

	a->base = (u8 *)s->w + ALIGN_UP(behind + 2 * POOL_UNIT_BYTES, (u64)POOL_UNIT_BYTES);
	a->base = MIN(a->base, end);
	a->top = a->base;
	a->end = budget_bytes && budget_bytes < (u64)(end - a->base) ? a->base + budget_bytes : end;
	query_of(s)->index.memory = a;
}

struct side_block *index_memory(struct kmem_session *s)
{
	struct side_block *a = &s->timeline.behind;

	if (!a->base)
		index_place_memory(s, 0);
	query_of(s)->index.memory = a;
	return a;
}

static void make_handle_tables(struct index *x, const struct trace *t)
{
	x->handle_start = index_alloc(x, ((u64)t->nr_handles + 2) * sizeof(u32));
	x->handle_ops = index_alloc(x, (u64)t->nr_ops * sizeof(u32));
}

static void make_tables(struct kmem_session *s)
{
	struct index *x = &query_of(s)->index;
	const struct trace *t = &s->trace;

	x->nr_caches = s->w->nr_caches;
	x->cache_words = DIV_ROUND_UP(x->nr_caches, 32u);
	x->nr_blocks = t->nr_ops / BLOCK_OPS + 1;
	x->log.row_bytes = sizeof(struct posting);
	x->slabs.row_bytes = sizeof(struct slab_note);
	x->log.chunk = index_alloc(x, MAX_COLUMN_CHUNKS * sizeof(u8 *));
	x->slabs.chunk = index_alloc(x, MAX_COLUMN_CHUNKS * sizeof(u8 *));
	x->caches = index_alloc(x, (u64)x->nr_caches * sizeof(*x->caches));
	x->touched = index_alloc(x, (u64)x->nr_caches * sizeof(u16));
	x->blocks = index_alloc(x, (u64)x->nr_blocks * sizeof(*x->blocks));
	x->block_caches = index_alloc(x, (u64)x->nr_blocks * x->cache_words * sizeof(u32));
	make_handle_tables(x, t);
	lanes_begin(x, MIN(s->w->machine.nr_cpus, MAX(t->report.cpus, 1u)), t->nr_ops);
}

s32 begin_index(struct kmem_session *s, const void *args)
{
	const struct kmem_build_args *a = args;
	struct index *x = &query_of(s)->index;

	if (!s->timeline.built)
		return session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	index_drop(s);
	touch_kinds_init(query_of(s)->touch_kinds);
	/* All caches exist at the end of the trace. */
	s32 status = kmem_seek(s, s->trace.nr_ops);
	if (status)
		return status;
	index_place_memory(s, a->budget_bytes);
	make_tables(s);
	if (x->full)
		return no_memory(s);
	for (u32 c = 0; c < x->nr_caches; c++)
		no_life(&x->caches[c].life);
	x->state = INDEX_RECORDING;
	return 0;
}

/* Counts two entries ahead: the sorting below shifts the counts down by one. */
static void count_handle(struct index *x, u32 nr)
{
	if (nr != HANDLE_NONE)
		x->handle_start[nr + 2]++;
}

/* Turns the counts into the start of each handle's events, one entry ahead. */
static void start_handles(struct index *x, u32 nr_handles)
{
	for (u32 h = 2; h < nr_handles + 2; h++)
		x->handle_start[h] += x->handle_start[h - 1];
}

static void sort_handle(struct index *x, u32 nr, u32 op)
{
	if (nr != HANDLE_NONE)
		x->handle_ops[x->handle_start[nr + 1]++] = op;
}

static void begin_sorting(struct kmem_session *s)
{
	struct index *x = &query_of(s)->index;
	u32 start = 0;

	x->sorted = index_alloc(x, (u64)x->log.nr * sizeof(u32));
	if (x->full)
		return;
	for (u32 i = 0; i < x->slabs.nr; i++) {
		struct slab_note *note = index_slab(x, i);
		note->start = start;
		start += note->nr;
	}
	start_handles(x, s->trace.nr_handles);
	if (s->trace.nr_ops % BLOCK_OPS == 0)
		x->blocks[x->nr_blocks - 1].start = x->log.nr;
	x->state = INDEX_SORTING;
	x->next_op = 0;
	x->op_start = 0;
}

static s32 record(struct kmem_session *s, u32 nr)
{
	struct index *x = &query_of(s)->index;
	struct touched_op o;
	s32 status = kmem_seek(s, x->next_op);

	for (; !status && nr && x->next_op < s->trace.nr_ops; nr--) {
		status = touch_run(s, &o);
		if (status)
			break;
		index_note_op(s, &o);
		if (x->full)
			return no_memory(s);
		count_handle(x, trace_op(&s->trace, x->next_op).handle);
		x->next_op++;
	}
	if (!status && x->next_op == s->trace.nr_ops)
		begin_sorting(s);
	return x->full ? no_memory(s) : status;
}

static void sort(struct kmem_session *s, u32 nr)
{
	struct index *x = &query_of(s)->index;

	for (; nr && x->next_op < s->trace.nr_ops; nr--) {
		sort_handle(x, trace_op(&s->trace, x->next_op).handle, x->next_op);
		x->next_op++;
		do {
			u32 slab = index_posting(x, x->op_start)->slab;
			if (slab != NOWHERE) {
				struct slab_note *note = index_slab(x, slab);
				x->sorted[note->start + note->done++] = x->op_start;
			}
			x->op_start++;
		} while (x->op_start < x->log.nr &&
			 !(index_posting(x, x->op_start)->what & FIRST_OF_OP));
	}
	if (x->next_op == s->trace.nr_ops)
		x->state = INDEX_READY;
}

s64 work_index(struct kmem_session *s, u32 max_ops)
{
	struct index *x = &query_of(s)->index;
	s32 status = 0;

	if (x->state == INDEX_NONE || x->state == INDEX_HANDLES)
		return session_fail(s, KMEM_ESTATE, "no index has started");
	if (x->state == INDEX_RECORDING)
		status = record(s, max_ops);
	else if (x->state == INDEX_SORTING)
		sort(s, (u32)MIN((u64)max_ops * SORTED_AT_ONCE, 0xffffffffu));
	if (status || x->state == INDEX_READY)
		return status;
	s64 left = s->trace.nr_ops - x->next_op;
	return x->state == INDEX_RECORDING ? left + s->trace.nr_ops / SORTED_AT_ONCE + 1
					   : left / SORTED_AT_ONCE + 1;
}

u64 kmem_index_bytes(struct kmem_session *s)
{
	return query_of(s)->index.state == INDEX_READY
		       ? (u64)(s->timeline.behind.top - s->timeline.behind.base)
		       : 0;
}

u32 index_position(const struct index *x, u32 op)
{
	u32 position = x->blocks[op / BLOCK_OPS].start;

	for (u32 left = op % BLOCK_OPS; left && position < x->log.nr;) {
		position++;
		if (position == x->log.nr || index_posting(x, position)->what & FIRST_OF_OP)
			left--;
	}
	return position;
}

u32 index_op(const struct index *x, u32 position)
{
	u32 lo = 0, hi = x->nr_blocks;

	while (hi - lo > 1) {
		u32 mid = (lo + hi) / 2;
		if (x->blocks[mid].start <= position)
			lo = mid;
		else
			hi = mid;
	}
	u32 op = lo * BLOCK_OPS;
	for (u32 i = x->blocks[lo].start + 1; i <= position; i++)
		op += index_posting(x, i)->what & FIRST_OF_OP;
	return op;
}

int index_handles(struct kmem_session *s)
{
	struct index *x = &query_of(s)->index;
	const struct trace *t = &s->trace;

	if (!s->timeline.built || x->state == INDEX_RECORDING || x->state == INDEX_SORTING)
		return 0;
	if (x->state != INDEX_NONE)
		return 1;
	index_memory(s);
	/* The caller did not ask for these tables, so they must leave room for a copy of the world and for rows. */
	u64 bytes = ((u64)t->nr_handles + 2 + t->nr_ops) * sizeof(u32),
	    others = (u64)(x->memory->base - (u8 *)s->w) + WORLD_HEADROOM_BYTES;
	if ((u64)(x->memory->end - x->memory->top) >= bytes + others)
		make_handle_tables(x, t);
	if (!x->handle_ops) {
		index_drop(s);
		return 0;
	}
	for (u32 op = 0; op < t->nr_ops; op++)
		count_handle(x, trace_op(t, op).handle);
	start_handles(x, t->nr_handles);
	for (u32 op = 0; op < t->nr_ops; op++)
		sort_handle(x, trace_op(t, op).handle, op);
	x->state = INDEX_HANDLES;
	return 1;
}

u32 index_alloc_op(const struct kmem_session *s, u32 object, u32 op)
{
	const struct index *x = &query_of(s)->index;
	u32 start = x->handle_start[object],
	    i = start + lower_bound(x->handle_ops + start, x->handle_start[object + 1] - start, op);

	while (i-- > start) {
		u32 kind = trace_op(&s->trace, x->handle_ops[i]).kind;
		if (op_allocates(kind))
			return x->handle_ops[i];
	}
	return NOWHERE;
}

u32 index_alloc_at(const struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op)
{
	const struct index *x = &query_of(s)->index;
	u32 nr = index_find_slab(s, cache, slab);

	if (nr == NOWHERE)
		return NOWHERE;
	const struct slab_note *note = index_slab(x, nr);
	const u32 *places = x->sorted + note->start;
	u32 behind = op < s->trace.nr_ops ? index_position(x, op) : x->log.nr,
	    i = lower_bound(places, note->nr, behind);
	while (i-- > 0) {
		const struct posting *p = index_posting(x, places[i]);
		if (p->index == index && p->what & WHEN_BIT(WHEN_ALLOC))
			return index_op(x, places[i]);
	}
	return NOWHERE;
}

const struct posting *index_object(const struct kmem_session *s, u32 op)
{
	const struct index *x = &query_of(s)->index;
	const u32 object = WHEN_BIT(WHEN_ALLOC) | WHEN_BIT(WHEN_FREE);

	if (x->state != INDEX_READY)
		return NULL;
	u32 i = index_position(x, op);
	do {
		const struct posting *p = index_posting(x, i);
		if (p->what & object && index_slab(x, p->slab)->serial != NOWHERE)
			return p;
	} while (++i < x->log.nr && !(index_posting(x, i)->what & FIRST_OF_OP));
	return NULL;
}
