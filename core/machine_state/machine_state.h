/*
 * machine_state.h - what a real machine's caches are like, by name: beside the model's, or as what they are made of.
 */
#ifndef MACHINE_STATE_MACHINE_STATE_H
#define MACHINE_STATE_MACHINE_STATE_H

#include "sim/cache.h"
#include "kmem_types.h"
#include "params/params.h"
#include "util/pool.h"

#define NOT_TOLD 0xffffffffu

enum { MAX_OVERLAY_COLUMNS = 32, MAX_OVERLAY_LINE = 4096, OVERLAY_LINE_ROOM = 4096 + 512 };

/* A name of a cache, and the directory of /sys/kernel/slab behind it. */
struct overlay_alias {
	char name[MAX_NAME_BYTES], target[MAX_NAME_BYTES];
};

struct overlay_tables {
	struct kmem_overlay_row rows[MAX_CACHES];
	char names[MAX_CACHES][MAX_NAME_BYTES]; /* of the rows */
	struct overlay_alias aliases[MAX_CACHES];
	u8 line[OVERLAY_LINE_ROOM]; /* at work, or unfinished */
};

struct overlay {
	struct overlay_tables *tables; /* NULL: no state is there */
	u32 nr_rows, nr_aliases;
	u32 is_reading, is_used;
	u32 file;		     /* the one at work, from 1 */
	u32 rows_file, aliases_file; /* that they are of, 0: none */
	u32 aliases_come_first;	     /* a table of aliases came before the first cache */
	u32 replaced;		     /* the file at work took the place of earlier ones */
	u32 line_len;		     /* above MAX_OVERLAY_LINE: it is too long to be used */
	u32 kind; /* enum overlay_kind, 0 at the start of a file: what the last header says of lines without a mark of their own */
	u8 columns
		[MAX_OVERLAY_COLUMNS]; /* of a table of caches: field + 1, 0 for what is not read */
};

/* 1 if the first bytes are of a state of caches and no trace. */
int overlay_recognises(const u8 *bytes, u32 len_bytes);
/* One line of a state, without its newline; words may be loaded past its end. */
void overlay_line(struct overlay *o, const u8 *p, const u8 *end);
/* The row of a cache's name or alias; NULL if there is none. */
const struct kmem_overlay_row *overlay_find(const struct overlay *o, const char *name);
/* machine_state_apply.c: enum held_by_parameters, the numbers that parameters decide and not the file. */
u32 machine_state_held(const struct params *p);
/* Which numbers of the file win in a machine of these parameters, noted in *p. */
void overlay_policy(const struct overlay *o, const struct params *params, struct policy *p);
/* A cache as the machine has it, where kmem_overlay_use wants that: changes *spec, and order and thresholds in *policy, which
 * is this cache's. 0 if the file does not name it, or if its objects do not fit into the slot that the file has. */
int overlay_apply(const struct overlay *o, u32 page_shift, struct cache_spec *spec,
		  struct policy *policy);

#endif
