/*
 * placement_rows.c - formats events and states for `slabscope placements`; the notation depends on
 * the allocator.
 */
#include "session/session.h"

static const struct placement_notation usual = { .words = { "id", "alloc", "alloc", 0, 0 } };

static const struct placement_notation *notation_of(const struct kmem_session *s)
{
	const struct kmem_ops *ops = s->replay.ops;

	return ops && ops->placements ? ops->placements : &usual;
}

struct kmem_placement_words kmem_placement_words(struct kmem_session *s)
{
	return notation_of(s)->words;
}

static u32 usual_columns(const struct kmem_op_row *row, struct kmem_placement_column *c)
{
	u32 asks = op_allocates(row->kind), is_placed = row->slab != 0xffffffff;

	c[0] = (struct kmem_placement_column){ "cpu", row->cpu, 1, 0 };
	c[1] = (struct kmem_placement_column){ "node", row->node == NODE_ANY ? -1 : (s64)row->node,
					       asks, 0 };
	c[2] = (struct kmem_placement_column){ "slab", row->slab, is_placed, 0 };
	c[3] = (struct kmem_placement_column){ "index", row->index, is_placed, 0 };
	return 4;
}

u32 kmem_placement_columns(struct kmem_session *s, const struct kmem_op_row *row, u32 nr_steps,
			   u32 unit, struct kmem_placement_column *columns)
{
	struct placed placed = { row, kmem_step_rows(s), nr_steps, unit };
	const struct placement_notation *n = notation_of(s);

	return n->columns ? n->columns(&placed, columns) : usual_columns(row, columns);
}

u32 kmem_placement_totals(struct kmem_session *s, const struct kmem_totals *t,
			  struct kmem_placement_column *columns)
{
	const struct placement_notation *n = notation_of(s);

	return n->totals ? n->totals(t, columns) : 0;
}

/* Returns an upper bound of the text that any notation writes for these rows. */
static u64 state_room(const struct state_rows *r)
{
	enum { SLAB_BYTES = 32, PLACE_BYTES = 96, CPU_BYTES = 96, NODE_BYTES = 192 };

	return (u64)r->nr_slabs * SLAB_BYTES + (u64)r->nr_places * PLACE_BYTES +
	       (u64)r->nr_cpus * CPU_BYTES + (u64)(r->nr_nodes + 1) * NODE_BYTES;
}

const char *kmem_placement_state(struct kmem_session *s, u32 cache, u32 unit)
{
	const struct placement_notation *n = notation_of(s);
	const struct kmem_frame *f = n->state ? kmem_view(s, cache) : NULL;
	const u8 *base = s->pool.base;

	if (!f)
		return n->state ? NULL : "";
	struct state_rows rows = {
		.places = (const struct kmem_place *)(base + f->places_at),
		.slabs = (const struct kmem_slab_row *)(base + f->slabs_at),
		.cells = base + f->cells_at,
		.extents = (const struct kmem_extent *)(base + f->extents_at),
		.nr_places = f->nr_places,
		.nr_slabs = f->nr_slabs,
		.nr_cpus = s->w->machine.nr_cpus,
		.nr_nodes = s->w->machine.nr_nodes,
		.unit = unit,
	};
	u32 room = (u32)MIN(state_room(&rows), (u64)1 << 31);
	char *buf = scratch_alloc(s, room);
	rows.first = scratch_alloc(s, ((u64)rows.nr_cpus + rows.nr_nodes) * sizeof(*rows.first));
	rows.next = scratch_alloc(s, (u64)rows.nr_places * sizeof(*rows.next));
	if (!buf || !rows.first || !rows.next)
		return NULL;
	state_list_places(&rows);
	struct text t = text_in(buf, room);
	n->state(&rows, &t);
	return buf;
}
