/*
 * comms.c - names of the tasks in a binary trace, which has only a pid with each event.
 *
 *	perf.data	records COMM and FORK, each with its time
 *	trace.dat	one list, "pid comm" a line
 *
 * A task may change its name (execve), so that each name has the time from which on it counts.
 */
#include "import/binary.h"
#include "import/kept.h"

enum {
	MAX_COMMS = 1 << 20,
	MOST_LOOKED_AT =
		64, /* names of one pid that are compared: pids are reused, names change rarely */
};

static struct comm *row_at(const struct tracepoints *t, u32 row)
{
	return (struct comm *)t->comms.rows.at + row;
}

static void add_row(struct tracepoints *t, u32 pid, u64 time, u32 name)
{
	struct comms *c = &t->comms;

	if (t->im->status != KMEM_OK || c->nr == MAX_COMMS ||
	    !import_grow(t->im, &c->rows, (c->nr + 1) * (u64)sizeof(struct comm)) ||
	    !import_reserve(t->im, &c->by_pid))
		return;
	struct hash_slot *slot = hash_find(&c->by_pid, pid);
	*row_at(t, c->nr++) =
		(struct comm){ .time = time, .pid = pid, .name = name, .older = slot->taken };
	if (slot->taken)
		slot->taken = c->nr;
	else
		hash_put(&c->by_pid, slot, (struct hash_slot){ pid, 0, c->nr });
}

void comms_add(struct tracepoints *t, u32 pid, u64 time, const u8 *comm, const u8 *end)
{
	u8 copy[MAX_COMM_BYTES + 8] = { 0 };
	u32 len = (u32)MIN((u64)(end - comm), (u64)MAX_COMM_BYTES);

	if (!(t->im->keep & KMEM_KEEP_TASKS))
		return;
	memcpy(copy, comm, len);
	if (scan_byte(copy, copy + len, 0) != copy + len)
		return;
	struct span span = span_of(copy, copy + len);
	add_row(t, pid, time, intern_span(t->im, &span));
}

/* The name that counts at that time; the earliest one if all are later. NULL if there is none. */
static struct comm *name_at(struct tracepoints *t, u32 pid, u64 time)
{
	const struct comms *c = &t->comms;
	struct comm *best = NULL;
	u32 row = c->nr ? hash_find(&c->by_pid, pid)->taken : 0;

	for (u32 i = 0; row && i < MOST_LOOKED_AT; i++) {
		struct comm *comm = row_at(t, row - 1);
		int counts = comm->time <= time, best_counts = best && best->time <= time;
		if (!best || (counts && (!best_counts || comm->time > best->time)) ||
		    (!counts && !best_counts && comm->time < best->time))
			best = comm;
		row = comm->older;
	}
	return best;
}

void comms_fork(struct tracepoints *t, u32 pid, u32 parent, u64 time)
{
	if (!(t->im->keep & KMEM_KEEP_TASKS) || pid == parent)
		return;
	const struct comm *of = name_at(t, parent, time);
	if (of)
		add_row(t, pid, time, of->name);
}

void comms_list(struct tracepoints *t, const u8 *p, const u8 *end)
{
	while (p < end && t->im->status == KMEM_OK) {
		const u8 *newline = scan_byte(p, end, '\n'), *at = skip_blanks(p, newline);
		const u8 *behind = scan_digits(at, newline);
		u64 pid;
		if (scan_decimal(at, behind, 0xffffffffu, &pid) && behind < newline)
			comms_add(t, (u32)pid, 0, behind + 1, newline);
		p = newline + 1;
	}
}

/* A task without a name, as the recorder prints it. */
static u32 nameless(struct tracepoints *t, u32 pid)
{
	static const u8 unknown[16] = "<...>";
	const char *idle = t->comms.idle ? t->comms.idle : "<idle>";
	u8 copy[24] = { 0 };
	u32 len = MIN(text_length(idle), 15u);

	if (pid)
		return task_text(t->im, unknown, unknown + 5, pid);
	memcpy(copy, idle, len);
	return task_text(t->im, copy, copy + len, 0);
}

u32 comms_task(struct tracepoints *t, u32 pid, u64 time)
{
	struct comm *comm = name_at(t, pid, time);

	if (!comm)
		return nameless(t, pid);
	if (!comm->task) {
		const u8 *name = (const u8 *)trace_text(t->im->trace, comm->name);
		u8 copy[MAX_COMM_BYTES + 8] = { 0 };
		u32 len = MIN(text_length((const char *)name), (u32)MAX_COMM_BYTES);
		/* Texts may move while a new one is stored. */
		memcpy(copy, name, len);
		comm->task = task_text(t->im, copy, copy + len, pid);
	}
	return comm->task;
}

void comms_drop(struct tracepoints *t)
{
	struct pool *pool = t->im->trace->pool;

	buffer_free(pool, &t->comms.rows);
	hash_free(pool, &t->comms.by_pid);
	t->comms.nr = 0;
}
