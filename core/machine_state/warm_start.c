/*
 * warm_start.c - plans the slabs of a cache from the numbers of a machine state, and has the allocator adopt them; before that, creates caches that match.
 *
 *	sysfs says		slabs, partial, objects_partial, cpu_slabs, per node; slabs_cpu_partial, per CPU;
 *				sheaf_capacity
 *	slabinfo says		objects, objects in use, slabs, and of SLAB slabs without an object in use; free objects are
 *				on node lists
 *
 * We infer whatever neither file says. Objects in use are spread evenly over the slabs of a list that have any; if the
 * length of a list is unknown, its slabs are half used. The numbers include the slabs that the trace's pointers have
 * already shown, so only the others are made, and put after them on the lists. A cpu slab is half used and a CPU's main
 * sheaf half full, unless pointers have shown what CPUs held. No file counts sheaves, so barns start empty. Slabs on no
 * list and no CPU are full.
 */
#include "alloc/ops.h"
#include "machine_state/machine_state.h"
#include "sim/cache.h"
#include "trace/trace.h"

/*
 * Creates caches that match a machine state, and decides which parameters
 * win over it.
 *
 * A chosen parameter wins over the machine state: one set by the user, the trace, or a preset that
 * either of them named. The file's number for it is then ignored.
 *
 *	number in the file		is ignored if one of these is set
 *	order				order_rule min_order max_order min_objects
 *	min_partial			min_partial_rule min_partial
 *	cpu_partial			cpu_partial_lists cpu_partial cpu_partial_unit
 *	sheaf_capacity			sheaf_capacity sheaf_caches
 *
 * Sizes, alignment and flags are not parameters, so they always come from the file.
 */

static const struct {
	u8 bit; /* enum held_by_parameters */
	u8 nr_params;
	u16 params[4];
} fields[] = {
	{ HELD_ORDER,
	  4,
	  { PARAM_ORDER_RULE, PARAM_MIN_ORDER, PARAM_MAX_ORDER, PARAM_MIN_OBJECTS } },
	{ HELD_MIN_PARTIAL, 2, { PARAM_MIN_PARTIAL_RULE, PARAM_MIN_PARTIAL } },
	{ HELD_CPU_PARTIAL,
	  3,
	  { PARAM_CPU_PARTIAL_LISTS, PARAM_CPU_PARTIAL, PARAM_CPU_PARTIAL_UNIT } },
	{ HELD_SHEAVES, 2, { PARAM_SHEAF_CAPACITY, PARAM_SHEAF_CACHES } },
};

u32 machine_state_held(const struct params *p)
{
	u32 held = 0;

	for (u32 i = 0; i < ARRAY_SIZE(fields); i++)
		for (u32 k = 0; k < fields[i].nr_params; k++)
			if (params_is_chosen(p, (enum kmem_param)fields[i].params[k]))
				held |= fields[i].bit;
	return held;
}

static int tells_sheaves(const struct machine_state *o)
{
	for (u32 i = 0; i < o->nr_rows; i++) {
		if (o->tables->rows[i].sheaf_capacity - 1 < MAX_SHEAF_CAPACITY)
			return 1;
	}
	return 0;
}

void machine_state_policy(const struct machine_state *o, const struct params *params,
			  struct policy *p)
{
	p->held = (u8)machine_state_held(params);
	p->sheaves_in_state = (u8)(params_is_used(params, PARAM_SHEAF_CAPACITY) &&
				   !(p->held & HELD_SHEAVES) && tells_sheaves(o));
}

static void set_flag(u32 *flags, u32 flag, u32 told)
{
	if (told != NOT_REPORTED)
		*flags = told ? *flags | flag : *flags & ~flag;
}

/* With another page size, the same order means another number of bytes. */
static int order_fits(const struct kmem_machine_state_row *row, u32 page_shift)
{
	u64 slab_bytes = (u64)1 << (page_shift + MIN(row->order, 10u));

	if (row->order == NOT_REPORTED || row->order > 10)
		return 0;
	if (row->objects_per_slab == NOT_REPORTED || row->size == NOT_REPORTED)
		return 1;
	u64 objects_bytes = (u64)row->objects_per_slab * row->size;
	return objects_bytes <= slab_bytes && objects_bytes > slab_bytes / 4;
}

static void apply_thresholds(const struct kmem_machine_state_row *row, u32 page_shift,
			     struct policy *p)
{
	if (!(p->held & HELD_ORDER) && order_fits(row, page_shift))
		p->min_order = p->max_order = (u8)row->order;
	if (!(p->held & HELD_MIN_PARTIAL) && row->min_partial != NOT_REPORTED)
		p->min_partial = row->min_partial;
	if (!(p->held & HELD_CPU_PARTIAL) && row->cpu_partial != NOT_REPORTED)
		p->cpu_partial = row->cpu_partial;
	if (p->sheaves_in_state && row->sheaf_capacity <= MAX_SHEAF_CAPACITY)
		p->sheaf_capacity = row->sheaf_capacity;
}

int machine_state_apply(const struct machine_state *o, u32 page_shift, struct cache_spec *spec,
			struct policy *policy)
{
	const struct kmem_machine_state_row *row = o->tables ? machine_state_find(o, spec->name)
							     : NULL;

	if (!row || (row->size != NOT_REPORTED && row->size < spec->object_size) ||
	    (row->size != NOT_REPORTED && row->size > MAX_CACHE_OBJECT_BYTES))
		return 0;
	if (row->size != NOT_REPORTED)
		spec->size = row->size;
	if (row->object_size != NOT_REPORTED && row->object_size >= spec->object_size &&
	    row->object_size <= MAX(spec->size, spec->object_size))
		spec->object_size = row->object_size;
	if (row->align != NOT_REPORTED && row->align && row->align <= 65536 &&
	    !(row->align & (row->align - 1)))
		spec->align = row->align;
	set_flag(&spec->flags, CACHE_HWCACHE_ALIGN, row->hwcache_align);
	set_flag(&spec->flags, CACHE_RECLAIM, row->reclaim_account);
	set_flag(&spec->flags, CACHE_DMA, row->cache_dma);
	/* Since 6.12 such an object may hold its free pointer inside, which then takes no extra
	 * room. */
	if (row->size == NOT_REPORTED || row->size >= spec->object_size + 8)
		set_flag(&spec->flags, CACHE_TYPESAFE_BY_RCU, row->destroy_by_rcu);
	apply_thresholds(row, page_shift, policy);
	return 1;
}

/* The slabs of one node. */
struct node_plan {
	u32 slabs, partial;
	u32 empty;	/* how many of the partial ones are empty */
	u64 in_partial; /* objects in use on the partial list */
};

struct plan {
	const struct kmem_machine_state_row *row;
	const struct machine_state_present *present;
	u32 per_slab; /* objects in a slab of the machine */
	u32 nr_nodes;
	u32 knows_free; /* the existing slabs contain all objects that CPUs held and events take */
	u32 cpu_slabs;	/* that still have to be given to CPUs */
};

static u32 known_or(u32 number, u32 otherwise)
{
	return number == NOT_REPORTED ? otherwise : number;
}

/* Returns the part of a whole that is split evenly; the first parts take the rest. */
static u32 even_share(u32 whole, u32 parts, u32 i)
{
	return whole / parts + (i < whole % parts);
}

/* Returns the number of one node. The numbers of nodes that the model lacks go to its nodes in turn. */
static u32 of_node(const struct machine_state *o, const struct plan *p, u32 field, u32 whole,
		   u32 node)
{
	u32 row = (u32)(p->row - o->tables->rows), sum = 0, has_parts = 0;

	for (u32 i = 0; i < o->nr_parts; i++) {
		const struct machine_state_part *part = &o->tables->parts[i];
		if (part->row != row || part->field != field || part->is_cpu)
			continue;
		has_parts = 1;
		sum += part->nr % p->nr_nodes == node ? part->value : 0;
	}
	return has_parts ? sum : even_share(known_or(whole, 0), p->nr_nodes, node);
}

static u32 all_slabs(const struct plan *p)
{
	u32 objects = known_or(p->row->total_objects, known_or(p->row->objects, 0));

	return known_or(p->row->slabs, DIV_ROUND_UP(objects, p->per_slab));
}

/* Returns the free objects on node lists: both files count all others as active. */
static u32 free_on_nodes(const struct plan *p)
{
	u32 all = known_or(p->row->total_objects, all_slabs(p) * p->per_slab);

	return all - MIN(all, known_or(p->row->objects, all));
}

static u32 all_empty(const struct plan *p)
{
	u32 slabs = all_slabs(p);

	return slabs - MIN(slabs, known_or(p->row->active_slabs, slabs));
}

/*
 * Slabs on partial lists. If the file does not say how many, assume that they are half used, and take the empty ones
 * from slabinfo's counts.
 */
static u32 all_partial(const struct plan *p)
{
	u32 slabs = all_slabs(p), empty = all_empty(p);
	u32 in_others = free_on_nodes(p) - MIN(free_on_nodes(p), empty * p->per_slab);

	if (p->row->partial != NOT_REPORTED)
		return p->row->partial;
	return MIN(slabs, empty + DIV_ROUND_UP(2 * in_others, p->per_slab));
}

static u32 all_in_partial(const struct plan *p)
{
	u64 slots = (u64)all_partial(p) * p->per_slab;

	return known_or(p->row->objects_partial, (u32)(slots - MIN(slots, (u64)free_on_nodes(p))));
}

struct present_visitor {
	struct visitor visitor;
	struct machine_state_present *present;
	struct kmem_place place; /* whose slabs come */
};

static void enter_place(struct visitor *v, const struct kmem_place *place)
{
	struct present_visitor *p = (struct present_visitor *)v;

	p->place = *place;
	if (place->kind == PLACE_CPU_PARTIAL)
		p->present->cpu_partial[place->cpu] = (u16)place->nr_slabs;
	if (place->kind == PLACE_SHEAF_MAIN)
		p->present->has_sheaf[place->cpu] = place->nr_entries != 0;
}

static void count_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		       const struct kmem_extent *extents)
{
	struct present_visitor *p = (struct present_visitor *)v;
	u32 is_partial = p->place.kind == PLACE_NODE_PARTIAL;

	(void)cells;
	(void)extents;
	p->present->nr++;
	p->present->nodes[row->node].slabs++;
	p->present->nodes[row->node].partial += is_partial;
	p->present->nodes[row->node].in_partial += is_partial ? row->inuse : 0;
}

/* Counts the slabs that the cache has already. */
static void count_present(struct machine_state_present *present, const struct kmem_ops *ops,
			  const struct world *w, const struct kmem_cache *s)
{
	struct present_visitor v = { { 1, enter_place, count_slab, visit_no_entry, NULL },
				     present,
				     { 0 } };

	memset(present, 0, sizeof(*present));
	if (s->slabs)
		ops->walk(w, s, &v.visitor);
}

static u32 less(u32 number, u32 by)
{
	return number - MIN(number, by);
}

static struct node_plan plan_node(const struct machine_state *o, const struct plan *p, u32 node)
{
	struct node_plan all = {
		.slabs = of_node(o, p, SHARED_SLABS, all_slabs(p), node),
		.partial = of_node(o, p, SHARED_PARTIAL, all_partial(p), node),
		.empty = even_share(all_empty(p), p->nr_nodes, node),
		.in_partial = of_node(o, p, SHARED_OBJECTS_PARTIAL, all_in_partial(p), node),
	};

	all.slabs = less(all.slabs, p->present->nodes[node].slabs);
	all.partial = less(all.partial, p->present->nodes[node].partial);
	all.in_partial = less((u32)all.in_partial, p->present->nodes[node].in_partial);
	return all;
}

/* The current cache, and the sums. */
struct maker {
	const struct kmem_ops *ops;
	struct world *w;
	struct kmem_cache *s;
	struct kmem_warm *sum;
};

static int make(struct maker *m, struct adopted_slab slab)
{
	ref done = m->ops->adopt(m->w, m->s, &slab);

	if (!done)
		return 0;
	m->sum->slabs++;
	m->sum->objects += slab.inuse;
	m->sum->partial += slab.place == PLACE_NODE_PARTIAL;
	m->sum->cpu_slabs += slab.place == PLACE_CPU_SLAB || slab.place == PLACE_CPU_PARTIAL;
	return 1;
}

/* Converts a number of objects of the machine's slabs to slabs of the model's cache. */
static u32 scaled(const struct maker *m, const struct plan *p, u64 objects)
{
	return (u32)(objects * m->s->objects / p->per_slab);
}

/* Objects in use are spread evenly, and each slab of a partial list keeps a free one. Empty slabs come last. */
static int make_partial(struct maker *m, const struct plan *p, const struct node_plan *n, u32 node)
{
	u32 inuse = scaled(m, p, n->in_partial), most = m->s->objects - 1u;
	u32 used = n->partial - MIN(n->empty, n->partial);

	for (u32 i = 0; i < n->partial; i++) {
		u32 share = i < used ? even_share(inuse, used, i) : 0;
		struct adopted_slab slab = { PLACE_NODE_PARTIAL, 0, node, MIN(share, most), NULL };
		/* A slab of one object is either full or empty. */
		if (!make(m, slab))
			return 0;
	}
	return 1;
}

/* Makes the slabs on the CPU's partial list; returns how many were made there. */
static u32 make_cpu_partial(struct maker *m, const struct machine_state *o, const struct plan *p,
			    u32 cpu, u32 node)
{
	u32 row = (u32)(p->row - o->tables->rows), made = 0;

	for (u32 i = 0; i < o->nr_parts; i++) {
		const struct machine_state_part *part = &o->tables->parts[i];
		if (part->row != row || part->field != SHARED_CPU_PARTIAL || !part->is_cpu ||
		    part->nr != cpu)
			continue;
		for (u32 k = p->present->cpu_partial[cpu]; k < part->slabs; k++) {
			u32 free = scaled(m, p, even_share(part->value, part->slabs, k));
			free = CLAMP(free, 1u, (u32)m->s->objects);
			struct adopted_slab slab = { PLACE_CPU_PARTIAL, cpu, node,
						     m->s->objects - free, NULL };
			made += (u32)make(m, slab);
		}
	}
	return made;
}

/* Makes the slabs that a node's CPUs hold; returns how many of the node's slabs these are. */
static u32 make_cpus(struct maker *m, const struct machine_state *o, struct plan *p, u32 node)
{
	u32 made = 0;

	for (u32 cpu = 0; cpu < m->w->machine.nr_cpus; cpu++) {
		u32 inuse = p->knows_free ? m->s->objects : m->s->objects / 2u;
		struct adopted_slab slab = { PLACE_CPU_SLAB, cpu, node, inuse, NULL };
		if (node_of_cpu(m->w, cpu) != node)
			continue;
		made += make_cpu_partial(m, o, p, cpu, node);
		if (!p->cpu_slabs || !make(m, slab))
			continue;
		p->cpu_slabs--;
		made++;
	}
	return made;
}

/* Fills half a main sheaf for each CPU of the node: some objects of at most `most` slabs, whose others are in use.
 * Returns how many of the node's slabs these are. */
static u32 make_sheaves(struct maker *m, const struct plan *p, u32 most, u32 node)
{
	u32 half = p->knows_free ? 0 : known_or(p->row->sheaf_capacity, 0) / 2, made = 0;

	for (u32 cpu = 0; cpu < m->w->machine.nr_cpus; cpu++) {
		int is_filled = node_of_cpu(m->w, cpu) != node || p->present->has_sheaf[cpu];
		for (u32 left = is_filled ? 0 : half; left && made < most; made++) {
			u32 nr = MIN(left, (u32)m->s->objects);
			struct adopted_slab slab = { PLACE_SHEAF_MAIN, cpu, node,
						     m->s->objects - nr, NULL };
			if (!make(m, slab))
				break;
			left -= nr;
		}
	}
	return made;
}

static int make_full(struct maker *m, const struct plan *p, u32 slabs, u32 node)
{
	u64 objects = (u64)slabs * p->per_slab;

	for (u64 nr = DIV_ROUND_UP(objects, m->s->objects); nr; nr--) {
		struct adopted_slab slab = { PLACE_NODE_FULL, 0, node, m->s->objects, NULL };
		if (!make(m, slab))
			return 0;
	}
	return 1;
}

static int make_node(struct maker *m, const struct machine_state *o, struct plan *p, u32 node)
{
	struct node_plan n = plan_node(o, p, node);

	n.partial = MIN(n.partial, n.slabs);
	if (!make_partial(m, p, &n, node))
		return 0;
	u32 left = n.slabs - n.partial, held = make_cpus(m, o, p, node);
	left -= MIN(left, held);
	left -= make_sheaves(m, p, left, node);
	return make_full(m, p, left, node);
}

/* Returns how many slabs of CPUs are cpu slabs: the file counts those on per-CPU partial lists with them. */
static u32 cpu_slabs_of(const struct kmem_machine_state_row *row)
{
	u32 all = known_or(row->cpu_slabs, 0), partial = known_or(row->cpu_partial_slabs, 0);

	return all - MIN(all, partial);
}

int warm_start(struct machine_state *o, const struct kmem_ops *ops, struct world *w,
	       struct kmem_cache *s, int knows_free, struct kmem_warm *sum)
{
	const struct kmem_machine_state_row *row = machine_state_find(o, (const char *)s->name);
	struct maker m = { ops, w, s, sum };
	u32 before = sum->slabs;

	if (!row || o->tables->is_adopted[row - o->tables->rows]) {
		sum->cold++;
		return 1;
	}
	o->tables->is_adopted[row - o->tables->rows] = 1;
	count_present(&o->tables->present, ops, w, s);
	struct plan p = { .row = row,
			  .present = &o->tables->present,
			  .per_slab = MAX(known_or(row->objects_per_slab, s->objects), 1u),
			  .nr_nodes = w->machine.nr_nodes,
			  .knows_free = knows_free && o->tables->present.nr,
			  .cpu_slabs = cpu_slabs_of(row) };
	if (!all_slabs(&p)) {
		sum->cold++;
		return 1;
	}
	for (u32 node = 0; node < p.nr_nodes; node++)
		if (!make_node(&m, o, &p, node))
			return 0;
	if (sum->slabs > before)
		sum->caches++;
	return 1;
}
