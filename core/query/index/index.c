/*
 * index.c - builds the index in slices, and finds events and postings in it. See index.h.
 */
#include "session/job.h"
#include "util/poison.h"
#include "query/index/query.h"
#include "session/session.h"

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

void index_drop(struct kmem_session *s)
{
	session_drop_behind(s);
	memset(&query_of(s)->index, 0, sizeof(query_of(s)->index));
	query_of(s)->index_drops++;
}

static s32 no_memory(struct kmem_session *s)
{
	index_drop(s);
	return session_fail(s, KMEM_ENOMEM,
			    "not enough memory for the index, about 17 bytes an event: "
			    "cut the trace by time or cache, or use the native command");
}

/* Places the memory of queries behind all memory that the world has ever used, plus the step by which the world grows. */
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
		return session_fail(s, KMEM_ESTATE, "no index has begun");
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
		if (kind == OP_ALLOC || kind == OP_KMALLOC)
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
