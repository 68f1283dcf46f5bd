/*
 * jobs.h - many similar tasks on all processors: forked processes that share one table of results; and replays for their
 * numbers alone, all from one start.
 *
 * Everything in memory before the fork, such as an imported trace, is in each process without a copy. Chance decides
 * which process runs which task. A task's result depends on its number alone, so the results do not vary.
 */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "cli/cli.h"

/* Returns the number from --jobs, or the number of processors. */
u32 jobs_wanted(const struct args *args);

/* The start of one of several replays. */
struct replay_start {
	u32 is_valid, from,
		key; /* is_valid: the machine is; enum kmem_start_from; kmem_start_key */
};

/* How the replays of a comparison start. */
struct alike {
	u32 limit;  /* enum kmem_start_limit, the lowest with which all start from the same */
	u32 cannot; /* this replay is why LIMIT_NONE is not enough */
	u32 from;   /* the enum kmem_start_from that it cannot start from as others can */
};

/* The start of the session's last build. */
struct replay_start replay_start(struct kmem_session *s);
/* Decides with the starts of all replays under a->limit, which is LIMIT_NONE at first. Returns 1 if they are the same;
 * otherwise raises the limit, and the replays have to start over. */
int starts_are_alike(struct alike *a, const struct replay_start *starts, u32 nr);
/* One sentence if the limit is not LIMIT_NONE, with the machine that is the reason; "" otherwise. */
const char *alike_text(const struct alike *a, const char *machine);

/* The numbers of one replay. */
struct replayed {
	u64 value[NR_MEASURED];
	u32 op[NR_MEASURED]; /* event at which the number was worst, from 1; 0: there is none */
	u8 known[NR_MEASURED];
	u8 is_done;
	u8 start_from, from; /* enum kmem_start_from, enum kmem_from */
	u32 events, cpus, nodes;
	char doubt[240]; /* kmem_start_doubt */
	char why[240];	 /* the machine is not valid */
};

/* Replays of the session's trace to its end on `nr` machines, which `set` sets one after another. */
struct replays {
	struct host *host;
	const struct args *args;
	u32 nr;
	s32 (*set)(void *arg, u32 i);
	void *arg;
	const char *what; /* the work that the progress line names */
	struct alike *
		alike; /* all get one start: kmem_start_limit of the host's session; NULL: each has its own */
};

/* Returns the table of results. *status: EXIT_LAW if an invariant is broken at an end, or if a process ended without a
 * status. */
const struct replayed *replay_all(const struct replays *replays, int *status);

#endif
