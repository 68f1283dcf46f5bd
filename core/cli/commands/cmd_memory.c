/*
 * cmd_memory.c - `slabscope memory`: where memory goes, from requests to pages, and which CPU frees what another allocated.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/print.h"
#include "doc/doc.h"

/* A wider matrix doesn't fit a line of text; JSON and CSV have all of it. */
enum { ROWS_PRINTED = 6, CACHES_PRINTED = 20 };

struct answer {
	struct host *host;
	struct cache_names names;
	struct kmem_memory_row *parts; /* a copy: rows of the session last until its next call */
	u32 nr_parts;
	u32 op, cache; /* KMEM_ANY: all */
};

/* Parts */

/* A part with its words, and its share of the pages of its cache. */
struct part {
	struct kmem_memory_row row;
	const char *cache, *from, *mark;
	char label[96], share[32];
	struct grouped many;
};

static const struct column parts[] = {
	COLUMN_SAME("trace", 0, IN_CSV),
	CELL("cache", part, cache, TEXT, IN_BOTH | OR_NULL),
	COLUMN(NULL, part, label, STRING, 0, "", -42),
	CELL_OF("kmem_memory_part", "part", part, row.part, IN_BOTH),
	CELL_OF("kmem_place_kind", "place", part, row.place, IN_BOTH | OR_NULL),
	COLUMN("bytes", part, row.bytes, COUNT, IN_BOTH, "bytes", 16),
	COLUMN(NULL, part, share, STRING, 0, "share", 9),
	COLUMN(NULL, part, many, STRING, 0, "how many", 9),
	CELL("objects", part, row.objects, COUNT, IN_BOTH),
	CELL("slabs", part, row.slabs, COUNT, IN_BOTH),
	CELL("from", part, from, TEXT, IN_BOTH),
	COLUMN(NULL, part, mark, TEXT, 0, "from", 0),
};

static struct part part_of(const struct answer *a, const struct kmem_memory_row *row, u64 pages)
{
	u64 permille = pages ? (row->bytes * 1000 + pages / 2) / pages : 0;
	u32 many = row->part == PART_EMPTY || !row->objects ? row->slabs : row->objects;
	/* Only the part that callers requested is measured. */
	int is_measured = row->part == PART_REQUESTED || row->part == PART_LARGE;
	u32 from = is_measured ? FROM_MEASURED : kmem_from_of(a->host->session, row->cache);
	struct part part = { .row = *row,
			     .cache = row->cache == KMEM_NONE ? "" : a->names.of[row->cache],
			     .from = from_name(from),
			     .mark = mark(from) };

	snprintf(part.label, sizeof(part.label), "%s%s%s",
		 enum_words("kmem_memory_part", row->part), row->place == KMEM_NONE ? "" : ": ",
		 row->place == KMEM_NONE ? "" : enum_words("kmem_place_kind", row->place));
	snprintf(part.share, sizeof(part.share), "%llu.%llu %%", (unsigned long long)permille / 10,
		 (unsigned long long)permille % 10);
	if (many)
		part.many = grouped(many);
	return part;
}

/* The parts of all caches; in text those of one, or of all together. */
static void answer_parts(struct doc *d, const struct answer *a)
{
	u32 shown = a->cache == KMEM_ANY ? KMEM_NONE : a->cache;
	u64 pages = 0;

	for (u32 i = 0; i < a->nr_parts; i++)
		if (a->parts[i].cache == shown && a->parts[i].part == PART_PAGES)
			pages = a->parts[i].bytes;
	doc_gap(d);
	doc_array(d, "parts");
	doc_head(d, parts, ARRAY_SIZE(parts));
	for (u32 i = 0; i < a->nr_parts; i++) {
		const struct part part = part_of(a, &a->parts[i], pages);
		if (d->form != DOC_TEXT || part.row.cache == shown)
			doc_cells(d, parts, ARRAY_SIZE(parts), &part);
	}
	doc_end(d);
}

/* Caches */

/* The bytes of one cache in four columns. */
struct line {
	u64 pages, requested, lost_in_slabs, free, before;
	const char *name;
	u32 cache;
};

static const struct column lines[] = {
	COLUMN(NULL, line, name, TEXT, 0, "cache", -21),
	COLUMN(NULL, line, pages, COUNT, 0, "pages", 13),
	COLUMN(NULL, line, requested, COUNT, 0, "requested", 13),
	COLUMN(NULL, line, lost_in_slabs, COUNT, 0, "rounding, tail", 15),
	COLUMN(NULL, line, free, COUNT, 0, "free, kept", 14),
	COLUMN(NULL, line, before, COUNT, 0, "used before", 14),
};

static int by_pages(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->pages != y->pages)
		return x->pages < y->pages ? 1 : -1;
	return x->cache < y->cache ? -1 : 1;
}

static void answer_caches(struct doc *d, const struct answer *a)
{
	static struct line line[MAX_CACHES + 1];
	u32 nr = 0;

	for (u32 i = 0; i < a->nr_parts && a->parts[i].cache != KMEM_NONE; i++) {
		const struct kmem_memory_row *row = &a->parts[i];
		struct line *l = &line[nr];
		l->cache = row->cache;
		l->name = a->names.of[row->cache];
		*(row->part == PART_PAGES	? &l->pages
		  : row->part == PART_REQUESTED ? &l->requested
		  : row->part <= PART_TAIL	? &l->lost_in_slabs
		  : row->part == PART_INFERRED	? &l->before
						: &l->free) += row->bytes;
		nr += row->part == PART_PAGES && row->bytes;
	}
	qsort(line, nr, sizeof(*line), by_pages);
	if (!nr)
		return;
	doc_gap(d);
	doc_rows(d, NULL, ROWS(lines, line, MIN(nr, (u32)CACHES_PRINTED)));
	if (nr > CACHES_PRINTED)
		doc_line(d, "  %s more: --csv and --json list all of them.",
			 counted(nr - CACHES_PRINTED, "cache").s);
}

/* The matrix of frees */

static const struct column cells[] = {
	COLUMN_SAME("trace", 0, IN_CSV),
	COLUMN_SAME("by", 2, IN_CSV),
	CELL("from", kmem_matrix_cell, from, DIGITS, IN_BOTH),
	CELL("to", kmem_matrix_cell, to, DIGITS, IN_BOTH),
	CELL("objects", kmem_matrix_cell, objects, DIGITS, IN_BOTH),
	CELL("bytes", kmem_matrix_cell, bytes, DIGITS, IN_BOTH),
	COLUMN_SAME("mark", 1, IN_CSV),
};

static void answer_cells(struct doc *d, struct answer *a, u32 by, const char *key)
{
	const struct kmem_matrix *m = kmem_matrix(a->host->session, by);
	const struct kmem_matrix_cell *cell = m ? host_rows(a->host, m->cells_at) : NULL;
	struct lower name = enum_name("kmem_matrix_by", m ? m->by : by);

	d->same[1] = from_name(FROM_MEASURED);
	d->same[2] = name.s;
	if (!m && d->form == DOC_JSON) {
		doc_null(d, key);
		return;
	}
	doc_object(d, key);
	doc_text(d, "from", d->same[1]);
	if (m)
		doc_fields(d, ROW(kmem_matrix, m),
			   "by:kmem_matrix_by,nr_rows,per_row,allocations,frees,bytes,other_cpu,"
			   "other_node,live,unseen");
	doc_rows(d, "cells", ROWS(cells, cell, m ? m->nr_cells : 0));
	doc_end(d);
}

static void say_matrix(struct doc *d, struct answer *a)
{
	const struct kmem_matrix *m = kmem_matrix(a->host->session, BY_CPU);

	if (m && m->nr_rows > ROWS_PRINTED)
		m = kmem_matrix(a->host->session, BY_NODE);
	if (!m)
		return;
	doc_say(d, "\nThe trace frees %s of %s: %s on another CPU,\n%s on another node.\n",
		grouped(m->frees).s, counted(m->allocations, "allocated object").s,
		grouped(m->other_cpu).s, grouped(m->other_node).s);
	if (m->nr_rows > ROWS_PRINTED || !m->nr_cells) {
		doc_line(d, "--json and --csv --matrix list the CPUs and nodes.");
		return;
	}
	const char *what = enum_words("kmem_matrix_by", m->by);
	const struct kmem_matrix_cell *cell = host_rows(a->host, m->cells_at),
				      *end = cell + m->nr_cells;
	doc_say(d, "  %-12s", "");
	for (u32 to = 0; to < m->nr_rows; to++)
		doc_say(d, "%*s %-2u", 8, what, to * m->per_row);
	doc_line(d, "  <- freed on");
	for (u32 from = 0; from < m->nr_rows; from++) {
		doc_say(d, "  %-4s %-7u", what, from * m->per_row);
		for (u32 to = 0; to < m->nr_rows; to++) {
			int is_next = cell < end && cell->from == from * m->per_row &&
				      cell->to == to * m->per_row;
			doc_say(d, "%11s", grouped(is_next ? cell->objects : 0).s);
			cell += is_next;
		}
		doc_gap(d);
	}
}

static void answer_all(struct doc *d, struct answer *a)
{
	struct host *h = a->host;
	int is_all = a->cache == KMEM_ANY;

	doc_object(d, NULL);
	doc_text(d, "trace", h->trace);
	doc_number(d, "op", a->op);
	doc_text(d, "machine", kmem_machine_text(h->session));
	doc_line(d, "after %s%s%s", counted(a->op, "event").s, is_all ? "" : ", cache ",
		 is_all ? "" : plain(a->names.of[a->cache]));
	doc_kernel(d, h, 0);
	doc_sampling(d, h);
	doc_measured(d, h, 0);
	doc_text_or_null(d, "summary", kmem_memory_sentences(h->session));
	if (is_all)
		doc_wrapped(d, plain(kmem_memory_sentences(h->session)), 0);
	answer_parts(d, a);
	if (is_all)
		answer_caches(d, a);
	if (d->form == DOC_JSON) {
		answer_cells(d, a, BY_CPU, "frees_by_cpu");
		answer_cells(d, a, BY_NODE, "frees_by_node");
	}
	say_matrix(d, a);
	doc_end(d);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	static struct answer a;

	a.host = h;
	a.cache = asked_cache(&a.names, h, args);
	host_finish(h, JOB_MATRIX, &(struct kmem_cache_args){ a.cache }, "counting frees");
	if (given(args, "at"))
		host_seek(h, args);
	d->about = &a;
	a.op = kmem_position(h->session);
	const struct kmem_memory_row *rows = kmem_memory(h->session, a.cache, &a.nr_parts);
	if (!rows)
		host_failed(h, a.cache == KMEM_ANY ? KMEM_ENOMEM : KMEM_ESTATE);
	a.parts = memory_for(a.nr_parts, sizeof(*rows));
	memcpy(a.parts, rows, a.nr_parts * sizeof(*rows));
	if (doc_has_rows(d) && given(args, "matrix"))
		answer_cells(d, &a, BY_CPU, NULL);
	else
		answer_all(d, &a);
}

static const struct option options[] = {
	OPTION_AT,
	OPTION_CACHE,
	{ "matrix",
	  .help = "with --csv: print the objects by the CPUs that allocated and freed them" },
	OPTIONS_END,
};

const struct command command_memory = {
	GROUP_ASK,
	"memory",
	"TRACE",
	"account for every page: requests, waste, free objects by place",
	"Splits the pages in use after N events (--at, default: at the end) into what callers\n"
	"requested, internal fragmentation, tail waste, free objects by the place that holds\n"
	"them, empty slabs that nodes keep, and large kmalloc. The parts add up to the pages, for\n"
	"each cache and for all. If all caches share their pages, a cache has only requests and\n"
	"internal fragmentation, and the other parts belong to all caches together.\n"
	"\n"
	"Then shows on which CPU or node objects are freed, by the CPU or node that allocated\n"
	"them, over the whole trace; machines with many CPUs are shown by node. --csv prints the\n"
	"parts, --csv --matrix the objects by CPU, and --json both.",
	"  slabscope memory trace.txt --at 2000 --cache filp\n"
	"  slabscope memory trace.txt --csv --matrix > frees.csv",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.needs = NEEDS_END,
	.answer = answer,
};
