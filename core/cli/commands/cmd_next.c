/*
 * cmd_next.c - `slabscope next`: where the next object of each cache lands on each CPU, and what it costs.
 */
#include "cli/host/target.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

/* The rows of one answer. They live until the session is asked the next question. */
struct answer {
	const struct host *host;
	const struct kmem_next_object *rows;
	u32 nr;
	u32 unit; /* as kmem_placement_columns takes it */
};

/* How `slabscope placements` says where an object is, as far as it differs from slab and index: "page" and
 * "offset_bytes" of SLOB. Returns the number of columns. */
static u32 columns_of(const struct answer *a, const struct kmem_next_object *next,
		      struct kmem_placement_column *own)
{
	struct kmem_placement_column all[KMEM_MAX_PLACEMENT_COLUMNS];
	struct kmem_op_row row = { .kind = OP_ALLOC, .slab = next->slab, .index = next->index };
	u32 nr = 0;

	if (next->slab == NO_THING)
		return 0;
	u32 nr_all = kmem_placement_columns(a->host->session, &row, 0, a->unit, all);
	for (u32 i = 0; i < nr_all; i++)
		if (all[i].in_json &&
		    (strcmp(all[i].name, "page") == 0 || strcmp(all[i].name, "offset_bytes") == 0))
			own[nr++] = all[i];
	return nr;
}

static void print_json(const struct answer *a)
{
	const struct host *h = a->host;
	struct kmem_placement_column own[KMEM_MAX_PLACEMENT_COLUMNS];
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	kernel_json_now(&j, h);
	json_array(&j, "next");
	for (u32 i = 0; i < a->nr; i++) {
		u32 nr_own = columns_of(a, &a->rows[i], own);
		json_row(&j, NULL);
		fields_json(&j, h, ROW(kmem_next_object, &a->rows[i]),
			    "cpu,cache=name_at,slab?,index?,cycles,level:kmem_level,is_event:bool");
		for (u32 k = 0; k < nr_own; k++)
			json_signed(&j, own[k].name, own[k].value);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

static void print_where(const struct answer *a, const struct kmem_next_object *next)
{
	struct kmem_placement_column own[KMEM_MAX_PLACEMENT_COLUMNS];
	u32 nr = columns_of(a, next, own);

	if (next->slab == NO_THING)
		printf("no memory is left           ");
	else if (!nr)
		printf("slab %-6u object %-6u    ", next->slab, next->index);
	else if (nr == 1)
		printf("page %-6u object %-6u    ", next->slab, next->index);
	else
		printf("page %-6lld byte %-6lld      ", (long long)own[0].value,
		       (long long)own[1].value);
}

static void print_text(const struct answer *a)
{
	const struct host *h = a->host;
	const char *before = "";

	kernel_note_now(h);
	printf("after %s, the next object of\n", counted(kmem_position(h->session), "event").s);
	for (u32 i = 0; i < a->nr; i++) {
		const struct kmem_next_object *next = &a->rows[i];
		const char *name = host_text(h, next->name_at);
		if (strcmp(name, before) != 0)
			printf("\n  %s\n", plain(name));
		before = name;
		printf("    CPU %-4u ", next->cpu);
		print_where(a, next);
		print_right(grouped(next->cycles).s, 7);
		printf(" cycles  %s%s\n", enum_words("kmem_level", next->level),
		       next->is_event ? "  <- the next event" : "");
	}
}

static int show(struct host *h, const struct args *args)
{
	static struct cache_names names;
	struct answer a = { .host = h };
	u32 cache, nr_caches;
	int status = host_seek(h, args);

	if (!status)
		status = asked_cache(&names, h, args, &cache);
	if (status)
		return status;
	const struct kmem_cache_row *caches = kmem_cache_rows(h->session, &nr_caches);
	if (!caches)
		return host_failed(h, KMEM_ENOMEM);
	a.unit = nr_caches ? caches->size : 1;
	a.rows = kmem_next_objects(h->session, cache, CPU_NONE, &a.nr);
	if (!a.rows)
		return host_failed(h, KMEM_ENOMEM);
	if (GIVEN(args, JSON))
		print_json(&a);
	else
		print_text(&a);
	return host_verdict(h);
}

static int run(struct args *args)
{
	return host_answer(args, NEEDS_REPLAY, show);
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
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTION(AT) | OPTION(CACHE) |
		OPTIONS_MACHINE,
	run,
};
