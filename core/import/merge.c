/*
 * merge.c - reads the files one after another, keeps their events, and imports all of them in the order of time.
 */
#include "import/merge.h"
#include "import/binary.h"
#include "util/text.h"

/*
 * Overlaps and gaps between the files of a merge, on the CPUs that they share.
 *
 * Files of different CPUs never overlap. Files that follow each other have a gap between them, or an overlap that
 * contains some events twice.
 */

/* Returns the file whose events on this CPU start next after file `after`, KMEM_NONE32 if none does. */
static u32 next_on(const struct merge *m, u32 cpu, u32 after)
{
	u32 best = KMEM_NONE32;

	for (u32 i = 0; i < m->nr_files; i++) {
		const struct cpu_span *span = &m->files[i].cpus[cpu];
		if (span->first > span->last || i == after)
			continue;
		if (after != KMEM_NONE32) {
			const struct cpu_span *before = &m->files[after].cpus[cpu];
			if (span->first < before->first ||
			    (span->first == before->first && i < after))
				continue;
		}
		if (best == KMEM_NONE32 || span->first < m->files[best].cpus[cpu].first)
			best = i;
	}
	return best;
}

static struct kmem_merge_pair *pair_of(struct merge *m, u32 a, u32 b, u32 overlaps)
{
	for (u32 i = 0; i < m->nr_pairs; i++)
		if (m->pairs[i].a == a && m->pairs[i].b == b && m->pairs[i].overlaps == overlaps)
			return &m->pairs[i];
	if (m->nr_pairs == KMEM_MAX_MERGE_PAIRS)
		return NULL;
	struct kmem_merge_pair *pair = &m->pairs[m->nr_pairs++];
	*pair = (struct kmem_merge_pair){ .a = a, .b = b, .overlaps = overlaps };
	return pair;
}

/* Combines what one CPU shows about two files with what the others have shown. */
static void note_pair(struct merge *m, u32 a, u32 b, u32 cpu)
{
	const struct cpu_span *x = &m->files[a].cpus[cpu], *y = &m->files[b].cpus[cpu];
	u32 overlaps = y->first < x->last;
	struct kmem_merge_pair *pair = y->first == x->last ? NULL : pair_of(m, a, b, overlaps);

	if (!pair)
		return;
	u64 from = overlaps ? y->first : x->last, to = overlaps ? MIN(x->last, y->last) : y->first;
	if (!pair->cpus++) {
		pair->from = from;
		pair->to = to;
	} else if (overlaps) {
		pair->from = MIN(pair->from, from);
		pair->to = MAX(pair->to, to);
	} else {
		pair->from = MAX(pair->from, from);
		pair->to = MIN(pair->to, to);
	}
}

/* Finds the overlaps and gaps between files, on the CPUs that they share. */
static void merge_find_pairs(struct merge *m)
{
	u32 nr = 0;

	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++) {
		/* The file that lasts longest so far: a shorter one may lie inside it. */
		u32 a = next_on(m, cpu, KMEM_NONE32);
		for (u32 b = a; a != KMEM_NONE32;) {
			b = next_on(m, cpu, b);
			if (b == KMEM_NONE32)
				break;
			note_pair(m, a, b, cpu);
			if (m->files[b].cpus[cpu].last > m->files[a].cpus[cpu].last)
				a = b;
		}
	}
	/* If any CPU recorded something in between, there is no gap. */
	for (u32 i = 0; i < m->nr_pairs; i++)
		if (m->pairs[i].overlaps || m->pairs[i].from < m->pairs[i].to)
			m->pairs[nr++] = m->pairs[i];
	m->nr_pairs = nr;
}

static struct merge *merge_of(const struct import *im)
{
	return im->merge;
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
	struct event held = *ev;
	held.at = im->line_nr;
	held.file = (u16)(m->nr_files - 1);
	order_add(im, &m->all, &held);
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
		return import_fail(im, KMEM_ELIMIT, "Too many files for one merge.");
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
	if (im->binary)
		im->format->drop(im);
	im->binary = NULL;
	buffer_free(pool, &im->own);
	buffer_free(pool, &im->file);
	order_drop(pool, &im->order);
	memset(&im->order, 0, sizeof(im->order));
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
	text_print(&out, "%s%s%s", before, between, after);
	im->status = KMEM_EINPUT;
	im->room = 0;
	return KMEM_EINPUT;
}

/* Files with another clock, kernel or kind of pointer cannot be one trace. */
static s32 compare_files(struct import *im, const struct merge_input *a,
			 const struct merge_input *b)
{
	const char *first = trace_text(im->trace, a->row.name_at);

	if (a->row.time_is_ns != b->row.time_is_ns)
		return refuse_file(
			im,
			b->row.time_is_ns ? "its clock counts nanoseconds, but that of "
					  : "its clock counts ticks, but that of ",
			first,
			b->row.time_is_ns
				? " counts ticks: record files of one machine with the same clock"
				: " counts nanoseconds: record files of one machine with the same clock");
	if (a->kernel[0] && b->kernel[0] && !text_is(a->kernel, b->kernel))
		return refuse_file(
			im, "it was recorded by a different kernel from ", first,
			": each boot restarts the clock, and no object survives a reboot");
	if ((a->is_hashed && b->has_addresses && !b->is_hashed) ||
	    (b->is_hashed && a->has_addresses && !a->is_hashed))
		return refuse_file(
			im, "only one of this file and ", first,
			" has hashed pointers, so objects cannot be matched: record both the same way");
	return KMEM_OK;
}

s32 merge_check_format(struct import *im)
{
	if (!im->merge || !im->format->may_lack_times || im->format == &format_csv)
		return im->status;
	return refuse_file(im, "its format, ", im->format->name,
			   ", has no recorded pointers and clock to merge by: merge the files that "
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
		return refuse_file(im, "its events have no times", "", ", so nothing orders them");
	if (!in->row.events)
		return refuse_file(im, "no allocations or frees were recorded in it", "", "");
	in->row.format_at = intern_text(im, im->format->name);
	in->row.time_is_ns = !im->ticks;
	memcpy(in->kernel, t->kernel, sizeof(in->kernel));
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++)
		in->row.cpus += in->cpus[cpu].first <= in->cpus[cpu].last;
	/* The report of the result counts all lines; a problem keeps the line number in its own file. */
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

static int same_event(const struct event *a, const struct event *b)
{
	return a->ptr == b->ptr && a->cpu == b->cpu && a->kind == b->kind &&
	       a->call_site == b->call_site && a->ptr_state == b->ptr_state &&
	       a->bytes_req == b->bytes_req && a->bytes_alloc == b->bytes_alloc &&
	       a->node == b->node && a->cache == b->cache;
}

/* Whether the object is live exactly if the event frees it. */
static int fits_now(struct import *im, const struct event *e)
{
	int is_object = e->ptr_state == PTR_VALUE && e->ptr >> 12;

	return !is_object || (pointer_find(im, e->ptr) != NULL) == (e->what == WHAT_FREE);
}

/* Marks events that an earlier file has too, at the same time. An event of one file stands for one of another. */
static void drop_twins(struct import *im, struct merge *m, u32 first, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		const struct event *e = order_sorted(im, &m->all, first + i);
		m->done[i] = 0;
		m->twin[i] = e->file;
		for (u32 k = 0; k < i && !m->done[i]; k++) {
			if (m->done[k] || m->twin[k] == e->file ||
			    !same_event(order_sorted(im, &m->all, first + k), e))
				continue;
			m->done[i] = 1;
			m->twin[k] = e->file;
			m->files[e->file].row.duplicates++;
		}
	}
}

/* Returns the next event of a group of one time: each file keeps its order, and an object is allocated before its free. */
static u32 choose(struct import *im, struct merge *m, u32 from, u32 nr)
{
	u32 first = nr, file = KMEM_NONE32;

	for (u32 i = 0; i < nr; i++) {
		const struct event *e = order_sorted(im, &m->all, from + i);
		/* Events of one file are adjacent. */
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

static void hand_on(struct import *im, struct merge *m, u32 nr)
{
	order_hand_on(im, &m->all, order_sorted(im, &m->all, nr));
}

/* Imports events of one time from several files. */
static void import_tied(struct import *im, struct merge *m, u32 first, u32 nr)
{
	drop_twins(im, m, first, nr);
	for (;;) {
		u32 i = choose(im, m, first, nr);
		if (i == nr || im->status != KMEM_OK)
			return;
		m->done[i] = 1;
		hand_on(im, m, first + i);
	}
}

static void import_sorted(struct import *im, struct merge *m)
{
	for (u32 a = 0, b; a < m->all.nr && im->status == KMEM_OK; a = b) {
		const struct event *first = order_sorted(im, &m->all, a), *other;
		u32 are_tied = 0;
		for (b = a + 1; b < m->all.nr; b++) {
			other = order_sorted(im, &m->all, b);
			if (other->time != first->time)
				break;
			are_tied |= other->file != first->file;
		}
		if (are_tied && b - a <= MAX_TIED_EVENTS) {
			import_tied(im, m, a, b - a);
			continue;
		}
		for (u32 i = a; i < b; i++)
			hand_on(im, m, i);
	}
}

s32 merge_all(struct trace *t, struct merge *m)
{
	struct import *im = t->import;

	if (im->status == KMEM_OK) {
		im->format = &m->format;
		im->sink = import_usual_sink(im);
		im->ticks = !m->files[0].row.time_is_ns;
		import_sorted(im, m);
	}
	for (u32 i = 0; i < m->nr_files && !t->kernel[0]; i++)
		memcpy(t->kernel, m->files[i].kernel, sizeof(t->kernel));
	merge_find_pairs(m);
	return im->status;
}

void merge_drop(struct pool *pool, struct merge *m)
{
	order_drop(pool, &m->all);
	for (u32 i = 0; i < m->nr_files; i++) {
		if (m->files[i].cpus)
			pool_free(pool, m->files[i].cpus, MAX_CPUS * sizeof(struct cpu_span));
		m->files[i].cpus = NULL;
	}
}
