/*
 * cmd_life.c - `slabscope life`: the events that touched a cache, a slab or an object.
 */
#include "cli/cli.h"
#include "doc/doc.h"
#include "cli/print.h"
#include "doc/names.h"

enum { PAGE_ROWS = 256, DEFAULT_ROWS = 1000 };

static s64 or_none(u32 number)
{
	return number == NO_THING ? -1 : (s64)number;
}

static void say_when(struct doc *d, const char *what, u32 op)
{
	if (op != NO_THING)
		doc_line(d, "  %-12s event %s", what, event_number(op).s);
}

static void answer_lifetime(struct doc *d, const struct kmem_lifetime *in)
{
	doc_row(d, "object");
	doc_fields(d, ROW(kmem_lifetime, in),
		   "alloc_op?,free_op?,handle?,number,of=nr,earlier_op?,later_op?,"
		   "handle_earlier_op?,handle_later_op?");
	doc_end(d);
	if (in->alloc_op == NO_THING)
		doc_line(d, "  %-12s before the trace", "allocated");
	say_when(d, "allocated", in->alloc_op);
	say_when(d, "freed", in->free_op);
	if (in->nr > 1)
		doc_line(d, "  %-12s number %u of %u at its place", "object", in->number + 1,
			 in->nr);
	say_when(d, "before it", in->earlier_op);
	say_when(d, "after it", in->later_op);
}

static void answer_life(struct doc *d, const struct thing *thing, const struct kmem_life *life)
{
	int is_cache = thing->slab == NO_THING;

	doc_text(d, "cache", thing->name);
	doc_signed(d, "slab", or_none(thing->slab));
	doc_signed(d, "index", or_none(thing->index));
	doc_fields(d, ROW(kmem_life, life),
		   "ops=nr_ops,first_op?,last_op?,born_op?,gone_op?,allocs,frees,objects_peak,"
		   "objects_peak_op?");
	doc_fields(d, ROW(kmem_life, life),
		   is_cache ? "slabs_made,slabs_freed,slabs_peak,slabs_peak_op?"
			    : "objects_at_start");
	doc_say(d, "%s", plain(thing->name));
	if (!is_cache)
		doc_say(d, ", slab %u", thing->slab);
	if (thing->index != NO_THING)
		doc_say(d, ", object %u", thing->index);
	doc_say(d, ": %s touched it, %s, %s", counted(life->nr_ops, "event").s,
		counted(life->allocs, "allocation").s, counted(life->frees, "free").s);
	if (life->objects_at_start)
		doc_say(d, ", %s from before the trace",
			counted(life->objects_at_start, "object").s);
	doc_line(d, "; at most %s at once", counted(life->objects_peak, "object").s);
	say_when(d, is_cache ? "first used" : "made", life->born_op);
	say_when(d, "discarded", life->gone_op);
	if (thing->index == NO_THING)
		say_when(d, "most objects", life->objects_peak_op);
	if (!is_cache)
		return;
	doc_line(d, "  %-12s %s made, %s discarded, at most %s at once", "slabs",
		 grouped(life->slabs_made).s, grouped(life->slabs_freed).s,
		 grouped(life->slabs_peak).s);
	say_when(d, "most slabs", life->slabs_peak_op);
}

/* Returns where the thing was and where it went, "" for a cache. */
static const char *places_of(const struct host *h, const struct thing *thing, u32 op)
{
	const struct kmem_move *move = thing->slab == NO_THING
					       ? NULL
					       : kmem_move(h->session, thing->cache, thing->slab,
							   thing->index, op);

	return move ? host_text(h, move->text_at) : "";
}

static void answer_row(struct doc *d, const struct host *h, const struct thing *thing,
		       const struct kmem_life_row *row)
{
	char what[256] = "";

	doc_object(d, NULL);
	doc_number(d, "op", row->op);
	doc_list(d, "what");
	for (u32 when = 0; when < WHEN_STEP; when++) {
		size_t used = strlen(what);
		if (!(row->what >> when & 1))
			continue;
		doc_text(d, NULL, condition_name(when));
		snprintf(what + used, sizeof(what) - used, "%s%s", used ? "," : "",
			 condition_name(when));
	}
	doc_end(d);
	doc_fields(d, ROW(kmem_life_row, row), "slab?,index?");
	if (thing->slab != NO_THING)
		doc_text(d, "where", places_of(h, thing, row->op));
	doc_text(d, "sentence", kmem_op_sentence(h->session, row->op));
	doc_end(d);
	/* A flush, for example, may meet none of the conditions: then the kind of its step says what it is. */
	if (!what[0])
		snprintf(what, sizeof(what), "%s",
			 enum_name("kmem_op_kind", kmem_op(h->session, row->op)->kind).s);
	doc_line(d, "%12s  %-28s %s", event_number(row->op).s, what,
		 plain(kmem_op_sentence(h->session, row->op)));
	const char *places = d->form == DOC_TEXT ? places_of(h, thing, row->op) : "";
	if (strstr(places, "→"))
		doc_line(d, "%14s%s", "", places);
}

/* Prints the rows of the page that --from and --back select; returns their number. */
static u64 answer_rows(struct doc *d, struct host *h, const struct args *args,
		       const struct thing *thing)
{
	static struct kmem_life_row page[PAGE_ROWS];
	u32 nr_ops = kmem_nr_ops(h->session), back = given(args, "back"), nr;
	u64 most = option_or(args, "count", DEFAULT_ROWS), done = 0;
	u64 from = given(args, "from") ? MIN(option_number(args, "from") - 1, nr_ops)
		   : back	       ? nr_ops
				       : 0;

	do {
		const struct kmem_life_row *rows =
			kmem_life_rows(h->session, thing->cache, thing->slab, thing->index,
				       (u32)from, back, (u32)MIN(most - done, (u64)PAGE_ROWS), &nr);
		if (!rows)
			host_failed(h, KMEM_ENOMEM);
		memcpy(page, rows, nr * sizeof(*page));
		for (u32 i = 0; i < nr; i++)
			answer_row(d, h, thing, &page[back ? nr - 1 - i : i]);
		done += nr;
		from = nr ? back ? page[0].op : page[nr - 1].op + 1 : from;
	} while (nr == PAGE_ROWS && done < most);
	return done;
}

static void answer_thing(struct doc *d, struct host *h, const struct args *args,
			 const struct thing *thing, const struct kmem_lifetime *in)
{
	const struct kmem_life *life = thing->cache == CACHE_NONE
					       ? NULL
					       : kmem_life(h->session, thing->cache, thing->slab,
							   thing->index);
	u64 nr = 0;

	if (!life && !in)
		host_failed(h, KMEM_ESTATE);
	u32 all = life ? life->nr_ops : 0;
	doc_object(d, NULL);
	if (d->form == DOC_TEXT)
		kernel_note_now(h);
	else
		doc_kernel(d, h, 0);
	if (life)
		answer_life(d, thing, life);
	if (in)
		answer_lifetime(d, in);
	doc_array(d, "rows");
	if (life)
		nr = answer_rows(d, h, args, thing);
	doc_end(d);
	doc_end(d);
	if (!given(args, "from") && !given(args, "count") && nr < all)
		doc_line(d, "%12s  and %s: --count K, --from N, --back", "...",
			 counted(all - nr, "more row").s);
}

/* --object N: finds the slot of that event's object. */
static void find_object(struct host *h, struct thing *thing, struct kmem_lifetime *object)
{
	const struct kmem_lifetime *in = kmem_lifetime(h->session, thing->op);
	u32 nr;

	if (!in)
		refuse_call("--object %s: %s", event_number(thing->op).s, kmem_error(h->session));
	*object = *in;
	if (in->slab == NO_THING)
		return;
	thing->cache = in->cache;
	thing->slab = in->slab;
	thing->index = in->index;
	const struct kmem_cache_row *caches = kmem_cache_rows(h->session, &nr);
	if (thing->cache < nr)
		snprintf(thing->name, sizeof(thing->name), "%s",
			 host_text(h, caches[thing->cache].name_at));
}

/* Distance from event op to a life; 0 inside. */
static u32 distance(const struct kmem_lifetime *in, u32 op)
{
	if (op < in->alloc_op)
		return in->alloc_op - op;
	return in->free_op != NO_THING && op > in->free_op ? op - in->free_op : 0;
}

/* --object CACHE/SLAB/INDEX --at N: the event of the object that lives there at event N, or nearest to it. */
static u32 find_near(struct host *h, const struct args *args, const struct thing *thing)
{
	u32 near = (u32)MIN(option_number(args, "at") - 1, kmem_nr_ops(h->session) - 1);
	u32 op = kmem_alloc_at(h->session, thing->cache, thing->slab, thing->index, near);
	const struct kmem_lifetime *in = op == NO_THING ? NULL : kmem_lifetime(h->session, op);

	if (!in)
		refuse_call("--object %s: no event allocated an object there",
			    option_text(args, "object"));
	u32 from_this = distance(in, near), later = in->later_op;
	if (from_this && later != NO_THING && later > near && later - near < from_this)
		op = later;
	return op;
}

/* The one thing that the call names. */
static struct thing asked;
static u64 pointer;

static void check(const struct args *args)
{
	int nr = given(args, "cache") + given(args, "slab") + given(args, "object") +
		 given(args, "ptr");

	if (nr > 1)
		refuse_call("give only one of --cache, --slab, --object and --ptr");
	if (nr == 0)
		refuse_call(
			"life needs --cache NAME, --slab CACHE/N, --object N or CACHE/SLAB/INDEX, or "
			"--ptr 0xADDRESS");
	if (given(args, "at") && !given(args, "object") && !given(args, "ptr"))
		refuse_call(
			"--at chooses between objects: give --object CACHE/SLAB/INDEX or --ptr");
	asked = parse_thing(args);
	if (given(args, "ptr"))
		pointer = parse_pointer(args);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	struct kmem_lifetime object;

	find_thing(h, &asked);
	/* You can name the event whose object is shown in other ways than by its number. */
	if (given(args, "ptr"))
		asked.op = find_pointer(h, args, pointer);
	else if (given(args, "at") && asked.op == NO_THING)
		asked.op = find_near(h, args, &asked);
	if (asked.op != NO_THING)
		find_object(h, &asked, &object);
	answer_thing(d, h, args, &asked, asked.op == NO_THING ? NULL : &object);
}

static const struct option options[] = {
	OPTION_CACHE,
	OPTION_SLAB,
	OPTION_THING,
	OPTION_PTR,
	OPTION("at", ORDINAL, "N",
	       "of several objects, the one that lives at event N or nearest to it"),
	OPTION_FROM,
	OPTION_BACK,
	OPTION_MOST,
	OPTIONS_END,
};

const struct command command_life = {
	GROUP_LOOK,
	"life",
	"TRACE",
	"follow a cache, slab or object through every event that touches it",
	"Shows the life of one thing: when it was created, every event that touched it and what\n"
	"that did, and when it was freed or discarded. For an object it also shows the objects\n"
	"that were in the same place before and after. --ptr names an object by its recorded\n"
	"pointer, which takes 12 bytes of memory an event. If several objects had that place or\n"
	"pointer, --at N chooses the one that lives at event N, or nearest to it. `op` and other\n"
	"event numbers in --json count from 0.",
	"  slabscope life trace.txt --slab kmalloc-64/0\n"
	"  slabscope life trace.txt --object 1200 --json\n"
	"  slabscope life trace.txt --object kmalloc-64/0/54 --at 800\n"
	"  slabscope life trace.txt --ptr 0xff44e3e14330d3c0 --at 1200",
	TAKES_REPLAY,
	options,
	.needs = NEEDS_INDEX,
	.check = check,
	.answer = answer,
};
