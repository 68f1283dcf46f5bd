/*
 * placements.c - `slabscope placements`: op by op, where each object went and what the kernel
 * would have counted.
 *
 * The columns and the notation of states are those of the golden files that were made with the
 * real SLUB of Linux 6.1, so that a diff against them is the test.
 */
#include <stdlib.h>

#include "ids.h"
#include "names.h"
#include "placements.h"

enum { NOWHERE = 0xffffffffu };

struct placements {
	struct host *host;
	struct ids ids;
	const char **name_of; /* by handle: the slabtrace's name of the object that has it now */
	u32 nr_handles;
	struct json *json; /* NULL: CSV */
	s32 counter_of[NR_STEP_KINDS];
	int with_state;
};

/* The file's own name where it has one, otherwise the core's number. */
static const char *id_of(struct placements *p, const struct kmem_op_row *row, char number[16])
{
	const char *word = host_text(p->host, row->name_at), *name = NULL;
	int is_live = row->handle < p->nr_handles;

	if (p->name_of && strlen(word) == 1 && strchr("akf", *word)) {
		name = ids_next(&p->ids);
		if (is_live)
			p->name_of[row->handle] = name;
	} else if (p->name_of && is_live) {
		name = p->name_of[row->handle];
	}
	if (name)
		return name;
	number[0] = 0;
	/* The golden files have a tick's seconds here. */
	if (row->kind == OP_TICK)
		snprintf(number, 16, "%u", row->bytes);
	if (is_live)
		snprintf(number, 16, "%u", row->handle);
	return number;
}

static const char *op_word(const struct kmem_op_row *row, struct lower *buf)
{
	if (row->kind == OP_KMALLOC)
		return "alloc";
	*buf = enum_name("kmem_op_kind", row->kind);
	return buf->s;
}

/* Events of the golden files that are no counters, and the argument whose number follows the name. */
static const struct {
	u32 kind, arg;
	const char *name;
} numbered[] = {
	{ STEP_GROW_COLOUR, 2, "GROW_COLOUR" },
};

struct event {
	char s[64];
};

/* Empty if the step is no event. */
static struct event event_of(const struct placements *p, const struct kmem_step *step)
{
	s32 counter = p->counter_of[step->kind];
	struct event e = { "" };

	if (counter >= 0)
		snprintf(e.s, sizeof(e.s), "%s", counter_name((u32)counter));
	for (u32 i = 0; i < ARRAY_SIZE(numbered); i++)
		if (numbered[i].kind == step->kind)
			snprintf(e.s, sizeof(e.s), "%s%u", numbered[i].name,
				 step->args[numbered[i].arg]);
	return e;
}

static void row_csv(struct placements *p, const struct kmem_op_row *row, u32 nr_steps)
{
	const struct kmem_step *step = kmem_step_rows(p->host->session);
	int is_alloc = row->kind == OP_ALLOC || row->kind == OP_KMALLOC, first = 1;
	char number[16];
	struct lower word;

	printf("%u,%s,", row->op + 1, op_word(row, &word));
	csv_text(stdout, id_of(p, row, number));
	printf(",%u,", row->cpu);
	if (is_alloc)
		printf("%d", row->node == NODE_ANY ? -1 : (int)row->node);
	if (row->slab != NOWHERE)
		printf(",%u,%u,", row->slab, row->index);
	else
		fputs(",,,", stdout);
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
	struct json *j = p->json;
	char number[16];
	struct lower word;

	json_row(j, NULL);
	json_number(j, "step", row->op + 1);
	json_text(j, "op", op_word(row, &word));
	json_text(j, "id", id_of(p, row, number));
	json_number(j, "cpu", row->cpu);
	if (is_alloc)
		json_signed(j, "node", row->node == NODE_ANY ? -1 : (s64)row->node);
	json_signed(j, "cache", row->cache == CACHE_NONE ? -1 : (s64)row->cache);
	if (row->slab != NOWHERE) {
		json_number(j, "slab", row->slab);
		json_number(j, "index", row->index);
	}
	json_array(j, "events");
	for (u32 k = 0; k < nr_steps; k++) {
		struct event e = event_of(p, &step[k]);
		if (e.s[0])
			json_text(j, NULL, e.s);
	}
	json_end(j);
	json_end(j);
}

const struct kmem_place *find_place(const struct host *h, const struct kmem_frame *f, u32 kind,
				    u32 cpu, u32 node)
{
	const struct kmem_place *p = host_rows(h, f->places_at);

	for (u32 i = 0; i < f->nr_places; i++)
		if (p[i].kind == kind && (cpu == CPU_NONE || p[i].cpu == cpu) &&
		    (node == NODE_ANY || p[i].node == node))
			return &p[i];
	return NULL;
}

/* In which notation an allocator's state is written. */
static const struct {
	const char *allocator;
	void (*print)(const struct host *h, const struct kmem_frame *f);
} states[] = {
	{ "slub", print_state_slub },
	{ "slab", print_state_slab },
};

static void print_cache_state(const struct host *h, u32 cache)
{
	const char *allocator = kmem_param(h->session, "allocator");
	void (*print)(const struct host *h, const struct kmem_frame *f) = NULL;

	for (u32 i = 0; i < ARRAY_SIZE(states); i++)
		if (strcmp(allocator, states[i].allocator) == 0)
			print = states[i].print;
	const struct kmem_frame *f = kmem_view(h->session, cache);
	if (f && print)
		print(h, f);
	putchar('\n');
}

static void print_cache_name(const struct host *h, u32 cache)
{
	u32 nr;
	const struct kmem_cache_row *c = kmem_cache_rows(h->session, &nr);

	/* The golden files are about one cache and do not name it. */
	if (nr > 1 && cache < nr)
		printf(" cache=%s", host_text(h, c[cache].name_at));
}

static void print_state(const struct host *h, const struct kmem_op_row *row)
{
	int all = row->kind == OP_TICK || row->kind == OP_REAP || row->kind == OP_EXPIRE;
	u32 nr;

	kmem_cache_rows(h->session, &nr);
	for (u32 cache = 0; cache < nr; cache++) {
		if (!all && cache != row->cache)
			continue;
		printf("# state after_step=%u", row->op + 1);
		print_cache_name(h, cache);
		print_cache_state(h, cache);
	}
}

static void print_end(const struct host *h)
{
	struct kmem_totals t = *kmem_totals(h->session);
	u32 nr;

	printf("# totals");
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (t.counters[i])
			printf(" %s=%u", counter_name(i), t.counters[i]);
	printf(" get_any_partial_entered=%u zones_visited=%u\n", t.any_node_entered,
	       t.any_node_zones);
	kmem_cache_rows(h->session, &nr);
	for (u32 cache = 0; cache < nr; cache++) {
		printf("# final");
		print_cache_name(h, cache);
		print_cache_state(h, cache);
	}
}

static int print_rows(struct placements *p)
{
	struct host *h = p->host;
	u32 nr_ops = kmem_nr_ops(h->session);
	s32 err = kmem_seek(h->session, 0);

	if (p->json)
		json_array(p->json, NULL);
	else
		puts("step,op,id,cpu,node,slab,index,events");
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
			print_state(h, &row);
		if (op % 4096 == 0)
			progress(h, "placing", op, nr_ops);
	}
	progress_end(h);
	if (p->json)
		json_end(p->json);
	else if (p->with_state)
		print_end(h);
	return err < 0 ? host_failed(h, err) : host_verdict(h);
}

/* The names fit the operations only if every a, k and f line became one. */
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

static int run(struct args *args)
{
	struct host h;
	struct json json = json_to(stdout);
	struct placements p = { .host = &h, .json = GIVEN(args, JSON) ? &json : NULL };
	struct watcher watcher = { ids_see, &p.ids };
	int status = host_import(&h, args, &watcher);

	if (!status)
		status = prepare_names(&p);
	if (!status)
		status = host_build(&h);
	if (status)
		return status;
	p.with_state = GIVEN(args, STATE) && !p.json;
	for (u32 kind = 0; kind < NR_STEP_KINDS; kind++)
		p.counter_of[kind] = counter_of_step(kind);
	status = print_rows(&p);
	free(p.name_of);
	free(p.ids.text);
	return status;
}

const struct command command_placements = {
	"placements",
	"TRACE",
	"op by op: slab, index and the counters that the kernel would have counted",
	"Prints one line of CSV for each operation:\n"
	"step,op,id,cpu,node,slab,index,events. slab is the number of the slab in its\n"
	"cache (0 was made first), index the object's place in it, node the node asked\n"
	"for (-1: any), events the SLUB_STATS counters in the order in which they were\n"
	"counted, and of SLAB also the offset at which a new slab begins. id is the slabtrace's own name of the object; for recordings, a\n"
	"number that is free again after the object's free. --state adds comment lines:\n"
	"where all slabs of the operation's cache are after it, the totals, and the\n"
	"end.",
	"  slabscope placements ops.slabtrace > placements.csv",
	OPTIONS_COMMON | OPTION(CSV) | OPTION(STATE) | OPTIONS_MACHINE,
	run,
};
