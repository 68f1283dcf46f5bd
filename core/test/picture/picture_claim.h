/*
 * picture_claim.h - the words in which rules speak: each claims a change of the step at hand, and notes if the picture
 * after it shows otherwise.
 */
#ifndef TEST_PICTURE_PICTURE_CLAIM_H
#define TEST_PICTURE_PICTURE_CLAIM_H

#include "test/picture/picture.h"

void claim_begin(const struct world *w, const struct kmem_step *step, const struct picture *before,
		 const struct picture *after, struct claims *c);
/* What is claimed so far, to be added to. */
struct claims *claim_rest(void);
const struct picture *claim_before(void);
const struct picture *claim_after(void);
/* NULL, or the first thing that was said and is not shown. */
const char *claim_broken(void);
void claim_number(const char *what, u32 said, u32 shown);
void claim_about(u32 serial);
void claim_slab_in(u32 serial, u32 kind);
void claim_slab_at_cpu(u32 serial, u32 kind, u32 cpu);
void claim_slab_on_list(u32 serial, u32 kind, u32 end);
void claim_slab_gone(u32 serial);
void claim_slab_comes(u32 serial);
void claim_list_length(u32 kind, u32 said);
void claim_chain_length(u32 cpu, u32 said);
void claim_entries_in(u32 kind, u32 cpu, u32 node, u32 target, u32 said);
void claim_object(u32 serial, u32 index);
void claim_object_becomes(u32 serial, u32 index, u32 from, u32 to);
void claim_objects_become(u32 nr, u32 from, u32 to);
u32 claim_free_on_slab(u32 serial);
u32 claim_free_on_cpu(u32 serial);
u32 claim_free_on_cpu_before(u32 serial);
u32 claim_is_unified(void);
void claim_freelist_to_cpu(u32 serial);
void claim_freelist_to_slab(u32 serial);

#endif
