/*
 * jobs.h - many like tasks on all processors: forked processes that share one table of results.
 *
 * What is in memory before the fork, such as an imported trace, each process has without copying it. Which
 * process does which task is chance; what a task leaves depends on its number alone, so results do not.
 */
#ifndef CLI_HOST_JOBS_H
#define CLI_HOST_JOBS_H

#include "cli/host/host.h"

struct jobs {
	u32 nr_jobs, nr_tasks;
	u32 result_bytes; /* of each task's place in the table */
	/* Does task i and fills its result, which is zero; returns an exit status, and ends this process's share
	 * unless that is EXIT_DONE. */
	int (*task)(void *arg, u32 i, void *result);
	void *arg;
	struct host *host; /* for progress */
	const char *what;  /* what the progress line says is being done */
};

/* From --jobs, or as many as there are processors. */
u32 jobs_wanted(const struct args *args);
/* Does all tasks; the table of results, or NULL after complaining. *status: the largest that a task returned;
 * EXIT_LAW also where a process ended without saying. */
void *jobs_run(const struct jobs *jobs, int *status);

#endif
