/*
 * cmd_why.c - `slabscope why`: what a list, a CPU or a node holds, who put it there, and when it leaves.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "doc/doc.h"
#include "cli/print.h"

/* A place, a CPU, a node or its pages, as the command line names it. */
struct subject {
	u32 about, cpu, node, which;
	const char *list; /* name of a list, not terminated */
	size_t list_bytes;
};

/* The words after the slash, in the kernel's spelling, for a node and for a CPU. */
static const struct {
	const char *word;
	u32 kind, of_cpu;
} places[] = {
	{ "partial", PLACE_NODE_PARTIAL, 0 }, { "full", PLACE_NODE_FULL, 0 },
	{ "free", PLACE_NODE_FREE, 0 },	      { "loose", PLACE_LOOSE, 0 },
	{ "shared", PLACE_SHARED_ARRAY, 0 },  { "shared", PLACE_SHARED_QUEUE, 0 },
	{ "alien", PLACE_ALIEN_ARRAY, 0 },    { "alien", PLACE_ALIEN_QUEUE, 0 },
	{ "barn", PLACE_BARN_FULL, 0 },	      { "small", PLACE_SMALL_PAGES, 0 },
	{ "medium", PLACE_MEDIUM_PAGES, 0 },  { "large", PLACE_LARGE_PAGES, 0 },
	{ "class", PLACE_CLASS_PAGES, 0 },    { "slab", PLACE_CPU_SLAB, 1 },
	{ "partial", PLACE_CPU_PARTIAL, 1 },  { "array", PLACE_CPU_ARRAY, 1 },
	{ "queue", PLACE_CPU_QUEUE, 1 },      { "main", PLACE_SHEAF_MAIN, 1 },
	{ "spare", PLACE_SHEAF_SPARE, 1 },    { "rcu", PLACE_SHEAF_RCU, 1 },
	{ "empty", PLACE_BARN_EMPTY, 0 },     { "waiting", PLACE_SHEAF_WAITING, 0 },
};

/* Reads a number up to the end of the word or a slash. */
static int read_number(const char **word, u32 *number)
{
	char *end;
	unsigned long n = strtoul(*word, &end, 10);

	if (**word < '0' || **word > '9' || (*end && *end != '/') || n >= CPU_NONE)
		return 0;
	*number = (u32)n;
	*word = end;
	return 1;
}

/* Reads LIST or LIST/WHICH. */
static int read_list(const char *word, struct subject *subject)
{
	subject->list = word;
	subject->list_bytes = strcspn(word, "/");
	word += subject->list_bytes;
	if (!subject->list_bytes || (*word && (word++, !read_number(&word, &subject->which))))
		return 0;
	if (subject->list_bytes == strlen("pages") && strncmp(subject->list, "pages", 5) == 0)
		subject->about = ABOUT_PAGES;
	return !*word;
}

/* Reads cpuN, nodeN, pages, LIST, or NODE/LIST and cpuN/LIST. Returns 0 on a mistake. */
static int read_subject(const char *word, struct subject *subject)
{
	int is_cpu = strncmp(word, "cpu", 3) == 0, is_node = strncmp(word, "node", 4) == 0;
	u32 *owner = is_cpu ? &subject->cpu : &subject->node;

	*subject = (struct subject){ ABOUT_PLACE, CPU_NONE, NODE_ANY, NO_THING, "", 0 };
	if (!is_cpu && !is_node && (*word < '0' || *word > '9'))
		return read_list(word, subject) && subject->which == NO_THING;
	word += is_cpu ? 3 : is_node ? 4 : 0;
	if (!read_number(&word, owner))
		return 0;
	if (!*word) {
		subject->about = is_cpu ? ABOUT_CPU : ABOUT_NODE;
		return is_cpu || is_node;
	}
	return read_list(word + 1, subject) && !(is_cpu && subject->about == ABOUT_PAGES);
}

static const u64 sheaf_kinds = 1ull << PLACE_SHEAF_MAIN | 1ull << PLACE_SHEAF_SPARE |
			       1ull << PLACE_SHEAF_RCU | 1ull << PLACE_BARN_FULL |
			       1ull << PLACE_BARN_EMPTY | 1ull << PLACE_SHEAF_WAITING;

/* An absent sheaf is not an empty one. */
static void say_sheaves(struct doc *d, const struct kmem_why *why)
{
	if (why->kind == PLACE_BARN_EMPTY)
		doc_say(d, ", %u", why->sheaves);
	else if (why->cpu == CPU_NONE)
		doc_say(d, ", %s in %u %s", counted(why->entries, "object").s, why->sheaves,
			why->sheaves == 1 ? "sheaf" : "sheaves");
	else if (!why->sheaves)
		doc_say(d, ", absent");
	else
		doc_say(d, ", %s", counted(why->entries, "object").s);
	if (why->limit && (why->sheaves || why->cpu == CPU_NONE))
		doc_say(d, " of at most %s", grouped(why->limit).s);
}

static void say_contents(struct doc *d, const struct host *h, const struct kmem_why *why)
{
	struct grouped done = counted(kmem_position(h->session), "event");

	if (why->about != ABOUT_PLACE) {
		doc_line(d, "%s (after %s)", host_text(h, why->title_at), done.s);
		return;
	}
	doc_say(d, "after %s, %s: %s", done.s, plain(host_text(h, why->name_at)),
		enum_words("kmem_place_kind", why->kind));
	if (why->cpu != CPU_NONE)
		doc_say(d, " of CPU %u", why->cpu);
	else if (why->node != NODE_ANY)
		doc_say(d, " of node %u", why->node);
	if (sheaf_kinds >> why->kind & 1) {
		say_sheaves(d, why);
	} else {
		doc_say(d, ", %s",
			why->entries ? counted(why->entries, "object").s
				     : counted(why->slabs, "slab").s);
		if (why->limit)
			doc_say(d, " of at most %s", grouped(why->limit).s);
	}
	doc_gap(d);
}

static void answer_facts(struct doc *d, const char *text)
{
	char line[512];

	doc_array(d, "facts");
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		doc_text(d, NULL, line);
		doc_line(d, "  - %.*s", (int)len, text);
	}
	doc_end(d);
}

static void answer_why(struct doc *d, const struct host *h, const struct kmem_why *why)
{
	if (d->form == DOC_TEXT)
		kernel_note_now(h);
	doc_object(d, NULL);
	if (d->form == DOC_JSON)
		doc_kernel(d, h, 0);
	say_contents(d, h, why);
	doc_fields(d, ROW(kmem_why, why), "about:kmem_about,title=title_at,cache=name_at");
	if (why->about == ABOUT_PLACE)
		doc_fields(d, ROW(kmem_why, why), "kind:kmem_place_kind");
	else
		doc_null(d, "kind");
	doc_fields(d, ROW(kmem_why, why),
		   "cpu?,node?,slabs,entries,limit,pages,objects,free_objects,empty_slabs,"
		   "min_partial,unknown,taken_op?,put_op?");
	doc_field_rows(d, "sources", ROW(kmem_why_source, host_rows(h, why->sources_at)),
		       why->nr_sources, "cpu,things,events,drains,first_op,last_op");
	doc_array(d, "events");
	for (u32 i = 0; i < why->nr_events; i++)
		doc_number(d, NULL, ((const u32 *)host_rows(h, why->events_at))[i]);
	doc_end(d);
	answer_facts(d, host_text(h, why->text_at));
	if (why->param == NO_THING) {
		doc_null(d, "what_if");
	} else {
		doc_row(d, "what_if");
		doc_text(d, "key", param_key(why->param));
		doc_text(d, "value", host_text(h, why->value_at));
		doc_end(d);
		doc_line(d, "  what if? --set %s=%s", param_key(why->param),
			 host_text(h, why->value_at));
	}
	doc_end(d);
}

/* Two allocators may have a list of that name: take the one of the chosen allocator. */
static const struct kmem_why *find_why(struct host *h, u32 cache, const struct subject *subject)
{
	const struct kmem_why *why = NULL;

	if (subject->about != ABOUT_PLACE)
		return kmem_why_about(h->session, subject->about, cache, NO_THING, subject->cpu,
				      subject->node, NO_THING);
	for (u32 i = 0; i < ARRAY_SIZE(places) && !why; i++) {
		if (places[i].of_cpu != (subject->cpu != CPU_NONE) ||
		    strlen(places[i].word) != subject->list_bytes ||
		    strncmp(places[i].word, subject->list, subject->list_bytes) != 0)
			continue;
		why = kmem_why_about(h->session, ABOUT_PLACE, cache, places[i].kind, subject->cpu,
				     subject->node, subject->which);
	}
	return why;
}

/* Appends a word to a list, separated by commas, unless it is there. */
static void add_word(char *list, size_t room, const char *owner, const char *word)
{
	char entry[32];
	size_t len = strlen(list);

	snprintf(entry, sizeof(entry), "%s%s", owner, word);
	for (const char *at = list; (at = strstr(at, entry)); at++)
		if ((at == list || at[-1] == ' ') &&
		    (!at[strlen(entry)] || at[strlen(entry)] == ','))
			return;
	snprintf(list + len, room - len, "%s%s", len ? ", " : "", entry);
}

/* Writes the lists that the machine has, such as "NODE/partial, cpuN/slab". */
static void write_lists(const struct host *h, u32 cache, char *list, size_t room)
{
	const struct kmem_frame *f = kmem_view(h->session, (u16)cache);
	const struct kmem_place *row = f ? host_rows(h, f->places_at) : NULL;

	*list = 0;
	for (u32 i = 0; row && i < f->nr_places; i++)
		for (u32 k = 0; k < ARRAY_SIZE(places); k++)
			if (places[k].kind == row[i].kind)
				add_word(list, room,
					 places[k].of_cpu	   ? "cpuN/"
					 : row[i].node == NODE_ANY ? ""
								   : "NODE/",
					 places[k].word);
}

_Noreturn static void refuse_list(struct host *h, u32 cache, const char *asked,
				  const struct subject *subject)
{
	u32 cpus = kmem_nr_cpus(h->session), nodes = kmem_nr_nodes(h->session);
	char list[512];

	if (subject->cpu != CPU_NONE && subject->cpu >= cpus)
		refuse_call("--list %s: this machine has %s, numbered from 0", asked,
			    counted(cpus, "CPU").s);
	if (subject->node != NODE_ANY && subject->node >= nodes)
		refuse_call("--list %s: this machine has %s, numbered from 0", asked,
			    counted(nodes, "node").s);
	write_lists(h, cache, list, sizeof(list));
	refuse_call("--list %s: not a list after %s; %s%s", asked,
		    counted(kmem_position(h->session), "event").s,
		    *list ? "the lists are " : "no cache is in use yet", list);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	static struct cache_names names;
	u32 cache = asked_cache(&names, h, args);
	struct subject subject;

	read_subject(option_text(args, "list"), &subject);
	host_seek(h, args);
	const struct kmem_why *why = find_why(h, cache, &subject);
	if (!why)
		refuse_list(h, cache, option_text(args, "list"), &subject);
	answer_why(d, h, why);
}

static void check_list(const struct args *args)
{
	struct subject subject;

	if (!given(args, "list"))
		refuse_call("expected --list NODE/partial, such as --list 1/partial");
	if (!read_subject(option_text(args, "list"), &subject))
		refuse_call(
			"--list %s: expected NODE/LIST, cpuN/LIST, cpuN, nodeN or NODE/pages, such as "
			"1/partial or cpu4",
			option_text(args, "list"));
}

static const struct option options[] = {
	OPTION_AT,
	OPTION_CACHE,
	OPTION("list", WORD, "NODE/LIST|cpuN/LIST", "the place: 1/partial, cpu4/partial, ..."),
	OPTIONS_END,
};

const struct command command_why = {
	GROUP_ASK,
	"why",
	"TRACE",
	"explain a list, CPU or node: what it holds, from whom, until when",
	"Shows what one place holds after N events (--at, default: at the end): how many slabs\n"
	"or objects, which CPUs put them there and when, when something was last taken out, how\n"
	"full they are, and what makes them leave.\n"
	"\n"
	"--list names the place: 1/partial is node 1's partial list, cpu4/partial is CPU 4's, and\n"
	"partial is the longest one. Depending on the allocator there are also full, free,\n"
	"shared, alien and barn of a node, and slab, array, queue, main and spare of a CPU.\n"
	"1/alien/3 is node 1's alien cache for node 3. --list cpu4 shows everything that CPU 4\n"
	"can allocate from, and where its next object comes from; node1 shows all that node 1\n"
	"has, and 1/pages which caches took the pages of node 1. Without --cache you get the\n"
	"cache that has most there. `taken_op`, `put_op`, `events`, `first_op` and `last_op` in\n"
	"--json count events from 0.",
	"  slabscope why trace.txt --list cpu1\n"
	"  slabscope why trace.txt --list 0/pages\n"
	"  slabscope why trace.txt --at 1200 --list 0/partial --cache kmalloc-64",
	TAKES_REPLAY,
	options,
	.needs = NEEDS_INDEX,
	.check = check_list,
	.answer = answer,
};
