/*
 * text_line.c - a line of ftrace, trace-cmd or perf: its header, and the payload of a kmem event: call_site= ptr= name= bytes_req= bytes_alloc= gfp_flags= node= accounted=
 *
 * fields_read() takes keys in any order, values in every notation of traces.md, and blanks inside
 * values. It reports what is wrong with a line. usual_line.c has the fast path for the common form
 * of lines.
 */
#include "import/import.h"
#include "import/text_line.h"

enum key {
	KEY_CALL_SITE,
	KEY_PTR,
	KEY_NAME,
	KEY_REQ,
	KEY_ALLOC,
	KEY_GFP,
	KEY_NODE,
	KEY_ACCOUNTED,
	KEY_HEAD,
	NR_KEYS
};

static const char *const keys[NR_KEYS] = { "call_site=", "ptr=",	 "name=",
					   "bytes_req=", "bytes_alloc=", "gfp_flags=",
					   "node=",	 "accounted=",	 "head=" };

/* Returns the end of "key=" at p, or NULL if there is none. */
static const u8 *key_end(const u8 *p, const u8 *end)
{
	const u8 *at = p;

	while (at < end && (is_letter(*at) || *at == '_'))
		at++;
	return at > p && at < end && *at == '=' ? at + 1 : NULL;
}

/* Splits the line into values. A value ends where the next key starts, without the blanks around
 * it. */
static void find_values(const u8 *p, const u8 *end, struct range *values)
{
	struct range *open = NULL;

	for (p = skip_blanks(p, end); p < end; p = skip_blanks(p, end)) {
		const u8 *behind = key_end(p, end), *token = behind ? behind : p;
		for (u32 k = 0; behind && k <= NR_KEYS; k++) {
			open = k < NR_KEYS && !values[k].at ? &values[k] : NULL;
			if (open && span_is(p, behind, keys[k])) {
				open->at = open->end = behind;
				break;
			}
		}
		p = scan_word(token, end);
		if (open && p > token) {
			open->at = open->end > open->at ? open->at : token;
			open->end = p;
		}
	}
}

int field_pointer(struct import *im, struct range v, struct event *ev)
{
	v = scan_first_form(v);
	ev->ptr = 0;
	if (span_is(v.at, v.end, "(____ptrval____)")) {
		ev->ptr_state = PTR_UNKNOWN;
		return 1;
	}
	if (span_is(v.at, v.end, "(null)") || span_is(v.at, v.end, "(nil)"))
		return 1;
	int bare = !span_begins(v.at, v.end, "0x");
	if (!bare)
		v.at += 2;
	u32 digits = (u32)(v.end - v.at);
	/* In a last line without a newline, a pointer shorter than all others was cut. */
	if (im->unterminated && digits < im->last_ptr_digits)
		return 0;
	if (!scan_hex(v.at, v.end, &ev->ptr))
		return 0;
	im->last_ptr_digits = digits;
	ev->hashed = bare && digits == 16 && ev->ptr >> 32 == 0 && ev->ptr > 16;
	return 1;
}

int field_node(struct range v, struct event *ev)
{
	u32 node = 0xffffffffu;

	if (!span_is(v.at, v.end, "-1") && !scan_u32(v, &node))
		return 0;
	ev->node = node == 0xffffffffu ? NODE_ANY : MIN(node, (u32)NODE_ANY - 1);
	return 1;
}

u32 field_name(struct import *im, const u8 *p, const u8 *end)
{
	/* Only dynamic events quote names. */
	if (!IS_FIRST_VIEW && (span_is(p, end, "(fault)") || span_is(p, end, "\"(fault)\"") ||
			       span_is(p, end, "(null)")))
		return 0;
	if (!IS_FIRST_VIEW && end - p >= 2 && *p == '"' && end[-1] == '"')
		return intern(im, p + 1, end - 1);
	return intern(im, p, end);
}

int field_is_known(const u8 *p, const u8 *end)
{
	for (u32 k = 0; k < NR_KEYS; k++)
		if (span_begins(p, end, keys[k]))
			return 1;
	return 0;
}

static int read_alloc(struct import *im, const struct range *values, const u8 *p, const u8 *end,
		      struct event *ev)
{
	if (!values[KEY_REQ].at)
		return import_lacks(im, p, end, "expected bytes_req=<integer>");
	if (!values[KEY_ALLOC].at)
		return import_lacks(im, p, end, "expected bytes_alloc=<integer>");
	if (!values[KEY_GFP].at)
		return import_lacks(im, p, end, "expected gfp_flags=<flags>");
	if (!scan_u32(values[KEY_REQ], &ev->bytes_req))
		return import_problem(im, values[KEY_REQ].at, "expected bytes_req=<integer>");
	if (!scan_u32(values[KEY_ALLOC], &ev->bytes_alloc))
		return import_problem(im, values[KEY_ALLOC].at, "expected bytes_alloc=<integer>");
	struct range gfp = scan_first_form(values[KEY_GFP]);
	ev->gfp = intern(im, gfp.at, gfp.end);
	if (values[KEY_NODE].at && !field_node(values[KEY_NODE], ev))
		return import_problem(im, values[KEY_NODE].at,
				      "expected node=<integer>, -1 for any");
	struct range accounted = values[KEY_ACCOUNTED];
	if (accounted.at)
		ev->accounted = span_is(accounted.at, accounted.end, "true") ||
				span_is(accounted.at, accounted.end, "1") ||
				span_is(accounted.at, accounted.end, "(1)");
	return 1;
}

/* The general parser: returns 1, or 0 after a problem. The caller has set ev->kind and ev->what. */
static int fields_read(struct import *im, const u8 *p, const u8 *end, struct event *ev)
{
	struct range values[NR_KEYS] = { 0 };

	find_values(p, end, values);
	ev->node = NODE_ANY;
	if (!values[KEY_PTR].at)
		return import_lacks(im, p, end, "expected ptr=<pointer>");
	if (!field_pointer(im, values[KEY_PTR], ev))
		return import_problem(im, values[KEY_PTR].at, "expected ptr=<pointer>");
	if (values[KEY_CALL_SITE].at) {
		struct range site = scan_first_form(values[KEY_CALL_SITE]);
		ev->call_site = intern(im, site.at, site.end);
	}
	im->has_early_names |= values[KEY_NAME].at && values[KEY_NAME].at < values[KEY_REQ].at;
	im->name_at = values[KEY_NAME].at;
	if (im->name_at) {
		ev->cache = field_name(im, im->name_at, values[KEY_NAME].end);
		im->has_free_names |= ev->what == WHAT_FREE;
	}
	if (!IS_FIRST_VIEW && ev->kind == KIND_KFREE_RCU && values[KEY_HEAD].at) {
		struct event head = { 0 };
		if (field_pointer(im, values[KEY_HEAD], &head))
			ev->ptr = object_of_head(ev->ptr, head.ptr);
	}
	return ev->what == WHAT_FREE || read_alloc(im, values, p, end, ev);
}

/*
 * Reads COMM-PID [CPU] FLAGS TIME: and its variants, from the right.
 *
 *	"bash-1       [001] d.h2.     3.408614: "	cat trace, trace_pipe, trace-cmd report
 *	"bash-1       (      1) [000] ....     3.658206: "	with record-tgid
 *	"bash-1         0..... 28595us+: "		latency-format
 *	"  rrpong-145     0.....     6.368120: "	trace-cmd report -l
 *	"perf   161 [000]    11.666716: "	"perf   161    11.666716: "	perf script, with and without CPU
 *	"[000]    11.666716: "	"    11.666716: "	perf script -F cpu,time,… and -F time,…
 *
 * A comm may hold blanks, dashes, colons and brackets. The reader therefore finds the first colon
 * with a time before it, and reads everything else backwards from there.
 */

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

/* Reads "28595us+", "28745us ", "0us!": latency-format. */
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

/* Reads "3.408614", "3.408614123", "60125241158" */
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
		/* trace-cmd report --raw-ts puts no blank after the CPU. */
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
	prefix->time = scan_number(start, time.at) * 1000000000;
	scan_decimals(fraction, fraction + digits, 1000000000, &prefix->time);
	prefix->dot = digits == 6 ? time.at : NULL;
	c->at = start;
	return 1;
}

/* Returns the start of the pid that ends at c->at; NULL if it is missing or starts the line. perf writes pid -1
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

/* Reads "…-123" or "… 123" or "… 123/124", with "( 99)" after it when the kernel prints the thread
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
	if (!IS_FIRST_VIEW)
		prefix->pid = *start == '-' ? -1 : (s64)scan_number(start, c->at);
	if (start[-1] == '/') {
		struct cursor pid = { c->line, start - 1 };
		start = pid_start(&pid);
		if (!start)
			return 0;
	}
	prefix->comm_end = start - 1;
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

/* Reads everything before the time. */
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

int prefix_read(const u8 *line, const u8 *end, struct prefix *prefix)
{
	for (const u8 *colon = line; (colon = scan_byte(colon, end, ':')) < end; colon++) {
		struct cursor c = { line, colon };
		if (colon + 1 < end && !is_blank(colon[1]))
			continue;
		prefix->comm_end = NULL;
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
	ev.kind = (u16)kind_count(im, name);
	if (im->status != KMEM_OK)
		return;
	ev.what = (u8)kind_at(im, ev.kind)->what;
	if (ev.what == WHAT_OTHER && ev.kind != KIND_SLUB_STAT &&
	    (IS_FIRST_VIEW || ev.kind != KIND_SLUB_OP)) {
		if (!IS_FIRST_VIEW && is_note_kind(ev.kind))
			import_note_line(im, &ev, name->at + name->len, end);
		return;
	}
	im->ticks |= prefix->ticks;
	if (import_refuses_zero(im, name->at, end))
		return;
	if (!IS_FIRST_VIEW && im->keep & KMEM_KEEP_EFFECTS && ev.what == WHAT_OTHER)
		kernel_line(im, ev.kind, name->at + name->len + 1, end, ev.cpu,
			    prefix_task(im, im->line, prefix));
	if (!IS_FIRST_VIEW && ev.kind == KIND_SLUB_OP)
		return;
	if (ev.kind == KIND_SLUB_STAT) {
		counters_line(im, name->at + name->len + 1, end, ev.cpu);
		return;
	}
	if (!IS_FIRST_VIEW && im->keep & KMEM_KEEP_TASKS)
		ev.task = prefix_task(im, im->line, prefix);
	if (fields_read(im, name->at + name->len + 1, end, &ev))
		im->sink(im, &ev);
}
