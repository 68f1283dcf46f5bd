/*
 * problems.c - what cannot be read: an unusable line, with what was expected and found, and a file that is not a trace.
 *
 *	1204:31: expected bytes_req=<integer>, found "bytes_rq=192"; line skipped
 *
 * The first-view module leaves this file out: a trace with a problem needs the whole module.
 */
#include "import/binary.h"
#include "import/import.h"
#include "machine_state/machine_state.h"

enum { MAX_FOUND_BYTES = 40 };

static int ends_line(u8 c)
{
	return c == '\n' || c == '\r';
}

static int ends_word(u8 c)
{
	return is_blank(c) || c == ',' || c == ';';
}

/* Adds text for a person: an unprintable byte becomes a question mark. */
static void add_line(struct text *t, const u8 *p, u32 most, int to_word_end)
{
	for (u32 n = 0; n < most && !ends_line(*p) && !(to_word_end && ends_word(*p)); n++, p++) {
		char c = *p >= 0x20 && *p != 0x7f ? (char)*p : *p == '\t' ? ' ' : '?';
		text_add_n(t, &c, 1);
	}
}

/* After a reason that starts with "expected", adds the word found there. */
static void add_found(struct text *t, const char *reason, const u8 *at)
{
	static const char expected[] = "expected ";

	if (!at || memcmp(reason, expected, MIN(text_length(reason), sizeof(expected) - 1)) != 0)
		return;
	while (is_blank(*at))
		at++;
	if (ends_line(*at)) {
		text_add(t, ", found the end of the line");
		return;
	}
	text_add(t, ", found \"");
	add_line(t, at, MAX_FOUND_BYTES, 1);
	text_add(t, "\"");
}

int import_problem(struct import *im, const u8 *at, const char *reason)
{
	struct kmem_report *report = &im->trace->report;
	int is_binary = im->format->step != NULL, has_line = !is_binary && !im->from_window;
	const u8 *line = has_line ? im->line : (const u8 *)"\n";
	char buf[MAX_PROBLEM_TEXT * 2], text[MAX_PROBLEM_TEXT + 1];
	struct text sentence = text_in(buf, sizeof(buf)), shown = text_in(text, sizeof(text));

	if (im->unterminated) {
		report->truncated = 1;
		return 0;
	}
	report->skipped_lines++;
	if (im->nr_problems == MAX_PROBLEMS ||
	    !import_grow(im, &im->problems, (im->nr_problems + 1) * sizeof(struct kmem_problem)))
		return 0;
	at = has_line && at && at >= line ? at : NULL;
	if (is_binary) {
		reason = binary_reason(im, reason, buf, sizeof(buf));
	} else {
		text_add(&sentence, reason);
		add_found(&sentence, reason, at);
		text_add(&sentence, "; line skipped");
		reason = buf;
	}
	add_line(&shown, line, MAX_PROBLEM_TEXT, 0);
	struct kmem_problem *problem = (struct kmem_problem *)im->problems.at + im->nr_problems++;
	problem->line = im->line_nr;
	problem->column = at ? (u32)(at - line) + 1 : !is_binary;
	/* These are text numbers until the report is built. */
	problem->reason_at = intern_text(im, reason);
	problem->text_at = intern_text(im, text);
	return 0;
}

int import_lacks(struct import *im, const u8 *p, const u8 *end, const char *expected)
{
	const u8 *at = end;

	for (p = skip_blanks(p, end); p < end && at == end; p = skip_blanks(p, end)) {
		const u8 *word = p;
		p = scan_word(p, end);
		if (scan_byte(word, p, '=') < p && !field_is_known(word, p))
			at = word;
	}
	return import_problem(im, at, expected);
}

s32 import_out_of_memory(struct import *im)
{
	const struct trace *t = im->trace;
	char sentence[sizeof(t->error)];
	struct text out = text_in(sentence, sizeof(sentence));

	text_print(
		&out,
		"The trace is too large for the memory available: %ju MiB were full after %ju MiB of it, %u "
		"events of 17 bytes and their tables. %s",
		t->pool->ceiling >> 20, t->report.bytes >> 20, t->nr_ops,
		im->format && im->format->is_made
			? "Use a smaller scale."
			: "Cut it by time or by cache, or use the native command.");
	if (im->file.at)
		text_add(&out, " A binary file stays in memory while it is read: the text from "
			       "`perf script` or `trace-cmd report` needs less.");
	return import_fail(im, KMEM_ENOMEM, sentence);
}

/* Explains bytes that are not a trace: what they look like, and what to do. */

struct guess {
	const char *magic; /* the first bytes of such a file; a single one may follow blanks */
	const char *sentence;
};

#define JSON \
	"This looks like JSON, not a trace: Slabscope reads text from ftrace, trace-cmd, perf or bpftrace, perf.data, trace.dat, Perfetto, CSV and slabtrace."
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
	{ "{", JSON },
	{ "[", JSON },
	{ "<",
	  "This looks like HTML or XML, perhaps a page saved instead of the file it links to." },
	{ "Attaching ",
	  "This is bpftrace output, but not the lines Slabscope reads: print `nsecs cpu comm pid event ptr bytes_req bytes_alloc gfp_flags`, or CSV with a header row." },
};

static int is_binary(const u8 *bytes, u32 len)
{
	u32 odd = 0;

	for (u32 i = 0; i < len; i++)
		odd += bytes[i] < 9 || (bytes[i] > 13 && bytes[i] < 32 && bytes[i] != 27);
	return odd > len / 100;
}

/* Recognises UTF-16 without a byte order mark: letters in the even or the odd bytes, zeros in the others. */
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

/* Whether this is a line such as `ffffffff81000000 T _text`. */
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
		return "These are a kernel's symbols, not a trace: drop them on the page once the trace is open, or pass them with --kallsyms.";
	if (is_binary(bytes, len))
		return "This is a binary file of an unknown kind, not a trace: Slabscope reads perf.data, trace.dat and Perfetto, and text from ftrace, perf script and others, packed or not.";
	const u8 *end = bytes + len;
	if (span_find(bytes, end, "SUMMARY (SLAB allocator)") ||
	    (span_find(bytes, end, "Frag") && span_find(bytes, end, "Callsite")))
		return "This is a summary by `perf kmem stat`, without the events: run `perf script` on the same perf.data.";
	if (commas_of_first_line(bytes, len) >= 3)
		return "This looks like CSV without a header row: name the columns in its first line (time,cpu,event,ptr,cache,bytes_req,bytes_alloc).";
	return "No line of this looks like a trace: expected ftrace text (comm-pid [cpu] time: event: …), perf script text, "
	       "slabtrace (its first line is `slabtrace 1`), or one of the other formats in docs/formats.md.";
}

void refuse(struct import *im, const u8 *bytes, u32 len_bytes)
{
	import_fail(im, KMEM_EINPUT, sentence_for(bytes, len_bytes));
}

/*
 * Recognises a machine state in place of a trace, and refuses it with advice on its use.
 */

static u32 state_guess(const u8 *bytes, u32 len_bytes)
{
	/* No trace starts like this, whatever its lines look like. */
	return machine_state_recognises(bytes, len_bytes) ? 100000 : 0;
}

static void state_refuse(struct import *im, const u8 *bytes, u32 len_bytes)
{
	(void)bytes;
	(void)len_bytes;
	import_fail(
		im, KMEM_EINPUT,
		"This is a machine state, not a trace: open a trace and add the state to it "
		"(slabscope replay TRACE --machine-state FILE), or give its caches their real sizes "
		"(--cache-params FILE).");
}

const struct trace_format format_state = { .name = "state of caches",
					   .guess = state_guess,
					   .start = state_refuse };
