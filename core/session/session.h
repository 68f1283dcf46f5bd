/*
 * session.h - one trace, one machine, one position: the inside of kmem.h's struct kmem_session.
 *
 *	region: | session | pool: trace, ring, series, keyframes | world → | index | picture | rows |
 *
 * The gap after the world is as large as one event can need. The index follows if there is one,
 * then scratch: the camera's copy and the rows of the last view. Scratch lives until the next call.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "sim/cache.h"
#include "machine_state/machine_state.h"
#include "params/params.h"
#include "util/pool.h"
#include "replay/replay.h"
#include "replay/start.h"
#include "import/importer.h"
#include "replay/cpu_schedule.h"

enum {
	MAX_KEYFRAMES = 4096,
	FIRST_GAP_OPS = 1024,
	/* 240 bytes of a keyframe cost about as much as replaying an event: at most half of the pass. */
	KEYFRAME_BYTES_PER_OP = 120,
	MAX_SHAPE_SIZES = 512,
	WORKLOADS_JSON_BYTES = 16 << 10,
	NR_TRACKS = 7,		/* enum track, measure.c */
	TEXT_BYTES = 128 << 10, /* room for a machine with the longest possible lists */
	QUERY_BYTES = 320 << 10,
	SITES_BYTES = 16 << 10,
	STUDY_BYTES = 8 << 10,
	LOOKUP_BYTES = 96 << 10,
	CHECK_BYTES = 8 << 10,
};

/* series.c: metrics over the whole trace, for the timeline.
 *
 * There is a fixed number of buckets. Each stores the least and the greatest value of every metric, from at most eight samples.
 * Small buckets sample every event. Each also counts exactly how many slow paths started in it. */
enum { MAX_BUCKETS = 2048, SAMPLES_PER_BUCKET = 8 };

struct series {
	u64 *min[NR_METRICS], *max[NR_METRICS]; /* [MAX_BUCKETS] */
	u32 nr_buckets, ops_per_bucket, ops_per_sample;
	u32 slow_paths; /* slow paths at the last sample */
};

enum { SERIES_NUMBERS = 2 * NR_METRICS * MAX_BUCKETS };

/* Allocates from the pool, once; returns 0 or KMEM_ENOMEM. */
s32 series_init(struct series *s, struct pool *pool);
void series_begin(struct series *s, u32 nr_ops);
/* Returns the events until the next sample is due. */
u32 series_due(const struct series *s, u32 op);
/* Whether a sample is due before event op. */
int series_is_due(const struct series *s, u32 op);
/* before_bytes: of objects in use before event 1, which are neither requested by an event nor waste. */
void series_sample(struct series *s, const struct world *w, u64 before_bytes);
/* Metrics of all caches now, but for METRIC_SLOW_PATHS. */
void series_measure(const struct world *w, u64 before_bytes, u64 *value);
/* Adds values measured after `op` events; the slow paths are those since the last sample. */
void series_add(struct series *s, u32 op, const u64 *value);
/* Returns where the numbers lie, as offsets from `base`. */
struct kmem_series series_row(const struct series *s, u32 metric, const u8 *base);
/* Gives it room for SERIES_NUMBERS numbers. */
void series_place(struct series *s, u64 *room);

/* The position at which a number was largest, in events done. */
struct worst {
	u64 value;
	u32 op;
	u32 reserved;
};

struct keyframe {
	u32 op;		  /* events done */
	u32 bytes;	  /* bytes of the world */
	u32 stored_bytes; /* as packed in the keyframe area */
	u32 reserved;
	u64 start; /* offset in that area */
};

struct keyframes {
	u8 *area;
	u64 area_bytes, used_bytes;
	u64 start_bytes; /* least budget for a machine that starts like the last one */
	u64 ops_per_mib; /* least gap for each MiB of the keyframe before it */
	u32 nr, least_gap_ops;
	struct keyframe at[MAX_KEYFRAMES]; /* by event, ascending; at[0] is the empty machine */
};

/* Tables of session/session_infer.c. */
struct inferring {
	struct hash table;
	struct buffer slabs, caches, sites;
	struct buffer next, turns; /* u32 for each first event */
	u32 is_ready;
	u32 is_vain;   /* there is nothing to infer on this machine */
	u32 nr_misfit; /* first events at addresses where the machine's slabs have no object */
	u32 is_misfit; /* too many objects fit no slab, so the last build did without the pointers */
};

/* start_from.c: what a snapshot contradicts. */
struct start_doubt {
	u32 kind; /* enum start_doubt_kind */
	u32 in_file, in_trace;
	u32 others; /* other caches that show the same */
	char cache[MAX_NAME_BYTES];
};

/* session_build.c: objects from before event 1, of each cache and in bytes of their slots. */
struct in_use_before {
	u32 at_start[MAX_CACHES], now[MAX_CACHES];
	u64 bytes_at_start, bytes;
	u64 pages;     /* in use before event 1, those of objects in use and all others */
	u32 next_free; /* row of start.frees: those before it are counted in `now` */
	u32 reserved;
};

/* Data from the import and its files, except the trace. */
struct session_import {
	struct kmem_range range;
	u32 imported;	     /* a trace is imported */
	u32 importing;	     /* enum importing */
	u32 dry;	     /* events are parsed, not stored */
	struct merge *merge; /* the last merge, session_trace.c; NULL before one */
	struct machine_state
		machine_state; /* machine state: shown, and used for caches after kmem_machine_state_use */
	struct machine_state cache_params; /* machine state used for caches, if there is one */
	u32 kernel_sign;		   /* the sign by which the preset was chosen: kernel.c */
	u32 names_by_params;		   /* the import names caches by it */
	struct machine_state before; /* shown earlier; kmem_growth compares it with machine_state */
	struct machine_state warm;   /* machine state to start with, if there is one */
	u32 is_warm;		     /* start with machine_state */
	struct start start;	     /* slabs to start with; no rows: none */
	struct inferring inferring;
	u32 infers;		 /* start with slabs inferred from the trace's pointers */
	u32 start_limit;	 /* enum kmem_start_limit */
	struct kmem_warm warmed; /* what the last build made */
	struct start_doubt doubt;
	struct in_use_before in_use_before;
};

/* A block between the world, which no longer grows, and the scratch after it. */
struct side_block {
	u8 *base, *top, *end; /* base to top is in use; base is NULL without a block */
};

/* The position and the data used to reach it. */
struct timeline {
	struct keyframes keyframes;
	struct series series;
	struct turns turns;
	struct worst worst[NR_TRACKS];
	struct kmem_measured measured[NR_MEASURED];
	u32 large_calls; /* events that took or returned the pages of a large kmalloc, while measuring */
	u32 built;	 /* the first pass is complete */
	struct kmem_step *steps; /* the ring of steps */
	u32 *step_times; /* and when each of them was taken, in cycles since its event began */
	u32 steps_op; /* event whose steps are in the ring, so that kmem_steps need not replay it; NO_OP: none */
	u32 nr_steps;
	u32 op_cache, op_slab, op_index; /* location of that event's object */
	struct side_block behind;	 /* the index, and the tables of other queries */
	u8 *scratch, *scratch_end;	 /* free part of the scratch after the world */
	u8 *scratch_high;		 /* highest byte of it ever used */
	u64 world_high_bytes; /* the world had been zeroed to here before its memory was reused */
};

enum { MAX_UNSEEN_ROWS = 16 };

/* Results that live until the next call. */
struct session_out {
	char doubt[320];
	struct kmem_frame frame;
	struct kmem_totals totals;
	struct kmem_op_row op_row;
	struct kmem_object_row object_row;
	struct kmem_series series_row;
	struct kmem_order_row order_row;
	struct kmem_columns columns;
	struct kmem_column column_rows[MAX_COLUMNS];
	struct kmem_kept kept;
	struct kmem_shape shape;
	struct kmem_unseen_row unseen[MAX_UNSEEN_ROWS];
	struct kmem_filter filter;
	struct kmem_shape_size shape_sizes[MAX_SHAPE_SIZES];
	struct kmem_kernel kernel;
	char kernel_name[32], kernel_text[256];
	char *params_json;
	char workloads_json[WORKLOADS_JSON_BYTES];
	char text[TEXT_BYTES];
	char error[512];
	u32 lacked_memory;		     /* scratch was too small for an answer */
	struct kmem_fault fault;	     /* kmem_fault() fills in its offsets */
	const char *fault_key, *fault_other; /* NULL: none */
	char fault_text[2][MAX_NAME_BYTES];  /* copies of these keys for the host */
};

/* Each folder that works on a session has its own part here: see query/index/query.h,
 * query/sites/call_sites.h and studies/experiment.h. */
struct session_room {
	u64 query[QUERY_BYTES / 8];
	u64 sites[SITES_BYTES / 8];
	u64 study[STUDY_BYTES / 8];
	u64 lookup[LOOKUP_BYTES / 8];
	u64 check[CHECK_BYTES / 8];
};

/* attached.c: the memory of kmem_attach(); base is NULL without one. */
struct attached {
	u8 *base, *sizes;
	u64 bytes; /* bytes of the page frames */
};

struct kmem_session {
	struct pool pool;
	struct params params;
	struct trace trace;
	struct world *w; /* NULL until a build has started */
	u32 generation; /* generation of the world: a new number invalidates data about earlier worlds */
	struct session_import import;
	struct replay replay;
	struct timeline timeline;
	struct attached attached;
	struct session_out out;
	struct session_room room;
};

enum { NO_OP = 0xffffffff };

/* The source of a trace that is still incomplete. */
enum importing { IMPORTING_NOTHING, IMPORTING_BYTES, IMPORTING_WORKLOAD };

/* keyframe.c */
s32 keyframes_reserve(struct kmem_session *s, u64 budget_bytes);
/* Frees the keyframes before the import of another trace. */
void keyframes_drop(struct kmem_session *s);
/* Takes a keyframe if one is due. */
void keyframes_note(struct kmem_session *s);
/* Returns the number of the last keyframe at or before position n. */
u32 keyframes_nearest(const struct kmem_session *s, u32 n);
void keyframes_restore(struct kmem_session *s, u32 nr);
/* Returns the bytes of a keyframe of the world as it is now. */
u64 keyframe_bytes(const struct world *w);
/* Returns the most bytes of a keyframe of a world with this many bytes. */
u64 keyframe_most_bytes(u32 world_bytes);
/* Whether there is room for some keyframes of a machine that starts as the world is now. If not, the next keyframes_reserve()
 * makes it. */
int keyframes_hold(struct kmem_session *s);

/* session.c: runs event op, which is next, and lists its steps; camera_step as in step_begin. */
s32 session_record(struct kmem_session *s, u32 op, u32 camera_step, struct world *copy);

/* session_build.c: derives policy and machine from the parameters in force. */
s32 session_policy(struct kmem_session *s, struct policy *p);
s32 session_new_world(struct kmem_session *s);
/* session_machine_state.c: the machine as it was before the trace; NULL: no file of it was given. */
const struct machine_state *session_machine_before(const struct kmem_session *s);
/* Returns the names that the session's machine states have. */
struct machine_names session_machine_names(const struct kmem_session *s);
/* session_start.c: gives a new world the slabs of the machine state to start with, if there is one. */
s32 session_warm(struct kmem_session *s);
/* session_start.c: adopts the slabs of import.start in a new world; describes them; forgets them. */
void session_start_drop(struct kmem_session *s);
/* Merges the kernel's separate counts of frees that the start makes possible: call it once the start has its frees. */
s32 session_start_counts(struct kmem_session *s);
/* Notes the location of the object that event op freed, if it is from before the trace. */
void session_start_note(struct kmem_session *s, u32 op);
/* kernel.c: chooses the preset by the kernel that recorded the trace, or by what shows its version. */
s32 session_choose_kernel(struct kmem_session *s);
/* session_infer.c: before a world is made, makes room for slabs inferred from the trace's pointers, if it is to start with
 * such; then fills import.start with them. 0: there are none. */
void session_infer_reserve(struct kmem_session *s, const struct kmem_ops *ops);
int session_infer(struct kmem_session *s);
/* session_start.c: the machine state to start with; NULL: none. */
struct machine_state *session_warm_state(struct kmem_session *s);
/* session_build.c: counts the objects in use of a world before event 1; and how many of them are in use at the position. */
void in_use_before_begin(struct kmem_session *s);
u32 in_use_before(struct kmem_session *s, u32 cache);
u64 in_use_before_bytes(struct kmem_session *s);
/* session_machine_state.c: starts to read into that machine state. */
s32 session_machine_state_begin(struct kmem_session *s, struct machine_state *o);
/*
 * start_from.c: compares a snapshot with the trace, as far as that needs no build: is it of the same machine, at the
 * start of the trace?
 */
void start_doubt_begin(struct kmem_session *s);
/* Takes the slabs of a cache that events use and that were there before the trace, by the page allocator's events. */
void start_doubt_slabs(struct kmem_session *s, const char *cache, u32 nr_shown);
/* settings.c: checks settings for contradictions; returns KMEM_EPARAM with a message. */
s32 session_check_orders(struct kmem_session *s);
s32 session_check_memory(struct kmem_session *s);
u64 session_memory_bytes(const struct kmem_session *s);
void session_drop_world(struct kmem_session *s);
/* Frees the block between world and scratch. */
void session_drop_behind(struct kmem_session *s);

/* The machine state used for caches, if is_used is set. Inline because the first-view module calls
 * this at each build and has no machine state. */
ALWAYS_INLINE const struct machine_state *session_cache_params(const struct kmem_session *s)
{
	const struct session_import *im = &s->import;

	if (im->cache_params.tables)
		return &im->cache_params;
	return im->machine_state.tables || !im->before.tables ? &im->machine_state : &im->before;
}

/* sentence.c: names of a step's five arguments, as in abi.def. */
const char *const *step_args(u32 kind);
const char *report_check_words(u32 check);
const char *report_fix_words(u32 fix);
const char *place_words(u32 kind);
const char *from_words(u32 from);

/* Returns the name of a cache of the world, or other words. */
static inline const char *name_or(const struct kmem_session *s, u32 cache, const char *otherwise)
{
	return s->w && cache < s->w->nr_caches ? cache_name(s->w, cache) : otherwise;
}

/* Allocates len_bytes of scratch, aligned to 8; NULL if the region is full. */
void *scratch_alloc(struct kmem_session *s, u64 len_bytes);
void scratch_reset(struct kmem_session *s);
/* Returns room for this many rows in fresh scratch; NULL, and a sentence, without memory. */
void *scratch_rows(struct kmem_session *s, u64 nr, u64 row_bytes);
/* Returns zeroed memory for one answer, which lies after the world if there is one: all memory below is in use then. */
void *session_borrow(struct kmem_session *s, u64 len_bytes);
void session_give_back(struct kmem_session *s, void *run, u64 len_bytes);
/* Copies a text, of a table that is not in the region, after the rows; its offset, 0 without memory. */
u32 scratch_text(struct kmem_session *s, const char *text);
/* Reserves room for the camera's copy of the world, including its host and one event's growth. The
 * caller moves s->scratch after the copy. NULL if the region is full. */
struct world *scratch_picture(struct kmem_session *s);
u32 session_page_shift(const struct kmem_session *s);
/* Returns the CPUs of the machine that a build makes. */
u32 session_nr_cpus(const struct kmem_session *s);
u32 session_offset(const struct kmem_session *s, const void *p);

/* Rows and texts at an offset. */
ALWAYS_INLINE const void *session_at(const struct kmem_session *s, u32 offset)
{
	return s->pool.base + offset;
}

ALWAYS_INLINE const char *session_text(const struct kmem_session *s, u32 offset)
{
	return (const char *)s->pool.base + offset;
}

s32 session_fail(struct kmem_session *s, s32 status, const char *sentence);
/* The same; returns NULL, for functions that answer with a pointer. */
void *session_none(struct kmem_session *s, s32 status, const char *sentence);
/* Records status without a fault and returns it; s->error already has the message. */
s32 session_failed(struct kmem_session *s, s32 status);
/* Records status, message and the setting that s->params blames; returns status. */
s32 session_fail_params(struct kmem_session *s, s32 status, const char *sentence);

#endif
