/*
 * workload.h - made-up traces: what workload.c, which runs them, and the shapes (workload_*.c) share.
 *
 *	kmem_workload_begin ─ shape's start ─┐
 *	kmem_workload_run ─── shape's turn ──┼─ workload_new, workload_free ─ import_alloc, import_free
 *	                      shape's turn ──┘  (ops as slabtrace's a, k and f lines would give them)
 *
 * A shape is a handful of tasks that allocate and free as the kernel does for them. It draws from one generator of
 * random numbers, keeps its state in one block, and does a little at each turn. Nothing but integers
 * is used, so that a trace is the same on every machine: the text that it is exported to gives the same ops again.
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include "sim/cache.h"
#include "import/import.h"

enum workload_sort {
#define CACHE(id, name, object_1, slot_1, object_18, slot_18, flags, from, to) SORT_##id,
#define BYTES(id, bytes_1, bytes_18, type, from, to) SORT_##id,
#include "tables/workload_sorts.def"
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
	MAX_RCU_WAITING = 256, /* objects of one CPU that wait for the end of a grace period */
	RCU_BATCH = 64,
};

/* An allocated object as its owner keeps it: its name in the trace; 0: none. */
typedef u32 object_name;

struct rcu_waiting {
	u32 nr;
	object_name object[MAX_RCU_WAITING];
	u8 sort[MAX_RCU_WAITING];
};

struct workload {
	struct import *im;
	const struct workload_shape *shape;
	void *state;		     /* the shape's; while the machine boots, of that */
	void *after_boot;	     /* the shape's then; NULL: it is at work already */
	u64 value[NR_WORKLOAD_KEYS]; /* in force */
	u64 random;
	u64 done, all; /* the shape's measure of how far it is */
	u32 cpus, nodes;
	u32 last_name;
	u32 kernel; /* 0: 6.1, 1: 6.18 */
	u32 finished;
	struct recipe alloc[NR_SORTS], free[NR_SORTS];
	struct rcu_waiting *rcu; /* [cpus] */
};

/* One row a workload. */
struct workload_shape {
	u64 (*state_bytes)(const struct workload *g);
	void (*start)(struct workload *g);
	/* Does a little; 0 when there is nothing left to do. */
	int (*turn)(struct workload *g);
};

extern const struct workload_shape shape_netio, shape_kernel_build, shape_tcp_rr, shape_hackbench,
	shape_boot;

/* workload.c, behind kmem_workload_begin and _run. KMEM_EPARAM with a sentence in t->error for what is not known. */
s32 workload_begin(struct trace *t, const char *name, const char *settings);
/* Parts of a thousand still to go, 0 once the trace has ended, or what an import gives. */
s32 workload_run(struct trace *t, u32 max_ops);
/* JSON: the workloads and their keys. NULL if room does not hold it. */
const char *workload_json(char *buf, u32 room);

/* workload_objects.c */
void workload_sorts_init(struct workload *g);
/* Allocates on the CPU; 0 where the kernel has no such objects. */
object_name workload_new(struct workload *g, enum workload_sort sort, u32 cpu);
/* The same of so many bytes; for kmalloc. */
object_name workload_new_bytes(struct workload *g, enum workload_sort sort, u32 bytes, u32 cpu);
void workload_free(struct workload *g, enum workload_sort sort, object_name object, u32 cpu);
/* Frees after a grace period: with others, later, on the CPU that asked. */
void workload_free_rcu(struct workload *g, enum workload_sort sort, object_name object, u32 cpu);
/* All that waits, of every CPU: at the end. */
void workload_rcu_end(struct workload *g);
/* A cache that workload_sorts.def does not have: its objects are never freed, or by workload_free_plain. */
object_name workload_new_plain(struct workload *g, const struct trace_cache *cache, u32 cpu);
object_name workload_kmalloc_plain(struct workload *g, u32 bytes, u32 type, u32 cpu);
void workload_free_plain(struct workload *g, object_name object, u32 cpu);

/* 0 to n - 1, each as likely; 0 for n 0. */
u32 workload_below(struct workload *g, u32 n);
/* 1 in so many of a hundred cases. */
int workload_chance(struct workload *g, u32 percent);
/* 1 to most, small ones far more often: as long as work goes on undisturbed. */
u32 workload_stretch(struct workload *g, u32 usual, u32 most);
/* The key's value times scale, at least 1. */
u64 workload_scaled(const struct workload *g, enum workload_key key);

ALWAYS_INLINE u32 workload_value(const struct workload *g, enum workload_key key)
{
	return (u32)g->value[key];
}

#endif
