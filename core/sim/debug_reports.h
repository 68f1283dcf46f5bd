/*
 * debug_reports.h - the errors that debugging has reported so far, in order.
 */
#ifndef SIM_DEBUG_REPORTS_H
#define SIM_DEBUG_REPORTS_H

#include "kmem_types.h"
#include "sim/world.h"

/* A zeroed report with op and cpu filled in, valid until the next call. Past MAX_BUGS all reports
 * share the last slot, which kmem_reports() does not show. */
struct kmem_bug *bug_new(struct world *w);
/* The latest report, which must exist. */
struct kmem_bug *bug_last(struct world *w);

#endif
