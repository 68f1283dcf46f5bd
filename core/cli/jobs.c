/*
 * jobs.c - runs tasks in forked processes, which take them from a shared counter until none is left; and one replay for its
 * numbers alone, for commands that replay a trace many times, with one start for all of them.
 *
 * A machine that starts from fewer slabs than another seems to need less memory. So if one of several machines cannot start
 * from all that the others can, none of them does: first without the trace's pointers, then from empty.
 */
#define _DEFAULT_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/jobs.h"

#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

enum { MAX_JOBS = 1024, TABLE_AT = 64 };

struct jobs {
	u32 nr_jobs, nr_tasks;
	u32 result_bytes; /* of each task's place in the table */
	/* Runs task i and fills its result, which is zero at first. Returns an exit status; any but EXIT_DONE ends
	 * the work of this process. */
	int (*task)(const struct replays *replays, u32 i, void *result);
	const struct replays *replays;
	struct host *host;
};

/* The start of the memory that all processes share; results follow it. */
struct board {
	atomic_uint next, done;
	pid_t first; /* the process that wants the results */
};

u32 jobs_wanted(const struct args *args)
{
	long here = sysconf(_SC_NPROCESSORS_ONLN);
	u64 wanted = given(args, "jobs") ? option_number(args, "jobs") : here > 0 ? (u64)here : 1;

	return (u32)MIN(wanted, (u64)MAX_JOBS);
}

static int work(const struct jobs *jobs, struct board *board)
{
	u8 *table = (u8 *)board + TABLE_AT;
	int status = EXIT_DONE;

	while (!status && (getpid() == board->first || getppid() == board->first)) {
		u32 i = atomic_fetch_add(&board->next, 1);
		if (i >= jobs->nr_tasks)
			break;
		status = jobs->task(jobs->replays, i, table + (size_t)i * jobs->result_bytes);
		u32 done = atomic_fetch_add(&board->done, 1) + 1;
		progress(jobs->host, jobs->replays->what, done, jobs->nr_tasks);
	}
	return status;
}

/* `kill` ends only the first process, and then nobody waits for the others. Outside Linux they end after their current task. */
static void end_with_first(void)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

static void start(const struct jobs *jobs, struct board *board, pid_t *pid)
{
	*pid = fork();
	if (*pid < 0)
		give_up("could not start another process: --jobs 1 works without");
	if (*pid)
		return;
	jobs->host->is_terminal = 0; /* the first process draws progress for all */
	end_with_first();
	_exit(work(jobs, board));
}

/* Waits for one process, and draws the progress of all. */
static int collect(const struct jobs *jobs, struct board *board, pid_t pid)
{
	const struct timespec nap = { 0, 20000000 };
	int how;

	while (waitpid(pid, &how, WNOHANG) == 0) {
		progress(jobs->host, jobs->replays->what, atomic_load(&board->done),
			 jobs->nr_tasks);
		nanosleep(&nap, NULL);
	}
	return WIFEXITED(how) ? WEXITSTATUS(how) : EXIT_LAW;
}

static int run_forked(const struct jobs *jobs, struct board *board, u32 nr)
{
	pid_t pid[MAX_JOBS];
	int status = EXIT_DONE;

	fflush(stdout);
	for (u32 i = 0; i < nr; i++)
		start(jobs, board, &pid[i]);
	for (u32 i = 0; i < nr; i++) {
		int one = collect(jobs, board, pid[i]);
		status = MAX(status, one);
	}
	return status;
}

/* Returns the table of results. *status: the largest that a task returned; EXIT_LAW also if a process ended without a
 * status. */
static void *jobs_run(const struct jobs *jobs, int *status)
{
	u32 nr = MIN(jobs->nr_jobs, jobs->nr_tasks);
	size_t bytes = TABLE_AT + (size_t)jobs->nr_tasks * jobs->result_bytes;
	struct board *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				   -1, 0);

	if (board == MAP_FAILED)
		give_up("not enough memory for the results of %s",
			counted(jobs->nr_tasks, "task").s);
	board->first = getpid();
	*status = nr > 1 ? run_forked(jobs, board, nr) : work(jobs, board);
	progress_end(jobs->host);
	return (u8 *)board + TABLE_AT;
}

/* Replays */

struct replay_start replay_start(struct kmem_session *s)
{
	return (struct replay_start){ 1, kmem_start_from(s), kmem_start_key(s) };
}

int starts_are_alike(struct alike *a, const struct replay_start *starts, u32 nr)
{
	const struct replay_start *best = NULL;
	u32 i = 0;

	for (u32 k = 0; k < nr; k++)
		if (starts[k].is_valid &&
		    (!best || (starts[k].from > best->from ||
			       (starts[k].from == best->from && starts[k].key < best->key))))
			best = &starts[k];
	while (i < nr && (!starts[i].is_valid || starts[i].key == best->key))
		i++;
	if (i == nr)
		return 1;
	a->limit++;
	a->cannot = i;
	a->from = best->from;
	return a->limit == LIMIT_EMPTY;
}

static int begin(const struct replays *r, u32 i, void *result)
{
	struct kmem_session *s = r->host->session;

	if (!r->set(r->arg, i) && !kmem_begin(s, JOB_MEASURE, NULL))
		*(struct replay_start *)result = replay_start(s);
	return EXIT_DONE;
}

static int measure(const struct replays *r, u32 i, void *result)
{
	struct kmem_session *s = r->host->session;
	struct replayed *to = result;
	s32 err = r->set(r->arg, i);
	u32 nr;

	if (!err)
		err = kmem_job(s, JOB_MEASURE, NULL);
	if (!err)
		err = kmem_check(s);
	const struct kmem_measured *rows = err ? NULL : kmem_measured(s, &nr);
	for (u32 k = 0; rows && k < NR_MEASURED; k++) {
		to->value[k] = rows[k].value;
		to->op[k] = rows[k].op;
		to->known[k] = (u8)rows[k].known;
	}
	to->is_done = rows != NULL;
	to->start_from = (u8)kmem_start_from(s);
	to->from = (u8)kmem_from(s);
	to->events = kmem_nr_ops(s);
	to->cpus = kmem_nr_cpus(s);
	to->nodes = kmem_nr_nodes(s);
	snprintf(to->doubt, sizeof(to->doubt), "%s", kmem_start_doubt(s));
	if (err)
		snprintf(to->why, sizeof(to->why), "%s", kmem_error(s));
	return err == KMEM_EBROKEN ? EXIT_LAW : EXIT_DONE;
}

/* One start for all: they start over until they all have the same. */
static void start_alike(const struct replays *r, struct jobs jobs)
{
	struct replays starting = *r;
	int status, is_alike = 0;

	starting.what = "starting";
	jobs.replays = &starting;
	jobs.result_bytes = sizeof(struct replay_start);
	jobs.task = begin;
	while (!is_alike) {
		kmem_start_limit(r->host->session, r->alike->limit);
		const struct replay_start *starts = jobs_run(&jobs, &status);
		if (status)
			leave(status);
		is_alike = starts_are_alike(r->alike, starts, r->nr);
	}
	kmem_start_limit(r->host->session, r->alike->limit);
}

const struct replayed *replay_all(const struct replays *r, int *status)
{
	const struct jobs jobs = {
		jobs_wanted(r->args), r->nr, sizeof(struct replayed), measure, r, r->host
	};

	if (r->alike)
		start_alike(r, jobs);
	return jobs_run(&jobs, status);
}

const char *alike_text(const struct alike *a, const char *machine)
{
	static const char *const slabs[] = {
		[START_POINTERS] = "all the slabs that the trace's pointers show",
		[START_SNAPSHOT] = "the slabs of the snapshot",
		[START_KERNEL_STATE] = "the slabs of the kernel's state",
	};
	static char text[400];
	int has_counts = a->limit == LIMIT_COUNTS && a->from != START_POINTERS;

	text[0] = 0;
	if (a->limit != LIMIT_NONE)
		snprintf(text, sizeof(text), "All start from %s, because %s cannot start from %s.",
			 has_counts ? "the snapshot alone" : "empty", machine,
			 slabs[has_counts ? START_POINTERS : a->from]);
	return text;
}
