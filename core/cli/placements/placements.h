/*
 * placements.h - how `slabscope placements` writes of each allocator: the golden files' columns and states.
 */
#ifndef CLI_PLACEMENTS_PLACEMENTS_H
#define CLI_PLACEMENTS_PLACEMENTS_H

#include "cli/host/host.h"
#include "cli/text/json.h"

enum { NOWHERE = 0xffffffffu }; /* slab of an object that has none */

/* One operation, and what its row is made from. */
struct placed {
	const struct host *host;
	const struct kmem_op_row *row;
	u32 nr_steps;
	u32 unit; /* bytes of a slot of the first cache */
};

struct notation {
	const char *allocator, *header;
	const char *alloc_word, *kmalloc_word;
	int one_state; /* slabs serve all caches */
	/* The columns between id and events, commas on both sides. */
	void (*csv)(const struct placed *op);
	/* What JSON has beyond SLUB's columns. NULL: nothing. */
	void (*json)(struct json *j, const struct placed *op);
	void (*print_state)(const struct host *h, const struct kmem_frame *f, u32 unit);
	void (*print_totals)(const struct kmem_totals *t);
};

/* The first place of that kind, of any CPU (CPU_NONE) and any node (NODE_ANY) or of one; NULL: there is none. */
const struct kmem_place *find_place(const struct host *h, const struct kmem_frame *f, u32 kind,
				    u32 cpu, u32 node);

u32 slabs_on(const struct host *h, const struct kmem_frame *f, u32 node);

/* placements_slub.c */
void print_state_slub(const struct host *h, const struct kmem_frame *f, u32 unit);
/* placements_slab.c */
void print_state_slab(const struct host *h, const struct kmem_frame *f, u32 unit);

/* placements_slob.c */
void slob_csv(const struct placed *op);
void slob_json(struct json *j, const struct placed *op);
void print_state_slob(const struct host *h, const struct kmem_frame *f, u32 unit);
void slob_segregated_csv(const struct placed *op);
void slob_segregated_json(struct json *j, const struct placed *op);
void print_state_slob_segregated(const struct host *h, const struct kmem_frame *f, u32 unit);

/* placements_unified.c */
void print_state_unified(const struct host *h, const struct kmem_frame *f, u32 unit);
void print_totals_unified(const struct kmem_totals *t);

#endif
