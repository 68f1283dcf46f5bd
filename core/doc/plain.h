/*
 * plain.h - makes text of a trace or of the command line safe for a terminal, where names may contain any bytes, and numbers readable.
 */
#ifndef DOC_PLAIN_H
#define DOC_PLAIN_H

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

/* Characters of a text, which is fewer than its bytes. */
u32 characters(const char *text);
/* Accepts "-12" and "+1.5e-7". */
int is_number(const char *text);

/* A number with commas between thousands, for people. */
struct grouped {
	char s[48];
};
struct grouped grouped(u64 n);
/* Formats a number with its noun: "1 node", "2 nodes". */
struct grouped counted(u64 n, const char *what);
/* A time in nanoseconds: "3.848797 s". */
struct grouped seconds(u64 ns);
/* People count events from 1, the core and JSON from 0. */
struct grouped event_number(u32 op);
/* The text for a number that an allocator does not have; JSON and CSV leave the number out. */
#define NO_NUMBER "–"

enum { MAIL_COLUMNS = 78 };

#endif
