/*
 * op_details.c - what was recorded of each op besides the packed form: its exact time, in one or two bytes, its pointer
 * and its task.
 *
 *	checkpoint ─ time of its first op ─ for each of the 511 others the difference from the one before: varint, zigzag
 *
 * The import collects differences and packs them at the next checkpoint, so packing does not slow down each event. Most
 * recorders write microseconds: then differences are stored in units of 1000 ns. A look-up adds at most 511 numbers.
 * Looking up the op after the latest one adds only one.
 */
#include "trace/trace.h"

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

/* Differences lie in runs of one unit. Each run starts with the offset of the previous one. */
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
	/* At a fork: the checkpoints that it overwrites, and where its differences start. */
	struct checkpoint stashed[CHECKPOINTS_OF_FORK];
	u32 nr_stashed, first_stashed;
	struct times_run *stashed_run;
	u32 stashed_bytes;
};

int times_open(struct trace *t)
{
	t->times = pool_alloc(t->pool, sizeof(struct trace_times));
	return t->times != NULL;
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

static int more_bytes(struct trace *t, u32 len_bytes)
{
	struct trace_times *times = t->times;

	if (times->run && times->block_bytes + len_bytes <= sizeof(times->run->bytes))
		return 1;
	struct times_run *run = pool_alloc(t->pool, sizeof(*run));
	if (!run)
		return 0;
	run->before = times->run ? (u32)((u8 *)times->run - t->pool->base) : 0;
	times->run = run;
	times->block_bytes = 0;
	return 1;
}

/* Packs the differences of nr ops. The first op has a checkpoint. */
static int keep_distances(struct trace *t, struct checkpoint *checkpoint, const s64 *distances,
			  u32 nr)
{
	u8 packed[TIMES_PER_CHECKPOINT * MAX_VARINT_BYTES], *end = packed;
	u32 unit = unit_of(distances, nr);

	for (u32 i = 1; i < nr; i++)
		end = put_varint(end, unit == 1 ? distances[i] : (s32)distances[i] / MICROSECOND);
	u32 len_bytes = (u32)(end - packed);
	if (!more_bytes(t, len_bytes))
		return 0;
	u8 *to = t->times->run->bytes + t->times->block_bytes;
	memcpy(to, packed, len_bytes);
	t->times->block_bytes += len_bytes;
	checkpoint->at = (u32)(to - t->pool->base);
	checkpoint->unit = unit;
	return 1;
}

int times_checkpoint(struct trace *t, u32 op, u64 time, const s64 *distances)
{
	struct trace_times *times = t->times;
	u32 run = op / TIMES_PER_CHECKPOINT / CHECKPOINTS_PER_RUN;

	if (op && !keep_distances(t, checkpoint_of(times, op - 1), distances, TIMES_PER_CHECKPOINT))
		return 0;
	if (!times->checkpoints[run])
		times->checkpoints[run] = pool_alloc(t->pool, POOL_UNIT_BYTES);
	if (!times->checkpoints[run])
		return 0;
	checkpoint_of(times, op)->time = time;
	return 1;
}

int times_close(struct trace *t, const s64 *distances)
{
	u32 nr = t->nr_ops;

	return !nr || keep_distances(t, checkpoint_of(t->times, nr - 1), distances,
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

void times_stash(struct trace *t, u32 op)
{
	struct trace_times *times = t->times;
	u32 first = op / TIMES_PER_CHECKPOINT,
	    nr = DIV_ROUND_UP(t->fork.nr_ops, TIMES_PER_CHECKPOINT);

	times->first_stashed = first;
	times->nr_stashed = 0;
	for (u32 i = first; i < nr && times->nr_stashed < CHECKPOINTS_OF_FORK; i++)
		times->stashed[times->nr_stashed++] = *checkpoint_of(times,
								     i * TIMES_PER_CHECKPOINT);
	times->stashed_run = times->run;
	times->stashed_bytes = times->block_bytes;
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

/*
 * Keeps the recorded pointer and the task of each event, if the caller asked for them.
 *
 *	op  0 1 2 … 65535 | 65536 …	packed ops, in chunks
 *	    8 8 8 … 8     | …		pointers: 8 bytes per event
 *	    4 4 4 … 4     | …		tasks: number of the text "comm-pid", 4 bytes per event
 *
 * Without them an import runs exactly the same code. With them, another sink comes before the usual one. They may take
 * a quarter of the region; beyond that they are dropped and the import continues, because a trace is worth more than
 * its pointers.
 */

enum { PART_OF_REGION = 4 };

static u64 chunk_bytes(u32 what)
{
	return (u64)OPS_PER_CHUNK * (what == KMEM_KEEP_POINTERS ? sizeof(u64) : sizeof(u32));
}

static void drop_chunks(struct trace *t, void **chunks, u32 what)
{
	if (!chunks)
		return;
	for (u32 i = 0; i < POOL_UNIT_BYTES / sizeof(void *); i++)
		if (chunks[i])
			pool_free(t->pool, chunks[i], chunk_bytes(what));
	pool_free(t->pool, chunks, POOL_UNIT_BYTES);
}

void trace_keep_nothing(struct trace *t)
{
	drop_chunks(t, t->kept.pointers, KMEM_KEEP_POINTERS);
	drop_chunks(t, t->kept.tasks, KMEM_KEEP_TASKS);
	buffer_free(t->pool, &t->kept.effects);
	t->kept = (struct trace_kept){ .dropped = t->kept.dropped | t->kept.flags };
}

/* Returns the chunk that has a place for that op; NULL once nothing more can be kept. */
static void *chunk_for(struct trace *t, void **chunks, u32 op, u32 what)
{
	u32 nr = op / OPS_PER_CHUNK;
	u64 bytes = chunk_bytes(what);

	if (chunks[nr])
		return chunks[nr];
	if (t->kept.bytes + bytes <= t->pool->size_bytes / PART_OF_REGION)
		chunks[nr] = pool_alloc(t->pool, bytes);
	if (chunks[nr])
		t->kept.bytes += bytes;
	return chunks[nr];
}

int trace_keep_op(struct trace *t, u32 op, u64 ptr, u32 task)
{
	u64 *pointers = NULL;
	u32 *tasks = NULL;

	if (t->kept.pointers &&
	    !(pointers = chunk_for(t, t->kept.pointers, op, KMEM_KEEP_POINTERS)))
		return 0;
	if (t->kept.tasks && !(tasks = chunk_for(t, t->kept.tasks, op, KMEM_KEEP_TASKS)))
		return 0;
	if (pointers) {
		pointers[op % OPS_PER_CHUNK] = ptr;
		t->kept.nr_pointers += ptr != 0;
	}
	if (tasks)
		tasks[op % OPS_PER_CHUNK] = task;
	return 1;
}

/* A fork's own events were not recorded. */
static int is_recorded(const struct trace *t, u32 op)
{
	return op < t->nr_ops && (!t->fork.is_on || op < t->fork.at);
}

u64 trace_pointer(const struct trace *t, u32 op)
{
	const u64 *chunk = t->kept.pointers ? t->kept.pointers[op / OPS_PER_CHUNK] : NULL;

	return chunk && is_recorded(t, op) ? chunk[op % OPS_PER_CHUNK] : 0;
}

u32 trace_task(const struct trace *t, u32 op)
{
	const u32 *chunk = t->kept.tasks ? t->kept.tasks[op / OPS_PER_CHUNK] : NULL;

	return chunk && is_recorded(t, op) ? chunk[op % OPS_PER_CHUNK] : 0;
}
