/*
 * record_buffer.c - where the events go: the spool, an image of it for each process and program, a chunk for each thread.
 */
#define _GNU_SOURCE
#include "preload/record/recorder.h"
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <unistd.h>

/* Puts the modules of call sites into the spool: the files that their code comes from. */

/* Makes sure that the module of this address is in the spool. One thread at a time. */
static void recorder_learn_module(u32 image, u64 address)
{
	struct record_module found;

	if (!mapping_learn(address, &found))
		return;
	u32 at = __atomic_fetch_add(&recorder_head->nr_modules, 1, __ATOMIC_RELAXED);
	if (at >= MAX_RECORD_MODULES)
		return;
	u64 end = found.end;
	found.end = 0;
	found.image = image;
	recorder_head->modules[at] = found;
	__atomic_store_n(&recorder_head->modules[at].end, end, __ATOMIC_RELEASE);
}

/* Linux 5.14; headers may be older. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { STATE_PAGE_BYTES = 4096, PAGE_BYTES = 4096 };

__thread struct recorder_thread recorder_thread = { .image = RECORDER_NOBODY };

static struct recorder_process unknown = { .image = RECORDER_UNKNOWN },
			       off = { .image = RECORDER_OFF };
struct recorder_process *recorder_process = &unknown;
struct record_head *recorder_head;

static struct record_chunk *chunks;
static u32 last_image; /* image of this process, or of the one that it is a copy of, plus 1 */
static pthread_key_t at_thread_end;

static void take_lock(void)
{
	while (__atomic_exchange_n(&recorder_process->lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void give_lock(void)
{
	__atomic_store_n(&recorder_process->lock, 0, __ATOMIC_RELEASE);
}

static void *map_file(const char *path, u64 *len_bytes)
{
	int fd = preload_open(path, O_RDWR);
	off_t len = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	void *at = MAP_FAILED;

	if (len >= (off_t)RECORD_HEAD_BYTES)
		at = mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	preload_close(fd);
	*len_bytes = (u64)len;
	return at == MAP_FAILED ? NULL : at;
}

/* A thread ends: another thread will continue in its chunk. */
static void leave(void *arg)
{
	struct recorder_thread *thread = arg;
	u32 was_busy = thread->is_busy;

	if (thread->image != recorder_process->image)
		return;
	thread->is_busy = 1;
	if (thread->chunk) {
		take_lock();
		thread->chunk->next = recorder_process->unused_chunk;
		thread->chunk->room = thread->room;
		recorder_process->unused_chunk = (u32)(thread->chunk - chunks) + 1;
		give_lock();
	}
	/* Other destructors may still allocate: that counts as a new thread. */
	thread->image = RECORDER_NOBODY;
	thread->is_busy = was_busy;
}

static void forked(void)
{
	*recorder_process = (struct recorder_process){ .image = RECORDER_FORKED };
}

static struct recorder_process *private_state(void)
{
	void *page = mmap(NULL, STATE_PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return &off;
	if (madvise(page, STATE_PAGE_BYTES, MADV_WIPEONFORK) < 0 &&
	    pthread_atfork(NULL, NULL, forked))
		return &off;
	return page;
}

/* A program starts. The code below treats it as a child of fork without a parent. */
static void attach(void)
{
	const char *path = getenv(RECORD_VARIABLE);
	u64 len_bytes;

	recorder_process = &off;
	struct record_head *head = path ? map_file(path, &len_bytes) : NULL;
	if (!head)
		return;
	if (head->magic != RECORD_MAGIC ||
	    (len_bytes - RECORD_HEAD_BYTES) / sizeof(*chunks) < head->max_chunks ||
	    pthread_key_create(&at_thread_end, leave)) {
		munmap(head, len_bytes);
		return;
	}
	chunks = (void *)((u8 *)head + RECORD_HEAD_BYTES);
	recorder_head = head;
	recorder_process = private_state();
}

/* Takes the next image of the spool for this process. */
static u32 take_image(void)
{
	u32 at = __atomic_fetch_add(&recorder_head->nr_images, 1, __ATOMIC_RELAXED);

	if (at >= MAX_RECORD_IMAGES)
		return RECORDER_OFF;
	struct record_image *image = &recorder_head->images[at];
	image->pid = (u32)getpid();
	image->parent = last_image;
	prctl(PR_GET_NAME, image->name);
	__atomic_store_n(&image->time, preload_time(), __ATOMIC_RELEASE);
	last_image = at + 1;
	return at + 1;
}

static void begin_image(void)
{
	take_lock();
	if (recorder_process->image == RECORDER_FORKED)
		__atomic_store_n(&recorder_process->image, take_image(), __ATOMIC_RELEASE);
	give_lock();
}

static void enter(struct recorder_thread *thread)
{
	thread->number = 1 + __atomic_fetch_add(&recorder_head->nr_threads, 1, __ATOMIC_RELAXED);
	thread->chunk = NULL;
	thread->nr_events = thread->room = 0;
	thread->last_time = 0;
	thread->image = recorder_process->image;
	pthread_setspecific(at_thread_end, thread);
}

int recorder_join(struct recorder_thread *thread)
{
	int before = errno, is_program = recorder_process->image == RECORDER_UNKNOWN;

	/* The dynamic linker allocates before there is an environment. */
	if (thread->is_busy || recorder_process->image == RECORDER_OFF || (is_program && !environ))
		return 0;
	thread->is_busy = 1;
	if (is_program)
		attach();
	if (recorder_process->image == RECORDER_FORKED)
		begin_image();
	if (recorder_process->image != RECORDER_OFF)
		enter(thread);
	if (thread->image == recorder_process->image && is_program)
		recorder_put(thread, RECORD_EXEC, preload_time(), NULL, 0, 0);
	thread->is_busy = 0;
	errno = before;
	return thread->image == recorder_process->image;
}

/* A program that never allocates still shows that it was recorded. */
__attribute__((constructor)) static void attach_at_start(void)
{
	recorder_join(&recorder_thread);
}

/* Gives a page of a chunk memory: if the disk is full, writing to the page would kill the program. */
static int has_page(void *page)
{
	if (__atomic_fetch_add(&recorder_head->nr_pages, 1, __ATOMIC_RELAXED) >=
	    recorder_head->max_pages)
		return 0;
	return madvise(page, PAGE_BYTES, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
}

/* Returns a chunk that another thread has left, or a new one. */
static struct record_chunk *take_chunk(void)
{
	u32 *unused = &recorder_process->unused_chunk;
	struct record_chunk *chunk = NULL;

	if (*unused && chunks[*unused - 1].nr_events < RECORD_CHUNK_EVENTS) {
		chunk = &chunks[*unused - 1];
		*unused = chunk->next;
		return chunk;
	}
	u32 at = __atomic_fetch_add(&recorder_head->nr_chunks, 1, __ATOMIC_RELAXED);
	if (at >= recorder_head->max_chunks || !has_page(&chunks[at]))
		return NULL;
	chunk = &chunks[at];
	chunk->image = recorder_process->image - 1;
	chunk->room = RECORD_PAGE_EVENTS - 1;
	return chunk;
}

static int next_chunk(struct recorder_thread *thread)
{
	take_lock();
	thread->chunk = take_chunk();
	give_lock();
	if (!thread->chunk)
		return 0;
	thread->nr_events = thread->chunk->nr_events;
	thread->room = thread->chunk->room;
	return 1;
}

static int next_page(struct recorder_thread *thread)
{
	if (!has_page(&thread->chunk->events[thread->room]))
		return 0;
	thread->room += RECORD_PAGE_EVENTS;
	return 1;
}

/* The rare cases: a full page, a full chunk, a full spool. */
NOINLINE int prepare(struct recorder_thread *thread)
{
	int before = errno, done;

	if (thread->chunk && thread->nr_events < RECORD_CHUNK_EVENTS)
		done = next_page(thread);
	else
		done = next_chunk(thread) &&
		       (thread->nr_events < thread->room || next_page(thread));
	if (!done)
		__atomic_store_n(&recorder_head->full_at, preload_time(), __ATOMIC_RELAXED);
	errno = before;
	return done;
}

NOINLINE void learn_page(struct recorder_thread *thread, u64 site)
{
	int before = errno;

	take_lock();
	recorder_learn_module(thread->image - 1, site);
	give_lock();
	thread->pages[site / PAGE_BYTES % KNOWN_PAGES] = site / PAGE_BYTES;
	errno = before;
}

void recorder_put(struct recorder_thread *thread, enum record_kind kind, u64 time, const void *ptr,
		  u64 bytes, u64 site)
{
	const u64 most = ((u64)1 << RECORD_THREAD_SHIFT) - 1;
	const u64 address = site & (((u64)1 << RECORD_KIND_SHIFT) - 1);

	if (unlikely(__atomic_load_n(&recorder_head->full_at, __ATOMIC_RELAXED) != 0) ||
	    (unlikely(thread->nr_events == thread->room) && !prepare(thread))) {
		__atomic_fetch_add(&recorder_head->lost, kind != RECORD_RESIZE, __ATOMIC_RELAXED);
		return;
	}
	if (unlikely(thread->pages[site / PAGE_BYTES % KNOWN_PAGES] != site / PAGE_BYTES))
		learn_page(thread, site);
	/* The clock may stand still for some calls, but their order must not get lost. */
	thread->last_time = MAX(time, thread->last_time + 1);
	thread->chunk->events[thread->nr_events] = (struct record_event){
		.time = thread->last_time,
		.ptr = (u64)(uintptr_t)ptr,
		.bytes = MIN(bytes, most) | (u64)thread->number << RECORD_THREAD_SHIFT,
		.site = address | (u64)kind << RECORD_KIND_SHIFT,
	};
	/* If the process is killed here, the command must not find half an event. */
	__atomic_store_n(&thread->chunk->nr_events, ++thread->nr_events, __ATOMIC_RELEASE);
}

void recorder_end(void)
{
	struct recorder_thread *thread = &recorder_thread;
	u32 image = recorder_process->image;

	/* A child of vfork shares this memory, but is not the process that ends. */
	if (!recorder_head || thread->image != image || thread->is_busy ||
	    recorder_head->images[image - 1].pid != (u32)getpid())
		return;
	thread->is_busy = 1;
	recorder_put(thread, RECORD_EXIT, preload_time(), NULL, 0, 0);
	recorder_head->images[image - 1].has_ended = 1;
	thread->is_busy = 0;
}
