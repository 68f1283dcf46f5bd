/*
 * start_from.c - what a build starts from, and so how far its figures of slabs and pages can be trusted.
 *
 * All figures that replays give depend on the slabs that were there before event 1. The kernel's state and a snapshot say
 * which; a trace that contains its own beginning needs none. Any other start is a guess: slabs suggested by pointers, and
 * empty caches under events of a machine that had run for days.
 */
#include "session/session.h"
#include "sim/cache.h"
#include "util/scan.h"

/* Formats that record programs or generate their events. A slabtrace counts only if it describes its machine. */
static const char *const of_programs[] = { "mtrace", "ltrace", "OSTEP malloc list",
					   "CS:APP malloc lab", "workload" };

static int is_of_program(const struct kmem_session *s)
{
	const char *format = (const char *)s->pool.base + s->trace.report.format_at;

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

/* 1 if nothing was in use before event 1. */
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

/* A file says nothing about caches that it lacks: these start empty, as if there were no file. */
static int is_in_start(struct kmem_session *s, u32 start, const char *cache)
{
	if (start == START_SNAPSHOT)
		return machine_state_find(session_warm_state(s), cache) != NULL;
	return start != START_KERNEL_STATE || start_cache_named(s->replay.start, cache) != NULL;
}

static u32 from_of_start(struct kmem_session *s, u32 start, u32 cache)
{
	const char *name = (const char *)cache_at(s->w, cache)->name;

	if (start == START_SNAPSHOT && s->import.doubt.kind)
		return FROM_GUESS;
	return is_in_start(s, start, name) ? FROM_KNOWN_START : FROM_GUESS;
}

/* A total is known no better than its least known cache. */
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
