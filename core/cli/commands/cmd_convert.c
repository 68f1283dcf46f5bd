/*
 * cmd_convert.c - `slabscope convert`: converts any format to slabtrace, or to ftrace text.
 */
#include "cli/output.h"

static const char *const formats[] = { "slabtrace", "ftrace" };

static u32 format_of(const struct args *args)
{
	const char *name = option_text_or(args, "to", formats[0]);

	for (u32 to = 0; to < ARRAY_SIZE(formats); to++)
		if (strcmp(name, formats[to]) == 0)
			return to;
	refuse_call("--to: expected slabtrace or ftrace, found `%.40s`", name);
}

static void filter(struct host *h, const struct args *args)
{
	const struct kmem_filter_args choices = { args->conditions, args->nr_conditions };
	s32 err = kmem_begin(h->session, JOB_FILTER, &choices);

	if (err == KMEM_EPARAM)
		refuse_call("--%s", kmem_error(h->session));
	host_must(h, err);
	host_work(h, JOB_FILTER, "filtering");
	if (!kmem_filter(h->session)->events)
		give_up("%s: no event meets every condition: widen one of them or leave it out",
			h->trace);
}

static int run(struct args *args)
{
	struct output out;
	struct host h;
	u32 to = format_of(args);

	if (!given(args, "by-clocks") && !given(args, "node") &&
	    (args->nr_settings || given(args, "preset")))
		refuse_call(
			"a trace is written alike for every machine; with --by-clocks the machine "
			"decides the order of its events, with --node the nodes of its CPUs");
	write_check(args);
	output_begin(&out, args, args->nr_operands);
	if (given(args, "task"))
		host_keep(KMEM_KEEP_TASKS);
	host_import(&h, args, NULL);
	if (given(args, "by-clocks"))
		host_run(&h);
	if (args->nr_conditions) {
		filter(&h, args);
		to |= KMEM_EXPORT_CHOSEN;
	}
	if (given(args, "anonymise"))
		to |= KMEM_EXPORT_ANONYMOUS;
	return write_trace(&h, args, to, &out);
}

static const struct option options[] = {
	OPTION_KEEP,
	OPTION_OUTPUT,
	OPTION("to", WORD, "FORMAT", "the format: slabtrace (default) or ftrace"),
	OPTION_BY_CLOCKS,
	OPTION_COLD,
	OPTION("from-event", CONDITION, "N", "only from event N on, counted from 1"),
	OPTION("to-event", CONDITION, "N", "only up to event N"),
	OPTION("from-time", CONDITION, "T",
	       "only from that time on: seconds, or ticks of the trace's clock"),
	OPTION("to-time", CONDITION, "T", "only up to that time"),
	OPTION("cpu", CONDITION, "LIST",
	       "only objects allocated on these CPUs, such as 0-3,7; repeatable"),
	OPTION("node", CONDITION, "LIST",
	       "only objects requested for these nodes, or by their CPUs; repeatable"),
	OPTION("cache", CONDITION, "NAME,...",
	       "only objects of these caches; * stands for any characters; repeatable"),
	OPTION("call-site", CONDITION, "NAME,...",
	       "only objects allocated there, as in `copy_process`; repeatable"),
	OPTION("task", CONDITION, "NAME,...", "only objects allocated by these tasks; repeatable"),
	{ "anonymise", .help = "write numbers instead of call sites and task names" },
	OPTION_CACHE_NAMES,
	OPTIONS_END,
};

const struct command command_convert = {
	GROUP_FILES,
	"convert",
	"TRACE",
	"convert a trace to slabtrace or ftrace; cut, filter, anonymise it",
	"Rewrites a trace as slabtrace, which is this project's own text format, or as ftrace\n"
	"text. A slabtrace reads back to the same events, but not to the same state hash, because\n"
	"it has its own call-site table. docs/formats.md lists its lines, including those\n"
	"that ftrace doesn't have, such as `corrupt` and bulk requests.\n"
	"\n"
	"--keep pointers,tasks also writes each event's recorded pointer and task (ptr=, task=).\n"
	"--by-clocks writes the events in the order in which the simulated CPUs reach them when\n"
	"they run at the same time, and leaves out recorded times.\n"
	"\n"
	"--from-event, --to-event, --from-time and --to-time cut. --cpu, --node, --cache,\n"
	"--call-site and --task choose objects by their allocation, and the free of an object goes\n"
	"with it. An excerpt from the middle starts with the allocations of objects that live at\n"
	"that point, marked kind=live_before. --anonymise writes site-1, site-2, ... instead of\n"
	"call sites and task-1, ... instead of tasks, numbered in the order in which the trace\n"
	"first names them. Names of caches, sizes, times and the kernel's release stay.",
	"  slabscope convert trace.txt -o trace.slabtrace\n"
	"  slabscope convert trace.txt --from-time 3.86 --to-time 3.92 --cache 'kmalloc-*' -o cut.slabtrace\n"
	"  slabscope convert trace.txt --anonymise -o public.slabtrace\n"
	"  slabscope convert trace.txt --by-clocks --allocator slab --set work=700 -o slab.slabtrace",
	TAKES_JSON | TAKES_TRACE | TAKES_MACHINE,
	options,
	.run = run,
};
