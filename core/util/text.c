/*
 * text.c - builds text in a buffer of fixed size: messages and JSON, without a C library.
 */
#include "util/text.h"

#include <stdarg.h>

enum { QUOTED_MAX = 40 };

struct text text_in(char *buf, u32 room)
{
	buf[0] = 0;
	return (struct text){ buf, 0, room, 0 };
}

u32 text_length(const char *s)
{
	u32 n = 0;

	while (s[n])
		n++;
	return n;
}

void text_add_n(struct text *t, const char *s, u32 len)
{
	u32 fits = MIN(len, t->room - 1 - t->len);

	memcpy(t->buf + t->len, s, fits);
	t->len += fits;
	t->buf[t->len] = 0;
	t->cut |= fits < len;
}

void text_add(struct text *t, const char *s)
{
	text_add_n(t, s, text_length(s));
}

void text_add_name(struct text *t, const char *name)
{
	for (; *name; name++)
		text_add_n(t, *name == '\n' ? "?" : name, 1);
}

void text_add_u64(struct text *t, u64 n)
{
	char digits[20];
	u32 at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	text_add_n(t, digits + at, (u32)sizeof(digits) - at);
}

void text_add_number(struct text *t, const char *words, u64 n)
{
	text_add(t, words);
	text_add_u64(t, n);
}

void text_add_s32(struct text *t, s32 n)
{
	if (n < 0)
		text_add(t, "-");
	text_add_u64(t, (u64)(n < 0 ? -(s64)n : n));
}

void text_add_hex(struct text *t, u64 n, u32 digits)
{
	text_add(t, "0x");
	for (u32 shift = 60; shift; shift -= 4)
		if (n >> shift || shift / 4 < digits)
			text_add_n(t, &"0123456789abcdef"[n >> shift & 15], 1);
	text_add_n(t, &"0123456789abcdef"[n & 15], 1);
}

void text_add_quoted(struct text *t, const char *s, u32 len)
{
	text_add(t, "`");
	for (u32 i = 0; i < len && i < QUOTED_MAX; i++)
		text_add_n(t, s[i] >= ' ' && s[i] <= '~' ? &s[i] : "?", 1);
	if (len > QUOTED_MAX)
		text_add(t, "...");
	text_add(t, "`");
}

void text_add_json(struct text *t, const char *s)
{
	static const char hex[] = "0123456789abcdef";

	text_add(t, "\"");
	for (; *s; s++) {
		u8 c = (u8)*s;
		char control[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

		if (c < ' ')
			text_add_n(t, control, sizeof(control));
		else if (c == '"' || c == '\\')
			text_add_n(t, (char[]){ '\\', (char)c }, 2);
		else
			text_add_n(t, s, 1);
	}
	text_add(t, "\"");
}

int text_is(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

void text_add_decimal(struct text *t, s64 value, u32 decimals)
{
	u64 n = (u64)(value < 0 ? -value : value), unit = 1;

	for (u32 i = 0; i < decimals; i++)
		unit *= 10;
	if (value < 0)
		text_add(t, "-");
	text_add_u64(t, n / unit);
	if (!decimals)
		return;
	text_add(t, ".");
	for (unit /= 10; unit; unit /= 10)
		text_add_u64(t, n / unit % 10);
}

void text_add_grouped(struct text *t, u64 n)
{
	if (n >= 1000) {
		text_add_grouped(t, n / 1000);
		text_add(t, n % 1000 < 10 ? ",00" : n % 1000 < 100 ? ",0" : ",");
	}
	text_add_u64(t, n % 1000);
}

void text_print(struct text *t, const char *format, ...)
{
	va_list args;
	u64 n = 0;
	int is_hidden = 0;

	va_start(args, format);
	for (const char *s = format; *s;) {
		if (*s != '%') {
			if (*s == '{')
				is_hidden = n == 1;
			else if (*s == '|')
				is_hidden = !is_hidden;
			else if (*s == '}')
				is_hidden = 0;
			else if (!is_hidden)
				text_add_n(t, s, 1);
			s++;
			continue;
		}
		int is_grouped = *++s == '\'', decimals = 0;
		s += is_grouped;
		if (*s == '.') {
			decimals = s[1] == '*' ? va_arg(args, int) : s[1] - '0';
			s += 2;
		}
		int is_wide = *s == 'j';
		s += is_wide;
		switch (*s++) {
		case '%':
			text_add(t, "%");
			break;
		case 's':
			text_add_name(t, va_arg(args, const char *));
			break;
		case 'd':
			text_add_decimal(t, is_wide ? va_arg(args, intmax_t) : va_arg(args, int),
					 (u32)decimals);
			break;
		case 'x':
			if (is_wide)
				text_add_hex(t, va_arg(args, uintmax_t), 16);
			else
				text_add_hex(t, va_arg(args, u32), 1);
			break;
		default:
			n = is_wide ? va_arg(args, uintmax_t) : va_arg(args, u32);
			if (is_grouped)
				text_add_grouped(t, n);
			else
				text_add_u64(t, n);
		}
	}
	va_end(args);
}

void text_json(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	for (const char *s = format; *s; s++) {
		if (*s != '%')
			text_add_n(t, *s == '\'' ? "\"" : s, 1);
		else if (*++s == 's')
			text_add_json(t, va_arg(args, const char *));
		else if (*s == 'c')
			text_add(t, va_arg(args, int) ? "true" : "false");
		else if (*s == 'd')
			text_add_s32(t, va_arg(args, int));
		else if (*s == 'u')
			text_add_u64(t, va_arg(args, u32));
		else
			text_add_u64(t, (s++, va_arg(args, uintmax_t)));
	}
	va_end(args);
}
