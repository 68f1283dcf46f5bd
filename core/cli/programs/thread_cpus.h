/*
 * thread_cpus.h - a virtual CPU for each thread of a spool: the lowest number that no other thread has between its first and
 * its last event.
 */
#ifndef CLI_PROGRAMS_THREAD_CPUS_H
#define CLI_PROGRAMS_THREAD_CPUS_H

#include "cli/programs/spool_reader.h"

enum { RECORD_CPUS = 64 }; /* more threads than these at once share them */

struct thread_cpus {
	u8 *cpus; /* by the thread's number */
	u32 nr, nr_threads, nr_cpus;
};

/* Returns 0 without memory. thread_cpus_close releases it. */
int thread_cpus_open(struct thread_cpus *t, const struct spool_reader *spool);
u32 thread_cpu(const struct thread_cpus *t, u32 thread);
void thread_cpus_close(struct thread_cpus *t);

#endif
