/*
 * record.h - the events that preload/record has recorded, and the slabtrace that is made of them.
 */
#ifndef CLI_PROGRAMS_RECORD_H
#define CLI_PROGRAMS_RECORD_H

#include "cli/output.h"
#include "kmem_types.h"
#include "preload/record_spool.h"

/* Where the reader is in one chunk. */
struct spool_cursor {
	const struct record_chunk *chunk;
	u64 time; /* of the next event */
	u32 image, at, nr_events;
};

struct spool_reader {
	const struct record_head *head;
	const struct record_chunk *chunks;
	u32 nr_modules, nr_chunks, nr_images, nr_starts; /* at most as many as their tables hold */
	u64 nr_events, lost;
	struct spool_cursor *cursors; /* by the time of the first event */
	u32 nr_cursors, next;	      /* cursors that are not in the heap yet */
	u32 *heap, nr_heap;	      /* cursors with events, the earliest first */
};

/* One event in fields of its own. */
struct spool_event {
	enum record_kind kind;
	u64 time, ptr, bytes, site;
	u32 image, thread;
};

/* Returns 0 without memory, or if this is not a spool. spool_close releases the memory. */
int spool_read(struct spool_reader *r, const void *bytes, u64 len_bytes);
/* The kind of a recorded event; RECORD_NOTHING if it is none. */
enum record_kind spool_kind(const struct record_event *e);
/* Returns 0 after the last event. */
int spool_next(struct spool_reader *r, struct spool_event *event);
void spool_close(struct spool_reader *r);

struct live_object {
	u64 key; /* its pointer, or what stands for it; 0: the slot is free */
	u64 ptr;
	u32 id;		/* 0: it has no line in the trace */
	u32 slot_bytes; /* 0: nothing was requested */
};

struct live_objects {
	struct live_object *slots;
	u64 nr, nr_slots;
	u32 shift; /* leaves as many bits as a slot's number has */
};

/* Adds an object whose key is not there yet. Returns 0 without memory. */
int live_add(struct live_objects *live, struct live_object object);
/* Removes an object and returns it; its id and key are 0 if there is none. */
struct live_object live_take(struct live_objects *live, u64 key);
void live_close(struct live_objects *live);

enum { RECORD_CPUS = 64 }; /* more threads than these at once share them */

struct thread_cpus {
	u8 *cpus; /* by the thread's number */
	u32 nr, nr_threads, nr_cpus;
};

/* Returns 0 without memory. thread_cpus_close releases it. */
int thread_cpus_open(struct thread_cpus *t, const struct spool_reader *spool);
u32 thread_cpu(const struct thread_cpus *t, u32 thread);
void thread_cpus_close(struct thread_cpus *t);

enum { TASK_BYTES = RECORD_NAME_BYTES + 12 };

struct image_state {
	struct live_objects live;
	u64 events_left;
	u32 before; /* the image of the program that ran in its process before it, plus 1; 0: none */
	u32 is_followed; /* another program follows in its process */
	u32 is_last; /* of the first process, or of one that is still running: its objects live at the end of the trace */
	char task[TASK_BYTES]; /* name-pid, without blanks */
};

struct record_images {
	struct image_state *states;
	u32 nr, nr_processes;
	u32 nr_running; /* processes that are still running, on Linux */
};

enum { CALL_NAME_BYTES = 256 };

struct call_names;

/* The modules, and the images that they belong to, which may be NULL if there is only one. */
struct call_modules {
	const struct record_module *modules;
	const struct record_image *images;
	u32 nr_modules, nr_images;
};

/* NULL without memory. The modules last until call_names_close. */
struct call_names *call_names_open(const struct call_modules *modules);
/*
 * The name of a call site in an image: add_row+0x2e in the program, strdup+0x1c[libc.so.6] in a library,
 * libz.so.1+0x4c10 without a symbol, as `addr2line -e` reads it. Valid until call_names_close. It contains no blank and no `%`.
 */
const char *call_name(struct call_names *names, u32 image, u64 address);
void call_names_close(struct call_names *names);

struct record_counts {
	u64 events;    /* lines of the trace */
	u64 lost;      /* events after the limit */
	u64 too_large; /* requests of more than a slabtrace can have */
	u32 threads, processes;
	/* Missing: programs that did not load the library, processes whose end was not waited for, and those for which there
	 * was no room. */
	u32 not_loaded, running, no_room;
	char first_not_loaded[128];
};

/* Writes at most `most` events; begun: the name of the program. Returns 0 without memory, or if nothing can be written. */
int record_write(struct spool_reader *spool, const char *program, u64 most, struct output *out,
		 struct record_counts *counts);

#endif
