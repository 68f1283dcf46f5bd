/*
 * oracle_sheaves.h - the laws of kernels without cpu slabs (7.x): where slabs and sheaves are, and what moved through
 * the sheaves.
 *
 * It gathers the places and slabs of one walk, and computes a sheaf's capacity by itself.
 */
#ifndef TEST_MODEL_ORACLE_SHEAVES_H
#define TEST_MODEL_ORACLE_SHEAVES_H

#include "test/model/oracle.h"

/* Call these while the world is walked; the last two return NULL, or the law that is broken. */
void sheaves_begin_walk(void);
const char *sheaves_see_place(const struct world *w, const struct kmem_place *place);
const char *sheaves_see_slab(const struct kmem_place *place, const struct kmem_slab_row *row);

/* Whether the world is of a kernel without cpu slabs. */
int sheaves_replace_cpu_slabs(const struct world *w);
/* After the walk, between operations: NULL, or the law that is broken. */
const char *sheaves_judge(const struct oracle *o, const struct world *w);

#endif
