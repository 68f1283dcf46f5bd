/*
 * jobs.h - many similar tasks on all processors: forked processes that share one table of results; and replays for their numbers
 * alone, all from one start.
 *
 * Everything in memory before the fork, such as an imported trace, is in each process without a copy. Chance decides
 * which process runs which task. A task's result depends on its number alone, so the results do not vary.
 */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "cli/cli.h"

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

/* The start of one of several replays. */
struct replay_start {
	u32 is_valid, from,
		key; /* is_valid: the machine is; enum kmem_start_from; kmem_start_key */
};

/* How replays start that are compared. */
struct alike {
	u32 limit;  /* enum kmem_start_limit, the least with which all start alike */
	u32 cannot; /* LIMIT_NONE does not do because of this replay */
	u32 from;   /* the enum kmem_start_from that it cannot start from as others can */
};

/* Replays the session's trace on the machine that is set, to its end. Returns the NR_MEASURED rows of kmem_measured, or NULL
 * with *err, and kmem_error has the reason. *err is KMEM_EBROKEN if an invariant does not hold at the end. */
const struct kmem_measured *measure_replay(struct kmem_session *s, s32 *err);

/* The start of the session's last build. */
struct replay_start replay_start(struct kmem_session *s);
/* Decides with the starts of all replays under a->limit, which is LIMIT_NONE at first. Returns 1 if they are alike;
 * otherwise the limit is the next one, and the replays have to begin again. */
int starts_are_alike(struct alike *a, const struct replay_start *starts, u32 nr);
/* Does so for the replays that `jobs` will do, with `set` to set the machine of task i: kmem_start_limit of the host's session
 * is then the same for all of them. */
int start_alike(const struct jobs *jobs, s32 (*set)(void *arg, u32 i), struct alike *a);
/* One sentence if the limit is not LIMIT_NONE, with the machine that is the reason; "" otherwise. */
const char *alike_text(const struct alike *a, const char *machine);

#endif
