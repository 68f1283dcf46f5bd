/*
 * machine.h - the simulated machine: CPUs, NUMA nodes, zones, and the order in which an allocation
 * tries zones.
 *
 *	node 0 ── zones DMA, DMA32, Normal ──┐
 *	node 1 ── zones Normal ──────────────┤ zonelist of node 1: 1 Normal, 0 Normal, 0 DMA32, 0 DMA
 *	cpu → node, cpu → cache group        ┘
 *
 * Kernel: mm/page_alloc.c build_zonelists(), find_next_best_node() (6.1). Left out: hotplug,
 * cpusets, policies.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "kmem_types.h"

struct world;

/* The machine that a host requests; lists may be NULL for the defaults. */
struct machine_spec {
	u32 nr_cpus, nr_nodes;
	u32 page_shift;	     /* 12, 14 or 16 */
	u32 fail_order;	     /* the page allocator refuses this order and above; NR_ORDERS: none */
	u64 memory_bytes;    /* all nodes together */
	const u16 *cpu_node; /* [nr_cpus] */
	const u16 *nr_zones; /* [nr_nodes], 1..3 */
	const u16 *distance; /* [nr_nodes * nr_nodes] */
	const u16 *llc_groups; /* [nr_cpus]; NULL: one group per node */
};

/* Part of the page allocator's state for 2^MAX_ORDER page frames, created on first use. */
struct section {
	u64 used[16]; /* bit per page, 1: allocated */
	u32 owner
		[1024]; /* at the first page of a run: ref of the slab, or 1 for kmalloc's large runs */
};

struct zone {
	u32 start_pfn, nr_pages;
	u32 used_pages;
	u16 node;
	u16 kind;	 /* enum kmem_zone_kind */
	u32 nr_sections; /* sections created so far, lowest first */
	u32 sections_room;
	ref sections; /* ref[sections_room] */
	u32 bitmap_words_room;
	ref has_run[NR_ORDERS]; /* u64[]: bit per section, 1 if it has a free run of that order */
	u32 hint[NR_ORDERS];	/* every word of has_run below this one is 0 */
};

struct machine {
	u32 nr_cpus, nr_nodes, nr_zones;
	u32 page_shift;
	u32 fail_order;
	u32 zonelist_len; /* zones on every node's zonelist: all of them */
	ref cpus;	  /* struct cpu[nr_cpus] */
	ref zones;	  /* struct zone[nr_zones], by node, lowest zone first */
	ref distances;	  /* u16[nr_nodes][nr_nodes]; 0 if all are the default */
	ref zonelists;	  /* u16[nr_nodes][zonelist_len]: zones in the order of trying */
	u32 pages_in_use, pages_peak;
};

enum { LOCAL_DISTANCE = 10, REMOTE_DISTANCE = 20 };

struct cpu {
	u64 now;	 /* its clock in model cycles (step.h); stale while the CPU is at work */
	u64 idle_cycles; /* cycles outside the allocator: idle, or in other work */
	u64 lock_wait_cycles; /* lock waits among the cycles inside */
	u16 node;
	u16 llc; /* its group: CPUs that share a last-level cache */
	u16 reserved[2];
};

/* Returns 0, or a negative status for an impossible spec; *why then explains it. */
s32 machine_build(struct world *w, const struct machine_spec *spec, const char **why);
/* As the firmware reports it: LOCAL_DISTANCE from a node to itself. */
u32 machine_distance(const struct world *w, u32 from_node, u32 to_node);

#endif
