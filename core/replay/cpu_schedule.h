/*
 * cpu_schedule.h - orders the events of CPUs that run at the same time.
 *
 *	trace      a0 f0 a1 f1 a2 …          (one list; numbers are objects)
 *	CPU 0      a0 ──▏   ▕ f1 ──▏
 *	CPU 1         ▕ a1 ────▏             → a0 a1 f1 …, the order in which they start
 *
 * This is a discrete-event simulation. Each CPU has its own events of the trace, in order. The CPU
 * with the earliest clock (sim/step.h) runs next; on a tie the lowest CPU does. A CPU waits, idle:
 *
 * - before an event whose object is not ready yet, mostly a free before its allocation;
 * - before an allocation while as many objects are alive as the trace ever had at once. Real
 *   tasks wait for each other, senders for room in a socket; this limit is all that a trace records of it.
 *
 * If all CPUs wait, the event that comes first in the trace runs.
 *
 * The result is the same trace in another order. Replaying it in that order reproduces every clock,
 * because no event starts before its predecessor.
 */
#ifndef REPLAY_CPU_SCHEDULE_H
#define REPLAY_CPU_SCHEDULE_H

#include "replay/replay.h"
#include "util/heap.h"

/* The events that one CPU has still to run: queue[first…end). */
struct turns_cpu {
	u32 first, end;
	u32 waits;     /* enum turns_wait: the reason why the first one waits */
	u32 has_begun; /* 1: one of its events has run */
	u32 passes;    /* 1: it may run without waiting for room */
};

enum turns_wait { WAITS_NOT, WAITS_FOR_OBJECT, WAITS_FOR_ROOM };

struct turns {
	u32 is_on;
	u32 nr_ops, nr_due, nr_names, nr_free;
	u32 nr_handles;		 /* as in the original trace */
	u32 most_live;		 /* most objects alive at once in the imported trace */
	u32 nr_live, nr_waiting; /* live objects; CPUs that wait for room */
	struct trace *trace;
	struct packed_op **from; /* the events in their original order */
	struct op *large;	 /* and the large ones among them */
	void *block;		 /* memory of all tables below */
	u64 block_bytes;
	u32 *queue; /* [nr_ops] */
	u32 *next;  /* [nr_ops]: the next event on the same object */
	u32 *name; /* [nr_ops]: handle of the event's object in the new order, set once the event may run */
	u32 *free_names;       /* [nr_ops] */
	struct turns_cpu *cpu; /* [MAX_CPUS] */
	struct heap_item *due; /* [MAX_CPUS]: when CPUs are due */
};

/* Replaces the trace's list of events by an empty one; call it before the world is created. The list may need twice as many
 * handles: those of the objects live when the earliest pending event is due, plus those of objects allocated ahead of it.
 * Returns 0 if the pool has no room. */
int turns_begin(struct turns *turns, struct trace *t);
/* Distributes the events to the CPUs; needs a fresh world for that trace. */
void turns_deal(struct turns *turns, const struct replay *r);
/* Runs the next n events; fewer only if the world is out of room. */
u32 turns_run(struct turns *turns, struct replay *r, u32 n);
/* After all events have run: the trace keeps the new order and loses its times, which belong to the
 * old one. */
void turns_finish(struct turns *turns, struct trace *t);
/* If some have not run: restores the original trace. */
void turns_abandon(struct turns *turns, struct trace *t);

#endif
