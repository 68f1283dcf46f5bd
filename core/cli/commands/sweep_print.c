/*
 * sweep_print.c - prints a grid of replays as a heat map, as CSV or as JSON.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "doc/names.h"
#include "cli/commands/sweep.h"

/* Shades from least to most, in characters that every terminal has. The terminal's colours run from dark blue to
 * yellow, so that readers need not distinguish red from green. */
enum { NR_SHADES = 5, MIN_WIDTH = 9 };
static const char *const shade[NR_SHADES] = { " ", "░", "▒", "▓", "█" };
static const u8 ground[NR_SHADES] = { 17, 24, 66, 143, 221 };
static const u8 ink[NR_SHADES] = { 255, 255, 16, 16, 16 };

struct extremes {
	u64 least, most;
	u32 least_cell, most_cell;
	u32 nr;
};

static struct extremes extremes_of(const struct sweep *s, u32 m)
{
	struct extremes e = { ~(u64)0, 0, 0, 0, 0 };

	for (u32 i = 0; i < s->x.nr * s->y.nr; i++) {
		const struct replayed *c = &s->cells[i];
		if (!c->is_done || !c->known[m])
			continue;
		if (c->value[m] < e.least)
			e.least_cell = i;
		if (c->value[m] > e.most || !e.nr)
			e.most_cell = i;
		e.least = MIN(e.least, c->value[m]);
		e.most = MAX(e.most, c->value[m]);
		e.nr++;
	}
	return e;
}

const struct replayed *worst_start(const struct sweep *s)
{
	const struct replayed *worst = &s->cells[0];

	for (u32 i = 1; i < s->x.nr * s->y.nr; i++)
		if (s->cells[i].is_done && (!worst->is_done || s->cells[i].from > worst->from))
			worst = &s->cells[i];
	return worst;
}

static u32 width_of(const struct sweep *s, u32 m)
{
	u32 width = MIN_WIDTH;

	for (u32 x = 0; x < s->x.nr && s->x.key; x++)
		width = MAX(width, (u32)strlen(s->x.value[x]));
	for (u32 i = 0; i < s->x.nr * s->y.nr; i++)
		width = MAX(width, (u32)strlen(grouped(s->cells[i].value[m]).s));
	return width;
}

static void say_cell(struct doc *d, const struct replayed *c, u32 m, const struct extremes *e,
		     u32 width, int colour)
{
	struct grouped value = grouped(c->value[m]);
	u64 span = e->most - e->least;
	u32 k = span ? (u32)((double)(c->value[m] - e->least) * (NR_SHADES - 1) / (double)span +
			     0.5)
		     : 0;

	if (!c->is_done || !c->known[m])
		doc_say(d, "%*s%s", (int)width + (c->is_done ? 2 : -6), "",
			c->is_done ? NO_NUMBER : "cannot be");
	else if (colour)
		doc_say(d, " \033[48;5;%um\033[38;5;%um %*s \033[0m", ground[k], ink[k], (int)width,
			value.s);
	else
		doc_say(d, " %s %*s", shade[k], (int)width, value.s);
	if (colour && (!c->is_done || !c->known[m]))
		doc_say(d, " ");
}

static const char *cell_name(const struct sweep *s, u32 i)
{
	static char name[256];
	u32 used = (u32)snprintf(name, sizeof(name), "%s=%s", s->x.key,
				 plain(s->x.value[i % s->x.nr]));

	if (s->y.key && used < sizeof(name))
		snprintf(name + used, sizeof(name) - used, ", %s=%s", s->y.key,
			 plain(s->y.value[i / s->x.nr]));
	return name;
}

static void say_place(struct doc *d, const struct sweep *s, const char *what, u32 i, u32 m)
{
	const struct replayed *c = &s->cells[i];

	doc_say(d, "  %s %s at %s", what, grouped(c->value[m]).s, cell_name(s, i));
	if (c->op[m])
		doc_say(d, " (reached at event %s)", grouped(c->op[m]).s);
	doc_gap(d);
}

static u32 row_name_width(const struct sweep *s)
{
	u32 width = s->y.key ? (u32)strlen(s->y.key) : 0;

	for (u32 y = 0; y < s->y.nr && s->y.key; y++)
		width = MAX(width, (u32)strlen(s->y.value[y]));
	return width;
}

/* Prints each reason once, with the first cell that has it. */
static void say_reasons(struct doc *d, const struct sweep *s)
{
	for (u32 i = 0; i < s->x.nr * s->y.nr; i++) {
		u32 first = 0;
		while (first < i && strcmp(s->cells[first].why, s->cells[i].why) != 0)
			first++;
		if (first < i || !s->cells[i].why[0])
			continue;
		doc_say(d, "  %s is not possible: %s\n", cell_name(s, i), plain(s->cells[i].why));
	}
}

/* Returns 1 if every cell equals its neighbour one step back along that axis. */
static int changes_nothing(const struct sweep *s, u32 m, u32 dx, u32 dy)
{
	u32 pairs = 0;

	for (u32 y = dy; y < s->y.nr; y++)
		for (u32 x = dx; x < s->x.nr; x++, pairs++) {
			const struct replayed *a = cell_at(s, x, y),
					      *b = cell_at(s, x - dx, y - dy);
			if (a->is_done != b->is_done || a->known[m] != b->known[m] ||
			    a->value[m] != b->value[m])
				return 0;
		}
	return pairs > 0;
}

static void say_map(struct doc *d, const struct sweep *s, u32 m)
{
	struct extremes e = extremes_of(s, m);
	u32 width = width_of(s, m), names = row_name_width(s);
	int colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");

	const char *from = measure_mark(m, s->kernel.from);

	doc_say(d, "%s: %s%s%s%s\n\n", metric_name(m), metric_words(m), *from ? " (" : "", from,
		*from ? ")" : "");
	doc_say(d, "  %*s  %s\n  %*s", (int)names, "", s->x.key, (int)names,
		s->y.key ? s->y.key : "");
	for (u32 x = 0; x < s->x.nr; x++)
		doc_say(d, "   %*s%s", (int)width, plain(s->x.value[x]), colour ? " " : "");
	doc_gap(d);
	for (u32 y = 0; y < s->y.nr; y++) {
		doc_say(d, "  %*s", (int)names, s->y.key ? plain(s->y.value[y]) : "");
		for (u32 x = 0; x < s->x.nr; x++)
			say_cell(d, cell_at(s, x, y), m, &e, width, colour);
		doc_gap(d);
	}
	doc_gap(d);
	if (e.nr) {
		say_place(d, s, "least", e.least_cell, m);
		say_place(d, s, "most ", e.most_cell, m);
	}
	if (changes_nothing(s, m, 1, 0))
		doc_say(d, "  %s does not change %s\n", s->x.key, metric_name(m));
	if (s->y.key && changes_nothing(s, m, 0, 1))
		doc_say(d, "  %s does not change %s\n", s->y.key, metric_name(m));
	if (e.nr < s->x.nr * s->y.nr)
		doc_line(d, "  " NO_NUMBER
			    " is a number that the allocator of the cell does not have");
}

/* If an axis is a preset, each cell has its own kernel. */
static int is_by_cell(const struct sweep *s)
{
	return strcmp(s->x.key, "preset") == 0 || (s->y.key && strcmp(s->y.key, "preset") == 0);
}

static const char *sweep_alike(const struct sweep *s)
{
	return alike_text(&s->alike, cell_name(s, s->alike.cannot));
}

/* A cell with what its row names, in CSV the cells of its row. */
struct shown {
	const char *x, *y, *why, *from;
	u64 value[MAX_METRICS];
	u32 op;
};

enum { NOTHING = 0xffffffff };

static struct shown shown_of(const struct sweep *s, u32 i)
{
	const struct replayed *c = &s->cells[i];
	u32 op = c->is_done ? c->op[s->metric[0]] : 0;
	struct shown shown = { .x = s->x.value[i % s->x.nr],
			       .y = s->y.key ? s->y.value[i / s->x.nr] : "",
			       .why = c->why,
			       .from = c->is_done ? from_name(c->from) : "",
			       .op = op ? op - 1 : NOTHING };

	for (u32 m = 0; m < s->nr_metrics; m++)
		shown.value[m] = c->is_done && c->known[s->metric[m]] ? c->value[s->metric[m]]
								      : ~(u64)0;
	return shown;
}

/* Each metric has a column of its own; of several, JSON also has the first as `value`. */
struct sweep_columns {
	struct column of[MAX_METRICS + 8];
	char names[MAX_METRICS][MAX_KEY_BYTES];
	u32 nr;
};

static void add_column(struct sweep_columns *c, struct column column)
{
	c->of[c->nr++] = column;
}

static void columns_of(const struct sweep *s, struct sweep_columns *c, int is_json)
{
	c->nr = 0;
	add_column(c, (struct column)COLUMN_SAME("trace", 0, IN_CSV));
	add_column(c, (struct column)CELL(is_json ? "x" : s->x.key, shown, x, TEXT, IN_BOTH));
	if (s->y.key || is_json)
		add_column(c, (struct column)CELL(is_json ? "y" : s->y.key, shown, y, TEXT,
						  IN_BOTH | OR_NULL));
	add_column(c, (struct column)CELL("value", shown, value[0], DIGITS, IN_JSON | OR_NULL));
	for (u32 m = 0; m < s->nr_metrics; m++) {
		snprintf(c->names[m], sizeof(c->names[m]), "%s", metric_name(s->metric[m]));
		add_column(c, (struct column)COLUMN(
				      c->names[m], shown, value[0], DIGITS,
				      (s->nr_metrics > 1 ? IN_BOTH : IN_CSV) | OR_NULL, NULL, 0));
		c->of[c->nr - 1].at += (u16)(m * sizeof(u64));
	}
	add_column(c, (struct column)CELL("op", shown, op, DIGITS, IN_BOTH | OR_NULL));
	add_column(c, (struct column)CELL("why", shown, why, TEXT, IN_BOTH | OR_NULL));
	add_column(c, (struct column)CELL("from", shown, from, TEXT, IN_CSV));
}

static void answer_cells(struct doc *d, const struct sweep *s)
{
	struct sweep_columns columns;

	columns_of(s, &columns, d->form == DOC_JSON);
	d->same[0] = s->args->trace;
	doc_array(d, "cells");
	doc_head(d, columns.of, columns.nr);
	for (u32 i = 0; i < s->x.nr * s->y.nr; i++) {
		const struct shown shown = shown_of(s, i);
		if (doc_has_rows(d)) {
			doc_cells(d, columns.of, columns.nr, &shown);
			continue;
		}
		doc_row(d, NULL);
		doc_members(d, columns.of, columns.nr, &shown);
		if (*shown.from)
			doc_text(d, "from", shown.from);
		doc_end(d);
	}
	doc_end(d);
}

static void answer_axis(struct doc *d, const char *name, const struct axis *axis)
{
	if (!axis->key) {
		doc_null(d, name);
		return;
	}
	doc_row(d, name);
	doc_text(d, "key", axis->key);
	doc_list(d, "values");
	for (u32 i = 0; i < axis->nr; i++)
		doc_text(d, NULL, axis->value[i]);
	doc_end(d);
	doc_end(d);
}

static void answer_json(struct doc *d, const struct sweep *s)
{
	doc_object(d, NULL);
	doc_text(d, "trace", s->args->trace);
	if (is_by_cell(s)) {
		doc_null(d, "kernel");
		doc_from(d, s->kernel.from);
	} else {
		kernel_doc(d, &s->kernel, 0);
	}
	doc_text_or_null(d, "start_alike", sweep_alike(s));
	doc_from_of(d, "requested_bytes=measured,large_bytes=measured,live_objects=measured");
	doc_list(d, "metrics");
	for (u32 m = 0; m < s->nr_metrics; m++)
		doc_text(d, NULL, metric_name(s->metric[m]));
	doc_end(d);
	answer_axis(d, "x", &s->x);
	answer_axis(d, "y", &s->y);
	answer_cells(d, s);
	doc_end(d);
}

static void answer_text(struct doc *d, const struct sweep *s)
{
	if (is_by_cell(s))
		doc_line(d, "kernel modelled: the preset of each cell");
	else
		kernel_doc(d, &s->kernel, 0);
	if (!s->x.is_remade && !s->y.is_remade)
		doc_measured(d, &s->host, 0);
	const char *alike = sweep_alike(s);
	if (*alike)
		doc_wrapped(d, alike, 0);
	else
		doc_line(d, "Replays start from %s.",
			 enum_words("kmem_start_from", s->kernel.start_from));
	if (*worst_start(s)->doubt)
		doc_wrapped(d, plain(worst_start(s)->doubt), 0);
	for (u32 m = 0; m < s->nr_metrics; m++) {
		doc_gap(d);
		say_map(d, s, s->metric[m]);
	}
	say_reasons(d, s);
}

void sweep_answer(const struct sweep *s)
{
	struct doc d = host_doc(&s->host, asked_form(s->args));

	if (d.form == DOC_JSON) {
		answer_json(&d, s);
	} else if (d.form == DOC_TEXT) {
		answer_text(&d, s);
	} else {
		if (!is_by_cell(s))
			kernel_note(&s->kernel, s->host.quiet);
		answer_cells(&d, s);
	}
}
