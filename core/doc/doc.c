/*
 * doc.c - text, and one JSON document with commas, indentation and escapes in the right places.
 */
#include "doc/doc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void put(struct doc *d, const char *text)
{
	d->put(d->to, text, strlen(text));
}

/* Writes what printf would. */
static void put_format(struct doc *d, const char *format, va_list list)
{
	char room[512], *text = room;
	va_list again;

	va_copy(again, list);
	int len = vsnprintf(room, sizeof(room), format, list);
	if (len >= (int)sizeof(room) && (text = malloc((size_t)len + 1)) != NULL)
		vsnprintf(text, (size_t)len + 1, format, again);
	va_end(again);
	if (text)
		put(d, text);
	if (text != room)
		free(text);
}

__attribute__((format(printf, 2, 3))) static void print(struct doc *d, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	put_format(d, format, list);
	va_end(list);
}

void doc_say(struct doc *d, const char *format, ...)
{
	va_list list;

	if (d->form != DOC_TEXT)
		return;
	va_start(list, format);
	put_format(d, format, list);
	va_end(list);
}

void doc_line(struct doc *d, const char *format, ...)
{
	va_list list;

	if (d->form != DOC_TEXT)
		return;
	va_start(list, format);
	put_format(d, format, list);
	va_end(list);
	put(d, "\n");
}

void doc_gap(struct doc *d)
{
	if (d->form == DOC_TEXT)
		put(d, "\n");
}

static void put_string(struct doc *d, const char *s)
{
	put(d, "\"");
	while (*s) {
		struct glyph g = glyph_at(s);
		if (!g.is_utf8)
			put(d, "\\ufffd");
		else if (g.code == '"' || g.code == '\\')
			print(d, "\\%c", (char)g.code);
		else if (g.is_unsafe && g.code > 0xffff)
			print(d, "\\u%04x\\u%04x", 0xd800 + ((g.code - 0x10000) >> 10),
			      0xdc00 + (g.code & 0x3ff));
		else if (g.is_unsafe)
			print(d, "\\u%04x", g.code);
		else
			d->put(d->to, s, g.len_bytes);
		s += g.len_bytes;
	}
	put(d, "\"");
}

/* Writes the comma, line break and key before an element; returns 0 in the other forms, which have none. */
static int element(struct doc *d, const char *key)
{
	if (d->form != DOC_JSON)
		return 0;
	if (d->depth) {
		u8 *filled = &d->filled[d->depth - 1];
		if (*filled)
			put(d, ",");
		if (!d->row_depth)
			print(d, "\n%*s", (int)(2 * d->depth), "");
		else if (*filled)
			put(d, " ");
		*filled = 1;
	}
	if (key) {
		put_string(d, key);
		put(d, ": ");
	}
	return 1;
}

static void begin(struct doc *d, const char *key, const char *brackets, int is_line)
{
	if (!element(d, key))
		return;
	d->put(d->to, brackets, 1);
	KASSERT(d->depth < DOC_MAX_DEPTH);
	d->close[d->depth] = brackets[1];
	d->filled[d->depth++] = 0;
	if (is_line && !d->row_depth)
		d->row_depth = d->depth;
}

void doc_object(struct doc *d, const char *key)
{
	begin(d, key, "{}", 0);
}

void doc_array(struct doc *d, const char *key)
{
	begin(d, key, "[]", 0);
}

void doc_row(struct doc *d, const char *key)
{
	begin(d, key, "{}", 1);
}

void doc_list(struct doc *d, const char *key)
{
	begin(d, key, "[]", 1);
}

void doc_end(struct doc *d)
{
	if (d->form != DOC_JSON)
		return;
	u32 level = --d->depth;
	if (d->filled[level] && !d->row_depth)
		print(d, "\n%*s", (int)(2 * level), "");
	if (d->row_depth == level + 1)
		d->row_depth = 0;
	d->put(d->to, &d->close[level], 1);
	if (level == 0)
		put(d, "\n");
}

void doc_text(struct doc *d, const char *key, const char *value)
{
	if (element(d, key))
		put_string(d, value);
}

void doc_text_or_null(struct doc *d, const char *key, const char *value)
{
	if (value && value[0])
		doc_text(d, key, value);
	else
		doc_null(d, key);
}

void doc_raw(struct doc *d, const char *key, const char *number)
{
	if (element(d, key))
		put(d, number);
}

void doc_number(struct doc *d, const char *key, u64 value)
{
	if (element(d, key))
		print(d, "%" PRIu64, value);
}

void doc_number_or_null(struct doc *d, const char *key, u64 value, u64 none)
{
	if (value == none)
		doc_null(d, key);
	else
		doc_number(d, key, value);
}

void doc_signed(struct doc *d, const char *key, s64 value)
{
	if (element(d, key))
		print(d, "%" PRId64, value);
}

void doc_bool(struct doc *d, const char *key, int value)
{
	doc_raw(d, key, value ? "true" : "false");
}

void doc_null(struct doc *d, const char *key)
{
	doc_raw(d, key, "null");
}

void doc_hex64(struct doc *d, const char *key, u64 value)
{
	if (element(d, key))
		print(d, "\"%016" PRIx64 "\"", value);
}

/* A number and its unit stay together. */
static int is_glue(const char *blank)
{
	return blank[1] == '%' || (strchr("KMG", blank[1]) && blank[1] && blank[2] == 'i');
}

/* Bytes up to the next blank at which a line may end. */
static u32 word_bytes(const char *text, u32 *columns)
{
	u32 len = 0;

	*columns = 0;
	for (; text[len] && (text[len] != ' ' || is_glue(text + len)); len++)
		*columns += ((u8)text[len] & 0xc0) != 0x80;
	return len;
}

static void wrap(struct doc *d, const char *text, u32 indent, u32 column, u32 most)
{
	const char *first = text;
	u32 columns;

	if (d->form != DOC_TEXT)
		return;
	while (*text) {
		u32 len = word_bytes(text, &columns);
		if (text != first && column + 1 + columns > most) {
			print(d, "\n%*s", (int)indent, "");
			column = indent;
		} else if (text != first) {
			put(d, " ");
			column++;
		}
		d->put(d->to, text, len);
		column += columns;
		for (text += len; *text == ' ';)
			text++;
	}
	put(d, "\n");
}

void doc_wrapped(struct doc *d, const char *text, u32 indent)
{
	wrap(d, text, indent, 0, MAIL_COLUMNS);
}

void doc_wrapped_in(struct doc *d, const char *text, u32 indent, u32 most)
{
	wrap(d, text, indent, indent, most);
}
