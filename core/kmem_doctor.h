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
