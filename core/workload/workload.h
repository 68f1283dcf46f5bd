/*
 * workload.h - generated traces: what workload.c, which runs them, and the shapes (workload_*.c)
 * share.
 *
 *	begin_workload ─ shape's start ─┐
 *	work_workload ─── shape's turn ──┼─ workload_new, workload_free ─ import_alloc, import_free
 *	                      shape's turn ──┘  (ops as from slabtrace's a, k and f lines)
 *
 * A shape is a few tasks that allocate and free as the kernel does for them. It has one random number generator and
 * keeps its state in one block. It does a little work in each turn. It uses only integers, so a trace is the same on
 * every machine, and its exported text gives the same ops.
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include "import/import.h"
#include "sim/cache.h"

enum workload_sort {
#define CACHE(id, name, object_1, slot_1, object_18, slot_18, flags, from, to) SORT_##id,
#define BYTES(id, bytes_1, bytes_18, type, from, to) SORT_##id,
#include "tables/workload.def"
#undef CACHE
#undef BYTES
	NR_SORTS
};

enum workload_id {
#define WORKLOAD(id, name, machine, kernel, meaning) WORKLOAD_##id,
#include "tables/workload.def"
#undef WORKLOAD
	NR_WORKLOADS
};

enum workload_key {
#define WORKLOAD_KEY(id, key, hundredths, least, most, defaults, meaning) WORKLOAD_KEY_##id,
#include "tables/workload.def"
#undef WORKLOAD_KEY
	NR_WORKLOAD_KEYS
};

enum {
	MAX_RCU_WAITING = 256, /* objects of one CPU that wait for a grace period */
	RCU_BATCH = 64,
};

/* An allocated object as its owner knows it: its name in the trace; 0: none. */
typedef u32 object_name;

struct rcu_waiting {
	u32 nr;
	object_name object[MAX_RCU_WAITING];
	u8 sort[MAX_RCU_WAITING];
};

struct workload {
	struct import *im;
	const struct workload_shape *shape;
	void *state;	  /* the state of the shape, or of the boot before it */
	void *after_boot; /* the shape's state during the boot; NULL: the shape is running */
	u64 value[NR_WORKLOAD_KEYS]; /* values in force */
	u64 random;
	u64 done, all; /* the shape's progress and its total */
	u32 phase, at; /* the shape's phase; how many of its objects the phase has done */
	u32 cpus, nodes;
	u32 last_name;
	u32 kernel; /* 0: 6.1, 1: 6.18 */
	u32 finished;
	struct recipe alloc[NR_SORTS], free[NR_SORTS];
	struct rcu_waiting *rcu; /* [cpus] */
};

enum { MAX_PHASES = 4 };

/* One row for each workload. */
struct workload_shape {
	u64 (*state_bytes)(const struct workload *g);
	void (*start)(struct workload *g);
	/* The phases, one after another. Each does a little; 0 when nothing is left to do in it. */
	int (*phases[MAX_PHASES])(struct workload *g);
};

extern const struct workload_shape shape_netio, shape_kernel_build, shape_tcp_rr, shape_hackbench,
	shape_boot;

/* workload.c: the work of begin_workload and work_workload. For an unknown name or key: KMEM_EPARAM
 * with a sentence in t->error. */
s32 workload_begin(struct trace *t, const char *name, const char *settings);
/* Thousandths left to do, 0 once the trace has ended, or an error of the import. */
s32 workload_run(struct trace *t, u32 max_ops);
/* Returns the workloads and their keys as JSON, NULL if it does not fit room. */
const char *workload_json(char *buf, u32 room);

/* workload_objects.c */
void workload_sorts_init(struct workload *g);
/* Allocates on the CPU; 0 if this kernel has no such objects. */
object_name workload_new(struct workload *g, enum workload_sort sort, u32 cpu);
/* The same with a size, for kmalloc. */
object_name workload_new_bytes(struct workload *g, enum workload_sort sort, u32 bytes, u32 cpu);
void workload_free(struct workload *g, enum workload_sort sort, object_name object, u32 cpu);
/* Frees after a grace period: later, with other objects, on the requesting CPU. */
void workload_free_rcu(struct workload *g, enum workload_sort sort, object_name object, u32 cpu);
/* Frees all waiting objects of every CPU, at the end. */
void workload_rcu_end(struct workload *g);
/* Allocates from a cache that is not in workload.def. Only workload_free_plain frees its
 * objects. */
object_name workload_new_plain(struct workload *g, const struct trace_cache *cache, u32 cpu);
object_name workload_kmalloc_plain(struct workload *g, u32 bytes, u32 type, u32 cpu);
void workload_free_plain(struct workload *g, object_name object, u32 cpu);

/* Returns a random number from 0 to n - 1, all equally likely; 0 for n 0. */
u32 workload_below(struct workload *g, u32 n);
/* 1 with a probability of `percent` %, else 0. */
int workload_chance(struct workload *g, u32 percent);
/* Returns a random length from 1 to `most`, short ones far more often: how long work continues
 * undisturbed. */
u32 workload_stretch(struct workload *g, u32 usual, u32 most);
/* Returns the key's value times the `scale` setting, at least 1. */
u64 workload_scaled(const struct workload *g, enum workload_key key);

ALWAYS_INLINE u32 workload_value(const struct workload *g, enum workload_key key)
{
	return (u32)g->value[key];
}

/*
 * A process of a workload: what fork, exec, mmap, open and exit allocate and free.
 */

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

/* Processes are in the shape's state, and their areas after them. */
void process_init(struct process *p, struct area *areas, u32 room);
/* The parent's CPU allocates everything. A vfork shares memory until exec. */
void process_fork(struct workload *g, const struct process *parent, struct process *child,
		  int vfork, u32 cpu);
/* Starts another program with this many mapped areas. A sixth of them belong to a library that it
 * opens. */
void process_exec(struct workload *g, struct process *p, u32 areas, u32 cpu);
/* Maps an area. In every second case the process writes to it, so it gets its own pages. */
void process_map(struct workload *g, struct process *p, u32 cpu);
/* Changes the protection of an area: allocates two copies, replaces the area, frees the copies. */
void process_split(struct workload *g, struct process *p, u32 cpu);
/* Looks up a path. The path's name is freed once it is found. */
void process_lookup(struct workload *g, u32 cpu);
/* Opens a path that does not exist: open immediately frees the file it had allocated. */
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
