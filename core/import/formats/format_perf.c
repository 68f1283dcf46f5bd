/*
 * format_perf.c - reads the text of perf: `perf script`, of all versions, and `perf trace`.
 *
 *	          rrpong 20631 [001]  5282.120560:  kmem:kmem_cache_free: call_site=… ptr=0xffff888102a61cc0
 *
 * With -g a stack follows each event: indented lines that start with an address, then an empty line.
 */
#include "import/text_line.h"
#include "util/text.h"

static int perf_recognises(const u8 *line, const u8 *end)
{
	struct prefix prefix;

	return *line != '#' && prefix_read(line, end, &prefix) && prefix.style == STYLE_PERF;
}

/* Returns 1 for a line of a stack: indented, with an address or a note that a function was inlined. */
static int is_stack(const u8 *line, const u8 *end)
{
	const u8 *p = skip_blanks(line, end), *behind = scan_word(p, end);
	u64 digits = 0;

	for (const u8 *at = p; at < behind; at++)
		digits += is_digit(*at) || (u8)((*at | 0x20) - 'a') < 6;
	return p > line && (digits == (u64)(behind - p) || span_find(p, end, "(inlined)"));
}

/* Returns the name without its subsystem: kmem:kfree becomes kfree, but cycles:u stays. */
static struct span bare_name(const u8 *p, const u8 *end)
{
	const u8 *colon = scan_byte(p, end, ':');

	return colon < end && end - colon > 4 ? span_of(colon + 1, end) : span_of(p, end);
}

/*
 * "# event : name = kmem:kmalloc, ..., freq = 1, ...": sampled by frequency, a number of times per second. The lines
 * may have periods.
 */
static void read_event(struct import *im, const u8 *line, const u8 *end)
{
	if (span_begins(line, end, "# event : name = kmem:") && span_find(line, end, ", freq = 1"))
		im->sampled.is_on = 1;
}

static void perf_line(struct import *im, const u8 *line, const u8 *end)
{
	struct prefix prefix;

	if (line == end)
		return;
	if (*line == '#') {
		import_kernel_comment(im, line, end);
		read_event(im, line, end);
		return;
	}
	if (!prefix_read(line, end, &prefix) || prefix.style != STYLE_PERF) {
		if (skip_blanks(line, end) < end && !is_stack(line, end) &&
		    !span_is(line, end, "--"))
			import_problem(im, line, "expected \"comm pid [cpu] time: event:\"");
		return;
	}
	const u8 *p = prefix.rest, *behind = scan_word(p, end);
	while (p < end && scan_number(p, behind) && is_digit(behind[-1])) {
		/* perf printed a period before the name. */
		sampled_note(im, scan_number(p, behind));
		p = skip_blanks(behind, end);
		behind = scan_word(p, end);
	}
	if (span_begins(p, end, "PERF_RECORD_")) {
		const u8 *lost = span_find(p, end, " lost ");
		if (lost)
			im->trace->report.lost += scan_number(lost + 6, end);
		return;
	}
	if (behind == p || behind[-1] != ':') {
		import_problem(im, p, "expected the name of an event");
		return;
	}
	struct span name = bare_name(p, behind - 1);
	prefix_learn(im, &prefix);
	prefix_event(im, &prefix, &name, end);
}

const struct trace_format format_perf = {
	.name = "perf script", .recognises = perf_recognises, .line = perf_line, .fast = lines_fast
};

/*
 * Reads `perf trace --no-syscalls -e 'kmem:*'`.
 *
 *	     0.195 forkstorm/287 kmem:kmem_cache_alloc(call_site: -2096405261, ptr: 0xff44e3e142fd9a00, name: "maple_node", …)
 *
 * Time is in milliseconds since the first event. Lines do not name a CPU, so everything runs on
 * CPU 0. perf leaves out fields whose value is 0. A free without ptr: is therefore one of NULL. If a
 * tracepoint has printed nodes, an allocation without node: requests node 0. A call site is the
 * lower half of an address, as a signed number. The upper half is all ones, as in all kernel text.
 */

struct perftrace {
	u64 kinds_with_node; /* bit mask by enum kmem_kind */
};

_Static_assert(NR_KMEM_KINDS <= 64, "kinds_with_node has a bit for each kind");

/* Reads "kmem:NAME(" after a time: finds the name and the text between the brackets. 0 if there is
 * none. */
static int read_head(const u8 *line, const u8 *end, struct range *time, struct range *name,
		     const u8 **args)
{
	const u8 *p = skip_blanks(line, end);

	time->at = p;
	while (p < end && (is_digit(*p) || *p == '.'))
		p++;
	time->end = p;
	if (p == time->at || p == end || *p != ' ')
		return 0;
	p = span_find(p, end, " kmem:");
	if (!p)
		return 0;
	name->at = p += 6;
	while (p < end && *p != '(' && !is_blank(*p))
		p++;
	name->end = p;
	*args = p + 1;
	return p < end && *p == '(' && p > name->at;
}

static int perftrace_recognises(const u8 *line, const u8 *end)
{
	struct range time, name;
	const u8 *args;

	return read_head(line, end, &time, &name, &args);
}

/* Reads "0.195" milliseconds; 0 if it is not a number. */
static int read_ms(struct range time, u64 *ns)
{
	const u8 *dot = scan_byte(time.at, time.end, '.');

	if (dot == time.at || dot == time.end || dot - time.at > 12)
		return 0;
	*ns = scan_number(time.at, dot) * 1000000;
	return scan_decimals(dot + 1, time.end, 1000000, ns) == time.end;
}

/* Returns the value of "key: " among the arguments, without quotes; at == NULL if it is not there. */
static struct range value_of(const u8 *p, const u8 *end, const char *key)
{
	struct range value = { 0 };

	while (p < end) {
		const u8 *at = p, *comma = p;
		int quoted = 0;
		for (; comma < end && (quoted || *comma != ','); comma++)
			quoted ^= *comma == '"';
		if (span_begins(at, comma, key)) {
			value.at = at + text_length(key);
			value.end = comma;
			break;
		}
		p = skip_blanks(comma + 1, end);
	}
	if (value.end - value.at >= 2 && *value.at == '"' && value.end[-1] == '"') {
		value.at++;
		value.end--;
	}
	return value;
}

/* A missing number is 0. Returns 0 after a problem. */
static int read_number(struct import *im, const u8 *args, const u8 *end, const char *key, u32 *to)
{
	struct range value = value_of(args, end, key);

	*to = 0;
	return !value.at || scan_u32(value, to) ||
	       import_problem(im, value.at, "expected an integer below 2^32");
}

static int read_alloc(struct import *im, const u8 *args, const u8 *end, struct event *ev)
{
	struct perftrace *own = im->own.at;
	struct range gfp = value_of(args, end, "gfp_flags: "), node = value_of(args, end, "node: ");
	u32 accounted = 0;

	if (!read_number(im, args, end, "bytes_req: ", &ev->bytes_req) ||
	    !read_number(im, args, end, "bytes_alloc: ", &ev->bytes_alloc) ||
	    !read_number(im, args, end, "accounted: ", &accounted))
		return 0;
	ev->accounted = accounted != 0;
	ev->gfp = gfp.at ? intern(im, gfp.at, gfp.end) : intern_text(im, "0");
	if (node.at && !field_node(node, ev))
		return import_problem(im, node.at, "expected node: <integer>, -1 for any");
	if (node.at)
		own->kinds_with_node |= (u64)1 << ev->kind;
	else if (own->kinds_with_node >> ev->kind & 1)
		ev->node = 0;
	return 1;
}

/* -2096405261 becomes 0xffffffff830b7cf3. A number that is not negative is a 32-bit address. Other
 * text stays. */
static u32 call_site_of(struct import *im, struct range value)
{
	char buf[32];
	struct text out = text_in(buf, sizeof(buf));
	int minus = value.at < value.end && *value.at == '-';
	u32 number;

	if (!scan_u32((struct range){ value.at + minus, value.end }, &number))
		return intern(im, value.at, value.end);
	text_add_hex(&out, minus ? 0 - (u64)number : number, 1);
	return intern_text(im, buf);
}

static void read_payload(struct import *im, const u8 *args, const u8 *end, struct event *ev)
{
	struct range ptr = value_of(args, end, "ptr: "), site = value_of(args, end, "call_site: "),
		     cache = value_of(args, end, "name: ");

	if (ptr.at && !field_pointer(im, ptr, ev)) {
		import_problem(im, ptr.at, "expected ptr=<pointer>");
		return;
	}
	if (site.at)
		ev->call_site = call_site_of(im, site);
	im->name_at = cache.at;
	if (cache.at) {
		ev->cache = intern(im, cache.at, cache.end);
		im->has_free_names |= ev->what == WHAT_FREE;
	}
	if (ev->what == WHAT_FREE || read_alloc(im, args, end, ev))
		im->sink(im, ev);
}

/* Reads a line that announces the objects of a bulk request. */
static void read_group(struct import *im, const u8 *args, const u8 *end, struct event *ev)
{
	struct range site = value_of(args, end, "call_site: ");

	if (site.at)
		ev->call_site = call_site_of(im, site);
	if (read_number(im, args, end, "nr: ", &ev->bytes_req))
		import_in_order(im, ev);
}

/* Reads a line of the page allocator. perf trace leaves out fields that are 0. */
static void read_page(struct import *im, const u8 *args, const u8 *end, struct range time,
		      struct event *ev)
{
	u32 pfn;

	if (!read_number(im, args, end, "pfn: ", &pfn) ||
	    !read_number(im, args, end, "order: ", &ev->bytes_req) || !read_ms(time, &ev->time))
		return;
	ev->ptr = pfn;
	import_in_order(im, ev);
}

static void perftrace_line(struct import *im, const u8 *line, const u8 *end)
{
	struct event ev = { .node = NODE_ANY };
	struct range time, name;
	const u8 *args;

	if (skip_blanks(line, end) == end || *line == '#')
		return;
	if (!read_head(line, end, &time, &name, &args)) {
		const u8 *lost = span_find(line, end, "LOST ");
		if (lost)
			im->trace->report.lost += scan_number(lost + 5, end);
		else
			import_problem(im, line, "expected \"time comm/pid kmem:event(\"");
		return;
	}
	if (import_refuses_zero(im, line, end))
		return;
	struct span span = span_of(name.at, name.end);
	ev.kind = (u16)kind_count(im, &span);
	if (im->status != KMEM_OK)
		return;
	ev.what = (u8)kind_at(im, ev.kind)->what;
	if (is_group_kind(ev.kind)) {
		read_group(im, args, end[-1] == ')' ? end - 1 : end, &ev);
		return;
	}
	if (is_page_kind(ev.kind)) {
		read_page(im, args, end[-1] == ')' ? end - 1 : end, time, &ev);
		return;
	}
	if (ev.what == WHAT_OTHER)
		return;
	if (end[-1] != ')')
		import_problem(im, end, "expected more fields");
	else if (!read_ms(time, &ev.time))
		import_problem(im, time.at, "expected a time in milliseconds with a fraction");
	else
		read_payload(im, args, end - 1, &ev);
}

const struct trace_format format_perftrace = { .name = "perf trace",
					       .recognises = perftrace_recognises,
					       .own_bytes = sizeof(struct perftrace),
					       .line = perftrace_line };
