/*
 * why_text.c - the sentences of an answer of kmem_why: its question and its facts.
 */
#include "query/why.h"
#include "session/session.h"
#include "util/text.h"

enum { NAMED_SOURCES = 3 };

static const struct {
	u16 levels, place;
	const char *words;
} stays[] = {
#define STAYS(levels, place, words) { LEVELS_##levels, place, words },
#include "tables/steps/levels.def"
};

static const struct {
	u16 levels, place, param;
	const char *value;
} what_ifs[] = {
#define WHAT_IF(levels, place, param, value) { LEVELS_##levels, place, PARAM_##param, value },
#include "tables/steps/levels.def"
};

static const u8 of_sheaves[NR_VALUES(kmem_place_kind)] = {
#define OF_SHEAVES(place) [place] = 1,
#include "tables/steps/levels.def"
};

static u32 things_of(const struct kmem_why *why)
{
	return why->entries ? why->entries : why->slabs;
}

static void say_things(const struct kmem_why *why, u32 nr, struct text *t)
{
	text_print(t, why->entries ? "%'u object{s}" : "%'u slab{s}", nr);
}

static u32 has_sheaves(const struct kmem_why *why)
{
	return why->kind < ARRAY_SIZE(of_sheaves) && of_sheaves[why->kind];
}

/* A CPU's sheaf without objects, or those of a node: an absent sheaf is not an empty one. */
static void say_no_objects(const struct kmem_why *why, struct text *t)
{
	if (!why->sheaves)
		text_add(t, "There is no sheaf here.\n");
	else if (why->cpu != CPU_NONE)
		text_add(t, "The sheaf is here but empty.\n");
	else
		text_print(t, "%'u empty {sheaves are|sheaf is} here.\n", why->sheaves);
}

static void say_source(const struct kmem_session *s, const struct answer *a, u32 i, struct text *t)
{
	const struct kmem_why_source *source = &a->sources[i];

	if (source->things > 1 && source->things == things_of(&a->why))
		text_add(t, "All ");
	say_things(&a->why, source->things, t);
	text_print(t, source->things == 1 ? " was put here by CPU %u" : " were put here by CPU %u",
		   source->cpu);
	if (s->w->machine.nr_nodes > 1)
		text_print(t, " of node %u", node_of_cpu(s->w, source->cpu));
	if (source->events == 1)
		text_print(t, " in event %'u.\n", source->last_op + 1);
	else
		text_print(t, ", in %'u %s since event %'u.\n", source->events,
			   source->drains == source->events ? "drains" : "events",
			   source->first_op + 1); /* people count events from 1 */
}

static void say_sources(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	for (u32 i = 0; i < a->why.nr_sources && i < NAMED_SOURCES; i++)
		say_source(s, a, i, t);
	if (a->why.nr_sources > NAMED_SOURCES)
		text_print(t, "The rest came from %'u other CPU{s}.\n",
			   a->why.nr_sources - NAMED_SOURCES);
}

/* Adds whether the threshold discards any of these slabs. */
static void say_empty(const struct kmem_why *why, struct text *t)
{
	if (!why->empty_slabs)
		text_print(t, " No slab here is empty, so min_partial = %u plays no part.",
			   why->min_partial);
	else
		text_print(
			t,
			" %'u slab{s} {are|is} empty; a node keeps empty slabs while it has fewer "
			"than min_partial = %u partial slabs.",
			why->empty_slabs, why->min_partial);
}

static void say_filling(const struct kmem_why *why, struct text *t)
{
	u64 used = why->objects - why->free_objects;

	if (!why->objects)
		return;
	text_print(t, "%u %% of their objects are in use: %'u of %'u ",
		   (u32)((used * 200 + why->objects) / (2 * (u64)why->objects)), why->free_objects,
		   why->objects);
	text_add(t, why->free_objects == 1 ? "is free." : "are free.");
	if (why->min_partial)
		say_empty(why, t);
	text_add(t, "\n");
}

static void say_taken(const struct kmem_session *s, const struct kmem_why *why, struct text *t)
{
	u16 steps[MAX_TAKERS];

	if (!levels_takers(levels_of(s, why->cache), why->kind, steps))
		return;
	if (why->taken_op == NOWHERE) {
		text_add(t, "Nothing has ever been taken from here.\n");
		return;
	}
	/* The event at the position has just taken something. */
	text_print(t,
		   why->taken_op + 1 == s->w->op
			   ? "Something was last taken from here in event %'u.\n"
			   : "Nothing has been taken from here since event %'u.\n",
		   why->taken_op + 1);
}

static void say_place(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	const struct kmem_why *why = &a->why;
	u32 levels = levels_of(s, why->cache), is_empty = !why->slabs && !why->entries;

	if (is_empty && has_sheaves(why))
		say_no_objects(why, t);
	else if (is_empty)
		text_add(t, "There is nothing here.\n");
	else
		say_sources(s, a, t);
	say_taken(s, why, t);
	if (why->kind == PLACE_NODE_PARTIAL)
		say_filling(why, t);
	for (u32 i = 0; i < ARRAY_SIZE(stays) && !is_empty; i++)
		if (stays[i].levels == levels && stays[i].place == why->kind)
			text_print(t, "%s\n", stays[i].words);
}

static void say_part(const struct kmem_place *part, struct text *t)
{
	text_print(t, "%s, ", place_words(part->kind));
	if (of_sheaves[part->kind] && !part->nr_entries) {
		if (part->sheaves)
			text_print(t, "%'u empty {sheaves|sheaf}", part->sheaves);
		else
			text_add(t, "no sheaf");
		return;
	}
	text_print(t, "%'u", part->nr_entries ? part->nr_entries : part->nr_slabs);
	if (part->limit)
		text_print(t, " of at most %'u", part->limit);
	if (part->nr_slabs && part->free_objects)
		text_print(t, " with %'u free object{s}", part->free_objects);
}

static void say_parts(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	text_print(t, a->nr_parts ? "For %s: " : "For %s, there is nothing here",
		   name_or(s, a->why.cache, "all caches"));
	for (u32 i = 0; i < a->nr_parts; i++) {
		text_add(t, i ? "; " : "");
		say_part(&a->parts[i], t);
	}
	text_add(t, ".\n");
}

static void say_when(const struct kmem_why *why, const char *actor, struct text *t)
{
	text_add(t, actor);
	if (why->taken_op == NOWHERE && why->put_op == NOWHERE) {
		text_add(t, " never allocated or freed an object.\n");
		return;
	}
	if (why->taken_op == NOWHERE)
		text_add(t, " never allocated an object");
	else
		text_print(t, " last allocated an object in event %'u", why->taken_op + 1);
	if (why->put_op == NOWHERE)
		text_add(t, ", and never freed one.\n");
	else
		text_print(t, ", and last freed one in event %'u.\n", why->put_op + 1);
}

static void say_next(const struct kmem_next_object *next, struct text *t)
{
	if (next->slab == NOWHERE)
		text_add(t, "The next allocation fails: there are no pages left.\n");
	else
		text_print(
			t,
			"The next allocation gets object %u of slab %u: %'u cycle{s}, level %s.\n",
			next->index, next->slab, next->cycles, level_name(next->level));
}

static void say_order(const struct kmem_session *s, u32 cache, struct text *t)
{
	u32 order[MAX_LEVELS], levels = levels_of(s, cache), nr = levels_in(levels, order);

	text_add(t, "An allocation here tries, in this order: ");
	for (u32 i = 0; i < nr; i++)
		if (levels_are_asked(levels, order[i]))
			text_print(t, i ? ", %s" : "%s", level_name(order[i]));
	text_add(t, ".\n");
}

static void say_cpu(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	say_parts(s, a, t);
	say_when(&a->why, "It", t);
	if (a->has_next)
		say_next(&a->next, t);
	say_order(s, a->why.cache, t);
}

static void say_taken_pages(const struct answer *a, struct text *t)
{
	text_print(t, "%'ju of %'ju page{s} ", (uintmax_t)a->why.pages, (uintmax_t)a->total_pages);
	text_add(t, a->why.pages == 1 ? "is taken.\n" : "are taken.\n");
}

static void say_node(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	say_parts(s, a, t);
	say_when(&a->why, s->w->machine.nr_cpus == 1 ? "Its CPU" : "Its CPUs", t);
	say_taken_pages(a, t);
	if (a->why.min_partial)
		text_print(t,
			   "It discards an empty slab only while it has min_partial = %u partial "
			   "slabs or more.\n",
			   a->why.min_partial);
}

static void say_shares(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	for (u32 i = 0; i < a->nr_shares; i++)
		text_print(t, "%s%s: %'ju page{s} in %'u slab{s}", i ? "; " : "",
			   name_or(s, a->shares[i].cache, "all caches"),
			   (uintmax_t)a->shares[i].pages, a->shares[i].slabs);
	if (a->other_caches)
		text_print(t, "; the rest belongs to %'u other cache{s}", a->other_caches);
	text_add(t, a->nr_shares ? ".\n" : "No cache has a slab here.\n");
}

static void say_pages(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	say_taken_pages(a, t);
	say_shares(s, a, t);
	if (a->why.taken_op != NOWHERE)
		text_print(t, "A slab last took pages in event %'u.\n", a->why.taken_op + 1);
	if (a->why.put_op == NOWHERE)
		text_add(t, "No slab has returned its pages yet.");
	else
		text_print(t, "A slab last returned its pages in event %'u.", a->why.put_op + 1);
	text_add(t, "\nA slab returns its pages when it is discarded: all its objects are free, "
		    "and its cache does not keep it.\n");
}

void why_facts(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	if (a->why.about == ABOUT_PLACE)
		say_place(s, a, t);
	else if (a->why.about == ABOUT_CPU)
		say_cpu(s, a, t);
	else if (a->why.about == ABOUT_NODE)
		say_node(s, a, t);
	else
		say_pages(s, a, t);
}

static void title_of_place(const struct kmem_why *why, struct text *t)
{
	u32 things = things_of(why);

	if (!things && has_sheaves(why) && why->cpu != CPU_NONE) {
		text_add(t, why->sheaves ? "Why is the sheaf empty?"
					 : "Why is the sheaf missing here?");
		return;
	}
	if (!things && why->sheaves) {
		text_add(t, why->sheaves == 1 ? "Why is " : "Why are ");
		text_print(t, "%'u empty {sheaves|sheaf} here?", why->sheaves);
		return;
	}
	if (!things) {
		text_add(t, "Why is nothing here?");
		return;
	}
	text_add(t, things == 1 ? "Why is " : "Why are ");
	say_things(why, things, t);
	if (why->cpu == CPU_NONE && why->sheaves)
		text_print(t, " in %'u {sheaves|sheaf}", why->sheaves);
	text_add(t, " here?");
}

void why_title(const struct kmem_session *s, const struct answer *a, struct text *t)
{
	(void)s;
	if (a->why.about == ABOUT_PLACE) {
		title_of_place(&a->why, t);
	} else if (a->why.about == ABOUT_CPU) {
		text_print(t, "Which objects does CPU %u hold?", a->why.cpu);
	} else if (a->why.about == ABOUT_NODE) {
		text_print(t, "Which slabs and objects does node %u have?", a->why.node);
	} else {
		text_print(t, "Which caches took %'ju page{s}", (uintmax_t)a->why.pages);
		if (a->why.node != NODE_ANY)
			text_print(t, " of node %u", a->why.node);
		text_add(t, "?");
	}
}

static u32 what_if_of(u32 levels, u32 place, const char **value)
{
	for (u32 i = 0; i < ARRAY_SIZE(what_ifs); i++)
		if (what_ifs[i].levels == levels && what_ifs[i].place == place) {
			*value = what_ifs[i].value;
			return what_ifs[i].param;
		}
	return NOWHERE;
}

u32 why_what_if(const struct kmem_session *s, const struct answer *a, const char **value)
{
	u32 levels = levels_of(s, a->why.cache), param = NOWHERE;

	if (a->why.about == ABOUT_PLACE)
		return a->why.slabs || a->why.entries ? what_if_of(levels, a->why.kind, value)
						      : NOWHERE;
	for (u32 i = 0; i < a->nr_parts && param == NOWHERE; i++)
		param = what_if_of(levels, a->parts[i].kind, value);
	return param;
}
