/*
 * binary.h - what the formats that are no text share: perf.data and trace.dat.
 *
 *	extents of the file ─ event formats ─ struct tracepoint ─┐
 *	                   └ records, by time ──────────────────┴─ struct event
 *
 * Extents come from source.h. Every length in them is checked against what is there before it is used.
 */
#ifndef IMPORT_BINARY_H
#define IMPORT_BINARY_H

#include "import/import.h"
#include "util/text.h"

enum {
	TRACEPOINT_IDS = 65536, /* the kernel's common_type has 16 bits */
	MAX_TRACEPOINTS = 32,	/* of kmem's names that are kept apart */
	MAX_GFP_NAMES = 128,
	MAX_GFP_TEXT = 240, /* bytes of one value in names */
	GFP_TEXTS = 64,	    /* values whose text is remembered */
	SITE_TEXTS = 1024,  /* addresses whose text is remembered */
	NAME_TEXTS = 64,    /* names that are remembered, */
	NAME_WORDS = 4,	    /* if they are not longer than so many words */
};

/* Reads what lies in [at, end); past the end everything is zero and `bad` is set. */
struct reader {
	const u8 *at, *end;
	u32 bad;
};

ALWAYS_INLINE u64 reader_left(const struct reader *r)
{
	return (u64)(r->end - r->at);
}

/* The next len bytes, or NULL. */
ALWAYS_INLINE const u8 *reader_take(struct reader *r, u64 len)
{
	const u8 *at = r->at;

	if (unlikely(len > reader_left(r))) {
		r->bad = 1;
		r->at = r->end;
		return NULL;
	}
	r->at += len;
	return at;
}

ALWAYS_INLINE u16 reader_u16(struct reader *r)
{
	const u8 *p = reader_take(r, 2);

	return p ? (u16)(p[0] | p[1] << 8) : 0;
}

ALWAYS_INLINE u32 reader_u32(struct reader *r)
{
	const u8 *p = reader_take(r, 4);

	return p ? load4(p) : 0;
}

ALWAYS_INLINE u64 reader_u64(struct reader *r)
{
	const u8 *p = reader_take(r, 8);

	return p ? load8(p) : 0;
}

/* The next len bytes as a reader of their own, empty and bad if they are not there. */
static inline struct reader reader_part(struct reader *r, u64 len)
{
	const u8 *at = reader_take(r, len);

	return at ? (struct reader){ at, at + len, 0 } : (struct reader){ r->end, r->end, 1 };
}

/* Text up to a zero byte, which is taken too. */
static inline struct reader reader_string(struct reader *r)
{
	const u8 *at = r->at;

	while (r->at < r->end && *r->at)
		r->at++;
	struct reader string = { at, r->at, 0 };
	reader_take(r, 1);
	return string;
}

static inline int reader_is(const struct reader *r, const char *text)
{
	return span_is(r->at, r->end, text);
}

/* binary.c */

/* "reason at byte N", N being where the event at work lies or was packed. */
const char *binary_reason(const struct import *im, const char *reason, char *buf, u32 room);
/* Which extent is read from now on: places in it are told as bytes of the file. */
void binary_place(struct import *im, const struct extent *extent);
/* A problem with an event. */
void binary_problem(struct import *im, const u8 *at, const char *reason);
/* The file ends too early: the report says so, and where. */
void binary_cut_off(struct import *im, const char *what);
/* Ends the import: "damaged at byte N: what". Like binary_refuse, nothing while bytes are awaited. */
void binary_damaged(struct import *im, const u8 *at, const char *what);
void binary_refuse(struct import *im, const char *sentence);

/* tracepoints.c, gfp_names.c */

struct field {
	u64 mask; /* of a number, in the eight bytes at its offset; 0: not there */
	u16 offset, size;
	u8 string; /* enum field_string */
	u8 present;
	u16 reserved;
};

enum field_string { FIELD_NUMBER, FIELD_DATA_LOC, FIELD_REL_LOC, FIELD_CHARS };

enum field_key {
	FIELD_CALL_SITE,
	FIELD_PTR,
	FIELD_NAME,
	FIELD_REQ,
	FIELD_ALLOC,
	FIELD_GFP,
	FIELD_NODE,
	FIELD_ACCOUNTED,
	NR_FIELDS
};

/* A kmem event as this recording's kernel laid it out. */
struct tracepoint {
	struct field fields[NR_FIELDS];
	u32 need_bytes;	   /* the last byte that is read is before this */
	const char *wrong; /* why its events cannot be read, or NULL */
};

/* One id of the recording. */
struct event_type {
	const u8 *format; /* its format file */
	u64 format_bytes;
	u32 kind;      /* KIND_NONE until an event is seen */
	u8 tracepoint; /* index + 1, 0 for what is not kmem's */
	u8 reserved[3];
};

struct gfp_name {
	u64 bits;
	const u8 *at;
	u32 len;
};

struct gfp_text {
	u64 value;
	u32 len, hash;
	u8 text[MAX_GFP_TEXT + 16]; /* len 0: not used yet */
};

struct site_text {
	u64 address;
	u32 hash, len;
	u8 text[32];
};

/* The bytes of a cache's name as they lie in events, and the name in them. */
struct name_text {
	u64 words[NAME_WORDS];
	u32 bytes;     /* of the words, 0: not used yet */
	u32 len, hash; /* of the text */
	u32 reserved;
	u8 text[NAME_WORDS * 8 + 8];
};

/* Scratch of an import, one run of the pool. */
struct tracepoints {
	struct import *im;
	struct buffer types; /* struct event_type */
	u32 nr_types, nr_tracepoints, nr_gfp_names;
	u16 type_of_id[TRACEPOINT_IDS]; /* index + 1 */
	struct tracepoint tracepoints[MAX_TRACEPOINTS];
	struct gfp_name gfp_names[MAX_GFP_NAMES];
	struct gfp_text gfp_texts[GFP_TEXTS];
	struct site_text site_texts[SITE_TEXTS];
	struct name_text name_texts[NAME_TEXTS];
};

/* An event as it lies in the file. */
struct raw_event {
	const u8 *at;
	u64 len_bytes;
	u64 time;
	u32 cpu;
};

/* NULL once there is no memory. */
struct tracepoints *tracepoints_open(struct import *im);
void tracepoints_close(struct tracepoints *t);
/* Forgets all formats, before any event has been read. */
void tracepoints_forget(struct tracepoints *t);
/* One format file, as in events/kmem/kfree/format. It must stay where it is. */
void tracepoints_add(struct tracepoints *t, const u8 *format, u64 len_bytes);
/* An event whose format file is missing, laid out like that; NULL: its events are only counted. Ids that are known stay. */
void tracepoints_define(struct tracepoints *t, u32 id, const char *name,
			const struct tracepoint *tp);
int tracepoints_knows(const struct tracepoints *t, u32 id);
/* The number behind `key` in [p, end), below 65536; -1 if there is none. */
s64 tracepoints_number(const u8 *p, const u8 *end, const char *key);
/* nr format files, each behind its size; a count of systems, and for each its name, how many, and those. */
void tracepoints_add_some(struct tracepoints *t, struct reader *r, u32 nr);
void tracepoints_add_systems(struct tracepoints *t, struct reader *r);
/* The event to the sink. */
void tracepoints_event(struct tracepoints *t, const struct raw_event *raw);
/* The names of gfp flags out of a format's `print fmt`. */
void gfp_names_read(struct tracepoints *t, const u8 *p, const u8 *end);
const struct gfp_text *gfp_text_of(struct tracepoints *t, u64 value);

/* time_sort.c */

struct stamp {
	u64 time;
	u64 at; /* of the record, in its extent */
};

/* By time; what has the same time stays as it was. The scratch is kept for the next time. */
void stamps_sort(struct import *im, struct buffer *scratch, struct stamp *stamps, u64 nr);

#endif
