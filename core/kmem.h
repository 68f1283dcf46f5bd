/*
 * kmem.h - the public interface of Slabscope's core: replay an allocation trace and ask what the allocator did.
 *
 *	open ── import chunks ── set parameters ── build ─┬─ seek ── steps, view, tables
 *	                               ▲                  │
 *	                               └────── set ◄──────┘  (same trace, another machine: build again)
 *
 * Sections: constants, session, jobs, import, machine, run, query, studies. kmem_doctor.h continues with questions about a
 * trace; kmem_abi.h declares the structs and enums of results. A complete program is example/replay_trace.c. These rules
 * hold for every function, unless its comment differs:
 *
 * Memory    A session lives in one region that the caller provides, and allocates nothing else. The caller reads results
 *           in place and writes nowhere in the region, except where a function returns a place to write to.
 * Lifetime  A result, pointer or string, is valid until the next call with the same session.
 * Offsets   A field whose name ends in _at is an offset in bytes from the start of the region; 0 means "none".
 *           Strings are UTF-8 and end with NUL.
 * Errors    A function that returns int32_t or int64_t fails with a negative enum kmem_status. A function that returns a
 *           pointer fails with NULL. kmem_error() then has a sentence for a person, kmem_fault() the same for a program.
 * Position  The number of events replayed so far. "Position: kept" means that a call does not change it.
 * Numbers   Events, steps, caches, slabs and objects count from 0 here. For people the command counts events from 1, and the
 *           page events and steps. An event is called op in code. KMEM_NONE and KMEM_NONE32 stand for "none".
 * Units     Sizes are bytes; times are nanoseconds, or ticks of the trace's clock (kmem_report.time_is_ns);
 *           costs are cycles of the model, which compare runs and do not predict seconds.
 * Slices    Long work is a job: kmem_begin starts it and kmem_work continues it.
 * Threads   Sessions share nothing. Use one session from one thread at a time.
 */
#ifndef KMEM_H
#define KMEM_H

#include <stdint.h>

/*
 * Constants
 */

/* No cache, CPU or node, in 16 bits; as an argument KMEM_ANY: every cache. */
#define KMEM_NONE 0xffffu
#define KMEM_ANY KMEM_NONE
/* No event, slab, object or number, in 32 bits; as an argument KMEM_ANY32: every one. */
#define KMEM_NONE32 UINT32_C(0xffffffff)
#define KMEM_ANY32 KMEM_NONE32

#include "kmem_abi.h"

enum kmem_status {
	KMEM_OK = 0,
	KMEM_EINPUT = -1,  /* the bytes are not a trace that can be read */
	KMEM_ELIMIT = -2,  /* a limit was exceeded */
	KMEM_ENOMEM = -3,  /* the region is too small */
	KMEM_EPARAM = -4,  /* unknown key, or a value out of range */
	KMEM_ESTATE = -5,  /* called too early, or a position past the end */
	KMEM_EBROKEN = -6, /* an invariant does not hold: a bug in Slabscope */
};

enum kmem_limit {
	KMEM_REGION_ALIGN_BYTES = 65536,
	KMEM_MIN_REGION_BYTES = 4 << 20,
	KMEM_MIN_UNPACK_BYTES = 1 << 20, /* region of kmem_unpack_open */
	KMEM_MAX_CPUS = 4096,
	KMEM_MAX_NODES = 1024,
	KMEM_MAX_CACHES = 4096,
	KMEM_MAX_STEPS = 65536,	      /* steps of one event; a longer event keeps its first steps */
	KMEM_MAX_CONDITIONS = 64,     /* in one search, JOB_FIND */
	KMEM_MAX_LIFE_ROWS = 4096,    /* in one call of kmem_life_rows */
	KMEM_MAX_FINGERPRINTS = 4096, /* in one call of kmem_fingerprints */
	KMEM_MAX_BUGS = 1024,	      /* debug reports kept, kmem_reports */
	KMEM_MAX_TRACKED_CACHES = 16, /* JOB_TRACKS */
	KMEM_MAX_FORK_EVENTS = 4096,  /* events that a fork can add, kmem_fork */
	KMEM_MAX_SITE_ROWS = 65536,   /* kmem_sites */
};

enum kmem_direction { KMEM_FORWARD = 0, KMEM_BACK = 1 };

enum kmem_export_format { KMEM_EXPORT_SLABTRACE = 0, KMEM_EXPORT_FTRACE = 1 };

/* Bits to add to the format. */
enum kmem_export_option {
	KMEM_EXPORT_CHOSEN = 0x100, /* only what the filter chose, JOB_FILTER */
	KMEM_EXPORT_ANONYMOUS =
		0x200, /* site-1, site-2, ... instead of call sites, and task-1, ... instead of tasks */
};

/* Marks what the library exports. A build may define it as something else. */
#ifndef KMEM_API
#define KMEM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct kmem_compare;
struct kmem_session;
struct kmem_unpack;

/*
 * Session
 */

/* Opens a session in the region [base, base + size). base is aligned to KMEM_REGION_ALIGN_BYTES and every byte is 0; size
 * is at least KMEM_MIN_REGION_BYTES, and no more than 4 GiB - 64 KiB is used. Memory is touched only as it is needed, so
 * reserve 256 MiB or more: a machine with kmalloc caches and many CPUs does not fit in the minimum.
 * Lifetime: until kmem_close. Errors: NULL if the region is too small. */
KMEM_API struct kmem_session *kmem_open(void *base, uint64_t size);

/* Ends a session; the region is the caller's again. Only builds with the address sanitizer need this call. */
void kmem_close(struct kmem_session *s);

/* Returns a sentence about the last call that failed, "" if none did. Position: kept. Errors: none. */
KMEM_API const char *kmem_error(struct kmem_session *s);

/*
 * Returns the status, the kind and the parameter of the last failure. Programs should decide by this, never by the
 * words of kmem_error. Position: kept. Errors: none.
 */
KMEM_API const struct kmem_fault *kmem_fault(struct kmem_session *s);

/* Returns a hash of the names, values and offsets in kmem_abi.h, to detect a binding made from another version.
 * Errors: none. */
KMEM_API uint32_t kmem_abi_hash(void);

/*
 * Jobs: long work in slices
 *
 *	kmem_begin(s, JOB, &args);
 *	while (kmem_work(s, JOB, 100000) > 0)
 *		...show progress, answer other calls;
 *
 * Each job, its arguments, and where it leaves the position (JOB_CHECK and JOB_EXPERIMENT are for kmem_own.h):
 *
 * JOB_BUILD         kmem_build_args. The same as kmem_build. Moves to the last event.
 * JOB_WORKLOAD      kmem_workload_args. A generated trace, in place of an import. None until the next build.
 * JOB_MEASURE       None. A replay for its totals alone, kmem_measured, in place of a build; afterwards only the last position
 *                   can be visited.
 * JOB_INDEX         kmem_build_args. The index of the slabs and objects that each event touched, in one more replay. It takes about
 *                   17 bytes per event, at most budget_bytes (0: what is free), and lasts until the next build. Moves.
 * JOB_FIND          kmem_find_args. A search for a step at which one of the conditions holds, kmem_found. With an index it
 *                   skips events where no condition can hold. Moves.
 * JOB_FILTER        kmem_filter_args. Chooses events of the trace, kmem_filter, until the next import or fork. Kept; without memory
 *                   for it the world is dropped and must be built again.
 * JOB_CACHE_SERIES  kmem_cache_args. The metrics of kmem_series for one cache, in one more replay, kmem_cache_series. Moves.
 * JOB_MATRIX        kmem_cache_args. Where the objects of a cache, or of all (KMEM_ANY), are allocated and where they are freed,
 *                   kmem_matrix, in one pass without a replay. An index that starts in between costs a second pass. Moves.
 * JOB_TRACKS        kmem_tracks_args. Counter tracks of the whole trace for Perfetto, kmem_tracks_bytes, in one more replay.
 *                   After each slice there are bytes to take. Moves.
 * JOB_SITES         kmem_sites_args. Counts allocations of each call site and their ends up to the trace's end, kmem_sites. No build
 *                   is necessary; cpus, nodes and cpu_node decide which node a CPU is on. Kept.
 */

struct kmem_build_args {
	uint64_t budget_bytes; /* most bytes of keyframes, or of the index; 0: chosen */
	/* 1: CPUs that work at the same time take events by their clocks, and each CPU and each object keeps its own order.
	 * The order depends on the machine, and on the parameter work. Once every event has run, it becomes the trace's
	 * order and the recorded times are forgotten. */
	uint32_t by_clocks;
};

/* kmem_workloads_json lists names and keys. settings are KEY=VALUE words: keys of the workload, parameters, and preset=NAME,
 * for example "seed=7 scale=2 nodes=4". Equal settings give equal traces on every platform. */
struct kmem_workload_args {
	const char *name, *settings;
};

struct kmem_cache_args {
	uint32_t cache;
};

/* The first step at which a condition holds from step `step` of event op on, or with KMEM_BACK the last one before it. An
 * object is allocated at its event's last step, and freed at the first. */
struct kmem_find_args {
	const struct kmem_condition *conditions;
	uint32_t nr; /* 1 to KMEM_MAX_CONDITIONS */
	uint32_t op, step, direction;
};

/* The keys are from-event, to-event, from-time, to-time, cpu, node, cache, call-site and task. Events count from 1. Times
 * are seconds, or ticks of the trace's clock. CPUs and nodes are lists such as "0-3,7"; a node is the requested one, or
 * else the CPU's. The others are names, separated by commas. In a name * stands for any characters; a call site needs no
 * offset. */
struct kmem_choice {
	const char *key, *value;
};

/* Values of one key widen the filter, different keys narrow it. An allocation must pass every choice, and a free goes with
 * its allocation. */
struct kmem_filter_args {
	const struct kmem_choice *choices;
	uint32_t nr;
};

struct kmem_tracks_args {
	uint32_t cache,
		nr_caches; /* besides all together: one cache, or with KMEM_ANY the nr_caches
				    * (at most KMEM_MAX_TRACKED_CACHES) that took most bytes at their peak */
	uint32_t every;	   /* events between two samples; 0: about 4096 samples */
};

/* by has bits 1 << enum kmem_sites_by: rows that differ in nothing else are joined. Only allocations from one cache, by
 * some tasks, on one CPU, on CPUs of one node or by events from first_op up to, but not including, end_op count: NULL,
 * NULL, KMEM_ANY, KMEM_ANY, 0 and KMEM_NONE32 count all. Give tasks by name, pid or both as in "sh-42", separated by
 * commas; the import must have kept tasks. */
struct kmem_sites_args {
	const char *cache, *task;
	uint32_t by, cpu, node, first_op, end_op;
};

/*
 * Starts an enum kmem_job; args points to its struct, and NULL stands for one that is all 0. Starting a job ends an
 * earlier one of its kind. Position: see above. Errors: ESTATE (no trace, or nothing is built), EPARAM, ENOMEM.
 */
KMEM_API int32_t kmem_begin(struct kmem_session *s, uint32_t job, const void *args);

/* Does about max_ops events of it. Returns how much remains, in events or thousandths of the job, and 0 when it is
 * complete. Other calls and jobs may come in between, unless they change what it works on. Errors: ESTATE (it has not
 * started, or was dropped), ELIMIT, EPARAM, ENOMEM. */
KMEM_API int64_t kmem_work(struct kmem_session *s, uint32_t job, uint32_t max_ops);

/* Does a whole job at once. Not in the wasm module. Errors: as both. */
int32_t kmem_job(struct kmem_session *s, uint32_t job, const void *args);

/*
 * Import: a trace from bytes
 */

/* Starts an import and forgets the trace, the machine and the trace's own settings. Then kmem_import_chunk takes chunks of
 * any size, and kmem_import_end completes the import. The content decides the format.
 * Position: none until the next build. Errors: ENOMEM. */
KMEM_API int32_t kmem_import_begin(struct kmem_session *s);

/* Reads len_bytes more of the trace. A line that cannot be read is a problem in kmem_report, not an error.
 * Errors: ESTATE (no import has started), EINPUT, ELIMIT, ENOMEM; the import is then over. */
KMEM_API int32_t kmem_import_chunk(struct kmem_session *s, const uint8_t *bytes,
				   uint32_t len_bytes);

/* Completes the import. Errors: ESTATE, ELIMIT, ENOMEM; EINPUT if the bytes hold no allocations or frees. Only a
 * slabtrace may be empty. */
KMEM_API int32_t kmem_import_end(struct kmem_session *s);

/* Lets the core choose what to read next, for a caller that can read its file (of file_bytes) at any offset. perf.data and
 * trace.dat then need little memory. Call it after kmem_import_begin; pass chunks from where kmem_import_range says, until
 * that range is empty. Errors: ESTATE. */
KMEM_API int32_t kmem_import_by_range(struct kmem_session *s, uint64_t file_bytes);

/* Returns the range to read next, in bytes of the file; empty when the import needs no more. Errors: none. */
KMEM_API const struct kmem_range *kmem_import_range(struct kmem_session *s);

/* Returns what the import read: counts, times, formats and problems. During an import only its field ops is valid.
 * Lifetime: until the next import starts; its ops field may change. Position: kept. Errors: none. */
KMEM_API const struct kmem_report *kmem_report(struct kmem_session *s);

/* Names the columns of a CSV file; call it between kmem_import_begin and the first chunk. mapping is, for example,
 * "ptr=addr,req=bytes,event=what,unit=us". Each pair is ROLE=COLUMN. A role is a value of enum kmem_role in lower
 * case without ROLE_; a column is its name in the header (in any case) or its number from 1. Write id=COLUMN
 * instead of ptr if objects have names or numbers, not addresses. unit is the time's: ns, us, ms, s or ticks. The
 * header's names decide every role that the mapping leaves out. After any mapping the input is read as CSV; NULL
 * or "" removes the mapping. Errors: ESTATE, EPARAM. */
KMEM_API int32_t kmem_import_columns(struct kmem_session *s, const char *mapping);

/* Returns the header of the last CSV file, also of one that was refused with EINPUT because its columns are not known: which
 * columns exist, what each was read as, and which roles are missing. Position: kept. Errors: none. */
KMEM_API const struct kmem_columns *kmem_columns(struct kmem_session *s);

/* Import: gzip and zstd. Unpacking needs no session but a region of its own. */

/* Opens an unpacker in [base, base + size); base is aligned to KMEM_REGION_ALIGN_BYTES. It uses the window of the data (at
 * most 128 MiB), a quarter of that, and 2 MiB. Lifetime: the region's. Errors: NULL below KMEM_MIN_UNPACK_BYTES. */
KMEM_API struct kmem_unpack *kmem_unpack_open(void *base, uint64_t size);

/* Returns where to write packed bytes, at most *room_bytes. Lifetime: until kmem_unpack_run. Errors: none. */
KMEM_API uint8_t *kmem_unpack_input(struct kmem_unpack *u, uint32_t *room_bytes);

/* Unpacks, after len_bytes were written; is_last is 1 if no more will come. Returns the number of unpacked bytes, below
 * 512 KiB; 0 if it needs more input or, after is_last, is complete. Errors: EINPUT (damaged), ELIMIT (window too large),
 * ENOMEM, ESTATE; everything before the damage has been returned by then. */
KMEM_API int32_t kmem_unpack_run(struct kmem_unpack *u, uint32_t len_bytes, uint32_t is_last);

/* Returns the bytes that kmem_unpack_run has unpacked. Lifetime: until the next call. Errors: none. */
KMEM_API const uint8_t *kmem_unpack_output(struct kmem_unpack *u);

/* Returns how many packed bytes wait to be used. Errors: none. */
KMEM_API uint32_t kmem_unpack_left(struct kmem_unpack *u);

/* Returns a sentence about why kmem_unpack_run failed. Errors: none. */
KMEM_API const char *kmem_unpack_error(struct kmem_unpack *u);

/* Import: a generated trace, and the trace as text */

/* Returns every workload with its keys and their ranges, as JSON. Position: kept. Errors: none. */
KMEM_API const char *kmem_workloads_json(struct kmem_session *s);

/* Writes the next part of the trace as text into buf. format is an enum kmem_export_format, with bits of enum
 * kmem_export_option. *at is 0 at first, and then as the previous call left it. Returns the bytes written, 0 at the end.
 * Position: kept. Errors: ESTATE (no trace, or no filter), EPARAM (format), ELIMIT (buf is shorter than one line), ENOMEM.
 * */
KMEM_API int32_t kmem_export(struct kmem_session *s, uint32_t format, uint32_t *at, uint8_t *buf,
			     uint32_t len_bytes);

/* Import: a fork of the trace */

/*
 * Machine: parameters, presets, and the caches of a real machine
 */

/* Sets a parameter from the next build on. It wins over the trace's own machine line. NULL or "" restores the default.
 * Position: kept. Errors: EPARAM (unknown key or value). */
KMEM_API int32_t kmem_set(struct kmem_session *s, const char *key, const char *value);

/* Sets the parameters as one kernel had them, such as "linux-6.1", from the next build on.
 * Position: kept. Errors: EPARAM (unknown preset). */
KMEM_API int32_t kmem_preset(struct kmem_session *s, const char *name);

/* Sets a machine from one line, ALLOCATOR[,KEY=VALUE...]; preset=NAME is a key too. Each key must belong to the allocator or
 * to every machine. Position: kept. Errors: EPARAM; settings before the wrong one remain. */
KMEM_API int32_t kmem_set_spec(struct kmem_session *s, const char *spec);

/* Checks whether settings contradict each other: before an import those of kmem_set, later the trace's too. A build checks
 * again. Position: kept. Errors: EPARAM. */
KMEM_API int32_t kmem_check_settings(struct kmem_session *s);

/* Returns a parameter's value in force, as kmem_set takes it. Position: kept. Errors: NULL for an unknown key. */
KMEM_API const char *kmem_param(struct kmem_session *s, const char *key);

/* Returns every parameter with its meaning and value, and every preset with the keys that it sets, as JSON.
 * Position: kept. Errors: none. */
KMEM_API const char *kmem_params_json(struct kmem_session *s);

/* Returns CPUs, nodes, page size and the parameters in force, as the machine line of a slabtrace. Position: kept.
 * Errors: none. */
KMEM_API const char *kmem_machine_text(struct kmem_session *s);

/* Returns the kernel that the model follows and why. If the trace names its kernel, the nearest preset that is not newer is
 * in force, unless the caller or the trace chose one. Position: kept. Errors: none. */
KMEM_API const struct kmem_kernel *kmem_kernel(struct kmem_session *s);

/* Starts to read the state of a real machine's caches: /proc/slabinfo, `grep -r . /sys/kernel/slab`, or a table. Chunks of
 * any size follow, then kmem_machine_state_end. The previous state is dropped. If the region is nearly full, the world is
 * dropped too, and must be built again. Position: kept, or none. Errors: ENOMEM. */
KMEM_API int32_t kmem_machine_state_begin(struct kmem_session *s);

/* Reads len_bytes more of the state. Position: kept. Errors: ESTATE. */
KMEM_API int32_t kmem_machine_state_chunk(struct kmem_session *s, const uint8_t *bytes,
					  uint32_t len_bytes);

/* Completes the state. Position: kept. Errors: ESTATE, EINPUT (no cache was found). */
KMEM_API int32_t kmem_machine_state_end(struct kmem_session *s);

/* With on = 1 the next build gives caches of the same names the machine's size, alignment and flags. Its order, thresholds
 * and sheaves apply as well, unless a parameter decides them. Position: kept. */
KMEM_API void kmem_machine_state_use(struct kmem_session *s, uint32_t on);

/* Returns the machine's caches in its order, *nr rows. Lifetime: until the next kmem_machine_state_begin.
 * Position: kept. Errors: NULL and *nr = 0 without a machine state. */
KMEM_API const struct kmem_machine_state_row *kmem_machine_state_rows(struct kmem_session *s,
								      uint32_t *nr);

/*
 * Run: build the machine, replay, move
 */

/* Makes the machine and replays the whole trace once, with keyframes and timeline series. budget_bytes bounds the keyframes;
 * 0 chooses 25 bytes per event, between 4 and 256 MiB. Position: moves to the last event.
 * Errors: ESTATE (no trace), EPARAM (contradictory settings), ENOMEM, ELIMIT. */
KMEM_API int32_t kmem_build(struct kmem_session *s, uint64_t budget_bytes);

/* Returns the number of events in the trace, 0 without one. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_nr_ops(struct kmem_session *s);

/* Returns the position: events replayed, 0 without a build. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_position(struct kmem_session *s);

/* Goes to the state after n events, bit for bit that of a straight replay. Position: moves to n.
 * Errors: ESTATE (not built, or n > kmem_nr_ops), ENOMEM. */
KMEM_API int32_t kmem_seek(struct kmem_session *s, uint32_t n);

/* Replays n more events, or as many as there are, without keyframes; record = 1 also records their steps. Benchmarks time
 * this call. Position: moves n forward. Errors: ESTATE, ENOMEM. */
KMEM_API int32_t kmem_run(struct kmem_session *s, uint32_t n, uint32_t record);

/* Finds the next event of an enum kmem_granularity, of one cache or KMEM_ANY. Returns the position right after that event,
 * kmem_nr_ops if there is none. Position: moves to the result. Errors: 0 if nothing is built. */
KMEM_API uint32_t kmem_next(struct kmem_session *s, uint32_t granularity, uint32_t cache);

/* Finds the previous one. Returns the position right after that event, 0 if there is none. Position: moves backwards, but not
 * to the result; call kmem_seek. Errors: 0 if nothing is built. */
KMEM_API uint32_t kmem_previous(struct kmem_session *s, uint32_t granularity, uint32_t cache);

/* Returns a hash of the whole state: equal states have equal hashes on every platform. Position: kept.
 * Errors: 0 if not built. */
KMEM_API uint64_t kmem_hash(struct kmem_session *s);

/* Checks every invariant of the state and its allocator. Position: kept. Errors: EBROKEN, and kmem_error names the
 * invariant. */
KMEM_API int32_t kmem_check(struct kmem_session *s);

/*
 * Run: the core as an allocator, on memory of the caller. Not in the wasm module.
 */

/* Makes the machine of the parameters in force, empty and without a trace. Its page frames get [memory, memory + bytes),
 * which is aligned to the machine's page and all 0. The memory stays the caller's and may be mapped lazily: only objects in
 * use are touched, and at least a byte of a table for each. The functions below return pointers into it. The state never
 * depends on it. Position: 0, then the number of requests. Errors: EPARAM (parameters, alignment, fewer bytes than
 * kmem_attach_bytes), ENOMEM. */
int32_t kmem_attach(struct kmem_session *s, void *memory, uint64_t bytes);

/* Returns the bytes that kmem_attach needs: page_frames x page_size, and an eighth for its table. Position: kept. Errors:
 * none. */
uint64_t kmem_attach_bytes(struct kmem_session *s);

/* Creates a cache, or finds one to merge with. Returns its number. Position: kept. Errors: ESTATE (not attached), ELIMIT. */
int32_t kmem_create(struct kmem_session *s, const char *name, uint32_t object_bytes,
		    uint32_t align);

/* Allocates on that CPU: an object of a cache, or for KMEM_ANY bytes of a kmalloc cache or of pages. The pointer is a
 * multiple of align, a power of two, and at least of 8; an alignment that the cache does not have makes the request larger.
 * Position: one further. Errors: NULL (ESTATE; ENOMEM: the machine's memory, or the region, is full; EPARAM). */
void *kmem_alloc(struct kmem_session *s, uint32_t cache, uint32_t bytes, uint32_t align,
		 uint32_t cpu);

/* Frees what kmem_alloc returned. With debugging the checks see the memory's own bytes: kmem_reports. Position: one further.
 * Errors: ESTATE; EINPUT: p is not a live object, which sanity_checks report. */
int32_t kmem_free(struct kmem_session *s, void *p, uint32_t cpu);

/* Return how many bytes from p on its owner may use, and how many the allocator was asked for, alignment included.
 * Position: kept. Errors: 0 if p is not a live object. */
uint32_t kmem_usable(struct kmem_session *s, const void *p);
uint32_t kmem_asked(struct kmem_session *s, const void *p);

/* Returns the cache of the object that contains the byte at p, its slab's number and its index there, as kmem_object
 * takes them. Position: kept. Errors: KMEM_NONE if no slab is there. */
uint32_t kmem_pointed(struct kmem_session *s, const void *p, uint32_t *slab, uint32_t *index);

/*
 * Query: events and steps
 */

/* Replays event op and records its steps. Returns their number. Position: moves to op + 1, except when these steps were
 * already recorded. Errors: ESTATE (not built, or op >= kmem_nr_ops), ENOMEM. */
KMEM_API int32_t kmem_steps(struct kmem_session *s, uint32_t op);

/* Returns the steps of the last kmem_steps. Lifetime: until another event is recorded or replayed. Position: kept.
 * Errors: none. */
KMEM_API const struct kmem_step *kmem_step_rows(struct kmem_session *s);

/* Returns a sentence about a step. Position: kept. Errors: none. */
KMEM_API const char *kmem_step_sentence(struct kmem_session *s, const struct kmem_step *step);

/* Returns event op as a row. Position: kept. Errors: NULL if op >= kmem_nr_ops. */
KMEM_API const struct kmem_op_row *kmem_op(struct kmem_session *s, uint32_t op);

/* Returns a sentence about event op, "" if op >= kmem_nr_ops. Position: kept. Errors: none. */
KMEM_API const char *kmem_op_sentence(struct kmem_session *s, uint32_t op);

/* Returns call site i of the trace; "" for an event without one. A name may occur more than once. Lifetime: the trace's.
 * Position: kept. Errors: NULL after the last one. */
KMEM_API const char *kmem_call_site(struct kmem_session *s, uint32_t i);

/* Returns the next event after op from that call site (op = KMEM_NONE32: the first), or with KMEM_BACK the last one before
 * op. Position: kept. Errors: KMEM_NONE32 if there is none. */
KMEM_API uint32_t kmem_next_call(struct kmem_session *s, const char *call_site, uint32_t op,
				 uint32_t direction);

/* Query: the state at the position */

/* Returns slabs, lists, queues and objects as rows, of one cache or KMEM_ANY. Position: kept. Errors: NULL (ESTATE,
 * ENOMEM). */
KMEM_API const struct kmem_frame *kmem_view(struct kmem_session *s, uint32_t cache);

/* Returns the same as it was right after step k of event op. Position: moves to op + 1. Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const struct kmem_frame *kmem_peek(struct kmem_session *s, uint32_t op, uint32_t k,
					    uint32_t cache);

/* Returns *nr rows, one per cache; the row's number is the cache's, in the order of first use. Position: kept.
 * Errors: NULL and *nr = 0. */
KMEM_API const struct kmem_cache_row *kmem_cache_rows(struct kmem_session *s, uint32_t *nr);

/* Returns *nr rows, one per zone. Position: kept. Errors: NULL and *nr = 0. */
KMEM_API const struct kmem_zone_row *kmem_zone_rows(struct kmem_session *s, uint32_t *nr);

/* Returns *nr rows, one per CPU: its clock and where its cycles went. Position: kept. Errors: NULL and *nr = 0. */
KMEM_API const struct kmem_cpu_row *kmem_cpu_rows(struct kmem_session *s, uint32_t *nr);

/* Returns *nr rows, one per lock that was ever taken. Position: kept. Errors: NULL and *nr = 0. */
KMEM_API const struct kmem_lock_row *kmem_lock_rows(struct kmem_session *s, uint32_t *nr);

/* Returns the whole state in numbers; all 0 if nothing is built. Position: kept. Errors: none. */
KMEM_API const struct kmem_totals *kmem_totals(struct kmem_session *s);

/* Returns 1 if the allocator in force has that enum kmem_counter; the others read 0. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_has_counter(struct kmem_session *s, uint32_t counter);

/* Returns one metric (enum kmem_metric) over the whole trace; empty if nothing is built. Lifetime: the row as usual, its numbers until
 * the next build. Position: kept. Errors: none. */
KMEM_API const struct kmem_series *kmem_series(struct kmem_session *s, uint32_t metric);

/* Returns one metric (enum kmem_metric) of that cache; empty until all events have run. Caches that share slabs have those of all
 * caches. Lifetime: the row as usual, its numbers until the next begin or build. Position: kept. Errors: none. */
KMEM_API const struct kmem_series *kmem_cache_series(struct kmem_session *s, uint32_t metric);

/* Return the machine's CPUs, its nodes, and the node of a CPU; 0 if nothing is built. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_nr_cpus(struct kmem_session *s);
KMEM_API uint32_t kmem_nr_nodes(struct kmem_session *s);
KMEM_API uint32_t kmem_node_of_cpu(struct kmem_session *s, uint32_t cpu);

/* Returns one object, named by its cache, its slab's number in the cache and its index in the slab. Position: kept.
 * Errors: NULL if there is none (ESTATE). */
KMEM_API const struct kmem_object_row *kmem_object(struct kmem_session *s, uint32_t cache,
						   uint32_t slab, uint32_t index);

/* Returns the bytes of its slot as *nr runs: the bytes it holds and the bytes it should hold. Position: kept.
 * Errors: NULL and *nr = 0 without such an object, or if the model of this allocator keeps no bytes. */
KMEM_API const struct kmem_byte_run *kmem_object_bytes(struct kmem_session *s, uint32_t cache,
						       uint32_t slab, uint32_t index, uint32_t *nr);

/* Returns *nr debug reports up to the position, oldest first, at most KMEM_MAX_BUGS; *all counts every one. Position: kept.
 * Errors: NULL and *nr = 0 if there is none. */
KMEM_API const struct kmem_bug *kmem_reports(struct kmem_session *s, uint32_t *nr, uint32_t *all);

/* Returns one report as the lines that the kernel prints. Position: kept. Errors: none. */
KMEM_API const char *kmem_report_text(struct kmem_session *s, const struct kmem_bug *bug);

/* Returns the files of a cache in /sys/kernel/slab with their content, *nr rows. Position: kept.
 * Errors: NULL and *nr = 0 if the allocator's kernel has no such files. */
KMEM_API const struct kmem_attribute_row *kmem_attributes(struct kmem_session *s, uint32_t cache,
							  uint32_t *nr);

/* Returns the lines of /proc/slabinfo in the file's order, newest cache first. Position: kept.
 * Errors: NULL and *nr = 0 if the allocator's kernel has no such file. */
KMEM_API const struct kmem_slabinfo_row *kmem_slabinfo(struct kmem_session *s, uint32_t *nr);

/* Returns the whole file as text, "" if there is none. Position: kept. Errors: none. */
KMEM_API const char *kmem_slabinfo_text(struct kmem_session *s);

/* Returns the order rule's answer for a slot of size bytes, by the parameters in force; needs no build. Position: kept.
 * Errors: NULL (EPARAM). */
KMEM_API const struct kmem_order_row *kmem_order(struct kmem_session *s, uint32_t size);

/* Returns the *nr tries of the last kmem_order. Lifetime: until the next kmem_order. Position: kept. Errors: none. */
KMEM_API const struct kmem_order_try *kmem_order_tries(struct kmem_session *s, uint32_t *nr);

/* Query: object history, from the index of the slabs and objects that each event touched */

/* Returns the index's size in bytes, 0 if it is not complete. Position: kept. Errors: none. */
KMEM_API uint64_t kmem_index_bytes(struct kmem_session *s);

/* Returns the history of a cache (slab and index KMEM_ANY32), of a slab (index KMEM_ANY32) or of an object's slot,
 * in numbers.
 * Position: kept. Errors: NULL without an index, or if there never was such a cache, slab or slot (ESTATE). */
KMEM_API const struct kmem_life *kmem_life(struct kmem_session *s, uint32_t cache, uint32_t slab,
					   uint32_t index);

/* Returns events of that history in their order, *nr rows: those from event `from` on, or with KMEM_BACK the last
 * ones before it; at most max, and KMEM_MAX_LIFE_ROWS. Position: kept. Errors: NULL and *nr = 0 (ESTATE, ENOMEM). */
KMEM_API const struct kmem_life_row *kmem_life_rows(struct kmem_session *s, uint32_t cache,
						    uint32_t slab, uint32_t index, uint32_t from,
						    uint32_t direction, uint32_t max, uint32_t *nr);

/* Returns the object that event op allocated, freed or corrupted, and the objects before and after it.
 * An object from before the trace has no alloc_op. Position: kept. Errors: NULL (ESTATE). */
KMEM_API const struct kmem_lifetime *kmem_lifetime(struct kmem_session *s, uint32_t op);

/* Returns the event that last allocated the object in a slot, up to event op, or else the first after it.
 * Position: kept.
 * Errors: KMEM_NONE32 if no event did, or without an index. */
KMEM_API uint32_t kmem_alloc_at(struct kmem_session *s, uint32_t cache, uint32_t slab,
				uint32_t index, uint32_t op);

/* Query: levels, chapters and the next object */

/* Returns the levels of a cache's places from fast to slow, *nr rows, or those of all caches together (KMEM_NONE). With an
 * index each has the allocations that ended there. Lifetime: until the next call. Position: kept. Errors: NULL, *nr = 0
 * (ESTATE). */
KMEM_API const struct kmem_level_row *kmem_levels(struct kmem_session *s, uint32_t cache,
						  uint32_t *nr);

/* Return the path of event op over these levels, and *nr rows: where each of its steps happens, what it does and which slab
 * it moves. The rows are slower: they need the state before the event. Position: after op. Errors: NULL, *nr = 0 (ESTATE,
 * ENOMEM). */
KMEM_API const struct kmem_path *kmem_path(struct kmem_session *s, uint32_t op);
KMEM_API const struct kmem_path_step *kmem_path_steps(struct kmem_session *s, uint32_t op,
						      uint32_t *nr);

/* Returns where the next object lands and what that costs, a row per cache and CPU: of one cache or all (KMEM_NONE), on one
 * CPU or each (KMEM_NONE). The row of the trace's next event has its cache, CPU and node. Position: kept. Errors: NULL, *nr
 * = 0 (ESTATE, ENOMEM). */
KMEM_API const struct kmem_next_object *kmem_next_objects(struct kmem_session *s, uint32_t cache,
							  uint32_t cpu, uint32_t *nr);

/* Return how deep the events of each CPU went among the levels, and the events worth seeing, *nr rows, at most one per enum
 * kmem_chapter_kind. Lifetime: until the next call of the function. Position: kept. Errors: NULL without an index (ESTATE).
 * */
KMEM_API const struct kmem_lanes *kmem_lanes(struct kmem_session *s);
KMEM_API const struct kmem_chapter *kmem_chapters(struct kmem_session *s, uint32_t *nr);

/* Returns what a place holds and how it got there: of one kind, of a CPU (or KMEM_NONE) and on a node (or KMEM_NONE). cache
 * KMEM_NONE: the cache with the most there. Not in the wasm module. Lifetime: until the next call. Position: kept. Errors:
 * NULL without an index or such a place (ESTATE, ENOMEM). */
const struct kmem_why *kmem_why(struct kmem_session *s, uint32_t cache, uint32_t kind, uint32_t cpu,
				uint32_t node);

/* The same about an enum kmem_about: a place of that kind, everything a CPU holds, everything a node has, or the pages of
 * a node (KMEM_NONE: of all nodes). `which` is the target or largest size of the place (KMEM_NONE32: the longest).
 * cache KMEM_NONE: for a place as above, otherwise all caches. Lifetime: until the next call of either function.
 * Position: kept. Errors: as kmem_why. */
KMEM_API const struct kmem_why *kmem_why_about(struct kmem_session *s, uint32_t about,
					       uint32_t cache, uint32_t kind, uint32_t cpu,
					       uint32_t node, uint32_t which);

/* Returns the places of a slab before and after event op; with index also of that object, which a queue may hold.
 * Lifetime: until the next call of this function. Position: after op. Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const struct kmem_move *kmem_move(struct kmem_session *s, uint32_t cache, uint32_t slab,
					   uint32_t index, uint32_t op);

/* Query: search */

/* Returns where a condition holds. Lifetime: until the next search. Position: kept. Errors: NULL if the search found none. */
KMEM_API const struct kmem_found *kmem_found(struct kmem_session *s);

/* Query: the recorded kernel's own counters (slub_stat lines) */

/*
 * Studies: whole replays as numbers
 */

/* Returns the trace's shape: sizes, lifetimes, frees on other CPUs, live objects. Position: kept.
 * Errors: NULL (ESTATE without a trace, ENOMEM). */
KMEM_API const struct kmem_shape *kmem_shape(struct kmem_session *s);

/* Returns *nr = NR_MEASURED rows: one per enum kmem_measure, then one per enum kmem_counter. Lifetime: until the next call of
 * this function. Position: kept. Errors: NULL and *nr = 0 (ESTATE). */
KMEM_API const struct kmem_measured *kmem_measured(struct kmem_session *s, uint32_t *nr);

#ifdef __cplusplus
}
#endif

#include "kmem_doctor.h"

#endif
