/*
 * cmd_export.c - `slabscope export`: the events, objects, slabs, steps or caches of a replay as one table of CSV, for a
 * query engine such as DuckDB.
 */
#include <errno.h>
#include <stdlib.h>

#include "cli/output.h"
#include "cli/cli.h"
#include "doc/doc.h"
#include "cli/print.h"

enum { NOWHERE = 0xffffffff };

struct export
{
	struct host host;
	struct cache_names names;
	struct output out;
	struct doc doc; /* on `out` */
	u64 nr_rows;
};

struct table {
	const char *name;
	const struct column *columns;
	u32 nr_columns;
	void (*write)(struct export *x);
};

/* Each row names its trace, so that tables of several traces can be one table. An empty cell is NULL for a query. */
#define TRACE COLUMN_SAME("trace", 0, IN_CSV)
#define CELL_OR_NULL(key, row, field) CELL(key, row, field, DIGITS, IN_CSV | OR_NULL)

#define PUT_ROW(x, columns, row) \
	(doc_cells(&(x)->doc, columns, ARRAY_SIZE(columns), row), (x)->nr_rows++)

static const char *cache_name(const struct export *x, u32 cache)
{
	return cache < x->names.nr ? x->names.of[cache] : "";
}

static const char *from_of(const struct export *x, u32 cache)
{
	return from_name(kmem_from_of(x->host.session, cache));
}

/* Events and steps */

/* An event, or one of its steps. */
struct event_row {
	struct kmem_op_row op;
	struct kmem_step step;
	const char *cache, *level, *kind, *function, *sentence;
	u32 index, nr_steps, number, cycles;
};

static const struct column event_columns[] = {
	TRACE,
	CELL("op", event_row, op.op, DIGITS, IN_CSV),
	CELL("time", event_row, op.time, DIGITS, IN_CSV),
	CELL_OF("kmem_op_kind", "kind", event_row, op.kind, IN_CSV),
	CELL("tracepoint", event_row, op.name_at, TEXT_AT, IN_CSV),
	CELL("cpu", event_row, op.cpu, DIGITS, IN_CSV),
	CELL_OR_NULL("node", event_row, op.node),
	CELL("cache", event_row, cache, TEXT, IN_CSV),
	CELL("bytes_requested", event_row, op.bytes, DIGITS, IN_CSV),
	CELL_OR_NULL("slab", event_row, op.slab),
	CELL_OR_NULL("index", event_row, index),
	CELL("call_site", event_row, op.site_at, TEXT_AT, IN_CSV),
	CELL("steps", event_row, nr_steps, DIGITS, IN_CSV),
	CELL("cycles", event_row, cycles, DIGITS, IN_CSV),
	CELL("level", event_row, level, TEXT, IN_CSV),
};

static void events_write(struct export *x)
{
	struct kmem_session *s = x->host.session;
	u32 all = kmem_nr_ops(s), nr_levels;

	for (u32 op = 0; op < all; op++) {
		const struct kmem_path *path = kmem_path(s, op);
		if (!path)
			host_failed(&x->host, KMEM_ENOMEM);
		struct event_row row = { .nr_steps = path->nr_steps, .cycles = path->cycles };
		u32 end = path->end;
		const struct kmem_level_row *levels = kmem_levels(s, path->cache, &nr_levels);
		struct lower level = { "" };
		if (row.nr_steps && end < nr_levels)
			level = enum_name("kmem_level", levels[end].level);
		row.op = *kmem_op(s, op);
		row.cache = cache_name(x, row.op.cache);
		row.index = row.op.slab == NOWHERE ? NOWHERE : row.op.index;
		row.level = level.s;
		PUT_ROW(x, event_columns, &row);
		progress(&x->host, "writing", op, all);
	}
}

static const struct column step_columns[] = {
	TRACE,
	CELL("op", event_row, step.op, DIGITS, IN_CSV),
	CELL("step", event_row, number, DIGITS, IN_CSV),
	CELL("kind", event_row, kind, TEXT, IN_CSV),
	CELL("function", event_row, function, TEXT, IN_CSV),
	CELL("cpu", event_row, step.cpu, DIGITS, IN_CSV),
	CELL_OR_NULL("node", event_row, step.node),
	CELL("cache", event_row, cache, TEXT, IN_CSV),
	CELL("cycles", event_row, cycles, DIGITS, IN_CSV),
	CELL("sentence", event_row, sentence, TEXT, IN_CSV),
};

static void steps_write(struct export *x)
{
	struct kmem_session *s = x->host.session;
	u32 all = kmem_nr_ops(s);

	for (u32 op = 0; op < all; op++) {
		const struct kmem_path *path = kmem_path(s, op);
		if (!path)
			host_failed(&x->host, KMEM_ENOMEM);
		const u32 *cycles = host_rows(&x->host, path->cycles_at);
		u32 nr = path->nr_steps;
		for (u32 k = 0; k < nr; k++) {
			const struct kmem_step *step = kmem_step_rows(s) + k;
			const struct event_row row = { .step = *step,
						       .number = k,
						       .cycles = cycles[k],
						       .cache = cache_name(x, step->cache),
						       .kind = step_defs[step->kind].kind,
						       .function = step_defs[step->kind].function,
						       .sentence = kmem_step_sentence(s, step) };
			PUT_ROW(x, step_columns, &row);
		}
		progress(&x->host, "writing", op, all);
	}
}

/* Objects */

enum { NO_CPU = 0xffff };
static const u64 NO_TIME = ~(u64)0;

/* An object, which lives until it is freed. If its allocation or its free is unknown, those fields are NOWHERE, NO_CPU and
 * NO_TIME. */
struct birth {
	u64 time, free_time;
	u32 op, bytes, slab, index, site_at, free_op, free_site_at;
	u16 cpu, cache, free_cpu, is_live;
	const char *cache_name;
};

static const struct column object_columns[] = {
	TRACE,
	CELL_OR_NULL("alloc_op", birth, op),
	CELL_OR_NULL("free_op", birth, free_op),
	CELL("cache", birth, cache_name, TEXT, IN_CSV),
	CELL_OR_NULL("slab", birth, slab),
	CELL_OR_NULL("index", birth, index),
	CELL_OR_NULL("bytes_requested", birth, bytes),
	CELL_OR_NULL("alloc_cpu", birth, cpu),
	CELL_OR_NULL("free_cpu", birth, free_cpu),
	CELL_OR_NULL("alloc_time", birth, time),
	CELL_OR_NULL("free_time", birth, free_time),
	CELL("alloc_site", birth, site_at, TEXT_AT, IN_CSV),
	CELL("free_site", birth, free_site_at, TEXT_AT, IN_CSV),
};

/* end: the event that frees the object, NULL if none does. */
static void put_object(struct export *x, const struct birth *b, const struct kmem_op_row *end)
{
	struct birth row = *b;

	row.cache_name = cache_name(x, b->cache);
	row.index = b->slab == NOWHERE ? NOWHERE : b->index;
	row.free_op = end ? end->op : NOWHERE;
	row.free_cpu = end ? end->cpu : NO_CPU;
	row.free_time = end ? end->time : NO_TIME;
	row.free_site_at = end ? end->site_at : 0;
	PUT_ROW(x, object_columns, &row);
}

/* An event that frees an object of the start, whose allocation isn't in the trace. */
static void put_older(struct export *x, const struct kmem_op_row *end)
{
	const struct birth b = { .op = NOWHERE,
				 .bytes = NOWHERE,
				 .cpu = NO_CPU,
				 .time = NO_TIME,
				 .slab = end->slab,
				 .index = end->index,
				 .cache = end->cache };

	put_object(x, &b, end);
}

static void objects_write(struct export *x)
{
	struct kmem_session *s = x->host.session;
	u32 all = kmem_nr_ops(s), nr_handles = kmem_report(s)->handles;
	struct birth *births = memory_for(nr_handles, sizeof(*births));

	for (u32 op = 0; op < all; op++) {
		/* Its place is known right after its steps. */
		if (!kmem_path(s, op))
			host_failed(&x->host, KMEM_ENOMEM);
		const struct kmem_op_row *row = kmem_op(s, op);
		if (row->kind == OP_NOTHING && row->slab != NOWHERE)
			put_older(x, row);
		if (row->handle >= nr_handles)
			continue;
		struct birth *b = &births[row->handle];
		if (row->kind == OP_ALLOC || row->kind == OP_KMALLOC)
			*b = (struct birth){ .time = row->time,
					     .op = op,
					     .bytes = row->bytes,
					     .slab = row->slab,
					     .index = row->index,
					     .site_at = row->site_at,
					     .cpu = row->cpu,
					     .cache = row->cache,
					     .is_live = 1 };
		if (row->kind == OP_FREE && b->is_live) {
			put_object(x, b, row);
			b->is_live = 0;
		}
		progress(&x->host, "writing", op, all);
	}
	for (u32 i = 0; i < nr_handles; i++)
		if (births[i].is_live)
			put_object(x, &births[i], NULL);
	free(births);
}

/* Slabs and caches */

struct slab {
	struct kmem_life life;
	const char *cache, *from;
	u32 number;
};

static const struct column slab_columns[] = {
	TRACE,
	CELL("cache", slab, cache, TEXT, IN_CSV),
	CELL("slab", slab, number, DIGITS, IN_CSV),
	CELL_OR_NULL("made_op", slab, life.born_op),
	CELL_OR_NULL("discarded_op", slab, life.gone_op),
	CELL("allocations", slab, life.allocs, DIGITS, IN_CSV),
	CELL("frees", slab, life.frees, DIGITS, IN_CSV),
	CELL("objects_peak", slab, life.objects_peak, DIGITS, IN_CSV),
	CELL_OR_NULL("objects_peak_op", slab, life.objects_peak_op),
	CELL_OR_NULL("last_op", slab, life.last_op),
	CELL("from", slab, from, TEXT, IN_CSV),
};

static void slabs_write(struct export *x)
{
	static const struct kmem_life untouched = { .born_op = NOWHERE,
						    .gone_op = NOWHERE,
						    .last_op = NOWHERE,
						    .objects_peak_op = NOWHERE };
	struct kmem_session *s = x->host.session;
	u32 nr_begun;

	host_index(&x->host);
	host_must(&x->host, kmem_seek(s, 0));
	struct kmem_cache_row *begun = caches_take(&x->host, &nr_begun);
	for (u32 cache = 0; cache < x->names.nr; cache++) {
		const struct kmem_life *of = kmem_life(s, cache, NOWHERE, NOWHERE);
		u32 older = cache < nr_begun ? begun[cache].slabs : 0;
		u32 nr = (of ? of->slabs_made : 0) + older;
		for (u32 slab = 0; slab < nr; slab++) {
			const struct kmem_life *life = kmem_life(s, cache, slab, NOWHERE);
			/* Slabs from before the trace may never be touched by an event. */
			if (!life && slab < older)
				life = &untouched;
			if (!life)
				continue;
			const struct slab row = { *life, cache_name(x, cache), from_of(x, cache),
						  slab };
			PUT_ROW(x, slab_columns, &row);
		}
	}
	free(begun);
}

static const char *cache_from(const struct doc *d, const void *row)
{
	return from_of(d->about, ((const struct kmem_cache_row *)row)->cache);
}

#define CACHE_CELL(field) CELL(#field, kmem_cache_row, field, DIGITS, IN_CSV)
static const struct column cache_columns[] = {
	TRACE,
	CELL("name", kmem_cache_row, name_at, TEXT_AT, IN_CSV),
	CACHE_CELL(object_size),
	CACHE_CELL(size),
	CACHE_CELL(align),
	CACHE_CELL(order),
	CACHE_CELL(objects_per_slab),
	CACHE_CELL(slabs),
	CACHE_CELL(slabs_peak),
	CACHE_CELL(objects),
	CACHE_CELL(total_objects),
	CACHE_CELL(live_objects),
	CACHE_CELL(partial),
	CACHE_CELL(cpu_slabs),
	CACHE_CELL(min_partial),
	CACHE_CELL(cpu_partial),
	CACHE_CELL(slab_bytes),
	CACHE_CELL(requested_bytes),
	CACHE_CELL(cycles),
	CACHE_CELL(lock_wait_cycles),
	CELL_SAID("from", cache_from, IN_CSV),
};

static void caches_write(struct export *x)
{
	u32 nr;
	struct kmem_cache_row *rows = caches_take(&x->host, &nr);

	for (u32 i = 0; i < nr; i++)
		PUT_ROW(x, cache_columns, &rows[i]);
	free(rows);
}

#define TABLE(name, columns, write) { name, columns, ARRAY_SIZE(columns), write }
static const struct table tables[] = {
	TABLE("events", event_columns, events_write),
	TABLE("objects", object_columns, objects_write),
	TABLE("slabs", slab_columns, slabs_write),
	TABLE("steps", step_columns, steps_write),
	TABLE("caches", cache_columns, caches_write),
};

static const struct table *find_table(const struct args *args)
{
	const char *name = option_text(args, "table");

	if (!name)
		refuse_call("expected --table events, objects, slabs, steps or caches");
	for (u32 i = 0; i < ARRAY_SIZE(tables); i++)
		if (strcmp(name, tables[i].name) == 0)
			return &tables[i];
	refuse_call("--table: expected events, objects, slabs, steps or caches; found `%.40s`",
		    name);
}

static int run(struct args *args)
{
	static struct export e, *x = &e;
	const struct table *table = find_table(args);

	output_begin(&x->out, args, args->nr_operands);
	host_import(&x->host, args, NULL);
	host_build(&x->host);
	take_names(&x->names, &x->host);
	kernel_note_now(&x->host);
	x->doc = host_doc(&x->host, DOC_CSV);
	x->doc.to = x->out.file;
	x->doc.about = x;
	x->doc.same[0] = x->host.trace;
	doc_head(&x->doc, table->columns, table->nr_columns);
	table->write(x);
	progress_end(&x->host);
	if (ferror(x->out.file) && !x->out.error)
		x->out.error = errno ? errno : EIO;
	output_end(&x->out);
	if (!x->out.is_stdout && !x->host.quiet)
		printf("%s: %s\n", plain(x->out.name), counted(x->nr_rows, "row").s);
	return host_verdict(&x->host);
}

static const struct option options[] = {
	OPTION_CSV,
	OPTION("table", WORD, "NAME", "which table: events, objects, slabs, steps or caches"),
	OPTION_OUTPUT,
	OPTIONS_END,
};

const struct command command_export = {
	GROUP_FILES,
	"export",
	"TRACE",
	"export events, objects, slabs, steps or caches as CSV",
	"Replays a trace and writes one table as CSV; docs/query.md has recipes. Each row names\n"
	"its trace. `op` and the like count events from 0, and `step` counts steps from 0; an\n"
	"empty cell is NULL. For profiles use `sites --pprof`, for counter tracks `tracks`.\n"
	"\n"
	"  events   each event: its object's place, and the steps, model cycles and level that it took\n"
	"  objects  each object: which events allocated and freed it, in the order of the frees\n"
	"  slabs    each slab: which events made and discarded it, and its busiest event\n"
	"  steps    each decision of each event, with its sentence\n"
	"  caches   each cache at the end",
	"  slabscope export trace.txt --table objects -o objects.csv\n"
	"  slabscope export trace.txt --table events | duckdb -c \"from read_csv('/dev/stdin')\"",
	TAKES_TRACE | TAKES_START | TAKES_MACHINE,
	options,
	.run = run,
};
