/*
 * main.c - slabscope: finds the subcommand, prints help, and turns the result into the exit status.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/output.h"

/* Within its group, --help lists a command in this order. */
static const struct command *const commands[] = {
	&command_info,	    &command_replay,  &command_chapters, &command_steps,
	&command_state,	    &command_life,    &command_find,	 &command_sites,
	&command_memory,    &command_why,     &command_next,	 &command_lookup,
	&command_doctor,    &command_compare, &command_sweep,	 &command_params,
	&command_order,	    &command_run,     &command_check,	 &command_counters,
	&command_reproduce, &command_bench,   &command_record,	 &command_workload,
	&command_convert,   &command_merge,   &command_export,	 &command_placements,
	&command_tracks,
};

static int fixed_status = -1;

void leave_as(int status)
{
	fixed_status = status;
}

void leave(int status)
{
	int is_written = fflush(stdout) == 0 && !ferror(stdout);

	if (!is_written)
		complain("could not write to standard output: is the disk full?");
	if (fixed_status >= 0)
		exit(fixed_status);
	exit(status || is_written ? status : EXIT_INPUT);
}

static void say_wrong(const char *format, va_list list)
{
	char *sentence = NULL;
	size_t len;

	fflush(stdout);
	FILE *out = open_memstream(&sentence, &len);
	if (out)
		vfprintf(out, format, list);
	if (out)
		fclose(out);
	/* File, parameter and cache names may contain any bytes. */
	fprintf(stderr, "slabscope: %s\n", sentence ? plain(sentence) : format);
	free(sentence);
}

#define SAY_WRONG(format)                \
	do {                             \
		va_list list;            \
		va_start(list, format);  \
		say_wrong(format, list); \
		va_end(list);            \
	} while (0)

void complain(const char *format, ...)
{
	SAY_WRONG(format);
}

void refuse_call(const char *format, ...)
{
	SAY_WRONG(format);
	leave(EXIT_CALL);
}

void give_up(const char *format, ...)
{
	SAY_WRONG(format);
	leave(EXIT_INPUT);
}

static void print_help(void)
{
	static const char *const group_titles[NR_COMMAND_GROUPS] = {
		[GROUP_LOOK] = "Look into a trace",
		[GROUP_ASK] = "Ask who, where and why",
		[GROUP_COMPARE] = "Compare machines, kernels and traces",
		[GROUP_MACHINE] = "Choose a machine",
		[GROUP_MEASURE] = "Measure the model",
		[GROUP_FILES] = "Make and convert files",
	};

	puts("usage: slabscope COMMAND [TRACE] [OPTION...]\n\n"
	     "Replays a trace of the Linux kernel's memory allocations through one of its slab\n"
	     "allocators, one decision at a time. --allocator chooses which.\n\n"
	     "TRACE is text from ftrace, trace-cmd report, perf script, perf trace, bpftrace, mtrace\n"
	     "or ltrace; or perf.data, trace.dat, CSV or a slabtrace. It may be compressed with gzip,\n"
	     "zstd, zip or xz. - reads standard input; workload:NAME?seed=1 generates a trace.\n");
	for (u32 group = 0; group < NR_COMMAND_GROUPS; group++) {
		printf("%s%s:\n", group ? "\n" : "", group_titles[group]);
		for (u32 i = 0; i < ARRAY_SIZE(commands); i++)
			if (commands[i]->group == group)
				printf("  %-11s %s\n", commands[i]->name, commands[i]->summary);
	}
	puts("\nEvents and steps count from 1. Only scripts count from 0: the keys `op` and `step` of\n"
	     "--json and --csv, and --op of `steps`. In `state` they are the events and steps done.\n"
	     "\nexample:\n"
	     "  trace-cmd record -e kmem:kmalloc -e kmem:kfree \\\n"
	     "    -e kmem:kmem_cache_alloc -e kmem:kmem_cache_free make\n"
	     "  trace-cmd report | slabscope replay -\n\n"
	     "Run slabscope COMMAND --help to learn about one command, --version for the version.\n"
	     "Exit status: 0 done; 1 the input is bad; 2 the call is bad; 3 an invariant of the\n"
	     "allocator was broken, which is a bug in slabscope.");
}

static const struct command *find_command(const char *name)
{
	const char *names[ARRAY_SIZE(commands)];

	for (u32 i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
		names[i] = commands[i]->name;
	}
	const char *nearest = nearest_word(name, names, ARRAY_SIZE(commands));
	if (nearest)
		refuse_call(
			"unknown command `%.40s`: did you mean %s? Run `slabscope --help` for a list",
			name, nearest);
	refuse_call("unknown command `%.40s`: run `slabscope --help` for a list", name);
}

static int is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run(int argc, char **argv)
{
	static struct args args;

	if (argc < 2)
		refuse_call("expected a command: run `slabscope --help` for a list");
	if (is_help(argv[1]) && argc < 3) {
		print_help();
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0 && argc < 3) {
		puts("slabscope " SLABSCOPE_VERSION);
		return EXIT_DONE;
	}
	int asks_help = is_help(argv[1]);
	const struct command *command = find_command(argv[1 + asks_help]);
	if (!asks_help)
		args_parse(&args, command, argc, argv);
	if (asks_help || given(&args, "help")) {
		/* What follows -- belongs to the program. */
		int is_last = strncmp(command->operands, "-- ", 3) == 0;
		printf("usage: slabscope %s%s%s%s%s\n\n%s\n", command->name,
		       is_last ? " [OPTION...]" : "", command->operands[0] ? " " : "",
		       command->operands, is_last ? "" : " [OPTION...]", command->details);
		args_print_options(command);
		printf("\nexample:\n%s\n", command->example);
		return EXIT_DONE;
	}
	return command->run ? command->run(&args) : host_answer(command, &args);
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];

	output_prepare();
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	leave(run(argc, argv));
}
