/*
 * slabtrace_words.h - a line of slabtrace as words, by the grammar of trace/slabtrace.h: slabtrace_words.c reads them,
 * format_slabtrace.c makes events of them.
 */
#ifndef IMPORT_FORMATS_SLABTRACE_WORDS_H
#define IMPORT_FORMATS_SLABTRACE_WORDS_H

#include "import/import.h"
#include "trace/slabtrace.h"

/* The IDs of a list, such as 7,8,9. */
struct id_list {
	u32 nr;
	u64 key[MAX_BULK_OBJECTS];
	const u8 *at[MAX_BULK_OBJECTS]; /* where each stands in the line */
};

struct words {
	struct import *im;
	const u8 *next, *end;
	struct span word;	    /* the first one */
	u32 given;		    /* set of keys */
	u8 bad;			    /* a problem has been reported */
	struct span value[NR_KEYS]; /* an empty one at the end of the line if the key is missing */
	u64 number[NR_KEYS];	    /* the values of keys that are numbers; for words: which one */
	/* The positions; cache and numbers are in the recipe. */
	u64 id;
	u32 slot,
		sheaf_cpu; /* sheaf= sets them too; sheaf_cpu: 1 + the CPU after the @, 0 without one */
	struct id_list *ids;
	u32 fault;
	struct span wish;
	struct recipe recipe;
	struct op op;
	u64 time;
};

/* Reports the problem of this line, once. Returns 0. */
int words_complain(struct words *w, const u8 *at, const char *reason);
/* Returns the next word; len 0 at the end of the line or at a comment. */
struct span words_next(struct words *w);
/* Whether the next word is a list of IDs. A list of one ends with a comma. */
int words_begins_list(const struct words *w);
int words_is(const struct span *word, const char *text);
int words_has(const struct words *w, enum slabtrace_key key);
/* Returns the declared cache with that ID, or else with that name; CACHE_NONE after a problem. */
u32 words_cache(struct words *w, const struct span *id);
/* Read what follows the first word: the positions, then key=value to the end of the line. 0 after a problem. */
int words_read_position(struct words *w, u32 position);
int words_read_keys(struct words *w, u32 allowed, int needs_cpu);
/* Returns the text of a value, with %20 and other escapes decoded; 0 if it is missing. */
u32 words_text(struct words *w, enum slabtrace_key key);

/* Reads a comment, which may state the number of events. */
void words_comment(struct import *im, const u8 *line, const u8 *end);
/* nr: events that the line has added */
void words_count_event(struct words *w, u32 nr);
/* Call after the last line. */
void words_finish(struct import *im);

#endif
