/*
 * trace.h - an imported trace: from lines of text to events in memory.
 *
 *	bytes ─ lines ─ struct event ─ struct op + struct site
 *	      lines.c   formats        import.c
 *
 * A line becomes a struct event: what the recorder wrote, with its strings interned. A struct event becomes an op. A
 * dense handle replaces the pointer. Handles are reused after a free, so there are only as many as objects live at
 * once. The number of a site replaces everything that repeats: tracepoint, call site, cache, sizes, node, gfp. Replay
 * then needs array look-ups, but no hash look-ups.
 *
 * Import happens once; ops and sites do not depend on the allocator or the machine.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "kmem_types.h"
#include "params/params.h"
#include "trace/filter.h"
#include "trace/first_events.h"
#include "util/hash.h"

enum {
	OPS_PER_CHUNK = 65536,
	HANDLE_NONE = 0xffffffffu,
	TEXT_STEP = 8,		      /* texts start at multiples of it */
	SITE_CACHE_KMALLOC = 0xffffu, /* site of a kmalloc: the model chooses the class */
	TIMES_PER_CHECKPOINT = 512,
	MAX_BULK_OBJECTS = 512,	     /* objects of one bulk request, or of one prefilled sheaf */
	MAX_OBJECT_BYTES = 64 << 20, /* largest kmalloc: 2^10 pages of 64 KiB */
	MAX_CACHE_OBJECT_BYTES = 4 << 20, /* kmem_cache_create: KMALLOC_MAX_SIZE, 4 KiB pages */
	NR_PREFILLED_SLOTS = 16,	  /* prefilled sheaves that a CPU can have of a cache */
};

/* op.flags */
enum {
	OP_IMPLIED = 1,	   /* not in the trace: implied by an allocation at the same pointer */
	OP_ALL_CPUS = 2,   /* flush: every CPU in order */
	OP_KEPT = 4,	   /* free: the object's location is kept, because a later line names it */
	OP_BY_REQUEST = 8, /* an allocation or a free whose site has a request */
	OP_GROUP_FIRST = 16, /* the first object of a recorded bulk request, SITE_GROUP */
	OP_GROUP_LAST =
		32, /* its last one. Frees of objects from before the trace have these two flags too */
};

/* site.request: the request to which an allocation or a free belongs. */
enum site_request {
	SITE_SINGLE,
	SITE_BULK,  /* OP_BULK_ALLOC stands before the allocations, OP_BULK_FREE after the frees */
	SITE_RCU,   /* kfree_rcu() */
	SITE_GROUP, /* part of a bulk request that the recorder announced: import/notes.c */
	SITE_PREFILLED, /* + slot: from a prefilled sheaf; the slot of OP_PREFILL, OP_REFILL, OP_RETURN too */
	NR_SITE_REQUESTS = SITE_PREFILLED + NR_PREFILLED_SLOTS,
};

/* One event. */
struct op {
	u32 handle; /* dense number of the object; HANDLE_NONE where there is none */
	u32 site;   /* index into sites */
	u16 cpu;    /* as recorded; replay maps it to a CPU of the machine */
	u8 kind;    /* enum kmem_op_kind */
	u8 flags;
};

ALWAYS_INLINE int op_allocates(u32 kind)
{
	return kind == OP_ALLOC || kind == OP_KMALLOC;
}

/* The stored form of an op's kind, enum packed_kind. The first values equal enum kmem_op_kind. */
enum packed_kind {
	PACKED_AS_SITE, /* the site has the kind; a handle of all ones means none */
	PACKED_ALLOC,
	PACKED_KMALLOC,
	PACKED_FREE,
	PACKED_IMPLIED_FREE,
	PACKED_LARGE, /* too large: `object` is an index into the table of such ops */
};

enum {
	PACKED_KIND_AT = 28,
	PACKED_CPU_AT = 20,
	PACKED_HANDLE_MASK = (1 << PACKED_KIND_AT) - 1,
	PACKED_SITE_MASK = (1 << PACKED_CPU_AT) - 1,
};

_Static_assert(PACKED_LARGE < 1 << (32 - PACKED_KIND_AT), "the kind fits above the handle");
_Static_assert(MAX_CPUS <= 1 << (32 - PACKED_CPU_AT), "the CPU fits above the site");
_Static_assert(NR_VALUES(kmem_op_kind) <= 0x100 && NR_VALUES(kmem_reason) <= 0x100,
	       "kinds and reasons fit in the bytes of struct op and struct site");
_Static_assert(NR_PARAMS <= 0x10000, "a parameter's number fits in struct trace_set");

/* The stored form of an op: eight bytes, in two halves. There are millions of ops, and replay waits
 * for memory. */
struct packed_op {
	u32 object; /* handle, and above it the kind */
	u32 place;  /* site, and above it the CPU */
};

/* The fields that many ops share. For a free, `bytes` and `cache` come from the allocation. */
struct site {
	u32 call_site;	 /* text, 0 if unknown */
	u32 name;	 /* text: tracepoint, or the slabtrace word */
	u32 bytes;	 /* requested; OP_SET, OP_CORRUPT: index into their table; OP_TICK: seconds;
			* OP_BULK_ALLOC, OP_PREFILL, OP_REFILL: objects; OP_CPU_DEAD: the CPU */
	u32 gfp;	 /* text as recorded (slabtrace: 0) */
	u16 cache;	 /* index into caches, SITE_CACHE_KMALLOC, or CACHE_NONE */
	u16 node;	 /* requested node, or NODE_ANY */
	u8 kind;	 /* enum kmem_op_kind */
	u8 reason;	 /* OP_NOTHING: enum kmem_reason */
	u8 kmalloc_type; /* enum kmalloc_type of sim/cache.h: normal, reclaimable, accounted, dma */
	u8 was;		 /* the enum kmem_op_kind before it became OP_NOTHING */
	u8 request;	 /* enum site_request */
	u8 reserved;
	u16 sheaf_cpu; /* SITE_PREFILLED: 1 + the CPU that prefilled the sheaf; 0: the event's */
	/* Allocations, and frees of objects from before the trace that name a cache. Not in the first view. */
	u32 cache_name; /* text: the cache as recorded, or the kmalloc class */
	u32 slot;	/* bytes of the slot as recorded, or by the kernel's size classes */
};

/* A cache named by recorded events, or a `cache` line. */
struct trace_cache {
	u64 allocs, frees;
	u32 name;	 /* text */
	u32 id;		 /* text: the ID in slabtrace, or the name */
	u32 object_size; /* largest bytes_req seen, or slabtrace's size */
	u32 size;	 /* bytes_alloc, 0 if unknown (slabtrace) */
	u32 align;	 /* slabtrace's, 0 if not given */
	u32 flags;	 /* enum cache_flags of sim/cache.h; a recorded trace: CACHE_NOMERGE */
};

/* Names of caches from snapshots of the machine, for an import that lacks them; machine is NULL without a snapshot. Texts
 * stay where they are until trace_end() returns. */
struct machine_names {
	const void *machine;
	/* The only cache in use with objects of that size in slots of that size; NULL: there are none, or several. */
	const char *(*of_size)(const void *machine, u32 object_size, u32 slot);
	/* 1 if there is a cache of that name, with slots of that size. */
	int (*has)(const void *machine, const char *name, u32 slot);
	/* The cache with which the kernel has merged that one; the name itself if none. */
	const char *(*target)(const void *machine, const char *name);
};

/* A `set` line: parameter, value as text, cache. */
struct trace_set {
	u16 param; /* enum kmem_param */
	u16 cache; /* index into caches, CACHE_NONE for all */
	s64 value; /* as params.h stores it */
};

/* A `corrupt` line. */
struct trace_corruption {
	s32 at;
	u32 len;
	u32 bytes; /* bytes of the allocation */
	u8 kind;   /* enum kmem_corruption */
	u8 value;  /* the byte that is written */
	u16 live;  /* 1: the object has not been freed */
};

#include "sim/step.h"

enum { MAX_COLUMNS = 64, MAX_MAPPING_BYTES = 1024, MAX_RELEASE_BYTES = 96 };

/* The header of a CSV file. It outlives the import, so that a host can ask for the columns'
 * roles. */
struct trace_column {
	u32 name, sample; /* text */
	u32 role;	  /* enum kmem_role */
	u32 given;
};

struct trace_columns {
	u32 nr, missing, separator;
	struct trace_column at[MAX_COLUMNS];
	char mapping[MAX_MAPPING_BYTES]; /* as the caller gave it */
};

/* The recorded numbers, while a fork replaces the recorded future: import/resume.c. */
struct trace_fork {
	u32 is_on;
	u32 at; /* events before the fork */
	u32 nr_ops, nr_sites, nr_handles, nr_caches, nr_sets, nr_corruptions, nr_large_ops,
		text_bytes; /* as recorded */
	u32 cpus;	    /* the highest CPU of the fork's own events, + 1 */
	struct buffer ops;  /* the recorded events that the fork's own have overwritten */
};

/* Details of each event that are kept beside the packed ops: op_details.c. */
struct trace_kept {
	u32 flags;		  /* enum kmem_keep */
	u32 dropped;		  /* the same for what did not fit, or lost its order */
	u64 bytes;		  /* bytes of all chunks */
	u64 nr_pointers;	  /* events that have one */
	void **pointers;	  /* u64[OPS_PER_CHUNK] each; NULL: not kept */
	void **tasks;		  /* u32[OPS_PER_CHUNK] each: texts */
	struct buffer effects;	  /* struct kernel_line, in the order of the trace */
	u32 nr_effects, nr_parts; /* lines; of these, lines of slub_op */
};

/* A line of slub_stat or slub_op: something that took effect in the kernel, import/kernel_notes.c. */
struct kernel_line {
	u64 p, q;   /* p= and q= of slub_op */
	u32 name;   /* text: the cache */
	u32 task;   /* text */
	u32 before; /* events before the line */
	s32 n;
	u16 cpu;
	u16 what; /* enum kernel_part, or PART_COUNTER + the counter of slub_stat */
	s16 node;
};

/* Signs of the kernel's version: the name of each allocation after its pointer (since 6.18), or events for
 * allocations on a node (before 6.1), with or without the names of caches in frees (since 5.12). */
enum kernel_sign { SIGN_NONE, SIGN_NAMED_ALLOCATIONS, SIGN_NODE_EVENTS, SIGN_NAMELESS_FREES };

/*
 * Stable names instead of call sites and tasks: site-1, task-1, … in the order of their first appearance. A number
 * reveals nothing about the name, while anybody with a list of the kernel's functions could reverse a hash. The same
 * file always gives the same pseudonyms, even for a part of it.
 */
enum { PSEUDONYM_BYTES = 24 };

/* A bitmap, by offset, of the texts that are names of one kind; the rank of a name is its number. */
struct pseudonym_set {
	u64 *names;
	u32 *before; /* names before each word of the bitmap */
};

struct pseudonyms {
	struct buffer run; /* the tables below */
	struct pseudonym_set sites, tasks;
};

struct trace {
	struct pool *pool;
	struct params *params; /* settings of machine lines and of the first `set` lines */
	u32 nr_ops, nr_sites, nr_caches, nr_sets, nr_handles, nr_corruptions;
	struct packed_op **op_chunks; /* [nr_ops / OPS_PER_CHUNK] */
	struct site *sites;
	struct trace_cache *caches;
	struct trace_set *sets;
	struct trace_corruption *corruptions;
	struct kmem_report report;	/* its *_at fields are offsets from pool->base */
	char kernel[MAX_RELEASE_BYTES]; /* release that recorded the trace; "": unknown */
	char error[512];		/* one sentence, after KMEM_EINPUT and similar errors */
	struct import *import;		/* working memory of the current import; NULL outside one */
	struct trace_times *times;	/* private to op_details.c */
	char *text;			/* interned strings, by offset; text[0] is "" */
	/* For import.c: the runs after the pointers above, and the length of the text. */
	struct buffer site_run, cache_run, set_run, corruption_run, text_run, report_run, large_run,
		counters_run;
	struct buffer query_run;   /* for queries that keep tables about the trace; freed with it */
	u32 kernel_sign;	   /* enum kernel_sign */
	struct buffer symbols_run; /* import/symbols.c, while symbols are read */
	struct hash reported;	   /* rows of counters_run by name; taken: row + 1 */
	u32 nr_counters_rows;	   /* struct kmem_kernel_counters_row, import/kernel_notes.c */
	u32 text_bytes, nr_large_ops;
	struct trace_columns columns;
	struct trace_fork fork;
	struct trace_kept kept;
	struct first_events first_events;
	struct page_events page_events;
	struct trace_filter filter;
	struct pseudonyms pseudonyms;
	u32 has_times; /* some op has a recorded time, so export writes times */
	/* Events before each marker around a state of the kernel's slabs: starts, ends, and the same for the stop state. */
	u32 state_marks[4], nr_state_marks;
	struct machine_names machine_names; /* set before trace_end(), like the next: */
	u32 lacks_accounting; /* the machine has no kmalloc caches for accounted objects */
};

/* Returns every run to the pool; trace_drop() does it. */
void trace_free(struct trace *t);

/* op_details.c: the exact time of each op, and what else is kept of it. */
/* Keeps these of an op, as far as a quarter of the region holds them; 0: it does not. */
int trace_keep_op(struct trace *t, u32 op, u64 ptr, u32 task);
void trace_keep_nothing(struct trace *t);
/* Returns the recorded pointer of op i, 0 if it was not kept; and the text of its task. */
u64 trace_pointer(const struct trace *t, u32 i);
u32 trace_task(const struct trace *t, u32 i);
/* Returns the recorded time of op i, exact: nanoseconds or ticks (report.time_is_ns). */
u64 trace_time(const struct trace *t, u32 i);
/* Fills in the recorded times of nr ops from op i on, all below the next multiple of 512. */
void trace_times(const struct trace *t, u32 i, u32 nr, u64 *times);
/* Writes whole lines of text from *op on, and moves *op to where the next call continues. *op is 0
 * at first, then an event, or above 2^31 a part of the header. Returns the bytes written, 0 at the
 * end, KMEM_ELIMIT if the next line does not fit buf. */
s32 trace_export(const struct trace *t, u32 to, u32 *op, u8 *buf, u32 len_bytes);

/* 0 without memory. distances[i] is the time from one op to the next, since the last checkpoint. */
int times_open(struct trace *t);
/* Packs the times since the last checkpoint and starts a new checkpoint at op, the next one. */
int times_checkpoint(struct trace *t, u32 op, u64 time, const s64 *distances);
/* Packs the remaining times after the last op. */
int times_close(struct trace *t, const s64 *distances);
/* Sets the times after an op aside, as at a fork, and puts them back. */
void times_stash(struct trace *t, u32 op);
void times_restore(struct trace *t);
void times_drop(struct trace *t);
/* Drops all times, because the events now have another order. */
void times_forget(struct trace *t);

/* trace.c */
/* Stashes the events after the first `at`, so others can replace them; 0 without memory. */
int trace_set_aside(struct trace *t, u32 at);
/* Puts the recorded events back, if there is a fork. */
void trace_unfork(struct trace *t);
/* Returns an event as it was recorded, also after a fork. */
struct op trace_recorded_op(const struct trace *t, u32 i);

/* Unpacks any op. */
struct op trace_unpack(const struct trace *t, struct packed_op packed);
/* Returns how many objects the recorded bulk request that starts at event i (SITE_GROUP) has; with a filter, only
 * those that it chooses. 0: no such request starts there. */
u32 trace_group(const struct trace *t, u32 i, const struct trace_filter *filter);

/* Returns the bytes of an allocation's slot: as recorded, or by the kernel's size classes. */
u32 trace_slot(const struct trace *t, const struct site *site);
/* Packs an op. KMEM_ELIMIT or KMEM_ENOMEM: a large op does not fit. */
s32 trace_pack(struct trace *t, const struct op *op, struct packed_op *packed);
/* The same op for another object. A large op has only one copy, which changes. */
struct packed_op trace_renamed(struct trace *t, struct packed_op packed, u32 handle);

/* Returns the enum kmalloc_type for the flags, in any recorder's notation. */
u32 kmalloc_type_of(const char *gfp, u32 accounted);
/* Returns the highest enum kmem_zone_kind that the flags allow. */
u32 gfp_zone_of(const char *gfp);
/* Returns bytes_alloc for a trace that does not record it. The usual classes are 8 to 8192 with 96 and 192,
 * then powers of two. */
u32 kmalloc_slot(u32 bytes);

/* The shape of a trace, as an allocator sees it: sizes, lifetimes, frees on another CPU, live objects. */
/* Returns the size of the table of live objects that shape_of needs. */
u64 shape_bytes(const struct trace *t);
/* births: shape_bytes() bytes of memory, zeroed or not. */
void shape_of(const struct trace *t, void *births, struct kmem_shape *shape,
	      struct kmem_shape_size *sizes, u32 max_sizes);

/* export.c */
/* Takes the memory before the world takes what is left. */
void pseudonyms_reserve(struct trace *t);
/* Numbers the call sites and tasks of a trace; 0 without memory for it. */
int pseudonyms_make(struct trace *t);
/* Returns the prefix and the number of a name, in room of PSEUDONYM_BYTES; "" for no name. */
const char *pseudonym_of(const struct pseudonym_set *set, const char *prefix, u32 text, char *room);

/* 1 for nearly all ops: allocations and frees whose fields fit the packed form. */
ALWAYS_INLINE int is_plain_op(struct packed_op packed)
{
	return (packed.object >> PACKED_KIND_AT) - PACKED_ALLOC <= PACKED_FREE - PACKED_ALLOC;
}

ALWAYS_INLINE struct packed_op *trace_packed(const struct trace *t, u32 i)
{
	return &t->op_chunks[i / OPS_PER_CHUNK][i % OPS_PER_CHUNK];
}

ALWAYS_INLINE struct op trace_op(const struct trace *t, u32 i)
{
	return trace_unpack(t, *trace_packed(t, i));
}

ALWAYS_INLINE const char *trace_text(const struct trace *t, u32 text)
{
	return t->text + text;
}

#endif
