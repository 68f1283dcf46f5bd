/*
 * cpu_schedule.h - CPUs that are at work at the same time: which of them comes to its next operation first.
 *
 *	recorded   a0 f0 a1 f1 a2 …          (one list, whose CPU is whose number)
 *	CPU 0      a0 ──▏   ▕ f1 ──▏
 *	CPU 1         ▕ a1 ────▏             → a0 a1 f1 …, the order in which they begin
 *
 * A discrete-event run. Every CPU has its operations of the trace, in their order. The next one to run is that of the
 * CPU whose clock (sim/clock.h) says that it gets there first, the lowest CPU of several. A CPU waits, idle,
 *  - with an operation on an object that has not come so far in its life: above all a free before the allocation;
 *  - with an allocation while as many objects are alive as ever were at once in the trace: tasks wait for each other,
 *    senders for the room in a socket, and this is as much as a trace tells of it. Should all wait, the operation
 *    that comes first in the trace goes ahead.
 *
 * What comes out is the same trace in another order. A plain run of it has every clock as it was in this one: no
 * operation of it begins before the one before it.
 */
#ifndef REPLAY_CPU_SCHEDULE_H
#define REPLAY_CPU_SCHEDULE_H

#include "replay/replay.h"
#include "util/heap.h"

/* The operations of one CPU that are still to run: queue[first…end). */
struct turns_cpu {
	u32 first, end;
	u32 waits;  /* enum turns_wait: what the first of them waits for */
	u32 passes; /* 1: it need not wait for room */
};

enum turns_wait { WAITS_NOT, WAITS_FOR_OBJECT, WAITS_FOR_ROOM };

struct turns {
	u32 is_on;
	u32 nr_ops, nr_due, nr_names, nr_free;
	u32 nr_handles;		 /* as the trace had them */
	u32 most_live;		 /* objects alive at once in the trace as it was imported */
	u32 nr_live, nr_waiting; /* objects; CPUs that wait for room */
	struct trace *trace;
	struct packed_op **from; /* the operations as they were */
	struct op *large;	 /* and those of them that are large */
	void *block;		 /* of all that follows */
	u64 block_bytes;
	u32 *queue;	 /* [nr_ops] */
	u32 *next;	 /* [nr_ops]: the next operation on the same object */
	u32 *name;	 /* [nr_ops]: handle of its object in the new order, once it may run */
	u32 *free_names; /* [nr_ops] */
	struct turns_cpu *cpu; /* [MAX_CPUS] */
	struct heap_item *due; /* [MAX_CPUS]: when CPUs are due */
};

/* Puts another list in the place of the trace's operations, empty at first: before the world is made. It may need twice
 * as many handles: those of what is alive in the trace when its earliest operation that has not run is due, and as
 * many of what was allocated ahead of that. 0 if the pool has no room. */
int turns_begin(struct turns *turns, struct trace *t);
/* On a fresh world for that trace: deals the operations out to its CPUs. */
void turns_deal(struct turns *turns, const struct replay *r);
/* The next n operations; fewer only when the world is out of room. */
u32 turns_run(struct turns *turns, struct replay *r, u32 n);
/* All have run: the trace keeps the new order. Its times were of the old one, so they go. */
void turns_finish(struct turns *turns, struct trace *t);
/* Not all have: the trace is as it was. */
void turns_abandon(struct turns *turns, struct trace *t);

#endif
