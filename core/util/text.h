/*
 * text.h - builds text in a buffer of fixed size: messages and JSON, without a C library.
 *
 * Text that does not fit is dropped and sets `cut`. The text always ends in NUL.
 */
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include "kmem_types.h"

struct text {
	char *buf;
	u32 len, room; /* bytes; room includes the NUL */
	u32 cut;       /* 1: some text did not fit */
};

struct text text_in(char *buf, u32 room);
void text_add_n(struct text *t, const char *s, u32 len);
void text_add(struct text *t, const char *s);
/* Adds a name to a text of several lines. A line feed becomes ?, so that a name cannot start a
 * line. */
void text_add_name(struct text *t, const char *name);
void text_add_u64(struct text *t, u64 n);
/* Adds 12345 as 12,345. */
void text_add_grouped(struct text *t, u64 n);
/* Adds the words, then the number. */
void text_add_number(struct text *t, const char *words, u64 n);
/*
 * Adds a sentence with its numbers and names: %s is a name, as text_add_name adds it, %u a u32, %ju a u64, %d an int
 * and %jd an s64. An apostrophe groups digits: %'u is 12,345. A precision places the point: %.2jd (or %.*jd with the 2
 * as an argument) is 123.45. {many|one} is one of two endings, by the last %u, and {s} is empty for one: "%u slab{s}
 * {are|is} empty". It must not contain other braces or bars. %jx is an address, 0x and 16 digits; %x is 0x and the
 * digits of a u32.
 */
void text_print(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_s32(struct text *t, s32 n);
/* Adds 0x and at least `digits` digits. */
void text_add_hex(struct text *t, u64 n, u32 digits);
/* Adds at most 40 bytes of s in backquotes, for a sentence. Unprintable bytes become '?'. */
void text_add_quoted(struct text *t, const char *s, u32 len);
/* Adds a JSON string with its quotes. */
void text_add_json(struct text *t, const char *s);
/* Adds JSON, with ' for each quote of the format: %s is a string with its quotes, %c true or false; and %u, %ju and %d. */
void text_json(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

u32 text_length(const char *s);
/* Returns 1 if the texts are equal. */
int text_is(const char *a, const char *b);

/* Adds 12345 with 2 decimals as 123.45. */
void text_add_decimal(struct text *t, s64 value, u32 decimals);

#endif
