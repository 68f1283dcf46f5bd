/*
 * slabtrace.h - a line of slabtrace as words, for format_slabtrace.c and its helpers.
 */
#ifndef IMPORT_FORMATS_SLABTRACE_H
#define IMPORT_FORMATS_SLABTRACE_H

#include "sim/cache.h"
#include "import/import.h"

enum slabtrace_key {
	KEY_CPU,
	KEY_NODE,
	KEY_T,
	KEY_REQ,
	KEY_SITE,
	KEY_GFP,
	KEY_KIND,
	KEY_TYPE,
	KEY_WHY,
	KEY_SIZE,
	KEY_SLOT,
	KEY_NAME,
	KEY_ALIGN,
	KEY_FLAGS,
	KEY_CACHE,
	KEY_AT,
	KEY_LEN,
	KEY_VALUE,
	KEY_SHEAF,
	KEY_TASK,
	KEY_PTR,
	KEY_BULK,
	NR_KEYS
};

_Static_assert(NR_KEYS <= 32, "sets of keys have a bit for each");

/* A line cut into words. */
struct words {
	struct import *im;
	const u8 *next, *end;
	struct span value[NR_KEYS]; /* len 0: not given */
	u8 given[NR_KEYS];
	u8 bad; /* a problem has been reported */
};

/* Reports the problem of this line, once. Returns 0. */
int words_complain(struct words *w, const u8 *at, const char *reason);
/* The next word; len 0 at the end of the line or at a comment. */
struct span words_next(struct words *w);
/* Reads key=value words to the end of the line. Only the keys in the bit mask are allowed. */
int words_read_keys(struct words *w, u32 allowed);
int words_is(const struct span *word, const char *text);
/* The number of the text that the word equals, or nr. */
u32 words_among(const struct span *word, const char *const *texts, u32 nr);
/* A decimal number of at most max. */
int words_read_number(struct words *w, const struct span *word, u64 max, u64 *number,
		      const char *reason);
int words_read_cpu(struct words *w, u16 *cpu, int required);
int words_read_time(struct words *w, u64 *time);
/* The number of a declared cache; CACHE_NONE after a problem. */
u32 words_read_cache(struct words *w, const struct span *id);
/* The same for a line that also takes a kmalloc cache, such as kmalloc-192: then SITE_CACHE_KMALLOC, and its class and
 * type in the recipe. 0 after a problem. */
int words_read_any_cache(struct words *w, const struct span *id, struct recipe *recipe);
/* An ID as a key: its value if it is a plain decimal number, else its text. */
int words_read_id(struct words *w, u64 *key);
/* The number of a hex (0x…) or decimal value of at most 255. */
int words_read_byte(struct words *w, enum slabtrace_key key, u8 *byte);
/* A decimal number that may have a minus in front. */
int words_read_offset(struct words *w, enum slabtrace_key key, u32 max, s32 *offset);
/* The recorded pointer, 0x and hex digits; 0 if it is missing. */
int words_read_pointer(struct words *w, u64 *ptr);
/* The text of a value, with %20 and other escapes decoded; 0 if it is missing. */
u32 words_text(struct words *w, enum slabtrace_key key);

/* The IDs of a list, such as 7,8,9. */
struct id_list {
	u32 nr;
	u64 key[MAX_BULK_OBJECTS];
	const u8 *at[MAX_BULK_OBJECTS]; /* where each stands in the line */
};

/* Whether the next word is a list. A list of one ends with a comma. */
int words_begins_list(const struct words *w);
int words_read_ids(struct words *w, struct id_list *ids);
/* The number of a prefilled sheaf's slot. */
int words_read_slot(struct words *w, const struct span *word, u32 *slot);

/* slabtrace_requests.c: requests for several objects at once, for sheaves, and for the whole machine. */
void line_bulk_alloc(struct words *w, const struct span *word);
void line_bulk_free(struct words *w, const struct span *word);
/* prefill, refill, return */
void line_sheaf(struct words *w, const struct span *word, u32 kind);
/* grace, dead */
void line_machine_request(struct words *w, const struct span *word, u32 kind);
/* slabtrace_corrupt.c: reads a `corrupt` line, behind that word. */
void line_corrupt(struct words *w, const struct span *word);
/* slabtrace_count.c: called for a comment, for an event, for the line `slabtrace 1`, and after the
 * last line. */
void count_comment(struct import *im, const u8 *line, const u8 *end);
/* nr: events that the line has added. */
void count_event(struct words *w, u32 nr);
void count_header(struct words *w);
void count_finish(struct import *im);
/* format_slabtrace.c */
void words_count_kind(struct words *w, const struct span *word);
/* Reads the keys that a, k, f and r share. `word` is the kind of line, for counting. */
int words_read_op(struct words *w, const char *word, struct recipe *recipe, struct op *op,
		  u64 *time);
/* The bytes requested of an object of that cache: req=, or the object's size. */
int words_read_request(struct words *w, u32 cache, u32 *bytes);

#endif
