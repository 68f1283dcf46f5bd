/*
 * json.c - writes one JSON document, with commas, indentation and escapes in the right places; also CSV fields.
 */
#include "cli/text/json.h"

#include <inttypes.h>

#include "cli/text/plain.h"

struct json json_to(FILE *out)
{
	return (struct json){ .out = out };
}

static void put_string(FILE *out, const char *s)
{
	putc('"', out);
	while (*s) {
		struct glyph g = glyph_at(s);
		if (!g.is_utf8)
			fputs("\\ufffd", out);
		else if (g.code == '"' || g.code == '\\')
			fprintf(out, "\\%c", (char)g.code);
		else if (g.is_unsafe && g.code > 0xffff)
			fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((g.code - 0x10000) >> 10),
				0xdc00 + (g.code & 0x3ff));
		else if (g.is_unsafe)
			fprintf(out, "\\u%04x", g.code);
		else
			fwrite(s, 1, g.len_bytes, out);
		s += g.len_bytes;
	}
	putc('"', out);
}

/* Writes the comma, line break and key before an element. */
static void element(struct json *j, const char *key)
{
	if (j->depth) {
		u8 *filled = &j->filled[j->depth - 1];
		if (*filled)
			putc(',', j->out);
		if (!j->row_depth)
			fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
		else if (*filled)
			putc(' ', j->out);
		*filled = 1;
	}
	if (key) {
		put_string(j->out, key);
		fputs(": ", j->out);
	}
}

static void begin(struct json *j, const char *key, char open, char close)
{
	element(j, key);
	putc(open, j->out);
	KASSERT(j->depth < JSON_MAX_DEPTH);
	j->close[j->depth] = close;
	j->filled[j->depth++] = 0;
}

void json_object(struct json *j, const char *key)
{
	begin(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	begin(j, key, '[', ']');
}

static void begin_line(struct json *j, const char *key, char open, char close)
{
	begin(j, key, open, close);
	if (!j->row_depth)
		j->row_depth = j->depth;
}

void json_row(struct json *j, const char *key)
{
	begin_line(j, key, '{', '}');
}

void json_list(struct json *j, const char *key)
{
	begin_line(j, key, '[', ']');
}

void json_end(struct json *j)
{
	u32 level = --j->depth;

	if (j->filled[level] && !j->row_depth)
		fprintf(j->out, "\n%*s", (int)(2 * level), "");
	if (j->row_depth == level + 1)
		j->row_depth = 0;
	putc(j->close[level], j->out);
	if (level == 0)
		putc('\n', j->out);
}

void json_text(struct json *j, const char *key, const char *value)
{
	element(j, key);
	put_string(j->out, value);
}

void json_text_or_null(struct json *j, const char *key, const char *value)
{
	if (value && value[0])
		json_text(j, key, value);
	else
		json_null(j, key);
}

void json_number(struct json *j, const char *key, u64 value)
{
	element(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_signed(struct json *j, const char *key, s64 value)
{
	element(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_real(struct json *j, const char *key, double value)
{
	element(j, key);
	if (value >= 1000)
		fprintf(j->out, "%.0f", value);
	else
		fprintf(j->out, "%.4g", value);
}

void json_raw(struct json *j, const char *key, const char *number)
{
	element(j, key);
	fputs(number, j->out);
}

void json_bool(struct json *j, const char *key, int value)
{
	element(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	element(j, key);
	fputs("null", j->out);
}

void json_hex64(struct json *j, const char *key, u64 value)
{
	element(j, key);
	fprintf(j->out, "\"%016" PRIx64 "\"", value);
}

static const char *skip_digits(const char *s)
{
	while (*s >= '0' && *s <= '9')
		s++;
	return s;
}

/* Accepts "-12" and "+1.5e-7". */
static int is_number(const char *text)
{
	const char *s = text + (*text == '-' || *text == '+'), *end = skip_digits(s);

	if (*end == '.')
		end = skip_digits(end + 1);
	if (end == s)
		return 0;
	if (*end == 'e' || *end == 'E') {
		end += 1 + (end[1] == '-' || end[1] == '+');
		if (*end < '0' || *end > '9')
			return 0;
		end = skip_digits(end);
	}
	return !*end;
}

/* Spreadsheets treat a cell that begins like this as a formula, in narrow or wide letters. A sign alone means
 * "none". */
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

void csv_text(FILE *out, const char *text)
{
	int is_formula = begins_formula(text);

	text = plain(text);
	if (!is_formula && !strpbrk(text, ",\"")) {
		fputs(text, out);
		return;
	}
	fputs(is_formula ? "\"'" : "\"", out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}
