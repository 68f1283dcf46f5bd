/*
 * cmd_doctor.c - `slabscope doctor`: where memory goes at the peak, and which changes of one parameter would help.
 *
 * The core lists the changes and ranks them; forked processes replay the trace once for each.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "cli/jobs.h"
#include "doc/doc.h"
#include "cli/print.h"
#include "doc/names.h"

enum { BEST_SHOWN = 10 };

/* A change as the core lists it, with its texts copied. */
struct row {
	struct kmem_change change;
	char key[MAX_KEY_BYTES], name[64], group[24], value[32], now[32];
};

struct doctor {
	struct host *host;
	const struct args *args;
	struct row *changes, best[BEST_SHOWN];
	u32 nr_changes, nr_best, nr_invalid;
	u32 at_work; /* the change that is set, from 1; 0: none */
	struct alike alike;
	const struct replayed *results; /* [0] without a change, [i + 1] of change i */
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

/* Replaces the previous change by change i, from 1; 0: the unchanged machine. Where the command line sets no value,
 * lower origins decide again. */
static s32 set_change(void *arg, u32 i)
{
	struct doctor *d = arg;
	struct kmem_session *s = d->host->session;
	const struct row *now = &d->changes[d->at_work - 1u], *row = &d->changes[i - 1];

	const char *own = d->at_work ? setting_of(d->args, now->key) : NULL;
	if (d->at_work)
		kmem_set(s, now->key, own ? own : "");
	d->at_work = i;
	return i ? kmem_set(s, row->key, row->value) : KMEM_OK;
}

static void list_changes(struct doctor *d)
{
	struct host *h = d->host;
	s32 err = kmem_begin(h->session, JOB_MEASURE, NULL);

	if (!err)
		err = MIN(kmem_doctor_begin(h->session), 0);
	const struct kmem_change *changes = err ? NULL
						: kmem_doctor_changes(h->session, &d->nr_changes);
	if (!changes)
		host_failed(h, err ? err : KMEM_ENOMEM);
	d->changes = memory_for(d->nr_changes + 1, sizeof(*d->changes));
	for (u32 i = 0; i < d->nr_changes; i++)
		d->changes[i] = row_of(h, &changes[i]);
}

static void replay_changes(struct doctor *d)
{
	const struct replays replays = { d->host, d->args,     d->nr_changes + 1, set_change,
					 d,	  "replaying", &d->alike };
	int status;

	d->results = replay_all(&replays, &status);
	set_change(d, 0);
	if (!d->results[0].is_done)
		complain("%s: %s", d->host->trace, d->results[0].why);
	if (status || !d->results[0].is_done)
		leave(status ? status : EXIT_CALL);
}

static void rank(struct doctor *d)
{
	struct kmem_session *s = d->host->session;

	for (u32 i = 0; i <= d->nr_changes; i++) {
		const struct replayed *r = &d->results[i];
		host_must(d->host, kmem_doctor_result(s, i ? i - 1 : KMEM_NONE32,
						      r->is_done ? r->value : NULL));
		d->nr_invalid += !r->is_done;
	}
	d->pages_peak_at = d->results[0].op[NUM_PAGES_PEAK];
	memcpy(d->base, kmem_doctor_base(s), sizeof(d->base));
	const struct kmem_change *best = kmem_doctor_best(s, BEST_SHOWN, &d->nr_best);
	for (u32 i = 0; i < d->nr_best; i++)
		d->best[i] = row_of(d->host, &best[i]);
}

/* Pages that the start already has are not the trace's peak, and slabs that pointers suggest may not be the machine's. Then the
 * trace itself says where it needs most. */
static u32 peak_of(const struct doctor *d)
{
	const struct kmem_shape *shape = kmem_shape(d->host->session);

	if (d->pages_peak_at && d->start_from != START_POINTERS)
		return d->pages_peak_at;
	return shape && shape->requested_peak ? shape->requested_peak_op
					      : kmem_nr_ops(d->host->session);
}

/* Replays to the peak once more, because that is where memory is tight. */
static void describe_peak(struct doctor *d)
{
	struct host *h = d->host;

	host_must(h, kmem_begin(h->session, JOB_BUILD, NULL));
	d->start_from = kmem_start_from(h->session);
	d->from = kmem_from(h->session);
	d->doubt = strdup(kmem_start_doubt(h->session));
	d->measured = strdup(kmem_measured_text(h->session));
	d->peak_at = peak_of(d);
	host_must(h, kmem_run(h->session, d->peak_at, 0));
	const char *sentences = kmem_memory_sentences(h->session);
	if (!sentences)
		host_failed(h, KMEM_ENOMEM);
	d->where = strdup(sentences);
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

/* Prints which measures fell, or which rose, one to a line; nothing else costs anything. */
static void say_side(struct doc *doc, const struct doctor *d, const struct row *row, int rises)
{
	u32 nr = 0;

	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++) {
		s64 more = row->change.more[m];
		char line[160] = "";
		if (rises ? more <= 0 : more >= 0)
			continue;
		add_amount(line, sizeof(line), (u64)(more < 0 ? -more : more), d->base[m]);
		doc_say(doc, "    %-6s %s %s",
			nr++	? ""
			: rises ? "costs"
				: "saves",
			line, enum_words("kmem_doctor_measure", m));
		doc_line(doc, is_memory(m) ? " (%s)" : "%.0s", mark(d->from));
	}
	if (!nr && rises)
		doc_line(doc, "    costs  nothing in these numbers");
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

static int needs_no_other_kernel(const struct row *row)
{
	return row->change.set_by == SET_BY_BOOT || row->change.set_by == SET_BY_RUNNING;
}

static const char *doctor_alike(const struct doctor *d)
{
	const struct row *row = d->alike.cannot ? &d->changes[d->alike.cannot - 1] : NULL;
	char machine[MAX_KEY_BYTES + sizeof(row->value) + 1] = "the unchanged machine";

	if (row)
		snprintf(machine, sizeof(machine), "%s=%s", row->key, row->value);
	return alike_text(&d->alike, machine);
}

/* One or two sentences about the start of every replay. */
static void say_start(struct doc *doc, const struct doctor *d)
{
	int is_empty = d->start_from == START_EMPTY;
	int has_slabs = d->start_from == START_SNAPSHOT || d->start_from == START_KERNEL_STATE;
	int in_part = d->from == FROM_GUESS && !*d->doubt && has_slabs;
	const char *alike = doctor_alike(d);
	char start[400], text[900];

	snprintf(start, sizeof(start), "Every replay starts from %s.",
		 enum_words("kmem_start_from", d->start_from));
	snprintf(text, sizeof(text), "%s%s%s%s%s", *alike ? alike : start, *d->doubt ? " " : "",
		 d->doubt,
		 is_empty ? " Memory that was in use before it began is in none of these figures."
		 : has_slabs || d->start_from == START_POINTERS
			 ? " Their objects stay unless an event frees them."
			 : "",
		 in_part ? " Caches that it lacks start from a guess." : "");
	doc_wrapped(doc, text, 0);
}

/* The trace, its machine, what is measured, and where memory goes at the peak. */
static void say_head(struct doc *doc, const struct doctor *d)
{
	const char *slash = strrchr(d->args->trace, '/');
	const struct kernel kernel = kernel_of(d->host);
	char text[2048];

	doc_line(doc, "Where memory goes, and what would help");
	snprintf(text, sizeof(text), "%s: %s on %s", slash ? slash + 1 : d->args->trace,
		 counted(kmem_nr_ops(d->host->session), "event").s,
		 kmem_machine_text(d->host->session));
	doc_wrapped(doc, plain(text), 2);
	snprintf(text, sizeof(text), "kernel modelled: %s%s", kernel.words, kernel_choice(&kernel));
	doc_wrapped(doc, plain(text), 2);
	doc_gap(doc);
	doc_sampling(doc, d->host);
	if (*d->measured)
		doc_wrapped(doc, plain(d->measured), 0);
	doc_gap(doc);
	say_start(doc, d);
	doc_unseen(doc, d->host);
	doc_gap(doc);
	if (d->peak_at == d->pages_peak_at)
		doc_line(doc,
			 "At the peak of pages in use, after %s:", counted(d->peak_at, "event").s);
	else if (*d->measured)
		doc_line(doc, "Where the trace requests most, after %s:",
			 counted(d->peak_at, "event").s);
	else
		doc_line(doc, "At the end of the trace:");
	doc_wrapped(doc, plain(d->where), 0);
}

static void say_base(struct doc *doc, const struct doctor *d)
{
	doc_say(doc, "\nWithout a change:\n");
	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++) {
		doc_say(doc, "  %-42s%18s", enum_words("kmem_doctor_measure", m),
			grouped(d->base[m]).s);
		if (is_memory(m))
			doc_say(doc, "  %s%s", mark(d->from),
				m == DOCTOR_PEAK_BYTES && !d->pages_peak_at ? ", the start's" : "");
		doc_gap(doc);
	}
	doc_gap(doc);
}

static void say_tried(struct doc *doc, const struct doctor *d)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "%s of one parameter tried, each in a replay of the whole trace from the same "
		 "start.%s",
		 counted(d->nr_changes, "change").s,
		 d->from == FROM_GUESS
			 ? " As the start is a guess, so is all memory that they save "
			   "or cost: --warm or --start gives a known one."
			 : "");
	doc_wrapped(doc, text, 0);
	if (d->nr_invalid)
		doc_line(doc, "Left out, because the machine would not be valid: %s.",
			 counted(d->nr_invalid, "change").s);
	if (!d->nr_best)
		doc_line(doc, "\nNone of them saves memory or slow paths.");
}

/* Change i, with what it saves and costs unless another one has the same. */
static void say_change(struct doc *doc, const struct doctor *d, u32 i)
{
	const struct row *row = &d->best[i];
	int is_settable = needs_no_other_kernel(row);
	u32 first = first_with_figures(d, i);

	if (!i || is_settable != needs_no_other_kernel(row - 1))
		doc_line(doc, "\n%s",
			 is_settable ? "Boot options, and settings of a running kernel:"
				     : "Other builds and versions of the kernel:");
	doc_line(doc, "\n%2u. %s=%s instead of %s (%s)", i + 1, row->key, row->value, row->now,
		 row->name);
	if (first < i) {
		doc_line(doc, "    saves and costs the same as change %u", first + 1);
		return;
	}
	say_side(doc, d, row, 0);
	say_side(doc, d, row, 1);
}

static const struct column columns[] = {
	COLUMN_SAME("trace", 0, IN_CSV),
	CELL("key", row, key, STRING, IN_BOTH),
	CELL("value", row, value, STRING, IN_BOTH),
	CELL("now", row, now, STRING, IN_BOTH),
	CELL("name", row, name, STRING, IN_JSON),
	CELL("group", row, group, STRING, IN_BOTH),
	COLUMN_OF("kmem_set_by", "set_by", row, change.set_by, WORDS, IN_BOTH, NULL, 0),
	COLUMN_SAME("start", 1, IN_BOTH),
};

enum { NR_COLUMNS = ARRAY_SIZE(columns) };

/* A column for each measure; what a change adds to it. */
static void measure_columns(struct column *to, struct lower *keys)
{
	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++) {
		keys[m] = enum_name("kmem_doctor_measure", m);
		to[m] = (struct column)CELL(keys[m].s, row, change.more[0], DIGITS, IN_BOTH);
		to[m].at += (u16)(m * sizeof(s64));
	}
}

static void answer_best(struct doc *doc, const struct doctor *d)
{
	struct column all[NR_COLUMNS + NR_DOCTOR_MEASURES + 1];
	struct lower keys[NR_DOCTOR_MEASURES];

	memcpy(all, columns, sizeof(columns));
	measure_columns(all + NR_COLUMNS, keys);
	all[ARRAY_SIZE(all) - 1] = (struct column)COLUMN_SAME("from", 2, IN_CSV);
	if (doc_has_rows(doc))
		doc_rows(doc, NULL, ROWS(all, d->best, d->nr_best));
	doc_array(doc, "best");
	for (u32 i = 0; i < d->nr_best; i++) {
		doc_object(doc, NULL);
		doc_members(doc, columns, NR_COLUMNS, &d->best[i]);
		doc_row(doc, "change");
		doc_members(doc, all + NR_COLUMNS, NR_DOCTOR_MEASURES, &d->best[i]);
		doc_end(doc);
		doc_end(doc);
		say_change(doc, d, i);
	}
	doc_end(doc);
}

static void answer_invalid(struct doc *doc, const struct doctor *d)
{
	doc_array(doc, "invalid");
	for (u32 i = 0; i < d->nr_changes; i++) {
		if (d->results[i + 1].is_done)
			continue;
		doc_row(doc, NULL);
		doc_members(doc, columns, 3, &d->changes[i]);
		doc_text(doc, "reason", d->results[i + 1].why);
		doc_end(doc);
	}
	doc_end(doc);
}

/* The JSON members of the replays without and with the changes. */
static void answer_figures(struct doc *doc, const struct doctor *d)
{
	const struct host *h = d->host;
	const struct kmem_shape *shape = kmem_shape(h->session);

	doc_text(doc, "trace", d->args->trace);
	doc_number(doc, "events", kmem_nr_ops(h->session));
	doc_text(doc, "machine", kmem_machine_text(h->session));
	doc_kernel(doc, h, 0);
	doc_text_or_null(doc, "start_alike", doctor_alike(d));
	doc_unseen(doc, h);
	doc_sampling(doc, h);
	doc_from_of(doc, "requested_peak=measured,requested_at_end=measured");
	/* The figures that the trace itself measures. */
	if (shape)
		doc_fields(doc, ROW(kmem_shape, shape),
			   "requested_peak,requested_at_end=requested_now");
	doc_number(doc, "peak_at", d->peak_at);
	doc_text(doc, "peak_of", d->peak_at == d->pages_peak_at ? "pages" : "requests");
	doc_number(doc, "pages_peak_at", d->pages_peak_at);
	doc_text(doc, "summary", d->where);
	doc_row(doc, "without_change");
	for (u32 m = 0; m < NR_DOCTOR_MEASURES; m++)
		doc_number(doc, enum_name("kmem_doctor_measure", m).s, d->base[m]);
	doc_end(doc);
	doc_number(doc, "changes_tried", d->nr_changes);
	answer_invalid(doc, d);
}

static void answer_all(struct doc *doc, const struct doctor *d)
{
	struct lower start = enum_name("kmem_start_from", d->start_from);

	doc->same[1] = start.s;
	doc->same[2] = from_name(d->from);
	doc_object(doc, NULL);
	if (doc->form == DOC_JSON)
		answer_figures(doc, d);
	if (doc->form == DOC_TEXT) {
		say_head(doc, d);
		say_base(doc, d);
	}
	if (d->nr_changes)
		say_tried(doc, d);
	else
		doc_line(doc, "No parameter of this allocator can be changed.");
	answer_best(doc, d);
	doc_end(doc);
}

static void answer(struct doc *doc, struct host *h, const struct args *args)
{
	static struct doctor d;

	d.host = h;
	d.args = args;
	list_changes(&d);
	replay_changes(&d);
	rank(&d);
	describe_peak(&d);
	answer_all(doc, &d);
}

static const struct option options[] = {
	OPTION_JOBS,
	OPTIONS_END,
};

const struct command command_doctor = {
	GROUP_ASK,
	"doctor",
	"TRACE",
	"suggest changes of one parameter that save memory or slow paths",
	"Replays a trace once for each change of one parameter: the parameters of the chosen\n"
	"allocator, a few values each, proposals first. Lists the ten changes that save most\n"
	"memory or most slow paths, as a share of what is used without the change, and what each\n"
	"costs: every number in the same list that rises. Boot options and settings of a running\n"
	"kernel come first, then other builds and versions of the kernel. A parameter has at most\n"
	"two rows: the value that saves most memory and the value that saves most slow paths.\n"
	"\n"
	"The report is a page of text that you can mail. It starts with what the trace itself\n"
	"requests, then says where memory goes at the peak. Every figure of memory is marked:\n"
	"measured, or modelled from a known start or from a guess. Pages that are there from the\n"
	"start don't count as a peak. To get the numbers of one change again, run\n"
	"`slabscope replay --set KEY=VALUE`. --jobs processes share the work; the output does not\n"
	"depend on them.",
	"  slabscope doctor trace.txt > report.txt\n"
	"  slabscope doctor trace.txt --cpus 8 --nodes 2 --csv",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.needs = NEEDS_TRACE,
	.answer = answer,
};
