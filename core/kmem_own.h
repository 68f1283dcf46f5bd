/*
 * kmem_own.h - functions that only Slabscope's own programs call: the command, the page and the tests. It is not installed.
 *
 * The rules of kmem.h about memory, lifetimes, errors, positions and units hold here too. Those marked KMEM_API are in the wasm
 * module.
 */
#ifndef KMEM_OWN_H
#define KMEM_OWN_H

#include "kmem.h"

/*
 * Import
 */

/* After kmem_import_begin: reads events and drops them, so that kmem_import_end leaves no trace. For benchmarks of reading.
 * Errors: ESTATE. */
KMEM_API int32_t kmem_import_dry(struct kmem_session *s);

/* During an import: the caller knows that its bytes are cut off. The report then says so, and an export writes no end line.
 * Not in the wasm module. Errors: ESTATE. */
int32_t kmem_import_cut(struct kmem_session *s);

/* Continues the trace after its first n events (at least 1) with lines of a slabtrace instead of the recorded events, which
 * are kept. The state after n events stays that of the trace, bit for bit. The ID of an object that is live at the fork is
 * the number of the event that allocated it, from 1. A second call replaces the lines of the first. Position: none until
 * the next build. Errors: ESTATE (no trace, or n), EINPUT (a line cannot be read: kmem_error has the reason), ELIMIT (more
 * than KMEM_MAX_FORK_EVENTS), ENOMEM; the trace is then as it was recorded. */
KMEM_API int32_t kmem_fork(struct kmem_session *s, uint32_t n, const uint8_t *lines,
			   uint32_t len_bytes);

/* Ends a fork: the recorded events follow again. Position: none until the next build. Errors: ESTATE (no fork). */
KMEM_API int32_t kmem_fork_leave(struct kmem_session *s);

/* Returns the events that allocated the objects that live at the fork, the latest first, *nr of them and at most max.
 * Position: kept. Errors: NULL and *nr = 0 (ESTATE without a fork or a build, ENOMEM). */
KMEM_API const uint32_t *kmem_fork_objects(struct kmem_session *s, uint32_t max, uint32_t *nr);

/*
 * Import: several files of one machine
 */

enum kmem_merge_limit {
	KMEM_MAX_MERGED_FILES = 256,
	KMEM_MAX_MERGE_PAIRS = 1024, /* overlaps and gaps that are reported */
};

/* A file of a merge. */
struct kmem_merge_file {
	uint64_t events,
		duplicates; /* duplicates: events that an earlier file has too; they count once */
	uint64_t time_first, time_last;
	uint32_t name_at, format_at; /* NUL-terminated text */
	uint32_t cpus;		     /* with events */
	uint32_t time_is_ns;	     /* 1 nanoseconds, 0 ticks */
};

/* Two files that have events of the same CPUs, the earlier one first. */
struct kmem_merge_pair {
	uint64_t from, to; /* time that both have, or that neither has */
	uint32_t a, b;	   /* indices of kmem_merge_files */
	uint32_t overlaps; /* 1: both have that time; 0: a gap */
	uint32_t cpus;	   /* CPUs for which that holds */
};

/* Starts to join several files of one machine on one clock. For each file call kmem_merge_file, then kmem_import_chunk, or
 * kmem_import_by_range and its ranges; then kmem_merge_end. Events are sorted by time; events with equal times keep the
 * order of their file, and an object is allocated before it is freed. Position: none. Errors: ENOMEM. Not in the wasm
 * module. */
int32_t kmem_merge_begin(struct kmem_session *s);

/* Ends the file before it, and starts the next one; NULL starts none. Position: none. Errors: ESTATE, ELIMIT, ENOMEM;
 * EINPUT about the file that ends: it cannot be read, or its clock, kernel or kind of pointers differs from an earlier
 * file's. The merge is then over. */
int32_t kmem_merge_file(struct kmem_session *s, const char *name);

/* Completes the merge: the result is the session's trace, as after kmem_import_end. Position: none. Errors: as
 * kmem_merge_file and kmem_import_end. */
int32_t kmem_merge_end(struct kmem_session *s);

/* Return the files in the order of the calls, and the overlaps and gaps between them, *nr rows. Lifetime: until the next
 * import or merge starts. Position: kept. Errors: NULL and *nr = 0. */
const struct kmem_merge_file *kmem_merge_files(struct kmem_session *s, uint32_t *nr);
const struct kmem_merge_pair *kmem_merge_pairs(struct kmem_session *s, uint32_t *nr);

/*
 * Machine
 */

/* Returns the default of a cost in model cycles: of a step (enum kmem_step_kind), then of cost.LOCK and cost.REMOTE_LINE.
 * Not in the wasm module. Position: kept. Errors: 0 past the last one. */
uint32_t kmem_default_cost(struct kmem_session *s, uint32_t cost);

/* Return the allocators that have a parameter ("slub unified", "machine" or "all"), its meaning, its name in words, and its
 * group: allocator, topology, proposals, rules or debugging. param is its place in kmem_params_json, from 0. Not in the wasm
 * module. Position: kept. Errors: "" for an unknown parameter. */
const char *kmem_param_allocators(struct kmem_session *s, uint32_t param);
const char *kmem_param_meaning(struct kmem_session *s, uint32_t param);
const char *kmem_param_name(struct kmem_session *s, uint32_t param);
const char *kmem_param_group(struct kmem_session *s, uint32_t param);

/* Return a cost's name and its meaning; cost is as for kmem_default_cost. Not in the wasm module. Position: kept.
 * Errors: "" for an unknown one. */
const char *kmem_cost_name(struct kmem_session *s, uint32_t cost);
const char *kmem_cost_meaning(struct kmem_session *s, uint32_t cost);

/* Returns the name and group of every parameter, whether it switches debugging on, and every cost with its name, meaning,
 * default and value in force, as JSON. It overwrites kmem_params_json's text. Position: kept. Errors: none. */
KMEM_API const char *kmem_param_names_json(struct kmem_session *s);

/* Returns 1 if the allocator in force has a parameter. Not in the wasm module. Position: kept. Errors: none. */
uint32_t kmem_has_param(struct kmem_session *s, uint32_t param);

/* Returns 1 if the allocator in force acts on events of that enum kmem_op_kind, other than allocations, frees and settings.
 * Kernels with sheaves know OP_BULK_ALLOC and later; OP_GRACE stands for kfree_rcu() too. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_has_request(struct kmem_session *s, uint32_t kind);

/* Returns 1 if the allocator in force chooses orders, so that kmem_order applies. Not in the wasm module. Position: kept.
 * Errors: none. */
uint32_t kmem_chooses_orders(struct kmem_session *s);

/* Starts to read a machine state that is not shown, as kmem_machine_state_begin does: the next build makes its caches from
 * it, instead of from the shown one. Not in the wasm module. Position: kept, or none. Errors: ENOMEM. */
int32_t kmem_cache_params_begin(struct kmem_session *s);

/* Marks the start of another file. The first cache or alias in a file replaces those of the files before it.
 * Returns 1 if the file that ends here replaced any. Not in the wasm module. Position: kept. Errors: none. */
uint32_t kmem_machine_state_file(struct kmem_session *s);

/* From now on, imports use that file to name caches of accounted objects, for callers who replay nothing. Not in the wasm
 * module. Position: kept. Errors: none. */
void kmem_cache_params_name(struct kmem_session *s);

/* Returns a sentence about what kmem_cache_params_begin's file decides, "" if there is none. Position: kept. Errors: none. */
KMEM_API const char *kmem_cache_params_text(struct kmem_session *s);

/* Returns the row of a cache of the model, found by its name or an alias. Lifetime: as kmem_machine_state_rows. Position:
 * kept. Errors: NULL if the machine has no such cache. Not in the wasm module. */
const struct kmem_machine_state_row *kmem_machine_state_of(struct kmem_session *s, uint32_t cache);

/* Asks two order rules, values of the parameter order_rule, about every cache of the machine state of
 * kmem_machine_state_begin: for pages of page_bytes (a power of two from 4096 to 65536) and this many CPUs. Returns
 * *nr rows in the machine's order; caches whose slot size is unknown are left out. It needs neither trace nor build.
 * Lifetime: until the next call or kmem_machine_state_begin. Position: kept. Errors: NULL and *nr = 0 (EPARAM, ESTATE
 * without a state). */
KMEM_API const struct kmem_order_machine_row *kmem_order_machine(struct kmem_session *s,
								 const char *rule,
								 const char *against,
								 uint32_t page_bytes,
								 uint32_t nr_cpus, uint32_t *nr);

/* Returns the sums of the last kmem_order_machine, all 0 before it. Lifetime: the same. Position: kept. Errors: none. */
KMEM_API const struct kmem_order_machine_totals *kmem_order_machine_totals(struct kmem_session *s);

/* Starts to read a machine state to start with, as kmem_machine_state_begin does: the next build starts with as many slabs,
 * partial lists and objects in use as there were. It is not shown. Not in the wasm module. Position: kept, or none.
 * Errors: ENOMEM. */
int32_t kmem_warm_begin(struct kmem_session *s);

/* Returns a number that is equal for machines with the same start: the same kind, with the same objects; it grows with the
 * number of objects left out. Some machines have to leave out objects: other allocators, debugging, or slots and orders
 * that do not fit the trace's pointers. Their figures cannot be compared with those of others unless kmem_start_limit takes
 * the difference away. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_start_key(struct kmem_session *s);

/* Limits what the next builds start from, an enum kmem_start_limit; LIMIT_NONE at first. Position: kept. Errors: none. */
KMEM_API void kmem_start_limit(struct kmem_session *s, uint32_t limit);

/* Returns a sentence with the worst example if the snapshot that the last build started from contradicts the trace: it is of
 * another kernel, machine or run, and all figures are a guess. "" otherwise. Lifetime: until its next call. Position: kept.
 * Errors: none. */
KMEM_API const char *kmem_start_doubt(struct kmem_session *s);

/*
 * With on = 1 the machine state that is shown becomes the one from before the trace; the next kmem_machine_state_begin
 * reads the one from after it. kmem_warm_use then starts with the one from before. With on = 0 forgets it. Position:
 * kept. Errors: ESTATE if none is shown.
 */
KMEM_API int32_t kmem_machine_state_is_before(struct kmem_session *s, uint32_t on);

/* Returns how the machine's caches changed from the state before to the one that is shown, next to the growth of the
 * model's from before the first event to after the last one, *nr rows. The largest changes of pages come first; caches
 * without any change are left out. Lifetime: until the next call or kmem_machine_state_begin. Position: moves to the last
 * event. Errors: NULL and *nr = 0 (ESTATE: not built, or not two states). */
KMEM_API const struct kmem_growth_row *kmem_growth(struct kmem_session *s, uint32_t *nr);

/* Returns a sentence that says why machine and model changed differently, for row i of the last kmem_growth. Lifetime:
 * until the next call that returns text. Position: kept. Errors: "" for GROWTH_AGREES and for any other i. */
KMEM_API const char *kmem_growth_why(struct kmem_session *s, uint32_t i);

/* Returns the other caches that the kernel has merged with this one, "pid, eventpoll_epi"; the machine state names them by
 * the links of /sys/kernel/slab or slabinfo -a. Lifetime: until the next call that returns text. Position: kept.
 * Errors: "" if none is known. */
KMEM_API const char *kmem_machine_aliases(struct kmem_session *s, const char *cache);

/*
 * Run
 */

/* Returns the bytes of the state at the position, which a keyframe of it needs. Position: kept. Errors: 0 if not built. */
KMEM_API uint64_t kmem_state_bytes(struct kmem_session *s);

/* Checks every object of every cache, as a write to the caches' files `validate` does: kmem_reports. In each slab the first
 * fault is reported and restored. Position: kept. Errors: ESTATE. */
int32_t kmem_validate(struct kmem_session *s);

/* Returns the bytes of the object that kmalloc uses for a request: 0 for 0. Position: kept. Errors: none. */
uint32_t kmem_kmalloc_slot(uint32_t bytes);

/* Returns the memory at an address of the model, as in kmem_object_row. Position: kept. Errors: NULL. */
void *kmem_memory_at(struct kmem_session *s, uint64_t address);

/* Returns the state, *bytes long, for another session with the same parameters. Position: kept. Errors: NULL (ESTATE). */
const void *kmem_state(struct kmem_session *s, uint64_t *bytes);

/* Takes such a state for queries about it, without its memory. The bytes must be those of kmem_state. Position: that of the
 * state. Errors: EPARAM, ENOMEM, EINPUT (another machine, or cut off). */
int32_t kmem_restore(struct kmem_session *s, const void *state, uint64_t bytes);

/*
 * Query
 */

enum { KMEM_MAX_PLACEMENT_COLUMNS = 8 };

/* A column of `slabscope placements`, or a member of its JSON. */
struct kmem_placement_column {
	const char *name; /* static */
	int64_t value;
	uint32_t in_csv, in_json; /* 1: the value is known there */
};

/* Words that `slabscope placements` uses for an allocator. */
struct kmem_placement_words {
	const char *id, *alloc,
		*kmalloc;	 /* static: the column of names, and the two kinds of allocation */
	uint32_t one_state;	 /* 1: slabs serve all caches, which have one state */
	uint32_t totals_by_name; /* 1: counters are sorted by name */
};

/* `slabscope placements` prints columns that depend on the allocator in force. These functions return its words,
 * the columns of one event, the sums beside the counters, and the state of one cache in one line. Columns go to an
 * array of KMEM_MAX_PLACEMENT_COLUMNS, and the functions return how many there are. row is from kmem_op; nr_steps
 * is what kmem_steps returned for that event; unit is the slot size of the first cache at the start. Not in the
 * wasm module. Position: kept.
 * Errors: "" for a state without rows, NULL (ENOMEM). */
struct kmem_placement_words kmem_placement_words(struct kmem_session *s);
uint32_t kmem_placement_columns(struct kmem_session *s, const struct kmem_op_row *row,
				uint32_t nr_steps, uint32_t unit,
				struct kmem_placement_column *columns);
uint32_t kmem_placement_totals(struct kmem_session *s, const struct kmem_totals *t,
			       struct kmem_placement_column *columns);
const char *kmem_placement_state(struct kmem_session *s, uint32_t cache, uint32_t unit);

/* Returns 1 if memory was too small for an answer, since the session was opened. Not in the wasm module. Position: kept.
 * Errors: none. */
int32_t kmem_lacked_memory(struct kmem_session *s);

/* Returns the number of caches so far. Not in the wasm module. Position: kept. Errors: 0 if nothing is built. */
uint32_t kmem_nr_caches(struct kmem_session *s);

/* Returns a fingerprint of the decisions in each of n events from op on: kinds of steps, nodes, and the object's
 * location. Two machines decide alike while their fingerprints are equal. *nr is at most KMEM_MAX_FINGERPRINTS.
 * Position: moves after them.
 * Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const uint32_t *kmem_fingerprints(struct kmem_session *s, uint32_t op, uint32_t n,
					   uint32_t *nr);

/* Returns the first event of the filter's window that is chosen, from event op on; with KMEM_BACK the last one before op. A
 * cache, by its number, narrows that to its own events; KMEM_ANY: all. Position: kept.
 * Errors: KMEM_NONE32 if there is none, no filter, or for a cache no build. */
KMEM_API uint32_t kmem_filter_next(struct kmem_session *s, uint32_t op, uint32_t direction,
				   uint32_t cache);

/* Returns *nr chosen objects of a cache, or of all (KMEM_ANY), that live at the position: slab, index and cache as in
 * kmem_view. Lifetime: until the next call. Position: kept. Errors: NULL and *nr = 0 (ESTATE: no filter, or nothing is
 * built; ENOMEM). */
KMEM_API const struct kmem_entry *kmem_filter_objects(struct kmem_session *s, uint32_t cache,
						      uint32_t *nr);

/* Returns the chosen events among nr from event op on, a bit each, the lowest first, in words of 32 bits. Position: kept.
 * Errors: NULL without a filter, or past the last event (ESTATE, ENOMEM). */
KMEM_API const uint32_t *kmem_filter_bits(struct kmem_session *s, uint32_t op, uint32_t nr);

/* Returns 1 if the allocator in force has that row of kmem_measured; the others read 0. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_has_measure(struct kmem_session *s, uint32_t measured);

/* Returns *nr rows, one per cache whose counters the trace has. Lifetime: the trace's. Position: kept.
 * Errors: NULL and *nr = 0 if it has none. */
KMEM_API const struct kmem_kernel_counters_row *kmem_kernel_counters(struct kmem_session *s,
								     uint32_t *nr);

/* Returns sentence i about how the model up to the position differs from a row, or with KMEM_ANY32 from all rows. ""
 * if that sentence does not apply. Position: kept. Errors: NULL after the last sentence. */
KMEM_API const char *kmem_kernel_counters_why(struct kmem_session *s, uint32_t row, uint32_t i);

/* Returns the caches that lack most of their frees in the trace. Their objects may count as live though they are free, so
 * the model's growth is too high by at most that much. Most bytes first; mostly these are freed by kfree_rcu(). Lifetime:
 * until the next call or import. Position: kept. Errors: none; no row for a sampled trace. */
KMEM_API const struct kmem_unseen_row *kmem_unseen(struct kmem_session *s, uint32_t *nr);

/* Returns the same as sentences, "" without such a cache. Position: kept. Errors: none. */
KMEM_API const char *kmem_unseen_text(struct kmem_session *s);

/* Starts to write the rows of call sites as a gzip-compressed profile for pprof: a location for each call site, values
 * alloc_objects, alloc_space, inuse_objects and inuse_space, and labels for cache, cpu, node and task where these are
 * counted separately. Position: kept. Errors: ESTATE (the call sites are not complete), EPARAM (rows do not separate
 * call sites). */
KMEM_API int32_t kmem_pprof_begin(struct kmem_session *s);

/* Returns the next *nr bytes of the file, 0 at its end. Lifetime: until the next call. Position: kept.
 * Errors: NULL and *nr = 0 (ESTATE: not started, or the call sites were dropped). */
KMEM_API const uint8_t *kmem_pprof_next(struct kmem_session *s, uint32_t *nr);

/*
 * Query: the model against a real kernel
 */

/* For JOB_CHECK, which replays the trace from the start state, each cache alone, and compares every allocation's recorded
 * pointer with the model's slab and index; then once more for each control. The import must have kept pointers, and tasks
 * for infer_order. Position: none. */
struct kmem_check_args {
	uint32_t
		infer_order; /* 1: events may then move within their intervals, until the model makes the recorded choices */
};

/* The state of a real kernel's caches with every slab, its freelist and its list: when the trace began, and when it ended. */
enum kmem_state { KMEM_STATE_START, KMEM_STATE_STOP };

/* Settings that make the model wrong on purpose, for SLUB and for SLAB. A figure that they reach too proves nothing. */
enum kmem_control {
	CONTROL_NONE,
	CONTROL_CPU_LIST,  /* cpu_partial_slabs + 1; limit + 1 */
	CONTROL_THRESHOLD, /* min_partial + 1; batchcount + 1 */
	CONTROL_DRAIN_TO_HEAD, /* drained slabs, or a slab after a free, go to the head of the node partial list */
	NR_CONTROLS
};

enum { KMEM_FALLBACK_NODES = 4 };

/* A cache with events. */
struct kmem_checked_cache {
	const char *name;
	uint32_t events, allocations, right;
	int32_t kernel_slabs, model_slabs; /* slabs at the end less those at the start */
	uint32_t has_kernel_slabs; /* 0: no stop state counts the kernel's, kernel_slabs is 0 */
};

/* An event that took effect elsewhere than its line says. */
struct kmem_checked_move {
	uint32_t op;
	uint32_t
		next_op; /* it took effect before this event of its cache; KMEM_NONE32: at the end */
	uint32_t
		skips_nodes; /* 1: it stays, but did not search other nodes: remote_node_defrag_ratio's chance */
	const char *cache;
};

/* The result of a check. Without a stop state all counts of counters, caches and lists are 0. */
struct kmem_checked {
	uint64_t events, allocations;
	uint64_t right;		 /* allocations in the recorded slab and index */
	uint64_t recorded_right; /* the same in recorded order */
	uint64_t
		by_slab; /* of SLAB: of these, by slab alone: objects that the start state does not name */
	uint64_t
		resynchronised; /* allocations for which the model had to skip its search of other nodes */
	uint64_t moves;		/* events that were moved; a bulk free is one */
	uint64_t
		given_up; /* allocations that no order explains: the model continued from the kernel's objects */
	uint32_t given_up_op; /* the first of them */
	uint32_t cells, within_1_percent,
		within_10_percent; /* counters of a cache that the kernel raised at least 20 times */
	uint32_t caches, within_2; /* caches whose slabs changed as the kernel's did, within 2 */
	uint32_t lists, lists_equal;
	uint64_t control_right[NR_CONTROLS];
	uint32_t proves_nothing; /* 1 << control for each that is as right as the model */
	uint64_t
		parts; /* of events on sheaves, as lines of slub_op report them; 0: events took effect at their lines */
	uint64_t parts_refused; /* parts that the model would not have started in its state */
	uint64_t large, other_caches, odd_pointers, unknown_frees, unseen_frees,
		beside; /* events that were left out, by reason; beside: not between the states, by markers */
	uint32_t has_divergence, divergence_op; /* the first allocation elsewhere */
	const char *kernel, *model, *why;	/* about it */
	const struct kmem_checked_cache *rows;	/* caches with events, as in the start state */
	/* The other nodes in the order in which a node's any-node search asks them, nearest first, found by trying; without
	 * rows it follows from the distances. */
	uint32_t nr_fallback;
	uint8_t fallback[KMEM_FALLBACK_NODES][KMEM_FALLBACK_NODES];
	const struct kmem_checked_move *moved;
	uint32_t nr_rows, nr_moved;
};

/* Starts to read a state as text; which is an enum kmem_state. It lasts until the next one. Position: none. Errors: EPARAM.
 * */
KMEM_API int32_t kmem_state_begin(struct kmem_session *s, uint32_t which);

/* Reads more of it, and the rest. Position: none. Errors: ESTATE, ENOMEM, EINPUT: one sentence about the first line that
 * cannot be right; the state is then dropped. */
KMEM_API int32_t kmem_state_chunk(struct kmem_session *s, const uint8_t *bytes, uint32_t len_bytes);
KMEM_API int32_t kmem_state_end(struct kmem_session *s);

/* Returns 1 if the start state names every object, so that builds can start with it, and 0 for SLAB's, which does not say
 * which objects of a slab are free, or without a start state. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_start_names_objects(const struct kmem_session *s);

/* With on = 1 every build of the trace starts with the slabs, freelists and lists of the start state; an event that frees an
 * object from before the trace then frees it. CPUs, nodes and distances are the state's unless you have set them. The import
 * must have kept pointers. It lasts until another trace is imported. With on = 0 builds start empty. Position: none.
 * Errors: ESTATE, EINPUT, ENOMEM. */
KMEM_API int32_t kmem_start_use(struct kmem_session *s, uint32_t on);

/* Returns the result of the last check. Not in the wasm module. Lifetime: until the next check, state or import. Position:
 * kept. Errors: NULL (ESTATE). */
const struct kmem_checked *kmem_checked(struct kmem_session *s);

/* Returns the setting that a control (enum kmem_control) has wrong for the allocator of the start state, "" for CONTROL_NONE.
 * Not in the wasm module. Position: kept. Errors: none. */
const char *kmem_control_name(const struct kmem_session *s, uint32_t control);

/* Returns the result of the last check as JSON, with the keys of `slabscope check --json`, except trace and divergence.
 * Each cache also has its lists and counters as [number of the counter, kernel, model]. `band` has [allocations, right]
 * of each of 1 to 1024 equal parts of the run. Lifetime: until the next call of this or kmem_check_divergence_json.
 * Position: kept. Errors: NULL (ESTATE, EPARAM, ENOMEM). */
KMEM_API const char *kmem_check_json(struct kmem_session *s, uint32_t parts);

/* Returns the first divergence at or after event from as JSON: event (from 1), cache, kernel, model and why; "null" if
 * there is none. Lifetime: as kmem_check_json. Position: kept. Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const char *kmem_check_divergence_json(struct kmem_session *s, uint32_t from);

/*
 * Studies
 */

/* For JOB_EXPERIMENT, which replaces trace and machine by those of a proposal's experiment; until it is complete, call
 * nothing else. Parameters set by kmem_set apply to every run. Position: none. */
struct kmem_experiment_args {
	const char *proposal; /* its number ("000" to "004") or its name */
	uint32_t scale;	      /* the share of each workload in hundredths, 100 for all */
};

/* Lists the changes of one parameter each that are worth a replay on the machine in force: parameters of its allocator, a
 * few values each, proposals first. Forgets earlier results. Returns how many there are. Position: kept.
 * Errors: ESTATE (no machine is built or measured). */
KMEM_API int32_t kmem_doctor_begin(struct kmem_session *s);

/* Returns these changes, *nr rows. Lifetime: the texts until the next kmem_doctor_begin, the rows until the next call of
 * either function. Position: kept. Errors: NULL and *nr = 0 before kmem_doctor_begin (ESTATE). */
KMEM_API const struct kmem_change *kmem_doctor_changes(struct kmem_session *s, uint32_t *nr);

/* Takes the result of a replay, from kmem_measured of any session: NR_MEASURED values. change KMEM_NONE32 is the replay
 * without a change; values NULL means that the machine is not valid. Position: kept. Errors: ESTATE, EPARAM. */
KMEM_API int32_t kmem_doctor_result(struct kmem_session *s, uint32_t change,
				    const uint64_t *values);

/* Returns the best of the measured changes, *nr rows and at most max: those that save most memory or most slow paths, as
 * parts of what is used without the change. Boot options and settings of a running kernel come first. Numbers of a sampled
 * trace are scaled. A parameter has at most one row for each of the two. Lifetime: as kmem_doctor_changes. Position: kept.
 * Errors: NULL and *nr = 0 (ESTATE). */
KMEM_API const struct kmem_change *kmem_doctor_best(struct kmem_session *s, uint32_t max,
						    uint32_t *nr);

/* Returns NR_DOCTOR_MEASURES numbers of the replay without a change; 0 before its result is known. Position: kept.
 * Errors: NULL (ESTATE). */
KMEM_API const uint64_t *kmem_doctor_base(struct kmem_session *s);

/* Returns the experiment's table. The proposal's figures are there from the start; measured ones, agreement and reasons
 * come at the end. Lifetime: until the next experiment or import. Position: none. Errors: NULL (ESTATE). */
KMEM_API const struct kmem_experiment *kmem_experiment(struct kmem_session *s);

#endif
