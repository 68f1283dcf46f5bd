/*
 * index.h - which operation touched what: made in one recorded pass, when somebody asks for it.
 *
 *	log      postings in the order of operations: slab, object, what happened
 *	sorted   places in the log, by slab; of a slab in the order of operations
 *	blocks   of BLOCK_OPS operations: where their postings begin, which steps, moments and caches they have
 *	handles  operations by the object's dense number
 *
 * A posting is 8 bytes and its place in `sorted` 4; with 4 for the handle that is 17 bytes for an operation that touches
 * one slab. It lies between the world, which has been as large as it will ever be when the trace has been gone through, and the scratch
 * behind it.
 */
#ifndef QUERY_INDEX_H
#define QUERY_INDEX_H

#include "query/step_subject.h"
#include "session/session.h"

enum {
	BLOCK_OPS = 512,
	KIND_WORDS = 8, /* bits of step kinds */
	COLUMN_CHUNK = 32768,
	MAX_COLUMN_CHUNKS = 16384,
	SERIALS_PER_PAGE = 256,
	NO_SINGLE = 0xffff,
	FIRST_OF_OP = 1, /* in posting.what: bit 0 is no moment */
};

enum index_state {
	INDEX_NONE,
	INDEX_HANDLES, /* the tables of handles alone, made for object.c: to all others there is no index */
	INDEX_RECORDING,
	INDEX_SORTING,
	INDEX_READY
};

/* An operation touched a slab, perhaps an object in it (or NO_SINGLE), or a cache beyond its slabs. What is said of the
 * slab, and of its cache, may be said with the object: OBJECT_MOMENTS and CACHE_MOMENTS keep them apart. */
struct posting {
	u32 slab;  /* number in slabs, NOWHERE if it touched nothing */
	u16 index; /* of the object */
	u16 what;  /* bits WHEN_BIT, FIRST_OF_OP */
};

/* A slab that ever was, or (serial NOWHERE) what is a cache's but no slab's. */
struct slab_note {
	u32 serial;
	u32 nr;	   /* postings */
	u32 start; /* in sorted */
	u32 done;  /* sorting: how many are in place */
	u16 cache; /* CACHE_NONE for slabs that serve all caches */
	u16 reserved;
};

struct cache_note {
	u32 **pages; /* [serial / SERIALS_PER_PAGE]: numbers of slabs + 1 */
	u32 nr_pages;
	u32 beyond;	/* number + 1 of what is no slab's */
	u32 touched_op; /* + 1: last operation that touched it */
	u32 place;	/* + 1: a posting of the cache, perhaps of the operation at work */
	u32 pending;	/* moments of the cache that are still to be posted */
	struct kmem_life life;
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
	u32 next_op;  /* of the pass at work */
	u32 full;     /* memory did not do */
	u32 op_start; /* first posting of the operation at work */
	struct column log, slabs;
	struct cache_note *caches;
	struct block *blocks;
	u32 *block_caches; /* [block][cache_words] bits */
	u32 nr_caches, cache_words, nr_blocks;
	u16 *touched; /* caches that the operation at work touched */
	u32 nr_touched;
	u32 *sorted;
	u32 *handle_start, *handle_ops; /* [nr_handles + 1], [nr_ops] */
};

static inline struct posting *index_posting(const struct index *x, u32 i)
{
	return (struct posting *)x->log.chunk[i / COLUMN_CHUNK] + i % COLUMN_CHUNK;
}

static inline struct slab_note *index_slab(const struct index *x, u32 i)
{
	return (struct slab_note *)x->slabs.chunk[i / COLUMN_CHUNK] + i % COLUMN_CHUNK;
}

/* First of nr rising numbers that is at or above `number`. */
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

/* index_note.c */
void *index_alloc(struct index *x, u64 len_bytes);
/* Enters an operation; x->full when memory does not do. */
void index_note_op(struct kmem_session *s, const struct touched_op *o);
/* Number of a slab, NOWHERE if it never was; of NOWHERE: what is no slab's. */
u32 index_find_slab(const struct kmem_session *s, u32 cache, u32 serial);

/* index.c: first posting of an operation (nr_ops: the end of the log), and the operation of a posting. */
u32 index_position(const struct index *x, u32 op);
u32 index_op(const struct index *x, u32 position);
/* The posting of the object that an operation allocated or freed, NULL if there is none. */
const struct posting *index_object(const struct kmem_session *s, u32 op);
void index_drop(struct kmem_session *s);
/* Makes the tables of handles if there are none yet, in one pass over the operations. 0: there are none, because nothing
 * is built, an index is being made, or there is no memory. */
int index_handles(struct kmem_session *s);
/* The latest operation before `op` that allocated the object of a handle; NOWHERE if there is none. After the above. */
u32 index_alloc_op(const struct kmem_session *s, u32 object, u32 op);
/* The latest operation before `op` that allocated an object at this place, with the whole index; NOWHERE if there is none. */
u32 index_alloc_at(const struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op);

#endif
