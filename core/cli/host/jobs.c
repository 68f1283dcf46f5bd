/*
 * jobs.c - runs tasks in forked processes, which take them from a shared counter until none is left.
 */
#define _DEFAULT_SOURCE
#include "cli/host/jobs.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

enum { MAX_JOBS = 1024, TABLE_AT = 64 };

/* The start of the memory that all processes share; results follow it. */
struct board {
	atomic_uint next, done;
	pid_t first; /* the process that wants the results */
};

u32 jobs_wanted(const struct args *args)
{
	long here = sysconf(_SC_NPROCESSORS_ONLN);
	u64 wanted = GIVEN(args, JOBS) ? args->number[OPT_JOBS] : here > 0 ? (u64)here : 1;

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
		status = jobs->task(jobs->arg, i, table + (size_t)i * jobs->result_bytes);
		u32 done = atomic_fetch_add(&board->done, 1) + 1;
		progress(jobs->host, jobs->what, done, jobs->nr_tasks);
	}
	return status;
}

/* `kill` ends the first process alone, but nobody waits for the others then. Where Linux is not, they end after the task at hand. */
static void end_with_first(void)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

static int start(const struct jobs *jobs, struct board *board, pid_t *pid)
{
	*pid = fork();
	if (*pid < 0) {
		complain("no process could be started; --jobs 1 works without");
		return EXIT_INPUT;
	}
	if (*pid)
		return EXIT_DONE;
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
		progress(jobs->host, jobs->what, atomic_load(&board->done), jobs->nr_tasks);
		nanosleep(&nap, NULL);
	}
	return WIFEXITED(how) ? WEXITSTATUS(how) : EXIT_LAW;
}

static int run_forked(const struct jobs *jobs, struct board *board, u32 nr)
{
	pid_t pid[MAX_JOBS];
	u32 started = 0;
	int status = EXIT_DONE, one;

	fflush(stdout);
	while (started < nr && !status) {
		status = start(jobs, board, &pid[started]);
		started += !status;
	}
	for (u32 i = 0; i < started; i++) {
		one = collect(jobs, board, pid[i]);
		status = MAX(status, one);
	}
	return status;
}

void *jobs_run(const struct jobs *jobs, int *status)
{
	u32 nr = MIN(jobs->nr_jobs, jobs->nr_tasks);
	size_t bytes = TABLE_AT + (size_t)jobs->nr_tasks * jobs->result_bytes;
	struct board *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				   -1, 0);

	if (board == MAP_FAILED) {
		complain("not enough memory for the results of %s",
			 counted(jobs->nr_tasks, "task").s);
		*status = EXIT_INPUT;
		return NULL;
	}
	board->first = getpid();
	*status = nr > 1 ? run_forked(jobs, board, nr) : work(jobs, board);
	progress_end(jobs->host);
	return (u8 *)board + TABLE_AT;
}
