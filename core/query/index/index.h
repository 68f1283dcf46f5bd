/*
 * index.h - the index of the slabs and objects that each event touched; one recorded replay builds it on request.
 *
 *	log      postings in the order of events: slab, object, kind of touch
 *	sorted   indices into the log, by slab, and for each slab in the order of events
 *	blocks   for every BLOCK_OPS events: the first posting, and which steps, conditions and caches occur
 *	handles  events by the object's dense number
 *
 * A posting takes 8 bytes and its entry in `sorted` 4. The handle adds 4, so an event that touches one slab takes 17
 * bytes with its share of a block. The index lies between the world and the scratch area. By then the whole trace has
 * been replayed, so the world does not grow any more.
 */
#ifndef QUERY_INDEX_H
#define QUERY_INDEX_H

#include "query/index/chapters.h"
#include "query/index/levels.h"
#include "query/index/step_subject.h"
#include "session/session.h"

enum {
	BLOCK_OPS = 512,
	KIND_WORDS = 8, /* bits for step kinds */
	COLUMN_CHUNK = 32768,
	MAX_COLUMN_CHUNKS = 16384,
	SERIALS_PER_PAGE = 256,
	NO_SINGLE = 0xffff,
	FIRST_OF_OP = 1, /* in posting.what: bit 0 does not stand for a condition */
};

enum index_state {
	INDEX_NONE,
	INDEX_HANDLES, /* only the tables of handles exist, built for object.c; everybody else sees no index */
	INDEX_RECORDING,
	INDEX_SORTING,
	INDEX_READY
};

/* One event touched a slab, perhaps an object in it (or NO_SINGLE), or a cache without a slab. A posting of an
 * object may also carry conditions of its slab and cache: OBJECT_CONDITIONS and CACHE_CONDITIONS separate them. */
struct posting {
	u32 slab;  /* index into slabs, NOWHERE if it touched nothing */
	u16 index; /* of the object */
	u16 what;  /* bits WHEN_BIT, FIRST_OF_OP */
};

/* A slab that ever existed, or (serial NOWHERE) the postings of a cache that belong to no slab. */
struct slab_note {
	u32 serial;
	u32 nr;	   /* postings */
	u32 start; /* in sorted */
	u32 done;  /* sorting: how many are in place */
	u16 cache; /* CACHE_NONE for slabs that serve all caches */
	u16 reserved;
};

struct cache_note {
	u32 **pages; /* [serial / SERIALS_PER_PAGE]: indices of slabs + 1 */
	u32 nr_pages;
	u32 beyond;	/* index + 1 of the note without a slab */
	u32 touched_op; /* last event that touched it, + 1 */
	u32 place;	/* a posting of the cache, + 1, perhaps of the current event */
	u32 pending;	/* conditions of the cache that still need a posting */
	struct kmem_life life;
	struct level_note levels[MAX_LEVELS];
};

struct block {
	u32 start; /* in the log */
	u32 what;
	u32 kinds[KIND_WORDS];
};

/* Rows in chunks that never move. */
struct column {
	u8 **chunk;
	u32 nr, row_bytes;
};

struct index {
	struct side_block *memory;
	u32 state;    /* enum index_state */
	u32 next_op;  /* of the current pass */
	u32 full;     /* out of memory */
	u32 op_start; /* first posting of the current event */
	struct column log, slabs;
	struct cache_note *caches;
	struct block *blocks;
	u32 *block_caches; /* [block][cache_words] bits */
	u32 nr_caches, cache_words, nr_blocks;
	u16 *touched; /* caches that the current event touched */
	u32 nr_touched;
	u32 *sorted;
	u32 *handle_start, *handle_ops; /* [nr_handles + 1], [nr_ops] */
	struct chapter_notes chapters;
};

static inline struct posting *index_posting(const struct index *x, u32 i)
{
	return (struct posting *)x->log.chunk[i / COLUMN_CHUNK] + i % COLUMN_CHUNK;
}

static inline struct slab_note *index_slab(const struct index *x, u32 i)
{
	return (struct slab_note *)x->slabs.chunk[i / COLUMN_CHUNK] + i % COLUMN_CHUNK;
}

/* Returns the first of nr ascending numbers that is at least `number`. */
static inline u32 lower_bound(const u32 *sorted, u32 nr, u32 number)
{
	u32 lo = 0, hi = nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (sorted[mid] < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Returns 1 if an event of that block touched the cache. */
static inline int index_block_has(const struct index *x, u32 block, u32 cache)
{
	return cache < x->nr_caches &&
	       x->block_caches[block * x->cache_words + cache / 32] >> cache % 32 & 1;
}

/* index_note.c */
void *index_alloc(struct index *x, u64 len_bytes);
/* Adds an event to the index; sets x->full when memory runs out. */
void index_note_op(struct kmem_session *s, const struct touched_op *o);
/* Returns the index of a slab, NOWHERE if it never existed. Serial NOWHERE: the note of the cache without a slab. */
u32 index_find_slab(const struct kmem_session *s, u32 cache, u32 serial);

/* index.c: the memory behind the world, for the index and for the tables of other queries. index_drop() drops all of it. */
struct side_block *index_memory(struct kmem_session *s);
/* The first posting of an event (nr_ops: the end of the log), and the event of a posting. */
u32 index_position(const struct index *x, u32 op);
u32 index_op(const struct index *x, u32 position);
/* Returns the posting of the object that an event allocated or freed, NULL if there is none. */
const struct posting *index_object(const struct kmem_session *s, u32 op);
void index_drop(struct kmem_session *s);
/* Chooses where the memory behind the world begins, for index_alloc; budget_bytes 0: as much as there is. The world must
 * stand at the end of the trace. */
void index_place_memory(struct kmem_session *s, u64 budget_bytes);
/* Builds the tables of handles, unless they exist, in one pass over the events. Returns 0 without tables: nothing
 * is built, an index is under construction, or memory is short. */
int index_handles(struct kmem_session *s);
/* Returns the latest event before `op` that allocated the object of a handle; NOWHERE if there is none. Needs
 * index_handles. */
u32 index_alloc_op(const struct kmem_session *s, u32 object, u32 op);
/* Returns the latest event before `op` that allocated an object in this slot; NOWHERE if there is none. Needs the
 * whole index. */
u32 index_alloc_at(const struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op);

#endif
