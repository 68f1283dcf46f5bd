/*
 * binary.h - what the readers of the binary formats, perf.data and trace.dat, share.
 *
 *	extents of the file ─ event formats ─ struct tracepoint ─┐
 *	                   └ records, by time ──────────────────┴─ struct event
 *
 * Extents come from source.h. Every length in a file is checked against the bytes there before use.
 */
#ifndef IMPORT_BINARY_H
#define IMPORT_BINARY_H

#include "import/import.h"
#include "util/text.h"

enum {
	TRACEPOINT_IDS = 65536, /* the kernel's common_type has 16 bits */
	MAX_TRACEPOINTS = 32,	/* kmem tracepoints told apart by name */
	MAX_GFP_NAMES = 128,
	MAX_GFP_TEXT = 240,    /* bytes of one gfp value printed as names */
	GFP_TEXTS_SHIFT = 6,   /* logarithm of the number of gfp values whose text is cached */
	SITE_TEXTS_SHIFT = 10, /* the same for addresses */
};

/* Reads the bytes in [at, end). A read past the end returns zero and sets `bad`. */
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

/* Returns the next len bytes as a separate reader; empty and bad if they are missing. */
static inline struct reader reader_part(struct reader *r, u64 len)
{
	const u8 *at = reader_take(r, len);

	return at ? (struct reader){ at, at + len, 0 } : (struct reader){ r->end, r->end, 1 };
}

/* Returns the text up to a zero byte, and skips that byte too. */
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

/* Returns the bytes of the file at [at, at + len); bad if the extent does not hold them. */
struct reader binary_part(const struct extent *extent, u64 at, u64 len);
/* The same; a missing part is read, with what follows up to `usual` bytes. 0 while it waits for
 * bytes. The part is bad if the file ends earlier. */
int binary_peek(struct import *im, struct extent *extent, u64 at, u64 len, u64 usual,
		struct reader *part);
/* Provides the bytes from `at` on, at least `len` of them unless the file ends earlier; the bytes before are
 * forgotten. 0 while it waits for bytes. */
int binary_window(struct import *im, struct extent *extent, u64 at, u64 len, u64 usual,
		  struct reader *there);
/* "reason at byte N". N is where the current event lies in the file, or where it was packed. */
const char *binary_reason(const struct import *im, const char *reason, char *buf, u32 room);
/* Names the extent that is read from now on. Problems report positions in it as bytes of the
 * file. */
void binary_place(struct import *im, const struct extent *extent);
/* Reports a problem with an event. */
void binary_problem(struct import *im, const u8 *at, const char *reason);
/* Reports that the file ends too early, and where. */
void binary_cut_off(struct import *im, const char *what);
/* Ends the import with "damaged at byte N: what". Does nothing while the reader waits for bytes, as
 * binary_refuse does. */
void binary_damaged(struct import *im, const u8 *at, const char *what);
void binary_refuse(struct import *im, const char *sentence);

/* tracepoints.c */

struct field {
	u64 mask; /* which bits of the eight bytes at the offset hold the number; 0: no such field */
	u16 offset, size;
	u8 string; /* enum field_string */
	u8 present;
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
	FIELD_PID,
	FIELD_NR,
	FIELD_PFN,
	FIELD_ORDER,
	FIELD_SHEAF,
	FIELD_HEAD,
	FIELD_PTRS, /* an array of pointers */
	NR_FIELDS
};

/* A kmem event as the kernel of this trace laid it out. */
struct tracepoint {
	struct field fields[NR_FIELDS];
	u32 need_bytes;	   /* the reader needs at least this many bytes */
	const char *wrong; /* why its events cannot be read, or NULL */
};

/* One event id of the trace. */
struct event_type {
	const u8 *format; /* its format file */
	u64 format_bytes;
	u32 kind;      /* KIND_NONE until an event is seen */
	u8 tracepoint; /* index + 1; 0 if it is not a kmem event */
};

struct gfp_name {
	u64 bits;
	const u8 *at;
	u32 len;
};

/* A number whose text is cached. */
struct number_text {
	u64 number;
	u32 text; /* 0: not used yet */
};

/* From this time on the task has this name. */
struct comm {
	u64 time;
	u32 pid;
	u32 name, task; /* texts: "bash", "bash-1" */
	u32 older; /* the previous one of this pid + 1, in the order in which they were read; 0: none */
};

/* Names of tasks, for an import that keeps tasks. */
struct comms {
	struct buffer rows; /* struct comm */
	struct hash by_pid; /* taken: the latest row + 1 */
	u32 nr;
	const char *idle; /* what the recorder calls task 0 */
};

/* Working memory of an import, in one run of the pool. */
struct tracepoints {
	struct import *im;
	u32 keeps_pids; /* an event's task is its pid + 1, for a reader that finds the name later */
	struct comms comms;
	struct buffer types; /* struct event_type */
	u32 nr_types, nr_tracepoints, nr_gfp_names;
	u16 type_of_id[TRACEPOINT_IDS]; /* index + 1 */
	struct tracepoint tracepoints[MAX_TRACEPOINTS];
	struct gfp_name gfp_names[MAX_GFP_NAMES];
	struct number_text gfp_texts[1 << GFP_TEXTS_SHIFT];
	struct number_text site_texts[1 << SITE_TEXTS_SHIFT];
};

/* An event as it lies in the file. */
struct raw_event {
	const u8 *at;
	u64 len_bytes;
	u64 time;
	u32 cpu;
};

/* Returns NULL if memory runs out. */
struct tracepoints *tracepoints_open(struct import *im);
void tracepoints_close(struct tracepoints *t);
/* Forgets all formats; call it before any event has been read. */
void tracepoints_forget(struct tracepoints *t);
/* Returns the number after `key` in [p, end), below 65536; -1 if there is none. */
s64 tracepoints_number(const u8 *p, const u8 *end, const char *key);
/* Adds nr format files, as in events/kmem/kfree/format, each after its size. They must stay where
 * they are. Then follow the systems: a count, and for each its
 * name, its number of files, and the files. */
void tracepoints_add_some(struct tracepoints *t, struct reader *r, u32 nr);
void tracepoints_add_systems(struct tracepoints *t, struct reader *r);
/* Hands the event to the sink. */
void tracepoints_event(struct tracepoints *t, const struct raw_event *raw);
/* binary.c: the task has this name from that time on. */
void comms_add(struct tracepoints *t, u32 pid, u64 time, const u8 *comm, const u8 *end);
/* The task inherits the name its parent has at that time. */
void comms_fork(struct tracepoints *t, u32 pid, u32 parent, u64 time);
/* Reads a list of "pid comm", one per line. */
void comms_list(struct tracepoints *t, const u8 *p, const u8 *end);
/* Returns the number of the text "comm-pid". */
u32 comms_task(struct tracepoints *t, u32 pid, u64 time);
void comms_drop(struct tracepoints *t);
/* Reads the names of gfp flags from a format's `print fmt`. */
void gfp_names_read(struct tracepoints *t, const u8 *p, const u8 *end);
u32 gfp_text(struct tracepoints *t, u64 value);
/* Returns the text "0x…" of an address or of flags, from a cache with this many slots. */
u32 hex_text(struct import *im, struct number_text *slots, u32 shift, u64 number);

#endif
