/*
 * against.h - two traces side by side: the numbers of each at aligned positions, and how they differ.
 */
#ifndef CLI_COMMANDS_AGAINST_H
#define CLI_COMMANDS_AGAINST_H

#include "cli/cli.h"

enum {
	NR_PARTS = 64, /* equal parts of the run */
	NR_POINTS = NR_PARTS + 1,
	MAX_FIGURES = 6,
	MAX_ROW_NAME_BYTES = 160,
	NO_EVENT = 0xffffffff
};

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
struct table {
	const char *key, *title, *figures[MAX_FIGURES];
};
extern const struct table tables[NR_TABLES];

/* A cache, a call site, a counter or another number of one trace. */
struct side_row {
	char name[MAX_ROW_NAME_BYTES];
	char cache[MAX_NAME_BYTES]; /* of a call site; "" otherwise */
	u32 table, cache_id;
	u32 first_op, peak_op; /* first use and largest extent, NO_EVENT if unknown */
	u64 *values;
};

struct side {
	struct host host;
	u32 at[NR_POINTS]; /* events done at each aligned position */
	struct side_row *rows;
	u32 nr, room;
	int lacks_names; /* the recorder printed no cache names: import then calls caches by the size of a slot */
};

struct change {
	const struct side_row *a, *b; /* NULL: the trace has no such row */
	struct change *partner;	      /* the row of B in another build */
};

struct against {
	struct side side[2]; /* their hosts have an index */
	const char *align;
	const struct args *args;
	struct change *changes; /* by table, the largest change first */
	u32 nr;
};

/* "time", "event" or "share", which the call has. */
const char *align_named(const char *name);
/* Takes the numbers of both, joins their rows by names, and sorts them by the size of their changes. */
void against_compare(struct against *c);

static inline const struct side_row *any_of(const struct change *change)
{
	return change->a ? change->a : change->b;
}

/* A figure at a point, 0 for a missing row; and its change from A to B at the end. */
u64 value_at(const struct side_row *row, u32 figure, u32 point);
s64 change_in(const struct change *change, u32 figure);
/* The point behind the part in which the difference between the traces changes most, and by how much; 0: it never does. */
u32 largest_step(const struct change *change, u32 figure, s64 *by);
/* "appeared", "vanished", "grew", "shrank" or "same". */
const char *kind_of_change(const struct change *change);

#endif
