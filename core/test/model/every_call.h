/*
 * every_call.h - every function of kmem.h on a session that has a trace, with arguments that are right and that are not.
 */
#ifndef TEST_MODEL_EVERY_CALL_H
#define TEST_MODEL_EVERY_CALL_H

#include "kmem_types.h"
#include "test/model/ops_text.h"

/* The dice choose positions, caches and objects. NULL, or the broken law. Leaves a trace in the order of the clocks. */
const char *every_call(struct kmem_session *s, struct dice *d);
/* Dice for one input of a fuzzer: the same for the same bytes. */
struct dice dice_of_bytes(const u8 *bytes, size_t len);

#endif
