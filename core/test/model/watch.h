/*
 * watch.h - a session replayed operation by operation under the eyes of the oracle.
 */
#ifndef TEST_MODEL_WATCH_H
#define TEST_MODEL_WATCH_H

#include "session/session.h"

/* How often, in operations; 0: never. */
struct watch {
	u32 judge;  /* every law */
	u32 inside; /* every step of the operation */
	u32 travel; /* back in time and here again */
};

/* NULL, or the law that is broken and in *op the operation after which it is. The session has a trace; one whose
 * machine is impossible is not replayed. */
const char *watch_replay(struct kmem_session *s, const struct watch *how, u32 *op);

#endif
