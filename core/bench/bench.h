/*
 * bench.h - shared by the files of `slabscope bench`: a session to measure, and the rows of results.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "cli/cli.h"
#include "doc/doc.h"

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
	double figure, reference; /* in seconds, or another unit that both share */
	double ratio, limit;	  /* limit 0: no budget */
	int at_least; /* 1: higher is better, the target is ratio >= limit; 0: ratio <= limit */
	const char *meaning;
	u32 live;     /* live objects of a synthetic trace, in thousands; 0: the given trace */
	int is_count; /* figure and reference are counts, not times */
};

struct bench {
	struct host *host;
	char *text;
	u64 len_bytes, room_bytes;
	u32 nr_ops;
	u64 events;

	u64 resident_bytes; /* after the import, minus those before it */
	struct seek_times seek;
	struct row rows[MAX_BENCH_ROWS];
	u32 nr_rows;
};

/* bench.c: processor time of this process. */
double cpu_seconds(void);
u64 resident_bytes(void);
double median(double *v, u32 nr);

/* Each returns processor seconds. */
double replay(struct bench *b, u32 with_steps);
double first_pass(struct bench *b);

/* Goes to a position in the trace. The bench visits the same random positions several times and keeps the least
 * time of each. */
typedef s32 visit(struct bench *b, u32 op);
struct seek_times visits(struct bench *b, visit *go, const char *what);
s32 visit_seek(struct bench *b, u32 op);
/* Fills a row with the p99 against a reference time in seconds. */
void row_of_p99(struct row *row, const struct seek_times *times, double reference);

/* bench_travel.c: memory of a million events. It runs first, because a process keeps the memory it has taken. */
void bench_memory(struct bench *b, const struct args *args);
/* Measures seeks, keyframes, index and search on synthetic traces of two sizes. */
void bench_travel(struct bench *b, const struct args *args);

/* bench_print.c */
void bench_print(const struct bench *b, int as_json);

#endif
