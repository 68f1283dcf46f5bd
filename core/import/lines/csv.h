/*
 * csv.h - what the files of CSV share: csv_columns.c finds out what each column tells, format_csv.c reads the rows.
 */
#ifndef IMPORT_LINES_CSV_H
#define IMPORT_LINES_CSV_H

#include "import/import.h"

enum { NR_ROLES = NR_VALUES(kmem_role), NO_COLUMN = 0xff };

_Static_assert(NR_ROLES <= 32, "sets of roles have a bit for each");
_Static_assert(MAX_COLUMNS <= 64 && (u32)MAX_COLUMNS <= (u32)NO_COLUMN,
	       "sets of columns have a bit for each");

enum csv_unit { UNIT_BY_LOOKS, UNIT_NS, UNIT_US, UNIT_MS, UNIT_S, UNIT_TICKS };

/* A field without the quotes around it. */
struct csv_field {
	const u8 *at, *end;
};

struct csv {
	u32 header_read;
	u32 nr; /* columns */
	u8 separator;
	u8 unit;		/* enum csv_unit, of the time */
	u8 ids;			/* objects have numbers or words for names, not addresses */
	u8 column_of[NR_ROLES]; /* index, NO_COLUMN */
};

/* Cuts a row; returns how many fields it has, of which the first MAX_COLUMNS are in fields. */
u32 csv_cut(const u8 *p, const u8 *end, u8 separator, struct csv_field *fields);
/* format_bpftrace.c, which may have printed the CSV too: 1 for lines that are no event's - empty ones, comments, what it
 * says when it begins and of events lost, which is counted. */
int bpftrace_is_between(const u8 *line, const u8 *end);
void bpftrace_note_lost(struct import *im, const u8 *line, const u8 *end);
/* Of the header: the separator that it has most of, 0 if it has none. */
u8 csv_separator(const u8 *p, const u8 *end);
/* What the columns tell, by the caller's mapping and by their names: notes it in trace->columns and in *csv. Ends the
 * import with a sentence where that is not enough to read rows. `row` is the first one, empty if there is none. */
void columns_read(struct import *im, struct csv *csv, const u8 *p, const u8 *end, const u8 *row,
		  const u8 *row_end);
/* Checks a caller's ROLE=COLUMN pairs, noted in columns->mapping: 1, or 0 with the pair that is none. */
int columns_check(const struct trace_columns *columns, struct csv_field *bad);
/* Of the names in a header: how many roles without which nothing can be read are told. */
u32 columns_known(const struct csv_field *fields, u32 nr);

#endif
