/*
 * session_workload.c - kmem.h's functions for generated traces, and for the statistics of any
 * trace.
 */
#include "session/job.h"
#include "session/session.h"
#include "workload/workload.h"

s32 begin_workload(struct kmem_session *s, const void *args)
{
	const struct kmem_workload_args *a = args;
	s32 status = kmem_import_begin(s);

	if (status)
		return status;
	s->import.importing = IMPORTING_WORKLOAD;
	status = workload_begin(&s->trace, a->name, a->settings ? a->settings : "");
	if (!status)
		return 0;
	session_fail_params(s, status, s->trace.error);
	s->import.importing = IMPORTING_NOTHING;
	trace_drop(&s->trace);
	return status;
}

s64 work_workload(struct kmem_session *s, u32 max_ops)
{
	if (s->import.importing != IMPORTING_WORKLOAD)
		return session_fail(s, KMEM_ESTATE, "no workload has begun");
	s32 left = workload_run(&s->trace, max_ops);
	return left > 0 ? left : kmem_import_end(s);
}

const char *kmem_workloads_json(struct kmem_session *s)
{
	return workload_json(s->out.workloads_json, sizeof(s->out.workloads_json));
}

const struct kmem_shape *kmem_shape(struct kmem_session *s)
{
	u64 len_bytes = shape_bytes(&s->trace);

	if (!s->import.imported) {
		session_fail(s, KMEM_ESTATE, "no trace to look at: import one first");
		return NULL;
	}
	/* Allocates behind the machine if there is one, because all memory below is in use. */
	if (s->w)
		scratch_reset(s);
	void *births = s->w ? scratch_alloc(s, len_bytes) : pool_alloc(&s->pool, len_bytes);
	if (!births) {
		session_fail(s, KMEM_ENOMEM, "not enough memory to follow the objects");
		return NULL;
	}
	shape_of(&s->trace, births, &s->out.shape, s->out.shape_sizes, MAX_SHAPE_SIZES);
	s->out.shape.sizes_at = session_offset(s, s->out.shape_sizes);
	if (!s->w)
		pool_free(&s->pool, births, len_bytes);
	return &s->out.shape;
}
