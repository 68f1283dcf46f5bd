/*
 * export.h - what the files that write a trace as text share. trace.h has trace_export(), the function for callers.
 */
#ifndef TRACE_EXPORT_H
#define TRACE_EXPORT_H

#include "trace/filter.h"
#include "trace/trace.h"
#include "util/text.h"

struct exporter {
	const struct trace *t;
	const struct trace_filter *filter;   /* NULL: every event */
	const struct pseudonyms *pseudonyms; /* NULL: names as recorded */
};

ALWAYS_INLINE u32 exporter_events(const struct exporter *x)
{
	return x->filter ? x->filter->nr_events + x->filter->nr_before : x->t->nr_ops;
}

/* Whether event i happens before the window of the filter. */
ALWAYS_INLINE int exporter_is_before(const struct exporter *x, u32 i)
{
	return x->filter && i < x->filter->from;
}

/* The call site as it is written: its name, or its pseudonym in room. */
ALWAYS_INLINE const char *exporter_call_site(const struct exporter *x, const struct site *site,
					     char *room)
{
	return x->pseudonyms ? pseudonym_of(&x->pseudonyms->sites, "site-", site->call_site, room)
			     : trace_text(x->t, site->call_site);
}

/* The task of event i, or its pseudonym. */
ALWAYS_INLINE const char *exporter_task(const struct exporter *x, u32 i, char *room)
{
	return x->pseudonyms
		       ? pseudonym_of(&x->pseudonyms->tasks, "task-", trace_task(x->t, i), room)
		       : trace_text(x->t, trace_task(x->t, i));
}

/* Returns how many objects of a recorded bulk request are written from event i on, its first; 0 if i is not a first
 * one. */
u32 exporter_group(const struct exporter *x, u32 i);
/* As trace_export(), for a part of the trace or without its names. */
s32 exporter_run(const struct exporter *x, u32 to, u32 *op, u8 *buf, u32 len_bytes);

/* export_slabtrace.c. The header has several parts; add_slabtrace_op returns how many events its line holds. */
u32 slabtrace_header_parts(const struct trace *t);
void add_slabtrace_header(const struct exporter *x, u32 part, struct text *out);
u32 add_slabtrace_op(const struct exporter *x, u32 i, struct text *out);
void add_slabtrace_end(const struct exporter *x, struct text *out);

#endif
