/*
 * check_settings.c - reports contradictory settings as early as possible: before a trace of
 * gigabytes or an endless pipe is read.
 *
 * The machine line of a trace may set what the user leaves open. At first, therefore, only the
 * user's settings count. All settings count once no machine line can follow.
 */
#include "import/import.h"
#include "session/session.h"

static s32 conflict(struct kmem_session *s, enum kmem_param key, enum kmem_param other,
		    const char *sentence)
{
	session_fail(s, KMEM_EPARAM, sentence);
	s->out.fault.kind = FAULT_CONFLICT;
	s->out.fault_key = params_key(key);
	s->out.fault_other = params_key(other);
	return KMEM_EPARAM;
}

s32 session_check_orders(struct kmem_session *s)
{
	if (params_get(&s->params, PARAM_MIN_ORDER) <= params_get(&s->params, PARAM_MAX_ORDER))
		return 0;
	return conflict(s, PARAM_MIN_ORDER, PARAM_MAX_ORDER,
			"min_order is larger than max_order: lower min_order or raise max_order");
}

static s32 check_pages(struct kmem_session *s)
{
	if (session_memory_bytes(s) >> session_page_shift(s) <= 0x7fffffff)
		return 0;
	return conflict(
		s, PARAM_MEMORY, PARAM_PAGE_SIZE,
		"memory is more than 2^31 pages of this size: set less memory or a larger page_size");
}

static s32 check_nodes(struct kmem_session *s)
{
	if (session_memory_bytes(s) / (u64)params_get(&s->params, PARAM_NODES) >=
	    (u64)64 << session_page_shift(s))
		return 0;
	return conflict(s, PARAM_MEMORY, PARAM_NODES,
			"every node needs at least 64 pages: set more memory or fewer nodes");
}

s32 session_check_memory(struct kmem_session *s)
{
	s32 status = check_pages(s);

	return status ? status : check_nodes(s);
}

static int trace_has_spoken(const struct kmem_session *s)
{
	const struct import *im = s->trace.import;

	if (!s->import.importing)
		return (int)s->import.imported;
	return s->import.importing == IMPORTING_WORKLOAD || s->trace.nr_ops ||
	       (im && im->format && im->format != &format_slabtrace);
}

static int is_known(const struct kmem_session *s, enum kmem_param param)
{
	return params_origin(&s->params, param) == FROM_USER || trace_has_spoken(s);
}

/* 0: unknown, or derived from the trace. */
static u32 known_number(const struct kmem_session *s, enum kmem_param param)
{
	s64 value = is_known(s, param) ? params_get(&s->params, param) : PARAM_AUTOMATIC;

	return value == PARAM_AUTOMATIC ? 0 : (u32)value;
}

s32 kmem_check_settings(struct kmem_session *s)
{
	s32 status = 0;

	if (is_known(s, PARAM_MIN_ORDER) && is_known(s, PARAM_MAX_ORDER))
		status = session_check_orders(s);
	if (!status && is_known(s, PARAM_MEMORY) && is_known(s, PARAM_PAGE_SIZE))
		status = check_pages(s);
	if (!status && is_known(s, PARAM_MEMORY) && is_known(s, PARAM_PAGE_SIZE) &&
	    is_known(s, PARAM_NODES))
		status = check_nodes(s);
	if (status)
		return status;
	status = params_check(&s->params, known_number(s, PARAM_CPUS),
			      known_number(s, PARAM_NODES));
	return status ? session_fail_params(s, status, s->params.error) : 0;
}
