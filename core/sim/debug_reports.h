/*
 * debug_reports.h - what debugging has found so far, in the order of finding.
 */
#ifndef SIM_DEBUG_REPORTS_H
#define SIM_DEBUG_REPORTS_H

#include "kmem_types.h"
#include "sim/world.h"

/* Room for a report, zeroed, with op and cpu filled in. Past MAX_BUGS all are written to the last place, which
 * kmem_reports() does not show. Valid until the next one. */
struct kmem_bug *bug_new(struct world *w);
/* The latest report; there must be one. */
struct kmem_bug *bug_last(struct world *w);

#endif
