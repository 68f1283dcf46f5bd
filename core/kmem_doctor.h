/*
 * kmem_doctor.h - the part of the public interface that answers questions about a trace: who allocates, where memory
 * goes, what a setting would save, what a kernel report means, and which events to keep.
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
 * enum kmem_keep, or 0. Pointers take 8 bytes per event, tasks 4, and lines of slub_stat and slub_op 40 each. They
 * may take a quarter of the region: beyond that they are dropped, and the import continues. A replay in the order of
 * the CPUs' clocks drops them too. Errors: ESTATE, EPARAM (an unknown bit), ENOMEM. */
KMEM_API int32_t kmem_import_keep(struct kmem_session *s, uint32_t what);

/* Returns what is kept, what did not fit, and the memory that it takes. Position: kept. Errors: none. */
KMEM_API const struct kmem_kept *kmem_kept(struct kmem_session *s);

/* Returns the pointer of event op as the trace has it, hashed or not. An event that the trace does not have, a free that
 * must have happened, has the pointer of its object. Position: kept. Errors: 0 if it is unknown, NULL or was not kept. */
KMEM_API uint64_t kmem_pointer(struct kmem_session *s, uint32_t op);

/* Returns the task of event op as "comm-pid". Position: kept. Errors: "" if it is unknown or was not kept. */
KMEM_API const char *kmem_task(struct kmem_session *s, uint32_t op);

/* Chooses every event again. Position: kept. Errors: none. */
KMEM_API void kmem_filter_end(struct kmem_session *s);

/* Returns what the filter chose. Position: kept. Errors: NULL unless a filter has run to its end. */
KMEM_API const struct kmem_filter *kmem_filter(struct kmem_session *s);

/* Import: several files of one machine */

/* Import: names of call sites */

/* Starts to read the symbols of the kernel that recorded the trace, as /proc/kallsyms or System.map has them. They name the
 * call sites that the trace has as addresses. Memory depends on the trace, not on the file. Position: the world is dropped
 * and must be built again. Errors: ESTATE (no trace, or it is forked), ENOMEM. */
KMEM_API int32_t kmem_symbols_begin(struct kmem_session *s);

/* Reads bytes of the file, cut anywhere. Position: kept. Errors: ESTATE. */
KMEM_API int32_t kmem_symbols_chunk(struct kmem_session *s, const uint8_t *bytes,
				    uint32_t len_bytes);

/* Names each address that lies in a function as symbol+0xoffset/0xsize, with [module] after it, as ftrace prints it.
 * Returns how many different addresses got a name; 0 if the trace has none. Lifetime: ends that of every text and row.
 * Position: kept. Errors: ESTATE, ENOMEM; EINPUT: the file has no symbols, only addresses 0, or does not fit the trace,
 * because half of its addresses or more lie in no function. The call sites then stay as they are. */
KMEM_API int64_t kmem_symbols_end(struct kmem_session *s);

/*
 * Machine: the caches of a real machine, and starting from its state
 */

/* With on = 1 the next build starts with the machine state that is shown. Position: kept. Errors: none. */
KMEM_API void kmem_warm_use(struct kmem_session *s, uint32_t on);

/* With on = 1 the next build of a trace with real pointers starts with slabs that these show: a free of an object that the
 * trace does not allocate, and an allocation in a slab that was not new. Such a free then frees the inferred object. A
 * machine state or start state to start with wins. Off at first. Position: kept. Errors: none. */
KMEM_API void kmem_infer_use(struct kmem_session *s, uint32_t on);

/* Returns what the last build made before the first event; all 0 after an empty start. These slabs are the machine's: no
 * event made them, no counter has them, and objects of a machine state are never freed (kmem_slab_row.inferred).
 * Position: kept. Errors: none. */
KMEM_API const struct kmem_warm *kmem_warm(struct kmem_session *s);

/* Returns an enum kmem_start_from: what the last build started from; START_BEGINNING without a trace, because the machine of
 * a program that runs on the core was empty. Position: kept. Errors: none. */
KMEM_API uint32_t kmem_start_from(struct kmem_session *s);

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

/* Returns event op in two sentences: what happened, and what it cost or why. Lifetime: until the next call. Position: after
 * op. Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const struct kmem_caption *kmem_caption(struct kmem_session *s, uint32_t op);

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

/* Returns two sentences about where memory goes at the position: the largest parts, and the largest caches. Lifetime: until
 * the next call. Position: kept. Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const char *kmem_memory_sentences(struct kmem_session *s);

/* Returns the matrix by enum kmem_matrix_by. Position: kept. Errors: NULL (ESTATE before all events have been counted,
 * ENOMEM). */
KMEM_API const struct kmem_matrix *kmem_matrix(struct kmem_session *s, uint32_t by);

/* Returns the *nr bytes that the last run added to a Perfetto trace; all of them in order are the file. Values that do not
 * change are left out. Times come from the trace, or are event numbers if it has none. Lifetime: until the next run.
 * Position: kept. Errors: none. */
KMEM_API const uint8_t *kmem_tracks_bytes(struct kmem_session *s, uint32_t *nr);

enum { KMEM_MAX_LOOKUP_BYTES = 65536 }; /* of a text for kmem_lookup */

/* Looks up what dmesg says: text is a pointer alone (0xffff888003a9d040, with or without 0x), or one report of SLUB's
 * debugging or of KASAN, with or without times before its lines. Returns what the text says and the lives of objects that
 * match it: by address if the import kept pointers, otherwise candidates by cache, call sites, CPUs, pids and times.
 * Addresses of arm64 match, and are returned, without the tag in their top byte. It passes over all events a few times and
 * needs no build. Lifetime: until the next kmem_lookup or import. Position: kept. Errors: NULL (ESTATE without a trace,
 * ELIMIT, ENOMEM). A text that is neither has the kind LOOKUP_NOTHING. */
KMEM_API const struct kmem_lookup *kmem_lookup(struct kmem_session *s, const uint8_t *text,
					       uint32_t len_bytes);

/* Returns the first event from event op on that has this recorded pointer, whatever its tag on arm64, or with KMEM_BACK the
 * last one before it.
 * Position: kept. Errors: KMEM_NONE32 if there is none, or pointers were not kept. */
KMEM_API uint32_t kmem_find_pointer(struct kmem_session *s, uint64_t pointer, uint32_t op,
				    uint32_t direction);

/* Returns the rows. Lifetime: until the next JOB_SITES, index, build or import. Position: kept.
 * Errors: NULL (ESTATE: not complete). */
KMEM_API const struct kmem_sites *kmem_sites(struct kmem_session *s);

/* Returns why the live objects of a cache count as leak suspects or not; cache is a row of kmem_sites.caches_at.
 * Position: kept. Errors: "" for an unknown cache, or before the rows are complete. */
KMEM_API const char *kmem_sites_why(struct kmem_session *s, uint32_t cache);

/*
 * Query: two traces side by side
 *
 * Each trace has a session, which gives its numbers in parts, kmem_side. A comparison, which has another region, gets copies
 * of these bytes, kmem_compare_part: SIDE_VALUES at each point (kmem_side_at, kmem_seek); SIDE_ROWS at the end, after JOB_INDEX;
 * and SIDE_SITES after JOB_SITES, if call sites are to be compared. Then kmem_compare joins them.
 */

enum {
	KMEM_COMPARE_POINTS = 65, /* ends of 64 equal parts of the run */
	KMEM_MIN_COMPARE_BYTES = 65536,
};

/* Returns the position of a point, in events done: by an enum kmem_align, of the longer of both traces in events or in time.
 * Position: kept. Errors: none. */
KMEM_API uint32_t kmem_side_at(struct kmem_session *s, uint32_t align, uint64_t longest,
			       uint32_t point);

/* Returns one part (enum kmem_side_part) of the trace's numbers, for a comparison; *len_bytes is its length. Lifetime: until the next call.
 * Position: kept. Errors: NULL (ESTATE, ENOMEM). */
KMEM_API const uint8_t *kmem_side(struct kmem_session *s, uint32_t part, uint32_t *len_bytes);

/* Opens a comparison in [base, base + size); base is aligned to KMEM_REGION_ALIGN_BYTES. Lifetime: the region's.
 * Position: kept. Errors: NULL below KMEM_MIN_COMPARE_BYTES. */
KMEM_API struct kmem_compare *kmem_compare_open(void *base, uint64_t size);

/* Returns the place for a part of A (which 0) or B (1), len_bytes from kmem_side. op is the position of SIDE_VALUES, whose
 * points come in order. Position: kept. Errors: NULL if the region is full. */
KMEM_API uint8_t *kmem_compare_part(struct kmem_compare *c, uint32_t which, uint32_t part,
				    uint32_t op, uint32_t len_bytes);

/* Joins the rows of both by their names, and sorts them by the size of their changes. Offsets count from the comparison's
 * region. Lifetime: until the next call. Position: kept. Errors: NULL if the region is full. */
KMEM_API const struct kmem_differences *kmem_compare(struct kmem_compare *c);

/*
 * Studies: what a setting would save
 */

#ifdef __cplusplus
}
#endif

#endif
