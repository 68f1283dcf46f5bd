/*
 * reproduce_text.c - the tables of a seed for people: a line a figure, what it says below.
 */
#include <stdio.h>
#include <stdlib.h>

#include "reproduce.h"

enum { LINE_COLUMNS = 100, VALUE_COLUMNS = 16 };

/* Words from text on, indented, no line longer than LINE_COLUMNS. */
static void print_wrapped(const char *text, u32 indent)
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

/* Columns that UTF-8 text takes. */
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

static void print_head(const struct host *h, const struct kmem_figure_row *f, u32 left)
{
	const char *unit = host_text(h, f->unit_at), *ours = host_text(h, f->ours_unit_at);

	printf("\n  ");
	fputs(host_text(h, f->table_at), stdout);
	if (unit[0] && strcmp(unit, ours) != 0)
		printf(" (%s; ours: %s)\n", unit, ours);
	else if (unit[0])
		printf(" (%s)\n", unit);
	else
		puts("");
	printf("  %*s%*s%*s%*s  agrees\n", (int)left, "", VALUE_COLUMNS, "seed", VALUE_COLUMNS,
	       "real 6.1", VALUE_COLUMNS, "ours");
}

static void print_line(const struct host *h, const struct kmem_figure_row *f, int new_row, u32 rows,
		       u32 columns)
{
	static const char *const agreement[] = { "", "yes", "NO" };

	printf("  ");
	print_left(new_row ? host_text(h, f->row_at) : "", rows);
	printf("  ");
	print_left(host_text(h, f->column_at), columns);
	print_value(f->has_seed, f->seed_value, f->seed_decimals);
	print_value(f->has_real, f->real_value, f->real_decimals);
	print_value(f->has_ours, f->ours_value, f->ours_decimals);
	printf("%s%s\n", f->agrees ? "  " : "", agreement[f->agrees]);
}

/* The figures from f on that are alike in what is said of them: how many. */
static u32 said_of(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	u32 n = 1;

	while (n < nr && strcmp(host_text(h, f[n].why_at), host_text(h, f->why_at)) == 0)
		n++;
	return n;
}

static void print_whys(const struct host *h, const struct kmem_figure_row *f, u32 nr)
{
	char line[2048];
	u32 any_verdict = 0;

	/* What has nothing to agree with speaks only where nothing else does. */
	for (u32 i = 0; i < nr; i++)
		any_verdict |= f[i].agrees != AGREEMENT_OPEN;
	for (u32 i = 0; i < nr;) {
		u32 same = said_of(h, f + i, nr - i);
		const char *why = host_text(h, f[i].why_at);
		if (same == nr)
			snprintf(line, sizeof(line), "%s", why);
		else
			snprintf(line, sizeof(line), "%s, %s%s: %s", host_text(h, f[i].row_at),
				 host_text(h, f[i].column_at), same > 1 ? " and on" : "", why);
		if (why[0] && (f[i].agrees != AGREEMENT_OPEN || !any_verdict))
			print_wrapped(line, 4);
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
		print_wrapped(line, 4);
	}
}

static void print_table(const struct host *h, const struct kmem_figure_row *f, u32 nr, int whys)
{
	u32 rows = 0, columns = 0;

	for (u32 i = 0; i < nr; i++) {
		rows = MAX(rows, width(host_text(h, f[i].row_at)));
		columns = MAX(columns, width(host_text(h, f[i].column_at)));
	}
	print_head(h, f, rows + 2 + columns);
	for (u32 i = 0; i < nr; i++) {
		int new_row = !i ||
			      strcmp(host_text(h, f[i].row_at), host_text(h, f[i - 1].row_at)) != 0;
		print_line(h, &f[i], new_row, rows, columns);
	}
	if (!whys)
		return;
	print_sources(h, f, nr);
	print_whys(h, f, nr);
}

void reproduce_print(const struct host *h, const struct kmem_experiment *e, int whys)
{
	const struct kmem_figure_row *rows = host_rows(h, e->rows_at);
	u32 agree = 0, differ = 0;

	printf("%s  %s (%u): %s; %s\n", host_text(h, e->id_at), host_text(h, e->name_at), e->year,
	       host_text(h, e->title_at), host_text(h, e->switch_at));
	print_wrapped(host_text(h, e->setup_at), 5);
	for (u32 i = 0, nr; i < e->nr_rows; i += nr) {
		for (nr = 1; i + nr < e->nr_rows && same_table(&rows[i], &rows[i + nr], h); nr++)
			;
		print_table(h, &rows[i], nr, whys);
	}
	for (u32 i = 0; i < e->nr_rows; i++) {
		agree += rows[i].agrees == AGREEMENT_YES;
		differ += rows[i].agrees == AGREEMENT_NO;
	}
	printf("\n  Of %s, %u agree, %u do not, and %u have nothing to agree with.\n\n",
	       counted(e->nr_rows, "figure").s, agree, differ, e->nr_rows - agree - differ);
}
