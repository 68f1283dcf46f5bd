/*
 * query.h - everything that queries keep about a trace on a machine: the part of a session that query/ owns.
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "kmem_types.h"
#include "session/session.h"
#include "sim/cache.h"

struct kmem_session;
struct kmem_cache;
struct world;
struct touched_op;
struct levels_walk;

/*
 * The subject of a recorded step: which cache, slab and object it touches, and which conditions of
 * steps.def it meets.
 *
 * Index and search read events through this file only, so both mean the same by "a new slab" or "this object".
 */

enum { NOWHERE = 0xffffffff };

#define WHEN_BIT(when) (1u << (when))
_Static_assert(NR_VALUES(kmem_when) <= 32, "each condition has its bit");

/* Conditions that belong to an object, and conditions that belong to the event and its cache but to no slab. */
enum {
	OBJECT_CONDITIONS = WHEN_BIT(WHEN_ALLOC) | WHEN_BIT(WHEN_FREE) | WHEN_BIT(WHEN_ANOMALY),
	CACHE_CONDITIONS = WHEN_BIT(WHEN_ORDER_FALLBACK) | WHEN_BIT(WHEN_SLOW_PATH) |
		WHEN_BIT(WHEN_LOCK_WAIT) | WHEN_BIT(WHEN_LARGE) | WHEN_BIT(WHEN_FIRST_USE),
};

/* For each step kind: its conditions, and which arguments (from 1, 0 none) are slab and object. */
struct touch_kind {
	u16 what; /* bits WHEN_BIT */
	u8 slab_arg, index_arg;
	u8 is_slow; /* SLOW_PATH, if the allocator counted the event as slow */
	u8 reserved[3];
};

struct touch {
	u32 what;
	u32 cache;	 /* CACHE_NONE if it touches none */
	u32 slab, index; /* NOWHERE if it touches none */
};

/* The event that was recorded last; its steps are in the session. */
struct touched_op {
	u32 op, kind, nr_steps;
	u32 shared;	/* slabs serve all caches: a slab then counts for the cache of its event */
	u32 has_object; /* it allocated or freed an object in a slab: cache, slab, index */
	u32 cache;	/* without an object: its cache in the trace, CACHE_NONE if there is none */
	u32 slab, index; /* NOWHERE without an object */
	u32 slow_step;	 /* NOWHERE if it is fast */
	u32 implied;	 /* its free was not recorded */
};

void touch_kinds_init(struct touch_kind *kinds);
/* Records the event at the position, and moves the position past it. */
s32 touch_run(struct kmem_session *s, struct touched_op *o);
struct touch touch_of_step(const struct kmem_session *s, const struct touched_op *o, u32 k);
/* Returns the allocation or free of the event's object, which belongs to the last or the first step. */
struct touch touch_of_object(const struct touched_op *o);
/* Whether a step happens on a node other than its CPU's. */
int step_is_remote(const struct kmem_session *s, const struct kmem_step *step);
u32 touch_object_step(const struct touched_op *o);

/*
 * The level at which each step of an event happens, from tables/steps/levels.def.
 */

enum { MAX_LEVELS = 10, LEVEL_NONE = KMEM_NONE };

/* The totals of the allocations that ended at one level. */
struct level_note {
	u64 cycles;
	u32 allocs, least_cycles, most_cycles;
	u32 reserved;
};

/* The way of one event down the levels and back, step by step. */
struct levels_walk {
	u32 levels; /* enum levels: a set of them */
	u32 at;	    /* level of the latest step, counted in this set from 0, or LEVEL_NONE */
	u32 asked;  /* deepest level that it asked or took from */
	u32 deepest;
	u32 questions; /* steps that asked a level below the first */
};

/* Returns the levels of a cache, or the allocator's own for CACHE_NONE. */
u32 levels_of(const struct kmem_session *s, u32 cache);
/* Fills the levels (enum kmem_level) in their order, and returns how many there are. */
u32 levels_in(u32 levels, u32 order[MAX_LEVELS]);
struct levels_walk levels_begin(u32 levels);
void levels_step(const struct kmem_session *s, struct levels_walk *walk,
		 const struct kmem_step *step);
/* Whether the tables say where a step happens in this set, or that it has no level. */
int levels_say(u32 levels, u32 kind);
/* Whether any step asks that enum kmem_level, which an allocation then may. */
int levels_are_asked(u32 levels, u32 level);
/* Whether a step asks a level, or takes something from it. */
int levels_ask(u32 levels, u32 kind);
/* Returns the set that holds the rows missing from this one; itself if there is none. */
u32 levels_base(u32 levels);
/* Return where an enum kmem_level is in this set, and the level of a kind of places, on the CPU's own node or on
 * another. */
u32 levels_at(u32 levels, u32 level);
u32 levels_at_place(u32 levels, u32 kind, int is_far);
/* Whether the places of a level belong to CPUs. */
int levels_of_cpus(u32 levels, u32 at);
enum { MAX_TAKERS = 16 };
/* Whether a step takes something out of a place, in the set or its base. */
int levels_take(u32 levels, u32 step);
/* Fills the steps that take something out of a place of that kind in the set; returns how many. */
u32 levels_takers(u32 levels, u32 place, u16 steps[MAX_TAKERS]);
/* Whether a step drains a list or a queue. */
int step_drains(u32 kind);
/* Returns a level in words: "page allocator". */
const char *level_name(u32 level);
/* Whether a step gives pages back: those of its slab, if it has one. */
int levels_give_pages_back(u32 kind);
/* Returns the model cycles of such a request on the fast path, 0 if there is none. */
u32 levels_fast_cycles(const struct world *w, u32 levels, u32 op_kind);
/* Returns the level at which the event ended: of an allocation the deepest that it asked. */
u32 levels_end(const struct levels_walk *walk, u32 op_kind);

/*
 * The events of a trace that are worth seeing; the index notes them while it is made.
 */

enum { CHAPTER_TITLE_BYTES = 256 };

struct chapter_notes {
	/* By kind; one whose number is 0 does not exist. */
	struct kmem_chapter best[NR_VALUES(kmem_chapter_kind)];
	struct kmem_chapter run;     /* the current run of fast allocations */
	u32 shown_op;		     /* the last event of those that it would show */
	u32 fast_op;		     /* the same of the longest run */
	struct kmem_chapter far_too; /* the costliest remote free that is also a drain */
	u32 slow_at;	/* how deep the slow path goes, counted among its levels from 0 */
	u32 slow_level; /* enum kmem_level of that */
};

/* Adds the event that was recorded last, after its walk over the levels. */
void chapters_note(const struct kmem_session *s, struct chapter_notes *notes,
		   const struct touched_op *o, const struct levels_walk *walk, u32 cycles);

/*
 * The index of the slabs and objects that each event touched; one recorded replay builds it on request.
 *
 *	log      postings in the order of events: slab, object, kind of touch
 *	sorted   indices into the log, by slab, and for each slab in the order of events
 *	blocks   for every BLOCK_OPS events: the first posting, and which steps, conditions and caches occur
 *	handles  events by the object's dense number
 *
 * A posting takes 8 bytes and its entry in `sorted` 4. The handle adds 4, so an event that touches one slab takes 17
 * bytes with its share of a block. The index lies between the world and the scratch area. By then the whole trace has
 * been replayed, so the world no longer grows.
 */

enum {
	BLOCK_OPS = 512,
	KIND_WORDS = 8, /* bits for step kinds */
	COLUMN_CHUNK = 32768,
	MAX_COLUMN_CHUNKS = 16384,
	SERIALS_PER_PAGE = 256,
	NO_SINGLE = 0xffff,
	LANES_MOST = 16,
	LANE_BUCKETS = 1024,
	FIRST_OF_OP = 1, /* in posting.what: bit 0 does not stand for a condition */
};

enum index_state {
	INDEX_NONE,
	INDEX_HANDLES, /* only the tables of handles exist, built for object.c; everybody else sees no index */
	INDEX_RECORDING,
	INDEX_SORTING,
	INDEX_READY
};

/* One event touched a slab, perhaps an object in it (or NO_SINGLE), or a cache without a slab. A posting of an
 * object may also carry conditions of its slab and cache: OBJECT_CONDITIONS and CACHE_CONDITIONS separate them. */
struct posting {
	u32 slab;  /* index into slabs, NOWHERE if it touched nothing */
	u16 index; /* index of the object */
	u16 what;  /* bits WHEN_BIT, FIRST_OF_OP */
};

/* A slab that ever existed, or (serial NOWHERE) the postings of a cache that belong to no slab. */
struct slab_note {
	u32 serial;
	u32 nr;	   /* postings */
	u32 start; /* where its postings start in `sorted` */
	u32 done;  /* sorting: how many are in place */
	u16 cache; /* CACHE_NONE for slabs that serve all caches */
	u16 reserved;
};

struct cache_note {
	u32 **pages; /* [serial / SERIALS_PER_PAGE]: indices of slabs + 1 */
	u32 nr_pages;
	u32 beyond;	/* index + 1 of the note without a slab */
	u32 touched_op; /* last event that touched it, + 1 */
	u32 place;	/* a posting of the cache, + 1, perhaps of the current event */
	u32 pending;	/* conditions of the cache that still need a posting */
	struct kmem_life life;
	struct level_note levels[MAX_LEVELS];
};

struct block {
	u32 start; /* where its postings start in the log */
	u32 what;
	u32 kinds[KIND_WORDS];
};

/* Rows in chunks that never move. */
struct column {
	u8 **chunk;
	u32 nr, row_bytes;
};

struct index {
	struct side_block *memory;
	u32 state;    /* enum index_state */
	u32 next_op;  /* next event of the current pass */
	u32 full;     /* out of memory */
	u32 op_start; /* first posting of the current event */
	struct column log, slabs;
	struct cache_note *caches;
	struct block *blocks;
	u32 *block_caches; /* [block][cache_words] bits */
	u32 nr_caches, cache_words, nr_blocks;
	u16 *touched; /* caches that the current event touched */
	u32 nr_touched;
	u32 *sorted;
	u32 *handle_start, *handle_ops; /* [nr_handles + 1], [nr_ops] */
	struct chapter_notes chapters;
	u8 *depths; /* [lane][bucket], see struct kmem_lanes */
	struct kmem_lanes lanes;
};

static inline struct posting *index_posting(const struct index *x, u32 i)
{
	return (struct posting *)x->log.chunk[i / COLUMN_CHUNK] + i % COLUMN_CHUNK;
}

static inline struct slab_note *index_slab(const struct index *x, u32 i)
{
	return (struct slab_note *)x->slabs.chunk[i / COLUMN_CHUNK] + i % COLUMN_CHUNK;
}

/* Returns the first of nr ascending numbers that is at least `number`. */
static inline u32 lower_bound(const u32 *sorted, u32 nr, u32 number)
{
	u32 lo = 0, hi = nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (sorted[mid] < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Returns 1 if an event of that block touched the cache. */
static inline int index_block_has(const struct index *x, u32 block, u32 cache)
{
	return cache < x->nr_caches &&
	       x->block_caches[block * x->cache_words + cache / 32] >> cache % 32 & 1;
}

/* levels.c: room for the lanes of this many CPUs; and an event, after its walk over the levels. */
void lanes_begin(struct index *x, u32 nr_cpus, u32 nr_ops);
void lanes_note(struct kmem_session *s, const struct touched_op *o, const struct levels_walk *walk);

/* index.c */
void *index_alloc(struct index *x, u64 len_bytes);
/* Returns the index of a slab, NOWHERE if it never existed. Serial NOWHERE: the note of the cache without a slab. */
u32 index_find_slab(const struct kmem_session *s, u32 cache, u32 serial);

/* index.c: the memory after the world, for the index and for the tables of other queries. index_drop() drops all of
 * it. */
struct side_block *index_memory(struct kmem_session *s);
/* Return the first posting of an event (nr_ops: the end of the log), and the event of a posting. */
u32 index_position(const struct index *x, u32 op);
u32 index_op(const struct index *x, u32 position);
/* Returns the posting of the object that an event allocated or freed, NULL if there is none. */
const struct posting *index_object(const struct kmem_session *s, u32 op);
/* Chooses where the memory after the world starts, for index_alloc; budget_bytes 0: as much as there is. The world
 * must be at the end of the trace. */
void index_place_memory(struct kmem_session *s, u64 budget_bytes);
/* Builds the tables of handles, unless they exist, in one pass over the events. Returns 0 without tables: nothing
 * is built, an index is under construction, or memory is short. */
int index_handles(struct kmem_session *s);
/* Returns the latest event before `op` that allocated the object of a handle; NOWHERE if there is none. Needs
 * index_handles. */
u32 index_alloc_op(const struct kmem_session *s, u32 object, u32 op);
/* Returns the latest event before `op` that allocated an object in this slot; NOWHERE if there is none. Needs the
 * whole index. */
u32 index_alloc_at(const struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op);

/* Returns the machine's CPU on which an event runs. */
static inline u32 event_cpu(const struct kmem_session *s, u32 op)
{
	return trace_op(&s->trace, op).cpu % s->w->machine.nr_cpus;
}

/*
 * The search for steps at which a condition holds, forwards and backwards.
 */

enum { MAX_CONDITIONS = KMEM_MAX_CONDITIONS };

struct find {
	struct kmem_condition conditions[MAX_CONDITIONS];
	u32 numbers[MAX_CONDITIONS]; /* their slabs in the index, or NOWHERE */
	u32 nr;
	u32 back;
	u32 op, step; /* the starting point: this many steps into that event */
	/* Forwards: `next` is the next event to check. Backwards: the search checks the events from `from` to
	 * before `end` in order, `next` being the next one, and keeps the last match in `found`. */
	u32 next, from, end;
	u32 is_over, is_found;
	struct kmem_found found;
	struct touched_op last; /* already checked; a search that starts there need not replay it */
};

enum { MEMORY_STATE_BYTES = 32 << 10 };

enum cache_series_state { CACHE_SERIES_NONE, CACHE_SERIES_RUNNING, CACHE_SERIES_READY };

/* Metrics of one cache over the whole trace; see query/tracks.c. */
struct cache_series {
	struct series series;
	u32 state; /* enum cache_series_state */
	u32 cache, next_op;
	u32 slow_paths; /* slow paths of the cache, since the last sample */
	u64 room[SERIES_NUMBERS];
};

enum tracks_state { TRACKS_NONE, TRACKS_RUNNING };

/* Counter tracks of a replay; see query/tracks.c. Group 0 is all caches together. */
struct tracks {
	u32 state; /* enum tracks_state */
	u32 nr_caches, every, next_op;
	u32 has_begun, has_sample;
	u32 nr_bytes; /* bytes of the last run */
	u16 caches[KMEM_MAX_TRACKED_CACHES];
	u64 slow_paths[KMEM_MAX_TRACKED_CACHES + 1]; /* since the beginning */
	u64 last[KMEM_MAX_TRACKED_CACHES + 1][NR_METRICS];
	u8 bytes[40 << 10];
};

struct query {
	u32 generation; /* generation of the world that the fields below describe */
	struct index index;
	struct find find;
	struct cache_series cache_series;
	struct tracks tracks;
	struct order_tries tries;
	struct kmem_life life;
	struct kmem_lifetime lifetime;
	struct touch_kind touch_kinds[NR_STEP_KINDS];
	struct kmem_level_row levels[MAX_LEVELS];
	struct kmem_path path;
	struct kmem_move move;
	char move_text[192];
	struct kmem_caption caption;
	char caption_text[CHAPTER_TITLE_BYTES], consequence_text[CHAPTER_TITLE_BYTES];
	struct kmem_chapter chapters[NR_VALUES(kmem_chapter_kind)];
	char no_name[8]; /* "" */
	char chapter_titles[NR_VALUES(kmem_chapter_kind)][CHAPTER_TITLE_BYTES];
	u32 index_drops; /* how often the memory after the world was given up, with everything in it */
	u64 memory[MEMORY_STATE_BYTES / 8]; /* struct memory_state of query/memory */
};

_Static_assert(sizeof(struct query) <= sizeof(((struct session_room *)0)->query),
	       "a session has room for it");

/* Forgets everything about an earlier world. */
static inline struct query *query_of(const struct kmem_session *s)
{
	struct query *q = (struct query *)(u64 *)s->room.query;

	if (q->generation != s->generation) {
		memset(&q->index, 0, sizeof(q->index));
		q->find.nr = q->find.last.nr_steps = 0;
		q->cache_series.state = CACHE_SERIES_NONE;
		q->tracks.state = TRACKS_NONE;
		q->generation = s->generation;
	}
	return q;
}

/* view.c: how a cache uses its slabs, in bytes. */
struct usage view_usage(struct kmem_session *s, const struct kmem_cache *c);
/* sentence.c: adds a sentence about a step, with its numbers in place of the braces. */
void sentence_add(struct text *t, const struct kmem_session *s, const struct kmem_step *step,
		  const char *words);

#endif
