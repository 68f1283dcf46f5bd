/*
 * format_perf.c - reads `perf script`, of all versions.
 *
 *	          rrpong 20631 [001]  5282.120560:  kmem:kmem_cache_free: call_site=… ptr=0xffff888102a61cc0
 *
 * With -g a stack follows each event: indented lines that begin with an address, then an empty line.
 */
#include "import/lines/line_header.h"

static int perf_recognises(const u8 *line, const u8 *end)
{
	struct prefix prefix;

	return *line != '#' && prefix_read(line, end, &prefix) && prefix.style == STYLE_PERF;
}

/* 1 for a line of a stack: indented, with an address or a note that a function was inlined. */
static int is_stack(const u8 *line, const u8 *end)
{
	const u8 *p = skip_blanks(line, end), *behind = scan_word(p, end);
	u64 digits = 0;

	for (const u8 *at = p; at < behind; at++)
		digits += is_digit(*at) || (u8)((*at | 0x20) - 'a') < 6;
	return p > line && (digits == (u64)(behind - p) || span_find(p, end, "(inlined)"));
}

/* The name without its subsystem: kmem:kfree becomes kfree, but cycles:u stays. */
static struct span bare_name(const u8 *p, const u8 *end)
{
	const u8 *colon = scan_byte(p, end, ':');

	return colon < end && end - colon > 4 ? span_of(colon + 1, end) : span_of(p, end);
}

/* "# event : name = kmem:kmalloc, ..., freq = 1, ...": recorded so many times a second. The lines may have periods. */
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
		/* perf printed a period in front of the name. */
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
