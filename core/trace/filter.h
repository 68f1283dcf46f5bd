/*
 * filter.h - chooses events of a trace: those of a window in which objects with some properties are allocated and freed.
 *
 * An allocation is chosen by its own properties. A free goes with its allocation, whatever CPU or call site it has, so the
 * chosen events are a trace that replays. A window that starts inside the trace also chooses the allocations before it
 * whose objects live when it starts.
 */
#ifndef TRACE_FILTER_H
#define TRACE_FILTER_H

#include "kmem_types.h"
#include "util/pool.h"

struct trace;

enum filter_key {
	FILTER_FROM_EVENT,
	FILTER_TO_EVENT,
	FILTER_FROM_TIME,
	FILTER_TO_TIME,
	FILTER_CPU,
	FILTER_NODE,
	FILTER_CACHE,
	FILTER_CALL_SITE,
	FILTER_TASK,
	NR_FILTER_KEYS
};

enum filter_phase {
	FILTER_OFF,
	FILTER_OPEN,	  /* conditions are being added */
	FILTER_SURVIVORS, /* going backwards from the window: which objects live when it starts */
	FILTER_EVENTS,	  /* going through the window */
	FILTER_READY,
};

struct trace_filter {
	u32 phase;    /* enum filter_phase */
	u32 given;    /* bits 1 << enum filter_key */
	u32 from, to; /* the window [from, to), in events */
	u32 next;     /* the next event to look at, in the phase's direction */
	u32 nr_ops;   /* events of the trace when the filter started */
	u32 nr_events, nr_before, nr_allocs, nr_frees;
	u32 followed; /* FILTER_READY: objects holds those that are live after this many events */
	/* Bitmaps, parts of one run of the pool. */
	u64 *chosen; /* [nr_ops] events */
	u64 *objects; /* [handles] followed; backwards: already decided; at the end: live, see filter_follow */
	u64 *by_cache, *by_call_site; /* [sites] */
	u64 *by_task;		      /* texts, by offset / TEXT_STEP */
	struct buffer run;
	u64 cpus[MAX_CPUS / 64], nodes[MAX_NODES / 64],
		caches[MAX_CACHES / 64]; /* caches: of chosen events */
	const u16 *node_of_cpu;		 /* NULL: by nr_cpus and nr_nodes */
	u32 nr_cpus, nr_nodes;
	char error[256];
};

/* filter_add.c: the key that a name means, or NR_FILTER_KEYS. */
u32 filter_key_of(const char *name);
/* Takes the memory for a filter before the world takes what is left. Without it filter_begin may fail. */
void filter_reserve(struct trace *t);
/* Starts a filter without conditions. KMEM_ENOMEM. */
s32 filter_begin(struct trace *t);
/* Adds a condition; values of one key widen it, keys narrow each other. KMEM_EPARAM with t->filter.error. */
s32 filter_add(struct trace *t, u32 key, const char *value);
/* Sets the bits, by offset / TEXT_STEP, of the texts that mean a task: by its name, its pid or both as in "sh-42", one or
 * several between commas. Returns NULL, or the first name, of *len_bytes, that means none. */
const char *filter_mark_tasks(const struct trace *t, u64 *bits, const char *value, u32 *len_bytes);
/* Looks at about nr events. Returns how many are left, or KMEM_EPARAM with t->filter.error. */
s64 filter_run(struct trace *t, u32 nr);
/* Sets f->objects to the handles of chosen objects that are live after this many events. */
void filter_follow(struct trace *t, u32 events);
/* Chooses every event again. */
void filter_off(struct trace *t);

ALWAYS_INLINE int bit_is_set(const u64 *bits, u32 i)
{
	return (int)(bits[i / 64] >> i % 64 & 1);
}

ALWAYS_INLINE int filter_has(const struct trace_filter *f, u32 op)
{
	return bit_is_set(f->chosen, op);
}

/* Whether a chosen event, or a condition, names cache i of the trace. */
ALWAYS_INLINE int filter_uses_cache(const struct trace_filter *f, u32 i)
{
	return i < MAX_CACHES && bit_is_set(f->caches, i);
}

/* Returns the first chosen event from op on, or f->nr_ops. */
u32 filter_next(const struct trace_filter *f, u32 op);
/* Returns the last chosen event before op, or f->nr_ops if there is none. */
u32 filter_previous(const struct trace_filter *f, u32 op);

#endif
