/*
 * measuring.h - one replay for its numbers alone, for commands that replay a trace many times.
 */
#ifndef CLI_HOST_MEASURING_H
#define CLI_HOST_MEASURING_H

#include "cli/host/host.h"

/* Replays the session's trace on the machine that is set, to its end. Returns the NR_MEASURED rows of kmem_measured, or NULL
 * with *err, and kmem_error has the reason. *err is KMEM_EBROKEN if an invariant does not hold at the end. */
const struct kmem_measured *measure_replay(struct kmem_session *s, s32 *err);

#endif
