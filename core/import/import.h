/*
 * import.h - what the rooms of the importer share: lines.c, the formats, import.c, intern.c, times.c, report.c.
 *
 * A format is one file and one row of the table in lines.c. Its line() turns a line into a struct event and
 * hands that to im->sink (import_event, or a benchmark's own), or calls import.c itself where a line asks for
 * something that no recorder writes (slabtrace). fast() does the same for as many lines as look like the ones
 * before; it may give up at any line, and must then not have touched anything for it.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "util/hash.h"
#include "util/scan.h"
#include "import/source.h"
#include "trace/gfp.h"
#include "trace/trace.h"

enum {
	MAX_PROBLEMS = 16,	     /* kept with their text; all are counted */
	MAX_PROBLEM_TEXT = 160,	     /* bytes of the line that are kept */
	MAX_OBJECT_BYTES = 64 << 20, /* kmalloc: a run of 2^10 pages of 64 KiB */
	MAX_CACHE_OBJECT_BYTES = 4
		<< 20,	     /* kmem_cache_create: KMALLOC_MAX_SIZE with pages of 4 KiB */
	MAX_KINDS = 1024,    /* event names kept apart */
	SNIFF_BYTES = 65536, /* looked at before a format is chosen */
	TIMES_PER_CHECKPOINT = 512,
	PARSED_AT_ONCE = 3, /* lines parsed before their events are imported */
};

#define KIND_NONE 0xffffffffu

enum event_what { WHAT_OTHER, WHAT_CACHE_ALLOC, WHAT_KMALLOC, WHAT_FREE };

enum event_ptr {
	PTR_VALUE,
	PTR_UNKNOWN, /* (____ptrval____): printed before the kernel could hash */
};

/* One kmem event as the recorder wrote it. A span of length 0 is not there. */
struct event {
	u64 time;
	u64 ptr;
	struct span call_site, cache, gfp;
	u32 kind; /* index into kinds */
	u32 cpu;
	u32 bytes_req, bytes_alloc;
	u32 node;     /* NODE_ANY or number */
	u8 what;      /* enum event_what */
	u8 ptr_state; /* enum event_ptr */
	u8 accounted;
	u8 hashed; /* looks like a hashed pointer */
};

/* Event names seen. The first NR_KMEM_KINDS are the tracepoints of the allocators. */
struct kind {
	u64 lines;
	u32 name; /* text */
	u32 hash;
	u32 len_bytes;
	u32 what; /* enum event_what */
};

enum kmem_kind {
	KIND_KMALLOC,
	KIND_KMALLOC_NODE,
	KIND_CACHE_ALLOC,
	KIND_CACHE_ALLOC_NODE,
	KIND_KFREE,
	KIND_CACHE_FREE,
	KIND_SLUB_STAT, /* kernel_counters.c; to all other formats it is any event */
	NR_KMEM_KINDS
};

/* What decides a site, all as numbers; eight words, compared in full. */
struct recipe {
	u32 call_site, gfp, cache_name, kind_name; /* text */
	u32 bytes_req, bytes_alloc;		   /* frees: bytes and row of the allocation */
	u16 node, cache;			   /* frees, slabtrace: cache; else CACHE_NONE */
	u8 op;					   /* enum kmem_op_kind it would have been */
	u8 reason;				   /* not 0: it is OP_NOTHING, enum kmem_reason */
	u8 kmalloc_type;			   /* enum kmalloc_type, TYPE_BY_GFP */
	u8 accounted;
};

/* Scratch of a site. */
struct site_use {
	u64 ops;
	u32 row; /* of the report's caches, ROW_NONE */
	u32 reserved;
};

#define ROW_NONE 0xffffffffu
#define TYPE_BY_GFP 0xffu
#define SITE_FULL 0xffffffffu /* answer of import_site: too many caches */

/* Positions in a line, from its start, that were right for a line before; 0: none known. */
struct layout {
	u32 bracket;	  /* of "[cpu]" */
	u32 dot;	  /* of the time */
	u64 seconds_word; /* eight bytes in front of the dot, and what they were worth */
	u64 seconds_ns;
};

/* Which operation allocated the object of a handle. */
struct birth {
	u32 op;
	u32 single; /* 1: no other object has the handle, before or after */
};

/* An object that has been freed, under the name that it had. */
struct grave {
	u64 key;
	u32 handle;
	u32 site; /* of the allocation */
	u32 alloc_op, free_op;
	u32 single; /* as of its birth */
	u32 older;  /* death before it in its bucket, + 1; 0: none */
	u32 head;   /* latest death in the bucket that has this place's number, + 1 */
	u32 reserved;
};

/* What a slabtrace says of its own length: slabtrace_count.c. */
struct slabtrace_count {
	u64 events;   /* lines so far */
	u64 promised; /* by #events */
	u32 has_promise;
	u32 has_end; /* #end was the last line so far */
};

struct import {
	struct trace *trace;
	const struct trace_format *format; /* NULL while sniffing */
	void (*sink)(struct import *im, const struct event *ev);
	s32 status;		  /* KMEM_OK, or why the import has stopped */
	u32 skipping;		  /* inside a line that is too long */
	u32 unterminated;	  /* the line at work is the last one, and has no newline */
	u32 top_of_file;	  /* slabtrace: no op seen yet */
	const u8 *line;		  /* start of the line at work */
	u64 line_nr;		  /* and its number, from 1 */
	struct layout layouts[2]; /* a long comm or pid shifts a line: two are remembered */
	u32 layout;		  /* which was right last */
	u32 no_fast;		  /* tests: general path only */
	u32 ticks;		  /* a time without fraction was seen */
	u32 has_times;		  /* a time was seen where not every line has one */
	u32 last_ptr_digits;

	struct buffer kinds, problems, rows;
	u32 nr_kinds, nr_problems, nr_rows;

	struct hash texts;     /* by the hash of a string; taken: its offset in the text */
	struct buffer recipes; /* of each site */
	struct buffer uses;    /* struct site_use of each site */
	struct hash sites;     /* by the hash of a recipe; taken: site + 1 */
	struct hash
		pointers; /* live objects by pointer, or slabtrace's ID; more: handle, taken: allocation's site + 1 */
	struct buffer free_handles; /* u32, last in first out */
	u32 nr_free_handles;
	struct buffer births; /* slabtrace: struct birth by handle */
	struct buffer graves; /* slabtrace: struct grave, a ring */
	u32 nr_deaths;
	u64 unknown_live;  /* objects whose pointer was not printed */
	u64 nr_zero_size;  /* pointers of malloc(0), which are no objects */
	u64 zero_size_ptr; /* what kmalloc(0) returned, 16 or its hash */
	u32 max_cpu_plus_1, max_node_plus_1, cpus_announced;
	u64 last_time;
	struct packed_op *op_at;	     /* where the next op goes */
	s64 distances[TIMES_PER_CHECKPOINT]; /* of times since the last checkpoint */
	u32 room; /* ops until the next checkpoint; 0 once the import has failed */

	struct slabtrace_count count;

	struct buffer told_cpus; /* kernel_counters.c */
	u32 told_ops;		 /* operations that it has seen */
	struct buffer own;	 /* what the format at work keeps for itself */
	struct buffer held;	 /* reorder_window.c */
	u32 from_window;	 /* the event at work has waited: its line is gone */

	u32 carry_len;
	u8 *carry; /* an unfinished line, at most MAX_LINE_BYTES and a newline, and SCAN_SLACK behind */
	u8 *head; /* the first SNIFF_BYTES, until a format is chosen */
	u32 head_len;

	struct source source; /* formats that are no text */
	void *binary;	      /* what the reader of such a format keeps */
	struct buffer file;   /* where source.keeps: all of it so far, SCAN_SLACK bytes behind */
	u64 file_bytes;
	const u8 *place_bytes; /* the piece at work, and where it lies in the file */
	u64 place_at, place_len;
	u64 unpacked_from;  /* where what is read now, but not in the file itself, was packed */
	const u8 *event_at; /* the event at work */
};

/* One row of the table of formats. It is text and has recognises() or guess(), and line(); or it has begins(),
 * open(), step() and drop(). */
struct trace_format {
	const char *name;
	/* 1 if only this format has such a line. */
	int (*recognises)(const u8 *line, const u8 *end);
	/* The same of all of the first bytes, where single lines do not tell: as good as how many such lines. */
	u32 (*guess)(const u8 *bytes, u32 len_bytes);
	/* The first bytes, before line() gets them. May be NULL. */
	void (*start)(struct import *im, const u8 *bytes, u32 len_bytes);
	/* One line, without its newline. */
	void (*line)(struct import *im, const u8 *line, const u8 *end);
	/* Lines from p on, all of which end before `end`; returns the first that it did not take. May be NULL. */
	const u8 *(*fast)(struct import *im, const u8 *p, const u8 *end);
	/* After the last line: what has been held back. May be NULL. */
	void (*finish)(struct import *im);
	/* 1 if a file of this format begins so. */
	int (*begins)(const u8 *bytes, u32 len_bytes);
	/* Not text: begins to read, once the first bytes are in im->head. */
	void (*open)(struct import *im);
	/* Reads on until it asks for a piece of the file that is not there yet, or has come to the end. */
	void (*step)(struct import *im);
	/* Gives back what it keeps, at the end or in the middle. */
	void (*drop)(struct import *im);
	u32 is_made; /* it is no format: a workload */
	u32 may_lack_times; /* lines need not tell the time: has_times of the import says whether some did */
};

extern const struct trace_format format_ftrace;
extern const struct trace_format NOT_IN_FIRST_VIEW format_perf, format_slabtrace, format_perfdata,
	format_tracedat, format_csv, format_bpftrace, format_perftrace, format_mtrace,
	format_ltrace, format_ostep, format_malloclab, format_state;

/* problem.c */
/*
 * Counts the line (or the event) at work as skipped and keeps the first few. `at` is where it went wrong, or NULL. To a
 * reason that begins with "expected" the word that was found there is added.
 */
void import_problem(struct import *im, const u8 *at, const char *reason);
/* The same for a key that is missing from [p, end): points at the first word with an unknown key, or at the end. */
void import_lacks(struct import *im, const u8 *p, const u8 *end, const char *expected);
s32 import_out_of_memory(struct import *im);

/* lines.c */
/* 1 after a problem: texts that are kept hold no zero byte. */
int import_refuses_zero(struct import *im, const u8 *p, const u8 *end);
s32 import_fail(struct import *im, s32 status, const char *sentence);

/* intern.c */
/* buffer_grow(); 0 after a failure. */
int import_grow(struct import *im, struct buffer *b, u64 need_bytes);
/* hash_reserve(); 0 after a failure. */
int import_reserve(struct import *im, struct hash *h);
u32 intern_slow(struct import *im, const struct span *span);
u32 intern_text(struct import *im, const char *text);
void kinds_init(struct import *im);
/* KIND_NONE if it was never seen. */
u32 kind_find(const struct import *im, const struct span *name);
u32 kind_of(struct import *im, const struct span *name);
u32 row_of(struct import *im, u32 name, u32 size);

/* Stored strings lie on multiples of eight and are padded with zeros. */
ALWAYS_INLINE int same_text(const struct import *im, u32 text, const struct span *span)
{
	const u8 *stored = (const u8 *)im->trace->text + text, *at = span->at;
	u32 left = span->len;

	for (; left >= 8; left -= 8, at += 8, stored += 8) {
		if (load8(at) != load8(stored))
			return 0;
	}
	return low_bytes(load8(at), left) == load8(stored);
}

/* The number of a string, the same for the same string; 0 for none. */
ALWAYS_INLINE u32 intern_span(struct import *im, const struct span *span)
{
	const struct hash_slot *slot = hash_home(&im->texts, span->hash);

	if (!span->len)
		return 0;
	if (likely(slot->key == span->hash && slot->taken && same_text(im, slot->taken, span)))
		return slot->taken;
	return intern_slow(im, span);
}

ALWAYS_INLINE struct kind *kind_at(const struct import *im, u32 kind)
{
	return (struct kind *)im->kinds.at + kind;
}

/* import.c */
s32 import_init(struct import *im);
void import_event(struct import *im, const struct event *ev);
/* Why an event cannot be, or NULL. */
const char *refuse_event(const struct event *ev);
void import_op(struct import *im, const struct op *op, u64 time);
/* As it is kept, where it has to be; 0 after a failure. */
int import_pack(struct import *im, const struct op *op, struct packed_op *packed);

/* The site that allocated an object of im->pointers. */
ALWAYS_INLINE u32 alloc_site_of(const struct hash_slot *pointer)
{
	return pointer->taken - 1;
}

void import_alloc(struct import *im, u64 key, u32 site, struct op *op, u64 time);
struct hash_slot *pointer_find(struct import *im, u64 key);
/* The object of `old`, which is live, is at `new` from now on; who is there already was freed unseen. */
void import_rename(struct import *im, u64 old, u64 new, u64 time);
/* A pointer that is no object's: it is found, with its site, until it is forgotten. */
void import_remember(struct import *im, u64 key, u32 site);
void import_forget(struct import *im, struct hash_slot *pointer);
/* Gives back a handle whose object has another now. */
void recycle_handle(struct import *im, u32 handle);
void import_free(struct import *im, struct hash_slot *pointer, u32 site, struct op *op, u64 time);

/* freed_objects.c: objects by name after their free, for slabtrace's `corrupt` */
void note_birth(struct import *im, u32 handle, u32 op);
struct birth *birth_of(const struct import *im, u32 handle);
/* Before the pointer goes: 1 if its handle must not be used again. */
int note_death(struct import *im, const struct hash_slot *pointer, u32 free_op);
/* The object of that name, live or freed not long ago, gets a handle of its own: 1, with its handle, the site of its
 * allocation and whether it is live; 0 if it is not known. */
int single_out(struct import *im, u64 key, u32 *handle, u32 *site, u32 *live);

/* sites.c */
u32 import_cache(struct import *im, const struct trace_cache *cache);
u32 import_site(struct import *im, const struct recipe *recipe);
u32 free_site(struct import *im, const struct recipe *base, u32 alloc_site);

/* fields.c: the payload of a kmem event, from behind "NAME:" on: 1, or 0 after a problem. */
int fields_read(struct import *im, const u8 *p, const u8 *end, struct event *ev);
/* Single values in every notation of traces.md; 0 if [p, end) is none. */
int field_pointer(struct import *im, const u8 *p, const u8 *end, struct event *ev);
/* 1 to 16 hex digits without 0x. */
int field_hex(const u8 *p, const u8 *end, u64 *number);
int field_number(const u8 *p, const u8 *end, u64 *number);
/* 1 if the word begins with a key that is read, such as ptr=. */
int field_is_known(const u8 *p, const u8 *end);
int field_node(const u8 *p, const u8 *end, struct event *ev);
/* reorder_window.c: hands events to the sink in the order of their times, as far as a window of them allows. */
void window_event(struct import *im, const struct event *ev);
/* All that still waits. */
void window_finish(struct import *im);
/* usual_line.c: a format's fast(). */
const u8 *lines_fast(struct import *im, const u8 *p, const u8 *end);

/* kernel_counters.c: a line of slub_stat, from behind its name on. */
void told_line(struct import *im, const u8 *p, const u8 *end, u32 cpu);
/* The number of a cache's row + 1; 0: none. */
u32 told_row_of(const struct trace *t, const char *base, const char *name);

/* kernel_name.c: notes the kernel on which the trace was recorded. 0 if [p, end) does not begin with a release. */
int import_kernel(struct import *im, const u8 *p, const u8 *end);
/* "Linux HOST RELEASE MACHINE" */
int import_uname(struct import *im, const u8 *p, const u8 *end);
/* A line that begins with # and may name it. */
void import_kernel_comment(struct import *im, const u8 *line, const u8 *end);

/* times.c */
int times_open(struct import *im);
/* Keeps the times since the last checkpoint; op, the next one, is the first after another. 0 without memory. */
int times_checkpoint(struct import *im, u32 op, u64 time);
/* After the last op: its times are kept as well. */
int times_close(struct import *im);
void times_drop(struct trace *t);
/* The operations have another order now: none has a time. */
void times_forget(struct trace *t);

/* report.c */
void report_build(struct import *im);

/* unrecognized.c: what the bytes look like instead. */
void refuse(struct import *im, const u8 *bytes, u32 len_bytes);

#endif
