/*
 * estimates.c - sampled traces: how many events of the machine the recorded ones stand for.
 *
 * perf samples a tracepoint by frequency only (-F). With a period (-c) the kernel records every event of a tracepoint whose
 * samples have a period, and perf asks for that. So the periods of the samples decide, and not what perf was asked for.
 */
#include "import/import.h"

/* The average period, rounded; 1: sampled, and nothing says how much. */
static u32 average(u64 sum, u64 nr)
{
	u64 period = nr ? (sum + nr / 2) / nr : 0;

	return (u32)MIN(MAX(period, (u64)1), (u64)MAX_PERIOD);
}

void estimate_events(struct import *im)
{
	const struct sampled *sampled = &im->sampled;
	struct kmem_report *report = &im->trace->report;
	u64 recorded = report->allocs + report->frees;

	if (!recorded)
		return;
	if (sampled->allocs + sampled->frees) {
		report->estimated_allocs = sampled->allocs;
		report->estimated_frees = sampled->frees;
		report->sampling = average(sampled->allocs + sampled->frees, recorded);
	} else {
		report->sampling = average(sampled->periods, sampled->nr);
		report->estimated_allocs = report->allocs * report->sampling;
		report->estimated_frees = report->frees * report->sampling;
	}
	/* Every sample stands for itself: the trace has every event. */
	if (report->estimated_allocs + report->estimated_frees == recorded &&
	    sampled->nr + sampled->allocs)
		report->sampling = 0;
	if (report->sampling <= 1)
		report->estimated_allocs = report->estimated_frees = 0;
}
