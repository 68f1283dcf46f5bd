/*
 * session.h - one trace, one machine, one position in time; what kmem.h's struct kmem_session is inside.
 *
 *	region: | session | pool: trace, ring, series, keyframes | world → | index | picture | rows |
 *
 * Behind the world, beyond where an operation can make it grow, is the index if there is one, and then scratch: the
 * camera's picture and the rows of the last view. They live until the next call.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "sim/order.h"
#include "machine_state/machine_state.h"
#include "params/params.h"
#include "util/pool.h"
#include "replay/replay.h"
#include "session/series.h"
#include "trace/trace.h"
#include "replay/cpu_schedule.h"

enum {
	MAX_KEYFRAMES = 4096,
	FIRST_GAP_OPS = 1024,
	/* A keyframe costs about as much as replaying an op for every 240 bytes: half of the pass at most. */
	KEYFRAME_BYTES_PER_OP = 120,
	MAX_SHAPE_SIZES = 512,
	WORKLOADS_JSON_BYTES = 16 << 10,
	NR_TRACKS = 7,		/* enum track, measure.c */
	TEXT_BYTES = 128 << 10, /* a machine whose lists are as long as they may be */
	QUERY_BYTES = 96 << 10,
	STUDY_BYTES = 8 << 10,
};

/* Where something was largest, in operations done. */
struct worst {
	u64 value;
	u32 op;
	u32 reserved;
};

struct keyframe {
	u32 op;		  /* operations done */
	u32 bytes;	  /* of the world */
	u32 stored_bytes; /* as it lies in the keyframe area */
	u32 reserved;
	u64 start; /* there */
};

struct keyframes {
	u8 *area;
	u64 area_bytes, used_bytes;
	u64 ops_per_mib; /* how long a gap has to be for each MiB of the keyframe before it */
	u32 nr, least_gap_ops;
	struct keyframe at[MAX_KEYFRAMES]; /* by op, rising; at[0] is op 0 */
};

/* What the import and its files have brought, beside the trace. */
struct session_import {
	struct kmem_range range;
	u32 imported;  /* a trace is there */
	u32 importing; /* enum importing */
	u32 dry;       /* events are only read, not kept */
	struct overlay
		overlay; /* shown, and what caches are made of where kmem_overlay_use says so */
	struct overlay cache_params; /* what caches are made of, if it is there */
};

/* A block between the world, which has been as large as it will ever be, and the scratch behind it. */
struct side_block {
	u8 *base, *top, *end; /* base to top is in use; base is NULL if there is none */
};

/* The position, and what it is reached by. */
struct timeline {
	struct keyframes keyframes;
	struct series series;
	struct turns turns;
	struct worst worst[NR_TRACKS];
	struct kmem_measured measured[NR_MEASURED];
	u32 built;		 /* the whole trace has been gone through */
	struct kmem_step *steps; /* the ring */
	u32 steps_op;		 /* op that the ring holds, CACHE of kmem_steps; NO_OP if none */
	u32 nr_steps;
	u32 op_cache, op_slab, op_index; /* where steps_op's object was put or taken from */
	struct side_block behind;	 /* the index */
	u8 *scratch, *scratch_end;	 /* free part of the scratch behind the world */
	u8 *scratch_high;		 /* highest byte of it ever used */
	u64 world_high_bytes; /* the world has been zeroed to here before it was taken back */
};

/* Results that live until the next call. */
struct session_out {
	struct kmem_frame frame;
	struct kmem_totals totals;
	struct kmem_op_row op_row;
	struct kmem_object_row object_row;
	struct kmem_series series_row;
	struct kmem_order_row order_row;
	struct kmem_columns columns;
	struct kmem_column column_rows[MAX_COLUMNS];
	struct kmem_shape shape;
	struct kmem_shape_size shape_sizes[MAX_SHAPE_SIZES];
	struct kmem_kernel kernel;
	char kernel_name[32], kernel_text[256];
	char *params_json;
	char workloads_json[WORKLOADS_JSON_BYTES];
	char text[TEXT_BYTES];
	char error[512];
	struct kmem_fault fault;	     /* kmem_fault fills in its offsets */
	const char *fault_key, *fault_other; /* NULL: none */
	char fault_text[2][MAX_NAME_BYTES];  /* copies of them for the host */
};

/* Folders that work on a session keep their part of it here: query/query.h and studies/experiment.h say what is inside. */
struct session_room {
	u64 query[QUERY_BYTES / 8];
	u64 study[STUDY_BYTES / 8];
};

struct kmem_session {
	struct pool pool;
	struct params params;
	struct trace trace;
	struct world *w; /* NULL until a build has begun */
	u32 generation;	 /* of the world: what is known of an earlier one no longer holds */
	struct session_import import;
	struct replay replay;
	struct timeline timeline;
	struct session_out out;
	struct session_room room;
};

enum { NO_OP = 0xffffffff };

/* Where the trace comes from that is not complete yet. */
enum importing { IMPORTING_NOTHING, IMPORTING_BYTES, IMPORTING_WORKLOAD };

/* keyframe.c */
s32 keyframes_reserve(struct kmem_session *s, u64 budget_bytes);
/* Gives their room back: another trace is to be imported. */
void keyframes_drop(struct kmem_session *s);
/* Takes one if it is due. */
void keyframes_note(struct kmem_session *s);
/* Number of the last one at or before op n. */
u32 keyframes_nearest(const struct kmem_session *s, u32 n);
void keyframes_restore(struct kmem_session *s, u32 nr);
/* What one of the world as it is would take. */
u64 keyframe_bytes(const struct world *w);
/* And at most, of so many bytes. */
u64 keyframe_most_bytes(u32 world_bytes);

/* session.c: runs operation op, the next one, with its steps listed; camera_step as step_begin has it. */
s32 session_record(struct kmem_session *s, u32 op, u32 camera_step, struct world *copy);

/* session_build.c: parameters in force -> policy and machine. */
s32 session_policy(struct kmem_session *s, struct policy *p);
s32 session_new_world(struct kmem_session *s);
/* check_settings.c: settings that contradict each other: KMEM_EPARAM and a sentence. */
s32 session_check_orders(struct kmem_session *s);
s32 session_check_memory(struct kmem_session *s);
u64 session_memory_bytes(const struct kmem_session *s);
void session_drop_world(struct kmem_session *s);
/* Takes back the block between world and scratch. */
void session_drop_behind(struct kmem_session *s);

/* What caches are made of, where is_used is set. Inline: the module of a first view asks at each build, and has no overlay. */
ALWAYS_INLINE const struct overlay *session_cache_params(const struct kmem_session *s)
{
	return s->import.cache_params.tables ? &s->import.cache_params : &s->import.overlay;
}

/* debug_report_rows.c: CPU, time and call site of an operation, as far as there is one. */
void session_fill_track(struct kmem_session *s, u32 op, u16 *cpu, u64 *time, u32 *site_at);

/* sentence.c: names of a step kind's five arguments, words of abi.def. */
const char *const *step_args(u32 kind);
const char *report_check_words(u32 check);
const char *report_fix_words(u32 fix);

/* Scratch: len_bytes from the free part, aligned to 8, NULL when the region is full. */
void *scratch_alloc(struct kmem_session *s, u64 len_bytes);
void scratch_reset(struct kmem_session *s);
/* Room for the camera's copy of the world, as large as one more operation can make it, and for its host in front. The
 * caller moves s->scratch behind it once it is taken. NULL when the region is full. */
struct world *scratch_picture(struct kmem_session *s);
u32 session_page_shift(const struct kmem_session *s);
u32 session_offset(const struct kmem_session *s, const void *p);
s32 session_fail(struct kmem_session *s, s32 status, const char *sentence);
/* The sentence is in s->error already. */
s32 session_failed(struct kmem_session *s, s32 status);
/* What s->params has found is at fault. */
s32 session_fail_params(struct kmem_session *s, s32 status, const char *sentence);

#endif
