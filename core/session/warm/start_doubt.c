/*
 * start_doubt.c - compares a snapshot with the trace: is it of the same machine, when the trace begins?
 *
 * A snapshot names neither. But another kernel has other slots and other files, and no machine had fewer slabs than those that
 * events use and that no event of the page allocator made. A snapshot that contradicts nothing is believed: one of another run of
 * the same machine may go unnoticed.
 */
#include "params/kernel_release.h"
#include "session/session.h"
#include "session/warm/start_doubt.h"
#include "util/text.h"

enum start_doubt_kind { DOUBT_NONE, DOUBT_SHEAVES, DOUBT_NO_SHEAVES, DOUBT_SLOTS, DOUBT_SLABS };

/* sheaf_capacity came in this version. */
static const u32 with_sheaves[NR_PARTS] = { 6, 18 };

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
	u32 of_trace[NR_PARTS] = { 0 }, nr_sysfs = 0, nr_sheaves = 0;

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
	const struct kmem_trace_cache_row *c = (const void *)(s->pool.base + r->caches_at);

	for (u32 i = 0; i < r->nr_caches; i++) {
		const char *name = (const char *)s->pool.base + c[i].name_at;
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
