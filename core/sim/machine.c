/*
 * machine.c - lays out nodes and zones in physical memory and builds the zonelists.
 *
 * Nodes share the memory equally and follow each other. Node 0 starts with 16 MiB of DMA if it has
 * more than one zone; DMA32 and Normal take the rest. Kinds and order of zones follow an x86-64
 * machine.
 *
 * The sizes of DMA32 and Normal are a model: 3 : 1 on node 0 with three zones, 1 : 1 elsewhere.
 * Only the order of zones and running out of memory depend on them.
 */
#include "sim/machine.h"

#include "kmem_types.h"
#include "sim/world.h"
#include "util/heap.h"

enum { DMA_BYTES = 16 << 20 };

static u32 nr_zones_of(const struct machine_spec *spec, u32 node)
{
	if (spec->nr_zones)
		return spec->nr_zones[node];
	if (spec->nr_nodes == 1)
		return 3;
	return node < 2 ? 2 : 1;
}

static void add_zone(struct world *w, struct zone **next, u32 node, u32 kind, u32 *pfn, u32 pages)
{
	struct zone *z = (*next)++;

	z->start_pfn = *pfn;
	z->nr_pages = pages;
	z->node = (u16)node;
	z->kind = (u16)kind;
	*pfn += pages;
	w->machine.nr_zones++;
}

static void add_node_zones(struct world *w, const struct machine_spec *spec, u32 node,
			   struct zone **next)
{
	u64 node_bytes = spec->memory_bytes / spec->nr_nodes;
	u32 pages = (u32)(node_bytes >> spec->page_shift), pfn = node * pages;
	u32 dma = (u32)(MIN((u64)DMA_BYTES, node_bytes / 4) >> spec->page_shift);
	u32 nr = nr_zones_of(spec, node), rest = pages;

	if (node == 0 && nr > 1) {
		add_zone(w, next, node, ZONE_DMA, &pfn, dma);
		rest -= dma;
		nr--;
	} else if (nr == 3) {
		add_zone(w, next, node, ZONE_DMA, &pfn, dma);
		rest -= dma;
		nr--;
	}
	if (node == 0 && nr == 1 && spec->nr_nodes > 1 && nr_zones_of(spec, 0) > 1) {
		add_zone(w, next, node, ZONE_DMA32, &pfn, rest);
		return;
	}
	if (nr == 2) {
		u32 low = node == 0 ? rest / 4 * 3 : rest / 2;
		add_zone(w, next, node, ZONE_DMA32, &pfn, low);
		rest -= low;
	}
	add_zone(w, next, node, ZONE_NORMAL, &pfn, rest);
}

static u32 distance(const struct machine_spec *spec, u32 a, u32 b)
{
	if (spec->distance)
		return spec->distance[a * spec->nr_nodes + b];
	return a == b ? LOCAL_DISTANCE : REMOTE_DISTANCE;
}

/*
 * The fallback nodes of `local`, best first, as the kernel chooses them. load breaks ties, so nodes spread over several
 * fallbacks; it changes only for nodes already taken, so all can be sorted in one pass.
 */
static u32 order_fallbacks(const struct machine_spec *spec, u32 local, const u8 *has_cpu,
			   const u32 *load, struct heap_item *nodes)
{
	u32 nr = 0;

	for (u32 n = 0; n < spec->nr_nodes; n++) {
		u64 value = distance(spec, local, n) + (n < local) + has_cpu[n];
		/* The node itself comes first. */
		value = n == local ? 0 : 1 + value * (MAX_NODES * MAX_NODES) + load[n];
		heap_push(nodes, &nr, (struct heap_item){ value, n, n });
	}
	return nr;
}

/* Finds each node's first zone; zones are in the order of the nodes. */
static void find_first_zones(const struct world *w, u16 *first)
{
	const struct zone *zones = at(w, w->machine.zones);

	for (u32 z = w->machine.nr_zones; z-- > 0;)
		first[zones[z].node] = (u16)z;
	first[w->machine.nr_nodes] = (u16)w->machine.nr_zones;
}

static void build_zonelists(struct world *w, const struct machine_spec *spec, const u8 *has_cpu)
{
	struct machine *m = &w->machine;
	struct heap_item nodes[MAX_NODES];
	u32 load[MAX_NODES] = { 0 };
	u16 first[MAX_NODES + 1];

	find_first_zones(w, first);
	m->zonelist_len = m->nr_zones;
	m->zonelists = world_alloc(w, m->nr_nodes * m->zonelist_len * 2);
	for (u32 local = 0; local < m->nr_nodes; local++) {
		u16 *list = (u16 *)at(w, m->zonelists) + local * m->zonelist_len;
		u32 nr = order_fallbacks(spec, local, has_cpu, load, nodes);
		u32 len = 0, previous = local;

		while (nr) {
			u32 n = heap_pop(nodes, &nr).value;
			if (distance(spec, local, n) != distance(spec, local, previous))
				load[n]++;
			previous = n;
			for (u32 z = first[n + 1]; z-- > first[n];)
				list[len++] = (u16)z;
		}
	}
}

u32 machine_distance(const struct world *w, u32 from_node, u32 to_node)
{
	const u16 *distances = at(w, w->machine.distances);

	if (w->machine.distances)
		return distances[from_node * w->machine.nr_nodes + to_node];
	return from_node == to_node ? LOCAL_DISTANCE : REMOTE_DISTANCE;
}

s32 machine_build(struct world *w, const struct machine_spec *spec, const char **why)
{
	struct machine *m = &w->machine;
	u8 has_cpu[MAX_NODES] = { 0 };

	if (spec->memory_bytes / spec->nr_nodes < (u64)64 << spec->page_shift) {
		*why = "every node needs at least 64 pages: set more memory or fewer nodes";
		return KMEM_EPARAM;
	}
	m->nr_cpus = spec->nr_cpus;
	m->nr_nodes = spec->nr_nodes;
	m->page_shift = spec->page_shift;
	m->fail_order = spec->fail_order;
	m->cpus = world_alloc(w, spec->nr_cpus * (u32)sizeof(struct cpu));
	struct cpu *cpus = at(w, m->cpus);
	for (u32 c = 0; c < spec->nr_cpus; c++) {
		u32 node = spec->cpu_node ? spec->cpu_node[c]
					  : (u32)((u64)c * spec->nr_nodes / spec->nr_cpus);
		if (node >= spec->nr_nodes) {
			*why = "cpu_node names a node the machine does not have";
			return KMEM_EPARAM;
		}
		cpus[c].node = (u16)node;
		cpus[c].llc = spec->llc_groups ? spec->llc_groups[c] : (u16)node;
		has_cpu[node] = 1;
	}
	if (spec->distance) {
		u32 bytes = m->nr_nodes * m->nr_nodes * 2;
		m->distances = world_alloc(w, bytes);
		memcpy(at(w, m->distances), spec->distance, bytes);
	}
	m->zones = world_alloc(w, spec->nr_nodes * MAX_ZONES_PER_NODE * (u32)sizeof(struct zone));
	struct zone *next = at(w, m->zones);
	for (u32 n = 0; n < spec->nr_nodes; n++)
		add_node_zones(w, spec, n, &next);
	build_zonelists(w, spec, has_cpu);
	return 0;
}
