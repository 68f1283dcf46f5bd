/*
 * kmem_doctor.h - the part of the public interface that answers questions about a trace: who allocates, where memory
 * goes, what a setting would save, what a report of the kernel means, and which events to keep.
 *
 * kmem.h includes this file; its rules about memory, lifetimes, errors, positions and units hold here too.
 *
 * Sections: import, machine, query, studies.
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
enum kmem_keep { KMEM_KEEP_POINTERS = 1, KMEM_KEEP_TASKS = 2 };

/* Keeps more of each event than a replay needs; call it between kmem_import_begin and the first chunk. what is a set of
 * enum kmem_keep, or 0. Pointers take 8 bytes an event, tasks 4. They may take a quarter of the region: beyond that they
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

/*
 * Query: call sites, memory, reports
 */

/*
 * Studies: what a setting would save
 */

#ifdef __cplusplus
}
#endif

#endif
