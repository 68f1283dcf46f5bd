/*
 * cmd_placements.c - `slabscope placements`: event by event, where each object went and what the kernel would have
 * counted.
 *
 * The columns and the notation of states are those of the golden files, which were made with the real allocators of
 * Linux 6.1. So a diff against them is the test. The columns depend on the allocator.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/print.h"
#include "doc/names.h"

/* Names of a slabtrace's objects */

struct ids {
	char *text;    /* names, each with its NUL, in the order of the a, k, f and r lines */
	u64 len, room; /* bytes */
	u64 at;	       /* offset of the next name to return */
	u32 nr;	       /* number of names */
	u32 is_slabtrace;
	char line[1 << 16]; /* the line in progress: a list of names may fill it */
	u32 line_len;
	u32 nr_lines;
};

static void keep(struct ids *ids, const char *name, size_t len)
{
	if (ids->len + len + 1 > ids->room) {
		ids->room = MAX(ids->room * 2, (u64)1 << 16);
		char *text = realloc(ids->text, ids->room);
		KASSERT(text);
		ids->text = text;
	}
	memcpy(ids->text + ids->len, name, len);
	ids->text[ids->len + len] = 0;
	ids->len += len + 1;
	ids->nr++;
}

static void take_line(struct ids *ids)
{
	const char *blank = " \t\r", *word = ids->line;

	ids->line[ids->line_len] = 0;
	ids->line[strcspn(ids->line, "#")] = 0;
	ids->line_len = 0;
	word += strspn(word, blank);
	size_t len = strcspn(word, blank);
	if (!len)
		return;
	if (ids->nr_lines++ == 0)
		ids->is_slabtrace = len == 9 && memcmp(word, "slabtrace", len) == 0;
	if (!ids->is_slabtrace || len != 1 || !strchr("akfr", *word))
		return;
	word += len;
	word += strspn(word, blank);
	/* A list has commas, even a list of one. */
	for (len = strcspn(word, blank); len;) {
		size_t id = strcspn(word, ", \t\r"), more = id < len;
		keep(ids, word, id);
		word += id + more;
		len -= id + more;
	}
}

static void ids_see(void *arg, const u8 *bytes, u32 len_bytes)
{
	struct ids *ids = arg;

	for (u32 i = 0; i < len_bytes && (ids->is_slabtrace || !ids->nr_lines); i++) {
		/* The byte order mark of UTF-8 is not part of the first word. */
		if (!ids->nr_lines && ids->line_len == 3 && !memcmp(ids->line, "\xef\xbb\xbf", 3))
			ids->line_len = 0;
		if (bytes[i] == '\n')
			take_line(ids);
		else if (ids->line_len < sizeof(ids->line) - 1)
			ids->line[ids->line_len++] = (char)bytes[i];
	}
}

static const char *ids_next(struct ids *ids)
{
	const char *name = "";

	if (ids->at < ids->len) {
		name = ids->text + ids->at;
		ids->at += strlen(name) + 1;
	}
	return name;
}

/* Rows */

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
	struct doc doc; /* JSON, or rows */
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

/* One row of the table, whose columns depend on the allocator. */
struct shown {
	u32 step;
	const char *op, *id, *events;
	const char *value[KMEM_MAX_PLACEMENT_COLUMNS];
};

enum { FIXED = 3, MAX_COLUMNS_SHOWN = FIXED + KMEM_MAX_PLACEMENT_COLUMNS + 1 };

/* Returns how many columns there are; `nr` of them are the allocator's. */
static u32 table_columns(const struct placements *p, const struct kmem_placement_column *own,
			 u32 nr, struct column *to)
{
	to[0] = (struct column)CELL("step", shown, step, DIGITS, IN_CSV);
	to[1] = (struct column)CELL("op", shown, op, TEXT, IN_CSV);
	to[2] = (struct column)CELL(p->words.id, shown, id, TEXT, IN_CSV);
	for (u32 i = 0; i < nr; i++) {
		to[FIXED + i] = (struct column)CELL(own[i].name, shown, value[0], TEXT, IN_CSV);
		to[FIXED + i].at += (u16)(i * sizeof(char *));
	}
	to[FIXED + nr] = (struct column)CELL("events", shown, events, TEXT, IN_CSV);
	return FIXED + nr + 1;
}

static void answer_cells(struct placements *p, const struct kmem_op_row *row, u32 nr_steps)
{
	const struct kmem_step *step = kmem_step_rows(p->host->session);
	struct kmem_placement_column own[KMEM_MAX_PLACEMENT_COLUMNS];
	struct column columns[MAX_COLUMNS_SHOWN];
	char number[16], values[KMEM_MAX_PLACEMENT_COLUMNS][24],
		*events = memory_for(nr_steps + 1, 64);
	u32 nr = columns_of(p, row, nr_steps, own);
	struct lower word;
	struct shown shown = {
		row->op + 1, op_word(p, row, &word), id_of(p, row, number), events, { "" }
	};
	size_t len = 0;

	for (u32 i = 0; i < nr; i++) {
		snprintf(values[i], sizeof(values[i]), "%lld", (long long)own[i].value);
		shown.value[i] = own[i].in_csv ? values[i] : "";
	}
	for (u32 k = 0; k < nr_steps; k++) {
		struct event e = event_of(p, &step[k]);
		if (e.s[0])
			len += (size_t)sprintf(events + len, "%s%s", len ? "+" : "", e.s);
	}
	doc_cells(&p->doc, columns, table_columns(p, own, nr, columns), &shown);
	free(events);
}

static void answer_row(struct placements *p, const struct kmem_op_row *row, u32 nr_steps)
{
	const struct kmem_step *step = kmem_step_rows(p->host->session);
	int is_alloc = row->kind == OP_ALLOC || row->kind == OP_KMALLOC;
	struct kmem_placement_column columns[KMEM_MAX_PLACEMENT_COLUMNS];
	u32 nr = columns_of(p, row, nr_steps, columns);
	struct doc *d = &p->doc;
	char number[16];
	struct lower word;

	doc_row(d, NULL);
	doc_number(d, "step", row->op + 1);
	doc_text(d, "op", op_word(p, row, &word));
	doc_text(d, "id", id_of(p, row, number));
	doc_number(d, "cpu", row->cpu);
	if (is_alloc)
		doc_signed(d, "node", row->node == NODE_ANY ? -1 : (s64)row->node);
	doc_signed(d, "cache", row->cache == CACHE_NONE ? -1 : (s64)row->cache);
	if (row->slab != NOWHERE) {
		doc_number(d, "slab", row->slab);
		doc_number(d, "index", row->index);
	}
	for (u32 i = 0; i < nr; i++)
		if (columns[i].in_json)
			doc_signed(d, columns[i].name, columns[i].value);
	doc_array(d, "events");
	for (u32 k = 0; k < nr_steps; k++) {
		struct event e = event_of(p, &step[k]);
		if (e.s[0])
			doc_text(d, NULL, e.s);
	}
	doc_end(d);
	doc_end(d);
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

/* Writes the parts that differ from the cache's last state, all in its first one. */
static void print_changed(struct told *told, const char *state)
{
	for (u32 nr = 0; *state; nr++) {
		const char *end = end_of_part(state);
		u64 hash = hash_of(state, end);
		if (nr == told->room) {
			u32 room = MAX(2 * told->room, 256u);
			u64 *parts = realloc(told->parts, room * sizeof(*parts));
			if (!parts)
				give_up("not enough memory for the states of the caches");
			memset(parts + told->room, 0, (room - told->room) * sizeof(*parts));
			*told = (struct told){ parts, room };
		}
		if (told->parts[nr] != hash)
			printf("%.*s", (int)(end - state), state);
		told->parts[nr] = hash;
		state = end;
	}
	putchar('\n');
}

/* Writes the state of one cache, or of all where they share slabs. */
static void print_cache_state(const struct placements *p, u32 cache, u32 nr_caches, int is_final)
{
	const char *state = kmem_placement_state(p->host->session, cache, p->unit);

	/* The golden files describe one cache and do not name it. */
	if (!p->words.one_state && nr_caches > 1 && cache < nr_caches)
		printf(" cache=%s", plain(p->caches->of[cache]));
	if (!state)
		host_failed(p->host, KMEM_ENOMEM);
	if (p->told && !is_final)
		print_changed(&p->told[cache], state);
	else
		puts(state);
}

static void print_state(const struct placements *p, const struct kmem_op_row *row)
{
	int all = row->kind == OP_TICK || row->kind == OP_REAP || row->kind == OP_EXPIRE ||
		  row->kind == OP_GRACE || row->kind == OP_BARRIER || row->kind == OP_CPU_DEAD;
	u32 nr_caches = kmem_nr_caches(p->host->session);

	for (u32 cache = 0; cache < (p->words.one_state ? 1 : nr_caches); cache++) {
		if (!all && cache != row->cache && !p->words.one_state)
			continue;
		printf("# state after_step=%u", row->op + 1);
		print_cache_state(p, cache, nr_caches, 0);
	}
}

static void print_end(const struct placements *p)
{
	const struct host *h = p->host;
	struct kmem_totals t = *kmem_totals(h->session);
	u32 nr_caches = kmem_nr_caches(h->session);

	printf("# totals");
	print_totals(p, &t);
	putchar('\n');
	for (u32 cache = 0; cache < (p->words.one_state ? 1 : nr_caches); cache++) {
		printf("# final");
		print_cache_state(p, cache, nr_caches, 1);
	}
}

static void answer(struct placements *p)
{
	struct host *h = p->host;
	u32 nr_ops = kmem_nr_ops(h->session), nr;

	host_must(h, kmem_seek(h->session, 0));
	const struct kmem_cache_row *first = kmem_cache_rows(h->session, &nr);
	struct kmem_placement_column own[KMEM_MAX_PLACEMENT_COLUMNS];
	struct column columns[MAX_COLUMNS_SHOWN];
	const struct kmem_op_row none = { .slab = NOWHERE };

	p->unit = nr ? first->size : 1;
	kernel_note_now(h);
	doc_array(&p->doc, NULL);
	nr = columns_of(p, &none, 0, own);
	doc_head(&p->doc, columns, table_columns(p, own, nr, columns));
	for (u32 op = 0; op < nr_ops; op++) {
		s32 nr_steps = kmem_steps(h->session, op);
		host_must(h, nr_steps);
		struct kmem_op_row row = *kmem_op(h->session, op);
		(p->doc.form == DOC_JSON ? answer_row : answer_cells)(p, &row, (u32)nr_steps);
		if (p->with_state)
			print_state(p, &row);
		/* A state may be as long as thousands of events. */
		if (p->with_state || op % 4096 == 0)
			progress(h, "placing", op, nr_ops);
	}
	progress_end(h);
	doc_end(&p->doc);
	if (p->with_state)
		print_end(p);
}

/* The names match the events only if every a, k and f line became an event. */
static void prepare_names(struct placements *p)
{
	const struct kmem_report *r = kmem_report(p->host->session);

	if (p->ids.line_len)
		take_line(&p->ids);
	p->nr_handles = r->handles;
	if (p->ids.is_slabtrace && p->ids.nr == r->allocs + r->frees)
		p->name_of = memory_for(r->handles, sizeof(*p->name_of));
}

static int run(struct args *args)
{
	static struct cache_names caches;
	struct host h;
	struct placements p = { .host = &h, .caches = &caches };
	struct watcher watcher = { ids_see, &p.ids };

	host_import(&h, args, &watcher);
	prepare_names(&p);
	host_build(&h);
	take_names(&caches, &h);
	p.words = kmem_placement_words(h.session);
	p.doc = host_doc(&h, asked_form(args));
	/* Without --json the rows are CSV. */
	p.doc.form = p.doc.form == DOC_TEXT ? DOC_CSV : p.doc.form;
	p.with_state = given(args, "state") && p.doc.form == DOC_CSV;
	for (u32 kind = 0; kind < NR_STEP_KINDS; kind++)
		p.counter_of[kind] = counter_of_step(kind);
	/* The states of a large machine would dwarf everything else: thousands of idle CPUs after each event. */
	if (p.with_state && MAX(kmem_nr_cpus(h.session), kmem_nr_nodes(h.session)) > MOST_IN_FULL)
		p.told = memory_for(caches.nr, sizeof(*p.told));
	answer(&p);
	return host_verdict(&h);
}

static const struct option options[] = {
	{ "state", .help = "also print the state after every event, the totals and the end" },
	OPTIONS_END,
};

const struct command command_placements = {
	GROUP_FILES,
	"placements",
	"TRACE",
	"write the slab, index and counters of each event as CSV",
	"Prints one line of CSV for each event: step,op,id,cpu,node,slab,index,events.\n"
	"\n"
	"  step    the number of the event, from 1 (`op` in the JSON of other commands counts from 0)\n"
	"  id      the slabtrace's name of the object; for other traces a number that is reused\n"
	"          after the object's free\n"
	"  node    the node requested (-1: any)\n"
	"  slab    the number of the slab in its own cache; every cache has a slab 0, made first\n"
	"  index   the object's place in the slab\n"
	"  events  the counters in the order in which they were counted; if slabs are coloured, also\n"
	"          the offset at which a new slab starts\n"
	"\n"
	"Allocators whose pages serve all sizes have the columns\n"
	"step,op,arg,size,page,offset_bytes,events; those with classes also have class and index.\n"
	"--state adds comment lines: all slabs of the event's cache after it, the totals, and the\n"
	"end. With more than 64 CPUs or nodes, a cache's first line and the end list all of them,\n"
	"and the lines between only those that have changed.",
	"  slabscope placements trace.txt > placements.csv",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.run = run,
};
