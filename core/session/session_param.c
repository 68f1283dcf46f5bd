/*
 * session_param.c - a parameter's value in force as text, and the parameter that an error is about.
 */
#include "alloc/ops.h"
#include "session/session.h"

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
