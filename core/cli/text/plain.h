/*
 * plain.h - text of a recording or of the command line, made harmless for a terminal: names may hold anything.
 */
#ifndef CLI_TEXT_PLAIN_H
#define CLI_TEXT_PLAIN_H

#include "kmem_types.h"

/* What comes next in a text. */
struct glyph {
	u32 len_bytes;
	u32 code; /* its code point; a byte that is not UTF-8: itself */
	u8 is_utf8;
	u8 is_unsafe; /* a control character, one that turns the direction of writing, or a broken byte */
};

struct glyph glyph_at(const char *text);

/*
 * The text with every unsafe glyph as \x1b or \u202e: as it is if it has none. Valid until the eighth call from here on.
 * plain_lines leaves line feeds as they are, for text of several lines.
 */
const char *plain(const char *text);
const char *plain_lines(const char *text);

#endif
