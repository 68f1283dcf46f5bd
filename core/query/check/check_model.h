/*
 * check_model.h - compares the model with a real kernel's run: the trace's pointers, and the kernel's state at both ends.
 *
 *	state text ─ state.c, state_text.c ─ struct state (start, stop)
 *	trace ─ check_events.c ─ struct check_event, cache by cache ┐
 *	start ─ check_world.c ─ a world with one cache ─────────────┴ check_result.c ─ right or wrong, event by event
 *	stop ─ check_result.c ─ counters, slabs, lists
 *	check_model.c ─ all of these, in slices
 *
 * Caches share nothing but the page allocator, whose addresses do not matter here. So each cache is replayed alone, in
 * a small world. Repeating a run from some event then takes only a small copy.
 */
#ifndef QUERY_CHECK_CHECK_MODEL_H
#define QUERY_CHECK_CHECK_MODEL_H

#include "alloc/ops.h"
#include "session/session.h"

enum {
	STATE_COUNTERS = 26,	 /* counters of a T line: enum stat_item of 6.1 */
	STATE_SLAB_COUNTERS = 8, /* counters of SLAB's T line, from ALLOCHIT on */
	MOST_STATE_ARRAY = 1024, /* entries of an array */
	MOST_FALLBACK_NODES = KMEM_FALLBACK_NODES,
	CHECK_NONE = 0xffffffff,
};

struct state_cache {
	char name[MAX_NAME_BYTES];
	u32 size, object_size;
	u32 order, objects, min_objects;
	u32 min_partial, cpu_partial, cpu_partial_slabs;
	u32 defrag;
	u32 sheaf_capacity;
	u32 limit, batchcount, touched; /* SLAB only: the array of CPU 0 */
	u32 free_limit, free_touched;	/* SLAB only: node 0 */
	u32 nr_slabs;			/* counted by its L lines */
	u32 first_slab;			/* row + 1 of the first that a model adopts; 0: none */
	u64 counters[STATE_COUNTERS];	/* sums over all CPUs */
};

struct state_slab {
	u64 address;
	u32 cache;
	u32 free_at, nr_free; /* slab freelist, in state.indices */
	u16 node, order, objects, inuse;
	u32 list,
		next; /* rows + 1: the list that holds it, and the cache's slab that a model adopts next */
	u64 first_object; /* its number among the objects of all slabs */
	u32 row_of_start; /* check_start.c */
};

/* LIST_NODE_FREE and LIST_CPU_ARRAY are SLAB's. The rest belong to kernels with sheaves: objects from LIST_CPU_ARRAY
 * on. */
enum state_list_kind {
	LIST_CPU_SLAB,
	LIST_CPU_PARTIAL,
	LIST_NODE_PARTIAL,
	LIST_NODE_FREE,
	LIST_BARN,	 /* full sheaves of a node: addresses of sheaves, head first */
	LIST_BARN_SPARE, /* its empty ones */
	LIST_CPU_ARRAY,
	LIST_SHEAF_MAIN,
	LIST_SHEAF_SPARE,
	LIST_SHEAF_RCU,
	LIST_SHEAF_WAITING,
	LIST_SHEAF_PREFILLED,
	LIST_BARN_SHEAF,
	LIST_BARN_EMPTY,
	LIST_BARN_FULL, /* objects of all full sheaves of a node, as they lie in the model's place */
};

ALWAYS_INLINE int list_has_objects(u32 kind)
{
	return kind >= LIST_CPU_ARRAY;
}

ALWAYS_INLINE int list_has_slabs(u32 kind)
{
	return kind <= LIST_NODE_FREE;
}

/* Where the slabs of a list are in a model. */
ALWAYS_INLINE u32 list_place(u32 kind)
{
	return kind == LIST_CPU_SLAB	  ? PLACE_CPU_SLAB
	       : kind == LIST_CPU_PARTIAL ? PLACE_CPU_PARTIAL
					  : PLACE_NODE_PARTIAL;
}

/* The slabs of a list, head first. A CPU's slab is a list of at most one. An array has objects, oldest first. */
#define STATE_OBJECT(slab, index) ((u64)(slab) << 16 | (index))

struct state_list {
	u32 cache, kind; /* enum state_list_kind */
	u32 of;		 /* the CPU or the node */
	u32 at, nr; /* addresses in state.addresses; after state_end their slabs, or STATE_OBJECT of an array */
	u32 free_at, nr_free; /* cpu freelist, in state.indices */
	u64 address;	      /* address of a sheaf */
	u64 rank; /* sheaves of a barn and sheaves that wait: higher ones are adopted first */
};

struct state {
	ARRAY(struct state_cache) caches;
	ARRAY(struct state_slab) slabs;
	ARRAY(struct state_list) lists;
	ARRAY(u16) indices;
	ARRAY(u64) addresses;
	struct hash names;	/* names of caches; taken: number + 1 */
	struct hash by_address; /* addresses of slabs; taken: number + 1 */
	struct buffer line;	/* an unfinished line */
	u32 line_len;
	u64 line_nr;
	u32 nr_nodes, nr_cpus;
	u64 nr_objects; /* objects in all slabs */
	u32 is_reading, is_complete, is_broken;
	u32 has_sheaves;      /* the state of a kernel without cpu slabs */
	u32 which;	      /* 1: the V line says start, 2: stop */
	u64 time;	      /* time on the V line; 0: unknown */
	struct hash by_sheaf; /* taken: row of lists + 1 */
	u32 is_slab;	      /* the state of SLAB, which the text says by its fields */
	u32 has_others; /* SLAB only: there are shared arrays or alien caches, whose objects no state has */
};

/* Returns the list that holds the slab, or NULL. */
static inline const struct state_list *state_list_of(const struct state *state,
						     const struct state_slab *slab)
{
	return slab->list ? &state->lists.at[slab->list - 1] : NULL;
}

/* One event of a cache. */
struct check_event {
	u32 op;
	u32 slab; /* number of the kernel's slab in the cache */
	u16 index;
	u16 cpu;
	u16 node; /* the node asked for, or NODE_ANY */
	u8 kind;  /* enum check_kind */
	u8 flags; /* enum check_flag */
	u16 cache;
	u8 is_excused; /* no order makes the model take the kernel's path */
	u32 line;      /* line of slub_op, + 1: where it took effect; 0: at its own line */
};

/* A part belongs to an event that started or ended elsewhere. */
enum check_kind { CHECK_ALLOC, CHECK_FREE, CHECK_PART };
enum check_flag {
	CHECK_IN_GROUP = 1,  /* belongs to a bulk request */
	CHECK_LAST = 2,	     /* the last of its bulk free */
	CHECK_RIGHT = 4,     /* the model chose the recorded slab and index */
	CHECK_GATE = 8,	     /* inferred: it did not search other nodes */
	CHECK_MOVED = 16,    /* inferred: it took effect somewhere other than at its line */
	CHECK_GIVEN_UP = 32, /* no order within the intervals explains it */
	CHECK_LISTS = 64,    /* the model moved slabs between lists */
	CHECK_FORCED = 128,  /* given up, and the model goes on from the kernel's object */
};

/* The path of an event, as the trace's lines of slub_stat report it. */
struct check_path {
	u32 mask; /* slow counters that it raised, by their numbers in 6.1 */
	u32 rank; /* where it took effect: its place among all events and lines */
};

/* A cache of the start state, and the trace's events on it. */
struct check_cache {
	u32 first, nr; /* its events */
	u32 nr_slabs;  /* slabs of the kernel that the states and the trace name */
	u32 allocations, right;
	u32 slabs_at_start, slabs_at_end; /* slabs of the model */
	u32 lists, lists_equal;
	u64 counters[STATE_COUNTERS]; /* counters of the model */
};

/* A slab of the kernel. The start state's slabs come first, in its order. */
struct kernel_slab {
	u64 address;
	u32 cache;
	u32 nr;		/* its number in its cache */
	u32 is_touched; /* an event used it */
};

/* A change to one of a run's tables, which can be undone and repeated. */
struct undo {
	u32 table, index;
	u64 was, now;
};

enum check_table { TABLE_LOCS, TABLE_SLAB_OF, TABLE_SERIAL_OF };

/* The sheaves that the trace's lines name, while a cache is replayed. */
struct parts {
	ARRAY(struct sheaf_row) sheaves;
	struct hash by_address, tasks; /* taken: row + 1; CHECK_NONE: no longer there */
	u64 nr, nr_refused;	       /* parts; those that the model would not have started */
};

/* A replay of one cache: its world, and tables that match it with the kernel's. */
struct run {
	struct world *w;
	struct kmem_cache *s;
	const struct kmem_ops *ops;
	struct pool *pool;
	struct array *undo; /* rows of struct undo; NULL: nothing is undone */
	u32 is_lost;	    /* there was not enough memory to note a change */
	u32 objects;	    /* most in a slab */
	u32 serials;	    /* room of slab_of */
	object_loc *locs;   /* [nr_slabs][objects]: where the model has the kernel's object */
	u32 *slab_of;	    /* [serials]: the kernel's slab + 1 of a slab of the model */
	u32 *serial_of;	    /* [nr_slabs]: the other way + 1 */
	/* SLAB: check_world.c */
	u16 *names; /* [nr_named][2][objects]; NULL: every object has the kernel's index */
	struct start_names *starts; /* [nr_named] */
	u32 nr_named;		    /* slabs of the start state */
	u32 nr_by_slab;		    /* allocations that gave an object its name */
	const struct kernel_line *lines;
	const struct trace *trace;
	u32 usual;	     /* objects in a sheaf, of the state */
	struct parts *parts; /* check_parts.c; NULL: the trace has none of this kernel */
};

/* A slab of SLAB's start state. */
struct start_names {
	ref made;
	u16 in_use; /* objects of the model from here on are free, or in the array */
	u16 in_array;
};

/* A replay of the caches one after the other, which may stop between two events. */
struct check_pass {
	u32 control; /* enum kmem_control */
	u32 follows; /* 1: each cache up to its first wrong allocation, and its events keep no result */
	u32 nr, at;		 /* the current cache, and its next event */
	u32 is_open;		 /* its world is there */
	u32 right;		 /* its right allocations so far */
	u32 before[NR_COUNTERS]; /* the model's counters at the start of the cache */
	u64 sum; /* totals of the previous caches: right allocations, or the events that followed */
	struct run run;
};

/* The order of nodes that is tried: check_search.c */
struct fallback_search {
	u32 is_on, round, node;
	u8 order[MOST_FALLBACK_NODES], kept[MOST_FALLBACK_NODES];
	u64 best,
		before; /* events that followed: with the best order, and at the start of the round */
	struct check_pass pass;
};

/* CHECK_AGAIN is the replay in the inferred order. */
enum check_phase {
	CHECK_IDLE,
	CHECK_EVENTS,
	CHECK_FALLBACK,
	CHECK_REPLAYS,
	CHECK_INFER,
	CHECK_AGAIN,
	NR_CHECK_PHASES
};

/* How far a check has got. */
struct check_work {
	u32 phase, infers, nr_ops;
	u32 left;   /* thousandths left, as the last call returned */
	u32 rounds; /* searches for the order of events that another order of nodes made void */
	u64 steps;  /* events that their trials have run */
	u64 spent;  /* events of the phase so far */
	struct check_pass pass;
};

struct check {
	struct state states[2]; /* start, stop */
	struct check_work work;
	struct fallback_search search;
	struct buffer order;	/* struct order, while one is inferred */
	struct buffer recorded; /* the events in recorded order, once one is inferred */
	ARRAY(struct check_event)
	unsorted;      /* events in the trace's order, while they are read */
	u32 next_op;   /* the next one to be read */
	u32 from, end; /* events between the states, by markers */
	ARRAY(struct check_event) events;
	ARRAY(struct check_cache) caches;
	ARRAY(struct kernel_slab) slabs;
	struct hash pages;			       /* by page frame; taken: row of slabs + 1 */
	struct buffer cache_of_op;		       /* u16[nr_ops], CACHE_NONE: none */
	struct buffer world, locs, slab_of, serial_of; /* memory of the current run */
	struct buffer names, starts;		       /* the same, for SLAB */
	struct parts parts;			       /* parts of the current run */
	u32 touched,
		of_other_caches; /* slabs of the start state that events use; first by an allocation of another cache */
	struct buffer objects; /* u8[]: what the start state says of each object, check_events.c */
	u32 firsts,
		contradictions; /* first events at these; those that free a free one, or allocate one in use */
	u32 keeps_frees; /* for check_start.c: the next two */
	ARRAY(struct start_free)
	frees;	       /* first events at objects in use; slab: row of the start state */
	u32 unseen;    /* first events that allocate these */
	u32 has_parts; /* the trace has lines of slub_op, of the state's kernel */
	u32 next_line; /* the next one to be read */
	struct hash waits_alloc,
		waits_free; /* by pointer, while events are read: row of unsorted + 1; event + 1 */
	ARRAY(struct check_event) group; /* events of bulk frees that have not taken effect yet */
	struct buffer
		paths; /* struct check_path[nr_ops], check_search.c; empty: no line says one */
	struct buffer before, after; /* u32[nr_ops]: the interval of an event, check_order.c */
	u32 nr_fallback;	     /* nodes with an order; 0: that of the distances */
	u8 fallback[MOST_FALLBACK_NODES][MOST_FALLBACK_NODES]; /* the other nodes, nearest first */
	struct kmem_checked out;
	struct kmem_checked_cache *rows; /* rows in row_run */
	struct buffer row_run;
	ARRAY(struct kmem_checked_move) moves;
	struct buffer json;		    /* text of check_json.c */
	u32 first_wrong, first_wrong_cache; /* op; CHECK_NONE */
	char text[3][512];
};

_Static_assert(sizeof(struct check) <= sizeof(((struct session_room *)0)->check),
	       "a session has room for it");

static inline struct check *check_of(struct kmem_session *s)
{
	return (struct check *)s->room.check;
}

/* state_text.c: reads some of the text. */
s32 state_chunk(struct kmem_session *s, struct state *state, const u8 *bytes, u32 len_bytes);
u32 state_cache_of(const struct state *state, const char *name);

/* state.c */
s32 state_begin(struct kmem_session *s, struct state *state);
s32 state_end(struct kmem_session *s, struct state *state);
/* Returns the number of the slab; CHECK_NONE if the state has none. */
u32 state_slab_of(const struct state *state, u64 address);
struct state_list *state_sheaf_at(const struct state *state, u64 address);
/* Returns the cache's list of that kind with the highest rank below the given one; NULL: none. */
const struct state_list *state_next_sheaf(const struct state *state, u32 cache, u32 kind,
					  const struct state_list *before);
/* Returns the model's number of a counter of a T line; NR_COUNTERS: there is none. */
u32 state_counter(const struct state *state, u32 nr);

/* check_events.c: sorts the trace's events by cache, at once or in slices, as check_pass_run. */
s32 check_events(struct kmem_session *s, struct check *c);
s32 check_events_begin(struct kmem_session *s, struct check *c);
s32 check_events_run(struct kmem_session *s, struct check *c, u32 *events);
void check_events_drop(struct kmem_session *s, struct check *c);
s32 check_event_add(struct kmem_session *s, struct check *c, const struct check_event *ev);
/* Returns the row of an object's slab, and its index; CHECK_NONE: there is none, or no object has that pointer.
 * cache: of an allocation, which may be in a new slab; or CHECK_NONE. */
u32 check_place(struct kmem_session *s, struct check *c, u32 cache, u64 ptr, u32 *index);
/* check_parts.c: puts events where lines of slub_op say that they took effect. Adds the lines before event op; adds
 * an event that has to wait for its line. */
s32 check_lines(struct kmem_session *s, struct check *c, u32 op);
s32 check_event_waits(struct kmem_session *s, struct check *c, const struct check_event *ev);
void check_lines_drop(struct kmem_session *s, struct check *c);
/* Returns the row of the slab that the kernel has at that address; CHECK_NONE if it is unknown. */
u32 kernel_slab_at(const struct check *c, u64 address);

/* check_world.c: makes a new world with that cache as it was in the start state. */
s32 check_world(struct kmem_session *s, struct check *c, u32 cache, u32 control, struct run *run);

/* SLAB: for each of the model's objects in that slab of the start state the kernel's index + 1, and after them the
 * reverse. 0: not known yet. NULL: the indices are the kernel's, as under other allocators. */
ALWAYS_INLINE u16 *names_of(const struct run *run, u32 slab)
{
	return slab < run->nr_named ? run->names + (u64)slab * 2 * run->objects : NULL;
}

/* Convert an object's index from the model's to the kernel's and back; CHECK_NONE if no event has named it. */
ALWAYS_INLINE u32 check_slab_index(const struct run *run, u32 slab, u32 ours)
{
	const u16 *names = names_of(run, slab);

	return names ? names[ours] - 1u : ours;
}

ALWAYS_INLINE u32 check_slab_ours(const struct run *run, u32 slab, u32 kernels)
{
	const u16 *names = names_of(run, slab);

	return names ? names[run->objects + kernels] - 1u : kernels;
}

/* check_world.c: the rest of it. */
/* Matches the two objects, unless one of them has a match already. Returns 1 if it did. */
int check_slab_name(struct run *run, u32 slab, u32 ours, u32 kernels);
/* A new slab takes the place of one that is gone: its objects have the kernel's indices. */
void check_slab_renew(struct run *run, u32 slab);
/* Returns the object of a free that no event allocated; 0: none was in use. */
object_loc check_slab_older(struct run *run, const struct check_event *ev);

/* Fills in the node of each CPU. */
void check_cpu_nodes(const struct state *state, u32 nr_cpus, u16 *cpu_node);

/* check_parts.c: a number for the task; every CPU has an idle task, of number 0. */
u64 check_task(const struct trace *t, u32 task, u32 cpu);
/* Replays what one line of slub_op reports. */
void check_parts_drop(struct pool *pool, struct parts *parts);
s32 check_parts_know(struct kmem_session *s, struct run *run, u64 address, ref sheaf);
object_loc check_part_alloc(struct run *run, const struct check_event *ev, u32 node);
void check_part_free(struct run *run, const struct check_event *ev, object_loc loc);
/* Returns an object of a slab that the model has made, or 0. */
object_loc check_part_step(struct run *run, const struct check_event *ev, u32 usual);

/* check_model.c: returns 0, or an error with a sentence if the trace or the start state is missing. */
s32 check_ready(struct kmem_session *s, const struct check *c);

/* check_result.c: runs one event, or the group of a bulk free that starts with it; behind: events from here to the
 * end. Returns how many events these are; *loc is the object of an allocation. */
u32 check_step(struct run *run, const struct check_event *ev, u32 behind, object_loc *loc);
/* Whether the model chose the recorded slab and index. */
int check_is_right(const struct run *run, const struct check_event *ev, object_loc loc);
/* Continues to replay the caches for about *events, which it counts down; the control NONE marks events, counters and
 * lists too. Returns 1 if there is more to do, 0 at the end, or an error. */
s32 check_pass_run(struct kmem_session *s, struct check *c, struct check_pass *p, u32 *events);

void run_set(struct run *run, u32 table, u32 index, u64 value);
/* check_search.c: fills paths. */
s32 check_paths(struct kmem_session *s, struct check *c);
/* check_order.c: moves events within their intervals, so that the model makes the recorded choices; in slices, as
 * check_pass_run. A trial that has started runs to its end, so a slice may take longer. */
s32 check_order_begin(struct kmem_session *s, struct check *c);
s32 check_order_run(struct check *c, u32 *events);
/* Goes back to the recorded order of events if another order of nodes has been found in the meantime; returns 1 if it
 * did. */
int check_order_is_void(struct check *c);
void check_order_drop(struct kmem_session *s, struct check *c);

/* check_json.c: describes the first wrong allocation in words. */
s32 check_why(struct kmem_session *s, struct check *c);

/* check_search.c: finds c->fallback, at once or in slices, as check_pass_run. */
s32 check_fallback(struct kmem_session *s, struct check *c);
/* Give the first order in which the node may ask the others, and the next permutation; 0 after the last one. */
void check_first_order(const struct check *c, u32 node, u8 *order);
int check_next_order(u8 *order, u32 nr);
void check_fallback_begin(struct kmem_session *s, struct check *c);
s32 check_fallback_run(struct kmem_session *s, struct check *c, u32 *events);

/* check_model.c: ends a check that is under way. */
void check_work_drop(struct kmem_session *s, struct check *c);

/* Counts the model's lists that equal the stop state's. */
void check_lists(const struct check *c, u32 cache, const struct run *run, u32 *all, u32 *equal);

#endif
