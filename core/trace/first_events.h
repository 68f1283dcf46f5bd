/*
 * first_events.h - the first event of a trace at each address: it shows what the machine had there before.
 *
 *	first event at an address	the object there, before event 1
 *	free				was in use
 *	allocation			was free, or its slab came later
 *
 * Later events at the address say nothing more. So 16 bytes an address are enough, however long the trace is.
 */
#ifndef TRACE_FIRST_EVENTS_H
#define TRACE_FIRST_EVENTS_H

#include "util/hash.h"

/* The address that the export of ftrace text gives to all objects that it does not know. */
#define EXPORTED_UNKNOWN 0xffffc90000000000u

/* The first event at an address. */
struct first_event {
	u64 ptr;
	u32 op;
	u32 next; /* for the planner: session/warm */
};

struct first_events {
	struct buffer run; /* struct first_event[nr], by event */
	u32 nr;
	u32 nr_pages;
	u32 is_on;   /* 1 while events are imported */
	u32 is_full; /* later events are not noted */
	u64 room_bytes;
	struct hash
		pages; /* while events are imported: pages with touched objects; taken: row of bits + 1 */
	struct buffer bits; /* u64[nr_pages][8]: a bit for each 8 bytes of a page */
};

struct trace;

/* Begins to note events; as far as an eighth of the region holds them. */
void first_events_begin(struct trace *t);
/* Notes an allocation, or a free of an unknown object, if it is the first event at that address. */
void first_events_note(struct trace *t, u64 ptr, u32 op);
/* Frees what only the import needs. */
void first_events_end(struct trace *t);
void first_events_drop(struct trace *t);

#endif
