/*
 * why_owner.c - what a CPU has at hand, what a node has, and which caches took the pages of a node.
 */
#include "query/why.h"
#include "session/session.h"

static const void *rows_of(const struct kmem_session *s, u32 offset)
{
	return s->pool.base + offset;
}

/* Adds a place to the part of its kind. */
static void add_part(struct answer *a, const struct kmem_place *place)
{
	u32 i = 0;

	while (i < a->nr_parts && a->parts[i].kind != place->kind)
		i++;
	if (i == MAX_PARTS)
		return;
	if (i == a->nr_parts)
		a->parts[a->nr_parts++] = (struct kmem_place){ .kind = place->kind };
	a->parts[i].nr_slabs += place->nr_slabs;
	a->parts[i].nr_entries += place->nr_entries;
	a->parts[i].free_objects += place->free_objects;
	a->parts[i].limit += place->limit;
	a->parts[i].sheaves += place->sheaves;
	a->why.slabs += place->nr_slabs;
	a->why.entries += place->nr_entries;
}

/* Adds the places of a CPU; of a node those that belong to none of its CPUs. */
static int add_parts(struct kmem_session *s, const struct asked *asked, u32 cpu, struct answer *a)
{
	const struct kmem_frame *f = kmem_view(s, asked->cache);
	const struct kmem_place *places = f ? rows_of(s, f->places_at) : NULL;

	for (u32 i = 0; f && i < f->nr_places; i++)
		if (places[i].cpu == cpu &&
		    (asked->node == NODE_ANY || places[i].node == asked->node))
			add_part(a, &places[i]);
	return f != NULL;
}

static int is_by(const struct kmem_session *s, u32 op, u32 cpu, u32 node)
{
	u32 by = trace_op(&s->trace, op).cpu % s->w->machine.nr_cpus;
	const struct cpu *cpus = at(s->w, s->w->machine.cpus);

	return (cpu == CPU_NONE || by == cpu) && (node == NODE_ANY || cpus[by].node == node);
}

/* Notes the last allocation and the last free before the position, in one walk back through the index. */
static void note_last(const struct kmem_session *s, u32 cache, u32 cpu, u32 node, struct answer *a)
{
	const struct index *x = &query_of(s)->index;
	const u32 wanted = WHEN_BIT(WHEN_ALLOC) | WHEN_BIT(WHEN_FREE);
	u32 i = s->w->op < s->trace.nr_ops ? index_position(x, s->w->op) : x->log.nr;

	while (i-- > 0 && (a->why.taken_op == NOWHERE || a->why.put_op == NOWHERE)) {
		const struct posting *p = index_posting(x, i);
		if (!(p->what & wanted) || p->slab == NOWHERE)
			continue;
		u32 of = index_slab(x, p->slab)->cache;
		if (cache != CACHE_NONE && of != CACHE_NONE && of != cache)
			continue;
		u32 op = index_op(x, i);
		if (!is_by(s, op, cpu, node))
			continue;
		if (p->what & WHEN_BIT(WHEN_ALLOC) && a->why.taken_op == NOWHERE)
			a->why.taken_op = op;
		if (p->what & WHEN_BIT(WHEN_FREE) && a->why.put_op == NOWHERE)
			a->why.put_op = op;
	}
}

static int refuse(struct kmem_session *s, const char *sentence)
{
	session_fail(s, KMEM_ESTATE, sentence);
	return 0;
}

int why_of_cpu(struct kmem_session *s, const struct asked *asked, struct answer *a)
{
	u32 nr = 0;

	if (asked->cpu >= s->w->machine.nr_cpus)
		return refuse(s, "no such CPU in this machine");
	a->why.node = NODE_ANY;
	const struct asked all = { asked->cache, CACHE_NONE, asked->cpu, NODE_ANY, NOWHERE };
	if (!add_parts(s, &all, asked->cpu, a))
		return 0;
	note_last(s, asked->cache, asked->cpu, NODE_ANY, a);
	if (asked->cache == CACHE_NONE)
		return 1;
	const struct kmem_next_object *rows = kmem_next_objects(s, asked->cache, asked->cpu, &nr);
	for (u32 i = 0; i < nr; i++)
		if (rows[i].cpu == asked->cpu) {
			a->next = rows[i];
			a->has_next = 1;
		}
	return rows != NULL;
}

/* The numbers of slabs and pages on a node, cache by cache. */
static struct page_share *shares_of(struct kmem_session *s, const struct asked *asked,
				    const struct kmem_frame *f)
{
	const struct kmem_slab_row *slabs = rows_of(s, f->slabs_at);
	u32 nr = s->w->nr_caches + 1; /* the last one for slabs that serve all caches */
	struct page_share *shares = scratch_alloc(s, nr * sizeof(*shares));

	if (!shares)
		return NULL;
	memset(shares, 0, nr * sizeof(*shares));
	for (u32 i = 0; i < f->nr_slabs; i++) {
		if (asked->node != NODE_ANY && slabs[i].node != asked->node)
			continue;
		struct page_share *share = &shares[MIN(slabs[i].cache, nr - 1)];
		share->pages += (u64)1 << slabs[i].order;
		share->slabs++;
	}
	return shares;
}

/* Keeps the caches with most pages, most first, and counts the others. */
static void keep_shares(const struct kmem_session *s, struct answer *a, struct page_share *shares)
{
	u32 nr = s->w->nr_caches + 1;

	for (u32 i = 0; i < nr; i++)
		shares[i].cache = i + 1 == nr ? CACHE_NONE : i;
	for (; a->nr_shares < MAX_SHARES; a->nr_shares++) {
		u32 most = 0;
		for (u32 i = 1; i < nr; i++)
			if (shares[i].pages > shares[most].pages)
				most = i;
		if (!shares[most].pages)
			break;
		a->shares[a->nr_shares] = shares[most];
		shares[most].pages = 0;
	}
	for (u32 i = 0; i < nr; i++)
		a->other_caches += shares[i].pages != 0;
}

static void count_pages(struct kmem_session *s, const struct asked *asked, struct answer *a)
{
	u32 nr;
	const struct kmem_zone_row *zones = kmem_zone_rows(s, &nr);

	for (u32 i = 0; i < nr; i++)
		if (asked->node == NODE_ANY || zones[i].node == asked->node) {
			a->why.pages += zones[i].used;
			a->total_pages += zones[i].pages;
		}
}

int why_of_node(struct kmem_session *s, const struct asked *asked, struct answer *a)
{
	if (asked->node >= s->w->machine.nr_nodes)
		return refuse(s, "no such node in this machine");
	a->why.cpu = CPU_NONE;
	count_pages(s, asked, a);
	if (!add_parts(s, asked, CPU_NONE, a))
		return 0;
	if (asked->cache != CACHE_NONE)
		a->why.min_partial = cache_at(s->w, asked->cache)->min_partial;
	note_last(s, asked->cache, CPU_NONE, asked->node, a);
	return 1;
}

static u32 latest_of(struct kmem_session *s, u32 when, u32 node)
{
	const struct kmem_condition condition = { NOWHERE, NOWHERE, (u16)when, 0, CACHE_NONE, 0 };

	return why_latest(s, &condition, 1, CPU_NONE, node);
}

int why_of_pages(struct kmem_session *s, const struct asked *asked, struct answer *a)
{
	u32 op = s->w->op;

	if (asked->node != NODE_ANY && asked->node >= s->w->machine.nr_nodes)
		return refuse(s, "no such node in this machine");
	a->why.cpu = CPU_NONE;
	a->why.cache = CACHE_NONE;
	count_pages(s, asked, a);
	const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
	struct page_share *shares = f ? shares_of(s, asked, f) : NULL;
	if (!shares) {
		session_fail(s, KMEM_ENOMEM, "not enough memory to list the slabs");
		return 0;
	}
	a->why.slabs = f->nr_slabs;
	if (asked->node != NODE_ANY)
		for (u32 i = a->why.slabs = 0; i <= s->w->nr_caches; i++)
			a->why.slabs += shares[i].slabs;
	keep_shares(s, a, shares);
	a->why.taken_op = latest_of(s, WHEN_NEW_SLAB, asked->node);
	a->why.put_op = latest_of(s, WHEN_SLAB_FREED, asked->node);
	return !kmem_seek(s, op);
}
