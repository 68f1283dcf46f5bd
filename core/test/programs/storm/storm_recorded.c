/*
 * storm_recorded.c - storm.c with its malloc recorded by preload/record without a preload, so sanitizers see all of it,
 * including the reader of the spool. The linker's --wrap sends the calls here. The first process makes the spool and
 * reads it at its end.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/programs/record.h"
#include "preload/preload.h"
#include "preload/record/recorder.h"

enum { CHUNKS = 2048, PAGES = 8 * CHUNKS };

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t nr, size_t each);
void *__real_realloc(void *p, size_t bytes);
void __real_free(void *p);
int __real_posix_memalign(void **p, size_t align, size_t bytes);
size_t __real_malloc_usable_size(void *p);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t nr, size_t each);
void *__wrap_realloc(void *p, size_t bytes);
void __wrap_free(void *p);
int __wrap_posix_memalign(void **p, size_t align, size_t bytes);
size_t __wrap_malloc_usable_size(void *p);

static const size_t spool_bytes = RECORD_HEAD_BYTES + CHUNKS * sizeof(struct record_chunk);
static struct record_head *own_spool; /* spool of the first process */

static void must(int what, const char *law)
{
	if (what)
		return;
	fprintf(stderr, "broken: %s\n", law);
	_exit(1);
}

/* record_text.c writes here. */
int output_write(struct output *o, const void *bytes, size_t len_bytes)
{
	return fwrite(bytes, 1, len_bytes, o->file) == len_bytes;
}

static void note(enum record_kind kind, const void *ptr, u64 bytes)
{
	struct recorder_thread *thread = &recorder_thread;

	must(thread->image == recorder_process->image || recorder_join(thread), "all is recorded");
	thread->is_busy = 1;
	recorder_put(thread, kind, preload_time(), ptr, bytes, (u64)(uintptr_t)note);
	thread->is_busy = 0;
}

void *__wrap_malloc(size_t bytes)
{
	void *p = __real_malloc(bytes);

	note(RECORD_MALLOC, p, bytes);
	return p;
}

void *__wrap_calloc(size_t nr, size_t each)
{
	void *p = __real_calloc(nr, each);

	note(RECORD_CALLOC, p, nr * each);
	return p;
}

void *__wrap_realloc(void *p, size_t bytes)
{
	note(RECORD_RESIZE, p, 0);
	void *new = __real_realloc(p, bytes);
	note(RECORD_REALLOC, new, bytes);
	return new;
}

void __wrap_free(void *p)
{
	if (p)
		note(RECORD_FREE, p, 0);
	__real_free(p);
}

int __wrap_posix_memalign(void **p, size_t align, size_t bytes)
{
	int error = __real_posix_memalign(p, align, bytes);

	note(RECORD_POSIX_MEMALIGN, error ? NULL : *p, bytes);
	return error;
}

size_t __wrap_malloc_usable_size(void *p)
{
	return __real_malloc_usable_size(p);
}

static int has_forked;

static void in_parent(void)
{
	has_forked = 1;
}

/* Before the library looks for a spool. */
__attribute__((constructor(101))) static void make_spool(void)
{
	char path[64];

	pthread_atfork(NULL, in_parent, NULL);
	if (getenv(RECORD_VARIABLE))
		return;
	int fd = memfd_create("spool", 0);
	must(fd >= 0 && ftruncate(fd, (off_t)spool_bytes) == 0, "there is memory for a spool");
	own_spool = mmap(NULL, spool_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(own_spool != MAP_FAILED, "a spool can be mapped");
	own_spool->magic = RECORD_MAGIC;
	own_spool->pid = (u32)getpid();
	own_spool->max_chunks = CHUNKS;
	own_spool->max_pages = PAGES;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	setenv(RECORD_VARIABLE, path, 1);
}

/* Nothing is freed twice or left out: the trace has every object that lived, once. */
__attribute__((destructor(101))) static void read_spool(void)
{
	struct spool_reader reader;
	struct record_counts counts;
	struct output out = { .file = own_spool && own_spool->pid == (u32)getpid() ? tmpfile()
										   : NULL };

	if (!out.file)
		return;
	int done = spool_read(&reader, own_spool, spool_bytes);
	must(done && record_write(&reader, "storm", ~(u64)0, &out, &counts),
	     "the spool is a trace");
	spool_close(&reader);
	fclose(out.file);
	fprintf(stderr, "%llu events of %u threads in %u processes, %llu lost\n",
		(unsigned long long)counts.events, counts.threads, counts.processes,
		(unsigned long long)counts.lost);
	must(counts.events > 1000 && counts.processes > (u32)has_forked, "children are recorded");
}
