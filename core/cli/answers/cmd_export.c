/*
 * cmd_export.c - `slabscope export`: the events, objects, slabs, steps or caches of a replay as one table of CSV, for a
 * query engine such as DuckDB.
 */
#include <errno.h>
#include <stdlib.h>

#include "cli/files/output.h"
#include "cli/host/cache_names.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

enum { NOWHERE = 0xffffffff };

struct export
{
	struct host host;
	struct cache_names names;
	struct output out;
	const struct args *args;
	u64 nr_rows;
};

struct table {
	const char *name, *columns;
	int (*write)(struct export *x);
};

/* Cells */

/* Each row names its trace, so that tables of several traces can be one table. */
static void begin_row(struct export *x)
{
	csv_text(x->out.file, x->host.trace);
	x->nr_rows++;
}

static void put_text(struct export *x, const char *text)
{
	putc(',', x->out.file);
	csv_text(x->out.file, text);
}

static void put_number(struct export *x, u64 number)
{
	fprintf(x->out.file, ",%llu", (unsigned long long)number);
}

/* An empty cell is NULL for a query. */
static void put_or_null(struct export *x, u32 number, u32 none)
{
	if (number == none)
		putc(',', x->out.file);
	else
		put_number(x, number);
}

static void put_from(struct export *x, u32 cache)
{
	put_text(x, enum_name("kmem_from", kmem_from_of(x->host.session, cache)).s);
}

static const char *cache_name(const struct export *x, u32 cache)
{
	return cache < x->names.nr ? x->names.of[cache] : "";
}

static void end_row(struct export *x)
{
	putc('\n', x->out.file);
}

/* Events and steps */

static int events_write(struct export *x)
{
	struct kmem_session *s = x->host.session;
	u32 all = kmem_nr_ops(s), nr_levels;

	for (u32 op = 0; op < all; op++) {
		const struct kmem_path *path = kmem_path(s, op);
		if (!path)
			return host_failed(&x->host, KMEM_ENOMEM);
		u32 steps = path->nr_steps, cycles = path->cycles, end = path->end;
		const struct kmem_level_row *levels = kmem_levels(s, path->cache, &nr_levels);
		struct lower level = { "" };
		if (steps && end < nr_levels)
			level = enum_name("kmem_level", levels[end].level);
		const struct kmem_op_row *row = kmem_op(s, op);
		begin_row(x);
		put_number(x, op);
		put_number(x, row->time);
		put_text(x, enum_name("kmem_op_kind", row->kind).s);
		put_text(x, host_text(&x->host, row->name_at));
		put_number(x, row->cpu);
		put_or_null(x, row->node, KMEM_NONE);
		put_text(x, cache_name(x, row->cache));
		put_number(x, row->bytes);
		put_or_null(x, row->slab, NOWHERE);
		put_or_null(x, row->slab == NOWHERE ? NOWHERE : row->index, NOWHERE);
		put_text(x, host_text(&x->host, row->site_at));
		put_number(x, steps);
		put_number(x, cycles);
		put_text(x, level.s);
		end_row(x);
		progress(&x->host, "writing", op, all);
	}
	return EXIT_DONE;
}

static int steps_write(struct export *x)
{
	struct kmem_session *s = x->host.session;
	u32 all = kmem_nr_ops(s);

	for (u32 op = 0; op < all; op++) {
		const struct kmem_path *path = kmem_path(s, op);
		if (!path)
			return host_failed(&x->host, KMEM_ENOMEM);
		const u32 *cycles = host_rows(&x->host, path->cycles_at);
		u32 nr = path->nr_steps;
		for (u32 k = 0; k < nr; k++) {
			const struct kmem_step *step = kmem_step_rows(s) + k;
			begin_row(x);
			put_number(x, op);
			put_number(x, k);
			put_text(x, step_defs[step->kind].kind);
			put_text(x, step_defs[step->kind].function);
			put_number(x, step->cpu);
			put_or_null(x, step->node, KMEM_NONE);
			put_text(x, cache_name(x, step->cache));
			put_number(x, cycles[k]);
			put_text(x, kmem_step_sentence(s, step));
			end_row(x);
		}
		progress(&x->host, "writing", op, all);
	}
	return EXIT_DONE;
}

/* Objects */

/* An object that lives at the position. */
struct birth {
	u64 time;
	u32 op, bytes, slab, index, site_at;
	u16 cpu, cache;
	u32 is_live;
};

static void put_object(struct export *x, const struct birth *b, const struct kmem_op_row *end)
{
	begin_row(x);
	put_or_null(x, b->op, NOWHERE);
	put_or_null(x, end ? end->op : NOWHERE, NOWHERE);
	put_text(x, cache_name(x, b->cache));
	put_or_null(x, b->slab, NOWHERE);
	put_or_null(x, b->slab == NOWHERE ? NOWHERE : b->index, NOWHERE);
	put_or_null(x, b->bytes, NOWHERE);
	put_or_null(x, b->op == NOWHERE ? NOWHERE : b->cpu, NOWHERE);
	put_or_null(x, end ? end->cpu : NOWHERE, NOWHERE);
	if (b->op == NOWHERE)
		putc(',', x->out.file);
	else
		put_number(x, b->time);
	if (end)
		put_number(x, end->time);
	else
		putc(',', x->out.file);
	put_text(x, b->op == NOWHERE ? "" : host_text(&x->host, b->site_at));
	put_text(x, end ? host_text(&x->host, end->site_at) : "");
	end_row(x);
}

static int is_alloc(const struct kmem_op_row *row)
{
	return row->kind == OP_ALLOC || row->kind == OP_KMALLOC;
}

/* An event that frees an object of the start: the trace lacks its allocation. */
static void put_older(struct export *x, const struct kmem_op_row *end)
{
	const struct birth b = { .op = NOWHERE,
				 .bytes = NOWHERE,
				 .slab = end->slab,
				 .index = end->index,
				 .cache = end->cache };

	put_object(x, &b, end);
}

static int objects_write(struct export *x)
{
	struct kmem_session *s = x->host.session;
	u32 all = kmem_nr_ops(s), nr_handles = kmem_report(s)->handles;
	struct birth *births = calloc(nr_handles + 1, sizeof(*births));
	s32 err = births ? KMEM_OK : KMEM_ENOMEM;

	for (u32 op = 0; op < all && !err; op++) {
		/* Its place is known right after its steps. */
		err = kmem_path(s, op) ? KMEM_OK : KMEM_ENOMEM;
		const struct kmem_op_row *row = err ? NULL : kmem_op(s, op);
		if (row && row->kind == OP_NOTHING && row->slab != NOWHERE)
			put_older(x, row);
		if (!row || row->handle >= nr_handles)
			continue;
		struct birth *b = &births[row->handle];
		if (is_alloc(row))
			*b = (struct birth){ row->time, op,	    row->bytes,
					     row->slab, row->index, row->site_at,
					     row->cpu,	row->cache, 1 };
		if (row->kind == OP_FREE && b->is_live) {
			put_object(x, b, row);
			b->is_live = 0;
		}
		progress(&x->host, "writing", op, all);
	}
	for (u32 i = 0; i < nr_handles && !err; i++)
		if (births[i].is_live)
			put_object(x, &births[i], NULL);
	free(births);
	return err ? host_failed(&x->host, err) : EXIT_DONE;
}

/* Slabs and caches */

static int slabs_write(struct export *x)
{
	static const struct kmem_life untouched = { .born_op = NOWHERE,
						    .gone_op = NOWHERE,
						    .last_op = NOWHERE,
						    .objects_peak_op = NOWHERE };
	struct kmem_session *s = x->host.session;
	int status = host_index(&x->host);
	u32 nr_begun = 0;
	s32 err = status ? 0 : kmem_seek(s, 0);
	struct kmem_cache_row *begun = status || err ? NULL : caches_take(&x->host, &nr_begun);

	if (err)
		status = host_failed(&x->host, err);
	for (u32 cache = 0; cache < x->names.nr && !status; cache++) {
		const struct kmem_life *of = kmem_life(s, cache, NOWHERE, NOWHERE);
		u32 older = cache < nr_begun ? begun[cache].slabs : 0;
		u32 nr = (of ? of->slabs_made : 0) + older;
		for (u32 slab = 0; slab < nr; slab++) {
			const struct kmem_life *life = kmem_life(s, cache, slab, NOWHERE);
			/* No event touches each slab from before the trace. */
			if (!life && slab < older)
				life = &untouched;
			if (!life)
				continue;
			begin_row(x);
			put_text(x, cache_name(x, cache));
			put_number(x, slab);
			put_or_null(x, life->born_op, NOWHERE);
			put_or_null(x, life->gone_op, NOWHERE);
			put_number(x, life->allocs);
			put_number(x, life->frees);
			put_number(x, life->objects_peak);
			put_or_null(x, life->objects_peak_op, NOWHERE);
			put_or_null(x, life->last_op, NOWHERE);
			put_from(x, cache);
			end_row(x);
		}
	}
	free(begun);
	return status;
}

static const char cache_columns[] =
	"name_at,object_size,size,align,order,objects_per_slab,slabs,slabs_peak,objects,"
	"total_objects,live_objects,partial,cpu_slabs,min_partial,cpu_partial,slab_bytes,"
	"requested_bytes,cycles,lock_wait_cycles";

static int caches_write(struct export *x)
{
	u32 nr;
	struct kmem_cache_row *rows = caches_take(&x->host, &nr);

	for (u32 i = 0; i < nr; i++) {
		begin_row(x);
		put_text(x, cache_name(x, i));
		/* The other fields, by the names of their columns. */
		char list[sizeof(cache_columns)];
		snprintf(list, sizeof(list), "%s", cache_columns);
		for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
			if (strcmp(word, "name_at") != 0)
				put_number(x,
					   field_value(fields_of_kmem_cache_row, &rows[i], word));
		put_from(x, rows[i].cache);
		end_row(x);
	}
	free(rows);
	return EXIT_DONE;
}

static const struct table tables[] = {
	{ "events",
	  "op,time,kind,tracepoint,cpu,node,cache,bytes_requested,slab,index,call_site,steps,cycles,level",
	  events_write },
	{ "objects",
	  "alloc_op,free_op,cache,slab,index,bytes_requested,alloc_cpu,free_cpu,alloc_time,free_time,"
	  "alloc_site,free_site",
	  objects_write },
	{ "slabs",
	  "cache,slab,made_op,discarded_op,allocations,frees,objects_peak,objects_peak_op,last_op,from",
	  slabs_write },
	{ "steps", "op,step,kind,function,cpu,node,cache,cycles,sentence", steps_write },
	{ "caches",
	  "name,object_size,size,align,order,objects_per_slab,slabs,slabs_peak,objects,total_objects,"
	  "live_objects,partial,cpu_slabs,min_partial,cpu_partial,slab_bytes,requested_bytes,cycles,"
	  "lock_wait_cycles,from",
	  caches_write },
};

static int find_table(const struct args *args, const struct table **table)
{
	const char *name = GIVEN(args, TABLE) ? args->text[OPT_TABLE] : "";

	for (u32 i = 0; i < ARRAY_SIZE(tables); i++) {
		*table = &tables[i];
		if (strcmp(name, tables[i].name) == 0)
			return EXIT_DONE;
	}
	if (GIVEN(args, TABLE))
		complain("--table: expected events, objects, slabs, steps or caches; found `%.40s`",
			 name);
	else
		complain("which table? --table events, objects, slabs, steps or caches");
	return EXIT_CALL;
}

static int write_table(struct export *x, const struct table *table)
{
	int status = host_import(&x->host, x->args, NULL);

	if (!status)
		status = host_build(&x->host);
	if (!status)
		status = take_names(&x->names, &x->host);
	if (status)
		return status;
	kernel_note_now(&x->host);
	fprintf(x->out.file, "trace,%s\n", table->columns);
	status = table->write(x);
	progress_end(&x->host);
	if (ferror(x->out.file) && !x->out.error)
		x->out.error = errno ? errno : EIO;
	return status;
}

static int run(struct args *args)
{
	static struct export x;
	const struct table *table;
	int status = find_table(args, &table);

	x.args = args;
	if (!status)
		status = output_begin(&x.out, args, args->nr_operands);
	if (status)
		return status;
	status = output_end(&x.out, write_table(&x, table));
	if (status)
		return status;
	if (!x.out.is_stdout && !x.host.quiet)
		printf("%s: %s\n", plain(x.out.name), counted(x.nr_rows, "row").s);
	return host_verdict(&x.host);
}

const struct command command_export = {
	"export",
	"TRACE",
	"events, objects, slabs, steps or caches as CSV, for DuckDB and others",
	"Replays a trace and writes one table as CSV; docs/query.md has recipes. `sites --pprof`\n"
	"writes a profile, `tracks` counter tracks for Perfetto. Each row names its trace. `op`\n"
	"and the like count events from 0; an empty cell is NULL.\n"
	"\n"
	"  events   each event: its object's place, and the steps, model cycles and level that it took\n"
	"  objects  each object: which events allocated and freed it, in the order of the frees\n"
	"  slabs    each slab: which events made and discarded it, and its busiest event\n"
	"  steps    each decision of each event, with its sentence\n"
	"  caches   each cache at the end",
	"  slabscope export trace.txt.gz --table objects -o objects.csv\n"
	"  slabscope export trace.txt.gz --table events | duckdb -c \"from read_csv('/dev/stdin')\"",
	(OPTIONS_TRACE & ~OPTION(JSON)) | OPTION(CSV) | OPTION(TABLE) | OPTION(OUTPUT) |
		OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTIONS_MACHINE,
	run,
};
