/*
 * times.c - when each op happened, exactly, in four bytes an op.
 *
 * An op holds the signed distance in nanoseconds (or ticks) from the op before it; a gap of more than two
 * seconds, which is rare, goes to a side table. Every 512 ops a checkpoint holds the time itself, so a look-up
 * adds up at most 511 numbers.
 */
#include "import.h"

#define GAP INT32_MIN

enum {
	MAX_CHUNKS = POOL_UNIT_BYTES / 8,
	CHECKPOINTS_PER_RUN = POOL_UNIT_BYTES / 8,
	MAX_CHECKPOINT_RUNS = (u64)MAX_CHUNKS * OPS_PER_CHUNK / TIMES_PER_CHECKPOINT /
		CHECKPOINTS_PER_RUN,
};

struct gap {
	u64 time;
	u32 op;
	u32 reserved;
};

struct trace_times {
	s32 *deltas[MAX_CHUNKS];	       /* OPS_PER_CHUNK each */
	u64 *checkpoints[MAX_CHECKPOINT_RUNS]; /* CHECKPOINTS_PER_RUN each */
	struct trace_run gaps;		       /* struct gap, by op */
	u32 nr_gaps;
};

int times_open(struct import *im)
{
	im->trace->times = pool_alloc(im->trace->pool, sizeof(struct trace_times));
	return im->trace->times || import_out_of_memory(im) == KMEM_OK;
}

static int more_times(struct import *im, u32 op)
{
	struct trace_times *times = im->trace->times;
	u32 run = op / TIMES_PER_CHECKPOINT / CHECKPOINTS_PER_RUN, chunk = op / OPS_PER_CHUNK;

	if (!times->deltas[chunk])
		times->deltas[chunk] = pool_alloc(im->trace->pool, OPS_PER_CHUNK * sizeof(s32));
	if (!times->checkpoints[run])
		times->checkpoints[run] = pool_alloc(im->trace->pool, POOL_UNIT_BYTES);
	if (times->deltas[chunk] && times->checkpoints[run])
		return 1;
	import_out_of_memory(im);
	return 0;
}

s32 times_gap(struct import *im, u32 op, u64 time)
{
	struct trace_times *times = im->trace->times;

	if (!run_grow(im, &times->gaps, (times->nr_gaps + 1) * (u64)sizeof(struct gap)))
		return 0;
	struct gap *gap = (struct gap *)times->gaps.at + times->nr_gaps++;
	gap->op = op;
	gap->time = time;
	return GAP;
}

s32 *times_room(struct import *im, u32 op, u64 time)
{
	struct trace_times *times = im->trace->times;
	u32 checkpoint = op / TIMES_PER_CHECKPOINT;

	if (op % OPS_PER_CHUNK == 0 && !more_times(im, op))
		return NULL;
	times->checkpoints[checkpoint / CHECKPOINTS_PER_RUN][checkpoint % CHECKPOINTS_PER_RUN] =
		time;
	return &times->deltas[op / OPS_PER_CHUNK][op % OPS_PER_CHUNK];
}

static u64 gap_time(const struct trace_times *times, u32 op)
{
	const struct gap *gaps = times->gaps.at;
	u32 low = 0, high = times->nr_gaps - 1;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		if (gaps[mid].op < op)
			low = mid + 1;
		else
			high = mid;
	}
	return gaps[low].time;
}

u64 trace_time(const struct trace *t, u32 i)
{
	const struct trace_times *times = t->times;
	u32 checkpoint = i / TIMES_PER_CHECKPOINT;
	u64 time = times->checkpoints[checkpoint / CHECKPOINTS_PER_RUN]
				     [checkpoint % CHECKPOINTS_PER_RUN];
	const s32 *deltas = times->deltas[i / OPS_PER_CHUNK];

	for (u32 op = checkpoint * TIMES_PER_CHECKPOINT + 1; op <= i; op++) {
		s32 delta = deltas[op % OPS_PER_CHUNK];
		time = delta == GAP ? gap_time(times, op) : time + (u64)(s64)delta;
	}
	return time;
}

void times_drop(struct trace *t)
{
	struct trace_times *times = t->times;

	if (!times)
		return;
	for (u32 i = 0; i < MAX_CHUNKS && times->deltas[i]; i++)
		pool_free(t->pool, times->deltas[i], OPS_PER_CHUNK * sizeof(s32));
	for (u32 i = 0; i < MAX_CHECKPOINT_RUNS && times->checkpoints[i]; i++)
		pool_free(t->pool, times->checkpoints[i], POOL_UNIT_BYTES);
	run_free(t->pool, &times->gaps);
	pool_free(t->pool, times, sizeof(*times));
	t->times = NULL;
}
