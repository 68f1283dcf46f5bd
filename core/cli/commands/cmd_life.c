/*
 * cmd_life.c - `slabscope life`: the events that touched a cache, a slab or an object.
 */
#include "cli/host/target.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

enum { PAGE_ROWS = 256, DEFAULT_ROWS = 1000 };

static s64 or_none(u32 number)
{
	return number == NO_THING ? -1 : (s64)number;
}

static void lifetime_json(struct json *j, const struct host *h, const struct kmem_lifetime *in)
{
	json_row(j, "object");
	fields_json(
		j, h, ROW(kmem_lifetime, in),
		"alloc_op?,free_op?,handle?,number,of=nr,earlier_op?,later_op?,handle_earlier_op?,"
		"handle_later_op?");
	json_end(j);
}

static void life_json(struct json *j, const struct host *h, const struct thing *thing,
		      const struct kmem_life *life)
{
	json_text(j, "cache", thing->name);
	json_signed(j, "slab", or_none(thing->slab));
	json_signed(j, "index", or_none(thing->index));
	fields_json(j, h, ROW(kmem_life, life),
		    "ops=nr_ops,first_op?,last_op?,born_op?,gone_op?,allocs,frees,objects_peak,"
		    "objects_peak_op?");
	if (thing->slab == NO_THING)
		fields_json(j, h, ROW(kmem_life, life),
			    "slabs_made,slabs_freed,slabs_peak,slabs_peak_op?");
	else
		fields_json(j, h, ROW(kmem_life, life), "objects_at_start");
}

/* Returns where the thing was and went, "" for a cache. */
static const char *places_of(const struct host *h, const struct thing *thing, u32 op)
{
	const struct kmem_move *move = thing->slab == NO_THING
					       ? NULL
					       : kmem_move(h->session, thing->cache, thing->slab,
							   thing->index, op);

	return move ? host_text(h, move->text_at) : "";
}

static void row_json(struct json *j, const struct host *h, const struct thing *thing,
		     const struct kmem_life_row *row)
{
	json_object(j, NULL);
	json_number(j, "op", row->op);
	json_list(j, "what");
	for (u32 when = 0; when < WHEN_STEP; when++)
		if (row->what >> when & 1)
			json_text(j, NULL, condition_name(when));
	json_end(j);
	fields_json(j, h, ROW(kmem_life_row, row), "slab?,index?");
	if (thing->slab != NO_THING)
		json_text(j, "where", places_of(h, thing, row->op));
	json_text(j, "sentence", kmem_op_sentence(h->session, row->op));
	json_end(j);
}

static void print_when(const char *what, u32 op)
{
	if (op != NO_THING)
		printf("  %-12s event %s\n", what, event_number(op).s);
}

static void print_lifetime(const struct kmem_lifetime *in)
{
	if (in->alloc_op == NO_THING)
		printf("  %-12s before the trace\n", "allocated");
	print_when("allocated", in->alloc_op);
	print_when("freed", in->free_op);
	if (in->nr > 1)
		printf("  %-12s number %u of %u at its place\n", "object", in->number + 1, in->nr);
	print_when("before it", in->earlier_op);
	print_when("after it", in->later_op);
}

static void print_life(const struct thing *thing, const struct kmem_life *life)
{
	printf("%s", plain(thing->name));
	if (thing->slab != NO_THING)
		printf(", slab %u", thing->slab);
	if (thing->index != NO_THING)
		printf(", object %u", thing->index);
	printf(": %s touched it", counted(life->nr_ops, "event").s);
	printf(", %s", counted(life->allocs, "allocation").s);
	printf(", %s", counted(life->frees, "free").s);
	if (life->objects_at_start)
		printf(", %s from before the trace", counted(life->objects_at_start, "object").s);
	printf("; at most %s at once\n", counted(life->objects_peak, "object").s);
	print_when(thing->slab == NO_THING ? "first used" : "made", life->born_op);
	print_when("discarded", life->gone_op);
	if (thing->index == NO_THING)
		print_when("most objects", life->objects_peak_op);
	if (thing->slab != NO_THING)
		return;
	printf("  %-12s %s made", "slabs", grouped(life->slabs_made).s);
	printf(", %s discarded", grouped(life->slabs_freed).s);
	printf(", at most %s at once\n", grouped(life->slabs_peak).s);
	print_when("most slabs", life->slabs_peak_op);
}

static void row_text(const struct host *h, const struct thing *thing,
		     const struct kmem_life_row *row)
{
	char what[256] = "";

	for (u32 when = 0; when < WHEN_STEP; when++) {
		size_t used = strlen(what);
		if (row->what >> when & 1)
			snprintf(what + used, sizeof(what) - used, "%s%s", used ? "," : "",
				 condition_name(when));
	}
	/* A flush, say, may hold none of the conditions that one can search for: its kind says what it is. */
	if (!what[0])
		snprintf(what, sizeof(what), "%s",
			 enum_name("kmem_op_kind", kmem_op(h->session, row->op)->kind).s);
	printf("%12s  %-28s %s\n", event_number(row->op).s, what,
	       plain(kmem_op_sentence(h->session, row->op)));
	const char *places = places_of(h, thing, row->op);
	if (strstr(places, "→"))
		printf("%14s%s\n", "", places);
}

/* Prints the rows of the page that --from and --back select; returns their number, or a negative status. */
static s64 print_rows(struct host *h, const struct args *args, const struct thing *thing,
		      struct json *j)
{
	static struct kmem_life_row page[PAGE_ROWS];
	u32 nr_ops = kmem_nr_ops(h->session), back = GIVEN(args, BACK), nr;
	u64 most = GIVEN(args, MOST) ? args->number[OPT_MOST] : DEFAULT_ROWS, done = 0;
	u64 from = GIVEN(args, FROM) ? MIN(args->number[OPT_FROM] - 1, nr_ops) : back ? nr_ops : 0;

	do {
		const struct kmem_life_row *rows =
			kmem_life_rows(h->session, thing->cache, thing->slab, thing->index,
				       (u32)from, back, (u32)MIN(most - done, (u64)PAGE_ROWS), &nr);
		if (!rows)
			return KMEM_ENOMEM;
		memcpy(page, rows, nr * sizeof(*page));
		for (u32 i = 0; i < nr; i++) {
			const struct kmem_life_row *row = &page[back ? nr - 1 - i : i];
			if (j)
				row_json(j, h, thing, row);
			else
				row_text(h, thing, row);
		}
		done += nr;
		from = nr ? back ? page[0].op : page[nr - 1].op + 1 : from;
	} while (nr == PAGE_ROWS && done < most);
	return (s64)done;
}

static int show(struct host *h, const struct args *args, const struct thing *thing,
		const struct kmem_lifetime *in)
{
	const struct kmem_life *life = thing->cache == CACHE_NONE
					       ? NULL
					       : kmem_life(h->session, thing->cache, thing->slab,
							   thing->index);
	struct json j = json_to(stdout), *out = GIVEN(args, JSON) ? &j : NULL;
	s64 nr = 0;

	if (!life && !in)
		return host_failed(h, KMEM_ESTATE);
	if (out) {
		json_object(out, NULL);
		kernel_json_now(out, h);
	} else {
		kernel_note_now(h);
	}
	if (out && life)
		life_json(out, h, thing, life);
	else if (life)
		print_life(thing, life);
	if (out && in)
		lifetime_json(out, h, in);
	else if (in)
		print_lifetime(in);
	u32 all = life ? life->nr_ops : 0;
	if (out)
		json_array(out, "rows");
	if (life)
		nr = print_rows(h, args, thing, out);
	if (nr < 0)
		return host_failed(h, (s32)nr);
	if (out) {
		json_end(out);
		json_end(out);
	} else if (!GIVEN(args, FROM) && !GIVEN(args, MOST) && (u64)nr < all) {
		printf("%12s  and %s: --count K, --from N, --back\n", "...",
		       counted(all - (u64)nr, "more row").s);
	}
	return host_verdict(h);
}

/* --object N: finds the slot of that event's object. */
static int find_object(struct host *h, struct thing *thing, struct kmem_lifetime *object)
{
	const struct kmem_lifetime *in = kmem_lifetime(h->session, thing->op);
	u32 nr;

	if (!in) {
		complain("--object %s: %s", event_number(thing->op).s, kmem_error(h->session));
		return EXIT_CALL;
	}
	*object = *in;
	if (in->slab == NO_THING)
		return EXIT_DONE;
	thing->cache = in->cache;
	thing->slab = in->slab;
	thing->index = in->index;
	const struct kmem_cache_row *caches = kmem_cache_rows(h->session, &nr);
	if (thing->cache < nr)
		snprintf(thing->name, sizeof(thing->name), "%s",
			 host_text(h, caches[thing->cache].name_at));
	return EXIT_DONE;
}

/* Distance from event op to a life; 0 inside. */
static u32 distance(const struct kmem_lifetime *in, u32 op)
{
	if (op < in->alloc_op)
		return in->alloc_op - op;
	return in->free_op != NO_THING && op > in->free_op ? op - in->free_op : 0;
}

/* --object CACHE/SLAB/INDEX --at N: the object that lives there at event N, or nearest to it. */
static int find_near(struct host *h, const struct args *args, struct thing *thing)
{
	u32 near = (u32)MIN(args->number[OPT_NEAR] - 1, kmem_nr_ops(h->session) - 1);
	u32 op = kmem_alloc_at(h->session, thing->cache, thing->slab, thing->index, near);
	const struct kmem_lifetime *in = op == NO_THING ? NULL : kmem_lifetime(h->session, op);

	if (!in) {
		complain("--object %s: no event allocated an object there", args->text[OPT_THING]);
		return EXIT_CALL;
	}
	u32 from_this = distance(in, near), later = in->later_op;
	if (from_this && later != NO_THING && later > near && later - near < from_this)
		op = later;
	thing->op = op;
	return EXIT_DONE;
}

/* The event whose object is shown, if the command line names one in another way than by its number. */
static int find_event(struct host *h, const struct args *args, struct thing *thing, u64 pointer)
{
	if (GIVEN(args, PTR)) {
		thing->op = find_pointer(h, args, pointer);
		return thing->op == NO_THING ? EXIT_CALL : EXIT_DONE;
	}
	if (GIVEN(args, NEAR) && thing->op == NO_THING)
		return find_near(h, args, thing);
	return EXIT_DONE;
}

/* Checks that one thing is named, and reads it. */
static int parse_call(const struct args *args, struct thing *thing, u64 *pointer)
{
	int nr = GIVEN(args, CACHE) + GIVEN(args, SLAB) + GIVEN(args, THING) + GIVEN(args, PTR);

	if (nr > 1) {
		complain("one thing at a time: --cache, --slab, --object or --ptr");
		return EXIT_CALL;
	}
	if (nr == 0) {
		complain("whose life? One of --cache NAME, --slab CACHE/N, --object N or "
			 "CACHE/SLAB/INDEX, --ptr 0xADDRESS");
		return EXIT_CALL;
	}
	if (GIVEN(args, NEAR) && !GIVEN(args, THING) && !GIVEN(args, PTR)) {
		complain("--at chooses between objects: give --object CACHE/SLAB/INDEX or --ptr");
		return EXIT_CALL;
	}
	int status = parse_thing(args, thing);
	return !status && GIVEN(args, PTR) ? parse_pointer(args, pointer) : status;
}

static int run(struct args *args)
{
	struct kmem_lifetime object;
	struct thing thing;
	struct host h;
	u64 pointer = 0;

	int status = parse_call(args, &thing, &pointer);
	if (!status)
		status = host_import(&h, args, NULL);
	if (!status)
		status = host_build(&h);
	if (!status)
		status = find_thing(&h, &thing);
	if (!status)
		status = host_index(&h);
	if (!status)
		status = find_event(&h, args, &thing, pointer);
	if (!status && thing.op != NO_THING)
		status = find_object(&h, &thing, &object);
	return status ? status : show(&h, args, &thing, thing.op == NO_THING ? NULL : &object);
}

const struct command command_life = {
	"life",
	"TRACE",
	"every event that touched a cache, a slab or an object",
	"Shows the life of one thing: when it was made, every event that touched it, what\n"
	"that did to it, and when it was discarded or freed. For an object also the ones at\n"
	"its place before and after it. --ptr names an object by its recorded pointer, which\n"
	"costs 12 bytes of memory an event; of several objects at one place or pointer --at N\n"
	"shows the one that lives at event N, or nearest to it. Events are numbered from 1; `op` and the like in\n"
	"--json count them from 0.",
	"  slabscope life trace.txt --slab dentry/3\n"
	"  slabscope life trace.txt --object 1200 --json\n"
	"  slabscope life trace.txt --ptr 0xffff888003a9d040 --at 1200",
	OPTIONS_TRACE | OPTION(CACHE) | OPTION(SLAB) | OPTION(THING) | OPTION(PTR) | OPTION(NEAR) |
		OPTION(FROM) | OPTION(BACK) | OPTION(MOST) | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN |
		OPTIONS_MACHINE,
	run,
};
