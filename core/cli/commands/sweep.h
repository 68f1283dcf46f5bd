/*
 * sweep.h - a grid of replays: shared by the file that runs it and the file that prints it.
 */
#ifndef CLI_COMMANDS_SWEEP_H
#define CLI_COMMANDS_SWEEP_H

#include "cli/jobs.h"
#include "cli/print.h"

enum { MAX_VALUES = 512, MAX_METRICS = 8 };

/* One axis of the grid: a key and its values. */
struct axis {
	const char *key; /* NULL: the grid has no such axis, and one value */
	const char *value[MAX_VALUES];
	u32 nr;
	int is_remade;	/* the trace depends on it, so each value generates the trace again */
	int is_setting; /* a key of the workload, not of the machine */
};

struct sweep {
	struct host host;
	struct args *args;
	struct kernel kernel; /* without the settings of the axes */
	struct axis x, y;
	u32 metric[MAX_METRICS]; /* rows of kmem_measured */
	u32 nr_metrics;
	struct alike alike;
	const struct replayed *cells; /* row by row */
};

/* The name of a row of kmem_measured, such as slab_bytes_peak, and its meaning. */
const char *metric_name(u32 metric);
const char *metric_words(u32 metric);

/* The first valid cell whose figures are least trustworthy; all others come from such a start or a better one. */
const struct replayed *worst_start(const struct sweep *s);
const struct replayed *cell_at(const struct sweep *s, u32 x, u32 y);

void sweep_answer(const struct sweep *s);

#endif
