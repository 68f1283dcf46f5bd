/*
 * text.h - text that grows in a buffer of fixed size: messages and JSON, without a C library.
 *
 * What does not fit is dropped and remembered in `cut`; the text always ends in NUL.
 */
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include "kmem_types.h"

struct text {
	char *buf;
	u32 len, room; /* bytes; room counts the NUL */
	u32 cut;       /* 1: something did not fit */
};

struct text text_in(char *buf, u32 room);
void text_add_n(struct text *t, const char *s, u32 len);
void text_add(struct text *t, const char *s);
/* A name in a text of several lines, none of which it may begin: a line feed becomes ?. */
void text_add_name(struct text *t, const char *name);
void text_add_u64(struct text *t, u64 n);
/* The words, then the number. */
void text_add_number(struct text *t, const char *words, u64 n);
void text_add_s32(struct text *t, s32 n);
/* With 0x in front and at least `digits` digits. */
void text_add_hex(struct text *t, u64 n, u32 digits);
/* In backquotes, for a sentence: at most 40 bytes of it, anything unprintable as '?'. */
void text_add_quoted(struct text *t, const char *s, u32 len);
/* As a JSON string with its quotes. */
void text_add_json(struct text *t, const char *s);

u32 text_length(const char *s);
/* 1 if they are the same. */
int text_is(const char *a, const char *b);

/* 12345 with 2 decimals: 123.45. */
void text_add_decimal(struct text *t, s64 value, u32 decimals);

#endif
