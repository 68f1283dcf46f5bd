/*
 * cmd_memory.c - `slabscope memory`: where memory goes, from requests to pages, and which CPU frees what another allocated.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/answers/memory_text.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

/* A matrix with more rows does not fit a line of text; JSON and CSV have all of them. */
enum { ROWS_PRINTED = 6, CACHES_PRINTED = 20 };

struct answer {
	struct host host;
	const struct args *args;
	struct cache_names names;
	struct parts parts;
	u32 op, cache; /* KMEM_ANY: all */
};

static const char *name_of(const struct answer *a, u32 cache)
{
	return cache == KMEM_NONE ? "" : a->names.of[cache];
}

static const char *place_of(const struct kmem_memory_row *row, struct lower *room)
{
	if (row->place == KMEM_NONE)
		return "";
	*room = enum_name("kmem_place_kind", row->place);
	return room->s;
}

static void part_json(struct json *j, const struct answer *a, const struct kmem_memory_row *row)
{
	struct lower place;

	json_row(j, NULL);
	json_text_or_null(j, "cache", name_of(a, row->cache));
	json_text(j, "part", enum_name("kmem_memory_part", row->part).s);
	json_text_or_null(j, "place", place_of(row, &place));
	json_number(j, "bytes", row->bytes);
	json_number(j, "objects", row->objects);
	json_number(j, "slabs", row->slabs);
	from_json(j, part_from(&a->host, row));
	json_end(j);
}

static void matrix_json(struct json *j, struct answer *a, u32 by, const char *key)
{
	const struct kmem_matrix *m = kmem_matrix(a->host.session, by);

	if (!m) {
		json_null(j, key);
		return;
	}
	json_object(j, key);
	from_json(j, FROM_MEASURED);
	fields_json(
		j, &a->host, ROW(kmem_matrix, m),
		"by:kmem_matrix_by,nr_rows,per_row,allocations,frees,bytes,other_cpu,other_node,"
		"live,unseen");
	rows_json(j, "cells", &a->host, ROW(kmem_matrix_cell, host_rows(&a->host, m->cells_at)),
		  m->nr_cells, "from,to,objects,bytes");
	json_end(j);
}

static void print_json(struct answer *a)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_text(&j, "trace", a->args->trace);
	json_number(&j, "op", a->op);
	json_text(&j, "machine", kmem_machine_text(a->host.session));
	kernel_json_now(&j, &a->host);
	sampling_json(&j, &a->host);
	json_text_or_null(&j, "summary", kmem_memory_sentences(a->host.session));
	json_array(&j, "parts");
	for (u32 i = 0; i < a->parts.nr; i++)
		part_json(&j, a, &a->parts.row[i]);
	json_end(&j);
	matrix_json(&j, a, BY_CPU, "frees_by_cpu");
	matrix_json(&j, a, BY_NODE, "frees_by_node");
	json_end(&j);
}

static void parts_csv(const struct answer *a)
{
	puts("trace,cache,part,place,bytes,objects,slabs,from");
	for (u32 i = 0; i < a->parts.nr; i++) {
		const struct kmem_memory_row *row = &a->parts.row[i];
		struct lower place;
		csv_text(stdout, a->args->trace);
		putchar(',');
		csv_text(stdout, name_of(a, row->cache));
		printf(",%s,%s", enum_name("kmem_memory_part", row->part).s, place_of(row, &place));
		printf(",%llu,%u,%u", (unsigned long long)row->bytes, row->objects, row->slabs);
		from_csv(part_from(&a->host, row));
	}
}

static void matrix_csv(struct answer *a)
{
	const struct kmem_matrix *m = kmem_matrix(a->host.session, BY_CPU);
	const struct kmem_matrix_cell *cell = m ? host_rows(&a->host, m->cells_at) : NULL;

	puts("trace,by,from,to,objects,bytes,mark");
	for (u32 i = 0; m && i < m->nr_cells; i++, cell++) {
		csv_text(stdout, a->args->trace);
		printf(",%s,%u,%u,%llu,%llu", enum_name("kmem_matrix_by", m->by).s, cell->from,
		       cell->to, (unsigned long long)cell->objects,
		       (unsigned long long)cell->bytes);
		from_csv(FROM_MEASURED);
	}
}

/* The bytes of one cache in four columns. */
struct line {
	u64 pages, requested, lost_in_slabs, free, before;
	u32 cache;
};

static int by_pages(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->pages != y->pages)
		return x->pages < y->pages ? 1 : -1;
	return x->cache < y->cache ? -1 : 1;
}

static u32 lines_of(const struct answer *a, struct line *lines)
{
	u32 nr = 0;

	for (u32 i = 0; i < a->parts.nr; i++) {
		const struct kmem_memory_row *row = &a->parts.row[i];
		struct line *line = &lines[nr];
		if (row->cache == KMEM_NONE)
			break;
		line->cache = row->cache;
		*(row->part == PART_PAGES	? &line->pages
		  : row->part == PART_REQUESTED ? &line->requested
		  : row->part <= PART_TAIL	? &line->lost_in_slabs
		  : row->part == PART_INFERRED	? &line->before
						: &line->free) += row->bytes;
		nr += row->part == PART_PAGES && row->bytes;
	}
	qsort(lines, nr, sizeof(*lines), by_pages);
	return nr;
}

static void print_caches(const struct answer *a)
{
	static struct line lines[MAX_CACHES + 1];
	u32 nr = lines_of(a, lines);

	if (!nr)
		return;
	printf("\n  %-21s%13s%13s%15s%14s%14s\n", "cache", "pages", "requested", "rounding, tail",
	       "free, kept", "used before");
	for (u32 i = 0; i < MIN(nr, (u32)CACHES_PRINTED); i++) {
		const struct line *l = &lines[i];
		printf("  %-21.20s", plain(a->names.of[l->cache]));
		print_right(grouped(l->pages).s, 13);
		print_right(grouped(l->requested).s, 13);
		print_right(grouped(l->lost_in_slabs).s, 15);
		print_right(grouped(l->free).s, 14);
		print_right(grouped(l->before).s, 14);
		puts("");
	}
	if (nr > CACHES_PRINTED)
		printf("  %s more: --csv and --json have all.\n",
		       counted(nr - CACHES_PRINTED, "cache").s);
}

static void print_matrix(struct answer *a)
{
	const struct kmem_matrix *m = kmem_matrix(a->host.session, BY_CPU);

	if (m && m->nr_rows > ROWS_PRINTED)
		m = kmem_matrix(a->host.session, BY_NODE);
	if (!m)
		return;
	printf("\nThe trace frees %s of %s: %s on another CPU,\n%s on another node.\n",
	       grouped(m->frees).s, counted(m->allocations, "allocated object").s,
	       grouped(m->other_cpu).s, grouped(m->other_node).s);
	if (m->nr_rows > ROWS_PRINTED || !m->nr_cells) {
		puts("--json and --csv --matrix have the CPUs and nodes.");
		return;
	}
	const char *what = enum_words("kmem_matrix_by", m->by);
	const struct kmem_matrix_cell *cell = host_rows(&a->host, m->cells_at),
				      *end = cell + m->nr_cells;
	printf("  %-12s", "");
	for (u32 to = 0; to < m->nr_rows; to++)
		printf("%*s %-2u", 8, what, to * m->per_row);
	puts("  <- freed on");
	for (u32 from = 0; from < m->nr_rows; from++) {
		printf("  %-4s %-7u", what, from * m->per_row);
		for (u32 to = 0; to < m->nr_rows; to++) {
			int is_next = cell < end && cell->from == from * m->per_row &&
				      cell->to == to * m->per_row;
			print_right(grouped(is_next ? cell->objects : 0).s, 11);
			cell += is_next;
		}
		puts("");
	}
}

static void print_text(struct answer *a)
{
	printf("after %s", counted(a->op, "event").s);
	if (a->cache != KMEM_ANY)
		printf(", cache %s", plain(a->names.of[a->cache]));
	puts("");
	kernel_print_now(&a->host, 0);
	sampling_print(&a->host);
	measured_print(&a->host, 0);
	if (a->cache == KMEM_ANY)
		print_wrapped(plain(kmem_memory_sentences(a->host.session)), 0);
	printf("\n  %-42s%16s%9s%9s  from\n", "", "bytes", "share", "how many");
	parts_print(&a->host, &a->parts, a->cache == KMEM_ANY ? KMEM_NONE : a->cache);
	if (a->cache == KMEM_ANY)
		print_caches(a);
	print_matrix(a);
}

static int count_frees(struct answer *a)
{
	return host_finish(&a->host, JOB_MATRIX, &(struct kmem_cache_args){ a->cache },
			   "counting frees");
}

static int show(struct answer *a)
{
	int status = asked_cache(&a->names, &a->host, a->args, &a->cache);

	if (!status)
		status = count_frees(a);
	if (!status && GIVEN(a->args, AT))
		status = host_seek(&a->host, a->args);
	if (status)
		return status;
	a->op = kmem_position(a->host.session);
	a->parts = parts_take(&a->host, a->cache, &status);
	if (status)
		return status;
	if (GIVEN(a->args, JSON))
		print_json(a);
	else if (GIVEN(a->args, CSV) && GIVEN(a->args, MATRIX))
		matrix_csv(a);
	else if (GIVEN(a->args, CSV))
		parts_csv(a);
	else
		print_text(a);
	return host_verdict(&a->host);
}

static int run(struct args *args)
{
	static struct answer a;
	int status = host_import(&a.host, args, NULL);

	a.args = args;
	/* Only a position in the middle needs keyframes. */
	if (!status)
		status = GIVEN(args, AT) ? host_build(&a.host) : host_run(&a.host);
	if (!status)
		status = host_check(&a.host);
	return status ? status : show(&a);
}

const struct command command_memory = {
	"memory",
	"TRACE",
	"where memory goes: requests, rounding, free objects by place, pages",
	"Splits the pages in use after N events (--at, default: at the end) into what callers\n"
	"requested, rounding up to the slot, tail waste, free objects by the place that has\n"
	"them, empty slabs that nodes keep, and large kmalloc. The parts add up to the pages,\n"
	"for each cache and for all.\n"
	"Then shows on which CPU or node objects are freed, by the CPU or node that allocated\n"
	"them, over the whole trace; machines with many CPUs are shown by node. --csv has the\n"
	"parts, --csv --matrix the objects by CPUs, --json both.\n"
	"Where all caches share their pages, a cache has requests and rounding only, and the\n"
	"other parts are those of all caches.",
	"  slabscope memory trace.txt --at 5000 --cache dentry\n"
	"  slabscope memory trace.txt --csv --matrix > frees.csv",
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTION(CSV) | OPTION(AT) |
		OPTION(CACHE) | OPTION(MATRIX) | OPTIONS_MACHINE,
	run,
};
