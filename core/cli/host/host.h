/*
 * host.h - one session of the core with its region of memory, and the work that every command does with it.
 */
#ifndef CLI_HOST_HOST_H
#define CLI_HOST_HOST_H

#include "cli/host/cli.h"

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

/* These functions return an exit status, and have complained unless it is EXIT_DONE. */
int host_open(struct host *h, const struct args *args);
/* Releases the session's memory. */
void host_close(struct host *h);
/* Opens the session, sets the parameters of the command line and reads the small files that it names. It finds
 * every mistake in the call before the trace is read, which may take long. */
int host_prepare(struct host *h, const struct args *args);
/* Imports args->trace. watcher may be NULL. */
int host_read(struct host *h, const struct args *args, const struct watcher *watcher);
/* Begins with the state of --start, if it is given; the trace has been read. */
int host_start(struct host *h, const struct args *args);
/* Keeps at least these of each event; call it before host_import, which adds what --keep asks for. */
void host_keep(u32 what);
/* Does all three. */
int host_import(struct host *h, const struct args *args, const struct watcher *watcher);
/* Generates a trace; settings as in struct kmem_workload_args. */
int host_workload(struct host *h, const char *name, const char *settings);
/* Parses workload:NAME?KEY=VALUE&KEY=VALUE in the place of a file; 0 if the operand is a file. */
struct named_workload {
	char name[64], settings[1024];
};
int named_workload(const char *trace, struct named_workload *made);
/* Builds the machine and replays the whole trace, with keyframes, so that the session can seek any position. */
int host_build(struct host *h);
/* The same without keyframes, for commands that need only the end. */
int host_run(struct host *h);
/* Does a job in slices, and draws progress. */
int host_finish(struct host *h, u32 job, const void *args, const char *what);
/* The same for a job that has begun. */
int host_work(struct host *h, u32 job, const char *what);
/* Makes the index of the slabs and objects that each event touched. */
int host_index(struct host *h);
/* The work with the trace that a command needs before it can answer. */
enum needs {
	NEEDS_REPLAY, /* host_import and host_build */
	NEEDS_INDEX,  /* and host_index */
};
/* Does that, and then calls `show`. */
int host_answer(const struct args *args, enum needs needs,
		int (*show)(struct host *h, const struct args *args));
/* Goes to the position of --at, or to the end. */
int host_seek(struct host *h, const struct args *args);
/* Checks every invariant of the core at the position: EXIT_LAW if one is broken. */
int host_check(struct host *h);
/* Complains with the core's sentence; returns the exit status for it. */
int host_failed(struct host *h, s32 err);
/* Warns about a trace with lines that could not be used; returns the exit status for the end. Damaged lines are
 * normal in recorded traces; a slabtrace with a bad line is a mistake. */
int host_verdict(struct host *h);

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
int input_import(struct host *h, const char *path, const struct watcher *watcher);
/* The bytes of a small file; the text is realloc()ed. */
struct whole {
	u8 *text;
	u64 len_bytes, room_bytes, most_bytes;
	const char *expected; /* what to give instead of a larger file */
};

/* input.c: reads a file, plain or compressed, to its end; damaged data are refused. */
int input_whole(struct host *h, const char *path, struct whole *to);
/* input.c: names the call sites of the imported trace by the symbols of this file, plain or compressed. */
int input_symbols(struct host *h, const char *path);
/* The same for the state of a kernel; which: enum kmem_state. */
int input_state(struct host *h, const char *path, u32 which);

#endif
