/*
 * compare_kernels.c - `slabscope compare --kernels`: replays one trace under every preset, and prints one row for each
 * kernel.
 *
 * The trace is read once. Forked processes then take kernels, as in a sweep.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/commands/compare.h"

#include "cli/jobs.h"
#include "cli/print.h"
#include "doc/names.h"

enum { MAX_WHY_BYTES = 240, NR_NUMBERS = 5, COLUMN_WIDTH = 16, LINE_COLUMNS = 90 };

/* Numbers of the core, and their heads in two lines. */
static const struct {
	u32 measure;
	const char *head[2];
} numbers[NR_NUMBERS] = {
	{ NUM_SLOW_PATHS, { "events off the", "fast path" } },
	{ NUM_SLAB_BYTES, { "bytes in slabs", "at the end" } },
	{ NUM_SLAB_BYTES_PEAK, { "bytes in slabs", "at the peak" } },
	{ NUM_PAGE_CALLS, { "page allocator", "calls" } },
	{ NUM_CYCLES, { "model", "cycles" } },
};

/* Presets describe the first allocator of the table. */
static const char *const allocators[] = {
#define ALLOCATOR(id, name, label, ops) name,
#include "tables/allocators.def"
};
static const char *const labels[] = {
#define ALLOCATOR(id, name, label, ops) label,
#include "tables/allocators.def"
};

static const char *const kernels[] = {
#define PRESET(name, changes, meaning) name,
#include "tables/presets.def"
#undef PRESET
};

struct study {
	struct host host;
	const struct args *args;
	const struct replayed *rows;
	struct alike alike;
};

/* "6.18" of linux-6.18. */
static const char *version_of(const char *kernel)
{
	return kernel + sizeof("linux-") - 1;
}

static s32 set_kernel(void *arg, u32 i)
{
	struct kmem_session *session = ((struct study *)arg)->host.session;
	s32 err = kmem_preset(session, kernels[i]);

	return err ? err : kmem_set(session, "allocator", allocators[0]);
}

/* "falls by 26.0 %", "rises by 1.9 %" or "stays the same". */
static struct text_of_change {
	char s[64];
} change_of(u64 from, u64 to)
{
	struct text_of_change out = { "stays the same" };
	u64 by = from > to ? from - to : to - from,
	    tenths = from ? (by * 1000 + from / 2) / from : 0;
	const char *how = from > to ? "falls by" : "rises by";

	if (by && from)
		snprintf(out.s, sizeof(out.s), "%s %s.%u %%", how, grouped(tenths / 10).s,
			 (u32)(tenths % 10));
	else if (by)
		snprintf(out.s, sizeof(out.s), "%s %s", how, grouped(by).s);
	return out;
}

/* Number i of the table. */
static u64 figure(const struct replayed *row, u32 i)
{
	return row->value[numbers[i].measure];
}

struct finding {
	char s[400];
};

/* Prints the change from the first kernel to the last, and between which two neighbours the number of
 * events off the fast path changes most. */
static struct finding finding_of(const struct replayed *rows)
{
	const struct replayed *first = &rows[0], *last = &rows[ARRAY_SIZE(kernels) - 1];
	struct finding out;
	u64 most = 0;
	u32 at = 0;

	for (u32 k = 1; k < ARRAY_SIZE(kernels); k++) {
		u64 from = figure(&rows[k - 1], 0), to = figure(&rows[k], 0);
		u64 by = from > to ? from - to : to - from;
		at = by > most ? k : at;
		most = MAX(by, most);
	}
	int used = snprintf(
		out.s, sizeof(out.s),
		"From %s to %s the number of events off the fast path %s, the peak of bytes in "
		"slabs %s, and the number of model cycles %s.",
		version_of(kernels[0]), version_of(kernels[ARRAY_SIZE(kernels) - 1]),
		change_of(figure(first, 0), figure(last, 0)).s,
		change_of(figure(first, 2), figure(last, 2)).s,
		change_of(figure(first, 4), figure(last, 4)).s);
	if (at && used > 0)
		snprintf(out.s + used, sizeof(out.s) - (u32)used,
			 " The largest step is from %s to %s, where that first number %s.",
			 version_of(kernels[at - 1]), version_of(kernels[at]),
			 change_of(figure(&rows[at - 1], 0), figure(&rows[at], 0)).s);
	return out;
}

static const char *preset_of(const struct doc *d, const void *row)
{
	return kernels[(const struct replayed *)row - (const struct replayed *)d->about];
}

static const char *version(const struct doc *d, const void *row)
{
	return version_of(preset_of(d, row));
}

static void answer_rows(struct doc *d, const struct study *s)
{
	struct column columns[NR_NUMBERS + 4] = {
		COLUMN_SAME("trace", 0, IN_CSV),
		CELL_SAID("preset", preset_of, IN_BOTH),
		COLUMN_SAID("version", version, IN_BOTH, "from", -8),
	};
	struct lower keys[NR_NUMBERS];
	u32 nr = 3;

	for (u32 i = 0; i < NR_NUMBERS; i++, nr++) {
		keys[i] = enum_name("kmem_measure", numbers[i].measure);
		columns[nr] = (struct column)COLUMN(
			keys[i].s, replayed, value[0], COUNT, IN_BOTH,
			measure_mark(numbers[i].measure, s->rows[0].from), COLUMN_WIDTH);
		columns[nr].at += (u16)(numbers[i].measure * sizeof(u64));
	}
	columns[nr++] = (struct column)CELL_OF("kmem_from", "from", replayed, from, IN_CSV);
	d->same[0] = s->args->trace;
	d->about = s->rows;
	doc_rows(d, "kernels",
		 (struct rows){ columns, nr, sizeof(*s->rows), s->rows, ARRAY_SIZE(kernels) });
}

static void answer(struct doc *d, const struct study *s)
{
	const char *alike = alike_text(&s->alike, kernels[s->alike.cannot]);
	const struct replayed *first = &s->rows[0];

	doc_line(d, "%s under %s of %s, on %s and %s", counted(first->events, "event").s, labels[0],
		 counted(ARRAY_SIZE(kernels), "kernel").s, counted(first->cpus, "CPU").s,
		 counted(first->nodes, "node").s);
	doc_measured(d, &s->host, 2);
	if (*alike)
		doc_line(d, "  %s\n", alike);
	else
		doc_line(d, "  Every replay starts from %s.\n",
			 enum_words("kmem_start_from", first->start_from));
	doc_object(d, NULL);
	doc_text(d, "trace", s->args->trace);
	doc_number(d, "events", first->events);
	doc_number(d, "cpus", first->cpus);
	doc_number(d, "nodes", first->nodes);
	doc_text(d, "finding", finding_of(s->rows).s);
	doc_from(d, first->from);
	doc_text_or_null(d, "start_alike", alike);
	for (u32 line = 0; line < 2; line++) {
		doc_say(d, "  %-8s", line ? "kernel" : "");
		for (u32 i = 0; i < NR_NUMBERS; i++)
			doc_say(d, "%*s", COLUMN_WIDTH, numbers[i].head[line]);
		doc_gap(d);
	}
	answer_rows(d, s);
	doc_end(d);
	doc_say(d, "\n  ");
	doc_wrapped_in(d, finding_of(s->rows).s, 2, LINE_COLUMNS);
	doc_replay_sampling(d, &s->host);
	doc_line(
		d,
		"\n  The fast path is a cpu freelist up to 6.12 and a sheaf since 7.0; in 6.18 two caches\n"
		"  have sheaves. Kernels count different slow paths: this column counts every event that\n"
		"  left the fast path of its kernel. Model cycles compare; they do not predict times.");
}

/* The kernels are the rows, so nothing else may choose a kernel, an allocator or a machine. */
static void check_call(const struct args *args)
{
	const char *allocator = setting_of(args, "allocator");
	const char *wrong = args->nr_with	    ? "--with"
			    : given(args, "preset") ? "--preset"
			    : allocator && strcmp(allocator, allocators[0]) != 0
				    ? "another allocator"
				    : NULL;
	if (wrong)
		refuse_call(
			"--kernels replays a trace under %s of every preset, so you cannot combine it with %s",
			labels[0], wrong);
}

int compare_kernels(const struct args *args)
{
	static struct study s;
	int status;

	s.args = args;
	check_call(args);
	host_import(&s.host, args, NULL);
	const struct replays replays = { &s.host,     args,    ARRAY_SIZE(kernels), set_kernel, &s,
					 "replaying", &s.alike };
	s.rows = replay_all(&replays, &status);
	for (u32 k = 0; k < ARRAY_SIZE(kernels); k++) {
		if (!s.rows[k].why[0])
			continue;
		complain("%s: %s: %s", args->trace, kernels[k], s.rows[k].why);
		leave(status ? status : EXIT_INPUT);
	}
	if (status)
		leave(status);
	struct doc d = host_doc(&s.host, asked_form(args));
	answer(&d, &s);
	return host_verdict(&s.host);
}
