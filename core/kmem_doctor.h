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
 * Machine: starting from the state of a real machine
 */

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
