/*
 * print.h - what several commands print: the kernel, an import, caches, one object, reports of debugging.
 *
 * A function named *_json writes members of an object, without its braces.
 */
#ifndef CLI_PRINT_PRINT_H
#define CLI_PRINT_PRINT_H

#include "cli/host/cache_names.h"
#include "cli/text/json.h"

/* A copy, because the session may build another machine. */
struct kernel {
	struct kmem_kernel row;
	char preset[64], recorded[128], words[256];
	char caches[512];      /* which part of --cache-params is in force, "" without it */
	char start[512];       /* what --warm made, "" without it */
	struct kmem_warm warm; /* the same in numbers */
	u32 start_from, from;  /* enum kmem_start_from; enum kmem_from of what depends on it */
};

struct kernel kernel_of(const struct host *h);
/* Which caches' frees the trace does not show, and by how much the model has too much: "unseen", or sentences, nothing without such a cache. */
void unseen_json(struct json *j, const struct host *h);
void unseen_print(const struct host *h);
/* Prints "kernel modelled: linux-6.18, as the trace was recorded on Linux 6.18.15", indented by that many blanks. */
void kernel_print(const struct kernel *k, u32 indent);
/* Returns the way to choose another kernel than the default, behind the words; "" for a kernel that somebody chose. */
const char *kernel_choice(const struct kernel *k);
/* Kernel and start in one line above what an event did: "linux-6.1 · start from pointers, a guess · cycles are the model's". */
void kernel_head(const struct host *h);
/* Prints the same on standard error, for commands whose output has rows of a fixed shape; prints nothing with --quiet. */
void kernel_note(const struct kernel *k, int quiet);
/* Writes the members `kernel`, and `from` for the memory figures of this object and of those in it. */
void kernel_json(struct json *j, const struct kernel *k);
/* Write `from`; and `from_of`, which names the figures for which that does not hold: "key=mark,key=mark", a mark as in
 * enum kmem_from. */
void from_json(struct json *j, u32 from);
void from_csv(u32 from); /* the last cell of a row, and its end */
void from_of_json(struct json *j, const char *marks);
/* The mark of a row of kmem_measured among replays whose start has that mark, "" if it does not count memory. */
const char *measure_mark(u32 measure, u32 from);
/* Prints what the trace itself measures of memory, wrapped; it stands first in a report, in front of what is modelled. */
void measured_print(const struct host *h, u32 indent);
/* The word of enum kmem_from, as text has it. */
const char *mark(u32 from);
/* The same with the kernel of a session as it is now. */
void kernel_print_now(const struct host *h, u32 indent);
void kernel_note_now(const struct host *h);
void kernel_json_now(struct json *j, const struct host *h);

/* Prints the results of an import: the members of info, without `caches`. */
void report_json(struct json *j, const struct host *h);
void report_print(const struct host *h);
/* That the trace is sampled, and by how much; nothing for a trace with every event. */
void sampling_json(struct json *j, const struct host *h);
void sampling_print(const struct host *h);
/* The same for a replay, whose figures are not scaled, and why. */
void replay_sampling_print(const struct host *h);

/* Prints the shape of a trace; returns an exit status. */
int shape_json(struct json *j, struct host *h);
int shape_print(struct host *h);

/* cmd_replay.c: writes the members of replay, without those of info. */
void outcome_json(struct json *j, const struct host *h);
/* The same without the reports of debugging. */
void outcome_rows_json(struct json *j, const struct host *h);

/* A copy of all caches or of all lines of slabinfo, because rows of the session last until the next call only.
 * malloc'ed. */
struct kmem_cache_row *caches_take(const struct host *h, u32 *nr);
struct slabinfo {
	struct kmem_slabinfo_row *rows;
	u32 nr;
};
struct slabinfo slabinfo_take(const struct host *h);
/* Writes the members "sysfs", with the content of each file, and "slabinfo" of one cache; null if its kernel has
 * none. */
void sysfs_json(struct json *j, const struct host *h, const struct slabinfo *info, u32 cache);

/* Writes the model's and the machine's values of each cache, if --machine-state was given. */
void machine_state_json(struct json *j, const struct host *h, const struct args *args);
void machine_state_print(const struct host *h, const struct args *args);

/* Checks that --object, if it is given, names an object, before the trace is read. */
int check_object(const struct args *args);
/* Prints the object that --object names, at the session's position; returns an exit status. */
int show_object(struct host *h, const struct args *args, const struct cache_names *names);

enum { NO_TRACK = 0xffffffff };

/* Writes the member `key`: which process allocated or freed an object, from where and when; null if op is
 * NO_TRACK. */
void track_json(struct json *j, const struct host *h, const char *key, u32 op, u32 cpu, u64 time,
		u32 site_at);
/* Write members of a report: its check and where the fault is, and what was done about it. */
void bug_values_json(struct json *j, const struct host *h, const struct kmem_bug *bug);
void bug_fixes_json(struct json *j, const struct kmem_bug *bug);
/* Writes the members "reports_found" and "reports". */
void bugs_json(struct json *j, const struct host *h);
/* Prints nothing if there are no reports. */
void print_bugs(const struct host *h);

#endif
