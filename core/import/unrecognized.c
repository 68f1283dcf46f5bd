/*
 * unrecognized.c - explains bytes that are not a trace: what they look like, and what to do.
 */
#include "import/import.h"

struct guess {
	const char *magic; /* the first bytes of such a file; a single one may follow blanks */
	const char *sentence;
};

#define UTF16 "This is UTF-16 text: save it as UTF-8 (iconv -f UTF-16 -t UTF-8) and try again."

static const struct guess guesses[] = {
	{ "\x1f\x8b",
	  "This is gzip inside gzip, or gzip that could not be unpacked: unpack it once and try again." },
	{ "\x28\xb5\x2f\xfd",
	  "This is zstd that could not be unpacked: unpack it (zstd -d) and try again." },
	{ "\x89PNG", "This is a PNG image, not a trace." },
	{ "\xff\xd8\xff", "This is a JPEG image, not a trace." },
	{ "GIF8", "This is a GIF image, not a trace." },
	{ "%PDF", "This is a PDF document, not a trace." },
	{ "\x7f"
	  "ELF",
	  "This is an ELF program or library, not a trace." },
	{ "PK\x03\x04", "This is a zip archive: unpack it and open the trace inside." },
	{ "BZh", "This is compressed with bzip2: unpack it (bunzip2) and try again." },
	{ "\xfd"
	  "7zXZ",
	  "This is compressed with xz: unpack it (unxz) and try again." },
	{ "\xff\xfe", UTF16 },
	{ "\xfe\xff", UTF16 },
	{ "{",
	  "This looks like JSON; a trace is text of ftrace, trace-cmd, perf or bpftrace, perf.data, trace.dat, Perfetto, CSV or slabtrace." },
	{ "[",
	  "This looks like JSON; a trace is text of ftrace, trace-cmd, perf or bpftrace, perf.data, trace.dat, Perfetto, CSV or slabtrace." },
	{ "<", "This looks like HTML or XML, perhaps a page saved instead of the file behind it." },
	{ "Attaching ",
	  "This is output of bpftrace, but not of the lines that are read: print `nsecs cpu comm pid event ptr bytes_req bytes_alloc gfp_flags`, or CSV with a header row." },
};

static int is_binary(const u8 *bytes, u32 len)
{
	u32 odd = 0;

	for (u32 i = 0; i < len; i++)
		odd += bytes[i] < 9 || (bytes[i] > 13 && bytes[i] < 32 && bytes[i] != 27);
	return odd > len / 100;
}

/* UTF-16 without a byte order mark: letters in the even or the odd bytes, zeros in the others. */
static int is_unmarked_utf16(const u8 *bytes, u32 len)
{
	u32 zeros[2] = { 0, 0 };

	for (u32 i = 0; i < len; i++)
		zeros[i & 1] += !bytes[i];
	return len >= 8 && MIN(zeros[0], zeros[1]) <= len / 100 &&
	       MAX(zeros[0], zeros[1]) >= len / 2 - len / 20;
}

static u32 commas_of_first_line(const u8 *bytes, u32 len)
{
	const u8 *end = scan_byte(bytes, bytes + len, '\n');
	u32 n = 0;

	for (const u8 *p = bytes; p < end; p++)
		n += *p == ',';
	return n;
}

/* A line such as `ffffffff81000000 T _text`. */
static int is_symbol(const u8 *p, const u8 *end)
{
	u32 digits = 0;

	while (p + digits < end && hex_digit(p[digits]) < 16)
		digits++;
	return (digits == 8 || digits == 16) && end - p > (s64)digits + 3 && p[digits] == ' ' &&
	       p[digits + 2] == ' ';
}

static const char *sentence_for(const u8 *bytes, u32 len)
{
	u32 blank = 0;

	while (blank < len &&
	       (is_blank(bytes[blank]) || bytes[blank] == '\n' || bytes[blank] == '\r'))
		blank++;
	if (blank == len)
		return "The file is empty. Was tracing on? `cat /sys/kernel/tracing/trace` shows what was recorded.";
	for (u32 i = 0; i < ARRAY_SIZE(guesses); i++) {
		const struct guess *guess = &guesses[i];
		if (span_begins(guess->magic[1] ? bytes : bytes + blank, bytes + len, guess->magic))
			return guess->sentence;
	}
	if (is_unmarked_utf16(bytes, len))
		return UTF16;
	if (is_symbol(bytes + blank, bytes + len))
		return "These are a kernel's symbols, not a trace: drop them on the page once the trace is open, or give them with --kallsyms.";
	if (is_binary(bytes, len))
		return "This is a binary file of an unknown kind, not a trace: binary ones are perf.data and trace.dat, packed or not; text ones those of ftrace, perf script and others.";
	const u8 *end = bytes + len;
	if (span_find(bytes, end, "SUMMARY (SLAB allocator)") ||
	    (span_find(bytes, end, "Frag") && span_find(bytes, end, "Callsite")))
		return "This is a summary by `perf kmem stat`, without the events: run `perf script` on the same perf.data.";
	if (commas_of_first_line(bytes, len) >= 3)
		return "This looks like CSV without a header row: name the columns in its first line (time,cpu,event,ptr,cache,bytes_req,bytes_alloc).";
	return "No line of a trace found: expected ftrace text (comm-pid [cpu] time: event: …), perf script text, "
	       "slabtrace (its first line is `slabtrace 1`), or one of the other formats in docs/formats.md.";
}

void refuse(struct import *im, const u8 *bytes, u32 len_bytes)
{
	import_fail(im, KMEM_EINPUT, sentence_for(bytes, len_bytes));
}
