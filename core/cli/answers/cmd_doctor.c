/*
 * cmd_doctor.c - `slabscope doctor`: where memory goes at the peak, and which changes of one parameter would help.
 *
 * The core lists the changes and ranks them; forked processes replay the trace once for each.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "cli/answers/memory_text.h"
#include "cli/host/measuring.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

enum { BEST_SHOWN = 10, MAX_WHY_BYTES = 200 };

/* The result of a replay, in the memory that all processes share. */
struct result {
	u64 value[NR_MEASURED];
	u32 peak_at;
	u32 is_valid;
	char why[MAX_WHY_BYTES]; /* why the machine is not valid */
};

/* A change as the core lists it, with its texts copied. */
struct row {
	struct kmem_change change;
	char key[MAX_KEY_BYTES], name[64], group[24], value[32], now[32];
};

struct doctor {
	struct host host;
	const struct args *args;
	struct row *changes, best[BEST_SHOWN];
	u32 nr_changes, nr_best, nr_invalid;
	u32 at_work; /* the change that is set, from 1; 0: none */
	struct alike alike;
	const struct result *results; /* [0] without a change, [i + 1] of change i */
	u64 base[NR_DOCTOR_MEASURES];
	u32 peak_at; /* events done where `where` looks */
	u32 pages_peak_at; /* events done where most pages are in use; 0: the start has as many, so the trace has no peak */
	u32 start_from, from;
	char *doubt;	/* what the start contradicts, "" otherwise */
	char *measured; /* a sentence about what the trace measures */
	char *where;	/* sentences about memory at the peak */
};

static struct row row_of(const struct host *h, const struct kmem_change *change)
{
	struct row r = { .change = *change };

	snprintf(r.key, sizeof(r.key), "%s", host_text(h, change->key_at));
	snprintf(r.name, sizeof(r.name), "%s", host_text(h, change->name_at));
	snprintf(r.group, sizeof(r.group), "%s", host_text(h, change->group_at));
	snprintf(r.value, sizeof(r.value), "%s", host_text(h, change->value_at));
	snprintf(r.now, sizeof(r.now), "%s", host_text(h, change->now_at));
	return r;
}

/* The value that the command line gives a parameter; "" without one, so that lower origins decide again. */
static const char *own_value(const struct args *args, const char *key)
{
	const char *value = "";

	for (u32 i = 0; i < args->nr_settings; i++)
		if (strcmp(args->settings[i].key, key) == 0)
			value = args->settings[i].value;
	return value;
}

static s32 measure(struct doctor *d, struct result *result)
{
	s32 err;
	const struct kmem_measured *rows = measure_replay(d->host.session, &err);

	for (u32 i = 0; rows && i < NR_MEASURED; i++)
		result->value[i] = rows[i].value;
	if (rows)
		result->peak_at = rows[NUM_PAGES_PEAK].op;
	result->is_valid = rows != NULL;
	if (err)
		snprintf(result->why, sizeof(result->why), "%s", kmem_error(d->host.session));
	return err;
}

/* Sets change i, from 1, in place of the one before; 0: the machine without a change. */
static s32 set_change(void *arg, u32 i)
{
	struct doctor *d = arg;
	struct kmem_session *s = d->host.session;
	const struct row *now = &d->changes[d->at_work - 1u], *row = &d->changes[i - 1];

	if (d->at_work)
		kmem_set(s, now->key, own_value(d->args, now->key));
	d->at_work = i;
	return i ? kmem_set(s, row->key, row->value) : KMEM_OK;
}

static int run_change(void *arg, u32 i, void *result)
{
	struct doctor *d = arg;
	struct result *to = result;
	s32 err = set_change(d, i);

	if (err)
		snprintf(to->why, sizeof(to->why), "%s", kmem_error(d->host.session));
	else
		err = measure(d, to);
	return err == KMEM_EBROKEN ? EXIT_LAW : EXIT_DONE;
}

static int list_changes(struct doctor *d)
{
	struct host *h = &d->host;
	s32 err = kmem_begin(h->session, JOB_MEASURE, NULL);

	if (!err)
		err = MIN(kmem_doctor_begin(h->session), 0);
	const struct kmem_change *changes = err ? NULL
						: kmem_doctor_changes(h->session, &d->nr_changes);
	if (!changes)
		return host_failed(h, err ? err : KMEM_ENOMEM);
	d->changes = memory_for(d->nr_changes + 1, sizeof(*d->changes));
	for (u32 i = 0; i < d->nr_changes; i++)
		d->changes[i] = row_of(h, &changes[i]);
	return EXIT_DONE;
}

static int replay_changes(struct doctor *d)
{
	struct jobs jobs = { jobs_wanted(d->args),
			     d->nr_changes + 1,
			     sizeof(struct result),
			     run_change,
			     d,
			     &d->host,
			     "replaying" };
	int status = start_alike(&jobs, set_change, &d->alike);

	d->results = status ? NULL : jobs_run(&jobs, &status);
	set_change(d, 0);
	if (!d->results)
		return status;
	if (!d->results[0].is_valid) {
		complain("%s: %s", d->host.trace, d->results[0].why);
		return status ? status : EXIT_CALL;
	}
	return status;
}

static int rank(struct doctor *d)
{
	struct kmem_session *s = d->host.session;

	for (u32 i = 0; i <= d->nr_changes; i++) {
		const struct result *r = &d->results[i];
		s32 err = kmem_doctor_result(s, i ? i - 1 : KMEM_NONE32,
					     r->is_valid ? r->value : NULL);
		if (err)
			return host_failed(&d->host, err);
		d->nr_invalid += !r->is_valid;
	}
	d->pages_peak_at = d->results[0].peak_at;
	memcpy(d->base, kmem_doctor_base(s), sizeof(d->base));
	const struct kmem_change *best = kmem_doctor_best(s, BEST_SHOWN, &d->nr_best);
	for (u32 i = 0; i < d->nr_best; i++)
		d->best[i] = row_of(&d->host, &best[i]);
	return EXIT_DONE;
}

/* Pages that the start has are no peak of the trace, and slabs that pointers suggest may be none of the machine's. Then the
 * trace itself says where it needs most. */
static u32 peak_of(const struct doctor *d)
{
	const struct kmem_shape *shape = kmem_shape(d->host.session);

	if (d->pages_peak_at && d->start_from != START_POINTERS)
		return d->pages_peak_at;
	return shape && shape->requested_peak ? shape->requested_peak_op
					      : kmem_nr_ops(d->host.session);
}

/* Replays to the peak once more: there memory is tight. */
static int describe_peak(struct doctor *d)
{
	struct host *h = &d->host;
	s32 err = kmem_begin(h->session, JOB_BUILD, NULL);

	if (!err) {
		d->start_from = kmem_start_from(h->session);
		d->from = kmem_from(h->session);
		d->doubt = strdup(kmem_start_doubt(h->session));
		d->measured = strdup(kmem_measured_text(h->session));
		d->peak_at = peak_of(d);
		err = kmem_run(h->session, d->peak_at, 0);
	}
	const char *sentences = err ? NULL : kmem_memory_sentences(h->session);
	if (!sentences)
		return host_failed(h, err ? err : KMEM_ENOMEM);
	d->where = strdup(sentences);
	return EXIT_DONE;
}

static int is_memory(u32 measure)
{
	return measure == DOCTOR_PEAK_BYTES || measure == DOCTOR_END_BYTES;
}

/* Adds "1,234 (5.6 %)" of what there is without the change. */
static void add_amount(char *line, size_t room, u64 amount, u64 base)
{
	size_t used = strlen(line);
	u64 permille = base ? (amount * 1000 + base / 2) / base : 0;

	snprintf(line + used, room - used, "%s", grouped(amount).s);
	used = strlen(line);
	if (base)
		snprintf(line + used, room - used, " (%llu.%llu %%)",
			 (unsigned long long)permille / 10, (unsigned long long)permille % 10);
}

/* Prints the measures that fell, or those that rose, one to a line; nothing else costs anything. */
static void print_side(const struct doctor *d, const struct row *row, int rises)
{
	u32 nr = 0;

	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++) {
		s64 more = row->change.more[m];
		char line[160] = "";
		if (rises ? more <= 0 : more >= 0)
			continue;
		add_amount(line, sizeof(line), (u64)(more < 0 ? -more : more), d->base[m]);
		printf("    %-6s %s %s",
		       nr++    ? ""
		       : rises ? "costs"
			       : "saves",
		       line, enum_words("kmem_doctor_measure", m));
		if (is_memory(m))
			printf(" (%s)", mark(d->from));
		puts("");
	}
	if (!nr && rises)
		puts("    costs  nothing in these numbers");
}

/* Returns the first of the listed changes whose figures are those of change i. */
static u32 first_with_figures(const struct doctor *d, u32 i)
{
	u32 first = 0;

	while (memcmp(d->best[first].change.more, d->best[i].change.more,
		      sizeof(d->best[i].change.more)) != 0)
		first++;
	return first;
}

/* Prints what the change saves and costs, unless another one has printed the same. */
static void print_figures(const struct doctor *d, u32 i)
{
	u32 first = first_with_figures(d, i);

	if (first < i) {
		printf("    saves and costs the same as change %u\n", first + 1);
		return;
	}
	print_side(d, &d->best[i], 0);
	print_side(d, &d->best[i], 1);
}

static int needs_no_other_kernel(const struct row *row)
{
	return row->change.set_by == SET_BY_BOOT || row->change.set_by == SET_BY_RUNNING;
}

static const char *doctor_alike(const struct doctor *d)
{
	const struct row *row = d->alike.cannot ? &d->changes[d->alike.cannot - 1] : NULL;
	char machine[MAX_KEY_BYTES + sizeof(row->value) + 1] = "the machine without a change";

	if (row)
		snprintf(machine, sizeof(machine), "%s=%s", row->key, row->value);
	return alike_text(&d->alike, machine);
}

/* One or two sentences about the start of every replay. */
static void print_start(const struct doctor *d)
{
	static const char *const more[] = {
		[START_EMPTY] =
			" Memory that was in use before it began is in none of these figures.",
		[START_POINTERS] = " Their objects stay unless an event frees them.",
		[START_SNAPSHOT] = " Their objects stay unless an event frees them.",
		[START_KERNEL_STATE] = " Their objects stay unless an event frees them.",
	};
	char text[900];
	int in_part = d->from == FROM_GUESS && !*d->doubt &&
		      (d->start_from == START_SNAPSHOT || d->start_from == START_KERNEL_STATE);

	const char *alike = doctor_alike(d);
	char start[400];

	snprintf(start, sizeof(start), "Every replay starts from %s.",
		 enum_words("kmem_start_from", d->start_from));
	snprintf(text, sizeof(text), "%s%s%s%s%s", *alike ? alike : start, *d->doubt ? " " : "",
		 d->doubt, more[d->start_from] ? more[d->start_from] : "",
		 in_part ? " Caches that it lacks start from a guess." : "");
	print_wrapped(text, 0);
}

/* The trace, its machine, what is measured, and where memory goes at the peak. */
static void print_head(const struct doctor *d)
{
	char text[2048];

	const char *slash = strrchr(d->args->trace, '/');
	puts("Where memory goes, and what would help");
	snprintf(text, sizeof(text), "%s: %s on %s", slash ? slash + 1 : d->args->trace,
		 counted(kmem_nr_ops(d->host.session), "event").s,
		 kmem_machine_text(d->host.session));
	print_wrapped(plain(text), 2);
	const struct kernel kernel = kernel_of(&d->host);
	snprintf(text, sizeof(text), "kernel modelled: %s%s", kernel.words, kernel_choice(&kernel));
	print_wrapped(plain(text), 2);
	puts("");
	sampling_print(&d->host);
	if (*d->measured)
		print_wrapped(plain(d->measured), 0);
	puts("");
	print_start(d);
	unseen_print(&d->host);
	puts("");
	if (d->peak_at == d->pages_peak_at)
		printf("At the peak of pages in use, after %s:\n", counted(d->peak_at, "event").s);
	else if (*d->measured)
		printf("Where the trace requests most, after %s:\n",
		       counted(d->peak_at, "event").s);
	else
		puts("At the end of the trace:");
	print_wrapped(plain(d->where), 0);
}

static void print_text(const struct doctor *d)
{
	char text[512];

	print_head(d);
	printf("\nWithout a change:\n");
	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++) {
		printf("  %-42s", enum_words("kmem_doctor_measure", m));
		print_right(grouped(d->base[m]).s, 18);
		if (is_memory(m))
			printf("  %s%s", mark(d->from),
			       m == DOCTOR_PEAK_BYTES && !d->pages_peak_at ? ", the start's" : "");
		puts("");
	}
	puts("");
	if (!d->nr_changes) {
		puts("This allocator has no parameters of its own to change.");
		return;
	}
	snprintf(text, sizeof(text),
		 "%s of one parameter tried, each in a replay of the whole trace from the same "
		 "start.%s",
		 counted(d->nr_changes, "change").s,
		 d->from == FROM_GUESS
			 ? " As the start is a guess, so is all memory that they save "
			   "or cost: --warm or --start gives a known one."
			 : "");
	print_wrapped(text, 0);
	if (d->nr_invalid)
		printf("Left out, because the machine would not be valid: %s.\n",
		       counted(d->nr_invalid, "change").s);
	if (!d->nr_best)
		puts("\nNone of them saves memory or slow paths.");
	for (u32 i = 0; i < d->nr_best; i++) {
		const struct row *row = &d->best[i];
		int is_settable = needs_no_other_kernel(row);
		if (!i || is_settable != needs_no_other_kernel(row - 1))
			printf("\n%s\n", is_settable
						 ? "Boot options, and settings of a running kernel:"
						 : "Other builds and versions of the kernel:");
		printf("\n%2u. %s=%s instead of %s (%s)\n", i + 1, row->key, row->value, row->now,
		       row->name);
		print_figures(d, i);
	}
}

static void measures_json(struct json *j, const char *key, const struct kmem_change *change)
{
	json_row(j, key);
	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++)
		json_signed(j, enum_name("kmem_doctor_measure", m).s, change->more[m]);
	json_end(j);
}

static struct lower start_of(const struct doctor *d)
{
	return enum_name("kmem_start_from", d->start_from);
}

static void row_json(struct json *j, const struct doctor *d, const struct row *row)
{
	json_object(j, NULL);
	json_text(j, "key", row->key);
	json_text(j, "value", row->value);
	json_text(j, "now", row->now);
	json_text(j, "name", row->name);
	json_text(j, "group", row->group);
	json_text(j, "set_by", enum_words("kmem_set_by", row->change.set_by));
	json_text(j, "start", start_of(d).s);
	measures_json(j, "change", &row->change);
	json_end(j);
}

/* The figures that the trace itself measures. */
static void requested_json(struct json *j, const struct host *h)
{
	const struct kmem_shape *shape = kmem_shape(h->session);

	if (shape)
		fields_json(j, h, ROW(kmem_shape, shape),
			    "requested_peak,requested_at_end=requested_now");
}

static void print_json(const struct doctor *d)
{
	struct json j = json_to(stdout);
	const struct host *h = &d->host;

	json_object(&j, NULL);
	json_text(&j, "trace", d->args->trace);
	json_number(&j, "events", kmem_nr_ops(h->session));
	json_text(&j, "machine", kmem_machine_text(h->session));
	kernel_json_now(&j, h);
	json_text_or_null(&j, "start_alike", doctor_alike(d));
	unseen_json(&j, h);
	sampling_json(&j, h);
	from_of_json(&j, "requested_peak=measured,requested_at_end=measured");
	requested_json(&j, h);
	json_number(&j, "peak_at", d->peak_at);
	json_text(&j, "peak_of", d->peak_at == d->pages_peak_at ? "pages" : "requests");
	json_number(&j, "pages_peak_at", d->pages_peak_at);
	json_text(&j, "summary", d->where);
	json_row(&j, "without_change");
	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++)
		json_number(&j, enum_name("kmem_doctor_measure", m).s, d->base[m]);
	json_end(&j);
	json_number(&j, "changes_tried", d->nr_changes);
	json_array(&j, "invalid");
	for (u32 i = 0; i < d->nr_changes; i++) {
		if (d->results[i + 1].is_valid)
			continue;
		json_row(&j, NULL);
		json_text(&j, "key", d->changes[i].key);
		json_text(&j, "value", d->changes[i].value);
		json_text(&j, "reason", d->results[i + 1].why);
		json_end(&j);
	}
	json_end(&j);
	json_array(&j, "best");
	for (u32 i = 0; i < d->nr_best; i++)
		row_json(&j, d, &d->best[i]);
	json_end(&j);
	json_end(&j);
}

static void print_csv(const struct doctor *d)
{
	printf("trace,key,value,now,group,set_by,start");
	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++)
		printf(",%s", enum_name("kmem_doctor_measure", m).s);
	puts(",from");
	for (u32 i = 0; i < d->nr_best; i++) {
		const struct row *row = &d->best[i];
		csv_text(stdout, d->args->trace);
		printf(",%s,%s,%s,%s,%s,%s", row->key, row->value, row->now, row->group,
		       enum_words("kmem_set_by", row->change.set_by), start_of(d).s);
		for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++)
			printf(",%lld", (long long)row->change.more[m]);
		from_csv(d->from);
	}
}

static int run(struct args *args)
{
	static struct doctor d;
	int status = host_import(&d.host, args, NULL);

	d.args = args;
	if (!status)
		status = list_changes(&d);
	if (!status)
		status = replay_changes(&d);
	if (!status)
		status = rank(&d);
	if (!status)
		status = describe_peak(&d);
	if (status)
		return status;
	if (GIVEN(args, JSON))
		print_json(&d);
	else if (GIVEN(args, CSV))
		print_csv(&d);
	else
		print_text(&d);
	return host_verdict(&d.host);
}

const struct command command_doctor = {
	"doctor",
	"TRACE",
	"where memory goes, and which changes of one parameter would help",
	"Replays a trace once for each change of one parameter: parameters of the allocator in\n"
	"force, a few values each, proposals first. Lists the ten changes that save most memory\n"
	"or most slow paths, as parts of what is used without the change, and what each costs:\n"
	"every number of the same list that rises. Boot options and settings of a running kernel\n"
	"come first, then other builds and versions of the kernel. A parameter has at most two rows, the value\n"
	"that saves most memory and the value that saves most slow paths.\n"
	"The report is a page of text for a mail; it starts with what the trace itself requests,\n"
	"then says where memory goes at the peak. Every figure of memory is marked: measured, or\n"
	"modelled from a known start or from a guess. Pages that the start already has are no peak.\n"
	"`slabscope replay --set KEY=VALUE` gives the same numbers for one of the changes.\n"
	"--jobs processes share the work; the output does not depend on them.",
	"  slabscope doctor trace.txt | mail -s 'our slabs' me@example.org\n"
	"  slabscope doctor trace.txt --cpus 8 --nodes 2 --csv",
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTION(CSV) | OPTION(JOBS) |
		OPTIONS_MACHINE,
	run,
};
