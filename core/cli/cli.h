/*
 * cli.h - what every command consists of: its options, its session of the core, and its exit status.
 *
 * The command only calls kmem.h. It computes no allocator facts itself: every number that it prints comes from the core.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "doc/doc.h"
#include "doc/plain.h"
#include "kmem_types.h"

struct command;

enum option_type {
	FLAG,
	WORD,
	FILES,	   /* the value names a file to read, or several with commas between */
	NAMES,	   /* the same, for caches that are only named, not created */
	WHOLE,	   /* a number */
	ORDINAL,   /* the number of an event or a step, from 1 */
	SETTING,   /* KEY=VALUE */
	CONDITION, /* of a filter; repeatable */
	MACHINE,   /* --with */
};

struct option {
	const char *name;
	enum option_type type;
	const char *value, *help; /* value: its name, NULL for a flag */
	char letter;		  /* 0: none */
	const char *key;	  /* the option is a shorthand for --set KEY=VALUE */
	u32 least, most;	  /* of a number, if there are limits */
};

#define OPTION(name_, type_, value_, help_, ...) \
	{ .name = (name_), .type = (type_), .value = (value_), .help = (help_), __VA_ARGS__ }
#define OPTIONS_END { .name = NULL }

/* Options that several commands put in their tables. */
#define OPTION_ALLOCATOR OPTION("allocator", WORD, "NAME", allocator_help, .key = "allocator")
#define OPTION_CPUS OPTION("cpus", WORD, "N", "CPUs of the simulated machine", .key = "cpus")
#define OPTION_NODES OPTION("nodes", WORD, "N", "NUMA nodes", .key = "nodes")
#define OPTION_PAGE_SIZE \
	OPTION("page-size", WORD, "BYTES", "4096, 16384 or 65536", .key = "page_size")
#define OPTION_MEMORY                                                                 \
	OPTION("memory", WORD, "SIZE", "memory of the simulated machine, such as 8G", \
	       .key = "memory")
#define OPTION_PRESET \
	OPTION("preset", WORD, "NAME", "the allocators of that kernel version, such as linux-4.19")
#define OPTION_SET \
	OPTION("set", SETTING, "KEY=VALUE", "set any parameter of `slabscope params`; repeatable")
#define OPTION_COLD \
	{ "cold",   \
	  .help = "start with empty caches, even if the pointers show that slabs were there" }
#define OPTION_START                    \
	OPTION("start", FILES, "STATE", \
	       "the kernel's state when the trace started: every slab, list and freelist")
#define OPTION_CACHE_PARAMS                                                                            \
	OPTION("cache-params", FILES, "FILE,...",                                                      \
	       "a machine's caches: their sizes, and also order, thresholds and sheaves unless --set," \
	       " --preset, an axis or the trace sets these")
#define OPTION_CACHE_NAMES                        \
	OPTION("cache-params", NAMES, "FILE,...", \
	       "a machine's caches: if none is for accounted objects, these are in plain kmalloc caches")
#define OPTION_CSV { "csv", .help = "print rows as comma-separated values" }
#define OPTION_OUTPUT \
	OPTION("output", WORD, "FILE", "where to write; - means standard output", .letter = 'o')
#define OPTION_CACHE OPTION("cache", WORD, "NAME", "only this cache")
#define OPTION_SLAB OPTION("slab", WORD, "CACHE/N", "only this slab, by its serial number")
#define OPTION_THING                                 \
	OPTION("object", WORD, "N|CACHE/SLAB/INDEX", \
	       "the object of event N, from 1, or all objects in that place of a slab")
#define OPTION_PTR \
	OPTION("ptr", WORD, "0xADDRESS", "the pointer as it stands in the trace, hashed or not")
#define OPTION_AT OPTION("at", WHOLE, "N", "after N events (default: at the end)")
#define OPTION_FROM \
	OPTION("from", ORDINAL, "N", "start at event N, counted from 1; with --back, before it")
#define OPTION_BACK { "back", .help = "search backwards" }
#define OPTION_MOST \
	OPTION("count", WHOLE, "K", "at most K rows (default 1000)", .least = 0, .most = 1 << 24)
#define OPTION_JOBS                                                                   \
	OPTION("jobs", WHOLE, "N",                                                    \
	       "how many processes share the work (default: one for each processor)", \
	       .letter = 'j', .least = 1, .most = 1024)
#define OPTION_BY_CLOCKS \
	{ "by-clocks", .help = "put events in the order in which CPUs that run at once reach them" }
#define OPTION_KEEP                            \
	OPTION("keep", WORD, "pointers,tasks", \
	       "also keep each event's recorded pointer (8 bytes of memory per event) and its task (4)")
#define OPTION_PART                \
	OPTION("scale", WORD, "X", \
	       "how much of every workload to run: 0.1 is a tenth, for a quick look")
extern const char allocator_help[];

/* Groups of options that a command adds to its table; all commands take --quiet and --help. */
enum {
	TAKES_JSON = 1,
	TAKES_ROWS = 2, /* --csv and --markdown */
	TAKES_TRACE = 4,
	TAKES_MACHINE = 8,
	TAKES_START = 16, /* how a replay starts */
	TAKES_REPLAY = TAKES_JSON | TAKES_TRACE | TAKES_MACHINE | TAKES_START,
};

enum {
	MAX_CONDITIONS = 256,
	MAX_SETTINGS = 256,
	MAX_WITH = 4,
	MAX_OPERANDS = 256,
	MAX_GIVEN = 32,
};

/* key=value, from --set or from an option with a key. */
struct setting {
	const char *key, *value;
	const char *option; /* as the user wrote it, for messages */
};

struct args {
	/* The last value of each option on the command line. */
	struct given {
		const struct option *option;
		const char *text;
		u64 number;
	} given[MAX_GIVEN];
	u32 nr_given;
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
		program; /* the words after --, for commands that start a program; ends with NULL */
};

/* Whether an option is given; its value, NULL or 0 without it. An option name that no command has is a bug in the caller. */
int given(const struct args *args, const char *name);
const char *option_text(const struct args *args, const char *name);
u64 option_number(const struct args *args, const char *name);
/* The option's text or number, or `otherwise` if it isn't given. */
const char *option_text_or(const struct args *args, const char *name, const char *otherwise);
u64 option_or(const struct args *args, const char *name, u64 otherwise);
/* Whether the option is given, and is of that type. */
int given_as(const struct args *args, const char *name, enum option_type type);
/* The last value that the command line sets a parameter to, NULL if it does not. */
const char *setting_of(const struct args *args, const char *key);
/* Acts as if the command line gave the option that value, or with NULL as if it didn't give the option. */
void option_put(struct args *args, const char *name, const char *text);

/*
 * Calls `is_wanted` with each file that the command line reads, until one is: the first nr_operands operands, with option
 * NULL, and those that options name. Returns whether one was.
 */
int args_find_file(const struct args *args, u32 nr_operands,
		   int (*is_wanted)(void *arg, const char *path, const char *option), void *arg);
/* Nobody counts events or steps from 0. */
_Noreturn void refuse_0(const char *option);
/* Reads argv[2…]. */
void args_parse(struct args *args, const struct command *command, int argc, char **argv);
/* The options of a command under their titles, for --help. */
void args_print_options(const struct command *command);
/* Returns the word of the list nearest to `word`; NULL if all of them are too far. */
const char *nearest_word(const char *word, const char *const *words, u32 nr_words);

/* The version, as in package.json and CITATION.cff; a test compares them. */
#define SLABSCOPE_VERSION "0.1.0"

enum exit_status {
	EXIT_DONE,
	EXIT_INPUT, /* the input is bad */
	EXIT_CALL,  /* the call is bad */
	EXIT_LAW,   /* an invariant of the core is broken: a bug in Slabscope */
};

struct host;

/* What has to happen to the trace before a command can answer. */
enum needs {
	NEEDS_SESSION, /* without a trace */
	NEEDS_TRACE,   /* host_import */
	NEEDS_END,     /* and a replay to the end */
	NEEDS_REPLAY,  /* and one that can seek any position: host_build */
	NEEDS_INDEX,   /* and host_index */
};

/* The parts of `slabscope --help` and of docs/command.md, in their order. */
enum command_group {
	GROUP_LOOK,
	GROUP_ASK,
	GROUP_COMPARE,
	GROUP_MACHINE,
	GROUP_MEASURE,
	GROUP_FILES,
	NR_COMMAND_GROUPS,
};

/* `npm run commands` makes docs/command/NAME.md from it. */
struct command {
	enum command_group group;
	const char *name;
	const char *operands;	      /* for the usage line: "TRACE" or "" */
	const char *summary;	      /* one line that starts with a verb */
	const char *details;	      /* paragraphs of --help */
	const char *example;	      /* lines of --help */
	u32 takes;		      /* TAKES_JSON | ... */
	const struct option *options; /* its own; NULL: none */
	/* A command has either `answer`, which runs after the call is checked and its needs are met, or `run`, which does
	 * everything itself. */
	enum needs needs;
	void (*check)(const struct args *args); /* NULL: nothing to check */
	void (*answer)(struct doc *d, struct host *h, const struct args *args);
	int (*run)(struct args *args); /* returns an exit status */
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
/* The same for a bad call and for bad input; they end the command with EXIT_CALL and EXIT_INPUT. */
_Noreturn void refuse_call(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the command; what it has printed is written first. */
_Noreturn void leave(int status);
/* From now on the command ends with this status, whatever goes wrong: it belongs to the program that ran. */
void leave_as(int status);

struct host {
	struct kmem_session *session;
	const u8 *base; /* of the region: fields *_at count from here */
	u64 region_bytes;
	const char *trace; /* its name, for messages */
	int quiet;
	const char *columns; /* of CSV, as the command line maps them; NULL: by their names */
	u32 keep;	     /* enum kmem_keep: what the import keeps of each event */
	const char *preset;  /* its full name; NULL: none */
	int has_wishes;	     /* the command line sets parameters */
	int is_incomplete;   /* more settings follow, cell by cell */
	int by_clocks;	     /* events are ordered by the CPUs' clocks */
	int is_packed;	     /* the trace came compressed */
	int is_merging;	     /* the file is one of several: kmem_merge_file */
	int is_damaged; /* the compressed data broke off: the input is bad, but the part before the damage was read */
	int is_terminal; /* standard error is a terminal: show progress */
	u64 started_ns,
		drawn_ns; /* progress: when the work began, and when it was last drawn (0: never) */
};

/* Receives the trace's text as it is read. */
struct watcher {
	void (*see)(void *arg, const u8 *bytes, u32 len_bytes);
	void *arg;
};

/* A mistake ends the command in all of these functions, with a sentence. */
void host_open(struct host *h, const struct args *args);
/* Releases the session's memory. */
void host_close(struct host *h);
/* Opens the session, sets the parameters of the command line and reads the small files that it names. It finds
 * every mistake in the call before the trace is read, which may take long. */
void host_prepare(struct host *h, const struct args *args);
/* Imports args->trace. watcher may be NULL. */
void host_read(struct host *h, const struct args *args, const struct watcher *watcher);
/* Starts from the state of --start, if it is given. Call it after the trace is read. */
void host_start(struct host *h, const struct args *args);
/* Keeps at least these of each event; call it before host_import, which adds what --keep asks for. */
void host_keep(u32 what);
/* Does all three. */
void host_import(struct host *h, const struct args *args, const struct watcher *watcher);
/* Generates a trace; settings as in struct kmem_workload_args. */
void host_workload(struct host *h, const char *name, const char *settings);
/* Parses workload:NAME?KEY=VALUE&KEY=VALUE given instead of a file; 0 if the operand is a file. */
struct named_workload {
	char name[64], settings[1024];
};
int named_workload(const char *trace, struct named_workload *made);
/* Builds the machine and replays the whole trace, with keyframes, so that the session can seek any position. */
void host_build(struct host *h);
/* The same without keyframes, for commands that need only the end. */
void host_run(struct host *h);
/* Does a job in slices, and draws progress. */
void host_finish(struct host *h, u32 job, const void *args, const char *what);
/* The same for a job that has started. */
void host_work(struct host *h, u32 job, const char *what);
/* Makes the index of the slabs and objects that each event touched. */
void host_index(struct host *h);
/* Does what the command needs, and lets it answer. Returns an exit status. */
int host_answer(const struct command *command, const struct args *args);
/* Goes to the position of --at, or to the end. */
void host_seek(struct host *h, const struct args *args);
/* Checks every invariant of the core at the position. */
void host_check(struct host *h);
/* Ends the command with the core's sentence; host_must() does unless all is well. */
_Noreturn void host_failed(struct host *h, s32 err);
static inline void host_must(struct host *h, s64 err)
{
	if (err < 0)
		host_failed(h, (s32)err);
}
/* Warns about a trace with lines that could not be used; returns the exit status for the end. Damaged lines are
 * normal in recorded traces; a slabtrace with a bad line is a mistake. */
int host_verdict(struct host *h);

/* A document on standard output, whose rows have texts of this session. */
struct doc host_doc(const struct host *h, enum doc_form form);
/* The form that the command line asks for. */
enum doc_form asked_form(const struct args *args);

/* Return text and rows at an offset that the core has given. */
const char *host_text(const struct host *h, u32 at);
const void *host_rows(const struct host *h, u32 at);

/* Draws `done` of `all`, in units of `what`, at most ten times a second. all 0: unknown. */
void progress(struct host *h, const char *what, u64 done, u64 all);
void progress_end(struct host *h);
/* Cleared memory for nr things of that size, to be freed. Without memory the command complains and ends with EXIT_INPUT: half an
 * answer must not pass for one. */
void *memory_for(u64 nr, size_t each_bytes);
u64 now_ns(void);

/* cmd_params.c: the full name of a preset, given with or without "linux-"; NULL if there is none. */
const char *preset_named(const char *name);
/* Returns all preset names as a list: "linux-2.6.26, linux-2.6.36, ...". */
const char *preset_names(void);

/* input.c: imports path or "-", plain or compressed, into the session. If compressed data are damaged, it imports
 * the part before the damage, complains and sets is_damaged. */
void input_import(struct host *h, const char *path, const struct watcher *watcher);
/* The bytes of a small file; the text is realloc()ed. */
struct whole {
	u8 *text;
	u64 len_bytes, room_bytes, most_bytes;
	const char *expected; /* what to give instead of a larger file */
};

/* input.c: reads a file, plain or compressed, to its end; damaged data are refused. */
void input_whole(struct host *h, const char *path, struct whole *to);
/* input.c: names the call sites of the imported trace by the symbols of this file, plain or compressed. */
void input_symbols(struct host *h, const char *path);
/* The same for the state of a kernel; which: enum kmem_state. */
void input_state(struct host *h, const char *path, u32 which);

/* Copies of all cache names: the core's rows last until the next call only. */
struct cache_names {
	u32 nr;
	const char *of[MAX_CACHES];
	char text[MAX_CACHES][MAX_NAME_BYTES];
};

void take_names(struct cache_names *names, struct host *h);
/* Finds the number of the cache with that name. */
u32 find_cache(const struct cache_names *names, const char *name);
/* Does both with the name that --cache gives; CACHE_NONE without it. */
u32 asked_cache(struct cache_names *names, struct host *h, const struct args *args);

enum { NO_THING = 0xffffffff };

struct thing {
	u32 cache;	 /* CACHE_NONE: none was named */
	u32 slab, index; /* NO_THING for any */
	u32 op;		 /* --object N: the event that has the object, from 0; NO_THING otherwise */
	char name[MAX_NAME_BYTES];
};

/* Parses NAME/N or NAME/N/N; a name may contain slashes. Returns 0 on a mistake. */
int parse_place(const char *word, char *name, u32 *number, u32 nr);
/* Parses --cache, --slab and --object before the trace is read. */
struct thing parse_thing(const struct args *args);
/* Parses --ptr: 0x and hex digits, or hex digits alone. The next host_import then keeps pointers. */
u64 parse_pointer(const struct args *args);
/* Finds the event with that pointer: the latest one, or with --at the nearest one. */
u32 find_pointer(struct host *h, const struct args *args, u64 pointer);
/* Finds the cache; the replay must be at its end. */
void find_thing(struct host *h, struct thing *thing);
/* Returns "new-slab" for WHEN_NEW_SLAB. */
const char *condition_name(u32 when);

/* Reads the files of --cache-params and --machine-state; commas join several files. It runs before the trace is
 * read, which may be large. */
void machine_state_read(struct host *h, const struct args *args);

#endif
