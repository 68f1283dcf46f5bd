/*
 * memory.h - what the answers about memory keep between calls: the part of struct query that query/memory owns.
 */
#ifndef QUERY_MEMORY_MEMORY_H
#define QUERY_MEMORY_MEMORY_H

#include "query/index/query.h"

enum {
	MATRIX_MOST_ROWS = 128, /* and columns; the cells take 256 KiB then */
	MOST_CHANGES = 256,
	CHANGE_VALUE_BYTES = 24,
};

enum matrix_state { MATRIX_NONE, MATRIX_RUNNING, MATRIX_READY };

struct matrix_count {
	u64 objects, bytes;
};

struct matrix {
	struct kmem_matrix sum; /* counts; the rest is filled in when it is read */
	u32 state, next_op;	/* enum matrix_state */
	u32 drops; /* drops of the memory after the world: the tables below are gone if it differs */
	u32 by_cpu;		    /* 1: a row for each CPU, otherwise rows are nodes */
	u32 nr_rows, per_row;	    /* rows of the cells */
	u16 *born;		    /* by handle: CPU of the allocation + 1; 0: not live */
	u16 *cache_of;		    /* by site; NULL: all caches count */
	struct matrix_count *cells; /* [row][column] */
};

enum change_state { CHANGE_WAITS, CHANGE_MEASURED, CHANGE_INVALID };

struct change {
	u16 param, state;
	char value[CHANGE_VALUE_BYTES];
	u64 number[NR_DOCTOR_MEASURES];
};

struct doctor {
	u32 nr, has_begun, has_base;
	u32 peak_is_start; /* no event takes more pages than the start has */
	u64 base[NR_DOCTOR_MEASURES];
	char now[NR_PARAMS][CHANGE_VALUE_BYTES];
	struct change change[MOST_CHANGES];
};

struct memory_state {
	u32 generation; /* generation of the world that the matrix describes */
	struct matrix matrix;
	struct doctor doctor;
};

_Static_assert(sizeof(struct memory_state) <= sizeof(((struct query *)0)->memory),
	       "the queries have room for it");

/* Forgets the matrix of an earlier world. */
static inline struct memory_state *memory_of(const struct kmem_session *s)
{
	struct query *q = query_of(s);
	struct memory_state *m = (struct memory_state *)q->memory;

	if (m->generation != s->generation || m->matrix.drops != q->index_drops)
		m->matrix.state = MATRIX_NONE;
	m->generation = s->generation;
	return m;
}

#endif
