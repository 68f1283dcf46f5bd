/*
 * picture_rules.h - what each step's sentence says about the picture: changes that it claims, numbers that it names.
 */
#ifndef TEST_PICTURE_PICTURE_RULES_H
#define TEST_PICTURE_PICTURE_RULES_H

#include "test/picture/picture.h"

/* What the step claims of the two pictures. Returns NULL, or what its sentence says and the second picture does not
 * show. */
const char *picture_claims(const struct world *w, const struct kmem_step *step,
			   const struct picture *before, const struct picture *after,
			   struct claims *c);

/* picture_rules_sheaves.c: the same for SLUB without cpu slabs. Returns 0 if its rule is that of older kernels. */
int picture_rules_sheaves(const struct kmem_step *step);

/* picture_rules_others.c: the same for the steps that only these allocators have. */
void picture_rules_slab(const struct kmem_step *step);
void picture_rules_unified(const struct kmem_step *step);
void picture_rules_slob(const struct kmem_step *step);

#endif
