/*
 * session.c - opens a session, imports a trace, builds the world, and moves to a position.
 *
 * A seek starts at the nearest keyframe before the position and runs the events in between, so
 * seek(n) equals run(n) by construction. To show the state inside an event, the session runs it
 * again with the camera on.
 */
#include "session/job.h"
#include "session/session.h"

#include "util/poison.h"

s32 session_failed(struct kmem_session *s, s32 status)
{
	s->out.fault.status = status;
	s->out.fault.kind = FAULT_NONE;
	s->out.fault_key = s->out.fault_other = NULL;
	return status;
}

s32 session_fail(struct kmem_session *s, s32 status, const char *sentence)
{
	struct text t = text_in(s->out.error, sizeof(s->out.error));

	text_add(&t, sentence);
	return session_failed(s, status);
}

void *session_none(struct kmem_session *s, s32 status, const char *sentence)
{
	session_fail(s, status, sentence);
	return NULL;
}

s32 session_fail_params(struct kmem_session *s, s32 status, const char *sentence)
{
	session_fail(s, status, sentence);
	s->out.fault.kind = s->params.fault;
	if (s->params.fault)
		s->out.fault_key = s->params.fault_key;
	return status;
}

const char *kmem_error(struct kmem_session *s)
{
	return s->out.error;
}

struct kmem_session *kmem_open(void *base, u64 size)
{
	struct kmem_session *s = base;

	if (size < (u64)4 << 20 || !host_commit((u8 *)base + sizeof(*s)))
		return NULL;
	pool_init(&s->pool, base, size, sizeof(*s));
	params_init(&s->params);
	s->timeline.steps = pool_alloc(&s->pool,
				       ((u64)MAX_STEPS_PER_OP + 1) * sizeof(struct kmem_step));
	s->timeline.step_times =
		pool_alloc(&s->pool, ((u64)MAX_STEPS_PER_OP + 1) * sizeof(*s->timeline.step_times));
	s->out.params_json = pool_alloc(&s->pool, PARAMS_JSON_MAX);
	if (!s->timeline.steps || !s->timeline.step_times || !s->out.params_json ||
	    series_init(&s->timeline.series, &s->pool))
		return NULL;
	s->timeline.steps_op = NO_OP;
	return s;
}

void kmem_close(struct kmem_session *s)
{
	session_drop_world(s);
	pool_close(&s->pool);
}

s32 kmem_import_begin(struct kmem_session *s)
{
	session_drop_world(s);
#ifndef KMEM_FIRST_VIEW
	session_start_drop(s);
#endif
	trace_drop(&s->trace);
	keyframes_drop(s);
	s->import.imported = 0;
	s->import.importing = IMPORTING_BYTES;
	s->import.dry = 0;
	/* Parameters from the previous trace do not apply to this one. */
	params_forget(&s->params, FROM_TRACE);
	params_forget(&s->params, FROM_TRACE_PRESET);
	params_forget(&s->params, FROM_KERNEL);
	s32 status = trace_begin(&s->trace, &s->pool, &s->params);
	return status ? session_fail(s, status, s->trace.error) : 0;
}

static s32 no_import(struct kmem_session *s)
{
	return session_fail(s, KMEM_ESTATE, "no import has started: call kmem_import_begin first");
}

s32 kmem_import_chunk(struct kmem_session *s, const u8 *bytes, u32 len_bytes)
{
	if (s->import.importing != IMPORTING_BYTES)
		return no_import(s);
	s32 status = trace_chunk(&s->trace, bytes, len_bytes);
	return status ? session_fail(s, status, s->trace.error) : 0;
}

s32 kmem_import_by_range(struct kmem_session *s, u64 file_bytes)
{
	if (s->import.importing != IMPORTING_BYTES)
		return no_import(s);
	trace_by_range(&s->trace, file_bytes);
	return 0;
}

const struct kmem_range *kmem_import_range(struct kmem_session *s)
{
	s->import.range = (struct kmem_range){ 0 };
	if (s->import.importing == IMPORTING_BYTES)
		s->import.range.len_bytes = trace_range(&s->trace, &s->import.range.at);
	return &s->import.range;
}

/* Refuses a trace without events. A slabtrace may be empty: a playground starts with none. */
static s32 refuse_empty(struct kmem_session *s)
{
	const struct kmem_report *report = &s->trace.report;
	const struct kmem_problem *first = session_at(s, report->problems_at);
	struct text t = text_in(s->out.error, sizeof(s->out.error));

	if (s->trace.nr_ops ||
	    (text_is(session_text(s, report->format_at), "slabtrace") && !report->nr_problems))
		return KMEM_OK;
	if (!report->nr_problems) {
		text_add(
			&t,
			"No allocations or frees were recorded. Were tracing and the kmem events on? Check: "
			"`cat /sys/kernel/tracing/tracing_on /sys/kernel/tracing/events/kmem/enable`");
		return session_failed(s, KMEM_EINPUT);
	}
	text_print(&t, "No allocations or frees could be read. The first problem: %s",
		   session_text(s, first->reason_at));
	return session_failed(s, KMEM_EINPUT);
}

s32 kmem_import_end(struct kmem_session *s)
{
	if (!s->import.importing)
		return no_import(s);
#ifndef KMEM_FIRST_VIEW
	s->trace.lacks_accounting = s->import.names_by_params &&
				    (u32)machine_state_lacks_accounting(&s->import.cache_params);
	s->trace.machine_names = session_machine_names(s);
#endif
	s32 status = trace_end(&s->trace), empty = KMEM_OK;
	if (!status && s->import.importing == IMPORTING_BYTES && !s->import.dry)
		empty = refuse_empty(s);
	if (!status && (!IS_FIRST_VIEW || s->trace.kernel[0] || s->trace.kernel_sign))
		status = session_choose_kernel(s);
	s->import.importing = IMPORTING_NOTHING;
	s->import.imported = !status && !empty && !s->import.dry;
	if (s->import.dry)
		trace_drop(&s->trace);
	return status ? session_fail(s, status, s->trace.error) : empty;
}

s32 kmem_import_cut(struct kmem_session *s)
{
	if (s->import.importing != IMPORTING_BYTES)
		return no_import(s);
	s->trace.report.truncated = 1;
	return 0;
}

s32 kmem_import_dry(struct kmem_session *s)
{
	if (s->import.importing != IMPORTING_BYTES)
		return no_import(s);
	trace_read_only(&s->trace);
	s->import.dry = 1;
	return 0;
}

const struct kmem_report *kmem_report(struct kmem_session *s)
{
	if (s->import.importing)
		s->trace.report.ops = s->trace.nr_ops;
	return &s->trace.report;
}

s32 kmem_set(struct kmem_session *s, const char *key, const char *value)
{
	s32 status = params_set(&s->params, FROM_USER, key, text_length(key), value,
				value ? text_length(value) : 0);

	return status ? session_fail_params(s, status, s->params.error) : 0;
}

s32 kmem_preset(struct kmem_session *s, const char *name)
{
	s32 status = params_preset(&s->params, name);

	return status ? session_fail_params(s, status, s->params.error) : 0;
}

const char *kmem_params_json(struct kmem_session *s)
{
	return params_json(&s->params, s->out.params_json, PARAMS_JSON_MAX);
}

/* Makes the machine as it is before event 1, with room for its keyframes. */
static s32 begin_machine(struct kmem_session *s, u64 budget_bytes)
{
	s32 status = keyframes_reserve(s, budget_bytes);

	if (status)
		return session_fail(s, status, "the region has no room for that keyframe budget");
	status = session_new_world(s);
#ifndef KMEM_FIRST_VIEW
	if (!status)
		status = session_warm(s);
	if (!status)
		in_use_before_begin(s);
#endif
	return status;
}

static s32 begin_anew(struct kmem_session *s, u64 budget_bytes, int by_clocks)
{
	session_drop_world(s);
	if (by_clocks && !turns_begin(&s->timeline.turns, &s->trace))
		return session_fail(s, KMEM_ENOMEM,
				    "the region has no room to put the events in order");
	return begin_machine(s, budget_bytes);
}

s32 begin_build(struct kmem_session *s, const void *args)
{
	const struct kmem_build_args *a = args;
	int by_clocks = !IS_FIRST_VIEW && a->by_clocks;

	if (!s->import.imported)
		return session_fail(s, KMEM_ESTATE, "no trace to build from: import one first");
	s32 status = begin_anew(s, a->budget_bytes, by_clocks);
	/*
	 * A machine that starts with the slabs of a busy one is large before anything happens. How large is known only
	 * once it is made; its keyframes lie below it, so it is then made again after a larger area.
	 */
	if (!IS_FIRST_VIEW && !status && !keyframes_hold(s))
		status = begin_anew(s, a->budget_bytes, by_clocks);
	if (status) {
		session_drop_world(s);
		turns_abandon(&s->timeline.turns, &s->trace);
		return status;
	}
	series_begin(&s->timeline.series, s->trace.nr_ops);
	keyframes_note(s);
	if (by_clocks)
		turns_deal(&s->timeline.turns, &s->replay);
	return 0;
}

/* Runs the next n events, in the order of the trace or of the CPUs' clocks. */
static u32 run_ops(struct kmem_session *s, u32 n)
{
	if (!s->timeline.turns.is_on)
		return replay_run(&s->replay, n);
	u32 done = turns_run(&s->timeline.turns, &s->replay, n);
	if (s->w->op == s->trace.nr_ops)
		turns_finish(&s->timeline.turns, &s->trace);
	return done;
}

static s32 out_of_room(struct kmem_session *s)
{
	struct text t = text_in(s->out.error, sizeof(s->out.error));

	text_print(&t,
		   "the simulated machine does not fit in memory after event %u: cut the trace by "
		   "time or cache, or use the native command",
		   s->w->op);
	return session_failed(s, KMEM_ENOMEM);
}

s64 work_build(struct kmem_session *s, u32 max_ops)
{
	if (!s->w)
		return session_fail(s, KMEM_ESTATE, "no build has started");
	if (s->timeline.built)
		return 0;
	u32 end = (u32)MIN((u64)s->w->op + max_ops, (u64)s->trace.nr_ops);
	while (s->w->op < end) {
		u32 n = MIN(end - s->w->op, series_due(&s->timeline.series, s->w->op));
		if (run_ops(s, n) < n)
			return out_of_room(s);
		if (series_is_due(&s->timeline.series, s->w->op))
			series_sample(&s->timeline.series, s->w, in_use_before_bytes(s));
		keyframes_note(s);
	}
	if (s->w->op < s->trace.nr_ops)
		return s->trace.nr_ops - s->w->op;
	if (s->w->op && s->w->op % s->timeline.series.ops_per_bucket)
		series_sample(&s->timeline.series, s->w, in_use_before_bytes(s));
	s->timeline.built = 1;
	return 0;
}

s32 kmem_build(struct kmem_session *s, u64 budget_bytes)
{
	s32 status = begin_build(s, &(struct kmem_build_args){ .budget_bytes = budget_bytes });

	if (status)
		return status;
	s64 left = work_build(s, 0xffffffff);
	return left < 0 ? (s32)left : 0;
}

u32 kmem_nr_ops(struct kmem_session *s)
{
	return s->import.imported ? s->trace.nr_ops : 0;
}

u32 kmem_position(struct kmem_session *s)
{
	return s->w ? s->w->op : 0;
}

s32 kmem_seek(struct kmem_session *s, u32 n)
{
	if (!s->timeline.built)
		return session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	if (n > s->trace.nr_ops)
		return session_fail(s, KMEM_ESTATE, "the position is past the end of the trace");
	u32 nearest = keyframes_nearest(s, n);
	if (n < s->w->op || s->timeline.keyframes.at[nearest].op > s->w->op)
		keyframes_restore(s, nearest);
	u32 left = n - s->w->op;
	return replay_run(&s->replay, left) == left ? 0 : out_of_room(s);
}

s32 kmem_run(struct kmem_session *s, u32 n, u32 with_steps)
{
	if (!s->w)
		return session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	u32 want = MIN(n, s->trace.nr_ops - s->w->op);
	s->timeline.steps_op = NO_OP;
	/* Nobody uses the times of a run. */
	world_host(s->w)->times = NULL;
	if (with_steps)
		step_begin(s->w, RECORD_RING, 0, NULL);
	u32 done = run_ops(s, want);
	step_end(s->w);
	world_host(s->w)->times = s->timeline.step_times;
	return done < want ? out_of_room(s) : 0;
}

/* Notes the location of the event's object: before a free, after an allocation. */
static void note_object(struct kmem_session *s, const struct op *op)
{
	replay_trail(&s->replay, op->handle, &s->timeline.op_cache, &s->timeline.op_slab,
		     &s->timeline.op_index);
	if (s->timeline.op_cache != CACHE_NONE)
		return;
	s->timeline.op_slab = 0xffffffff;
	s->timeline.op_index = 0;
}

/* Runs event op with steps recorded, from the position before it. */
s32 session_record(struct kmem_session *s, u32 op, u32 camera_step, struct world *copy)
{
	const struct op o = trace_op(&s->trace, op);

	if (o.kind == OP_FREE)
		note_object(s, &o);
	step_begin(s->w, RECORD_LIST, camera_step, copy);
	u32 done = replay_run(&s->replay, 1);
	s->timeline.nr_steps = step_end(s->w);
	if (!done)
		return out_of_room(s);
	if (o.kind != OP_FREE)
		note_object(s, &o);
#ifndef KMEM_FIRST_VIEW
	if (o.kind == OP_NOTHING && s->replay.start)
		session_start_note(s, op);
#endif
	s->timeline.steps_op = op;
	return 0;
}

s32 kmem_steps(struct kmem_session *s, u32 op)
{
	if (s->timeline.built && op >= s->trace.nr_ops)
		return session_fail(s, KMEM_ESTATE, "past the last event");
	if (s->timeline.steps_op == op && s->timeline.built)
		return (s32)s->timeline.nr_steps;
	s->timeline.steps_op = NO_OP;
	s32 status = kmem_seek(s, op);
	if (!status)
		status = session_record(s, op, 0, NULL);
	return status ? status : (s32)s->timeline.nr_steps;
}

const struct kmem_step *kmem_step_rows(struct kmem_session *s)
{
	return s->timeline.steps;
}

u64 kmem_state_bytes(struct kmem_session *s)
{
	return s->w ? keyframe_bytes(s->w) : 0;
}

u64 kmem_hash(struct kmem_session *s)
{
	return s->w ? world_hash(s->w) : 0;
}

s32 kmem_check(struct kmem_session *s)
{
	const char *broken = s->w ? replay_check(&s->replay) : NULL;

	return broken ? session_fail(s, KMEM_EBROKEN, broken) : 0;
}
