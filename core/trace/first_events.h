/*
 * first_events.h - the first event of a trace at each address: it shows what the machine had there before.
 *
 *	first event at an address	the object there, before event 1
 *	free				was in use
 *	allocation			was free, or its slab came later
 *
 * Later events at the address say nothing more. So 8 bytes an address are enough, however long the trace is:
 *
 *	blocks	0 1 2 …			blocks of 64 KiB with such events, in order of the first
 *	chunks	0 … 8191 | 8192 …	row of the block and place in it, in steps of 8 bytes | op
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
};

enum {
	FIRST_BLOCK_SHIFT = 16,
	FIRST_PAGE_SHIFT = 12,
	FIRST_GRANULE_SHIFT = 3,
	FIRST_ROW_SHIFT = FIRST_BLOCK_SHIFT - FIRST_GRANULE_SHIFT
};

struct packed_first_event {
	u32 place; /* row of the block, and below it the granule */
	u32 op;
};

enum { FIRST_EVENTS_PER_CHUNK = POOL_UNIT_BYTES / sizeof(struct packed_first_event) };

/* Memory with such events. */
struct first_block {
	u64 address;						/* >> FIRST_BLOCK_SHIFT */
	u32 pages[1 << (FIRST_BLOCK_SHIFT - FIRST_PAGE_SHIFT)]; /* their places: first_events.c */
};

struct first_events {
	struct buffer chunks; /* struct packed_first_event *[], by event */
	struct buffer blocks; /* struct first_block[] */
	u32 nr;
	u32 nr_pages;	  /* pages of 4 KiB with such events */
	u32 nr_unaligned; /* not among them: no object begins at such an address */
	u32 is_on;	  /* 1 while events are imported */
	u32 is_full;	  /* later events are not noted */
	u64 room_bytes;
	/* While events are imported. */
	struct hash rows;   /* of blocks; taken: row + 1 */
	struct buffer bits; /* bitmaps of pages */
	u32 nr_bits;
};

struct trace;

/* Begins to note events; as far as an eighth of the region holds them. */
void first_events_begin(struct trace *t);
/* Notes an allocation, or a free of an unknown object, if it is the first event at that address. */
void first_events_note(struct trace *t, u64 ptr, u32 op, u32 cpu);
/* The first address from `ptr` on, and below `end`, that has an event; `end`: none has. While events are imported. */
u64 first_events_next(const struct first_events *c, u64 ptr, u64 end);
/* Frees what only the import needs. */
void first_events_end(struct trace *t);
void first_events_drop(struct trace *t);

/* Event nr, below c->nr. */
ALWAYS_INLINE struct first_event first_event_at(const struct first_events *c, u32 nr)
{
	struct packed_first_event *const *chunks = c->chunks.at;
	struct packed_first_event packed =
		chunks[nr / FIRST_EVENTS_PER_CHUNK][nr % FIRST_EVENTS_PER_CHUNK];
	u64 block =
		((const struct first_block *)c->blocks.at)[packed.place >> FIRST_ROW_SHIFT].address;
	u64 granule = packed.place & ((1u << FIRST_ROW_SHIFT) - 1);

	return (struct first_event){ block << FIRST_BLOCK_SHIFT | granule << FIRST_GRANULE_SHIFT,
				     packed.op };
}

#endif
