/*
 * preamble.c - the parts that many answers start with: the modelled kernel and where it starts, and the results of the import.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "doc/doc.h"

struct kernel kernel_of(const struct host *h)
{
	struct kernel k = { .row = *kmem_kernel(h->session) };

	snprintf(k.preset, sizeof(k.preset), "%s", host_text(h, k.row.preset_at));
	snprintf(k.recorded, sizeof(k.recorded), "%s", host_text(h, k.row.recorded_at));
	snprintf(k.words, sizeof(k.words), "%s", host_text(h, k.row.words_at));
	snprintf(k.caches, sizeof(k.caches), "%s", kmem_cache_params_text(h->session));
	snprintf(k.start, sizeof(k.start), "%s", kmem_warm_text(h->session));
	k.warm = *kmem_warm(h->session);
	k.start_from = kmem_start_from(h->session);
	k.from = kmem_from(h->session);
	return k;
}

const char *mark(u32 from)
{
	return enum_words("kmem_from", from);
}

const char *from_name(u32 from)
{
	static struct lower names[NR_VALUES(kmem_from)];

	names[from] = enum_name("kmem_from", from);
	return names[from].s;
}

void doc_from(struct doc *d, u32 from)
{
	doc_text(d, "from", enum_name("kmem_from", from).s);
}

void doc_from_of(struct doc *d, const char *marks)
{
	char key[MAX_KEY_BYTES], word[MAX_KEY_BYTES];
	int len = 0;

	doc_row(d, "from_of");
	for (; sscanf(marks, "%47[^=]=%47[^,]%n", key, word, &len) == 2; marks += len) {
		doc_text(d, key, word);
		marks += marks[len] == ',';
	}
	doc_end(d);
}

const char *measure_mark(u32 measure, u32 from)
{
	if (measure == NUM_REQUESTED_BYTES || measure == NUM_LARGE_BYTES ||
	    measure == NUM_LIVE_OBJECTS)
		return mark(FROM_MEASURED);
	return measure < NUM_LIVE_OBJECTS ? mark(from) : "";
}

void doc_measured(struct doc *d, const struct host *h, u32 indent)
{
	const char *text = kmem_measured_text(h->session);

	if (!*text)
		return;
	doc_say(d, "%*s", (int)indent, "");
	doc_wrapped(d, plain(text), indent);
}

const char *kernel_choice(const struct kernel *k)
{
	/* Words that go on like this say that presets change nothing. */
	if (k->row.chosen_by != KERNEL_BY_DEFAULT || strchr(k->words, ';'))
		return "";
	return "; --preset NAME sets another one of `slabscope params --presets`";
}

void kernel_head(struct doc *d, const struct host *h)
{
	const struct kernel k = kernel_of(h);
	const char *start = enum_words("kmem_start_from", k.start_from), *guess = "";

	if (k.from == FROM_GUESS)
		guess = k.start_from == START_SNAPSHOT || k.start_from == START_KERNEL_STATE
				? ", partly a guess"
				: ", a guess";
	/* The words go on to explain the start. */
	const char *no_presets = "; presets do not change ", *other = strstr(k.words, no_presets);
	doc_line(d, "%s · start from %.*s%s · cycles are the model's",
		 other ? other + strlen(no_presets) : k.preset, (int)strcspn(start, ":,"), start,
		 guess);
}

void kernel_note(const struct kernel *k, int quiet)
{
	if (!quiet)
		complain("kernel modelled: %s%s", k->words, kernel_choice(k));
}

void kernel_note_now(const struct host *h)
{
	const struct kernel k = kernel_of(h);

	kernel_note(&k, h->quiet);
}

void kernel_doc(struct doc *d, const struct kernel *k, u32 indent)
{
	doc_line(d, "%*skernel modelled: %s%s", (int)indent, "", k->words, kernel_choice(k));
	if (k->caches[0])
		doc_line(d, "%*scaches: %s", (int)indent, "", k->caches);
	if (k->start[0])
		doc_line(d, "%*s%s", (int)indent, "", k->start);
	doc_object(d, "kernel");
	doc_text(d, "preset", k->preset);
	doc_text_or_null(d, "recorded", k->recorded);
	doc_text(d, "chosen_by", enum_name("kmem_kernel_choice", k->row.chosen_by).s);
	doc_text(d, "words", k->words);
	doc_text_or_null(d, "cache_params", k->caches);
	if (k->start[0])
		doc_text(d, "start", k->start);
	doc_text(d, "start_from", enum_name("kmem_start_from", k->start_from).s);
	/* Slabs and objects from before event 1, which no counter counts, and the frees that concern these. */
	if (k->warm.slabs) {
		doc_object(d, "begins_with");
		doc_bool(d, "is_inferred", k->warm.inferred != 0);
		doc_fields(d, ROW(kmem_warm, &k->warm),
			   "slabs,objects,free_objects=room,frees,unknown_frees=unknown");
		doc_end(d);
	}
	doc_end(d);
	doc_from(d, k->from);
}

void doc_kernel(struct doc *d, const struct host *h, u32 indent)
{
	const struct kernel k = kernel_of(h);

	kernel_doc(d, &k, indent);
}

/* The import */

/* Adds no keys for a trace that has every event. */
void doc_sampling(struct doc *d, const struct host *h)
{
	const struct kmem_report *r = kmem_report(h->session);

	if (!r->sampling)
		return;
	doc_row(d, "sampled");
	doc_fields(d, ROW(kmem_report, r), "sampling,estimated_allocs,estimated_frees");
	doc_end(d);
	if (r->sampling == 1)
		doc_line(
			d,
			"The trace is sampled, and nothing in it says how many events one stands for:\n"
			"counts and bytes are too small. Record with periods, or without -F.\n");
	else
		doc_line(
			d,
			"The trace is sampled: an event stands for about %s. Counts and bytes are estimates.\n",
			grouped(r->sampling).s);
}

void doc_replay_sampling(struct doc *d, const struct host *h)
{
	u32 sampling = kmem_report(h->session)->sampling;

	if (!sampling)
		return;
	if (sampling > 1)
		doc_line(d, "\nThe trace is sampled: an event stands for about %s.",
			 grouped(sampling).s);
	else
		doc_line(d, "\nThe trace is sampled.");
	doc_line(
		d,
		"Figures are those of the sample and not scaled: slabs that all events would fill\n"
		"stay nearly empty, so its memory is not a fixed part of the machine's.");
}

void doc_unseen(struct doc *d, const struct host *h)
{
	u32 nr;
	const struct kmem_unseen_row *rows = kmem_unseen(h->session, &nr);

	doc_field_rows(d, "unseen", ROW(kmem_unseen_row, rows), nr,
		       "name_at,frees,unseen_frees,live_objects,bytes,slabs");
	const char *text = kmem_unseen_text(h->session);
	if (!*text)
		return;
	doc_gap(d);
	doc_wrapped(d, plain(text), 0);
}

/* Writes how the import read the header of a CSV file: nothing else would reveal a wrong role. */
static void doc_columns(struct doc *d, const struct host *h)
{
	const struct kmem_columns *columns = kmem_columns(h->session);
	const struct kmem_column *c = host_rows(h, columns->columns_at);

	if (!columns->nr_columns)
		return;
	doc_field_rows(d, "columns", ROW(kmem_column, c), columns->nr_columns,
		       "name_at,role:kmem_role,sample_at");
	doc_say(d, "  columns:");
	for (u32 i = 0; i < columns->nr_columns; i++) {
		const char *name = plain(host_text(h, c[i].name_at));
		if (c[i].role)
			doc_say(d, "%s %s=%s", i ? "," : "", enum_name("kmem_role", c[i].role).s,
				name);
		else
			doc_say(d, "%s %s is not read", i ? "," : "", name);
	}
	doc_gap(d);
}

/* Writes what was kept beside the events, if that was asked for. */
static void doc_kept(struct doc *d, const struct host *h)
{
	const struct kmem_kept *kept = kmem_kept(h->session);

	if (!h->keep)
		return;
	doc_row(d, "kept");
	doc_bool(d, "pointers", kept->flags & KMEM_KEEP_POINTERS);
	doc_bool(d, "tasks", kept->flags & KMEM_KEEP_TASKS);
	doc_number(d, "bytes", kept->bytes);
	doc_bool(d, "dropped", kept->dropped != 0);
	doc_end(d);
	if (kept->dropped)
		doc_line(
			d,
			"  pointers and tasks of the events do not fit in memory and were not kept");
	else
		doc_line(d, "  kept of each event:%s%s, in %s bytes of memory",
			 kept->flags & KMEM_KEEP_POINTERS ? " pointer" : "",
			 kept->flags & KMEM_KEEP_TASKS ? " task" : "", grouped(kept->bytes).s);
}

/* The JSON members. */
static void report_members(struct doc *d, const struct host *h, const struct kmem_report *r)
{
	static const char problem_keys[] = "line,column,reason_at,text_at";
	const struct kmem_problem *p = host_rows(h, r->problems_at);
	const struct kmem_kind_row *kind = host_rows(h, r->kinds_at);

	doc_fields(d, ROW(kmem_report, r), "format_at,bytes,lines,events");
	doc_object(d, "events_by_kind");
	for (u32 i = 0; i < r->nr_kinds; i++)
		doc_number(d, host_text(h, kind[i].name_at), kind[i].lines);
	doc_end(d);
	doc_fields(
		d, ROW(kmem_report, r),
		"allocs,frees,null_frees,failed_allocs,orphan_frees,unseen_frees,live_at_end,lost,"
		"skipped_lines,reordered,late");
	doc_sampling(d, h);
	if (r->nr_problems) {
		doc_row(d, "first_problem");
		doc_fields(d, ROW(kmem_problem, p), problem_keys);
		doc_end(d);
	} else {
		doc_null(d, "first_problem");
	}
	doc_field_rows(d, "problems", ROW(kmem_problem, p), r->nr_problems, problem_keys);
	doc_columns(d, h);
	doc_fields(d, ROW(kmem_report, r),
		   "truncated:bool,hashed_pointers=hashed:bool,cpus,nodes,ops");
	doc_text_or_null(d, "kernel_recorded", host_text(h, kmem_kernel(h->session)->recorded_at));
	doc_fields(d, ROW(kmem_report, r), "time_first,time_last");
	doc_text(d, "time_unit", r->time_is_ns ? "ns" : "ticks");
	doc_kept(d, h);
	doc_bool(d, "packed", h->is_packed);
	doc_bool(d, "damaged", h->is_damaged);
}

/* Prints a line only if the number is not 0. */
static void say_count(struct doc *d, const char *what, u64 n)
{
	if (n)
		doc_line(d, "  %-22s %14s", what, grouped(n).s);
}

static void say_problems(struct doc *d, const struct host *h, const struct kmem_report *r)
{
	const struct kmem_problem *p = host_rows(h, r->problems_at);

	if (r->truncated)
		doc_line(d, "The input is cut off; it was read up to there.");
	/* Text has lines, and a file without any is binary. */
	if (r->nr_problems)
		doc_line(d, "\n%s with problems:",
			 counted(r->skipped_lines, r->lines ? "line" : "record").s);
	if (r->nr_problems < r->skipped_lines)
		doc_line(d, "  the first %u of them:", r->nr_problems);
	for (u32 i = 0; i < r->nr_problems; i++) {
		if (!p[i].line)
			doc_line(d, "  %s: %s", plain(h->trace),
				 plain(host_text(h, p[i].reason_at)));
		else
			doc_line(d, "  %s:%llu:%u: %s\n    %s", plain(h->trace),
				 (unsigned long long)p[i].line, p[i].column,
				 plain(host_text(h, p[i].reason_at)),
				 plain(host_text(h, p[i].text_at)));
	}
}

/* Returns a parameter's number, or the trace's number if the parameter follows the trace. */
static u32 number_of(const struct host *h, const char *key, u32 recorded)
{
	u32 number = (u32)strtoul(kmem_param(h->session, key), NULL, 10);

	return number ? number : recorded;
}

/* Only single allocations name a node, so a trace does not record how many nodes there were. */
static void say_machine(struct doc *d, const struct host *h, const struct kmem_report *r)
{
	const struct kmem_kernel *kernel = kmem_kernel(h->session);
	u64 span = r->time_last - r->time_first;

	doc_say(d, "  %s", counted(r->cpus, "CPU").s);
	if (r->nodes > 1)
		doc_say(d, ", asks for nodes 0 to %u", r->nodes - 1);
	if (r->time_last && r->time_is_ns)
		doc_say(d, ", %s", seconds(span).s);
	else if (r->time_last)
		doc_say(d, ", %s", counted(span, "tick").s);
	if (kernel->recorded_at)
		doc_say(d, ", Linux %s", host_text(h, kernel->recorded_at));
	doc_gap(d);
	u32 cpus = number_of(h, "cpus", r->cpus), nodes = number_of(h, "nodes", r->nodes);
	if (cpus < r->cpus)
		doc_line(d,
			 "  the simulated machine has %s for all of them; replay with --cpus %u to "
			 "have each",
			 counted(cpus, "CPU").s, r->cpus);
	/* Perhaps no event asked for the last nodes. */
	if (nodes < r->nodes)
		doc_line(
			d,
			"  the simulated machine has %s, the recorded one had at least %u: replay with "
			"--nodes and the number that it had",
			counted(nodes, "node").s, r->nodes);
}

static void say_report(struct doc *d, const struct host *h, const struct kmem_report *r)
{
	const struct kmem_kind_row *kind = host_rows(h, r->kinds_at);

	doc_say(d, "%s: %s", plain(h->trace), host_text(h, r->format_at));
	if (r->bytes)
		doc_say(d, ", %s%s", counted(r->bytes, "byte").s,
			h->is_packed ? " (unpacked)" : "");
	if (r->lines)
		doc_say(d, ", %s", counted(r->lines, "line").s);
	doc_gap(d);
	say_machine(d, h, r);
	doc_columns(d, h);
	doc_kept(d, h);
	doc_gap(d);
	for (u32 i = 0; i < r->nr_kinds; i++)
		doc_line(d, "  %-22s %14s", plain(host_text(h, kind[i].name_at)),
			 grouped(kind[i].lines).s);
	doc_gap(d);
	doc_line(d, "  %-22s %14s", "allocations", grouped(r->allocs).s);
	doc_line(d, "  %-22s %14s", "frees", grouped(r->frees).s);
	say_count(d, "of NULL", r->null_frees);
	say_count(d, "of objects from before the trace", r->orphan_frees);
	say_count(d, "not recorded", r->unseen_frees);
	say_count(d, "failed allocations", r->failed_allocs);
	say_count(d, "live at the end", r->live_at_end);
	say_count(d, "events lost", r->lost);
	if (r->sampling)
		doc_gap(d);
	doc_sampling(d, h);
	if (r->sampling > 1) {
		say_count(d, "estimated allocations", r->estimated_allocs);
		say_count(d, "estimated frees", r->estimated_frees);
	}
	say_problems(d, h, r);
}

void doc_report(struct doc *d, const struct host *h)
{
	const struct kmem_report *r = kmem_report(h->session);

	d->base = h->base;
	if (d->form == DOC_JSON)
		report_members(d, h, r);
	else if (d->form == DOC_TEXT)
		say_report(d, h, r);
}
