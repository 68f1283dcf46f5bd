/*
 * why.c - what a place, a CPU or a node holds, who put it there, and when it leaves.
 */
#include "query/why.h"

#include "session/job.h"
#include "session/session.h"

/*
 * Answers what a CPU holds, what a node holds, and which caches took the pages of a node.
 */

enum {
	MOST_TRIES = 4096, /* steps of other CPUs and nodes that the search passes */
	TITLE_BYTES = 160,
	WHY_TEXT_BYTES = 2048,
};

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
	const struct kmem_place *places = f ? session_at(s, f->places_at) : NULL;

	for (u32 i = 0; f && i < f->nr_places; i++)
		if (places[i].cpu == cpu &&
		    (asked->node == NODE_ANY || places[i].node == asked->node))
			add_part(a, &places[i]);
	return f != NULL;
}

static int is_by(const struct kmem_session *s, u32 op, u32 cpu, u32 node)
{
	u32 by = event_cpu(s, op);

	return (cpu == CPU_NONE || by == cpu) &&
	       (node == NODE_ANY || node_of_cpu(s->w, by) == node);
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

static int why_of_cpu(struct kmem_session *s, const struct asked *asked, struct answer *a)
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

/* Returns the numbers of slabs and pages on a node, cache by cache. */
static struct page_share *shares_of(struct kmem_session *s, const struct asked *asked,
				    const struct kmem_frame *f)
{
	const struct kmem_slab_row *slabs = session_at(s, f->slabs_at);
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

static int why_of_node(struct kmem_session *s, const struct asked *asked, struct answer *a)
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

/* A search that somebody else has started continues afterwards. */
static u32 why_latest(struct kmem_session *s, const struct kmem_condition *conditions, u32 nr,
		      u32 cpu, u32 node)
{
	u32 op = s->w->op, step = 0, latest = NOWHERE;
	const struct find kept = query_of(s)->find;

	for (u32 tries = 0; nr && latest == NOWHERE && tries < MOST_TRIES; tries++) {
		s64 left = begin_find(
			s, &(struct kmem_find_args){ conditions, nr, op, step, KMEM_BACK });
		while (left >= 0 && (left = work_find(s, 1 << 20)) > 0) {
		}
		const struct kmem_found *found = left < 0 ? NULL : kmem_found(s);
		if (!found || kmem_steps(s, found->op) < 0)
			break;
		op = found->op;
		step = found->step;
		const struct kmem_step *at = s->timeline.steps + step;
		if ((cpu == CPU_NONE || at->cpu == cpu) && (node == NODE_ANY || at->node == node))
			latest = op;
	}
	query_of(s)->find = kept;
	return latest;
}

static u32 latest_of(struct kmem_session *s, u32 when, u32 node)
{
	const struct kmem_condition condition = { NOWHERE, NOWHERE, (u16)when, 0, CACHE_NONE, 0 };

	return why_latest(s, &condition, 1, CPU_NONE, node);
}

/* Each returns 0 on a failure, which it reports. */
static int why_of_pages(struct kmem_session *s, const struct asked *asked, struct answer *a)
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

/*
 * Asks what a place holds, who put it there and when, and when it leaves. The facts come from the rows of a view, from
 * the index, and from a search backwards for the last step that took something out.
 */

static u32 which_of(const struct kmem_place *place)
{
	if (place->target != CACHE_NONE)
		return place->target;
	return place->bytes ? place->bytes : NOWHERE;
}

static int is_asked(const struct kmem_place *place, const struct asked *asked)
{
	return place->kind == asked->kind &&
	       (asked->cache == CACHE_NONE || place->cache == asked->cache) &&
	       (asked->cpu == CPU_NONE || place->cpu == asked->cpu) &&
	       (asked->node == NODE_ANY || place->node == asked->node) &&
	       (asked->which == NOWHERE || which_of(place) == asked->which);
}

static const struct kmem_place *find_place(const struct kmem_session *s, const struct kmem_frame *f,
					   const struct asked *asked)
{
	const struct kmem_place *places = session_at(s, f->places_at), *best = NULL;

	for (u32 i = 0; i < f->nr_places; i++) {
		const struct kmem_place *place = &places[i];
		if (is_asked(place, asked) && place->cache < s->w->nr_caches &&
		    (!best ||
		     place->nr_slabs + place->nr_entries > best->nr_slabs + best->nr_entries))
			best = place;
	}
	return best;
}

/*
 * The event that put a slab, or an object (index), where it is: the last one that moved it, before `op`. An object in a
 * sheaf that was freed past the sheaves came with the first objects that its slab gave afterwards.
 */
static u32 arrival_of(const struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op,
		      int is_in_sheaf)
{
	const u32 moved = WHEN_BIT(WHEN_SLAB_MOVED) | WHEN_BIT(WHEN_NEW_SLAB);
	const u32 past = is_in_sheaf ? WHEN_BIT(WHEN_REMOTE_NODE) : 0;
	const struct index *x = &query_of(s)->index;
	u32 nr = index_find_slab(s, cache, slab), any = NOWHERE, later = NOWHERE;

	if (nr == NOWHERE)
		return NOWHERE;
	const struct slab_note *note = index_slab(x, nr);
	const u32 *places = x->sorted + note->start;
	u32 i = lower_bound(places, note->nr,
			    op < s->trace.nr_ops ? index_position(x, op) : x->log.nr);
	while (i-- > 0) {
		const struct posting *p = index_posting(x, places[i]);
		if (index != NOWHERE && p->index == index && p->what & WHEN_BIT(WHEN_FREE))
			return index_op(x, p->what & past && later != NOWHERE ? later : places[i]);
		if (p->what & moved)
			later = places[i];
		if (p->what & moved && any == NOWHERE)
			any = places[i];
		if (any != NOWHERE && index == NOWHERE)
			break;
	}
	return any == NOWHERE ? NOWHERE : index_op(x, any);
}

static void add_arrival(const struct kmem_session *s, struct answer *a, u32 op, int is_new)
{
	if (op == NOWHERE) {
		a->why.unknown++;
		return;
	}
	u32 cpu = event_cpu(s, op), i = 0;
	while (i < a->why.nr_sources && a->sources[i].cpu != cpu)
		i++;
	if (i == MAX_SOURCES) {
		a->why.unknown++;
		return;
	}
	struct kmem_why_source *source = &a->sources[i];
	if (i == a->why.nr_sources) {
		a->why.nr_sources++;
		*source = (struct kmem_why_source){ .cpu = cpu, .first_op = op };
	}
	source->events += (u32)is_new;
	source->things++;
	source->last_op = op;
}

/* Shell's sort: lists of a hundred thousand slabs are rare, and this needs no memory. */
static void sort_numbers(u32 *numbers, u32 nr)
{
	for (u32 gap = nr / 2; gap; gap /= 2)
		for (u32 i = gap; i < nr; i++) {
			u32 number = numbers[i], k = i;
			for (; k >= gap && numbers[k - gap] > number; k -= gap)
				numbers[k] = numbers[k - gap];
			numbers[k] = number;
		}
}

static void sort_sources(struct answer *a)
{
	for (u32 i = 1; i < a->why.nr_sources; i++)
		for (u32 k = i; k && a->sources[k].things > a->sources[k - 1].things; k--) {
			struct kmem_why_source swap = a->sources[k];
			a->sources[k] = a->sources[k - 1];
			a->sources[k - 1] = swap;
		}
}

/* Lists the latest events of the first source, from the events in which anything arrived. */
static void list_events(const struct kmem_session *s, struct answer *a, const u32 *arrivals, u32 nr)
{
	u32 found = 0;

	if (!a->why.nr_sources)
		return;
	for (u32 i = nr; i-- > 0 && found < MAX_EVENTS;) {
		u32 op = arrivals[i];
		if (op == NOWHERE || (i + 1 < nr && arrivals[i + 1] == op) ||
		    event_cpu(s, op) != a->sources[0].cpu)
			continue;
		a->events[MAX_EVENTS - ++found] = op;
	}
	memmove(a->events, a->events + MAX_EVENTS - found, found * sizeof(*a->events));
	a->why.nr_events = found;
}

/* Counts the drains among the events of the first source. Moves the position. */
static void count_drains(struct kmem_session *s, struct answer *a)
{
	if (a->sources[0].events > MAX_EVENTS)
		return;
	for (u32 i = 0; i < a->why.nr_events; i++) {
		s32 nr = kmem_steps(s, a->events[i]);
		u32 is_drain = 0;
		for (s32 k = 0; k < nr; k++)
			is_drain |= (u32)step_drains(s->timeline.steps[k].kind);
		a->sources[0].drains += is_drain;
	}
}

/* Returns 0 if memory is short. */
static int add_contents(struct kmem_session *s, struct answer *a, const struct kmem_frame *f,
			const struct kmem_place *place)
{
	const struct kmem_slab_row *slabs = session_at(s, f->slabs_at);
	const struct kmem_entry *entries = session_at(s, f->entries_at);
	struct kmem_why *why = &a->why;
	u32 *arrivals = scratch_alloc(s, ((u64)place->nr_slabs + place->nr_entries + 1) *
						 sizeof(*arrivals));
	u32 nr = 0;

	if (!arrivals)
		return 0;
	for (u32 i = 0; i < place->nr_slabs; i++) {
		const struct kmem_slab_row *slab = &slabs[place->first_slab + i];
		u32 free = (u32)slab->free_on_slab + slab->free_on_cpu;
		why->objects += slab->objects;
		why->free_objects += free;
		why->empty_slabs += free == slab->objects;
		why->pages += (u64)1 << slab->order;
		arrivals[nr++] = arrival_of(s, slab->cache, slab->serial, NOWHERE, f->op, 0);
	}
	for (u32 i = 0; i < place->nr_entries; i++) {
		const struct kmem_entry *e = &entries[place->first_entry + i];
		arrivals[nr++] = arrival_of(s, e->cache, e->slab, e->index, f->op,
					    place->sheaves != 0);
	}
	sort_numbers(arrivals, nr);
	for (u32 i = 0; i < nr; i++)
		add_arrival(s, a, arrivals[i], !i || arrivals[i] != arrivals[i - 1]);
	sort_sources(a);
	list_events(s, a, arrivals, nr);
	return 1;
}

static u32 last_taken(struct kmem_session *s, const struct kmem_why *why)
{
	struct kmem_condition conditions[MAX_TAKERS];
	u16 steps[MAX_TAKERS];
	u32 nr = levels_takers(levels_of(s, why->cache), why->kind, steps);

	for (u32 i = 0; i < nr; i++)
		conditions[i] = (struct kmem_condition){ NOWHERE,  NOWHERE,	    WHEN_STEP,
							 steps[i], (u16)why->cache, 0 };
	return why_latest(s, conditions, nr, why->cpu, why->cpu == CPU_NONE ? why->node : NODE_ANY);
}

static char *sentences(struct kmem_session *s, const struct answer *a, u32 room,
		       void (*write)(const struct kmem_session *, const struct answer *,
				     struct text *))
{
	char *text = scratch_alloc(s, room);

	if (text) {
		struct text t = text_in(text, room);
		write(s, a, &t);
	}
	return text;
}

/* Everything that the host reads is in the scratch of the last step of the work. */
static const struct kmem_why *publish(struct kmem_session *s, const struct answer *a)
{
	const char *value = "", *name = "";
	u32 param = why_what_if(s, a, &value);

	if (a->why.cache < s->w->nr_caches)
		name = cache_name(s->w, a->why.cache);
	scratch_reset(s);
	struct kmem_why *why = scratch_alloc(s, sizeof(*why));
	struct kmem_why_source *sources =
		scratch_alloc(s, MAX(a->why.nr_sources, 1u) * sizeof(*sources));
	u32 *events = scratch_alloc(s, MAX(a->why.nr_events, 1u) * sizeof(*events));
	char *text = sentences(s, a, WHY_TEXT_BYTES, why_facts);
	char *title = sentences(s, a, TITLE_BYTES, why_title);
	u32 name_at = scratch_text(s, name), value_at = scratch_text(s, value);
	if (!why || !sources || !events || !text || !title || !name_at || !value_at)
		return NULL;
	*why = a->why;
	memcpy(sources, a->sources, a->why.nr_sources * sizeof(*sources));
	memcpy(events, a->events, a->why.nr_events * sizeof(*events));
	why->param = param;
	why->title_at = session_offset(s, title);
	why->name_at = name_at;
	why->value_at = value_at;
	why->text_at = session_offset(s, text);
	why->sources_at = session_offset(s, sources);
	why->events_at = session_offset(s, events);
	return why;
}

static int why_of_place(struct kmem_session *s, const struct asked *asked, struct answer *a)
{
	const struct kmem_frame *f = kmem_view(s, asked->cache);
	const struct kmem_place *place = f ? find_place(s, f, asked) : NULL;
	u32 op = s->w ? s->w->op : 0;

	if (!place) {
		if (f)
			session_fail(s, KMEM_ESTATE, "no such place at this position");
		return 0;
	}
	a->why.cache = place->cache;
	a->why.kind = place->kind;
	a->why.cpu = place->cpu;
	a->why.node = place->node;
	a->why.which = which_of(place);
	a->why.slabs = place->nr_slabs;
	a->why.entries = place->nr_entries;
	a->why.limit = place->limit;
	a->why.sheaves = place->sheaves;
	a->why.min_partial = cache_at(s->w, place->cache)->min_partial;
	if (!add_contents(s, a, f, place)) {
		session_fail(s, KMEM_ENOMEM, "not enough memory for the history of this place");
		return 0;
	}
	for (u32 i = 0; i < a->why.nr_sources; i++)
		if (a->why.put_op == NOWHERE || a->sources[i].last_op > a->why.put_op)
			a->why.put_op = a->sources[i].last_op;
	a->why.taken_op = last_taken(s, &a->why);
	count_drains(s, a);
	return !kmem_seek(s, op);
}

const struct kmem_why *kmem_why_about(struct kmem_session *s, u32 about, u32 cache, u32 kind,
				      u32 cpu, u32 node, u32 which)
{
	static int (*const subjects[])(struct kmem_session *, const struct asked *,
				       struct answer *) = { [ABOUT_PLACE] = why_of_place,
							    [ABOUT_CPU] = why_of_cpu,
							    [ABOUT_NODE] = why_of_node,
							    [ABOUT_PAGES] = why_of_pages };
	const struct asked asked = { cache, kind, cpu, node, which };
	struct answer a = { .why = { .about = about,
				     .cache = cache,
				     .kind = CACHE_NONE,
				     .cpu = (u16)cpu,
				     .node = (u16)node,
				     .which = NOWHERE,
				     .taken_op = NOWHERE,
				     .put_op = NOWHERE,
				     .param = NOWHERE } };

	if (query_of(s)->index.state != INDEX_READY)
		return session_none(s, KMEM_ESTATE, "the index is not built yet");
	if (about >= ARRAY_SIZE(subjects) || (cache != CACHE_NONE && cache >= s->w->nr_caches))
		return session_none(s, KMEM_ESTATE, "no such cache or subject at this position");
	if (!subjects[about](s, &asked, &a))
		return NULL;
	const struct kmem_why *why = publish(s, &a);
	if (!why)
		session_fail(s, KMEM_ENOMEM, "not enough memory for the history of this place");
	return why;
}

const struct kmem_why *kmem_why(struct kmem_session *s, u32 cache, u32 kind, u32 cpu, u32 node)
{
	return kmem_why_about(s, ABOUT_PLACE, cache, kind, cpu, node, NOWHERE);
}
