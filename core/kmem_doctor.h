/*
 * kmem_doctor.h - the part of the public interface that answers questions about a trace: who allocates, where memory
 * goes, what a setting would save, what a report of the kernel means, and which events to keep.
 *
 * kmem.h includes this file; its rules about memory, lifetimes, errors, positions and units hold here too.
 *
 * Sections: import, machine, the model against a real kernel, query, studies.
 */
#ifndef KMEM_DOCTOR_H
#define KMEM_DOCTOR_H

#include "kmem.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Import: what is kept of each event, and which events
 */

/* Bits for kmem_import_keep. */
enum kmem_keep { KMEM_KEEP_POINTERS = 1, KMEM_KEEP_TASKS = 2, KMEM_KEEP_EFFECTS = 4 };

/* Keeps more of each event than a replay needs; call it between kmem_import_begin and the first chunk. what is a set of
 * enum kmem_keep, or 0. Pointers take 8 bytes an event, tasks 4, and lines of slub_stat and slub_op 40 each. They may take a quarter of the region: beyond that they
 * are dropped, and the import continues. A replay in the order of the CPUs' clocks drops them too. Errors: ESTATE, EPARAM
 * (an unknown bit), ENOMEM. */
KMEM_API int32_t kmem_import_keep(struct kmem_session *s, uint32_t what);

/* Returns what is kept, what did not fit, and the memory that it takes. Position: kept. Errors: none. */
KMEM_API const struct kmem_kept *kmem_kept(struct kmem_session *s);

/* Returns the pointer of event op as the trace has it, hashed or not. An event that the trace does not have, a free that
 * must have happened, has the pointer of its object. Position: kept. Errors: 0 if it is unknown, NULL or was not kept. */
KMEM_API uint64_t kmem_pointer(struct kmem_session *s, uint32_t op);

/* Returns the task of event op as "comm-pid". Position: kept. Errors: "" if it is unknown or was not kept. */
KMEM_API const char *kmem_task(struct kmem_session *s, uint32_t op);
/* Begins a filter, which chooses events of the trace, and forgets the one before. Then kmem_filter_add adds conditions and
 * kmem_filter_run applies them. It lasts until the next import or fork. Position: kept; without memory for it the world is
 * dropped and must be built again. Errors: ESTATE (no trace), ENOMEM. */
KMEM_API int32_t kmem_filter_begin(struct kmem_session *s);

/* Adds a condition. Values of one key widen the filter, different keys narrow it. An allocation must pass every condition, and a
 * free goes with its allocation. Events count from 1. Times are seconds, or ticks of the trace's clock. The keys are from-event,
 * to-event, from-time, to-time, cpu, node, cache, call-site and task. CPUs and nodes are lists such as "0-3,7"; a node is the one requested, or that of the CPU. The others are
 * names, several between commas. In a name * stands for any characters; a call site needs no offset.
 * Position: kept.
 * Errors: ESTATE (no filter has begun), EPARAM (unknown key; a value that cannot be read, or that the trace does not have). */
KMEM_API int32_t kmem_filter_add(struct kmem_session *s, const char *key, const char *value);

/* Applies the conditions to about max_ops events. Returns the events that remain. Position: kept. Errors: ESTATE. */
KMEM_API int64_t kmem_filter_run(struct kmem_session *s, uint32_t max_ops);

/* Chooses every event again. Position: kept. Errors: none. */
KMEM_API void kmem_filter_end(struct kmem_session *s);

/* Returns what the filter chose. Position: kept. Errors: NULL unless a filter has run to its end. */
KMEM_API const struct kmem_filter *kmem_filter(struct kmem_session *s);

/* Returns the first event of the filter's window that is chosen, from event op on; with KMEM_BACK the last one before op. A
 * cache, by its number, narrows that to its own events; KMEM_ANY: all. Position: kept.
 * Errors: KMEM_NONE32 if there is none, no filter, or for a cache no build. */
KMEM_API uint32_t kmem_filter_next(struct kmem_session *s, uint32_t op, uint32_t direction,
				   uint32_t cache);

/* Returns *nr chosen objects of a cache, or of all (KMEM_ANY), that live at the position: slab, index and cache as in kmem_view.
 * Lifetime: until the next call. Position: kept. Errors: NULL and *nr = 0 (ESTATE: no filter, or nothing is built; ENOMEM). */
KMEM_API const struct kmem_entry *kmem_filter_objects(struct kmem_session *s, uint32_t cache,
						      uint32_t *nr);

/* Returns the chosen events among nr from event op on, a bit each, the lowest first, in words of 32 bits. Position: kept.
 * Errors: NULL without a filter, or past the last event (ESTATE, ENOMEM). */
KMEM_API const uint32_t *kmem_filter_bits(struct kmem_session *s, uint32_t op, uint32_t nr);

/* Import: several files of one machine */

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

/* Begins to join several files of one machine on one clock. For each file call kmem_merge_file, then kmem_import_chunk, or
 * kmem_import_by_range and its ranges; then kmem_merge_end. Events are sorted by time; those of one time keep the order of
 * their file, and an object is allocated before it is freed. Position: none. Errors: ENOMEM. Not in the wasm module. */
int32_t kmem_merge_begin(struct kmem_session *s);

/* Ends the file before it, and begins the next one; NULL begins none. Position: none. Errors: ESTATE, ELIMIT, ENOMEM;
 * EINPUT about the file that ends: it cannot be read, or its clock, kernel or kind of pointers differs from an earlier
 * file's. The merge is then over. */
int32_t kmem_merge_file(struct kmem_session *s, const char *name);

/* Completes the merge: the result is the session's trace, as after kmem_import_end. Position: none. Errors: as
 * kmem_merge_file and kmem_import_end. */
int32_t kmem_merge_end(struct kmem_session *s);

/* Return the files in the order of the calls, and the overlaps and gaps between them, *nr rows. Lifetime: until the next import or
 * merge begins. Position: kept. Errors: NULL and *nr = 0. */
const struct kmem_merge_file *kmem_merge_files(struct kmem_session *s, uint32_t *nr);
const struct kmem_merge_pair *kmem_merge_pairs(struct kmem_session *s, uint32_t *nr);

/* Import: names of call sites */

/* Begins to read the symbols of the kernel that recorded the trace, as /proc/kallsyms or System.map has them. They name the
 * call sites that the trace has as addresses. Memory depends on the trace, not on the file. Position: the world is dropped and
 * must be built again. Errors: ESTATE (no trace, or it is forked), ENOMEM. */
KMEM_API int32_t kmem_symbols_begin(struct kmem_session *s);

/* Reads bytes of the file, cut anywhere. Position: kept. Errors: ESTATE. */
KMEM_API int32_t kmem_symbols_chunk(struct kmem_session *s, const uint8_t *bytes,
				    uint32_t len_bytes);

/* Names each address that lies in a function as symbol+0xoffset/0xsize, with [module] behind it, as ftrace prints it. Returns how
 * many different addresses got a name; 0 if the trace has none. Lifetime: ends that of every text and row.
 * Position: kept. Errors: ESTATE, ENOMEM; EINPUT: the file has no symbols, only addresses 0, or does not fit the
 * trace, because half of its addresses or more lie in no function. The call sites then stay as they are. */
KMEM_API int64_t kmem_symbols_end(struct kmem_session *s);

/*
 * Machine: the caches of a real machine, and starting from its state
 */

/* Asks two order rules, values of the parameter order_rule, about every cache of the machine state of
 * kmem_machine_state_begin: for pages of page_bytes (a power of two from 4096 to 65536) and that many CPUs. Returns *nr rows
 * in the machine's order; caches whose slot size is unknown are left out. It needs neither trace nor build. Lifetime: until
 * the next call or kmem_machine_state_begin. Position: kept. Errors: NULL and *nr = 0 (EPARAM, ESTATE without a state). */
KMEM_API const struct kmem_order_machine_row *kmem_order_machine(struct kmem_session *s,
								 const char *rule,
								 const char *against,
								 uint32_t page_bytes,
								 uint32_t nr_cpus, uint32_t *nr);

/* Returns the sums of the last kmem_order_machine, all 0 before it. Lifetime: the same. Position: kept. Errors: none. */
KMEM_API const struct kmem_order_machine_totals *kmem_order_machine_totals(struct kmem_session *s);

/* Begins to read a machine state to begin with, as kmem_machine_state_begin does: the next build begins with as many slabs,
 * partial lists and objects in use as there were. It is not shown. Not in the wasm module. Position: kept, or none.
 * Errors: ENOMEM. */
int32_t kmem_warm_begin(struct kmem_session *s);

/* With on = 1 the next build begins with the machine state that is shown. Position: kept. Errors: none. */
KMEM_API void kmem_warm_use(struct kmem_session *s, uint32_t on);

/* With on = 1 the next build of a trace with real pointers begins with slabs that these show: a free of an object that the
 * trace does not allocate, and an allocation in a slab that was not new. Such a free then frees the inferred object. A
 * machine state or start state to begin with wins. Off at first. Position: kept. Errors: none. */
KMEM_API void kmem_infer_use(struct kmem_session *s, uint32_t on);

/* Returns what the last build made before the first event; all 0 after a cold start. These slabs are the machine's: no event
 * made them, no counter has them, and objects of a machine state are never freed (kmem_slab_row.inferred). Position: kept.
 * Errors: none. */
KMEM_API const struct kmem_warm *kmem_warm(struct kmem_session *s);

/* Returns an enum kmem_start_from: what the last build started from; START_BEGINNING without a trace, because the machine of
 * a program that runs on the core was empty. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_start_from(struct kmem_session *s);

/* Returns a sentence with the worst example if the snapshot that the last build started from contradicts the trace: it is of
 * another kernel, machine or run, and all figures are a guess. "" otherwise. Lifetime: until its next call. Position: kept.
 * Errors: none. */
KMEM_API const char *kmem_start_doubt(struct kmem_session *s);

/* Returns a number that is the same for machines that start alike: from the same kind of start, with the same objects of it;
 * it is larger for those that leave out more objects.
 * Some machines cannot: other allocators, debugging, or slots and orders for which the trace's pointers do not fit. Their
 * figures cannot be compared with those of others unless kmem_start_limit takes the difference away. Position: kept.
 * Errors: none. */
KMEM_API uint32_t kmem_start_key(struct kmem_session *s);

/* Limits what the next builds start from, an enum kmem_start_limit; LIMIT_NONE at first. Position: kept. Errors: none. */
KMEM_API void kmem_start_limit(struct kmem_session *s, uint32_t limit);

/* Returns the enum kmem_from of every total that depends on the start: FROM_KNOWN_START, or FROM_GUESS if one cache of it is
 * a guess. Requested bytes and live objects are FROM_MEASURED whatever the start was. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_from(struct kmem_session *s);

/* The same of one cache: FROM_GUESS too if the file of the start lacks it. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_from_of(struct kmem_session *s, uint32_t cache);

/* Returns a sentence about the start, which says what it is and how much is in it; "" without a build. Position: kept.
 * Errors: none. */
KMEM_API const char *kmem_warm_text(struct kmem_session *s);

/*
 * Query: the model against a real kernel
 */

/* Returns event op in two sentences: what happened, and what it cost or why. Lifetime: until the next call. Position: behind op.
 * Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const struct kmem_caption *kmem_caption(struct kmem_session *s, uint32_t op);

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
		next_op; /* it took effect in front of this event of its cache; KMEM_NONE32: at the end */
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
		given_up; /* allocations that no order explains: the model went on from the kernel's objects */
	uint32_t given_up_op; /* the first of them */
	uint32_t cells, within_1_percent,
		within_10_percent; /* counters of a cache that the kernel raised at least 20 times */
	uint32_t caches, within_2; /* caches whose slabs changed as the kernel's did, within 2 */
	uint32_t lists, lists_equal;
	uint64_t control_right[NR_CONTROLS];
	uint32_t proves_nothing; /* 1 << control for each that is as right as the model */
	uint64_t
		parts; /* of events on sheaves, as lines of slub_op report them; 0: events took effect at their lines */
	uint64_t parts_refused; /* parts that the model would not have begun in its state */
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

/* Begins to read a state as text; which is an enum kmem_state. It lasts until the next one. Position: none. Errors: EPARAM. */
KMEM_API int32_t kmem_state_begin(struct kmem_session *s, uint32_t which);

/* Reads more of it, and the rest. Position: none. Errors: ESTATE, ENOMEM, EINPUT: one sentence about the first line that
 * cannot be right; the state is then dropped. */
KMEM_API int32_t kmem_state_chunk(struct kmem_session *s, const uint8_t *bytes, uint32_t len_bytes);
KMEM_API int32_t kmem_state_end(struct kmem_session *s);

/* Returns 1 if the start state names every object, so that builds can begin with it, and 0 for SLAB's, which does not say which
 * objects of a slab are free, or without a start state. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_start_names_objects(const struct kmem_session *s);

/* With on = 1 every build of the trace begins with the slabs, freelists and lists of the start state; an event that frees an
 * object from before the trace then frees it. CPUs, nodes and distances are the state's unless somebody set them. The import
 * must have kept pointers. It lasts until another trace is imported. With on = 0 builds begin empty. Position: none.
 * Errors: ESTATE, EINPUT, ENOMEM. */
KMEM_API int32_t kmem_start_use(struct kmem_session *s, uint32_t on);

/* Begins a check: replays the trace from the start state, each cache alone, and compares every allocation's recorded pointer with the
 * model's slab and index; then once more for each control. With infer_order 1 events then move within their intervals, so
 * that the model makes the recorded choices. The import must have kept pointers, and tasks for that. kmem_check_run follows.
 * Position: none. Errors: ESTATE, EINPUT, ENOMEM. */
KMEM_API int32_t kmem_check_begin(struct kmem_session *s, uint32_t infer_order);

/* Goes on with it for about so many events. Returns the thousandths of the work to go, as an estimate; 0: it is complete.
 * Position: none. Errors: ESTATE (no check has begun, or another call interrupted it), EINPUT, ENOMEM. */
KMEM_API int32_t kmem_check_run(struct kmem_session *s, uint32_t events);

/* Does both at once. Not in the wasm module. Lifetime: until the next check, state or import. Position: none.
 * Errors: NULL (ESTATE, EINPUT, ENOMEM). */
const struct kmem_checked *kmem_check_model(struct kmem_session *s, uint32_t infer_order);

/* Returns the setting that a control (enum kmem_control) has wrong for the allocator of the start state, "" for CONTROL_NONE.
 * Not in the wasm module. Position: kept. Errors: none. */
const char *kmem_control_name(const struct kmem_session *s, uint32_t control);

/* Returns the result of the last check as JSON, with the keys of `slabscope check --json`, except trace and divergence.
 * Each cache also has its lists and counters as [number of the counter, kernel, model]. `band` has [allocations, right]
 * of each of 1 to 1024 equal parts of the run. Lifetime: until the next call of this or kmem_check_divergence_json.
 * Position: kept. Errors: NULL (ESTATE, EPARAM, ENOMEM). */
KMEM_API const char *kmem_check_json(struct kmem_session *s, uint32_t parts);

/* Returns the first divergence at or behind event from as JSON: event (from 1), cache, kernel, model and why; "null" if there is
 * none. Lifetime: as kmem_check_json. Position: kept. Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const char *kmem_check_divergence_json(struct kmem_session *s, uint32_t from);

/* With on = 1 the machine state that is shown becomes the one before; the next kmem_machine_state_begin reads the one after.
 * kmem_warm_use then begins with the one before. With on = 0 forgets it. Position: kept. Errors: ESTATE if none is shown. */
KMEM_API int32_t kmem_machine_state_is_before(struct kmem_session *s, uint32_t on);

/* Returns how the machine's caches changed from the state before to the one that is shown, beside the growth of the model's
 * from before the first event to behind the last one, *nr rows. The largest changes of pages come first; caches without any
 * change are left out. Lifetime: until the next call or kmem_machine_state_begin. Position: moves to the last event.
 * Errors: NULL and *nr = 0 (ESTATE: not built, or not two states). */
KMEM_API const struct kmem_growth_row *kmem_growth(struct kmem_session *s, uint32_t *nr);

/* Returns a sentence that says why machine and model changed differently, for row i of the last kmem_growth. Lifetime: until the
 * next call that returns text. Position: kept. Errors: "" for GROWTH_AGREES and for any other i. */
KMEM_API const char *kmem_growth_why(struct kmem_session *s, uint32_t i);

/* Returns the other caches that the kernel has merged with this one, "pid, eventpoll_epi"; the machine state names them by
 * the links of /sys/kernel/slab or slabinfo -a. Lifetime: until the next call that returns text. Position: kept.
 * Errors: "" if none is known. */
KMEM_API const char *kmem_machine_aliases(struct kmem_session *s, const char *cache);

/*
 * Query: call sites, memory, reports
 */

/* Returns a sentence about the memory that the trace measures, whatever the start was: the most bytes that live objects
 * request at once, and those at the end; "" if no object is requested or memory is short. Position: kept. Errors: none. */
KMEM_API const char *kmem_measured_text(struct kmem_session *s);

/* Returns where memory goes at the position, *nr rows: the parts of one cache, or with KMEM_ANY those of each cache and
 * then of all caches together. The last row of each is PART_PAGES, the sum of the others; a part without bytes has no row.
 * Lifetime: until the next call. Position: kept. Errors: NULL and *nr = 0 (ESTATE, ENOMEM). */
KMEM_API const struct kmem_memory_row *kmem_memory(struct kmem_session *s, uint32_t cache,
						   uint32_t *nr);

/* Returns two sentences about where memory goes at the position: the largest parts, and the largest caches. Lifetime: until the
 * next call. Position: kept. Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const char *kmem_memory_sentences(struct kmem_session *s);

/* Begins to count where the objects of a cache, or of all (KMEM_ANY), are allocated and where they are freed, in one pass over
 * the trace without a replay. An index that begins in between costs a second pass. Position: moves to the last event.
 * Errors: ESTATE (not built), ENOMEM. */
KMEM_API int32_t kmem_matrix_begin(struct kmem_session *s, uint32_t cache);

/* Continues it. Returns the events that remain. Position: kept. Errors: ESTATE, ENOMEM. */
KMEM_API int64_t kmem_matrix_run(struct kmem_session *s, uint32_t max_ops);

/* Returns the matrix by enum kmem_matrix_by. Position: kept. Errors: NULL (ESTATE before all events have been counted,
 * ENOMEM). */
KMEM_API const struct kmem_matrix *kmem_matrix(struct kmem_session *s, uint32_t by);

/* Finds counter tracks of the whole trace in one more replay: slab bytes, bytes in no request, live objects, slabs, partial
 * slabs and slow paths. One group is all caches together. Others are one cache, or with KMEM_ANY the nr_caches (at most
 * KMEM_MAX_TRACKED_CACHES) whose slabs took most bytes at their peak. They are measured after every so many events, 0: about
 * 4096 times, and at the end. _run runs at most max_ops events, fewer when its bytes are full, and returns how many are left.
 * Position: moves. Errors: ESTATE (not built, not begun), EPARAM, ENOMEM. */
KMEM_API int32_t kmem_tracks_begin(struct kmem_session *s, uint32_t cache, uint32_t nr_caches,
				   uint32_t every);
KMEM_API int64_t kmem_tracks_run(struct kmem_session *s, uint32_t max_ops);

/* Returns the *nr bytes that the last run added to a Perfetto trace; all of them in order are the file. Values that do not
 * change are left out. Times are those of the trace, or event numbers if it has none. Lifetime: until the next run.
 * Position: kept. Errors: none. */
KMEM_API const uint8_t *kmem_tracks_bytes(struct kmem_session *s, uint32_t *nr);

enum { KMEM_MAX_LOOKUP_BYTES = 65536 }; /* of a text for kmem_lookup */

/* Looks up what dmesg says: text is a pointer alone (0xffff888003a9d040, with or without 0x), or one report of SLUB's
 * debugging or of KASAN, with or without times in front of its lines. Returns what the text says and the lives of objects
 * that match it: by address if the import kept pointers, otherwise candidates by cache, call sites, CPUs, pids and times.
 * Addresses of arm64 match, and are returned, without the tag in their top byte.
 * It passes over all events a few times and needs no build. Lifetime: until the next kmem_lookup or import.
 * Position: kept. Errors: NULL (ESTATE without a trace, ELIMIT, ENOMEM). A text that is neither has the kind LOOKUP_NOTHING. */
KMEM_API const struct kmem_lookup *kmem_lookup(struct kmem_session *s, const uint8_t *text,
					       uint32_t len_bytes);

/* Returns the first event from event op on that has this recorded pointer, whatever its tag on arm64, or with KMEM_BACK the
 * last one before it.
 * Position: kept. Errors: KMEM_NONE32 if there is none, or pointers were not kept. */
KMEM_API uint32_t kmem_find_pointer(struct kmem_session *s, uint64_t pointer, uint32_t op,
				    uint32_t direction);

/* Begins to count what each call site allocated and what became of it until the trace's end. by has bits 1 << enum
 * kmem_sites_by: rows that differ in nothing else are one. Only allocations from one cache, on one CPU, on CPUs of one node,
 * by some tasks or by events from first_op up to, but not including, end_op count: NULL, KMEM_ANY, KMEM_ANY, NULL, 0 and
 * KMEM_NONE32 count all. Tasks are meant by name, pid or both as in "sh-42", with commas between them; the import must
 * have kept tasks. No build is necessary; cpus, nodes and cpu_node decide which node a CPU is on. Position: kept. Errors: ESTATE (no trace, or a build that is not complete), EPARAM, ELIMIT, ENOMEM. */
KMEM_API int32_t kmem_sites_begin(struct kmem_session *s, uint32_t by, const char *cache,
				  uint32_t cpu, uint32_t node, const char *task, uint32_t first_op,
				  uint32_t end_op);

/* Continues by about max_ops events. Returns the events that remain. Position: kept. Errors: ESTATE (not begun, or
 * dropped by a new index), ELIMIT (more than KMEM_MAX_SITE_ROWS rows). */
KMEM_API int64_t kmem_sites_run(struct kmem_session *s, uint32_t max_ops);

/* Returns the rows. Lifetime: until the next kmem_sites_begin, index, build or import. Position: kept.
 * Errors: NULL (ESTATE: not complete). */
KMEM_API const struct kmem_sites *kmem_sites(struct kmem_session *s);

/* Returns why the live objects of a cache count as leak suspects or not; cache is a row of kmem_sites.caches_at.
 * Position: kept. Errors: "" for an unknown cache, or before the rows are complete. */
KMEM_API const char *kmem_sites_why(struct kmem_session *s, uint32_t cache);

/* Returns the caches that lack most of their frees in the trace. Their objects may count as live though they are free: the
 * model's growth is too high by as much at most. Most bytes first; those of kfree_rcu() above all. Lifetime: until the
 * next call or import. Position: kept. Errors: none; no row for a sampled trace. */
KMEM_API const struct kmem_unseen_row *kmem_unseen(struct kmem_session *s, uint32_t *nr);

/* Returns the same as sentences, "" without such a cache. Position: kept. Errors: none. */
KMEM_API const char *kmem_unseen_text(struct kmem_session *s);

/* Begins to write the rows of call sites as a gzip-compressed profile for pprof: a location for each call site, values
 * alloc_objects, alloc_space, inuse_objects and inuse_space, and labels for cache, cpu, node and task where these are kept
 * apart. Position: kept. Errors: ESTATE (the call sites are not complete), EPARAM (rows do not keep call sites apart). */
KMEM_API int32_t kmem_pprof_begin(struct kmem_session *s);

/* Returns the next *nr bytes of the file, 0 at its end. Lifetime: until the next call. Position: kept.
 * Errors: NULL and *nr = 0 (ESTATE: not begun, or the call sites were dropped). */
KMEM_API const uint8_t *kmem_pprof_next(struct kmem_session *s, uint32_t *nr);

/*
 * Studies: what a setting would save
 */

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
 * parts of what is used without the change. Boot options and settings of a running kernel come first. Numbers of a sampled trace are
 * scaled. A parameter has at
 * most one row for each of the two. Lifetime: as kmem_doctor_changes. Position: kept. Errors: NULL and *nr = 0 (ESTATE). */
KMEM_API const struct kmem_change *kmem_doctor_best(struct kmem_session *s, uint32_t max,
						    uint32_t *nr);

/* Returns NR_DOCTOR_MEASURES numbers of the replay without a change; 0 before its result is known. Position: kept.
 * Errors: NULL (ESTATE). */
KMEM_API const uint64_t *kmem_doctor_base(struct kmem_session *s);

#ifdef __cplusplus
}
#endif

#endif
