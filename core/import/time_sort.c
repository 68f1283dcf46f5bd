/*
 * time_sort.c - sorts events by time: finds runs already in order and merges neighbours in pairs.
 *
 *	| 1 4 9 | 5 6 12 |  →  1 4 | 9 · 5 6 12 |  only what overlaps is moved
 *
 * A trace is nearly sorted: each CPU's buffer is sorted, and the recorder writes buffers in turn. A
 * merge therefore moves only the few events where two runs overlap.
 */
#include "import/binary.h"

static u64 run_end(const struct stamp *stamps, u64 from, u64 nr)
{
	while (from + 1 < nr && stamps[from].time <= stamps[from + 1].time)
		from++;
	return MIN(from + 1, nr);
}

/* Merges [a, b) with [b, c); 0 if memory runs out. */
static int merge(struct import *im, struct buffer *scratch, struct stamp *stamps, u64 a, u64 b,
		 u64 c)
{
	u64 low = a, high = b;

	while (low < high) {
		u64 mid = low + (high - low) / 2;
		if (stamps[mid].time <= stamps[b].time)
			low = mid + 1;
		else
			high = mid;
	}
	u64 nr = b - low, left = 0, to = low, right = b;
	if (!import_grow(im, scratch, nr * sizeof(*stamps)))
		return 0;
	struct stamp *moved = scratch->at;
	memcpy(moved, stamps + low, nr * sizeof(*stamps));
	while (left < nr) {
		if (right < c && stamps[right].time < moved[left].time)
			stamps[to++] = stamps[right++];
		else
			stamps[to++] = moved[left++];
	}
	return 1;
}

void stamps_sort(struct import *im, struct buffer *scratch, struct stamp *stamps, u64 nr)
{
	u32 merged = nr > 1;

	while (merged && im->status == KMEM_OK) {
		merged = 0;
		for (u64 a = 0; a < nr;) {
			u64 b = run_end(stamps, a, nr);
			if (b == nr)
				break;
			u64 c = run_end(stamps, b, nr);
			if (!merge(im, scratch, stamps, a, b, c))
				break;
			merged = 1;
			a = c;
		}
	}
}
