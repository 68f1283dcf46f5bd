/*
 * settings.c - parameters of a session: a value in force as text, a machine from one line, and contradictions.
 */
#include "alloc/ops.h"
#include "import/import.h"
#include "params/param_defs.h"
#include "session/session.h"

/*
 * A parameter's value in force as text, and the parameter that an error is about.
 */

const char *kmem_param(struct kmem_session *s, const char *key)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));
	enum kmem_param param;
	u32 cost;

	if (params_is_cost(key, text_length(key))) {
		if (params_find_cost(&s->params, key, text_length(key), &cost)) {
			session_fail_params(s, KMEM_EPARAM, s->params.error);
			return NULL;
		}
		text_add_u64(&t, params_cost(&s->params, cost));
		return s->out.text;
	}
	if (params_find(&s->params, key, text_length(key), &param)) {
		session_fail_params(s, KMEM_EPARAM, s->params.error);
		return NULL;
	}
	params_add_text(&s->params, param, &t);
	return s->out.text;
}

u32 kmem_default_cost(struct kmem_session *s, u32 cost)
{
	(void)s;
	return cost < NR_COSTS ? default_costs[cost] : 0;
}

const char *kmem_param_allocators(struct kmem_session *s, u32 param)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	if (param < NR_PARAMS)
		params_add_owners((enum kmem_param)param, " ", &t);
	return s->out.text;
}

const char *kmem_param_meaning(struct kmem_session *s, u32 param)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	if (param < NR_PARAMS)
		params_add_meaning((enum kmem_param)param, &t);
	return s->out.text;
}

const char *kmem_param_name(struct kmem_session *s, u32 param)
{
	(void)s;
	return param < NR_PARAMS ? params_name((enum kmem_param)param) : "";
}

const char *kmem_param_group(struct kmem_session *s, u32 param)
{
	(void)s;
	return param < NR_PARAMS ? params_group((enum kmem_param)param) : "";
}

const char *kmem_cost_name(struct kmem_session *s, u32 cost)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	if (cost < NR_COSTS)
		params_add_cost_name(cost, &t);
	return s->out.text;
}

const char *kmem_cost_meaning(struct kmem_session *s, u32 cost)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	if (cost < NR_COSTS)
		params_add_cost_meaning(cost, &t);
	return s->out.text;
}

const char *kmem_param_names_json(struct kmem_session *s)
{
	return params_names_json(&s->params, s->out.params_json, PARAMS_JSON_MAX);
}

u32 kmem_has_param(struct kmem_session *s, u32 param)
{
	return param < NR_PARAMS && params_is_used(&s->params, (enum kmem_param)param);
}

u32 kmem_chooses_orders(struct kmem_session *s)
{
	return !ops_of((u32)params_get(&s->params, PARAM_ALLOCATOR))->no_orders;
}

u32 kmem_has_request(struct kmem_session *s, u32 kind)
{
	const struct kmem_ops *ops = ops_of((u32)params_get(&s->params, PARAM_ALLOCATOR));
	struct policy p;

	if (kind < OP_BULK_ALLOC)
		return ops->requests >> kind & 1;
	return kind < NR_VALUES(kmem_op_kind) && !session_policy(s, &p) && requests_known(ops, &p);
}

/* Copies a key into the region. The host can read nothing else, and keys are text of this file's
 * caller or of params.def. */
static u32 copied(struct kmem_session *s, const char *key, char *to)
{
	struct text t = text_in(to, MAX_NAME_BYTES);

	if (!key || !key[0])
		return 0;
	text_add(&t, key);
	return session_offset(s, to);
}

const struct kmem_fault *kmem_fault(struct kmem_session *s)
{
	s->out.fault.key_at = copied(s, s->out.fault_key, s->out.fault_text[0]);
	s->out.fault.other_at = copied(s, s->out.fault_other, s->out.fault_text[1]);
	return &s->out.fault;
}

/*
 * Parses a machine in one line, as in `compare --with` and the page's links:
 * ALLOCATOR[,KEY=VALUE...].
 *
 * It is stricter than single parameters: a key that the allocator lacks is an error. Otherwise a
 * comparison could suggest that the key has no effect.
 */

/* Returns the start of the next KEY=VALUE, or the end; values may contain commas. */
static u32 next_setting(const char *spec, u32 at)
{
	for (u32 comma = at; spec[comma]; comma++) {
		if (spec[comma] != ',')
			continue;
		for (u32 i = comma + 1; spec[i] && spec[i] != ','; i++)
			if (spec[i] == '=')
				return comma + 1;
	}
	return text_length(spec);
}

/* Returns the KEY=VALUE at *at, or the allocator's name before the first comma, and advances *at. */
static struct range take_setting(const char *spec, u32 *at)
{
	u32 end = next_setting(spec, *at);
	struct range setting = range_of(spec + *at, end - *at - (spec[end] != 0));

	*at = end;
	return setting;
}

static s32 set_one(struct kmem_session *s, struct range setting)
{
	struct range value = setting, key = scan_part(&value, '=');
	s32 status;

	if (key.end == setting.end)
		status = params_set(&s->params, FROM_USER, "allocator", 9, CHARS_OF(setting));
	else if (span_is(key.at, key.end, "preset"))
		status = params_apply_preset(&s->params, FROM_PRESET, CHARS_OF(value));
	else
		status = params_set(&s->params, FROM_USER, CHARS_OF(key), CHARS_OF(value));
	return status ? session_fail_params(s, status, s->params.error) : 0;
}

static s32 check_key(struct kmem_session *s, struct range setting)
{
	struct text t = text_in(s->out.error, sizeof(s->out.error));
	struct range key = scan_part(&setting, '=');
	enum kmem_param param;

	if (params_find(&s->params, CHARS_OF(key), &param))
		return 0;
	const struct param_def *d = &param_defs[param];
	if (params_is_used(&s->params, param))
		return 0;
	params_add_text(&s->params, PARAM_ALLOCATOR, &t);
	text_print(&t, " has no %s, which is a parameter of: ", d->key);
	params_add_owners(param, " ", &t);
	session_failed(s, KMEM_EPARAM);
	s->out.fault.kind = FAULT_CONFLICT;
	s->out.fault_key = d->key;
	s->out.fault_other = params_key(PARAM_ALLOCATOR);
	return KMEM_EPARAM;
}

s32 kmem_set_spec(struct kmem_session *s, const char *spec)
{
	u32 len = text_length(spec);
	s32 status = 0;

	for (u32 at = 0; at < len && !status;)
		status = set_one(s, take_setting(spec, &at));
	/* Settings are applied after the allocator is known, wherever the line names it. */
	for (u32 at = 0; at < len && !status;)
		status = check_key(s, take_setting(spec, &at));
	return status;
}

/*
 * Reports contradictory settings as early as possible: before a trace of gigabytes or an endless pipe is read.
 *
 * The machine line of a trace may set what the user leaves open. At first, therefore, only the
 * user's settings count. All settings count once no machine line can follow.
 */

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
