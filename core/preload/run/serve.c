/*
 * serve.c - serves requests from one core, under one lock.
 *
 * The core and its memory are made at the first request. Nothing here or in the core allocates from the program, and
 * nothing under the lock calls code that could wait for a lock of the dynamic linker, which allocates.
 *
 * A child of fork has a copy of everything, and the lock in the state that the handlers around fork leave. Children
 * report and record nothing.
 */
#define _GNU_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file that the command reads when the program has ended. */

static void result_open(void)
{
	int fd = preload_open_keyed(run.result_path, run.key, 0);
	void *page = fd < 0 ? MAP_FAILED
			    : mmap(NULL, RUN_STATE_AT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	preload_close(fd);
	if (page == MAP_FAILED)
		return;
	run.result = page;
	run.is_first = run.result->first_pid == (u32)getpid();
	__atomic_fetch_add(&run.result->processes, 1, __ATOMIC_RELAXED);
}

static void result_write(void)
{
	u64 bytes;
	const void *state = kmem_state(run.session, &bytes);
	int fd = preload_open_keyed(run.result_path, run.key, 0);

	if (fd < 0)
		return;
	if (lseek(fd, RUN_STATE_AT, SEEK_SET) == RUN_STATE_AT && preload_write(fd, state, bytes)) {
		run.result->abi_hash = kmem_abi_hash();
		run.result->state_bytes = bytes;
		run.result->has_state = 1;
	} else {
		run.result->state_error = (u32)errno;
	}
	preload_close(fd);
}

enum {
	LEAST_ALIGN = 16,
	SMALL_BYTES = 8,
	GIVE_BACK_BYTES = 1 << 18,
	SETTINGS_BYTES = 16 << 10,
	STOPPED = 126
};

static const u64 region_bytes = ((u64)4 << 30) - KMEM_REGION_ALIGN_BYTES;

static u32 is_serving;

struct run run;

static void copy_path(char *to, const char *from)
{
	size_t len = strlen(from);

	if (len < sizeof(run.trace_path))
		memcpy(to, from, len + 1);
}

/* Reads the first lines of the variable; those that do not start with @ are parameters of the core. */
static int take_path(const char *name, const char *value)
{
	if (strcmp(name, "@result") == 0)
		copy_path(run.result_path, value);
	else if (strcmp(name, "@record") == 0)
		copy_path(run.trace_path, value);
	else if (strcmp(name, "@reports") == 0)
		copy_path(run.reports_path, value);
	else if (strcmp(name, "@key") == 0)
		run.key = preload_number(value);
	return name[0] == '@';
}

static s32 take_setting(const char *name, const char *value)
{
	if (strcmp(name, "preset") == 0)
		return kmem_preset(run.session, value);
	return kmem_set(run.session, name, value);
}

static void *reserve(u64 bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

__attribute__((noreturn)) static void stop(const char *sentence)
{
	preload_complain(sentence);
	if (run.result)
		run.result->is_refused = 1;
	/* Our own _exit() would get here again. */
	preload_exit(STOPPED);
}

/* Makes the region of the core, at a multiple of its alignment. */
static void open_session(void)
{
	u8 *region = reserve(region_bytes + KMEM_REGION_ALIGN_BYTES);

	if (region)
		run.session = kmem_open(
			(void *)ALIGN_UP((uintptr_t)region, (uintptr_t)KMEM_REGION_ALIGN_BYTES),
			region_bytes);
	if (!run.session)
		stop("run: cannot reserve 4 GiB of address space for the allocator: is there a limit (ulimit -v)?");
}

static void start(void)
{
	static char settings[SETTINGS_BYTES];
	char *text = settings, *name, *value;
	int error = errno;

	if (preload_variable(RUN_VARIABLE, settings, sizeof(settings)) < 0)
		settings[0] = 0;
	while ((name = preload_line(&text, &value)) != NULL && take_path(name, value))
		;
	result_open();
	open_session();
	for (; name; name = preload_line(&text, &value))
		if (take_setting(name, value))
			stop(kmem_error(run.session));
	run.memory_bytes = kmem_attach_bytes(run.session);
	run.memory = reserve(run.memory_bytes);
	if (!run.memory)
		stop("run: cannot reserve the machine's memory: give it less with --memory (is there a limit, ulimit -v?)");
	if (kmem_attach(run.session, run.memory, run.memory_bytes))
		stop(kmem_error(run.session));
	run.nr_cpus = kmem_nr_cpus(run.session);
	run.page_bytes = (u32)preload_number(kmem_param(run.session, "page_size"));
	run.largest = run.page_bytes << (NR_ORDERS - 1);
	run.is_debugged = strcmp(kmem_param(run.session, "red_zone"), "on") == 0 ||
			  strcmp(kmem_param(run.session, "poison"), "on") == 0 ||
			  strcmp(kmem_param(run.session, "sanity_checks"), "on") == 0;
	run_trace_begin();
	if (run.is_debugged)
		blame_begin();
	errno = error;
}

static void enter(void)
{
	run_lock();
	/* Only this thread can have set it. */
	if (unlikely(is_serving))
		stop("run: a signal handler called malloc or free while the program was in one of them; see signal-safety(7)");
	is_serving = 1;
	if (unlikely(!run.session))
		start();
}

static void leave(void)
{
	is_serving = 0;
	run_unlock();
}

static __attribute__((noinline)) void leave_and_report(site from)
{
	struct blamed reports[MOST_BLAMED];
	u32 nr;

	for (;;) {
		blame_take(reports, &nr);
		leave();
		blame_print(reports, nr, from);
		if (nr < MOST_BLAMED)
			return;
		enter();
	}
}

/* Called after a request. */
static void leave_from(site from)
{
	if (unlikely(run.is_debugged && blame_is_due()))
		leave_and_report(from);
	else
		leave();
}

static u32 this_cpu(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (u32)cpu % run.nr_cpus;
}

static int is_ours(const void *p)
{
	return (const u8 *)p - run.memory >= 0 &&
	       (u64)((const u8 *)p - run.memory) < run.memory_bytes;
}

static u64 id_of(const void *p)
{
	return (u64)((const u8 *)p - run.memory) / SMALL_BYTES;
}

/* Allocates from the core, or returns NULL. A request that fails is an event too. */
static void *model_alloc(u32 bytes, u32 align, site from)
{
	u32 cpu = this_cpu(), events = kmem_position(run.session);
	void *p = kmem_alloc(run.session, KMEM_ANY, bytes, align, cpu);

	if (p)
		run_trace_alloc(id_of(p), kmem_asked(run.session, p), cpu, from);
	else if (kmem_position(run.session) != events)
		run_trace_alloc(0, bytes, cpu, from);
	if (p && run.is_debugged)
		blame_alloc(p, bytes, from);
	return p;
}

static void *alloc_locked(u64 bytes, u64 align, site from)
{
	void *p = NULL;

	/* As much alignment as glibc promises, except for objects too small to need it. */
	if (align < LEAST_ALIGN && bytes > SMALL_BYTES)
		align = LEAST_ALIGN;
	if (bytes <= run.largest && align <= run.largest)
		p = model_alloc((u32)bytes, (u32)align, from);
	if (!p && (bytes > run.page_bytes || align > run.page_bytes)) {
		p = huge_alloc(bytes, align);
		if (p && bytes <= run.largest && align <= run.largest && run_reports())
			run.result->full_allocs++;
	}
	if (!p)
		errno = ENOMEM;
	return p;
}

void *run_alloc(u64 bytes, u64 align, site from)
{
	enter();
	void *p = alloc_locked(bytes, align, from);
	leave_from(from);
	return p;
}

static void bad_free(void)
{
	if (run.result)
		__atomic_fetch_add(&run.result->bad_frees, 1, __ATOMIC_RELAXED);
}

static void model_free(void *p, site from)
{
	u32 cpu = this_cpu(), usable = kmem_usable(run.session, p);

	/* Returns large runs to the system, as glibc does with munmap() for large blocks. */
	if (usable >= GIVE_BACK_BYTES) {
		u64 page = run.page_bytes, start = ALIGN_UP((uintptr_t)p, page);
		int error = errno;
		madvise((void *)start, ((uintptr_t)p + usable - start) & ~(page - 1),
			MADV_DONTNEED);
		errno = error;
	}
	if (run.is_debugged)
		blame_free(p, from);
	run_trace_free(id_of(p), cpu, from);
	if (kmem_free(run.session, p, cpu))
		bad_free();
}

static void free_locked(void *p, site from)
{
	if (is_ours(p))
		model_free(p, from);
	else if (huge_bytes(p))
		huge_free(p);
	else
		bad_free();
}

void run_free(void *p, site from)
{
	enter();
	free_locked(p, from);
	leave_from(from);
}

static u64 usable_locked(const void *p)
{
	return is_ours(p) ? kmem_usable(run.session, p) : huge_bytes(p);
}

u64 run_usable(const void *p)
{
	enter();
	u64 usable = run.is_debugged && is_ours(p) ? blame_usable(p) : usable_locked(p);
	leave();
	return usable;
}

/* krealloc() keeps an object that still fits; so does this, unless more than half of it would be unused. */
static void *keep(void *p, u64 bytes, u64 usable)
{
	if (is_ours(p))
		return bytes <= usable && bytes >= usable / 2 && !run.is_debugged ? p : NULL;
	return bytes > run.largest ? huge_resize(p, bytes) : NULL;
}

void *run_realloc(void *p, u64 bytes, site from)
{
	enter();
	u64 usable = usable_locked(p);
	void *new = usable ? keep(p, bytes, usable) : NULL;
	int is_kept = new != NULL;
	if (!is_kept)
		new = alloc_locked(bytes, 1, from);
	leave_from(from);
	if (is_kept || !new)
		return new;
	memcpy(new, p, MIN(bytes, usable));
	run_free(p, from);
	return new;
}

void run_begin(void)
{
	enter();
	leave();
}

/* A child of vfork, or of a fork that nobody noticed, is not the process that reports. */
int run_reports(void)
{
	return run.is_first && run.result && run.result->first_pid == (u32)getpid();
}

/* Runs after the state has been written: that is the program's, without the effects of these checks. */
static void check_all(void)
{
	struct blamed reports[MOST_BLAMED];
	u32 nr;

	do {
		enter();
		blame_check_all();
		blame_take(reports, &nr);
		leave();
		blame_print(reports, nr, NULL);
	} while (nr);
}

void run_end(void)
{
	if (!run_reports())
		return;
	/* Not enter(): a signal handler may end the program at any time. */
	run_lock();
	run_trace_end();
	result_write();
	run.is_first = 0;
	int is_between = !is_serving;
	run_unlock();
	if (run.is_debugged && is_between)
		check_all();
}

void run_before_fork(void)
{
	run_lock();
}

void run_in_parent(void)
{
	run_unlock();
}

void run_in_child(void)
{
	/* The child's thread has another number, so it cannot release the lock its parent took. */
	run_lock_reset();
	run.is_first = 0;
	run_trace_forget();
	if (run.result)
		__atomic_fetch_add(&run.result->processes, 1, __ATOMIC_RELAXED);
}
