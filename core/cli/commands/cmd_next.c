/*
 * cmd_next.c - `slabscope next`: where the next object of each cache lands on each CPU, and what it costs.
 */
#include "cli/host/target.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

static void print_json(const struct host *h, const struct kmem_next_object *rows, u32 nr)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	kernel_json_now(&j, h);
	rows_json(&j, "next", h, ROW(kmem_next_object, rows), nr,
		  "cpu,cache=name_at,slab?,index?,cycles,level:kmem_level,is_event:bool");
	json_end(&j);
}

static void print_text(const struct host *h, const struct kmem_next_object *rows, u32 nr)
{
	const char *before = "";

	kernel_note_now(h);
	printf("after %s, the next object of\n", counted(kmem_position(h->session), "event").s);
	for (u32 i = 0; i < nr; i++) {
		const char *name = host_text(h, rows[i].name_at);
		if (strcmp(name, before) != 0)
			printf("\n  %s\n", plain(name));
		before = name;
		printf("    CPU %-4u ", rows[i].cpu);
		if (rows[i].slab == NO_THING)
			printf("no memory is left           ");
		else
			printf("slab %-6u object %-6u    ", rows[i].slab, rows[i].index);
		print_right(grouped(rows[i].cycles).s, 7);
		printf(" cycles  %s%s\n", enum_words("kmem_level", rows[i].level),
		       rows[i].is_event ? "  <- the next event" : "");
	}
}

static int show(struct host *h, const struct args *args)
{
	static struct cache_names names;
	u32 cache = CACHE_NONE, nr;

	int status = host_seek(h, args);
	if (status)
		return status;
	if (GIVEN(args, CACHE)) {
		take_names(&names, h);
		int found = find_cache(&names, args->text[OPT_CACHE], &cache);
		if (found)
			return found;
	}
	const struct kmem_next_object *rows = kmem_next_objects(h->session, cache, CPU_NONE, &nr);
	if (!rows)
		return host_failed(h, KMEM_ENOMEM);
	if (GIVEN(args, JSON))
		print_json(h, rows, nr);
	else
		print_text(h, rows, nr);
	return host_verdict(h);
}

static int run(struct args *args)
{
	struct host h;
	int status = host_import(&h, args, NULL);

	if (!status)
		status = host_build(&h);
	return status ? status : show(&h, args);
}

const struct command command_next = {
	"next",
	"TRACE",
	"where the next object of each cache lands, and what it costs",
	"Tries an allocation from each cache on each CPU, after N events (--at, default: at\n"
	"the end), and shows where the object lands, its cost in model cycles, and how deep\n"
	"the allocation has to go. The row of the trace's next event asks for the node that\n"
	"the event asks for; all others take any.",
	"  slabscope next trace.txt --at 5000 --cache dentry",
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTION(WARM) | OPTION(AT) | OPTION(CACHE) |
		OPTIONS_MACHINE,
	run,
};
