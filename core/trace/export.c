/*
 * export.c - writes the trace as text: slabtrace, which reads back to the same ops, or ftrace.
 *
 * The caller gets the text piece by piece, always in whole lines. *op is the position to continue from: an event, or HEADER
 * and the next part of it while the header is written.
 */
#include "trace/export.h"

#define HEADER 0x80000000u

static u32 next_event(const struct exporter *x, u32 op)
{
	return x->filter ? filter_next(x->filter, op) : op;
}

u32 exporter_group(const struct exporter *x, u32 i)
{
	const struct trace *t = x->t;
	const struct op first = trace_op(t, i);
	const struct site *site = &t->sites[first.site];
	u32 nr = 0;

	if (site->request != SITE_GROUP || !(first.flags & OP_GROUP_FIRST))
		return 0;
	for (u32 k = i; k < t->nr_ops; k++) {
		const struct op op = trace_op(t, k);
		const struct site *other = &t->sites[op.site];
		/* Where the request names no call site, its objects may have any. */
		if (op.cpu != first.cpu || other->request != SITE_GROUP ||
		    other->was != site->was ||
		    (site->call_site && other->call_site != site->call_site))
			continue;
		nr += !x->filter || filter_has(x->filter, k);
		if (op.flags & OP_GROUP_LAST)
			break;
	}
	return nr;
}

static u32 add_event(const struct exporter *x, u32 to, u32 op, struct text *out)
{
	if (to == KMEM_EXPORT_SLABTRACE)
		return op + add_slabtrace_op(x, op, out);
	add_ftrace_op(x, op, out);
	return op + 1;
}

/* Writes part of the header, an op or the end. Returns where to continue; *at itself at the end. */
static u32 add_part(const struct exporter *x, u32 to, u32 at, struct text *out)
{
	u32 nr_ops = x->t->nr_ops;
	u32 parts = to == KMEM_EXPORT_SLABTRACE ? slabtrace_header_parts(x->t) : 1, op = at;

	if (at & HEADER && (at & ~HEADER) < parts) {
		if (to == KMEM_EXPORT_SLABTRACE)
			add_slabtrace_header(x, at & ~HEADER, out);
		else
			add_ftrace_header(x, out);
		return at + 1;
	}
	if (at & HEADER)
		op = 0;
	if (op < nr_ops)
		op = next_event(x, op);
	/* In slabtrace one more line follows the last event. */
	if (op > nr_ops || (op == nr_ops && to != KMEM_EXPORT_SLABTRACE))
		return at;
	if (op < nr_ops)
		return add_event(x, to, op, out);
	add_slabtrace_end(x, out);
	return op + 1;
}

s32 exporter_run(const struct exporter *x, u32 to, u32 *op, u8 *buf, u32 len_bytes)
{
	struct text out = text_in((char *)buf, MIN(len_bytes, 1u << 30));
	u32 at = *op ? *op : HEADER, whole = 0;

	if (to > KMEM_EXPORT_FTRACE)
		return KMEM_EPARAM;
	for (;;) {
		u32 next = add_part(x, to, at, &out);
		if (out.cut || next == at)
			break;
		whole = out.len;
		at = next;
	}
	*op = at;
	/* A line longer than the buffer could never be written. */
	return out.cut && !whole ? KMEM_ELIMIT : (s32)whole;
}

s32 trace_export(const struct trace *t, u32 to, u32 *op, u8 *buf, u32 len_bytes)
{
	const struct exporter all = { .t = t };

	return exporter_run(&all, to, op, buf, len_bytes);
}
