/*
 * experiment.h - the seeds' experiments: what experiment.c, which runs them, and each of them (experiment_*.c) share.
 *
 *	kmem_experiment_begin ─ rows of seeds.def, nothing measured yet
 *	kmem_experiment_run ─┬─ plan(run) ─ workload ─ build by clocks ─ measure(run) ─┐
 *	                     │◄────────────────────── next run ◄──────────────────────┘
 *	                     └─ judge ─ ours, agrees and why of every row
 *
 * An experiment is a list of runs: workloads on machines. After each it notes what it needs of the session; after the
 * last it fills in the rows. Every number in a row is measured, and every sentence is made of the numbers.
 */
#ifndef PLAY_EXPERIMENT_H
#define PLAY_EXPERIMENT_H

#include "../kmem.h"
#include "text.h"

enum experiment_seed {
#define SEED(id, number, name, year, parameter, shape, title, setup) SEED_##id,
#include "../seeds.def"
#undef SEED
	NR_SEEDS
};

enum experiment_figure {
#define FIGURE(id, seed, table, row, column, kind, unit, ours_unit, seed_value, real, from) \
	FIG_##id,
#include "../seeds.def"
#undef FIGURE
	NR_FIGURES
};

struct pool;
struct experiment;

/* One run: a workload with its settings, keys of the workload and parameters of the machine; NULL: none, measure does
 * all. as_made: operations stay in the order in which the workload made them. */
struct experiment_run {
	const char *workload;
	struct text settings;
	u32 as_made;
};

struct experiment_shape {
	u32 nr_runs;
	u32 state_bytes;
	void (*plan)(struct experiment *e, u32 run, struct experiment_run *to);
	void (*measure)(struct experiment *e, u32 run, struct kmem_session *s);
	/* After the last run; figure_ours and figure_judge say what is in each row. */
	void (*judge)(struct experiment *e);
};

extern const struct experiment_shape experiment_node_search, experiment_order;
extern const struct experiment_shape experiment_min_partial, experiment_unified, experiment_slob;

enum { SETTINGS_BYTES = 1024, EXPERIMENT_TEXT_BYTES = 256 << 10 };

struct experiment {
	const struct experiment_shape *shape; /* NULL: none has begun */
	void *state;			      /* the shape's, zeroed at first */
	u32 seed, run, phase, as_made;
	u32 first; /* figure of rows[0] */
	struct kmem_figure_row *rows;
	struct text texts;
	u32 why_from; /* where the sentence begins that is being written */
	u32 texts_at; /* of texts.buf in the region */
	void *block;
	u64 block_bytes;
	struct kmem_experiment head;
	char settings[SETTINGS_BYTES];
};

/* experiment.c: behind kmem_experiment_begin; 0 if the pool has no room. */
int experiment_begin(struct experiment *e, struct pool *pool, u32 seed);
struct kmem_figure_row *figure_row(struct experiment *e, u32 figure);
void figure_ours(struct experiment *e, u32 figure, s64 value, u32 decimals);
/* A sentence about a figure: begins it, and ends it with the verdict. Only one at a time. */
struct text *figure_why(struct experiment *e);
void figure_judge(struct experiment *e, u32 figure, enum kmem_agreement agrees);

/* experiment_judge.c: the rules by which figures agree, and numbers in sentences. */

/* nr figures of one column, of which the seed says which is larger; within 1 % of each other it says nothing. A row
 * agrees if all that the seed says of it is so here, by more than `per_mille`. */
void judge_order(struct experiment *e, const u32 *figures, u32 nr, u32 per_mille);
/* Within what the boots of the real kernel had. */
void judge_spread(struct experiment *e, u32 figure);
/* -1, 0, 1: a is less than b, the same within per_mille of the larger, more. */
int figure_side(s64 a, s64 b, u32 per_mille);
/* Within per_mille of what the real kernel had, or else the seed, either way. */
void judge_near(struct experiment *e, u32 figure, u32 per_mille);
/* Nothing to compare with, and the same sentence for all: words. */
void judge_open(struct experiment *e, const u32 *figures, u32 nr, const char *words);

struct spread {
	u64 least, most, mean;
	u64 sd; /* standard deviation of the sample */
};
/* Of nr values, at least one. */
struct spread spread_of(const u64 *values, u32 nr);

/* 12345 with 2 decimals: 123.45. */
void text_add_decimal(struct text *t, s64 value, u32 decimals);
/* "3.10 % above", "0.42 % below" or "equal to". */
void text_add_distance(struct text *t, s64 value, s64 from);
/* part of all in hundredths of a per cent; 0 of nothing. */
u64 share_of(u64 part, u64 all);

#endif
