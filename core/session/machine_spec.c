/*
 * machine_spec.c - parses a machine in one line, as in `compare --with` and the page's links:
 * ALLOCATOR[,KEY=VALUE...].
 *
 * It is stricter than single parameters: a key that the allocator lacks is an error. Otherwise a
 * comparison could suggest that the key has no effect.
 */
#include "params/param_defs.h"
#include "session/session.h"

/* Start of the next KEY=VALUE, or the end; values may contain commas. */
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
static struct span take_setting(const char *spec, u32 *at)
{
	u32 end = next_setting(spec, *at);
	struct span setting = { spec + *at, end - *at };

	setting.len -= spec[end] != 0;
	*at = end;
	return setting;
}

static s32 set_one(struct kmem_session *s, struct span setting)
{
	struct span value = setting, key = span_next(&value, '=');

	if (key.len == setting.len) {
		value = setting;
		key = span_of("allocator");
	}
	s32 status = span_is(key, "preset")
			     ? params_apply_preset(&s->params, FROM_PRESET, value.s, value.len)
			     : params_set(&s->params, FROM_USER, key.s, key.len, value.s,
					  value.len);
	return status ? session_fail_params(s, status, s->params.error) : 0;
}

static s32 check_key(struct kmem_session *s, struct span setting)
{
	struct text t = text_in(s->out.error, sizeof(s->out.error));
	struct span key = span_next(&setting, '=');
	enum kmem_param param;

	if (params_find(&s->params, key.s, key.len, &param))
		return 0;
	const struct param_def *d = &param_defs[param];
	if (params_is_used(&s->params, param))
		return 0;
	params_add_text(&s->params, PARAM_ALLOCATOR, &t);
	text_add(&t, " has no ");
	text_add(&t, d->key);
	text_add(&t, ", which is a parameter of: ");
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
