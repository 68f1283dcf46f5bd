/*
 * json.c - writes one JSON document, with commas, indentation and escapes in the right places;
 * and CSV fields.
 */
#include "json.h"

#include <inttypes.h>

struct json json_to(FILE *out)
{
	return (struct json){ .out = out };
}

/* Length of the well-formed UTF-8 sequence at s, 0 if there is none. */
static u32 utf8_length(const u8 *s)
{
	u32 len = s[0] < 0x80	? 1
		  : s[0] < 0xc2 ? 0
		  : s[0] < 0xe0 ? 2
		  : s[0] < 0xf0 ? 3
		  : s[0] < 0xf5 ? 4
				: 0;

	for (u32 i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and beyond U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static void put_string(FILE *out, const char *text)
{
	const u8 *s = (const u8 *)text;

	putc('"', out);
	while (*s) {
		u32 len = utf8_length(s);
		if (*s < ' ')
			fprintf(out, "\\u%04x", *s);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (len)
			fwrite(s, 1, len, out);
		else
			fputs("\\ufffd", out);
		s += len ? len : 1;
	}
	putc('"', out);
}

/* What comes before an element: comma, line, key. */
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

void csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}
