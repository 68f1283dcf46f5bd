/*
 * compare_against.c - `slabscope compare A --against B`: two traces, each on a session of its own.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/print.h"
#include "cli/commands/compare.h"

enum {
	DEFAULT_ROWS = 12,
	NAME_WIDTH = 30,
	NUMBER_WIDTH = 15,
	CURVE_STEP = 8,
	MAX_SYMBOLS_BYTES = 4096
};

static const struct side_row *any_of(const struct change_row *row)
{
	return row->a ? row->a : row->b;
}

static struct grouped signed_number(s64 n)
{
	struct grouped magnitude = grouped((u64)llabs(n)), g;

	snprintf(g.s, sizeof(g.s), "%s%.40s", n > 0 ? "+" : n < 0 ? "−" : "", magnitude.s);
	return g;
}

/* The mark of both sides: a guess as soon as one of them is. */
static u32 from_of_both(const struct against *c)
{
	return MAX(kmem_from(c->a.host.session), kmem_from(c->b.host.session));
}

/* The mark of a row's figure; KMEM_NONE for those that are no memory. A table of single figures names them in its rows. */
static u32 figure_from(const struct against *c, const struct change_row *row, enum table_id table,
		       u32 figure)
{
	static const char *const measured[] = { "requested_bytes", "live_objects", "large_bytes" };
	const struct table_def *def = &table_defs[table];
	const char *name = def->nr_figures > 1 ? def->figures[figure] : any_of(row)->name;

	if (table == TABLE_COUNTERS || strstr(name, "cycles"))
		return KMEM_NONE;
	for (u32 i = 0; i < ARRAY_SIZE(measured); i++)
		if (table == TABLE_SITES || strcmp(name, measured[i]) == 0)
			return FROM_MEASURED;
	return from_of_both(c);
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
	doc_bool(d, "cache_names", !side_lacks_names(side));
	doc_end(d);
}

static void say_right(struct doc *d, const char *text)
{
	doc_say(d, "%*s%s", (int)(NUMBER_WIDTH - MIN(characters(text), (u32)NUMBER_WIDTH)), "",
		text);
}

static void say_differences(struct doc *d, const struct against *c)
{
	const struct kernel a = kernel_of(&c->a.host), b = kernel_of(&c->b.host);

	if (strcmp(a.preset, b.preset) != 0)
		doc_line(
			d,
			"\n  Each trace is replayed on its own kernel: --preset NAME replays both on one.");
	if (!a.warm.slabs != !b.warm.slabs)
		doc_line(
			d,
			"\n  %c starts from empty, the other with slabs from before its trace: --cold starts both from empty.",
			a.warm.slabs ? 'B' : 'A');
	if (side_lacks_names(&c->a) != side_lacks_names(&c->b))
		doc_line(
			d,
			"\n  Caches of %c without a recorded name are named by the size of a slot:\n"
			"  a cache that both traces use can be listed as appeared and as vanished.",
			side_lacks_names(&c->a) ? 'A' : 'B');
}

/* One number of both traces at the end of the run, with the part of the run in which the difference changed most. */
struct shown {
	const char *table, *name, *cache, *kind, *figure, *from;
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
	CELL("from", shown, from, TEXT, IN_CSV),
};

static struct shown shown_of(const struct against *c, const struct change_row *row,
			     enum table_id table, u32 figure)
{
	const struct side_row *any = any_of(row), *a = row->a, *b = row->b;
	struct step_of_change step = largest_step(row, table, figure);
	u32 from = figure_from(c, row, table, figure);
	int has_step = step.change != 0;

	return (struct shown){
		.table = table_defs[table].key,
		.name = any->name,
		.cache = any->cache,
		.kind = kind_of_change(row, table),
		.figure = table_defs[table].figures[figure],
		.from = from == KMEM_NONE ? "" : from_name(from),
		.a = figure_at_end(a, table, figure),
		.b = figure_at_end(b, table, figure),
		.change = change_in(row, table, figure),
		.step = step.change,
		.first_a = a ? a->first_op : NO_EVENT,
		.first_b = b ? b->first_op : NO_EVENT,
		.peak_a = a ? a->peak_op : NO_EVENT,
		.peak_b = b ? b->peak_op : NO_EVENT,
		.step_from_a = has_step ? c->a.at[step.from] : NO_EVENT,
		.step_end_a = has_step ? c->a.at[step.end] : NO_EVENT,
		.step_from_b = has_step ? c->b.at[step.from] : NO_EVENT,
		.step_end_b = has_step ? c->b.at[step.end] : NO_EVENT,
	};
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

static void say_range(struct doc *d, char letter, u32 from, u32 end)
{
	if (from == end)
		doc_say(d, "none of %c", letter);
	else
		doc_say(d, "events %s to %s of %c", event_number(from).s, grouped(end).s, letter);
}

/* A row with the events that explain it. */
static void say_row(struct doc *d, const struct change_row *row, enum table_id table,
		    const struct shown *shown, u32 from)
{
	doc_say(d, "  %-*s", NAME_WIDTH, plain(shown->name));
	say_right(d, row->a ? grouped(shown->a).s : NO_NUMBER);
	say_right(d, row->b ? grouped(shown->b).s : NO_NUMBER);
	say_right(d, signed_number(shown->change).s);
	doc_say(d, "  %s", from == KMEM_NONE ? "" : mark(from));
	if (!row->a || !row->b)
		doc_say(d, "  %s", shown->kind);
	doc_gap(d);
	if (*shown->cache)
		doc_line(d, "      of %s", plain(shown->cache));
	if (is_of_two_builds(row))
		doc_line(d, "      joined by function: %s in B, another build",
			 plain(row->b->name));
	say_event(d, "first used", shown->first_a, shown->first_b);
	say_event(d, table == TABLE_CACHES ? "most slabs" : "most live objects", shown->peak_a,
		  shown->peak_b);
	if (!shown->step)
		return;
	doc_say(d, "      largest step %s: ", signed_number(shown->step).s);
	say_range(d, 'A', shown->step_from_a, shown->step_end_a);
	doc_say(d, ", ");
	say_range(d, 'B', shown->step_from_b, shown->step_end_b);
	doc_gap(d);
}

static void say_summary(struct doc *d, const struct changes *changes, enum table_id table)
{
	static const char *const kinds[] = { "appeared", "vanished", "grew", "shrank", "same" };
	const char *between = "";

	doc_say(d, "\n%s: ", table_defs[table].title);
	for (u32 k = 0; k < ARRAY_SIZE(kinds); k++) {
		u32 nr = 0;
		for (u32 i = 0; i < changes->nr; i++)
			nr += strcmp(kind_of_change(&changes->rows[i], table), kinds[k]) == 0;
		if (!nr)
			continue;
		doc_say(d, "%s%s %s", between, grouped(nr).s, kinds[k]);
		between = ", ";
	}
	doc_say(d, "\n  %-*s", NAME_WIDTH, table_defs[table].figures[0]);
	say_right(d, "A");
	say_right(d, "B");
	say_right(d, "change");
	doc_gap(d);
}

static void say_changes(struct doc *d, const struct against *c, enum table_id table)
{
	const struct changes *changes = &c->changes[table];
	u32 nr = 0,
	    most = given(c->args, "count") ? (u32)option_number(c->args, "count") : DEFAULT_ROWS;

	if (!changes->nr)
		return;
	say_summary(d, changes, table);
	for (u32 i = 0; i < changes->nr; i++) {
		const struct change_row *row = &changes->rows[i];
		const struct shown shown = shown_of(c, row, table, 0);
		if (strcmp(shown.kind, "same") != 0 && nr++ < most)
			say_row(d, row, table, &shown, figure_from(c, row, table, 0));
	}
	if (nr > most)
		doc_line(d, "  ... and %s that changed less: --count K, --csv",
			 counted(nr - most, "row").s);
}

static void answer_ops(struct doc *d, const char *key, u32 a, u32 b)
{
	doc_row(d, key);
	doc_number_or_null(d, "a", a, NO_EVENT);
	doc_number_or_null(d, "b", b, NO_EVENT);
	doc_end(d);
}

static void answer_figure(struct doc *d, const struct shown *shown)
{
	doc_row(d, shown->figure);
	doc_number(d, "a", shown->a);
	doc_number(d, "b", shown->b);
	doc_signed(d, "change", shown->change);
	if (shown->step) {
		doc_row(d, "largest_step");
		doc_signed(d, "change", shown->step);
		doc_number(d, "a_from_op", shown->step_from_a);
		doc_number(d, "a_end_op", shown->step_end_a);
		doc_number(d, "b_from_op", shown->step_from_b);
		doc_number(d, "b_end_op", shown->step_end_b);
		doc_end(d);
	} else {
		doc_null(d, "largest_step");
	}
	doc_end(d);
}

/* All rows of a table, in CSV a row for each figure. */
static void answer_changes(struct doc *d, const struct against *c, enum table_id table)
{
	const struct changes *changes = &c->changes[table];

	doc_array(d, table_defs[table].key);
	for (u32 i = 0; i < changes->nr; i++) {
		const struct change_row *row = &changes->rows[i];
		struct shown shown = shown_of(c, row, table, 0);
		doc_object(d, NULL);
		doc_text(d, "name", shown.name);
		if (*shown.cache)
			doc_text(d, "cache", shown.cache);
		if (is_of_two_builds(row))
			doc_text(d, "name_in_b", row->b->name);
		doc_text(d, "kind", shown.kind);
		if (figure_from(c, row, table, 0) == FROM_MEASURED)
			doc_from(d, FROM_MEASURED);
		for (u32 f = 0; f < table_defs[table].nr_figures; f++) {
			shown = shown_of(c, row, table, f);
			answer_figure(d, &shown);
			if (doc_has_rows(d))
				doc_cells(d, columns, ARRAY_SIZE(columns), &shown);
		}
		if (table == TABLE_CACHES || table == TABLE_SITES) {
			answer_ops(d, "first_op", shown.first_a, shown.first_b);
			answer_ops(d, "peak_op", shown.peak_a, shown.peak_b);
		}
		doc_end(d);
	}
	doc_end(d);
}

static void say_curves(struct doc *d, const struct against *c)
{
	const struct change_row *row = &c->changes[TABLE_CURVES].rows[0];
	static const char *const heads[] = { "event of A", "event of B", "A", "B", "B − A" };

	doc_line(d, "\nbytes in slabs over the run (%s), aligned by %s", mark(from_of_both(c)),
		 align_names[c->align]);
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		say_right(d, heads[i]);
	doc_gap(d);
	for (u32 i = 0; i < NR_POINTS; i += CURVE_STEP) {
		u64 a = row->a->values[i], b = row->b->values[i];
		say_right(d, grouped(c->a.at[i]).s);
		say_right(d, grouped(c->b.at[i]).s);
		say_right(d, grouped(a).s);
		say_right(d, grouped(b).s);
		say_right(d, signed_number((s64)(b - a)).s);
		doc_gap(d);
	}
}

/* Every aligned position. In CSV `name` is its part of the run, and step_end_op the events done there. */
static void answer_curves(struct doc *d, const struct against *c)
{
	const struct table_def *def = &table_defs[TABLE_CURVES];
	const struct change_row *row = &c->changes[TABLE_CURVES].rows[0];
	char part[16];

	doc_array(d, def->key);
	for (u32 i = 0; i < NR_POINTS; i++) {
		snprintf(part, sizeof(part), "%u", i);
		doc_row(d, NULL);
		doc_number(d, "a_events", c->a.at[i]);
		doc_number(d, "b_events", c->b.at[i]);
		for (u32 f = 0; f < def->nr_figures; f++) {
			u64 a = row->a->values[f * NR_POINTS + i],
			    b = row->b->values[f * NR_POINTS + i];
			u32 from = figure_from(c, row, TABLE_CURVES, f), none = NO_EVENT;
			const struct shown shown = { "position",
						     part,
						     "",
						     "",
						     def->figures[f],
						     from == KMEM_NONE ? "" : from_name(from),
						     a,
						     b,
						     (s64)(b - a),
						     0,
						     none,
						     none,
						     none,
						     none,
						     none,
						     c->a.at[i],
						     none,
						     c->b.at[i],
						     1 };
			doc_row(d, def->figures[f]);
			doc_number(d, "a", a);
			doc_number(d, "b", b);
			doc_end(d);
			if (doc_has_rows(d))
				doc_cells(d, columns, ARRAY_SIZE(columns), &shown);
		}
		doc_end(d);
	}
	doc_end(d);
}

static void answer(struct doc *d, const struct against *c)
{
	d->same[0] = c->a.host.trace;
	d->same[1] = c->b.host.trace;
	doc_object(d, NULL);
	answer_side(d, &c->a, "a");
	answer_side(d, &c->b, "b");
	doc_text(d, "align", align_names[c->align]);
	doc_from(d, from_of_both(c));
	doc_from_of(d, "requested_bytes=measured,live_objects=measured");
	if (d->form == DOC_TEXT) {
		say_differences(d, c);
		say_curves(d, c);
		for (u32 t = 0; t < TABLE_CURVES; t++)
			say_changes(d, c, (enum table_id)t);
		return;
	}
	doc_head(d, columns, ARRAY_SIZE(columns));
	for (u32 t = 0; t < TABLE_CURVES + (u32)doc_has_rows(d); t++)
		answer_changes(d, c, (enum table_id)t);
	answer_curves(d, c);
	doc_end(d);
}

static enum align find_align(const struct args *args)
{
	const char *name = option_text_or(args, "align", align_names[ALIGN_SHARE]);

	for (u32 i = 0; i < NR_ALIGNS; i++)
		if (strcmp(name, align_names[i]) == 0)
			return (enum align)i;
	refuse_call("--align: expected time, event or share; found `%.40s`", name);
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
	c.align = find_align(args);
	open_side(&c.a, args, args->trace);
	open_side(&c.b, args, other);
	sides_align(&c.a, &c.b, c.align);
	side_take(&c.a);
	side_take(&c.b);
	for (u32 t = 0; t < NR_TABLES; t++)
		c.changes[t] = changes_of(&c.a, &c.b, (enum table_id)t);
	struct doc d = host_doc(NULL, asked_form(args));
	answer(&d, &c);
	int a = host_verdict(&c.a.host), b = host_verdict(&c.b.host);
	return a ? a : b;
}
