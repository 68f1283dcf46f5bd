/*
 * kept.c - keeps the recorded pointer and the task of each event, if the caller asked for them.
 *
 *	op  0 1 2 … 65535 | 65536 …	packed ops, in chunks
 *	    8 8 8 … 8     | …		pointers: 8 bytes an event
 *	    4 4 4 … 4     | …		tasks: number of the text "comm-pid", 4 bytes an event
 *
 * Without them an import runs exactly the same code. With them another sink stands in front of the usual one. They may
 * take a quarter of the region: a trace is worth more than its pointers, so beyond that they are dropped, and the import
 * continues.
 */
#include "import/kept.h"
#include "util/text.h"

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

s32 trace_keep(struct trace *t, u32 flags)
{
	struct import *im = t->import;

	trace_keep_nothing(t);
	t->kept = (struct trace_kept){ .flags = flags };
	if (flags & KMEM_KEEP_POINTERS)
		t->kept.pointers = import_block(im, POOL_UNIT_BYTES);
	if (flags & KMEM_KEEP_TASKS)
		t->kept.tasks = import_block(im, POOL_UNIT_BYTES);
	im->keep = flags;
	return im->status;
}

/* The chunk that has a place for that op; NULL once nothing more can be kept. */
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

static void stop_keeping(struct import *im)
{
	trace_keep_nothing(im->trace);
	im->keep = 0;
}

static void put_one(struct import *im, u32 op, u64 ptr, u32 task)
{
	struct trace *t = im->trace;

	if (im->keep & KMEM_KEEP_POINTERS) {
		u64 *chunk = chunk_for(t, t->kept.pointers, op, KMEM_KEEP_POINTERS);
		if (!chunk) {
			stop_keeping(im);
			return;
		}
		chunk[op % OPS_PER_CHUNK] = ptr;
		t->kept.nr_pointers += ptr != 0;
	}
	if (im->keep & KMEM_KEEP_TASKS) {
		u32 *chunk = chunk_for(t, t->kept.tasks, op, KMEM_KEEP_TASKS);
		if (!chunk) {
			stop_keeping(im);
			return;
		}
		chunk[op % OPS_PER_CHUNK] = task;
	}
}

void kept_put(struct import *im, u32 first, u64 ptr, u32 task)
{
	for (u32 op = first; im->keep && op < im->trace->nr_ops; op++)
		put_one(im, op, ptr, task);
}

static void import_event_kept(struct import *im, const struct event *ev)
{
	u32 before = im->trace->nr_ops;
	u64 ptr = ev->ptr_state == PTR_VALUE ? ev->ptr : 0;

	import_event(im, ev);
	/* The trace has no line for an implied free, so no task is known for it; its object had this pointer. */
	for (u32 op = before; im->keep && op < im->trace->nr_ops; op++)
		put_one(im, op, ptr, op + 1 == im->trace->nr_ops ? ev->task : 0);
}

/* The direct map begins at 0xff11 with five levels of page tables. Hashes and the numbers of other recorders lie elsewhere. */
static int is_kernel_address(u64 ptr)
{
	return ptr >> 56 == 0xff && ptr != EXPORTED_UNKNOWN;
}

void kept_note_first(struct import *im, u32 op, u64 ptr)
{
	if (im->trace->first_events.is_on && is_kernel_address(ptr))
		first_events_note(im->trace, ptr, op, trace_op(im->trace, op).cpu);
}

/* Imports the event, and notes the first one at each address. */
static void import_event_noted(struct import *im, const struct event *ev)
{
	struct trace *t = im->trace;
	u32 before = t->nr_ops;
	u64 orphans = t->report.orphan_frees;

	if (im->keep)
		import_event_kept(im, ev);
	else
		import_event(im, ev);
	if (t->nr_ops > before && ev->ptr_state == PTR_VALUE && is_kernel_address(ev->ptr) &&
	    (ev->what != WHAT_FREE || t->report.orphan_frees > orphans))
		first_events_note(t, ev->ptr, t->nr_ops - 1, ev->cpu);
}

import_sink import_usual_sink(const struct import *im)
{
	if (im->trace->first_events.is_on)
		return import_event_noted;
	return im->keep ? import_event_kept : import_event;
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

u32 task_text(struct import *im, const u8 *comm, const u8 *end, s64 pid)
{
	u8 copy[MAX_TASK_BYTES + 8] = { 0 };
	struct text out = text_in((char *)copy, MAX_TASK_BYTES);

	comm = skip_blanks(comm, end);
	while (end > comm && is_blank(end[-1]))
		end--;
	text_add_n(&out, (const char *)comm, (u32)MIN((u64)(end - comm), (u64)MAX_COMM_BYTES));
	text_add(&out, pid < 0 ? "--" : "-");
	text_add_u64(&out, (u64)(pid < 0 ? -pid : pid));
	for (u32 i = 0; i < out.len; i++)
		if (copy[i] < ' ' || copy[i] == 0x7f)
			copy[i] = '?';
	struct span span = span_of(copy, copy + out.len);
	return intern_span(im, &span);
}
