/*
 * compare_against.c - `slabscope compare A --against B`: two traces, each on a session of its own.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "cli/print.h"
#include "cli/commands/compare.h"

enum {
	DEFAULT_ROWS = 12,
	NAME_WIDTH = 30,
	NUMBER_WIDTH = 15,
	CURVE_STEP = 8,
	MAX_SYMBOLS_BYTES = 4096
};

#define REGION_BYTES (((u64)4 << 30) - KMEM_REGION_ALIGN_BYTES)

struct against {
	struct host side[2];
	const struct args *args;
	u32 align;	/* enum kmem_align */
	const u8 *base; /* of the comparison's region */
	const struct kmem_differences *found;
	const struct kmem_difference *rows;
	const u64 (*curves)[2][KMEM_COMPARE_POINTS];
	const u32 *at[2]; /* events done at each aligned position */
};

static struct grouped signed_number(s64 n)
{
	struct grouped magnitude = grouped((u64)llabs(n)), g;

	snprintf(g.s, sizeof(g.s), "%s%.40s", n > 0 ? "+" : n < 0 ? "−" : "", magnitude.s);
	return g;
}

/* The mark of both sides: a guess if either side is. */
static u32 from_of_both(const struct against *c)
{
	return MAX(kmem_from(c->side[0].session), kmem_from(c->side[1].session));
}

static const char *text_of(const struct against *c, u32 at)
{
	return at ? (const char *)c->base + at : "";
}

/* One number of a row, or of both traces at a position. */
struct shown {
	struct kmem_difference row;
	struct kmem_difference_amount of;
	u32 from; /* the mark; KMEM_NONE for numbers that are no memory */
	u32 point;
};

static struct shown shown_of(const struct against *c, const struct kmem_difference *row, u32 i)
{
	static const char *const measured[] = { "requested_bytes", "live_objects", "large_bytes" };
	const struct kmem_difference_amount *of = (const void *)(c->base + row->amounts_at);
	struct shown shown = { *row, of[i],
			       row->table == COMPARED_SITES ? FROM_MEASURED : from_of_both(c), 0 };
	/* A table of single numbers names them in its rows. */
	struct lower what = enum_name("kmem_amount", of[i].amount);
	const char *name = row->nr_amounts > 1 ? what.s : text_of(c, row->name_at);

	for (u32 k = 0; k < ARRAY_SIZE(measured); k++)
		if (strcmp(name, measured[k]) == 0)
			shown.from = FROM_MEASURED;
	if (row->table == COMPARED_COUNTERS || strstr(name, "cycles"))
		shown.from = KMEM_NONE;
	return shown;
}

static const char *from_of(const struct doc *d, const void *row)
{
	u32 from = ((const struct shown *)row)->from;

	(void)d;
	return from == KMEM_NONE ? "" : from_name(from);
}

#define OP_CELL(key, field) CELL(key, shown, field, DIGITS, IN_CSV | OR_NULL)
#define FIRST_COLUMNS COLUMN_SAME("trace_a", 0, IN_CSV), COLUMN_SAME("trace_b", 1, IN_CSV)
#define NUMBER_COLUMNS                                                                          \
	CELL_OF("kmem_amount", "figure", shown, of.amount, IN_CSV),                             \
		CELL("a", shown, of.a, DIGITS, IN_CSV), CELL("b", shown, of.b, DIGITS, IN_CSV), \
		CELL("change", shown, of.change, DIGITS, IN_CSV)
static const struct column columns[] = {
	FIRST_COLUMNS,
	CELL_OF("kmem_compared", "table", shown, row.table, IN_CSV),
	CELL("name", shown, row.name_at, TEXT_AT, IN_CSV),
	CELL("cache", shown, row.cache_at, TEXT_AT, IN_CSV),
	CELL_OF("kmem_changed", "kind", shown, row.kind, IN_CSV),
	NUMBER_COLUMNS,
	OP_CELL("first_op_a", row.first_a),
	OP_CELL("first_op_b", row.first_b),
	OP_CELL("peak_op_a", row.peak_a),
	OP_CELL("peak_op_b", row.peak_b),
	CELL("largest_step", shown, of.step, DIGITS, IN_CSV),
	OP_CELL("step_from_op_a", of.step_from_a),
	OP_CELL("step_end_op_a", of.step_end_a),
	OP_CELL("step_from_op_b", of.step_from_b),
	OP_CELL("step_end_op_b", of.step_end_b),
	CELL_SAID("from", from_of, IN_CSV),
};

/* The same of a position: its part of the run, and the events done there. */
#define EMPTY COLUMN_SAME(NULL, 3, IN_CSV)
static const struct column position_columns[] = {
	FIRST_COLUMNS,
	COLUMN_SAME(NULL, 2, IN_CSV),
	CELL(NULL, shown, point, DIGITS, IN_CSV),
	EMPTY,
	EMPTY,
	NUMBER_COLUMNS,
	EMPTY,
	EMPTY,
	EMPTY,
	EMPTY,
	EMPTY,
	EMPTY,
	OP_CELL(NULL, of.step_end_a),
	EMPTY,
	OP_CELL(NULL, of.step_end_b),
	CELL_SAID(NULL, from_of, IN_CSV),
};
_Static_assert(ARRAY_SIZE(columns) == ARRAY_SIZE(position_columns), "one head for both");

/* Whether the recorder printed no cache names: import then calls caches by the size of a slot. */
static int lacks_names(const struct against *c, u32 which)
{
	for (u32 i = 0; i < c->found->nr_rows; i++)
		if (c->rows[i].table == COMPARED_CACHES &&
		    c->rows[i].kind != (which ? CHANGED_VANISHED : CHANGED_APPEARED) &&
		    strncmp(text_of(c, c->rows[i].name_at), "size-", strlen("size-")) == 0)
			return 1;
	return 0;
}

static void answer_side(struct doc *d, const struct against *c, u32 which)
{
	const struct host *h = &c->side[which];
	const struct kmem_report *r = kmem_report(h->session);

	d->base = h->base;
	doc_object(d, which ? "b" : "a");
	doc_text(d, "trace", h->trace);
	if (d->form == DOC_JSON)
		doc_report(d, h);
	doc_say(d, "  %c  %s: %s", 'A' + (char)which, plain(h->trace),
		counted(kmem_nr_ops(h->session), "event").s);
	if (r->time_last > r->time_first && r->time_is_ns)
		doc_say(d, " in %s", seconds(r->time_last - r->time_first).s);
	doc_text(d, "machine", kmem_machine_text(h->session));
	doc_say(d, "\n     %s\n", kmem_machine_text(h->session));
	doc_measured(d, h, 5);
	doc_kernel(d, h, 5);
	doc_replay_sampling(d, h);
	doc_bool(d, "cache_names", !lacks_names(c, which));
	doc_end(d);
}

/* In text */

static void say_right(struct doc *d, const char *text)
{
	doc_say(d, "%*s%s", (int)(NUMBER_WIDTH - MIN(characters(text), (u32)NUMBER_WIDTH)), "",
		text);
}

static void say_differences(struct doc *d, const struct against *c)
{
	const struct kernel a = kernel_of(&c->side[0]), b = kernel_of(&c->side[1]);
	int a_lacks = lacks_names(c, 0);

	if (strcmp(a.preset, b.preset) != 0)
		doc_line(
			d,
			"\n  Each trace is replayed on its own kernel: --preset NAME replays both on one.");
	if (!a.warm.slabs != !b.warm.slabs)
		doc_line(
			d,
			"\n  %c starts from empty, the other with slabs from before its trace: --cold starts both from empty.",
			a.warm.slabs ? 'B' : 'A');
	if (a_lacks != lacks_names(c, 1))
		doc_line(
			d,
			"\n  Caches of %c without a recorded name are named by the size of a slot:\n"
			"  a cache that both traces use can be listed as appeared and as vanished.",
			a_lacks ? 'A' : 'B');
}

static void say_event(struct doc *d, const char *what, u32 op_a, u32 op_b)
{
	if (op_a == KMEM_NONE32 && op_b == KMEM_NONE32)
		return;
	doc_say(d, "      %s:", what);
	if (op_a != KMEM_NONE32)
		doc_say(d, " event %s of A", event_number(op_a).s);
	if (op_b != KMEM_NONE32)
		doc_say(d, "%s event %s of B", op_a != KMEM_NONE32 ? "," : "",
			event_number(op_b).s);
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
static void say_row(struct doc *d, const struct against *c, const struct shown *shown)
{
	const struct kmem_difference *row = &shown->row;
	const struct kmem_difference_amount *of = &shown->of;
	int has_a = row->kind != CHANGED_APPEARED, has_b = row->kind != CHANGED_VANISHED;

	doc_say(d, "  %-*s", NAME_WIDTH, plain(text_of(c, row->name_at)));
	say_right(d, has_a ? grouped(of->a).s : NO_NUMBER);
	say_right(d, has_b ? grouped(of->b).s : NO_NUMBER);
	say_right(d, signed_number(of->change).s);
	doc_say(d, "  %s", shown->from == KMEM_NONE ? "" : mark(shown->from));
	if (!has_a || !has_b)
		doc_say(d, "  %s", enum_words("kmem_changed", row->kind));
	doc_gap(d);
	if (row->cache_at)
		doc_line(d, "      of %s", plain(text_of(c, row->cache_at)));
	if (row->name_in_b_at)
		doc_line(d, "      matched by function: %s in B, another build",
			 plain(text_of(c, row->name_in_b_at)));
	say_event(d, "first used", row->first_a, row->first_b);
	say_event(d, row->table == COMPARED_CACHES ? "most slabs" : "most live objects",
		  row->peak_a, row->peak_b);
	if (!of->step)
		return;
	doc_say(d, "      largest step %s", signed_number(of->step).s);
	say_range(d, ": ", of->step_from_a, of->step_end_a, 'A');
	say_range(d, ", ", of->step_from_b, of->step_end_b, 'B');
	doc_gap(d);
}

/* The rows of one table. */
static void say_changes(struct doc *d, const struct against *c, u32 first, u32 end)
{
	u32 nr = 0, most = (u32)option_or(c->args, "count", DEFAULT_ROWS),
	    of_kind[NR_VALUES(kmem_changed)] = { 0 };
	const char *between = "";

	for (u32 i = first; i < end; i++)
		of_kind[c->rows[i].kind]++;
	doc_say(d, "\n%s: ", enum_words("kmem_compared", c->rows[first].table));
	for (u32 k = 0; k < ARRAY_SIZE(of_kind); k++) {
		if (!of_kind[k])
			continue;
		doc_say(d, "%s%s %s", between, grouped(of_kind[k]).s,
			enum_words("kmem_changed", k));
		between = ", ";
	}
	doc_say(d, "\n  %-*s", NAME_WIDTH,
		enum_name("kmem_amount", shown_of(c, &c->rows[first], 0).of.amount).s);
	say_right(d, "A");
	say_right(d, "B");
	say_right(d, "change");
	doc_gap(d);
	for (u32 i = first; i < end; i++) {
		const struct shown shown = shown_of(c, &c->rows[i], 0);
		if (shown.row.kind != CHANGED_SAME && nr++ < most)
			say_row(d, c, &shown);
	}
	if (nr > most)
		doc_line(d, "  ... and %s that changed less: --count K and --csv show more",
			 counted(nr - most, "row").s);
}

static void say_curves(struct doc *d, const struct against *c)
{
	static const char *const heads[] = { "event of A", "event of B", "A", "B", "B − A" };

	doc_line(d, "\nbytes in slabs over the run (%s), aligned by %s", mark(from_of_both(c)),
		 enum_name("kmem_align", c->align).s);
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		say_right(d, heads[i]);
	doc_gap(d);
	for (u32 i = 0; i < KMEM_COMPARE_POINTS; i += CURVE_STEP) {
		u64 a = c->curves[0][0][i], b = c->curves[0][1][i];
		say_right(d, grouped(c->at[0][i]).s);
		say_right(d, grouped(c->at[1][i]).s);
		say_right(d, grouped(a).s);
		say_right(d, grouped(b).s);
		say_right(d, signed_number((s64)(b - a)).s);
		doc_gap(d);
	}
}

/* In the other forms */

static void answer_row(struct doc *d, const struct against *c, const struct kmem_difference *row)
{
	struct shown shown = shown_of(c, row, 0);

	doc_object(d, NULL);
	doc_text(d, "name", text_of(c, row->name_at));
	if (row->cache_at)
		doc_text(d, "cache", text_of(c, row->cache_at));
	if (row->name_in_b_at)
		doc_text(d, "name_in_b", text_of(c, row->name_in_b_at));
	doc_text(d, "kind", enum_words("kmem_changed", row->kind));
	if (shown.from == FROM_MEASURED)
		doc_from(d, FROM_MEASURED);
	for (u32 i = 0; i < row->nr_amounts; i++) {
		shown = shown_of(c, row, i);
		doc_row(d, enum_name("kmem_amount", shown.of.amount).s);
		doc_fields(d, ROW(kmem_difference_amount, &shown.of), "a,b,change");
		if (shown.of.step) {
			doc_row(d, "largest_step");
			doc_fields(d, ROW(kmem_difference_amount, &shown.of),
				   "change=step,a_from_op=step_from_a,a_end_op=step_end_a,"
				   "b_from_op=step_from_b,b_end_op=step_end_b");
			doc_end(d);
		} else {
			doc_null(d, "largest_step");
		}
		doc_end(d);
		if (doc_has_rows(d))
			doc_cells(d, columns, ARRAY_SIZE(columns), &shown);
	}
	if (row->table == COMPARED_CACHES || row->table == COMPARED_SITES) {
		doc_row(d, "first_op");
		doc_number_or_null(d, "a", row->first_a, KMEM_NONE32);
		doc_number_or_null(d, "b", row->first_b, KMEM_NONE32);
		doc_end(d);
		doc_row(d, "peak_op");
		doc_number_or_null(d, "a", row->peak_a, KMEM_NONE32);
		doc_number_or_null(d, "b", row->peak_b, KMEM_NONE32);
		doc_end(d);
	}
	doc_end(d);
}

/* Every aligned position. */
static void answer_curves(struct doc *d, const struct against *c,
			  const struct kmem_difference *curves)
{
	doc_array(d, "curves");
	for (u32 i = 0; i < KMEM_COMPARE_POINTS; i++) {
		doc_row(d, NULL);
		doc_number(d, "a_events", c->at[0][i]);
		doc_number(d, "b_events", c->at[1][i]);
		for (u32 k = 0; k < curves->nr_amounts; k++) {
			struct shown shown = shown_of(c, curves, k);
			shown.point = i;
			shown.of.a = c->curves[k][0][i];
			shown.of.b = c->curves[k][1][i];
			shown.of.change = (s64)(shown.of.b - shown.of.a);
			shown.of.step_end_a = c->at[0][i];
			shown.of.step_end_b = c->at[1][i];
			doc_row(d, enum_name("kmem_amount", shown.of.amount).s);
			doc_fields(d, ROW(kmem_difference_amount, &shown.of), "a,b");
			doc_end(d);
			if (doc_has_rows(d))
				doc_cells(d, position_columns, ARRAY_SIZE(position_columns),
					  &shown);
		}
		doc_end(d);
	}
	doc_end(d);
}

static void answer(struct doc *d, const struct against *c)
{
	u32 nr = c->found->nr_rows, first = 0, end;
	const char *const same[] = { c->side[0].trace, c->side[1].trace, "position", "" };

	memcpy(d->same, same, sizeof(same));
	doc_object(d, NULL);
	answer_side(d, c, 0);
	answer_side(d, c, 1);
	d->base = c->base;
	doc_text(d, "align", enum_name("kmem_align", c->align).s);
	doc_from(d, from_of_both(c));
	doc_from_of(d, "requested_bytes=measured,live_objects=measured");
	if (d->form == DOC_TEXT) {
		say_differences(d, c);
		say_curves(d, c);
	} else {
		doc_head(d, columns, ARRAY_SIZE(columns));
	}
	for (u32 t = 0; t < COMPARED_CURVES + (u32)doc_has_rows(d); t++, first = end) {
		for (end = first; end < nr && c->rows[end].table == t;)
			end++;
		if (d->form == DOC_TEXT && end > first)
			say_changes(d, c, first, end);
		doc_array(d, enum_name("kmem_compared", t).s);
		for (u32 i = first; d->form != DOC_TEXT && i < end; i++)
			answer_row(d, c, &c->rows[i]);
		doc_end(d);
	}
	/* The last row is the only one of its table. */
	if (d->form != DOC_TEXT)
		answer_curves(d, c, &c->rows[nr - 1]);
	doc_end(d);
}

/* The comparison */

static u32 find_align(const struct args *args)
{
	const char *name = option_text_or(args, "align", "share");

	for (u32 i = 0; i < NR_VALUES(kmem_align); i++)
		if (strcmp(name, enum_name("kmem_align", i).s) == 0)
			return i;
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
static void open_side(struct host *h, const struct args *args, const char *trace)
{
	struct args own = *args;
	char symbols[MAX_SYMBOLS_BYTES];

	own.trace = trace;
	symbols_of_side(&own, trace != args->trace, symbols);
	host_import(h, &own, NULL);
	host_build(h);
	host_index(h);
}

/* The longer of both traces in events, or in time. */
static u64 longest(struct against *c)
{
	const struct kmem_report *r[2];
	u64 length[2];

	for (u32 i = 0; i < 2; i++) {
		r[i] = kmem_report(c->side[i].session);
		length[i] = r[i]->time_last - r[i]->time_first;
		if (c->align != ALIGN_TIME)
			length[i] = kmem_nr_ops(c->side[i].session);
		else if (!length[i])
			refuse_call("--align time: %s has no times; align by event or by share",
				    c->side[i].trace);
	}
	if (c->align == ALIGN_TIME && r[0]->time_is_ns != r[1]->time_is_ns)
		refuse_call(
			"--align time: one trace has nanoseconds and the other has ticks of an unknown clock; "
			"align by event or by share");
	return MAX(length[0], length[1]);
}

static void add_part(struct kmem_compare *to, struct host *h, u32 which, u32 part)
{
	u32 len;
	const u8 *bytes = kmem_side(h->session, part, &len);
	u8 *copy = bytes ? kmem_compare_part(to, which, part, kmem_position(h->session), len)
			 : NULL;

	if (!copy)
		give_up("not enough memory for the numbers of two traces");
	memcpy(copy, bytes, len);
}

static void add_side(struct kmem_compare *to, struct against *c, u32 which, u64 whole)
{
	const struct kmem_sites_args all = { .by = 1u << SITES_BY_SITE | 1u << SITES_BY_CACHE,
					     .cpu = KMEM_ANY,
					     .node = KMEM_ANY,
					     .end_op = KMEM_NONE32 };
	struct host *h = &c->side[which];

	for (u32 i = 0; i < KMEM_COMPARE_POINTS; i++) {
		u32 at = kmem_side_at(h->session, c->align, whole, i);
		host_must(h, kmem_seek(h->session, at));
		add_part(to, h, which, SIDE_VALUES);
		progress(h, "comparing", i, KMEM_COMPARE_POINTS - 1);
	}
	progress_end(h);
	add_part(to, h, which, SIDE_ROWS);
	/* Free the index to make room for them. */
	host_finish(h, JOB_SITES, &all, "counting call sites");
	add_part(to, h, which, SIDE_SITES);
}

static void compare(struct against *c)
{
	void *region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	u64 whole = longest(c);

	if (region == MAP_FAILED)
		give_up("not enough memory for the numbers of two traces");
	struct kmem_compare *of = kmem_compare_open(region, REGION_BYTES);
	add_side(of, c, 0, whole);
	add_side(of, c, 1, whole);
	c->base = region;
	c->found = kmem_compare(of);
	if (!c->found)
		give_up("not enough memory for the numbers of two traces");
	c->rows = (const void *)(c->base + c->found->rows_at);
	c->curves = (const void *)(c->base + c->found->curves_at);
	c->at[0] = (const void *)(c->base + c->found->at_a_at);
	c->at[1] = (const void *)(c->base + c->found->at_b_at);
}

int compare_against(const struct args *args)
{
	static struct against c;
	const char *other = option_text(args, "against");

	if (args->nr_with)
		refuse_call(
			"--against compares two traces on one machine, and --with one trace on several "
			"machines: give only one of them");
	if (strcmp(args->trace, "-") == 0 && strcmp(other, "-") == 0)
		refuse_call("--against -: standard input is already the first trace; name a file");
	c.args = args;
	c.align = find_align(args);
	open_side(&c.side[0], args, args->trace);
	open_side(&c.side[1], args, other);
	compare(&c);
	struct doc d = host_doc(NULL, asked_form(args));
	answer(&d, &c);
	int a = host_verdict(&c.side[0]), b = host_verdict(&c.side[1]);
	return a ? a : b;
}
