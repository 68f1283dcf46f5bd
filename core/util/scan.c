/*
 * scan.c - finds words, numbers and texts, byte by byte.
 */
#include "util/scan.h"

const u8 *scan_word(const u8 *p, const u8 *end)
{
	while (p < end && !is_blank(*p))
		p++;
	return p;
}

struct range scan_next(const u8 **at, const u8 *end)
{
	const u8 *start = skip_blanks(*at, end);

	*at = scan_word(start, end);
	return (struct range){ start, *at };
}

struct range scan_part(struct range *rest, char separator)
{
	struct range part = { rest->at, rest->at };

	while (part.end < rest->end && *part.end != (u8)separator)
		part.end++;
	rest->at = part.end + (part.end < rest->end);
	return part;
}

const u8 *scan_digits(const u8 *p, const u8 *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

u64 scan_number(const u8 *p, const u8 *end)
{
	u64 number = 0;

	for (u32 i = 0; p < end && is_digit(*p) && i < 18; i++)
		number = number * 10 + (*p++ - (u64)'0');
	return number;
}

const u8 *scan_decimals(const u8 *p, const u8 *end, u64 unit, u64 *number)
{
	for (; p < end && is_digit(*p); p++) {
		unit /= 10;
		*number += (*p - (u64)'0') * unit;
	}
	return p;
}

int scan_decimal(const u8 *p, const u8 *end, u64 max, u64 *number)
{
	const u8 *start = p;

	for (*number = 0; p < end; p++) {
		u64 digit = *p - (u64)'0';
		if (digit > 9 || digit > max || *number > (max - digit) / 10)
			return 0;
		*number = *number * 10 + digit;
	}
	return p > start;
}

struct range scan_first_form(struct range v)
{
	for (const u8 *p = v.at + 1; p + 1 < v.end; p++) {
		if (p[0] == ' ' && p[1] == '(') {
			v.end = p;
			break;
		}
	}
	return v;
}

int scan_hex(const u8 *p, const u8 *end, u64 *number)
{
	*number = 0;
	if (p == end || end - p > 16)
		return 0;
	for (; p < end && hex_digit(*p) < 16; p++)
		*number = *number << 4 | hex_digit(*p);
	return p == end;
}

int scan_u32(struct range v, u32 *number)
{
	u64 value = 0;

	v = scan_first_form(v);
	int is_hex = v.end - v.at > 2 && v.at[0] == '0' && v.at[1] == 'x';
	int is_number = is_hex ? scan_hex(v.at + 2, v.end, &value)
			       : scan_decimal(v.at, v.end, 0xffffffffu, &value);
	*number = (u32)value;
	return is_number && value <= 0xffffffffu;
}

u32 span_among(const u8 *at, const u8 *end, const char *const *texts, u32 nr)
{
	u32 i = 0;

	while (i < nr && !span_is(at, end, texts[i]))
		i++;
	return i;
}

const u8 *span_find(const u8 *p, const u8 *end, const char *text)
{
	for (; (p = scan_byte(p, end, (u8)text[0])) < end; p++) {
		if (span_begins(p, end, text))
			return p;
	}
	return NULL;
}
