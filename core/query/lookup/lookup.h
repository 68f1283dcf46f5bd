/*
 * lookup.h - a text of dmesg, and the lives of objects that match it.
 *
 *	text ─ lookup_words.c ─ struct report ─ lookup_match.c ─ lives, neighbours ─ lookup.c ─ sentences
 */
#ifndef QUERY_LOOKUP_LOOKUP_H
#define QUERY_LOOKUP_LOOKUP_H

#include "import/import.h"
#include "session/session.h"

enum {
	LOOKUP_LIVES = 16,
	LOOKUP_SIDE = 8, /* slots shown on each side */
	LOOKUP_TEXT_BYTES = 12 << 10,
	LOOKUP_WORD_BYTES = 256, /* kept of a call site, a title, a name */
};

#define NO_NUMBER32 0xffffffffu

struct lookup {
	struct kmem_lookup out;
	struct kmem_lookup_track tracks[2]; /* allocation, free */
	struct kmem_lookup_life lives[LOOKUP_LIVES];
	struct kmem_lookup_neighbour neighbours[2 * LOOKUP_SIDE + 1];
	u32 text_used;
	char text[LOOKUP_TEXT_BYTES]; /* texts of the rows; text[0] is "" */
};

_Static_assert(sizeof(struct lookup) + 8 + KMEM_MAX_LOOKUP_BYTES + SCAN_SLACK <=
		       sizeof(((struct session_room *)0)->lookup),
	       "a session has room for it and for the text");

/* arm64 puts tags of KASAN and MTE into the top byte of kernel addresses, those with bit 55. Reports of dmesg show
 * addresses with or without a tag, so they are compared without. */
static inline u64 untagged(u64 pointer)
{
	return pointer >> 55 & 1 ? pointer | (u64)0xff << 56 : pointer;
}

static inline u64 lookup_pointer(const struct trace *t, u32 op)
{
	return untagged(trace_pointer(t, op));
}

/* A copy of the text follows it. */
static inline struct lookup *lookup_of(struct kmem_session *s)
{
	return (struct lookup *)s->room.lookup;
}

/* Stores at most LOOKUP_WORD_BYTES of [p, end) and returns its offset from the start of the region; "" without
 * room. Control characters become '?'. */
u32 lookup_text(struct kmem_session *s, const u8 *p, const u8 *end);
/* lookup_words.c: reads the text into the fields that describe the report. */
void lookup_read(struct kmem_session *s, const u8 *text, u32 len_bytes);
/* lookup_match.c: finds lives by address, or else candidates. KMEM_ENOMEM without scratch. */
s32 lookup_find(struct kmem_session *s);
/* Lists the slots beside the first life at its position. */
void lookup_neighbours(struct kmem_session *s);

#endif
