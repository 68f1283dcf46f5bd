/*
 * host.h - one session of the core with its region of memory, and what every command does with it.
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
	const char *columns; /* of CSV, as the command line tells them; NULL: by their names */
	const char *preset;  /* its full name; NULL: none */
	int has_wishes;	     /* the command line sets parameters */
	int is_incomplete;   /* settings are still to come, cell by cell */
	int by_clocks;	     /* operations are put in the order of the CPUs' clocks */
	int is_packed;	     /* the trace came compressed */
	int is_damaged;	     /* it broke off: the input is bad, and what came before is there */
	int is_terminal;     /* standard error is one: show progress */
	u64 started_ns,
		drawn_ns; /* progress: when the work began, when it was drawn last (0: never) */
};

/* Sees the trace's text as it is read. */
struct watcher {
	void (*see)(void *arg, const u8 *bytes, u32 len_bytes);
	void *arg;
};

/* These return an exit status and have complained when it is not EXIT_DONE. */
int host_open(struct host *h, const struct args *args);
/* Gives the session's memory back. */
void host_close(struct host *h);
/* Opens, sets the parameters of the command line and reads the small files that it names: all that can be wrong with the
 * call is found here, before the trace is read, which may take long. */
int host_prepare(struct host *h, const struct args *args);
/* Imports args->trace. watcher may be NULL. */
int host_read(struct host *h, const struct args *args, const struct watcher *watcher);
/* Both. */
int host_import(struct host *h, const struct args *args, const struct watcher *watcher);
/* A trace that is made; settings as kmem_workload_begin takes them. */
int host_workload(struct host *h, const char *name, const char *settings);
/* workload:NAME?KEY=VALUE&KEY=VALUE in the place of a file: 0 if it is none. */
struct named_workload {
	char name[64], settings[1024];
};
int named_workload(const char *trace, struct named_workload *made);
/* Makes the machine and replays the whole trace; with keyframes, so that any position can be
 * sought. */
int host_build(struct host *h);
/* The same without: nothing but the end is wanted. */
int host_run(struct host *h);
/* Every law of the core at the position: EXIT_LAW if one is broken. */
int host_check(struct host *h);
/* Complains with the core's sentence; the exit status for it. */
int host_failed(struct host *h, s32 err);
/* For a trace of which some lines could not be used: a warning, and the exit status at the end. A
 * recording with damaged lines is what tracing gives; a slabtrace with a bad line is a mistake. */
int host_verdict(struct host *h);

/* Text and rows at an offset that the core has given. */
const char *host_text(const struct host *h, u32 at);
const void *host_rows(const struct host *h, u32 at);

/* done of all, in units of `what`; draws at most ten times a second. all 0: unknown. */
void progress(struct host *h, const char *what, u64 done, u64 all);
void progress_end(struct host *h);
u64 now_ns(void);

/* params.c: the full name of a preset, which may be given without "linux-"; NULL if there is none. */
const char *preset_named(const char *name);
/* All of them as a list: "linux-2.6.26, linux-2.6.36, ...". */
const char *preset_names(void);

/* input.c: path or "-", plain or compressed, into the session. Of damaged compressed data what came
 * before the damage is imported, if there was any: it complains, and is_damaged is set. */
int input_import(struct host *h, const char *path, const struct watcher *watcher);

#endif
