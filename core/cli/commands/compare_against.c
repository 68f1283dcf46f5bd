/*
 * compare_against.c - `slabscope compare A --against B`: two traces, each on a session of its own.
 */
#include <stdlib.h>

#include "cli/print.h"
#include "cli/commands/against.h"
#include "cli/commands/compare.h"

enum {
	DEFAULT_ROWS = 12,
	NAME_WIDTH = 30,
	NUMBER_WIDTH = 15,
	CURVE_STEP = 8,
	MAX_SYMBOLS_BYTES = 4096
};

static struct grouped signed_number(s64 n)
{
	struct grouped magnitude = grouped((u64)llabs(n)), g;

	snprintf(g.s, sizeof(g.s), "%s%.40s", n > 0 ? "+" : n < 0 ? "−" : "", magnitude.s);
	return g;
}

/* The mark of both sides: a guess as soon as one of them is. */
static u32 from_of_both(const struct against *c)
{
	return MAX(kmem_from(c->side[0].host.session), kmem_from(c->side[1].host.session));
}

/* One number of both traces at the end of the run, or at a position, with the part of the run in which the difference changed most. */
struct shown {
	const char *table, *name, *cache, *kind, *figure;
	u32 from; /* the mark; KMEM_NONE for figures that are no memory */
	u64 a, b;
	s64 change, step;
	u32 first_a, first_b, peak_a, peak_b;		      /* NO_EVENT if there is none */
	u32 step_from_a, step_end_a, step_from_b, step_end_b; /* the same */
	u8 is_position;
};

/* A position has no step. */
static const char *step_of(const struct doc *d, const void *row)
{
	const struct shown *shown = row;
	static char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)shown->step);
	(void)d;
	return shown->is_position ? "" : text;
}

static const char *from_of(const struct doc *d, const void *row)
{
	u32 from = ((const struct shown *)row)->from;

	(void)d;
	return from == KMEM_NONE ? "" : from_name(from);
}

#define OP_CELL(key, field) CELL(key, shown, field, DIGITS, IN_CSV | OR_NULL)
static const struct column columns[] = {
	COLUMN_SAME("trace_a", 0, IN_CSV),
	COLUMN_SAME("trace_b", 1, IN_CSV),
	CELL("table", shown, table, TEXT, IN_CSV),
	CELL("name", shown, name, TEXT, IN_CSV),
	CELL("cache", shown, cache, TEXT, IN_CSV),
	CELL("kind", shown, kind, TEXT, IN_CSV),
	CELL("figure", shown, figure, TEXT, IN_CSV),
	CELL("a", shown, a, DIGITS, IN_CSV),
	CELL("b", shown, b, DIGITS, IN_CSV),
	CELL("change", shown, change, DIGITS, IN_CSV),
	OP_CELL("first_op_a", first_a),
	OP_CELL("first_op_b", first_b),
	OP_CELL("peak_op_a", peak_a),
	OP_CELL("peak_op_b", peak_b),
	CELL_SAID("largest_step", step_of, IN_CSV),
	OP_CELL("step_from_op_a", step_from_a),
	OP_CELL("step_end_op_a", step_end_a),
	OP_CELL("step_from_op_b", step_from_b),
	OP_CELL("step_end_op_b", step_end_b),
	CELL_SAID("from", from_of, IN_CSV),
};

static struct shown shown_of(const struct against *c, const struct change *change, u32 figure)
{
	static const char *const measured[] = { "requested_bytes", "live_objects", "large_bytes" };
	const struct side_row *any = any_of(change), *a = change->a, *b = change->b;
	const struct table *table = &tables[any->table];
	s64 step;
	u32 end = largest_step(change, figure, &step);
	struct shown shown = {
		.table = table->key,
		.name = any->name,
		.cache = any->cache,
		.kind = kind_of_change(change),
		.figure = table->figures[figure],
		.from = any->table == TABLE_SITES ? FROM_MEASURED : from_of_both(c),
		.a = value_at(a, figure, NR_PARTS),
		.b = value_at(b, figure, NR_PARTS),
		.change = change_in(change, figure),
		.step = step,
		.first_a = a ? a->first_op : NO_EVENT,
		.first_b = b ? b->first_op : NO_EVENT,
		.peak_a = a ? a->peak_op : NO_EVENT,
		.peak_b = b ? b->peak_op : NO_EVENT,
		.step_from_a = end ? c->side[0].at[end - 1] : NO_EVENT,
		.step_end_a = end ? c->side[0].at[end] : NO_EVENT,
		.step_from_b = end ? c->side[1].at[end - 1] : NO_EVENT,
		.step_end_b = end ? c->side[1].at[end] : NO_EVENT,
	};
	/* A table of single figures names them in its rows. */
	const char *what = table->figures[1] ? shown.figure : shown.name;

	for (u32 i = 0; i < ARRAY_SIZE(measured); i++)
		if (strcmp(what, measured[i]) == 0)
			shown.from = FROM_MEASURED;
	if (any->table == TABLE_COUNTERS || strstr(what, "cycles"))
		shown.from = KMEM_NONE;
	return shown;
}

static void answer_side(struct doc *d, const struct side *side, const char *key)
{
	const struct host *h = &side->host;
	const struct kmem_report *r = kmem_report(h->session);

	d->base = h->base;
	doc_object(d, key);
	doc_text(d, "trace", h->trace);
	if (d->form == DOC_JSON)
		doc_report(d, h);
	doc_say(d, "  %c  %s: %s", *key - 'a' + 'A', plain(h->trace),
		counted(kmem_nr_ops(h->session), "event").s);
	if (r->time_last > r->time_first && r->time_is_ns)
		doc_say(d, " in %s", seconds(r->time_last - r->time_first).s);
	doc_text(d, "machine", kmem_machine_text(h->session));
	doc_say(d, "\n     %s\n", kmem_machine_text(h->session));
	doc_measured(d, h, 5);
	doc_kernel(d, h, 5);
	doc_replay_sampling(d, h);
	doc_bool(d, "cache_names", !side->lacks_names);
	doc_end(d);
}

/* In text */

static void say_right(struct doc *d, const char *text)
{
	doc_say(d, "%*s%s", (int)(NUMBER_WIDTH - MIN(characters(text), (u32)NUMBER_WIDTH)), "",
		text);
}

static void say_differences(struct doc *d, const struct side *a, const struct side *b)
{
	const struct kernel x = kernel_of(&a->host), y = kernel_of(&b->host);

	if (strcmp(x.preset, y.preset) != 0)
		doc_line(
			d,
			"\n  Each trace is replayed on its own kernel: --preset NAME replays both on one.");
	if (!x.warm.slabs != !y.warm.slabs)
		doc_line(
			d,
			"\n  %c starts from empty, the other with slabs from before its trace: --cold starts both from empty.",
			x.warm.slabs ? 'B' : 'A');
	if (a->lacks_names != b->lacks_names)
		doc_line(
			d,
			"\n  Caches of %c without a recorded name are named by the size of a slot:\n"
			"  a cache that both traces use can be listed as appeared and as vanished.",
			a->lacks_names ? 'A' : 'B');
}

static void say_event(struct doc *d, const char *what, u32 op_a, u32 op_b)
{
	if (op_a == NO_EVENT && op_b == NO_EVENT)
		return;
	doc_say(d, "      %s:", what);
	if (op_a != NO_EVENT)
		doc_say(d, " event %s of A", event_number(op_a).s);
	if (op_b != NO_EVENT)
		doc_say(d, "%s event %s of B", op_a != NO_EVENT ? "," : "", event_number(op_b).s);
	doc_gap(d);
}

static void say_range(struct doc *d, const char *between, u32 from, u32 end, char letter)
{
	if (from == end)
		doc_say(d, "%snone of %c", between, letter);
	else
		doc_say(d, "%sevents %s to %s of %c", between, event_number(from).s, grouped(end).s,
			letter);
}

/* A row with the events that explain it. */
static void say_row(struct doc *d, const struct change *change, const struct shown *shown)
{
	const struct side_row *a = change->a, *b = change->b;

	doc_say(d, "  %-*s", NAME_WIDTH, plain(shown->name));
	say_right(d, a ? grouped(shown->a).s : NO_NUMBER);
	say_right(d, b ? grouped(shown->b).s : NO_NUMBER);
	say_right(d, signed_number(shown->change).s);
	doc_say(d, "  %s", shown->from == KMEM_NONE ? "" : mark(shown->from));
	if (!a || !b)
		doc_say(d, "  %s", shown->kind);
	doc_gap(d);
	if (*shown->cache)
		doc_line(d, "      of %s", plain(shown->cache));
	if (a && b && strcmp(a->name, b->name) != 0)
		doc_line(d, "      joined by function: %s in B, another build", plain(b->name));
	say_event(d, "first used", shown->first_a, shown->first_b);
	say_event(d, any_of(change)->table == TABLE_CACHES ? "most slabs" : "most live objects",
		  shown->peak_a, shown->peak_b);
	if (!shown->step)
		return;
	doc_say(d, "      largest step %s", signed_number(shown->step).s);
	say_range(d, ": ", shown->step_from_a, shown->step_end_a, 'A');
	say_range(d, ", ", shown->step_from_b, shown->step_end_b, 'B');
	doc_gap(d);
}

static void say_summary(struct doc *d, const struct against *c, u32 first, u32 end)
{
	static const char *const kinds[] = { "appeared", "vanished", "grew", "shrank", "same" };
	const struct table *table = &tables[any_of(&c->changes[first])->table];
	const char *between = "";

	doc_say(d, "\n%s: ", table->title);
	for (u32 k = 0; k < ARRAY_SIZE(kinds); k++) {
		u32 nr = 0;
		for (u32 i = first; i < end; i++)
			nr += strcmp(kind_of_change(&c->changes[i]), kinds[k]) == 0;
		if (!nr)
			continue;
		doc_say(d, "%s%s %s", between, grouped(nr).s, kinds[k]);
		between = ", ";
	}
	doc_say(d, "\n  %-*s", NAME_WIDTH, table->figures[0]);
	say_right(d, "A");
	say_right(d, "B");
	say_right(d, "change");
	doc_gap(d);
}

/* The rows of one table. */
static void say_changes(struct doc *d, const struct against *c, u32 first, u32 end)
{
	u32 nr = 0, most = (u32)option_or(c->args, "count", DEFAULT_ROWS);

	say_summary(d, c, first, end);
	for (u32 i = first; i < end; i++) {
		const struct shown shown = shown_of(c, &c->changes[i], 0);
		if (strcmp(shown.kind, "same") != 0 && nr++ < most)
			say_row(d, &c->changes[i], &shown);
	}
	if (nr > most)
		doc_line(d, "  ... and %s that changed less: --count K, --csv",
			 counted(nr - most, "row").s);
}

static void say_curves(struct doc *d, const struct against *c, const struct change *curves)
{
	static const char *const heads[] = { "event of A", "event of B", "A", "B", "B − A" };

	doc_line(d, "\nbytes in slabs over the run (%s), aligned by %s", mark(from_of_both(c)),
		 c->align);
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		say_right(d, heads[i]);
	doc_gap(d);
	for (u32 i = 0; i < NR_POINTS; i += CURVE_STEP) {
		u64 a = value_at(curves->a, 0, i), b = value_at(curves->b, 0, i);
		say_right(d, grouped(c->side[0].at[i]).s);
		say_right(d, grouped(c->side[1].at[i]).s);
		say_right(d, grouped(a).s);
		say_right(d, grouped(b).s);
		say_right(d, signed_number((s64)(b - a)).s);
		doc_gap(d);
	}
}

/* In the other forms */

static void answer_ops(struct doc *d, const char *key, u32 a, u32 b)
{
	doc_row(d, key);
	doc_number_or_null(d, "a", a, NO_EVENT);
	doc_number_or_null(d, "b", b, NO_EVENT);
	doc_end(d);
}

static const struct column figure_members[] = {
	CELL("a", shown, a, DIGITS, IN_JSON),
	CELL("b", shown, b, DIGITS, IN_JSON),
	CELL("change", shown, change, DIGITS, IN_JSON),
};

static const struct column step_members[] = {
	CELL("change", shown, step, DIGITS, IN_JSON),
	CELL("a_from_op", shown, step_from_a, DIGITS, IN_JSON),
	CELL("a_end_op", shown, step_end_a, DIGITS, IN_JSON),
	CELL("b_from_op", shown, step_from_b, DIGITS, IN_JSON),
	CELL("b_end_op", shown, step_end_b, DIGITS, IN_JSON),
};

/* A figure, which is a row of CSV. */
static void answer_figure(struct doc *d, const struct shown *shown)
{
	doc_row(d, shown->figure);
	doc_members(d, figure_members, shown->is_position ? 2 : 3, shown);
	if (shown->step) {
		doc_row(d, "largest_step");
		doc_members(d, step_members, ARRAY_SIZE(step_members), shown);
		doc_end(d);
	} else if (!shown->is_position) {
		doc_null(d, "largest_step");
	}
	doc_end(d);
	if (doc_has_rows(d))
		doc_cells(d, columns, ARRAY_SIZE(columns), shown);
}

static void answer_change(struct doc *d, const struct against *c, const struct change *change)
{
	const struct side_row *any = any_of(change), *a = change->a, *b = change->b;
	struct shown shown = shown_of(c, change, 0);

	doc_object(d, NULL);
	doc_text(d, "name", shown.name);
	if (*shown.cache)
		doc_text(d, "cache", shown.cache);
	if (a && b && strcmp(a->name, b->name) != 0)
		doc_text(d, "name_in_b", b->name);
	doc_text(d, "kind", shown.kind);
	if (shown.from == FROM_MEASURED)
		doc_from(d, FROM_MEASURED);
	for (u32 f = 0; f < MAX_FIGURES && tables[any->table].figures[f]; f++) {
		shown = shown_of(c, change, f);
		answer_figure(d, &shown);
	}
	if (any->table == TABLE_CACHES || any->table == TABLE_SITES) {
		answer_ops(d, "first_op", shown.first_a, shown.first_b);
		answer_ops(d, "peak_op", shown.peak_a, shown.peak_b);
	}
	doc_end(d);
}

/* Every aligned position. In CSV `name` is its part of the run, and step_end_op the events done there. */
static void answer_curves(struct doc *d, const struct against *c, const struct change *curves)
{
	char part[16];

	doc_array(d, tables[TABLE_CURVES].key);
	for (u32 i = 0; i < NR_POINTS; i++) {
		snprintf(part, sizeof(part), "%u", i);
		doc_row(d, NULL);
		doc_number(d, "a_events", c->side[0].at[i]);
		doc_number(d, "b_events", c->side[1].at[i]);
		for (u32 f = 0; f < MAX_FIGURES && tables[TABLE_CURVES].figures[f]; f++) {
			struct shown shown = shown_of(c, curves, f);
			shown.table = "position";
			shown.name = part;
			shown.cache = shown.kind = "";
			shown.a = value_at(curves->a, f, i);
			shown.b = value_at(curves->b, f, i);
			shown.change = (s64)(shown.b - shown.a);
			shown.step = 0;
			shown.step_from_a = shown.step_from_b = NO_EVENT;
			shown.step_end_a = c->side[0].at[i];
			shown.step_end_b = c->side[1].at[i];
			shown.is_position = 1;
			answer_figure(d, &shown);
		}
		doc_end(d);
	}
	doc_end(d);
}

static void answer(struct doc *d, const struct against *c)
{
	/* The only row of its table, which is the last. */
	const struct change *curves = &c->changes[c->nr - 1];
	u32 first = 0, end;

	d->same[0] = c->side[0].host.trace;
	d->same[1] = c->side[1].host.trace;
	doc_object(d, NULL);
	answer_side(d, &c->side[0], "a");
	answer_side(d, &c->side[1], "b");
	doc_text(d, "align", c->align);
	doc_from(d, from_of_both(c));
	doc_from_of(d, "requested_bytes=measured,live_objects=measured");
	if (d->form == DOC_TEXT) {
		say_differences(d, &c->side[0], &c->side[1]);
		say_curves(d, c, curves);
	}
	doc_head(d, doc_has_rows(d) ? columns : NULL, doc_has_rows(d) ? ARRAY_SIZE(columns) : 0);
	for (u32 t = 0; t < TABLE_CURVES + (u32)doc_has_rows(d); t++, first = end) {
		for (end = first; end < c->nr && any_of(&c->changes[end])->table == t;)
			end++;
		if (d->form == DOC_TEXT && end > first)
			say_changes(d, c, first, end);
		doc_array(d, tables[t].key);
		for (u32 i = first; d->form != DOC_TEXT && i < end; i++)
			answer_change(d, c, &c->changes[i]);
		doc_end(d);
	}
	if (d->form != DOC_TEXT)
		answer_curves(d, c, curves);
	doc_end(d);
}

/* Two kernels have two files of symbols: --kallsyms A,B. A single file is the first trace's. */
static void symbols_of_side(struct args *own, int is_second, char *room)
{
	const char *both = option_text(own, "kallsyms"), *comma = both ? strchr(both, ',') : NULL;

	if (!both)
		return;
	if (snprintf(room, MAX_SYMBOLS_BYTES, "%.*s", (int)strcspn(both, ","), both) >=
	    MAX_SYMBOLS_BYTES)
		refuse_call("--kallsyms %.40s: this path is too long", both);
	option_put(own, "kallsyms", !is_second ? room : comma ? comma + 1 : NULL);
}

/* Replays one trace, with an index. */
static void open_side(struct side *side, const struct args *args, const char *trace)
{
	struct args own = *args;
	char symbols[MAX_SYMBOLS_BYTES];

	own.trace = trace;
	symbols_of_side(&own, trace != args->trace, symbols);
	host_import(&side->host, &own, NULL);
	host_build(&side->host);
	host_index(&side->host);
}

int compare_against(const struct args *args)
{
	static struct against c;
	const char *other = option_text(args, "against");

	if (args->nr_with)
		refuse_call(
			"--against compares two traces on one machine, and --with one trace on several "
			"machines: give one of them");
	if (strcmp(args->trace, "-") == 0 && strcmp(other, "-") == 0)
		refuse_call("--against -: standard input is the first trace; name a file");
	c.args = args;
	c.align = align_named(option_text_or(args, "align", "share"));
	open_side(&c.side[0], args, args->trace);
	open_side(&c.side[1], args, other);
	against_compare(&c);
	struct doc d = host_doc(NULL, asked_form(args));
	answer(&d, &c);
	int a = host_verdict(&c.side[0].host), b = host_verdict(&c.side[1].host);
	return a ? a : b;
}
