/*
 * json.h - writes one JSON document, with commas, indentation and escapes in the right places; also CSV fields.
 *
 * Members take their key first; inside arrays the key is NULL. An object begun as a row stays on one line.
 */
#ifndef CLI_TEXT_JSON_H
#define CLI_TEXT_JSON_H

#include <stdio.h>

#include "kmem_types.h"

enum { JSON_MAX_DEPTH = 16 };

struct json {
	FILE *out;
	u32 depth;
	u32 row_depth;		    /* depth at which a row began, 0: none */
	char close[JSON_MAX_DEPTH]; /* the bracket that ends each level */
	u8 filled[JSON_MAX_DEPTH];  /* 1: the level has an element */
};

struct json json_to(FILE *out);
void json_object(struct json *j, const char *key);
void json_row(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
/* An array on one line. */
void json_list(struct json *j, const char *key);
/* Ends the innermost object or array; the outermost one also ends the line. */
void json_end(struct json *j);

void json_text(struct json *j, const char *key, const char *value);
void json_number(struct json *j, const char *key, u64 value);
void json_signed(struct json *j, const char *key, s64 value);
/* Writes a value rounded to four significant digits or to a whole number, whichever is finer. */
void json_real(struct json *j, const char *key, double value);
/* Writes a number exactly as given. */
void json_raw(struct json *j, const char *key, const char *number);
void json_bool(struct json *j, const char *key, int value);
/* null if the text is NULL or empty. */
void json_text_or_null(struct json *j, const char *key, const char *value);
void json_null(struct json *j, const char *key);
void json_hex64(struct json *j, const char *key, u64 value);

/* Writes one CSV field: in quotes where it needs them, with control characters as \x1b. An apostrophe goes in
 * front if a spreadsheet would treat the field as a formula. */
void csv_text(FILE *out, const char *text);

#endif
