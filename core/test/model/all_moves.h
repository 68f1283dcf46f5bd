/*
 * all_moves.h - all sequences of moves, up to some length, on machines so small that everything overflows soon.
 */
#ifndef TEST_MODEL_ALL_MOVES_H
#define TEST_MODEL_ALL_MOVES_H

#include "kmem_types.h"

/* Runs them for one allocator, `deeper` moves beyond what is usual; every law is a CHECK. Returns how many sequences
 * there were. */
u64 all_moves(const char *allocator, s32 deeper);

#endif
