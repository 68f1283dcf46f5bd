/*
 * doc.h - one answer in four forms: text for people, JSON, CSV, or the rows of CSV as Markdown tables.
 *
 * A command writes its answer once. Members and arrays are there in JSON alone, and sentences of doc_say() in text alone.
 * Rows are in every form that their columns name. A callback takes all bytes.
 */
#ifndef DOC_DOC_H
#define DOC_DOC_H

#include <stddef.h>

#include "doc/names.h"
#include "doc/plain.h"

enum doc_form { DOC_TEXT, DOC_JSON, DOC_CSV, DOC_MARKDOWN };

enum { DOC_MAX_DEPTH = 16 };

struct doc {
	enum doc_form form;
	void (*put)(void *to, const char *bytes, size_t len);
	void *to;
	const u8 *base;	     /* texts of rows, fields *_at, are at an offset from here */
	const void *about;   /* what columns with `say` know besides their row */
	const char *same[5]; /* texts that are the same in every row */
	u32 depth;
	u32 row_depth;		   /* depth at which a row started, 0: none */
	char close[DOC_MAX_DEPTH]; /* the bracket that ends each level */
	u8 filled[DOC_MAX_DEPTH];  /* 1: the level has an element */
};

/* Whether this form has the rows of CSV. */
static inline int doc_has_rows(const struct doc *d)
{
	return d->form == DOC_CSV || d->form == DOC_MARKDOWN;
}

/* Writes to the text. doc_line() also ends the line. */
void doc_say(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_line(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends a line of the text, or leaves one empty. */
void doc_gap(struct doc *d);
/* Writes sentences to the text with at most MAIL_COLUMNS columns; each line but the first starts with `indent` blanks. */
void doc_wrapped(struct doc *d, const char *sentences, u32 indent);
/* The same with at most `most` columns; the first line has its blanks already. */
void doc_wrapped_in(struct doc *d, const char *sentences, u32 indent, u32 most);

/*
 * The JSON document. Members take their key first; inside arrays the key is NULL. An object started as a row, and a list,
 * stay on one line.
 */
void doc_object(struct doc *d, const char *key);
void doc_row(struct doc *d, const char *key);
void doc_array(struct doc *d, const char *key);
void doc_list(struct doc *d, const char *key);
/* Ends the innermost object or array; the outermost one also ends the line. */
void doc_end(struct doc *d);
void doc_text(struct doc *d, const char *key, const char *value);
/* null if the text is NULL or empty. */
void doc_text_or_null(struct doc *d, const char *key, const char *value);
void doc_number(struct doc *d, const char *key, u64 value);
void doc_signed(struct doc *d, const char *key, s64 value);
/* Writes a number exactly as given. */
void doc_raw(struct doc *d, const char *key, const char *number);
void doc_bool(struct doc *d, const char *key, int value);
void doc_null(struct doc *d, const char *key);
/* null if the number is `none`. */
void doc_number_or_null(struct doc *d, const char *key, u64 value, u64 none);
void doc_hex64(struct doc *d, const char *key, u64 value);

/* How a column shows its values. A number with all bits set is none: null, an empty cell, or – in text. */
enum column_form {
	DIGITS,	 /* as it is */
	COUNT,	 /* with commas between thousands, for people */
	BYTES,	 /* the same, of memory */
	SOME,	 /* the same, and 0 is – for people */
	PERCENT, /* hundredths of a per cent: 12.34, for people 12.3 % */
	CHANGE,	 /* with its sign, for people */
	ID,	 /* none is -1 in JSON and CSV */
	EVENT,	 /* the same, and people count from 1 */
	BOOL,	 /* CSV has 1 or 0 */
	HEX,	 /* all hexadecimal digits */
	NAME,	 /* of a value of an enum of abi.def, as scripts have it */
	WORDS,	 /* the same for people, in every form */
	TEXT,	 /* a text, or what `say` returns */
	STRING,	 /* a text in the row itself */
	TEXT_AT, /* the offset of a text */
	SAME,	 /* a text of the document that all rows have */
};

/* The forms that have a column, besides text, where it is if it has a head. OR_NULL: an empty text is null in JSON. */
enum { IN_JSON = 1, IN_CSV = 2, IN_BOTH = 3, OR_NULL = 4 };

struct column {
	const char *key; /* in JSON and CSV */
	u8 form, in;
	u8 bytes, is_signed; /* of a number */
	u16 at;		     /* of the field in the row */
	s16 width;	     /* in text, at least; less than 0: the words are aligned left */
	const char *head;    /* in text; NULL: text does not have the column */
	const char *type;    /* of NAME and WORDS */
	const char *(*say)(const struct doc *d, const void *row);
};

#define FIELD_OF(row, field) (((const struct row *)0)->field)
#define FIELD_SIGN(field) _Generic((field), s64: 1, s32: 1, s16: 1, default: 0)
/* A field of a struct. */
#define COLUMN(key, row, field, form, in, head, width) \
	{ key,                                         \
	  form,                                        \
	  in,                                          \
	  (u8)sizeof(FIELD_OF(row, field)),            \
	  FIELD_SIGN(FIELD_OF(row, field)),            \
	  offsetof(struct row, field),                 \
	  width,                                       \
	  head,                                        \
	  NULL,                                        \
	  NULL }
/* A field that holds a value of an enum. */
#define COLUMN_OF(type, key, row, field, form, in, head, width) \
	{                                                       \
		key,   form,                                    \
		in,    (u8)sizeof(FIELD_OF(row, field)),        \
		0,     offsetof(struct row, field),             \
		width, head,                                    \
		type,  NULL                                     \
	}
/* The same for a column that text does not have. */
#define CELL(key, row, field, form, in) COLUMN(key, row, field, form, in, NULL, 0)
#define CELL_OF(type, key, row, field, in) COLUMN_OF(type, key, row, field, NAME, in, NULL, 0)
#define CELL_SAID(key, say, in) COLUMN_SAID(key, say, in, NULL, 0)
/* Text number `nr` of those that all rows have. */
#define COLUMN_SAME(key, nr, in) { key, SAME, in, 0, 0, nr, 0, NULL, NULL, NULL }
/* A text that a function makes of the row. */
#define COLUMN_SAID(key, say, in, head, width) { key, TEXT, in, 0, 0, 0, width, head, NULL, say }

/*
 * Writes rows, one after the other: in JSON the array `key`; in CSV and Markdown a table, if a column is there; in text a
 * table whose lines start with `indent` blanks, if a column has a head.
 */
struct rows {
	const struct column *columns;
	u32 nr_columns, row_bytes;
	const void *at;
	u32 nr;
};
#define ROWS(columns_, at_, nr_) \
	((struct rows){ columns_, ARRAY_SIZE(columns_), sizeof(*(at_)), at_, nr_ })
void doc_rows(struct doc *d, const char *key, struct rows rows);
/* The parts of that: the members of an object; a table's head, and a line of it. */
void doc_members(struct doc *d, const struct column *columns, u32 nr, const void *row);
void doc_head(struct doc *d, const struct column *columns, u32 nr);
void doc_cells(struct doc *d, const struct column *columns, u32 nr, const void *row);

/*
 * Columns of the structs in abi.def by the names of their fields.
 *
 * A list names fields with commas between: "slabs,partial". A name may have more parts.
 *
 * - `stem=name` has another key than the field's name.
 * - `name_at` is the text at that offset; its key is `name`.
 * - `node?` is -1 if all bits are set, which stands for none or any.
 * - `frozen:bool` is true or false.
 * - `address:hex` has all its hexadecimal digits.
 * - `state:kmem_cell` is the name of a value of that enum.
 */
struct field {
	const char *name;
	u8 bytes; /* of one value */
	u8 is_signed;
	u16 count; /* of an array; 1: a single value */
};

#define STRUCT(name, doc) extern const struct field fields_of_##name[];
#include "tables/abi/abi.def"

/* A row with the fields of its struct: two arguments of the functions below. */
#define ROW(type, row) fields_of_##type, (const void *)(1 ? (row) : (const struct type *)NULL)

enum { MAX_COLUMNS = 64 };

/* The columns that a list names, in JSON and CSV. */
struct named_columns {
	struct column of[MAX_COLUMNS];
	char words[MAX_COLUMNS][2][MAX_KEY_BYTES];
	u32 nr;
};

/* Adds columns of that list to those that are there. */
void add_columns(struct named_columns *columns, const struct field *fields, const char *list);
/* Returns one number. */
u64 field_value(const struct field *fields, const void *row, const char *name);
/* Writes the members that the list names. */
void doc_fields(struct doc *d, const struct field *fields, const void *row, const char *list);
/* Writes the JSON array `key`, with one line for each row. */
void doc_field_rows(struct doc *d, const char *key, const struct field *fields, const void *rows,
		    u32 nr, const char *list);

#endif
