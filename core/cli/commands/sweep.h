/*
 * sweep.h - a grid of replays: what the file that runs it and the file that prints it share.
 */
#ifndef CLI_COMMANDS_SWEEP_H
#define CLI_COMMANDS_SWEEP_H

#include "cli/print/print_kernel.h"

enum { MAX_VALUES = 512, MAX_METRICS = 8, MAX_WHY_BYTES = 240 };

/* One side of the grid: a key, and the values that it takes. */
struct axis {
	const char *key; /* NULL: the grid has no such side, and one value */
	const char *value[MAX_VALUES];
	u32 nr;
	int is_remade;	/* the trace depends on it: it is made anew for each value */
	int is_setting; /* a key of the workload, not of the machine */
};

/* What one replay came to. */
struct cell {
	u64 value[MAX_METRICS];
	u32 op[MAX_METRICS]; /* number of the event of its worst moment, from 1; 0: there is none */
	u8 known[MAX_METRICS];
	u8 is_done;
	char why[MAX_WHY_BYTES]; /* where it is not */
};

struct sweep {
	struct host host;
	struct args *args;
	struct kernel kernel; /* without what the axes set */
	struct axis x, y;
	u32 metric[MAX_METRICS]; /* rows of kmem_measured */
	u32 nr_metrics;
	const struct cell *cells; /* row by row */
};

/* Of a row of kmem_measured: slab_bytes_peak, and what that is. */
const char *metric_name(u32 metric);
const char *metric_words(u32 metric);

const struct cell *cell_at(const struct sweep *s, u32 x, u32 y);

void sweep_print(const struct sweep *s);
void sweep_csv(const struct sweep *s);
void sweep_json(const struct sweep *s);

#endif
