/*
 * session_sites.c - kmem.h's functions for call sites: their names, and the next event of each.
 */
#include "import/merge.h"
#include "import/importer.h"
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

s32 kmem_symbols_begin(struct kmem_session *s)
{
	if (!s->import.imported || s->trace.fork.is_on)
		return session_fail(
			s, KMEM_ESTATE,
			"symbols name the call sites of an imported trace without a fork");
	session_drop_world(s);
	filter_off(&s->trace);
	return symbols_begin(&s->trace)
		       ? session_fail(s, KMEM_ENOMEM, "Not enough memory for the call sites.")
		       : KMEM_OK;
}

static s32 no_symbols(struct kmem_session *s)
{
	return session_fail(s, KMEM_ESTATE, "no symbols are read: call kmem_symbols_begin first");
}

s32 kmem_symbols_chunk(struct kmem_session *s, const u8 *bytes, u32 len_bytes)
{
	return symbols_chunk(&s->trace, bytes, len_bytes) ? KMEM_OK : no_symbols(s);
}

s64 kmem_symbols_end(struct kmem_session *s)
{
	struct merge *m = s->import.merge;
	const char *before = s->trace.text;
	s64 named = symbols_end(&s->trace);

	for (u32 i = 0; m && i < m->nr_files; i++) {
		m->rows[i].name_at += (u32)(s->trace.text - before);
		m->rows[i].format_at += (u32)(s->trace.text - before);
	}
	if (named == KMEM_ESTATE)
		return no_symbols(s);
	return named < 0 ? session_fail(s, (s32)named, s->trace.error) : named;
}
