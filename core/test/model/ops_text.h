/*
 * ops_text.h - traces out of chance or out of a fuzzer's bytes: a machine, caches and operations as slabtrace.
 *
 * Whatever the dice say is a trace without a mistake. Parameters are those of params.def that the allocator has,
 * so a new one is thrown as soon as it has its row.
 */
#ifndef TEST_MODEL_OPS_TEXT_H
#define TEST_MODEL_OPS_TEXT_H

#include "kmem_types.h"

/* Numbers from bytes until they are used up, then 0; or, with bytes NULL, from a seed without end. */
struct dice {
	const u8 *bytes;
	size_t len, at;
	u64 seed;
};

enum { OPS_TEXT_LIVE = 240 }; /* most objects live at once */

/* 0 … below - 1, below > 0. */
u32 roll(struct dice *d, u32 below);
/* The trace of at most max_ops operations; valid until the next one. */
const char *ops_text(struct dice *d, const char *allocator, u32 max_ops);

#endif
