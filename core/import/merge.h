/*
 * merge.h - several files of one machine as one trace: the events of all, as recorded, in the order of their times.
 *
 *	file ─┐
 *	file ─┼─ struct event, with pointers ─ sorted by time ─ import_event(): handles are made here
 *	file ─┘
 *
 * No pointer becomes a handle before all files are read, so objects are matched across files.
 */
#ifndef IMPORT_MERGE_H
#define IMPORT_MERGE_H

#include "import/import.h"
#include "kmem_doctor.h"

enum { MAX_TIED_EVENTS = 4096 };

/* The time of a file's events on one CPU. */
struct cpu_span {
	u64 first, last;
};

struct merge_input {
	struct kmem_merge_file row;
	char kernel[MAX_RELEASE_BYTES];
	struct cpu_span *cpus; /* [MAX_CPUS]; last is 0 and first all ones without an event */
	u32 is_hashed, has_addresses;
	u64 bytes, lines; /* totals of the files before this one */
};

struct merge {
	u32 nr_files, nr_pairs;
	u32 is_reading;	       /* a file has started */
	struct time_order all; /* events of all files */
	struct merge_input files[KMEM_MAX_MERGED_FILES];
	struct kmem_merge_file rows[KMEM_MAX_MERGED_FILES];
	struct kmem_merge_pair pairs[KMEM_MAX_MERGE_PAIRS];
	struct trace_format format; /* format of the result */
	u8 done[MAX_TIED_EVENTS];
	u16 twin[MAX_TIED_EVENTS]; /* last file that had the same event */
};

/* Return a status; the sentence is in t->error. Call merge_open after trace_begin(). */
s32 merge_open(struct trace *t, struct merge *m);
s32 merge_file_begin(struct trace *t, struct merge *m, const char *name);
s32 merge_file_end(struct trace *t, struct merge *m);
/* Imports all events; trace_end() follows. */
s32 merge_all(struct trace *t, struct merge *m);
/* Frees the memory of the events and the CPUs. */
void merge_drop(struct pool *pool, struct merge *m);

#endif
