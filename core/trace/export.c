/*
 * export.c - writes the trace as text: ftrace, or slabtrace (export_slabtrace.c), which reads back to the same ops.
 *
 * The caller gets the text piece by piece, always in whole lines. *op is the position to continue from: an event, or HEADER
 * and the next part of it while the header is written.
 */
#include "trace/trace.h"
#include "util/text.h"
#include "sim/cache.h"
#include "trace/export.h"
#include "util/scan.h"

/* Numbers the call sites and tasks of a trace. */

static u32 nr_words(const struct trace *t)
{
	return t->text_bytes / TEXT_STEP / 64 + 1;
}

static u64 set_bytes(const struct trace *t)
{
	return ALIGN_UP((u64)nr_words(t) * (sizeof(u64) + sizeof(u32)), (u64)8);
}

void pseudonyms_reserve(struct trace *t)
{
	struct buffer *run = &t->pseudonyms.run;

	if (run->room_bytes >= 2 * set_bytes(t))
		return;
	buffer_free(t->pool, run);
	buffer_grow(t->pool, run, 2 * set_bytes(t));
}

static void note(struct pseudonym_set *set, u32 text)
{
	set->names[text / TEXT_STEP / 64] |= (u64)1 << text / TEXT_STEP % 64;
}

static void number(const struct trace *t, struct pseudonym_set *set)
{
	u32 nr = 0;

	/* The empty text is not a name. */
	set->names[0] &= ~(u64)1;
	for (u32 i = 0; i < nr_words(t); i++) {
		set->before[i] = nr;
		nr += (u32)__builtin_popcountll(set->names[i]);
	}
}

int pseudonyms_make(struct trace *t)
{
	struct pseudonyms *p = &t->pseudonyms;
	u8 *at;

	pseudonyms_reserve(t);
	if (p->run.room_bytes < 2 * set_bytes(t))
		return 0;
	at = p->run.at;
	memset(at, 0, 2 * set_bytes(t));
	p->sites.names = (u64 *)at;
	p->sites.before = (u32 *)(p->sites.names + nr_words(t));
	p->tasks.names = (u64 *)(at + set_bytes(t));
	p->tasks.before = (u32 *)(p->tasks.names + nr_words(t));
	for (u32 s = 0; s < t->nr_sites; s++)
		note(&p->sites, t->sites[s].call_site);
	for (u32 i = 0; t->kept.tasks && i < t->nr_ops; i++)
		note(&p->tasks, trace_task(t, i));
	number(t, &p->sites);
	number(t, &p->tasks);
	return 1;
}

const char *pseudonym_of(const struct pseudonym_set *set, const char *prefix, u32 text, char *room)
{
	u32 at = text / TEXT_STEP;
	struct text out = text_in(room, PSEUDONYM_BYTES);

	if (!text)
		return "";
	u64 below = set->names[at / 64] & (((u64)1 << at % 64) - 1);
	text_add_number(&out, prefix,
			(u64)set->before[at / 64] + (u64)__builtin_popcountll(below) + 1);
	return room;
}

/*
 * Writes a trace as ftrace text.
 *
 * ftrace has no line for flush, shrink, tick, reap, expire and set, nor for a realloc that keeps its object. These
 * events become comments. Each object of a bulk request has its own line; a recorded request also has a line that
 * announces them.
 */

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

/* Returns the pointer written for an object. Any number works, as long as no other live object has it. */
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

/* Returns 1 for an implied free whose pointer the next op allocates. That allocation implies it again, so
 * ftrace has no line for it. */
static int implied_again(const struct exporter *x, u32 i)
{
	const struct trace *t = x->t;
	const struct op op = trace_op(t, i);

	return (op.flags & OP_IMPLIED) && i + 1 < t->nr_ops &&
	       trace_op(t, i + 1).handle == op.handle &&
	       (!x->filter || filter_has(x->filter, i + 1));
}

/* Adds the line that announces a recorded bulk request, before its first object. */
static void add_group(const struct exporter *x, u32 i, const struct op *op, struct text *out)
{
	const struct site *site = &x->t->sites[op->site];
	u32 nr = exporter_group(x, i);
	char room[PSEUDONYM_BYTES];
	const char *call_site = exporter_call_site(x, site, room);

	if (!nr)
		return;
	add_prefix(x, i, op, out);
	text_print(out, "%s: call_site=%s nr=%u\n",
		   site->was == OP_FREE ? "kmem_cache_free_bulk" : "kmem_cache_alloc_bulk",
		   *call_site ? call_site : "0", nr);
}

static void add_ftrace_op(const struct exporter *x, u32 i, struct text *out)
{
	const struct trace *t = x->t;
	char room[PSEUDONYM_BYTES];
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];
	const char *name = trace_text(t, site->name),
		   *call_site = exporter_call_site(x, site, room);
	u32 was = site->was;

	if ((!op_allocates(was) && was != OP_FREE) || site->reason == REASON_KEPT) {
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

static void add_ftrace_header(const struct exporter *x, struct text *out)
{
	const struct trace *t = x->t;

	text_add(out, "# tracer: nop\n#\n");
	if (t->kernel[0])
		text_print(out, "# os release : %s\n#\n", t->kernel);
	text_print(out, "# entries-in-buffer/entries-written: %u/%u   #P:%u\n#\n",
		   exporter_events(x), exporter_events(x), t->report.cpus);
	if (!x->filter || !x->filter->nr_before)
		return;
	text_add_number(out, "# the first ", x->filter->nr_before);
	text_add(
		out,
		" events happen before the excerpt: they allocate the objects that are live when it starts\n");
}

#define HEADER 0x80000000u

static u32 next_event(const struct exporter *x, u32 op)
{
	return x->filter ? filter_next(x->filter, op) : op;
}

u32 exporter_group(const struct exporter *x, u32 i)
{
	return trace_group(x->t, i, x->filter);
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
