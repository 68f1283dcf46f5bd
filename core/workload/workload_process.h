/*
 * workload_process.h - a process of a workload: what fork, exec, mmap, open and exit allocate and free.
 */
#ifndef WORKLOAD_WORKLOAD_PROCESS_H
#define WORKLOAD_WORKLOAD_PROCESS_H

#include "workload/workload.h"

/* What a task has one of, in the order of copy_process(). */
enum process_part {
	PART_TASK,
	PART_STACK_AREA,
	PART_STACK_VM,
	PART_STACK_PAGES,
	PART_CRED,
	PART_CRED_BLOB,
	PART_FILES,
	PART_FD_TABLE,
	PART_FD_ARRAY,
	PART_FD_BITS,
	PART_FS,
	PART_SIGHAND,
	PART_SIGNAL,
	PART_MM,
	PART_PID,
	NR_PARTS
};

enum { MAX_OPEN = 8, PROCESS_NODES = 8 };

/* A memory area and what hangs on it. */
struct area {
	object_name vma, chain, fork_chain, anon;
};

struct process {
	struct area *areas; /* [room] */
	u32 room, nr_areas, nr_files;
	object_name parts[NR_PARTS];
	object_name nodes[PROCESS_NODES]; /* of the maple tree that its areas are in */
	object_name file[MAX_OPEN], blob[MAX_OPEN];
};

/* Processes are in the shape's state, areas behind them. */
void process_init(struct process *p, struct area *areas, u32 room);
/* The parent's CPU allocates all of it. A vfork shares memory until exec. */
void process_fork(struct workload *g, const struct process *parent, struct process *child,
		  int vfork, u32 cpu);
/* Another program with so many mapped areas, a sixth of which come from a library that is opened for it. */
void process_exec(struct workload *g, struct process *p, u32 areas, u32 cpu);
/* Maps an area; written to, so that it has pages of its own, in every second case. */
void process_map(struct workload *g, struct process *p, u32 cpu);
/* A change of protection cuts an area out of another, and a third one takes its place. */
void process_split(struct workload *g, struct process *p, u32 cpu);
/* Looks up a path: a name lives until it is found. */
void process_lookup(struct workload *g, u32 cpu);
/* A path that does not exist: the file that open had taken for it goes back at once. */
void process_open_nothing(struct workload *g, u32 cpu);
/* Opens and closes after so many other lookups. */
void process_read_file(struct workload *g, u32 lookups, u32 cpu);
/* Opens and keeps. */
void process_open(struct workload *g, struct process *p, u32 cpu);
/* A new file on disk: inode, dentry and the buffers of its pages stay in their caches. */
void process_create_file(struct workload *g, u32 buffers, u32 cpu);
/* Memory and files go on its CPU; the rest once the parent has waited for it, on the parent's. */
void process_exit(struct workload *g, struct process *p, u32 cpu, u32 parent_cpu);

#endif
