/*
 * resume.c - a fork: continues a trace after its first events with lines of slabtrace.
 *
 *	recorded events │ fork.at │ recorded future, set aside
 *	                          └ events of the lines
 *
 * The events of the lines are stored where the recorded future starts. The packed ops and the checkpoints of times that
 * they overwrite are stashed, and trace_unfork() puts them back. Recorded sites, caches, handles and texts stay as they
 * are, and those of the lines follow them. So replay up to fork.at stays the same bit for bit.
 *
 * In the lines the ID of a recorded object is the number of the event that allocated it, from 1.
 */
#include "import/import.h"
#include "util/text.h"

enum { NOT_BORN = 0xffffffff };

void report_moves(struct trace *t, const char *before)
{
	struct kmem_report *report = &t->report;
	u32 by = (u32)(t->text - before);
	struct kmem_kind_row *kinds = (void *)(t->pool->base + report->kinds_at);
	struct kmem_trace_cache_row *caches = (void *)(t->pool->base + report->caches_at);
	struct kmem_problem *problems = (void *)(t->pool->base + report->problems_at);
	struct kmem_kernel_counters_row *counters = t->counters_run.at;

	if (!by)
		return;
	report->format_at += by;
	for (u32 i = 0; i < report->nr_kinds; i++)
		kinds[i].name_at += by;
	for (u32 i = 0; i < report->nr_caches; i++)
		caches[i].name_at += by;
	for (u32 i = 0; i < report->nr_problems; i++) {
		problems[i].reason_at += by;
		problems[i].text_at += by;
	}
	for (u32 i = 0; i < t->nr_counters_rows; i++)
		counters[i].name_at += by;
}

int import_knows_texts(struct import *im)
{
	const struct trace *t = im->trace;

	if (!import_reserve(im, &im->texts))
		return 0;
	for (u32 at = 8; at < t->text_bytes;) {
		const u8 *text = (const u8 *)t->text + at;
		u32 len = text_length((const char *)text);
		struct span span = span_of(text, text + len);
		if (!import_reserve(im, &im->texts))
			return 0;
		hash_add(&im->texts, span.hash, at);
		at += (len / 8 + 1) * 8;
	}
	return 1;
}

/*
 * The objects that live at the fork, each under the number of its event. Their handles are not reused, so no other
 * object can be mistaken for one of them.
 */
static int know_objects(struct import *im)
{
	const struct trace *t = im->trace;
	struct birth *births;

	if (!import_grow(im, &im->births, MAX(t->nr_handles, 1u) * (u64)sizeof(*births)))
		return 0;
	births = im->births.at;
	for (u32 h = 0; h < t->nr_handles; h++)
		births[h] = (struct birth){ NOT_BORN, 1 };
	for (u32 i = 0; i < t->fork.at; i++) {
		const struct op op = trace_op(t, i);
		if (op.handle == HANDLE_NONE)
			continue;
		if (op_allocates(op.kind))
			births[op.handle].op = i;
		else if (op.kind == OP_FREE)
			births[op.handle].op = NOT_BORN;
	}
	for (u32 h = 0; h < t->nr_handles; h++) {
		u32 op = births[h].op;
		if (op == NOT_BORN)
			continue;
		if (!import_reserve(im, &im->pointers))
			return 0;
		hash_put(&im->pointers, hash_find(&im->pointers, (u64)op + 1),
			 (struct hash_slot){ (u64)op + 1, h, trace_op(t, op).site + 1 });
	}
	return 1;
}

/* Continues after the trace's last op, and sets the times after it aside. */
static int go_on(struct import *im)
{
	struct trace *t = im->trace;
	u32 last = t->nr_ops - 1, first = last / TIMES_PER_CHECKPOINT * TIMES_PER_CHECKPOINT;

	times_stash(t, last);
	im->last_time = trace_time(t, first);
	for (u32 op = first + 1; op <= last; op++) {
		u64 time = trace_time(t, op);
		im->distances[op - first] = (s64)(time - im->last_time);
		im->last_time = time;
	}
	im->room = TIMES_PER_CHECKPOINT - 1 - (last - first);
	im->op_at = trace_packed(t, last) + 1;
	return 1;
}

static int know_all(struct import *im)
{
	const struct trace *t = im->trace;

	/* Old sites stay unknown: the lines have sites of their own. */
	return import_knows_texts(im) && import_reserve(im, &im->sites) &&
	       import_reserve(im, &im->pointers) && know_objects(im) &&
	       import_grow(im, &im->uses, (u64)t->nr_sites * sizeof(struct site_use)) && go_on(im);
}

/* Says why the first bad line is bad. */
static s32 refuse_lines(struct import *im)
{
	const struct kmem_problem *first = im->problems.at;
	struct text out = text_in(im->trace->error, sizeof(im->trace->error));

	text_add(&out, trace_text(im->trace, first->reason_at));
	return KMEM_EINPUT;
}

static s32 read_on(struct trace *t, const u8 *lines, u32 len_bytes)
{
	struct import *im = t->import;
	u32 at = t->fork.at;

	t->nr_ops = at;
	im->format = &format_slabtrace;
	if (know_all(im)) {
		kinds_init(im);
		trace_chunk(t, lines, len_bytes);
	}
	import_finish(t);
	t->fork.cpus = im->max_cpu_plus_1;
	if (im->status == KMEM_OK && t->nr_ops - at > KMEM_MAX_FORK_EVENTS)
		import_fail(im, KMEM_ELIMIT, FORK_IS_FULL);
	if (im->status == KMEM_OK && im->nr_problems)
		return refuse_lines(im);
	if (im->status == KMEM_OK)
		import_close_times(im);
	return im->status;
}

s32 trace_fork(struct trace *t, u32 at, const u8 *lines, u32 len_bytes)
{
	const struct kmem_report report = t->report;
	const char *text = t->text;
	s32 status = KMEM_ENOMEM;

	trace_unfork(t);
	if (trace_set_aside(t, at) && import_new(t)) {
		status = read_on(t, lines, len_bytes);
		import_drop(t);
	}
	/* It reports what was recorded. */
	t->report = report;
	report_moves(t, text);
	if (status)
		trace_unfork(t);
	return status;
}
