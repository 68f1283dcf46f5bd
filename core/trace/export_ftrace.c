/*
 * export_ftrace.c - writes a trace as ftrace text.
 *
 * ftrace has no line for flush, shrink, tick, reap, expire and set, nor for a realloc that keeps its object. These events
 * become comments. The objects of a bulk request have lines of their own, and those of a recorded one a line that announces
 * them.
 */
#include "sim/cache.h"
#include "trace/export.h"
#include "trace/gfp.h"
#include "util/scan.h"
#include "util/text.h"

static void add_padded(struct text *out, u64 number, u32 width, u32 base)
{
	char digits[16];

	for (u32 i = width; i--; number /= base)
		digits[i] = "0123456789abcdef"[number % base];
	text_add_n(out, digits, width);
}

static void add_task(const struct exporter *x, u32 i, struct text *out)
{
	char room[PSEUDONYM_BYTES];
	const char *task = exporter_task(x, i, room);
	u32 len = text_length(task);

	if (!len) {
		text_add(out, "       slabscope-1      ");
		return;
	}
	for (u32 pad = len; pad < 22; pad++)
		text_add(out, " ");
	text_add(out, task);
}

static void add_prefix(const struct exporter *x, u32 i, const struct op *op, struct text *out)
{
	const struct trace *t = x->t;
	u64 time = trace_time(t, i);

	add_task(x, i, out);
	text_add(out, " [");
	add_padded(out, op->cpu, op->cpu < 1000 ? 3 : 4, 10);
	text_add(out, "] ..... ");
	if (!t->report.time_is_ns) {
		text_add_u64(out, time);
	} else {
		text_add_u64(out, time / 1000000000);
		text_add(out, ".");
		if (time % 1000)
			add_padded(out, time % 1000000000, 9, 10);
		else
			add_padded(out, time % 1000000000 / 1000, 6, 10);
	}
	text_add(out, ": ");
}

/* The pointer written for an object. Any number works that no other live object has. */
static u64 pointer_of(const struct op *op, const struct site *site)
{
	if (op->handle != HANDLE_NONE)
		return 0xffff888000000000 + ((u64)op->handle << 6);
	if (site->reason == REASON_ORPHAN_FREE)
		return EXPORTED_UNKNOWN;
	return site->reason == REASON_ZERO_SIZE ? 16 : 0;
}

static void add_alloc(const struct trace *t, const struct op *op, const struct site *site,
		      struct text *out)
{
	static const char *const flags[] = { "GFP_KERNEL", "GFP_KERNEL|__GFP_RECLAIMABLE",
					     "GFP_KERNEL_ACCOUNT", "GFP_KERNEL|GFP_DMA" };
	const char *gfp = trace_text(t, site->gfp);
	u32 type = site->was == OP_KMALLOC ? site->kmalloc_type % NR_KMALLOC_TYPES : 0;

	text_add(out, " ptr=");
	add_padded(out, pointer_of(op, site), 16, 16);
	if (site->was == OP_ALLOC) {
		text_add(out, " name=");
		text_add(out, trace_text(t, t->caches[site->cache].name));
	}
	text_add_number(out, " bytes_req=", site->bytes);
	text_add_number(out, " bytes_alloc=", trace_slot(t, site));
	text_add(out, " gfp_flags=");
	text_add(out, *gfp ? gfp : flags[type]);
	if (site->node == NODE_ANY)
		text_add(out, " node=-1");
	else
		text_add_number(out, " node=", site->node);
	text_add(out, " accounted=");
	text_add(out, type == KMALLOC_CGROUP ? "true" : "false");
}

/* 1 for an implied free whose pointer the next op allocates. That allocation implies it again, so
 * ftrace has no line for it. */
static int implied_again(const struct exporter *x, u32 i)
{
	const struct trace *t = x->t;
	const struct op op = trace_op(t, i);

	return (op.flags & OP_IMPLIED) && i + 1 < t->nr_ops &&
	       trace_op(t, i + 1).handle == op.handle &&
	       (!x->filter || filter_has(x->filter, i + 1));
}

/* The line that announces a recorded bulk request, in front of its first object. */
static void add_group(const struct exporter *x, u32 i, const struct op *op, struct text *out)
{
	const struct site *site = &x->t->sites[op->site];
	u32 nr = exporter_group(x, i);
	char room[PSEUDONYM_BYTES];
	const char *call_site = exporter_call_site(x, site, room);

	if (!nr)
		return;
	add_prefix(x, i, op, out);
	text_add(out, site->was == OP_FREE ? "kmem_cache_free_bulk" : "kmem_cache_alloc_bulk");
	text_add(out, ": call_site=");
	text_add(out, *call_site ? call_site : "0");
	text_add_number(out, " nr=", nr);
	text_add(out, "\n");
}

void add_ftrace_op(const struct exporter *x, u32 i, struct text *out)
{
	const struct trace *t = x->t;
	char room[PSEUDONYM_BYTES];
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];
	const char *name = trace_text(t, site->name),
		   *call_site = exporter_call_site(x, site, room);
	u32 was = site->was;

	if ((was != OP_ALLOC && was != OP_KMALLOC && was != OP_FREE) ||
	    site->reason == REASON_KEPT) {
		text_add(out, was == OP_BULK_FREE ? "" : "# ");
		add_slabtrace_op(x, i, out);
		return;
	}
	if (implied_again(x, i))
		return;
	add_group(x, i, &op, out);
	add_prefix(x, i, &op, out);
	/* No tracepoint belongs to a bulk request, kfree_rcu() or a prefilled sheaf. */
	if ((site->request && site->request != SITE_GROUP) ||
	    !span_begins((const u8 *)name, (const u8 *)name + text_length(name), "k") || !name[1])
		name = was == OP_ALLOC ? "kmem_cache_alloc"
				       : (was == OP_KMALLOC ? "kmalloc" : "kfree");
	text_add(out, name);
	text_add(out, ": call_site=");
	text_add(out, *call_site ? call_site : "0");
	if (was == OP_FREE) {
		text_add(out, " ptr=");
		add_padded(out, pointer_of(&op, site), 16, 16);
	} else {
		add_alloc(t, &op, site, out);
	}
	text_add(out, "\n");
}

void add_ftrace_header(const struct exporter *x, struct text *out)
{
	const struct trace *t = x->t;

	text_add(out, "# tracer: nop\n#\n");
	if (t->kernel[0]) {
		text_add(out, "# os release : ");
		text_add(out, t->kernel);
		text_add(out, "\n#\n");
	}
	text_add_number(out, "# entries-in-buffer/entries-written: ", exporter_events(x));
	text_add_number(out, "/", exporter_events(x));
	text_add_number(out, "   #P:", t->report.cpus);
	text_add(out, "\n#\n");
	if (!x->filter || !x->filter->nr_before)
		return;
	text_add_number(out, "# the first ", x->filter->nr_before);
	text_add(
		out,
		" events happen before the excerpt: they allocate objects that live when it begins\n");
}
