/*
 * experiment.h - the seeds' experiments: what experiment.c, which runs them, and each of them (experiment_*.c) share.
 *
 *	kmem_experiment_begin ─ rows of proposals.def, nothing measured yet
 *	kmem_experiment_run ─┬─ plan(run) ─ workload ─ build by clocks ─ measure(run) ─┐
 *	                     │◄────────────────────── next run ◄──────────────────────┘
 *	                     └─ judge ─ ours, agrees and why of every row
 *
 * An experiment is a list of runs: workloads on machines. After each it notes what it needs of the session; after the
 * last it fills in the rows. Every number in a row is measured, and every sentence is made of the numbers.
 */
#ifndef STUDIES_EXPERIMENT_H
#define STUDIES_EXPERIMENT_H

#include "kmem_types.h"
#include "session/session.h"
#include "util/text.h"

enum experiment_seed {
#define SEED(id, number, name, year, parameter, shape, title, setup) SEED_##id,
#include "tables/proposals/proposals.def"
#undef SEED
	NR_SEEDS
};

enum experiment_figure {
#define FIGURE(id, seed, table, row, column, kind, unit, ours_unit, seed_value, real, from) \
	FIG_##id,
#include "tables/proposals/proposals.def"
#undef FIGURE
	NR_FIGURES
};

enum experiment_rule {
#define RULE(id, hundredths, words) RULE_##id,
#include "tables/proposals/proposals.def"
#undef RULE
	NR_RULES
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
	u32 scale; /* of each workload, in hundredths */
	u32 rule_at[NR_RULES];
	struct kmem_figure_row *rows;
	struct text texts;
	u32 why_from; /* where the sentence begins that is being written */
	u32 texts_at; /* of texts.buf in the region */
	void *block;
	u64 block_bytes;
	struct kmem_experiment head;
	char settings[SETTINGS_BYTES];
};

_Static_assert(sizeof(struct experiment) <= sizeof(((struct session_room *)0)->study),
	       "a session has room for it");

static inline struct experiment *experiment_of(struct kmem_session *s)
{
	return (struct experiment *)s->room.study;
}

/* experiment.c: behind kmem_experiment_begin; 0 if the pool has no room. */
int experiment_begin(struct experiment *e, struct pool *pool, u32 seed, u32 scale);
struct kmem_figure_row *figure_row(struct experiment *e, u32 figure);
/* As the seed prints it. */
s64 figure_seed_value(u32 figure);
void figure_ours(struct experiment *e, u32 figure, s64 value, u32 decimals);
/* A sentence about a figure: begins it, and ends it with the verdict. Only one at a time. */
struct text *figure_why(struct experiment *e);
void figure_judge(struct experiment *e, u32 figure, enum experiment_rule rule,
		  enum kmem_agreement agrees);

/* experiment_judge.c: the rules of proposals.def. rule_* add a sentence to what has been begun and say how it is; judge_* do
 * that alone. */

/* ROUNDS, if the real kernel's figure has a least and a most; else `once`, one of ONCE_*. */
enum kmem_agreement rule_value(struct experiment *e, u32 figure, enum experiment_rule once);
void judge_value(struct experiment *e, u32 figure, enum experiment_rule once);
/* ONCE_* of a share in hundredths of a per cent, by its odds. */
enum kmem_agreement rule_share(struct experiment *e, u32 figure, enum experiment_rule once);
/* Which of the two rules a figure has. */
enum experiment_rule rule_for(struct experiment *e, u32 figure, enum experiment_rule once);

/* A time or a rate among those that it is ordered with. */
struct timed {
	u32 figure;
	s64 ours;		/* more where the figure is more */
	u64 seed_ppm, ours_ppm; /* standard errors in millionths of the values */
	const u64 *runs;	/* of a mean: what it is of, the same traces for all; NULL */
	u32 nr_runs;
};
/* ORDER: a figure agrees if all that the seed says of it is so here. */
enum kmem_agreement rule_times(struct experiment *e, const struct timed *times, u32 nr, u32 which);
/* The standard error of a time of which the seed tells no deviation, a mean of so many rounds. */
u64 unknown_error_ppm(u32 rounds);
/* Two such times, ours being in their rows. */
void judge_two_times(struct experiment *e, u32 first, u32 rounds);
/* Does a change of a time, in hundredths of a per cent, say anything by that error? */
int time_changed(s64 change, u32 rounds);
/* Nothing to compare with, and the same sentence for all: words. */
void judge_open(struct experiment *e, const u32 *figures, u32 nr, const char *words);

struct spread {
	u64 least, most, mean;
	u64 sd; /* standard deviation of the sample */
};
u64 square_root(u64 n);
/* Of nr values, at least one. */
struct spread spread_of(const u64 *values, u32 nr);

/* "3.10 % above", "0.42 % below" or "equal to". */
void text_add_distance(struct text *t, s64 value, s64 from);
/* part of all in hundredths of a per cent; 0 of nothing. */
u64 share_of(u64 part, u64 all);

#endif
