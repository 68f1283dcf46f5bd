/*
 * columns.c - rows by their columns: lines of text, JSON, CSV or Markdown.
 */
#include <inttypes.h>
#include <stdio.h>

#include "doc/doc.h"

/* One value of a row. */
struct cell {
	char room[MAX_KEY_BYTES];
	const char *text;
	int is_text, is_none;
};

static u64 number_of(const struct column *c, const void *row, int *is_none)
{
	u32 unused_bits = 64 - 8u * c->bytes;
	u64 value = 0;

	memcpy(&value, (const u8 *)row + c->at, c->bytes);
	*is_none = !(~value << unused_bits);
	return c->is_signed ? (u64)((s64)(value << unused_bits) >> unused_bits) : value;
}

static const char *text_of(const struct doc *d, const struct column *c, const void *row)
{
	const void *field = (const u8 *)row + c->at;
	const char *text = field;
	u32 at;

	if (c->say)
		return c->say(d, row);
	if (c->form == SAME)
		return d->same[c->at];
	if (c->form == TEXT)
		memcpy(&text, field, sizeof(text));
	if (c->form != TEXT_AT)
		return text;
	memcpy(&at, field, sizeof(at));
	return at ? (const char *)d->base + at : "";
}

/* The value as text has it, in words and with grouped digits. */
static void for_people(struct cell *cell, const struct column *c, u64 value)
{
	if (cell->is_none)
		cell->text = c->form == EVENT ? "-" : NO_NUMBER;
	else if (c->form == SOME && !value)
		cell->text = NO_NUMBER;
	else if (c->form == COUNT || c->form == BYTES || c->form == SOME || c->form == EVENT)
		snprintf(cell->room, sizeof(cell->room), "%s",
			 grouped(value + (c->form == EVENT)).s);
	else if (c->form == CHANGE)
		snprintf(cell->room, sizeof(cell->room), "%+" PRId64, (s64)value);
	else if (c->form == PERCENT)
		snprintf(cell->room, sizeof(cell->room), "%" PRIu64 ".%u %%", value / 100,
			 (u32)(value / 10 % 10));
	else if (c->form == BOOL)
		cell->text = value ? "yes" : "no";
	else
		snprintf(cell->room, sizeof(cell->room), c->is_signed ? "%" PRId64 : "%" PRIu64,
			 value);
}

static void for_scripts(struct cell *cell, const struct column *c, u64 value)
{
	/* An ID without a number is -1. */
	if (cell->is_none && !(c->in & OR_NULL)) {
		cell->is_none = 0;
		cell->text = "-1";
	} else if (c->form == PERCENT) {
		snprintf(cell->room, sizeof(cell->room), "%" PRIu64 ".%02u", value / 100,
			 (u32)(value % 100));
	} else {
		snprintf(cell->room, sizeof(cell->room), c->is_signed ? "%" PRId64 : "%" PRIu64,
			 value);
	}
}

static struct cell *fill(const struct doc *d, const struct column *c, const void *row,
			 struct cell *cell)
{
	cell->is_text = c->form >= HEX;
	cell->text = cell->room;
	if (c->form >= TEXT) {
		cell->text = text_of(d, c, row);
		cell->is_none = c->in & OR_NULL && !*cell->text;
		return cell;
	}
	u64 value = number_of(c, row, &cell->is_none);
	cell->is_none &= c->in & OR_NULL || c->form == ID || c->form == EVENT;
	if (c->form == NAME)
		snprintf(cell->room, sizeof(cell->room), "%s",
			 cell->is_none ? "" : enum_name(c->type, (u32)value).s);
	else if (c->form == WORDS)
		cell->text = cell->is_none ? "" : enum_words(c->type, (u32)value);
	else if (c->form == HEX)
		snprintf(cell->room, sizeof(cell->room), "%016" PRIx64, value);
	else if (d->form == DOC_TEXT)
		for_people(cell, c, value);
	else
		for_scripts(cell, c, value);
	if (c->form == BOOL && d->form == DOC_JSON)
		cell->text = value ? "true" : "false";
	return cell;
}

/* Text */

static void put(struct doc *d, const char *text)
{
	d->put(d->to, text, strlen(text));
}

static void put_blanks(struct doc *d, u32 nr)
{
	while (nr--)
		put(d, " ");
}

/* Puts text at its end of the column, with a blank before a number, and two between a number and words. */
static void put_padded(struct doc *d, const char *text, s32 width, s32 before)
{
	u32 columns = characters(text), room = (u32)(width < 0 ? -width : width);
	u32 blanks = columns < room ? room - columns : 0;

	if (width > 0)
		put_blanks(d, before ? MAX(blanks, 1u) : blanks);
	else if (before > 0 && *text)
		put_blanks(d, 2);
	put(d, text);
	if (width < 0)
		put_blanks(d, blanks);
}

static int has(const struct doc *d, const struct column *c)
{
	if (d->form == DOC_TEXT)
		return c->head != NULL;
	return c->in & (d->form == DOC_JSON ? IN_JSON : IN_CSV);
}

static int has_any(const struct doc *d, const struct column *columns, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (has(d, &columns[i]))
			return 1;
	return 0;
}

/* Rows of CSV and Markdown */

/* Spreadsheets treat a cell that starts like this as a formula, in narrow or wide letters. A sign alone means "none". */
static int begins_formula(const char *text)
{
	static const char *const starts[] = { "=", "+", "-", "@", "＝", "＋", "－", "＠" };

	if (!text[0] || !text[1] || is_number(text))
		return 0;
	for (u32 i = 0; i < ARRAY_SIZE(starts); i++)
		if (strncmp(text, starts[i], strlen(starts[i])) == 0)
			return 1;
	return 0;
}

static void put_csv(struct doc *d, const char *text)
{
	int is_formula = begins_formula(text);

	text = plain(text);
	if (!is_formula && !strpbrk(text, ",\"")) {
		put(d, text);
		return;
	}
	put(d, is_formula ? "\"'" : "\"");
	for (; *text; text++) {
		if (*text == '"')
			put(d, "\"");
		d->put(d->to, text, 1);
	}
	put(d, "\"");
}

static void put_markdown(struct doc *d, const char *text)
{
	put(d, " ");
	for (text = plain(text); *text; text++) {
		/* These would end the cell, start a tag or escape the next character. */
		if (strchr("|<\\", *text))
			put(d, "\\");
		d->put(d->to, text, 1);
	}
	put(d, " |");
}

static void put_cell(struct doc *d, const char *text, u32 i)
{
	if (d->form == DOC_MARKDOWN) {
		put(d, i ? "" : "|");
		put_markdown(d, text);
		return;
	}
	put(d, i ? "," : "");
	put_csv(d, text);
}

/* A table of columns */

void doc_members(struct doc *d, const struct column *columns, u32 nr, const void *row)
{
	struct cell cell;

	if (d->form != DOC_JSON)
		return;
	for (u32 i = 0; i < nr; i++) {
		if (!has(d, &columns[i]))
			continue;
		fill(d, &columns[i], row, &cell);
		if (cell.is_none)
			doc_null(d, columns[i].key);
		else if (cell.is_text)
			doc_text(d, columns[i].key, cell.text);
		else
			doc_raw(d, columns[i].key, cell.text);
	}
}

void doc_head(struct doc *d, const struct column *columns, u32 nr)
{
	u32 put_yet = 0;
	s32 before = 0;

	if (d->form == DOC_JSON || !has_any(d, columns, nr))
		return;
	put(d, d->form == DOC_TEXT ? "  " : "");
	for (u32 i = 0; i < nr; i++) {
		if (!has(d, &columns[i]))
			continue;
		if (d->form == DOC_TEXT)
			put_padded(d, columns[i].head, columns[i].width, before);
		else
			put_cell(d, columns[i].key, put_yet);
		before = columns[i].width;
		put_yet++;
	}
	put(d, "\n");
	for (u32 i = 0; d->form == DOC_MARKDOWN && i < put_yet; i++)
		put(d, i + 1 < put_yet ? i ? " --- |" : "| --- |" : i ? " --- |\n" : "| --- |\n");
}

void doc_cells(struct doc *d, const struct column *columns, u32 nr, const void *row)
{
	struct cell cell;
	u32 put_yet = 0;
	s32 before = 0;

	if (d->form == DOC_JSON) {
		doc_row(d, NULL);
		doc_members(d, columns, nr, row);
		doc_end(d);
		return;
	}
	if (!has_any(d, columns, nr))
		return;
	put(d, d->form == DOC_TEXT ? "  " : "");
	for (u32 i = 0; i < nr; i++) {
		if (!has(d, &columns[i]))
			continue;
		fill(d, &columns[i], row, &cell);
		if (d->form == DOC_TEXT)
			put_padded(d, plain(cell.text), columns[i].width, before);
		else
			put_cell(d, cell.is_none ? "" : cell.text, put_yet);
		before = columns[i].width;
		put_yet++;
	}
	put(d, "\n");
}

void doc_rows(struct doc *d, const char *key, struct rows rows)
{
	if (d->form == DOC_JSON && !has_any(d, rows.columns, rows.nr_columns))
		return;
	doc_array(d, key);
	doc_head(d, rows.columns, rows.nr_columns);
	for (u32 i = 0; i < rows.nr; i++)
		doc_cells(d, rows.columns, rows.nr_columns,
			  (const u8 *)rows.at + (size_t)i * rows.row_bytes);
	doc_end(d);
}

/* Fields by their names */

/* -1 as a value of the type is less than 1 if the type has a sign. */
#define STRUCT(name, doc) const struct field fields_of_##name[] = {
#define FIELD(type, name, doc) { #name, sizeof(type), (type) - 1 < 1, 1 },
#define FIELDS(type, name, count, doc) { #name, sizeof(type), (type) - 1 < 1, count },
/* clang-format off */
#define STRUCT_END(name) { NULL, 0, 0, 0 } };
/* clang-format on */
#include "tables/abi/abi.def"

/* Structs have no padding, so a field's offset is the sum of the sizes before it. *at: its offset. name NULL: the end. */
static const struct field *find_field(const struct field *field, const char *name, size_t *at)
{
	for (*at = 0; field->name && (!name || strcmp(field->name, name) != 0); field++)
		*at += (size_t)field->bytes * field->count;
	KASSERT(!name || field->name);
	return field;
}

u64 field_value(const struct field *fields, const void *row, const char *name)
{
	size_t at;
	const struct field *field = find_field(fields, name, &at);
	u64 value = 0;

	memcpy(&value, (const u8 *)row + at, field->bytes);
	return value;
}

static void copy_word(char *to, const char *word, size_t len)
{
	KASSERT(len < MAX_KEY_BYTES);
	memcpy(to, word, len);
	to[len] = 0;
}

static enum column_form form_named(const char *form, int is_text)
{
	if (is_text)
		return TEXT_AT;
	if (form[0] == '?')
		return ID;
	if (strcmp(form, ":hex") == 0)
		return HEX;
	return strcmp(form, ":bool") == 0 ? BOOL : form[0] ? NAME : DIGITS;
}

void add_columns(struct named_columns *columns, const struct field *fields, const char *list)
{
	for (size_t len; *list; list += len + (list[len] == ',')) {
		size_t at, end = strcspn(list, ",:?"), key = strcspn(list, ",:?=");
		size_t from = key < end ? key + 1 : 0;
		char name[MAX_KEY_BYTES];
		len = strcspn(list, ",");
		copy_word(name, list + from, end - from);
		int is_text = end - from > 3 && strcmp(name + (end - from) - 3, "_at") == 0;
		KASSERT(columns->nr < MAX_COLUMNS);
		char (*words)[MAX_KEY_BYTES] = columns->words[columns->nr];
		copy_word(words[0], list, is_text && !from ? key - 3 : key);
		copy_word(words[1], list + end, len - end);
		const struct field *field = find_field(fields, name, &at);
		columns->of[columns->nr++] = (struct column){
			.key = words[0],
			.form = form_named(words[1], is_text),
			.in = IN_BOTH,
			.bytes = field->bytes,
			.is_signed = field->is_signed,
			.at = (u16)at,
			.type = words[1] + 1,
		};
	}
}

void doc_fields(struct doc *d, const struct field *fields, const void *row, const char *list)
{
	struct named_columns columns;

	if (d->form != DOC_JSON)
		return;
	columns.nr = 0;
	add_columns(&columns, fields, list);
	doc_members(d, columns.of, columns.nr, row);
}

void doc_field_rows(struct doc *d, const char *key, const struct field *fields, const void *rows,
		    u32 nr, const char *list)
{
	struct named_columns columns;
	size_t bytes;

	if (d->form != DOC_JSON)
		return;
	columns.nr = 0;
	add_columns(&columns, fields, list);
	find_field(fields, NULL, &bytes);
	doc_rows(d, key, (struct rows){ columns.of, columns.nr, (u32)bytes, rows, nr });
}
