/*
 * first_events.h - the first event of a trace at each address, which shows what was there before the trace, and events
 * of the page allocator.
 *
 *	first event at an address	the object there, before event 1
 *	free				was in use
 *	allocation			was free, or its slab came later
 *
 * Later events at the address add nothing, so 8 bytes per address are enough, however long the trace is:
 *
 *	blocks	0 1 2 …			blocks of 64 KiB with such events, in order of the first
 *	chunks	0 … 8191 | 8192 …	row of the block and place in it, in steps of 8 bytes | op
 */
#ifndef TRACE_FIRST_EVENTS_H
#define TRACE_FIRST_EVENTS_H

#include "util/hash.h"

/* The address that exported ftrace text gives to all objects from before the trace. */
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
	u32 nr_unaligned; /* not among them: no object starts at such an address */
	u32 is_on;	  /* 1 while events are imported */
	u32 is_full;	  /* later events are not noted */
	u64 room_bytes;
	/* While events are imported. */
	struct hash rows;   /* rows of blocks; taken: row + 1 */
	struct buffer bits; /* bitmaps of pages */
	u32 nr_bits;
};

struct trace;

/* Starts to note events; as far as an eighth of the region holds them. */
void first_events_begin(struct trace *t);
/* Notes an allocation, or a free of an object from before the trace, if it is the first event at that address. */
void first_events_note(struct trace *t, u64 ptr, u32 op, u32 cpu);
/* Returns the first address from `ptr` on, and below `end`, that has an event; `end`: none has. While events are
 * imported. */
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

/*
 * When the machine's page allocator handed out or took back the first page of a block.
 *
 *	mm_page_alloc: pfn=0x101e20 order=2	a slab that appears at this page afterwards is new
 *	mm_page_free:  pfn=0x101e20 order=2	its slab is gone: all its objects were free
 *
 * An event names a page by its frame number, an object by its address. Where the kernel maps frame 0, the distance
 * between the two, follows from the trace: a new slab's first object is usually the next new address on the CPU that
 * got the page. Only multiples of MAP_ALIGNED count, because the kernel aligns its map to them.
 */
enum {
	PAGE_MAP_SHIFT = 30,  /* the map of all memory starts at a multiple of 1 GiB */
	MOST_PAGE_ORDER = 10, /* MAX_PAGE_ORDER of kernels with pages of 4 KiB */
	NR_PAGE_MAPS = 8,     /* candidates for its address */
	LEAST_PAGE_VOTES =
		4, /* this many new slabs must agree on it, and four times as many as on any other */
};

struct page_event {
	u32 op; /* events of the trace before it */
	u32 pfn;
	u16 cpu;
	u8 order;
	u8 is_alloc;
};

/* A candidate for the address of frame 0, and how many new slabs support it. */
struct page_map {
	u64 address;
	u32 votes;
};

struct page_events {
	struct buffer run; /* struct page_event[], in the order of the trace */
	u32 nr;
	u32 is_full; /* memory ran out: later ones are not noted */
	u64 room_bytes;
	struct page_map maps[NR_PAGE_MAPS];
	struct buffer
		last; /* while events are imported, by CPU: number + 1 of its latest page_alloc; 0: none */
};

void page_events_begin(struct trace *t);
void page_events_note(struct trace *t, struct page_event event);
/* Returns the address of frame 0; 0: the trace does not show it. */
u64 page_events_map(const struct page_events *p);
/* Frees what only the import needs. */
void page_events_end(struct trace *t);
void page_events_drop(struct trace *t);

ALWAYS_INLINE struct page_event page_event_at(const struct page_events *p, u32 nr)
{
	return ((const struct page_event *)p->run.at)[nr];
}

#endif
