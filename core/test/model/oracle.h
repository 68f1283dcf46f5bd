/*
 * oracle.h - a naive oracle: it knows which objects are live and where each was when it was first seen, and holds
 * any allocator to that.
 *
 * Between operations: every slab is in one place, on pages that are taken, on its node, and none overlap; every
 * live object is allocated in its slab, where it always was, aligned, on the node that was named; every object in
 * an array or queue is free and is there once; what is counted is what is found. Inside an operation less holds:
 * nothing is in two places, and no object but the one at work has moved.
 */
#ifndef TEST_MODEL_ORACLE_H
#define TEST_MODEL_ORACLE_H

#include "alloc/ops.h"

enum { ORACLE_OBJECTS = 256, ORACLE_NOBODY = 0xffffffff };

struct oracle_object {
	object_loc loc; /* 0: not live */
	u64 address;	/* of its first byte; 0 until it is first seen */
	u64 end;
	u32 cache, bytes;
	u32 node; /* that it must be on, NODE_ANY */
};

struct oracle {
	const struct kmem_ops *ops;
	u32 requests; /* objects may be in a bulk request or a prefilled sheaf: allocated, and not live */
	u32 has_room;	/* memory is plenty, and queues are of one node: a named node is the node */
	u32 nr_objects; /* entries used */
	u32 nr_live;
	/* Asked of the allocator; from_home: for any node, or for that of the CPU at work. */
	u64 allocs, from_home, frees;
	struct oracle_object object[ORACLE_OBJECTS];
};

void oracle_begin(struct oracle *o, const struct kmem_ops *ops);
void oracle_copy(struct oracle *to, const struct oracle *from);
/* loc 0: the allocation failed. home: node of the CPU that it was made on. */
void oracle_alloc(struct oracle *o, u32 id, u32 cache, object_loc loc, u32 bytes, u32 node,
		  u32 home);
void oracle_free(struct oracle *o, u32 id);
/* Between operations: NULL, or the law that is broken. */
const char *oracle_judge(struct oracle *o, const struct world *w);

/* Runs the operation once more for each of its steps and looks at the world after each; `moving` is the object
 * that it frees, or ORACLE_NOBODY. The world is left as after one run. NULL, or the law that is broken. */
const char *oracle_look_inside(struct oracle *o, struct world *w, u32 moving, void (*run)(void *),
			       void *arg);

#endif
