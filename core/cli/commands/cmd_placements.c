/*
 * cmd_placements.c - `slabscope placements`: event by event, where each object went and what the kernel would have
 * counted.
 *
 * The columns and the notation of states are those of the golden files, which were made with the real allocators of
 * Linux 6.1. So a diff against them is the test. The columns depend on the allocator.
 */
#include <stdlib.h>

#include "cli/files/ids.h"
#include "cli/host/cache_names.h"
#include "cli/print/print.h"
#include "cli/text/names.h"
#include "cli/text/json.h"

enum { NAME_ALONE = 5 };	/* of an EVENT row: the name is all */
enum { NOWHERE = 0xffffffffu }; /* slab of an object without a slab */
enum { MOST_IN_FULL = 64 };	/* CPUs, and nodes, that each state has all of */

/* The CPUs and nodes as the last state of a cache had them: a hash of each one's text, in the order of the state. */
struct told {
	u64 *parts;
	u32 room;
};

struct placements {
	struct host *host;
	struct cache_names *caches; /* of the whole trace: a cache keeps its number */
	struct kmem_placement_words words;
	u32 unit; /* slot size of the first cache in bytes, before the first event */
	struct ids ids;
	const char **name_of; /* by handle: the slabtrace's name of its object */
	u32 nr_handles;
	struct json *json; /* NULL: CSV */
	s32 counter_of[NR_STEP_KINDS];
	int with_state;
	struct told *told; /* by cache; NULL: each state is written in full */
};

/* Returns the file's own name if it has one, otherwise the core's number. */
static const char *id_of(struct placements *p, const struct kmem_op_row *row, char number[16])
{
	const char *word = host_text(p->host, row->name_at), *name = NULL;
	int is_live = row->handle < p->nr_handles;
	/* The objects of a list have events of their own. */
	int is_list = row->kind == OP_BULK_ALLOC || row->kind == OP_BULK_FREE;

	if (p->name_of && !is_list && strlen(word) == 1 && strchr("akfr", *word)) {
		name = ids_next(&p->ids);
		if (is_live)
			p->name_of[row->handle] = name;
	} else if (p->name_of && is_live) {
		name = p->name_of[row->handle];
	}
	if (name)
		return name;
	number[0] = 0;
	/* In the golden files a tick has its seconds here. */
	if (row->kind == OP_TICK)
		snprintf(number, 16, "%u", row->bytes);
	if (is_live)
		snprintf(number, 16, "%u", row->handle);
	return number;
}

static u32 columns_of(const struct placements *p, const struct kmem_op_row *row, u32 nr_steps,
		      struct kmem_placement_column *columns)
{
	return kmem_placement_columns(p->host->session, row, nr_steps, p->unit, columns);
}

/* Returns the counter whose name follows that of `after`; NR_COUNTERS as argument: the first, as result: no more. */
static u32 next_by_name(const struct kmem_totals *t, u32 after)
{
	u32 next = NR_COUNTERS;

	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (t->counters[i] &&
		    (after == NR_COUNTERS || strcmp(counter_name(i), counter_name(after)) > 0) &&
		    (next == NR_COUNTERS || strcmp(counter_name(i), counter_name(next)) < 0))
			next = i;
	return next;
}

static void print_totals(const struct placements *p, const struct kmem_totals *t)
{
	struct kmem_placement_column columns[KMEM_MAX_PLACEMENT_COLUMNS];
	u32 nr = kmem_placement_totals(p->host->session, t, columns);

	for (u32 i = next_by_name(t, NR_COUNTERS); p->words.totals_by_name && i < NR_COUNTERS;
	     i = next_by_name(t, i))
		printf(" %s=%u", counter_name(i), t->counters[i]);
	for (u32 i = 0; !p->words.totals_by_name && i < NR_COUNTERS; i++)
		if (t->counters[i])
			printf(" %s=%u", counter_name(i), t->counters[i]);
	for (u32 i = 0; i < nr; i++)
		printf(" %s=%lld", columns[i].name, (long long)columns[i].value);
}

static const char *op_word(const struct placements *p, const struct kmem_op_row *row,
			   struct lower *buf)
{
	if (row->kind == OP_ALLOC)
		return p->words.alloc;
	if (row->kind == OP_KMALLOC)
		return p->words.kmalloc;
	*buf = enum_name("kmem_op_kind", row->kind);
	return buf->s;
}

/* Events of the golden files whose steps have other names, and the argument whose number follows the name. */
static const struct {
	u32 kind, arg;
	const char *name;
} named[] = {
#define EVENT(step, arg, name) { STEP_##step, arg, name },
#include "tables/allocators.def"
};

struct event {
	char s[64];
};

/* Returns an empty event if the step is not one. */
static struct event event_of(const struct placements *p, const struct kmem_step *step)
{
	s32 counter = p->counter_of[step->kind];
	struct event e = { "" };

	if (counter >= 0 && kmem_has_counter(p->host->session, (u32)counter))
		snprintf(e.s, sizeof(e.s), "%s", counter_name((u32)counter));
	for (u32 i = 0; i < ARRAY_SIZE(named); i++) {
		if (named[i].kind != step->kind)
			continue;
		if (named[i].arg == NAME_ALONE)
			snprintf(e.s, sizeof(e.s), "%s", named[i].name);
		else
			snprintf(e.s, sizeof(e.s), "%s%u", named[i].name, step->args[named[i].arg]);
	}
	return e;
}

static void row_csv(struct placements *p, const struct kmem_op_row *row, u32 nr_steps)
{
	const struct kmem_step *step = kmem_step_rows(p->host->session);
	struct kmem_placement_column columns[KMEM_MAX_PLACEMENT_COLUMNS];
	u32 nr = columns_of(p, row, nr_steps, columns);
	char number[16];
	struct lower word;
	int first = 1;

	printf("%u,%s,", row->op + 1, op_word(p, row, &word));
	csv_text(stdout, id_of(p, row, number));
	for (u32 i = 0; i < nr; i++) {
		putchar(',');
		if (columns[i].in_csv)
			printf("%lld", (long long)columns[i].value);
	}
	putchar(',');
	for (u32 k = 0; k < nr_steps; k++) {
		struct event e = event_of(p, &step[k]);
		if (!e.s[0])
			continue;
		printf("%s%s", first ? "" : "+", e.s);
		first = 0;
	}
	putchar('\n');
}

static void row_json(struct placements *p, const struct kmem_op_row *row, u32 nr_steps)
{
	const struct kmem_step *step = kmem_step_rows(p->host->session);
	int is_alloc = row->kind == OP_ALLOC || row->kind == OP_KMALLOC;
	struct kmem_placement_column columns[KMEM_MAX_PLACEMENT_COLUMNS];
	u32 nr = columns_of(p, row, nr_steps, columns);
	struct json *j = p->json;
	char number[16];
	struct lower word;

	json_row(j, NULL);
	json_number(j, "step", row->op + 1);
	json_text(j, "op", op_word(p, row, &word));
	json_text(j, "id", id_of(p, row, number));
	json_number(j, "cpu", row->cpu);
	if (is_alloc)
		json_signed(j, "node", row->node == NODE_ANY ? -1 : (s64)row->node);
	json_signed(j, "cache", row->cache == CACHE_NONE ? -1 : (s64)row->cache);
	if (row->slab != NOWHERE) {
		json_number(j, "slab", row->slab);
		json_number(j, "index", row->index);
	}
	for (u32 i = 0; i < nr; i++)
		if (columns[i].in_json)
			json_signed(j, columns[i].name, columns[i].value);
	json_array(j, "events");
	for (u32 k = 0; k < nr_steps; k++) {
		struct event e = event_of(p, &step[k]);
		if (e.s[0])
			json_text(j, NULL, e.s);
	}
	json_end(j);
	json_end(j);
}

/* The end of the part of a state that begins here; the next one is a blank and a name with a number, as in ` cpu12:`. */
static const char *end_of_part(const char *at)
{
	while (*++at) {
		size_t letters = *at == ' ' ? strspn(at + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
		if (letters && strchr("0123456789", at[1 + letters]) && at[1 + letters])
			break;
	}
	return at;
}

static u64 hash_of(const char *at, const char *end)
{
	u64 hash = 14695981039346656037u;

	while (at < end)
		hash = (hash ^ (u8)*at++) * 1099511628211u;
	return hash;
}

/* Writes the parts that differ from the cache's last state, all in its first one. Returns 0 without memory. */
static int print_changed(struct told *told, const char *state)
{
	for (u32 nr = 0; *state; nr++) {
		const char *end = end_of_part(state);
		u64 hash = hash_of(state, end);
		if (nr == told->room) {
			u32 room = MAX(2 * told->room, 256u);
			u64 *parts = realloc(told->parts, room * sizeof(*parts));
			if (!parts)
				return 0;
			memset(parts + told->room, 0, (room - told->room) * sizeof(*parts));
			*told = (struct told){ parts, room };
		}
		if (told->parts[nr] != hash)
			printf("%.*s", (int)(end - state), state);
		told->parts[nr] = hash;
		state = end;
	}
	putchar('\n');
	return 1;
}

/* Writes the state of one cache, or of all where they share slabs; 0 after a failure. */
static s32 print_cache_state(const struct placements *p, u32 cache, u32 nr_caches, int is_final)
{
	const char *state = kmem_placement_state(p->host->session, cache, p->unit);

	/* The golden files describe one cache and do not name it. */
	if (!p->words.one_state && nr_caches > 1 && cache < nr_caches)
		printf(" cache=%s", plain(p->caches->of[cache]));
	if (state && p->told && !is_final)
		return print_changed(&p->told[cache], state) ? KMEM_OK : KMEM_ENOMEM;
	if (state)
		puts(state);
	return state ? KMEM_OK : KMEM_ENOMEM;
}

static s32 print_state(const struct placements *p, const struct kmem_op_row *row)
{
	int all = row->kind == OP_TICK || row->kind == OP_REAP || row->kind == OP_EXPIRE ||
		  row->kind == OP_GRACE || row->kind == OP_CPU_DEAD;
	u32 nr_caches = kmem_nr_caches(p->host->session);
	s32 err = KMEM_OK;

	for (u32 cache = 0; cache < (p->words.one_state ? 1 : nr_caches) && !err; cache++) {
		if (!all && cache != row->cache && !p->words.one_state)
			continue;
		printf("# state after_step=%u", row->op + 1);
		err = print_cache_state(p, cache, nr_caches, 0);
	}
	return err;
}

static s32 print_end(const struct placements *p)
{
	const struct host *h = p->host;
	struct kmem_totals t = *kmem_totals(h->session);
	u32 nr_caches = kmem_nr_caches(h->session);
	s32 err = KMEM_OK;

	printf("# totals");
	print_totals(p, &t);
	putchar('\n');
	for (u32 cache = 0; cache < (p->words.one_state ? 1 : nr_caches) && !err; cache++) {
		printf("# final");
		err = print_cache_state(p, cache, nr_caches, 1);
	}
	return err;
}

static void print_header(const struct placements *p)
{
	struct kmem_placement_column columns[KMEM_MAX_PLACEMENT_COLUMNS];
	const struct kmem_op_row none = { .slab = NOWHERE };
	u32 nr = columns_of(p, &none, 0, columns);

	printf("step,op,%s", p->words.id);
	for (u32 i = 0; i < nr; i++)
		printf(",%s", columns[i].name);
	puts(",events");
}

static int print_rows(struct placements *p)
{
	struct host *h = p->host;
	u32 nr_ops = kmem_nr_ops(h->session), nr;
	s32 err = kmem_seek(h->session, 0);
	const struct kmem_cache_row *first = kmem_cache_rows(h->session, &nr);

	p->unit = nr ? first->size : 1;
	kernel_note_now(h);
	if (p->json)
		json_array(p->json, NULL);
	else
		print_header(p);
	for (u32 op = 0; op < nr_ops && err >= 0; op++) {
		err = kmem_steps(h->session, op);
		if (err < 0)
			break;
		struct kmem_op_row row = *kmem_op(h->session, op);
		if (p->json)
			row_json(p, &row, (u32)err);
		else
			row_csv(p, &row, (u32)err);
		if (p->with_state)
			err = print_state(p, &row);
		/* A state may be as long as thousands of events. */
		if (p->with_state || op % 4096 == 0)
			progress(h, "placing", op, nr_ops);
	}
	progress_end(h);
	if (p->json)
		json_end(p->json);
	else if (p->with_state && err >= 0)
		err = print_end(p);
	return err < 0 ? host_failed(h, err) : host_verdict(h);
}

/* The names match the events only if every a, k and f line became an event. */
static int prepare_names(struct placements *p)
{
	const struct kmem_report *r = kmem_report(p->host->session);

	ids_end(&p->ids);
	p->nr_handles = r->handles;
	if (!p->ids.is_slabtrace || p->ids.nr != r->allocs + r->frees)
		return EXIT_DONE;
	p->name_of = calloc((size_t)r->handles + 1, sizeof(*p->name_of));
	if (p->name_of)
		return EXIT_DONE;
	complain("%s: no memory for the names of %s objects", p->host->trace,
		 grouped(r->handles).s);
	return EXIT_INPUT;
}

/* The states of a large machine would be longer than all else: thousands of idle CPUs behind each event. */
static int prepare_told(struct placements *p)
{
	struct host *h = p->host;
	u32 nr_cpus = kmem_nr_cpus(h->session), nr_nodes = kmem_nr_nodes(h->session);

	if (!p->with_state || MAX(nr_cpus, nr_nodes) <= MOST_IN_FULL)
		return EXIT_DONE;
	p->told = calloc(MAX(p->caches->nr, 1u), sizeof(*p->told));
	return p->told ? EXIT_DONE : host_failed(h, KMEM_ENOMEM);
}

static int run(struct args *args)
{
	static struct cache_names caches;
	struct host h;
	struct json json = json_to(stdout);
	struct placements p = { .host = &h,
				.caches = &caches,
				.json = GIVEN(args, JSON) ? &json : NULL };
	struct watcher watcher = { ids_see, &p.ids };
	int status = host_import(&h, args, &watcher);

	if (!status)
		status = prepare_names(&p);
	if (!status)
		status = host_build(&h);
	if (!status)
		status = take_names(&caches, &h);
	if (status)
		return status;
	p.words = kmem_placement_words(h.session);
	p.with_state = GIVEN(args, STATE) && !p.json;
	for (u32 kind = 0; kind < NR_STEP_KINDS; kind++)
		p.counter_of[kind] = counter_of_step(kind);
	status = prepare_told(&p);
	status = status ? status : print_rows(&p);
	for (u32 i = 0; p.told && i < caches.nr; i++)
		free(p.told[i].parts);
	free(p.told);
	free(p.name_of);
	free(p.ids.text);
	return status;
}

const struct command command_placements = {
	"placements",
	"TRACE",
	"event by event: slab, index and the counters that the kernel would have counted",
	"Prints one line of CSV for each event: step,op,id,cpu,node,slab,index,events.\n"
	"step: the number of the event, from 1 (`op` in the JSON of other commands counts from 0).\n"
	"slab: the number of the slab in its own cache; every cache has a slab 0, made first.\n"
	"index: the object's place in the slab. node: the node requested (-1: any).\n"
	"events: the counters in the order in which they were counted, and where slabs are\n"
	"coloured the offset at which a new slab begins. id: the slabtrace's name of the object; for\n"
	"other traces a number that is free again after the object's free.\n"
	"Allocators whose pages serve all sizes have the columns\n"
	"step,op,arg,size,page,offset_bytes,events; those with classes also class and index. --state adds comment lines: all slabs of the event's cache after it,\n"
	"the totals, and the end. With more than 64 CPUs or nodes a cache's first line and the end have all of them,\n"
	"the lines between only those that have changed.",
	"  slabscope placements trace.slabtrace > placements.csv",
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTION(CSV) | OPTION(STATE) |
		OPTIONS_MACHINE,
	run,
};
