/*
 * cmd_next.c - `slabscope next`: where the next object of each cache lands on each CPU, and what it costs.
 */
#include "cli/cli.h"
#include "doc/doc.h"
#include "cli/print.h"

/* The rows of one answer. They live until the session is asked the next question. */
struct answer {
	const struct host *host;
	const struct kmem_next_object *rows;
	u32 nr;
	u32 unit; /* as kmem_placement_columns takes it */
};

/* What `slabscope placements` prints instead of slab and index: "page" and
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

static void say_where(struct doc *d, const struct kmem_next_object *next,
		      const struct kmem_placement_column *own, u32 nr_own)
{
	if (next->slab == NO_THING)
		doc_say(d, "no memory is left           ");
	else if (!nr_own)
		doc_say(d, "slab %-6u object %-6u    ", next->slab, next->index);
	else if (nr_own == 1)
		doc_say(d, "page %-6u object %-6u    ", next->slab, next->index);
	else
		doc_say(d, "page %-6lld byte %-6lld      ", (long long)own[0].value,
			(long long)own[1].value);
}

static void answer_next(struct doc *d, const struct answer *a)
{
	const struct host *h = a->host;
	struct kmem_placement_column own[KMEM_MAX_PLACEMENT_COLUMNS];
	const char *before = "";

	doc_line(d, "after %s, the next object of", counted(kmem_position(h->session), "event").s);
	doc_object(d, NULL);
	if (d->form == DOC_JSON)
		doc_kernel(d, h, 0);
	else
		kernel_note_now(h);
	doc_array(d, "next");
	for (u32 i = 0; i < a->nr; i++) {
		const struct kmem_next_object *next = &a->rows[i];
		u32 nr_own = columns_of(a, next, own);
		const char *name = host_text(h, next->name_at);
		doc_row(d, NULL);
		doc_fields(d, ROW(kmem_next_object, next),
			   "cpu,cache=name_at,slab?,index?,cycles,level:kmem_level,is_event:bool");
		for (u32 k = 0; k < nr_own; k++)
			doc_signed(d, own[k].name, own[k].value);
		doc_end(d);
		if (strcmp(name, before) != 0)
			doc_line(d, "\n  %s", plain(name));
		before = name;
		doc_say(d, "    CPU %-4u ", next->cpu);
		say_where(d, next, own, nr_own);
		doc_line(d, "%7s cycles  %s%s", grouped(next->cycles).s,
			 enum_words("kmem_level", next->level),
			 next->is_event ? "  <- the next event" : "");
	}
	doc_end(d);
	doc_end(d);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	static struct cache_names names;
	struct answer a = { .host = h };
	u32 nr_caches;

	host_seek(h, args);
	u32 cache = asked_cache(&names, h, args);
	const struct kmem_cache_row *caches = kmem_cache_rows(h->session, &nr_caches);
	a.unit = nr_caches ? caches->size : 1;
	a.rows = kmem_next_objects(h->session, cache, CPU_NONE, &a.nr);
	if (!a.rows)
		host_failed(h, KMEM_ENOMEM);
	answer_next(d, &a);
}

static const struct option options[] = {
	OPTION_AT,
	OPTION_CACHE,
	OPTIONS_END,
};

const struct command command_next = {
	GROUP_ASK,
	"next",
	"TRACE",
	"show where the next object of each cache lands, and what it costs",
	"Tries an allocation from each cache on each CPU, after N events (--at, default: at the\n"
	"end), and shows where the object lands, what it costs in model cycles, and how deep the\n"
	"allocation has to go. In the row of the trace's next event, the allocation asks for the\n"
	"node that the event asks for; in all others it takes any node.",
	"  slabscope next trace.txt --at 2000 --cache filp",
	TAKES_REPLAY,
	options,
	.needs = NEEDS_REPLAY,
	.answer = answer,
};
