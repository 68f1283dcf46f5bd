/*
 * times.c - the exact time of each op, in one or two bytes an op.
 *
 *	checkpoint ─ time of its first op ─ for each of the 511 others the difference from the one before: varint, zigzag
 *
 * The import collects differences and packs them at the next checkpoint, so packing does not slow
 * down each event. Most recorders write microseconds: then differences are stored in units of 1000
 * ns. A look-up adds at most 511 numbers. Asking for the op after the latest look-up adds only one.
 */
#include "import/import.h"

enum {
	CHECKPOINTS_PER_RUN = POOL_UNIT_BYTES / 16,
	MAX_OPS_OF_TRACE = POOL_UNIT_BYTES / 8 * OPS_PER_CHUNK,
	MAX_CHECKPOINT_RUNS = MAX_OPS_OF_TRACE / TIMES_PER_CHECKPOINT / CHECKPOINTS_PER_RUN,
	MAX_VARINT_BYTES = 10,
	MICROSECOND = 1000,
	/* Those of its own events, and the one before them. */
	CHECKPOINTS_OF_FORK = KMEM_MAX_FORK_EVENTS / TIMES_PER_CHECKPOINT + 2,
};

struct checkpoint {
	u64 time;
	u32 at; /* its differences: offset from the region's start */
	u32 unit;
};

/* Differences lie in runs of one unit. Each run begins with the offset of the previous one. */
struct times_run {
	u32 before;
	u8 bytes[POOL_UNIT_BYTES - 4];
};

struct trace_times {
	struct checkpoint *checkpoints[MAX_CHECKPOINT_RUNS]; /* CHECKPOINTS_PER_RUN each */
	struct times_run *run;				     /* the last run, and how full it is */
	u32 block_bytes;
	/* The latest look-up: its op and time, and where the next difference lies. */
	u32 asked_op;
	u64 asked_time;
	const u8 *asked_next;
	/* At a fork: the checkpoints that it overwrites, and where its differences begin. */
	struct checkpoint stashed[CHECKPOINTS_OF_FORK];
	u32 nr_stashed, first_stashed;
	struct times_run *stashed_run;
	u32 stashed_bytes;
};

int times_open(struct import *im)
{
	im->trace->times = import_block(im, sizeof(struct trace_times));
	return im->trace->times != NULL;
}

static struct checkpoint *checkpoint_of(const struct trace_times *times, u32 op)
{
	u32 nr = op / TIMES_PER_CHECKPOINT;

	return &times->checkpoints[nr / CHECKPOINTS_PER_RUN][nr % CHECKPOINTS_PER_RUN];
}

static u32 unit_of(const s64 *distances, u32 nr)
{
	for (u32 i = 1; i < nr; i++) {
		/* Dividing such short numbers is cheap. */
		if (distances[i] != (s32)distances[i] || (s32)distances[i] % MICROSECOND)
			return 1;
	}
	return MICROSECOND;
}

static u8 *put_varint(u8 *to, s64 number)
{
	u64 left = (u64)number << 1 ^ (u64)(number >> 63);

	for (; left > 0x7f; left >>= 7)
		*to++ = (u8)(left | 0x80);
	*to++ = (u8)left;
	return to;
}

static const u8 *take_varint(const u8 *from, s64 *number)
{
	u64 all = 0;
	u32 shift = 0;

	for (; *from & 0x80; shift += 7)
		all |= (u64)(*from++ & 0x7f) << shift;
	all |= (u64)*from++ << shift;
	*number = (s64)(all >> 1) ^ -(s64)(all & 1);
	return from;
}

static int more_bytes(struct import *im, u32 len_bytes)
{
	struct trace_times *times = im->trace->times;

	if (times->run && times->block_bytes + len_bytes <= sizeof(times->run->bytes))
		return 1;
	struct times_run *run = import_block(im, sizeof(*run));
	if (!run)
		return 0;
	run->before = times->run ? (u32)((u8 *)times->run - im->trace->pool->base) : 0;
	times->run = run;
	times->block_bytes = 0;
	return 1;
}

/* Packs the differences of nr ops. The first op has a checkpoint. */
static int keep_distances(struct import *im, struct checkpoint *checkpoint, u32 nr)
{
	struct trace_times *times = im->trace->times;
	u8 packed[TIMES_PER_CHECKPOINT * MAX_VARINT_BYTES], *end = packed;
	u32 unit = unit_of(im->distances, nr);

	for (u32 i = 1; i < nr; i++)
		end = put_varint(end, unit == 1 ? im->distances[i]
						: (s32)im->distances[i] / MICROSECOND);
	u32 len_bytes = (u32)(end - packed);
	if (!more_bytes(im, len_bytes))
		return 0;
	u8 *to = times->run->bytes + times->block_bytes;
	memcpy(to, packed, len_bytes);
	times->block_bytes += len_bytes;
	checkpoint->at = (u32)(to - im->trace->pool->base);
	checkpoint->unit = unit;
	return 1;
}

int times_checkpoint(struct import *im, u32 op, u64 time)
{
	struct trace_times *times = im->trace->times;
	u32 run = op / TIMES_PER_CHECKPOINT / CHECKPOINTS_PER_RUN;

	if (op && !keep_distances(im, checkpoint_of(times, op - 1), TIMES_PER_CHECKPOINT))
		return 0;
	if (!times->checkpoints[run])
		times->checkpoints[run] = import_block(im, POOL_UNIT_BYTES);
	if (!times->checkpoints[run])
		return 0;
	checkpoint_of(times, op)->time = time;
	return 1;
}

int times_close(struct import *im)
{
	u32 nr = im->trace->nr_ops;

	return !nr || keep_distances(im, checkpoint_of(im->trace->times, nr - 1),
				     (nr - 1) % TIMES_PER_CHECKPOINT + 1);
}

u64 trace_time(const struct trace *t, u32 i)
{
	struct trace_times *times = t->times;
	const struct checkpoint *checkpoint = checkpoint_of(times, i);
	u32 first = i / TIMES_PER_CHECKPOINT * TIMES_PER_CHECKPOINT;

	if (!times->asked_next || times->asked_op > i || times->asked_op < first) {
		times->asked_op = first;
		times->asked_time = checkpoint->time;
		times->asked_next = t->pool->base + checkpoint->at;
	}
	for (; times->asked_op < i; times->asked_op++) {
		s64 distance;
		times->asked_next = take_varint(times->asked_next, &distance);
		times->asked_time += (u64)distance * checkpoint->unit;
	}
	return times->asked_time;
}

#ifndef KMEM_FIRST_VIEW
void trace_times(const struct trace *t, u32 i, u32 nr, u64 *times)
{
	const struct checkpoint *checkpoint = checkpoint_of(t->times, i);
	u64 time = trace_time(t, i);
	const u8 *next = t->times->asked_next;

	for (u32 k = 0; k < nr; k++) {
		times[k] = time;
		if (k + 1 == nr)
			break;
		s64 distance = (s64)(*next >> 1) ^ -(s64)(*next & 1);
		if (*next & 0x80)
			next = take_varint(next, &distance);
		else
			next++;
		time += (u64)distance * checkpoint->unit;
	}
}
#endif

/* Stashes the checkpoints that exist from that of op on. */
static void stash_checkpoints(struct trace_times *times, u32 op, u32 nr_ops)
{
	u32 first = op / TIMES_PER_CHECKPOINT;

	times->first_stashed = first;
	times->nr_stashed = 0;
	for (u32 i = first; i < DIV_ROUND_UP(nr_ops, TIMES_PER_CHECKPOINT) &&
			    times->nr_stashed < CHECKPOINTS_OF_FORK;
	     i++)
		times->stashed[times->nr_stashed++] = *checkpoint_of(times,
								     i * TIMES_PER_CHECKPOINT);
	times->stashed_run = times->run;
	times->stashed_bytes = times->block_bytes;
}

int times_resume(struct import *im)
{
	struct trace *t = im->trace;
	u32 last = t->nr_ops - 1, first = last / TIMES_PER_CHECKPOINT * TIMES_PER_CHECKPOINT;

	stash_checkpoints(t->times, last, t->fork.nr_ops);
	im->last_time = trace_time(t, first);
	for (u32 op = first + 1; op <= last; op++) {
		u64 time = trace_time(t, op);
		im->distances[op - first] = (s64)(time - im->last_time);
		im->last_time = time;
	}
	im->room = TIMES_PER_CHECKPOINT - 1 - (last - first);
	im->op_at = trace_packed(t, last) + 1;
	t->times->asked_next = NULL;
	return 1;
}

void times_restore(struct trace *t)
{
	struct trace_times *times = t->times;

	for (u32 i = 0; i < times->nr_stashed; i++)
		*checkpoint_of(times, (times->first_stashed + i) * TIMES_PER_CHECKPOINT) =
			times->stashed[i];
	while (times->stashed_run && times->run != times->stashed_run) {
		struct times_run *run = times->run;
		times->run = (struct times_run *)(t->pool->base + run->before);
		pool_free(t->pool, run, sizeof(*run));
	}
	times->block_bytes = times->stashed_run ? times->stashed_bytes : times->block_bytes;
	times->asked_next = NULL;
	times->nr_stashed = 0;
	times->stashed_run = NULL;
}

void times_drop(struct trace *t)
{
	struct trace_times *times = t->times;

	if (!times)
		return;
	for (u32 i = 0; i < MAX_CHECKPOINT_RUNS && times->checkpoints[i]; i++)
		pool_free(t->pool, times->checkpoints[i], POOL_UNIT_BYTES);
	for (struct times_run *run = times->run; run;) {
		u32 before = run->before;
		pool_free(t->pool, run, sizeof(*run));
		run = before ? (struct times_run *)(t->pool->base + before) : NULL;
	}
	pool_free(t->pool, times, sizeof(*times));
	t->times = NULL;
}

void times_forget(struct trace *t)
{
	struct trace_times *times = t->times;

	/* A zero byte means that the time did not change. */
	for (struct times_run *run = times->run; run;
	     run = run->before ? (struct times_run *)(t->pool->base + run->before) : NULL)
		memset(run->bytes, 0, sizeof(run->bytes));
	for (u32 op = 0; op < t->nr_ops; op += TIMES_PER_CHECKPOINT)
		checkpoint_of(times, op)->time = 0;
	times->asked_next = NULL;
	t->has_times = 0;
	t->report.time_first = t->report.time_last = 0;
}
