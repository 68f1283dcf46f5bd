/*
 * merge.c - reads the files one after another, keeps their events, and imports all of them in the order of time.
 */
#include "import/merge/merge.h"
#include "import/kept.h"

#include "import/binary.h"
#include "util/text.h"

static struct merge *merge_of(const struct import *im)
{
	return im->merge;
}

static const char *text_of(const struct import *im, u32 text)
{
	return im->trace->text + text;
}

/* Reading */

static void note_cpu(struct cpu_span *span, u64 time)
{
	span->first = MIN(span->first, time);
	span->last = MAX(span->last, time);
}

/* im->sink: keeps the event. */
static void keep_event(struct import *im, const struct event *ev)
{
	struct merge *m = merge_of(im);
	struct merge_input *in = &m->files[m->nr_files - 1];
	const char *why = refuse_event(ev);

	if (why) {
		import_problem(im, NULL, why);
		return;
	}
	if (!import_grow(im, &m->events, (m->nr_events + 1) * sizeof(struct merged_event)))
		return;
	struct merged_event *to = (struct merged_event *)m->events.at + m->nr_events++;
	*to = (struct merged_event){ .time = ev->time,
				     .ptr = ev->ptr,
				     .kind = ev->kind,
				     .cpu = ev->cpu,
				     .node = (u32)NODE_ANY,
				     .file = (u16)(m->nr_files - 1),
				     .what = ev->what,
				     .ptr_state = ev->ptr_state,
				     .hashed = ev->hashed };
	to->call_site = intern_span(im, &ev->call_site);
	to->cache = intern_span(im, &ev->cache);
	/* A free has no sizes and no flags; a reader may leave those fields as they were. */
	if (ev->what != WHAT_FREE) {
		to->gfp = intern_span(im, &ev->gfp);
		to->bytes_req = ev->bytes_req;
		to->bytes_alloc = ev->bytes_alloc;
		to->node = ev->node;
		to->accounted = ev->accounted;
	}
	in->row.events += ev->what != WHAT_OTHER;
	in->row.time_first = MIN(in->row.time_first, ev->time);
	in->row.time_last = MAX(in->row.time_last, ev->time);
	in->is_hashed |= ev->hashed;
	in->has_addresses |= ev->ptr_state == PTR_VALUE && !ev->hashed && ev->ptr >> 32;
	note_cpu(&in->cpus[ev->cpu], ev->time);
}

s32 merge_open(struct trace *t, struct merge *m)
{
	t->import->merge = m;
	t->import->sink = keep_event;
	return t->import->status;
}

s32 merge_file_begin(struct trace *t, struct merge *m, const char *name)
{
	struct import *im = t->import;

	if (m->nr_files == KMEM_MAX_MERGED_FILES)
		return import_fail(im, KMEM_ELIMIT, "More files than one merge can join.");
	struct merge_input *in = &m->files[m->nr_files];
	in->cpus = import_block(im, MAX_CPUS * sizeof(struct cpu_span));
	if (!in->cpus)
		return im->status;
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++)
		in->cpus[cpu].first = ~(u64)0;
	in->row.time_first = ~(u64)0;
	in->row.name_at = intern_text(im, name);
	in->bytes = t->report.bytes;
	in->lines = t->report.lines;
	t->report.bytes = t->report.lines = 0;
	t->kernel[0] = 0;
	im->ticks = im->has_times = 0;
	m->nr_files++;
	m->is_reading = 1;
	return im->status;
}

/* Forgets what belongs to the format of the file. */
static void reset_reader(struct import *im)
{
	struct pool *pool = im->trace->pool;
	struct buffer *runs[] = { &im->own, &im->held, &im->file };

	if (im->binary)
		im->format->drop(im);
	im->binary = NULL;
	for (u32 i = 0; i < ARRAY_SIZE(runs); i++) {
		buffer_free(pool, runs[i]);
		*runs[i] = (struct buffer){ 0 };
	}
	im->format = NULL;
	im->skipping = im->unterminated = im->layout = im->last_ptr_digits = 0;
	im->carry_len = im->head_len = 0;
	im->top_of_file = 1;
	im->source = (struct source){ .file_bytes = SOURCE_UNKNOWN };
	im->file_bytes = im->place_at = im->place_len = im->unpacked_from = 0;
	im->place_bytes = im->event_at = NULL;
	memset(im->layouts, 0, sizeof(im->layouts));
}

/* Fails with a sentence about the file that was read last. */
static s32 refuse_file(struct import *im, const char *before, const char *between,
		       const char *after)
{
	struct text out = text_in(im->trace->error, sizeof(im->trace->error));

	if (im->status != KMEM_OK)
		return im->status;
	text_add(&out, before);
	text_add(&out, between);
	text_add(&out, after);
	im->status = KMEM_EINPUT;
	im->room = 0;
	return KMEM_EINPUT;
}

/* Files with another clock, kernel or kind of pointer cannot be one trace. */
static s32 compare_files(struct import *im, const struct merge_input *a,
			 const struct merge_input *b)
{
	const char *first = text_of(im, a->row.name_at);

	if (a->row.time_is_ns != b->row.time_is_ns)
		return refuse_file(
			im,
			b->row.time_is_ns ? "its clock counts nanoseconds and that of "
					  : "its clock counts ticks and that of ",
			first,
			b->row.time_is_ns
				? " counts ticks: files of one machine must be recorded with one clock"
				: " counts nanoseconds: files of one machine must be recorded with one clock");
	if (a->kernel[0] && b->kernel[0] && !text_is(a->kernel, b->kernel))
		return refuse_file(
			im, "it was recorded by another kernel than ", first,
			": the clock starts again with each boot, and no object outlives one");
	if ((a->is_hashed && b->has_addresses && !b->is_hashed) ||
	    (b->is_hashed && a->has_addresses && !a->is_hashed))
		return refuse_file(
			im, "only one of this file and ", first,
			" has hashed pointers: objects cannot be matched; record both in one way");
	return KMEM_OK;
}

s32 merge_check_format(struct import *im)
{
	if (!im->merge || !im->format->may_lack_times || im->format == &format_csv)
		return im->status;
	return refuse_file(im, "its format, ", im->format->name,
			   ", has no recorded pointers and clock to merge by; merge the files that "
			   "the recorder wrote");
}

s32 merge_file_end(struct trace *t, struct merge *m)
{
	struct import *im = t->import;
	struct merge_input *in = &m->files[m->nr_files - 1];

	m->is_reading = 0;
	if (!im->format && im->status == KMEM_OK) {
		/* The file is shorter than the head: its end decides the format. */
		im->source.file_bytes = im->head_len;
		trace_chunk(t, im->head, 0);
	}
	import_finish(t);
	if (im->format && im->format->step && im->status == KMEM_OK)
		source_end(im);
	t->report.truncated |= im->skipping;
	if (im->status != KMEM_OK)
		return im->status;
	if (im->format->may_lack_times && !im->has_times)
		return refuse_file(im, "its events have no times", "", ": nothing orders them");
	if (!in->row.events)
		return refuse_file(im, "no allocation and no free was recorded in it", "", "");
	in->row.format_at = intern_text(im, im->format->name);
	in->row.time_is_ns = !im->ticks;
	memcpy(in->kernel, t->kernel, sizeof(in->kernel));
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++)
		in->row.cpus += in->cpus[cpu].first <= in->cpus[cpu].last;
	/* The report of the result has all lines; a problem keeps the line of its file. */
	t->report.bytes += in->bytes;
	t->report.lines += in->lines;
	if (!m->format.name)
		m->format.name = im->format->name;
	reset_reader(im);
	for (u32 i = 0; i + 1 < m->nr_files && im->status == KMEM_OK; i++)
		compare_files(im, &m->files[i], in);
	return im->status;
}

/* Importing */

static struct span span_at(const struct import *im, u32 text)
{
	const u8 *at = (const u8 *)text_of(im, text);

	return text ? span_of(at, at + text_length((const char *)at)) : (struct span){ NULL, 0, 0 };
}

static void hand_on(struct import *im, const struct merged_event *from)
{
	struct event ev = { .time = from->time,
			    .ptr = from->ptr,
			    .call_site = span_at(im, from->call_site),
			    .cache = span_at(im, from->cache),
			    .gfp = span_at(im, from->gfp),
			    .kind = from->kind,
			    .cpu = from->cpu,
			    .bytes_req = from->bytes_req,
			    .bytes_alloc = from->bytes_alloc,
			    .node = from->node,
			    .what = from->what,
			    .ptr_state = from->ptr_state,
			    .accounted = from->accounted,
			    .hashed = from->hashed };

	import_in_order(im, &ev);
}

static int same_event(const struct merged_event *a, const struct merged_event *b)
{
	return a->ptr == b->ptr && a->cpu == b->cpu && a->kind == b->kind &&
	       a->call_site == b->call_site && a->ptr_state == b->ptr_state &&
	       a->bytes_req == b->bytes_req && a->bytes_alloc == b->bytes_alloc &&
	       a->node == b->node && a->cache == b->cache;
}

/* Whether the object is live exactly if the event frees it. */
static int fits_now(struct import *im, const struct merged_event *e)
{
	int is_object = e->ptr_state == PTR_VALUE && e->ptr >> 12;

	return !is_object || (pointer_find(im, e->ptr) != NULL) == (e->what == WHAT_FREE);
}

/* Marks events that an earlier file has too, at the same time. An event of one file stands for one of another. */
static void drop_twins(struct merge *m, const struct merged_event *events,
		       const struct stamp *stamps, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		const struct merged_event *e = &events[stamps[i].at];
		m->done[i] = 0;
		m->twin[i] = e->file;
		for (u32 k = 0; k < i && !m->done[i]; k++) {
			if (m->done[k] || m->twin[k] == e->file ||
			    !same_event(&events[stamps[k].at], e))
				continue;
			m->done[i] = 1;
			m->twin[k] = e->file;
			m->files[e->file].row.duplicates++;
		}
	}
}

/* Returns the next event of a group of one time: each file keeps its order, and an object is allocated before its free. */
static u32 choose(struct import *im, const struct merge *m, const struct merged_event *events,
		  const struct stamp *stamps, u32 nr)
{
	u32 first = nr, file = KMEM_NONE32;

	for (u32 i = 0; i < nr; i++) {
		const struct merged_event *e = &events[stamps[i].at];
		/* Events of one file lie together. */
		if (m->done[i] || e->file == file)
			continue;
		file = e->file;
		if (first == nr)
			first = i;
		if (fits_now(im, e))
			return i;
	}
	return first;
}

/* Imports events of one time from several files. */
static void import_tied(struct import *im, struct merge *m, const struct stamp *stamps, u32 nr)
{
	const struct merged_event *events = m->events.at;

	drop_twins(m, events, stamps, nr);
	for (;;) {
		u32 i = choose(im, m, events, stamps, nr);
		if (i == nr || im->status != KMEM_OK)
			return;
		m->done[i] = 1;
		hand_on(im, &events[stamps[i].at]);
	}
}

static void import_stamps(struct import *im, struct merge *m, const struct stamp *stamps)
{
	const struct merged_event *events = m->events.at;

	for (u64 a = 0, b; a < m->nr_events && im->status == KMEM_OK; a = b) {
		u32 are_tied = 0;
		for (b = a + 1; b < m->nr_events && stamps[b].time == stamps[a].time; b++)
			are_tied |= events[stamps[b].at].file != events[stamps[a].at].file;
		if (are_tied && b - a <= MAX_TIED_EVENTS) {
			import_tied(im, m, stamps + a, (u32)(b - a));
			continue;
		}
		for (u64 i = a; i < b; i++)
			hand_on(im, &events[stamps[i].at]);
	}
}

s32 merge_all(struct trace *t, struct merge *m)
{
	struct import *im = t->import;
	struct buffer run = { 0 }, scratch = { 0 };

	if (im->status == KMEM_OK && import_grow(im, &run, m->nr_events * sizeof(struct stamp))) {
		struct stamp *stamps = run.at;
		for (u64 i = 0; i < m->nr_events; i++)
			stamps[i] = (struct stamp){ ((struct merged_event *)m->events.at)[i].time,
						    i };
		stamps_sort(im, &scratch, stamps, m->nr_events);
		im->format = &m->format;
		im->sink = import_usual_sink(im);
		im->from_window = 1;
		im->ticks = !m->files[0].row.time_is_ns;
		import_stamps(im, m, stamps);
		im->from_window = 0;
	}
	for (u32 i = 0; i < m->nr_files && !t->kernel[0]; i++)
		memcpy(t->kernel, m->files[i].kernel, sizeof(t->kernel));
	merge_find_pairs(m);
	buffer_free(t->pool, &run);
	buffer_free(t->pool, &scratch);
	return im->status;
}

void merge_drop(struct pool *pool, struct merge *m)
{
	buffer_free(pool, &m->events);
	m->events = (struct buffer){ 0 };
	for (u32 i = 0; i < m->nr_files; i++) {
		if (m->files[i].cpus)
			pool_free(pool, m->files[i].cpus, MAX_CPUS * sizeof(struct cpu_span));
		m->files[i].cpus = NULL;
	}
}
