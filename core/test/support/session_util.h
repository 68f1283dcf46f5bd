/*
 * session_util.h - sessions for tests: from text, from generated traces.
 */
#ifndef TEST_SUPPORT_SESSION_UTIL_H
#define TEST_SUPPORT_SESSION_UTIL_H

#include <stddef.h>

#include "sim/world.h"
#include "kmem_types.h"

/* Returns a session with the text imported; lives until the next one is made. Exits if the text is not a trace. */
struct kmem_session *session_of_text(const char *text);
/* Starts a build in the order of the CPUs' clocks. */
s32 begin_by_clocks(struct kmem_session *s);
struct kmem_session *session_of_bytes(const void *bytes, size_t len_bytes);
/* Returns the parameters as the preset sets them. */
struct policy policy_of_preset(const char *preset);
/* Returns a slabtrace of nr_ops random allocations and frees of five caches and kmalloc, about `live` objects at
 * once. */
const char *synthetic_trace(u32 nr_ops, u32 live, u32 cpus, u32 nodes);
/* Returns the state hash before the first event and after each, replayed from the start; the caller frees them. */
u64 *straight_run(struct kmem_session *s);

#endif
