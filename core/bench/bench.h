/*
 * bench.h - what the files of `slabscope bench` share: a session to measure, and rows of what came out.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "cli/host/host.h"
#include "cli/text/json.h"

enum {
	NR_SEEKS = 200,
	MAX_BENCH_ROWS = 24,
	SYNTHETIC_EVENTS = 2000000,
	SYNTHETIC_LIVE = 100000,
};

/* In milliseconds. */
struct seek_times {
	double p50, p99, most;
};

struct row {
	const char *what;
	double figure, reference; /* seconds, or whatever both are in */
	double ratio, limit;	  /* limit 0: no budget */
	int at_least; /* 1: more is better and ratio >= limit is asked for; 0: ratio <= limit */
	const char *meaning;
	u32 live;     /* of a synthetic trace, in thousands; 0: of the trace at hand */
	int is_count; /* figure and reference are no times */
};

struct bench {
	struct host *host;
	char *text;
	u64 len_bytes, room_bytes;
	u32 nr_ops;
	u64 events;
	s32 err;	    /* of the core, the first */
	u64 resident_bytes; /* after import, less before */
	struct seek_times seek;
	struct row rows[MAX_BENCH_ROWS];
	u32 nr_rows;
};

/* bench.c: of this process. */
double cpu_seconds(void);
u64 resident_bytes(void);
double median(double *v, u32 nr);
void note(struct bench *b, s32 err);
/* Each returns processor seconds. */
double replay_plain(struct bench *b);
double replay_recorded(struct bench *b);
double first_pass(struct bench *b);

/* Something that goes to a place in the trace; the same random places several times, the least time of each counts. */
typedef s32 visit(struct bench *b, u32 op);
struct seek_times visits(struct bench *b, visit *go, const char *what);
s32 visit_seek(struct bench *b, u32 op);
/* Its p99 against a time, in seconds. */
void row_of_p99(struct row *row, const struct seek_times *times, double reference);

/* bench_travel.c: memory of a million events, first of all: what a process has taken it keeps. */
int bench_memory(struct bench *b, const struct args *args);
/* Seeks, keyframes, index and search on synthetic traces of two sizes. */
int bench_travel(struct bench *b, const struct args *args);

/* bench_print.c */
void bench_print(const struct bench *b, int as_json);

#endif
