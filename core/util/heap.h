/*
 * heap.h - a binary heap of items with a time: the earliest is on top.
 */
#ifndef UTIL_HEAP_H
#define UTIL_HEAP_H

#include "kmem_types.h"

struct heap_item {
	u64 at;
	u32 order; /* sorts items of one time. The numbers may wrap if all in the heap lie within 2^31 */
	u32 value; /* for the owner's use */
};

ALWAYS_INLINE int heap_is_before(const struct heap_item *a, const struct heap_item *b)
{
	return a->at != b->at ? a->at < b->at : (s32)(a->order - b->order) < 0;
}

/* Replaces the top item. With nr - 1 items this fills the gap with the last one. */
static inline void heap_replace_top(struct heap_item *heap, u32 nr, struct heap_item item)
{
	u32 i = 0;

	for (;;) {
		u32 child = 2 * i + 1;
		if (child >= nr)
			break;
		child += child + 1 < nr && heap_is_before(&heap[child + 1], &heap[child]);
		if (!heap_is_before(&heap[child], &item))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

/* The heap must have room for one more. */
static inline void heap_push(struct heap_item *heap, u32 *nr, struct heap_item item)
{
	u32 i = (*nr)++;

	for (; i && heap_is_before(&item, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = item;
}

/* *nr must not be 0. */
static inline struct heap_item heap_pop(struct heap_item *heap, u32 *nr)
{
	struct heap_item top = heap[0];

	--*nr;
	if (*nr)
		heap_replace_top(heap, *nr, heap[*nr]);
	return top;
}

#endif
