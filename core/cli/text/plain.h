/*
 * plain.h - makes text of a trace or of the command line safe for a terminal: names may contain any bytes.
 */
#ifndef CLI_TEXT_PLAIN_H
#define CLI_TEXT_PLAIN_H

#include "kmem_types.h"

/* The next character of a text. */
struct glyph {
	u32 len_bytes;
	u32 code; /* its code point; a byte that is not UTF-8 stands for itself */
	u8 is_utf8;
	u8 is_unsafe; /* a control character, one that changes the direction of writing, or a broken byte */
};

struct glyph glyph_at(const char *text);

/*
 * Returns the text with every unsafe character as \x1b or \u202e, or the text itself if it has none. Valid until the
 * eighth call after this one. plain_lines leaves line feeds as they are, for text of several lines.
 */
const char *plain(const char *text);
const char *plain_lines(const char *text);

enum { MAIL_COLUMNS = 78 };

/* Prints sentences with at most MAIL_COLUMNS columns; each line but the first begins with `indent` blanks. */
void print_wrapped(const char *text, u32 indent);

#endif
