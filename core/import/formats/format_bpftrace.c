/*
 * format_bpftrace.c - kmem events printed by a bpftrace program, one a line, as in
 * traces/README.md:
 *
 *	33985811751 1 bpftrace 290 kmalloc 0xff44e3e146eb3c00 72 96 0xdc0
 *	33998676618 1 bpftrace 290 kfree 0xff44e3e1422b04f0
 *	nsecs cpu comm pid event ptr [bytes_req bytes_alloc gfp_flags] [call_site] [cache]
 *
 * Notes about other events:
 *
 *	33998676619 1 bpftrace 290 kmem_cache_free_bulk 3 [call_site]		a note: notes.c
 *	33998676620 1 bpftrace 290 probe_prefill_sheaf 0xff44e3e142fd9a00 3 [cache]	a note: notes.c
 *
 * A comm may hold blanks. The reader therefore searches for the event: the first event name that follows a number.
 * bpftrace empties one CPU's buffer after another; time_order.c restores the order.
 */
#include "import/import.h"
#include "import/csv.h"

int bpftrace_is_between(const u8 *line, const u8 *end)
{
	const u8 *p = skip_blanks(line, end);

	return p == end || *p == '#' || *p == '@' || span_begins(p, end, "Attach") ||
	       span_begins(p, end, "Lost ");
}

void bpftrace_note_lost(struct import *im, const u8 *line, const u8 *end)
{
	const u8 *p = skip_blanks(line, end);
	u32 lost;

	if (span_begins(p, end, "Lost ") &&
	    scan_u32((struct range){ p + 5, scan_byte(p + 5, end, ' ') }, &lost))
		im->trace->report.lost += lost;
}

static int is_number(struct range word)
{
	return word.at < word.end && scan_digits(word.at, word.end) == word.end &&
	       word.end - word.at < 19;
}

static int is_event(struct range word)
{
	return csv_is_among(word.at, word.end,
			    "kmalloc kmalloc_node kmem_cache_alloc kmem_cache_alloc_node kfree "
			    "kmem_cache_free kmem_cache_alloc_bulk kmem_cache_free_bulk "
			    "tracing_mark_write probe_kfree_rcu probe_prefill_sheaf "
			    "probe_refill_sheaf probe_return_sheaf probe_alloc_from_sheaf "
			    "probe_rcu_sheaf_done");
}

/*
 * "nsecs cpu comm pid event"; leaves *at after the event, and *task is the comm, with the pid after it. 0 if the line
 * does not start like that.
 */
static int read_head(const u8 **at, const u8 *end, struct range *time, struct range *cpu,
		     struct range *event, struct range *task)
{
	struct range before = { 0 };
	u32 words = 2;

	*time = scan_next(at, end);
	*cpu = scan_next(at, end);
	if (!is_number(*time) || !is_number(*cpu) || cpu->end - cpu->at > 9)
		return 0;
	task->at = *at;
	for (*event = scan_next(at, end); event->at < event->end; *event = scan_next(at, end)) {
		if (++words > 4 && is_event(*event) && is_number(before)) {
			task->end = before.at;
			return 1;
		}
		before = *event;
	}
	return 0;
}

static int bpftrace_recognises(const u8 *line, const u8 *end)
{
	struct range time, cpu, event, task;

	return read_head(&line, end, &time, &cpu, &event, &task);
}

/* Reads "72 96 0xdc0"; 0 after a problem. */
static int read_sizes(struct import *im, const u8 **at, const u8 *end, struct event *ev)
{
	struct range req = scan_next(at, end), alloc = scan_next(at, end), gfp = scan_next(at, end);

	if (gfp.at == gfp.end)
		return import_problem(im, end, "expected bytes_req, bytes_alloc and gfp_flags");
	if (!scan_u32(req, &ev->bytes_req))
		return import_problem(im, req.at, "expected bytes_req as an integer below 2^32");
	if (!scan_u32(alloc, &ev->bytes_alloc))
		return import_problem(im, alloc.at,
				      "expected bytes_alloc as an integer below 2^32");
	ev->gfp = intern(im, gfp.at, gfp.end);
	return 1;
}

/* Reads "0xff44e3e142fd9a00 3": a sheaf and a number of objects. A grace period has neither. */
static int read_probe(struct import *im, const u8 **at, const u8 *end, struct event *ev)
{
	if (ev->kind == KIND_GRACE)
		return 1;
	struct range sheaf = scan_next(at, end);
	if (sheaf.at == sheaf.end || !field_pointer(im, sheaf, ev))
		return import_problem(im, sheaf.at, "expected sheaf=<pointer>");
	if (ev->kind != KIND_PREFILL && ev->kind != KIND_REFILL)
		return 1;
	struct range nr = scan_next(at, end);
	return scan_u32(nr, &ev->bytes_req) ||
	       import_problem(im, nr.at, "expected a number of objects");
}

/* Reads the number of objects, or the text of a trace marker; returns 0 if the line says nothing. */
static int read_note(struct import *im, const u8 **at, const u8 *end, struct event *ev)
{
	if (is_probe_kind(ev->kind))
		return read_probe(im, at, end, ev);
	struct range nr = scan_next(at, end);

	ev->bytes_req = marker_in(nr.at, nr.end);
	return ev->bytes_req || scan_u32(nr, &ev->bytes_req);
}

/* Reads "0xff44e3e146eb3c00 72 96 0xdc0"; 0 after a problem. */
static int read_object(struct import *im, const u8 **at, const u8 *end, struct event *ev)
{
	struct range ptr = scan_next(at, end);

	if (ptr.at == ptr.end || !field_pointer(im, ptr, ev))
		return import_problem(im, ptr.at, "expected ptr=<pointer>");
	return ev->what == WHAT_FREE || read_sizes(im, at, end, ev);
}

static void bpftrace_line(struct import *im, const u8 *line, const u8 *end)
{
	struct range time, cpu, event, task;
	struct event ev = { .node = NODE_ANY };
	const u8 *at = line;

	if (bpftrace_is_between(line, end)) {
		bpftrace_note_lost(im, line, end);
		return;
	}
	if (!read_head(&at, end, &time, &cpu, &event, &task)) {
		import_problem(im, line,
			       "expected \"nsecs cpu comm pid event\" for an allocation or a free");
		return;
	}
	if (import_refuses_zero(im, line, end))
		return;
	struct span name = span_of(event.at, event.end);
	ev.kind = (u16)kind_count(im, &name);
	if (im->status != KMEM_OK)
		return;
	ev.what = (u8)kind_at(im, ev.kind)->what;
	ev.time = scan_number(time.at, time.end);
	ev.cpu = (u32)scan_number(cpu.at, cpu.end);
	if (im->keep & KMEM_KEEP_TASKS)
		ev.task = task_text(im, task.at, task.end, (s64)scan_number(task.end, end));
	if (!(ev.what == WHAT_OTHER ? read_note : read_object)(im, &at, end, &ev))
		return;
	struct range word = scan_next(&at, end);
	if (span_begins(word.at, word.end, "0x")) {
		ev.call_site = intern(im, word.at, word.end);
		word = scan_next(&at, end);
	}
	ev.cache = intern(im, word.at, word.end);
	im->has_free_names |= ev.what == WHAT_FREE;
	window_event(im, &ev);
}

const struct trace_format format_bpftrace = { .name = "bpftrace",
					      .recognises = bpftrace_recognises,
					      .line = bpftrace_line,
					      .finish = window_finish };
