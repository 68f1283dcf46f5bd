/*
 * jobs.h - many similar tasks on all processors: forked processes that share one table of results.
 *
 * Everything in memory before the fork, such as an imported trace, is in each process without a copy. Chance decides
 * which process runs which task. A task's result depends on its number alone, so the results do not vary.
 */
#ifndef CLI_HOST_JOBS_H
#define CLI_HOST_JOBS_H

#include "cli/host/host.h"

struct jobs {
	u32 nr_jobs, nr_tasks;
	u32 result_bytes; /* of each task's place in the table */
	/* Runs task i and fills its result, which is zero at first. Returns an exit status; any but EXIT_DONE ends
	 * the work of this process. */
	int (*task)(void *arg, u32 i, void *result);
	void *arg;
	struct host *host; /* for progress */
	const char *what;  /* the work that the progress line names */
};

/* Returns the number from --jobs, or the number of processors. */
u32 jobs_wanted(const struct args *args);
/* Runs all tasks. Returns the table of results, or NULL after complaining. *status: the largest that a task
 * returned; EXIT_LAW also if a process ended without a status. */
void *jobs_run(const struct jobs *jobs, int *status);

#endif
