/*
 * cmd_sites.c - `slabscope sites`: what each call site allocates, what becomes of it, and what is left at the end.
 */
#include <stdlib.h>

#include "cli/output.h"
#include "doc/doc.h"
#include "cli/print.h"
#include "doc/names.h"

enum { SHOWN_ROWS = 40, SHOWN_REASONS = 8 };

static const char *const things[] = { "site", "cache", "cpu", "node", "task" };
_Static_assert(ARRAY_SIZE(things) == NR_VALUES(kmem_sites_by), "each thing has its word");

/* Reads the things that keep rows apart, as in "site,cpu". */
static u32 asked_by(const struct args *args)
{
	const char *words = option_text_or(args, "by", "site,cache");
	u32 by = 0;

	for (const char *p = words;; p++) {
		size_t len = strcspn(p, ",");
		u32 i = 0;
		while (i < ARRAY_SIZE(things) &&
		       (strlen(things[i]) != len || strncmp(things[i], p, len) != 0))
			i++;
		if (i == ARRAY_SIZE(things))
			refuse_call("--by %s: expected site, cache, cpu, node or task, with "
				    "commas between; found `%.*s`",
				    words, (int)len, p);
		by |= 1u << i;
		p += len;
		if (!*p)
			return by;
	}
}

/* Most live bytes first, then most allocated bytes, then in the order of the trace. */
static int compare_rows(const void *a, const void *b)
{
	const struct kmem_site_row *x = a, *y = b;

	if (x->live_bytes != y->live_bytes)
		return x->live_bytes < y->live_bytes ? 1 : -1;
	if (x->bytes_allocated != y->bytes_allocated)
		return x->bytes_allocated < y->bytes_allocated ? 1 : -1;
	return x->first_op < y->first_op ? -1 : x->first_op > y->first_op;
}

static const char *leak_of(const struct doc *d, const void *row)
{
	const struct kmem_site_cache *caches = d->about;
	u32 cache = ((const struct kmem_site_row *)row)->cache;
	static struct lower name;

	name = enum_name("kmem_leak", caches[cache].leak);
	return name.s;
}

static const char *site_of(const struct doc *d, const void *row)
{
	u32 at = ((const struct kmem_site_row *)row)->call_site_at;
	const char *site = (const char *)d->base + at;

	return at && *site ? site : "(unknown call site)";
}

static const char *task_of(const struct doc *d, const void *row)
{
	u32 at = ((const struct kmem_site_row *)row)->task_at;
	const char *task = (const char *)d->base + at;

	return at && *task ? task : "(unknown task)";
}

#define SITE_COLUMN(field, key, form, head, width) \
	COLUMN(key, kmem_site_row, field, form, IN_BOTH, (width) ? (head) : NULL, width),
static const struct column columns[] = {
	COLUMN_SAME("trace", 0, IN_CSV),
#include "tables/sites.def"
	COLUMN_SAME("from", 1, IN_CSV),
};

/* The rows' names come after their figures in text; JSON has the verdict on a cache. */
static const struct column names[] = {
	[SITES_BY_CPU] = COLUMN(NULL, kmem_site_row, cpu, ID, 0, "CPU", -6),
	[SITES_BY_NODE] = COLUMN(NULL, kmem_site_row, node, ID, 0, "node", -6),
	[SITES_BY_TASK] = COLUMN_SAID(NULL, task_of, 0, "task", -18),
	[SITES_BY_CACHE] = COLUMN(NULL, kmem_site_row, cache_at, TEXT_AT, 0, "cache", -26),
	[SITES_BY_SITE] = COLUMN_SAID(NULL, site_of, 0, "call site", 0),
};
static const struct column leak_column = CELL_SAID("leak", leak_of, IN_JSON);

static void answer_rows(struct doc *d, const struct kmem_sites *sites,
			const struct kmem_site_row *rows, u32 nr)
{
	static const u32 order[] = { SITES_BY_CPU, SITES_BY_NODE, SITES_BY_TASK, SITES_BY_CACHE,
				     SITES_BY_SITE };
	struct column all[ARRAY_SIZE(columns) + ARRAY_SIZE(names) + 1];
	u32 nr_all = ARRAY_SIZE(columns);

	memcpy(all, columns, sizeof(columns));
	for (u32 i = 0; i < ARRAY_SIZE(order); i++)
		if (sites->by >> order[i] & 1)
			all[nr_all++] = names[order[i]];
	if (sites->by >> SITES_BY_CACHE & 1)
		all[nr_all++] = leak_column;
	doc_rows(d, "sites", (struct rows){ all, nr_all, sizeof(*rows), rows, nr });
}

static const char cache_keys[] =
	"name_at,leak:kmem_leak,allocations,frees,unseen_frees,orphan_frees,rcu_frees,live_objects,"
	"leak_suspects,usual_lifetime,oldest_live_op?";

/* The caches; in text only what the kernel has merged: the trace calls all of these by the first one. */
static void answer_caches(struct doc *d, const struct host *h, const struct kmem_sites *sites)
{
	const struct kmem_site_cache *rows = host_rows(h, sites->caches_at);
	u32 nr = 0;

	doc_array(d, "caches");
	for (u32 i = 0; i < sites->nr_caches; i++) {
		const char *name = host_text(h, rows[i].name_at);
		if (!rows[i].allocations)
			continue;
		doc_row(d, NULL);
		doc_fields(d, ROW(kmem_site_cache, &rows[i]), cache_keys);
		doc_text(d, "why", kmem_sites_why(h->session, i));
		const char *aliases = kmem_machine_aliases(h->session, name);
		if (*aliases) {
			doc_text(d, "aliases", aliases);
			doc_line(d, "%s  %s is merged with %s", nr++ ? "" : "\n", plain(name),
				 aliases);
		}
		doc_end(d);
	}
	doc_end(d);
}

/* Finds the cache with that verdict that has most live objects among those after `last`; nr_caches if there is none. */
static u32 next_reason(const struct kmem_site_cache *rows, u32 nr_caches, u32 leak, u32 last)
{
	u32 best = nr_caches;

	for (u32 i = 0; i < nr_caches; i++) {
		u32 live = rows[i].live_objects;
		int is_behind = last == nr_caches || live < rows[last].live_objects ||
				(live == rows[last].live_objects && i > last);
		if (rows[i].leak == leak && rows[i].allocations && is_behind &&
		    (best == nr_caches || live > rows[best].live_objects))
			best = i;
	}
	return best;
}

/* Says why the caches with one verdict have live objects, most objects first. */
static void say_reasons(struct doc *d, const struct host *h, const struct kmem_sites *sites,
			u32 verdict)
{
	const struct kmem_site_cache *rows = host_rows(h, sites->caches_at);
	u32 nr = 0, none = sites->nr_caches, i = none;

	for (u32 k = 0; k < none; k++)
		nr += rows[k].leak == verdict && rows[k].allocations;
	if (nr)
		doc_line(d, "\n%s", enum_words("kmem_leak", verdict));
	for (u32 shown = 0; shown < MIN(nr, (u32)SHOWN_REASONS); shown++) {
		i = next_reason(rows, none, verdict, i);
		doc_line(d, "  %s, %s. %s", plain(host_text(h, rows[i].name_at)),
			 counted(rows[i].live_objects, "live object").s,
			 kmem_sites_why(h->session, i));
	}
	if (nr > SHOWN_REASONS)
		doc_line(d, "  ... and %s more: --json", counted(nr - SHOWN_REASONS, "cache").s);
}

static void answer_sites(struct doc *d, const struct host *h, const struct args *args,
			 const struct kmem_sites *sites, const struct kmem_site_row *rows)
{
	static const u32 verdicts[] = { LEAK_SUSPECT, LEAK_UNSEEN, LEAK_FEW_FREES, LEAK_RCU,
					LEAK_SAMPLED };
	u64 most = option_or(args, "count", SHOWN_ROWS);
	u32 nr = d->form == DOC_TEXT ? (u32)MIN(most, (u64)sites->nr_rows) : sites->nr_rows;

	d->about = host_rows(h, sites->caches_at);
	d->same[1] = from_name(FROM_MEASURED);
	doc_object(d, NULL);
	doc_text(d, "trace", h->trace);
	doc_text(d, "from", d->same[1]);
	doc_number(d, "ops", sites->ops);
	doc_number(d, "lost", sites->lost);
	doc_bool(d, "is_guess", (int)sites->is_guess);
	doc_sampling(d, h);
	doc_text_or_null(d, "time_unit",
			 !sites->time_is_known		       ? NULL
			 : kmem_report(h->session)->time_is_ns ? "ns"
							       : "ticks");
	doc_number(d, "lifetime_parts", sites->lifetime_parts);
	answer_rows(d, sites, rows, nr);
	if (nr < sites->nr_rows)
		doc_line(d, "%15s  and %s: --count K", "...",
			 counted(sites->nr_rows - nr, "more row").s);
	doc_line(
		d,
		"\nother CPU, other node: frees there. mean lifetime: events from an allocation to "
		"its free.\ninternal fragmentation: the part of the slots that was not requested.");
	for (u32 i = 0; d->form == DOC_TEXT && i < ARRAY_SIZE(verdicts); i++)
		say_reasons(d, h, sites, verdicts[i]);
	answer_caches(d, h, sites);
	doc_unseen(d, h);
	doc_end(d);
}

static u32 number_or_any(const struct args *args, const char *option)
{
	return given(args, option) ? (u32)MIN(option_number(args, option), (u64)KMEM_ANY - 1)
				   : KMEM_ANY;
}

static void check(const struct args *args)
{
	if (asked_by(args) >> SITES_BY_TASK & 1 || given(args, "task"))
		host_keep(KMEM_KEEP_TASKS);
	if (given(args, "pprof") != given(args, "output"))
		refuse_call(
			"a profile is binary: give --pprof together with -o FILE, or with -o - for "
			"standard output");
	if (given(args, "pprof") && (given(args, "json") || given(args, "csv")))
		refuse_call(
			"--pprof, --json and --csv are three forms of one answer: give only one "
			"of them");
	if (given(args, "output"))
		output_check(option_text(args, "output"), args, args->nr_operands);
}

static void count(struct host *h, const struct args *args)
{
	u32 cpu = number_or_any(args, "cpu"), node = number_or_any(args, "node");
	u64 first = option_or(args, "from-event", 1) - 1,
	    end = option_or(args, "to-event", KMEM_NONE32);
	const struct kmem_sites_args asked = { option_text(args, "cache"),
					       option_text(args, "task"),
					       asked_by(args),
					       cpu,
					       node,
					       (u32)MIN(first, (u64)KMEM_NONE32),
					       (u32)MIN(end, (u64)KMEM_NONE32) };

	host_finish(h, JOB_SITES, &asked, "counting call sites");
}

static void answer_profile(struct doc *d, struct host *h, const struct args *args)
{
	struct output out;
	const u8 *at;
	u32 nr;

	output_begin(&out, args, args->nr_operands);
	count(h, args);
	host_must(h, kmem_pprof_begin(h->session));
	do {
		at = kmem_pprof_next(h->session, &nr);
		if (!at)
			host_failed(h, KMEM_ESTATE);
	} while (nr && output_write(&out, at, nr));
	output_end(&out);
	if (!h->quiet && !out.is_stdout)
		doc_line(d, "%s: %s; open it with pprof", plain(out.name),
			 counted(kmem_sites(h->session)->nr_rows, "sample").s);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	if (given(args, "pprof")) {
		answer_profile(d, h, args);
		return;
	}
	count(h, args);
	const struct kmem_sites *sites = kmem_sites(h->session);
	if (!sites)
		host_failed(h, KMEM_ESTATE);
	struct kmem_site_row *rows = memory_for(sites->nr_rows, sizeof(*rows));
	memcpy(rows, host_rows(h, sites->rows_at), sites->nr_rows * sizeof(*rows));
	qsort(rows, sites->nr_rows, sizeof(*rows), compare_rows);
	answer_sites(d, h, args, sites, rows);
	free(rows);
}

static const struct option options[] = {
	{ "pprof", .help = "with -o: write a gzip-compressed profile by call site, for pprof" },
	OPTION_OUTPUT,
	OPTION("cache", WORD, "NAME", "only allocations from this cache, as `info` names it"),
	OPTION("cpu", WHOLE, "N", "only allocations on this CPU"),
	OPTION("node", WHOLE, "N", "only allocations on CPUs of this node"),
	OPTION("task", WORD, "NAME|PID,...",
	       "only allocations by these tasks: name, pid or both, as in sh-42"),
	OPTION("from-event", ORDINAL, "N", "only allocations from event N on, counted from 1"),
	OPTION("to-event", ORDINAL, "N", "only allocations up to event N"),
	OPTION("by", WORD, "THING,...",
	       "what gets its own row: site, cache, cpu, node, task (default site,cache)"),
	OPTION_MOST,
	OPTION_CPUS,
	OPTION_NODES,
	OPTION_SET,
	OPTION_CACHE_PARAMS,
	OPTION_START,
	OPTIONS_END,
};

const struct command command_sites = {
	GROUP_ASK,
	"sites",
	"TRACE",
	"list call sites: who allocates, how long objects live, what is left",
	"Counts for each call site and cache: allocations, frees of these objects wherever they\n"
	"were freed, bytes requested and bytes of their slots, lifetimes, frees on another CPU or\n"
	"node, and the objects that live at the end. Nothing is replayed.\n"
	"\n"
	"An object is a leak suspect if it is older than nearly all objects of its cache that the\n"
	"trace frees; in a trace that runs to a program's end, also if its call site left many\n"
	"objects. For each cache the command says whether the trace shows the frees at all, and\n"
	"how it knows. A node is that of the CPU, by --nodes or the trace's own machine line.\n"
	"Tasks take 4 bytes of memory an event. --cache-params names the caches that the kernel\n"
	"has merged. --pprof writes the rows as a profile for pprof, speedscope and others.",
	"  slabscope sites trace.txt\n"
	"  slabscope sites trace.txt --cache kmalloc-64 --by site,cpu --csv\n"
	"  slabscope sites trace.txt --pprof -o sites.pb.gz",
	TAKES_JSON | TAKES_TRACE | TAKES_ROWS,
	options,
	.needs = NEEDS_TRACE,
	.check = check,
	.answer = answer,
};
