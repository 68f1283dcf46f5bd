/*
 * machine_state.h - the caches of a real machine by name, shown beside the model's or used to
 * create them.
 */
#ifndef MACHINE_STATE_MACHINE_STATE_H
#define MACHINE_STATE_MACHINE_STATE_H

#include "sim/cache.h"
#include "kmem_types.h"
#include "params/params.h"
#include "util/pool.h"
#include "util/text.h"

#define NOT_REPORTED 0xffffffffu

enum {
	MAX_MACHINE_STATE_COLUMNS = 32,
	MAX_MACHINE_STATE_LINE = 65536, /* a file of sysfs names every CPU */
	MAX_MACHINE_STATE_PARTS = 65536,
	MACHINE_STATE_LINE_ROOM = MAX_MACHINE_STATE_LINE + 512
};

/* A name of a cache, and its directory in /sys/kernel/slab. */
struct machine_state_alias {
	char name[MAX_NAME_BYTES], target[MAX_NAME_BYTES];
};

/* The share of one node or CPU in a number: " N0=12", " C3=19(1)". */
struct machine_state_part {
	u16 row;
	u8 field; /* enum machine_state_shared */
	u8 is_cpu;
	u32 nr; /* number of the node or CPU */
	u32 value;
	u32 slabs; /* the number in brackets; 0 without it */
};

/* Numbers whose parts are kept. */
enum machine_state_shared {
	SHARED_NOT,
	SHARED_SLABS,
	SHARED_PARTIAL,
	SHARED_OBJECTS_PARTIAL,
	SHARED_CPU_SLABS,
	SHARED_CPU_PARTIAL,
};

/* Slabs that a cache has before the file's numbers count: those that the trace's pointers showed. The numbers include them.
 * */
struct machine_state_present {
	struct {
		u32 slabs, partial, in_partial; /* in_partial: objects in use on the partial list */
	} nodes[MAX_NODES];
	u16 cpu_partial[MAX_CPUS]; /* slabs on the CPU's partial list */
	u8 has_sheaf[MAX_CPUS];	   /* the CPU's main sheaf has objects */
	u32 nr;			   /* slabs; without any, the other fields are not set */
};

struct machine_state_tables {
	struct kmem_machine_state_row rows[MAX_CACHES];
	char names[MAX_CACHES][MAX_NAME_BYTES]; /* names of the rows */
	struct machine_state_alias aliases[MAX_CACHES];
	u8 line[MACHINE_STATE_LINE_ROOM];		  /* the current or unfinished line */
	struct kmem_order_machine_row orders[MAX_CACHES]; /* query/order_query.c */
	struct kmem_order_machine_totals order_totals;
	struct machine_state_part parts[MAX_MACHINE_STATE_PARTS];
	struct kmem_growth_row growth[2 * MAX_CACHES]; /* query/machine/growth.c */
	u8 is_adopted[MAX_CACHES];		       /* a warm start has used the row */
	struct machine_state_present present; /* what the cache that starts warm has already */
};

struct machine_state {
	struct machine_state_tables *tables; /* NULL without a machine state */
	u32 nr_rows, nr_aliases, nr_parts;
	u32 is_reading, is_used;
	u32 file;		     /* the current file, from 1 */
	u32 rows_file, aliases_file; /* the files they come from, 0: none */
	u32 aliases_come_first;	     /* a table of aliases came before the first cache */
	u32 replaced;		     /* the current file has replaced earlier ones */
	u32 line_len;		     /* above MAX_MACHINE_STATE_LINE the line is too long to use */
	u32 kind; /* enum machine_state_kind of unmarked lines, from the last header; 0 at the start of a file */
	u8 columns
		[MAX_MACHINE_STATE_COLUMNS]; /* for a table of caches: field + 1, 0 for an unused column */
};

/* Returns 1 if the first bytes are of a machine state and not of a trace. */
int machine_state_recognises(const u8 *bytes, u32 len_bytes);
/* Reads one line of a machine state, without its newline. It may load words past the line's end. */
void machine_state_line(struct machine_state *o, const u8 *p, const u8 *end);
/* Returns the row of a cache's name or alias; NULL if it does not exist. */
const struct kmem_machine_state_row *machine_state_find(const struct machine_state *o,
							const char *name);
/* Returns 1 if its caches are in use and it has kmalloc caches, but none for accounted objects (kmalloc-cg-…). */
int machine_state_lacks_accounting(const struct machine_state *o);
/* Returns 1 if most of its caches have sheaves, as since 7.0. */
int machine_state_has_sheaves(const struct machine_state *o);
/* Returns the directory of /sys/kernel/slab that a name links to; the name itself if no table of aliases has it. */
const char *machine_state_target(const struct machine_state *o, const char *name);
/*
 * The only cache, other than kmalloc's, that can have such objects in such slots; NULL if several have this object size
 * or a larger one. `after` may be a later state of the machine: caches that never had a slab do not count.
 */
const char *machine_state_of_size(const struct machine_state *o, const struct machine_state *after,
				  u32 object_size, u32 slot);
/* Adds the other caches that share its slabs, as "a, b"; nothing if no table of aliases names them. */
void machine_state_add_aliases(const struct machine_state *o, const char *name, struct text *out);
/* warm_start.c: enum held_by_parameters, the numbers that parameters decide instead of the
 * file. */
u32 machine_state_held(const struct params *p);
/* Notes in *p which numbers of the file apply to a machine with these parameters. */
void machine_state_policy(const struct machine_state *o, const struct params *params,
			  struct policy *p);
/* Changes a cache to match the machine state, if kmem_machine_state_use asks for that. Changes *spec, and
 * order and thresholds in *policy, this cache's own. Returns 0 if the file does not name the cache,
 * or if its objects do not fit the file's slot. */
int machine_state_apply(const struct machine_state *o, u32 page_shift, struct cache_spec *spec,
			struct policy *policy);

struct kmem_ops;
struct world;
struct kmem_cache;
/* warm_start.c: fills a new cache with the slabs that a machine state says it had. Gives the cache the slabs of its row and
 * adds up in *sum what was made. The first cache of a row gets them. knows_free: if the cache already has slabs, these
 * contain every free object that CPUs held and events use. Returns 0 if the machine's memory is too small for them. */
int warm_start(struct machine_state *o, const struct kmem_ops *ops, struct world *w,
	       struct kmem_cache *s, int knows_free, struct kmem_warm *sum);

#endif
