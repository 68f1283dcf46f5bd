/*
 * plain.c - makes text safe for a terminal, and numbers readable.
 */
#include "doc/plain.h"

#include <stdio.h>
#include <stdlib.h>

enum { NR_BUFFERS = 8, MAX_ESCAPE_BYTES = 10 };

/* Returns the length of the well-formed UTF-8 sequence at s, 0 if there is none. */
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
	/* Reject overlong forms, surrogates, and code points beyond U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Returns 1 for controls and for characters that change the text around them: marks of direction and order,
 * separators, tags. */
static int is_unsafe(u32 code)
{
	static const struct {
		u32 first, last;
	} ranges[] = {
		{ 0, 0x1f },	    { 0x7f, 0x9f },	{ 0x61c, 0x61c },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
	};

	for (u32 i = 0; i < ARRAY_SIZE(ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return 1;
	return 0;
}

struct glyph glyph_at(const char *text)
{
	const u8 *s = (const u8 *)text;
	u32 len = utf8_length(s);
	static const u8 first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };

	if (!len)
		return (struct glyph){ 1, s[0], 0, 1 };
	u32 code = s[0] & first_bits[len];
	for (u32 i = 1; i < len; i++)
		code = code << 6 | (s[i] & 0x3f);
	return (struct glyph){ len, code, 1, (u8)is_unsafe(code) };
}

static int is_harmless(const char *text, int with_lines)
{
	while (*text) {
		struct glyph g = glyph_at(text);
		if (g.is_unsafe && !(with_lines && g.code == '\n'))
			return 0;
		text += g.len_bytes;
	}
	return 1;
}

static const char *escaped(const char *text, int with_lines)
{
	static char *buffers[NR_BUFFERS];
	static u32 turn;

	if (is_harmless(text, with_lines))
		return text;
	char **buffer = &buffers[turn++ % NR_BUFFERS];
	free(*buffer);
	char *to = *buffer = malloc(strlen(text) * MAX_ESCAPE_BYTES + 1);
	if (!to)
		return "?";
	while (*text) {
		struct glyph g = glyph_at(text);
		if (!g.is_unsafe || (with_lines && g.code == '\n')) {
			memcpy(to, text, g.len_bytes);
			to += g.len_bytes;
		} else if (g.is_utf8 && g.code >= 0x80) {
			to += sprintf(to, g.code > 0xffff ? "\\U%08x" : "\\u%04x", g.code);
		} else {
			to += sprintf(to, "\\x%02x", g.code);
		}
		text += g.len_bytes;
	}
	*to = 0;
	return *buffer;
}

const char *plain(const char *text)
{
	return escaped(text, 0);
}

const char *plain_lines(const char *text)
{
	return escaped(text, 1);
}

u32 characters(const char *text)
{
	u32 nr = 0;

	for (; *text; text++)
		nr += (*text & 0xc0) != 0x80;
	return nr;
}

struct grouped grouped(u64 n)
{
	struct grouped g;
	u32 at = sizeof(g.s) - 1, digits = 0;
	char text[sizeof(g.s)];

	text[at] = 0;
	do {
		if (digits && digits % 3 == 0)
			text[--at] = ',';
		text[--at] = (char)('0' + n % 10);
		n /= 10;
		digits++;
	} while (n);
	memcpy(g.s, text + at, sizeof(g.s) - at);
	return g;
}

struct grouped counted(u64 n, const char *what)
{
	struct grouped g = grouped(n);
	size_t used = strlen(g.s), len = strlen(what);
	const char *many = len && what[len - 1] == 's' ? "es" : "s";

	snprintf(g.s + used, sizeof(g.s) - used, " %s%s", what, n == 1 ? "" : many);
	return g;
}

struct grouped seconds(u64 ns)
{
	struct grouped g;

	snprintf(g.s, sizeof(g.s), "%llu.%06llu s", (unsigned long long)(ns / 1000000000),
		 (unsigned long long)(ns / 1000 % 1000000));
	return g;
}

struct grouped event_number(u32 op)
{
	return grouped((u64)op + 1);
}

static const char *skip_digits(const char *s)
{
	while (*s >= '0' && *s <= '9')
		s++;
	return s;
}

int is_number(const char *text)
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
