/*
 * print_against.c - `slabscope compare A --against B` as a page of text, as JSON and as CSV.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/print/print.h"
#include "cli/studies/against.h"

enum { DEFAULT_ROWS = 12, NAME_WIDTH = 30, NUMBER_WIDTH = 15, CURVE_STEP = 8 };

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

/* Text */

static void print_side(const struct side *side, char letter)
{
	const struct kmem_report *r = kmem_report(side->host.session);

	printf("  %c  %s: %s", letter, plain(side->host.trace),
	       counted(kmem_nr_ops(side->host.session), "event").s);
	if (r->time_last > r->time_first && r->time_is_ns)
		printf(" in %llu.%06llu s",
		       (unsigned long long)((r->time_last - r->time_first) / 1000000000),
		       (unsigned long long)((r->time_last - r->time_first) / 1000 % 1000000));
	printf("\n     %s\n", kmem_machine_text(side->host.session));
	measured_print(&side->host, 5);
	kernel_print_now(&side->host, 5);
	replay_sampling_print(&side->host);
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

static void print_numbers(const struct change_row *row, enum table_id table, u32 figure)
{
	print_right(row->a ? grouped(figure_at_end(row->a, table, figure)).s : NO_NUMBER,
		    NUMBER_WIDTH);
	print_right(row->b ? grouped(figure_at_end(row->b, table, figure)).s : NO_NUMBER,
		    NUMBER_WIDTH);
	print_right(signed_number(change_in(row, table, figure)).s, NUMBER_WIDTH);
}

static void print_event(const char *what, const struct side_row *a, const struct side_row *b,
			u32 op_a, u32 op_b)
{
	int has_a = a && op_a != NO_EVENT, has_b = b && op_b != NO_EVENT;

	if (!has_a && !has_b)
		return;
	printf("      %s:", what);
	if (has_a)
		printf(" event %s of A", event_number(op_a).s);
	if (has_b)
		printf("%s event %s of B", has_a ? "," : "", event_number(op_b).s);
	puts("");
}

static void print_range(const struct side *side, char letter, const struct step_of_change *step)
{
	u32 from = side->at[step->from], end = side->at[step->end];

	if (from == end)
		printf("none of %c", letter);
	else
		printf("events %s to %s of %c", event_number(from).s, grouped(end).s, letter);
}

/* Prints the events that explain a row. */
static void print_events(const struct against *c, const struct change_row *row, enum table_id table)
{
	const struct side_row *a = row->a, *b = row->b;
	struct step_of_change step = largest_step(row, table, 0);

	print_event("first used", a, b, a ? a->first_op : NO_EVENT, b ? b->first_op : NO_EVENT);
	print_event(table == TABLE_CACHES ? "most slabs" : "most live objects", a, b,
		    a ? a->peak_op : NO_EVENT, b ? b->peak_op : NO_EVENT);
	if (!step.change)
		return;
	printf("      largest step %s: ", signed_number(step.change).s);
	print_range(&c->a, 'A', &step);
	printf(", ");
	print_range(&c->b, 'B', &step);
	puts("");
}

static u32 rows_wanted(const struct against *c)
{
	return GIVEN(c->args, MOST) ? (u32)c->args->number[OPT_MOST] : DEFAULT_ROWS;
}

static void print_summary(const struct changes *changes, enum table_id table)
{
	static const char *const kinds[] = { "appeared", "vanished", "grew", "shrank", "same" };
	const char *between = "";

	printf("\n%s: ", table_defs[table].title);
	for (u32 k = 0; k < ARRAY_SIZE(kinds); k++) {
		u32 nr = 0;
		for (u32 i = 0; i < changes->nr; i++)
			nr += strcmp(kind_of_change(&changes->rows[i], table), kinds[k]) == 0;
		if (!nr)
			continue;
		printf("%s%s %s", between, grouped(nr).s, kinds[k]);
		between = ", ";
	}
	puts("");
}

static void print_table_head(enum table_id table)
{
	printf("  %-*s", NAME_WIDTH, table_defs[table].figures[0]);
	print_right("A", NUMBER_WIDTH);
	print_right("B", NUMBER_WIDTH);
	print_right("change", NUMBER_WIDTH);
	puts("");
}

static void print_changes(const struct against *c, enum table_id table)
{
	const struct changes *changes = &c->changes[table];
	u32 nr = 0, nr_changed = 0, most = rows_wanted(c);

	if (!changes->nr)
		return;
	print_summary(changes, table);
	print_table_head(table);
	for (u32 i = 0; i < changes->nr; i++) {
		const struct change_row *row = &changes->rows[i];
		const struct side_row *any = any_of(row);
		const char *kind = kind_of_change(row, table);
		u32 from = figure_from(c, row, table, 0);
		if (strcmp(kind, "same") == 0 || nr_changed++ >= most)
			continue;
		nr++;
		printf("  %-*s", NAME_WIDTH, plain(any->name));
		print_numbers(row, table, 0);
		printf("  %s", from == KMEM_NONE ? "" : mark(from));
		if (!row->a || !row->b)
			printf("  %s", kind);
		puts("");
		if (any->cache[0])
			printf("      of %s\n", plain(any->cache));
		if (is_of_two_builds(row))
			printf("      joined by function: %s in B, another build\n",
			       plain(row->b->name));
		print_events(c, row, table);
	}
	if (nr < nr_changed)
		printf("  ... and %s that changed less: --count K, --csv\n",
		       counted(nr_changed - nr, "row").s);
}

static void print_curves(const struct against *c)
{
	const struct changes *curves = &c->changes[TABLE_CURVES];
	const struct side_row *a = curves->rows[0].a, *b = curves->rows[0].b;

	printf("\nbytes in slabs over the run (%s), aligned by %s\n", mark(from_of_both(c)),
	       align_names[c->align]);
	print_right("event of A", NUMBER_WIDTH);
	print_right("event of B", NUMBER_WIDTH);
	print_right("A", NUMBER_WIDTH);
	print_right("B", NUMBER_WIDTH);
	print_right("B − A", NUMBER_WIDTH);
	puts("");
	for (u32 i = 0; i < NR_POINTS; i += CURVE_STEP) {
		print_right(grouped(c->a.at[i]).s, NUMBER_WIDTH);
		print_right(grouped(c->b.at[i]).s, NUMBER_WIDTH);
		print_right(grouped(a->values[i]).s, NUMBER_WIDTH);
		print_right(grouped(b->values[i]).s, NUMBER_WIDTH);
		print_right(signed_number((s64)(b->values[i] - a->values[i])).s, NUMBER_WIDTH);
		puts("");
	}
}

void against_print(const struct against *c)
{
	print_side(&c->a, 'A');
	print_side(&c->b, 'B');
	const struct kernel a = kernel_of(&c->a.host), b = kernel_of(&c->b.host);
	if (strcmp(a.preset, b.preset) != 0)
		puts("\n  Each trace is replayed on its own kernel: --preset NAME replays both on one.");
	if (!a.warm.slabs != !b.warm.slabs)
		printf("\n  %c starts from empty, the other with slabs from before its trace: --cold starts both from empty.\n",
		       a.warm.slabs ? 'B' : 'A');
	if (side_lacks_names(&c->a) != side_lacks_names(&c->b))
		printf("\n  Caches of %c without a recorded name are named by the size of a slot:\n"
		       "  a cache that both traces use can be listed as appeared and as vanished.\n",
		       side_lacks_names(&c->a) ? 'A' : 'B');
	print_curves(c);
	for (u32 t = 0; t < TABLE_CURVES; t++)
		print_changes(c, (enum table_id)t);
}

/* JSON */

static void op_json(struct json *j, const char *key, const struct side_row *row, u32 op)
{
	if (row && op != NO_EVENT)
		json_number(j, key, op);
	else
		json_null(j, key);
}

static void ops_json(struct json *j, const char *key, const struct change_row *row, u32 op_a,
		     u32 op_b)
{
	json_row(j, key);
	op_json(j, "a", row->a, op_a);
	op_json(j, "b", row->b, op_b);
	json_end(j);
}

static void step_json(struct json *j, const struct against *c, const struct change_row *row,
		      enum table_id table, u32 figure)
{
	struct step_of_change step = largest_step(row, table, figure);

	if (!step.change) {
		json_null(j, "largest_step");
		return;
	}
	json_row(j, "largest_step");
	json_signed(j, "change", step.change);
	json_number(j, "a_from_op", c->a.at[step.from]);
	json_number(j, "a_end_op", c->a.at[step.end]);
	json_number(j, "b_from_op", c->b.at[step.from]);
	json_number(j, "b_end_op", c->b.at[step.end]);
	json_end(j);
}

static void figure_json(struct json *j, const struct against *c, const struct change_row *row,
			enum table_id table, u32 figure)
{
	json_row(j, table_defs[table].figures[figure]);
	json_number(j, "a", figure_at_end(row->a, table, figure));
	json_number(j, "b", figure_at_end(row->b, table, figure));
	json_signed(j, "change", change_in(row, table, figure));
	step_json(j, c, row, table, figure);
	json_end(j);
}

static void changes_json(struct json *j, const struct against *c, enum table_id table)
{
	const struct changes *changes = &c->changes[table];

	json_array(j, table_defs[table].key);
	for (u32 i = 0; i < changes->nr; i++) {
		const struct change_row *row = &changes->rows[i];
		const struct side_row *any = any_of(row);
		json_object(j, NULL);
		json_text(j, "name", any->name);
		if (any->cache[0])
			json_text(j, "cache", any->cache);
		if (is_of_two_builds(row))
			json_text(j, "name_in_b", row->b->name);
		json_text(j, "kind", kind_of_change(row, table));
		if (figure_from(c, row, table, 0) == FROM_MEASURED)
			from_json(j, FROM_MEASURED);
		for (u32 f = 0; f < table_defs[table].nr_figures; f++)
			figure_json(j, c, row, table, f);
		if (table == TABLE_CACHES || table == TABLE_SITES) {
			ops_json(j, "first_op", row, row->a ? row->a->first_op : NO_EVENT,
				 row->b ? row->b->first_op : NO_EVENT);
			ops_json(j, "peak_op", row, row->a ? row->a->peak_op : NO_EVENT,
				 row->b ? row->b->peak_op : NO_EVENT);
		}
		json_end(j);
	}
	json_end(j);
}

static void side_json(struct json *j, const char *key, const struct side *side)
{
	json_object(j, key);
	json_text(j, "trace", side->host.trace);
	report_json(j, &side->host);
	json_text(j, "machine", kmem_machine_text(side->host.session));
	kernel_json_now(j, &side->host);
	json_bool(j, "cache_names", !side_lacks_names(side));
	json_end(j);
}

static void curves_json(struct json *j, const struct against *c)
{
	const struct table_def *def = &table_defs[TABLE_CURVES];
	const struct change_row *row = &c->changes[TABLE_CURVES].rows[0];

	json_array(j, def->key);
	for (u32 i = 0; i < NR_POINTS; i++) {
		json_row(j, NULL);
		json_number(j, "a_events", c->a.at[i]);
		json_number(j, "b_events", c->b.at[i]);
		for (u32 f = 0; f < def->nr_figures; f++) {
			json_row(j, def->figures[f]);
			json_number(j, "a", row->a->values[f * NR_POINTS + i]);
			json_number(j, "b", row->b->values[f * NR_POINTS + i]);
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
}

void against_json(const struct against *c)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	side_json(&j, "a", &c->a);
	side_json(&j, "b", &c->b);
	json_text(&j, "align", align_names[c->align]);
	from_json(&j, from_of_both(c));
	from_of_json(&j, "requested_bytes=measured,live_objects=measured");
	for (u32 t = 0; t < TABLE_CURVES; t++)
		changes_json(&j, c, (enum table_id)t);
	curves_json(&j, c);
	json_end(&j);
}

/* CSV */

static void op_csv(const struct side_row *row, u32 op)
{
	if (row && op != NO_EVENT)
		printf(",%u", op);
	else
		printf(",");
}

static void figure_from_csv(u32 from)
{
	if (from == KMEM_NONE)
		puts(",");
	else
		from_csv(from);
}

static void row_csv(const struct against *c, const struct change_row *row, enum table_id table,
		    u32 figure)
{
	const struct side_row *any = any_of(row), *a = row->a, *b = row->b;
	struct step_of_change step = largest_step(row, table, figure);

	csv_text(stdout, c->a.host.trace);
	putchar(',');
	csv_text(stdout, c->b.host.trace);
	printf(",%s,", table_defs[table].key);
	csv_text(stdout, any->name);
	putchar(',');
	csv_text(stdout, any->cache);
	printf(",%s,%s,%llu,%llu,%lld", kind_of_change(row, table),
	       table_defs[table].figures[figure],
	       (unsigned long long)figure_at_end(a, table, figure),
	       (unsigned long long)figure_at_end(b, table, figure),
	       (long long)change_in(row, table, figure));
	op_csv(a, a ? a->first_op : NO_EVENT);
	op_csv(b, b ? b->first_op : NO_EVENT);
	op_csv(a, a ? a->peak_op : NO_EVENT);
	op_csv(b, b ? b->peak_op : NO_EVENT);
	if (step.change)
		printf(",%lld,%u,%u,%u,%u", (long long)step.change, c->a.at[step.from],
		       c->a.at[step.end], c->b.at[step.from], c->b.at[step.end]);
	else
		printf(",0,,,,");
	figure_from_csv(figure_from(c, row, table, figure));
}

/* A row for each aligned position: `name` is its part of the run, and step_end_op the events done there. */
static void curve_csv(const struct against *c)
{
	const struct table_def *def = &table_defs[TABLE_CURVES];
	const struct change_row *row = &c->changes[TABLE_CURVES].rows[0];

	for (u32 i = 0; i < NR_POINTS; i++) {
		for (u32 f = 0; f < def->nr_figures; f++) {
			u64 a = row->a->values[f * NR_POINTS + i],
			    b = row->b->values[f * NR_POINTS + i];
			csv_text(stdout, c->a.host.trace);
			putchar(',');
			csv_text(stdout, c->b.host.trace);
			printf(",position,%u,,,%s,%llu,%llu,%lld,,,,,,,%u,,%u", i, def->figures[f],
			       (unsigned long long)a, (unsigned long long)b, (long long)(b - a),
			       c->a.at[i], c->b.at[i]);
			figure_from_csv(figure_from(c, row, TABLE_CURVES, f));
		}
	}
}

void against_csv(const struct against *c)
{
	puts("trace_a,trace_b,table,name,cache,kind,figure,a,b,change,first_op_a,first_op_b,peak_op_a,"
	     "peak_op_b,largest_step,step_from_op_a,step_end_op_a,step_from_op_b,step_end_op_b,from");
	for (u32 t = 0; t < NR_TABLES; t++)
		for (u32 i = 0; i < c->changes[t].nr; i++)
			for (u32 f = 0; f < table_defs[t].nr_figures; f++)
				row_csv(c, &c->changes[t].rows[i], (enum table_id)t, f);
	curve_csv(c);
}
