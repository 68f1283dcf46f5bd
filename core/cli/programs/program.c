/*
 * program.c - starts a program with one of our libraries preloaded, and waits for its end.
 */
#define _GNU_SOURCE
#include "cli/programs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t child;

void program_library(const char *name, char path[MAX_LIBRARY_BYTES])
{
	static const char *const folders[] = { "lib/slabscope", "../lib/slabscope" };
	char own[MAX_LIBRARY_BYTES / 2];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[len > 0 ? len : 0] = 0;
	char *slash = strrchr(own, '/');
	if (!slash)
		give_up("libraries can be preloaded only on Linux, with /proc mounted");
	*slash = 0;
	for (u32 i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, MAX_LIBRARY_BYTES, "%s/%s/%s.so", own, folders[i], name);
		if (access(path, R_OK) == 0)
			return;
	}
	give_up("%s/%s/%s.so: not found; `make -C core` builds it beside the command, and `make "
		"install` copies both",
		own, folders[0], name);
}

static void pass_on(int number)
{
	if (child > 0)
		kill((pid_t)child, number);
}

/* Puts the library before those that are preloaded anyway; 0 without memory. */
static int preload(const char *library)
{
	const char *other = getenv("LD_PRELOAD");
	char *all = NULL;

	if (!library)
		return 1;
	return asprintf(&all, "%s%s%s", library, other && *other ? ":" : "", other ? other : "") >=
		       0 &&
	       setenv("LD_PRELOAD", all, 1) == 0;
}

/* Never returns. The parent learns from the pipe why nothing started; a program that starts closes it. */
static void start(const struct program *p, int why)
{
	signal(SIGXFSZ, SIG_DFL);
	if (preload(p->library) && (!p->variable || setenv(p->variable, p->value, 1) == 0)) {
		p->at_start(p->arg, (u32)getpid());
		execvp(p->argv[0], p->argv);
	}
	int error = errno;
	(void)!write(why, &error, sizeof(error));
	_exit(EXIT_NOT_STARTED);
}

/* cost, if asked for, counts from a time before the fork: a short program may have ended by the time this runs. */
static int wait_for(pid_t pid, u64 from, struct program_cost *cost)
{
	static const int passed[] = { SIGTERM, SIGHUP }, ignored[] = { SIGINT, SIGQUIT };
	struct sigaction before[ARRAY_SIZE(passed)], quiet[ARRAY_SIZE(ignored)];
	struct sigaction pass = { .sa_handler = pass_on, .sa_flags = SA_RESTART };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct rusage usage = { 0 };
	int status = 0;

	child = pid;
	for (u32 i = 0; i < ARRAY_SIZE(passed); i++)
		sigaction(passed[i], &pass, &before[i]);
	for (u32 i = 0; i < ARRAY_SIZE(ignored); i++)
		sigaction(ignored[i], &ignore, &quiet[i]);
	while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
		;
	child = 0;
	if (cost)
		*cost = (struct program_cost){ now_ns() - from, (u64)usage.ru_maxrss * 1024 };
	for (u32 i = 0; i < ARRAY_SIZE(passed); i++)
		sigaction(passed[i], &before[i], NULL);
	for (u32 i = 0; i < ARRAY_SIZE(ignored); i++)
		sigaction(ignored[i], &quiet[i], NULL);
	return WIFSIGNALED(status) ? EXIT_BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int program_run(const struct program *p, int *started)
{
	int why[2], error = 0;

	*started = 0;
	fflush(NULL);
	if (pipe(why) < 0 || fcntl(why[0], F_SETFD, FD_CLOEXEC) < 0 ||
	    fcntl(why[1], F_SETFD, FD_CLOEXEC) < 0) {
		complain("could not make a pipe: %s", strerror(errno));
		return EXIT_NOT_STARTED;
	}
	u64 from = now_ns();
	pid_t pid = fork();
	if (pid == 0)
		start(p, why[1]);
	close(why[1]);
	ssize_t got = pid < 0 ? (ssize_t)sizeof(error) : read(why[0], &error, sizeof(error));
	error = pid < 0 ? errno : error;
	close(why[0]);
	int status = pid < 0 ? EXIT_NOT_STARTED : wait_for(pid, from, p->cost);
	*started = got != (ssize_t)sizeof(error);
	if (*started)
		return status;
	complain("%s: cannot be started: %s", p->argv[0], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_STARTED;
}
