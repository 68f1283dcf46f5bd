/*
 * object_history.c - one object from its allocation to its free, and the objects before and after it: in the same
 * slot, and under the same dense number.
 */
#include "query/index/query.h"
#include "session/session.h"

static int is_alloc(const struct op *op)
{
	return op->kind == OP_ALLOC || op->kind == OP_KMALLOC;
}

/* Finds the object's allocation and free, and those of its neighbours, in the events of its handle. */
static void look_at_handle(const struct kmem_session *s, struct kmem_lifetime *in, u32 op)
{
	const struct index *x = &query_of(s)->index;
	u32 i = x->handle_start[in->handle], end = x->handle_start[in->handle + 1];

	for (; i < end; i++) {
		u32 at_op = x->handle_ops[i];
		const struct op o = trace_op(&s->trace, at_op);
		if (is_alloc(&o) && at_op > op) {
			in->handle_later_op = at_op;
			return;
		}
		if (is_alloc(&o)) {
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

	if (query_of(s)->index.state != INDEX_READY) {
		session_fail(s, KMEM_ESTATE, "the index is not built yet");
		return NULL;
	}
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
	if (is_older && !born) {
		session_fail(s, KMEM_ESTATE,
			     "the event has no object that the trace allocates, nor one of the "
			     "slabs that it begins with");
		return NULL;
	}
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
