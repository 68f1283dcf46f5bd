/*
 * slub_debug.h - what debugging keeps of a slab, shared by the files slub_debug*.c and slub_bytes.c.
 *
 *	descriptor: | struct slab | link[objects] | struct slab_debug | track[objects] with store_user |
 *
 * The bytes of objects are not kept. What they should be follows from the state (free or in use, which free pointer);
 * kept are the runs of bytes that are something else, the damages, and every check decides as if it had read the
 * bytes. Offsets of bytes count from the start of the slab.
 */
#ifndef ALLOC_SLUB_SLUB_DEBUG_H
#define ALLOC_SLUB_SLUB_DEBUG_H

#include "alloc/slub/slub.h"

/* Bytes [start, end) of a slab are `value`, whatever they should be. Damages of a slab do not overlap. */
struct damage {
	ref next;
	u32 start, end;
	u8 value;
	u8 reserved[3];
};

/* Operations + 1; 0: never. CPU, time and call site are the trace's to tell. */
struct track {
	u32 allocated, freed;
};

struct slab_debug {
	ref damages;
	u16 nr_damages;
	u16 isolated;	      /* 1: its freelist could not be trusted, and it is out of use */
	struct track track[]; /* [objects] if CACHE_STORE_USER */
};

#define POINTER_BYTES 8u

/* slub_debug_bytes.c */
struct slab_debug *slub_debug_of(const struct world *w, const struct slab *slab);
/* Offset of an object in its slab. */
u32 slub_object_at(const struct kmem_cache *s, u32 index);
u64 slub_slab_address(const struct world *w, const struct slab *slab);
u32 slub_slab_bytes(const struct world *w, const struct slab *slab);
/* Behind object, red zone and free pointer: where tracks and padding begin, from the object. */
u32 slub_info_end(const struct kmem_cache *s);
int slub_is_in_use(const struct slab *slab, u32 index);
/* 1 if free objects are filled with poison: not those that a constructor or RCU's readers rely on. */
ALWAYS_INLINE int slub_has_object_poison(const struct kmem_cache *s)
{
	return s->flags & CACHE_POISON && !(s->flags & (CACHE_CTOR | CACHE_TYPESAFE_BY_RCU));
}
ALWAYS_INLINE int slub_pointer_is_outside(const struct kmem_cache *s)
{
	return s->offset >= s->inuse;
}
/* The bytes become value. Past MAX_DAMAGES of a slab they are as they were. */
void slub_damage(struct world *w, struct slab *slab, u32 start, u32 end, u32 value);
/* The bytes become what the state says. */
void slub_undamage(struct world *w, struct slab *slab, u32 start, u32 end);
/* A byte, `base` unless it is damaged. */
u32 slub_byte(const struct world *w, const struct slab *slab, u32 at, u32 base);
int slub_is_damaged(const struct world *w, const struct slab *slab, u32 start, u32 end);

/* slub_object.c: free pointers as they are stored */
enum { POINTER_BAD = 0xffffffff };

/* What a free pointer stored at that address is mixed with. */
u64 slub_secret(const struct world *w, const struct kmem_cache *s);
u64 slub_swab64(u64 x);
u64 slub_object_address(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			u32 index);
/* The eight bytes as the kernel wrote them. */
u64 slub_pointer_written(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			 u32 index);
/* The eight bytes as stored, damages included. */
u64 slub_pointer_stored(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			u32 index);
/* And what they mean: an address. */
u64 slub_pointer_decoded(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			 u32 index);
/* As a link: index + 1, 0 at the end, POINTER_BAD if it leads to no object of the slab. */
u32 slub_pointer_read(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
		      u32 index);
/* The free pointer is written anew, as the link says. */
void slub_pointer_mend(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index);
/* The freelist becomes what following the stored pointers reaches; the other free objects are lost. */
void slub_freelist_settle(struct world *w, struct kmem_cache *s, struct slab *slab);

/* slub_check.c: each check reports, repairs what the kernel repairs, and returns 1 if all was well */
void slub_report(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index, u32 check,
		 u32 at);
void slub_fix(struct world *w, struct kmem_cache *s, const struct slab *slab, u32 fix);
int slub_check_slab(struct world *w, struct kmem_cache *s, struct slab *slab);
int slub_check_object(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
		      int active);
/* Walks the freelist, looking for object index (NO_OBJECT: for none): 1 if it is there. */
int slub_on_freelist(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index);

enum { NO_OBJECT = 0xffffffff };

/* slub_debug.c: a free of something at that offset of the slab, or of an object (at = its start). */
int slub_free_checked(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		      struct slab *slab, u32 index, u32 at);

#endif
