/*
 * compare_kernels.c - `slabscope compare --kernels`: replays one trace under every preset, and prints one row for each
 * kernel.
 *
 * The trace is read once. Forked processes then take kernels, as in a sweep.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/studies/compare_kernels.h"

#include "cli/host/measuring.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

enum { MAX_WHY_BYTES = 240, NR_COLUMNS = 5, COLUMN_WIDTH = 16, LINE_BYTES = 90 };

/* The columns: numbers of the core, and their heads in two lines. */
static const struct column {
	u32 measure;
	const char *head[2];
} columns[NR_COLUMNS] = {
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

struct row {
	u64 value[NR_COLUMNS];
	u32 events, cpus, nodes;
	u32 start_from, from;	 /* enum kmem_start_from, enum kmem_from */
	char why[MAX_WHY_BYTES]; /* why the kernel could not replay the trace */
};

struct study {
	struct host host;
	const struct args *args;
	const struct row *rows;
	struct alike alike;
};

/* "6.18" of linux-6.18. */
static const char *version_of(const char *kernel)
{
	return kernel + sizeof("linux-") - 1;
}

static s32 measure(struct kmem_session *session, struct row *row)
{
	s32 err;
	const struct kmem_measured *all = measure_replay(session, &err);

	for (u32 i = 0; all && i < NR_COLUMNS; i++)
		row->value[i] = all[columns[i].measure].value;
	row->events = kmem_nr_ops(session);
	row->cpus = kmem_nr_cpus(session);
	row->nodes = kmem_nr_nodes(session);
	row->start_from = kmem_start_from(session);
	row->from = kmem_from(session);
	return err;
}

static s32 set_kernel(void *arg, u32 i)
{
	struct kmem_session *session = ((struct study *)arg)->host.session;
	s32 err = kmem_preset(session, kernels[i]);

	return err ? err : kmem_set(session, "allocator", allocators[0]);
}

static int run_kernel(void *arg, u32 i, void *result)
{
	struct study *s = arg;
	struct row *row = result;
	struct kmem_session *session = s->host.session;
	s32 err = set_kernel(s, i);

	if (!err)
		err = measure(session, row);
	if (err)
		snprintf(row->why, sizeof(row->why), "%s", kmem_error(session));
	return !err ? EXIT_DONE : err == KMEM_EBROKEN ? EXIT_LAW : EXIT_INPUT;
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

struct finding {
	char s[400];
};

/* Says the change from the first kernel to the last, and between which two neighbours the number of
 * events off the fast path changes most. */
static struct finding finding_of(const struct row *rows)
{
	const struct row *first = &rows[0], *last = &rows[ARRAY_SIZE(kernels) - 1];
	struct finding out;
	u64 most = 0;
	u32 at = 0;

	for (u32 k = 1; k < ARRAY_SIZE(kernels); k++) {
		u64 from = rows[k - 1].value[0], to = rows[k].value[0];
		u64 by = from > to ? from - to : to - from;
		at = by > most ? k : at;
		most = MAX(by, most);
	}
	int used = snprintf(
		out.s, sizeof(out.s),
		"From %s to %s the number of events off the fast path %s, the peak of bytes in "
		"slabs %s, and the number of model cycles %s.",
		version_of(kernels[0]), version_of(kernels[ARRAY_SIZE(kernels) - 1]),
		change_of(first->value[0], last->value[0]).s,
		change_of(first->value[2], last->value[2]).s,
		change_of(first->value[4], last->value[4]).s);
	if (at && used > 0)
		snprintf(out.s + used, sizeof(out.s) - (u32)used,
			 " The largest step is from %s to %s, where that first number %s.",
			 version_of(kernels[at - 1]), version_of(kernels[at]),
			 change_of(rows[at - 1].value[0], rows[at].value[0]).s);
	return out;
}

/* Prints words in lines of at most LINE_BYTES. */
static void print_words(const char *words)
{
	for (u32 column = LINE_BYTES; *words;) {
		u32 len = (u32)strcspn(words, " ");
		int fits = column + 1 + len <= LINE_BYTES;
		printf(fits ? " %.*s" : "\n  %.*s", (int)len, words);
		column = fits ? column + 1 + len : 2 + len;
		words += len + (words[len] == ' ');
	}
	puts("");
}

static void print_text(const struct study *s)
{
	printf("%s under %s of %s, on %s and %s\n", counted(s->rows[0].events, "event").s,
	       labels[0], counted(ARRAY_SIZE(kernels), "kernel").s,
	       counted(s->rows[0].cpus, "CPU").s, counted(s->rows[0].nodes, "node").s);
	measured_print(&s->host, 2);
	const char *alike = alike_text(&s->alike, kernels[s->alike.cannot]);
	if (*alike)
		printf("  %s\n\n", alike);
	else
		printf("  Every replay starts from %s.\n\n",
		       enum_words("kmem_start_from", s->rows[0].start_from));
	for (u32 line = 0; line < 2; line++) {
		printf("  %-8s", line ? "kernel" : "");
		for (u32 i = 0; i < NR_COLUMNS; i++)
			print_right(columns[i].head[line], COLUMN_WIDTH);
		puts("");
	}
	printf("  %-8s", "from");
	for (u32 i = 0; i < NR_COLUMNS; i++)
		print_right(measure_mark(columns[i].measure, s->rows[0].from), COLUMN_WIDTH);
	puts("");
	for (u32 k = 0; k < ARRAY_SIZE(kernels); k++) {
		printf("  %-8s", version_of(kernels[k]));
		for (u32 i = 0; i < NR_COLUMNS; i++)
			print_right(grouped(s->rows[k].value[i]).s, COLUMN_WIDTH);
		puts("");
	}
	print_words(finding_of(s->rows).s);
	replay_sampling_print(&s->host);
	puts("\n  The fast path is a cpu freelist up to 6.12 and a sheaf since 7.0; in 6.18 two caches\n"
	     "  have sheaves. Kernels count different slow paths: this column counts every event that\n"
	     "  left the fast path of its kernel. Model cycles compare; they do not predict times.");
}

static struct lower column_key(u32 i)
{
	return enum_name("kmem_measure", columns[i].measure);
}

static void print_csv(const struct study *s)
{
	printf("trace,preset,version");
	for (u32 i = 0; i < NR_COLUMNS; i++)
		printf(",%s", column_key(i).s);
	puts(",from");
	for (u32 k = 0; k < ARRAY_SIZE(kernels); k++) {
		csv_text(stdout, s->args->trace);
		printf(",%s,%s", kernels[k], version_of(kernels[k]));
		for (u32 i = 0; i < NR_COLUMNS; i++)
			printf(",%llu", (unsigned long long)s->rows[k].value[i]);
		from_csv(s->rows[k].from);
	}
}

static void print_json(const struct study *s)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_text(&j, "trace", s->args->trace);
	json_number(&j, "events", s->rows[0].events);
	json_number(&j, "cpus", s->rows[0].cpus);
	json_number(&j, "nodes", s->rows[0].nodes);
	json_text(&j, "finding", finding_of(s->rows).s);
	from_json(&j, s->rows[0].from);
	json_text_or_null(&j, "start_alike", alike_text(&s->alike, kernels[s->alike.cannot]));
	json_array(&j, "kernels");
	for (u32 k = 0; k < ARRAY_SIZE(kernels); k++) {
		json_row(&j, NULL);
		json_text(&j, "preset", kernels[k]);
		json_text(&j, "version", version_of(kernels[k]));
		for (u32 i = 0; i < NR_COLUMNS; i++)
			json_number(&j, column_key(i).s, s->rows[k].value[i]);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

/* The kernels are the rows, so nothing else may choose a kernel, an allocator or a machine. */
static int check_call(const struct args *args)
{
	const char *wrong = args->nr_with ? "--with" : GIVEN(args, PRESET) ? "--preset" : NULL;

	if (!args->trace)
		wrong = "a call without a trace";
	for (u32 i = 0; i < args->nr_settings && !wrong; i++)
		if (strcmp(args->settings[i].key, "allocator") == 0 &&
		    strcmp(args->settings[i].value, allocators[0]) != 0)
			wrong = "another allocator";
	if (!wrong)
		return EXIT_DONE;
	complain("--kernels replays a trace under %s of every preset, so it does not go with %s",
		 labels[0], wrong);
	return EXIT_CALL;
}

static int verdict(const struct study *s, int status)
{
	for (u32 k = 0; k < ARRAY_SIZE(kernels); k++)
		if (s->rows[k].why[0]) {
			complain("%s: %s: %s", s->args->trace, kernels[k], s->rows[k].why);
			return status ? status : EXIT_INPUT;
		}
	return status;
}

int compare_kernels(const struct args *args)
{
	static struct study s;
	int status = check_call(args);

	s.args = args;
	if (!status)
		status = host_import(&s.host, args, NULL);
	if (status)
		return status;
	struct jobs jobs = {
		jobs_wanted(args), ARRAY_SIZE(kernels), sizeof(struct row), run_kernel, &s,
		&s.host,	   "replaying"
	};
	status = start_alike(&jobs, set_kernel, &s.alike);
	s.rows = status ? NULL : jobs_run(&jobs, &status);
	if (!s.rows)
		return status;
	status = verdict(&s, status);
	if (status)
		return status;
	if (GIVEN(args, JSON))
		print_json(&s);
	else if (GIVEN(args, CSV))
		print_csv(&s);
	else
		print_text(&s);
	return host_verdict(&s.host);
}
