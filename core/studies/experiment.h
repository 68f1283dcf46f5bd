/*
 * experiment.h - the experiments of the proposals: shared by experiment.c, which runs them, and experiment_*.c.
 *
 *	begin_experiment ─ rows of proposals.def, nothing measured yet
 *	work_experiment ─┬─ plan(run) ─ workload ─ build by clocks ─ count ────────┐
 *	                 │◄────────────────────── next run ◄──────────────────────┘
 *	                 └─ judge ─ ours, agrees and why of every row
 *
 * An experiment is a list of runs: workloads on machines. After each run it stores the totals of the session;
 * after the last one it fills in the rows. Every number in a row is measured, and the sentences contain only these
 * numbers.
 */
#ifndef STUDIES_EXPERIMENT_H
#define STUDIES_EXPERIMENT_H

#include "kmem_types.h"
#include "session/session.h"
#include "util/text.h"

enum experiment_seed {
#define PROPOSAL(id, number, name, year, parameter, shape, title, setup) SEED_##id,
#include "tables/proposals/proposals.def"
#undef PROPOSAL
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

/* One run: a workload with its settings, which are keys of the workload and parameters of the machine. */
struct experiment_run {
	const char *workload;
	struct text settings;
};

struct experiment_result {
	struct kmem_totals totals;
	u64 counts[2]; /* what the shape counted */
};

struct experiment_shape {
	u32 nr_runs;
	void (*plan)(struct experiment *e, u32 run, struct experiment_run *to);
	/* After a run, counts what the totals lack. NULL: nothing. */
	void (*count)(struct kmem_session *s, u64 counts[2]);
	/* Called after the last run: fills in each row with figure_ours and figure_judge. */
	void (*judge)(struct experiment *e);
};

extern const struct experiment_shape experiment_node_search, experiment_order;
extern const struct experiment_shape experiment_min_partial, experiment_unified, experiment_slob;

enum { SETTINGS_BYTES = 1024, EXPERIMENT_TEXT_BYTES = 256 << 10 };

struct experiment {
	const struct experiment_shape *shape; /* NULL: no experiment has started */
	struct experiment_result *results;    /* one for each run */
	u32 run, phase;
	u32 first; /* number of the figure in rows[0] */
	u32 scale; /* share of each workload, in hundredths */
	u32 rule_at[NR_RULES];
	struct kmem_figure_row *rows;
	struct text texts;
	u32 why_from; /* where the sentence about the next figure starts */
	u32 texts_at; /* offset of texts.buf in the region */
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

static inline const struct kmem_totals *totals_of(const struct experiment *e, u32 run)
{
	return &e->results[run].totals;
}

/* experiment.c */
struct kmem_figure_row *figure_row(struct experiment *e, u32 figure);
/* Returns the figure that the proposal prints. */
s64 figure_seed_value(u32 figure);
void figure_ours(struct experiment *e, u32 figure, s64 value, u32 decimals);
/* Assigns the sentences added to `texts` since the last verdict to this figure. */
void figure_judge(struct experiment *e, u32 figure, enum experiment_rule rule,
		  enum kmem_agreement agrees);

/* experiment_judge.c: the rules of proposals.def. A rule_* function adds a sentence and returns the agreement. A judge_*
 * function writes the whole verdict. */

/* Applies ROUNDS if the real kernel's figure has a least and a most; otherwise `once`, one of ONCE_*. */
enum kmem_agreement rule_value(struct experiment *e, u32 figure, enum experiment_rule once);
void judge_value(struct experiment *e, u32 figure, enum experiment_rule once);
/* Applies ONCE_* to a share in hundredths of a per cent, by its odds. */
enum kmem_agreement rule_share(struct experiment *e, u32 figure, enum experiment_rule once);

/* A time or a rate, for ordering with others. */
struct timed {
	u32 figure;
	s64 ours;		/* rises with the figure */
	u64 seed_ppm, ours_ppm; /* standard errors in millionths of the values */
	const u64 *runs;	/* the values of a mean, from the same traces for all; NULL */
	u32 nr_runs;
};
/* Applies ORDER: a figure agrees if the model has the same order wherever the proposal orders it. */
void judge_time(struct experiment *e, const struct timed *times, u32 nr, u32 which);
/* Returns the standard error of a mean of this many rounds, for a time without a published deviation. */
u64 unknown_error_ppm(u32 rounds);
/* Judges two such times; ours are in their rows. */
void judge_two_times(struct experiment *e, u32 first, u32 rounds);
/* Returns 1 if a change of a time, in hundredths of a per cent, is significant at that error. */
int time_changed(s64 change, u32 rounds);
/* Leaves open nr figures that have nothing to compare with, all with the same sentence. */
void judge_open(struct experiment *e, u32 first, u32 nr, const char *words);

struct spread {
	u64 least, most, mean;
	u64 sd; /* standard deviation of the sample */
};
u64 square_root(u64 n);
/* Computes the spread of nr values, at least one. */
struct spread spread_of(const u64 *values, u32 nr);

/* Adds "3.10 % above", "0.42 % below" or "equal to". */
void text_add_distance(struct text *t, s64 value, s64 from);
/* Returns part of all in hundredths of a per cent; 0 if all is 0. */
u64 share_of(u64 part, u64 all);

#endif
