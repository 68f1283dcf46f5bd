/*
 * session_param.c - one parameter's value in force, as text.
 */
#include "session.h"

const char *kmem_param(struct kmem_session *s, const char *key)
{
	struct text t = text_in(s->text, sizeof(s->text));
	enum kmem_param param;

	if (params_find(&s->params, key, text_length(key), &param)) {
		session_fail(s, KMEM_EPARAM, s->params.error);
		return NULL;
	}
	params_add_text(&s->params, param, &t);
	return s->text;
}
