/*
 * slabtrace.h - the grammar of slabtrace. export_slabtrace.c writes it, and import/formats/format_slabtrace.c reads it.
 *
 *	word  positions   keys, in any order; they are written in that of the enum
 *	a     ID CACHE    cpu=0 t=4582696626000 req=200
 */
#ifndef TRACE_SLABTRACE_H
#define TRACE_SLABTRACE_H

#include "trace/trace.h"

enum slabtrace_key {
	KEY_AT,
	KEY_LEN,
	KEY_VALUE,
	KEY_CPU,
	KEY_NODE,
	KEY_T,
	KEY_REQ,
	KEY_SHEAF,
	KEY_WHY,
	KEY_KIND,
	KEY_SITE,
	KEY_GFP,
	KEY_TYPE,
	KEY_BULK,
	KEY_TASK,
	KEY_PTR,
	KEY_CACHE,
	KEY_SIZE, /* from here on, of a line `cache` */
	KEY_SLOT,
	KEY_NAME,
	KEY_ALIGN,
	KEY_FLAGS,
	NR_KEYS
};

_Static_assert(NR_KEYS <= 32, "sets of keys have a bit for each");
#define KEY(name) (1u << KEY_##name)

/* Words before the keys. */
enum slabtrace_position {
	POSITION_NONE,
	POSITION_ID,	    /* an object */
	POSITION_IDS,	    /* objects of a bulk request: 7,8,9 */
	POSITION_CACHE,	    /* the ID of a `cache` line */
	POSITION_ANY_CACHE, /* the same, or a kmalloc cache such as kmalloc-192 */
	POSITION_FAULT,	    /* enum kmem_corruption */
	POSITION_WISH,	    /* a parameter and its value */
	POSITION_BYTES,
	POSITION_SECONDS,
	POSITION_SLOT, /* slot of a prefilled sheaf: 3, or 3@1 if CPU 1 prefilled it */
	POSITION_OBJECTS,
	NR_POSITIONS
};

struct slabtrace_line {
	const char *word;
	u8 positions[3];
	u8 needs_cpu; /* cpu= is required */
	u32 keys;
};

/* A word, and the flag or the keys that it stands for. */
struct slabtrace_word {
	const char *name;
	u32 bits;
};

enum {
	NR_SLABTRACE_FLAGS = 14,
	NR_SLABTRACE_FAULTS = NR_VALUES(kmem_corruption),
	NR_SLABTRACE_REASONS = REASON_KEPT - REASON_NULL_FREE + 1, /* from REASON_NULL_FREE on */
	NR_SLABTRACE_TYPES = 4,
	NR_SLABTRACE_LINES = NR_VALUES(kmem_op_kind)
};

extern const struct slabtrace_line slabtrace_lines[NR_SLABTRACE_LINES]; /* by enum kmem_op_kind */
extern const char *const slabtrace_keys[NR_KEYS];
extern const struct slabtrace_word slabtrace_flags[NR_SLABTRACE_FLAGS];	  /* enum cache_flags */
extern const struct slabtrace_word slabtrace_faults[NR_SLABTRACE_FAULTS]; /* keys of their own */
extern const char *const slabtrace_reasons[NR_SLABTRACE_REASONS];
extern const char *const slabtrace_types[NR_SLABTRACE_TYPES]; /* by enum kmalloc_type */

#endif
