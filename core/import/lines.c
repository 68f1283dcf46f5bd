/*
 * lines.c - splits chunks of bytes into lines, and holds the table of formats.
 *
 *	chunk  |…unfinished line|line|line|line|line|  tail: SCAN_SLACK and what follows the last newline |
 *	        └ carry ────────┘└ read in place ────┘ └ carry ───────────────────────────────────────────┘
 *
 * Lines are read in place. Only a line that a chunk boundary cuts, and the last few bytes of a
 * chunk, go through the carry buffer: words are loaded up to SCAN_SLACK bytes past a line. The
 * first 64 KiB wait until a format is chosen. The choice therefore does not depend on the size of
 * the chunks.
 */
#include "import/binary.h"

static const struct trace_format *const formats[] = {
	&format_ftrace,	  &format_perf,	     &format_slabtrace, &format_perfdata, &format_tracedat,
	&format_perfetto, &format_bpftrace,  &format_perftrace, &format_mtrace,	  &format_ltrace,
	&format_ostep,	  &format_malloclab, &format_csv,	&format_state
};

enum { CARRY_BYTES = MAX_LINE_BYTES + 8 + SCAN_SLACK, MAX_SNIFFED_LINES = 400 };

/* Problems and failures */

s32 import_fail(struct import *im, s32 status, const char *sentence)
{
	if (im->status != KMEM_OK)
		return im->status;
	struct text out = text_in(im->trace->error, sizeof(im->trace->error));
	text_add(&out, sentence);
	im->status = status;
	im->room = 0;
	return status;
}

int import_refuses_zero(struct import *im, const u8 *p, const u8 *end)
{
	const u8 *zero = scan_byte(p, end, 0);

	return zero < end && !import_problem(im, zero, "a zero byte: the file is damaged here");
}

/* Lines */

/* Reads all lines in [p, end), which ends after a newline. It may load words up to SCAN_SLACK
 * bytes after the end. */
static void read_lines(struct import *im, const u8 *p, const u8 *end)
{
	const struct trace_format *format = im->format;

	while (p < end && im->status == KMEM_OK) {
		if (format->fast && !im->no_fast && !im->unterminated) {
			p = format->fast(im, p, end);
			if (p >= end)
				return;
		}
		const u8 *newline = scan_byte(p, end, '\n');
		im->line_nr = ++im->trace->report.lines;
		im->line = p;
		if (newline - p > MAX_LINE_BYTES)
			import_problem(im, NULL, "expected a line of at most 64 KiB");
		else
			format->line(im, p, line_end(p, newline));
		p = newline + 1;
	}
}

/* Returns the newline in [p, end), or end. Never reads past the end: those bytes may not exist. */
static const u8 *find_newline(const u8 *p, const u8 *end)
{
	if (end - p >= 8)
		p = scan_byte(p, end - 7, '\n');
	while (p < end && *p != '\n')
		p++;
	return p;
}

/* Continues an unfinished line, up to and including the next newline. Returns how many bytes it
 * took. */
static u32 carry_on(struct import *im, const u8 *p, u32 len)
{
	u32 n = (u32)(find_newline(p, p + len) - p);
	u32 whole = n < len;

	if (whole)
		n++;
	if (im->skipping) {
		im->skipping = !whole;
		return n;
	}
	if (im->carry_len + n > MAX_LINE_BYTES + whole) {
		im->line = im->carry;
		memcpy(im->carry + im->carry_len, p, MIN(n, MAX_LINE_BYTES - im->carry_len));
		im->carry[MAX_LINE_BYTES] = '\n';
		im->line_nr = ++im->trace->report.lines;
		import_problem(im, NULL, "expected a line of at most 64 KiB");
		im->carry_len = 0;
		im->skipping = !whole;
		return n;
	}
	memcpy(im->carry + im->carry_len, p, n);
	im->carry_len += n;
	if (whole) {
		u32 carry_len = im->carry_len;
		im->carry_len = 0;
		read_lines(im, im->carry, im->carry + carry_len);
	}
	return n;
}

static void read_bytes(struct import *im, const u8 *p, u32 len)
{
	const u8 *end = p + len;

	if (im->format->step) {
		source_take(im, p, len);
		return;
	}
	while (p < end && (im->carry_len || im->skipping))
		p += carry_on(im, p, (u32)(end - p));
	if (end - p > SCAN_SLACK) {
		const u8 *last = end - SCAN_SLACK;
		while (last > p && last[-1] != '\n')
			last--;
		read_lines(im, p, last);
		p = last;
	}
	while (p < end && im->status == KMEM_OK)
		p += carry_on(im, p, (u32)(end - p));
}

/* Formats */

static u32 sniff_score(const struct trace_format *format, const u8 *bytes, u32 len)
{
	const u8 *p = bytes, *end = bytes + len;
	u32 score = 0;

	if (format->begins)
		return MAX_SNIFFED_LINES * (u32)format->begins(bytes, len);
	if (format->guess)
		return format->guess(bytes, len);
	for (u32 i = 0; i < MAX_SNIFFED_LINES && p < end; i++) {
		const u8 *newline = scan_byte(p, end, '\n');
		score += (u32)format->recognises(p, line_end(p, newline));
		p = newline + 1;
	}
	return score;
}

/* Returns the length of the byte order mark that editors put before UTF-8: 3 or 0. */
static u32 mark_length(const u8 *bytes, u32 len)
{
	return len >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf ? 3 : 0;
}

/* Returns 1 if there is a byte order mark, or if every other byte is zero. */
static int is_utf16(const u8 *bytes, u32 len)
{
	u32 zeros = 0;

	for (u32 i = 0; len >= 8 && i < 8; i++)
		zeros |= (u32)!bytes[i] << i;
	return zeros == 0x55 || zeros == 0xaa ||
	       (len >= 2 && (bytes[0] & bytes[1]) >= 0xfe && (bytes[0] ^ bytes[1]) == 1);
}

/* Chooses the format that recognises most of the first lines, then reads the bytes that waited. */
static void choose_format(struct import *im)
{
	u32 best = 0, mark = mark_length(im->head, im->head_len), len = im->head_len - mark;
	const u8 *head = im->head + mark;

	for (u32 i = 0; i < ARRAY_SIZE(formats); i++) {
		u32 score = formats[i] ? sniff_score(formats[i], head, len) : 0;
		if (score > best) {
			best = score;
			im->format = formats[i];
		}
	}
	/* A mapping of columns means CSV. */
	if (im->trace->columns.mapping[0])
		im->format = &format_csv;
	if (!im->format || is_utf16(head, len)) {
		refuse(im, head, len);
		return;
	}
	if (!IS_FIRST_VIEW && merge_check_format(im) != KMEM_OK)
		return;
	if (im->format->own_bytes && !import_grow(im, &im->own, im->format->own_bytes))
		return;
	if (im->format->start)
		im->format->start(im, head, len);
	if (im->format->open)
		im->format->open(im);
	/* A host that reads any range gets a request for the one needed. */
	if (!im->format->step || !im->source.by_range)
		read_bytes(im, head, len);
}

/* Sinks: what the import keeps of an event besides its op. An import that keeps nothing runs exactly the same code. */

s32 trace_keep(struct trace *t, u32 flags)
{
	struct import *im = t->import;

	trace_keep_nothing(t);
	t->kept = (struct trace_kept){ .flags = flags };
	if (flags & KMEM_KEEP_POINTERS)
		t->kept.pointers = import_block(im, POOL_UNIT_BYTES);
	if (flags & KMEM_KEEP_TASKS)
		t->kept.tasks = import_block(im, POOL_UNIT_BYTES);
	im->keep = flags;
	return im->status;
}

static void keep_op(struct import *im, u32 op, u64 ptr, u32 task)
{
	if (trace_keep_op(im->trace, op, ptr, task))
		return;
	trace_keep_nothing(im->trace);
	im->keep = 0;
}

void kept_put(struct import *im, u32 first, u64 ptr, u32 task)
{
	for (u32 op = first; im->keep && op < im->trace->nr_ops; op++)
		keep_op(im, op, ptr, task);
}

/* The direct map starts at 0xff11 with five levels of page tables. Hashes and the numbers of other recorders lie elsewhere.
 * */
static int is_kernel_address(u64 ptr)
{
	return ptr >> 56 == 0xff && ptr != EXPORTED_UNKNOWN;
}

void kept_note_first(struct import *im, u32 op, u64 ptr)
{
	if (im->trace->first_events.is_on && is_kernel_address(ptr))
		first_events_note(im->trace, ptr, op, trace_op(im->trace, op).cpu);
}

/* Imports the event, keeps what was asked for, and notes the first one at each address. */
static void import_event_noted(struct import *im, const struct event *ev)
{
	struct trace *t = im->trace;
	u32 before = t->nr_ops;
	u64 orphans = t->report.orphan_frees, ptr = ev->ptr_state == PTR_VALUE ? ev->ptr : 0;

	import_event(im, ev);
	/* The trace has no line for an implied free, so no task is known for it; its object had this pointer. */
	for (u32 op = before; im->keep && op < t->nr_ops; op++)
		keep_op(im, op, ptr, op + 1 == t->nr_ops ? ev->task : 0);
	if (t->first_events.is_on && t->nr_ops > before && is_kernel_address(ptr) &&
	    (ev->what != WHAT_FREE || t->report.orphan_frees > orphans))
		first_events_note(t, ptr, t->nr_ops - 1, ev->cpu);
	if (unlikely(im->nr_groups | im->nr_taking) && im->status == KMEM_OK && t->nr_ops > before)
		import_watched(im);
}

import_sink import_usual_sink(const struct import *im)
{
	return im->trace->first_events.is_on || im->keep ? import_event_noted : import_event;
}

u32 task_text(struct import *im, const u8 *comm, const u8 *end, s64 pid)
{
	u8 copy[MAX_TASK_BYTES + 8] = { 0 };
	struct text out = text_in((char *)copy, MAX_TASK_BYTES);

	comm = skip_blanks(comm, end);
	while (end > comm && is_blank(end[-1]))
		end--;
	text_add_n(&out, (const char *)comm, (u32)MIN((u64)(end - comm), (u64)MAX_COMM_BYTES));
	text_add(&out, pid < 0 ? "--" : "-");
	text_add_u64(&out, (u64)(pid < 0 ? -pid : pid));
	for (u32 i = 0; i < out.len; i++)
		if (copy[i] < ' ' || copy[i] == 0x7f)
			copy[i] = '?';
	struct span span = span_of(copy, copy + out.len);
	return intern_span(im, &span);
}

/* Start, chunks, end */

struct import *import_new(struct trace *t)
{
	u64 scratch = ALIGN_UP(sizeof(struct import), 64);
	struct import *im = pool_alloc(t->pool, scratch + CARRY_BYTES + SNIFF_BYTES + SCAN_SLACK);

	if (!im) {
		struct text out = text_in(t->error, sizeof(t->error));
		text_add(&out, "Not enough memory to read a trace.");
		return NULL;
	}
	t->import = im;
	im->trace = t;
	im->sink = import_event;
	im->carry = (u8 *)im + scratch;
	im->head = im->carry + CARRY_BYTES;
	im->source.file_bytes = SOURCE_UNKNOWN;
	im->top_of_file = 1;
	return im;
}

s32 trace_begin(struct trace *t, struct pool *pool, struct params *params)
{
	memset(t, 0, sizeof(*t));
	t->pool = pool;
	t->params = params;
	struct import *im = import_new(t);
	if (!im)
		return KMEM_ENOMEM;
	if (import_init(im) == KMEM_OK)
		kinds_init(im);
	if (IS_FIRST_VIEW)
		return im->status;
	first_events_begin(t);
	page_events_begin(t);
	im->sink = import_usual_sink(im);
	return im->status;
}

static void drop_event(struct import *im, const struct event *ev)
{
	(void)im;
	(void)ev;
}

void trace_read_only(struct trace *t)
{
	if (t->import)
		t->import->sink = drop_event;
}

void trace_by_range(struct trace *t, u64 file_bytes)
{
	t->import->source.by_range = 1;
	t->import->source.file_bytes = file_bytes;
}

/* Returns 1 if the host reads the ranges that the format requests. */
static int has_ranges(const struct import *im)
{
	return im->source.by_range && im->format && im->format->step;
}

u64 trace_range(const struct trace *t, u64 *at)
{
	const struct import *im = t->import;

	if (im->status != KMEM_OK)
		return 0;
	if (has_ranges(im))
		return source_range(im, at);
	*at = t->report.bytes;
	return im->source.file_bytes - MIN(*at, im->source.file_bytes);
}

s32 trace_chunk(struct trace *t, const u8 *bytes, u32 len_bytes)
{
	struct import *im = t->import;

	if (!im)
		return KMEM_ESTATE;
	if (!has_ranges(im))
		t->report.bytes += len_bytes;
	if (!im->format && im->status == KMEM_OK) {
		u32 n = MIN(len_bytes, SNIFF_BYTES - im->head_len);
		memcpy(im->head + im->head_len, bytes, n);
		im->head_len += n;
		bytes += n;
		len_bytes -= n;
		if (im->head_len == SNIFF_BYTES || im->head_len == im->source.file_bytes)
			choose_format(im);
		if (has_ranges(im)) {
			/* The bytes that follow are not the range that the reader requested. */
			t->report.bytes = im->source.file_bytes;
			return im->status;
		}
	}
	if (len_bytes && im->status == KMEM_OK)
		read_bytes(im, bytes, len_bytes);
	return im->status;
}

void import_drop(struct trace *t)
{
	struct import *im = t->import;
	struct buffer *runs[] = { &im->kinds,	      &im->problems,	 &im->rows,
				  &im->recipes,	      &im->uses,	 &im->births,
				  &im->graves,	      &im->free_handles, &im->file,
				  &im->own,	      &im->nameless,	 &im->groups,
				  &im->counters_cpus, &im->sheaves };

	for (u32 i = 0; i < ARRAY_SIZE(runs); i++)
		buffer_free(t->pool, runs[i]);
	if (!IS_FIRST_VIEW)
		order_drop(t->pool, &im->order);
	hash_free(t->pool, &im->texts);
	hash_free(t->pool, &im->sites);
	hash_free(t->pool, &im->pointers);
	if (im->binary)
		im->format->drop(im);
	pool_free(t->pool, im, ALIGN_UP(sizeof(*im), 64) + CARRY_BYTES + SNIFF_BYTES + SCAN_SLACK);
	t->import = NULL;
}

void import_finish(struct trace *t)
{
	struct import *im = t->import;

	if (im->carry_len && im->status == KMEM_OK) {
		/* The last line is used if it is complete; otherwise it was cut off. */
		im->carry[im->carry_len] = '\n';
		im->unterminated = 1;
		read_lines(im, im->carry, im->carry + im->carry_len + 1);
		im->unterminated = 0;
	}
	if (im->format && im->format->finish && im->status == KMEM_OK)
		im->format->finish(im);
	if (!IS_FIRST_VIEW)
		import_groups_close(im);
}

s32 trace_end(struct trace *t)
{
	struct import *im = t->import;

	if (!im)
		return KMEM_ESTATE;
	if (!im->format && im->status == KMEM_OK)
		choose_format(im);
	import_finish(t);
	if (im->format && im->format->step && im->status == KMEM_OK)
		source_end(im);
	if (!IS_FIRST_VIEW)
		import_groups_close(im);
	if (im->skipping)
		t->report.truncated = 1;
	/* Allocations that name their caches need none of this. A trace without any needs the whole module. */
	if (!IS_FIRST_VIEW || !kind_at(im, KIND_CACHE_ALLOC)->lines)
		import_settle(im);
	if (im->status == KMEM_OK && import_close_times(im))
		report_build(im);
	/* Any other sign needs the whole module. */
	t->kernel_sign = IS_FIRST_VIEW ? im->has_early_names * SIGN_NAMED_ALLOCATIONS
				       : import_kernel_sign(im);
	if (!IS_FIRST_VIEW) {
		first_events_end(t);
		page_events_end(t);
	}
	s32 status = im->status;
	import_drop(t);
	return status;
}

void trace_drop(struct trace *t)
{
	if (t->import)
		import_drop(t);
	trace_free(t);
}
