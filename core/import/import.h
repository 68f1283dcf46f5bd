/*
 * import.h - what the parts of the importer share: lines.c, the formats, import.c, intern.c,
 * times.c, report.c.
 *
 * A format is one file, its declaration below, and one row of the table in lines.c. Its line() turns a line into a struct
 * event and hands it to im->sink: import_event, or a benchmark's function. For requests that no
 * recorder writes (slabtrace), line() calls import.c itself. A format's fast() reads as many lines
 * as look like the previous ones. It may give up at any line, but must then have
 * changed nothing for that line.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "util/hash.h"
#include "util/scan.h"
#include "import/source.h"
#include "import/importer.h"

enum {
	MAX_PROBLEMS = 16,	/* problems kept with their text; all are counted */
	MAX_PROBLEM_TEXT = 160, /* bytes kept of a bad line */
	MAX_PERIOD = 1 << 30,	/* events for which a sample can stand */
	MAX_KINDS = 1024,	/* event names counted separately */
	SNIFF_BYTES = 65536,	/* bytes read before a format is chosen */
	PARSED_AT_ONCE = 3,	/* lines parsed before their events are imported */
	KNOWN_TASKS_SHIFT = 6,	/* logarithm of the number of struct known_task */
	KNOWN_TASK_BYTES = 56,	/* a longer text is read on each line */
};

enum {
	MAX_COMM_BYTES = 64, /* kernels write at most 15; bytes kept of a longer comm */
	MAX_TASK_BYTES = MAX_COMM_BYTES + 16,
};

#define KIND_NONE 0xffffffffu

enum event_what { WHAT_OTHER, WHAT_FREE, WHAT_CACHE_ALLOC, WHAT_KMALLOC };

enum event_ptr {
	PTR_VALUE,
	PTR_UNKNOWN, /* (____ptrval____): printed before the kernel could hash pointers */
};

/*
 * One kmem event as the recorder wrote it. It can wait for earlier ones, because it no longer needs its line or packet.
 */
struct event {
	u64 time;
	u64 ptr; /* in a note about a page: its frame number; about a prefilled sheaf: its address */
	u64 at; /* for an event that waits: where it was recorded, its line or the place of its packet in the file */
	u32 call_site, cache, gfp; /* texts; 0: the field is missing */
	u32 cpu;
	u32 bytes_req,
		bytes_alloc; /* in a note, bytes_req is a number of objects, enum marker, or the order of a page's block */
	u32 node; /* NODE_ANY or a node number */
	u32 task; /* text "comm-pid", where im->keep asks for it, or a number for task_of(); 0: unknown */
	u16 kind;     /* index into kinds */
	u16 file;     /* which file of a merge */
	u8 what;      /* enum event_what */
	u8 ptr_state; /* enum event_ptr */
	u8 accounted;
	u8 hashed; /* looks like a hashed pointer */
};

/* Event names seen in the trace. The first NR_KMEM_KINDS are the allocators' tracepoints. */
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
	KIND_SLUB_STAT,	 /* for kernel_notes.c; other formats treat it as any event */
	KIND_SLUB_OP,	 /* for kernel_notes.c; the same */
	KIND_KFREE_RCU,	 /* a dynamic event of record.sh, as those from KIND_BULK_ALLOC_PROBE on */
	KIND_BULK_ALLOC, /* notes: each announces the objects of one bulk request */
	KIND_BULK_FREE,
	KIND_MARKER, /* notes: somebody wrote to trace_marker */
	KIND_PRINT,
	KIND_PAGE_ALLOC, /* notes: the page allocator's own events */
	KIND_PAGE_FREE,
	KIND_BULK_ALLOC_PROBE, /* notes with the objects of one bulk request */
	KIND_BULK_FREE_PROBE,
	KIND_PREFILL, /* notes about a prefilled sheaf */
	KIND_REFILL,
	KIND_RETURN,
	KIND_TAKE,
	KIND_GRACE, /* note: a grace period has ended */
	NR_KMEM_KINDS
};

/* The numbers that identify a site: eight words, compared in full. */
struct recipe {
	u32 call_site, gfp, cache_name, kind_name; /* text */
	u32 bytes_req, bytes_alloc;		   /* frees: bytes and row of the allocation */
	u16 node, cache; /* cache of a free or of a slabtrace line; else CACHE_NONE */
	u8 op;		 /* the enum kmem_op_kind before it became OP_NOTHING */
	u8 reason;	 /* enum kmem_reason; not 0 means OP_NOTHING */
	u8 kmalloc_type; /* enum kmalloc_type, TYPE_BY_GFP */
	u8 marks;	 /* RECIPE_ACCOUNTED, RECIPE_ELSEWHERE, and enum site_request << 1 */
};

#define FORK_IS_FULL "a fork has at most 4096 events of its own"

enum {
	RECIPE_ACCOUNTED = 1,
	RECIPE_REQUEST_AT = 1,
	RECIPE_ELSEWHERE = 0x80, /* another CPU prefilled the sheaf: `node` is that CPU */
};
_Static_assert(NR_SITE_REQUESTS <= 0x40, "a request fits between the marks");

/* The importer's notes about a site. */
struct site_use {
	u64 ops;
	u32 row; /* row of the report's caches, or ROW_NONE */
	/* inferred_names.c, of allocations: text of the name that frees of its objects have, or NAME_KNOWN; frees with
	 * that name less those with others; all frees with a name. */
	u32 freed_as;
	u32 lead, named_frees;
	u32 unseen,
		live; /* of allocations: objects with an implied free; objects that live at the end */
};

#define NAME_KNOWN 0xffffffffu

#define ROW_NONE 0xffffffffu
#define TYPE_BY_GFP 0xffu
#define SITE_FULL 0xffffffffu /* import_site returns this when there are too many caches */

/* Offsets from the start of a line, correct for an earlier line; 0: none known. */
struct layout {
	u32 bracket;	  /* offset of "[cpu]" */
	u32 dot;	  /* offset of the time's dot */
	u64 seconds_word; /* the eight bytes before the dot, and their value in nanoseconds */
	u64 seconds_ns;
};

/* Which event allocated the object of a handle. */
struct birth {
	u32 op;
	u32 single; /* 1: no other object uses this handle, before or after */
};

/* A freed object, under the pointer it had. */
struct grave {
	u64 key;
	u32 handle;
	u32 site; /* site of the allocation */
	u32 alloc_op, free_op;
	u32 single; /* as in struct birth */
	u32 older;  /* the previous free in its bucket, + 1; 0: none */
	u32 head;   /* the latest free in the bucket with this slot's number, + 1 */
};

/* The event counts that a slabtrace states: format_slabtrace.c. */
struct slabtrace_count {
	u64 events;   /* event lines so far */
	u64 promised; /* the count in #events */
	u32 has_promise;
	u32 has_end; /* the latest line is #end */
};

/* The text of a task, and the text before the CPU on its lines. */
struct known_task {
	u32 task, len_bytes;
	u8 text[KNOWN_TASK_BYTES];
};

/* A sampled trace: perf recorded only some events (-F). All 0 if nothing in the file says so. */
struct sampled {
	u32 is_on;
	u64 allocs, frees; /* counts on the machine, by the period of each sample */
	u64 periods, nr;   /* sum and number of the periods that lines have */
};

/* When a record happened, and its place among the others. */
struct stamp {
	u64 time, at;
};

/* Events that wait until all earlier ones have come: time_order.c. */
struct time_order {
	struct buffer held, stamps, free_slots, scratch; /* struct event, struct stamp, u32 */
	u32 nr, nr_sorted, first;			 /* stamps from `first` on */
	u32 nr_slots, nr_free;				 /* slots in `held` */
	u32 room;					 /* room in each of them */
	u32 most,
		keep; /* with `most` waiting, the earliest are handed on until `keep` wait; 0: none are */
	u64 newest, emitted; /* latest time of all, and of those handed on */
	/* The text of an event's task, where its name is known only when it is handed on; or NULL. */
	u32 (*task_of)(struct import *im, const struct event *held);
};

typedef void (*import_sink)(struct import *im, const struct event *ev);

struct import {
	struct trace *trace;
	const struct trace_format *format; /* NULL while sniffing */
	import_sink sink;
	u32 keep;	   /* what is kept of each event: KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS */
	s32 status;	   /* KMEM_OK, or the error that stopped the import */
	u32 skipping;	   /* inside a line that is too long */
	u32 unterminated;  /* the current line is the last one and has no newline */
	u32 top_of_file;   /* slabtrace: no op seen yet */
	const u8 *line;	   /* start of the current line */
	const u8 *name_at; /* where it names a cache, or NULL */
	u64 line_nr;	   /* its number, from 1 */
	struct layout layouts[2]; /* a long comm or pid shifts a line: keep two layouts */
	u32 layout;		  /* which layout matched last */
	u32 no_fast;		  /* tests: use only the general parser */
	u32 ticks;		  /* a time without a fraction was seen */
	u32 has_times;		  /* a time was seen, in a format where lines may lack it */
	u32 last_ptr_digits;
	struct sampled sampled;

	struct buffer kinds, problems, rows;
	u32 nr_kinds, nr_problems, nr_rows;

	struct hash texts;	    /* by the hash of a string; taken: its offset in the text */
	struct buffer recipes;	    /* the recipe of each site */
	struct buffer uses;	    /* struct site_use of each site */
	struct hash sites;	    /* by the hash of a recipe; taken: site + 1 */
	struct hash pointers;	    /* live objects by key; more: handle, taken: alloc site + 1 */
	struct buffer free_handles; /* u32, a stack */
	u32 nr_free_handles;
	struct buffer births; /* slabtrace: struct birth, by handle */
	struct buffer graves; /* slabtrace: struct grave, in a ring */
	u32 nr_deaths;
	u64 unknown_live; /* live objects whose pointer was not printed */
	u64 nr_zero_size; /* pointers from malloc(0), which are not objects */
	u64 nr_waiting; /* pointers that kfree_rcu() got, until they are freed or allocated again */
	u64 zero_size_ptr; /* the pointer from kmalloc(0): 16, or its hash */
	u32 max_cpu_plus_1, max_node_plus_1, cpus_announced;
	u64 last_time;
	struct packed_op *op_at;	     /* where the next op goes */
	s64 distances[TIMES_PER_CHECKPOINT]; /* differences of times since the last checkpoint */
	u32 room; /* ops until the next checkpoint; 0 once the import has failed */

	struct slabtrace_count count;

	struct buffer counters_cpus; /* kernel_notes.c */
	u32 counters_ops;	     /* events seen by kernel_notes.c */
	struct buffer groups;	     /* struct open_group[nr_groups]: notes.c */
	u32 nr_groups;
	struct buffer sheaves; /* struct open_sheaf[nr_sheaves]: notes.c */
	u32 nr_sheaves;
	u32 nr_taking;		/* of these, whose next object's allocation is awaited */
	struct buffer nameless; /* struct nameless[nr_nameless]: inferred_names.c */
	u32 nr_nameless;
	u32 has_free_names;  /* frees have a field for the name of the cache */
	u32 has_early_names; /* allocations name their cache right after the pointer */
	struct buffer own;   /* the current format's private data */
	u32 from_window;     /* the current event has waited: its line is gone */

	u32 carry_len;
	u8 *carry; /* an unfinished line: at most MAX_LINE_BYTES, a newline and SCAN_SLACK */
	u8 *head;  /* the first SNIFF_BYTES, until a format is chosen */
	u32 head_len;

	struct source source; /* for binary formats */
	void *binary;	      /* private data of a binary format's reader */
	struct buffer file;   /* where source.keeps: the whole file so far, then SCAN_SLACK bytes */
	u64 file_bytes;
	const u8 *place_bytes; /* the current piece of the file, and where it lies */
	u64 place_at, place_len;
	u64 unpacked_from; /* where the current bytes were packed, if they are not in the file itself */
	const u8 *event_at;  /* the current event */
	struct merge *merge; /* several files become one trace: merge.c */
	struct known_task known_tasks[1 << KNOWN_TASKS_SHIFT]; /* usual_line.c */
	struct time_order order; /* events that wait for earlier ones */
};

/* One row of the table of formats. A text format has recognises() or guess(), and line(). A binary
 * format has begins(), open(), step() and drop(). */
struct trace_format {
	const char *name;
	/* 1 if only this format has lines like this one. */
	int (*recognises)(const u8 *line, const u8 *end);
	/* The same for the first bytes, where single lines prove nothing: how many recognised lines
	 * they are worth. */
	u32 (*guess)(const u8 *bytes, u32 len_bytes);
	u32 own_bytes; /* size of the format's private data, im->own */
	/* Gets the first bytes, before line() does. May be NULL. */
	void (*start)(struct import *im, const u8 *bytes, u32 len_bytes);
	/* Reads one line, without its newline. */
	void (*line)(struct import *im, const u8 *line, const u8 *end);
	/* Reads lines from p on. Every line ends before `end`. Returns the first line that it did
	 * not read. May be NULL. */
	const u8 *(*fast)(struct import *im, const u8 *p, const u8 *end);
	/* Called after the last line: hands on what still waits. May be NULL. */
	void (*finish)(struct import *im);
	/* 1 if the bytes start a file of this format. */
	int (*begins)(const u8 *bytes, u32 len_bytes);
	/* Binary formats: starts to read, once the first bytes are in im->head. */
	void (*open)(struct import *im);
	/* Reads until it needs a piece of the file that is missing, or reaches the end. */
	void (*step)(struct import *im);
	/* Frees the reader's memory, at the end or earlier. */
	void (*drop)(struct import *im);
	u32 is_made;	    /* not a file format: a workload */
	u32 may_lack_times; /* lines may lack a time; im->has_times: one line had it */
};

extern const struct trace_format format_ftrace;
extern const struct trace_format NOT_IN_FIRST_VIEW format_perf, format_slabtrace, format_perfdata,
	format_tracedat, format_perfetto, format_csv, format_bpftrace, format_perftrace,
	format_mtrace, format_ltrace, format_ostep, format_malloclab, format_state;

/* problems.c */
/*
 * Counts the current line or event as skipped and keeps the first few. `at` is where the problem
 * is, or NULL. After a reason that starts with "expected", it adds the word found there. Returns 0.
 */
int import_problem(struct import *im, const u8 *at, const char *reason);
/* The same for a key that is missing from [p, end). Points at the first word with an unknown key,
 * or at the end. */
int import_lacks(struct import *im, const u8 *p, const u8 *end, const char *expected);
s32 import_out_of_memory(struct import *im);

/* lines.c */
/* Returns the working memory of an import; NULL after an error. */
struct import *import_new(struct trace *t);
/* Reads a last line without a newline, and lets the format finish. */
void import_finish(struct trace *t);
/* Frees the working memory. */
void import_drop(struct trace *t);
/* Returns 1 after a problem: stored texts must not contain a zero byte. */
int import_refuses_zero(struct import *im, const u8 *p, const u8 *end);
s32 import_fail(struct import *im, s32 status, const char *sentence);

/* The sinks of lines.c */
/* Returns the number of the text "comm-pid". */
u32 task_text(struct import *im, const u8 *comm, const u8 *end, s64 pid);
/* The sink of recorded events: it imports them, keeps what was asked for, and notes the first event at each address. */
import_sink import_usual_sink(const struct import *im);
/* Keeps these of the ops from `first` to the last one. */
void kept_put(struct import *im, u32 first, u64 ptr, u32 task);
/* Notes an event if it is the first one at its address: the start is inferred from these. */
void kept_note_first(struct import *im, u32 op, u64 ptr);

/* intern.c */
/* buffer_grow(); 0 after a failure. */
int import_grow(struct import *im, struct buffer *b, u64 need_bytes);
/* pool_alloc(); NULL after a failure. */
void *import_block(struct import *im, u64 bytes);
/* hash_reserve(); 0 after a failure. */
int import_reserve(struct import *im, struct hash *h);
u32 intern_slow(struct import *im, const struct span *span);
u32 intern_text(struct import *im, const char *text);
/* The same for bytes after which words may be loaded. */
u32 intern(struct import *im, const u8 *at, const u8 *end);
/* The same for at most 256 bytes, after which nothing may be read. */
u32 intern_bytes(struct import *im, const u8 *at, u64 len);
void kinds_init(struct import *im);
/* KIND_NONE if the name was never seen. */
u32 kind_find(const struct import *im, const struct span *name);
u32 kind_of(struct import *im, const struct span *name);
u32 kind_of_text(struct import *im, const char *name);
/* The same, and counts one more line of it. */
u32 kind_count(struct import *im, const struct span *name);
u32 kind_count_text(struct import *im, const char *name);
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

/* The number of a string; equal strings have equal numbers. 0 for an empty one. */
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
/* Packs the times after the last checkpoint; 0 without memory. */
int import_close_times(struct import *im);
void import_event(struct import *im, const struct event *ev);
/* Returns NULL, or why the event is invalid. */
const char *refuse_event(const struct event *ev);
void import_op(struct import *im, const struct op *op, u64 time);
/* Appends an event that is neither an allocation nor a free. */
void import_request(struct import *im, struct recipe recipe, u32 kind, u32 cpu, u64 time);
/* Packs the op, in the table of large ops if it does not fit; 0 after a failure. */
int import_pack(struct import *im, const struct op *op, struct packed_op *packed);

/* The site that allocated an object of im->pointers. */
ALWAYS_INLINE u32 alloc_site_of(const struct hash_slot *pointer)
{
	return pointer->taken - 1;
}

void import_alloc(struct import *im, u64 key, u32 site, struct op *op, u64 time);
struct hash_slot *pointer_find(struct import *im, u64 key);
/* Inserts the free of an object that no event shows. */
void import_imply_free(struct import *im, struct hash_slot *pointer, u32 cpu, u64 time);
/* Moves the live object at `old` to `new`. An object already at `new` must have been freed
 * unseen. */
void import_rename(struct import *im, u64 old, u64 new, u64 time);
/* Remembers a pointer that is not an object's, with its site, until it is forgotten. */
void import_remember(struct import *im, u64 key, u32 site);
void import_free(struct import *im, struct hash_slot *pointer, u32 site, struct op *op, u64 time);

/* Gives the object at that pointer its own handle, whether live or recently freed. Returns 1 with
 * the handle, the allocation's site and whether the object is live; 0 if it is unknown. */
int single_out(struct import *im, u64 key, u32 *handle, u32 *site, u32 *live);

/* intern.c */
u32 import_cache(struct import *im, const struct trace_cache *cache);
u32 import_site(struct import *im, const struct recipe *recipe);
u32 free_site(struct import *im, const struct recipe *base, u32 alloc_site);

/* Read single values in every notation of traces.md; 0 if the bytes are not one. */
int field_pointer(struct import *im, struct range value, struct event *ev);
/* Returns 1 if the word starts with a known key, such as ptr=. */
int field_is_known(const u8 *p, const u8 *end);
int field_node(struct range value, struct event *ev);
/* Returns the text of a cache's name, which a dynamic event quotes, or fails to read. */
u32 field_name(struct import *im, const u8 *p, const u8 *end);
/* time_order.c */
/*
 * Adds an event, which was recorded at ev->at. An event earlier than some already handed on is counted and handed on
 * immediately.
 */
void order_add(struct import *im, struct time_order *o, struct event *ev);
/* Hands on the earliest events until at most `keep` wait, or the next one is later than `until`. */
void order_emit(struct import *im, struct time_order *o, u32 keep, u64 until);
/* Returns the waiting event number nr, by time. */
struct event *order_sorted(struct import *im, struct time_order *o, u32 nr);
void order_hand_on(struct import *im, struct time_order *o, struct event *ev);
void order_drop(struct pool *pool, struct time_order *o);
/* Lines of several CPUs: hands events to the sink in the order of their times, as far as a window of 32,768 events allows. */
void window_event(struct import *im, const struct event *ev);
/* Hands on all events that still wait. */
void window_finish(struct import *im);
/* usual_line.c: a format's fast(). */
const u8 *lines_fast(struct import *im, const u8 *p, const u8 *end);

/* kernel_notes.c: keeps a line of slub_stat or slub_op, from the end of its name on, if the caller asked for that. */
void kernel_line(struct import *im, u32 kind, const u8 *p, const u8 *end, u32 cpu, u32 task);
/* Returns the number of the counter with that name; NR_COUNTERS: none. */
u32 counter_of(const struct span *name);
/* kernel_notes.c: reads a line of slub_stat from the end of its name on. */
void counters_line(struct import *im, const u8 *p, const u8 *end, u32 cpu);

/* kernel_notes.c: notes the kernel that recorded the trace. 0 if [p, end) does not start with a
 * release. */
int import_kernel(struct import *im, const u8 *p, const u8 *end);
/* Reads "Linux HOST RELEASE MACHINE". */
int import_uname(struct import *im, const u8 *p, const u8 *end);
/* Reads a # line, which may name the kernel. */
void import_kernel_comment(struct import *im, const u8 *line, const u8 *end);
/* Call after the last event: returns the enum kernel_sign of a trace that names no kernel. */
u32 import_kernel_sign(const struct import *im);

/*
 * merge.c: refuses im->format, which was just chosen, if files are being merged and this format cannot be: none of its
 * events is read.
 */
s32 merge_check_format(struct import *im);

/* inferred_names.c */
/* A free names the cache of an object that this site allocated. */
void import_freed_as(struct site_use *use, u32 name);
/* Notes a cache of allocations without a name; 0 after a failure. */
int import_nameless(struct import *im, u32 cache, u32 row);
/* Infers from all of the trace: names of caches, and whether accounted objects have caches of their own. */
void import_settle(struct import *im);
ALWAYS_INLINE void freed_as(struct import *im, u32 alloc_site, u32 name)
{
	struct site_use *use = (struct site_use *)im->uses.at + alloc_site;

	if (name && use->freed_as != NAME_KNOWN)
		import_freed_as(use, name);
}

/* notes.c: the objects of bulk requests */
/* An event of kind KIND_BULK_ALLOC or KIND_BULK_FREE says that `nr` events of its CPU and call site (a text; 0: any)
 * are one request. */
void import_group(struct import *im, u32 kind, u32 cpu, u32 nr, u32 call_site);
/* Adds the trace's last event to its group, if it belongs to an open one. */
void import_group_member(struct import *im);
/* Call after an event, while there are groups or sheaves that wait for one. */
void import_watched(struct import *im);
/* Ends all groups. */
void import_groups_close(struct import *im);
ALWAYS_INLINE int is_group_kind(u32 kind)
{
	return kind == KIND_BULK_ALLOC || kind == KIND_BULK_FREE;
}

/* notes.c: what the dynamic events of record.sh say */
enum { MAX_PROBED_OBJECTS = 64 }; /* no kernel event has a longer array */
ALWAYS_INLINE int is_probe_kind(u32 kind)
{
	return kind >= KIND_BULK_ALLOC_PROBE && kind <= KIND_GRACE;
}
ALWAYS_INLINE int is_bulk_probe(u32 kind)
{
	return kind == KIND_BULK_ALLOC_PROBE || kind == KIND_BULK_FREE_PROBE;
}
/* Hands on the objects of a bulk request, as far as the array has them. */
void import_bulk_probe(struct import *im, const struct event *ev, const u64 *objects, u32 nr);
/* Before 6.2 kfree_rcu() passes on where the rcu_head lies in the object, in place of the object. */
ALWAYS_INLINE u64 object_of_head(u64 ptr, u64 head)
{
	return ptr < 4096 && head > 4096 ? head - ptr : ptr;
}

/* notes.c: events that say something about other events */
ALWAYS_INLINE int is_page_kind(u32 kind)
{
	return kind == KIND_PAGE_ALLOC || kind == KIND_PAGE_FREE;
}
ALWAYS_INLINE int is_note_kind(u32 kind)
{
	return kind >= KIND_BULK_ALLOC && kind < NR_KMEM_KINDS;
}
/* Hands an event to the sink, or acts on a note, in the order of the trace. */
void import_in_order(struct import *im, const struct event *ev);
/* A trace marker says this about the state of the kernel's slabs. */
enum marker { MARKER_NONE, MARKER_STATE_BEGINS, MARKER_STATE_ENDS };
u32 marker_in(const u8 *p, const u8 *end);
/* Returns the value after `key` in [p, end), up to a blank; its length is 0 if there is none. */
struct span note_value(const u8 *p, const u8 *end, const char *key);
/* Reads a line of text that is a note, from the end of its name on. */
void import_note_line(struct import *im, struct event *ev, const u8 *p, const u8 *end);

/* kernel_notes.c: how many events of the machine those of a sampled trace stand for. */
void estimate_events(struct import *im);
/* A line says for how many events it stands, or a slabtrace for how many each of its events does. */
ALWAYS_INLINE void sampled_note(struct import *im, u64 period)
{
	im->sampled.is_on = 1;
	im->sampled.periods += MIN(period, (u64)MAX_PERIOD);
	im->sampled.nr++;
}

/* report.c */
void report_build(struct import *im);

/* resume.c */
/* Finds the texts of an imported trace again, so that equal texts keep equal numbers. 0 after a failure. */
int import_knows_texts(struct import *im);
/* Corrects the offsets of texts in the report: the texts lay at `before` and may have moved. */
void report_moves(struct trace *t, const char *before);

/* problems.c: refuses a file and reports what its bytes look like instead. */
void refuse(struct import *im, const u8 *bytes, u32 len_bytes);

#endif
