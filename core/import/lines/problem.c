/*
 * problem.c - reports an unusable line: where, what was expected, what was found, and what happened
 * to it.
 *
 *	1204:31: expected bytes_req=<integer>, found "bytes_rq=192"; line skipped
 *
 * The first-view module leaves this file out: a trace with a problem needs the whole module.
 */
#include "import/binary.h"

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

/* After a reason that begins with "expected", adds the word found there. */
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

	text_add_number(&out,
			"The trace is too large for the memory at hand: ", t->pool->ceiling >> 20);
	text_add_number(&out, " MiB were full after ", t->report.bytes >> 20);
	text_add_number(&out, " MiB of it, ", t->nr_ops);
	text_add(&out, " events of 17 bytes and their tables. ");
	text_add(&out, im->format && im->format->is_made
			       ? "Use a smaller scale."
			       : "Cut it by time or by cache, or use the native command.");
	if (im->file.at)
		text_add(&out, " A binary file is kept whole while it is read: the text from "
			       "`perf script` or `trace-cmd report` needs less.");
	return import_fail(im, KMEM_ENOMEM, sentence);
}
