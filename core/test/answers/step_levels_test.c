/*
 * step_levels_test.c - every step says at which level it happens, or that it has none, and stands where its sentence
 * says: in the samples and the golden traces, by every allocator and under every kernel.
 */
#define _GNU_SOURCE /* scandir */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/index/query.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

static const struct {
	const char *allocator, *preset;
} machines[] = {
#define ALLOCATOR(id, name, label, ops) { name, NULL },
#include "tables/allocators.def"
#define PRESET(name, changes, meaning) { "slub", name },
#include "tables/presets.def"
};

static const char *const step_names[] = {
#define STEP(kind, ...) #kind,
#include "tables/allocators.def"
};

static int is_trace(const struct dirent *entry)
{
	const char *end = strchr(entry->d_name, '.');

	return end && (strstr(end, ".slabtrace") || strstr(end, ".txt.gz"));
}

static void steps_are_said(struct kmem_session *s, const char *file, const char *allocator)
{
	u32 nr_ops = MIN(kmem_nr_ops(s), tries(9000, 900));

	for (u32 op = 0; op < nr_ops; op++) {
		const struct kmem_path *path = kmem_path(s, op);
		CHECK(path != NULL, "%s: %s", file, kmem_error(s));
		if (!path)
			return;
		u32 levels = levels_of(s, path->cache);
		for (u32 k = 0; k < path->nr_steps; k++) {
			u32 kind = s->timeline.steps[k].kind;
			CHECK(levels_say(levels, kind), "%s, %s, event %u: %s on levels %u", file,
			      allocator, op + 1, step_names[kind], levels);
		}
	}
}

/* What sentences call the places of a level. The longest match counts, such as "shared array cache". */
static const struct {
	const char *words;
	u32 level, and_level;
} names[] = {
	{ "cpu freelist", LEVEL_CPU_FREELIST, LEVEL_CPU_FREELIST },
	{ "cpu slab", LEVEL_CPU_FREELIST, LEVEL_CPU_FREELIST },
	{ "per-CPU partial list", LEVEL_CPU_PARTIAL, LEVEL_CPU_PARTIAL },
	{ "'s partial list", LEVEL_OWN_NODE, LEVEL_OTHER_NODES },
	{ "zonelist", LEVEL_OWN_NODE, LEVEL_OTHER_NODES },
	{ "searches other nodes", LEVEL_OTHER_NODES, LEVEL_OTHER_NODES },
	{ "full and on no list", LEVEL_FULL_SLABS, LEVEL_FULL_SLABS },
	{ "goes on no list", LEVEL_FULL_SLABS, LEVEL_FULL_SLABS },
	{ "full list", LEVEL_FULL_SLABS, LEVEL_FULL_SLABS },
	{ "'s full slabs", LEVEL_FULL_SLABS, LEVEL_FULL_SLABS },
	{ "main sheaf", LEVEL_SHEAF_MAIN, LEVEL_SHEAF_MAIN },
	{ "spare sheaf", LEVEL_SHEAF_SPARE, LEVEL_SHEAF_SPARE },
	{ "RCU sheaf", LEVEL_SHEAF_SPARE, LEVEL_SHEAF_SPARE },
	{ "barn", LEVEL_BARN, LEVEL_BARN },
	{ "shared array cache", LEVEL_SHARED_ARRAY, LEVEL_SHARED_ARRAY },
	{ "alien cache", LEVEL_ALIEN_ARRAYS, LEVEL_ALIEN_ARRAYS },
	{ "array cache", LEVEL_CPU_ARRAY, LEVEL_CPU_ARRAY },
	{ "either in its slabs", LEVEL_NODE_LISTS, LEVEL_NODE_LISTS },
	{ "'s free slabs", LEVEL_NODE_LISTS, LEVEL_NODE_LISTS },
	{ "shared queue", LEVEL_SHARED_QUEUE, LEVEL_SHARED_QUEUE },
	{ "alien queue", LEVEL_ALIEN_QUEUES, LEVEL_ALIEN_QUEUES },
	{ "its queue", LEVEL_CPU_QUEUE, LEVEL_CPU_QUEUE },
	{ " gave ", LEVEL_OWN_NODE, LEVEL_OTHER_NODES },
	{ "CPU queue", LEVEL_CPU_QUEUE, LEVEL_CPU_QUEUE },
	{ "'s queue", LEVEL_CPU_QUEUE, LEVEL_CPU_QUEUE },
	{ "page allocator", LEVEL_PAGES, LEVEL_PAGES },
	{ "was made from", LEVEL_PAGES, LEVEL_PAGES },
};

/* Lists of nodes have another level in SLAB and in the unified allocator. */
static u64 levels_named(const char *sentence)
{
	u64 levels = 0;
	u32 len;

	for (const char *p = sentence; *p; p += len) {
		len = 1;
		for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
			if (strncmp(p, names[i].words, strlen(names[i].words)) != 0)
				continue;
			levels |= (u64)1 << names[i].level | (u64)1 << names[i].and_level;
			len = (u32)strlen(names[i].words);
			break;
		}
	}
	if (levels >> LEVEL_OWN_NODE & 1)
		levels |= (u64)1 << LEVEL_NODE_LISTS | (u64)1 << LEVEL_PARTIAL_LISTS;
	return levels;
}

/* Whether the sentence names that CPU or node, or none at all. `behind` is what follows the number. */
static int agrees(const char *sentence, const char *word, u32 number, const char *behind)
{
	int names_any = 0;

	for (const char *p = strstr(sentence, word); p; p = strstr(p + 1, word)) {
		char *end;
		u32 named = (u32)strtoul(p + strlen(word), &end, 10);
		if (end == p + strlen(word) || strncmp(end, behind, strlen(behind)) != 0)
			continue;
		names_any = 1;
		if (named == number)
			return 1;
	}
	return !names_any;
}

/* Where each slab of a cache is: kind, CPU and node of its place. */
struct whereabouts {
	struct {
		u32 serial, kind, cpu, node;
	} slab[4096];
	u32 nr;
};

static void look_where(struct kmem_session *s, u32 cache, struct whereabouts *now)
{
	const struct kmem_frame *f = kmem_view(s, cache);

	now->nr = 0;
	if (!f)
		return;
	const struct kmem_slab_row *slabs = (const void *)((const u8 *)s + f->slabs_at);
	const struct kmem_place *places = (const void *)((const u8 *)s + f->places_at);
	for (u32 i = 0; i < f->nr_slabs && now->nr < ARRAY_SIZE(now->slab); i++, now->nr++) {
		const struct kmem_place *place = &places[slabs[i].place];
		now->slab[now->nr].serial = slabs[i].serial;
		now->slab[now->nr].kind = place->kind;
		now->slab[now->nr].cpu = place->cpu;
		now->slab[now->nr].node = place->node == NODE_ANY ? slabs[i].node : place->node;
	}
}

static u32 where_is(const struct whereabouts *now, u32 serial)
{
	u32 i = 0;

	while (i < now->nr && now->slab[i].serial != serial)
		i++;
	return i;
}

static int is_in(const struct whereabouts *now, u32 serial, u32 kind, u32 cpu, u32 node)
{
	u32 i = where_is(now, serial);

	if (i == now->nr)
		return kind == KMEM_NONE;
	return now->slab[i].kind == kind && now->slab[i].cpu == cpu && now->slab[i].node == node;
}

/* A test's event: its steps, their sentences, and where the slabs of its cache were before. */
struct scene {
	const char *file, *machine;
	u32 op, cache, nr, nr_levels, kind;
	struct kmem_path_step step[256];
	struct kmem_level_row level[16];
	struct whereabouts before, after;
};

static void a_step_is_where_its_sentence_says(struct kmem_session *s, const struct scene *e, u32 k)
{
	const struct kmem_path_step *at = &e->step[k];
	const char *sentence = kmem_step_sentence(s, s->timeline.steps + k),
		   *kind = step_names[s->timeline.steps[k].kind];
	u64 named = levels_named(sentence), on_levels = 0;

	for (u32 i = 0; i < e->nr_levels; i++)
		on_levels |= (u64)1 << e->level[i].level;
	named &= on_levels;
	CHECK((at->level == KMEM_NONE) == (at->node == NODE_ANY), "%s, %s, event %u: %s", e->file,
	      e->machine, e->op + 1, kind);
	if (at->level == KMEM_NONE)
		return;
	/* A step that takes a slab to a place stands where it takes it. */
	int is_taken = at->slab != KMEM_NONE32 && at->verb == VERB_GIVES &&
		       at->from_kind != KMEM_NONE &&
		       e->level[at->level].places >> at->from_kind & 1;
	CHECK(!named || is_taken || named >> e->level[at->level].level & 1,
	      "%s, %s, event %u, %s at level %u: %s", e->file, e->machine, e->op + 1, kind,
	      at->level, sentence);
	if (e->level[at->level].is_of_cpus)
		CHECK((strstr(sentence, "another CPU's") ||
		       agrees(sentence, "CPU ", at->cpu, "'s")) &&
			      (!strstr(sentence, " its ") || at->cpu == s->timeline.steps[k].cpu),
		      "%s, %s, event %u, %s at CPU %u: %s", e->file, e->machine, e->op + 1, kind,
		      at->cpu, sentence);
	else
		CHECK(at->cpu == CPU_NONE && (agrees(sentence, "ode ", at->node, "") ||
					      agrees(sentence, "ode ", at->target, "")),
		      "%s, %s, event %u, %s at node %u: %s", e->file, e->machine, e->op + 1, kind,
		      at->node, sentence);
}

static void a_slab_is_where_its_last_step_put_it(const struct scene *e, u32 k)
{
	const struct kmem_path_step *at = &e->step[k];
	u32 is_first = 1, is_last = 1;

	if (at->slab == KMEM_NONE32 || at->cache != e->cache)
		return;
	for (u32 i = 0; i < e->nr; i++) {
		is_first &= i >= k || e->step[i].slab != at->slab;
		is_last &= i <= k || e->step[i].slab != at->slab;
	}
	CHECK(!is_first || is_in(&e->before, at->slab, at->from_kind, at->from_cpu, at->from_node),
	      "%s, %s, event %u, step %u: slab %u was not in %u", e->file, e->machine, e->op + 1, k,
	      at->slab, at->from_kind);
	CHECK(!is_last || is_in(&e->after, at->slab, at->to_kind, at->to_cpu, at->to_node),
	      "%s, %s, event %u, step %u: slab %u is not in %u", e->file, e->machine, e->op + 1, k,
	      at->slab, at->to_kind);
}

/* Every slab that was made, moved or discarded is one that a step moved. */
static void no_slab_moves_by_itself(const struct scene *e)
{
	u32 moved = 0, told = 0;

	for (u32 i = 0; i < e->after.nr; i++)
		moved += !is_in(&e->before, e->after.slab[i].serial, e->after.slab[i].kind,
				e->after.slab[i].cpu, e->after.slab[i].node);
	for (u32 i = 0; i < e->after.nr; i++) {
		u32 k = 0;
		while (k < e->nr && e->step[k].slab != e->after.slab[i].serial)
			k++;
		told += k < e->nr &&
			!is_in(&e->before, e->after.slab[i].serial, e->after.slab[i].kind,
			       e->after.slab[i].cpu, e->after.slab[i].node);
	}
	CHECK(moved == told, "%s, %s, event %u: %u slabs moved, %u by a step", e->file, e->machine,
	      e->op + 1, moved, told);
}

/* A free asks for nothing, and touches only levels that its sentences name, or where its slab was or is put. */
static void a_free_touches_only_what_it_uses(struct kmem_session *s, const struct scene *e)
{
	for (u32 k = 0; k < e->nr; k++) {
		const struct kmem_path_step *at = &e->step[k];
		const char *sentence = kmem_step_sentence(s, s->timeline.steps + k);
		const u32 slab_arg = query_of(s)->touch_kinds[s->timeline.steps[k].kind].slab_arg;
		u32 was, serial = slab_arg ? s->timeline.steps[k].args[slab_arg - 1] : NOWHERE;
		CHECK(at->verb != VERB_ASKS && at->verb != VERB_GIVES, "%s, %s, event %u asks: %s",
		      e->file, e->machine, e->op + 1, sentence);
		if (at->level == KMEM_NONE || !e->level[at->level].places)
			continue;
		const struct kmem_level_row *level = &e->level[at->level];
		was = where_is(&e->before, serial);
		int is_there = levels_named(sentence) >> level->level & 1 ||
			       strstr(sentence, "lab") || strstr(sentence, "age") ||
			       strstr(sentence, "sheaf") || strstr(sentence, "sheaves") ||
			       strstr(sentence, "block");
		CHECK(is_there, "%s, %s, event %u, level %u: %s", e->file, e->machine, e->op + 1,
		      at->level, sentence);
		/* If the place has no name, the slab's place counts. */
		if (!levels_named(sentence) && was < e->before.nr && !k && at->verb != VERB_NOTES)
			CHECK(level->places >> e->before.slab[was].kind & 1,
			      "%s, %s, event %u, level %u: %s", e->file, e->machine, e->op + 1,
			      at->level, sentence);
	}
}

static void every_place_is_in_one_row(struct kmem_session *s, const struct scene *e)
{
	const struct kmem_frame *f = kmem_view(s, e->cache);
	const struct kmem_place *places = (const void *)((const u8 *)s + f->places_at);

	for (u32 i = 0; i < f->nr_places; i++) {
		u32 rows = 0;
		for (u32 k = 0; k < e->nr_levels; k++)
			if (e->level[k].places >> places[i].kind & 1)
				rows |= 1u << e->level[k].row;
		CHECK(rows && !(rows & (rows - 1)), "%s, %s, event %u: place of kind %u in rows %x",
		      e->file, e->machine, e->op + 1, places[i].kind, rows);
	}
	for (u32 k = 0; k < e->nr_levels; k++)
		CHECK(!e->level[k].places == (k + 1 == e->nr_levels), "level %u of %u", k,
		      e->nr_levels);
}

/* An event has a title without a full stop, and what follows from it as a sentence with one, or nothing. */
static void an_event_has_a_caption(struct kmem_session *s, const char *file, const char *machine,
				   u32 op)
{
	const struct kmem_caption *c = kmem_caption(s, op);
	const char *caption = c ? (const char *)s + c->caption_at : "",
		   *consequence = c ? (const char *)s + c->consequence_at : ".";
	size_t len = strlen(caption), more = strlen(consequence);

	CHECK(len > 10 && caption[len - 1] != '.' && !strpbrk(caption, "{|}"),
	      "%s, %s, event %u: %s", file, machine, op + 1, caption);
	CHECK(!more || consequence[more - 1] == '.', "%s, %s, event %u: %s", file, machine, op + 1,
	      consequence);
}

static void events_have_captions(struct kmem_session *s, const char *file, const char *machine)
{
	for (u32 op = 0; op < MIN(kmem_nr_ops(s), tries(300, 60)); op++)
		an_event_has_a_caption(s, file, machine, op);
}

/* The first `most` events that have more than one step, and no more than a scene has room for. */
static void slow_events_make_sense(struct kmem_session *s, const char *file, const char *machine,
				   u32 most)
{
	static struct scene e;
	u32 nr_ops = MIN(kmem_nr_ops(s), tries(9000, 900)), nr;

	e.file = file;
	e.machine = machine;
	for (u32 op = 0; op < nr_ops && most; op++) {
		if (kmem_steps(s, op) < 2)
			continue;
		const struct kmem_path path = *kmem_path(s, op);
		const struct kmem_path_step *steps = kmem_path_steps(s, op, &nr);
		CHECK(steps != NULL, "%s: %s", file, kmem_error(s));
		if (!steps || nr > ARRAY_SIZE(e.step) || path.cache == CACHE_NONE)
			continue;
		e.op = op;
		e.nr = nr;
		e.cache = s->replay.ops->shared_slabs ? 0 : path.cache;
		memcpy(e.step, steps, nr * sizeof(*steps));
		const struct kmem_level_row *levels = kmem_levels(s, path.cache, &e.nr_levels);
		memcpy(e.level, levels, e.nr_levels * sizeof(*levels));
		look_where(s, e.cache, &e.after);
		every_place_is_in_one_row(s, &e);
		kmem_seek(s, op);
		look_where(s, e.cache, &e.before);
		if (e.before.nr >= ARRAY_SIZE(e.before.slab) || kmem_steps(s, op) < 0)
			continue;
		for (u32 k = 0; k < nr; k++) {
			a_step_is_where_its_sentence_says(s, &e, k);
			a_slab_is_where_its_last_step_put_it(&e, k);
		}
		no_slab_moves_by_itself(&e);
		if (kmem_op(s, op)->kind == OP_FREE)
			a_free_touches_only_what_it_uses(s, &e);
		an_event_has_a_caption(s, file, machine, op);
		most--;
	}
}

static void said_by_all(const char *folder, const char *file)
{
	char path[512];
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	char *trace = file_text(path, &len);
	CHECK(len > 0, "%s", path);
	for (u32 i = 0; i < ARRAY_SIZE(machines); i++) {
		struct kmem_session *s = session_of_text(trace);
		CHECK(!machines[i].preset || !kmem_preset(s, machines[i].preset), "%s",
		      kmem_error(s));
		CHECK(!kmem_set(s, "allocator", machines[i].allocator), "%s", kmem_error(s));
		CHECK(!kmem_build(s, 1 << 24), "%s: %s", file, kmem_error(s));
		const char *machine = machines[i].preset ? machines[i].preset
							 : machines[i].allocator;
		steps_are_said(s, file, machine);
		slow_events_make_sense(s, file, machine, tries(400, 60));
		events_have_captions(s, file, machine);
	}
	free(trace);
}

static void said_in_all_of(const char *folder)
{
	struct dirent **entries;
	int nr = scandir(folder, &entries, is_trace, alphasort);

	CHECK(nr > 0, "no traces in %s", folder);
	for (int i = 0; i < nr; i++) {
		RUN(said_by_all(folder, entries[i]->d_name));
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

/* The level of the first step of that kind in the trace's last event, under SLUB; the session's levels have six. */
static void last_event_has(const char *text, u32 kind, u32 level, u32 end)
{
	struct kmem_session *s = session_of_text(text);

	CHECK(!kmem_set(s, "allocator", "slub") && !kmem_build(s, 1 << 20), "%s", kmem_error(s));
	u32 last = kmem_nr_ops(s) - 1, k = 0, nr;
	const struct kmem_path_step *steps = kmem_path_steps(s, last, &nr);
	while (k < nr && s->timeline.steps[k].kind != kind)
		k++;
	CHECK(k < nr && steps[k].level == level, "%s: step %u of %u, level %u", text, k, nr,
	      k < nr ? steps[k].level : 0);
	const struct kmem_path *path = kmem_path(s, last);
	CHECK(path->end == end, "%s: ends at level %u", text, path->end);
}

enum { CPU_FREELIST, CPU_PARTIAL, FULL_SLABS = 4 };

/* CPU 0 fills two slabs with the objects 0 to 31 and has object 32 of another; then comes the rest. CPUs 0 and 1 are of
 * node 0. */
static const char *three_slabs(const char *rest)
{
	static char text[4096];

	strcpy(text, "slabtrace 1\nmachine cpus=4 nodes=2\ncache c size=512\n");
	for (u32 i = 0; i < 33; i++)
		snprintf(text + strlen(text), 64, "a %u c cpu=0\n", i);
	return strcat(text, rest);
}

static void a_free_is_shown_where_its_slab_is(void)
{
	last_event_has(three_slabs("f 1 cpu=0\n"), STEP_FREE_SLOWPATH, FULL_SLABS, FULL_SLABS);
	last_event_has(three_slabs("f 1 cpu=1\nf 2 cpu=0\n"), STEP_FREE_SLOWPATH, CPU_PARTIAL,
		       CPU_PARTIAL);
	last_event_has(three_slabs("f 32 cpu=1\n"), STEP_FREE_SLOWPATH, CPU_FREELIST, CPU_FREELIST);
	last_event_has(three_slabs("f 32 cpu=2\n"), STEP_FREE_SLOWPATH, CPU_FREELIST, CPU_FREELIST);
}

/* CPU 2 of node 1 puts slabs of node 0 on its own list, and compares the length of that list. */
static void a_comparison_is_shown_where_its_list_is(void)
{
	last_event_has(three_slabs("f 1 cpu=2\nf 17 cpu=2\n"), STEP_THRESHOLD, CPU_PARTIAL,
		       FULL_SLABS);
}

static void says(const char *text, const char *preset, const char *allocator, const char *caption,
		 const char *consequence)
{
	struct kmem_session *s = session_of_text(text);

	CHECK(!kmem_preset(s, preset) && !kmem_set(s, "allocator", allocator), "%s", kmem_error(s));
	CHECK(!kmem_build(s, 1 << 20), "%s", kmem_error(s));
	const struct kmem_caption *c = kmem_caption(s, kmem_nr_ops(s) - 1);
	CHECK(strcmp((const char *)s + c->caption_at, caption) == 0, "%s",
	      (const char *)s + c->caption_at);
	CHECK(strcmp((const char *)s + c->consequence_at, consequence) == 0, "%s",
	      (const char *)s + c->consequence_at);
}

static void a_caption_says_what_happened(void)
{
	says(three_slabs("a 33 c cpu=0\n"), "linux-6.1", "slub",
	     "CPU 0 takes the next object from its cpu freelist", "");
	says(three_slabs("f 32 cpu=0\n"), "linux-6.1", "slub",
	     "CPU 0 puts the object back in its cpu freelist", "");
	says(three_slabs("a 33 c cpu=2\n"), "linux-6.1", "slub",
	     "CPU 2 has none left, gets nothing from 2 nodes, and makes a slab from new pages",
	     "This allocation took 610 cycles, 68 times as long as a fast one.");
	says(three_slabs("f 1 cpu=2\n"), "linux-6.1", "slub",
	     "CPU 2 frees an object of a full slab and puts slab 0 on its per-CPU partial list",
	     "This free took 234 cycles, 26 times as long as a fast one; "
	     "most of them went on memory that another CPU wrote last.");
	says(three_slabs("f 1 cpu=2\n"), "linux-6.1", "slab",
	     "CPU 2 puts an object of node 0 into node 1's alien cache for that node",
	     "This free took 44 cycles, 5 times as long as a fast one.");
	says("slabtrace 1\nmachine cpus=1 nodes=1 red_zone=on sanity_checks=on\n"
	     "cache c size=104\na 1 c cpu=0\ncorrupt write 1 at=104 cpu=0\nf 1 cpu=0\n",
	     "linux-6.1", "slub", "CPU 0 frees an object, but debugging finds a fault and refuses",
	     "This free took 6,020 cycles, 669 times as long as a fast one.");
}

int main(void)
{
	RUN(a_caption_says_what_happened());
	RUN(a_free_is_shown_where_its_slab_is());
	RUN(a_comparison_is_shown_where_its_list_is());
	said_in_all_of("../traces");
	said_in_all_of("test/golden");
	return check_summary();
}
