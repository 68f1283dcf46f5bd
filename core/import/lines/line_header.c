/*
 * line_header.c - reads COMM-PID [CPU] FLAGS TIME: and its variants, from the right.
 *
 *	"bash-1       [001] d.h2.     3.408614: "	cat trace, trace_pipe, trace-cmd report
 *	"bash-1       (      1) [000] ....     3.658206: "	with record-tgid
 *	"bash-1         0..... 28595us+: "		latency-format
 *	"  rrpong-145     0.....     6.368120: "	trace-cmd report -l
 *	"perf   161 [000]    11.666716: "	"perf   161    11.666716: "	perf script, with and without CPU
 *	"[000]    11.666716: "	"    11.666716: "	perf script -F cpu,time,… and -F time,…
 *
 * A comm may hold blanks, dashes, colons and brackets. The reader therefore finds the first colon
 * with a time in front of it, and reads everything else backwards from there.
 */
#include "import/lines/line_header.h"

#include "import/kept.h"

struct cursor {
	const u8 *line;
	const u8 *at; /* the unread text ends here */
};

static void back_over_blanks(struct cursor *c)
{
	while (c->at > c->line && is_blank(c->at[-1]))
		c->at--;
}

static const u8 *digits_start(const struct cursor *c)
{
	const u8 *p = c->at;

	while (p > c->line && is_digit(p[-1]))
		p--;
	return p;
}

/* "28595us+", "28745us ", "0us!": latency-format. */
static int read_latency_time(struct cursor *c, struct prefix *prefix)
{
	struct cursor us = *c;

	if (us.at - us.line < 4)
		return 0;
	us.at--; /* the mark of a delay, or a blank */
	if (us.at[-1] != 's' || us.at[-2] != 'u')
		return 0;
	us.at -= 2;
	const u8 *start = digits_start(&us);
	if (start == us.at || us.at - start > 15)
		return 0;
	prefix->time = scan_number(start, us.at) * 1000;
	c->at = start;
	return 1;
}

/* "3.408614", "3.408614123", "60125241158" */
static int read_time(struct cursor *c, struct prefix *prefix)
{
	struct cursor time = *c;
	const u8 *fraction = digits_start(&time);
	u32 digits = (u32)(time.at - fraction);

	prefix->ticks = 0;
	prefix->dot = NULL;
	if (!digits)
		return read_latency_time(c, prefix);
	if (fraction == c->line || fraction[-1] != '.') {
		/* trace-cmd report --raw-ts puts no blank behind the CPU. */
		if (digits > 18 ||
		    (fraction > c->line && !is_blank(fraction[-1]) && fraction[-1] != ']'))
			return 0;
		prefix->time = scan_number(fraction, time.at);
		prefix->ticks = 1;
		c->at = fraction;
		return 1;
	}
	time.at = fraction - 1;
	const u8 *start = digits_start(&time);
	if (start == time.at || time.at - start > 10 || digits > 9 ||
	    (start > c->line && !is_blank(start[-1])))
		return 0;
	u64 ns = scan_number(fraction, fraction + digits);
	for (u32 i = digits; i < 9; i++)
		ns *= 10;
	prefix->time = scan_number(start, time.at) * 1000000000 + ns;
	prefix->dot = digits == 6 ? time.at : NULL;
	c->at = start;
	return 1;
}

/* Start of the pid that ends at c->at; NULL if it is missing or begins the line. perf writes pid -1
 * for exited tasks. In ftrace that dash belongs to the comm. */
static const u8 *pid_start(const struct cursor *c)
{
	const u8 *start = digits_start(c);

	if (start == c->at || start == c->line)
		return NULL;
	if (start - c->line > 1 && start[-1] == '-' && (is_blank(start[-2]) || start[-2] == '/') &&
	    span_is(start, c->at, "1"))
		start--;
	return start;
}

/* "…-123" or "… 123" or "… 123/124", with "( 99)" behind it when the kernel prints the thread
 * group. */
static int read_pid(struct cursor *c, struct prefix *prefix)
{
	back_over_blanks(c);
	if (c->at == c->line) {
		/* perf script -F cpu,time,event,trace */
		prefix->style = STYLE_PERF;
		return 1;
	}
	if (c->at[-1] == ')') {
		while (c->at > c->line && *c->at != '(')
			c->at--;
		back_over_blanks(c);
	}
	const u8 *start = pid_start(c);
	if (!start)
		return 0;
#ifndef KMEM_FIRST_VIEW
	prefix->pid = *start == '-' ? -1 : (s64)scan_number(start, c->at);
#endif
	if (start[-1] == '/') {
		struct cursor pid = { c->line, start - 1 };
		start = pid_start(&pid);
		if (!start)
			return 0;
	}
#ifndef KMEM_FIRST_VIEW
	prefix->comm_end = start - 1;
#endif
	prefix->style = start[-1] == '-' ? STYLE_FTRACE : STYLE_PERF;
	return start[-1] == '-' || is_blank(start[-1]);
}

static int read_bracket(struct cursor *c, struct prefix *prefix)
{
	if (c->at == c->line || c->at[-1] != ']')
		return 0;
	c->at--;
	const u8 *start = digits_start(c);
	if (start == c->at || start == c->line || start[-1] != '[' || c->at - start > 9)
		return 0;
	prefix->cpu = (u32)scan_number(start, c->at);
	prefix->bracket = c->at - start == 3 ? start - 1 : NULL;
	c->at = start - 1;
	return 1;
}

/* Reads everything in front of the time. */
static int read_task(struct cursor *c, struct prefix *prefix)
{
	back_over_blanks(c);
	prefix->bracket = NULL;
	prefix->cpu = 0;
	if (c->at == c->line) {
		/* perf script -F time,event,trace */
		prefix->style = STYLE_PERF;
		return !prefix->ticks;
	}
	if (read_bracket(c, prefix))
		return read_pid(c, prefix);
	/* No bracket: a column of flags, a column of CPU and flags, or the pid of perf without
	 * CPU. */
	struct cursor token = *c;
	while (token.at > token.line && !is_blank(token.at[-1]))
		token.at--;
	if (token.at == c->at)
		return 0;
	const u8 *behind = scan_digits(token.at, c->at);
	if (behind == c->at || *behind == '/') {
		return !prefix->ticks && read_pid(c, prefix) && prefix->style == STYLE_PERF;
	}
	if (behind > token.at && behind - token.at < 6) {
		prefix->cpu = (u32)scan_number(token.at, behind);
		return read_pid(&token, prefix) && prefix->style == STYLE_FTRACE;
	}
	back_over_blanks(&token);
	return read_bracket(&token, prefix) && read_pid(&token, prefix);
}

#ifndef KMEM_FIRST_VIEW
int prefix_read_task(const u8 *line, const u8 *end, struct prefix *prefix)
{
	struct cursor c = { line, end };

	prefix->comm_end = NULL;
	return read_pid(&c, prefix) && prefix->comm_end;
}

u32 prefix_task(struct import *im, const u8 *line, const struct prefix *prefix)
{
	return prefix->comm_end ? task_text(im, line, prefix->comm_end, prefix->pid) : 0;
}
#endif

int prefix_read(const u8 *line, const u8 *end, struct prefix *prefix)
{
	for (const u8 *colon = line; (colon = scan_byte(colon, end, ':')) < end; colon++) {
		struct cursor c = { line, colon };
		if (colon + 1 < end && !is_blank(colon[1]))
			continue;
#ifndef KMEM_FIRST_VIEW
		prefix->comm_end = NULL;
#endif
		if (read_time(&c, prefix) && read_task(&c, prefix)) {
			prefix->rest = skip_blanks(colon + 1, end);
			return 1;
		}
	}
	return 0;
}

void prefix_learn(struct import *im, const struct prefix *prefix)
{
	if (!prefix->bracket || !prefix->dot || prefix->dot - im->line > SCAN_SLACK / 2 ||
	    prefix->dot - im->line < 8)
		return;
	struct layout layout = { .bracket = (u32)(prefix->bracket - im->line),
				 .dot = (u32)(prefix->dot - im->line) };
	for (u32 i = 0; i < ARRAY_SIZE(im->layouts); i++) {
		if (im->layouts[i].bracket == layout.bracket && im->layouts[i].dot == layout.dot) {
			im->layout = i;
			return;
		}
	}
	im->layout ^= 1;
	im->layouts[im->layout] = layout;
}

void prefix_event(struct import *im, const struct prefix *prefix, const struct span *name,
		  const u8 *end)
{
	struct event ev = { .time = prefix->time, .cpu = prefix->cpu };

	if (import_refuses_zero(im, name->at, name->at + name->len))
		return;
	ev.kind = kind_count(im, name);
	if (im->status != KMEM_OK)
		return;
	ev.what = (u8)kind_at(im, ev.kind)->what;
	if (ev.what == WHAT_OTHER && ev.kind != KIND_SLUB_STAT &&
	    (IS_FIRST_VIEW || ev.kind != KIND_SLUB_OP)) {
#ifndef KMEM_FIRST_VIEW
		if (is_note_kind(ev.kind))
			import_note_line(im, &ev, name->at + name->len, end);
#endif
		return;
	}
	im->ticks |= prefix->ticks;
	if (import_refuses_zero(im, name->at, end))
		return;
#ifndef KMEM_FIRST_VIEW
	if (im->keep & KMEM_KEEP_EFFECTS && ev.what == WHAT_OTHER)
		kernel_line(im, ev.kind, name->at + name->len + 1, end, ev.cpu,
			    prefix_task(im, im->line, prefix));
#endif
	if (!IS_FIRST_VIEW && ev.kind == KIND_SLUB_OP)
		return;
	if (ev.kind == KIND_SLUB_STAT) {
		counters_line(im, name->at + name->len + 1, end, ev.cpu);
		return;
	}
#ifndef KMEM_FIRST_VIEW
	if (im->keep & KMEM_KEEP_TASKS)
		ev.task = prefix_task(im, im->line, prefix);
#endif
	if (fields_read(im, name->at + name->len + 1, end, &ev))
		im->sink(im, &ev);
}
