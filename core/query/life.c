/*
 * life.c - the history of a cache, a slab or an object: its events, the objects of a slot, and the places of a slab
 * around an event.
 */
#include "query/index/query.h"
#include "replay/start.h"
#include "session/session.h"

/*
 * The events of a cache, a slab or an object, read from the index page by page.
 *
 * A thing is named as everywhere: a cache; with `slab` one of its slabs by serial number; with `index` also a slot of
 * that slab, where one object follows another.
 */

static const u32 object_bits = WHEN_BIT(WHEN_ALLOC) | WHEN_BIT(WHEN_FREE);

/* Postings of a thing: through indices in `sorted` or, for a cache, directly in the log. */
struct thing {
	const struct index *x;
	u32 cache, index;  /* index: NOWHERE for any */
	const u32 *sorted; /* NULL: a cache */
	u32 nr;		   /* entries of `sorted` */
	u32 conditions;	   /* conditions to report for such a thing */
};

static const struct posting *posting_at(const struct thing *thing, u32 i)
{
	return index_posting(thing->x, thing->sorted ? thing->sorted[i] : i);
}

static int is_of(const struct thing *thing, const struct posting *p)
{
	if (p->slab == NOWHERE)
		return 0;
	return thing->sorted ? thing->index == NOWHERE || p->index == thing->index
			     : index_slab(thing->x, p->slab)->cache == thing->cache;
}

static int find_thing(struct kmem_session *s, u32 cache, u32 slab, u32 index, struct thing *thing)
{
	const struct index *x = &query_of(s)->index;
	u32 nr = slab == NOWHERE ? 0 : index_find_slab(s, cache, slab);

	if (x->state != INDEX_READY) {
		session_fail(s, KMEM_ESTATE, "the index is not built yet");
		return 0;
	}
	if (cache >= x->nr_caches || nr == NOWHERE || (slab == NOWHERE && index != NOWHERE)) {
		session_fail(s, KMEM_ESTATE,
			     slab == NOWHERE ? "no such cache in the whole trace"
					     : "no such slab in the whole trace");
		return 0;
	}
	*thing = (struct thing){ x, cache, index, NULL, 0, ~(u32)FIRST_OF_OP };
	if (slab != NOWHERE) {
		thing->conditions &= index == NOWHERE ? ~(u32)CACHE_CONDITIONS
						      : (u32)OBJECT_CONDITIONS;
		thing->sorted = x->sorted + index_slab(x, nr)->start;
		thing->nr = index_slab(x, nr)->nr;
	}
	return 1;
}

/* Returns 1 if entries a and b of the log, a before b, belong to one event. */
static int same_op(const struct index *x, u32 a, u32 b)
{
	while (++a <= b)
		if (index_posting(x, a)->what & FIRST_OF_OP)
			return 0;
	return 1;
}

static u32 op_at(const struct thing *thing, u32 place)
{
	return place == NOWHERE ? NOWHERE : index_op(thing->x, place);
}

static int lists(const struct start *start, u32 at, u32 nr, u32 index)
{
	while (nr-- > 0)
		if (start->indices.at[at + nr] == index)
			return 1;
	return 0;
}

/* Returns how many objects the slab, or its slot, had in use at the start. */
static u32 used_at_start(const struct start *start, u32 cache, u32 slab, u32 index)
{
	for (u32 i = 0; start && i < start->slabs.nr; i++) {
		const struct start_slab *of = &start->slabs.at[i];
		if (!of->made || of->made_cache != cache || of->made_serial != slab)
			continue;
		if (index == NOWHERE)
			return of->objects - of->nr_free - of->nr_cpu_free;
		return index < of->objects && !lists(start, of->free_at, of->nr_free, index) &&
		       !lists(start, of->cpu_free_at, of->nr_cpu_free, index);
	}
	return 0;
}

/* Sums up a slab or a slot from its own postings. */
static void sum_up(const struct thing *thing, struct kmem_life *life)
{
	u32 first = NOWHERE, last = NOWHERE, born = NOWHERE, gone = NOWHERE, peak = NOWHERE, live;

	life->objects_peak = life->objects_at_start;
	for (u32 i = 0; i < thing->nr; i++) {
		const struct posting *p = posting_at(thing, i);
		u32 place = thing->sorted[i];
		if (!is_of(thing, p))
			continue;
		life->nr_ops += last == NOWHERE || !same_op(thing->x, last, place);
		first = first == NOWHERE ? place : first;
		last = place;
		if (p->what >> WHEN_NEW_SLAB & thing->conditions >> WHEN_NEW_SLAB & 1)
			born = place;
		if (p->what >> WHEN_SLAB_FREED & thing->conditions >> WHEN_SLAB_FREED & 1)
			gone = place;
		life->allocs += p->what >> WHEN_ALLOC & 1;
		life->frees += p->what >> WHEN_FREE & 1;
		live = life->objects_at_start + life->allocs;
		live -= MIN(live, life->frees);
		if (live > life->objects_peak) {
			life->objects_peak = live;
			peak = place;
		}
	}
	life->first_op = op_at(thing, first);
	life->last_op = op_at(thing, last);
	life->born_op = op_at(thing, born);
	life->gone_op = op_at(thing, gone);
	life->objects_peak_op = op_at(thing, peak);
	life->slabs_peak_op = NOWHERE;
}

const struct kmem_life *kmem_life(struct kmem_session *s, u32 cache, u32 slab, u32 index)
{
	struct kmem_life *life = &query_of(s)->life;
	struct thing thing;

	if (!find_thing(s, cache, slab, index, &thing))
		return NULL;
	if (!thing.sorted) {
		*life = query_of(s)->index.caches[cache].life;
		return life;
	}
	memset(life, 0, sizeof(*life));
	life->objects_at_start = used_at_start(s->replay.start, cache, slab, index);
	sum_up(&thing, life);
	return life;
}

/* Rows are filled from one end; `row` is the current one, NULL before the first. */
struct page {
	struct kmem_life_row *rows, *row;
	u32 nr, max, back;
};

/* Returns 0 when the posting needs a new row and the page is full. */
static int page_add(struct page *page, const struct thing *thing, u32 op, const struct posting *p)
{
	const struct slab_note *note = index_slab(thing->x, p->slab);
	struct kmem_life_row *row = page->row;

	if (!row || row->op != op) {
		if (page->nr == page->max)
			return 0;
		page->nr++;
		row = page->row = page->rows + (page->back ? page->max - page->nr : page->nr - 1);
		*row = (struct kmem_life_row){ op, 0, NOWHERE, NOWHERE };
	}
	/* Its own object names the row; otherwise the first one does. */
	if (note->serial != NOWHERE &&
	    (p->what & object_bits ||
	     (!(row->what & object_bits) && (page->back || row->slab == NOWHERE)))) {
		row->slab = note->serial;
		row->index = p->index == NO_SINGLE ? NOWHERE : p->index;
	}
	row->what |= p->what & thing->conditions;
	return 1;
}

static void fill_from_sorted(const struct thing *thing, struct page *page, u32 from)
{
	u32 place = index_position(thing->x, from),
	    i = lower_bound(thing->sorted, thing->nr, place);

	while (page->back ? i-- > 0 : i < thing->nr) {
		const struct posting *p = posting_at(thing, i);
		if (is_of(thing, p) &&
		    !page_add(page, thing, index_op(thing->x, thing->sorted[i]), p))
			return;
		i += !page->back;
	}
}

/* Adds a block's events from `from` on or, backwards, those before it. Returns 0 when the page is full. */
static int fill_from_block(const struct thing *thing, struct page *page, u32 block, u32 from)
{
	const struct index *x = thing->x;
	u32 begin = x->blocks[block].start, op = block * BLOCK_OPS,
	    end = block + 1 < x->nr_blocks ? x->blocks[block + 1].start : x->log.nr;

	if (page->back && from <= op)
		return 1;
	if (from > op && from < op + BLOCK_OPS) {
		u32 place = index_position(x, from);
		begin = page->back ? begin : place;
		end = page->back ? place : end;
		op = page->back ? op : from;
	}
	if (begin >= end)
		return 1;
	u32 i = page->back ? end - 1 : begin;
	op = page->back ? index_op(x, i) : op;
	for (u32 left = end - begin; left; left--) {
		const struct posting *p = index_posting(x, i);
		if (!page->back && i != begin)
			op += p->what & FIRST_OF_OP;
		if (is_of(thing, p) && !page_add(page, thing, op, p))
			return 0;
		if (page->back)
			op -= p->what & FIRST_OF_OP;
		i = page->back ? i - 1 : i + 1;
	}
	return 1;
}

static void fill_from_log(const struct thing *thing, struct page *page, u32 from)
{
	u32 block = from / BLOCK_OPS;

	do {
		if (index_block_has(thing->x, block, thing->cache) &&
		    !fill_from_block(thing, page, block, from))
			return;
	} while (page->back ? block-- > 0 : ++block < thing->x->nr_blocks);
}

const struct kmem_life_row *kmem_life_rows(struct kmem_session *s, u32 cache, u32 slab, u32 index,
					   u32 from, u32 back, u32 max, u32 *nr)
{
	struct page page = { NULL, NULL, 0, MIN(max, (u32)KMEM_MAX_LIFE_ROWS), back };
	struct thing thing;

	*nr = 0;
	if (!find_thing(s, cache, slab, index, &thing))
		return NULL;
	from = MIN(from, s->trace.nr_ops);
	page.rows = scratch_rows(s, page.max, sizeof(*page.rows));
	if (!page.rows)
		return NULL;
	if (thing.sorted)
		fill_from_sorted(&thing, &page, from);
	else
		fill_from_log(&thing, &page, from);
	*nr = page.nr;
	return page.rows + (back ? page.max - page.nr : 0);
}

/*
 * One object from its allocation to its free, and the objects before and after it: in the same
 * slot, and under the same dense number.
 */

/* Finds the object's allocation and free, and those of its neighbours, in the events of its handle. */
static void look_at_handle(const struct kmem_session *s, struct kmem_lifetime *in, u32 op)
{
	const struct index *x = &query_of(s)->index;
	u32 i = x->handle_start[in->handle], end = x->handle_start[in->handle + 1];

	for (; i < end; i++) {
		u32 at_op = x->handle_ops[i];
		const struct op o = trace_op(&s->trace, at_op);
		if (op_allocates(o.kind) && at_op > op) {
			in->handle_later_op = at_op;
			return;
		}
		if (op_allocates(o.kind)) {
			in->handle_earlier_op = in->alloc_op;
			in->alloc_op = at_op;
			in->free_op = NOWHERE;
		} else if (o.kind == OP_FREE && in->free_op == NOWHERE) {
			in->free_op = at_op;
		}
	}
}

/* Finds the neighbours in the postings of the slab. */
static void look_at_place(const struct kmem_session *s, struct kmem_lifetime *in,
			  const struct posting *born)
{
	const struct index *x = &query_of(s)->index;
	const struct slab_note *note = index_slab(x, born->slab);
	u32 earlier = NOWHERE, later = NOWHERE;
	/* An object from before the trace was the first one. */
	int is_behind = !(born->what & WHEN_BIT(WHEN_ALLOC));

	in->nr += (u32)is_behind;

	for (u32 i = note->start; i < note->start + note->nr; i++) {
		const struct posting *p = index_posting(x, x->sorted[i]);
		if (p->index != born->index || !(p->what & WHEN_BIT(WHEN_ALLOC)))
			continue;
		in->nr++;
		if (p == born) {
			is_behind = 1;
		} else if (!is_behind) {
			in->number++;
			earlier = x->sorted[i];
		} else if (later == NOWHERE) {
			later = x->sorted[i];
		}
	}
	in->slab = note->serial;
	in->index = born->index;
	in->earlier_op = earlier == NOWHERE ? NOWHERE : index_op(x, earlier);
	in->later_op = later == NOWHERE ? NOWHERE : index_op(x, later);
}

const struct kmem_lifetime *kmem_lifetime(struct kmem_session *s, u32 op)
{
	struct kmem_lifetime *in = &query_of(s)->lifetime;

	if (query_of(s)->index.state != INDEX_READY)
		return session_none(s, KMEM_ESTATE, "the index is not built yet");
	memset(in, 0xff, sizeof(*in));
	in->handle = op < kmem_nr_ops(s) ? trace_op(&s->trace, op).handle : HANDLE_NONE;
	in->number = in->nr = 0;
	in->cache = CACHE_NONE;
	if (in->handle != HANDLE_NONE)
		look_at_handle(s, in, op);
	int is_older = in->alloc_op == NOWHERE;
	const struct posting *born = op < kmem_nr_ops(s)
					     ? index_object(s, is_older ? op : in->alloc_op)
					     : NULL;
	if (is_older && !born)
		return session_none(
			s, KMEM_ESTATE,
			"the event has no object that the trace allocates, nor one of the "
			"slabs that it starts with");
	if (is_older) {
		in->free_op = op;
	} else {
		const struct op o = trace_op(&s->trace, in->alloc_op);
		in->cache = replay_cache_of_site(&s->replay, &s->trace.sites[o.site]);
	}
	if (born) {
		const struct slab_note *note = index_slab(&query_of(s)->index, born->slab);
		in->cache = note->cache == CACHE_NONE ? in->cache : note->cache;
		look_at_place(s, in, born);
	}
	return in;
}

u32 kmem_alloc_at(struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op)
{
	const struct index *x = &query_of(s)->index;
	u32 nr = x->state == INDEX_READY && slab != NOWHERE ? index_find_slab(s, cache, slab)
							    : NOWHERE;
	u32 found = nr == NOWHERE ? NOWHERE
				  : index_alloc_at(s, cache, slab, index,
						   op < s->trace.nr_ops ? op + 1 : op);

	if (nr == NOWHERE || found != NOWHERE)
		return found;
	const struct slab_note *note = index_slab(x, nr);
	for (u32 i = note->start; i < note->start + note->nr; i++) {
		const struct posting *p = index_posting(x, x->sorted[i]);
		if (p->index == index && p->what & WHEN_BIT(WHEN_ALLOC))
			return index_op(x, x->sorted[i]);
	}
	return NOWHERE;
}

/*
 * The place of a slab or an object before and after an event, from the rows of two views.
 */

struct spot {
	u16 kind, cpu, node;
};

static const struct spot nowhere = { CACHE_NONE, CPU_NONE, NODE_ANY };

static struct spot spot_of(const struct kmem_place *place)
{
	return (struct spot){ place->kind, place->cpu, place->node };
}

/* An object that a queue holds is in the queue, not where its slab is. */
static int find_spot(struct kmem_session *s, u32 cache, u32 slab, u32 index, struct spot *spot)
{
	const struct kmem_frame *f = kmem_view(s, cache);

	*spot = nowhere;
	if (!f)
		return 0;
	const struct kmem_place *places = session_at(s, f->places_at);
	const struct kmem_slab_row *slabs = session_at(s, f->slabs_at);
	const struct kmem_entry *entries = session_at(s, f->entries_at);
	for (u32 i = 0; i < f->nr_slabs; i++)
		if (slabs[i].serial == slab)
			*spot = spot_of(&places[slabs[i].place]);
	for (u32 i = 0; i < f->nr_places && index != NOWHERE; i++)
		for (u32 k = 0; k < places[i].nr_entries; k++) {
			const struct kmem_entry *e = &entries[places[i].first_entry + k];
			if (e->slab == slab && e->index == index)
				*spot = spot_of(&places[i]);
		}
	return 1;
}

static void add_spot(struct text *t, const struct spot *spot)
{
	if (spot->kind == PLACE_LOOSE) {
		text_add(t, "no list");
		return;
	}
	if (spot->cpu != CPU_NONE)
		text_print(t, "CPU %u's ", spot->cpu);
	else if (spot->node != NODE_ANY)
		text_print(t, "node %u's ", spot->node);
	text_add(t, place_words(spot->kind));
}

const struct kmem_move *kmem_move(struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op)
{
	struct query *q = query_of(s);
	struct spot from = nowhere, to = nowhere;

	if (op >= kmem_nr_ops(s))
		return session_none(s, KMEM_ESTATE, "past the last event");
	if (kmem_seek(s, op))
		return NULL;
	/* The event may be the first to use the cache. */
	if (cache < s->w->nr_caches && !find_spot(s, cache, slab, index, &from))
		return NULL;
	if (kmem_seek(s, op + 1) || !find_spot(s, cache, slab, index, &to))
		return NULL;
	struct text t = text_in(q->move_text, sizeof(q->move_text));
	if (from.kind == CACHE_NONE)
		text_add(&t, to.kind == CACHE_NONE ? "nowhere" : "made");
	else
		add_spot(&t, &from);
	if (memcmp(&from, &to, sizeof(from)) != 0) {
		text_add(&t, " \xe2\x86\x92 ");
		if (to.kind == CACHE_NONE)
			text_add(&t, "discarded");
		else
			add_spot(&t, &to);
	}
	q->move = (struct kmem_move){ .op = op,
				      .from_kind = from.kind,
				      .from_cpu = from.cpu,
				      .from_node = from.node,
				      .to_kind = to.kind,
				      .to_cpu = to.cpu,
				      .to_node = to.node,
				      .text_at = session_offset(s, q->move_text) };
	return &q->move;
}
