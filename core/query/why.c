/*
 * why.c - what a place holds, who put it there and when, and when it leaves. The facts come from the rows of a view, from
 * the index, and from a search backwards for the last step that took something out.
 */
#include "query/index/query.h"
#include "session/session.h"

enum {
	MAX_SOURCES = 64,
	MOST_TRIES = 4096, /* steps of other nodes that the search passes */
	NAMED_SOURCES = 3, /* in the sentence */
	WHY_TEXT_BYTES = 2048,
};

static const struct {
	u16 stairs, place, step;
} takes[] = {
#define TAKES(stairs, place, step) { STAIRS_##stairs, place, STEP_##step },
#include "tables/steps/stairs.def"
};

static const struct {
	u16 stairs, place;
	const char *words;
} stays[] = {
#define STAYS(stairs, place, words) { STAIRS_##stairs, place, words },
#include "tables/steps/stairs.def"
};

static const struct {
	u16 stairs, place, param;
	const char *value;
} what_ifs[] = {
#define WHAT_IF(stairs, place, param, value) { STAIRS_##stairs, place, PARAM_##param, value },
#include "tables/steps/stairs.def"
};

/* The answer while it is worked out. */
struct answer {
	struct kmem_why why;
	struct kmem_why_source sources[MAX_SOURCES];
};

static int is_asked(const struct kmem_place *place, u32 cache, u32 kind, u32 cpu, u32 node)
{
	return place->kind == kind && (cache == CACHE_NONE || place->cache == cache) &&
	       (cpu == CPU_NONE || place->cpu == cpu) && (node == NODE_ANY || place->node == node);
}

static const void *rows_of(const struct kmem_session *s, u32 offset)
{
	return s->pool.base + offset;
}

static const struct kmem_place *find_place(const struct kmem_session *s, const struct kmem_frame *f,
					   u32 cache, u32 kind, u32 cpu, u32 node)
{
	const struct kmem_place *places = rows_of(s, f->places_at), *best = NULL;

	for (u32 i = 0; i < f->nr_places; i++) {
		const struct kmem_place *place = &places[i];
		if (is_asked(place, cache, kind, cpu, node) && place->cache < s->w->nr_caches &&
		    (!best ||
		     place->nr_slabs + place->nr_entries > best->nr_slabs + best->nr_entries))
			best = place;
	}
	return best;
}

/* The event that put a slab, or an object (index), where it is: the last one that moved it, before `op`. */
static u32 arrival_of(const struct kmem_session *s, u32 cache, u32 slab, u32 index, u32 op)
{
	const u32 moved = WHEN_BIT(WHEN_SLAB_MOVED) | WHEN_BIT(WHEN_NEW_SLAB);
	const struct index *x = &query_of(s)->index;
	u32 nr = index_find_slab(s, cache, slab), any = NOWHERE;

	if (nr == NOWHERE)
		return NOWHERE;
	const struct slab_note *note = index_slab(x, nr);
	const u32 *places = x->sorted + note->start;
	u32 i = lower_bound(places, note->nr,
			    op < s->trace.nr_ops ? index_position(x, op) : x->log.nr);
	while (i-- > 0) {
		const struct posting *p = index_posting(x, places[i]);
		if (index != NOWHERE && p->index == index && p->what & WHEN_BIT(WHEN_FREE))
			return index_op(x, places[i]);
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
	u32 cpu = trace_op(&s->trace, op).cpu % s->w->machine.nr_cpus, i = 0;
	while (i < a->why.nr_sources && a->sources[i].cpu != cpu)
		i++;
	if (i == MAX_SOURCES) {
		a->why.unknown++;
		return;
	}
	struct kmem_why_source *source = &a->sources[i];
	if (i == a->why.nr_sources) {
		a->why.nr_sources++;
		*source = (struct kmem_why_source){ cpu, 0, 0, op, op };
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

/* Returns 0 if memory is short. */
static int add_contents(struct kmem_session *s, struct answer *a, const struct kmem_frame *f,
			const struct kmem_place *place)
{
	const struct kmem_slab_row *slabs = rows_of(s, f->slabs_at);
	const struct kmem_entry *entries = rows_of(s, f->entries_at);
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
		arrivals[nr++] = arrival_of(s, slab->cache, slab->serial, NOWHERE, f->op);
	}
	for (u32 i = 0; i < place->nr_entries; i++) {
		const struct kmem_entry *e = &entries[place->first_entry + i];
		arrivals[nr++] = arrival_of(s, e->cache, e->slab, e->index, f->op);
	}
	sort_numbers(arrivals, nr);
	for (u32 i = 0; i < nr; i++)
		add_arrival(s, a, arrivals[i], !i || arrivals[i] != arrivals[i - 1]);
	for (u32 i = 1; i < why->nr_sources; i++)
		for (u32 k = i; k && a->sources[k].things > a->sources[k - 1].things; k--) {
			struct kmem_why_source swap = a->sources[k];
			a->sources[k] = a->sources[k - 1];
			a->sources[k - 1] = swap;
		}
	return 1;
}

static u32 taking_steps(const struct kmem_session *s, const struct kmem_why *why,
			struct kmem_condition *conditions)
{
	u32 stairs = stairs_of(s, why->cache), nr = 0;

	for (u32 i = 0; i < ARRAY_SIZE(takes); i++)
		if (takes[i].stairs == stairs && takes[i].place == why->kind)
			conditions[nr++] = (struct kmem_condition){ NOWHERE,	     NOWHERE,
								    WHEN_STEP,	     takes[i].step,
								    (u16)why->cache, 0 };
	return nr;
}

/* Searches backwards; the search that somebody else has begun goes on afterwards. */
static u32 last_taken(struct kmem_session *s, const struct kmem_why *why)
{
	struct kmem_condition conditions[MAX_CONDITIONS];
	u32 nr = taking_steps(s, why, conditions), op = s->w->op, step = 0, taken = NOWHERE;
	const struct find kept = query_of(s)->find;

	for (u32 tries = 0; nr && taken == NOWHERE && tries < MOST_TRIES; tries++) {
		s64 left = kmem_find_begin(s, conditions, nr, op, step, KMEM_BACK);
		while (left >= 0 && (left = kmem_find_run(s, 1 << 20)) > 0) {
		}
		const struct kmem_found *found = left < 0 ? NULL : kmem_found(s);
		if (!found || kmem_steps(s, found->op) < 0)
			break;
		op = found->op;
		step = found->step;
		const struct kmem_step *at = s->timeline.steps + step;
		if (why->cpu == CPU_NONE ? at->node == why->node : at->cpu == why->cpu)
			taken = op;
	}
	query_of(s)->find = kept;
	return taken;
}

/* People count events from 1. */
static void add_event(struct text *t, u32 op)
{
	text_add(t, "event ");
	text_add_u64(t, (u64)op + 1);
}

static void say_sources(const struct answer *a, const char *noun, struct text *t)
{
	for (u32 i = 0; i < a->why.nr_sources && i < NAMED_SOURCES; i++) {
		const struct kmem_why_source *source = &a->sources[i];
		text_add_counted(t, source->things, noun);
		text_add(t,
			 source->things == 1 ? " was put here by CPU " : " were put here by CPU ");
		text_add_u64(t, source->cpu);
		if (source->events == 1) {
			text_add(t, " in ");
			add_event(t, source->last_op);
		} else {
			text_add(t, " in ");
			text_add_counted(t, source->events, "event");
			text_add(t, " since ");
			add_event(t, source->first_op);
		}
		text_add(t, ".\n");
	}
	if (a->why.nr_sources > NAMED_SOURCES) {
		text_add(t, "The rest came from ");
		text_add_counted(t, a->why.nr_sources - NAMED_SOURCES, "other CPU");
		text_add(t, ".\n");
	}
}

/* Adds whether the threshold discards any of these slabs. */
static void say_empty(const struct kmem_why *why, struct text *t)
{
	if (!why->empty_slabs) {
		text_add(t, " No slab here is empty, so min_partial = ");
		text_add_u64(t, why->min_partial);
		text_add(t, " discards none.");
		return;
	}
	text_add(t, " ");
	text_add_counted(t, why->empty_slabs, "slab");
	text_add(t, why->empty_slabs == 1 ? " is empty; " : " are empty; ");
	text_add(t, "a node keeps empty slabs while it has fewer than min_partial = ");
	text_add_u64(t, why->min_partial);
	text_add(t, " partial slabs.");
}

static void say_filling(const struct kmem_why *why, struct text *t)
{
	if (!why->objects)
		return;
	text_add_u64(t, ((u64)(why->objects - why->free_objects) * 200 + why->objects) /
				(2 * (u64)why->objects));
	text_add(t, " % of their objects are in use: ");
	text_add_u64(t, why->free_objects);
	text_add(t, " of ");
	text_add_u64(t, why->objects);
	text_add(t, why->free_objects == 1 ? " is free." : " are free.");
	if (why->min_partial)
		say_empty(why, t);
	text_add(t, "\n");
}

static void say_all(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	const struct kmem_why *why = &a->why;
	u32 stairs = stairs_of(s, why->cache), is_known = 0;

	if (!why->slabs && !why->entries) {
		text_add(t, "Nothing is here.\n");
	} else {
		say_sources(a, why->entries ? "object" : "slab", t);
		if (why->kind == PLACE_NODE_PARTIAL)
			say_filling(why, t);
	}
	for (u32 i = 0; i < ARRAY_SIZE(takes); i++)
		is_known |= takes[i].stairs == stairs && takes[i].place == why->kind;
	if (is_known && why->taken_op == NOWHERE) {
		text_add(t, "Nothing was ever taken from here.\n");
	} else if (is_known) {
		text_add(t, "Nothing was taken from here since ");
		add_event(t, why->taken_op);
		text_add(t, ".\n");
	}
	for (u32 i = 0; i < ARRAY_SIZE(stays) && (why->slabs || why->entries); i++) {
		if (stays[i].stairs != stairs || stays[i].place != why->kind)
			continue;
		text_add(t, stays[i].words);
		text_add(t, "\n");
	}
}

static const char *copied(struct kmem_session *s, const char *text)
{
	u32 len = text_length(text);
	char *copy = scratch_alloc(s, len + 1);

	return copy ? memcpy(copy, text, len + 1) : NULL;
}

/* Everything that the host reads is in the scratch of the last step of the work. */
static const struct kmem_why *publish(struct kmem_session *s, const struct answer *a)
{
	u32 stairs = stairs_of(s, a->why.cache);
	const char *value = "";

	scratch_reset(s);
	struct kmem_why *why = scratch_alloc(s, sizeof(*why));
	struct kmem_why_source *sources =
		scratch_alloc(s, MAX(a->why.nr_sources, 1u) * sizeof(*sources));
	char *text = scratch_alloc(s, WHY_TEXT_BYTES);
	const char *name = copied(s, (const char *)cache_at(s->w, a->why.cache)->name);
	if (!why || !sources || !text || !name)
		return NULL;
	*why = a->why;
	memcpy(sources, a->sources, a->why.nr_sources * sizeof(*sources));
	struct text t = text_in(text, WHY_TEXT_BYTES);
	say_all(s, a, &t);
	why->param = NOWHERE;
	for (u32 i = 0; i < ARRAY_SIZE(what_ifs) && (why->slabs || why->entries); i++)
		if (what_ifs[i].stairs == stairs && what_ifs[i].place == why->kind) {
			why->param = what_ifs[i].param;
			value = what_ifs[i].value;
		}
	value = copied(s, value);
	if (!value)
		return NULL;
	why->name_at = session_offset(s, name);
	why->value_at = session_offset(s, value);
	why->text_at = session_offset(s, text);
	why->sources_at = session_offset(s, sources);
	return why;
}

const struct kmem_why *kmem_why(struct kmem_session *s, u32 cache, u32 kind, u32 cpu, u32 node)
{
	struct answer a = { .why.taken_op = NOWHERE };
	u32 op = s->w ? s->w->op : 0;

	if (query_of(s)->index.state != INDEX_READY) {
		session_fail(s, KMEM_ESTATE, "the index is not built yet");
		return NULL;
	}
	const struct kmem_frame *f = kmem_view(s, cache);
	const struct kmem_place *place = f ? find_place(s, f, cache, kind, cpu, node) : NULL;
	if (!place) {
		if (f)
			session_fail(s, KMEM_ESTATE, "no such place at this position");
		return NULL;
	}
	a.why.cache = place->cache;
	a.why.kind = place->kind;
	a.why.cpu = place->cpu;
	a.why.node = place->node;
	a.why.slabs = place->nr_slabs;
	a.why.entries = place->nr_entries;
	a.why.limit = place->limit;
	a.why.min_partial = cache_at(s->w, place->cache)->min_partial;
	int is_done = add_contents(s, &a, f, place);
	if (is_done)
		a.why.taken_op = last_taken(s, &a.why);
	if (kmem_seek(s, op))
		return NULL;
	const struct kmem_why *why = is_done ? publish(s, &a) : NULL;
	if (!why)
		session_fail(s, KMEM_ENOMEM, "not enough memory for the history of this place");
	return why;
}
