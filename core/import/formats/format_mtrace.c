/*
 * format_mtrace.c - reads the file that glibc's mtrace() writes.
 *
 *	= Start
 *	@ ./a.out:(main+0x1d)[0x401165] + 0x4052a0 0x18	malloc, calloc, memalign: address, bytes
 *	@ ./a.out:[0x401180] < 0x4052a0			realloc: the old address,
 *	@ ./a.out:[0x401180] > 0x4052c0 0x20		and the new one with the new size
 *	@ ./a.out:[0x401190] - 0x4052c0			free
 *	@ ./a.out:[0x4011a0] ! 0x4052c0 0x100		a realloc that failed
 *
 * A path may hold blanks, so the reader begins at a line's end. Lines have neither time nor thread.
 */
#include "import/user_malloc.h"

struct mtrace {
	u64 old; /* the old address of a realloc that waits for its second line; 0: none */
	u32 old_kind;
};

struct mtrace_line {
	u64 ptr, bytes;
	struct span site;
	u32 ptr_digits;
	u8 op; /* + - < > ! = */
};

/* The last word of [line, *end), which then ends before it. */
static const u8 *last_word(const u8 *line, const u8 **end, const u8 **word_end)
{
	const u8 *p = *end;

	while (p > line && is_blank(p[-1]))
		p--;
	*word_end = p;
	while (p > line && !is_blank(p[-1]))
		p--;
	*end = p;
	return p;
}

/* The "(main+0x1d)" of a call site, or its "[0x401165]". */
static struct span site_of(const u8 *p, const u8 *end)
{
	const u8 *open = scan_byte(p, end, '('), *close = scan_byte(open, end, ')');

	if (close == end || close - open < 2) {
		open = scan_byte(p, end, '[');
		close = scan_byte(open, end, ']');
	}
	return close < end && close - open > 1 ? span_of(open + 1, close) : span_of(end, end);
}

/* "0x4052a0", "(nil)"; counts the digits. */
static int read_hex(const u8 *p, const u8 *end, u64 *number, u32 *digits)
{
	*number = 0;
	*digits = (u32)(end - p);
	return span_is(p, end, "(nil)") ||
	       (span_begins(p, end, "0x") && field_hex(p + 2, end, number));
}

/* 0 if the line is not mtrace's. */
static int read_line(const u8 *line, const u8 *end, struct mtrace_line *to)
{
	const u8 *at = end, *word_end, *behind_end, *behind;
	const u8 *word = last_word(line, &at, &word_end);
	u32 digits;

	*to = (struct mtrace_line){ .op = '=' };
	if (*line == '=')
		return span_begins(line, end, "= Start") || span_begins(line, end, "= End");
	behind = word;
	behind_end = word_end;
	word = last_word(line, &at, &word_end);
	if (word_end - word != 1 || (*word != '-' && *word != '<')) {
		/* A size follows the address. */
		if (!span_is(behind, behind_end, "0") &&
		    !read_hex(behind, behind_end, &to->bytes, &digits))
			return 0;
		behind = word;
		behind_end = word_end;
		word = last_word(line, &at, &word_end);
		if (word_end - word != 1 || (*word != '+' && *word != '>' && *word != '!'))
			return 0;
	}
	if (!read_hex(behind, behind_end, &to->ptr, &to->ptr_digits))
		return 0;
	to->op = *word;
	to->site = site_of(line, word);
	return word == line || *line == '@';
}

static int mtrace_recognises(const u8 *line, const u8 *end)
{
	struct mtrace_line read;

	return line < end && read_line(line, end, &read);
}

/* A realloc without its second line: the old object is freed in any case. */
static void end_realloc(struct import *im, struct mtrace *own)
{
	struct call call = { .kind = own->old_kind };

	if (own->old)
		malloc_free(im, &call, own->old);
	own->old = 0;
}

static void take(struct import *im, struct mtrace *own, const struct mtrace_line *read)
{
	struct call call = { .site = read->site };

	if (read->op == '>') {
		call.kind = own->old ? own->old_kind : kind_count_text(im, "realloc");
		malloc_resize(im, &call, own->old, read->ptr, read->bytes);
		own->old = 0;
		return;
	}
	end_realloc(im, own);
	if (read->op == '+') {
		call.kind = kind_count_text(im, "malloc");
		malloc_new(im, &call, read->ptr, read->bytes);
	} else if (read->op == '-') {
		call.kind = kind_count_text(im, "free");
		malloc_free(im, &call, read->ptr);
	} else if (read->op == '!') {
		call.kind = kind_count_text(im, "realloc");
		malloc_resize(im, &call, read->ptr, 0, read->bytes);
	} else if (read->op == '<') {
		own->old_kind = kind_count_text(im, "realloc");
		own->old = read->ptr;
	}
}

static void mtrace_line(struct import *im, const u8 *line, const u8 *end)
{
	struct mtrace_line read;

	if (skip_blanks(line, end) == end)
		return;
	/* In a last line without a newline, an address shorter than the previous one was cut. */
	if (!read_line(line, end, &read) ||
	    (im->unterminated && read.op != '=' && read.ptr_digits < im->last_ptr_digits)) {
		import_problem(
			im, line,
			"expected \"+ address bytes\", \"- address\", \"<\", \">\" or \"!\"");
		return;
	}
	if (import_refuses_zero(im, line, end))
		return;
	im->last_ptr_digits = read.op != '=' ? read.ptr_digits : im->last_ptr_digits;
	take(im, im->own.at, &read);
}

static void mtrace_finish(struct import *im)
{
	struct mtrace *own = im->own.at;

	im->trace->report.truncated |= own->old != 0;
}

const struct trace_format format_mtrace = { .name = "mtrace",
					    .recognises = mtrace_recognises,
					    .own_bytes = sizeof(struct mtrace),
					    .line = mtrace_line,
					    .finish = mtrace_finish,
					    .may_lack_times = 1 };
