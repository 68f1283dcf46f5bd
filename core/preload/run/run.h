/*
 * run.h - `slabscope run`, inside the program: its malloc is served by the core.
 *
 *	malloc.c ── serve.c ── core
 *	               ├─ lock.c, huge.c
 *	               └─ run_trace.c, blame.c
 *
 * The program calls the functions of malloc.c. The core and its memory are in serve.c, under the lock of lock.c. Requests larger than the
 * largest run of pages are mapped by huge.c. With --record each request becomes a line of a slabtrace in run_trace.c.
 * Reports of debugging are made and printed by blame.c. At the end serve.c leaves the state for the command.
 */
#ifndef PRELOAD_RUN_RUN_H
#define PRELOAD_RUN_RUN_H

#include "kmem_types.h"
#include "preload/run_result.h"

/* The caller's address, for reports. */
typedef const void *site;

struct run {
	struct kmem_session *session; /* NULL until the first request */
	u8 *memory;		      /* memory of the page frames */
	u64 memory_bytes;
	u32 nr_cpus;
	u32 page_bytes;
	u32 largest;  /* bytes of the largest run of pages */
	u32 is_first; /* this process reports: the command started it, and it has not reported yet */
	u32 is_debugged;
	u64 key;		   /* what the command's files start with */
	struct run_result *result; /* shared with the command and all processes; NULL: none */
	char result_path[4096], trace_path[4096], reports_path[4096];
};

extern struct run run;

/* lock.c. Recursive, because a handler of fork that runs after ours may allocate; errno stays. */
void run_lock(void);
void run_unlock(void);
/* In a child of fork: marks the lock as free. */
void run_lock_reset(void);

/* serve.c. Alignments are powers of two. Return NULL with errno ENOMEM. */
void *run_alloc(u64 bytes, u64 align, site from);
void *run_realloc(void *p, u64 bytes, site from);
void run_free(void *p, site from);
u64 run_usable(const void *p);
/* Called at the start of a process, if not earlier. */
void run_begin(void);
/* Ends the report of the first process: at its exit. */
void run_end(void);
/* Whether this process reports and has not reported yet. */
int run_reports(void);
/* Called around a fork. */
void run_before_fork(void);
void run_in_parent(void);
void run_in_child(void);

/* huge.c, with the lock held. */
void *huge_alloc(u64 bytes, u64 align);
/* Returns the bytes from p on, 0 if p is not in one of these blocks. */
u64 huge_bytes(const void *p);
void huge_free(const void *p);
void *huge_resize(void *p, u64 bytes);

/* run_trace.c, with the lock held. IDs are the objects' offsets in the memory. */
void run_trace_begin(void);
void run_trace_alloc(u64 id, u32 bytes, u32 cpu, site from);
void run_trace_free(u64 id, u32 cpu, site from);
/* Writes what is left, and the last line; or forgets it in a child of fork. */
void run_trace_end(void);
void run_trace_forget(void);

/* blame.c: reports of debugging, kept until the lock is free. */
enum { MOST_BLAMED = 4 };

struct blamed {
	char text[1024]; /* "": none */
	char cache[64];
	site allocated, freed;
	struct kmem_bug bug;
	u32 requested; /* 0: a report of the core */
};

/* With the lock held. */
void blame_begin(void);
void blame_alloc(void *p, u32 bytes, site from);
void blame_free(void *p, site from);
int blame_is_due(void);
/* Returns the bytes from p on, without those that are checked when it is freed. */
u64 blame_usable(const void *p);
/* Takes at most MOST_BLAMED new reports. */
void blame_take(struct blamed *out, u32 *nr);
/* At the end of the program: looks for damage that no later event touched. Call it again until there is none. */
void blame_check_all(void);

/* Without the lock: prints them, with the names of calls. from: the call that noticed, NULL at the end. */
void blame_print(const struct blamed *reports, u32 nr, site from);

#endif
