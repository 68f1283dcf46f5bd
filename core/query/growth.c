/*
 * growth.c - what a machine's caches had before and after a trace, beside the growth of the model's.
 *
 *	machine	before ───── trace ───── after	two machine states
 *	model	event 0 ──────────────── last	both ends of the replay
 *
 * A cold model starts with nothing, so growth is what can be compared, not the numbers themselves. Where it differs,
 * a row says why, as far as the numbers show it. Allocations less frees are known from the trace, whatever the start.
 * The machine's active objects include free ones on its CPUs, so they are an upper bound of the objects in use.
 */
#include "machine_state/machine_state.h"
#include "session/session.h"

static const char *name_of(const struct kmem_session *s, u32 at)
{
	return session_text(s, at);
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
	if (after && after->objects_per_slab != NOT_REPORTED)
		g->objects_per_slab = after->objects_per_slab;
}

/* Counts what the trace says about the machine's cache, under all of its names. */
static void fill_events(struct kmem_session *s, struct kmem_growth_row *g, const char *name)
{
	const struct kmem_report *r = &s->trace.report;
	const struct kmem_trace_cache_row *c = session_at(s, r->caches_at);
	const struct machine_state *after = &s->import.machine_state;
	const char *target = machine_state_target(after, name);

	for (u32 i = 0; i < r->nr_caches; i++, c++) {
		if (!text_is(machine_state_target(after, name_of(s, c->name_at)), target))
			continue;
		g->allocs += c->allocs;
		g->frees += c->frees;
	}
}

/* Returns the frees of older objects whose cache the trace does not name. */
static u64 unnamed_frees(const struct kmem_session *s)
{
	const struct kmem_report *r = &s->trace.report;
	const struct kmem_trace_cache_row *c = session_at(s, r->caches_at);
	u64 named = r->null_frees;

	for (u32 i = 0; i < r->nr_caches; i++)
		named += c[i].frees;
	return r->frees - MIN(r->frees, named);
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

enum { NEAR_SLABS = 2 };

static s64 growth_of(u32 before, u32 after)
{
	return (s64)after - before;
}

/* Returns the objects that the trace leaves, less those by which the machine's cache grew. */
static s64 left_over(const struct kmem_growth_row *g)
{
	return (s64)(g->allocs - g->frees) - growth_of(g->objects_before, g->objects_after);
}

static u32 why_of(const struct kmem_growth_row *g)
{
	int in_model = g->model_slabs_after != NOT_REPORTED;

	if (g->slabs_before == NOT_REPORTED || g->slabs_after == NOT_REPORTED)
		return GROWTH_NO_CACHE;
	s64 machine = growth_of(g->slabs_before, g->slabs_after);
	s64 more = (in_model ? growth_of(g->model_slabs_before, g->model_slabs_after) : 0) -
		   machine;
	if (more >= -NEAR_SLABS && more <= NEAR_SLABS)
		return GROWTH_AGREES;
	if (!g->allocs && !g->frees)
		return GROWTH_NO_EVENT;
	int counts = g->objects_before != NOT_REPORTED && g->objects_after != NOT_REPORTED;
	/* Half of the slabs in question must have room for them. */
	s64 few = (more > 0 ? more : -more) * g->objects_per_slab / 2;
	if (more > 0 && counts && left_over(g) > few)
		return GROWTH_UNSEEN_FREES;
	if (!in_model)
		return GROWTH_OTHER_CACHE;
	if (g->model_slabs_before != g->slabs_before)
		return GROWTH_OTHER_START;
	if (more < 0 && counts && -left_over(g) > few)
		return GROWTH_UNSEEN_ALLOCS;
	return GROWTH_OTHER_SLABS;
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

/* Collects the model's caches at both ends of the trace. Returns their number. */
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
	/* A cold replay makes caches at their first events. */
	for (u32 i = 0; c && i < nr; i++) {
		struct kmem_growth_row *g = &rows[c[i].cache];
		if (c[i].cache >= nr_first)
			memset(g, 0, sizeof(*g));
		g->name_at = c[i].name_at;
		g->order = c[i].order;
		g->objects_per_slab = c[i].objects_per_slab;
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
	if (!s->w || !s->import.before.nr_rows || !after->nr_rows || after->is_reading)
		return session_none(
			s, KMEM_ESTATE,
			"expected a build and two machine states, before and after the trace");
	struct kmem_growth_row *rows = after->tables->growth;
	u32 nr_rows = model_rows(s, rows);
	u8 *in_model = after->tables->is_adopted;
	memset(in_model, 0, sizeof(after->tables->is_adopted));
	for (u32 i = 0; i < nr_rows; i++) {
		const char *name = name_of(s, rows[i].name_at);
		fill_machine(s, &rows[i], name);
		fill_events(s, &rows[i], name);
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
		fill_machine(s, &rows[nr_rows], name);
		fill_events(s, &rows[nr_rows++], name);
	}
	for (u32 i = 0; i < nr_rows; i++)
		rows[i].why = why_of(&rows[i]);
	*nr = sort(rows, nr_rows);
	return rows;
}

static void add_change(struct text *t, s64 change)
{
	text_add_grouped(t, (u64)(change < 0 ? -change : change));
	text_add(t, change < 0 ? " fewer" : " more");
}

/* "the trace leaves 14,436 more and the machine has 29 fewer" */
static void add_both(struct text *t, const struct kmem_growth_row *g)
{
	text_add(t, "the trace leaves ");
	add_change(t, (s64)(g->allocs - g->frees));
	text_add(t, " and the machine has ");
	add_change(t, growth_of(g->objects_before, g->objects_after));
}

static void say_unseen_frees(struct kmem_session *s, struct text *t,
			     const struct kmem_growth_row *g)
{
	u64 unnamed = unnamed_frees(s);

	text_print(t,
		   "%'ju object{s} {were|was} freed by something that the trace does not show "
		   "(kfree_rcu, in bulk), or after its last event",
		   (uintmax_t)left_over(g));
	if (unnamed >= (u64)left_over(g))
		text_print(t, ", or by one of %'ju free{s} that name{|s} no cache",
			   (uintmax_t)unnamed);
	text_add(t, ": ");
	add_both(t, g);
	text_add(t, ".");
}

const char *kmem_growth_why(struct kmem_session *s, u32 i)
{
	const struct machine_state_tables *tables = s->import.machine_state.tables;
	const struct kmem_growth_row *g = tables && i < ARRAY_SIZE(tables->growth)
						  ? &tables->growth[i]
						  : NULL;
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	switch (g ? (enum kmem_growth_why)g->why : GROWTH_AGREES) {
	case GROWTH_AGREES:
		break;
	case GROWTH_NO_CACHE:
		text_add(&t, g->slabs_after != NOT_REPORTED
				     ? "The state before does not list slabs of this cache."
			     : g->slabs_before != NOT_REPORTED
				     ? "The state after does not list slabs of this cache."
				     : "Neither state lists slabs of this cache.");
		break;
	case GROWTH_NO_EVENT:
		text_add(&t, "No event of the trace uses this cache.");
		break;
	case GROWTH_OTHER_CACHE:
		text_add(&t,
			 "The model has no such cache: it serves these objects from another one.");
		break;
	case GROWTH_UNSEEN_FREES:
		say_unseen_frees(s, &t, g);
		break;
	case GROWTH_OTHER_START:
		text_print(&t, "The model started with %'u slab{s}, the machine with %'u.",
			   g->model_slabs_before, g->slabs_before);
		break;
	case GROWTH_UNSEEN_ALLOCS:
		text_print(
			&t,
			"%'ju object{s} {were|was} allocated without an event, or {are|is} free on "
			"a CPU, where the machine counts {them|it} as active: ",
			(uintmax_t)-left_over(g));
		add_both(&t, g);
		text_add(&t, ".");
		break;
	case GROWTH_OTHER_SLABS:
		text_add(&t, "The events explain the objects: the machine had its free objects in "
			     "other slabs than the model.");
		break;
	}
	return s->out.text;
}
