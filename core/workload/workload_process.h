/*
 * workload_process.h - a process of a workload: what fork, exec, mmap, open and exit allocate and free.
 */
#ifndef WORKLOAD_WORKLOAD_PROCESS_H
#define WORKLOAD_WORKLOAD_PROCESS_H

#include "workload/workload.h"

/* The objects that each task has one of, in the order of copy_process(). */
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

/* A memory area and the objects that belong to it. */
struct area {
	object_name vma, chain, fork_chain, anon;
};

struct process {
	struct area *areas; /* [room] */
	u32 room, nr_areas, nr_files;
	object_name parts[NR_PARTS];
	object_name nodes[PROCESS_NODES]; /* nodes of the maple tree that holds its areas */
	object_name file[MAX_OPEN], blob[MAX_OPEN];
};

/* Processes are in the shape's state, and their areas behind them. */
void process_init(struct process *p, struct area *areas, u32 room);
/* The parent's CPU allocates everything. A vfork shares memory until exec. */
void process_fork(struct workload *g, const struct process *parent, struct process *child,
		  int vfork, u32 cpu);
/* Starts another program with this many mapped areas. A sixth of them belong to a library that it
 * opens. */
void process_exec(struct workload *g, struct process *p, u32 areas, u32 cpu);
/* Maps an area. In every second case the process writes to it, so that it has its own pages. */
void process_map(struct workload *g, struct process *p, u32 cpu);
/* Changes the protection of an area: allocates two copies, replaces the area, frees the copies. */
void process_split(struct workload *g, struct process *p, u32 cpu);
/* Looks up a path. The path's name is freed once it is found. */
void process_lookup(struct workload *g, u32 cpu);
/* Opens a path that does not exist: open frees the file it had allocated at once. */
void process_open_nothing(struct workload *g, u32 cpu);
/* Opens and closes a file after this many other look-ups. */
void process_read_file(struct workload *g, u32 lookups, u32 cpu);
/* Opens a file and keeps it open. */
void process_open(struct workload *g, struct process *p, u32 cpu);
/* Creates a file on disk. Its inode, dentry and page buffers stay in their caches. */
void process_create_file(struct workload *g, u32 buffers, u32 cpu);
/* Exits. Its CPU frees memory and files. The parent's CPU frees the rest after the parent has
 * waited for it. */
void process_exit(struct workload *g, struct process *p, u32 cpu, u32 parent_cpu);

#endif
