/*
 * slub_debug.h - the debugging data of a slab, shared by the files slub_debug*.c and slub_bytes.c.
 *
 *	descriptor: | struct slab | link[objects] | struct slab_debug | track[objects] with store_user |
 *
 * The world stores no object bytes. The expected bytes follow from the object's state and its free
 * pointer. The descriptor stores only damages: runs of bytes that differ. Every check decides as if
 * it had read the bytes. Byte offsets count from the start of the slab.
 */
#ifndef ALLOC_SLUB_SLUB_DEBUG_H
#define ALLOC_SLUB_SLUB_DEBUG_H

#include "alloc/slub/slub.h"

/* Bytes [start, end) of a slab are `value`, whatever their expected value. Damages of one slab do
 * not overlap. */
struct damage {
	ref next;
	u32 start, end;
	u8 value;
	u8 reserved[3];
};

/* The number of an event, counted from 1; 0: never. The trace has the event's CPU, time and call site. */
struct track {
	u32 allocated, freed;
};

struct slab_debug {
	ref damages;
	u16 nr_damages;
	u16 isolated;	      /* 1: the slab freelist was damaged, and the slab is out of use */
	struct track track[]; /* [objects], with CACHE_STORE_USER */
};

#define POINTER_BYTES 8u

/* slub_debug_bytes.c */
struct slab_debug *slub_debug_of(const struct world *w, const struct slab *slab);
/* Returns the offset of an object in its slab. */
u32 slub_object_at(const struct kmem_cache *s, u32 index);
u64 slub_slab_address(const struct world *w, const struct slab *slab);
u32 slub_slab_bytes(const struct world *w, const struct slab *slab);
/* Returns where tracks and padding start, counted from the object: after object, red zone and free
 * pointer. */
u32 slub_info_end(const struct kmem_cache *s);
/* Returns the bytes of the tracks after it, and of the size of a kmalloc request, which follows them. */
ALWAYS_INLINE u32 slub_tracks_bytes(const struct world *w, const struct kmem_cache *s)
{
	u32 size_bytes = w->policy.object_layout >= LAYOUT_LINUX_7_0 ? 8 : 4;

	return 2 * TRACK_BYTES + (s->flags & CACHE_KMALLOC ? size_bytes : 0);
}
int slub_is_in_use(const struct slab *slab, u32 index);
/* Returns 1 if free objects are filled with poison. Objects with a constructor or with RCU readers
 * keep their contents. */
ALWAYS_INLINE int slub_has_object_poison(const struct kmem_cache *s)
{
	return s->flags & CACHE_POISON && !(s->flags & (CACHE_CTOR | CACHE_TYPESAFE_BY_RCU));
}
ALWAYS_INLINE int slub_pointer_is_outside(const struct kmem_cache *s)
{
	return s->offset >= s->inuse;
}
/* Sets the bytes to value. A slab has at most MAX_DAMAGES; after that, nothing changes. */
void slub_damage(struct world *w, struct slab *slab, u32 start, u32 end, u32 value);
/* Restores the bytes to their expected values. */
void slub_undamage(struct world *w, struct slab *slab, u32 start, u32 end);
/* Returns the value of a byte, which is `base` unless it's damaged. */
u32 slub_byte(const struct world *w, const struct slab *slab, u32 at, u32 base);
int slub_is_damaged(const struct world *w, const struct slab *slab, u32 start, u32 end);

/* slub_object.c: stored free pointers */
enum { POINTER_BAD = 0xffffffff };

/* Returns the value that a free pointer at that address is combined with. */
u64 slub_secret(const struct world *w, const struct kmem_cache *s);
u64 slub_swab64(u64 x);
u64 slub_object_address(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			u32 index);
/* Returns the eight bytes that the kernel wrote. */
u64 slub_pointer_written(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			 u32 index);
/* Returns the eight stored bytes, including any damage. */
u64 slub_pointer_stored(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			u32 index);
/* Returns the address that the stored bytes decode to. */
u64 slub_pointer_decoded(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
			 u32 index);
/* Returns the decoded pointer as a link: index + 1, 0 at the end, POINTER_BAD if it doesn't point
 * to an object of the slab. */
u32 slub_pointer_read(const struct world *w, const struct kmem_cache *s, const struct slab *slab,
		      u32 index);
/* Rewrites the stored free pointer from the link. */
void slub_pointer_mend(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index);
/* Cuts the freelist to what the stored pointers reach; the other free objects are lost. */
void slub_freelist_settle(struct world *w, struct kmem_cache *s, struct slab *slab);

/* slub_memory.c: these do nothing if no memory is attached to the page frames. */
/* Write bytes [start, end) of the slab; the bytes of an object that is freed or allocated (`red`:
 * its red zones); all bytes of a new slab. */
void slub_memory_fill(struct world *w, const struct slab *slab, u32 start, u32 end, u32 value);
void slub_memory_object(struct world *w, const struct kmem_cache *s, const struct slab *slab,
			u32 index, u32 red);
void slub_memory_slab(struct world *w, const struct kmem_cache *s, const struct slab *slab);
/* Records bytes there that are not `value` as damage. */
void slub_memory_read(struct world *w, struct slab *slab, u32 start, u32 end, u32 value);

/* slub_check.c: each check reports, repairs what the kernel repairs, and returns 1 if it passes */
void slub_report(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index, u32 check,
		 u32 at);
void slub_fix(struct world *w, struct kmem_cache *s, const struct slab *slab, u32 fix);
int slub_check_slab(struct world *w, struct kmem_cache *s, struct slab *slab);
int slub_check_object(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index,
		      int active);
/* Walks the freelist; returns 1 if object index is on it. With NO_OBJECT it only walks. */
int slub_on_freelist(struct world *w, struct kmem_cache *s, struct slab *slab, u32 index);

enum { NO_OBJECT = 0xffffffff };

/* slub_debug.c: frees the address at that offset in the slab, which is valid if an object starts there. */
int slub_free_checked(struct world *w, struct kmem_cache *s, struct kmem_cache_cpu *c,
		      struct slab *slab, u32 index, u32 at);

#endif
