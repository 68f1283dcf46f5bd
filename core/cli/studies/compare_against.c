/*
 * compare_against.c - `slabscope compare A --against B`: two traces, each on a session of its own.
 */
#include "cli/studies/compare_against.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/studies/against.h"

enum { MAX_SYMBOLS_BYTES = 4096 };

static int find_align(const struct args *args, enum align *align)
{
	const char *name = GIVEN(args, ALIGN) ? args->text[OPT_ALIGN] : align_names[ALIGN_SHARE];

	for (u32 i = 0; i < NR_ALIGNS; i++) {
		*align = (enum align)i;
		if (strcmp(name, align_names[i]) == 0)
			return EXIT_DONE;
	}
	complain("--align: expected time, event or share; found `%.40s`", name);
	return EXIT_CALL;
}

static int check_call(const struct args *args)
{
	if (args->nr_with) {
		complain(
			"--against compares two traces on one machine, and --with one trace on several "
			"machines: give one of them");
		return EXIT_CALL;
	}
	if (strcmp(args->trace, "-") == 0 && strcmp(args->text[OPT_AGAINST], "-") == 0) {
		complain("--against -: standard input is the first trace; name a file");
		return EXIT_CALL;
	}
	return EXIT_DONE;
}

/* Two kernels have two files of symbols: --kallsyms A,B. A single file is the first trace's. */
static int symbols_of_side(struct args *own, int is_second, char *room)
{
	const char *both = GIVEN(own, KALLSYMS) ? own->text[OPT_KALLSYMS] : "",
		   *comma = strchr(both, ',');

	if (snprintf(room, MAX_SYMBOLS_BYTES, "%.*s", (int)strcspn(both, ","), both) >=
	    MAX_SYMBOLS_BYTES) {
		complain("--kallsyms %.40s: this path is too long", both);
		return EXIT_CALL;
	}
	own->text[OPT_KALLSYMS] = is_second && comma ? comma + 1 : room;
	if (is_second && !comma)
		own->given &= ~OPTION(KALLSYMS);
	return EXIT_DONE;
}

/* Replays one trace, with an index. */
static int open_side(struct side *side, const struct args *args, const char *trace)
{
	struct args own = *args;
	char symbols[MAX_SYMBOLS_BYTES];

	own.trace = trace;
	if (symbols_of_side(&own, trace != args->trace, symbols))
		return EXIT_CALL;
	int status = host_import(&side->host, &own, NULL);
	if (!status)
		status = host_build(&side->host);
	if (!status)
		status = host_index(&side->host);
	return status;
}

static int join(struct against *c)
{
	for (u32 t = 0; t < NR_TABLES; t++) {
		c->changes[t] = changes_of(&c->a, &c->b, (enum table_id)t);
		if (c->changes[t].rows)
			continue;
		complain("no memory for the numbers of two traces");
		return EXIT_INPUT;
	}
	return EXIT_DONE;
}

static int verdict(struct against *c)
{
	int a = host_verdict(&c->a.host), b = host_verdict(&c->b.host);

	return a ? a : b;
}

int compare_against(const struct args *args)
{
	static struct against c;
	int status = check_call(args);

	c.args = args;
	if (!status)
		status = find_align(args, &c.align);
	if (!status)
		status = open_side(&c.a, args, args->trace);
	if (!status)
		status = open_side(&c.b, args, args->text[OPT_AGAINST]);
	if (!status)
		status = sides_align(&c.a, &c.b, c.align);
	if (!status)
		status = side_take(&c.a);
	if (!status)
		status = side_take(&c.b);
	if (!status)
		status = join(&c);
	if (status)
		return status;
	if (GIVEN(args, JSON))
		against_json(&c);
	else if (GIVEN(args, CSV))
		against_csv(&c);
	else
		against_print(&c);
	status = verdict(&c);
	for (u32 t = 0; t < NR_TABLES; t++)
		free(c.changes[t].rows);
	side_free(&c.a);
	side_free(&c.b);
	return status;
}
