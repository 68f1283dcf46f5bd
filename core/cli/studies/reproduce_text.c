/*
 * reproduce_text.c - prints the tables of a proposal for people: one line per figure, with its explanation below.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/studies/reproduce.h"

enum { LINE_COLUMNS = 100, VALUE_COLUMNS = 16, MOST_MATRIX_COLUMNS = 3, LEAST_MATRIX_ROWS = 5 };

/* The mark behind each of our figures. */
static const char *const agreement[] = { "-", "yes", "NO" };

/* Prints the words of text, indented; no line is longer than LINE_COLUMNS. */
static void print_words(const char *text, u32 indent)
{
	u32 at = 0;

	while (*text) {
		u32 len = (u32)strcspn(text, " \n");
		if (at && at + 1 + len > LINE_COLUMNS && text[0] != '%') {
			puts("");
			at = 0;
		}
		at += (u32)(at ? printf(" %.*s", (int)len, text)
			       : printf("%*s%.*s", (int)indent, "", (int)len, text));
		text += len + (text[len] != 0);
	}
	puts("");
}

/* Returns the number of columns that UTF-8 text takes. */
static u32 width(const char *s)
{
	u32 n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static void print_left(const char *s, u32 columns)
{
	printf("%s%*s", s, (int)(columns - MIN(width(s), columns)), "");
}

static void print_value(int there, s64 value, u32 decimals)
{
	printf("%*s", VALUE_COLUMNS, there ? figure_text(value, decimals, 1).s : "-");
}

static int same_table(const struct kmem_figure_row *a, const struct kmem_figure_row *b,
		      const struct host *h)
{
	return strcmp(host_text(h, a->table_at), host_text(h, b->table_at)) == 0;
}

/* Returns 1 if all these figures have the same unit, and ours do too. */
static int is_unit_of_all(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	for (u32 i = 1; i < nr; i++)
		if (strcmp(host_text(h, f[i].unit_at), host_text(h, f->unit_at)) != 0 ||
		    strcmp(host_text(h, f[i].ours_unit_at), host_text(h, f->ours_unit_at)) != 0)
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

static void print_title(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	const char *unit = host_text(h, f->unit_at), *ours = host_text(h, f->ours_unit_at);

	printf("\n  %s", host_text(h, f->table_at));
	if (!is_unit_of_all(h, f, nr))
		puts(has_cycles(h, f, nr) ? " (times of ours: million model cycles)" : "");
	else if (unit[0] && strcmp(unit, ours) != 0)
		printf(" (%s; ours: %s)\n", unit, ours);
	else if (unit[0])
		printf(" (%s)\n", unit);
	else
		puts("");
}

static void print_line(const struct host *h, const struct kmem_figure_row *f, int new_row, u32 rows,
		       u32 columns)
{
	printf("  ");
	print_left(new_row ? host_text(h, f->row_at) : "", rows);
	printf("  ");
	print_left(host_text(h, f->column_at), columns);
	print_value(f->has_seed, f->seed_value, f->seed_decimals);
	print_value(f->has_real, f->real_value, f->real_decimals);
	if (f->has_ours)
		printf("%*s  %s\n", VALUE_COLUMNS,
		       figure_text(f->ours_value, f->ours_decimals, 1).s, agreement[f->agrees]);
	else
		printf("%*s\n", VALUE_COLUMNS, "not measured");
}

/* Prints one line per figure. */
static void print_list(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	u32 rows = 0, columns = 0;

	for (u32 i = 0; i < nr; i++) {
		rows = MAX(rows, width(host_text(h, f[i].row_at)));
		columns = MAX(columns, width(host_text(h, f[i].column_at)));
	}
	printf("  %*s%*s%*s%*s  agrees\n", (int)(rows + 2 + columns), "", VALUE_COLUMNS, "proposal",
	       VALUE_COLUMNS, "real 6.1", VALUE_COLUMNS, "ours");
	for (u32 i = 0; i < nr; i++) {
		int new_row = !i ||
			      strcmp(host_text(h, f[i].row_at), host_text(h, f[i - 1].row_at)) != 0;
		print_line(h, &f[i], new_row, rows, columns);
	}
}

/* Returns the number of columns if every row has the same ones and there are many rows; otherwise 0. */
static u32 matrix_columns(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	u32 columns = 1;

	while (columns < nr &&
	       strcmp(host_text(h, f[columns].row_at), host_text(h, f->row_at)) == 0)
		columns++;
	if (columns < 2 || columns > MOST_MATRIX_COLUMNS || nr % columns ||
	    nr / columns < LEAST_MATRIX_ROWS)
		return 0;
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_figure_row *first = &f[i / columns * columns];
		if (strcmp(host_text(h, f[i].column_at), host_text(h, f[i % columns].column_at)) !=
			    0 ||
		    strcmp(host_text(h, f[i].row_at), host_text(h, first->row_at)) != 0)
			return 0;
	}
	return columns;
}

/* Returns 1 if a figure has that value: 0 the proposal's, 1 the real kernel's, 2 ours. */
static int has_value(const struct kmem_figure_row *f, u32 which)
{
	return which == 0 ? f->has_seed : which == 1 ? f->has_real : f->has_ours;
}

static int any_has(const struct kmem_figure_row *f, u32 nr, u32 which)
{
	for (u32 i = 0; i < nr; i++)
		if (has_value(&f[i], which))
			return 1;
	return 0;
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

static int any_verdict(const struct kmem_figure_row *f, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (f[i].agrees != AGREEMENT_OPEN)
			return 1;
	return 0;
}

/* Prints one line per row with the columns of the proposal, the real kernel and ours, as far as there are any. A
 * mark behind each of ours shows whether it agrees. */
static void print_matrix(const struct host *h, const struct kmem_figure_row *f, u32 nr, u32 columns)
{
	static const char *const whose[] = { "theirs", "real", "ours" };
	u32 rows = 0, widths[3][MOST_MATRIX_COLUMNS];
	int verdicts = any_verdict(f, nr);

	for (u32 i = 0; i < nr; i++)
		rows = MAX(rows, width(host_text(h, f[i].row_at)));
	if (verdicts)
		puts("  behind each of ours: yes or NO, as it agrees or not; - has nothing to agree with");
	printf("  %*s", (int)rows, "");
	for (u32 which = 0; which < 3; which++) {
		for (u32 i = 0; any_has(f, nr, which) && i < columns; i++) {
			char label[64];
			snprintf(label, sizeof(label), "%s: %s", whose[which],
				 host_text(h, f[i].column_at));
			widths[which][i] = MAX(width(label) + 2, (u32)VALUE_COLUMNS);
			printf("%*s%s", (int)widths[which][i], label,
			       verdicts && which == 2 && i + 1 < columns ? "    " : "");
		}
	}
	puts("");
	for (u32 at = 0; at < nr; at += columns) {
		printf("  ");
		print_left(host_text(h, f[at].row_at), rows);
		for (u32 which = 0; which < 3; which++)
			for (u32 i = 0; any_has(f, nr, which) && i < columns; i++) {
				printf("%*s", (int)widths[which][i],
				       which_text(&f[at + i], which).s);
				if (verdicts && which == 2)
					printf(i + 1 < columns ? " %-3s" : " %s",
					       agreement[f[at + i].agrees]);
			}
		puts("");
	}
}

/* Returns how many figures from f on have the same explanation. */
static u32 said_of(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	u32 n = 1;

	while (n < nr && strcmp(host_text(h, f[n].why_at), host_text(h, f->why_at)) == 0)
		n++;
	return n;
}

/* Our figure has another beside it but no rule: the reader needs the reason. */
static int wants_reason(const struct host *h, const struct kmem_figure_row *f)
{
	return f->has_ours && (f->has_seed || f->has_real) && !host_text(h, f->rule_at)[0];
}

static void print_whys(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	char line[2048];
	/* An open figure is explained only if no figure has a verdict, or if it needs a reason. */
	int verdicts = any_verdict(f, nr);

	for (u32 i = 0; i < nr;) {
		u32 same = said_of(h, f + i, nr - i);
		const char *why = host_text(h, f[i].why_at);
		if (same == nr)
			snprintf(line, sizeof(line), "%s", why);
		else
			snprintf(line, sizeof(line), "%s, %s%s: %s", host_text(h, f[i].row_at),
				 host_text(h, f[i].column_at), same > 1 ? " and on" : "", why);
		if (why[0] &&
		    (f[i].agrees != AGREEMENT_OPEN || !verdicts || wants_reason(h, &f[i])))
			print_words(line, 4);
		i += same;
	}
}

static void print_sources(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		const char *from = host_text(h, f[i].real_from_at);
		char line[512];
		if (!from[0] || (i && strcmp(from, host_text(h, f[i - 1].real_from_at)) == 0))
			continue;
		snprintf(line, sizeof(line), "real 6.1 (%s, %s): %s", host_text(h, f[i].row_at),
			 host_text(h, f[i].column_at), from);
		print_words(line, 4);
	}
}

/* Prints each rule once. */
static void print_rules(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		u32 k = 0;
		while (k < i && f[k].rule_at != f[i].rule_at)
			k++;
		if (k == i && host_text(h, f[i].rule_at)[0])
			print_words(host_text(h, f[i].rule_at), 4);
	}
}

static void print_table(const struct host *h, const struct kmem_figure_row *f, u32 nr, int whys)
{
	u32 columns = matrix_columns(h, f, nr);

	print_title(h, f, nr);
	if (columns)
		print_matrix(h, f, nr, columns);
	else
		print_list(h, f, nr);
	if (!whys)
		return;
	print_rules(h, f, nr);
	print_sources(h, f, nr);
	print_whys(h, f, nr);
}

void reproduce_print(const struct host *h, const struct kmem_experiment *e,
		     const struct kmem_figure_row *rows, int is_scaled, int whys)
{
	u32 agree = 0, differ = 0;

	printf("%s  %s (%u): %s; %s\n", host_text(h, e->id_at), host_text(h, e->name_at), e->year,
	       host_text(h, e->title_at), host_text(h, e->switch_at));
	print_words(host_text(h, e->setup_at), 5);
	for (u32 i = 0, nr; i < e->nr_rows; i += nr) {
		for (nr = 1; i + nr < e->nr_rows && same_table(&rows[i], &rows[i + nr], h); nr++)
			;
		print_table(h, &rows[i], nr, whys);
	}
	for (u32 i = 0; i < e->nr_rows; i++) {
		agree += rows[i].agrees == AGREEMENT_YES;
		differ += rows[i].agrees == AGREEMENT_NO;
	}
	if (is_scaled) {
		puts("\n  " SCALED_RUN "\n");
		return;
	}
	printf("\n  %s: %u agree, %u do not, and %u have nothing to agree with.\n\n",
	       counted(e->nr_rows, "figure").s, agree, differ, e->nr_rows - agree - differ);
}
