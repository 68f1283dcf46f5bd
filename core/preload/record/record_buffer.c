/*
 * record_buffer.c - where the events go: the spool, a chunk of it for each thread, and a virtual CPU for each thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/record/recorder.h"

/* Linux 5.14; headers may be older. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define NO_CPU (~0u)

enum { STATE_PAGE_BYTES = 4096, CODE_PAGE_BYTES = 4096 };

__thread struct recorder_thread recorder_thread;

static u32 unknown = RECORDER_UNKNOWN, off = RECORDER_OFF;
u32 *recorder_state = &unknown;

static struct record_head *head;
static struct record_chunk *chunks;
static u32 image, unused_chunk; /* the first of the chunks that ended threads have left, plus 1 */
static u64 used_cpus;		/* a bit for each */
static u32 lock;
static pthread_key_t at_thread_end;

static void take_lock(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void give_lock(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

u64 recorder_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

static void *map_file(const char *path, u64 *len_bytes)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	off_t len = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	void *at = MAP_FAILED;

	if (len >= (off_t)RECORD_HEAD_BYTES)
		at = mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		syscall(SYS_close, fd);
	*len_bytes = (u64)len;
	return at == MAP_FAILED ? NULL : at;
}

/* A thread ends: its CPU is free again, and another thread goes on in its chunk. */
static void leave(void *arg)
{
	struct recorder_thread *thread = arg;
	u32 was_busy = thread->is_busy;

	if (*recorder_state != RECORDER_ON)
		return;
	thread->is_busy = 1;
	if (thread->chunk) {
		take_lock();
		thread->chunk->next = unused_chunk;
		unused_chunk = (u32)(thread->chunk - chunks) + 1;
		give_lock();
	}
	if (thread->cpu != NO_CPU)
		__atomic_fetch_and(&used_cpus, ~((u64)1 << thread->cpu), __ATOMIC_RELAXED);
	thread->chunk = NULL;
	/* Other destructors may still allocate: that begins as a new thread. */
	thread->number = 0;
	thread->is_busy = was_busy;
}

static void forked(void)
{
	recorder_state = &off;
}

/* The state stands in a page that is all zero, and so RECORDER_OFF, in a child. */
static u32 *private_state(void)
{
	u32 *page = mmap(NULL, STATE_PAGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return &off;
	if (madvise(page, STATE_PAGE_BYTES, MADV_WIPEONFORK) < 0 &&
	    pthread_atfork(NULL, NULL, forked))
		return &off;
	return page;
}

static void attach(void)
{
	const char *path = getenv(RECORD_VARIABLE);
	u64 len_bytes;

	recorder_state = &off;
	head = path ? map_file(path, &len_bytes) : NULL;
	if (!head)
		return;
	if (head->magic != RECORD_MAGIC || head->pid != (u32)getpid() ||
	    (len_bytes - RECORD_HEAD_BYTES) / sizeof(*chunks) < head->max_chunks ||
	    pthread_key_create(&at_thread_end, leave)) {
		munmap(head, len_bytes);
		return;
	}
	madvise(head, len_bytes, MADV_DONTFORK);
	chunks = (void *)((u8 *)head + RECORD_HEAD_BYTES);
	image = head->nr_images++;
	recorder_state = private_state();
	if (recorder_state == &off)
		return;
	*recorder_state = RECORDER_ON;
	recorder_put(&recorder_thread, RECORD_EXEC, recorder_time(), NULL, 0, 0);
}

int recorder_attach(void)
{
	int before = errno;

	/* The dynamic linker allocates before there is an environment. */
	if (recorder_state != &unknown || !environ)
		return 0;
	recorder_thread.is_busy = 1;
	attach();
	recorder_thread.is_busy = 0;
	errno = before;
	return *recorder_state == RECORDER_ON;
}

/* A program that never allocates still shows that it was recorded. */
__attribute__((constructor)) static void attach_at_start(void)
{
	recorder_attach();
}

/* The lowest number that no living thread has. */
static u32 take_cpu(void)
{
	u64 used = __atomic_load_n(&used_cpus, __ATOMIC_RELAXED);

	while (~used) {
		u32 cpu = (u32)__builtin_ctzll(~used);
		if (__atomic_compare_exchange_n(&used_cpus, &used, used | (u64)1 << cpu, 1,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return cpu;
	}
	return NO_CPU;
}

static void enter(struct recorder_thread *thread)
{
	thread->number = 1 + __atomic_fetch_add(&head->nr_threads, 1, __ATOMIC_RELAXED);
	thread->cpu = take_cpu();
	u32 cpus = thread->cpu == NO_CPU ? RECORD_CPUS : thread->cpu + 1;
	u32 before = __atomic_load_n(&head->nr_cpus, __ATOMIC_RELAXED);
	while (before < cpus && !__atomic_compare_exchange_n(&head->nr_cpus, &before, cpus, 1,
							     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	pthread_setspecific(at_thread_end, thread);
}

/* Makes the pages of a chunk memory. Where the disk is full, a write to them would end the program. */
static int has_room(struct record_chunk *chunk)
{
	return madvise(chunk, sizeof(*chunk), MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
}

static int next_chunk(struct recorder_thread *thread)
{
	struct record_chunk *chunk = NULL;

	take_lock();
	if (head->full_at) {
		/* Another thread has found no room. */
	} else if (unused_chunk && chunks[unused_chunk - 1].nr_events < RECORD_CHUNK_EVENTS) {
		chunk = &chunks[unused_chunk - 1];
		unused_chunk = chunk->next;
	} else if (head->nr_chunks < head->max_chunks && has_room(&chunks[head->nr_chunks])) {
		chunk = &chunks[head->nr_chunks++];
	} else {
		__atomic_store_n(&head->full_at, recorder_time(), __ATOMIC_RELAXED);
	}
	give_lock();
	if (!chunk)
		return 0;
	thread->chunk = chunk;
	thread->nr_events = chunk->nr_events;
	return 1;
}

/* Everything that happens seldom: a new thread, a full chunk, a full spool. */
NOINLINE int prepare(struct recorder_thread *thread)
{
	int before = errno;

	if (!thread->number)
		enter(thread);
	int done = next_chunk(thread);
	errno = before;
	return done;
}

NOINLINE void learn_page(struct recorder_thread *thread, u64 site)
{
	int before = errno;

	take_lock();
	recorder_learn_module(head, image, site);
	give_lock();
	thread->pages[site / CODE_PAGE_BYTES % KNOWN_PAGES] = site / CODE_PAGE_BYTES;
	errno = before;
}

void recorder_put(struct recorder_thread *thread, enum record_kind kind, u64 time, const void *ptr,
		  u64 bytes, u64 site)
{
	const u64 most = ((u64)1 << RECORD_THREAD_SHIFT) - 1;
	const u64 address = site & (((u64)1 << RECORD_KIND_SHIFT) - 1);

	if (unlikely(__atomic_load_n(&head->full_at, __ATOMIC_RELAXED) != 0) ||
	    (unlikely(!thread->chunk || thread->nr_events == RECORD_CHUNK_EVENTS) &&
	     !prepare(thread))) {
		__atomic_fetch_add(&head->lost, kind != RECORD_RESIZE, __ATOMIC_RELAXED);
		return;
	}
	if (unlikely(thread->pages[site / CODE_PAGE_BYTES % KNOWN_PAGES] != site / CODE_PAGE_BYTES))
		learn_page(thread, site);
	/* A clock may stand still for some calls; their order must not get lost. */
	thread->last_time = MAX(time, thread->last_time + 1);
	u64 cpu = thread->cpu == NO_CPU ? thread->number % RECORD_CPUS : thread->cpu;
	thread->chunk->events[thread->nr_events] = (struct record_event){
		.time = thread->last_time,
		.ptr = (u64)(uintptr_t)ptr,
		.bytes = MIN(bytes, most) | (u64)thread->number << RECORD_THREAD_SHIFT,
		.site = address | (u64)kind << RECORD_KIND_SHIFT | cpu << RECORD_CPU_SHIFT,
	};
	/* If the process is killed here, the command must not find half an event. */
	__atomic_store_n(&thread->chunk->nr_events, ++thread->nr_events, __ATOMIC_RELEASE);
}
