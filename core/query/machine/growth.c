/*
 * growth.c - what a machine's caches had before and after a trace, beside the growth of the model's.
 *
 *	machine	before ───── trace ───── after	two machine states
 *	model	event 0 ──────────────── last	both ends of the replay
 *
 * A cold model begins with nothing, so growth is what can be compared, not the numbers themselves.
 */
#include "machine_state/machine_state.h"
#include "session/session.h"

static const char *name_of(const struct kmem_session *s, u32 at)
{
	return (const char *)s->pool.base + at;
}

/* Fills in the machine's numbers of a row by its name. */
static void fill_machine(struct kmem_session *s, struct kmem_growth_row *g, const char *name)
{
	const struct kmem_machine_state_row *before = machine_state_find(&s->import.before, name);
	const struct kmem_machine_state_row *after = machine_state_find(&s->import.machine_state,
									name);

	g->objects_before = before ? before->objects : NOT_REPORTED;
	g->slabs_before = before ? before->slabs : NOT_REPORTED;
	g->objects_after = after ? after->objects : NOT_REPORTED;
	g->slabs_after = after ? after->slabs : NOT_REPORTED;
	if (after && after->order != NOT_REPORTED)
		g->order = after->order;
}

static u64 distance(u32 a, u32 b)
{
	if (a == NOT_REPORTED || b == NOT_REPORTED)
		return 0;
	return a > b ? a - b : b - a;
}

static int changes(const struct kmem_growth_row *g)
{
	return distance(g->slabs_before, g->slabs_after) ||
	       distance(g->objects_before, g->objects_after) ||
	       distance(g->model_slabs_before, g->model_slabs_after) ||
	       distance(g->model_objects_before, g->model_objects_after);
}

enum { MACHINE_FIRST = 48 };

/* The order of rows: pages by which the machine's cache changed, then caches that only the model knows. */
static u64 size_of(const struct kmem_growth_row *g)
{
	u32 known = g->slabs_before != NOT_REPORTED && g->slabs_after != NOT_REPORTED;
	u64 slabs = known ? distance(g->slabs_before, g->slabs_after)
			  : distance(g->model_slabs_before, g->model_slabs_after);

	return (slabs << (g->order < 16 ? g->order : 0)) + ((u64)known << MACHINE_FIRST);
}

/* Keeps the rows that change, the largest change first. */
static u32 sort(struct kmem_growth_row *rows, u32 nr)
{
	u32 kept = 0;

	for (u32 i = 0; i < nr; i++) {
		struct kmem_growth_row row = rows[i];
		u32 at = kept;
		if (!changes(&row))
			continue;
		for (; at && size_of(&rows[at - 1]) < size_of(&row); at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
		kept++;
	}
	return kept;
}

/* The model's caches at both ends of the trace. Returns their number. */
static u32 model_rows(struct kmem_session *s, struct kmem_growth_row *rows)
{
	u32 nr = 0, nr_first = 0;
	s32 status = kmem_seek(s, 0);
	const struct kmem_cache_row *c = status ? NULL : kmem_cache_rows(s, &nr_first);

	for (u32 i = 0; i < nr_first; i++)
		rows[c[i].cache] = (struct kmem_growth_row){
			.model_objects_before = c[i].objects,
			.model_slabs_before = c[i].slabs,
		};
	if (!status)
		status = kmem_seek(s, kmem_nr_ops(s));
	c = status ? NULL : kmem_cache_rows(s, &nr);
	/* A cold replay makes caches with their first events. */
	for (u32 i = 0; c && i < nr; i++) {
		struct kmem_growth_row *g = &rows[c[i].cache];
		if (c[i].cache >= nr_first)
			memset(g, 0, sizeof(*g));
		g->name_at = c[i].name_at;
		g->order = c[i].order;
		g->model_objects_after = c[i].objects;
		g->model_slabs_after = c[i].slabs;
	}
	return c ? nr : 0;
}

static void mark(const struct machine_state *o, u8 *marks, const char *name)
{
	const struct kmem_machine_state_row *row = machine_state_find(o, name);

	if (row)
		marks[row - o->tables->rows] = 1;
}

const struct kmem_growth_row *kmem_growth(struct kmem_session *s, u32 *nr)
{
	struct machine_state *after = &s->import.machine_state;

	*nr = 0;
	if (!s->w || !s->import.before.nr_rows || !after->nr_rows || after->is_reading) {
		session_fail(s, KMEM_ESTATE,
			     "expected a build and two machine states, before and after the trace");
		return NULL;
	}
	struct kmem_growth_row *rows = after->tables->growth;
	u32 nr_rows = model_rows(s, rows);
	u8 *in_model = after->tables->is_adopted;
	memset(in_model, 0, sizeof(after->tables->is_adopted));
	for (u32 i = 0; i < nr_rows; i++) {
		const char *name = name_of(s, rows[i].name_at);
		fill_machine(s, &rows[i], name);
		mark(after, in_model, name);
		mark(after, in_model, machine_state_target(after, name));
	}
	for (u32 i = 0; i < after->nr_rows; i++) {
		const char *name = after->tables->names[i];
		/* Aliases have the numbers of the directory that they link to. */
		if (in_model[i] || !text_is(machine_state_target(after, name), name))
			continue;
		rows[nr_rows] = (struct kmem_growth_row){
			.name_at = after->tables->rows[i].name_at,
			.model_objects_before = NOT_REPORTED,
			.model_objects_after = NOT_REPORTED,
			.model_slabs_before = NOT_REPORTED,
			.model_slabs_after = NOT_REPORTED,
		};
		fill_machine(s, &rows[nr_rows++], name);
	}
	*nr = sort(rows, nr_rows);
	return rows;
}
