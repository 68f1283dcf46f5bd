/*
 * recorded.c - the recorded pointer and task of an event, if the import kept them.
 */
#include "import/import.h"
#include "session/session.h"

s32 kmem_import_keep(struct kmem_session *s, u32 what)
{
	const struct import *im = s->trace.import;

	if (s->import.importing != IMPORTING_BYTES || im->format || im->head_len)
		return session_fail(
			s, KMEM_ESTATE,
			"choose what to keep between kmem_import_begin and the first chunk");
	if (what & ~(u32)(KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS | KMEM_KEEP_EFFECTS))
		return session_fail(s, KMEM_EPARAM,
				    "expected KMEM_KEEP_POINTERS, KMEM_KEEP_TASKS or both");
	s32 status = trace_keep(&s->trace, what);
	return status ? session_fail(s, status, s->trace.error) : 0;
}

const struct kmem_kept *kmem_kept(struct kmem_session *s)
{
	const struct trace_kept *kept = &s->trace.kept;

	s->out.kept = (struct kmem_kept){ .bytes = kept->bytes,
					  .flags = kept->flags,
					  .dropped = kept->dropped };
	return &s->out.kept;
}

u64 kmem_pointer(struct kmem_session *s, u32 op)
{
	return trace_pointer(&s->trace, op);
}

const char *kmem_task(struct kmem_session *s, u32 op)
{
	return s->trace.text ? trace_text(&s->trace, trace_task(&s->trace, op)) : "";
}
