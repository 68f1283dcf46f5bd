/*
 * start_doubt.h - compares a snapshot with the trace: is it of the same machine, when the trace begins?
 */
#ifndef SESSION_WARM_START_DOUBT_H
#define SESSION_WARM_START_DOUBT_H

#include "session/session.h"

/* Compares what needs no build. */
void start_doubt_begin(struct kmem_session *s);
/* Takes the slabs of a cache that events use and that were there before the trace, by the page allocator's events. */
void start_doubt_slabs(struct kmem_session *s, const char *cache, u32 nr_shown);

#endif
