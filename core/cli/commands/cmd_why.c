/*
 * cmd_why.c - `slabscope why`: what a list or a CPU holds, who put it there, and when it leaves.
 */
#include <stdlib.h>

#include "cli/host/target.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

/* A place as the command line names it. */
struct asked {
	u32 kind, cpu, node;
};

/* The words behind the slash, in the kernel's spelling; those of a node and those of a CPU. */
static const struct {
	const char *word;
	u32 kind, of_cpu;
} places[] = {
	{ "partial", PLACE_NODE_PARTIAL, 0 }, { "full", PLACE_NODE_FULL, 0 },
	{ "free", PLACE_NODE_FREE, 0 },	      { "shared", PLACE_SHARED_ARRAY, 0 },
	{ "shared", PLACE_SHARED_QUEUE, 0 },  { "alien", PLACE_ALIEN_ARRAY, 0 },
	{ "alien", PLACE_ALIEN_QUEUE, 0 },    { "barn", PLACE_BARN_FULL, 0 },
	{ "small", PLACE_SMALL_PAGES, 0 },    { "medium", PLACE_MEDIUM_PAGES, 0 },
	{ "large", PLACE_LARGE_PAGES, 0 },    { "class", PLACE_CLASS_PAGES, 0 },
	{ "slab", PLACE_CPU_SLAB, 1 },	      { "partial", PLACE_CPU_PARTIAL, 1 },
	{ "array", PLACE_CPU_ARRAY, 1 },      { "queue", PLACE_CPU_QUEUE, 1 },
	{ "main", PLACE_SHEAF_MAIN, 1 },      { "spare", PLACE_SHEAF_SPARE, 1 },
};

/* Parses NODE/LIST or cpuN/LIST: the owner; returns the list's name, NULL on a mistake. A name alone means the longest list. */
static const char *parse_owner(const char *word, struct asked *asked, u32 *of_cpu)
{
	char *end;

	asked->cpu = CPU_NONE;
	asked->node = NODE_ANY;
	*of_cpu = strncmp(word, "cpu", 3) == 0;
	if (!strchr(word, '/'))
		return word;
	word += *of_cpu ? 3 : strncmp(word, "node", 4) == 0 ? 4 : 0;
	unsigned long number = strtoul(word, &end, 10);
	if (end == word || *end != '/' || !end[1] || number >= CPU_NONE)
		return NULL;
	asked->cpu = *of_cpu ? (u32)number : CPU_NONE;
	asked->node = *of_cpu ? NODE_ANY : (u32)number;
	return end + 1;
}

static int refuse_list(const char *word)
{
	complain("--list %s: expected NODE/LIST or cpuN/LIST, such as 1/partial or cpu4/partial",
		 word);
	return EXIT_CALL;
}

static void print_lines(const char *text)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		printf("  - %.*s\n", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static void print_why(const struct host *h, const struct kmem_why *why)
{
	printf("after %s, %s: %s", counted(kmem_position(h->session), "event").s,
	       plain(host_text(h, why->name_at)), enum_words("kmem_place_kind", why->kind));
	if (why->cpu != CPU_NONE)
		printf(" of CPU %u", why->cpu);
	else if (why->node != NODE_ANY)
		printf(" of node %u", why->node);
	printf(", %s",
	       why->entries ? counted(why->entries, "object").s : counted(why->slabs, "slab").s);
	if (why->limit)
		printf(" of at most %s", grouped(why->limit).s);
	puts("");
	print_lines(host_text(h, why->text_at));
	if (why->param != NO_THING)
		printf("  what if? --set %s=%s\n", param_key(why->param),
		       host_text(h, why->value_at));
}

static void lines_json(struct json *j, const char *text)
{
	char line[512];

	json_array(j, "facts");
	while (*text) {
		size_t len = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		json_text(j, NULL, line);
		text += len + (text[len] == '\n');
	}
	json_end(j);
}

static void print_json(const struct host *h, const struct kmem_why *why)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	kernel_json_now(&j, h);
	fields_json(&j, h, ROW(kmem_why, why),
		    "cache=name_at,kind:kmem_place_kind,cpu?,node?,slabs,entries,limit,objects,"
		    "free_objects,empty_slabs,min_partial,unknown,taken_op?");
	rows_json(&j, "sources", h, ROW(kmem_why_source, host_rows(h, why->sources_at)),
		  why->nr_sources, "cpu,things,events,first_op,last_op");
	lines_json(&j, host_text(h, why->text_at));
	if (why->param == NO_THING) {
		json_null(&j, "what_if");
	} else {
		json_row(&j, "what_if");
		json_text(&j, "key", param_key(why->param));
		json_text(&j, "value", host_text(h, why->value_at));
		json_end(&j);
	}
	json_end(&j);
}

/* Two allocators may have a list of that name: the one in force has it. */
static const struct kmem_why *find_why(struct host *h, u32 cache, struct asked *asked,
				       const char *list, u32 of_cpu)
{
	const struct kmem_why *why = NULL;

	for (u32 i = 0; i < ARRAY_SIZE(places) && !why; i++) {
		if (places[i].of_cpu != of_cpu || strcmp(places[i].word, list) != 0)
			continue;
		asked->kind = places[i].kind;
		why = kmem_why(h->session, cache, asked->kind, asked->cpu, asked->node);
	}
	return why;
}

static int show(struct host *h, const struct args *args)
{
	static struct cache_names names;
	u32 cache = CACHE_NONE, of_cpu;
	struct asked asked = { 0 };
	const char *list = parse_owner(args->text[OPT_LIST], &asked, &of_cpu);

	take_names(&names, h);
	if (GIVEN(args, CACHE)) {
		int found = find_cache(&names, args->text[OPT_CACHE], &cache);
		if (found)
			return found;
	}
	int status = host_seek(h, args);
	if (status)
		return status;
	const struct kmem_why *why = find_why(h, cache, &asked, list, of_cpu);
	if (!why) {
		complain("--list %s: this machine has no such list after %s", args->text[OPT_LIST],
			 counted(kmem_position(h->session), "event").s);
		return EXIT_CALL;
	}
	if (GIVEN(args, JSON)) {
		print_json(h, why);
	} else {
		kernel_note_now(h);
		print_why(h, why);
	}
	return host_verdict(h);
}

static int run(struct args *args)
{
	struct asked asked;
	struct host h;
	u32 of_cpu;

	if (!GIVEN(args, LIST)) {
		complain("which list? --list NODE/partial, such as --list 1/partial");
		return EXIT_CALL;
	}
	if (!parse_owner(args->text[OPT_LIST], &asked, &of_cpu))
		return refuse_list(args->text[OPT_LIST]);
	int status = host_import(&h, args, NULL);
	if (!status)
		status = host_build(&h);
	if (!status)
		status = host_index(&h);
	return status ? status : show(&h, args);
}

const struct command command_why = {
	"why",
	"TRACE",
	"what a list or a CPU holds, who put it there, and when it leaves",
	"Shows the contents of one place after N events (--at, default: at the end): how many\n"
	"slabs or objects, which CPUs put them there and when, when something was last taken\n"
	"out, how full they are, and what makes them leave. --list names the place: 1/partial\n"
	"is node 1's partial list, cpu4/partial CPU 4's, and partial the longest one. Where the\n"
	"allocator has them: full, free, shared, alien and barn of a node; slab, array, queue,\n"
	"main and spare of a CPU.\n"
	"Without --cache it shows the cache that has most there. Events are numbered from 1;\n"
	"`taken_op`, `first_op` and `last_op` in --json count them from 0.",
	"  slabscope why trace.txt --at 16805 --list 1/partial --cache kmalloc-512",
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTION(AT) | OPTION(CACHE) | OPTION(LIST) |
		OPTIONS_MACHINE,
	run,
};
