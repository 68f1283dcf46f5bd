/*
 * session_sites.c - kmem.h's functions for call sites: their names, and the next event of each.
 */
#include "session/session.h"

const char *kmem_call_site(struct kmem_session *s, u32 i)
{
	const struct trace *t = &s->trace;

	return s->import.imported && i < t->nr_sites ? trace_text(t, t->sites[i].call_site) : NULL;
}

static u32 first_call(const struct trace *t, u32 text, u32 from)
{
	for (u32 i = from; i < t->nr_ops; i++)
		if (t->sites[trace_op(t, i).site].call_site == text)
			return i;
	return NO_OP;
}

static u32 last_call(const struct trace *t, u32 text, u32 before)
{
	for (u32 i = MIN(before, t->nr_ops); i-- > 0;)
		if (t->sites[trace_op(t, i).site].call_site == text)
			return i;
	return NO_OP;
}

u32 kmem_next_call(struct kmem_session *s, const char *call_site, u32 op, u32 back)
{
	const struct trace *t = &s->trace;
	u32 text = 0;

	/* Each text is stored once, so sites with equal text share its number. */
	for (u32 i = 0; s->import.imported && i < t->nr_sites && !text; i++)
		if (text_is(trace_text(t, t->sites[i].call_site), call_site))
			text = t->sites[i].call_site;
	if (!text)
		return NO_OP;
	return back ? last_call(t, text, op) : first_call(t, text, op + 1);
}
