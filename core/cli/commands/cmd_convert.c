/*
 * cmd_convert.c - `slabscope convert`: converts any format to slabtrace, or to ftrace text.
 */
#include "cli/files/write.h"

static const char *const formats[] = { "slabtrace", "ftrace" };

static int format_of(const struct args *args, u32 *to)
{
	const char *name = GIVEN(args, FORMAT) ? args->text[OPT_FORMAT] : formats[0];

	for (*to = 0; *to < ARRAY_SIZE(formats); ++*to)
		if (strcmp(name, formats[*to]) == 0)
			return EXIT_DONE;
	complain("--to %.40s is not possible; it is slabtrace or ftrace", name);
	return EXIT_CALL;
}

static int check_call(const struct args *args, u32 *to)
{
	int status = format_of(args, to);

	if (!GIVEN(args, BY_CLOCKS) && (args->nr_settings || GIVEN(args, PRESET))) {
		complain("a trace is written alike for every machine; with --by-clocks the machine "
			 "decides the order of its events");
		return EXIT_CALL;
	}
	return status ? status : write_check(args);
}

static int run(struct args *args)
{
	struct output out;
	struct host h;
	u32 to;
	int status = check_call(args, &to);

	if (!status)
		status = output_begin(&out, args, args->trace);
	if (status)
		return status;
	status = host_import(&h, args, NULL);
	if (!status && GIVEN(args, BY_CLOCKS))
		status = host_run(&h);
	return status ? output_end(&out, status) : write_trace(&h, args, to, &out);
}

const struct command command_convert = {
	"convert",
	"TRACE",
	"any format to slabtrace, this project's own text format, or to ftrace",
	"Rewrites a trace as slabtrace or as ftrace text. A slabtrace reads back to the same\n"
	"events, but not to the same state hash, since it has a call-site table of its own.\n"
	"docs/formats.md lists its lines, also those that ftrace lacks, such as `corrupt` and bulk requests.\n"
	"--keep pointers,tasks also writes each event's recorded pointer and task (ptr=, task=).\n"
	"--by-clocks writes the events in the order in which the simulated CPUs reach them when\n"
	"they run at the same time; recorded times are left out.",
	"  slabscope convert trace.txt.gz -o trace.slabtrace\n"
	"  slabscope convert trace.txt.gz --by-clocks --allocator slab --set work=700 -o slab.slabtrace",
	OPTIONS_TRACE | OPTION(KEEP) | OPTION(OUTPUT) | OPTION(FORMAT) | OPTION(BY_CLOCKS) |
		OPTIONS_MACHINE,
	run,
};
