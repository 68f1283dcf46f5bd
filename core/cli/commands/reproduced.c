/*
 * reproduced.c - the tables of a proposal: in text one line per figure or per row, with the explanation below.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/reproduce.h"
#include "doc/doc.h"

enum { LINE_COLUMNS = 100, VALUE_COLUMNS = 16, MOST_MATRIX_COLUMNS = 3, LEAST_MATRIX_ROWS = 5 };

/* The note for a run with another scale than 1. */
#define SCALED_RUN \
	"A scaled run cannot be judged: its figures are for another amount of work than the proposal's."

/* A number with its decimals as text: "23.46", "4,141,798". */
struct figure_text {
	char s[48];
};

static struct figure_text figure_text(s64 value, u32 decimals, int with_commas)
{
	struct figure_text text;
	u64 n = (u64)(value < 0 ? -value : value);
	u32 at = sizeof(text.s) - 1, end = at;

	text.s[at] = 0;
	for (u32 i = 0; i < decimals; i++, n /= 10)
		text.s[--at] = (char)('0' + n % 10);
	if (decimals)
		text.s[--at] = '.';
	for (u32 digits = 0; !digits || n; digits++, n /= 10) {
		if (with_commas && digits && digits % 3 == 0)
			text.s[--at] = ',';
		text.s[--at] = (char)('0' + n % 10);
	}
	if (value < 0)
		text.s[--at] = '-';
	memmove(text.s, text.s + at, end + 1 - at);
	return text;
}

/* JSON, CSV and Markdown */

static void answer_value(struct doc *d, const char *key, int there, s64 value, u32 decimals)
{
	if (there)
		doc_raw(d, key, figure_text(value, decimals, 0).s);
	else
		doc_null(d, key);
}

static void answer_figure(struct doc *d, const struct host *h, const struct kmem_figure_row *f)
{
	char what[512];

	snprintf(what, sizeof(what), "%s: %s, %s", host_text(h, f->table_at),
		 host_text(h, f->row_at), host_text(h, f->column_at));
	doc_object(d, NULL);
	doc_text(d, "what", what);
	answer_value(d, "seed_value", f->has_seed, f->seed_value, f->seed_decimals);
	answer_value(d, "ours", f->has_ours, f->ours_value, f->ours_decimals);
	doc_fields(d, ROW(kmem_figure_row, f), "unit_at,ours_unit_at");
	if (f->agrees == AGREEMENT_OPEN)
		doc_null(d, "agrees");
	else
		doc_bool(d, "agrees", f->agrees == AGREEMENT_YES);
	doc_fields(d, ROW(kmem_figure_row, f),
		   "why_at,rule_at,kind:kmem_figure_kind,table_at,row_at,column_at");
	answer_value(d, "real", f->has_real, f->real_value, f->real_decimals);
	answer_value(d, "real_least", f->has_spread, f->real_least, f->real_decimals);
	answer_value(d, "real_most", f->has_spread, f->real_most, f->real_decimals);
	doc_text(d, "real_from", host_text(h, f->real_from_at));
	doc_end(d);
}

/* A figure as CSV has it; values that it lacks are empty. */
struct figure_row {
	struct kmem_figure_row f;
	struct figure_text seed, real, least, most, ours;
	const char *agrees;
};

static struct figure_text text_if(int there, s64 value, u32 decimals)
{
	return there ? figure_text(value, decimals, 0) : (struct figure_text){ "" };
}

static struct figure_row figure_row(const struct kmem_figure_row *f)
{
	static const char *const agreement[] = { "", "yes", "no" };

	return (struct figure_row){
		.f = *f,
		.seed = text_if(f->has_seed, f->seed_value, f->seed_decimals),
		.real = text_if(f->has_real, f->real_value, f->real_decimals),
		.least = text_if(f->has_spread, f->real_least, f->real_decimals),
		.most = text_if(f->has_spread, f->real_most, f->real_decimals),
		.ours = text_if(f->has_ours, f->ours_value, f->ours_decimals),
		.agrees = agreement[f->agrees],
	};
}

static const struct column figures[] = {
	COLUMN_SAME("seed", 0, IN_CSV),
	CELL("table", figure_row, f.table_at, TEXT_AT, IN_CSV),
	CELL("row", figure_row, f.row_at, TEXT_AT, IN_CSV),
	CELL("column", figure_row, f.column_at, TEXT_AT, IN_CSV),
	CELL("seed_value", figure_row, seed, STRING, IN_CSV),
	CELL("unit", figure_row, f.unit_at, TEXT_AT, IN_CSV),
	CELL("real", figure_row, real, STRING, IN_CSV),
	CELL("real_least", figure_row, least, STRING, IN_CSV),
	CELL("real_most", figure_row, most, STRING, IN_CSV),
	CELL("real_from", figure_row, f.real_from_at, TEXT_AT, IN_CSV),
	CELL("ours", figure_row, ours, STRING, IN_CSV),
	CELL("ours_unit", figure_row, f.ours_unit_at, TEXT_AT, IN_CSV),
	CELL("agrees", figure_row, agrees, TEXT, IN_CSV),
	CELL("why", figure_row, f.why_at, TEXT_AT, IN_CSV),
	CELL("rule", figure_row, f.rule_at, TEXT_AT, IN_CSV),
	COLUMN_SAME("from", 1, IN_CSV),
};

void reproduced_begin(struct doc *d)
{
	doc_object(d, NULL);
	doc_from(d, FROM_KNOWN_START);
	doc_from_of(d, "seed_value=measured,real=machine");
	doc_array(d, "seeds");
	doc_head(d, figures, ARRAY_SIZE(figures));
}

void reproduced_end(struct doc *d)
{
	doc_end(d);
	doc_end(d);
}

/* Text */

/* The mark after each of our figures. */
static const char *const agreement[] = { "-", "yes", "NO" };

/* Says the words of text, indented. */
static void say_words(struct doc *d, const char *text, u32 indent)
{
	doc_say(d, "%*s", (int)indent, "");
	doc_wrapped_in(d, text, indent, LINE_COLUMNS);
}

static void say_left(struct doc *d, const char *s, u32 columns)
{
	doc_say(d, "%s%*s", s, (int)(columns - MIN(characters(s), columns)), "");
}

static int is_alike(const struct host *h, u32 a_at, u32 b_at)
{
	return strcmp(host_text(h, a_at), host_text(h, b_at)) == 0;
}

/* Returns 1 if all these figures have the same unit, and ours do too. */
static int is_unit_of_all(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	for (u32 i = 1; i < nr; i++)
		if (!is_alike(h, f[i].unit_at, f->unit_at) ||
		    !is_alike(h, f[i].ours_unit_at, f->ours_unit_at))
			return 0;
	return 1;
}

static int has_cycles(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (strstr(host_text(h, f[i].ours_unit_at), "model cycles"))
			return 1;
	return 0;
}

static void say_title(struct doc *d, const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	const char *unit = host_text(h, f->unit_at), *ours = host_text(h, f->ours_unit_at);

	doc_say(d, "\n  %s", host_text(h, f->table_at));
	if (!is_unit_of_all(h, f, nr))
		doc_line(d, "%s",
			 has_cycles(h, f, nr) ? " (times of ours: million model cycles)" : "");
	else if (unit[0] && strcmp(unit, ours) != 0)
		doc_line(d, " (%s; ours: %s)", unit, ours);
	else if (unit[0])
		doc_line(d, " (%s)", unit);
	else
		doc_gap(d);
}

/* A figure has up to three values: the proposal's, the real kernel's, and ours. */
static int has_value(const struct kmem_figure_row *f, u32 which)
{
	return which == 0 ? f->has_seed : which == 1 ? f->has_real : f->has_ours;
}

static struct figure_text which_text(const struct kmem_figure_row *f, u32 which)
{
	static const struct figure_text none = { "-" }, not_measured = { "not measured" };

	if (!has_value(f, which))
		return which == 2 ? not_measured : none;
	if (which == 0)
		return figure_text(f->seed_value, f->seed_decimals, 1);
	if (which == 1)
		return figure_text(f->real_value, f->real_decimals, 1);
	return figure_text(f->ours_value, f->ours_decimals, 1);
}

/* Prints one line per figure. */
static void say_list(struct doc *d, const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	u32 rows = 0, columns = 0;

	for (u32 i = 0; i < nr; i++) {
		rows = MAX(rows, characters(host_text(h, f[i].row_at)));
		columns = MAX(columns, characters(host_text(h, f[i].column_at)));
	}
	doc_line(d, "  %*s%*s%*s%*s  agrees", (int)(rows + 2 + columns), "", VALUE_COLUMNS,
		 "proposal", VALUE_COLUMNS, "real 6.1", VALUE_COLUMNS, "ours");
	for (u32 i = 0; i < nr; i++) {
		int is_new = !i || !is_alike(h, f[i].row_at, f[i - 1].row_at);
		doc_say(d, "  ");
		say_left(d, is_new ? host_text(h, f[i].row_at) : "", rows);
		doc_say(d, "  ");
		say_left(d, host_text(h, f[i].column_at), columns);
		for (u32 which = 0; which < 3; which++)
			doc_say(d, "%*s", VALUE_COLUMNS, which_text(&f[i], which).s);
		doc_line(d, "%s%s", f[i].has_ours ? "  " : "",
			 f[i].has_ours ? agreement[f[i].agrees] : "");
	}
}

/* Returns the number of columns if every row has the same ones and there are many rows; otherwise 0. */
static u32 matrix_columns(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	u32 columns = 1;

	while (columns < nr && is_alike(h, f[columns].row_at, f->row_at))
		columns++;
	if (columns < 2 || columns > MOST_MATRIX_COLUMNS || nr % columns ||
	    nr / columns < LEAST_MATRIX_ROWS)
		return 0;
	for (u32 i = 0; i < nr; i++)
		if (!is_alike(h, f[i].column_at, f[i % columns].column_at) ||
		    !is_alike(h, f[i].row_at, f[i / columns * columns].row_at))
			return 0;
	return columns;
}

static int any_has(const struct kmem_figure_row *f, u32 nr, u32 which)
{
	for (u32 i = 0; i < nr; i++)
		if (has_value(&f[i], which))
			return 1;
	return 0;
}

static int any_verdict(const struct kmem_figure_row *f, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (f[i].agrees != AGREEMENT_OPEN)
			return 1;
	return 0;
}

/* Prints one line per row with the columns of the proposal, the real kernel and ours, if there are any. A mark after each
 * of ours shows whether it agrees. */
static void say_matrix(struct doc *d, const struct host *h, const struct kmem_figure_row *f, u32 nr,
		       u32 columns)
{
	static const char *const whose[] = { "theirs", "real", "ours" };
	u32 rows = 0, widths[3][MOST_MATRIX_COLUMNS];
	int verdicts = any_verdict(f, nr);

	for (u32 i = 0; i < nr; i++)
		rows = MAX(rows, characters(host_text(h, f[i].row_at)));
	if (verdicts)
		doc_line(
			d,
			"  after each of ours: yes if it agrees, NO if not, - if there is nothing to agree with");
	doc_say(d, "  %*s", (int)rows, "");
	for (u32 which = 0; which < 3; which++) {
		for (u32 i = 0; any_has(f, nr, which) && i < columns; i++) {
			char label[64];
			snprintf(label, sizeof(label), "%s: %s", whose[which],
				 host_text(h, f[i].column_at));
			widths[which][i] = MAX(characters(label) + 2, (u32)VALUE_COLUMNS);
			doc_say(d, "%*s%s", (int)widths[which][i], label,
				verdicts && which == 2 && i + 1 < columns ? "    " : "");
		}
	}
	doc_gap(d);
	for (u32 at = 0; at < nr; at += columns) {
		doc_say(d, "  ");
		say_left(d, host_text(h, f[at].row_at), rows);
		for (u32 which = 0; which < 3; which++)
			for (u32 i = 0; any_has(f, nr, which) && i < columns; i++) {
				doc_say(d, "%*s", (int)widths[which][i],
					which_text(&f[at + i], which).s);
				if (verdicts && which == 2)
					doc_say(d, i + 1 < columns ? " %-3s" : " %s",
						agreement[f[at + i].agrees]);
			}
		doc_gap(d);
	}
}

static void say_whys(struct doc *d, const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	char line[2048];
	/* An open figure is explained only if no figure has a verdict, or if it needs a reason. */
	int verdicts = any_verdict(f, nr);

	for (u32 i = 0, same; i < nr; i += same) {
		const char *why = host_text(h, f[i].why_at);
		for (same = 1; i + same < nr && is_alike(h, f[i + same].why_at, f[i].why_at);
		     same++)
			;
		if (same == nr)
			snprintf(line, sizeof(line), "%s", why);
		else
			snprintf(line, sizeof(line), "%s, %s%s: %s", host_text(h, f[i].row_at),
				 host_text(h, f[i].column_at), same > 1 ? " and on" : "", why);
		if (why[0] && (f[i].agrees != AGREEMENT_OPEN || !verdicts ||
			       (f[i].has_ours && (f[i].has_seed || f[i].has_real) &&
				!host_text(h, f[i].rule_at)[0])))
			say_words(d, line, 4);
	}
}

/* Prints each rule once, where the real kernel's figures come from, and why ours are what they are. */
static void say_reasons(struct doc *d, const struct host *h, const struct kmem_figure_row *f,
			u32 nr)
{
	char line[512];

	for (u32 i = 0; i < nr; i++) {
		u32 k = 0;
		while (k < i && f[k].rule_at != f[i].rule_at)
			k++;
		if (k == i && host_text(h, f[i].rule_at)[0])
			say_words(d, host_text(h, f[i].rule_at), 4);
	}
	for (u32 i = 0; i < nr; i++) {
		const char *from = host_text(h, f[i].real_from_at);
		if (!from[0] || (i && is_alike(h, f[i].real_from_at, f[i - 1].real_from_at)))
			continue;
		snprintf(line, sizeof(line), "real 6.1 (%s, %s): %s", host_text(h, f[i].row_at),
			 host_text(h, f[i].column_at), from);
		say_words(d, line, 4);
	}
	say_whys(d, h, f, nr);
}

static void say_table(struct doc *d, const struct host *h, const struct kmem_figure_row *f, u32 nr,
		      int whys)
{
	u32 columns = matrix_columns(h, f, nr);

	say_title(d, h, f, nr);
	if (columns)
		say_matrix(d, h, f, nr, columns);
	else
		say_list(d, h, f, nr);
	if (whys)
		say_reasons(d, h, f, nr);
}

static void say_proposal(struct doc *d, const struct host *h, const struct kmem_experiment *e,
			 const struct kmem_figure_row *rows, int is_scaled, int whys)
{
	u32 agree = 0, differ = 0;

	doc_line(d, "%s  %s (%u): %s; %s", host_text(h, e->id_at), host_text(h, e->name_at),
		 e->year, host_text(h, e->title_at), host_text(h, e->switch_at));
	say_words(d, host_text(h, e->setup_at), 5);
	for (u32 i = 0, nr; i < e->nr_rows; i += nr) {
		nr = 1;
		while (i + nr < e->nr_rows && is_alike(h, rows[i].table_at, rows[i + nr].table_at))
			nr++;
		say_table(d, h, &rows[i], nr, whys);
	}
	for (u32 i = 0; i < e->nr_rows; i++) {
		agree += rows[i].agrees == AGREEMENT_YES;
		differ += rows[i].agrees == AGREEMENT_NO;
	}
	if (is_scaled)
		doc_line(d, "\n  " SCALED_RUN "\n");
	else
		doc_line(d, "\n  %s: %u agree, %u do not, and %u have nothing to agree with.\n",
			 counted(e->nr_rows, "figure").s, agree, differ,
			 e->nr_rows - agree - differ);
}

void reproduced(struct doc *d, const struct host *h, const struct kmem_figure_row *rows, u32 scale,
		int whys)
{
	const struct kmem_experiment *e = kmem_experiment(h->session);

	d->base = h->base;
	d->same[0] = host_text(h, e->id_at);
	d->same[1] = from_name(FROM_KNOWN_START);
	if (d->form == DOC_TEXT)
		say_proposal(d, h, e, rows, scale != FULL_SCALE, whys);
	doc_object(d, NULL);
	doc_fields(d, ROW(kmem_experiment, e),
		   "id_at,name_at,year,title_at,switch_at,setup_at,runs");
	doc_raw(d, "scale", figure_text(scale, 2, 0).s);
	doc_text_or_null(d, "note", scale == FULL_SCALE ? NULL : SCALED_RUN);
	doc_array(d, "rows");
	for (u32 k = 0; k < e->nr_rows; k++) {
		const struct figure_row row = figure_row(&rows[k]);
		if (doc_has_rows(d))
			doc_cells(d, figures, ARRAY_SIZE(figures), &row);
		else if (d->form == DOC_JSON)
			answer_figure(d, h, &rows[k]);
	}
	doc_end(d);
	doc_end(d);
}
