/*
 * csv.h - what the CSV files share: csv_columns.c finds the role of each column, format_csv.c reads
 * the rows.
 */
#ifndef IMPORT_CSV_H
#define IMPORT_CSV_H

#include "import/import.h"

enum { NR_ROLES = NR_VALUES(kmem_role), NO_COLUMN = 0xff };

_Static_assert(NR_ROLES <= 32, "sets of roles have a bit for each");
_Static_assert(MAX_COLUMNS <= 64 && (u32)MAX_COLUMNS <= (u32)NO_COLUMN,
	       "sets of columns have a bit for each");

enum csv_unit { UNIT_BY_LOOKS, UNIT_NS, UNIT_US, UNIT_MS, UNIT_S, UNIT_TICKS };

struct csv {
	u32 header_read;
	u32 nr; /* columns */
	u8 separator;
	u8 unit;		/* enum csv_unit, of the time */
	u8 ids;			/* objects have numbers or words as names, not addresses */
	u8 column_of[NR_ROLES]; /* index, or NO_COLUMN */
};

/* Splits a row into fields without the quotes around them. Returns its number of fields; the first MAX_COLUMNS are in `fields`. */
u32 csv_cut(const u8 *p, const u8 *end, u8 separator, struct range *fields);
/* format_bpftrace.c: bpftrace may have printed the CSV. 1 for a line that is not an event: empty, a
 * comment, or a start message. A message about lost events is counted. */
int bpftrace_is_between(const u8 *line, const u8 *end);
void bpftrace_note_lost(struct import *im, const u8 *line, const u8 *end);
/* Returns 1 if [at, end) is one of these names, which blanks divide. Case does not matter. */
int csv_is_among(const u8 *at, const u8 *end, const char *list);
/* Finds the columns' roles by the caller's mapping and by their names. Stores them in
 * trace->columns and in *csv. Ends the import with an error if a needed role is missing. `row` is
 * the first row, empty if there is none. */
void columns_read(struct import *im, struct csv *csv, const u8 *p, const u8 *end, const u8 *row,
		  const u8 *row_end);
/* Checks a caller's ROLE=COLUMN pairs in columns->mapping: 1, or 0 with the invalid pair. */
int columns_check(const struct trace_columns *columns, struct range *bad);
/* Returns how many of the required roles the names in a header provide. */
u32 columns_known(const struct range *fields, u32 nr);

#endif
