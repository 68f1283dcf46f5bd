/*
 * format_ftrace.c - reads /sys/kernel/tracing/trace, trace_pipe and `trace-cmd report`, of all
 * kernels.
 *
 *	            bash-1       [001] .....     3.408614: kmem_cache_free: call_site=… ptr=… name=filp
 *
 * Between the events are comments, which state CPUs and events lost by the ring buffer. Notes of
 * lost events and stack traces may follow too.
 */
#include "import/text_line.h"

static int is_event_name(u8 c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
}

static int ftrace_recognises(const u8 *line, const u8 *end)
{
	struct prefix prefix;

	return span_begins(line, end, "# tracer:") || span_begins(line, end, "cpus=") ||
	       (prefix_read(line, end, &prefix) && prefix.style == STYLE_FTRACE);
}

/* Reads "a/b" at p: the ring buffer has lost b - a entries. */
static u64 lost_of(const u8 *p, const u8 *end)
{
	u64 kept = scan_number(p, end);

	p = scan_digits(p, end);
	u64 written = p < end && *p == '/' ? scan_number(p + 1, end) : 0;
	return written > kept ? written - kept : 0;
}

static void read_comment(struct import *im, const u8 *line, const u8 *end)
{
	const u8 *at = span_find(line, end, "#P:");

	if (span_begins(line, end, "# os release") || span_find(line, end, " latency trace v"))
		import_kernel_comment(im, line, end);
	if (at)
		im->cpus_announced = (u32)MIN(scan_number(at + 3, end), (u64)MAX_CPUS);
	at = span_find(line, end, "entries-written:");
	if (at)
		im->trace->report.lost += lost_of(skip_blanks(at + 16, end), end);
	else if (span_begins(line, end, "# latency:") && (at = span_find(line, end, ", #")))
		im->trace->report.lost += lost_of(at + 3, end);
}

/* Reads "CPU:3 [LOST 12 EVENTS]", "CPU:3 [12 EVENTS DROPPED]", "CPU:3 [EVENTS DROPPED]" */
static int read_lost(struct import *im, const u8 *line, const u8 *end)
{
	const u8 *at = span_find(line, end, "CPU:");

	at = at ? span_find(at, end, "[") : NULL;
	if (!at || !(span_find(at, end, "EVENTS")))
		return 0;
	at += span_begins(at, end, "[LOST ") ? 6 : 1;
	im->trace->report.lost += at < end && is_digit(*at) ? scan_number(at, end) : 1;
	return 1;
}

/* Reads a line without a prefix, or reports a problem. */
static void read_between(struct import *im, const u8 *line, const u8 *end)
{
	const u8 *at = skip_blanks(line, end);

	if (at == end || span_begins(at, end, "=>") || span_begins(at, end, "version = "))
		return;
	if (*at == '#') {
		read_comment(im, line, end);
		return;
	}
	if (span_begins(at, end, "cpus=")) {
		im->cpus_announced = (u32)MIN(scan_number(at + 5, end), (u64)MAX_CPUS);
		return;
	}
	if (read_lost(im, line, end) || import_uname(im, at, end) ||
	    (span_begins(at, end, "CPU ") && span_find(at, end, " is empty")))
		return;
	import_problem(im, at, "expected \"comm-pid [cpu] time: event:\"");
}

static void ftrace_line(struct import *im, const u8 *line, const u8 *end)
{
	struct prefix prefix;

	if (line == end || *line == '#' || !prefix_read(line, end, &prefix) ||
	    prefix.style != STYLE_FTRACE) {
		read_between(im, line, end);
		return;
	}
	/* trace-cmd report --ts-diff adds the time since the previous line. */
	const u8 *p = prefix.rest;
	if (span_begins(p, end, "(+"))
		prefix.rest = p = skip_blanks(MIN(scan_byte(p, end, ')') + 1, end), end);
	while (p < end && is_event_name(*p))
		p++;
	struct span name = span_of(prefix.rest, p);
	if (name.len && p < end && (*p == ':' || *p == '(')) {
		prefix_learn(im, &prefix);
		prefix_event(im, &prefix, &name, end);
	} else if (!span_begins(prefix.rest, end, "<stack trace") && !span_find(p, end, "<-")) {
		import_problem(im, p, "expected the name of an event");
	}
}

const struct trace_format format_ftrace = {
	.name = "ftrace", .recognises = ftrace_recognises, .line = ftrace_line, .fast = lines_fast
};
