/*
 * args.h - command line options as a table: each option is declared once, and each command names the options that it
 * takes.
 */
#ifndef CLI_HOST_ARGS_H
#define CLI_HOST_ARGS_H

#include "kmem_types.h"

struct command;

/*
 * OPTION(ID, long name, letter or 0, value's name or NULL for a flag, type, parameter key or NULL, help)
 * An option with a key is a shorthand for --set KEY=VALUE. FILES: the value names a file to read, or several between commas.
 */
#define OPTIONS                                                                                   \
	OPTION_DEF(JSON, "json", 0, NULL, FLAG, NULL, "one JSON document on standard output")     \
	OPTION_DEF(CSV, "csv", 0, NULL, FLAG, NULL, "rows as comma-separated values")             \
	OPTION_DEF(MARKDOWN, "markdown", 0, NULL, FLAG, NULL, "the rows of --csv as Markdown")    \
	OPTION_DEF(QUIET, "quiet", 'q', NULL, FLAG, NULL, "no progress, no warnings")             \
	OPTION_DEF(HELP, "help", 'h', NULL, FLAG, NULL, "this text")                              \
	OPTION_DEF(ALLOCATOR, "allocator", 0, "NAME", TEXT, "allocator", allocator_help)          \
	OPTION_DEF(CPUS, "cpus", 0, "N", TEXT, "cpus", "CPUs of the simulated machine")           \
	OPTION_DEF(NODES, "nodes", 0, "N", TEXT, "nodes", "NUMA nodes")                           \
	OPTION_DEF(PAGE_SIZE, "page-size", 0, "BYTES", TEXT, "page_size", "4096, 16384 or 65536") \
	OPTION_DEF(MEMORY, "memory", 0, "SIZE", TEXT, "memory",                                   \
		   "memory of the simulated machine, such as 8G")                                 \
	OPTION_DEF(ZONES, "zones", 0, "SPEC", TEXT, "zones",                                      \
		   "populated zones of each node, such as 2,2,1,1")                               \
	OPTION_DEF(PRESET, "preset", 0, "NAME", TEXT, NULL,                                       \
		   "the allocators as that kernel had them, such as linux-4.19")                  \
	OPTION_DEF(SET, "set", 0, "KEY=VALUE", TEXT, NULL,                                        \
		   "any parameter of `slabscope params`; repeatable")                             \
	OPTION_DEF(EVENT, "event", 0, "N", ORDINAL, NULL, "the event, counted from 1")            \
	OPTION_DEF(OP, "op", 0, "N", NUMBER, NULL,                                                \
		   "the same counted from 0, as `op` in JSON and CSV")                            \
	OPTION_DEF(COUNT, "count", 0, "K", NUMBER, NULL, "how many events (default 1)")           \
	OPTION_DEF(AT, "at", 0, "N", NUMBER, NULL, "after N events (default: at the end)")        \
	OPTION_DEF(STEP, "step", 0, "K", NUMBER, NULL,                                            \
		   "inside the event after these: right after its step K, from 0")                \
	OPTION_DEF(CACHE, "cache", 0, "NAME", TEXT, NULL, "only this cache")                      \
	OPTION_DEF(OBJECT, "object", 0, "CACHE/SLAB/INDEX", TEXT, NULL,                           \
		   "one object: its slot, its stored free pointer, its owner")                    \
	OPTION_DEF(SLABINFO, "slabinfo", 0, NULL, FLAG, NULL, "as /proc/slabinfo would have it")  \
	OPTION_DEF(STATE, "state", 0, NULL, FLAG, NULL,                                           \
		   "also the state after every event, totals and the end")                        \
	OPTION_DEF(SIZE, "size", 0, "BYTES", NUMBER, NULL, "slot size")                           \
	OPTION_DEF(ALL, "all", 0, NULL, FLAG, NULL, "every multiple of 8")                        \
	OPTION_DEF(TO, "to", 0, "BYTES", NUMBER, NULL, "last size of --all (default 8192)")       \
	OPTION_DEF(RULE, "rule", 0, "NAME", TEXT, "order_rule",                                   \
		   "mainline, rfc-2023, linux-6.7 or linux-2.6.26")                               \
	OPTION_DEF(MIN_OBJECTS, "min-objects", 0, "N", TEXT, "min_objects",                       \
		   "objects wanted in a slab")                                                    \
	OPTION_DEF(MAX_ORDER, "max-order", 0, "N", TEXT, "max_order",                             \
		   "largest order worth trying")                                                  \
	OPTION_DEF(OUTPUT, "output", 'o', "FILE", TEXT, NULL,                                     \
		   "where to write; - is standard output")                                        \
	OPTION_DEF(FORMAT, "to", 0, "FORMAT", TEXT, NULL, "slabtrace (default) or ftrace")        \
	OPTION_DEF(EVERY, "every", 0, "N", NUMBER, NULL,                                          \
		   "a value after every N events (default: about 4,096 values)")                  \
	OPTION_DEF(TOP, "top", 0, "N", NUMBER, NULL,                                              \
		   "caches with tracks of their own, largest first (default 8, at most 16)")      \
	OPTION_DEF(COLUMNS, "columns", 0, "ROLE=COLUMN,...", TEXT, NULL,                          \
		   "roles of the columns of a CSV file, such as ptr=addr,req=3,unit=us")          \
	OPTION_DEF(KEEP, "keep", 0, "pointers,tasks", TEXT, NULL,                                 \
		   "also keep each event's recorded pointer (8 bytes an event of memory)"         \
		   " and its task (4)")                                                           \
	OPTION_DEF(KALLSYMS, "kallsyms", 0, "FILE", FILES, NULL,                                  \
		   "/proc/kallsyms of the same boot: names the call sites that are addresses")    \
	OPTION_DEF(PTR, "ptr", 0, "0xADDRESS", TEXT, NULL,                                        \
		   "the pointer as the trace has it, hashed or not")                              \
	OPTION_DEF(ON_CPU, "cpu", 0, "N", NUMBER, NULL, "only events on this CPU")                \
	OPTION_DEF(NEAR, "at", 0, "N", ORDINAL, NULL,                                             \
		   "of several objects the one that lives at event N, or nearest to it")          \
	OPTION_DEF(SEED, "seed", 0, "N", TEXT, "seed",                                            \
		   "random seed: each value gives another trace of the same shape")               \
	OPTION_DEF(SCALE, "scale", 0, "X", TEXT, "scale",                                         \
		   "amount of work: 2 is twice as much, 0.5 half of it")                          \
	OPTION_DEF(PART, "scale", 0, "X", TEXT, NULL,                                             \
		   "part of every workload: 0.1 is a tenth, for a quick look")                    \
	OPTION_DEF(SHAPE, "shape", 0, NULL, FLAG, NULL,                                           \
		   "sizes, lifetimes, frees on other CPUs, live objects")                         \
	OPTION_DEF(MACHINE_STATE, "machine-state", 0, "FILE,...", FILES, NULL,                    \
		   "a machine's /proc/slabinfo or /sys/kernel/slab, shown beside the model;"      \
		   " a later file replaces an earlier one")                                       \
	OPTION_DEF(BEFORE, "before", 0, "FILE,...", FILES, NULL,                                  \
		   "the same machine before the trace: --machine-state is then the one after,"    \
		   " and both changes are shown")                                                 \
	OPTION_DEF(CACHE_PARAMS, "cache-params", 0, "FILE,...", FILES, NULL,                      \
		   "a machine's caches: sizes, and order, thresholds and sheaves unless"          \
		   " --set, --preset, an axis or the trace sets them")                            \
	OPTION_DEF(CACHE_NAMES, "cache-params", 0, "FILE,...", FILES, NULL,                       \
		   "a machine's caches: accounted objects are in plain kmalloc caches if it has"  \
		   " no others")                                                                  \
	OPTION_DEF(PRESETS, "presets", 0, NULL, FLAG, NULL,                                       \
		   "the presets instead of the parameters")                                       \
	OPTION_DEF(THING, "object", 0, "N|CACHE/SLAB/INDEX", TEXT, NULL,                          \
		   "the object of event N, from 1, or all objects at that place of a slab")       \
	OPTION_DEF(SLAB, "slab", 0, "CACHE/N", TEXT, NULL, "this slab, by its serial number")     \
	OPTION_DEF(WHEN, "when", 0, "CONDITION,...", TEXT, NULL,                                  \
		   "conditions to find, or decisions by their names")                             \
	OPTION_DEF(FROM, "from", 0, "N", ORDINAL, NULL,                                           \
		   "from event N on, counted from 1; back: before it")                            \
	OPTION_DEF(BACK, "back", 0, NULL, FLAG, NULL, "backwards")                                \
	OPTION_DEF(EACH, "all", 0, NULL, FLAG, NULL, "all of them, not only the nearest")         \
	OPTION_DEF(MOST, "count", 0, "K", NUMBER, NULL, "at most K rows (default 1000)")          \
	OPTION_DEF(WITH, "with", 0, "ALLOCATOR[,KEY=VALUE...]", TEXT, NULL,                       \
		   "a machine to compare; at least two, at most four")                            \
	OPTION_DEF(KERNELS, "kernels", 0, NULL, FLAG, NULL,                                       \
		   "every preset instead of --with: one row for each kernel")                     \
	OPTION_DEF(TABLE, "table", 0, "NAME", TEXT, NULL,                                         \
		   "events, objects, slabs, steps or caches")                                     \
	OPTION_DEF(AGAINST, "against", 0, "TRACE", FILES, NULL, "a second trace to compare")      \
	OPTION_DEF(ALIGN, "align", 0, "HOW", TEXT, NULL,                                          \
		   "of two traces: by time, event or share of the run (default)")                 \
	OPTION_DEF(BY_CLOCKS, "by-clocks", 0, NULL, FLAG, NULL,                                   \
		   "events in the order in which CPUs that run at once reach them")               \
	OPTION_DEF(EVENTS, "events", 0, "N", NUMBER, NULL, "of the generated trace")              \
	OPTION_DEF(LIVE, "live", 0, "N", NUMBER, NULL, "live objects in that trace")              \
	OPTION_DEF(X, "x", 0, "KEY=VALUES", TEXT, NULL,                                           \
		   "parameter of the columns: KEY=V1,V2,... or KEY=FIRST..LAST")                  \
	OPTION_DEF(Y, "y", 0, "KEY=VALUES", TEXT, NULL, "parameter of the rows")                  \
	OPTION_DEF(METRIC, "metric", 0, "NAME,...", TEXT, NULL,                                   \
		   "numbers of each replay (default slab_bytes_peak)")                            \
	OPTION_DEF(LIST, "list", 0, "NODE/LIST|cpuN/LIST", TEXT, NULL,                            \
		   "the list: 1/partial, cpu4/partial, ...")                                      \
	OPTION_DEF(WARM, "warm", 0, "FILE,...", FILES, NULL,                                      \
		   "begin with the slabs, lists and objects of a machine's /proc/slabinfo or"     \
		   " /sys/kernel/slab; --cache-params is then the same file unless it is given")  \
	OPTION_DEF(COLD, "cold", 0, NULL, FLAG, NULL,                                             \
		   "begin with empty caches, although the trace's pointers show slabs from"       \
		   " before it")                                                                  \
	OPTION_DEF(MACHINE, "machine", 0, "FILE,...", FILES, NULL,                                \
		   "a real machine's /proc/slabinfo or /sys/kernel/slab: its caches")             \
	OPTION_DEF(AGAINST_RULE, "against", 0, "NAME", TEXT, NULL,                                \
		   "the order rule to compare with (default rfc-2023)")                           \
	OPTION_DEF(SITE_CACHE, "cache", 0, "NAME", TEXT, NULL,                                    \
		   "only allocations from this cache, as `info` names it")                        \
	OPTION_DEF(SITE_CPU, "cpu", 0, "N", NUMBER, NULL, "only allocations on this CPU")         \
	OPTION_DEF(SITE_NODE, "node", 0, "N", NUMBER, NULL,                                       \
		   "only allocations on CPUs of this node")                                       \
	OPTION_DEF(SITE_TASK, "task", 0, "NAME|PID,...", TEXT, NULL,                              \
		   "only allocations by these tasks: name, pid or both, as in sh-42")             \
	OPTION_DEF(SITE_FROM, "from-event", 0, "N", ORDINAL, NULL,                                \
		   "only allocations from event N on, counted from 1")                            \
	OPTION_DEF(SITE_TO, "to-event", 0, "N", ORDINAL, NULL, "only allocations up to event N")  \
	OPTION_DEF(BY, "by", 0, "THING,...", TEXT, NULL,                                          \
		   "a row for each site, cache, cpu, node or task (default site,cache)")          \
	OPTION_DEF(PPROF, "pprof", 0, NULL, FLAG, NULL,                                           \
		   "with -o: a gzip-compressed profile by call site, for pprof")                  \
	OPTION_DEF(FROM_EVENT, "from-event", 0, "N", TEXT, NULL,                                  \
		   "only from event N on, counted from 1")                                        \
	OPTION_DEF(TO_EVENT, "to-event", 0, "N", TEXT, NULL, "only up to event N")                \
	OPTION_DEF(FROM_TIME, "from-time", 0, "T", TEXT, NULL,                                    \
		   "only from that time on: seconds, or ticks of the trace's clock")              \
	OPTION_DEF(TO_TIME, "to-time", 0, "T", TEXT, NULL, "only up to that time")                \
	OPTION_DEF(FILTER_CPU, "cpu", 0, "LIST", TEXT, NULL,                                      \
		   "only objects allocated on these CPUs, such as 0-3,7; repeatable")             \
	OPTION_DEF(FILTER_NODE, "node", 0, "LIST", TEXT, NULL,                                    \
		   "only objects requested for these nodes, or by their CPUs; repeatable")        \
	OPTION_DEF(OF_CACHE, "cache", 0, "NAME,...", TEXT, NULL,                                  \
		   "only objects of these caches; * stands for any characters; repeatable")       \
	OPTION_DEF(OF_SITE, "call-site", 0, "NAME,...", TEXT, NULL,                               \
		   "only objects allocated there, as in `copy_process`; repeatable")              \
	OPTION_DEF(OF_TASK, "task", 0, "NAME,...", TEXT, NULL,                                    \
		   "only objects allocated by these tasks; repeatable")                           \
	OPTION_DEF(ANONYMISE, "anonymise", 0, NULL, FLAG, NULL,                                   \
		   "numbers in the place of call sites and task names")                           \
	OPTION_DEF(JOBS, "jobs", 'j', "N", NUMBER, NULL,                                          \
		   "processes that share the work (default: as many as processors)")              \
	OPTION_DEF(START, "start", 0, "STATE", FILES, NULL,                                       \
		   "the kernel's state when the trace began: every slab, list and freelist")      \
	OPTION_DEF(STOP, "stop", 0, "STATE", FILES, NULL,                                         \
		   "its state when the trace ended, to compare counters, slabs and lists")        \
	OPTION_DEF(INFER_ORDER, "infer-order", 0, NULL, FLAG, NULL,                               \
		   "move events within their own intervals until the model makes the recorded"    \
		   " choices")                                                                    \
	OPTION_DEF(MOST_EVENTS, "most", 0, "N", NUMBER, NULL,                                     \
		   "record at most N events (default 4,000,000)")                                 \
	OPTION_DEF(RECORD, "record", 0, "FILE", TEXT, NULL,                                       \
		   "also write every request as a slabtrace")                                     \
	OPTION_DEF(MALLOC, "malloc", 0, NULL, FLAG, NULL,                                         \
		   "the allocators as a program's malloc, against the C library's (Linux)")       \
	OPTION_DEF(LOAD, "load", 0, "NAME[,THREADS]", TEXT, NULL,                                 \
		   "with --malloc: one load in this process, with the malloc that it has")        \
	OPTION_DEF(MATRIX, "matrix", 0, NULL, FLAG, NULL,                                         \
		   "with --csv: which CPU frees what which CPU allocated")

enum option_id {
#define OPTION_DEF(id, name, letter, value, type, key, help) OPT_##id,
	OPTIONS
#undef OPTION_DEF
		NR_OPTIONS
};

/* One bit for each option. */
typedef unsigned __int128 option_set;

#define OPTION(id) ((option_set)1 << OPT_##id)
_Static_assert(NR_OPTIONS <= 128, "args.given and a command's options have a bit for each option");

/* Groups of options that several commands take. */
#define OPTIONS_COMMON (OPTION(JSON) | OPTION(QUIET) | OPTION(HELP))
#define OPTIONS_TRACE (OPTIONS_COMMON | OPTION(COLUMNS) | OPTION(KALLSYMS))
/* A machine's slabs to begin with. */
#define OPTIONS_BEGIN (OPTION(WARM) | OPTION(START))
#define OPTIONS_MACHINE                                                                          \
	(OPTION(ALLOCATOR) | OPTION(CPUS) | OPTION(NODES) | OPTION(PAGE_SIZE) | OPTION(MEMORY) | \
	 OPTION(ZONES) | OPTION(PRESET) | OPTION(SET) | OPTION(COLD))

/* Conditions of a filter, in one row of the table above. */
#define OPTIONS_FILTER                                                                   \
	(OPTION(FROM_EVENT) | OPTION(TO_EVENT) | OPTION(FROM_TIME) | OPTION(TO_TIME) |   \
	 OPTION(FILTER_CPU) | OPTION(FILTER_NODE) | OPTION(OF_CACHE) | OPTION(OF_SITE) | \
	 OPTION(OF_TASK))

enum { MAX_CONDITIONS = 256, MAX_SETTINGS = 256, MAX_WITH = 4, MAX_OPERANDS = 256 };

/* key=value, from --set or from an option with a key. */
struct setting {
	const char *key, *value;
	const char *option; /* as the user wrote it, for messages */
};

struct args {
	option_set given; /* bits OPTION(x) of the options on the command line */
	const char *text[NR_OPTIONS];
	u64 number[NR_OPTIONS];
	struct setting settings[MAX_SETTINGS];
	u32 nr_settings;
	struct kmem_choice conditions[MAX_CONDITIONS]; /* of a filter; key is the option's name */
	u32 nr_conditions;
	const char *with[MAX_WITH];
	u32 nr_with;
	const char *trace;		    /* the operand, NULL if there is none */
	const char *operands[MAX_OPERANDS]; /* all operands, for commands that take several */
	u32 nr_operands;
	char *const *
		program; /* the words behind --, for commands that start a program; ends with NULL */
};

#define GIVEN(args, id) (((args)->given & OPTION(id)) != 0)

/*
 * Calls `is_wanted` with each file that the call reads, until one is: the first nr_operands operands, with option NULL, and those
 * that options name. Returns whether one was.
 */
int args_find_file(const struct args *args, u32 nr_operands,
		   int (*is_wanted)(void *arg, const char *path, const char *option), void *arg);
/* Complains that event number 0 does not exist. */
void refuse_event_0(const char *option);
/* Reads argv[2…]; complains and returns 0 if the call is bad. */
int args_parse(struct args *args, const struct command *command, int argc, char **argv);
/* The options of a command, for --help. */
void args_print_options(const struct command *command);
/* Returns the word of the list nearest to `word`; NULL if all of them are too far. */
const char *nearest_word(const char *word, const char *const *words, u32 nr_words);

#endif
