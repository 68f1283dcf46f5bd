/*
 * move.c - the place of a slab or an object before and after an event, from the rows of two views.
 */
#include "query/index/query.h"
#include "session/session.h"

struct spot {
	u16 kind, cpu, node;
};

static const struct spot nowhere = { CACHE_NONE, CPU_NONE, NODE_ANY };

static struct spot spot_of(const struct kmem_place *place)
{
	return (struct spot){ place->kind, place->cpu, place->node };
}

/* An object that a queue holds is there, and not where its slab is. */
static int find_spot(struct kmem_session *s, u32 cache, u32 slab, u32 index, struct spot *spot)
{
	const struct kmem_frame *f = kmem_view(s, cache);

	*spot = nowhere;
	if (!f)
		return 0;
	const struct kmem_place *places = (const void *)(s->pool.base + f->places_at);
	const struct kmem_slab_row *slabs = (const void *)(s->pool.base + f->slabs_at);
	const struct kmem_entry *entries = (const void *)(s->pool.base + f->entries_at);
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
		text_add_number(t, "CPU ", spot->cpu);
	else if (spot->node != NODE_ANY)
		text_add_number(t, "node ", spot->node);
	if (spot->cpu != CPU_NONE || spot->node != NODE_ANY)
		text_add(t, "'s ");
	text_add(t, place_words(spot->kind));
}

const struct kmem_move *kmem_move(struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op)
{
	struct query *q = query_of(s);
	struct spot from = nowhere, to = nowhere;

	if (op >= kmem_nr_ops(s)) {
		session_fail(s, KMEM_ESTATE, "past the last event");
		return NULL;
	}
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
