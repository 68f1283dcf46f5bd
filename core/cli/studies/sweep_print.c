/*
 * sweep_print.c - prints a grid of replays as a heat map, as CSV or as JSON.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "cli/text/json.h"
#include "cli/text/names.h"
#include "cli/studies/sweep.h"

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
		const struct cell *c = &s->cells[i];
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

const struct cell *worst_start(const struct sweep *s)
{
	const struct cell *worst = &s->cells[0];

	for (u32 i = 1; i < s->x.nr * s->y.nr; i++)
		if (s->cells[i].is_done && (!worst->is_done || s->cells[i].from > worst->from))
			worst = &s->cells[i];
	return worst;
}

static u32 shade_of(const struct extremes *e, u64 value)
{
	u64 span = e->most - e->least;

	return span ? (u32)((double)(value - e->least) * (NR_SHADES - 1) / (double)span + 0.5) : 0;
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

static void print_cell(const struct cell *c, u32 m, const struct extremes *e, u32 width, int colour)
{
	struct grouped value = grouped(c->value[m]);
	u32 k = shade_of(e, c->value[m]);

	if (!c->is_done || !c->known[m])
		print_right(c->is_done ? NO_NUMBER : "cannot be", width + 3);
	else if (colour)
		printf(" \033[48;5;%um\033[38;5;%um %*s \033[0m", ground[k], ink[k], (int)width,
		       value.s);
	else
		printf(" %s %*s", shade[k], (int)width, value.s);
	if (colour && (!c->is_done || !c->known[m]))
		putchar(' ');
}

const char *cell_name(const struct sweep *s, u32 i)
{
	static char name[256];
	u32 used = (u32)snprintf(name, sizeof(name), "%s=%s", s->x.key,
				 plain(s->x.value[i % s->x.nr]));

	if (s->y.key && used < sizeof(name))
		snprintf(name + used, sizeof(name) - used, ", %s=%s", s->y.key,
			 plain(s->y.value[i / s->x.nr]));
	return name;
}

static void print_place(const struct sweep *s, const char *what, u32 i, u32 m)
{
	const struct cell *c = &s->cells[i];

	printf("  %s %s", what, grouped(c->value[m]).s);
	printf(" at %s", cell_name(s, i));
	if (c->op[m])
		printf(" (reached at event %s)", grouped(c->op[m]).s);
	puts("");
}

static u32 row_name_width(const struct sweep *s)
{
	u32 width = s->y.key ? (u32)strlen(s->y.key) : 0;

	for (u32 y = 0; y < s->y.nr && s->y.key; y++)
		width = MAX(width, (u32)strlen(s->y.value[y]));
	return width;
}

/* Prints each reason once, with the first cell that has it. */
static void print_reasons(const struct sweep *s)
{
	for (u32 i = 0; i < s->x.nr * s->y.nr; i++) {
		u32 first = 0;
		while (first < i && strcmp(s->cells[first].why, s->cells[i].why) != 0)
			first++;
		if (first < i || !s->cells[i].why[0])
			continue;
		printf("  %s cannot be: %s\n", cell_name(s, i), plain(s->cells[i].why));
	}
}

static int is_same(const struct cell *a, const struct cell *b, u32 m)
{
	return a->is_done == b->is_done && a->known[m] == b->known[m] && a->value[m] == b->value[m];
}

/* Returns 1 if every cell equals its neighbour one step back along that axis. */
static int changes_nothing(const struct sweep *s, u32 m, u32 dx, u32 dy)
{
	u32 pairs = 0;

	for (u32 y = dy; y < s->y.nr; y++)
		for (u32 x = dx; x < s->x.nr; x++, pairs++)
			if (!is_same(cell_at(s, x, y), cell_at(s, x - dx, y - dy), m))
				return 0;
	return pairs > 0;
}

static void print_map(const struct sweep *s, u32 m)
{
	struct extremes e = extremes_of(s, m);
	u32 width = width_of(s, m), names = row_name_width(s);
	int colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");

	const char *from = measure_mark(s->metric[m], s->kernel.from);

	printf("%s: %s%s%s%s\n\n", metric_name(s->metric[m]), metric_words(s->metric[m]),
	       *from ? " (" : "", from, *from ? ")" : "");
	printf("  %*s  %s\n  %*s", (int)names, "", s->x.key, (int)names, s->y.key ? s->y.key : "");
	for (u32 x = 0; x < s->x.nr; x++)
		printf("   %*s%s", (int)width, plain(s->x.value[x]), colour ? " " : "");
	puts("");
	for (u32 y = 0; y < s->y.nr; y++) {
		printf("  %*s", (int)names, s->y.key ? plain(s->y.value[y]) : "");
		for (u32 x = 0; x < s->x.nr; x++)
			print_cell(cell_at(s, x, y), m, &e, width, colour);
		puts("");
	}
	puts("");
	if (e.nr) {
		print_place(s, "least", e.least_cell, m);
		print_place(s, "most ", e.most_cell, m);
	}
	if (changes_nothing(s, m, 1, 0))
		printf("  %s does not change %s\n", s->x.key, metric_name(s->metric[m]));
	if (s->y.key && changes_nothing(s, m, 0, 1))
		printf("  %s does not change %s\n", s->y.key, metric_name(s->metric[m]));
	if (e.nr < s->x.nr * s->y.nr)
		puts("  " NO_NUMBER " is a number that the allocator of the cell does not have");
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

void sweep_print(const struct sweep *s)
{
	if (is_by_cell(s))
		puts("kernel modelled: the preset of each cell");
	else
		kernel_print(&s->kernel, 0);
	if (!s->x.is_remade && !s->y.is_remade)
		measured_print(&s->host, 0);
	const char *alike = sweep_alike(s);
	if (*alike)
		print_wrapped(alike, 0);
	else
		printf("Replays start from %s.\n",
		       enum_words("kmem_start_from", s->kernel.start_from));
	if (*worst_start(s)->doubt)
		print_wrapped(plain(worst_start(s)->doubt), 0);
	for (u32 m = 0; m < s->nr_metrics; m++) {
		puts("");
		print_map(s, m);
	}
	print_reasons(s);
}

void sweep_csv(const struct sweep *s)
{
	if (!is_by_cell(s))
		kernel_note(&s->kernel, s->host.quiet);
	printf("trace,%s", s->x.key);
	if (s->y.key)
		printf(",%s", s->y.key);
	for (u32 m = 0; m < s->nr_metrics; m++)
		printf(",%s", metric_name(s->metric[m]));
	puts(",op,why,from");
	for (u32 i = 0; i < s->x.nr * s->y.nr; i++) {
		const struct cell *c = &s->cells[i];
		csv_text(stdout, s->args->trace);
		putchar(',');
		csv_text(stdout, s->x.value[i % s->x.nr]);
		if (s->y.key) {
			putchar(',');
			csv_text(stdout, s->y.value[i / s->x.nr]);
		}
		for (u32 m = 0; m < s->nr_metrics; m++) {
			putchar(',');
			if (c->is_done && c->known[m])
				printf("%llu", (unsigned long long)c->value[m]);
		}
		putchar(',');
		if (c->is_done && c->op[0])
			printf("%u", c->op[0] - 1);
		putchar(',');
		csv_text(stdout, c->why);
		if (c->is_done)
			from_csv(c->from);
		else
			puts(",");
	}
}

static void axis_json(struct json *j, const char *name, const struct axis *axis)
{
	if (!axis->key) {
		json_null(j, name);
		return;
	}
	json_row(j, name);
	json_text(j, "key", axis->key);
	json_list(j, "values");
	for (u32 i = 0; i < axis->nr; i++)
		json_text(j, NULL, axis->value[i]);
	json_end(j);
	json_end(j);
}

static void number_json(struct json *j, const char *key, const struct cell *c, u32 m)
{
	if (c->is_done && c->known[m])
		json_number(j, key, c->value[m]);
	else
		json_null(j, key);
}

static void cell_json(struct json *j, const struct sweep *s, u32 i)
{
	const struct cell *c = &s->cells[i];

	json_row(j, NULL);
	json_text(j, "x", s->x.value[i % s->x.nr]);
	if (s->y.key)
		json_text(j, "y", s->y.value[i / s->x.nr]);
	else
		json_null(j, "y");
	number_json(j, "value", c, 0);
	for (u32 m = 0; m < s->nr_metrics && s->nr_metrics > 1; m++)
		number_json(j, metric_name(s->metric[m]), c, m);
	if (c->is_done && c->op[0])
		json_number(j, "op", c->op[0] - 1);
	else
		json_null(j, "op");
	json_text_or_null(j, "why", c->why);
	if (c->is_done)
		from_json(j, c->from);
	json_end(j);
}

void sweep_json(const struct sweep *s)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_text(&j, "trace", s->args->trace);
	if (is_by_cell(s)) {
		json_null(&j, "kernel");
		from_json(&j, s->kernel.from);
	} else {
		kernel_json(&j, &s->kernel);
	}
	json_text_or_null(&j, "start_alike", sweep_alike(s));
	from_of_json(&j, "requested_bytes=measured,large_bytes=measured,live_objects=measured");
	json_list(&j, "metrics");
	for (u32 m = 0; m < s->nr_metrics; m++)
		json_text(&j, NULL, metric_name(s->metric[m]));
	json_end(&j);
	axis_json(&j, "x", &s->x);
	axis_json(&j, "y", &s->y);
	json_array(&j, "cells");
	for (u32 i = 0; i < s->x.nr * s->y.nr; i++)
		cell_json(&j, s, i);
	json_end(&j);
	json_end(&j);
}
