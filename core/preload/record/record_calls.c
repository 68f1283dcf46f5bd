/*
 * record_calls.c - malloc and its relatives: each calls the program's own function and records the call. Then functions
 * that start programs.
 *
 * A free is recorded before it happens, an allocation after it: so an object's life never overlaps with that of the
 * next one at its address. free(NULL) requests nothing and is not recorded.
 */
#define _GNU_SOURCE
#include "preload/preload.h"
#include "preload/record/recorder.h"

#include <errno.h>
#include <malloc.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLER ((u64)(uintptr_t)__builtin_return_address(0))

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*reallocarray)(void *, size_t, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
} real;

/* dlsym() itself may allocate before it has found anything. That little memory is never freed. */
static struct {
	_Alignas(16) u8 bytes[16384];
	size_t used;
} early;
static __thread u32 is_searching;

static int is_early(const void *p)
{
	return (const u8 *)p >= early.bytes && (const u8 *)p < early.bytes + sizeof(early.bytes);
}

static void *early_calloc(size_t bytes)
{
	if (bytes > sizeof(early.bytes) - early.used)
		return NULL;
	void *ptr = early.bytes + early.used;
	early.used = MIN(ALIGN_UP(early.used + bytes, (size_t)16), sizeof(early.bytes));
	return ptr;
}

NOINLINE void find_all(void)
{
	is_searching = 1;
	preload_find(&real.calloc, "calloc");
	preload_find(&real.realloc, "realloc");
	preload_find(&real.reallocarray, "reallocarray");
	preload_find(&real.free, "free");
	preload_find(&real.posix_memalign, "posix_memalign");
	preload_find(&real.aligned_alloc, "aligned_alloc");
	preload_find(&real.memalign, "memalign");
	preload_find(&real.valloc, "valloc");
	preload_find(&real.pvalloc, "pvalloc");
	preload_find(&real.malloc, "malloc");
	is_searching = 0;
}

/* Returns 0 while dlsym() searches: the caller then helps itself. */
static inline int has_real(void)
{
	if (likely(real.malloc != NULL))
		return 1;
	if (is_searching)
		return 0;
	find_all();
	return 1;
}

/* Returns the thread if this call is to be recorded; end() ends it. */
static inline struct recorder_thread *begin(void)
{
	struct recorder_thread *thread = &recorder_thread;

	if (unlikely(thread->image != recorder_process->image) && !recorder_join(thread))
		return NULL;
	if (unlikely(thread->is_busy))
		return NULL;
	thread->is_busy = 1;
	return thread;
}

static inline void end(struct recorder_thread *thread)
{
	thread->is_busy = 0;
}

static inline void *recorded(struct recorder_thread *thread, enum record_kind kind, void *ptr,
			     u64 bytes, u64 site)
{
	recorder_put(thread, kind, preload_time(), ptr, bytes, site);
	end(thread);
	return ptr;
}

static inline size_t product(size_t nr, size_t each)
{
	size_t bytes;

	return __builtin_mul_overflow(nr, each, &bytes) ? ~(size_t)0 : bytes;
}

EXPORTED void *malloc(size_t bytes)
{
	if (unlikely(!has_real()))
		return early_calloc(bytes);
	struct recorder_thread *thread = begin();
	if (!thread)
		return real.malloc(bytes);
	void *ptr = real.malloc(bytes);
	if (unlikely(thread->outer_site != 0))
		return recorded(thread, RECORD_NEW, ptr, bytes, thread->outer_site);
	return recorded(thread, RECORD_MALLOC, ptr, bytes, CALLER);
}

EXPORTED void *calloc(size_t nr, size_t each)
{
	if (unlikely(!has_real()))
		return early_calloc(product(nr, each));
	struct recorder_thread *thread = begin();
	if (!thread)
		return real.calloc(nr, each);
	return recorded(thread, RECORD_CALLOC, real.calloc(nr, each), product(nr, each), CALLER);
}

EXPORTED void free(void *ptr)
{
	if (!ptr || unlikely(is_early(ptr)) || unlikely(!has_real()))
		return;
	struct recorder_thread *thread = begin();
	if (!thread) {
		real.free(ptr);
		return;
	}
	recorder_put(thread, RECORD_FREE, preload_time(), ptr, 0, CALLER);
	real.free(ptr);
	end(thread);
}

/*
 * An early object moves to the program's own allocator. Its size is unknown, so we copy everything that may belong to
 * it.
 */
static void *move_early(void *old, size_t bytes)
{
	size_t most = (size_t)(early.bytes + sizeof(early.bytes) - (u8 *)old);
	void *ptr = malloc(bytes);

	if (ptr)
		memcpy(ptr, old, MIN(bytes, most));
	return ptr;
}

/* The same for a resize: what it resizes is recorded first. */
static inline struct recorder_thread *begin_resize(const void *old, u64 site)
{
	struct recorder_thread *thread = begin();

	if (thread && old)
		recorder_put(thread, RECORD_RESIZE, preload_time(), old, 0, site);
	return thread;
}

EXPORTED void *realloc(void *old, size_t bytes)
{
	if (unlikely(!has_real()))
		return old ? NULL : early_calloc(bytes);
	if (unlikely(is_early(old)))
		return move_early(old, bytes);
	struct recorder_thread *thread = begin_resize(old, CALLER);
	if (!thread)
		return real.realloc(old, bytes);
	return recorded(thread, RECORD_REALLOC, real.realloc(old, bytes), bytes, CALLER);
}

EXPORTED void *reallocarray(void *old, size_t nr, size_t each)
{
	if (unlikely(!has_real()) || unlikely(is_early(old)) || !real.reallocarray)
		return NULL;
	struct recorder_thread *thread = begin_resize(old, CALLER);
	if (!thread)
		return real.reallocarray(old, nr, each);
	void *ptr = real.reallocarray(old, nr, each);
	return recorded(thread, RECORD_REALLOCARRAY, ptr, product(nr, each), CALLER);
}

EXPORTED int posix_memalign(void **ptr, size_t align, size_t bytes)
{
	if (unlikely(!has_real()))
		return ENOMEM;
	struct recorder_thread *thread = begin();
	int error = real.posix_memalign(ptr, align, bytes);
	if (thread)
		recorded(thread, RECORD_POSIX_MEMALIGN, error ? NULL : *ptr, bytes, CALLER);
	return error;
}

/* A function that takes an alignment and a size, or a size alone. */
#define ALIGNED(name, kind, parameters, arguments)                                         \
	EXPORTED void *name parameters                                                     \
	{                                                                                  \
		if (unlikely(!has_real()) || !real.name)                                   \
			return NULL;                                                       \
		struct recorder_thread *thread = begin();                                  \
		return thread ? recorded(thread, kind, real.name arguments, bytes, CALLER) \
			      : real.name arguments;                                       \
	}

ALIGNED(aligned_alloc, RECORD_ALIGNED_ALLOC, (size_t align, size_t bytes), (align, bytes))
ALIGNED(memalign, RECORD_MEMALIGN, (size_t align, size_t bytes), (align, bytes))
ALIGNED(valloc, RECORD_VALLOC, (size_t bytes), (bytes))
ALIGNED(pvalloc, RECORD_PVALLOC, (size_t bytes), (bytes))

OPERATOR_NEW(_Znwm, recorder_thread.outer_site) /* operator new(unsigned long) */
OPERATOR_NEW(_Znam, recorder_thread.outer_site) /* operator new[](unsigned long) */

/*
 * Notes the programs that a process starts, so we know which ones did not load this library, and notes when the process
 * ends.
 *
 * Between vfork and exec a child shares its parent's memory: so nothing here may change more than its stack and the
 * spool.
 */

static struct {
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[], char *const[]);
} starters;

__attribute__((constructor)) static void find_starters(void)
{
	preload_find(&starters.execvpe, "execvpe");
	preload_find(&starters.posix_spawn, "posix_spawn");
	preload_find(&starters.posix_spawnp, "posix_spawnp");
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

	end_start(start, preload_time());
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

	if (!starters.execvpe)
		find_starters();
	end_start(start, preload_time());
	int failed = starters.execvpe(file, argv, envp);
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
		u64 before = preload_time();                                                     \
		pid_t child;                                                                     \
		if (!starters.name)                                                              \
			find_starters();                                                         \
		int error = starters.name(&child, path, acts, attr, argv, envp);                 \
		if (!error && pid)                                                               \
			*pid = child;                                                            \
		if (!error)                                                                      \
			end_start(begin_start(path, (u32)child), before);                        \
		return error;                                                                    \
	}

SPAWN(posix_spawn)
SPAWN(posix_spawnp)

__attribute__((destructor)) static void end_process(void)
{
	recorder_end();
}

EXPORTED __attribute__((noreturn)) void _exit(int status)
{
	recorder_end();
	preload_exit(status);
}

EXPORTED __attribute__((noreturn)) void _Exit(int status)
{
	_exit(status);
}
