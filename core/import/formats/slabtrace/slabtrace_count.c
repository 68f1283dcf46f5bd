/*
 * slabtrace_count.c - counts events against the number that slabscope writes into a slabtrace, to
 * notice a cut.
 *
 *	slabtrace 1
 *	machine cpus=2
 *	#events 3
 *	…
 *	#end 3
 *
 * `#exit` before the last line says that the trace is a program's from its start to its end.
 *
 * Other readers treat these lines as comments. A file without them counts as complete. `#events`
 * states the expected number, so missing events are noticed. `#end` proves that the last line is
 * whole. `#end 3 cut` ends the copy of a trace that was itself cut off.
 */
#include "import/formats/slabtrace/slabtrace.h"
#include "util/text.h"

enum { MAX_REASON_BYTES = 240 };

/* The number of `#events` is itself cut off. */
#define UNKNOWN (~(u64)0)

/* Reads "#end 12" and nothing else: 1, and the number. */
static int read_count(const u8 *line, const u8 *end, const char *word, u64 *number)
{
	const u8 *p = line;

	if (!span_begins(line, end, word))
		return 0;
	while (*word++)
		p++;
	*number = 0;
	for (; p < end && is_digit(*p) && *number < (u64)1 << 32; p++)
		*number = *number * 10 + (*p - (u64)'0');
	return p == end && is_digit(p[-1]);
}

static void complain_counts(struct import *im, const char *before, u64 here, const char *between,
			    u64 promised, const char *behind)
{
	char reason[MAX_REASON_BYTES];
	struct text out = text_in(reason, sizeof(reason));

	text_add_number(&out, before, here);
	text_add_number(&out, between, promised);
	text_add(&out, behind);
	import_problem(im, im->line, reason);
}

void count_comment(struct import *im, const u8 *line, const u8 *end)
{
	struct slabtrace_count *count = &im->count;
	const u8 *behind = end - line > 4 && span_begins(end - 4, end, " cut") ? end - 4 : end;
	u64 number;

	im->trace->report.ended |= end - line == 5 && span_begins(line, end, "#exit");
	if (read_count(line, end, "#events ", &number)) {
		count->promised = im->unterminated ? UNKNOWN : number;
		count->has_promise = 1;
		return;
	}
	/* A last line cut off inside its number is not an end. The finish reports that. */
	if (!read_count(line, behind, "#end ", &number) ||
	    (im->unterminated && number != count->events))
		return;
	count->has_end = 1;
	im->trace->report.truncated |= behind < end;
	if (number != count->events)
		complain_counts(im, "", count->events, " events come before this line, which says ",
				number,
				": lines were lost or the file was edited; correct or delete the "
				"lines #events and #end");
}

void count_event(struct words *w, u32 nr)
{
	struct slabtrace_count *count = &w->im->count;

	/* A bad line counts as one event, unless it is a last line that was cut off. */
	count->events += w->im->unterminated && w->bad ? 0 : MAX(nr, 1u);
	w->im->trace->report.ended = 0;
	if (!count->has_end)
		return;
	count->has_end = count->has_promise = 0;
	words_complain(w, w->im->line,
		       "an event after the line #end: the file was edited or files were joined; "
		       "delete the lines #events and #end");
}

void count_header(struct words *w)
{
	struct import *im = w->im;
	struct slabtrace_count none = { 0 };

	if (im->count.events || im->trace->nr_caches)
		words_complain(
			w, im->line,
			"a second slabtrace begins here: replay joined files one by one, as each "
			"has its own names of caches and objects");
	im->count = none;
}

void count_finish(struct import *im)
{
	struct slabtrace_count *count = &im->count;

	if (!count->has_promise || count->has_end)
		return;
	im->trace->report.truncated |= count->events <= count->promised;
	/* The buffer no longer has the last line. */
	im->line = (const u8 *)"\n";
	im->line_nr = im->trace->report.lines;
	if (count->promised == UNKNOWN)
		import_problem(im, im->line, "cut off inside the line #events");
	else if (count->events > count->promised)
		complain_counts(
			im, "", count->events, " events, where the line #events says ",
			count->promised,
			", and the line #end is missing: the file was edited; correct or delete "
			"the line #events");
	else
		complain_counts(
			im, "cut off: ", count->events, " of ", count->promised,
			count->events < count->promised
				? " events"
				: " events; the line #end is missing, so the last of them may be cut");
}
