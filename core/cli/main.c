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

static const struct command *const commands[] = {
	&command_info,	     &command_replay,	&command_steps,	   &command_state,
	&command_placements, &command_order,	&command_params,   &command_convert,
	&command_bench,	     &command_life,	&command_find,	   &command_compare,
	&command_workload,   &command_sweep,	&command_counters, &command_reproduce,
	&command_next,	     &command_chapters, &command_why,	   &command_memory,
	&command_doctor,     &command_tracks,	&command_merge,	   &command_export,
	&command_lookup,     &command_sites,	&command_check,	   &command_record,
	&command_run,
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
		complain("standard output could not be written; is the disk full?");
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
	/* Names of files, parameters and caches may contain any bytes. */
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
	puts("usage: slabscope COMMAND [TRACE] [OPTION...]\n\n"
	     "Replays traces of the Linux kernel's memory allocation through one of its slab\n"
	     "allocators, one decision at a time; --allocator chooses which. TRACE is\n"
	     "text of ftrace, trace-cmd report, perf script, perf trace or bpftrace, perf.data,\n"
	     "trace.dat, CSV, output of mtrace or ltrace, or a slabtrace. It may be packed with\n"
	     "gzip, zstd, zip or xz. - is standard input; workload:NAME?seed=1 generates a trace.\n");
	for (u32 i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-11s %s\n", commands[i]->name, commands[i]->summary);
	puts("\nEvents are numbered from 1. In --json and --csv the key `op` counts them from 0; in\n"
	     "`state`, `op` is the number of events done.\n"
	     "\nexample:\n"
	     "  trace-cmd record -e kmem:kmalloc -e kmem:kfree \\\n"
	     "    -e kmem:kmem_cache_alloc -e kmem:kmem_cache_free make\n"
	     "  trace-cmd report | slabscope replay -\n\n"
	     "slabscope COMMAND --help explains a command; --version prints the version. Exit status:\n"
	     "0 done, 1 the input is bad, 2 the call is bad, 3 an invariant of the allocator was\n"
	     "broken, which is a bug of slabscope.");
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
		refuse_call("unknown command `%.40s`; the nearest is %s (all: slabscope --help)",
			    name, nearest);
	refuse_call("unknown command `%.40s`; slabscope --help lists them", name);
}

static int is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run(int argc, char **argv)
{
	static struct args args;

	if (argc < 2)
		refuse_call("which command? slabscope --help lists them");
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
		printf("usage: slabscope %s%s%s [OPTION...]\n\n%s\n\noptions:\n", command->name,
		       command->operands[0] ? " " : "", command->operands, command->details);
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
