/*
 * record_programs.c - notes the programs that a process starts, so that those which do not load this library are known to be
 * missing, and notes when the process ends.
 *
 * Between vfork and exec a child shares its parent's memory: nothing here changes more than its stack and the spool.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/preload.h"
#include "preload/record/recorder.h"

static struct {
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[], char *const[]);
} real;

__attribute__((constructor)) static void find_all(void)
{
	preload_find(&real.execvpe, "execvpe");
	preload_find(&real.posix_spawn, "posix_spawn");
	preload_find(&real.posix_spawnp, "posix_spawnp");
}

/* Returns a place to note a start; NULL without a spool, or without room. */
static struct record_start *begin_start(const char *path, u32 pid)
{
	u32 at = recorder_head ? __atomic_fetch_add(&recorder_head->nr_starts, 1, __ATOMIC_RELAXED)
			       : MAX_RECORD_STARTS;

	if (at >= MAX_RECORD_STARTS)
		return NULL;
	struct record_start *start = &recorder_head->starts[at];
	memcpy(start->path, path, strnlen(path, sizeof(start->path) - 1));
	start->pid = pid;
	return start;
}

static void end_start(struct record_start *start, u64 time)
{
	if (start)
		__atomic_store_n(&start->time, time, __ATOMIC_RELEASE);
}

EXPORTED int execve(const char *path, char *const argv[], char *const envp[])
{
	struct record_start *start = begin_start(path, (u32)getpid());

	end_start(start, recorder_time());
	long failed = syscall(SYS_execve, path, argv, envp);
	end_start(start, 0);
	return (int)failed;
}

EXPORTED int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORTED int execvpe(const char *file, char *const argv[], char *const envp[])
{
	struct record_start *start = begin_start(file, (u32)getpid());

	if (!real.execvpe)
		find_all();
	end_start(start, recorder_time());
	int failed = real.execvpe(file, argv, envp);
	end_start(start, 0);
	return failed;
}

EXPORTED int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Puts the words of an argument list, NULL included, into an array on the stack, for `use`. */
#define WITH_WORDS(use)                                                     \
	do {                                                                \
		va_list list;                                               \
		size_t nr = 1;                                              \
		va_start(list, word);                                       \
		for (const char *w = word; w; nr++)                         \
			w = va_arg(list, const char *);                     \
		va_end(list);                                               \
		const char **words = __builtin_alloca(nr * sizeof(*words)); \
		va_start(list, word);                                       \
		words[0] = word;                                            \
		for (size_t i = 1; i < nr; i++)                             \
			words[i] = va_arg(list, const char *);              \
		char *const *argv = (char *const *)words;                   \
		use;                                                        \
		va_end(list);                                               \
	} while (0)

EXPORTED int execl(const char *path, const char *word, ...)
{
	int failed;

	WITH_WORDS(failed = execv(path, argv));
	return failed;
}

EXPORTED int execlp(const char *file, const char *word, ...)
{
	int failed;

	WITH_WORDS(failed = execvp(file, argv));
	return failed;
}

EXPORTED int execle(const char *path, const char *word, ...)
{
	int failed;

	WITH_WORDS(failed = execve(path, argv, va_arg(list, char *const *)));
	return failed;
}

#define SPAWN(name)                                                                              \
	EXPORTED int name(pid_t *pid, const char *path, const posix_spawn_file_actions_t *acts,  \
			  const posix_spawnattr_t *attr, char *const argv[], char *const envp[]) \
	{                                                                                        \
		u64 before = recorder_time();                                                    \
		pid_t child;                                                                     \
		if (!real.name)                                                                  \
			find_all();                                                              \
		int error = real.name(&child, path, acts, attr, argv, envp);                     \
		if (!error && pid)                                                               \
			*pid = child;                                                            \
		if (!error)                                                                      \
			end_start(begin_start(path, (u32)child), before);                        \
		return error;                                                                    \
	}

SPAWN(posix_spawn)
SPAWN(posix_spawnp)

__attribute__((destructor)) static void end(void)
{
	recorder_end();
}

EXPORTED __attribute__((noreturn)) void _exit(int status)
{
	recorder_end();
	for (;;)
		syscall(SYS_exit_group, status);
}

EXPORTED __attribute__((noreturn)) void _Exit(int status)
{
	_exit(status);
}
