/*
 * bulk_groups.c - finds the objects of bulk requests, where the recorder announces them.
 *
 *	kmem_cache_free_bulk: call_site=mas_destroy+0xfb/0x210 nr=3 name=maple_node
 *	kmem_cache_free: call_site=mas_destroy+0xfb/0x210 ptr=…		first
 *	kmem_cache_free: call_site=mas_destroy+0xfb/0x210 ptr=…
 *	kmem_cache_free: call_site=mas_destroy+0xfb/0x210 ptr=…		last: the kernel frees all three here, as one list
 *
 * The objects are the next events of the same CPU, kind and call site. Events of interrupts and of other CPUs may lie
 * between. While a group is open, another sink stands in front of the usual one; without groups an import runs exactly the
 * same code. An event becomes a member after its import: it gets a site like its own, but with SITE_GROUP.
 */
#include "import/kept.h"
#include "import/sites.h"

enum {
	MOST_OPEN_GROUPS = 256,
	PATIENCE =
		64, /* events in the trace per object: a group that lacks objects then ends without them */
	NO_MEMBER = 0xffffffff,
};

struct open_group {
	u32 call_site; /* text; 0: any */
	u32 left;      /* objects to come */
	u32 until;     /* event at which it ends in any case */
	u32 last;      /* its last object so far, or NO_MEMBER */
	u32 known;     /* site + 1 of a free of an object of the trace */
	u16 cpu, is_free;
};

static struct open_group *group_at(const struct import *im, u32 nr)
{
	return (struct open_group *)im->groups.at + nr;
}

struct recipe import_recipe_of(const struct import *im, u32 site)
{
	struct recipe recipe;

	memcpy(&recipe, (const struct packed *)im->recipes.at + site, sizeof(recipe));
	return recipe;
}

void import_change_event(struct import *im, u32 nr, struct recipe recipe, u8 flags)
{
	struct op op = trace_op(im->trace, nr);
	u32 site = import_site(im, &recipe);

	if (site == SITE_FULL || im->status != KMEM_OK)
		return;
	struct site_use *uses = im->uses.at;
	uses[op.site].ops--;
	uses[site].ops++;
	op.site = site;
	op.flags |= flags | (op.kind == OP_NOTHING ? 0 : OP_BY_REQUEST);
	import_pack(im, &op, trace_packed(im->trace, nr));
}

/* Ends a group. If its last event frees an object that the trace does not know, the replay learns from it which cache has
 * the others. */
static void end_group(struct import *im, u32 nr)
{
	const struct open_group g = *group_at(im, nr);

	im->nr_groups--;
	memmove(group_at(im, nr), group_at(im, nr + 1), (im->nr_groups - nr) * sizeof(g));
	if (g.last == NO_MEMBER || im->status != KMEM_OK)
		return;
	const struct op op = trace_op(im->trace, g.last);
	struct recipe recipe = import_recipe_of(im, op.site);
	if (op.kind == OP_NOTHING && g.known) {
		const struct site *known = &im->trace->sites[g.known - 1];
		recipe.cache = known->cache;
		recipe.bytes_req = known->bytes;
		recipe.kmalloc_type = known->kmalloc_type;
	}
	import_change_event(im, g.last, recipe, OP_GROUP_LAST);
}

void import_groups_close(struct import *im)
{
	while (im->nr_groups)
		end_group(im, 0);
}

/* The sink while groups are open, or a prefilled sheaf awaits the allocation of its object. */
static void import_event_watched(struct import *im, const struct event *ev)
{
	u32 before = im->trace->nr_ops;

	import_usual_sink(im)(im, ev);
	if (im->status == KMEM_OK && im->trace->nr_ops > before) {
		if (im->nr_taking)
			import_taken(im);
		import_group_member(im);
	}
	im->sink = im->nr_groups || im->nr_taking ? import_event_watched : import_usual_sink(im);
}

void import_watch(struct import *im)
{
	/* Another sink than these reads no trace. */
	if (im->sink == import_usual_sink(im))
		im->sink = import_event_watched;
}

int import_is_direct(const struct import *im)
{
	return im->sink == import_event_watched || im->sink == import_usual_sink(im);
}

void import_group(struct import *im, u32 kind, u32 cpu, u32 nr, u32 call_site)
{
	struct trace *t = im->trace;

	if (!nr || cpu >= MAX_CPUS || im->status != KMEM_OK)
		return;
	/* A CPU does one request after the other: objects that an open group could take too are of this one. */
	for (u32 i = im->nr_groups; i-- > 0;) {
		const struct open_group *g = group_at(im, i);
		if (g->cpu == cpu && g->is_free == (kind == KIND_BULK_FREE) &&
		    (!g->call_site || !call_site || g->call_site == call_site))
			end_group(im, i);
	}
	if (im->nr_groups == MOST_OPEN_GROUPS)
		end_group(im, 0);
	if (!import_grow(im, &im->groups, MOST_OPEN_GROUPS * sizeof(struct open_group)))
		return;
	*group_at(im, im->nr_groups++) = (struct open_group){
		.call_site = call_site,
		.left = nr,
		.until = (u32)MIN((u64)t->nr_ops + (u64)PATIENCE * nr, (u64)NO_MEMBER),
		.last = NO_MEMBER,
		.cpu = (u16)cpu,
		.is_free = kind == KIND_BULK_FREE
	};
	import_watch(im);
}

void import_group_member(struct import *im)
{
	const struct trace *t = im->trace;
	u32 nr = t->nr_ops - 1;
	const struct op op = trace_op(t, nr);
	const struct site *site = &t->sites[op.site];
	int is_orphan = op.kind == OP_NOTHING && site->reason == REASON_ORPHAN_FREE,
	    is_free = op.kind == OP_FREE || is_orphan;

	for (u32 i = im->nr_groups; i-- > 0;)
		if (nr >= group_at(im, i)->until)
			end_group(im, i);
	if ((!is_free && op.kind != OP_ALLOC) || op.flags & (OP_IMPLIED | OP_KEPT) || site->request)
		return;
	for (u32 i = 0; i < im->nr_groups; i++) {
		struct open_group *g = group_at(im, i);
		if (g->cpu != op.cpu || g->is_free != is_free ||
		    (g->call_site && g->call_site != site->call_site))
			continue;
		struct recipe recipe = import_recipe_of(im, op.site);
		recipe.marks |= SITE_GROUP << RECIPE_REQUEST_AT;
		import_change_event(im, nr, recipe, g->last == NO_MEMBER ? OP_GROUP_FIRST : 0);
		if (op.kind == OP_FREE)
			g->known = trace_op(t, nr).site + 1;
		g->last = nr;
		if (!--g->left)
			end_group(im, i);
		return;
	}
}
