/*
 * compare.h - the questions of `slabscope compare`: two traces side by side, and one trace under every kernel.
 */
#ifndef CLI_COMMANDS_COMPARE_H
#define CLI_COMMANDS_COMPARE_H

#include "cli/cli.h"

enum {
	NR_PARTS = 64, /* equal parts of the run */
	NR_POINTS = NR_PARTS + 1,
	MAX_FIGURES = 8,
	MAX_ROW_NAME_BYTES = 160,
	NO_EVENT = 0xffffffff
};

enum align { ALIGN_TIME, ALIGN_EVENT, ALIGN_SHARE, NR_ALIGNS };
extern const char *const align_names[NR_ALIGNS];

enum table_id {
	TABLE_CACHES,
	TABLE_SITES,
	TABLE_WASTE,
	TABLE_TOTALS,
	TABLE_COUNTERS,
	TABLE_CURVES,
	NR_TABLES
};

/* The figures of a table's rows; the first one decides the order of the rows. */
struct table_def {
	const char *key, *title;
	u32 nr_figures, nr_points; /* nr_points: 1 if only the end is known */
	const char *figures[MAX_FIGURES];
};
extern const struct table_def table_defs[NR_TABLES];

/* A cache, a call site, a counter or another number of one trace. */
struct side_row {
	char name[MAX_ROW_NAME_BYTES];
	char cache[MAX_NAME_BYTES]; /* of a call site; "" otherwise */
	u32 first_op, peak_op;	    /* first use and largest extent, NO_EVENT if unknown */
	u64 *values;		    /* [nr_figures][nr_points] */
};

struct side {
	struct host host;
	u32 at[NR_POINTS]; /* events done at each aligned position */
	struct side_table {
		struct side_row *rows;
		u32 nr, room;
	} tables[NR_TABLES];
};

/* How one figure changes between two aligned positions, where the difference between the traces changes most. */
struct step_of_change {
	s64 change;    /* of the difference, 0: it never changes */
	u32 from, end; /* positions, as indices */
};

struct change_row {
	const struct side_row *a, *b; /* NULL: the trace has no such row */
};

struct changes {
	struct change_row *rows; /* largest change first */
	u32 nr;
};

void sides_align(struct side *a, struct side *b, enum align align);
void side_take(struct side *side);
/* Returns 1 if the recorder printed no cache names: import then calls caches by the size of a slot. */
int side_lacks_names(const struct side *side);

/* Joins the rows of a table by their names, and sorts them by the size of their changes. rows: malloc'ed. */
struct changes changes_of(const struct side *a, const struct side *b, enum table_id table);
/* Returns 1 if the row's call site has another offset or size in B. */
static inline int is_of_two_builds(const struct change_row *row)
{
	return row->a && row->b && strcmp(row->a->name, row->b->name) != 0;
}
/* Returns a figure at the end of the run, 0 for a missing row. */
u64 figure_at_end(const struct side_row *row, enum table_id table, u32 figure);
s64 change_in(const struct change_row *row, enum table_id table, u32 figure);
struct step_of_change largest_step(const struct change_row *row, enum table_id table, u32 figure);
/* "appeared", "vanished", "grew", "shrank" or "same". */
const char *kind_of_change(const struct change_row *row, enum table_id table);

struct against {
	struct side a, b;
	enum align align;
	const struct args *args;
	struct changes changes[NR_TABLES];
};

/* --against: two traces. Returns an exit status. */
int compare_against(const struct args *args);
/* --kernels: the same trace under every preset. */
int compare_kernels(const struct args *args);

#endif
