/*
 * check_settings.c - settings that contradict each other, found as soon as it is certain that they do: before a trace of
 * gigabytes is read, or a pipe without an end.
 *
 * A trace may set what the user leaves open, on its machine line. So only what the user has set counts at first, and
 * everything once no machine line can come any more.
 */
#include "import.h"
#include "session.h"

static int trace_has_spoken(const struct kmem_session *s)
{
	const struct import *im = s->trace.import;

	if (!s->importing)
		return (int)s->imported;
	return s->importing == IMPORTING_WORKLOAD || s->trace.nr_ops ||
	       (im && im->format && im->format != &format_slabtrace);
}

static int is_known(const struct kmem_session *s, enum kmem_param param)
{
	return params_origin(&s->params, param) == FROM_USER || trace_has_spoken(s);
}

/* 0: not known, or it follows from the trace. */
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
		status = session_check_pages(s);
	if (!status && is_known(s, PARAM_MEMORY) && is_known(s, PARAM_PAGE_SIZE) &&
	    is_known(s, PARAM_NODES))
		status = session_check_nodes(s);
	if (status)
		return status;
	status = params_check(&s->params, known_number(s, PARAM_CPUS),
			      known_number(s, PARAM_NODES));
	return status ? session_fail_params(s, status, s->params.error) : 0;
}
