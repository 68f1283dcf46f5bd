/*
 * experiment.c - runs the experiment of a proposal in small slices, and keeps its rows.
 *
 * Rows and their texts lie in one block of the pool, which outlives the traces and worlds of the runs.
 */
#include "session/job.h"
#include "studies/experiment.h"

#include "session/session.h"

struct number {
	s64 value, least, most;
	u8 there, has_spread, decimals;
};

static const struct figure_def {
	const char *table, *row, *column, *unit, *ours_unit, *from;
	struct number seed_value, real;
	u8 seed, kind;
} defs[NR_FIGURES] = {
#define N(digits, decimals) { digits, 0, 0, 1, 0, decimals }
#define SPREAD(digits, least, most, decimals) { digits, least, most, 1, 1, decimals }
#define NONE { 0, 0, 0, 0, 0, 0 }
#define FIGURE(id, seed, table, row, column, kind, unit, ours_unit, seed_value, real, from) \
	{ table, row, column, unit, ours_unit, from, seed_value, real, SEED_##seed, FIGURE_##kind },
#include "tables/proposals/proposals.def"
#undef FIGURE
};

static const struct seed_def {
	const char *number, *name, *parameter, *title, *setup;
	const struct experiment_shape *shape;
	u32 year;
} seeds[NR_SEEDS] = {
#define PROPOSAL(id, number, name, year, parameter, shape, title, setup) \
	{ number, name, parameter, title, setup, &shape, year },
#include "tables/proposals/proposals.def"
#undef PROPOSAL
};

static const char *const rules[NR_RULES] = {
#define RULE(id, hundredths, words) words,
#include "tables/proposals/proposals.def"
#undef RULE
};

enum experiment_phase { PHASE_PLAN, PHASE_MAKE, PHASE_RUN, PHASE_DONE };

/* Rows */

static u32 keep_text(struct experiment *e, const char *s)
{
	u32 at = e->texts_at + e->texts.len;

	text_add_n(&e->texts, s, text_length(s) + 1);
	return at;
}

static void fill_row(struct experiment *e, u32 figure)
{
	const struct figure_def *def = &defs[figure];
	struct kmem_figure_row *row = figure_row(e, figure);

	*row = (struct kmem_figure_row){
		.seed_value = def->seed_value.value,
		.real_value = def->real.value,
		.real_least = def->real.least,
		.real_most = def->real.most,
		.kind = def->kind,
		.has_seed = def->seed_value.there,
		.has_real = def->real.there,
		.has_spread = def->real.has_spread,
		.seed_decimals = def->seed_value.decimals,
		.real_decimals = def->real.decimals,
	};
	row->table_at = keep_text(e, def->table);
	row->row_at = keep_text(e, def->row);
	row->column_at = keep_text(e, def->column);
	row->unit_at = keep_text(e, def->unit);
	row->ours_unit_at = keep_text(e, def->ours_unit);
	row->real_from_at = keep_text(e, def->from);
	row->rule_at = row->why_at = e->rule_at[RULE_OPEN];
}

static u32 count_figures(u32 seed, u32 *first)
{
	u32 nr = 0;

	for (u32 i = 0; i < NR_FIGURES; i++) {
		if (defs[i].seed != seed)
			continue;
		*first = nr ? *first : i;
		nr++;
	}
	return nr;
}

/* Returns 0 if the pool has no room. */
static int experiment_begin(struct experiment *e, struct pool *pool, u32 seed, u32 scale)
{
	const struct seed_def *def = &seeds[seed];
	u32 first = 0, nr = count_figures(seed, &first);
	u64 rows = ALIGN_UP(nr * (u64)sizeof(struct kmem_figure_row), (u64)64);
	u64 results = ALIGN_UP(def->shape->nr_runs * (u64)sizeof(*e->results), (u64)64);

	pool_free(pool, e->block, e->block_bytes);
	memset(e, 0, sizeof(*e));
	e->block_bytes = rows + results + EXPERIMENT_TEXT_BYTES;
	e->block = pool_alloc(pool, e->block_bytes);
	if (!e->block)
		return 0;
	u8 *at = e->block;
	e->rows = (struct kmem_figure_row *)at;
	e->results = (struct experiment_result *)(at + rows);
	e->texts = text_in((char *)at + rows + results, EXPERIMENT_TEXT_BYTES);
	e->texts_at = (u32)(at + rows + results - pool->base);
	e->shape = def->shape;
	e->first = first;
	e->scale = scale;
	for (u32 i = 0; i < NR_RULES; i++)
		e->rule_at[i] = keep_text(e, rules[i]);
	for (u32 i = 0; i < nr; i++)
		fill_row(e, first + i);
	e->head.id_at = keep_text(e, def->number);
	e->head.name_at = keep_text(e, def->name);
	e->head.title_at = keep_text(e, def->title);
	e->head.switch_at = keep_text(e, def->parameter);
	e->head.setup_at = keep_text(e, def->setup);
	e->head.year = def->year;
	e->head.rows_at = (u32)(at - pool->base);
	e->head.nr_rows = nr;
	e->head.runs = def->shape->nr_runs;
	e->why_from = e->texts.len;
	return 1;
}

struct kmem_figure_row *figure_row(struct experiment *e, u32 figure)
{
	KASSERT(figure >= e->first && figure - e->first < NR_FIGURES);
	return &e->rows[figure - e->first];
}

s64 figure_seed_value(u32 figure)
{
	return defs[figure].seed_value.value;
}

void figure_ours(struct experiment *e, u32 figure, s64 value, u32 decimals)
{
	struct kmem_figure_row *row = figure_row(e, figure);

	row->ours_value = value;
	row->ours_decimals = (u8)decimals;
	row->has_ours = 1;
}

void figure_judge(struct experiment *e, u32 figure, enum experiment_rule rule,
		  enum kmem_agreement agrees)
{
	struct kmem_figure_row *row = figure_row(e, figure);

	row->rule_at = e->rule_at[rule];
	row->agrees = agrees;
	row->why_at = e->texts_at + e->why_from;
	text_add_n(&e->texts, "", 1);
	e->why_from = e->texts.len;
}

/* Runs */

static s32 plan_run(struct kmem_session *s, struct experiment *e)
{
	struct experiment_run run = { .settings = text_in(e->settings, SETTINGS_BYTES) };

	e->shape->plan(e, e->run, &run);
	if (e->scale != 100) {
		text_add(&run.settings, " scale=");
		text_add_decimal(&run.settings, e->scale, 2);
	}
	KASSERT(!run.settings.cut);
	e->phase = PHASE_MAKE;
	return begin_workload(s, &(struct kmem_workload_args){ run.workload, e->settings });
}

static s32 make_some(struct kmem_session *s, struct experiment *e, u32 max_ops)
{
	s64 left = work_workload(s, max_ops);

	if (left)
		return MIN(left, 0);
	e->phase = PHASE_RUN;
	return begin_build(s, &(struct kmem_build_args){ .by_clocks = 1 });
}

static s32 run_some(struct kmem_session *s, struct experiment *e, u32 max_ops)
{
	s32 status = kmem_run(s, max_ops, 0);

	if (status || kmem_position(s) < kmem_nr_ops(s))
		return status;
	struct experiment_result *result = &e->results[e->run++];
	result->totals = *kmem_totals(s);
	if (e->shape->count)
		e->shape->count(s, result->counts);
	e->phase = PHASE_PLAN;
	return 0;
}

s32 begin_experiment(struct kmem_session *s, const void *args)
{
	const struct kmem_experiment_args *a = args;
	const char *seed = a->proposal;
	u32 i = 0;
	struct text error = text_in(s->out.error, sizeof(s->out.error));

	while (i < NR_SEEDS && !text_is(seed, seeds[i].number) && !text_is(seed, seeds[i].name))
		i++;
	if (i == NR_SEEDS) {
		text_add(&error, "unknown proposal ");
		text_add_quoted(&error, seed, text_length(seed));
		text_add(&error, ": expected ");
		for (i = 0; i < NR_SEEDS; i++)
			text_print(&error, "%s%s (%s)", i ? ", " : "", seeds[i].number,
				   seeds[i].name);
		return session_failed(s, KMEM_EPARAM);
	}
	/* Start without the previous world and trace. */
	s32 status = kmem_import_begin(s);
	if (status)
		return status;
	s->import.importing = IMPORTING_NOTHING;
	trace_drop(&s->trace);
	return experiment_begin(experiment_of(s), &s->pool, i, a->scale)
		       ? 0
		       : session_fail(s, KMEM_ENOMEM, "the region has no room for an experiment");
}

static s32 parts_to_go(const struct experiment *e)
{
	u32 within = e->phase == PHASE_PLAN ? 0 : e->phase == PHASE_MAKE ? 250 : 500;
	u64 done = (u64)e->run * 1000 + within;

	return MAX((s32)(1000 - done / MAX(e->head.runs, 1u)), 1);
}

s64 work_experiment(struct kmem_session *s, u32 max_ops)
{
	struct experiment *e = experiment_of(s);
	s32 status = 0;

	if (!e->shape)
		return session_fail(s, KMEM_ESTATE, "no experiment has started");
	if (e->phase == PHASE_PLAN && e->run == e->head.runs) {
		e->shape->judge(e);
		e->phase = PHASE_DONE;
	}
	if (e->phase == PHASE_DONE)
		return 0;
	if (e->phase == PHASE_PLAN)
		status = plan_run(s, e);
	else if (e->phase == PHASE_MAKE)
		status = make_some(s, e, max_ops);
	else
		status = run_some(s, e, max_ops);
	e->head.runs_done = e->run;
	return status ? status : parts_to_go(e);
}

const struct kmem_experiment *kmem_experiment(struct kmem_session *s)
{
	if (experiment_of(s)->shape)
		return &experiment_of(s)->head;
	return session_none(s, KMEM_ESTATE, "no experiment has started");
}
