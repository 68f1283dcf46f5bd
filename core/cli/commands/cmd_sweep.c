/*
 * cmd_sweep.c - `slabscope sweep`: replays one trace on a grid of machines, and prints one or more numbers for each.
 *
 * The trace is read once. Forked processes then take cells, so the grid does not depend on the number of processes.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "doc/names.h"
#include "cli/commands/sweep.h"

enum { SLICE_OPS = 1 << 20, MAX_CELLS = 1 << 16, MAX_SETTINGS_BYTES = 1200 };

const char *metric_name(u32 metric)
{
	static struct lower name;

	name = metric < NR_MEASURES ? enum_name("kmem_measure", metric)
				    : lower_case(counter_name(metric - NR_MEASURES));
	return name.s;
}

const char *metric_words(u32 metric)
{
	return metric < NR_MEASURES ? enum_words("kmem_measure", metric)
				    : enum_words("kmem_counter", metric - NR_MEASURES);
}

const struct replayed *cell_at(const struct sweep *s, u32 x, u32 y)
{
	return &s->cells[y * s->x.nr + x];
}

static void add_metric(struct sweep *s, const char *word)
{
	static char names[NR_MEASURED][MAX_KEY_BYTES];
	const char *list[NR_MEASURED];

	for (u32 i = 0; i < NR_MEASURED; i++) {
		snprintf(names[i], sizeof(names[i]), "%s", metric_name(i));
		list[i] = names[i];
		if (strcmp(word, names[i]) != 0)
			continue;
		if (s->nr_metrics == MAX_METRICS)
			refuse_call("--metric takes at most %u names", (u32)MAX_METRICS);
		s->metric[s->nr_metrics++] = i;
		return;
	}
	const char *nearest = nearest_word(word, list, NR_MEASURED);
	if (nearest)
		refuse_call("--metric: unknown number `%.40s`: did you mean %s?", word, nearest);
	refuse_call(
		"--metric: unknown number `%.40s`: run `slabscope sweep --metric help` for a list",
		word);
}

static void read_metrics(struct sweep *s)
{
	char *words = strdup(option_text_or(s->args, "metric", "slab_bytes_peak"));

	for (char *word = strtok(words, ","); word; word = strtok(NULL, ","))
		add_metric(s, word);
	free(words);
	if (!s->nr_metrics)
		refuse_call(
			"--metric needs a name: run `slabscope sweep --metric help` for a list");
}

static void add_value(struct axis *axis, const char *option, const char *value)
{
	if (axis->nr == MAX_VALUES)
		refuse_call("--%s has more than %u values", option, (u32)MAX_VALUES);
	axis->value[axis->nr++] = value;
}

/* Reads digits up to `end` and nothing else: a number below 2^63. */
static int read_whole(const char *word, const char *end, u64 *number)
{
	*number = 0;
	for (const char *p = word; p < end; p++) {
		if (*p < '0' || *p > '9' || *number > ((u64)1 << 63) / 10 - 1)
			return 0;
		*number = *number * 10 + (u64)(*p - '0');
	}
	return word < end;
}

_Noreturn static void wrong_range(const char *option, const char *word, const char *why)
{
	refuse_call("--%s: `%.60s` is not a range: %s", option, word, why);
}

/* Reads a single value, which has no two dots, FIRST..LAST or FIRST..LAST:STEP. */
static void add_range(struct axis *axis, const char *option, const char *word)
{
	const char *dots = strstr(word, ".."), *colon = dots ? strchr(dots, ':') : NULL;
	const char *end = word + strlen(word);
	u64 first, last, by = 1;

	if (!dots) {
		add_value(axis, option, word);
		return;
	}
	if (!read_whole(word, dots, &first) || !read_whole(dots + 2, colon ? colon : end, &last))
		wrong_range(option, word,
			    "its ends are whole numbers of at most 18 digits; write FIRST..LAST or "
			    "FIRST..LAST:STEP, or single values with commas between");
	if (colon && (!read_whole(colon + 1, end, &by) || !by))
		wrong_range(option, word,
			    "the step after the colon is not a whole number, 1 or more");
	if (last < first)
		wrong_range(option, word,
			    "a range counts upwards, so its first number must not exceed its last");
	if ((last - first) / by >= MAX_VALUES)
		refuse_call("--%s: `%.60s` has more than the %u values that one side may have: %s; "
			    "give a larger step, as FIRST..LAST:STEP",
			    option, word, (u32)MAX_VALUES, grouped((last - first) / by + 1).s);
	for (u64 n = first; n <= last; n += by) {
		char text[24];
		snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
		add_value(axis, option, strdup(text));
	}
}

/* Commas separate values; semicolons separate values that contain commas, such as zones. */
static void read_values(struct axis *axis, const char *option, char *words)
{
	char separator = strchr(words, ';') ? ';' : ',';

	for (char *word = words, *end; word; word = end ? end + 1 : NULL) {
		end = strchr(word, separator);
		if (end)
			*end = 0;
		if (!*word)
			refuse_call("--%s: a value is missing after `%s=`", option, axis->key);
		add_range(axis, option, word);
	}
}

static int is_workload_key(const char *key)
{
	static const char *const keys[] = {
#define WORKLOAD_KEY(id, key, hundredths, least, most, defaults, meaning) key,
#include "tables/workload.def"
#undef WORKLOAD_KEY
	};

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return 1;
	return 0;
}

static int is_machine_key(const char *key)
{
	static const struct {
		const char *key, *owner;
	} keys[] = {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) { key, #owner },
#include "tables/params.def"
#undef PARAM
	};

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(key, keys[i].key) == 0)
			return strcmp(keys[i].owner, "MACHINE") == 0;
	return 0;
}

static void read_axis(struct sweep *s, struct axis *axis, const char *option)
{
	struct named_workload made;
	int is_made = named_workload(s->args->trace, &made);
	const char *text = option_text(s->args, option);
	char *copy = text ? strdup(text) : NULL, *equals = copy ? strchr(copy, '=') : NULL;

	if (!text) {
		axis->nr = 1;
		return;
	}
	if (!equals || equals == copy)
		refuse_call("--%s: expected KEY=V1,V2,... or KEY=FIRST..LAST, found `%.40s`",
			    option, text);
	*equals = 0;
	axis->key = copy;
	axis->is_setting = is_workload_key(copy);
	axis->is_remade = is_made && (axis->is_setting || is_machine_key(copy));
	if (axis->is_setting && !is_made)
		refuse_call("--%s: %s is a key of workloads, but %s is a trace", option, copy,
			    s->args->trace);
	read_values(axis, option, equals + 1);
}

static s32 put_value(struct sweep *s, const struct axis *axis, u32 i)
{
	struct kmem_session *session = s->host.session;
	const char *value = axis->value[i];

	if (!axis->key || axis->is_setting)
		return KMEM_OK;
	if (strcmp(axis->key, "preset") != 0)
		return kmem_set(session, axis->key, value);
	return kmem_preset(session, preset_named(value) ? preset_named(value) : value);
}

/* Generates the workload of a cell whose trace depends on the cell. */
static s32 make_trace(struct sweep *s, u32 x, u32 y)
{
	struct named_workload made;
	char settings[MAX_SETTINGS_BYTES];
	const struct kmem_workload_args which = { made.name, settings };

	named_workload(s->args->trace, &made);
	snprintf(settings, sizeof(settings), "%s%s%s%s%s%s%s%s%s", made.settings,
		 s->x.is_setting ? " " : "", s->x.is_setting ? s->x.key : "",
		 s->x.is_setting ? "=" : "", s->x.is_setting ? s->x.value[x] : "",
		 s->y.is_setting ? " " : "", s->y.is_setting ? s->y.key : "",
		 s->y.is_setting ? "=" : "", s->y.is_setting ? s->y.value[y] : "");
	return kmem_job(s->host.session, JOB_WORKLOAD, &which);
}

static s32 set_cell(void *arg, u32 i)
{
	struct sweep *s = arg;
	u32 x = i % s->x.nr, y = i / s->x.nr;
	s32 err = put_value(s, &s->x, x);

	if (!err)
		err = put_value(s, &s->y, y);
	return !err && (s->x.is_remade || s->y.is_remade) ? make_trace(s, x, y) : err;
}

/* A grid without a valid cell is a mistake in the call. */
static int verdict(struct sweep *s, int status)
{
	u32 nr = s->x.nr * s->y.nr, done = 0;

	for (u32 i = 0; i < nr; i++) {
		const struct replayed *c = &s->cells[i];
		done += c->is_done;
		if (status == EXIT_LAW && c->why[0])
			complain("%s: %s", s->args->trace, c->why);
	}
	if (status)
		return status;
	if (!done)
		refuse_call("no valid combination in this grid: %s", s->cells[0].why);
	return host_verdict(&s->host);
}

static void check_values(struct sweep *s, const struct axis *axis, const char *option)
{
	for (u32 i = 0; i < axis->nr; i++)
		if (put_value(s, axis, i))
			refuse_call("--%s: %s", option, kmem_error(s->host.session));
}

/* Checks every value of both axes, and that at least one pair makes a valid machine. It runs before the trace is
 * read, in a session used for nothing else. */
static void check_axes(struct sweep *s)
{
	struct sweep probe = *s;
	u32 nr = s->x.nr * s->y.nr, nr_valid = 0;

	if (s->y.key && strcmp(s->y.key, s->x.key) == 0)
		refuse_call("--x and --y both set %s: choose another key for one of them",
			    s->x.key);
	if (nr > MAX_CELLS)
		refuse_call(
			"%s are more than the %s that a sweep may have: give fewer values, or a larger step",
			counted(nr, "cell").s, grouped(MAX_CELLS).s);
	host_open(&probe.host, s->args);
	check_values(&probe, &s->x, "x");
	check_values(&probe, &s->y, "y");
	for (u32 i = 0; i < nr && !nr_valid; i++) {
		put_value(&probe, &s->x, i % s->x.nr);
		put_value(&probe, &s->y, i / s->x.nr);
		nr_valid += kmem_check_settings(probe.host.session) == KMEM_OK;
	}
	if (!nr_valid)
		refuse_call("no valid combination in this grid: %s",
			    kmem_error(probe.host.session));
	host_close(&probe.host);
}

static int sweep_run(struct sweep *s)
{
	/* A workload contains its beginning, so only a file can give it slabs that some cells cannot start from. */
	int starts_empty = (s->x.is_remade || s->y.is_remade) && !given(s->args, "warm");
	int status = EXIT_DONE;

	s->kernel = kernel_of(&s->host);
	const struct replays replays = { &s->host,
					 s->args,
					 s->x.nr * s->y.nr,
					 set_cell,
					 s,
					 "sweeping",
					 starts_empty ? NULL : &s->alike };
	s->cells = replay_all(&replays, &status);
	s->kernel.start_from = worst_start(s)->start_from;
	s->kernel.from = worst_start(s)->from;
	status = verdict(s, status);
	if (status != EXIT_LAW)
		sweep_answer(s);
	return status;
}

static int run(struct args *args)
{
	static struct sweep s;

	s.args = args;
	if (strcmp(option_text_or(args, "metric", ""), "help") == 0) {
		for (u32 i = 0; i < NR_MEASURED; i++)
			printf("%-26s %s\n", metric_name(i), metric_words(i));
		return EXIT_DONE;
	}
	if (!args->trace || !given(args, "x"))
		refuse_call(
			"sweep needs a trace and --x KEY=V1,V2,...: `slabscope sweep --help` has an example");
	read_metrics(&s);
	read_axis(&s, &s.x, "x");
	read_axis(&s, &s.y, "y");
	check_axes(&s);
	host_import(&s.host, args, NULL);
	return sweep_run(&s);
}

static const struct option options[] = {
	OPTION("x", WORD, "KEY=VALUES",
	       "the parameter of the columns: KEY=V1,V2,... or KEY=FIRST..LAST"),
	OPTION("y", WORD, "KEY=VALUES", "the parameter of the rows"),
	OPTION("metric", WORD, "NAME,...",
	       "which numbers of each replay to show (default slab_bytes_peak)"),
	OPTION_JOBS,
	OPTIONS_END,
};

const struct command command_sweep = {
	GROUP_COMPARE,
	"sweep",
	"[TRACE]",
	"replay a grid of two parameters, and show one number of each replay",
	"Replays a trace once for every pair of values and prints one number of each replay as a\n"
	"heat map, or several in --csv and --json. A side of the grid is any parameter of\n"
	"slabscope params, preset, or a key of the workload: KEY=V1,V2,... or KEY=0..16 or\n"
	"KEY=0..64:8. Use semicolons to separate values that contain commas. An invalid pair\n"
	"prints its reason. --metric help lists the numbers.\n"
	"\n"
	"Each cell also names the event at which its number was largest or grew most, or else the\n"
	"event at which bytes in slabs were most; `op` in --csv and --json counts it from 0. Both\n"
	"sides also apply to caches made from --cache-params. --jobs processes share the work; the\n"
	"output does not depend on them.",
	"  slabscope sweep trace.txt --x min_partial=0..16:4 --y cpu_partial=0,2,6,13,30\n"
	"  slabscope sweep 'workload:tcp-rr?transactions=20' --x threads=16,64,256 \\\n"
	"    --y allocator=slub,slab,unified --metric lock_wait_cycles,cycles --csv",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.run = run,
};
