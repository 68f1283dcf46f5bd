/*
 * call_sites.h - call sites: who allocates, and what becomes of the objects.
 *
 *	notes    what a site of the trace (trace/trace.h) means here: cache, slot, base
 *	bases    call site and cache, as far as they are counted separately
 *	births   live objects by their dense number: when, where and on which CPU they were allocated
 *	rows     the result, filled in place
 *	slots    finds the row of a base and a CPU, node or task
 *	lifetimes  how many objects of a row lived how long, for percentiles
 *
 * One pass over the events fills the rows, a second one over the live objects dates them, and a third one over the rows
 * finds percentiles. The tables lie in the pool, or after the world when there is one.
 */
#ifndef QUERY_SITES_CALL_SITES_H
#define QUERY_SITES_CALL_SITES_H

#include "session/session.h"

enum {
	MAX_SITE_ROWS = KMEM_MAX_SITE_ROWS,
	MAX_SITE_CACHES = 0xffff,
	ROW_FILTERED = 0xffffffff,
	NR_LIFETIMES = 32,
	/* A live object is checked in less time than an event is counted. */
	LIVE_AT_ONCE = 4,
	TIMES_AT_ONCE = 512,
	FINEST_LIFETIMES = 4,
	NR_PERCENTILES = 3,
	MAX_LIFETIME_COUNTS = 1 << 21,
};

#define SITES_BY_BIT(by) (1u << (by))

struct site_note {
	u32 base; /* its base, which is its row too if CPU, node and task do not count; or ROW_FILTERED */
	u32 bytes, slot;
	u16 cache; /* row of the caches; CACHE_NONE: no cache */
	u16 is_rcu;
	/* Counted for its cache, whatever filters say. Frees count at the site that allocated. */
	u32 allocs, frees, unseen_frees, rcu_frees, orphan_frees;
	/* The first note with this call site and cache; there, what all of these count. */
	u32 group, group_allocs, group_live;
};

/* A live object. */
struct site_birth {
	u64 time;
	u32 op; /* + 1; 0: not live */
	u32 site;
	u32 row;
	u16 cpu, reserved;
};

/* Frees of a cache by lifetime: fewer than 2, 4, 8, … events. */
struct site_lives {
	u32 frees[NR_LIFETIMES];
};

/* The call site and the cache of an allocation, as far as they are counted separately. */
struct site_base {
	u32 call_site; /* text */
	u32 cache;     /* row of the caches; ROW_FILTERED: not counted separately */
};

struct site_slot {
	u64 key;
	u32 row;  /* + 1; 0: the slot is free */
	u32 task; /* part of the key: a text, 0 unless tasks are counted separately */
};

/* call_sites.c: how many objects of each row lived how long. The values are the first octave of a kind. */
enum lifetime_kind { LIFETIME_EVENTS, LIFETIME_TIME = 32, NR_OCTAVES = LIFETIME_TIME + 64 };

struct site_lifetimes {
	u32 (*pages)[NR_OCTAVES]; /* [rows] number of a page + 1, 0: none */
	u32 *counts;		  /* [nr_counts] pages of 2^precision counters */
	u32 nr_counts, nr_pages;
	u32 precision; /* 2^precision counters from one power of two to the next */
	u32 is_over;   /* even one counter each is too many */
};

/* The lifetimes of a row that are known exactly. */
struct lifetime_range {
	u64 min, max;
	u32 nr;
};

void lifetimes_begin(struct site_lifetimes *l, u32 nr_rows);
/* Gives an octave of a row its page, unless even the coarsest pages are used up. */
void lifetimes_add_page(struct site_lifetimes *l, u32 *page);

/* The power of two that a value starts with. */
ALWAYS_INLINE u32 octave_of(u64 value)
{
	return 63 - (u32)__builtin_clzll(value | 1);
}

ALWAYS_INLINE void lifetimes_add(struct site_lifetimes *l, u32 row, enum lifetime_kind kind,
				 u64 value)
{
	u32 octave = octave_of(value);
	u32 *page = &l->pages[row][(u32)kind + octave];

	if (unlikely(!*page)) {
		lifetimes_add_page(l, page);
		if (!*page)
			return;
	}
	/* The bits after the first one. */
	u32 counter = (u32)(value << (63 - octave) >> (63 - l->precision)) &
		      ((1u << l->precision) - 1);
	l->counts[((*page - 1) << l->precision) + counter]++;
}

/* Finds the 50th, 90th and 99th percentile by nearest rank. Returns how many buckets it looked at. */
u32 lifetimes_rank(const struct site_lifetimes *l, u32 row, enum lifetime_kind kind,
		   const struct lifetime_range *of, u64 *percentiles);

struct pprof; /* pprof.c: a profile that is being written */

enum sites_state { SITES_NONE, SITES_COUNTING, SITES_DATING, SITES_RANKING, SITES_READY };

struct sites {
	u32 state; /* enum sites_state */
	u32 generation, index_drops,
		is_behind;    /* what the tables depend on, if they lie after the world */
	u32 nr_ops, nr_sites; /* size of the trace that was counted */
	u64 block_bytes;
	u8 *block;
	u32 by, next;
	u32 cpu, node, first_op, end_op; /* filters */
	u32 has_tasks;			 /* a filter of tasks: by_task */
	u32 is_split;			 /* CPU, node or task is counted separately */
	u32 has_ended;			 /* a program, with the trace: what lives was never freed */
	u32 is_simple; /* neither that nor a filter of CPUs, nodes, tasks and events */
	u32 nr_rows, rows_room, nr_base;
	u32 slots_mask;
	struct site_note *notes;
	struct site_birth *births;
	struct kmem_site_row *rows;
	struct site_base *bases;
	struct kmem_site_cache *caches;
	struct site_lives *lives; /* lives by cache */
	struct site_slot *slots;
	struct site_lifetimes lifetimes;
	struct pprof *pprof;
	u64 *by_task; /* bits of the texts of tasks that count, by offset / TEXT_STEP */
	u32 nr_caches, caches_room;
	struct kmem_sites result;
	u16 node_of_cpu[MAX_CPUS];
};

_Static_assert(sizeof(struct sites) <= sizeof(((struct session_room *)0)->sites),
	       "a session has room for it");

static inline struct sites *sites_of(const struct kmem_session *s)
{
	return (struct sites *)(u64 *)s->room.sites;
}

/* Returns 0 once the trace, the world or the index have taken the tables away. */
int sites_are_kept(const struct kmem_session *s);

/* call_sites_tables.c: makes the tables, and the rows that are known before the first event. */
s32 sites_prepare(struct kmem_session *s, const char *cache, const char *task);
/* Returns the slot of a key: the one that holds it, or the free one where it belongs. key is not 0. */
struct site_slot *sites_slot(struct sites *x, u64 key, u32 task);
/* Starts a row; ROW_FILTERED once the rows are full. */
u32 sites_new_row(struct sites *x, u32 base, u32 cpu, u32 node, u32 task);

/* call_sites_leaks.c: decides per cache what its live objects are; call it before the live objects are dated. */
void sites_judge(struct kmem_session *s);
/* Returns 1 if the program ended with many objects of this call site and cache. */
int sites_are_left(const struct sites *x, const struct site_note *note);

/* pprof.c: how much room a profile takes while it is written. */
u64 pprof_bytes(void);

#endif
