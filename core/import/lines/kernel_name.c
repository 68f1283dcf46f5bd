/*
 * kernel_name.c - reads which kernel recorded a trace, if the trace names it.
 *
 *	perf.data			feature HEADER_OSRELEASE
 *	perf script --header		# os release : 6.18.15+deb13-amd64
 *	trace.dat			option UNAME: Linux host 6.18.15+deb13-amd64 x86_64
 *	trace-cmd report --uname	the same as a line
 *	ftrace, latency format		# nop latency trace v1.1.5 on 6.18.15+deb13-amd64
 *	slabtrace			machine kernel=6.18.15+deb13-amd64
 */
#include "import/import.h"
#include "params/kernel_release.h"
#include "import/lines/line_header.h"

/* 1 for letters and marks in releases. None of them needs quotes on a machine line or in a
 * terminal. */
static int is_release_byte(u8 c)
{
	return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '+' || c == '_' ||
	       c == '~';
}

int import_kernel(struct import *im, const u8 *p, const u8 *end)
{
	char release[MAX_RELEASE_BYTES] = { 0 };
	u32 len = 0;

	while (p < end && is_release_byte(*p) && len + 1 < sizeof(release))
		release[len++] = (char)*p++;
	if ((p < end && is_release_byte(*p)) || !kernel_is_release(release))
		return 0;
	memcpy(im->trace->kernel, release, sizeof(release));
	return 1;
}

int import_uname(struct import *im, const u8 *p, const u8 *end)
{
	if (!span_begins(p, end, "Linux "))
		return 0;
	p = scan_byte(p + 6, end, ' ');
	return p < end && import_kernel(im, p + 1, end);
}

u32 import_kernel_sign(const struct import *im)
{
	if (im->has_early_names)
		return SIGN_NAMED_ALLOCATIONS;
	if (!(kind_at(im, KIND_KMALLOC_NODE)->lines + kind_at(im, KIND_CACHE_ALLOC_NODE)->lines))
		return SIGN_NONE;
	return im->has_free_names ? SIGN_NODE_EVENTS : SIGN_NAMELESS_FREES;
}

/* Reads "# os release : 6.18.15", and the text behind " on " in a latency tracer's header. */
void import_kernel_comment(struct import *im, const u8 *line, const u8 *end)
{
	static const char perf[] = "# os release : ";
	const u8 *at;

	if (span_begins(line, end, perf))
		import_kernel(im, line + sizeof(perf) - 1, end);
	else if ((at = span_find(line, end, " latency trace v")) &&
		 (at = span_find(at, end, " on ")))
		import_kernel(im, at + 4, end);
}
