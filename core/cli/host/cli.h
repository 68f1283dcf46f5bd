/*
 * cli.h - shared by the subcommands of slabscope: the table of commands and the exit status.
 *
 * The command only calls kmem.h. It computes no allocator facts: every number that it prints is the core's.
 */
#ifndef CLI_HOST_CLI_H
#define CLI_HOST_CLI_H

#include "kmem_types.h"
#include "cli/host/args.h"
#include "cli/text/plain.h"

/* The version, as in package.json and CITATION.cff; a test compares them. */
#define SLABSCOPE_VERSION "0.1.0"

enum exit_status {
	EXIT_DONE,
	EXIT_INPUT, /* the input is bad */
	EXIT_CALL,  /* the call is bad */
	EXIT_LAW,   /* an invariant of the core is broken: a bug in Slabscope */
};

struct command {
	const char *name;
	const char *operands; /* for the usage line: "TRACE" or "" */
	const char *summary;  /* one line */
	const char *details;  /* paragraphs of --help */
	const char *example;  /* lines of --help */
	option_set options;   /* OPTION(x) | ... */
	int (*run)(struct args *args);
};

extern const struct command command_info, command_replay, command_steps, command_state,
	command_placements, command_order, command_params, command_convert, command_bench,
	command_life, command_find, command_compare, command_workload, command_sweep,
	command_counters, command_reproduce, command_next, command_chapters, command_why,
	command_memory, command_doctor, command_tracks, command_merge, command_export,
	command_lookup, command_sites, command_check, command_record, command_run;

/* Writes `slabscope: ` and the sentence to standard error; it makes the sentence safe, so callers need not call
 * plain(). */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A number with commas between thousands, for people. */
struct grouped {
	char s[48];
};
struct grouped grouped(u64 n);
/* The text for a number that an allocator does not have; JSON and CSV leave the number out. */
#define NO_NUMBER "–"
/* Prints text at the right end of a column; counts characters, not bytes. */
void print_right(const char *text, u32 width);
/* Formats a number with its noun: "1 node", "2 nodes". */
struct grouped counted(u64 n, const char *what);
/* People count events from 1, the core and JSON from 0. */
struct grouped event_number(u32 op);

#endif
