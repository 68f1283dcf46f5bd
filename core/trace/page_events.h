/*
 * page_events.h - when the machine's page allocator handed out or took back the first page of a block.
 *
 *	mm_page_alloc: pfn=0x101e20 order=2	a slab that appears at this page afterwards is new
 *	mm_page_free:  pfn=0x101e20 order=2	its slab is gone: all its objects were free
 *
 * An event names a page by its frame number, an object by its address. Where the kernel maps frame 0, the distance between
 * the two, follows from the trace: a new slab's first object is usually the next new address on the CPU that got the page.
 * Only multiples of MAP_ALIGNED count, because the kernel places its map at none else.
 */
#ifndef TRACE_PAGE_EVENTS_H
#define TRACE_PAGE_EVENTS_H

#include "util/buffer.h"

enum {
	PAGE_MAP_SHIFT = 30,  /* the map of all memory begins at a multiple of 1 GiB */
	MOST_PAGE_ORDER = 10, /* MAX_PAGE_ORDER of kernels with pages of 4 KiB */
	NR_PAGE_MAPS = 8,     /* candidates for its address */
	LEAST_PAGE_VOTES =
		4, /* as many new slabs must agree on it, and four times as many as on any other */
};

struct page_event {
	u32 op; /* events of the trace before it */
	u32 pfn;
	u16 cpu;
	u8 order;
	u8 is_alloc;
};

/* A candidate for the address of frame 0, and how many new slabs speak for it. */
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

struct trace;

void page_events_begin(struct trace *t);
void page_events_note(struct trace *t, struct page_event event);
/* An object appeared at an address that no earlier event had. */
void page_events_object(struct trace *t, u64 ptr, u32 cpu);
/* The address of frame 0; 0: the trace does not show it. */
u64 page_events_map(const struct page_events *p);
/* Frees what only the import needs. */
void page_events_end(struct trace *t);
void page_events_drop(struct trace *t);

ALWAYS_INLINE struct page_event page_event_at(const struct page_events *p, u32 nr)
{
	return ((const struct page_event *)p->run.at)[nr];
}

#endif
