/*
 * start_from.c - what a build starts from, how far its figures can be trusted, and whether a snapshot contradicts the
 * trace.
 */
#include "session/session.h"
#include "sim/cache.h"
#include "util/scan.h"
#include "util/text.h"

/*
 * Says what a build starts from, and thus how far its figures of slabs and pages can be trusted.
 *
 * All figures of a replay depend on the slabs that existed before event 1. The kernel's state and a snapshot say which;
 * a trace that contains its own start needs none. Any other start is a guess: slabs suggested by pointers, and empty
 * caches under events of a machine that had run for days.
 */

/* Formats that record programs or generate their events. A slabtrace counts only if it describes its machine. */
static const char *const of_programs[] = { "mtrace", "ltrace", "OSTEP malloc list",
					   "CS:APP malloc lab", "workload" };

static int is_of_program(const struct kmem_session *s)
{
	const char *format = session_text(s, s->trace.report.format_at);

	for (u32 i = 0; i < ARRAY_SIZE(of_programs); i++)
		if (text_is(format, of_programs[i]))
			return 1;
	if (!text_is(format, "slabtrace"))
		return 0;
	for (u32 p = 0; p < NR_PARAMS; p++)
		if (s->params.present[FROM_TRACE][p])
			return 1;
	return s->params.preset_plus_1[FROM_TRACE_PRESET] != 0;
}

/* A slabtrace keeps the names of the tracepoints from which it was converted, and marks objects from before an excerpt. */
static int is_of_kernel(const struct trace *t)
{
	static const char *const kinds[] = { "kmem_cache_", "kmalloc", "kfree", "live_before" };

	for (u32 i = 0; i < t->nr_sites; i++) {
		const char *name = trace_text(t, t->sites[i].name);
		const u8 *at = (const u8 *)name, *end = at + text_length(name);
		for (u32 k = 0; k < ARRAY_SIZE(kinds); k++)
			if (span_begins(at, end, kinds[k]))
				return 1;
	}
	return t->kernel[0] != 0;
}

/* Returns 1 if nothing was in use before event 1. */
static int contains_beginning(const struct kmem_session *s)
{
	const struct kmem_report *r = &s->trace.report;

	/* A program that runs on the core has no trace with events. */
	if (!s->import.imported || !s->trace.nr_ops)
		return 1;
	if (r->lost || r->sampling || (r->orphan_frees && !r->ended))
		return 0;
	return is_of_program(s) && !is_of_kernel(&s->trace);
}

u32 kmem_start_from(struct kmem_session *s)
{
	const struct session_import *im = &s->import;

	if (s->w && s->replay.start && !im->start.is_inferred)
		return START_KERNEL_STATE;
	if (s->w && im->warmed.slabs)
		return session_warm_state(s) ? START_SNAPSHOT : START_POINTERS;
	return contains_beginning(s) ? START_BEGINNING : START_EMPTY;
}

u32 kmem_start_key(struct kmem_session *s)
{
	const struct session_import *im = &s->import;
	u32 key = kmem_start_from(s);

	if (key <= START_EMPTY || !im->warmed.slabs)
		return START_EMPTY;
	key |= (u32)(im->warmed.refused != 0) << 3 | (u32)(im->warmed.inferred != 0) << 4;
	return key | (im->warmed.inferred ? im->inferring.nr_misfit << 5 : 0);
}

/* Caches missing from the snapshot start empty, as if there were none. */
static int is_in_start(struct kmem_session *s, u32 start, const char *cache)
{
	if (start == START_SNAPSHOT)
		return machine_state_find(session_warm_state(s), cache) != NULL;
	return start != START_KERNEL_STATE || start_cache_named(s->replay.start, cache) != NULL;
}

static u32 from_of_start(struct kmem_session *s, u32 start, u32 cache)
{
	const char *name = cache_name(s->w, cache);

	if (start == START_SNAPSHOT && s->import.doubt.kind)
		return FROM_GUESS;
	return is_in_start(s, start, name) ? FROM_KNOWN_START : FROM_GUESS;
}

/* A total is only as certain as its least certain cache. */
u32 kmem_from(struct kmem_session *s)
{
	u32 start = kmem_start_from(s), from = FROM_KNOWN_START;

	if (start == START_EMPTY || start == START_POINTERS)
		return FROM_GUESS;
	for (u32 i = 0; s->w && i < s->w->nr_caches && from != FROM_GUESS; i++)
		from = from_of_start(s, start, i);
	return from;
}

u32 kmem_from_of(struct kmem_session *s, u32 cache)
{
	u32 start = kmem_start_from(s);

	if (start == START_EMPTY || start == START_POINTERS || !s->w || cache >= s->w->nr_caches)
		return kmem_from(s);
	return from_of_start(s, start, cache);
}

/*
 * Compares a snapshot with the trace: is it of the same machine, at the start of the trace?
 *
 * A snapshot names neither. But another kernel has other slots and other files, and no machine had fewer slabs than those that
 * events use and that no event of the page allocator made. A snapshot that contradicts nothing is believed: one of another run of
 * the same machine may go unnoticed.
 */

enum start_doubt_kind { DOUBT_NONE, DOUBT_SHEAVES, DOUBT_NO_SHEAVES, DOUBT_SLOTS, DOUBT_SLABS };

/* sheaf_capacity came in this version. */
static const u32 with_sheaves[NR_RELEASE_PARTS] = { 6, 18 };

/* Slabs that may be made between snapshot and trace. */
enum { SPARE_PART = 4, LEAST_SPARE = 1 };

static void keep_worst(struct start_doubt *d, u32 kind, const char *cache, u32 in_file,
		       u32 in_trace)
{
	u32 more = in_trace > in_file ? in_trace - in_file : in_file - in_trace;
	u32 worst = d->in_trace > d->in_file ? d->in_trace - d->in_file : d->in_file - d->in_trace;

	d->others += d->kind == kind;
	if (d->kind == kind && more <= worst)
		return;
	d->kind = kind;
	d->in_file = in_file;
	d->in_trace = in_trace;
	struct text t = text_in(d->cache, sizeof(d->cache));
	text_add(&t, cache);
}

static void compare_kernels(const struct kmem_session *s, const struct machine_state *o,
			    struct start_doubt *d)
{
	u32 of_trace[NR_RELEASE_PARTS] = { 0 }, nr_sysfs = 0, nr_sheaves = 0;

	if (!release_version(s->trace.kernel, of_trace))
		return;
	for (u32 i = 0; i < o->nr_rows; i++) {
		nr_sysfs += o->tables->rows[i].objects_partial != NOT_REPORTED;
		nr_sheaves += o->tables->rows[i].sheaf_capacity != NOT_REPORTED;
	}
	int is_older = release_is_newer(with_sheaves, of_trace);
	if (is_older && nr_sheaves)
		d->kind = DOUBT_SHEAVES;
	else if (!is_older && nr_sysfs && !nr_sheaves)
		d->kind = DOUBT_NO_SHEAVES;
}

static void compare_slots(const struct kmem_session *s, const struct machine_state *o,
			  struct start_doubt *d)
{
	const struct kmem_report *r = &s->trace.report;
	const struct kmem_trace_cache_row *c = session_at(s, r->caches_at);

	for (u32 i = 0; i < r->nr_caches; i++) {
		const char *name = session_text(s, c[i].name_at);
		const struct kmem_machine_state_row *row = machine_state_find(o, name);
		if (row && row->size != NOT_REPORTED && c[i].size && c[i].size != row->size)
			keep_worst(d, DOUBT_SLOTS, name, row->size, c[i].size);
	}
}

void start_doubt_begin(struct kmem_session *s)
{
	const struct machine_state *o = session_warm_state(s);
	struct start_doubt *d = &s->import.doubt;

	memset(d, 0, sizeof(*d));
	if (o)
		compare_kernels(s, o, d);
	if (o && !d->kind)
		compare_slots(s, o, d);
}

void start_doubt_slabs(struct kmem_session *s, const char *cache, u32 nr_shown)
{
	const struct machine_state *o = session_warm_state(s);
	const struct kmem_machine_state_row *row = o ? machine_state_find(o, cache) : NULL;
	struct start_doubt *d = &s->import.doubt;

	if (!row || row->slabs == NOT_REPORTED || s->trace.report.lost ||
	    (d->kind && d->kind != DOUBT_SLABS))
		return;
	if (nr_shown > row->slabs + MAX(row->slabs / SPARE_PART, (u32)LEAST_SPARE))
		keep_worst(d, DOUBT_SLABS, cache, row->slabs, nr_shown);
}

const char *kmem_start_doubt(struct kmem_session *s)
{
	const struct start_doubt *d = &s->import.doubt;
	const char *kernel = s->trace.kernel;
	struct text t = text_in(s->out.doubt, sizeof(s->out.doubt));

	text_add(&t, "");
	if (!s->w || !session_warm_state(s) || !d->kind)
		return s->out.doubt;
	if (d->kind == DOUBT_SHEAVES)
		text_print(
			&t,
			"The snapshot is of another kernel: it has sheaf_capacity, which Linux %s lacks",
			kernel);
	else if (d->kind == DOUBT_NO_SHEAVES)
		text_print(
			&t,
			"The snapshot is of another kernel: it lacks sheaf_capacity, which Linux %s has",
			kernel);
	else if (d->kind == DOUBT_SLOTS)
		text_print(
			&t,
			"The snapshot is of another kernel or machine: %s has slots of %'u bytes there and "
			"of %'u in the trace",
			d->cache, d->in_file, d->in_trace);
	else
		text_print(
			&t,
			"The snapshot is of another run or machine: it counts %'u slab{s} of %s, and the "
			"trace uses %'u that were there before it",
			d->in_file, d->cache, d->in_trace);
	if (d->others)
		text_print(&t, " (%u other cache{s} {show|shows} it too)", d->others);
	text_add(&t, ". So this start is a guess.");
	return s->out.doubt;
}
